// Chapter 15. The peak measurement: only the micro-kernel of both products.
#include "kernels/fast_kernel.h"
#include "kernels/fast_micro_kernel.h"

// KEYS rows times a block, KEYS steps; the data fits into the L1 cache.
ISA_INLINE void probe_block(Vec *to, Mat left, const Vec *right, const int rows)
{
    for (int row = 0; row < KEYS; row += rows) {
        const float *number[ROWS];
        Vec sums[ROWS][VECTORS];
        for (int r = 0; r < rows; r++) number[r] = mat_row(left, row + r);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < VECTORS; v++) sums[r][v] = to[(row + r) * VECTORS + v];
        multiply(sums, KEYS, number, 1, right, rows, VECTORS);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < VECTORS; v++) to[(row + r) * VECTORS + v] = sums[r][v];
    }
}

ISA_TARGET int64_t ISA_NAME(fast_probe)(int rounds, int rows)
{
    Arena *scratch = arena_open();
    Vec *right = arena_alloc(scratch, sizeof(Vec) * KEYS * VECTORS);
    Vec *to = arena_alloc(scratch, sizeof(Vec) * KEYS * VECTORS);
    Mat left = mat_new(scratch, KEYS, KEYS);
    for (int round = 0; round < rounds; round++) {
        if (rows == 1) probe_block(to, left, right, 1);
        else if (rows == 2) probe_block(to, left, right, 2);
        else probe_block(to, left, right, ROWS);
    }
    arena_close(scratch);
    return (int64_t)rounds * KEYS * KEYS * BLOCK;
}
