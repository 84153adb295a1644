// The map of the transformer block: every component once, with the chapters that explain it; the component of the
// current chapter is marked.
#ifndef LESSON_BLOCK_MAP_H
#define LESSON_BLOCK_MAP_H

#include "lesson/lesson_figures.h"

// The component to mark.
typedef enum {
    BLOCK_MAP_EMBEDDING,
    BLOCK_MAP_PROJECTIONS, // Wq, Wk, Wv
    BLOCK_MAP_CIRCUITS,    // QK and OV circuits: Wq, Wk, Wv and Wo
    BLOCK_MAP_POSITIONS,   // RoPE, ALiBi
    BLOCK_MAP_SCORES,
    BLOCK_MAP_MASK, // also windows, sinks, sparse patterns
    BLOCK_MAP_SOFTMAX,
    BLOCK_MAP_SUM,    // the weighted sum of the values
    BLOCK_MAP_GATES,  // concatenated heads, each with its gate
    BLOCK_MAP_OUTPUT, // Wo
    BLOCK_MAP_MLP,
    BLOCK_MAP_LOGITS,
    BLOCK_MAP_LOSS,      // training
    BLOCK_MAP_NEXT,      // sampling
    BLOCK_MAP_CACHE,     // KV cache
    BLOCK_MAP_KEY_HEADS, // grouped-query attention: Wq, Wk, Wv and the cache
    BLOCK_MAP_LATENT,    // latent attention: Wq, Wk, Wv, positions and the cache
    BLOCK_MAP_KERNEL,    // fused kernel: scores, mask, softmax and sum
    BLOCK_MAP_FAMILIES,  // where published models differ
    BLOCK_MAP_KINDS
} BlockMapPlace;

Diagram block_map(Arena *arena, BlockMapPlace place);

// Draws the map as a figure: block_map_figure(lesson, "here.png", BLOCK_MAP_CACHE).
void block_map_figure(Lesson *lesson, const char *file, BlockMapPlace place);

#endif
