// Mistakes with a number, which is estimated from theirs: a scale, a soft cap, what is added below a quotient.
#ifndef JUDGE_FIT_H
#define JUDGE_FIT_H

#include "judge/hypothesis.h"

// `base` with the cause on top, at the number that leaves least of the error. false: the cause does not apply, it
// takes hardly anything away, or there are too few numbers to tell.
bool fit_number(CauseVariation *best, double *number, const HypothesisSample *s, const CauseVariation *base,
                const Cause *cause, JudgeRow *room);

#endif
