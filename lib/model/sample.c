// Chapter 21. Temperature, top-p, sampling, and Pearson's chi-square test.
#include "model/sample.h"

#include "base/portable_math.h"

// ---- probabilities

int sample_likeliest(const float *logits, int n)
{
    int best = 0;
    float most = logits[0];
    for (int o = 1; o < n; o++) {
        if (!(logits[o] > most)) continue; // nearly always taken, so the next iteration does not wait
        most = logits[o];
        best = o;
    }
    return best;
}

// Is token a before token b, in order of descending probability?
static bool ranks_before(const double *chance, int a, int b)
{
    return chance[a] > chance[b] || (chance[a] == chance[b] && a < b);
}

// The next token after `last` in that order; last −1: the first. Returns −1 at the end.
static int next_likeliest(const double *chance, int n, int last)
{
    int best = -1;
    for (int o = 0; o < n; o++) {
        bool later = last < 0 || ranks_before(chance, last, o);
        if (later && (best < 0 || ranks_before(chance, o, best))) best = o;
    }
    return best;
}

// Top-p: keeps the likeliest tokens until their sum reaches p, and normalizes. One pass per kept token; usually few are
// kept.
static void keep_nucleus(double *chance, int n, double p)
{
    double sum = 0.0;
    int last = -1;
    while (sum < p) {
        int next = next_likeliest(chance, n, last);
        if (next < 0) break; // by rounding, all of them may sum to less than p
        sum += chance[next];
        last = next;
    }
    for (int o = 0; o < n; o++)
        if (o != last && !ranks_before(chance, o, last)) chance[o] = -1.0; // removed; `last` is still compared with
    for (int o = 0; o < n; o++) chance[o] = chance[o] < 0.0 ? 0.0 : chance[o] / sum;
}

void sample_chances(double *chance, const float *logits, int n, Sampling how)
{
    REQUIRE(n >= 1 && how.temperature >= 0.0 && how.top_p > 0.0 && how.top_p <= 1.0,
            "%d logits, temperature %g, top-p %g", n, how.temperature, how.top_p);
    int best = sample_likeliest(logits, n);
    if (how.temperature == 0.0) {
        for (int o = 0; o < n; o++) chance[o] = o == best ? 1.0 : 0.0;
        return;
    }
    double sum = 0.0;
    for (int o = 0; o < n; o++) {
        chance[o] = exp(((double)logits[o] - (double)logits[best]) / how.temperature);
        sum += chance[o];
    }
    for (int o = 0; o < n; o++) chance[o] /= sum;
    if (how.top_p < 1.0) keep_nucleus(chance, n, how.top_p);
}

// ---- sampling

double sample_uniform(Random *random) { return (double)(random_bits(random) >> 11) * 0x1p-53; }

int sample_draw(const double *weight, int n, Random *random)
{
    double sum = 0.0;
    for (int o = 0; o < n; o++) sum += weight[o];
    REQUIRE(sum > 0.0, "%d weights, and none of them above 0", n);
    double remaining = sample_uniform(random) * sum;
    int drawn = 0;
    for (int o = 0; o < n; o++) {
        if (weight[o] <= 0.0) continue;
        drawn = o; // if rounding leaves a remainder, the last one
        if (remaining < weight[o]) break;
        remaining -= weight[o];
    }
    return drawn;
}

// ---- Pearson's test

// Regularized upper incomplete gamma function Q(a, x) = Γ(a, x) / Γ(a), a, x > 0: 1 minus the series of the lower one for
// small x, else a continued fraction by Lentz's method. [Abramowitz and Stegun 1964, 6.5.29 and 6.5.31]
static double upper_gamma(double a, double x)
{
    double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (double k = a + 1.0; term > sum * 1e-16; k += 1.0) {
            term *= x / k;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, fraction = d;
    for (int i = 1; i < 10000; i++) {
        double over = -i * (i - a);
        b += 2.0;
        d = 1.0 / (b + over * d);
        c = b + over / c;
        fraction *= c * d;
        if (fabs(c * d - 1.0) < 1e-15) break;
    }
    return front * fraction;
}

SampleChiSquare sample_test(const int *count, const double *chance, int n)
{
    double total = 0.0, rare = 0.0, statistic = 0.0;
    int bins = 0, rare_count = 0;
    for (int o = 0; o < n; o++) total += count[o];
    for (int o = 0; o < n; o++) {
        double expected = total * chance[o];
        if (count[o] > 0 && chance[o] <= 0.0) return (SampleChiSquare){ INFINITY, n - 1, 0.0 };
        if (expected < 5.0) {
            rare += expected;
            rare_count += count[o];
            continue;
        }
        statistic += (count[o] - expected) * (count[o] - expected) / expected;
        bins++;
    }
    if (rare > 0.0) {
        statistic += (rare_count - rare) * (rare_count - rare) / rare;
        bins++;
    }
    int freedom = bins > 1 ? bins - 1 : 0;
    return (SampleChiSquare){ statistic, freedom,
                              freedom && statistic > 0.0 ? upper_gamma(0.5 * freedom, 0.5 * statistic) : 1.0 };
}
