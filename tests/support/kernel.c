// One battery for all kernels. Inputs and outputs are column views of wider matrices; outputs start out as NaN.
#include "support/kernel.h"

#include "base/portable_math.h"
#include "kernels/kernels.h"
#include "support/reference.h"

#include <string.h>

static const int lengths[] = { 0, 1, 15, 16, 17, 33 }, widths[] = { 1, 3, 8, 64 };
enum { LENGTHS = sizeof lengths / sizeof *lengths, WIDTHS = sizeof widths / sizeof *widths, MASKS = kernel_mask_count };

// ---- one case: inputs and outputs in frames

typedef struct {
    Framed q, k, v, out, lse, weights;
    Attended to;
} Case;

static Case case_new(Arena *arena, int T, int S, int d, int dv)
{
    Case c = {
        .q = framed_mat(arena, T, d, NAN),
        .k = framed_mat(arena, S, d, NAN),
        .v = framed_mat(arena, S, dv, NAN),
        .out = framed_mat(arena, T, dv, NAN),
        .lse = framed_mat(arena, T, 1, NAN),
        .weights = framed_mat(arena, T, S, NAN),
    };
    c.to = (Attended){ c.out.view, c.lse.view, c.weights.view };
    return c;
}

static Case case_random(Arena *arena, Random *random, int T, int S, int d, int dv)
{
    Case c = case_new(arena, T, S, d, dv);
    random_normals(random, c.q.view);
    random_normals(random, c.k.view);
    random_normals(random, c.v.view);
    return c;
}

static void (*rounds)(Mat inputs);
static double coarse;

void kernel_rounding(void (*with)(Mat inputs), double error)
{
    rounds = with;
    coarse = error;
}

static void round_inputs(Case c)
{
    if (!rounds) return;
    rounds(c.q.view);
    rounds(c.k.view);
    rounds(c.v.view);
}

static void run(Kernel kernel, Case c, Mask mask)
{
    round_inputs(c);
    case_is("%s, T %d, S %d, d %d, dv %d, causal %d, window %d, sinks %d, globals %d, padding %d, alibi %g, "
            "scale %g, shift %d",
            kernel.name, c.q.view.rows, c.k.view.rows, c.q.view.cols, c.v.view.cols, mask.causal, mask.window,
            mask.sinks, mask.globals, mask.padding, (double)mask.alibi, (double)mask.scale, mask.shift);
    kernel.run(c.to, c.q.view, c.k.view, c.v.view, mask);
    ck_assert_msg(frame_untouched(c.out, NAN), "%s wrote beside out", kernel.name);
    ck_assert_msg(frame_untouched(c.lse, NAN), "%s wrote beside lse", kernel.name);
    ck_assert_msg(frame_untouched(c.weights, NAN), "%s wrote beside weights", kernel.name);
}

// The definition of each AttentionFunction in float64. lse is log Σ weights before they are normalised.
static Reference (*const references[])(Arena *arena, Table q, Table k, Table v, Mask mask) = {
    [ATTENTION_SOFTMAX] = reference_attention,
};

// A kernel that is not in the list of kernels.h, such as attention_tiled with other tiles, computes softmax attention.
static AttentionFunction function_of(Kernel kernel)
{
    for (int n = 0; n < attention_kernels_count; n++)
        if (attention_kernels[n].run == kernel.run) return attention_kernels[n].function;
    return ATTENTION_SOFTMAX;
}

static Reference reference_of(Arena *arena, Kernel kernel, Case c, Mask mask)
{
    Table q = table_of(arena, c.q.view), k = table_of(arena, c.k.view), v = table_of(arena, c.v.view);
    return references[function_of(kernel)](arena, q, k, v, mask);
}

static void assert_case(Arena *arena, Kernel kernel, Case c, Mask mask, double rtol, double atol)
{
    Reference want = reference_of(arena, kernel, c, mask);
    assert_close(c.to.weights, want.weights.at, rtol, 1e-30);
    assert_close(c.to.lse, want.lse.at, rtol, atol);
    assert_close(c.to.out, want.out.at, rtol, atol);
}

// ---- against float64

static void close_to_reference(Kernel kernel)
{
    Random random = random_from(1);
    Mask masks[MASKS];
    for (int e = 0; e < LENGTHS * LENGTHS * WIDTHS * WIDTHS; e++) {
        if (!case_tried(e)) continue;
        int T = lengths[e % LENGTHS], S = lengths[e / LENGTHS % LENGTHS];
        int d = widths[e / LENGTHS / LENGTHS % WIDTHS], dv = widths[e / LENGTHS / LENGTHS / WIDTHS];
        kernel_masks(masks, S);
        for (int m = 0; m < MASKS; m++) {
            Arena *arena = arena_open();
            Case c = case_random(arena, &random, T, S, d, dv);
            run(kernel, c, masks[m]);
            assert_case(arena, kernel, c, masks[m], kernel.rtol, kernel.atol + coarse);
            arena_close(arena);
        }
    }
}

static void every_window(Kernel kernel)
{
    Random random = random_from(2);
    for (int e = 0; e < LENGTHS * LENGTHS; e++) {
        if (!case_tried(e)) continue;
        int T = lengths[e % LENGTHS], S = lengths[e / LENGTHS];
        for (int W = 1; W <= S + 5; W++)
            for (int form = 0; form < 4; form++) {
                Mask mask = { .causal = form & 1, .window = W, .sinks = form & 2 ? 4 : 0 };
                Arena *arena = arena_open();
                Case c = case_random(arena, &random, T, S, 3, 2);
                run(kernel, c, mask);
                assert_case(arena, kernel, c, mask, kernel.rtol, kernel.atol + coarse);
                arena_close(arena);
            }
    }
}

static void no_values_at_all(Kernel kernel)
{
    Arena *arena = arena_open();
    Random random = random_from(3);
    Case c = case_random(arena, &random, 5, 7, 4, 0);
    run(kernel, c, (Mask){ .causal = true });
    assert_case(arena, kernel, c, (Mask){ .causal = true }, kernel.rtol, kernel.atol + coarse);
    arena_close(arena);
}

// Whole numbers and a d whose root is a power of two: scores are exact in float32, so the tolerance may stay tight.
static void scores_around_ten_thousand(Kernel kernel)
{
    Arena *arena = arena_open();
    Random random = random_from(4);
    static const int exact_widths[] = { 1, 4, 16, 64 };
    for (int e = 0; e < 4 * 8; e++) {
        int d = exact_widths[e % 4];
        Mask mask = { .causal = e / 4 & 1, .padding = e / 8 & 1 ? 2 : 0 };
        Case c = case_random(arena, &random, 17, 33, d, 3);
        int most = (int)sqrt(1e4 * sqrt(d) / d);
        for (int i = 0; i < 17; i++)
            for (int f = 0; f < d; f++) *mat_ref(c.q.view, i, f) = (float)(random_below(&random, 2) ? most : -most);
        for (int j = 0; j < 33; j++) { // a key is a query or its opposite, or up to three steps from it
            int sign = random_below(&random, 2) ? 1 : -1, less = random_below(&random, 4);
            for (int f = 0; f < d; f++)
                *mat_ref(c.k.view, j, f) = (float)sign * (*mat_ref(c.q.view, j % 17, f) - (float)(f < less));
        }
        run(kernel, c, mask);
        assert_case(arena, kernel, c, mask, 2e-6, 2e-6 + coarse);
        Reference want = reference_of(arena, kernel, c, mask);
        double largest = 0;
        for (int i = 0; i < 17 * 33; i++)
            if (isfinite(want.scores.at[i])) largest = fmax(largest, fabs(want.scores.at[i]));
        ck_assert_double_ge(largest, 9000);
    }
    arena_close(arena);
}

// ---- NaN and infinity

static void not_finite(Kernel kernel)
{
    float strange[] = { NAN, INFINITY, -INFINITY };
    Random random = random_from(6);
    Mask masks[] = { { 0 }, { .causal = true }, { .padding = 3 }, { .causal = true, .window = 3, .sinks = 1 } };
    for (int e = 0; e < 3 * 3 * 4 * 7; e++) {
        unsigned nan = 0x7fc00000u | ((unsigned)e & 511u); // NaNs differ in their bits: a GPU's are 0x7fffffff
        memcpy(&strange[0], &nan, sizeof nan);
        int where = e / 3 % 3, row = e / 36;
        Arena *arena = arena_open();
        Case c = case_random(arena, &random, 7, 7, 3, 2);
        Mat into = where == 0 ? c.q.view : where == 1 ? c.k.view : c.v.view;
        *mat_ref(into, row, 1) = strange[e % 3];
        run(kernel, c, masks[e / 9 % 4]);
        assert_case(arena, kernel, c, masks[e / 9 % 4], kernel.rtol, kernel.atol + coarse);
        arena_close(arena);
    }
}

static void only_minus_infinity_in_sight(Kernel kernel)
{
    Arena *arena = arena_open();
    Case c = case_new(arena, 2, 3, 1, 2);
    mat_fill(c.q.view, 1.0f);
    mat_fill(c.k.view, -INFINITY);
    mat_fill(c.v.view, 5.0f);
    run(kernel, c, (Mask){ 0 });
    assert_same(c.to.out, mat_new(arena, 2, 2));
    assert_same(c.to.weights, mat_new(arena, 2, 3));
    ck_assert(*mat_ref(c.to.lse, 0, 0) == -INFINITY && *mat_ref(c.to.lse, 1, 0) == -INFINITY);
    arena_close(arena);
}

// NaN in keys and values that query i cannot see: row i keeps its bits.
static void hidden_keys_cannot_be_felt(Kernel kernel)
{
    Random random = random_from(7);
    Mask masks[MASKS];
    kernel_masks(masks, 17);
    for (int m = 0; m < MASKS; m++)
        for (int T = 15; T <= 19; T += 2)
            for (int j = 0; j < 17; j++) {
                Arena *arena = arena_open();
                Case c = case_random(arena, &random, T, 17, 3, 2);
                run(kernel, c, masks[m]);
                Mat before = mat_copy(arena, c.to.out), lse = mat_copy(arena, c.to.lse);
                mat_fill(mat_rows(c.k.view, j, 1), NAN);
                mat_fill(mat_rows(c.v.view, j, 1), NAN);
                run(kernel, c, masks[m]);
                for (int i = 0; i < T; i++) {
                    if (reference_sees(masks[m], i, j, T, 17)) {
                        ck_assert_msg(isnan(*mat_ref(c.to.out, i, 0)), "query %d does not feel key %d", i, j);
                        continue;
                    }
                    assert_same(mat_rows(c.to.out, i, 1), mat_rows(before, i, 1));
                    assert_same(mat_rows(c.to.lse, i, 1), mat_rows(lse, i, 1));
                }
                arena_close(arena);
            }
}

// ---- laws

static void results_do_not_depend_on_what_is_asked_for(Kernel kernel)
{
    Arena *arena = arena_open();
    Random random = random_from(10);
    Mask mask = { .causal = true, .window = 9 };
    Case c = case_random(arena, &random, 17, 33, 8, 3);
    run(kernel, c, mask);
    Mat out = mat_copy(arena, c.to.out), lse = mat_copy(arena, c.to.lse), weights = mat_copy(arena, c.to.weights);
    for (int asked = 0; asked < 4; asked++) {
        c.to.lse = asked & 1 ? c.lse.view : (Mat){ 0 };
        c.to.weights = asked & 2 ? c.weights.view : (Mat){ 0 };
        mat_fill(c.out.whole, NAN);
        mat_fill(c.lse.whole, NAN);
        mat_fill(c.weights.whole, NAN);
        run(kernel, c, mask);
        assert_same(c.to.out, out);
        if (asked & 1) assert_same(c.to.lse, lse);
        if (asked & 2) assert_same(c.to.weights, weights);
    }
    arena_close(arena);
}

static void inputs_stay_as_they_are(Kernel kernel)
{
    Arena *arena = arena_open();
    Random random = random_from(11);
    Case c = case_random(arena, &random, 16, 17, 8, 3);
    round_inputs(c);
    Mat q = mat_copy(arena, c.q.whole), k = mat_copy(arena, c.k.whole), v = mat_copy(arena, c.v.whole);
    run(kernel, c, (Mask){ .causal = true, .padding = 1 });
    assert_same(c.q.whole, q);
    assert_same(c.k.whole, k);
    assert_same(c.v.whole, v);
    arena_close(arena);
}

// A window that reaches every key from every query. With more queries than keys and no causal mask that takes W ≥ T:
// the first query stands T − S places before key 0.
static void a_wide_window_is_no_window(Kernel kernel)
{
    Arena *arena = arena_open();
    Random random = random_from(12);
    for (int e = 0; e < LENGTHS * LENGTHS * 2; e++) {
        int T = lengths[e % LENGTHS], S = lengths[e / LENGTHS % LENGTHS];
        bool causal = e >= LENGTHS * LENGTHS;
        int enough = causal || T <= S ? S : T;
        for (int W = enough > 0 ? enough : 1; W <= enough + 5; W++) {
            Case c = case_random(arena, &random, T, S, 3, 2);
            run(kernel, c, (Mask){ .causal = causal });
            Mat out = mat_copy(arena, c.to.out), lse = mat_copy(arena, c.to.lse);
            Mat weights = mat_copy(arena, c.to.weights);
            run(kernel, c, (Mask){ .causal = causal, .window = W });
            assert_same(c.to.out, out);
            assert_same(c.to.lse, lse);
            assert_same(c.to.weights, weights);
        }
    }
    arena_close(arena);
}

// ---- with the sizes of the fast kernels: blocks of 12, 24, 32 and 64 queries, tiles of 32, 64 and 128 keys

void kernel_around_blocks(Kernel kernel, int first, int step)
{
    static const int queries[] = { 1, 11, 12, 13, 23, 25, 31, 32, 33, 63, 64, 65, 70, 100, 130 };
    static const int keys[] = { 1, 3, 31, 33, 63, 64, 65, 127, 129, 200, 300 };
    static const int sizes[][2] = { { 1, 1 }, { 16, 17 }, { 15, 16 }, { 64, 64 }, { 33, 5 }, { 128, 128 }, { 31, 33 } };
    // clang-format off
    static const Mask masks[] = {
        { 0 }, { .causal = true }, { .causal = true, .window = 70 }, { .window = 20 }, { .window = 66, .sinks = 140 },
        { .causal = true, .window = 5, .sinks = 3 }, { .padding = 7 }, { .alibi = 0.0625f },
        { .causal = true, .padding = 66, .alibi = 0.25f }, { .causal = true, .window = 40, .sinks = 45, .shift = -3 },
        { .causal = true, .shift = -20, .scale = 0.05f }, { .window = 9, .sinks = 1, .shift = 12, .alibi = 0.125f },
        { .window = 9, .globals = 35 },
    };
    // clang-format on
    Random random = random_from(15);
    for (int e = first; e < 15 * 11 * 7 * 13; e += step) {
        if (!case_tried(e)) continue;
        Arena *arena = arena_open();
        const int *size = sizes[e / 15 / 11 % 7];
        Mask mask = masks[e / 15 / 11 / 7];
        Case c = case_random(arena, &random, queries[e % 15], keys[e / 15 % 11], size[0], size[1]);
        c.to.weights = (Mat){ 0 };
        run(kernel, c, mask);
        Reference want = reference_of(arena, kernel, c, mask);
        assert_close(c.to.out, want.out.at, kernel.rtol, fmax(kernel.atol, coarse));
        assert_close(c.to.lse, want.lse.at, kernel.rtol, fmax(kernel.atol, coarse / 5));
        arena_close(arena);
    }
}

void kernel_scores_that_grow(Kernel kernel)
{
    Random random = random_from(16);
    for (int e = 0; e < 3; e++) {
        Arena *arena = arena_open();
        Case c = case_random(arena, &random, 70, 300, 4, 9);
        for (int j = 0; j < 300; j++)
            for (int f = 0; f < 4; f++) {
                float *at = mat_ref(c.k.view, j, f);
                if (e == 0) *at *= (float)j * 4.0f;
                if (e == 1 && j == 217) *at *= 500.0f;
                if (e == 2 && j < 70) *at *= 2000.0f;
            }
        c.to.weights = (Mat){ 0 };
        run(kernel, c, (Mask){ 0 });
        Reference want = reference_of(arena, kernel, c, (Mask){ 0 });
        assert_close(c.to.lse, want.lse.at, 2e-6, fmax(1e-5, coarse / 4));
        assert_close(c.to.out, want.out.at, 0,
                     2e-3 + 1.4 * coarse); // the last place of scores in the thousands is 2e-4
        arena_close(arena);
    }
}

// clang-format off
KernelCheck *const kernel_checks[] = {
    close_to_reference, every_window, no_values_at_all, scores_around_ten_thousand, not_finite,
    only_minus_infinity_in_sight, hidden_keys_cannot_be_felt, results_do_not_depend_on_what_is_asked_for,
    inputs_stay_as_they_are, a_wide_window_is_no_window,
};
// clang-format on
const int kernel_check_count = sizeof kernel_checks / sizeof *kernel_checks;

void kernel_wrong_shapes(Kernel kernel, int which)
{
    Arena *arena = arena_open();
    Mat q = mat_new(arena, 2, 4), k = mat_new(arena, 3, 4), v = mat_new(arena, 3, 5);
    Attended to = { mat_new(arena, 2, 5), mat_new(arena, 2, 1), mat_new(arena, 2, 3) };
    switch (which) {
    case 0: k.cols = 3; break;
    case 1: v.rows = 2; break;
    case 2: to.out.rows = 1; break;
    case 3: to.out.cols = 4; break;
    case 4: to.lse.rows = 1; break;
    case 5: to.lse.cols = 0; break;
    case 6: to.weights.cols = 2; break;
    default: q.cols = k.cols = 0; break;
    }
    quiet();
    kernel.run(to, q, k, v, (Mask){ 0 });
    arena_close(arena);
}
