// Estimates the parameter of a cause from theirs: a scale, a soft cap, an epsilon in a denominator.
#ifndef JUDGE_FIT_H
#define JUDGE_FIT_H

#include "judge/hypothesis.h"

// Adds the cause to `base` with the number that minimises the error. false: the cause has no effect, it hardly reduces
// the error, or there are too few numbers.
bool fit_number(CauseVariation *best, double *number, const HypothesisSample *s, const CauseVariation *base,
                const Cause *cause, JudgeRow *scratch);

#endif
