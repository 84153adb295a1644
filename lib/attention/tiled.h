// Chapter 14. Tiled attention: the T × S table is never stored, only one tile of it at a time.
//
// Two memories. The fast one is a kernel's scratch: it has room for a few tiles, however long the sentence is. All
// else, inputs and outputs, is slow. A tile is fetched into fast memory, worked on there, and what came of it is put
// back; counted.reads and counted.writes say how many floats went to and fro.
#ifndef ATTENTION_TILED_H
#define ATTENTION_TILED_H

#include "attention/self_attention.h"

#include <stdint.h>

typedef struct {
    int queries, keys;
} TileSizes; // the size of a tile: rows and columns, each at least 1

// What a mask leaves of a tile: no pair of query and key, all of them, or some.
typedef enum { TILE_EMPTY = 1, TILE_FULL = 2, TILE_CUT = TILE_EMPTY | TILE_FULL } TileKind;

TileKind tile_kind(Mask mask, MaskRange queries, MaskRange keys, int T, int S);

// Any tile size; what hangs over the edge of the matrix is cut off. An empty tile is never fetched, filler never is.
// Weights, when asked for, are the whole table: they need no scratch, but they are written to slow memory.
// [Dao et al. 2022, arXiv:2205.14135; the order of the loops: Dao 2023, arXiv:2307.08691]
AttentionKernel attention_tiled; // tiles of 64 × 64
void attention_tiled_with(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles);

// The same, and after every tile `watch` is told what is known by then of each query of the tile.
typedef struct {
    MaskRange queries, keys;
    TileKind kind;
    Mat max, sum; // (queries, 1)   largest score so far, and Σ exp(score − max)
    Mat rescale;  // (queries, 1)   what sum and out were multiplied by before this tile was added
    Mat out;      // (queries, dv)  Σ exp(score − max) v, not yet divided by sum
} TileVisit;
typedef void TileWatch(const TileVisit *visit, void *context);
void attention_tiled_watched(Attended to, Mat q, Mat k, Mat v, Mask mask, TileSizes tiles, TileWatch *watch,
                             void *context);

// Bytes of scratch that attention_tiled_with holds for matrices that are no smaller than a tile, whatever T and S.
int64_t tile_scratch(TileSizes tiles, int d, int dv);

// Tiles of 16 keys and of as many queries as fit into that many bytes of scratch; 0 queries: not even one fits.
TileSizes tile_sizes_fit(int64_t bytes, int d, int dv);

// Forward: attention_tiled_with(did, p.q, p.k, p.v, mask, tiles), or any kernel that gives lse.
// dout (T, dv) and did.out, did.lse as the kernel left them → to.q (T, d), to.k (S, d), to.v (S, dv), ADDED as in
// backward.h. dout · out, a number for each query, is kept in slow memory meanwhile. did.weights is not used: each tile
// of weights is computed again, as exp(score − lse). lse is one float32, so with scores around ±1e4 the weights are
// right to three digits only.
void attention_tiled_backward(HeadProjections to, Mat dout, HeadProjections p, Attended did, Mask mask,
                              TileSizes tiles);

#endif
