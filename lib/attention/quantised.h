// Chapter 19. A cache of fewer bits: keys and values as small whole numbers on a grid, or as 8-bit floats.
//
// A group of numbers shares a grid: x ≈ scale · code + zero, code 0 … 2^bits − 1, where zero is the least number of the
// group and scale a step. Keys are grouped by channel, the tokens of a block together; values by token, a few channels
// together [Liu et al. 2024, KIVI, arXiv:2402.02750, §3]. Scale and zero are float16, 4 bytes a group.
// FLOAT8 has an exponent for every number (base/float8.h), and no grids.
//
// Tokens come one by one, a group of keys needs a whole block of them: the newest tokens, fewer than a block, stay in
// float32. What is not here: factors for a whole matrix, several kinds in one cache, codes that are chosen by training.
#ifndef ATTENTION_QUANTISED_H
#define ATTENTION_QUANTISED_H

#include "attention/kv_cache.h"

typedef enum { QUANTISED_INT8, QUANTISED_INT4, QUANTISED_INT2, QUANTISED_FLOAT8, QUANTISED_KINDS } QuantisedKind;
extern const char *const quantised_names[QUANTISED_KINDS]; // "INT8", …
int quantised_bits(QuantisedKind kind);                    // of a code: 8, 4 or 2

// ---- a group

typedef struct {
    float scale, zero;
} QuantisedScale; // both are numbers that float16 has

// The grid of x[0], x[step] … x[(n − 1) step], n ≥ 1. Where the range is 0, so is the scale. A group with a NaN or an
// infinity in it, or wider than float16 reaches, has a scale of NaN, and so all of it reads as NaN: nothing is lost in
// silence.
QuantisedScale quantised_scale(const float *x, int n, int step, int bits);
uint8_t quantised_code(QuantisedScale grid, float x, int bits); // the nearest step of the grid, 0 … 2^bits − 1

// ---- a cache

typedef enum { QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN } QuantisedGrouping;

typedef struct {
    QuantisedKind kind;
    int block; // tokens in a block
    int group; // neighbouring channels that share a grid, where it is QUANTISED_PER_TOKEN
    QuantisedGrouping keys, values;
} QuantisedFormat;

// `block` tokens of one matrix, in codes. Row after row, and in a byte from the low bits up.
typedef struct {
    uint8_t *codes;  // (block, width · bits / 8)
    uint16_t *grids; // (grids of the block, 2): scale and zero as float16
    bool strange;    // FLOAT8: is any of them NaN?
} QuantisedBlock;

typedef struct {
    QuantisedFormat format;
    int key_width, value_width, capacity, length;
    QuantisedBlock *k, *v;  // (capacity / block) those of length / block are filled
    Mat newest_k, newest_v; // (block, G d)  (block, G dv)  length % block rows are filled
    const float *numbers;   // (256, 8 / bits) what a byte of codes stands for
} QuantisedCache;

// Widths must fill whole bytes; with QUANTISED_PER_TOKEN, format.group must divide them.
QuantisedCache quantised_new(Arena *arena, QuantisedFormat format, int capacity, int key_width, int value_width);
void quantised_append(QuantisedCache *cache, Mat k, Mat v); // n rows behind the last; they must fit
int64_t quantised_bytes(const QuantisedCache *cache);       // codes, scales, zeros, and the newest tokens' float32
double quantised_bits_each(QuantisedFormat format,
                           QuantisedGrouping grouping); // bits a number, its share of a grid included

// A part a block, decoded when it is asked for, and the newest tokens behind them.
KvSegments quantised_segments(const QuantisedCache *cache);

// As kv_cache_attend. Scratch holds decoded blocks, one for each thread, never the cache. Which tokens are read from
// codes depends on when a query looks: a chunk joins first, so that queries of a long one find its own blocks in codes.
// Traffic: all that is kept is read once, in units of 4 bytes, whatever the masks hide.
void quantised_attend(Attended to, QuantisedCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                      AttentionKernel *kernel);
KvStore quantised_store(QuantisedCache *cache); // without `truncate`: a block in codes was more than its codes say

// One query a head, T = 1, straight from the codes, for keys QUANTISED_PER_CHANNEL and values QUANTISED_PER_TOKEN with a group that divides
// dv: as grouped_decode over what quantised_segments gives, within rounding. With a key kⱼ = s · codeⱼ + z, channel by
// channel, q · kⱼ = (q ∘ s) · codeⱼ + q · z: what stands before the codes is computed once a block. `to` as there.
void quantised_decode(Attended to, const QuantisedCache *cache, Mat q, int H, const Mask *masks);

// One row by itself, for whoever keeps rows where blocks do not fit (chapter 20): its grids, then its codes. Groups
// must lie within the row: format.block is 1, and keys and values are QUANTISED_PER_TOKEN. `numbers`: quantised_numbers.
int quantised_row_bytes(QuantisedFormat format, int width);
void quantised_row_put(void *to, QuantisedFormat format, Mat row); // (1, width); `to` is aligned
void quantised_row_get(Mat row, QuantisedFormat format, const void *from, const float *numbers);
const float *quantised_numbers(Arena *arena, QuantisedKind kind); // (256, 8 / bits) what a byte of codes stands for

// m (S, width) as the cache would give it back, blocks from row 0 on; rows behind the last whole block as they are.
Mat quantised_copy(Arena *arena, Mat m, QuantisedFormat format, QuantisedGrouping grouping);

#endif
