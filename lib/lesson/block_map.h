// The map of the transformer: every part of the block once, which chapter it is from, and what the chapter at hand is
// about.
#ifndef LESSON_BLOCK_MAP_H
#define LESSON_BLOCK_MAP_H

#include "lesson/lesson.h"

// What is marked on the map, and the chapters whose place it is.
typedef enum {
    PLACE_EMBEDDING,
    PLACE_PROJECTIONS, // Wq, Wk, Wv
    PLACE_CIRCUITS,    // 26: Wq, Wk, Wv and Wo
    PLACE_POSITIONS,   // RoPE, ALiBi
    PLACE_SCORES,
    PLACE_MASK, // windows, sinks, sparse patterns too
    PLACE_SOFTMAX,
    PLACE_SUM,    // the weighted sum of the values
    PLACE_GATES,  // 10: the heads side by side, each with its gate
    PLACE_OUTPUT, // Wo
    PLACE_MLP,
    PLACE_LOGITS,
    PLACE_LOSS,      // 09: training
    PLACE_NEXT,      // drawing the next token
    PLACE_CACHE,     // 11
    PLACE_KEY_HEADS, // 12: Wq, Wk, Wv and the cache
    PLACE_LATENT,    // 17: Wq, Wk, Wv, positions and the cache
    PLACE_KERNEL,    // 13 to 16: scores, mask, softmax and sum, computed in one go
    PLACE_FAMILIES,  // 25: in which parts published models differ
    PLACE_KINDS
} Place;

Diagram block_map(Arena *arena, Place place);

// The map as a figure: figure_here(lesson, "here.png", PLACE_CACHE).
void figure_here(Lesson *lesson, const char *file, Place place);

#endif
