// Chapter 09. Model B: a small encoder that glosses every word of a sentence (language/glosses.h), both directions in
// sight.
//
// Layer 0 sees three words to either side, layer 1 all of them. Its rows are rewarded for being peaked
// (Recipe.bonus), so that a relation, if a head has it, shows as one bright cell: a choice for the reader's eye, and
// the text says so.
#ifndef LANGUAGE_TRANSLATOR_H
#define LANGUAGE_TRANSLATOR_H

#include "language/glosses.h"
#include "train/train.h"

Config translator_config(int H, int G);
TrainingRecipe translator_recipe(uint64_t seed);

TrainingDraw translator_batch; // sentences for training; no corpus

// `count` sentences one behind the other. Glosses are the targets, [start] and marks included.
RunBatch translator_sentences_batch(Arena *arena, const GlossedSentence *sentences, int count);

#endif
