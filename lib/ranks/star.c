// Chapter 24. Star attention: context encoding block by block, then queries to all ranks. [Acharya, Jia and Ginsburg
// 2024, arXiv:2411.17116]
#include "ranks/star.h"

#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "ranks/collective.h"

static int smaller(int a, int b) { return a < b ? a : b; }

// ---- blocks

int star_blocks(Star star)
{
    REQUIRE(star.context >= 0 && star.block >= 1 && 0 <= star.anchor && star.anchor <= star.block,
            "a context of %d tokens in blocks of %d, with an anchor of %d", star.context, star.block, star.anchor);
    return (int)(((int64_t)star.context + star.block - 1) / star.block);
}

MaskRange star_block(Star star, int n)
{
    int first = n * star.block;
    return (MaskRange){ first, smaller(star.block, star.context - first) };
}

// Block 0 contains the anchor. If there are more blocks, block 0 is full, and so is the anchor.
int star_anchor(Star star, int n) { return n == 0 ? 0 : star.anchor; }

MaskRange star_blocks_of(Star star, int me, int count)
{
    int64_t blocks = star_blocks(star);
    int first = (int)(blocks * me / count);
    return (MaskRange){ first, (int)(blocks * (me + 1) / count) - first };
}

MaskRange star_own(Star star, int me, int count)
{
    MaskRange blocks = star_blocks_of(star, me, count);
    int first = smaller(blocks.first * star.block, star.context);
    return (MaskRange){ first, smaller((blocks.first + blocks.count) * star.block, star.context) - first };
}

bool star_sees(Star star, int i, int j)
{
    if (j > i) return false;
    if (i >= star.context) return true; // the query and generated tokens
    return j < star.anchor || j / star.block == i / star.block;
}

int64_t star_pairs(Star star)
{
    int64_t pairs = 0;
    for (int n = 0; n < star_blocks(star); n++) {
        int64_t b = star_block(star, n).count;
        pairs += b * (b + 1) / 2 + b * star_anchor(star, n);
    }
    return pairs;
}

// ---- reference implementation

// One head: scores, both masks, softmax, weighted sum of the visible values.
static void attend_masked(Attended to, Mat table, Mat q, Mat k, Mat v, Mask mask, Star star)
{
    attention_scores(table, q, k, mask);
    mat_fill(to.out, 0.0f);
    for (int i = 0; i < q.rows; i++) {
        float *row = mat_row(table, i);
        for (int j = 0; j < k.rows; j++)
            if (!star_sees(star, i, j)) row[j] = -INFINITY;
        if (!mat_empty(to.lse)) *mat_ref(to.lse, i, 0) = logsumexp(row, k.rows);
        softmax(row, row, k.rows);
        for (int j = 0; j < k.rows; j++) {
            if (!star_sees(star, i, j) || !mask_sees(mask, i, j, q.rows, k.rows)) continue;
            for (int c = 0; c < v.cols; c++) *mat_ref(to.out, i, c) += row[j] * *mat_ref(v, j, c);
        }
    }
}

void star_masked(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, Star star)
{
    grouped_require(to, q, k, v, H);
    REQUIRE(q.rows == k.rows && star_blocks(star) >= 0 && q.rows >= star.context,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ", of a context of %d", MAT_SHAPED(q), MAT_SHAPED(k), star.context);
    Arena *scratch = arena_open();
    int T = q.rows, d = q.cols / H, G = k.cols / d, dv = v.cols / G;
    Mat table = mat_new(scratch, T, T);
    for (int h = 0; h < H; h++) {
        int g = h / (H / G);
        Attended head = { .out = mat_cols(to.out, h * dv, dv) };
        if (!mat_empty(to.lse)) head.lse = mat_cols(to.lse, h, 1);
        attend_masked(head, table, mat_cols(q, h * d, d), mat_cols(k, g * d, d), mat_cols(v, g * dv, dv), masks[h],
                      star);
        if (!mat_empty(to.weights)) mat_set(mat_rows(to.weights, h * T, T), table);
    }
    arena_close(scratch);
}

// ---- the cache

StarCache star_cache_new(Arena *arena, Rank *rank, Star star, StarHeads heads, int more)
{
    int me = rank ? rank->me : 0, count = rank ? rank->count : 1, key_width = heads.G * heads.d;
    int value_width = heads.G * heads.dv;
    StarCache cache = { .star = star, .heads = heads, .rank = rank, .own = star_own(star, me, count) };
    cache.anchor = kv_cache_new(arena, star.anchor, key_width, value_width);
    cache.cache = kv_cache_new(arena, cache.own.count + (me == count - 1 ? more : 0), key_width, value_width);
    return cache;
}

void star_anchor_next(StarCache *cache)
{
    kv_cache_truncate(&cache->anchor, 0);
    cache->stage = STAR_ANCHOR;
    cache->at = 0;
}

void star_block_next(StarCache *cache, int n)
{
    cache->stage = STAR_BLOCK;
    cache->at = star_block(cache->star, n).first;
}

void star_query_next(StarCache *cache)
{
    kv_cache_truncate(&cache->anchor, 0);
    cache->stage = STAR_QUERY;
    cache->at = cache->star.context;
}

int64_t star_cache_bytes(const StarCache *cache)
{
    return kv_cache_bytes(cache->anchor) + kv_cache_bytes(cache->cache);
}

// ---- attention to a range of the text, and merging

// Attends to the keys of positions `first` … of a text with S tokens so far; the queries are its last tokens.
static void attend_keys(Attended to, StarHeads heads, Mat q, KvSegment keys, int first, int S, const Mask *masks,
                        AttentionKernel *kernel)
{
    Arena *scratch = arena_open();
    Mask *segment_masks = arena_alloc(scratch, (size_t)heads.H * sizeof *segment_masks);
    for (int h = 0; h < heads.H; h++) segment_masks[h] = mask_of_part(masks[h], S, first, keys.k.rows);
    grouped_attend(to, q, keys.k, keys.v, heads.H, segment_masks, kernel);
    arena_close(scratch);
}

// Merges the result over other keys, head by head.
static void merge_heads(Attended to, Attended other, StarHeads heads)
{
    for (int h = 0; h < heads.H; h++)
        attention_merge(mat_cols(to.out, h * heads.dv, heads.dv), mat_cols(to.lse, h, 1),
                        mat_cols(other.out, h * heads.dv, heads.dv), mat_cols(other.lse, h, 1));
}

// Outputs and lse of n queries in one matrix (n, H (dv + 1)), so that they are one message.
static Mat partial_new(Arena *arena, StarHeads heads, int n) { return mat_new(arena, n, heads.H * (heads.dv + 1)); }

static Attended partial_of(Mat both, StarHeads heads)
{
    return (Attended){ .out = mat_cols(both, 0, heads.H * heads.dv),
                       .lse = mat_cols(both, heads.H * heads.dv, heads.H) };
}

// ---- phase 1

static void attend_anchor(Attended to, StarCache *cache, Mat q, Mat k, Mat v, const Mask *masks,
                          AttentionKernel *kernel)
{
    kv_cache_append(&cache->anchor, k, v);
    cache->at += q.rows;
    attend_keys(to, cache->heads, q, kv_cache_filled(cache->anchor), cache->at - cache->anchor.length, cache->at, masks,
                kernel);
}

// The anchor and the block are two segments of the text; their results are merged.
static void attend_block(Attended to, StarCache *cache, Mat q, Mat k, Mat v, const Mask *masks, AttentionKernel *kernel)
{
    Arena *scratch = arena_open();
    StarHeads heads = cache->heads;
    int first = cache->at, row = cache->cache.length;
    kv_cache_append(&cache->cache, k, v);
    cache->at += q.rows;
    if (mat_empty(to.lse)) to.lse = mat_new(scratch, q.rows, heads.H);
    KvSegment own = { mat_rows(cache->cache.k, row, k.rows), mat_rows(cache->cache.v, row, v.rows), 0 };
    attend_keys(to, heads, q, own, first, cache->at, masks, kernel);
    if (cache->anchor.length > 0) {
        Attended before = partial_of(partial_new(scratch, heads, q.rows), heads);
        attend_keys(before, heads, q, kv_cache_filled(cache->anchor), 0, cache->at, masks, kernel);
        merge_heads(to, before, heads);
    }
    arena_close(scratch);
}

// ---- phase 2

static void attend_own(Attended to, const StarCache *cache, Mat q, const Mask *masks, AttentionKernel *kernel)
{
    attend_keys(to, cache->heads, q, kv_cache_filled(cache->cache), cache->own.first, cache->at, masks, kernel);
}

static bool alone(const StarCache *cache) { return !cache->rank || cache->rank->count == 1; }

// On the last rank: sends the queries, attends to its own keys, and merges the other ranks' results.
static void attend_all(Attended to, StarCache *cache, Mat q, const Mask *masks, AttentionKernel *kernel)
{
    Rank *rank = cache->rank;
    StarHeads heads = cache->heads;
    int others = rank->count - 1;
    ArenaMark mark = arena_mark(rank->arena);
    RankMessage *out[RANKS_MOST], *in[RANKS_MOST];
    Mat queries = mat_copy(rank->arena, q), partials[RANKS_MOST]; // messages must be contiguous
    if (mat_empty(to.lse)) to.lse = mat_new(rank->arena, q.rows, heads.H);

    // 1. Send the queries to all ranks.
    for (int r = 0; r < others; r++) {
        partials[r] = partial_new(rank->arena, heads, q.rows);
        in[r] = rank_receive_mat(rank, r, partials[r], "outputs and lse of a rank's keys");
        out[r] = rank_send_mat(rank, r, queries, "queries");
    }

    // 2. Attend to the own keys during the transfer.
    attend_own(to, cache, q, masks, kernel);

    // 3. Merge in rank order, so that the result does not depend on timing.
    for (int r = 0; r < others; r++) {
        rank_wait(rank, in[r]);
        rank_wait(rank, out[r]);
        merge_heads(to, partial_of(partials[r], heads), heads);
    }
    arena_release(rank->arena, mark);
}

void star_answer(StarCache *cache, int n, const Mask *masks, AttentionKernel *kernel)
{
    Rank *rank = cache->rank;
    StarHeads heads = cache->heads;
    REQUIRE(!alone(cache) && rank->me < rank->count - 1 && cache->stage == STAR_QUERY,
            "who answers is asked by the last rank, in phase 2");
    int last = rank->count - 1;
    ArenaMark mark = arena_mark(rank->arena);
    Mat q = mat_new(rank->arena, n, heads.H * heads.d), both = partial_new(rank->arena, heads, n);
    rank_wait(rank, rank_receive_mat(rank, last, q, "queries"));
    cache->at += n;
    attend_own(partial_of(both, heads), cache, q, masks, kernel);
    rank_wait(rank, rank_send_mat(rank, last, both, "outputs and lse of a rank's keys"));
    arena_release(rank->arena, mark);
}

static void attend_query(Attended to, StarCache *cache, Mat q, Mat k, Mat v, const Mask *masks, AttentionKernel *kernel)
{
    kv_cache_append(&cache->cache, k, v);
    cache->at += q.rows;
    if (alone(cache)) attend_own(to, cache, q, masks, kernel);
    else attend_all(to, cache, q, masks, kernel);
}

void star_attend(Attended to, StarCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel)
{
    StarHeads heads = cache->heads;
    REQUIRE(H == heads.H && q.cols == H * heads.d && mat_empty(to.weights) && q.rows == k.rows,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ", in %d heads; the cache has %d of %d, and keeps no weights",
            MAT_SHAPED(q), MAT_SHAPED(k), H, heads.H, heads.d);
    switch (cache->stage) {
    case STAR_ANCHOR: attend_anchor(to, cache, q, k, v, masks, kernel); break;
    case STAR_BLOCK: attend_block(to, cache, q, k, v, masks, kernel); break;
    case STAR_QUERY: attend_query(to, cache, q, k, v, masks, kernel); break;
    }
}

// ---- KvStore

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    star_attend(to, cache, q, k, v, H, masks, kernel);
}

// The next token's position, not the number of cached tokens: a model uses it for RoPE.
static int length_of_store(const void *cache) { return ((const StarCache *)cache)->at; }
static int64_t bytes_of_store(const void *cache) { return star_cache_bytes(cache); }

KvStore star_cache_store(StarCache *cache)
{
    return (KvStore){ cache, attend_store, length_of_store, bytes_of_store, NULL };
}
