// The map of the transformer: every part of the block once, which chapter it is from, and what the chapter at hand is
// about.
#ifndef LESSON_BLOCK_MAP_H
#define LESSON_BLOCK_MAP_H

#include "lesson/lesson_figures.h"

// What is marked on the map, and the chapters whose place it is.
typedef enum {
    BLOCK_MAP_EMBEDDING,
    BLOCK_MAP_PROJECTIONS, // Wq, Wk, Wv
    BLOCK_MAP_CIRCUITS,    // 26: Wq, Wk, Wv and Wo
    BLOCK_MAP_POSITIONS,   // RoPE, ALiBi
    BLOCK_MAP_SCORES,
    BLOCK_MAP_MASK, // windows, sinks, sparse patterns too
    BLOCK_MAP_SOFTMAX,
    BLOCK_MAP_SUM,    // the weighted sum of the values
    BLOCK_MAP_GATES,  // 10: the heads side by side, each with its gate
    BLOCK_MAP_OUTPUT, // Wo
    BLOCK_MAP_MLP,
    BLOCK_MAP_LOGITS,
    BLOCK_MAP_LOSS,      // 09: training
    BLOCK_MAP_NEXT,      // drawing the next token
    BLOCK_MAP_CACHE,     // 11
    BLOCK_MAP_KEY_HEADS, // 12: Wq, Wk, Wv and the cache
    BLOCK_MAP_LATENT,    // 17: Wq, Wk, Wv, positions and the cache
    BLOCK_MAP_KERNEL,    // 13 to 16: scores, mask, softmax and sum, computed in one go
    BLOCK_MAP_FAMILIES,  // 25: in which parts published models differ
    BLOCK_MAP_KINDS
} BlockMapPlace;

Diagram block_map(Arena *arena, BlockMapPlace place);

// The map as a figure: block_map_figure(lesson, "here.png", BLOCK_MAP_CACHE).
void block_map_figure(Lesson *lesson, const char *file, BlockMapPlace place);

#endif
