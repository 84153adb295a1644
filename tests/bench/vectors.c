// Loops over vectors. See vectors.h.
#include "bench/vectors.h"

#include "kernels/simd.h"

enum { FURTHER = 24 * LINE }; // how far ahead is asked for. Half as far or twice is not faster

// Each stream has sums of its own, so that none waits for another.
ISA_INLINE float side_by_side(const float *at, ptrdiff_t part, const int streams)
{
    Vec sums[4][LINE / LANES] = { { { 0 } } };
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < part; i += LINE) UNROLLED for (int s = 0; s < streams; s++)
        {
            PREFETCH(at + s * part + i, FURTHER);
            const float *line = at + s * part + i;
            UNROLLED for (int v = 0; v < LINE / LANES; v++) sums[s][v] += *(const Loose *)(line + v * LANES);
        }
    for (int s = 0; s < streams; s++)
        for (int n = 0; n < LINE; n++) sum += sums[s][n / LANES][n % LANES];
    return sum;
}

ISA_TARGET static float read_parts(const float *at, ptrdiff_t part, int streams)
{
    return streams == 1 ? side_by_side(at, part, 1) : side_by_side(at, part, 4);
}

ISA_TARGET static float weigh_row(float *scores, int count, float before, float scale, float *sum)
{
    Vec largest = vec_splat(before), total = { 0 };
    for (int i = 0; i < count; i += LANES) largest = vec_max(*(Loose *)(scores + i), largest);
    float max = before;
    for (int i = 0; i < LANES; i++) max = largest[i] > max ? largest[i] : max;
    for (int i = 0; i < count; i += LANES) {
        Vec weights = vec_exp2((*(Loose *)(scores + i) - max) * scale);
        *(Loose *)(scores + i) = weights;
        total += weights;
    }
    *sum = 0.0f;
    for (int i = 0; i < LANES; i++) *sum += total[i];
    return max;
}

const BenchVectors ISA_NAME(bench_vectors) = { read_parts, weigh_row };
