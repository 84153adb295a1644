// Scores and weights of one query: the two steps of judge.c that most mistakes change.
#ifndef JUDGE_ROW_H
#define JUDGE_ROW_H

#include "judge/judge.h"

// Scores (S) of keys first … end − 1, −INFINITY if hidden; seen (S): is the key visible?
void judge_row_scores(double *scores, bool *seen, const JudgeProblem *p, const JudgeRules *rules, int b, int h, int i,
                      int first, int end);
bool judge_row_sees_any(const JudgeProblem *p, const JudgeRules *rules, int b, int i);
int judge_row_keys(const JudgeProblem *p, const JudgeRules *rules, int b, int h); // number of keys without padding
int judge_row_key_head(const JudgeProblem *p, JudgeIndexMistake whose, int h);

// Replaces the scores by weights (S), using to->seen, and computes the logsumexp. to->norms is used by a softmax over
// another axis.
void judge_row_weights(JudgeRow *to, const JudgeProblem *p, const JudgeRules *rules, int at);

#endif
