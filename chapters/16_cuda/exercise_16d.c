// Exercise 16d. Predict, then run.
//
// Write the numbers, then run: make exercise-16d
//
// Shared memory has 32 banks: float number n lies in bank n % 32. Lanes that read one and the same number are served
// together; lanes that read different numbers of one bank take turns. All 32 lanes of a warp read at once. How many
// turns does it take, if lane reads
//
// 1. tile[0][lane] of float tile[32][32]
// 2. tile[lane][0] of float tile[32][32]
// 3. tile[lane][0] of float tile[32][33]
// 4. tile[lane][0] of float tile[32][36]
// 5. tile[lane / 4][lane % 4] of float tile[32][32]
// 6. x[0] of float x[32]
// 7. x[2 * lane] of float x[64]
//
// Memory answers in pieces of 32 bytes. All 32 lanes of a warp read at once. How many pieces is that, if lane reads, of
// an array that begins at a piece,
//
// 8. x[lane] of float x[32]
// 9. x[lane] of uint16_t x[32]
// 10. x[lane][0] of float x[32][64]
// 11. x[4 * lane] of float x[128]
//
// And of launches:
//
// 12. 100 queries, 50 keys, a thread a score, 128 threads a block: how many blocks are needed?
// 13. And how many threads have nothing to do?
// 14. A multiprocessor has 65536 registers, 228 KiB of shared memory, and room for 64 warps. A block has 128 threads of
//     96 registers and takes 40 KiB. How many such blocks does it hold at a time?
// 15. And which share of its 64 warps is that, in percent?

double my_predictions[15] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
