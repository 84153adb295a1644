// Chapter 22. The corpus of noise and retrieval: facts among words that say nothing, and questions about the facts.
//
// A fact is one token, of a subject and what is said of it: "owl:red". Eight of them stand among noise, each of another
// subject; then eight questions come, "owl?", one for each of them. The answer is the second half of that subject's
// fact.
//
//     ha lo owl:red he … li elk:tan lo  elk? owl? …        answers at the questions: tan red …
//
// So one look is enough: a question must find the one fact whose first half is its own, and read its second half. Where
// it stands says nothing, and models of this corpus have no positions. [Recall of several facts: Arora et al. 2023,
// arXiv:2312.04927; there subject and value are two tokens]
#ifndef LANGUAGE_FACTS_H
#define LANGUAGE_FACTS_H

#include "train/train.h"

enum {
    FACTS_SUBJECTS = 32,
    FACTS_VALUES = 16,
    FACTS_NOISE = 32,
    FACTS_COUNT = 8,                                               // in a text, each followed by a question
    FACTS_LENGTH = 64,                                             // facts and noise, in training
    FACTS_QUESTIONS = FACTS_SUBJECTS * FACTS_VALUES + FACTS_NOISE, // the first token that is a question
    FACTS_WORDS = FACTS_QUESTIONS + FACTS_SUBJECTS,
};

// A text of `length` tokens of facts and noise and FACTS_COUNT questions. tokens, targets (length + FACTS_COUNT):
// targets are −1 but at questions, where they are 0 … FACTS_VALUES − 1. at (FACTS_COUNT): where each question's fact
// stands.
void facts_text(int *tokens, int *targets, int *at, int length, Random *random);

char *facts_name(Arena *arena, int token); // "owl:red", "ha", "owl?"
const char *facts_value(int value);        // "red"

// Models of chapter 22: one layer, D = 32, no MLP, no positions, H = G heads or maps. Its recipe, and its batches
// (corpus: NULL), which ask the questions only.
Config facts_config(int heads);
TrainingRecipe facts_recipe(uint64_t seed);
RunBatch facts_batch(Arena *arena, int count, Random *random, const void *corpus);

#endif
