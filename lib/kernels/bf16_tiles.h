// Chapter 15. Tile products, one step at a time: the interface between bf16_kernel.c and bf16_tiles.c.
#ifndef KERNELS_BF16_TILES_H
#define KERNELS_BF16_TILES_H

#include "kernels/bf16.h"

#include <stddef.h>

// A sequence of blocks of 2 × 2 tiles of sums, from left to right: c = a b or c += a b, with an inner dimension of
// `steps` tiles. The first block multiplies the tiles a and a + a_down by b and b + b_right into c, c + 1, c + c_down
// and c + c_down + 1. Each step advances a by one tile and b by b_step; each block advances b by b_next and c by 2.
typedef struct {
    const Bf16Tile *a, *b;
    Bf16Sums *c;
    ptrdiff_t a_down, b_right, b_step, b_next, c_down;
    int steps, blocks;
    bool add;        // accumulate into c
    int step, block; // the next step and block; block == blocks: finished
} Bf16Products;

// step: computes the next step, four tile products; must not be called after the last one. Between open and close the
// thread owns the tile registers, which hold the sums of one Bf16Products until its block is complete.
typedef struct {
    void (*open)(void);
    void (*step)(Bf16Products *products);
    void (*close)(void);
    bool converts; // conversion from float32 to bf16 and sums of pairs have instructions, too
} Bf16TileEngine;

// "amx", "avx512_bf16", "emulated"; the last one is always available.
enum { BF16_TILE_ENGINES = 3 };
extern const Bf16TileEngine bf16_tile_engines[BF16_TILE_ENGINES];
bool bf16_tile_engine_here(int engine);

#endif
