// Chapter 09. Model A: a small causal model that learns to copy, and the two heads by which it does so.
//
// In a sequence of chunks (language/chunks.h) the answer at t is the token that followed the same token before. A head
// of layer 0 looks at the token before (the previous-token head) and writes down what it saw; a head of layer 1 looks
// for the place where its own token was written down: that is the place after its last occurrence, and the answer
// stands there (the induction head). Elhage et al. 2021; Olsson et al. 2022, arXiv:2209.11895.
#ifndef LANGUAGE_INDUCTION_H
#define LANGUAGE_INDUCTION_H

#include "train/train.h"

Config induction_config(int D, int H);               // two layers, RoPE, causal, no MLP
TrainingRecipe induction_recipe(uint64_t seed);      // for D 32: 1000 steps of 16 sequences
TrainingRecipe induction_recipe_wide(uint64_t seed); // for D 64: 1000 steps of 32, a little more slowly

TrainingDraw induction_batch;          // sequences of chunks, CHUNKS_T long; no corpus
TrainingDraw induction_periodic_batch; // the control: one segment over and over

// Measured on `count` fresh sequences, the same ones for the same seed.
typedef struct {
    double loss, accuracy;                // where the past determines the answer
    double *previous;                     // (L · H) mean weight on the token before
    double *induction;                    // (L · H) where there is an answer: … on what follows equals
    double best_previous, best_induction; // the largest of the first layer, and of the last
    double occurred;                      // probability of all tokens that have occurred, own included
    double among;                         // −log of the answer's share of that
    double even;                          // … if all of them had the same share
    double guess;                         // right answers then: the mean of that share
} InductionScores;
InductionScores induction_scores(Arena *arena, Transformer model, TrainingDraw *draw, int count, uint64_t seed);

// The same with heads switched off: gates (L, H), as run_transformer has them.
InductionScores induction_scores_gated(Arena *arena, Transformer model, Mat gates, TrainingDraw *draw, int count,
                                       uint64_t seed);

// Weight of the query at t on every token that stands right after one equal to its own. weights (T, T), tokens (T)
double induction_weight(Mat weights, const int *tokens, int t);

// The mean of that where there is an answer, for a head whose queries come from one run and whose keys from another of
// the same batch: what a change of the first layer does by way of the keys alone, or of the queries.
double induction_mass_mixed(const Run *queries, const Run *keys, int layer, int h);

// Share of right answers on `count` sequences of 15 fresh random tokens, said once and once again.
double induction_copy_accuracy(Transformer model, int count, uint64_t seed);

#endif
