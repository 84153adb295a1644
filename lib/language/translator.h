// Chapter 09. Model B: a small encoder that glosses every word of a sentence (language/glosses.h), bidirectionally.
//
// Layer 0 has a window of three words to either side, layer 1 none. A bonus for peaked rows (TrainingRecipe.bonus) makes
// a relation visible as one bright cell. This is a choice for the reader's eye, and the text says so.
#ifndef LANGUAGE_TRANSLATOR_H
#define LANGUAGE_TRANSLATOR_H

#include "language/glosses.h"
#include "train/train.h"

Config translator_config(int H, int G);
TrainingRecipe translator_recipe(uint64_t seed);

TrainingDraw translator_batch; // training sentences; corpus not used

// `count` sentences, concatenated. Targets are the glosses, including those of [start] and marks.
RunBatch translator_sentences_batch(Arena *arena, const GlossedSentence *sentences, int count);

#endif
