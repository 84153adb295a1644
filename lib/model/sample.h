// Chapter 21. Sampling the next token from logits: temperature and nucleus (top-p); and a chi-square test of samples.
//
// Not implemented: beam search, repetition penalties, top-k.
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include "base/random.h"

typedef struct {
    double temperature; // ≥ 0: logits are divided by it; 0 is greedy decoding
    double top_p;       // 0 < p ≤ 1: only the smallest set of likeliest tokens whose probabilities sum to p
} Sampling;

// Index of the largest of n ≥ 1 logits, the first on ties.
int sample_likeliest(const float *logits, int n);

// chance (n): the probability of each token, Σ 1. On ties the first logit counts as larger.
// [Holtzman et al. 2020, arXiv:1904.09751, §3.1: the nucleus]
void sample_chances(double *chance, const float *logits, int n, Sampling how);

double sample_uniform(Random *random); // 0 ≤ x < 1, in steps of 2⁻⁵³

// Samples an index with probability proportional to its weight. Weights (n) are ≥ 0 and not all 0; their sum need not be
// 1. An index of weight 0 is never drawn.
int sample_draw(const double *weight, int n, Random *random);

// Pearson's chi-square test: do the counts (n) come from these probabilities (n), Σ 1? statistic: Σ (count − expected)² /
// expected, with tokens expected fewer than five times pooled. tail: the p-value. A token that occurred with
// probability 0 gives INFINITY and 0. [Pearson 1900]
typedef struct {
    double statistic;
    int freedom;
    double tail;
} SampleChiSquare;
SampleChiSquare sample_test(const int *count, const double *chance, int n);

#endif
