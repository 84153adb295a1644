// Chapter 09. Model A: a small causal model that learns to copy with induction heads.
//
// In a sequence of chunks (language/chunks.h) the target at t is the token that followed the same token before. A
// previous-token head in layer 0 writes each token's predecessor into the stream; an induction head in layer 1 attends
// to the position whose predecessor is its own token, which holds the target. [Elhage et al. 2021; Olsson et al. 2022,
// arXiv:2209.11895]
#ifndef LANGUAGE_INDUCTION_H
#define LANGUAGE_INDUCTION_H

#include "train/train.h"

Config induction_config(int D, int H);               // two layers, RoPE, causal, no MLP
TrainingRecipe induction_recipe(uint64_t seed);      // for D 32: 1000 steps of 16 sequences
TrainingRecipe induction_recipe_wide(uint64_t seed); // for D 64: 1000 steps of 32, with a lower learning rate

TrainingDraw induction_batch;          // sequences of chunks, CHUNKS_T long; corpus not used
TrainingDraw induction_periodic_batch; // the control: one repeated segment

// Measured on `count` new sequences, the same ones for the same seed.
typedef struct {
    double loss, accuracy;                // where the past determines the target
    double *previous;                     // (L · H) mean weight on the previous token
    double *induction;                    // (L · H) mean weight on tokens after an equal one, where there is a target
    double best_previous, best_induction; // the largest of the first layer, and of the last
    double occurred;                      // probability of all tokens that have occurred, own included
    double among;                         // mean −log of the target's fraction of that
    double even;                          // … if it were uniform over them
    double guess;                         // accuracy then: the mean of that fraction
} InductionScores;
InductionScores induction_scores(Arena *arena, Transformer model, TrainingDraw *draw, int count, uint64_t seed);

// The same with ablated heads: gates (L, H), as in run_transformer.
InductionScores induction_scores_gated(Arena *arena, Transformer model, Mat gates, TrainingDraw *draw, int count,
                                       uint64_t seed);

// Weight of the query at t on all tokens right after one equal to its own. weights (T, T), tokens (T)
double induction_weight(Mat weights, const int *tokens, int t);

// The mean of that where there is a target, for a head with queries from one run and keys from another of the same
// batch: separates K- from Q-composition.
double induction_mass_mixed(const Run *queries, const Run *keys, int layer, int h);

// Accuracy on `count` sequences of 15 new random tokens and their repetition.
double induction_copy_accuracy(Transformer model, int count, uint64_t seed);

#endif
