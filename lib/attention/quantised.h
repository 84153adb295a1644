// Chapter 19. A quantised KV cache: keys and values as small integers with a shared scale and zero point, or as FP8.
//
// A group of numbers shares a grid: x ≈ scale · code + zero, code 0 … 2^bits − 1, where zero is the group's minimum and
// scale the step. Keys are grouped per channel, over the tokens of a block; values per token, over a few channels [Liu
// et al. 2024, KIVI, arXiv:2402.02750, §3]. Scale and zero are float16: 4 bytes a group. FP8 has an exponent in every
// number (base/float8.h) and no grids.
//
// A group of keys needs a whole block of tokens: the newest tokens, fewer than a block, stay in float32. Not here: one
// scale per matrix, several formats in one cache, trained codebooks.
#ifndef ATTENTION_QUANTISED_H
#define ATTENTION_QUANTISED_H

#include "attention/kv_cache.h"

typedef enum { QUANTISED_INT8, QUANTISED_INT4, QUANTISED_INT2, QUANTISED_FLOAT8, QUANTISED_KINDS } QuantisedKind;
extern const char *const quantised_names[QUANTISED_KINDS]; // "INT8", …
int quantised_bits(QuantisedKind kind);                    // bits of a code: 8, 4 or 2

// ---- a group

typedef struct {
    float scale, zero;
} QuantisedScale; // both representable in float16

// The grid of x[0], x[step] … x[(n − 1) step], n ≥ 1. scale is 0 if the range is 0. A group that contains NaN or
// infinity, or whose range exceeds float16, gets scale NaN and decodes to NaN: errors are not hidden.
QuantisedScale quantised_scale(const float *x, int n, int step, int bits);
uint8_t quantised_code(QuantisedScale grid, float x, int bits); // nearest grid point, 0 … 2^bits − 1

// ---- a cache

typedef enum { QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN } QuantisedGrouping;

typedef struct {
    QuantisedKind kind;
    int block; // tokens in a block
    int group; // consecutive channels that share a grid, for QUANTISED_PER_TOKEN
    QuantisedGrouping keys, values;
} QuantisedFormat;

// `block` tokens of one matrix as codes, row by row, packed from the low bits of a byte up.
typedef struct {
    uint8_t *codes;  // (block, width · bits / 8)
    uint16_t *grids; // (grids of the block, 2): scale and zero, float16
    bool strange;    // FLOAT8: one of them is NaN
} QuantisedBlock;

typedef struct {
    QuantisedFormat format;
    int key_width, value_width, capacity, length;
    QuantisedBlock *k, *v;  // (capacity / block) the first length / block are filled
    Mat newest_k, newest_v; // (block, G d)  (block, G dv)  length % block rows are filled
    const float *numbers;   // (256, 8 / bits) table from a byte to its values
} QuantisedCache;

// A row must fill whole bytes; with QUANTISED_PER_TOKEN, format.group must divide its width.
QuantisedCache quantised_new(Arena *arena, QuantisedFormat format, int capacity, int key_width, int value_width);
void quantised_append(QuantisedCache *cache, Mat k, Mat v); // appends n rows; they must fit
int64_t quantised_bytes(const QuantisedCache *cache);       // codes, scales, zeros, and the newest tokens' float32
double quantised_bits_each(QuantisedFormat format, QuantisedGrouping grouping); // bits per number, grids included

// One segment per block, dequantised when it is requested, and one of the newest tokens.
KvSegments quantised_segments(const QuantisedCache *cache);

// As kv_cache_attend. Scratch holds decoded blocks, one per thread, never the whole cache. A chunk is appended before
// it is attended, so the queries of a long chunk read its own full blocks quantised. Counted traffic: all stored data
// once, in units of 4 bytes, whatever the masks hide.
void quantised_attend(Attended to, QuantisedCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                      AttentionKernel *kernel);
KvStore quantised_store(QuantisedCache *cache); // without `truncate`: quantisation cannot be undone

// One query per head, T = 1, directly on the codes, without dequantising. Requires keys QUANTISED_PER_CHANNEL and
// values QUANTISED_PER_TOKEN with a group that divides dv. Equals grouped_decode over the dequantised cache up to
// rounding. With kⱼ = s ∘ codeⱼ + z per channel, q · kⱼ = (q ∘ s) · codeⱼ + q · z, and the factors q ∘ s and q · z are
// computed once per block. `to` as in grouped_decode.
void quantised_decode(Attended to, const QuantisedCache *cache, Mat q, int H, const Mask *masks);

// A single row as grids followed by codes, for caches that store rows, not blocks (paged_cache.h). Groups must be
// within the row: format.block is 1, keys and values are QUANTISED_PER_TOKEN. `numbers` is from quantised_numbers.
int quantised_row_bytes(QuantisedFormat format, int width);
void quantised_row_put(void *to, QuantisedFormat format, Mat row); // (1, width); `to` is aligned
void quantised_row_get(Mat row, QuantisedFormat format, const void *from, const float *numbers);
const float *quantised_numbers(Arena *arena, QuantisedKind kind); // (256, 8 / bits) table from a byte to its values

// m (S, width) quantised and dequantised, in blocks from row 0; rows after the last whole block are unchanged.
Mat quantised_copy(Arena *arena, Mat m, QuantisedFormat format, QuantisedGrouping grouping);

#endif
