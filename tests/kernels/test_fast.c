// Tests of lib/kernels/fast.c: every version that this processor can run.
#include "kernels/fast.h"

#include "attention/grouped.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "bench/numbers.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

#include <string.h>

static const Kernel fast = { attention_fast, "attention_fast", 1e-5, 2e-6 };

static void teardown(void) { fast_choose(NULL); }
FIXTURE(NULL, teardown);

TEST_EACH(battery, fast_kinds_count *kernel_check_count)
{
    if (!fast_choose(fast_kinds[_i / kernel_check_count])) return;
    kernel_checks[_i % kernel_check_count](fast);
}

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(fast, _i); }

static const int widths[][2] = { { 1, 1 }, { 16, 17 }, { 15, 16 }, { 64, 64 }, { 33, 5 }, { 128, 128 } };
enum { WIDTHS = sizeof widths / sizeof *widths };
// clang-format off
static const Mask kinds_of_masks[] = {
    { 0 }, { .causal = true }, { .causal = true, .window = 70 }, { .window = 20 },
    { .causal = true, .window = 5, .sinks = 3 }, { .padding = 7 }, { .causal = true, .padding = 66, .alibi = 0.25f },
    { .alibi = 0.0625f }, { .window = 66, .sinks = 70 },
    { .causal = true, .window = 40, .sinks = 45, .shift = -3 }, { .causal = true, .shift = -20, .scale = 0.05f },
    { .window = 9, .sinks = 1, .shift = 12, .alibi = 0.125f }, { .window = 9, .sinks = 3, .shift = -30 },
};
// clang-format on
enum { MASKS = sizeof kinds_of_masks / sizeof *kinds_of_masks };

TEST_EACH(around_blocks_and_tiles, fast_kinds_count)
{
    if (fast_choose(fast_kinds[_i]))
        kernel_around_blocks((Kernel){ attention_fast, fast_kinds[_i], 1e-5, 2e-6 }, _i, 13);
}

// The running maximum starts with the first few keys and is left alone as long as nothing is far above it.
TEST_EACH(scores_that_grow, fast_kinds_count)
{
    if (fast_choose(fast_kinds[_i])) kernel_scores_that_grow((Kernel){ attention_fast, fast_kinds[_i], 1e-5, 2e-6 });
}

// Only a score that lies 2⁴⁰ above the maximum costs anything: then its tile is weighed once more. Not the first tile,
// nor one that comes behind a leap: there all scores are made before the first weight.
enum { LEAPS = 5 };
TEST_EACH(only_a_leap_costs_a_second_look, fast_kinds_count *LEAPS)
{
    if (!fast_choose(fast_kinds[_i / LEAPS])) return;
    // 29 a step: e²⁹ is more than 2⁴⁰, e²⁷ is not, e⁵⁴ is. How high the scores of each tile are, and how many are
    // weighed again.
    static const struct {
        float step;
        int level[4], again;
    } leaps[LEAPS] = {
        { 0, { 0, 0, 0, 0 }, 0 },  { 27, { 0, 1, 2, 3 }, 1 }, { 29, { 0, 1, 2, 3 }, 0 },
        { 29, { 0, 0, 1, 2 }, 1 }, { 29, { 0, 0, 0, 1 }, 1 },
    };
    int T = 192, S = 256, d = 4, n = _i % LEAPS;
    Mat q = framed_random(T, d), k = framed_random(S, d), v = framed_random(S, 4);
    mat_fill(q, 1.0f);
    for (int j = 0; j < S; j++) mat_fill(mat_rows(k, j, 1), leaps[n].step * (float)leaps[n].level[j / 64] / 2.0f);
    Cost before = cost_counted;
    attention_fast((Attended){ .out = mat_new(arena, T, 4) }, q, k, v, (Mask){ 0 });
    ck_assert_int_eq(cost_since(before).multiplies, T * S * 8 + T * 64 * d * leaps[n].again);
}

// Numbers under 2⁻¹²⁶ count as 0 inside: those that come in, and those that are the result of a product.
TEST_EACH(small_numbers_are_0, fast_kinds_count)
{
#if defined __x86_64__ || defined __aarch64__
    if (!fast_choose(fast_kinds[_i])) return;
    AttentionKernel *const kernels[] = { attention_fast, attention_lanes, attention_plain_c, attention_reordered,
                                         numbers_decode };
    for (int n = 0; n < 5; n++) {
        // 1. As it comes, the first key would have a score of 0.8 · 64 / 8, the others have 0.
        Mat q = mat_new(arena, 20, 64), k = mat_new(arena, 20, 64), v = mat_new(arena, 20, 64);
        Mat heads = mat_new(arena, 20, 64), first = mat_rows(v, 0, 1), others = mat_rows(v, 1, 19);
        mat_fill(q, 1e38f);
        mat_fill(mat_rows(k, 0, 1), 8e-39f);
        mat_fill(first, 1.0f);
        kernels[n]((Attended){ .out = heads }, q, k, v, (Mask){ 0 });
        for (int c = 0; c < 64; c++)
            ck_assert_msg(fabsf(*mat_ref(heads, 0, c) - 0.05f) < 1e-6f, "kernel %d: a key under 2⁻¹²⁶ is felt: %g", n,
                          (double)*mat_ref(heads, 0, c));

        // 2. Every value is above 2⁻¹²⁶, its product with a weight of e⁻⁵ is not.
        mat_fill(q, 1.0f);
        mat_fill(mat_rows(k, 0, 1), 0.625f);
        mat_fill(first, 0.0f);
        mat_fill(others, 1.2e-38f);
        kernels[n]((Attended){ .out = heads }, q, k, v, (Mask){ 0 });
        for (int c = 0; c < 64; c++)
            ck_assert_msg(*mat_ref(heads, 0, c) == 0.0f, "kernel %d: a product under 2⁻¹²⁶ is %g", n,
                          (double)*mat_ref(heads, 0, c));
    }
#endif
}

// Numbers under 2⁻¹²⁶ are nothing to a kernel, and what they were to whoever called it.
TEST_EACH(small_numbers_come_back, fast_kinds_count)
{
    if (!fast_choose(fast_kinds[_i])) return;
    AttentionKernel *const kernels[] = { attention_fast, attention_lanes, attention_plain_c, attention_reordered,
                                         numbers_decode };
    Mat q = framed_random(20, 64), k = framed_random(20, 64), v = framed_random(20, 64);
    for (int n = 0; n < 5; n++) {
        volatile float small = 2e-38f;
        kernels[n]((Attended){ .out = framed_mat(arena, 20, 64, 0.0f).view }, mat_copy(arena, q), k, v, (Mask){ 0 });
        small /= 8.0f;
        ck_assert_msg(small > 0.0f, "kernel %d", n);
    }
}

// Not every NaN has the same bits: those of a GPU are 0x7fffffff.
static float nan_of(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TEST(powers_of_two)
{
    double worst = 0;
    for (int e = 0; e < 1000000; e++) {
        float x = -100.0f + 226.0f * (float)e / 1000000.0f;
        worst = fmax(worst, fabs((double)fast_exp2(x) / exp2((double)x) - 1));
    }
    ck_assert_msg(worst < 2e-7, "2ˣ is off by %g", worst);
    for (int n = -100; n < 128; n++) ck_assert_float_eq(fast_exp2((float)n), ldexpf(1.0f, n));
    for (int n = -101; n > -1000; n--) ck_assert_float_eq(fast_exp2((float)n), 0.0f);
    ck_assert_float_eq(fast_exp2(-INFINITY), 0.0f);
    ck_assert_float_eq(fast_exp2(-1e9f), 0.0f);
    for (unsigned bits = 0; bits < 512; bits++) {
        ck_assert_float_nan(fast_exp2(nan_of(0x7fc00000u | bits)));
        ck_assert_float_nan(fast_exp2(nan_of(0xffc00000u | bits)));
    }
    for (int e = -500; e <= 500; e++) {
        double r = (double)e / 1000;
        ck_assert_double_le(fabs(fast_polynomial(r) / exp2(r) - 1), 1e-7);
    }
}

static const int groups[][2] = { { 1, 1 }, { 4, 4 }, { 6, 2 }, { 8, 1 }, { 10, 2 }, { 12, 4 } }; // H, G
enum { GROUPS = sizeof groups / sizeof *groups };

// All heads: to the bit what one head after the other gives, whatever the number of threads.
TEST_EACH(heads, GROUPS)
{
    int H = groups[_i][0], G = groups[_i][1], d = 20, dv = 12;
    for (int e = 0; e < MASKS * 2; e++) {
        Mask masks[12];
        grouped_masks(masks, H, kinds_of_masks[e / 2], e % 2);
        int T = e == 0 ? 520 : 130; // from 512 queries a thread on, heads in a row of k are copied
        Mat q = framed_random(T, H * d), k = framed_random(150, G * d), v = framed_random(150, G * dv);
        Attended to = { .out = framed_mat(arena, T, H * dv, NAN).view, .lse = framed_mat(arena, T, H, NAN).view };
        Attended want = { .out = mat_new(arena, T, H * dv), .lse = mat_new(arena, T, H) };
        grouped_attend(want, q, k, v, H, masks, attention_fast);
        for (int threads = 1; threads <= 3; threads += 2) {
            threads_set(threads);
            mat_fill(to.out, NAN);
            mat_fill(to.lse, NAN);
            attention_fast_heads(to, q, k, v, H, masks);
            case_is("H %d, G %d, mask %d, %d threads", H, G, e, threads);
            assert_same(to.out, want.out);
            assert_same(to.lse, want.lse);
        }
        threads_set(0);
    }
}

// A step of decoding of all heads against float64, and nothing written beside its results.
static void assert_decoding(Mat q, Mat k, Mat v, int H, const Mask *masks, int n)
{
    int G = k.cols / (q.cols / H), dv = v.cols / G;
    Framed out = framed_mat(arena, 1, H * dv, NAN), lse = framed_mat(arena, 1, H, NAN);
    Attended to = { .out = out.view, .lse = lse.view };
    attention_fast_decode(to, q, k, v, H, masks);
    ck_assert(frame_untouched(out, NAN) && frame_untouched(lse, NAN));
    case_is("%s, H %d, G %d, S %d, d %d, dv %d, case %d", fast_kind(), H, G, k.rows, q.cols / H, dv, n);
    reference_heads(to, q, k, v, H, masks, 1e-5, 2e-6);
}

// At lengths around the streams and the spans, with every mask.
TEST_EACH(decoding, fast_kinds_count *GROUPS)
{
    static const int lengths[] = { 0, 1, 2, 3, 4, 5, 15, 17, 129, 260, 1023, 1024, 1030 };
    int H = groups[_i % GROUPS][0], G = groups[_i % GROUPS][1];
    if (!fast_choose(fast_kinds[_i / GROUPS])) return;
    for (int e = _i % 7; e < 13 * MASKS * WIDTHS; e += 7) {
        if (!case_tried(e)) continue;
        ArenaMark mark = arena_mark(arena);
        int S = lengths[e % 13], d = widths[e / 13 / MASKS][0], dv = widths[e / 13 / MASKS][1];
        Mask masks[12];
        grouped_masks(masks, H, kinds_of_masks[e / 13 % MASKS], e % 2);
        Mat q = framed_random(1, H * d), k = framed_random(S, G * d), v = framed_random(S, G * dv);
        assert_decoding(q, k, v, H, masks, e);
        arena_release(arena, mark);
    }
}

// Values that are columns of the keys (chapter 17), from the first on or later: as if they were copies.
TEST_EACH(values_inside_keys, fast_kinds_count *GROUPS)
{
    static const int lengths[] = { 1, 3, 4, 63, 64, 65, 127, 200, 2048, 2050, 5000 };
    int H = groups[_i % GROUPS][0], G = groups[_i % GROUPS][1];
    if (!fast_choose(fast_kinds[_i / GROUPS])) return;
    for (int e = _i % 3; e < 11 * MASKS; e += 3) {
        if (!case_tried(e)) continue;
        ArenaMark mark = arena_mark(arena);
        int S = lengths[e % 11], d = 20 + e % 5, dv = d - 4, from = G == 1 ? e % 3 : 0;
        Mask masks[12];
        grouped_masks(masks, H, kinds_of_masks[e / 11], e % 2);
        Mat q = framed_random(1, H * d), k = framed_random(S, G * d), v = mat_cols(k, from, G * dv);
        assert_decoding(q, k, v, H, masks, e);
        arena_release(arena, mark);
    }
}

// So many heads over values inside their keys that these are the lanes: whole vectors of them, and a few left over.
TEST_EACH(many_heads_inside_keys, fast_kinds_count)
{
    static const int many[] = { 12, 16, 17, 33, 70 }, lengths[] = { 1, 9, 64, 130, 2100 };
    static const Mask kinds_of[] = { { 0 }, { .window = 40, .sinks = 3, .padding = 1 } };
    if (!fast_choose(fast_kinds[_i])) return;
    for (int e = 0; e < 5 * 5 * 2; e++) {
        enum { D = 21, DV = 17 };
        ArenaMark mark = arena_mark(arena);
        int H = many[e % 5], S = lengths[e / 5 % 5];
        Mask masks[70];
        for (int h = 0; h < H; h++) masks[h] = kinds_of[e / 25];
        Mat q = framed_random(1, H * D), k = framed_random(S, D), v = mat_cols(k, 2, DV);
        for (int c = 0; c < D; c++) *mat_ref(k, S / 2, c) *= 4.0f; // behind the first tile a larger maximum
        assert_decoding(q, k, v, H, masks, e);
        arena_release(arena, mark);
    }
}

// A hidden key or value cannot be felt; one in sight that is NaN or infinite comes out as in float64.
TEST_EACH(decoding_what_is_not_finite, fast_kinds_count)
{
    if (!fast_choose(fast_kinds[_i])) return;
    const float strange[] = { NAN, INFINITY, -INFINITY, nan_of(0x7fffffffu), nan_of(0xffc00001u) };
    Mask mask = { .causal = true, .window = 6, .sinks = 2, .padding = 1 }, masks[2] = { mask, mask };
    for (int e = 0; e < 12 * 5 * 2; e++) {
        Mat q = framed_random(1, 10), k = framed_random(12, 5), v = framed_random(12, 3);
        int j = e % 12;
        *mat_ref(e % 2 ? k : v, j, 1) = strange[e / 12 % 5];
        assert_decoding(q, k, v, 2, masks, e);
    }
}

// ‖out − want‖ / ‖want‖ of one query against 32,768 keys.
static double error_of(Mat out, Reference want)
{
    double off = 0, all = 0;
    for (int c = 0; c < out.cols; c++) {
        double difference = (double)*mat_ref(out, 0, c) - want.out.at[c];
        off += difference * difference;
        all += want.out.at[c] * want.out.at[c];
    }
    return sqrt(off / all);
}

// Tens of thousands of numbers added up one after the other in float32 lose more than their last bits: sums are made in
// parts.
TEST_EACH(long_sums, fast_kinds_count)
{
    if (!fast_choose(fast_kinds[_i])) return;
    Mask none[2] = { { 0 } };
    Mat q = framed_random(1, 2 * 16), k = framed_random(32768, 16), v = framed_random(32768, 24);
    Attended decoded = { .out = mat_new(arena, 1, 2 * 24) }, full = { .out = mat_new(arena, 1, 24) };
    attention_fast_decode(decoded, q, k, v, 2, none);
    for (int h = 0; h < 2; h++) {
        Mat one = mat_cols(q, 16 * h, 16);
        Reference want = reference_of(one, k, v, none[0]);
        attention_fast(full, one, k, v, none[0]);
        double error = error_of(mat_cols(decoded.out, 24 * h, 24), want), fast_error = error_of(full.out, want);
        ck_assert_msg(error < 2e-6, "%s, head %d: decoding is off by %g", fast_kind(), h, error);
        ck_assert_msg(fast_error < 2e-6, "%s, head %d: attention_fast is off by %g", fast_kind(), h, fast_error);
    }
}

// Several parts of keys, for a window and sinks that begin and end within one: right, and to the bit the same for any
// number of threads, with all heads at once and with the heads of each group on their own.
TEST_EACH(decoding_in_parts, 5)
{
    static const Mask masks_of[] = {
        { 0 },
        { .window = 4500, .sinks = 2100 },
        { .window = 3000, .sinks = 5, .padding = 40 },
        { .alibi = 0.01f },
        { .window = 2100, .sinks = 5999 },
    };
    enum { H = 6, G = 2, S = 6000, D = 40, DV = 24 }; // enough for several threads
    Mask masks[H];
    Mat q = framed_random(1, H * D), k = framed_random(S, G * D), v = framed_random(S, G * DV);
    Attended one = { .out = mat_new(arena, 1, H * DV), .lse = mat_new(arena, 1, H) };
    Attended more = { .out = mat_new(arena, 1, H * DV), .lse = mat_new(arena, 1, H) };
    grouped_masks(masks, H, masks_of[_i], false);
    threads_set(1);
    attention_fast_decode(one, q, k, v, H, masks);
    reference_heads(one, q, k, v, H, masks, 1e-5, 2e-6);
    for (int threads = 2; threads <= 5; threads += 3) {
        threads_set(threads);
        attention_fast_decode(more, q, k, v, H, masks);
        assert_same(more.out, one.out);
        assert_same(more.lse, one.lse);
        for (int g = 0; g < G; g++) {
            int R = H / G;
            Attended to = { .out = mat_cols(more.out, g * R * DV, R * DV), .lse = mat_cols(more.lse, g * R, R) };
            Mat own_q = mat_cols(q, g * R * D, R * D), own_k = mat_cols(k, g * D, D), own_v = mat_cols(v, g * DV, DV);
            attention_fast_decode(to, own_q, own_k, own_v, R, masks + g * R);
        }
        assert_same(more.out, one.out);
        assert_same(more.lse, one.lse);
    }
    threads_set(0);
}

TEST(choosing)
{
    ck_assert(!fast_choose("abacus"));
    ck_assert(fast_choose("plain"));
    ck_assert_str_eq(fast_kind(), "plain");
    ck_assert(fast_choose(NULL));
    for (int i = 0; i < fast_kinds_count; i++) {
        if (!fast_choose(fast_kinds[i])) continue;
        fast_choose(NULL);
        ck_assert_str_eq(fast_kind(), fast_kinds[i]); // the first that is there
        return;
    }
}

TEST_ABORTS(mistakes, 5)
{
    quiet();
    Mask masks[4] = { { 0 } };
    Mat q = mat_new(arena, _i == 0 ? 2 : 1, 16), k = mat_new(arena, 5, 8), v = mat_new(arena, 5, 8);
    Attended to = { .out = mat_new(arena, q.rows, 16) };
    if (_i == 1) masks[3].window = 2;
    if (_i == 2 || _i == 3) to.weights = mat_new(arena, 4, 5);
    if (_i == 4) v.cols = 7;
    if (_i % 2 == 0 || _i == 1) attention_fast_decode(to, q, k, v, 4, masks);
    else attention_fast_heads(to, q, k, v, 4, masks);
}
