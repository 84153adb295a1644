// Tests of lib/model/sample.c: chances by temperature and top-p, draws, and Pearson's test against known tails.
#include "model/sample.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

enum { N = 6 };
static const float logits[N] = { 1.0f, 3.0f, -2.0f, 3.0f, 0.5f, 2.0f };

static double sum_of(const double *chance, int n)
{
    double sum = 0.0;
    for (int o = 0; o < n; o++) sum += chance[o];
    return sum;
}

TEST(chances_are_softmax_of_logits_over_temperature)
{
    static const double temperatures[] = { 0.3, 0.7, 1.0, 2.5 };
    for (int t = 0; t < 4; t++) {
        double chance[N], want[N], scores[N];
        for (int o = 0; o < N; o++) scores[o] = (double)logits[o] / temperatures[t];
        sample_chances(chance, logits, N, (Sampling){ temperatures[t], 1.0 });
        reference_softmax(want, scores, N);
        for (int o = 0; o < N; o++) ck_assert_double_eq_tol(chance[o], want[o], 1e-15);
    }
}

TEST(greedy_takes_the_first_of_the_largest)
{
    double chance[N];
    sample_chances(chance, logits, N, (Sampling){ 0.0, 0.5 });
    for (int o = 0; o < N; o++) ck_assert(chance[o] == (o == 1 ? 1.0 : 0.0));
    for (int i = 0; i < 50; i++) ck_assert_int_eq(sample_draw(chance, N, &random_state), 1);
}

TEST(large_logits_do_not_overflow)
{
    double chance[3];
    sample_chances(chance, (const float[]){ 3e38f, 0.0f, -3e38f }, 3, (Sampling){ 0.1, 1.0 });
    ck_assert(chance[0] == 1.0 && chance[1] == 0.0 && chance[2] == 0.0);
}

// The likeliest, as few as have p together; of equal ones the first.
TEST(top_p_keeps_the_nucleus)
{
    // The logarithms of 1, 5, 2, 1 and 1 tenths.
    static const float logs[5] = { -2.3025851f, -0.6931472f, -1.6094379f, -2.3025851f, -2.3025851f };
    static const struct {
        double p;
        int kept[5];
        double sum;
    } cases[] = {
        { 0.4, { 0, 1, 0, 0, 0 }, 0.5 },  { 0.6, { 0, 1, 1, 0, 0 }, 0.7 },  { 0.75, { 1, 1, 1, 0, 0 }, 0.8 },
        { 0.85, { 1, 1, 1, 1, 0 }, 0.9 }, { 0.95, { 1, 1, 1, 1, 1 }, 1.0 }, { 1.0, { 1, 1, 1, 1, 1 }, 1.0 },
        { 0.01, { 0, 1, 0, 0, 0 }, 0.5 },
    };
    static const double tenths[5] = { 0.1, 0.5, 0.2, 0.1, 0.1 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double chance[5];
        sample_chances(chance, logs, 5, (Sampling){ 1.0, cases[c].p });
        for (int o = 0; o < 5; o++)
            ck_assert_double_eq_tol(chance[o], cases[c].kept[o] ? tenths[o] / cases[c].sum : 0.0, 1e-7);
        ck_assert_double_eq_tol(sum_of(chance, 5), 1.0, 1e-15);
    }
    double chance[N];
    sample_chances(chance, (const float[]){ 0, 0, 0, 0, 0, 0 }, N, (Sampling){ 1.0, 0.5 });
    for (int o = 0; o < N; o++) ck_assert_double_eq_tol(chance[o], o < 3 ? 1.0 / 3.0 : 0.0, 1e-15);
}

TEST(a_draw_is_as_likely_as_its_weight)
{
    static const double weights[5] = { 0.0, 3.0, 0.0, 1.0, 0.0 };
    int count[5] = { 0 };
    for (int i = 0; i < 20000; i++) count[sample_draw(weights, 5, &random_state)]++;
    ck_assert(count[0] == 0 && count[2] == 0 && count[4] == 0);
    SampleChiSquare test = sample_test(count, (const double[]){ 0.0, 0.75, 0.0, 0.25, 0.0 }, 5);
    ck_assert(test.tail > 1e-4 && test.freedom == 1);
    test = sample_test(count, (const double[]){ 0.0, 0.72, 0.0, 0.28, 0.0 }, 5);
    ck_assert(test.tail < 1e-6);
}

// Statistics whose tails are known: of freedom 2 the tail is exp(−x / 2), of freedom 1 erfc(√(x / 2)), and of any even
// freedom a sum of as many terms as half of it.
TEST(tails_are_those_of_chi_square)
{
    for (int k = 1; k < 60; k++)
        for (int shift = 1; shift <= 40; shift += 13) {
            // k + 1 bins of the same chance; one has `shift` too many, and the next too few.
            double chance[64];
            int count[64];
            for (int o = 0; o <= k; o++) {
                chance[o] = 1.0 / (k + 1);
                count[o] = 100;
            }
            count[0] += shift;
            count[1] -= shift;
            SampleChiSquare test = sample_test(count, chance, k + 1);
            double x = 2.0 * shift * shift / 100.0, tail = k % 2 ? erfc(sqrt(x / 2)) : 0.0;
            double term = k % 2 ? sqrt(2.0 * x / acos(-1.0)) * exp(-x / 2) : exp(-x / 2);
            for (int j = k % 2 ? 3 : 2; j <= k; j += 2) {
                tail += term;
                term *= x / j;
            }
            case_is("freedom %d, %g", k, x);
            ck_assert_int_eq(test.freedom, k);
            ck_assert_double_eq_tol(test.statistic, x, 1e-12 * x);
            ck_assert_double_eq_tol(test.tail, tail, 1e-12);
        }
}

TEST(rare_tokens_count_as_one)
{
    // 100 draws: 0.97, and three that are expected once each, in all three times.
    static const double chance[4] = { 0.97, 0.01, 0.01, 0.01 };
    SampleChiSquare test = sample_test((const int[]){ 95, 5, 0, 0 }, chance, 4);
    ck_assert_int_eq(test.freedom, 1);
    ck_assert_double_eq_tol(test.statistic, 4.0 / 97.0 + 4.0 / 3.0, 1e-12);
    test = sample_test((const int[]){ 3, 7 }, (const double[]){ 1.0, 0.0 }, 2);
    ck_assert(isinf(test.statistic) && test.tail == 0.0);
    test = sample_test((const int[]){ 10, 0 }, (const double[]){ 1.0, 0.0 }, 2);
    ck_assert(test.statistic == 0.0 && test.freedom == 0 && test.tail == 1.0);
}

TEST_ABORTS(what_cannot_be_drawn_stops, 4)
{
    quiet();
    double chance[N];
    if (_i == 0) sample_draw((const double[]){ 0.0, 0.0 }, 2, &random_state);
    if (_i == 1) sample_chances(chance, logits, N, (Sampling){ -1.0, 1.0 });
    if (_i == 2) sample_chances(chance, logits, N, (Sampling){ 1.0, 0.0 });
    if (_i == 3) sample_chances(chance, logits, 0, (Sampling){ 1.0, 1.0 });
}
