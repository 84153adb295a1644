// Chapter 12. What its steps share, and the steps.
#ifndef CHAPTER_12_STEPS_H
#define CHAPTER_12_STEPS_H

#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/sizes.h"
#include "model/transformer.h"
#include "train/train.h"

enum { SENTENCES = 600, SHARE = 20 }; // trained on for one SHAREth of the steps: 5 %

// Tokens in a cache, in steps 3 and 5.
enum { LENGTHS_COUNT = 3, MODELS_MOST = 64 };
static const int64_t LENGTHS[LENGTHS_COUNT] = { 4096, 32768, 131072 };

// The published models, and the reader's own behind them.
typedef struct {
    Sizes at[MODELS_MOST];
    int count;
} Models;

// Columns of data/models/groups.tsv; its rows: H = 4 and 8, every G, some seeds.
enum { MEAN, MEAN_ON, FIRST, FIRST_ON, NEW, NEW_ON, SHORT, WHOLE, WAYS };

// ---- steps_0_shared.c
Mat random_mat(Lesson *lesson, int rows, int cols);
double accuracy(Transformer model, int count);
TrainingRecipe short_recipe(uint64_t seed);
Transformer trained(Arena *arena, const char *name, Config config, TrainingRecipe recipe, const Transformer *from);

// ---- the steps
Models all_models(Lesson *lesson, const char *path); // of step 3
void one_expression(Lesson *lesson);
void what_gets_smaller(Lesson *lesson);
void published_models(Lesson *lesson, const Models *models, int bits, double memory); // of a number; 10⁹ bytes
void retrain(Lesson *lesson, const char *folder);                                     // --retrain: what step 4 reads
void turned_into_others(Lesson *lesson, const char *program, const char *folder, int steps);
void what_a_token_reads(Lesson *lesson);
void a_card_full_of_users(Lesson *lesson);
void time_it(Lesson *lesson, int rounds); // --time

#endif
