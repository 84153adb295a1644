// Chapter 14. FlashAttention's forward and backward pass, in plain loops.
// [Dao et al. 2022, arXiv:2205.14135; Dao 2023, arXiv:2307.08691]
//
// What is not here: speed. That needs a faster inside of a tile (chapter 15).
// The output is summed up before it is divided, so values above FLT_MAX / S may overflow here and not in the naive
// kernel.
#include "attention/tiled.h"

#include "attention/dot_product.h"
#include "attention/online.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"

#include <limits.h>

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

// Tile number n of size `size` on an axis of `length`: the last one may be shorter.
static MaskRange span_of(int n, int size, int length)
{
    return (MaskRange){ n * size, smaller(size, length - n * size) };
}

static int tiles_along(int length, int size) { return length / size + (length % size > 0); }

static Mat rows_of(Mat m, MaskRange span) { return mat_rows(m, span.first, span.count); }

// ---- which tiles there is something to see in

// The distances p − j, from a query's position p to a key j, that a mask lets pass. Both ends are included.
typedef struct {
    int low, high;
} Band;

// Queries at positions from `least` to `most` and keys first … end − 1: together they have every distance between that
// of their nearest and that of their farthest pair. A Band is the distances that a mask lets pass, from low to high.
// Without keys the kind is 0.
static int strip_kind(Band band, int least, int most, int first, int end)
{
    int low = least - (end - 1), high = most - first;
    if (first >= end) return 0;
    if (high < band.low || low > band.high) return TILE_EMPTY;
    return band.low <= low && high <= band.high ? TILE_FULL : TILE_CUT;
}

// A tile has up to three strips: keys that only the causal rule can hide (without a window all, with one the sinks),
// keys that the window can hide as well, and filler. An empty strip beside a full one makes the tile a cut one.
static int kinds_of(Mask mask, MaskRange queries, MaskRange keys, int T, int S)
{
    int first = keys.first, end = keys.first + keys.count;
    int filler = larger(first, smaller(end, S - mask.padding));
    int windowed = mask.window > 0 ? larger(first, smaller(filler, mask_pinned(mask))) : filler;
    Band causal = { mask.causal ? 0 : -INT_MAX, INT_MAX };
    Band window = { mask.causal ? 0 : 1 - mask.window, mask.window - 1 };

    int least = mask_position(mask, queries.first, T, S), most = least + queries.count - 1;
    int kinds = strip_kind(causal, least, most, first, windowed) | strip_kind(window, least, most, windowed, filler);
    return filler < end ? kinds | TILE_EMPTY : kinds;
}

// Queries that are globals come first, and their tile has no window.
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

// One tile of the walk, and the mask that it is seen through.
typedef struct {
    MaskRange queries, keys;
    TileKind kind;
    Mask mask;
    int T, S;
} Tile;

// Filler stands at the end of the keys, and the walk ends before it.
static int real_keys(Mask mask, int S) { return larger(0, smaller(S, S - mask.padding)); }

// Tile (a, b): the a-th span of queries against the b-th span of keys.
static Tile tile_at(int a, int b, TileSizes tiles, Mask mask, int T, int S)
{
    Tile tile = { span_of(a, tiles.queries, T), span_of(b, tiles.keys, real_keys(mask, S)), TILE_EMPTY, mask, T, S };
    tile.kind = tile_kind(mask, tile.queries, tile.keys, T, S);
    return tile;
}

// Does query r of the tile see its key c? Only a tile that the mask cuts has to ask.
static bool in_sight(const Tile *tile, int r, int c)
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

// What is fetched or put back goes through these two, and is counted. Only the table of weights, when a caller asks for
// it, is also filled and turned where it lies; that is counted there.
static Mat load(Mat room, Mat slow)
{
    Mat fast = mat_rows(room, 0, slow.rows);
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

// What fast memory holds: tiles of q, k and v, one tile of the table, and what is known of each query so far.
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

// Of all the room, the part that this tile of queries needs, before it has seen a key.
static Fast begin_queries(const Fast *room, Mat q)
{
    Fast fast = *room;
    fast.q = load(room->q, q);
    fast.max = mat_rows(room->max, 0, q.rows);
    fast.sum = mat_rows(room->sum, 0, q.rows);
    fast.rescale = mat_rows(room->rescale, 0, q.rows);
    fast.out = mat_rows(room->out, 0, q.rows);
    mat_fill(fast.max, -INFINITY);
    mat_fill(fast.sum, 0.0f);
    mat_fill(fast.out, 0.0f);
    return fast;
}

// The tile's part of the table: scores, −INFINITY where the mask hides a key.
static void tile_scores(Mat scores, Mat q, Mat k, const Tile *tile)
{
    float scale = mask_scale(tile->mask, q.cols);
    for (int r = 0; r < q.rows; r++)
        for (int c = 0; c < k.rows; c++) {
            float *score = mat_ref(scores, r, c);
            *score = -INFINITY;
            if (!in_sight(tile, r, c)) continue;
            *score = dot_product(mat_row(q, r), mat_row(k, c), 1, q.cols) * scale;
            if (tile->mask.alibi != 0.0f)
                *score += mask_alibi(tile->mask, tile->queries.first + r, tile->keys.first + c, tile->T, tile->S);
        }
}

// exp(score − max). −INFINITY is no score and gives 0, even against a maximum that is −INFINITY itself.
static float exp_after(float score, float max)
{
    if (score == -INFINITY) return 0.0f;
    cost_counted.exps++;
    return expf(score - max);
}

// A maximum that has grown is a new measure: what was summed up in the old one is brought to it. Where nothing was seen
// so far the factor is 0, and so are the sums.
static void rescale_sums(Fast *fast)
{
    for (int r = 0; r < fast->q.rows; r++) {
        float *max = mat_ref(fast->max, r, 0), *rescale = mat_ref(fast->rescale, r, 0);
        float grown = softmax_running_max(*max, mat_row(fast->weights, r), fast->weights.cols);
        *rescale = exp_after(*max, grown);
        *max = grown;
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

// Scores become weights in the measure of the maximum, and every value in sight is added with its weight.
static void add_tile(Fast *fast, const Tile *tile)
{
    for (int r = 0; r < fast->q.rows; r++)
        for (int c = 0; c < fast->k.rows; c++) {
            if (!in_sight(tile, r, c)) continue;
            float *weight = mat_ref(fast->weights, r, c);
            *weight = exp_after(*weight, *mat_ref(fast->max, r, 0));
            *mat_ref(fast->sum, r, 0) += *weight;
            add_scaled(mat_row(fast->out, r), *weight, mat_row(fast->v, c), fast->v.cols);
        }
}

// One division at the end makes shares of the weights. A query that saw nothing keeps its zeros.
static void finish_queries(Attended to, MaskRange queries, Fast *fast)
{
    for (int r = 0; r < queries.count; r++) {
        float max = *mat_ref(fast->max, r, 0), *sum = mat_ref(fast->sum, r, 0);
        if (max != -INFINITY)
            for (int c = 0; c < fast->out.cols; c++) *mat_ref(fast->out, r, c) /= *sum;
        *sum = logsumexp_of(max, *sum); // from here on: lse
    }
    store(rows_of(to.out, queries), fast->out);
    if (!mat_empty(to.lse)) store(rows_of(to.lse, queries), fast->sum);
}

// The weights are for those who want to look at them: a table in slow memory, filled with the scores as they come, and
// turned by chapter 02's softmax in the end.
static void begin_weights(Mat weights)
{
    if (mat_empty(weights)) return;
    mat_fill(weights, -INFINITY); // for the tiles that are never fetched
    cost_counted.writes += (int64_t)weights.rows * weights.cols;
}

static void keep_scores(Mat weights, Mat scores, const Tile *tile)
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

static void tell(TileWatch *watch, void *context, const Tile *tile, const Fast *fast)
{
    TileVisit visit = { tile->queries, tile->keys, tile->kind, fast->max, fast->sum, fast->rescale, fast->out };
    if (watch) watch(&visit, context);
}

// A row of tiles at a time: its queries stay in fast memory while the keys and values pass by.
void attention_tiled_watched(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles, TileWatch *watch,
                             void *context)
{
    attention_require(to, q, k, v);
    tiles = tiles_checked(tiles, q.rows, k.rows);
    Arena *scratch = arena_open();
    Fast room = fast_new(scratch, tiles, q.cols, v.cols);
    begin_weights(to.weights);

    for (int a = 0; a < tiles_along(q.rows, tiles.queries); a++) {
        MaskRange queries = span_of(a, tiles.queries, q.rows);
        Fast fast = begin_queries(&room, rows_of(q, queries));

        for (int b = 0; b < tiles_along(real_keys(mask, k.rows), tiles.keys); b++) {
            // 1. A tile without a pair in sight is not fetched.
            Tile tile = tile_at(a, b, tiles, mask, q.rows, k.rows);
            if (tile.kind == TILE_EMPTY) continue;
            fast.k = load(room.k, rows_of(k, tile.keys));
            fast.v = load(room.v, rows_of(v, tile.keys));

            // 2. The tile's scores. Whoever wants the weights gets them, too.
            fast.weights = mat_block(room.weights, 0, queries.count, 0, tile.keys.count);
            tile_scores(fast.weights, fast.q, fast.k, &tile);
            keep_scores(to.weights, fast.weights, &tile);

            // 3. The new maximum; the tile's share of sum and out. Whoever watches is told.
            rescale_sums(&fast);
            add_tile(&fast, &tile);
            tell(watch, context, &tile, &fast);
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

// An arena hands out whole lines of 64 bytes.
static int64_t bytes_of(int64_t rows, int64_t cols) { return (4 * rows * cols + 63) / 64 * 64; }

int64_t tile_scratch(TileSizes tiles, int d, int dv)
{
    int queries = tiles.queries, keys = tiles.keys;
    return bytes_of(queries, d) + bytes_of(keys, d) + bytes_of(keys, dv) // q, k, v
           + bytes_of(queries, keys)                                     // weights
           + 3 * bytes_of(queries, 1) + bytes_of(queries, dv);           // max, sum, rescale; out
}

// The keys and values pass by once for every row of tiles. So the more queries in a tile, the less is fetched.
TileSizes tile_sizes_fit(int64_t bytes, int d, int dv)
{
    TileSizes tiles = { 0, 16 };
    int64_t queries = (bytes / 4 - 16 * ((int64_t)d + dv)) / (d + 16 + 3 + dv);
    tiles.queries = queries < 0 ? 0 : queries > 1 << 24 ? 1 << 24 : (int)queries;
    while (tiles.queries > 0 && tile_scratch(tiles, d, dv) > bytes) tiles.queries--;
    return tiles;
}

// ---- backward

// Tiles of what the forward pass read and left, and of the gradients. The weights are here as one tile only.
typedef struct {
    Mat q, k, v, dout, lse, means; // (queries, d) (keys, d) (keys, dv) (queries, dv) (queries, 1) (queries, 1)
    Mat dq, dk, dv;
    Mat weights; // (queries, keys)
} Back;

static Back back_new(Arena *arena, TileSizes tiles, int d, int dv)
{
    int queries = tiles.queries, keys = tiles.keys;
    return (Back){
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

// Forward: weight = exp(score) / Σ exp(score), and lse is the logarithm of that sum. Infinite as in the naive kernel: a
// query that saw nothing has no weights, one that saw +INFINITY has no numbers.
static void weights_again(Mat weights, Mat lse, const Tile *tile)
{
    for (int r = 0; r < weights.rows; r++)
        for (int c = 0; c < weights.cols; c++) {
            float total = *mat_ref(lse, r, 0), *weight = mat_ref(weights, r, c);
            if (!in_sight(tile, r, c)) continue;
            *weight = total == INFINITY ? NAN : exp_after(*weight, total);
        }
}

// backward_softmax needs the mean Σⱼ wⱼ dwⱼ of a whole row, which no tile has. But Σⱼ wⱼ (dout · vⱼ) = dout · Σⱼ wⱼ vⱼ
// = dout · out: the output remembers it. Once for each query, before the first tile; D in FlashAttention's papers.
static Mat row_means(Arena *arena, Mat dout, Mat out)
{
    Mat means = mat_new(arena, dout.rows, 1);
    for (int i = 0; i < dout.rows; i++)
        *mat_ref(means, i, 0) = dot_product(mat_row(dout, i), mat_row(out, i), 1, dout.cols);
    cost_counted.reads += 2 * (int64_t)dout.rows * dout.cols;
    cost_counted.writes += dout.rows;
    return means;
}

// Chapter 08's three steps for one tile, last line of the forward pass first.
static void tile_backward(Back *b, const Tile *tile)
{
    int d = b->q.cols, dv = b->v.cols;
    float scale = mask_scale(tile->mask, d);
    for (int r = 0; r < b->q.rows; r++) {
        float *dout = mat_row(b->dout, r), mean = *mat_ref(b->means, r, 0);
        for (int c = 0; c < b->k.rows; c++) {
            if (!in_sight(tile, r, c)) continue;
            float weight = *mat_ref(b->weights, r, c);

            // Forward 3: out[r] += weight · v[c]
            float dweight = dot_product(dout, mat_row(b->v, c), 1, dv);
            add_scaled(mat_row(b->dv, c), weight, dout, dv);

            // Forward 2: weight = exp(score − lse)
            float dscore = weight * (dweight - mean);
            cost_counted.multiplies++;

            // Forward 1: score = q[r] · k[c] · scale + bias
            add_scaled(mat_row(b->dq, r), dscore * scale, mat_row(b->k, c), d);
            add_scaled(mat_row(b->dk, c), dscore * scale, mat_row(b->q, r), d);
        }
    }
}

static void require_gradient(const char *name, Mat gradient, Mat of)
{
    REQUIRE(gradient.rows == of.rows && gradient.cols == of.cols, "d%s is " MAT_SHAPE ", %s is " MAT_SHAPE, name,
            MAT_SHAPED(gradient), name, MAT_SHAPED(of));
}

static void backward_require(HeadProjections to, Mat dout, HeadProjections p, Attended did)
{
    attention_require((Attended){ .out = did.out, .lse = did.lse }, p.q, p.k, p.v);
    REQUIRE(!mat_empty(did.lse), "lse is " MAT_SHAPE "; without it no weight can be computed again",
            MAT_SHAPED(did.lse));
    require_gradient("out", dout, did.out);
    require_gradient("q", to.q, p.q);
    require_gradient("k", to.k, p.k);
    require_gradient("v", to.v, p.v);
}

// A column of tiles at a time: its keys and their gradients stay in fast memory while the queries pass by. The
// gradients of the queries grow a little with every column, so they go to and fro.
void attention_tiled_backward(HeadProjections to, Mat dout, HeadProjections p, Attended did, Mask mask, TileSizes tiles)
{
    backward_require(to, dout, p, did);
    int T = p.q.rows, S = p.k.rows, real = real_keys(mask, S);
    tiles = tiles_checked(tiles, T, S);
    Arena *slow = arena_open(), *scratch = arena_open();
    Mat means = row_means(slow, dout, did.out);
    Back room = back_new(scratch, tiles, p.q.cols, p.v.cols), b = room;

    for (int column = 0; column < tiles_along(real, tiles.keys); column++) {
        MaskRange keys = span_of(column, tiles.keys, real);
        b.k = load(room.k, rows_of(p.k, keys));
        b.v = load(room.v, rows_of(p.v, keys));
        b.dk = load(room.dk, rows_of(to.k, keys)); // gradients are added to what is there
        b.dv = load(room.dv, rows_of(to.v, keys));

        for (int row = 0; row < tiles_along(T, tiles.queries); row++) {
            // 1. What the tile's queries asked, got and are told.
            Tile tile = tile_at(row, column, tiles, mask, T, S);
            if (tile.kind == TILE_EMPTY) continue;
            b.q = load(room.q, rows_of(p.q, tile.queries));
            b.means = load(room.means, rows_of(means, tile.queries));
            b.lse = load(room.lse, rows_of(did.lse, tile.queries));
            b.dout = load(room.dout, rows_of(dout, tile.queries));
            b.dq = load(room.dq, rows_of(to.q, tile.queries));

            // 2. The weights once more; then the way back through them.
            b.weights = mat_block(room.weights, 0, tile.queries.count, 0, keys.count);
            tile_scores(b.weights, b.q, b.k, &tile);
            weights_again(b.weights, b.lse, &tile);
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
