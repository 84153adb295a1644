// Chapter 18. The corpus of the sink: letters that follow each other by chance, and marks that repeat what stood there.
//
// Every letter a … u has followers of its own, some likely, most of them hardly. After any of them one of three marks
// may come, * + or =. After a mark, what stood before it comes once more:
//
//     ^ k c * c h e = e b …        ^ is the start of every text; after it all letters are as likely
//
// So a head has something to do after a mark, and nothing after a letter: there the token itself says all that can be
// known of the next. [Guo et al. 2024, §2, arXiv:2410.13835: Bigram-Backcopy]
#ifndef LANGUAGE_BACKCOPY_H
#define LANGUAGE_BACKCOPY_H

#include "train/train.h"

enum {
    BACKCOPY_LETTERS = 21,
    BACKCOPY_TOKENS = 24, // letters 0 … 20, marks 21 … 23
    BACKCOPY_START = 24,  // and further ones, where a text has several starts
    BACKCOPY_T = 32,      // positions in training
};

// Row t: how likely each token is after token t, a letter or the start. Marks have no row of their own.
typedef struct {
    int starts; // tokens at the start of a text, each another one; 0: none
    double next[BACKCOPY_START + 1][BACKCOPY_TOKENS];
} Backcopy;

Backcopy backcopy_new(int starts); // 0 … 4. The rows are the same ones always

bool backcopy_is_mark(int token);
char backcopy_name(int token); // 'a', '*', '^'; of further starts '1', '2', '3'

// tokens (n): the starts, then one after the other.
void backcopy_text(int *tokens, int n, const Backcopy *corpus, Random *random);

// Σ next · log(next / softmax(logits)) after `token`, a letter, in nats: 0 where the model says what is known, and no
// less. logits (≥ BACKCOPY_TOKENS).
double backcopy_divergence(const Backcopy *corpus, int token, const float *logits, int outputs);

// The model of chapter 18, one layer and one head, without norms and MLP; its recipe; its batches (corpus: a Backcopy).
// Every next token is asked for, starts excepted.
Config backcopy_config(ConfigSink sink, int starts);
TrainingRecipe backcopy_recipe(uint64_t seed);
RunBatch backcopy_batch(Arena *arena, int count, Random *random, const void *corpus);

#endif
