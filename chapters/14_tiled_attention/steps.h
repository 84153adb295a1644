// Chapter 14. What its steps share, and the steps.
#ifndef CHAPTER_14_STEPS_H
#define CHAPTER_14_STEPS_H

#include "attention/tiled.h"
#include "base/portable_math.h"
#include "lesson/random_qkv.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

enum { WIDTH = 64 }; // d = dv where no sentence is looked at
static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };
static const double MIB = 1024.0 * 1024.0, GIB = 1024.0 * 1024.0 * 1024.0;

// ---- steps_0_shared.c
int place_of(const Lesson *lesson, const char *word, int otherwise); // in the sentence
const char *name_of_keys(const Lesson *lesson, MaskRange keys);      // of the sentence: "The … didn't"
Attended room_for(Arena *arena, int T, int dv);                      // out and lse
double apart(Attended a, Attended b);
int64_t tiles_along(int64_t length, int64_t size);

// ---- steps_3_memories.c
void figure_memories(Lesson *lesson);
void figure_way_back(Lesson *lesson);

// ---- the steps
void the_table(Lesson *lesson);
void one_tile_at_a_time(Lesson *lesson, TileSizes tiles, Mask mask);
void scratch_of_a_tile(Lesson *lesson);
void to_and_fro(Lesson *lesson, int kib); // a fast memory of the reader's; 0: none
void tiles_out_of_sight(Lesson *lesson);
void backward_without_the_table(Lesson *lesson);
void split_keys(Lesson *lesson);
void tiles_alone(Lesson *lesson, int T); // T 0: nothing is timed

#endif
