// Tests of lib/kernels/quantised_fast.c: every version that this processor can run, against float64 over the numbers
// that the codes stand for.
#include "kernels/quantised_fast.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "base/threads.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

#include <string.h>

static void teardown(void) { fast_choose(NULL); }
FIXTURE(NULL, teardown);
// ---- one case: a cache, and what its codes stand for

typedef struct {
    int H, G, S, d, dv;
    QuantisedFormat format;
    QuantisedCache cache;
    Mat q, k, v; // k and v as they are read back
} Case;

static Case case_of(int H, int G, int S, int d, int dv, QuantisedFormat format, Mat k, Mat v)
{
    Case c = { .H = H, .G = G, .S = S, .d = d, .dv = dv, .format = format };
    c.cache = quantised_new(arena, format, S + format.block, G * d, G * dv);
    quantised_append(&c.cache, k, v);
    c.q = framed_random(1, H * d);
    c.k = quantised_copy(arena, k, format, format.keys);
    c.v = quantised_copy(arena, v, format, format.values);
    return c;
}

static Case random_case(int H, int G, int S, int d, int dv, QuantisedFormat format)
{
    return case_of(H, G, S, d, dv, format, framed_random(S, G * d), framed_random(S, G * dv));
}

// Every head against float64.
static void assert_case(const Case *c, const Mask *masks)
{
    Framed out = framed_mat(arena, 1, c->H * c->dv, NAN), lse = framed_mat(arena, 1, c->H, NAN);
    quantised_fast_decode((Attended){ .out = out.view, .lse = lse.view }, &c->cache, c->q, c->H, masks);
    ck_assert(frame_untouched(out, NAN) && frame_untouched(lse, NAN));
    reference_heads((Attended){ out.view, lse.view, { 0 } }, c->q, c->k, c->v, c->H, masks, 1e-5, 4e-6);
}

static void name_case(const Case *c, int mask)
{
    case_is("%s, %s in blocks of %d, groups of %d, keys %d, values %d; H %d, G %d, S %d, d %d, dv %d, mask %d",
            fast_kind(), quantised_names[c->format.kind], c->format.block, c->format.group, c->format.keys,
            c->format.values, c->H, c->G, c->S, c->d, c->dv, mask);
}

// ---- shapes, formats, masks

static const int heads_of[][2] = { { 1, 1 }, { 4, 4 }, { 6, 2 }, { 8, 1 }, { 10, 2 }, { 12, 4 } }; // H, G
static const int widths[][2] = { { 16, 16 }, { 4, 8 }, { 20, 12 }, { 64, 64 }, { 36, 68 }, { 128, 80 } };
static const int blocks[] = { 32, 1, 5, 8, 100 };
enum {
    HEADS = sizeof heads_of / sizeof *heads_of,
    WIDTHS = sizeof widths / sizeof *widths,
    BLOCKS = sizeof blocks / sizeof *blocks
};

// A group that divides all rows that have one: 16 where it can be, every second time.
static int some_group(int key_width, int value_width)
{
    int group = 16;
    if (below(2) || key_width % 16 || value_width % 16) do
            group = 1 + below(value_width);
        while (value_width % group || key_width % group);
    return group;
}

// Around a block, and some blocks; every mask, each head with a slope of its own every second time.
TEST_EACH(as_float64_over_what_codes_say, fast_kinds_count *QUANTISED_KINDS)
{
    if (!fast_choose(fast_kinds[_i / QUANTISED_KINDS])) return;
    for (int e = 0; e < 4 * kernel_mask_count * 6; e++) {
        if (!case_tried(e)) continue;
        ArenaMark mark = arena_mark(arena);
        const int *HG = heads_of[e % HEADS], *width = widths[below(WIDTHS)];
        int block = blocks[below(BLOCKS)], near[] = { 0, 1, block - 1, block, block + 1, 3 * block + below(70) };
        QuantisedFormat format = { (QuantisedKind)(_i % QUANTISED_KINDS), block, 1,
                                   below(3) ? QUANTISED_PER_CHANNEL : QUANTISED_PER_TOKEN,
                                   below(3) ? QUANTISED_PER_TOKEN : QUANTISED_PER_CHANNEL };
        format.group = some_group(HG[1] * width[0], HG[1] * width[1]);
        Case c = random_case(HG[0], HG[1], near[e / HEADS % 6], width[0], width[1], format);
        Mask all[kernel_mask_count], masks[12];
        kernel_masks(all, c.S);
        grouped_masks(masks, c.H, all[e % kernel_mask_count], below(2));
        name_case(&c, e % kernel_mask_count);
        assert_case(&c, masks);
        arena_release(arena, mark);
    }
}

// Every code in every place of a row, among keys and among values. Zero is read exactly as zero, 448 as 448.
TEST_EACH(every_code, fast_kinds_count *QUANTISED_KINDS)
{
    if (!fast_choose(fast_kinds[_i / QUANTISED_KINDS])) return;
    QuantisedKind kind = (QuantisedKind)(_i % QUANTISED_KINDS);
    int bits = quantised_bits(kind), codes = kind == QUANTISED_FLOAT8 ? 255 : 1 << bits;
    enum { S = 64, D = 64 };
    const float *numbers = quantised_numbers(arena, kind);
    for (int shift = 0; shift < codes; shift += bits == 8 ? 37 : 1) {
        Mat m = framed_random(S, D);
        for (int i = 0; i < S; i++)
            for (int c = 0; c < D; c++) {
                int code = (i * D + c + shift) % codes;
                if (kind == QUANTISED_FLOAT8 && code == 0x7F) code = 0;
                *mat_ref(m, i, c) = bits == 8 ? numbers[code] : (float)code;
            }
        Case c =
            case_of(1, 1, S, D, D, (QuantisedFormat){ kind, 32, D, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN }, m, m);
        for (int e = 0; e < D; e++) *mat_ref(c.q, 0, e) *= 0.01f;
        Mask mask = { 0 };
        name_case(&c, shift);
        Mat out = mat_new(arena, 1, D);
        quantised_fast_decode((Attended){ .out = out }, &c.cache, c.q, 1, &mask);
        Reference want =
            reference_attention(arena, table_of(arena, c.q), table_of(arena, c.k), table_of(arena, c.v), mask);
        double most = 0;
        for (int e = 0; e < S * D; e++) most = fmax(most, fabs((double)c.v.at[e]));
        assert_close(out, want.out.at, 1e-5, 4e-6 * most);
    }
}

// Scores that grow or fall over the tiles: what was summed up is scaled again and again, or never.
TEST_EACH(maxima_that_move, fast_kinds_count *QUANTISED_KINDS)
{
    if (!fast_choose(fast_kinds[_i / QUANTISED_KINDS])) return;
    for (int e = 0; e < 4; e++) {
        QuantisedFormat format = { (QuantisedKind)(_i % QUANTISED_KINDS), 16, 16, QUANTISED_PER_CHANNEL,
                                   QUANTISED_PER_TOKEN };
        Mat k = framed_random(300, 2 * 32), v = framed_random(300, 2 * 32);
        for (int i = 0; i < k.rows; i++)
            for (int c = 0; c < k.cols; c++) *mat_ref(k, i, c) *= 0.02f * (float)(e < 2 ? i : k.rows - i);
        Case c = case_of(e % 2 ? 6 : 2, 2, 300, 32, 32, format, k, v);
        Mask masks[6];
        grouped_masks(masks, c.H, (Mask){ .causal = true }, false);
        name_case(&c, 0);
        assert_case(&c, masks);
    }
}

// ---- what is not finite

// A NaN among keys or values is felt where its group is in sight, and nowhere else.
TEST_EACH(cached_numbers_that_are_not_finite, fast_kinds_count *QUANTISED_KINDS)
{
    if (!fast_choose(fast_kinds[_i / QUANTISED_KINDS])) return;
    enum { S = 21, W = 16 };
    for (int e = 0; e < 2 * S; e++) {
        QuantisedFormat format = { (QuantisedKind)(_i % QUANTISED_KINDS), 4, 16, QUANTISED_PER_CHANNEL,
                                   QUANTISED_PER_TOKEN };
        Mat k = framed_random(S, 2 * W), v = framed_random(S, 2 * W);
        *mat_ref(e % 2 ? k : v, e / 2, 5) = e % 3 ? NAN : -NAN;
        Case c = case_of(2, 2, S, W, W, format, k, v);
        Mask masks[2];
        for (int window = 1; window <= S; window += 3) {
            grouped_masks(masks, 2, (Mask){ .causal = true, .window = window, .sinks = 2 }, false);
            name_case(&c, e);
            assert_case(&c, masks);
        }
    }
}

// ---- parts and threads

// To the bit the same for any number of threads; cuts through blocks, windows and sinks that end within one.
TEST_EACH(in_parts, 4 * QUANTISED_KINDS)
{
    static const Mask masks_of[] = {
        { 0 },
        { .window = 4500, .sinks = 2100 },
        { .window = 3000, .sinks = 5, .padding = 40 },
        { .alibi = 0.01f },
    };
    QuantisedFormat format = { (QuantisedKind)(_i % QUANTISED_KINDS), 32, 16, QUANTISED_PER_CHANNEL,
                               QUANTISED_PER_TOKEN };
    Case c = random_case(6, 2, 6007, 64, 48, format);
    Mask masks[6];
    grouped_masks(masks, 6, masks_of[_i / QUANTISED_KINDS], false);
    Attended one = { .out = mat_new(arena, 1, 6 * 48), .lse = mat_new(arena, 1, 6) };
    Attended more = { .out = mat_new(arena, 1, 6 * 48), .lse = mat_new(arena, 1, 6) };
    name_case(&c, _i / QUANTISED_KINDS);
    threads_set(1);
    assert_case(&c, masks);
    quantised_fast_decode(one, &c.cache, c.q, 6, masks);
    for (int threads = 2; threads <= 5; threads += 3) {
        threads_set(threads);
        quantised_fast_decode(more, &c.cache, c.q, 6, masks);
        assert_same(more.out, one.out);
        assert_same(more.lse, one.lse);
    }
    threads_set(0);
}

TEST_ABORTS(mistakes, 5)
{
    quiet();
    QuantisedFormat format = { QUANTISED_INT2, 4, 1, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
    QuantisedCache cache = quantised_new(arena, format, 5, 8, 8);
    Mat m = mat_new(arena, 1, 8), two = mat_new(arena, 2, 8), out = mat_new(arena, 1, 8);
    Mask masks[4] = { { 0 } };
    quantised_append(&cache, m, m);
    switch (_i) {
    case 0: quantised_fast_decode((Attended){ .out = mat_new(arena, 2, 8) }, &cache, two, 1, masks); break;
    case 1:
        masks[1].window = 2;
        quantised_fast_decode((Attended){ .out = out }, &cache, m, 2, masks);
        break;
    case 2: quantised_fast_decode((Attended){ .out = out, .weights = m }, &cache, m, 1, masks); break;
    case 3: quantised_fast_decode((Attended){ .out = out }, &cache, m, 4, masks); break; // half a byte
    default: quantised_fast_decode((Attended){ .out = mat_cols(out, 0, 4) }, &cache, m, 1, masks); break;
    }
}
