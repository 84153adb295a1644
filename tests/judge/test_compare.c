// Tests of lib/judge/compare.c.
#include "base/portable_math.h"
#include "judge/compare.h"
#include "support/suite.h"

static const CompareTolerance loose = { 0.1, 0.5 }; // |theirs − ours| ≤ 0.5 + 0.1 · |ours|

TEST(tolerances)
{
    Comparison c = compare_arrays((double[]){ 10, 11.5, 8.5, -11.5 }, (double[]){ 10, 10, 10, -10 }, 4, loose);
    ck_assert(c.count == 4 && c.out == 0 && c.worst == 1 && c.at == 1); // 1.5 is just allowed
    c = compare_arrays((double[]){ 10, 11.6, 8, 0.6 }, (double[]){ 10, 10, 10, 0 }, 4, loose);
    ck_assert(c.out == 3 && c.at == 2 && fabs(c.worst - 2 / 1.5) < 1e-12 && c.largest == 2);
    ck_assert(fabs(c.difference - (1.6 * 1.6 + 4 + 0.36)) < 1e-12 && c.size == 300);
    ck_assert(fabs(compare_relative(&c) - sqrt(c.difference / 300)) < 1e-15);

    c = compare_arrays((double[]){ 1, 2 }, (double[]){ 1, 2.0000001 }, 2, (CompareTolerance){ 0, 0 });
    ck_assert(c.out == 1 && c.at == 1 && isinf(c.worst) && c.not_finite == 0);
    c = compare_arrays(NULL, NULL, 0, loose);
    ck_assert(c.count == 0 && c.out == 0 && compare_relative(&c) == 0);
    c = compare_arrays((double[]){ 1 }, (double[]){ 0 }, 1, loose);
    ck_assert(isinf(compare_relative(&c)));
}

// NaN and Inf must stand where ours stand, and Inf with its sign. They never reach the sums.
TEST(not_finite)
{
    static const double inf = INFINITY, nan = NAN;
    const double ours[] = { nan, inf, -inf, 1, 1, inf, nan, inf }, theirs[] = { nan, inf, -inf, nan, inf, 1, 1, -inf };
    for (int e = 0; e < 8; e++) {
        Comparison c = compare_arrays(theirs + e, ours + e, 1, loose);
        ck_assert_msg(c.out == (e >= 3) && c.not_finite == c.out, "element %d", e);
        ck_assert(c.difference == 0 && (e < 3 ? c.worst == 0 : isinf(c.worst)));
        ck_assert(e < 3 ? compare_relative(&c) == 0 : isinf(compare_relative(&c)));
    }
    Comparison c = compare_arrays(theirs, ours, 8, loose);
    ck_assert(c.out == 5 && c.at == 3);
}

TEST(parts_add_up)
{
    double theirs[12], ours[12];
    for (int e = 0; e < 12; e++) {
        ours[e] = e - 5;
        theirs[e] = ours[e] + (e == 7 ? 9 : e % 3);
    }
    Comparison whole = compare_arrays(theirs, ours, 12, loose), sum = { 0 };
    for (size_t e = 0; e < 12; e += 4) compare_add(&sum, compare_arrays(theirs + e, ours + e, 4, loose), e);
    ck_assert(sum.count == 12 && sum.out == whole.out && sum.at == 7 && whole.at == 7 && sum.worst == whole.worst);
    ck_assert(sum.largest == whole.largest && sum.size == whole.size);
    ck_assert(fabs(sum.difference - whole.difference) < 1e-12);
}
