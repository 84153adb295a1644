// Chapter 17. Multi-head latent attention (MLA): the cache holds one low-rank latent per token, from which the keys and
// values of all heads can be computed by an up-projection. [DeepSeek-AI 2024, arXiv:2405.04434, §2.1]
//
// Sizes: c of the latent; dr of the decoupled RoPE key; d and dv of a head's own key and value. The cache row of a
// token has c + dr numbers: the latent, followed by one rotated key shared by all heads.
//
// Not here: the norms of the latent and of the query, and the low-rank query projection. Published models have them;
// the rest of this file would not change.
#ifndef ATTENTION_LATENT_H
#define ATTENTION_LATENT_H

#include "attention/kv_cache.h"
#include "attention/positions.h"

// ---- the two forms

// x (T, D) → q (T, H (d + dr)) by wq, and rows (T, c + dr) by the down-projection wdown (D, c + dr). In q, each head
// has d columns followed by dr rotated ones. Row i of `turns` (T, dr / 2) rotates row i of both; nothing is rotated if
// dr = 0.
void latent_project(Mat q, Mat rows, Mat x, Mat wq, Mat wdown, int H, int dr, RopeTable turns);

// Expanded form: rows (S, c + dr) → k (S, G (d + dr)), v (S, G dv) for any kernel, by the up-projections wuk (c, G d)
// and wuv (c, G dv). Each KV head gets its own d columns and the shared dr ones. S · c · G (d + dv) multiplications.
void latent_expand(Mat k, Mat v, Mat rows, Mat wuk, Mat wuv, int dr);

// Absorbed form: q (T, H (d + dr)) → to (T, H (c + dr)), to be multiplied with the cached rows directly: q · (l Wuk) =
// (q Wukᵀ) · l. Query head h uses KV head h / (H / G). T · H · d · c multiplications.
void latent_absorb(Mat to, Mat q, Mat wuk, int H, int dr);

// Mixed latents (T, H c) → out (T, H dv): Σ aⱼ (lⱼ Wuv) = (Σ aⱼ lⱼ) Wuv. T · H · c · dv multiplications.
void latent_outputs(Mat out, Mat mixed, Mat wuv, int H);

// A head's mask for the absorbed form: rows are c + dr wide, but scores are those of keys of width d + dr, so the
// default scale is 1/√(d + dr).
Mask latent_mask(Mask mask, int key_width);

// ---- the cache

// One matrix: keys are its rows, values are a view of their first c columns.
typedef struct {
    Mat rows;
    int c, length;
} LatentCache; // (capacity, c + dr), 0 … length − 1 are filled

LatentCache latent_cache_new(Arena *arena, int capacity, int c, int dr);
void latent_cache_append(LatentCache *cache, Mat rows);     // appends n rows; they must fit
void latent_cache_truncate(LatentCache *cache, int length); // keeps the first `length` rows
KvSegment latent_cache_filled(LatentCache cache);           // k (length, c + dr), v (length, c): inside k
KvSegments latent_cache_segments(const LatentCache *cache); // the same, as the only segment
int64_t latent_cache_bytes(LatentCache cache);              // 4 · (c + dr) · length

// A chunk of n tokens: its rows (n, c + dr) are appended, then its queries q (n, H (d + dr)) attend to the whole cache.
// to.out (n, H dv); lse and weights as in grouped_attend. The two forms agree up to rounding.
typedef struct {
    Mat wuk, wuv;
    int H, dr;
} LatentHeads; // (c, G d) (c, G dv)
void latent_attend(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                   AttentionKernel *kernel); // absorbed
void latent_attend_expanded(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                            AttentionKernel *kernel); // recomputes keys and values of all tokens

// Absorbed form, over any cache whose keys are such rows and whose values are their first c columns (paged_cache.h).
void latent_attend_over(Attended to, const KvStore *store, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                        AttentionKernel *kernel);

// ---- for a model with ordinary keys and values

// [k | v] of each token is compressed when it is appended: rows = [k | v] down, with down (G d + G dv, c), and
// decompressed as keys rows wuk and values rows wuv. If `down` has orthonormal columns and wuk, wuv are its transposed
// upper and lower part, the result is the closest rank-c approximation of k and v. (model/latent.h)
typedef struct {
    LatentCache cache; // dr is 0
    Mat down, wuk, wuv;
    bool expanded; // use the expanded form; the results are the same
} LatentStore;

LatentStore latent_store_new(Arena *arena, int capacity, Mat basis,
                             int key_width); // basis: `down`; rows of keys, then of values
KvStore latent_store(LatentStore *store);

#endif
