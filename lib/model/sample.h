// Chapter 21. The next token, drawn: from logits to chances, from chances to a token; and a test of what was drawn.
//
// What is not here: beams, penalties for what was said before, top-k.
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include "base/random.h"

typedef struct {
    double temperature; // ≥ 0: logits are divided by it; 0 is greedy: the largest logit has all the chance
    double top_p;       // 0 < p ≤ 1: the likeliest tokens alone, as few as have p together
} Sampling;

// The largest of n ≥ 1 logits; of equal ones the first.
int sample_likeliest(const float *logits, int n);

// chance (n) of each token, Σ 1. Of equal logits the first counts as the larger one.
// [Holtzman et al. 2020, arXiv:1904.09751, §3.1: the nucleus]
void sample_chances(double *chance, const float *logits, int n, Sampling how);

double sample_uniform(Random *random); // 0 ≤ x < 1, in steps of 2⁻⁵³

// A token, each as likely as its weight says. Weights (n) are ≥ 0 and not all 0; their sum need not be 1. A token of
// weight 0 is never drawn.
int sample_draw(const double *weight, int n, Random *random);

// Do these counts (n) come from these chances (n), Σ 1? Σ (count − expected)² / expected, where tokens that are
// expected less than five times count as one. tail: the chance that right counts are that far off, or farther. A token
// that came and has no chance at all: INFINITY and 0. [Pearson 1900]
typedef struct {
    double statistic;
    int freedom;
    double tail;
} SampleChiSquare;
SampleChiSquare sample_test(const int *count, const double *chance, int n);

#endif
