// Chapter 15. Products of tiles, one step at a time: what bf16_kernel.c is given by bf16_tiles.c.
#ifndef KERNELS_BF16_TILES_H
#define KERNELS_BF16_TILES_H

#include "kernels/bf16.h"

#include <stddef.h>

// Blocks of 2 × 2 sums, one to the right of the other: c = or += a b, `steps` tiles of a and b deep. The first block's
// tiles are at a and a + a_down, b and b + b_right, c and c + 1, c + c_down and c + c_down + 1. Step by step a moves on
// by one tile, b by b_step; block by block b moves on by b_next, c by 2.
typedef struct {
    const Bf16Tile *a, *b;
    Bf16Sums *c;
    ptrdiff_t a_down, b_right, b_step, b_next, c_down;
    int steps, blocks;
    bool add;        // to what is in c already
    int step, block; // which is next; blocks: all is done
} Bf16Products;

// step: the next step of the products, four tiles wide; they are not to be done yet. Between open and close a thread
// has the tiles' registers, which keep the sums of one Products at a time, until its block is done.
typedef struct {
    void (*open)(void);
    void (*step)(Bf16Products *products);
    void (*close)(void);
    bool converts; // float32 to bf16, and adding pairs, are instructions, too
} Bf16TileEngine;

// "amx", "avx512_bf16", "emulated"; the last one is always here.
enum { BF16_TILE_ENGINES = 3 };
extern const Bf16TileEngine bf16_tile_engines[BF16_TILE_ENGINES];
bool bf16_tile_engine_here(int engine);

#endif
