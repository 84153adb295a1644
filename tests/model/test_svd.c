// Tests of lib/model/svd.c: matrices whose singular values are known, and what makes a decomposition of any matrix.
#include "model/svd.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

static double *random_numbers(int count)
{
    double *a = arena_alloc(arena, sizeof(double) * (size_t)count);
    for (int i = 0; i < count; i++) a[i] = (double)random_normal(&random_state);
    return a;
}

static void assert_values(Svd got, const double *want)
{
    for (int k = 0; k < got.r; k++)
        ck_assert_msg(fabs(got.s[k] - want[k]) <= 1e-13 * want[0], "s[%d] is %.17g, not %.17g", k, got.s[k], want[k]);
}

TEST(known)
{
    // [3 0; 4 5]: aᵀa has the eigenvalues 45 and 5.
    assert_values(svd_decompose(arena, (double[]){ 3, 0, 4, 5 }, 2, 2), (double[]){ sqrt(45), sqrt(5) });
    // A diagonal in any order, with signs; wide, and tall.
    assert_values(svd_decompose(arena, (double[]){ 0, -7, 0, 2, 0, 0 }, 2, 3), (double[]){ 7, 2 });
    assert_values(svd_decompose(arena, (double[]){ 0, 2, -7, 0, 0, 0 }, 3, 2), (double[]){ 7, 2 });
    // One column times one row: |(1 2 2)| · |(3 4)| = 3 · 5, and nothing more.
    assert_values(svd_decompose(arena, (double[]){ 3, 4, 6, 8, 6, 8 }, 3, 2), (double[]){ 15, 0 });
    // A turn changes no length.
    assert_values(svd_decompose(arena, (double[]){ 0.6, -0.8, 0.8, 0.6 }, 2, 2), (double[]){ 1, 1 });
    // Two equal columns, and zeros.
    assert_values(svd_decompose(arena, (double[]){ 1, 1, 1, 1 }, 2, 2), (double[]){ 2, 0 });
    assert_values(svd_decompose(arena, (double[6]){ 0 }, 2, 3), (double[]){ 0, 0 });
}

static double entry(Svd a, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < a.r; k++) sum += a.u[i * a.r + k] * a.s[k] * a.v[j * a.r + k];
    return sum;
}

// Columns of m (rows, r): each of length 1, or 0 where `may_vanish` and s is 0; any two at right angles.
static void assert_orthonormal(const double *m, int rows, Svd a, bool may_vanish)
{
    for (int p = 0; p < a.r; p++)
        for (int q = 0; q <= p; q++) {
            double sum = 0;
            for (int i = 0; i < rows; i++) sum += m[i * a.r + p] * m[i * a.r + q];
            double want = p != q || (may_vanish && a.s[p] == 0.0) ? 0.0 : 1.0;
            ck_assert_msg(fabs(sum - want) < 1e-12, "columns %d and %d: %g, not %g", p, q, sum, want);
        }
}

TEST_EACH(any_matrix, 21)
{
    static const int shapes[][2] = { { 1, 1 }, { 5, 1 }, { 1, 6 }, { 7, 7 }, { 30, 12 }, { 12, 30 }, { 64, 128 } };
    int m = shapes[_i % 7][0], n = shapes[_i % 7][1];
    double scale = _i < 7 ? 1.0 : _i < 14 ? 1e-200 : 1e200, *a = random_numbers(m * n), all = 0, sum = 0;
    for (int i = 0; i < m * n; i++) {
        all += a[i] * a[i];
        a[i] *= scale;
    }
    Svd got = svd_decompose(arena, a, m, n);
    ck_assert(got.m == m && got.n == n && got.r == (m < n ? m : n));
    for (int k = 0; k < got.r; k++) {
        ck_assert(got.s[k] >= 0 && (k == 0 || got.s[k] <= got.s[k - 1]));
        sum += got.s[k] / scale * (got.s[k] / scale);
    }
    ck_assert(fabs(sum - all) < 1e-11 * all);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) ck_assert(fabs(entry(got, i, j) - a[i * n + j]) < 1e-12 * scale);
    assert_orthonormal(got.u, m, got, m >= n);
    assert_orthonormal(got.v, n, got, m < n);
}

TEST(empty)
{
    Svd none = svd_decompose(arena, NULL, 0, 3);
    ck_assert(none.r == 0 && none.m == 0 && none.n == 3);
}

TEST_ABORTS(not_finite, 2)
{
    quiet();
    double strange[] = { NAN, INFINITY };
    svd_decompose(arena, (double[]){ 1, 2, 3, strange[_i] }, 2, 2);
}
