// lib/kernels/weight.c: products with a matrix that stands in bytes, of every type, orientation, packing and alignment,
// against the same in float64; plain ones to the bit against the sum from the first term to the last, rounded ones
// against the sum pair by pair, with and without the instruction for pairs.
#include "kernels/weight_kernel.h"

#include "kernels/bf16.h"
#include "kernels/fast.h"
#include "base/half.h"
#include "base/threads.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

static Random random_;
static void setup(void) { random_ = random_from(7); }
static void teardown(void)
{

    fast_choose(NULL);
    bf16_choose(NULL);
}
FIXTURE(setup, teardown);

// A number as it is stored, and what it then is.
static float put(unsigned char *at, Dtype stored, float x)
{
    if (stored == DTYPE_F32) {
        dtype_write_f32(at, &x, 1);
    } else {
        uint16_t bits = half_of(stored == DTYPE_F16 ? HALF_FLOAT16 : HALF_BFLOAT16, x);
        at[0] = (unsigned char)bits;
        at[1] = (unsigned char)(bits >> 8);
    }
    return dtype_read(at, stored, false);
}

typedef struct {
    Weight w;
    Mat as;
} Made; // as (in, out): its numbers

// (out, in) or (in, out); in runs of `run` outputs with as many others between; `off` bytes from an aligned place.
static Made made(Dtype stored, int in, int out, bool columns, int run, int off)
{
    int all = run ? 2 * out : out;
    ptrdiff_t size = (ptrdiff_t)dtype_size(stored);
    unsigned char *at = (unsigned char *)arena_alloc(arena, (size_t)(in * all * size + off)) + off;
    Made m = { { .at = at,
                 .stored = stored,
                 .in = in,
                 .out = out,
                 .in_step = columns ? all * size : size,
                 .out_step = columns ? size : in * size },
               mat_new(arena, in, out) };
    m.w.run = run;
    m.w.run_step = 2 * run * m.w.out_step;
    for (int i = 0; i < in * all; i++) put(at + i * size, stored, 99.0f);
    for (int o = 0; o < out; o++)
        for (int i = 0; i < in; i++) {
            int place = run ? o / run * 2 * run + o % run : o;
            *mat_ref(m.as, i, o) = put(at + i * m.w.in_step + place * m.w.out_step, stored, random_normal(&random_));
        }
    return m;
}

static const Dtype types[] = { DTYPE_F32, DTYPE_F16, DTYPE_BF16 };

static void held_to_float64(Made m, int n, bool plain)
{
    Framed out = framed_mat(arena, n, m.w.out, 5.0f);
    Mat x = random_mat(arena, &random_, n, m.w.in);
    mat_fill(out.view, 2.0f);
    Table want = reference_matmul(arena, table_of(arena, x), table_of(arena, m.as));
    for (int i = 0; i < n * m.w.out; i++) want.at[i] += 2.0;
    weight_apply(out.view, x, m.w, plain ? WEIGHT_PLAIN : WEIGHT_FAST);
    assert_close(out.view, want.at, 2e-5, 5e-5);
    ck_assert(frame_untouched(out, 5.0f));
}

static const int sizes[][3] = {
    { 1, 1, 1 },    { 1, 17, 9 },   { 1, 64, 130 }, { 1, 300, 33 },  { 2, 40, 70 },   { 3, 5, 4 },
    { 5, 33, 100 }, { 7, 259, 65 }, { 16, 64, 64 }, { 19, 513, 97 }, { 23, 640, 70 }, { 64, 32, 200 },
};

static void products(bool plain)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 3; t++)
            for (int columns = 0; columns < 2; columns++) {
                int n = sizes[s][0], in = sizes[s][1], out = sizes[s][2];
                case_is("%d rows, (%d, %d), type %d, %s", n, in, out, t, columns ? "(in, out)" : "(out, in)");
                held_to_float64(made(types[t], in, out, columns, 0, t == 0 ? 4 : 1), n, plain);
                held_to_float64(made(types[t], in, out * 6, columns, 6, 0), n, plain);
            }
}

TEST(plain_products) { products(true); }

TEST(fast_products)
{
    for (int k = 0; k < fast_kinds_count; k++)
        if (fast_choose(fast_kinds[k])) products(false);
}

// From the first term to the last, in float32.
TEST(plain_is_one_sum)
{
    for (int columns = 0; columns < 2; columns++) {
        Made m = made(DTYPE_BF16, 301, 150, columns, 0, 2);
        Mat x = random_mat(arena, &random_, 9, 301), out = mat_new(arena, 9, 150), want = mat_new(arena, 9, 150);
        for (int r = 0; r < 9; r++)
            for (int o = 0; o < 150; o++)
                for (int i = 0; i < 301; i++) *mat_ref(want, r, o) += *mat_ref(x, r, i) * *mat_ref(m.as, i, o);
        weight_apply(out, x, m.w, WEIGHT_PLAIN);
        assert_same(out, want);
    }
}

TEST(threads_change_nothing)
{
    for (int n = 1; n <= 40; n += 13)
        for (int way = 0; way < 4; way++) {
            WeightSums sums = way & 2 ? WEIGHT_ROUNDED : WEIGHT_FAST;
            Made m = made(way & 2 ? DTYPE_BF16 : DTYPE_F16, 512, 700, way & 1, 0, 0);
            Mat x = random_mat(arena, &random_, n, 512), one = mat_new(arena, n, 700), four = mat_new(arena, n, 700);
            threads_set(1);
            weight_apply(one, x, m.w, sums);
            threads_set(4);
            weight_apply(four, x, m.w, sums);
            assert_same(one, four);
        }
}

// ---- x rounded to bf16

static Mat rounded_by_number(Mat x)
{
    Mat to = mat_new(arena, x.rows, x.cols);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) *mat_ref(to, i, c) = bf16_value(bf16_of(*mat_ref(x, i, c)));
    return to;
}

// From 2 on, pair by pair, of each the second first.
static float sum_of_pairs(const float *x, Mat w, int o)
{
    float sum = 2.0f;
    for (int i = 0; i < w.rows; i += 2) {
        if (i + 1 < w.rows) sum += x[i + 1] * *mat_ref(w, i + 1, o);
        sum += x[i] * *mat_ref(w, i, o);
    }
    return sum;
}

static void held_to_pairs(Made m, int n)
{
    int in = m.w.in, out = m.w.out;
    Framed got = framed_mat(arena, n, out, 5.0f);
    Mat x = random_mat(arena, &random_, n, in), near = rounded_by_number(x), want = mat_new(arena, n, out);
    mat_fill(got.view, 2.0f);
    weight_apply(got.view, x, m.w, WEIGHT_ROUNDED);
    ck_assert(frame_untouched(got, 5.0f));
    for (int r = 0; r < n; r++)
        for (int o = 0; o < out; o++) *mat_ref(want, r, o) = sum_of_pairs(mat_row(near, r), m.as, o);
    Table sums = reference_matmul(arena, table_of(arena, near), table_of(arena, m.as));
    for (int i = 0; i < n * out; i++) sums.at[i] += 2.0;
    assert_close(got.view, sums.at, 2e-5, 5e-5);
    if (n > WEIGHT_FEW) assert_same(got.view, want);
}

// All kinds of vectors, with the instruction and without it.
TEST(rounded_products)
{
    for (int k = 0; k < fast_kinds_count * bf16_kinds_count; k++) {
        const char *kind = fast_kinds[k % fast_kinds_count], *pairs = bf16_kinds[k / fast_kinds_count];
        if (!fast_choose(kind) || !bf16_choose(pairs)) continue;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int columns = 0; columns < 2; columns++) {
                int n = sizes[s][0], in = sizes[s][1], out = sizes[s][2];
                case_is("%s, %s: %d rows, (%d, %d), %s", kind, pairs, n, in, out, columns ? "(in, out)" : "(out, in)");
                held_to_pairs(made(DTYPE_BF16, in, out, columns, 0, 1), n);
                held_to_pairs(made(DTYPE_BF16, in, out * 6, columns, 6, 0), n);
            }
    }
}

TEST(views)
{
    for (int columns = 0; columns < 2; columns++) {
        Made m = made(DTYPE_F16, 11, 12, columns, 3, 0);
        Mat part = mat_new(arena, 4, 5), row = mat_new(arena, 1, 11);
        weight_part(part, m.w, 2, 4);
        assert_same(part, mat_block(m.as, 2, 4, 4, 5));
        weight_row(row, m.w, 7);
        for (int i = 0; i < 11; i++) ck_assert(*mat_ref(row, 0, i) == *mat_ref(m.as, i, 7));
        Weight last = weight_inputs(weight_outputs(m.w, 6, 6), 3, 4);
        Mat all = mat_new(arena, 4, 6);
        weight_part(all, last, 0, 0);
        assert_same(all, mat_block(m.as, 3, 4, 6, 6));
    }
}

// Two parts of the same rows of inputs are one matrix; parts of other rows, apart, or turned round are not.
TEST(joined)
{
    Made m = made(DTYPE_BF16, 9, 12, true, 0, 0), other = made(DTYPE_BF16, 9, 12, true, 0, 0);
    Weight first = weight_outputs(m.w, 0, 5), second = weight_outputs(m.w, 5, 4), both;
    Mat all = mat_new(arena, 9, 9);
    ck_assert(weight_joined(&both, first, second));
    ck_assert_int_eq(both.out, 9);
    weight_part(all, both, 0, 0);
    assert_same(all, mat_cols(m.as, 0, 9));
    ck_assert(!weight_joined(&both, first, weight_outputs(m.w, 6, 4)));
    ck_assert(!weight_joined(&both, second, first));
    ck_assert(!weight_joined(&both, first, weight_outputs(other.w, 5, 4)));
    ck_assert(!weight_joined(&both, first, weight_inputs(second, 0, 8)));
    Weight runs = made(DTYPE_BF16, 9, 12, true, 3, 0).w;
    ck_assert(!weight_joined(&both, weight_outputs(runs, 0, 3), weight_outputs(runs, 3, 3)));
}

// Of fast products and activations, as in the fast attention kernels: numbers under 2⁻¹²⁶ count as 0.
TEST(small_numbers_are_0)
{
#if defined __x86_64__ || defined __aarch64__
    enum { IN = 40, OUT = 70 };
    for (int k = 0; k < fast_kinds_count; k++) {
        if (!fast_choose(fast_kinds[k])) continue;
        for (int columns = 0; columns < 2; columns++) {
            Made m = made(DTYPE_F32, IN, OUT, columns, 0, 0);
            for (int i = 0; i < IN * OUT; i++) put((unsigned char *)(uintptr_t)m.w.at + 4 * i, DTYPE_F32, 1e-39f);
            for (int n = 1; n <= 17; n += 16) { // few rows, and many, which are multiplied in panels
                Mat x = mat_new(arena, n, IN), out = mat_new(arena, n, OUT);
                mat_fill(x, 1e38f);
                weight_apply(out, x, m.w, WEIGHT_FAST);
                for (int i = 0; i < n * OUT; i++)
                    ck_assert_msg(out.at[i] == 0.0f, "%s, %d rows, %d: %g", fast_kinds[k], n, i, (double)out.at[i]);
            }
        }
        float x[40];
        for (int i = 0; i < IN; i++) x[i] = 2e-38f; // half of it is no longer above
        weight_kernel()->activate(x, IN, ACTIVATION_SILU);
        for (int i = 0; i < IN; i++) ck_assert_msg(x[i] == 0.0f, "%s, activated: %g", fast_kinds[k], (double)x[i]);
    }
#endif
}

TEST_ABORTS(mistakes_stop_the_program, 2)
{
    quiet();
    if (_i) weight_outputs(made(DTYPE_F32, 4, 12, false, 3, 0).w, 2, 3); // a run in two
    weight_apply(mat_new(arena, 1, 4), mat_new(arena, 1, 3), made(DTYPE_F32, 4, 4, false, 0, 0).w, WEIGHT_PLAIN);
}
