// Tests of lib/judge/judge.c and kernel.c: held against tests/support/reference.h, which knows neither.
#include "judge/judge.h"

#include "base/portable_math.h"
#include "base/threads.h"
#include "base/dtype.h"
#include "judge/kernel.h"
#include "support/reference.h"
#include "support/suite.h"
#include "support/naive_reference.h"

#include <string.h>

static Judged room_for(JudgeShape is)
{
    size_t rows = (size_t)(is.B * is.H * is.T);
    return (Judged){ arena_alloc(arena, rows * (size_t)is.dv * 8), arena_alloc(arena, rows * 8),
                     arena_alloc(arena, rows * (size_t)is.S * 8) };
}

// |got − want| ≤ tolerance · max(|want|, 1e-6), and the same NaN and ±Inf.
static void assert_near(const char *what, const double *got, const double *want, size_t count, double tolerance)
{
    for (size_t e = 0; e < count; e++) {
        bool same = got[e] == want[e] || (isnan(got[e]) && isnan(want[e]));
        double allowed = tolerance * fmax(fabs(want[e]), 1e-6);
        ck_assert_msg(same || fabs(got[e] - want[e]) <= allowed, "%s [%zu]: got %.17g, want %.17g", what, e, got[e],
                      want[e]);
    }
}

static Table table_at(const double *at, int rows, int cols)
{
    Table t = table_new(arena, rows, cols);
    memcpy(t.at, at, (size_t)(rows * cols) * sizeof *at);
    return t;
}

// One head of a problem by the suites' reference. Another scale goes into q; the slope is rounded to float32 there, so
// it is given in float32 exactly or not at all.
static Reference reference_of(const Toy *toy, int b, int h)
{
    JudgeShape is = toy->setting.is;
    JudgeRules r = toy->setting.rules;
    int g = h * is.G / is.H;
    Table q = table_at(toy->q + (b * is.H + h) * is.T * is.d, is.T, is.d);
    for (int e = 0; e < is.T * is.d; e++) q.at[e] *= r.scale * sqrt(is.d);
    Mask mask = { .causal = r.causal, .window = r.window, .sinks = r.sinks };
    if (toy->problem.lengths) mask.padding = is.S - toy->lengths[b];
    if (r.alibi) mask.alibi = (float)pow(2, -8.0 * (h + 1) / is.H);
    return reference_attention(arena, q, table_at(toy->k + (b * is.G + g) * is.S * is.d, is.S, is.d),
                               table_at(toy->v + (b * is.G + g) * is.S * is.dv, is.S, is.dv), mask);
}

// 300 random problems: sizes, groups, masks, lengths, scales. T may exceed S, so some queries see nothing.
TEST(against_float64)
{
    for (int e = 0; e < 300; e++) {
        ArenaMark mark = arena_mark(arena);
        Toy toy = toy_random(arena, &random_state);
        JudgeShape is = toy.setting.is;
        if (is.H % 3 == 0) toy.setting.rules.alibi = false; // slopes that float32 does not hold
        Judged got = room_for(is);
        judge_all(got, &toy.problem, &toy.setting.rules);
        for (int b = 0; b < is.B; b++)
            for (int h = 0; h < is.H; h++) {
                Reference want = reference_of(&toy, b, h);
                size_t row = (size_t)((b * is.H + h) * is.T), T = (size_t)is.T, S = (size_t)is.S, dv = (size_t)is.dv;
                assert_near("out", got.out + row * dv, want.out.at, T * dv, 1e-9);
                assert_near("lse", got.lse + row, want.lse.at, T, 1e-9);
                assert_near("weights", got.weights + row * S, want.weights.at, T * S, 1e-9);
            }
        arena_release(arena, mark);
    }
}

TEST(slopes)
{
    JudgeRules paper = { .alibi = true }, powers = { .alibi = true, .slopes = JUDGE_SLOPES_OF_POWERS };
    static const double of_six[] = { 0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125 };
    for (int h = 0; h < 6; h++) {
        ck_assert(fabs(judge_slope(&paper, h, 6, 6) - pow(2, -8 * (h + 1) / 6.0)) < 1e-15);
        ck_assert(judge_slope(&powers, h, 6, 6) == of_six[h]);
        ck_assert(judge_slope(&powers, h, 8, 8) == judge_slope(&paper, h, 8, 8));
    }
    ck_assert(judge_slope(&paper, 0, 8, 8) == 0.5 && judge_slope(&paper, 7, 8, 8) == 1.0 / 256);
}

// The book's kernel by the same road: layouts in and out of its matrices, masks, groups, lengths, scale.
TEST(kernels_agree)
{
    for (int e = 0; e < 100; e++) {
        ArenaMark mark = arena_mark(arena);
        Toy toy = toy_random(arena, &random_state);
        JudgeShape is = toy.setting.is;
        size_t rows = (size_t)(is.B * is.H * is.T);
        Judged want = room_for(is), got = room_for(is), only_out = { .out = room_for(is).out };
        judge_all(want, &toy.problem, &toy.setting.rules);
        for (int n = 0; n < attention_kernels_count; n++) {
            if (!attention_kernel_exact(&attention_kernels[n])) continue;
            judge_kernel_all(got, &toy.problem, &toy.setting.rules, attention_kernels[n].run);
            judge_kernel_all(only_out, &toy.problem, &toy.setting.rules, attention_kernels[n].run);
            for (size_t c = 0; c < rows * (size_t)is.dv; c++) {
                ck_assert(fabs(got.out[c] - want.out[c]) < 2e-5 * fmax(1, fabs(want.out[c])));
                ck_assert(fabs(only_out.out[c] - want.out[c]) < 2e-5 * fmax(1, fabs(want.out[c])));
            }
            for (size_t c = 0; c < rows; c++) {
                double allowed = 2e-5 * fmax(1, fabs(want.lse[c]));
                ck_assert(got.lse[c] == want.lse[c] || fabs(got.lse[c] - want.lse[c]) < allowed);
            }
            for (size_t c = 0; c < rows * (size_t)is.S; c++) ck_assert(fabs(got.weights[c] - want.weights[c]) < 2e-5);
        }
        arena_release(arena, mark);
    }
}

static Toy small(void)
{
    Toy toy = { .q = arena_alloc(arena, 8 * 8), .k = arena_alloc(arena, 8 * 8), .v = arena_alloc(arena, 8 * 8) };
    for (int e = 0; e < 8; e++) {
        toy.q[e] = e % 3;
        toy.k[e] = e % 2;
        toy.v[e] = 1 + e;
    }
    toy.problem = (JudgeProblem){ { 1, 1, 1, 4, 4, 2, 2 }, toy.q, toy.k, toy.v, NULL };
    toy.setting = (CauseSetting){ .is = toy.problem.is, .rules = { .causal = true, .scale = 1 } };
    return toy;
}

// A key out of sight reaches nothing; one in sight makes the row NaN. Inf as IEEE says.
TEST(nan_and_infinity)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    for (int e = 0; e < 6; e++) {
        Toy toy = small(), clean = small();
        (e < 3 ? toy.k : toy.v)[2 * 2 + 1] = bad[e % 3]; // key or value 2: rows 2 and 3 see it
        toy.q[2 * 2 + 1] = toy.q[3 * 2 + 1] = 1;
        clean.q[2 * 2 + 1] = clean.q[3 * 2 + 1] = 1;
        Judged got = room_for(toy.problem.is), want = room_for(toy.problem.is);
        judge_all(got, &toy.problem, &toy.setting.rules);
        judge_all(want, &clean.problem, &clean.setting.rules);
        assert_near("rows 0 and 1", got.out, want.out, 4, 0);
        for (int i = 2; i < 4; i++) {
            double *out = got.out + 2 * i, *weights = got.weights + 4 * i;
            if (e == 0 || e == 1) ck_assert(isnan(out[0]) && isnan(out[1]) && isnan(weights[0]));
            if (e == 0) ck_assert(isnan(got.lse[i]));
            if (e == 1) ck_assert(got.lse[i] == INFINITY);
            if (e == 2) ck_assert(weights[2] == 0 && isfinite(out[0]) && isfinite(got.lse[i]));
            if (e >= 3) ck_assert(isfinite(out[0]) && (e == 3 ? isnan(out[1]) : out[1] == bad[e - 3]));
        }
    }
}

TEST(empty_rows_are_counted)
{
    Toy toy = small();
    toy.problem.is.S = 2; // queries 0 and 1 of 4 stand before the first key
    toy.problem.is.H = 1;
    ck_assert_uint_eq(judge_empty_rows(&toy.problem, &toy.setting.rules), 2);
    toy.problem.lengths = (int[]){ 0 };
    ck_assert_uint_eq(judge_empty_rows(&toy.problem, &toy.setting.rules), 4);
    toy.problem.is = (JudgeShape){ 1, 2, 1, 2, 1, 2, 2 }; // query 0 of both heads
    toy.problem.lengths = NULL;
    ck_assert_uint_eq(judge_empty_rows(&toy.problem, &toy.setting.rules), 2);

    toy = small();
    toy.problem.lengths = (int[]){ 0 };
    Judged got = room_for(toy.problem.is);
    judge_all(got, &toy.problem, &toy.setting.rules);
    for (int e = 0; e < 8; e++) ck_assert(got.out[e] == 0 && got.lse[e / 2] == -INFINITY);
}

// Products beyond float64 or float32 are told from NaN and Inf that came in.
TEST(overflow_is_said)
{
    Error error;
    Toy toy = small();
    Judged got = room_for(toy.problem.is);
    judge_all(got, &toy.problem, &toy.setting.rules);
    ck_assert(judge_held(&toy.problem, got, "float64", &error));
    toy.q[5] = 1e200;
    toy.k[3] = toy.k[5] = 1e200;
    judge_all(got, &toy.problem, &toy.setting.rules);
    ck_assert(!judge_held(&toy.problem, got, "float64", &error));
    ck_assert_msg(strstr(error.text, "float64 gives NaN or Inf for sequence 0, head 0, query 2") != NULL, "%s",
                  error.text);
    toy.v[0] = INFINITY;
    ck_assert(judge_held(&toy.problem, got, "float64", &error));
}

TEST(any_number_of_threads)
{
    Toy toy = toy_random(arena, &random_state);
    JudgeShape is = toy.setting.is;
    Judged one = room_for(is), many = room_for(is);
    threads_set(1);
    judge_all(one, &toy.problem, &toy.setting.rules);
    threads_set(5);
    judge_all(many, &toy.problem, &toy.setting.rules);
    threads_set(0);
    ck_assert_mem_eq(one.out, many.out, (size_t)(is.B * is.H * is.T * is.dv) * 8);
    ck_assert_mem_eq(one.weights, many.weights, (size_t)(is.B * is.H * is.T * is.S) * 8);
}

// Rows are worked on several at a time: each has the bits that it has alone, whatever is divided by.
TEST(rows_together_as_alone)
{
    JudgeShape is = { 2, 4, 2, 21, 70, 10, 7 };
    JudgeProblem p = { .is = is };
    double *arrays[] = { arena_alloc(arena, 2 * 4 * 21 * 10 * 8), arena_alloc(arena, 2 * 2 * 70 * 10 * 8),
                         arena_alloc(arena, 2 * 2 * 70 * 7 * 8) };
    int sizes[] = { 2 * 4 * 21 * 10, 2 * 2 * 70 * 10, 2 * 2 * 70 * 7 };
    for (int a = 0; a < 3; a++)
        for (int e = 0; e < sizes[a]; e++) arrays[a][e] = random_normal(&random_state);
    p.q = arrays[0];
    p.k = arrays[1];
    p.v = arrays[2];
    for (int softmax = JUDGE_OVER_KEYS; softmax <= JUDGE_OWN_KEY; softmax++) {
        JudgeRules rules = { .scale = 0.3, .causal = true };
        memcpy(&rules.softmax, &softmax, sizeof rules.softmax);
        Judged all = room_for(is);
        judge_all(all, &p, &rules);
        JudgeRow row = judge_row_new(arena, is);
        for (int at = 0; at < is.B * is.H * is.T; at++) {
            judge_row(&row, &p, &rules, at / is.T / is.H, at / is.T % is.H, at % is.T);
            ck_assert_mem_eq(all.out + at * is.dv, row.out, (size_t)is.dv * 8);
            ck_assert_mem_eq(all.weights + at * is.S, row.weights, (size_t)is.S * 8);
            ck_assert_mem_eq(all.lse + at, &row.lse, 8);
        }
    }
}

// Every float16 and bfloat16 stays what it is. Between two neighbours the middle goes to the even one, and just beside
// the middle to the nearer one.
static void check_rounding(Dtype stored, JudgePrecision precision, unsigned most)
{
    for (unsigned bits = 0; bits <= most; bits++) {
        unsigned char at[2] = { (unsigned char)bits, (unsigned char)(bits >> 8) };
        unsigned char next_at[2] = { (unsigned char)(bits + 1), (unsigned char)((bits + 1) >> 8) };
        double x = dtype_read_f64(at, stored, false), next = dtype_read_f64(next_at, stored, false);
        ck_assert_msg(judge_rounded(x, precision) == x && judge_rounded(-x, precision) == -x, "%.17g", x);
        if (bits == most) continue;
        double middle = (x + next) / 2;
        ck_assert_msg(judge_rounded(middle, precision) == (bits % 2 ? next : x), "%.17g", middle);
        ck_assert_msg(judge_rounded(nextafter(middle, 0), precision) == x, "below %.17g", middle);
        ck_assert_msg(judge_rounded(nextafter(middle, INFINITY), precision) == next, "above %.17g", middle);
    }
}

TEST(rounding)
{
    check_rounding(DTYPE_F16, JUDGE_FLOAT16, 0x7BFF);
    check_rounding(DTYPE_BF16, JUDGE_BFLOAT16, 0x7F7F);
    ck_assert(judge_rounded(65519, JUDGE_FLOAT16) == 65504 && judge_rounded(65520, JUDGE_FLOAT16) == INFINITY);
    ck_assert(judge_rounded(-1e9, JUDGE_FLOAT16) == -INFINITY && isnan(judge_rounded(NAN, JUDGE_FLOAT16)));
    ck_assert(judge_rounded(3.4e38, JUDGE_BFLOAT16) == INFINITY &&
              judge_rounded(-INFINITY, JUDGE_BFLOAT16) == -INFINITY);
    ck_assert(judge_rounded(0.1, JUDGE_FLOAT32) == (double)0.1f && judge_rounded(0.1, JUDGE_EXACT) == 0.1);
}

// Scores, weights and outputs are rounded each; one key, so the logsumexp is its score.
TEST(rows_of_less_precision)
{
    double q[] = { 1.0 / 3, 1.0 / 7 }, k[] = { 1, 1, 1.5, -1 }, v[] = { 1.0 / 9, 1.0 / 11 };
    JudgeProblem one = { { 1, 1, 1, 1, 1, 2, 1 }, q, k, v, NULL }, two = { { 1, 1, 1, 1, 2, 2, 1 }, q, k, v, NULL };
    JudgeRules rules = { .scale = 1, .precision = JUDGE_BFLOAT16 };
    JudgeRow row = judge_row_new(arena, two.is);
    judge_row(&row, &one, &rules, 0, 0, 0);
    ck_assert(row.lse == judge_rounded(1.0 / 3 + 1.0 / 7, JUDGE_BFLOAT16) && row.lse != 1.0 / 3 + 1.0 / 7);
    ck_assert(row.out[0] == judge_rounded(1.0 / 9, JUDGE_BFLOAT16) && row.weights[0] == 1);
    judge_row(&row, &two, &rules, 0, 0, 0);
    for (int j = 0; j < 2; j++) ck_assert(row.weights[j] == judge_rounded(row.weights[j], JUDGE_BFLOAT16));
    ck_assert(row.out[0] == judge_rounded(row.weights[0] * v[0] + row.weights[1] * v[1], JUDGE_BFLOAT16));
}
