// Tests of lib/attention/quantised.c: groups on their grids, a cache of codes against attention over what they stand
// for, and the read from the codes against both.
#include "attention/quantised.h"

#include "attention/online.h"
#include "attention/tiled.h"
#include "base/cost.h"
#include "base/float8.h"
#include "base/portable_math.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

// ---- a group

// How far off a number of its group may be: half a step, and what float16 rounds off zero and scale.
static double bound(QuantisedScale grid, double low, int bits)
{
    return 0.5 * (double)grid.scale * (1 + 1e-5) + fabs(low) * 0x1p-11 + (double)grid.scale * (1 << bits) * 0x1p-11 +
           0x1p-16;
}

TEST(half_a_step)
{
    static const int widths[] = { 8, 4, 2 };
    for (int round = 0; round < 3000; round++) {
        int bits = widths[round % 3], n = 1 + below(40);
        float x[40], size = exp2f((float)below(12) - 6.0f), shift = size * (float)(below(7) - 3);
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; i++) {
            x[i] = random_normal(&random_state) * size + shift;
            low = fminf(low, x[i]);
            high = fmaxf(high, x[i]);
        }
        QuantisedScale grid = quantised_scale(x, n, 1, bits);
        double step = (double)(high - low) / ((1 << bits) - 1);
        case_is("round %d, %d bits", round, bits);
        ck_assert(fabs((double)(grid.zero - low)) <= fabs((double)low) * 0x1p-11 + 0x1p-25);
        ck_assert(fabs((double)grid.scale - step) <= step * 0x1p-9 + fabs((double)low) * 0x1p-11 + 0x1p-24);
        for (int i = 0; i < n; i++) {
            int code = quantised_code(grid, x[i], bits);
            ck_assert(code >= 0 && code < 1 << bits);
            double back = (double)grid.scale * code + (double)grid.zero;
            ck_assert_msg(fabs(back - (double)x[i]) <= bound(grid, (double)low, bits), "%g became %g", (double)x[i],
                          back);
        }
    }
}

TEST(on_the_grid_nothing_is_lost)
{
    for (int bits = 2; bits <= 8; bits *= 2) {
        int n = 1 << bits;
        float x[256];
        for (int i = 0; i < n; i++) x[i] = 0.25f * (float)((i * 37 + 5) % n) - 3.0f;
        QuantisedScale grid = quantised_scale(x, n, 1, bits);
        ck_assert(grid.scale == 0.25f && grid.zero == -3.0f);
        for (int i = 0; i < n; i++) ck_assert_int_eq(quantised_code(grid, x[i], bits), (i * 37 + 5) % n);
    }
    float apart[] = { 1.0f, 99.0f, 4.0f, 99.0f, 16.0f, -99.0f }; // every second one
    QuantisedScale grid = quantised_scale(apart, 3, 2, 4);
    ck_assert(grid.scale == 1.0f && grid.zero == 1.0f);
    ck_assert_int_eq(quantised_code(grid, 1000.0f, 4), 15);
    ck_assert_int_eq(quantised_code(grid, -1000.0f, 4), 0);
    float same[] = { 1.5f, 1.5f };
    grid = quantised_scale(same, 2, 1, 4);
    ck_assert(grid.scale == 0.0f && grid.zero == 1.5f && quantised_code(grid, 1.5f, 4) == 0);
}

TEST(nothing_is_lost_in_silence)
{
    float bad[][3] = { { 1, NAN, 2 }, { 1, INFINITY, 2 }, { -INFINITY, 1, 2 }, { 1, 1e9f, 2 }, { -1e5f, 0, 1 } };
    for (int b = 0; b < 5; b++)
        for (int bits = 2; bits <= 4; bits += 2) {
            QuantisedScale grid = quantised_scale(bad[b], 3, 1, bits);
            ck_assert_msg(isnan(grid.scale), "group %d", b);
            ck_assert_int_eq(quantised_code(grid, 1.0f, bits), 0);
        }
}

// ---- matrices: which numbers share a grid

static QuantisedFormat some_format(int width)
{
    QuantisedFormat format = { (QuantisedKind)below(QUANTISED_KINDS), 1 + below(9), 0, (QuantisedGrouping)below(2),
                               (QuantisedGrouping)below(2) };
    do format.group = 1 + below(width);
    while (width % format.group);
    return format;
}

// Is every number of m within half a step of its own group? Groups are of very different sizes, so another's would not
// do.
static void assert_groups(Mat m, Mat copy, QuantisedFormat format, QuantisedGrouping grouping, int first)
{
    int bits = quantised_bits(format.kind);
    for (int i = first; i < first + format.block; i++)
        for (int c = 0; c < m.cols; c++) {
            int from = c / format.group * format.group;
            Mat group = grouping == QUANTISED_PER_CHANNEL ? mat_block(m, first, format.block, c, 1)
                                                          : mat_block(m, i, 1, from, format.group);
            float low = INFINITY, high = -INFINITY, values[64];
            for (int r = 0, n = 0; r < group.rows; r++)
                for (int e = 0; e < group.cols; e++, n++) {
                    values[n] = *mat_ref(group, r, e);
                    low = fminf(low, values[n]);
                    high = fmaxf(high, values[n]);
                }
            QuantisedScale grid = quantised_scale(values, group.rows * group.cols, 1, bits);
            double off = fabs((double)(*mat_ref(m, i, c) - *mat_ref(copy, i, c)));
            ck_assert_msg(off <= bound(grid, (double)low, bits), "(%d, %d) %g became %g, in steps of %g", i, c,
                          (double)*mat_ref(m, i, c), (double)*mat_ref(copy, i, c), (double)grid.scale);
        }
}

TEST(each_group_has_its_own_grid)
{
    for (int round = 0; round < 400; round++) {
        ArenaMark mark = arena_mark(arena);
        int width = 4 * (1 + below(6)), S = below(30);
        QuantisedFormat format = some_format(width);
        QuantisedGrouping grouping = format.keys;
        Mat m = framed_random(S, width);
        for (int i = 0; i < S; i++)
            for (int c = 0; c < width; c++)
                *mat_ref(m, i, c) *=
                    exp2f(grouping == QUANTISED_PER_CHANNEL ? (float)(c % 7 + i / format.block % 3) - 4
                                                            : (float)(i % 7 + c / format.group % 3) - 4);
        Mat copy = quantised_copy(arena, m, format, grouping);
        case_is("round %d: %s, blocks of %d, groups of %d, %s", round, quantised_names[format.kind], format.block,
                format.group, grouping == QUANTISED_PER_TOKEN ? "per token" : "per channel");
        int whole = S / format.block * format.block;
        assert_same(mat_rows(copy, whole, S - whole), mat_rows(m, whole, S - whole));
        for (int first = 0; first < whole; first += format.block) {
            if (format.kind != QUANTISED_FLOAT8) assert_groups(m, copy, format, grouping, first);
            for (int i = first; i < first + format.block && format.kind == QUANTISED_FLOAT8; i++)
                for (int c = 0; c < width; c++)
                    ck_assert(*mat_ref(copy, i, c) == float8_value(float8_of(*mat_ref(m, i, c))));
        }
        arena_release(arena, mark);
    }
}

// ---- a cache

typedef struct {
    int T, H, G, d, dv;
    QuantisedFormat format;
    Mask masks[8];
    Mat q, k, v;
} Problem;

static Problem some_problem(int tokens)
{
    static const int groups[][2] = { { 1, 1 }, { 4, 1 }, { 4, 2 }, { 4, 4 }, { 6, 3 } };
    const int *HG = groups[below(5)];
    Problem p = { .T = tokens, .H = HG[0], .G = HG[1], .d = 4 * (1 + below(4)), .dv = 4 * (1 + below(4)) };
    p.format = some_format(4);
    p.q = framed_random(tokens, p.H * p.d);
    p.k = framed_random(tokens, p.G * p.d);
    p.v = framed_random(tokens, p.G * p.dv);
    return p;
}

static void some_masks(Problem *p, int S)
{
    Mask all[kernel_mask_count];
    kernel_masks(all, S);
    for (int h = 0; h < p->H; h++) p->masks[h] = all[below(kernel_mask_count)];
}

static Attended room(const Problem *p, int T, int S)
{
    return (Attended){ mat_new(arena, T, p->H * p->dv), mat_new(arena, T, p->H), mat_new(arena, p->H * T, S) };
}

static AttentionKernel *const kernels[] = { attention_naive, attention_online, attention_tiled };

// After every chunk: as attention over all keys, those of whole blocks as their codes say.
TEST(as_attention_over_what_the_codes_say)
{
    for (int round = 0; round < 250; round++) {
        ArenaMark mark = arena_mark(arena);
        Problem p = some_problem(1 + below(24));
        QuantisedCache cache = quantised_new(arena, p.format, p.T + below(4), p.G * p.d, p.G * p.dv);
        for (int S = 0; S < p.T;) {
            int n = below(3) ? 1 : below(p.T - S + 1), first = S;
            S += n;
            some_masks(&p, S);
            Attended got = room(&p, n, S);
            quantised_attend(got, &cache, mat_rows(p.q, first, n), mat_rows(p.k, first, n), mat_rows(p.v, first, n),
                             p.H, p.masks, kernels[round % 3]);
            Mat k = quantised_copy(arena, mat_rows(p.k, 0, S), p.format, p.format.keys);
            Mat v = quantised_copy(arena, mat_rows(p.v, 0, S), p.format, p.format.values);
            case_is("round %d: %s, blocks of %d, %d tokens, then %d", round, quantised_names[p.format.kind],
                    p.format.block, first, n);
            reference_heads(got, mat_rows(p.q, first, n), k, v, p.H, p.masks, 1e-5, 4e-6);
            ck_assert_int_eq(cache.length, S);
        }
        arena_release(arena, mark);
    }
}

// ---- from the codes

TEST(from_the_codes)
{
    for (int round = 0; round < 400; round++) {
        ArenaMark mark = arena_mark(arena);
        int S = 1 + below(40);
        Problem p = some_problem(S);
        p.format.keys = QUANTISED_PER_CHANNEL;
        p.format.values = QUANTISED_PER_TOKEN;
        QuantisedCache cache = quantised_new(arena, p.format, S, p.G * p.d, p.G * p.dv);
        quantised_append(&cache, p.k, p.v);
        some_masks(&p, S);
        Mat q = mat_rows(p.q, 0, 1), k = quantised_copy(arena, p.k, p.format, p.format.keys);
        Attended got = room(&p, 1, S), alone = { .out = mat_new(arena, 1, p.H * p.dv) };
        quantised_decode(got, &cache, q, p.H, p.masks);
        quantised_decode(alone, &cache, q, p.H, p.masks);
        case_is("round %d: %s, blocks of %d, groups of %d, %d keys", round, quantised_names[p.format.kind],
                p.format.block, p.format.group, S);
        reference_heads(got, q, k, quantised_copy(arena, p.v, p.format, p.format.values), p.H, p.masks, 1e-5, 4e-6);
        assert_same(alone.out, got.out);
        arena_release(arena, mark);
    }
}

// Keys out of sight cannot be felt, unless a group holds them together with one that is seen.
TEST(hidden_keys_and_bad_numbers)
{
    enum { S = 12, W = 8 };
    QuantisedFormat format = { QUANTISED_INT8, 4, 8, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
    QuantisedCache cache = quantised_new(arena, format, S, W, W);
    Mat q = framed_random(1, W), k = framed_random(S, W), v = framed_random(S, W), out = mat_new(arena, 1, W);
    *mat_ref(k, 2, 3) = NAN;
    *mat_ref(v, 1, 5) = INFINITY;
    quantised_append(&cache, k, v);
    for (int window = 1; window <= S; window++) {
        Mask mask = { .causal = true, .window = window };
        Mat parts = mat_new(arena, 1, W);
        quantised_decode((Attended){ .out = out }, &cache, q, 1, &mask);
        kv_segments_attend((Attended){ .out = parts }, q, quantised_segments(&cache), 1, &mask, attention_naive);
        ck_assert_int_eq(isnan(mat_sum(out)) != 0, window > 8);
        ck_assert_int_eq(isnan(mat_sum(parts)) != 0, window > 8);
    }
}

// ---- counted

static int64_t block_bytes(QuantisedFormat f, QuantisedGrouping grouping, int width)
{
    int64_t codes = (int64_t)f.block * width * quantised_bits(f.kind) / 8;
    int64_t grids = grouping == QUANTISED_PER_CHANNEL ? width : (int64_t)f.block * width / f.group;
    return codes + (f.kind == QUANTISED_FLOAT8 ? 0 : 4 * grids);
}

TEST(bytes_with_scales_and_zeros)
{
    for (int round = 0; round < 60; round++) {
        Problem p = some_problem(30);
        QuantisedFormat f = p.format;
        QuantisedCache cache = quantised_new(arena, f, 30, p.G * p.d, p.G * p.dv);
        int64_t block = block_bytes(f, f.keys, p.G * p.d) + block_bytes(f, f.values, p.G * p.dv);
        ck_assert_int_eq(quantised_bytes(&cache), 0);
        for (int t = 1; t <= 30; t++) {
            quantised_append(&cache, mat_rows(p.k, t - 1, 1), mat_rows(p.v, t - 1, 1));
            ck_assert_int_eq(quantised_bytes(&cache),
                             t / f.block * block + t % f.block * 4 * (int64_t)(p.G * (p.d + p.dv)));
        }
        double bits = quantised_bits_each(f, f.keys) * p.G * p.d + quantised_bits_each(f, f.values) * p.G * p.dv;
        ck_assert(fabs(bits * f.block / 8 - (double)block) < 1e-9);
    }
}

// From the codes: S d and S dv for each query head as ever; 2 d a block for q ∘ s and q · z; 2 a group of values.
TEST(work_from_the_codes)
{
    enum { H = 4, G = 2, d = 8, dv = 12, S = 35, BLOCK = 8, GROUP = 4 };
    for (int kind = 0; kind < QUANTISED_KINDS; kind++) {
        QuantisedFormat format = { (QuantisedKind)kind, BLOCK, GROUP, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
        QuantisedCache cache = quantised_new(arena, format, S, G * d, G * dv);
        Mask masks[H] = { { .causal = true }, { .causal = true }, { .causal = true }, { .causal = true } };
        Mat out = mat_new(arena, 1, H * dv);
        quantised_append(&cache, framed_random(S, G * d), framed_random(S, G * dv));
        cost_counted = (Cost){ 0 };
        quantised_decode((Attended){ .out = out }, &cache, framed_random(1, H * d), H, masks);
        int grids = kind == QUANTISED_FLOAT8 ? 0 : 4 * 2 * H * d + 32 * H * 2 * (dv / GROUP);
        ck_assert_int_eq(cost_counted.multiplies, S * H * (d + dv) + grids);
        ck_assert_int_eq(cost_counted.reads, H * d + (quantised_bytes(&cache) + 3) / 4);
        ck_assert_int_eq(cost_counted.writes, H * dv);
    }
}

#define PER_BOTH QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN
TEST_ABORTS(does_not_fit, 9)
{
    quiet();
    QuantisedFormat format = { QUANTISED_INT4, 4, 4, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
    QuantisedCache cache = quantised_new(arena, format, 5, 8, 8);
    Mat m = mat_new(arena, 1, 8), six = mat_new(arena, 6, 8), out = mat_new(arena, 1, 8);
    Mask mask = { 0 };
    switch (_i) {
    case 0: quantised_append(&cache, six, six); break;
    case 1: quantised_append(&cache, m, mat_cols(m, 0, 4)); break;
    case 2: quantised_new(arena, (QuantisedFormat){ QUANTISED_INT4, 0, 4, PER_BOTH }, 5, 8, 8); break;
    case 3: quantised_new(arena, format, 5, 7, 8); break; // half a byte
    case 4: quantised_new(arena, (QuantisedFormat){ QUANTISED_INT4, 4, 3, PER_BOTH }, 5, 8, 8); break;
    case 5: quantised_new(arena, format, -1, 8, 8); break;
    case 6: quantised_attend((Attended){ .out = out }, &cache, six, m, m, 1, &mask, attention_naive); break;
    case 7: cache.format.keys = QUANTISED_PER_TOKEN; break;
    default: out = mat_cols(out, 0, 4); break;
    }
    quantised_decode((Attended){ .out = out }, &cache, m, 1, &mask);
}
