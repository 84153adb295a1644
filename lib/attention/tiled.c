// Chapter 14. FlashAttention, forward and backward, in plain loops: tiling, online softmax and recomputation.
// [Dao et al. 2022, arXiv:2205.14135; Dao 2023, arXiv:2307.08691]
//
// Not here: speed (kernels/). The output is accumulated before it is divided, so values above FLT_MAX / S may overflow
// here, but not in attention_naive.
#include "attention/tiled.h"

#include "attention/dot_product.h"
#include "attention/online.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"

#include <limits.h>

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

// Range of tile n along an axis of `length`; the last tile may be shorter.
static MaskRange tile_range(int n, int size, int length)
{
    return (MaskRange){ n * size, smaller(size, length - n * size) };
}

static int tile_count(int length, int size) { return length / size + (length % size > 0); }

static Mat rows_of(Mat m, MaskRange range) { return mat_rows(m, range.first, range.count); }

// ---- which tiles have visible pairs

// The distances p − j between query position p and key j that a mask allows, both ends included.
typedef struct {
    int low, high;
} Band;

// Kind of the rectangle of query positions lowest … highest and keys first … end − 1: compares the range of its
// distances with the band. 0 without keys.
static int strip_kind(Band band, int lowest, int highest, int first, int end)
{
    int low = lowest - (end - 1), high = highest - first;
    if (first >= end) return 0;
    if (high < band.low || low > band.high) return TILE_EMPTY;
    return band.low <= low && high <= band.high ? TILE_FULL : TILE_CUT;
}

// A tile has up to three strips of keys: those that only the causal rule can hide (all without a window, the pinned
// ones with one), those that the window can hide too, and padding. An empty strip next to a full one makes the tile
// TILE_CUT.
static int kinds_of(Mask mask, MaskRange queries, MaskRange keys, int T, int S)
{
    int first = keys.first, end = keys.first + keys.count;
    int padding_start = larger(first, smaller(end, S - mask.padding));
    int windowed = mask.window > 0 ? larger(first, smaller(padding_start, mask_pinned(mask))) : padding_start;
    Band causal = { mask.causal ? 0 : -INT_MAX, INT_MAX };
    Band window = { mask.causal ? 0 : 1 - mask.window, mask.window - 1 };

    int lowest = mask_position(mask, queries.first, T, S), highest = lowest + queries.count - 1;
    int kinds = strip_kind(causal, lowest, highest, first, windowed) |
                strip_kind(window, lowest, highest, windowed, padding_start);
    return padding_start < end ? kinds | TILE_EMPTY : kinds;
}

// Queries that are globals come first; no window applies to them.
TileKind tile_kind(Mask mask, MaskRange queries, MaskRange keys, int T, int S)
{
    int global = 0, kinds = 0;
    if (mask.window > 0)
        while (global < queries.count && mask_open(mask, queries.first + global, T, S)) global++;
    MaskRange first = { queries.first, global }, rest = { queries.first + global, queries.count - global };
    if (rest.count > 0) kinds |= kinds_of(mask, rest, keys, T, S);
    mask.window = 0;
    if (first.count > 0) kinds |= kinds_of(mask, first, keys, T, S);
    return kinds ? (TileKind)kinds : TILE_EMPTY;
}

// A tile, with the mask and the size of the whole matrix.
typedef struct {
    MaskRange queries, keys;
    TileKind kind;
    Mask mask;
    int T, S;
} Tile;

// Number of keys before the padding.
static int real_keys(Mask mask, int S) { return larger(0, smaller(S, S - mask.padding)); }

// Tile (a, b): queries of tile row a, keys of tile column b.
static Tile tile_at(int a, int b, TileSizes tiles, Mask mask, int T, int S)
{
    Tile tile = {
        tile_range(a, tiles.queries, T), tile_range(b, tiles.keys, real_keys(mask, S)), TILE_EMPTY, mask, T, S
    };
    tile.kind = tile_kind(mask, tile.queries, tile.keys, T, S);
    return tile;
}

// Whether query r of the tile sees its key c. Only a partly masked tile evaluates the mask.
static bool visible(const Tile *tile, int r, int c)
{
    return tile->kind == TILE_FULL ||
           mask_sees(tile->mask, tile->queries.first + r, tile->keys.first + c, tile->T, tile->S);
}

static TileSizes tiles_checked(TileSizes tiles, int T, int S) // no larger than the matrix
{
    REQUIRE(tiles.queries >= 1 && tiles.keys >= 1, "a tile of %d queries and %d keys", tiles.queries, tiles.keys);
    return (TileSizes){ smaller(tiles.queries, larger(T, 1)), smaller(tiles.keys, larger(S, 1)) };
}

// ---- between slow and fast memory

// All transfers use load and store, which count them. Only the optional table of weights is also filled and normalised
// in slow memory; that is counted there.
static Mat load(Mat buffer, Mat slow)
{
    Mat fast = mat_rows(buffer, 0, slow.rows);
    mat_set(fast, slow);
    cost_counted.reads += (int64_t)slow.rows * slow.cols;
    return fast;
}

static void store(Mat slow, Mat fast)
{
    mat_set(slow, fast);
    cost_counted.writes += (int64_t)fast.rows * fast.cols;
}

// ---- forward

// Contents of fast memory: tiles of q, k and v, one tile of the table, and the running state of the queries.
typedef struct {
    Mat q, k, v;           // (queries, d) (keys, d) (keys, dv)
    Mat weights;           // (queries, keys)  scores, then exp(score − max)
    Mat max, sum, rescale; // (queries, 1)
    Mat out;               // (queries, dv)    Σ exp(score − max) v
} Fast;

static Fast fast_new(Arena *arena, TileSizes tiles, int d, int dv)
{
    int queries = tiles.queries, keys = tiles.keys;
    return (Fast){
        .q = mat_new(arena, queries, d),
        .k = mat_new(arena, keys, d),
        .v = mat_new(arena, keys, dv),
        .weights = mat_new(arena, queries, keys),
        .max = mat_new(arena, queries, 1),
        .sum = mat_new(arena, queries, 1),
        .rescale = mat_new(arena, queries, 1),
        .out = mat_new(arena, queries, dv),
    };
}

// The part of the buffers that this tile of queries uses, in its initial state.
static Fast begin_queries(const Fast *buffers, Mat q)
{
    Fast fast = *buffers;
    fast.q = load(buffers->q, q);
    fast.max = mat_rows(buffers->max, 0, q.rows);
    fast.sum = mat_rows(buffers->sum, 0, q.rows);
    fast.rescale = mat_rows(buffers->rescale, 0, q.rows);
    fast.out = mat_rows(buffers->out, 0, q.rows);
    mat_fill(fast.max, -INFINITY);
    mat_fill(fast.sum, 0.0f);
    mat_fill(fast.out, 0.0f);
    return fast;
}

// Scores of a tile; −INFINITY where the mask hides a key.
static void tile_scores(Mat scores, Mat q, Mat k, const Tile *tile)
{
    float scale = mask_scale(tile->mask, q.cols);
    for (int r = 0; r < q.rows; r++)
        for (int c = 0; c < k.rows; c++) {
            float *score = mat_ref(scores, r, c);
            *score = -INFINITY;
            if (!visible(tile, r, c)) continue;
            *score = dot_product(mat_row(q, r), mat_row(k, c), 1, q.cols) * scale;
            if (tile->mask.alibi != 0.0f)
                *score += mask_alibi(tile->mask, tile->queries.first + r, tile->keys.first + c, tile->T, tile->S);
        }
}

// exp(score − max), and 0 for a masked score even if max is −INFINITY.
static float exp_minus(float score, float max)
{
    if (score == -INFINITY) return 0.0f;
    cost_counted.exps++;
    return expf(score - max);
}

// Updates the running maximum and rescales sum and out to it. Before the first visible key the factor is 0, and so are
// the sums.
static void rescale_sums(Fast *fast)
{
    for (int r = 0; r < fast->q.rows; r++) {
        float *max = mat_ref(fast->max, r, 0), *rescale = mat_ref(fast->rescale, r, 0);
        float new_max = softmax_running_max(*max, mat_row(fast->weights, r), fast->weights.cols);
        *rescale = exp_minus(*max, new_max);
        *max = new_max;
        *mat_ref(fast->sum, r, 0) *= *rescale;
        for (int c = 0; c < fast->out.cols; c++) *mat_ref(fast->out, r, c) *= *rescale;
        cost_counted.multiplies += 1 + fast->out.cols;
    }
}

// to (n) += factor · from (n)
static void add_scaled(float *to, float factor, const float *from, int n)
{
    for (int c = 0; c < n; c++) to[c] += factor * from[c];
    cost_counted.multiplies += n;
}

// Converts scores to exp(score − max), and adds them to sum and, times the values, to out.
static void add_tile(Fast *fast, const Tile *tile)
{
    for (int r = 0; r < fast->q.rows; r++)
        for (int c = 0; c < fast->k.rows; c++) {
            if (!visible(tile, r, c)) continue;
            float *weight = mat_ref(fast->weights, r, c);
            *weight = exp_minus(*weight, *mat_ref(fast->max, r, 0));
            *mat_ref(fast->sum, r, 0) += *weight;
            add_scaled(mat_row(fast->out, r), *weight, mat_row(fast->v, c), fast->v.cols);
        }
}

// Normalises once at the end. A query without visible keys keeps its zeros.
static void finish_queries(Attended to, MaskRange queries, Fast *fast)
{
    for (int r = 0; r < queries.count; r++) {
        float max = *mat_ref(fast->max, r, 0), *sum = mat_ref(fast->sum, r, 0);
        if (max != -INFINITY)
            for (int c = 0; c < fast->out.cols; c++) *mat_ref(fast->out, r, c) /= *sum;
        *sum = logsumexp_of(max, *sum); // now lse
    }
    store(rows_of(to.out, queries), fast->out);
    if (!mat_empty(to.lse)) store(rows_of(to.lse, queries), fast->sum);
}

// The optional table of weights is in slow memory: it is filled with scores tile by tile and normalised by softmax at
// the end.
static void begin_weights(Mat weights)
{
    if (mat_empty(weights)) return;
    mat_fill(weights, -INFINITY); // for tiles that are never loaded
    cost_counted.writes += (int64_t)weights.rows * weights.cols;
}

static void store_scores(Mat weights, Mat scores, const Tile *tile)
{
    if (mat_empty(weights)) return;
    store(mat_cols(rows_of(weights, tile->queries), tile->keys.first, tile->keys.count), scores);
}

static void finish_weights(Mat weights)
{
    if (mat_empty(weights)) return;
    softmax_rows(weights, weights);
    cost_counted.reads += (int64_t)weights.rows * weights.cols;
    cost_counted.writes += (int64_t)weights.rows * weights.cols;
}

static void call_watch(TileWatch *watch, void *context, const Tile *tile, const Fast *fast)
{
    TileVisit visit = { tile->queries, tile->keys, tile->kind, fast->max, fast->sum, fast->rescale, fast->out };
    if (watch) watch(&visit, context);
}

// Outer loop over tiles of queries, which stay in fast memory; inner loop over tiles of keys and values.
void attention_tiled_watched(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles, TileWatch *watch,
                             void *context)
{
    attention_require(to, q, k, v);
    tiles = tiles_checked(tiles, q.rows, k.rows);
    Arena *scratch = arena_open();
    Fast buffers = fast_new(scratch, tiles, q.cols, v.cols);
    begin_weights(to.weights);

    for (int a = 0; a < tile_count(q.rows, tiles.queries); a++) {
        MaskRange queries = tile_range(a, tiles.queries, q.rows);
        Fast fast = begin_queries(&buffers, rows_of(q, queries));

        for (int b = 0; b < tile_count(real_keys(mask, k.rows), tiles.keys); b++) {
            // 1. Skip tiles without visible pairs.
            Tile tile = tile_at(a, b, tiles, mask, q.rows, k.rows);
            if (tile.kind == TILE_EMPTY) continue;
            fast.k = load(buffers.k, rows_of(k, tile.keys));
            fast.v = load(buffers.v, rows_of(v, tile.keys));

            // 2. The tile's scores, also stored if weights are requested.
            fast.weights = mat_block(buffers.weights, 0, queries.count, 0, tile.keys.count);
            tile_scores(fast.weights, fast.q, fast.k, &tile);
            store_scores(to.weights, fast.weights, &tile);

            // 3. New maximum; the tile's contribution to sum and out.
            rescale_sums(&fast);
            add_tile(&fast, &tile);
            call_watch(watch, context, &tile, &fast);
        }
        finish_queries(to, queries, &fast);
    }
    finish_weights(to.weights);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void attention_tiled_with(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles)
{
    attention_tiled_watched(to, q, k, v, mask, tiles, NULL, NULL);
}

void attention_tiled(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_tiled_with(to, q, k, v, mask, (TileSizes){ 64, 64 });
}

// ---- the size of a tile

// Arena allocations are multiples of 64 bytes.
static int64_t bytes_of(int64_t rows, int64_t cols) { return (4 * rows * cols + 63) / 64 * 64; }

int64_t tile_scratch(TileSizes tiles, int d, int dv)
{
    int queries = tiles.queries, keys = tiles.keys;
    return bytes_of(queries, d) + bytes_of(keys, d) + bytes_of(keys, dv) // q, k, v
           + bytes_of(queries, keys)                                     // weights
           + 3 * bytes_of(queries, 1) + bytes_of(queries, dv);           // max, sum, rescale; out
}

// Keys and values are loaded once per tile of queries, so larger tiles of queries reduce the traffic.
TileSizes tile_sizes_fit(int64_t bytes, int d, int dv)
{
    TileSizes tiles = { 0, 16 };
    int64_t queries = (bytes / 4 - 16 * ((int64_t)d + dv)) / (d + 16 + 3 + dv);
    tiles.queries = queries < 0 ? 0 : queries > 1 << 24 ? 1 << 24 : (int)queries;
    while (tiles.queries > 0 && tile_scratch(tiles, d, dv) > bytes) tiles.queries--;
    return tiles;
}

// ---- backward

// Contents of fast memory: tiles of inputs and outputs of the forward pass and of the gradients, one tile of weights.
typedef struct {
    Mat q, k, v, dout, lse, means; // (queries, d) (keys, d) (keys, dv) (queries, dv) (queries, 1) (queries, 1)
    Mat dq, dk, dv;
    Mat weights; // (queries, keys)
} BackwardTiles;

static BackwardTiles backward_tiles_new(Arena *arena, TileSizes tiles, int d, int dv)
{
    int queries = tiles.queries, keys = tiles.keys;
    return (BackwardTiles){
        .q = mat_new(arena, queries, d),
        .k = mat_new(arena, keys, d),
        .v = mat_new(arena, keys, dv),
        .dout = mat_new(arena, queries, dv),
        .lse = mat_new(arena, queries, 1),
        .means = mat_new(arena, queries, 1),
        .dq = mat_new(arena, queries, d),
        .dk = mat_new(arena, keys, d),
        .dv = mat_new(arena, keys, dv),
        .weights = mat_new(arena, queries, keys),
    };
}

// Forward: weight = exp(score) / Σ exp(score), and lse is the logarithm of that sum. As in attention_naive, a query
// without visible keys has weights 0, one with a score of +INFINITY has NaN.
static void recompute_weights(Mat weights, Mat lse, const Tile *tile)
{
    for (int r = 0; r < weights.rows; r++)
        for (int c = 0; c < weights.cols; c++) {
            float row_lse = *mat_ref(lse, r, 0), *weight = mat_ref(weights, r, c);
            if (!visible(tile, r, c)) continue;
            *weight = row_lse == INFINITY ? NAN : exp_minus(*weight, row_lse);
        }
}

// backward_softmax needs Σⱼ wⱼ dwⱼ over a whole row, which no tile has. But Σⱼ wⱼ (dout · vⱼ) = dout · Σⱼ wⱼ vⱼ = dout
// · out. Computed once per query; D in the FlashAttention papers.
static Mat row_means(Arena *arena, Mat dout, Mat out)
{
    Mat means = mat_new(arena, dout.rows, 1);
    for (int i = 0; i < dout.rows; i++)
        *mat_ref(means, i, 0) = dot_product(mat_row(dout, i), mat_row(out, i), 1, dout.cols);
    cost_counted.reads += 2 * (int64_t)dout.rows * dout.cols;
    cost_counted.writes += dout.rows;
    return means;
}

// backward_attention's three steps for one tile, last line of the forward pass first.
static void tile_backward(BackwardTiles *tiles, const Tile *tile)
{
    int d = tiles->q.cols, dv = tiles->v.cols;
    float scale = mask_scale(tile->mask, d);
    for (int r = 0; r < tiles->q.rows; r++) {
        float *dout = mat_row(tiles->dout, r), mean = *mat_ref(tiles->means, r, 0);
        for (int c = 0; c < tiles->k.rows; c++) {
            if (!visible(tile, r, c)) continue;
            float weight = *mat_ref(tiles->weights, r, c);

            // Forward 3: out[r] += weight · v[c]
            float dweight = dot_product(dout, mat_row(tiles->v, c), 1, dv);
            add_scaled(mat_row(tiles->dv, c), weight, dout, dv);

            // Forward 2: weight = exp(score − lse)
            float dscore = weight * (dweight - mean);
            cost_counted.multiplies++;

            // Forward 1: score = q[r] · k[c] · scale + bias
            add_scaled(mat_row(tiles->dq, r), dscore * scale, mat_row(tiles->k, c), d);
            add_scaled(mat_row(tiles->dk, c), dscore * scale, mat_row(tiles->q, r), d);
        }
    }
}

static void require_gradient(const char *name, Mat gradient, Mat of)
{
    REQUIRE(gradient.rows == of.rows && gradient.cols == of.cols, "d%s is " MAT_SHAPE ", %s is " MAT_SHAPE, name,
            MAT_SHAPED(gradient), name, MAT_SHAPED(of));
}

static void backward_require(HeadProjections to, Mat dout, HeadProjections p, Attended forward)
{
    attention_require((Attended){ .out = forward.out, .lse = forward.lse }, p.q, p.k, p.v);
    REQUIRE(!mat_empty(forward.lse), "lse is " MAT_SHAPE "; without it no weight can be computed again",
            MAT_SHAPED(forward.lse));
    require_gradient("out", dout, forward.out);
    require_gradient("q", to.q, p.q);
    require_gradient("k", to.k, p.k);
    require_gradient("v", to.v, p.v);
}

// Outer loop over tiles of keys, which stay in fast memory with their gradients; inner loop over tiles of queries. The
// gradients of queries are accumulated over all columns, so they are loaded and stored each time.
void attention_tiled_backward(HeadProjections to, Mat dout, HeadProjections p, Attended forward, Mask mask,
                              TileSizes tiles)
{
    backward_require(to, dout, p, forward);
    int T = p.q.rows, S = p.k.rows, real = real_keys(mask, S);
    tiles = tiles_checked(tiles, T, S);
    Arena *slow = arena_open(), *scratch = arena_open();
    Mat means = row_means(slow, dout, forward.out);
    BackwardTiles buffers = backward_tiles_new(scratch, tiles, p.q.cols, p.v.cols), b = buffers;

    for (int column = 0; column < tile_count(real, tiles.keys); column++) {
        MaskRange keys = tile_range(column, tiles.keys, real);
        b.k = load(buffers.k, rows_of(p.k, keys));
        b.v = load(buffers.v, rows_of(p.v, keys));
        b.dk = load(buffers.dk, rows_of(to.k, keys)); // gradients are accumulated
        b.dv = load(buffers.dv, rows_of(to.v, keys));

        for (int row = 0; row < tile_count(T, tiles.queries); row++) {
            // 1. Load the tile's queries, their outputs' gradients and their statistics.
            Tile tile = tile_at(row, column, tiles, mask, T, S);
            if (tile.kind == TILE_EMPTY) continue;
            b.q = load(buffers.q, rows_of(p.q, tile.queries));
            b.means = load(buffers.means, rows_of(means, tile.queries));
            b.lse = load(buffers.lse, rows_of(forward.lse, tile.queries));
            b.dout = load(buffers.dout, rows_of(dout, tile.queries));
            b.dq = load(buffers.dq, rows_of(to.q, tile.queries));

            // 2. Recompute the weights, then propagate backwards through them.
            b.weights = mat_block(buffers.weights, 0, tile.queries.count, 0, keys.count);
            tile_scores(b.weights, b.q, b.k, &tile);
            recompute_weights(b.weights, b.lse, &tile);
            tile_backward(&b, &tile);
            store(rows_of(to.q, tile.queries), b.dq);
        }
        store(rows_of(to.k, keys), b.dk);
        store(rows_of(to.v, keys), b.dv);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
    arena_close(slow);
}
