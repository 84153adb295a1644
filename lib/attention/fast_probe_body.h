// Chapter 15. What a processor can do at best, in the instructions of one kind. Included by fast.c after fast_body.h.

// The yardstick: the loop of both products and nothing else. KEYS rows against a block, KEYS steps; the first cache
// holds it all.
TARGET static int64_t NAME(probe)(int rounds)
{
    Arena *scratch = arena_open();
    V *right = arena_alloc(scratch, sizeof(V) * KEYS * VECTORS), *to = arena_alloc(scratch, sizeof(V) * KEYS * VECTORS);
    Mat left = mat_new(scratch, KEYS, KEYS);
    const int n = VECTORS;
    for (int round = 0; round < rounds; round++)
        for (int row = 0; row < KEYS; row += ROWS) {
            V sums[ROWS][VECTORS];
            for (int r = 0; r < ROWS; r++)
                for (int v = 0; v < n; v++) sums[r][v] = to[(row + r) * VECTORS + v];
            MULTIPLY(sums, KEYS, mat_row(left, row + r)[step], right)
            for (int r = 0; r < ROWS; r++)
                for (int v = 0; v < n; v++) to[(row + r) * VECTORS + v] = sums[r][v];
        }
    arena_close(scratch);
    return (int64_t)rounds * KEYS * KEYS * BLOCK;
}
