// Tests of lib/attention/online.c.
#include "attention/online.h"

#include "base/portable_math.h"
#include "base/cost.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/reference.h"
#include "support/suite.h"

#include <float.h>
#include <string.h>

static const Kernel online = { attention_online, "attention_online", 1e-5, 2e-6 };

TEST_EACH(battery, kernel_check_count) { kernel_checks[_i](online); }

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(online, _i); }

// ---- the kernel

// Rising scores: every key is a new maximum. Falling ones: only the first is. Weights cost a second pass.
TEST(costs)
{
    enum { S = 50, DV = 3 };
    Mat q = mat_of(arena, 1, 1, (float[]){ 1.0f }), scores = mat_new(arena, S, 1), v = mat_new(arena, S, DV);
    for (int e = 0; e < 4; e++) {
        int maxima = e < 2 ? S : 1;
        for (int j = 0; j < S; j++) *mat_ref(scores, j, 0) = 0.5f * (float)(e < 2 ? j : -j);
        cost_counted = (Cost){ 0 };
        Attended to = { mat_new(arena, 1, DV), { 0 }, e % 2 ? mat_new(arena, 1, S) : (Mat){ 0 } };
        attention_online(to, q, scores, v, (Mask){ 0 });
        ck_assert_int_eq(cost_counted.exps, (1 + e % 2) * S + maxima);
        ck_assert_int_eq(cost_counted.multiplies, (S + maxima) * (1 + DV));
        ck_assert_int_eq(cost_counted.scratch, 0);
    }
}

// A query once, its keys and values as often as they are seen, and no table but the one that is asked for.
TEST(reads_and_writes)
{
    static const int shapes[][4] = {
        { 33, 33, 8, 8 }, { 1, 40, 4, 3 }, { 17, 9, 3, 5 }, { 0, 7, 2, 2 }, { 4, 0, 2, 2 }
    };
    Mask masks[kernel_mask_count];
    for (int e = 0; e < 5 * kernel_mask_count * 3; e++) {
        const int *shape = shapes[e % 5], T = shape[0], S = shape[1], d = shape[2], dv = shape[3];
        int asked = e / 5 / kernel_mask_count;
        kernel_masks(masks, S);
        Mask mask = masks[e / 5 % kernel_mask_count];
        Attended to = { .out = mat_new(arena, T, dv) };
        if (asked > 0) to.lse = mat_new(arena, T, 1);
        if (asked > 1) to.weights = mat_new(arena, T, S);
        int64_t seen = 0, table = asked > 1 ? T * S : 0;
        for (int i = 0; i < T; i++)
            for (int j = 0; j < S; j++) seen += reference_sees(mask, i, j, T, S);
        Mat q = random_mat(arena, &random_state, T, d), k = random_mat(arena, &random_state, S, d);
        cost_counted = (Cost){ 0 };
        attention_online(to, q, k, random_mat(arena, &random_state, S, dv), mask);
        ck_assert_int_eq(cost_counted.reads, T * d + seen * (d + dv) + table);
        ck_assert_int_eq(cost_counted.writes, T * dv + (asked > 0 ? T : 0) + 2 * table);
    }
}

// Rows as long as a long context: sums of S terms in float32 stay near their float64 values.
TEST(long_rows)
{
    for (int S = 4096; S <= 65536; S *= 4) {
        Mat q = random_mat(arena, &random_state, 2, 8), k = random_mat(arena, &random_state, S, 8);
        Mat v = random_mat(arena, &random_state, S, 3);
        Attended to = { mat_new(arena, 2, 3), mat_new(arena, 2, 1), { 0 } };
        attention_online(to, q, k, v, (Mask){ 0 });
        Table queries = table_of(arena, q), keys = table_of(arena, k);
        Reference want = reference_attention(arena, queries, keys, table_of(arena, v), (Mask){ 0 });
        case_is("S %d", S);
        assert_close(to.out, want.out.at, 1e-5, 2e-6);
        assert_close(to.lse, want.lse.at, 1e-6, 0);
    }
}

// ---- merging

typedef struct {
    Mat out, lse;
} Part;

static Part part_new(int T, int dv)
{
    Part p = { framed_mat(arena, T, dv, NAN).view, framed_mat(arena, T, 1, NAN).view };
    mat_fill(p.out, 0.0f);
    mat_fill(p.lse, -INFINITY);
    return p;
}

static Part part_copy(Part p) { return (Part){ mat_copy(arena, p.out), mat_copy(arena, p.lse) }; }

static Part merged(Part a, Part b)
{
    Part sum = part_copy(a);
    attention_merge(sum.out, sum.lse, b.out, b.lse);
    return sum;
}

static void assert_part_same(Part got, Part want)
{
    assert_same(got.out, want.out);
    assert_same(got.lse, want.lse);
}

// Keys cut anywhere, merged two by two in any order: as in one piece. Under these masks some queries see nothing in most
// parts.
TEST(any_split_and_any_tree)
{
    enum { PARTS_MOST = 40 };
    for (int round = 0; round < 300; round++) {
        ArenaMark mark = arena_mark(arena);
        int T = 1 + below(6), S = below(61), count = 1 + below(PARTS_MOST);
        Mask mask = { .causal = below(2), .window = below(3) * 4, .sinks = below(3) };
        Mat q = random_rows(T, 4), k = random_rows(S, 4), v = random_rows(S, 3);
        Part parts[PARTS_MOST];
        for (int p = 0, first = 0; p < count; p++) {
            int n = p == count - 1 ? S - first : below((S - first) / 2 + 1);
            parts[p] = part_new(T, 3);
            attention_online((Attended){ .out = parts[p].out, .lse = parts[p].lse }, q, mat_rows(k, first, n),
                             mat_rows(v, first, n), mask_of_part(mask, S, first, n));
            first += n;
        }
        for (int left = count; left > 1; left--) {
            int a = below(left), b = (a + 1 + below(left - 1)) % left;
            attention_merge(parts[a].out, parts[a].lse, parts[b].out, parts[b].lse);
            parts[b] = parts[left - 1];
        }
        Reference want = reference_of(q, k, v, mask);
        case_is("round %d, T %d, S %d, %d parts", round, T, S, count);
        assert_close(parts[0].out, want.out.at, 1e-5, 4e-6);
        assert_close(parts[0].lse, want.lse.at, 1e-5, 4e-6);
        arena_release(arena, mark);
    }
}

TEST(identity_to_the_bit)
{
    static const float strange[] = { 0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e-45f, FLT_MAX, -1.5f };
    static const float totals[] = { 0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e4f, -1e4f, FLT_MAX };
    for (int t = 0; t < 8; t++) {
        Part x = part_new(2, 8), nothing = part_new(2, 8);
        for (int i = 0; i < 2; i++) {
            *mat_ref(x.lse, i, 0) = totals[t];
            for (int c = 0; c < 8; c++) *mat_ref(x.out, i, c) = totals[t] == -INFINITY ? 0.0f : strange[(c + i) % 8];
        }
        case_is("lse %g", (double)totals[t]);
        assert_part_same(merged(x, nothing), x);
        assert_part_same(merged(nothing, x), x);
    }
}

// NaN wins over +INFINITY in either order; +INFINITY over numbers, and then no share is a number.
TEST(infinite_totals)
{
    static const float pairs[][3] = {
        // two totals and their sum
        { NAN, INFINITY, NAN },           { NAN, 1, NAN },   { INFINITY, 1, INFINITY },
        { INFINITY, INFINITY, INFINITY }, { NAN, NAN, NAN },
    };
    for (size_t e = 0; e < 2 * sizeof pairs / sizeof *pairs; e++) {
        const float *pair = pairs[e / 2];
        Part a = part_new(1, 1), b = part_new(1, 1);
        *mat_ref(a.out, 0, 0) = *mat_ref(b.out, 0, 0) = 2.0f;
        *mat_ref(a.lse, 0, 0) = pair[e % 2];
        *mat_ref(b.lse, 0, 0) = pair[1 - e % 2];
        Part sum = merged(a, b);
        case_is("%g and %g", (double)pair[e % 2], (double)pair[1 - e % 2]);
        assert_close(sum.lse, ((double[]){ (double)pair[2] }), 0, 0);
        ck_assert(isnan(*mat_ref(sum.out, 0, 0)));
    }
}

TEST_ABORTS(merge_of_the_wrong_shape, 6)
{
    static const int wrong[][8] = {
        // rows and columns of out, lse, the other out, the other lse
        { 2, 3, 2, 1, 3, 3, 2, 1 }, { 2, 3, 2, 1, 2, 4, 2, 1 }, { 2, 3, 3, 1, 2, 3, 2, 1 },
        { 2, 3, 2, 2, 2, 3, 2, 1 }, { 2, 3, 2, 1, 2, 3, 1, 1 }, { 2, 3, 2, 1, 2, 3, 2, 0 },
    };
    const int *w = wrong[_i];
    quiet();
    attention_merge(mat_new(arena, w[0], w[1]), mat_new(arena, w[2], w[3]), mat_new(arena, w[4], w[5]),
                    mat_new(arena, w[6], w[7]));
}

// exp(200) is not a float32.
TEST(merge_of_large_lse)
{
    Mat out = mat_of(arena, 1, 1, (float[]){ 1 }), lse = mat_of(arena, 1, 1, (float[]){ 200 });
    attention_merge(out, lse, mat_of(arena, 1, 1, (float[]){ 3 }), mat_of(arena, 1, 1, (float[]){ 200 }));
    ck_assert_float_eq_tol(*out.at, 2, 1e-6f);
    ck_assert_float_eq_tol(*lse.at, 200.693147f, 1e-4f);
}
