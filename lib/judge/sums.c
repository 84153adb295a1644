// Dot products and weighted sums, in vectors of four numbers.
#include "judge/sums.h"

#include "base/multiversion.h"

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias)); // unaligned

// Eight independent accumulators hide the latency of additions.
MULTIVERSION static double dot(const double *a, const double *b, int n)
{
    Four one = { 0 }, other = { 0 };
    int c = 0;
    for (; c + 8 <= n; c += 8) {
        one += *(const Four *)(a + c) * *(const Four *)(b + c);
        other += *(const Four *)(a + c + 4) * *(const Four *)(b + c + 4);
    }
    Four both = one + other;
    double sum = (both[0] + both[1]) + (both[2] + both[3]);
    for (; c < n; c++) sum += a[c] * b[c];
    return sum;
}

MULTIVERSION static void mix(double *restrict out, const double *weights, const double *const *values, int n)
{
    double w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    const double *v0 = values[0], *v1 = values[1], *v2 = values[2], *v3 = values[3];
    int c = 0;
    for (; c + 4 <= n; c += 4)
        *(Four *)(out + c) += (w0 * *(const Four *)(v0 + c) + w1 * *(const Four *)(v1 + c)) +
                              (w2 * *(const Four *)(v2 + c) + w3 * *(const Four *)(v3 + c));
    for (; c < n; c++) out[c] += (w0 * v0[c] + w1 * v1[c]) + (w2 * v2[c] + w3 * v3[c]);
}

double judge_dot(const double *a, const double *b, int n) { return dot(a, b, n); }

void judge_mix(double *restrict out, const double *weights, const double *const *values, int n)
{
    mix(out, weights, values, n);
}
