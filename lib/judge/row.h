// One query's scores and weights: the two steps of judge.c that most mistakes are about.
#ifndef JUDGE_ROW_H
#define JUDGE_ROW_H

#include "judge/judge.h"

// Of keys first … end − 1: scores (S), −INFINITY out of sight; seen (S).
void row_scores(double *scores, bool *seen, const Problem *p, const Rules *rules, int b, int h, int i, int first,
                int end);
bool row_sees_any(const Problem *p, const Rules *rules, int b, int i);
int row_keys(const Problem *p, const Rules *rules, int b, int h); // how many keys are no filler
int row_key_head(const Problem *p, Whose whose, int h);

// Weights (S) in the place of the scores, by to->seen, and the logsumexp. `norms` are those of a softmax over another
// axis.
void row_weights(JudgeRow *to, const Problem *p, const Rules *rules, int at);

#endif
