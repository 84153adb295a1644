// Tests of lib/kernels/bf16.c, bf16_tiles.c and bf16_kernel.c: numbers, products of tiles, and attention, with every
// kind of product and of vectors that this processor can run. What an instruction gives is compared where it is here.
#include "kernels/bf16.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "base/cost.h"
#include "base/threads.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static void teardown(void)
{
    bf16_choose(NULL);
    fast_choose(NULL);
}
FIXTURE(NULL, teardown);

// The kernels that there are: products by instructions with AVX-512, and emulated with each kind of vectors.
static const struct {
    const char *vectors, *products;
} versions[] = {
    { "avx512", "amx" },    { "avx512", "avx512_bf16" }, { "avx512", "emulated" },
    { "avx2", "emulated" }, { "plain", "emulated" },
};
enum { VERSIONS = sizeof versions / sizeof *versions };

static bool choose(int version)
{
    return fast_choose(versions[version].vectors) && bf16_choose(versions[version].products);
}

static void round_all(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) = bf16_value(bf16_of(*mat_ref(m, i, c)));
}

static const Kernel kernel = { attention_bf16, "attention_bf16", 1e-5, 2e-6 };

// The emulation is slow: the long first check is made with the first version that there is, and each of the last two
// versions takes half of the others.
static int first_version(void)
{
    for (int n = 0; n < VERSIONS; n++)
        if (choose(n)) return n;
    return VERSIONS;
}

TEST_EACH(battery, VERSIONS *kernel_check_count)
{
    int version = _i / kernel_check_count, check = _i % kernel_check_count;
    if (check == 0 && version != first_version()) return;
    if ((version > 2 && (check + version) % 2) || !choose(version)) return;
    kernel_rounding(round_all, 0.02);
    kernel_checks[check](kernel);
    kernel_rounding(NULL, 0);
}

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(kernel, _i); }

// ---- numbers

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TEST(rounding)
{
    static const struct {
        uint32_t from;
        uint16_t to;
    } known[] = {
        { 0x3f800000, 0x3f80 }, { 0x3f808000, 0x3f80 }, { 0x3f808001, 0x3f81 }, { 0x3f818000, 0x3f82 }, // ties
        { 0x3f817fff, 0x3f81 }, { 0x3fffffff, 0x4000 }, { 0xbfffffff, 0xc000 }, { 0x00000000, 0x0000 },
        { 0x80000000, 0x8000 }, { 0x7f7fffff, 0x7f80 }, { 0x7f7f7fff, 0x7f7f }, { 0x7f800000, 0x7f80 },
        { 0xff800000, 0xff80 }, { 0x7f800001, 0x7fc0 }, { 0xffa12345, 0xffe1 }, { 0x007fffff, 0x0000 },
        { 0x80400000, 0x8000 }, { 0x00800000, 0x0080 },
    };
    for (size_t e = 0; e < sizeof known / sizeof *known; e++)
        ck_assert_uint_eq(bf16_of(from_bits(known[e].from)), known[e].to);
    for (uint32_t x = 0x0080; x < 0x7f80; x++) { // every number is itself, and so is its opposite
        ck_assert_uint_eq(bf16_of(bf16_value((uint16_t)x)), x);
        ck_assert_uint_eq(bf16_of(-bf16_value((uint16_t)x)), x | 0x8000);
    }
    ck_assert_float_eq(bf16_value(0x4049), 3.140625f);
}

// ---- products

// What TDPBF16PS and VDPBF16PS gave on a processor that has them: element (3, 5) of c, and the first numbers of a
// row of a and a column of b.
TEST(known_products)
{
    static const struct {
        uint32_t c;
        uint16_t a[3], b[3];
        uint32_t tiles, pairs;
    } known[] = {
        { 0x00000000, { 0x7fa1 }, { 0x3f80 }, 0x7fe10000, 0x7fe10000 },
        { 0x00000000, { 0xffa1 }, { 0x7fa2 }, 0xffe10000, 0xffe10000 },
        { 0x00000000, { 0x3f80, 0x7fa3 }, { 0x7fa2, 0x7fa4 }, 0x7fe20000, 0x7fe20000 },
        { 0x7fa00005, { 0x7fa1 }, { 0x7fa2 }, 0x7fe00005, 0x7fe10000 },
        { 0x7fc00005, { 0, 0x3f80 }, { 0, 0x7fa4 }, 0x7fc00005, 0x7fe40000 },
        { 0x00000000, { 0x7f80 }, { 0 }, 0xffc00000, 0xffc00000 },
        { 0x00000000, { 0x7f80, 0xff80 }, { 0x3f80, 0x3f80 }, 0xffc00000, 0xffc00000 },
        { 0x00000000, { 0x7f80, 0x7fa3 }, { 0, 0x3f80 }, 0xffc00000, 0x7fe30000 },
        { 0x7fc00005, { 0x7f80 }, { 0 }, 0x7fc00005, 0x7fc00005 },
        { 0x00000000, { 0x7fa1, 0, 0x7fb1 }, { 0x3f80, 0, 0x3f80 }, 0x7ff10000, 0 },
        { 0x00000000, { 0, 0x7f80, 0x7fb1 }, { 0, 0, 0x3f80 }, 0x7ff10000, 0 },
        { 0x80000000, { 0x8000, 0x8000 }, { 0x3f80, 0x3f80 }, 0x00000000, 0x80000000 },
        { 0x80400000, { 0 }, { 0 }, 0x00000000, 0x00000000 },
        { 0x00000000, { 0x0040 }, { 0x4f80 }, 0x00000000, 0x00000000 },
        { 0x00800000, { 0x0080 }, { 0xbf00 }, 0x00800000, 0x00000000 },
        { 0x00000000, { 0x8080 }, { 0x3f00 }, 0x00000000, 0x80000000 },
        { 0x00000000, { 0x3f7f }, { 0x0081 }, 0x00807f00, 0x00807f00 },
    };
    for (size_t e = 0; e < sizeof known / sizeof *known; e++) {
        Bf16Tile a = { 0 }, b = { 0 };
        Bf16Sums c = { 0 };
        float row[16] = { 0 };
        uint16_t left[32] = { 0 }, right[32] = { 0 };
        c.at[3][5] = row[0] = from_bits(known[e].c);
        for (int i = 0; i < 3; i++) {
            a.at[3][i] = left[i] = known[e].a[i];
            b.at[i / 2][2 * 5 + i % 2] = right[i] = known[e].b[i];
        }
        bf16_multiply(&c, &a, &b);
        ck_assert_msg(bits_of(c.at[3][5]) == known[e].tiles, "case %zu: %08x", e, bits_of(c.at[3][5]));
        if (known[e].a[2]) continue;
        bf16_add_pairs(row, left, right);
        ck_assert_msg(bits_of(row[0]) == known[e].pairs, "case %zu, pairs: %08x", e, bits_of(row[0]));
    }
}

// Small whole numbers are exact in any order: each sum is that of its own row and column, pair by pair.
TEST(products_by_value)
{
    Bf16Tile a, b;
    Bf16Sums c, here;
    for (int r = 0; r < 16; r++)
        for (int i = 0; i < 32; i++) {
            a.at[r][i] = bf16_of((float)(random_below(&random_state, 15) - 7));
            b.at[r][i] = bf16_of((float)(random_below(&random_state, 15) - 7));
            if (i < 16) c.at[r][i] = (float)(r * 100 + i);
        }
    here = c;
    bf16_multiply(&c, &a, &b);
    bool instruction = bf16_multiply_here(&here, &a, &b);
    for (int m = 0; m < 16; m++)
        for (int n = 0; n < 16; n++) {
            float want = (float)(m * 100 + n);
            for (int i = 0; i < 32; i++) want += bf16_value(a.at[m][i]) * bf16_value(b.at[i / 2][2 * n + i % 2]);
            ck_assert_float_eq(c.at[m][n], want);
            ck_assert(!instruction || here.at[m][n] == want);
        }
}

// ---- attention

// clang-format off
static const Mask masks[] = {
    { 0 }, { .causal = true, .window = 70 }, { .causal = true, .padding = 66, .alibi = 0.25f },
    { .causal = true, .window = 40, .sinks = 45, .shift = -3 }, { .window = 9, .globals = 35 },
};
// clang-format on
enum { MASKS = sizeof masks / sizeof *masks };

TEST_EACH(around_blocks_and_tiles, VERSIONS)
{
    if (!choose(_i)) return;
    kernel_rounding(round_all, 0.02);
    kernel_around_blocks(kernel, _i, 31);
    kernel_scores_that_grow(kernel);
    kernel_rounding(NULL, 0);
}

// ‖out − want‖ / ‖want‖ against float64 on the numbers as they are: what rounding them costs, and no more.
TEST_EACH(error, VERSIONS * 3)
{
    static const int shapes[][4] = { { 96, 300, 64, 64 }, { 64, 256, 128, 128 }, { 40, 200, 33, 20 } };
    if (!choose(_i / 3)) return;
    int T = shapes[_i % 3][0], S = shapes[_i % 3][1], d = shapes[_i % 3][2], dv = shapes[_i % 3][3];
    for (int causal = 0; causal < 2; causal++) {
        Mat q = framed_random(T, d), k = framed_random(S, d), v = framed_random(S, dv), out = mat_new(arena, T, dv);
        attention_bf16((Attended){ .out = out }, q, k, v, (Mask){ .causal = causal });
        Reference want = reference_of(q, k, v, (Mask){ .causal = causal });
        double off = 0, all = 0;
        for (int e = 0; e < T * dv; e++) {
            off += pow((double)*mat_ref(out, e / dv, e % dv) - want.out.at[e], 2);
            all += pow(want.out.at[e], 2);
        }
        ck_assert_double_le(sqrt(off / all), 4e-3);
        ck_assert_double_ge(sqrt(off / all), 1e-3); // else it would not be bf16
    }
}

// The emulation is the same kernel: with the same vectors, the same bits as TDPBF16PS.
TEST_EACH(emulated_attention_has_the_bits, MASKS)
{
    if (!choose(0)) {
        printf("bf16: attention by TDPBF16PS is left out: it is not here\n");
        return;
    }
    Mat q = framed_random(70, 40), k = framed_random(300, 40), v = framed_random(300, 50);
    *mat_ref(v, 290, 3) = INFINITY;
    Attended to[2];
    for (int n = 0; n < 2; n++) {
        to[n] = (Attended){ .out = mat_new(arena, 70, 50), .lse = mat_new(arena, 70, 1) };
        ck_assert(bf16_choose(n ? "emulated" : "amx"));
        attention_bf16(to[n], q, k, v, masks[_i]);
    }
    assert_same(to[1].out, to[0].out);
    assert_same(to[1].lse, to[0].lse);
}

// Tiles of 16 × 16 sums, 32 products each. Queries come in blocks of 32, keys in steps of 32, the last block and step
// whole; causal: of runs of 128 keys that the mask cuts, the steps up to the last that is seen.
static int64_t work(int T, int S, int d, int dv, bool causal)
{
    int64_t pairs = 0;
    for (int i = 0; i < T; i += 32) {
        int last = i + 32 < T ? i + 31 : T - 1, seen = causal ? last + S - T + 1 : S;
        pairs += 32 * ((seen + 31) / 32 * 32);
    }
    return pairs * ((d + 31) / 32 * 32 + (dv + 31) / 32 * 32);
}

TEST_EACH(work_is_counted, VERSIONS)
{
    if (!choose(_i)) return;
    static const int shapes[][4] = { { 64, 256, 64, 64 }, { 70, 300, 40, 33 }, { 1, 1, 1, 1 } };
    for (int e = 0; e < 6; e++) {
        int T = shapes[e / 2][0], S = shapes[e / 2][1], d = shapes[e / 2][2], dv = shapes[e / 2][3];
        Mat q = framed_random(T, d), k = framed_random(S, d), v = framed_random(S, dv);
        cost_counted = (Cost){ 0 };
        attention_bf16((Attended){ .out = mat_new(arena, T, dv) }, q, k, v, (Mask){ .causal = e % 2 });
        ck_assert_int_eq(cost_counted.multiplies, work(T, S, d, dv, e % 2));
        ck_assert_int_ge(cost_counted.scratch, 2 * S * (d + dv));
        ck_assert_int_le(cost_counted.scratch, 2 * (S + 64) * (d + dv + 64) + (80 << 10));
    }
}

TEST(choosing)
{
    ck_assert(!bf16_choose("abacus"));
    ck_assert(bf16_choose("emulated"));
    ck_assert_str_eq(bf16_kind(), "emulated");
    ck_assert(bf16_choose(NULL));
    for (int i = 0; i < bf16_kinds_count; i++) {
        if (!bf16_choose(bf16_kinds[i])) continue;
        bf16_choose(NULL);
        ck_assert_str_eq(bf16_kind(), bf16_kinds[i]); // the first that is there
        break;
    }
    ck_assert(fast_choose("plain")); // no instruction without the vectors beside it
    ck_assert_str_eq(bf16_kind(), "emulated");
    ck_assert(!bf16_choose("amx") && !bf16_choose("avx512_bf16"));
}
