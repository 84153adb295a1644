// Tests of lib/attention/tiled.c.
#include "attention/tiled.h"

#include "base/portable_math.h"
#include "base/cost.h"
#include "base/threads.h"
#include "support/kernel.h"
#include "support/head_gradients.h"
#include "support/random_inputs.h"
#include "support/suite.h"

#include <string.h>

// ---- the battery of all kernels, at several tile sizes

#define TILED(queries_, keys_) \
    static void tiled_##queries_##_##keys_(Attended to, Mat q, Mat k, Mat v, Mask mask) \
    { \
        attention_tiled_with(to, q, k, v, mask, (TileSizes){ queries_, keys_ }); \
    }

TILED(1, 1)
TILED(3, 5)
TILED(7, 2)
TILED(16, 16)
TILED(1000, 1000)

static const Kernel kernels[] = {
    { attention_tiled, "attention_tiled", 1e-5, 2e-6 }, { tiled_1_1, "tiles of 1 x 1", 1e-5, 2e-6 },
    { tiled_3_5, "tiles of 3 x 5", 1e-5, 2e-6 },        { tiled_7_2, "tiles of 7 x 2", 1e-5, 2e-6 },
    { tiled_16_16, "tiles of 16 x 16", 1e-5, 2e-6 },    { tiled_1000_1000, "tiles of 1000 x 1000", 1e-5, 2e-6 },
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

TEST_EACH(battery, kernel_check_count *KERNELS) { kernel_checks[_i / KERNELS](kernels[_i % KERNELS]); }

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(kernels[0], _i); }

TEST_ABORTS(wrong_tiles, 4)
{
    static const TileSizes wrong[] = { { 0, 4 }, { 4, 0 }, { -1, 4 }, { 4, -3 } };
    quiet();
    Mat m = mat_new(arena, 3, 2);
    attention_tiled_with((Attended){ .out = mat_new(arena, 3, 2) }, m, m, m, (Mask){ 0 }, wrong[_i]);
}

// ---- which tiles are empty, full or cut

static TileKind kind_by_looking(Mask mask, MaskRange queries, MaskRange keys, int T, int S)
{
    int seen = 0;
    for (int i = queries.first; i < queries.first + queries.count; i++)
        for (int j = keys.first; j < keys.first + keys.count; j++) seen += reference_sees(mask, i, j, T, S);
    return seen == 0 ? TILE_EMPTY : seen == queries.count * keys.count ? TILE_FULL : TILE_CUT;
}

static void every_tile(Mask mask, int T, int S)
{
    for (int e = 0; e < T * T * S * S; e++) {
        MaskRange queries = { e % T, e / T % T + 1 }, keys = { e / T / T % S, e / T / T / S + 1 };
        if (queries.first + queries.count > T || keys.first + keys.count > S) continue;
        TileKind got = tile_kind(mask, queries, keys, T, S), want = kind_by_looking(mask, queries, keys, T, S);
        ck_assert_msg(got == want,
                      "T %d, S %d, causal %d, window %d, sinks %d, globals %d, padding %d, before %d: "
                      "queries %d + %d, keys %d + %d are of kind %d, not %d",
                      T, S, mask.causal, mask.window, mask.sinks, mask.globals, mask.padding, mask.before,
                      queries.first, queries.count, keys.first, keys.count, want, got);
    }
}

TEST_EACH(kinds_of_tiles, 6) // one S a test; every T, mask and rectangle
{
    int S = _i + 1, e = 0;
    for (int T = 1; T <= 6; T++)
        for (int causal = 0; causal < 2; causal++)
            for (int window = 0; window <= S + 1; window++)
                for (int sinks = 0; sinks <= S + 1; sinks++)
                    for (int padding = 0; padding <= S + 1; padding++) {
                        if (!case_tried(e++)) continue;
                        Mask mask = { .causal = causal,
                                      .window = window,
                                      .sinks = sinks,
                                      .padding = padding,
                                      .globals = (sinks * 3 + padding + causal) % (S + 3),
                                      .before = window % 3 };
                        every_tile(mask, T, S);
                    }
}

TEST(a_tile_of_a_long_sentence)
{
    int n = 1 << 20;
    MaskRange last = { n - 64, 64 }, before = { n - 128, 64 };
    ck_assert_int_eq(tile_kind((Mask){ .causal = true }, last, last, n, n), TILE_CUT);
    ck_assert_int_eq(tile_kind((Mask){ .causal = true }, last, before, n, n), TILE_FULL);
    ck_assert_int_eq(tile_kind((Mask){ .causal = true }, before, last, n, n), TILE_EMPTY);
    ck_assert_int_eq(tile_kind((Mask){ 0 }, (MaskRange){ 0, n }, (MaskRange){ 0, n }, n, n), TILE_FULL);
    ck_assert_int_eq(tile_kind((Mask){ 0 }, last, (MaskRange){ n, 0 }, n, n), TILE_EMPTY);
}

// ---- what it costs

typedef struct {
    int T, S, d, dv;
    Mask mask;
    TileSizes tiles;
    bool lse, weights;
} Run;

static Cost cost_of(Run run)
{
    Attended to = { .out = mat_new(arena, run.T, run.dv) };
    if (run.lse) to.lse = mat_new(arena, run.T, 1);
    if (run.weights) to.weights = mat_new(arena, run.T, run.S);
    Mat q = framed_random(run.T, run.d), k = framed_random(run.S, run.d), v = framed_random(run.S, run.dv);
    cost_counted = (Cost){ 0 };
    attention_tiled_with(to, q, k, v, run.mask, run.tiles);
    return cost_counted;
}

static MaskRange span_at(int first, int size, int end)
{
    return (MaskRange){ first, size < end - first ? size : end - first };
}

// What must be moved for tiles that hold at least one pair in sight, found by going through all pairs. Filler is in
// none.
static int64_t keys_fetched(Run run, int64_t *cells)
{
    int64_t fetched = 0;
    *cells = 0;
    for (int i = 0; i < run.T; i += run.tiles.queries)
        for (int j = 0; j < run.S - run.mask.padding; j += run.tiles.keys) {
            MaskRange queries = span_at(i, run.tiles.queries, run.T);
            MaskRange keys = span_at(j, run.tiles.keys, run.S - run.mask.padding);
            if (kind_by_looking(run.mask, queries, keys, run.T, run.S) == TILE_EMPTY) continue;
            fetched += keys.count;
            *cells += queries.count * keys.count;
        }
    return fetched;
}

static const TileSizes sizes[] = { { 1, 1 }, { 3, 5 }, { 8, 4 }, { 16, 16 }, { 50, 50 } };
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST_EACH(reads_and_writes, SIZES)
{
    static const int shapes[][4] = {
        { 33, 33, 8, 8 }, { 1, 40, 4, 3 }, { 17, 9, 3, 5 }, { 32, 48, 2, 2 }, { 0, 7, 2, 2 }
    };
    for (int e = 0; e < 5 * kernel_mask_count * 3; e++) {
        const int *shape = shapes[e % 5];
        Mask masks[kernel_mask_count];
        kernel_masks(masks, shape[1]);
        Run run = { shape[0],
                    shape[1],
                    shape[2],
                    shape[3],
                    masks[e / 5 % kernel_mask_count],
                    sizes[_i],
                    .lse = e / 5 / kernel_mask_count > 0,
                    .weights = e / 5 / kernel_mask_count > 1 };
        int64_t cells, keys = keys_fetched(run, &cells);
        Cost cost = cost_of(run);
        int64_t table = run.weights ? run.T * run.S : 0; // filled, given its scores, read and written as weights
        ck_assert_int_eq(cost.reads, run.T * run.d + keys * (run.d + run.dv) + table);
        ck_assert_int_eq(cost.writes, run.T * run.dv + (run.lse ? run.T : 0) + (run.weights ? cells : 0) + 2 * table);
    }
}

TEST(multiplications_and_exps)
{
    int T = 24, S = 36, d = 4, dv = 3;
    for (int e = 0; e < SIZES; e++) {
        TileSizes tiles = sizes[e];
        int columns = (S + tiles.keys - 1) / tiles.keys;
        Cost full = cost_of((Run){ T, S, d, dv, { 0 }, tiles, false, false });
        ck_assert_int_eq(full.multiplies, T * S * (d + dv) + T * columns * (1 + dv));
        ck_assert_int_eq(full.exps, T * S + T * (columns - 1)); // the first tile finds −INFINITY
        Cost hidden = cost_of((Run){ T, S, d, dv, { .padding = S }, tiles, true, false });
        ck_assert(hidden.multiplies == 0 && hidden.exps == 0);
        int seen = 0;
        for (int i = 0; i < T; i++) seen += i + S - T + 1;
        Cost causal = cost_of((Run){ T, S, d, dv, { .causal = true }, (TileSizes){ 1000, 1000 }, false, false });
        ck_assert_int_eq(causal.multiplies, seen * (d + dv) + T * (1 + dv));
        ck_assert_int_eq(causal.exps, seen);
    }
}

// The high-water mark knows the tile, d and dv, and nothing else.
TEST(scratch_does_not_know_how_long_the_sentence_is)
{
    for (int e = 0; e < SIZES * 4; e++)
        for (int T = 50; T <= 120; T += 35) {
            int d = (int[]){ 1, 8, 5, 64 }[e / SIZES], dv = (int[]){ 1, 3, 0, 64 }[e / SIZES], S = 320 - T;
            Cost cost = cost_of((Run){ T, S, d, dv, { .causal = true }, sizes[e % SIZES], true, T > 50 });
            ck_assert_int_eq(cost.scratch, tile_scratch(sizes[e % SIZES], d, dv));
        }
    int64_t floats = 16 * 8 + 32 * 8 + 32 * 4 + 16 * 32 + 3 * 16 + 16 * 4;
    ck_assert_int_eq(tile_scratch((TileSizes){ 16, 32 }, 8, 4), 4 * floats);
    Cost cut = cost_of((Run){ 7, 9, 2, 2, { 0 }, { 1 << 30, 1 << 30 }, true, false });
    ck_assert_int_eq(cut.scratch, tile_scratch((TileSizes){ 7, 9 }, 2, 2));
}

TEST(the_largest_tile_that_fits)
{
    static const int widths[][2] = { { 64, 64 }, { 128, 128 }, { 3, 5 }, { 1, 0 } };
    for (int w = 0; w < 4; w++)
        for (int64_t bytes = 0; bytes <= 1 << 22; bytes = bytes * 3 / 2 + 1000) {
            int d = widths[w][0], dv = widths[w][1];
            TileSizes fit = tile_sizes_fit(bytes, d, dv), more = { fit.queries + 1, fit.keys };
            ck_assert_int_eq(fit.keys, 16);
            ck_assert_int_ge(fit.queries, 0);
            if (fit.queries > 0) ck_assert_int_le(tile_scratch(fit, d, dv), bytes);
            ck_assert_int_gt(tile_scratch(more, d, dv) + 6 * 64, bytes); // whole lines of 64 bytes
        }
    ck_assert_int_eq(tile_sizes_fit(INT64_MAX, 64, 64).queries, 1 << 24);
    ck_assert_int_eq(tile_sizes_fit(0, 64, 64).queries, 0);
}

// ---- the walk

enum { WALK_T = 9, WALK_S = 11, WALK_DV = 3 };
typedef struct {
    Mat q, k, v;
    Mask mask;
    TileSizes tiles;
    int visits, last_query, last_key;
} Walk;

// After every tile: max, sum and out are those of the keys so far, by float64.
static void compare_visit(const TileVisit *visit, void *context)
{
    Walk *w = context;
    int end = visit->keys.first + visit->keys.count;
    bool same_row = visit->queries.first == w->last_query;
    ck_assert(same_row ? visit->keys.first > w->last_key : visit->queries.first > w->last_query);
    ck_assert_int_eq(visit->queries.first % w->tiles.queries, 0);
    ck_assert_int_eq(visit->keys.first % w->tiles.keys, 0);
    ck_assert_int_eq(visit->kind, kind_by_looking(w->mask, visit->queries, visit->keys, WALK_T, WALK_S));
    ck_assert_int_ne(visit->kind, TILE_EMPTY);
    w->last_query = visit->queries.first;
    w->last_key = visit->keys.first;
    w->visits++;
    Reference all = reference_of(w->q, w->k, w->v, w->mask);
    for (int r = 0; r < visit->queries.count; r++) {
        int i = visit->queries.first + r;
        double max = -INFINITY, sum = 0, out[WALK_DV] = { 0 };
        for (int j = 0; j < end; j++) max = fmax(max, all.scores.at[i * WALK_S + j]);
        for (int j = 0; j < end; j++) {
            double weight = max == -INFINITY ? 0 : exp(all.scores.at[i * WALK_S + j] - max);
            sum += weight;
            for (int c = 0; c < WALK_DV; c++) out[c] += weight * (double)*mat_ref(w->v, j, c);
        }
        assert_close(mat_rows(visit->max, r, 1), &max, 1e-6, 1e-6);
        assert_close(mat_rows(visit->sum, r, 1), &sum, 1e-5, 1e-6);
        assert_close(mat_rows(visit->out, r, 1), out, 1e-5, 1e-5);
    }
}

TEST(the_walk)
{
    Mask masks[kernel_mask_count];
    kernel_masks(masks, WALK_S);
    for (int e = 0; e < kernel_mask_count * SIZES; e++) {
        TileSizes tiles = sizes[e % SIZES];
        Walk w = { framed_random(WALK_T, 4),
                   framed_random(WALK_S, 4),
                   framed_random(WALK_S, WALK_DV),
                   masks[e / SIZES],
                   { tiles.queries < WALK_T ? tiles.queries : WALK_T, tiles.keys < WALK_S ? tiles.keys : WALK_S },
                   0,
                   -1,
                   -1 };
        int expected = 0;
        for (int i = 0; i < WALK_T; i += w.tiles.queries)
            for (int j = 0; j < WALK_S; j += w.tiles.keys) {
                MaskRange queries = span_at(i, w.tiles.queries, WALK_T), keys = span_at(j, w.tiles.keys, WALK_S);
                expected += kind_by_looking(w.mask, queries, keys, WALK_T, WALK_S) != TILE_EMPTY;
            }
        Attended watched = { mat_new(arena, WALK_T, WALK_DV), mat_new(arena, WALK_T, 1), { 0 } };
        Attended plain = { mat_new(arena, WALK_T, WALK_DV), mat_new(arena, WALK_T, 1), { 0 } };
        attention_tiled_watched(watched, w.q, w.k, w.v, w.mask, tiles, compare_visit, &w);
        attention_tiled_with(plain, w.q, w.k, w.v, w.mask, tiles);
        ck_assert_int_eq(w.visits, expected);
        assert_same(watched.out, plain.out);
        assert_same(watched.lse, plain.lse);
    }
}

// ---- backward

static void backward(HeadCase c, TileSizes tiles)
{
    head_forward(c);
    attention_tiled_backward(c.to, c.dout, c.p, c.did, c.mask, tiles);
    ck_assert(head_frames_untouched(c));
}

// clang-format off
static const int head_shapes[][4] = {                 // T, S, d, dv
    { 1, 1, 1, 1 }, { 5, 5, 3, 3 }, { 3, 7, 4, 2 }, { 7, 4, 2, 5 }, { 1, 6, 3, 2 }, { 9, 8, 1, 1 },
    { 0, 3, 2, 2 }, { 3, 0, 2, 2 },
};
// clang-format on
enum { HEAD_SHAPES = sizeof head_shapes / sizeof *head_shapes };

TEST_EACH(gradients_against_differences, HEAD_SHAPES)
{
    const int *shape = head_shapes[_i];
    Mask masks[kernel_mask_count];
    kernel_masks(masks, shape[1]);
    for (int m = 0; m < kernel_mask_count; m++) {
        HeadCase c = head_case(shape[0], shape[1], shape[2], shape[3], masks[m]);
        backward(c, (TileSizes){ 3, 2 });
        assert_head_gradients(c);
    }
}

static double largest(Mat m) { return mat_max_difference(m, mat_new(arena, m.rows, m.cols)); }

static bool all_zero(Mat m) { return largest(m) == 0.0; }

// A query whose only scores are −INFINITY has no weights; one that sees +INFINITY or NaN has no numbers.
TEST(gradients_that_are_not_finite)
{
    static const float strange[] = { -INFINITY, INFINITY, NAN };
    for (int e = 0; e < 3; e++) {
        HeadCase c = head_case(2, 3, 1, 2, (Mask){ 0 });
        mat_fill(c.p.k, 1.0f);
        *mat_ref(c.p.q, 1, 0) = strange[e];
        backward(c, (TileSizes){ 1, 2 });
        ck_assert(isfinite(*mat_ref(c.to.q, 0, 0)));
        ck_assert(e == 0 ? *mat_ref(c.to.q, 1, 0) == 0.0f : isnan(*mat_ref(c.to.q, 1, 0)));
        for (int j = 0; j < 3; j++) ck_assert_int_eq(isnan(*mat_ref(c.to.v, j, 0)) != 0, e > 0);
    }
}

// NaN in keys and values that nobody sees: no gradient feels it.
TEST(hidden_keys_have_no_gradient)
{
    HeadCase c = head_case(6, 9, 3, 2, (Mask){ .causal = true, .window = 3, .padding = 2 });
    for (int e = 0; e < 2; e++) {
        int j = e ? 8 : 0; // filler, and a key before every window
        mat_fill(mat_rows(c.p.k, j, 1), NAN);
        mat_fill(mat_rows(c.p.v, j, 1), NAN);
    }
    backward(c, (TileSizes){ 4, 4 });
    for (int e = 0; e < 2; e++) {
        int j = e ? 8 : 0;
        ck_assert(all_zero(mat_rows(c.to.k, j, 1)) && all_zero(mat_rows(c.to.v, j, 1)));
    }
    for (int i = 0; i < 6; i++) ck_assert(isfinite(*mat_ref(c.to.q, i, 0)));
}

TEST_EACH(costs_of_the_way_back, SIZES)
{
    for (int T = 50; T <= 100; T += 50)
        for (int S = 50; S <= 130; S += 40) {
            int d = 8, dv = 4;
            TileSizes tiles = sizes[_i];
            HeadCase c = head_case(T, S, d, dv, (Mask){ .causal = true });
            head_forward(c);
            cost_counted = (Cost){ 0 };
            attention_tiled_backward(c.to, c.dout, c.p, c.did, c.mask, tiles);
            int64_t queries = 0, seen = 0; // fetched, column by column
            for (int j = 0; j < S; j += tiles.keys)
                for (int i = 0; i < T; i += tiles.queries) {
                    MaskRange rows = span_at(i, tiles.queries, T), keys = span_at(j, tiles.keys, S);
                    if (kind_by_looking(c.mask, rows, keys, T, S) != TILE_EMPTY) queries += rows.count;
                }
            for (int i = 0; i < T; i++)
                for (int j = 0; j < S; j++) seen += reference_sees(c.mask, i, j, T, S);
            ck_assert_int_eq(cost_counted.multiplies, seen * (3 * d + 2 * dv + 1) + T * dv);
            ck_assert_int_eq(cost_counted.exps, seen);
            ck_assert_int_eq(cost_counted.reads, 2 * S * (d + dv) + queries * (2 * d + dv + 2) + 2 * T * dv);
            ck_assert_int_eq(cost_counted.writes, S * (d + dv) + queries * d + T);
            int64_t q = tiles.queries, k = tiles.keys, floats = q * (2 * d + dv + 2) + k * (2 * d + 2 * dv) + q * k;
            ck_assert_int_ge(cost_counted.scratch, 4 * floats);
            ck_assert_int_le(cost_counted.scratch, 4 * floats + 10 * 60);
        }
}

TEST_ABORTS(wrong_gradients, 6)
{
    quiet();
    HeadCase c = head_case(3, 4, 2, 5, (Mask){ 0 });
    if (_i == 0) c.to.q.rows = 2;
    if (_i == 1) c.to.k.rows = 3;
    if (_i == 2) c.to.v.cols = 4;
    if (_i == 3) c.dout.cols = 4;
    if (_i == 4) c.did.lse = (Mat){ 0 };
    if (_i == 5) c.did.out.rows = 2;
    attention_tiled_backward(c.to, c.dout, c.p, c.did, (Mask){ 0 }, (TileSizes){ 2, 2 });
}
