// Documents made by hand, for the suites of viz/.
#ifndef SUPPORT_MAPS_H
#define SUPPORT_MAPS_H

#include "base/random.h"
#include "viz/document.h"

// Weights alone: layers · heads maps of one shape, read where they stand.
Document document_of_maps(Arena *arena, int layers, int heads, const Mat *maps);

// All fields, from random queries, keys and values of d columns: scores, weights, what a head gives, what it adds to a
// stream of D columns. causal: later keys are hidden (T ≤ S). Words are a few letters, or NULL.
typedef struct {
    int layers, heads, T, S, d, D;
    bool causal, words;
} Shape;
Document document_random(Arena *arena, Random *random, Shape shape);

// As chapter 14 dumps it: the walk over a map of T queries and keys, `tile` keys a frame.
Document document_walk(Arena *arena, Random *random, int T, int tile);
Document document_of_ranks(Arena *arena, Random *random, int T, int R); // R steps of as many ranks; R divides T

#endif
