// Chapter 14, step 8. What the tiles cost in arithmetic, and in time where it is asked for.
#include "base/measure.h"
#include "steps.h"

static void one_tile(Attended to, Mat q, Mat k, Mat v, Mask mask)      // as large as the table
{
    attention_tiled_with(to, q, k, v, mask, (Tiles){ q.rows, k.rows });
}

// The best of three rounds, in turn, so that a busy moment of the machine does not fall on one kernel alone.
static void time_kernels(Lesson *lesson, int T)
{
    enum { KERNELS = 3 };
    AttentionKernel *const kernels[KERNELS] = { attention_naive, one_tile, attention_tiled };
    Projected p = drawn(lesson, T, T, WIDTH, WIDTH);
    Attended to = { .out = mat_new(lesson->arena, T, WIDTH) };
    double best[KERNELS] = { INFINITY, INFINITY, INFINITY };
    for (int round = 0; round < 3; round++)
        for (int n = 0; n < KERNELS; n++) {
            double start = clock_wall();
            kernels[n](to, p.q, p.k, p.v, EVERYTHING);
            best[n] = fmin(best[n], clock_wall() - start);
        }
    say(lesson, "T = S = %d, d = %d: naive %.1f ms, one tile as large as the table %.1f ms, tiles of 64 × 64 %.1f ms.",
        T, WIDTH, 1e3 * best[0], 1e3 * best[1], 1e3 * best[2]);
}

void tiles_alone(Lesson *lesson, int T)
{
    step(lesson, "Tiles alone save no time");
    enum { N = 256 };
    Projected p = drawn(lesson, N, N, WIDTH, WIDTH);
    Attended to = room_for(lesson->arena, N, WIDTH);
    counted = (Cost){ 0 };
    attention_naive(to, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications, naive", counted.multiplies, "T·S·(d + dv)", (int64_t)N * N * 2 * WIDTH);
    counted = (Cost){ 0 };
    attention_tiled(to, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications, tiles of 64 × 64", counted.multiplies, "T·S·(d + dv) + T·(S/64)·(1 + dv)",
         (int64_t)N * N * 2 * WIDTH + (int64_t)N * (N / 64) * (1 + WIDTH));
    cost(lesson, "bytes of its scratch", counted.scratch, "what step 3 says, whatever T",
         tiles_scratch((Tiles){ 64, 64 }, WIDTH, WIDTH));
    if (T) time_kernels(lesson, T);
}
