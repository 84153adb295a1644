// Chapter 22. The corpus for retrieval from noise: multi-query associative recall.
//
// A fact is one token, a subject and a value: "owl:red". A text has eight of them among noise, with different subjects,
// and then eight questions, "owl?", one per fact. The answer is the value of that subject.
//
//     ha lo owl:red he … li elk:tan lo  elk? owl? …        answers at the questions: tan red …
//
// One attention step suffices: a question finds the fact with its subject and reads the value. Position is irrelevant,
// so models of this corpus have no positional encoding. [Arora et al. 2023, arXiv:2312.04927; there subject and value
// are two tokens]
#ifndef LANGUAGE_FACTS_H
#define LANGUAGE_FACTS_H

#include "train/train.h"

enum {
    FACTS_SUBJECTS = 32,
    FACTS_VALUES = 16,
    FACTS_NOISE = 32,
    FACTS_COUNT = 8,                                               // per text; one question each
    FACTS_LENGTH = 64,                                             // facts and noise, in training
    FACTS_QUESTIONS = FACTS_SUBJECTS * FACTS_VALUES + FACTS_NOISE, // the first token that is a question
    FACTS_WORDS = FACTS_QUESTIONS + FACTS_SUBJECTS,
};

// A text of `length` tokens of facts and noise, then FACTS_COUNT questions. tokens, targets (length + FACTS_COUNT):
// targets are 0 … FACTS_VALUES − 1 at questions, else −1. at (FACTS_COUNT): the position of each question's fact.
void facts_text(int *tokens, int *targets, int *at, int length, Random *random);

char *facts_name(Arena *arena, int token); // "owl:red", "ha", "owl?"
const char *facts_value(int value);        // "red"

// The model (one layer, D = 32, no MLP, no positions, H = G heads or maps), its recipe and its batches (corpus: NULL).
// Only questions have targets.
Config facts_config(int heads);
TrainingRecipe facts_recipe(uint64_t seed);
RunBatch facts_batch(Arena *arena, int count, Random *random, const void *corpus);

#endif
