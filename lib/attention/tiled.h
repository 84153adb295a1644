// Chapter 14. Tiled attention (FlashAttention): the T × S table of scores is never stored, only one tile at a time.
// [Dao et al. 2022, arXiv:2205.14135; the order of the loops: Dao 2023, arXiv:2307.08691]
//
// Models two memories: the kernel's scratch is the fast one (SRAM on a GPU) and holds a few tiles, however long the
// sequence is; all else, inputs and outputs, is slow memory (HBM). A tile is loaded into fast memory, processed there,
// and its result stored; cost_counted.reads and .writes count the floats moved.
#ifndef ATTENTION_TILED_H
#define ATTENTION_TILED_H

#include "attention/self_attention.h"

#include <stdint.h>

typedef struct {
    int queries, keys;
} TileSizes; // rows and columns of a tile, each at least 1

// How much of a tile the mask leaves visible: no pair, all pairs, or some.
typedef enum { TILE_EMPTY = 1, TILE_FULL = 2, TILE_CUT = TILE_EMPTY | TILE_FULL } TileKind;

TileKind tile_kind(Mask mask, MaskRange queries, MaskRange keys, int T, int S);

// Any tile size; tiles are clipped at the edges of the matrix. Empty tiles and padding are never loaded. weights, if
// requested, are the whole table: they need no scratch but are written to slow memory.
AttentionKernel attention_tiled; // tiles of 64 × 64
void attention_tiled_with(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles);

// The same, with a callback after every tile that receives the running state of the tile's queries.
typedef struct {
    MaskRange queries, keys;
    TileKind kind;
    Mat max, sum; // (queries, 1)   running maximum, and Σ exp(score − max)
    Mat rescale;  // (queries, 1)   factor applied to sum and out before this tile was added
    Mat out;      // (queries, dv)  Σ exp(score − max) v, not yet divided by sum
} TileVisit;
typedef void TileWatch(const TileVisit *visit, void *context);
void attention_tiled_watched(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles, TileWatch *watch,
                             void *context);

// Bytes of scratch of attention_tiled_with for matrices no smaller than a tile, whatever T and S.
int64_t tile_scratch(TileSizes tiles, int d, int dv);

// Tiles of 16 keys and the most queries that fit into `bytes` of scratch; 0 queries: not even one fits.
TileSizes tile_sizes_fit(int64_t bytes, int d, int dv);

// Forward: attention_tiled_with(forward, p.q, p.k, p.v, mask, tiles), or any kernel that computes lse.
// dout (T, dv), forward.out and forward.lse → to.q (T, d), to.k (S, d), to.v (S, dv), ADDED as in
// backward.h. dout · out, one number per query, is stored in slow memory. forward.weights is not used: the weights are
// recomputed tile by tile as exp(score − lse). lse is float32, so for scores around ±1e4 the weights have only three
// correct digits.
void attention_tiled_backward(HeadProjections to, Mat dout, HeadProjections p, Attended forward, Mask mask,
                              TileSizes tiles);

#endif
