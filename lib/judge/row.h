// One query's scores and weights: the two steps of judge.c that most mistakes are about.
#ifndef JUDGE_ROW_H
#define JUDGE_ROW_H

#include "judge/judge.h"

// Of keys first … end − 1: scores (S), −INFINITY out of sight; seen (S).
void judge_row_scores(double *scores, bool *seen, const JudgeProblem *p, const JudgeRules *rules, int b, int h, int i,
                      int first, int end);
bool judge_row_sees_any(const JudgeProblem *p, const JudgeRules *rules, int b, int i);
int judge_row_keys(const JudgeProblem *p, const JudgeRules *rules, int b, int h); // how many keys are no filler
int judge_row_key_head(const JudgeProblem *p, JudgeIndexMistake whose, int h);

// Weights (S) in the place of the scores, by to->seen, and the logsumexp. `norms` are those of a softmax over another
// axis.
void judge_row_weights(JudgeRow *to, const JudgeProblem *p, const JudgeRules *rules, int at);

#endif
