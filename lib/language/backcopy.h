// Chapter 18. The corpus for attention sinks: the Bigram-Backcopy task [Guo et al. 2024, §2, arXiv:2410.13835].
//
// Letters a … u follow a bigram distribution. After any letter, one of three marks (trigger tokens), * + or =, may come.
// After a mark, the letter before it is repeated:
//
//     ^ k c * c h e = e b …        ^ starts every text; the letter after it is uniform
//
// So a head has something to retrieve after a mark, and nothing after a letter, where the token itself determines the
// distribution of the next.
#ifndef LANGUAGE_BACKCOPY_H
#define LANGUAGE_BACKCOPY_H

#include "train/train.h"

enum {
    BACKCOPY_LETTERS = 21,
    BACKCOPY_TOKENS = 24, // letters 0 … 20, marks 21 … 23
    BACKCOPY_START = 24,  // more start tokens follow if a text has several
    BACKCOPY_T = 32,      // positions in training
};

// Row t: the distribution of the token after t, a letter or the start. Marks have no row.
typedef struct {
    int starts; // number of start tokens of a text, each a different one; 0: none
    double next[BACKCOPY_START + 1][BACKCOPY_TOKENS];
} Backcopy;

Backcopy backcopy_new(int starts); // 0 … 4. The rows are always the same

bool backcopy_is_mark(int token);
char backcopy_name(int token); // 'a', '*', '^'; further start tokens are '1', '2', '3'

// tokens (n): the start tokens, then the sampled text.
void backcopy_text(int *tokens, int n, const Backcopy *corpus, Random *random);

// KL divergence Σ next · log(next / softmax(logits)) in nats after `token`, a letter: 0 if the model predicts the exact
// distribution. logits (≥ BACKCOPY_TOKENS).
double backcopy_divergence(const Backcopy *corpus, int token, const float *logits, int outputs);

// The model (one layer, one head, no norms, no MLP), its recipe and its batches (corpus: a Backcopy). Every token after
// the start tokens is a target.
Config backcopy_config(ConfigSink sink, int starts);
TrainingRecipe backcopy_recipe(uint64_t seed);
RunBatch backcopy_batch(Arena *arena, int count, Random *random, const void *corpus);

#endif
