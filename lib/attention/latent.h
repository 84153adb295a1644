// Chapter 17. Multi-head latent attention (MLA): one latent a token is kept, and the keys and values of all heads can
// be made of it. [DeepSeek-AI 2024, arXiv:2405.04434, §2.1]
//
// Sizes: c of the latent, dr of the key that carries the position (RoPE), d and dv of a head's own key and value. A row
// of c + dr numbers is all that is kept of a token: the latent, and beside it the one turned key for all heads.
//
// What is not here: the norms of the latent and of the query, and the smaller matrix that queries go through as well.
// The published models have them; nothing of what is said below changes with them.
#ifndef ATTENTION_LATENT_H
#define ATTENTION_LATENT_H

#include "attention/kv_cache.h"
#include "attention/positions.h"

// ---- the two forms

// x (T, D) → q (T, H (d + dr)) by wq and rows (T, c + dr) by wdown (D, c + dr). In q each head has its d columns and,
// behind them, the dr that are turned. Row i of `turns` (T, dr / 2) turns row i of both; with dr = 0 nothing is turned.
void latent_project(Mat q, Mat rows, Mat x, Mat wq, Mat wdown, int H, int dr, RopeTable turns);

// Expanded: rows (S, c + dr) → k (S, G (d + dr)), v (S, G dv), for any kernel, by wuk (c, G d) and wuv (c, G dv). Every
// key head gets its own d columns and the same dr. S · c · G (d + dv) multiplications.
void latent_expand(Mat k, Mat v, Mat rows, Mat wuk, Mat wuv, int dr);

// Absorbed: q (T, H (d + dr)) → to (T, H (c + dr)), which meet the rows as they are kept: q · (l Wuk) = (q Wukᵀ) · l.
// Query head h meets key head h / (H / G). T · H · d · c multiplications.
void latent_absorb(Mat to, Mat q, Mat wuk, int H, int dr);

// … and what comes out, latents mixed (T, H c), → out (T, H dv): Σ aⱼ (lⱼ Wuv) = (Σ aⱼ lⱼ) Wuv. T · H · c · dv.
void latent_outputs(Mat out, Mat mixed, Mat wuv, int H);

// The mask of a head for the absorbed form. The rows are c + dr wide, the scores are those of keys of d + dr: where the
// mask names no scale it is 1/√(d + dr).
Mask latent_mask(Mask mask, int key_width);

// ---- the cache

// One matrix. Keys are its rows; values are a view of their first c columns.
typedef struct {
    Mat rows;
    int c, length;
} LatentCache; // (capacity, c + dr), 0 … length − 1 are filled

LatentCache latent_cache_new(Arena *arena, int capacity, int c, int dr);
void latent_cache_append(LatentCache *cache, Mat rows);     // n rows behind the last; they must fit
void latent_cache_truncate(LatentCache *cache, int length); // only the first `length` stay (chapter 21)
KvSegment latent_cache_filled(LatentCache cache);           // k (length, c + dr), v (length, c): inside k
KvSegments latent_cache_segments(const LatentCache *cache); // the same, as the only part
int64_t latent_cache_bytes(LatentCache cache);              // 4 · (c + dr) · length

// A chunk of n tokens: its rows (n, c + dr) join the cache, then its queries q (n, H (d + dr)) look at all of it.
// to.out (n, H dv); lse and weights as in grouped_attend. Both give the same up to rounding.
typedef struct {
    Mat wuk, wuv;
    int H, dr;
} LatentHeads; // (c, G d) (c, G dv)
void latent_attend(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                   AttentionKernel *kernel); // absorbed
void latent_attend_expanded(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                            AttentionKernel *kernel); // all keys and values are made anew, of all tokens

// Absorbed, over any cache of such rows: its keys are the rows, its values their first c columns. (Chapter 20.)
void latent_attend_over(Attended to, const KvStore *store, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                        AttentionKernel *kernel);

// ---- for a model that knows of keys and values only

// Its keys and values side by side, [k | v], are squeezed into latents on their way in: rows = [k | v] down. down (G d
// + G dv, c); keys are rows wuk, values rows wuv. With orthonormal columns of `down`, and its upper and lower part
// transposed as wuk and wuv, what comes back is what is nearest to k and v among all that c numbers can say.
// (model/latent.h)
typedef struct {
    LatentCache cache; // dr is 0
    Mat down, wuk, wuv;
    bool expanded; // which form; the numbers are the same
} LatentStore;

LatentStore latent_store_new(Arena *arena, int capacity, Mat basis, int key_width); // basis: `down`, in two parts
KvStore latent_store(LatentStore *store);

#endif
