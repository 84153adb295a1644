// Tests of lib/base/random.c. All seeds are fixed: a bound of four or five standard errors either holds or does not.
#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

TEST(first_words_of_splitmix64)
{
    static const uint64_t of_1234567[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                           4593380528125082431u, 16408922859458223821u };
    static const uint64_t of_0[] = { 0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu };
    Random random = random_from(1234567), zero = random_from(0);
    for (int n = 0; n < 5; n++) ck_assert_uint_eq(random_bits(&random), of_1234567[n]);
    for (int n = 0; n < 3; n++) ck_assert_uint_eq(random_bits(&zero), of_0[n]);
}

// From the words above: word >> 40 over 2²⁴, and Box and Muller on the first two words, worked in Python.
TEST(first_numbers)
{
    Random random = random_from(1234567);
    ck_assert(random_uniform(&random) == (float)(6457827717110365317u >> 40) / 16777216.0f);
    ck_assert(random_uniform(&random) == (float)(3203168211198807973u >> 40) / 16777216.0f);
    random = random_from(1234567);
    ck_assert_float_eq_tol(random_normal(&random), 0.668741847f, 1e-7f);
    ck_assert_float_eq_tol(random_normal(&random), 0.007002817f, 1e-7f);
    random = random_from(1234567);
    ck_assert_int_eq(random_below(&random, 1000), 317);
    ck_assert_int_eq(random_below(&random, 1000), 973);
}

// Sum of (seen − expected)² / expected. Its mean is cells − 1, its variance twice that.
static double chi_square(const int *seen, int cells, double expected)
{
    double sum = 0;
    for (int c = 0; c < cells; c++) sum += (seen[c] - expected) * (seen[c] - expected) / expected;
    return sum;
}

static void assert_even(const int *seen, int cells, int drawn)
{
    double chi = chi_square(seen, cells, (double)drawn / cells), freedom = cells - 1;
    ck_assert_double_eq_tol(chi, freedom, 4 * sqrt(2 * freedom));
}

TEST(below_is_even)
{
    static const int bounds[] = { 2, 3, 7, 64, 100 };
    for (int b = 0; b < 5; b++) {
        Random random = random_from(47);
        int seen[100] = { 0 }, n = bounds[b], outside = 0;
        for (int i = 0; i < 50000; i++) {
            int x = random_below(&random, n);
            if (0 <= x && x < n) seen[x]++;
            else outside++;
        }
        ck_assert_int_eq(outside, 0);
        assert_even(seen, n, 50000);
    }
    Random random = random_from(48);
    ck_assert_int_eq(random_below(&random, 1), 0);
    int halves[2] = { 0 };
    for (int i = 0; i < 50000; i++) halves[random_below(&random, 2147483647) >= 1073741824]++;
    assert_even(halves, 2, 50000);
}

TEST(shuffle_is_a_permutation)
{
    Random random = random_from(49);
    for (int n = 0; n < 40; n++) {
        int order[40], seen[40] = { 0 };
        for (int i = 0; i < n; i++) order[i] = i;
        random_shuffle(&random, order, n);
        for (int i = 0; i < n; i++) {
            ck_assert(0 <= order[i] && order[i] < n);
            seen[order[i]]++;
        }
        for (int i = 0; i < n; i++) ck_assert_int_eq(seen[i], 1);
    }
    int values[] = { 7, 7, -3 }; // it arranges what stands there; it does not number
    random_shuffle(&random, values, 3);
    ck_assert_int_eq(values[0] + values[1] + values[2], 11);
}

TEST(normals_fill_a_view_row_by_row)
{
    Framed f = framed_mat(arena, 3, 4, NAN);
    Random random = random_from(51), same = random_from(51);
    random_normals(&random, f.view);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) ck_assert(*mat_ref(f.view, i, j) == random_normal(&same));
    ck_assert(frame_untouched(f, NAN));
    ck_assert_uint_eq(random.state, same.state);
}
