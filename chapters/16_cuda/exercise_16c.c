// Exercise 16c. Where must a barrier stand?
//
// Write the letters, then run: make exercise-16c
//
// A block of four warps walks past tiles of keys. A tile is copied into shared memory by all of them, each warp a
// quarter, and then all of them need all of it. Warps run at any speed: one may be far ahead of another. A barrier
// (__syncthreads) lets nobody pass before all four have come. Nothing else makes a warp wait.
//
// Task 1. One buffer for all tiles.
//
//       for each tile n:
//   A
//           copy my quarter of tile n into the buffer
//   B
//           use all four quarters of the buffer
//   C
//       write my sum to sums[warp], in shared memory of its own
//   D
//       warp 0: read sums[0 … 3]
//
// At which letters must a barrier stand? As few as will do.
const char *my_barriers(void)
{
    return "?";
}

// Task 2. Two buffers, as in mma.cu: a copy is ordered, and arrives at any time until its warp waits for its own.
//
//       order my quarter of tile 0 into buffer 0
//       for each tile n:
//   A
//           wait until all that I have ordered has arrived
//   B
//           order my quarter of tile n + 1 into buffer (n + 1) % 2
//   C
//           use all four quarters of buffer n % 2
//   D
//
// One letter is enough. Which?
const char *my_barrier_of_two(void)
{
    return "?";
}
