// SplitMix64, and distributions on top of it.
#include "base/random.h"

#include "base/portable_math.h"

Random random_from(uint64_t seed) { return (Random){ seed }; }

uint64_t random_bits(Random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

float random_uniform(Random *random) { return (float)(random_bits(random) >> 40) * 0x1p-24f; }

int random_below(Random *random, int n)
{
    REQUIRE(n >= 1, "n is %d; there is no number below it", n);
    uint64_t bound = (uint64_t)n, remainder = UINT64_MAX % bound, bits;
    do bits = random_bits(random);
    while (bits >= UINT64_MAX - remainder); // rejection: a partial last range would favour small numbers
    return (int)(bits % bound);
}

// Box-Muller in float64, rounded once to float32: this hides the last bit of log and cos, which differs between C
// libraries.
float random_normal(Random *random)
{
    double u = ((double)(random_bits(random) >> 11) + 1.0) * 0x1p-53; // 0 < u ≤ 1: its logarithm is finite
    double v = (double)(random_bits(random) >> 11) * 0x1p-53;
    return (float)(sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
}

void random_normals(Random *random, Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) = random_normal(random);
}

void random_shuffle(Random *random, int *order, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = random_below(random, i + 1);
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}
