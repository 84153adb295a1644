// Chapter 17. Multi-head latent attention: one low-rank latent per token. [DeepSeek-AI 2024, arXiv:2405.04434, §2.1]
#include "attention/latent.h"

#include "attention/dot_product.h"
#include "attention/grouped.h"
#include "attention/product.h"
#include "base/cost.h"

// ---- the two forms

void latent_project(Mat q, Mat rows, Mat x, Mat wq, Mat wdown, int H, int dr, RopeTable turns)
{
    REQUIRE(H >= 1 && wq.cols % H == 0 && dr >= 0 && wq.cols / H > dr && wdown.cols > dr,
            "wq is " MAT_SHAPE ", wdown is " MAT_SHAPE ": %d heads, and %d turned columns in each and in the row",
            MAT_SHAPED(wq), MAT_SHAPED(wdown), H, dr);
    matmul(q, x, wq);
    matmul(rows, x, wdown);
    if (dr == 0) return;
    int width = q.cols / H;
    for (int h = 0; h < H; h++) rope_apply(mat_cols(q, h * width + width - dr, dr), turns);
    rope_apply(mat_cols(rows, rows.cols - dr, dr), turns);
}

void latent_expand(Mat k, Mat v, Mat rows, Mat wuk, Mat wuv, int dr)
{
    int c = wuk.rows, G = dr ? (k.cols - wuk.cols) / dr : 1, d = G > 0 ? wuk.cols / G : 0;
    REQUIRE(rows.cols == c + dr && wuv.rows == c && v.cols == wuv.cols && G >= 1 && k.cols == G * (d + dr),
            "rows are " MAT_SHAPE ", wuk " MAT_SHAPE ", wuv " MAT_SHAPE ", k " MAT_SHAPE ", v " MAT_SHAPE
            ", with %d turned columns",
            MAT_SHAPED(rows), MAT_SHAPED(wuk), MAT_SHAPED(wuv), MAT_SHAPED(k), MAT_SHAPED(v), dr);
    Mat latents = mat_cols(rows, 0, c), rotated = mat_cols(rows, c, dr);
    matmul(v, latents, wuv);
    for (int g = 0; g < G; g++) {
        matmul(mat_cols(k, g * (d + dr), d), latents, mat_cols(wuk, g * d, d));
        mat_set(mat_cols(k, g * (d + dr) + d, dr), rotated);
    }
}

void latent_absorb(Mat to, Mat q, Mat wuk, int H, int dr)
{
    int width = H >= 1 ? q.cols / H : 0, d = width - dr, c = wuk.rows, G = d >= 1 ? wuk.cols / d : 0;
    REQUIRE(G >= 1 && q.cols == H * width && wuk.cols == G * d && H % G == 0 && to.cols == H * (c + dr),
            "q is " MAT_SHAPE " in %d heads with %d turned columns each, wuk is " MAT_SHAPE ", to is " MAT_SHAPE,
            MAT_SHAPED(q), H, dr, MAT_SHAPED(wuk), MAT_SHAPED(to));
    for (int h = 0; h < H; h++) {
        Mat from = mat_cols(q, h * width, width), absorbed = mat_cols(to, h * (c + dr), c + dr);
        Mat up = mat_cols(wuk, h / (H / G) * d, d);
        matmul_transposed(mat_cols(absorbed, 0, c), mat_cols(from, 0, d), up);
        mat_set(mat_cols(absorbed, c, dr), mat_cols(from, d, dr));
    }
}

void latent_outputs(Mat out, Mat mixed, Mat wuv, int H)
{
    int c = wuv.rows, dv = H >= 1 ? out.cols / H : 0, G = dv >= 1 ? wuv.cols / dv : 0;
    REQUIRE(G >= 1 && out.cols == H * dv && wuv.cols == G * dv && H % G == 0 && mixed.cols == H * c,
            "out is " MAT_SHAPE " in %d heads, mixed is " MAT_SHAPE ", wuv is " MAT_SHAPE, MAT_SHAPED(out), H,
            MAT_SHAPED(mixed), MAT_SHAPED(wuv));
    for (int h = 0; h < H; h++)
        matmul(mat_cols(out, h * dv, dv), mat_cols(mixed, h * c, c), mat_cols(wuv, h / (H / G) * dv, dv));
}

Mask latent_mask(Mask mask, int key_width)
{
    mask.scale = mask_scale(mask, key_width);
    return mask;
}

// ---- the cache

LatentCache latent_cache_new(Arena *arena, int capacity, int c, int dr)
{
    REQUIRE(c >= 1 && dr >= 0, "a latent of %d, and %d beside it", c, dr);
    return (LatentCache){ mat_new(arena, capacity, c + dr), c, 0 };
}

void latent_cache_append(LatentCache *cache, Mat rows)
{
    REQUIRE(rows.cols == cache->rows.cols, "rows are " MAT_SHAPE "; the cache holds rows of %d", MAT_SHAPED(rows),
            cache->rows.cols);
    REQUIRE(rows.rows <= cache->rows.rows - cache->length, "%d rows more in a cache of %d that holds %d", rows.rows,
            cache->rows.rows, cache->length);
    mat_set(mat_rows(cache->rows, cache->length, rows.rows), rows);
    cache->length += rows.rows;
}

void latent_cache_truncate(LatentCache *cache, int length)
{
    REQUIRE(length >= 0 && length <= cache->length, "the first %d tokens of %d", length, cache->length);
    cache->length = length;
}

KvSegment latent_cache_filled(LatentCache cache)
{
    Mat k = mat_rows(cache.rows, 0, cache.length);
    return (KvSegment){ .k = k, .v = mat_cols(k, 0, cache.c) };
}

static KvSegment only_segment(const void *cache, int n, Arena *scratch)
{
    (void)n;
    (void)scratch;
    return latent_cache_filled(*(const LatentCache *)cache);
}

KvSegments latent_cache_segments(const LatentCache *cache)
{
    return (KvSegments){ cache->length, 1, only_segment, cache };
}

int64_t latent_cache_bytes(LatentCache cache)
{
    return (int64_t)cache.length * cache.rows.cols * (int64_t)sizeof(float);
}

// Copies of the masks of all heads, with the scale of keys of width key_width.
static Mask *scaled_masks(Arena *arena, const Mask *masks, int H, int key_width)
{
    Mask *own = arena_alloc(arena, (size_t)H * sizeof *own);
    for (int h = 0; h < H; h++) own[h] = latent_mask(masks[h], key_width);
    return own;
}

static void require_chunk(Mat q, Mat rows, int H)
{
    REQUIRE((q.rows == rows.rows || rows.rows == 0) && H >= 1 && q.cols % H == 0,
            "q is " MAT_SHAPE " in %d heads, rows are " MAT_SHAPE
            ": a chunk has as many queries as rows, or its rows have "
            "joined already",
            MAT_SHAPED(q), H, MAT_SHAPED(rows));
}

void latent_attend_over(Attended to, const KvStore *store, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                        AttentionKernel *kernel)
{
    require_chunk(q, rows, w.H);
    Arena *scratch = arena_open();
    int c = w.wuk.rows;

    // 1. Project the queries into latent space.
    Mat absorbed = mat_new(scratch, q.rows, w.H * (c + w.dr)), mixed = mat_new(scratch, q.rows, w.H * c);
    latent_absorb(absorbed, q, w.wuk, w.H, w.dr);

    // 2. Append the rows and attend: all heads share one KV head, whose value is a part of its key.
    Attended all = { mixed, to.lse, to.weights };
    store->attend(all, store->cache, absorbed, rows, mat_cols(rows, 0, c), w.H,
                  scaled_masks(scratch, masks, w.H, q.cols / w.H), kernel);

    // 3. Up-project the mixed latents.
    latent_outputs(to.out, mixed, w.wuv, w.H);
    arena_close(scratch);
}

// KvStore.attend of a LatentCache. v is a view of the rows and is not appended.
static void attend_rows(Attended to, void *cache, Mat q, Mat rows, Mat v, int H, const Mask *masks,
                        AttentionKernel *kernel)
{
    (void)v;
    latent_cache_append(cache, rows);
    kv_segments_attend(to, q, latent_cache_segments(cache), H, masks, kernel);
}

void latent_attend(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                   AttentionKernel *kernel)
{
    latent_attend_over(to, &(KvStore){ .cache = cache, .attend = attend_rows }, q, rows, w, masks, kernel);
}

void latent_attend_expanded(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                            AttentionKernel *kernel)
{
    require_chunk(q, rows, w.H);
    latent_cache_append(cache, rows);
    Arena *scratch = arena_open();
    Mat all = latent_cache_filled(*cache).k;
    int G = w.wuk.cols / (q.cols / w.H - w.dr);
    Mat k = mat_new(scratch, all.rows, w.wuk.cols + G * w.dr), v = mat_new(scratch, all.rows, w.wuv.cols);
    latent_expand(k, v, all, w.wuk, w.wuv, w.dr);
    grouped_attend(to, q, k, v, w.H, masks, kernel);
    arena_close(scratch);
}

// ---- KvStore

LatentStore latent_store_new(Arena *arena, int capacity, Mat basis, int key_width)
{
    REQUIRE(0 < key_width && key_width < basis.rows, "keys of %d columns, of " MAT_SHAPE, key_width, MAT_SHAPED(basis));
    int c = basis.cols, value_width = basis.rows - key_width;
    LatentStore store = { .cache = latent_cache_new(arena, capacity, c, 0),
                          .down = mat_copy(arena, basis),
                          .wuk = mat_new(arena, c, key_width),
                          .wuv = mat_new(arena, c, value_width) };
    for (int i = 0; i < basis.rows; i++)
        for (int l = 0; l < c; l++)
            *mat_ref(i < key_width ? store.wuk : store.wuv, l, i < key_width ? i : i - key_width) =
                *mat_ref(basis, i, l);
    return store;
}

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    LatentStore *store = cache;
    Arena *scratch = arena_open();
    Mat both = mat_new(scratch, k.rows, k.cols + v.cols), rows = mat_new(scratch, k.rows, store->cache.c);
    mat_set(mat_cols(both, 0, k.cols), k);
    mat_set(mat_cols(both, k.cols, v.cols), v);
    product_add(rows, both, store->down);
    LatentHeads w = { store->wuk, store->wuv, H, 0 };
    if (store->expanded) latent_attend_expanded(to, &store->cache, q, rows, w, masks, kernel);
    else latent_attend(to, &store->cache, q, rows, w, masks, kernel);
    arena_close(scratch);
}

static int length_of_store(const void *cache) { return ((const LatentStore *)cache)->cache.length; }
static int64_t bytes_of_store(const void *cache) { return latent_cache_bytes(((const LatentStore *)cache)->cache); }
static void truncate_store(void *cache, int length) { latent_cache_truncate(&((LatentStore *)cache)->cache, length); }

KvStore latent_store(LatentStore *store)
{
    return (KvStore){ store, attend_store, length_of_store, bytes_of_store, truncate_store };
}
