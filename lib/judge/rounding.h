// Is an error what arithmetic of less precision leaves?
#ifndef JUDGE_ROUNDING_H
#define JUDGE_ROUNDING_H

#include "judge/hypothesis.h"

// The precision whose rounding would leave about as much as `left`, which the variation leaves; EXACT: none. `rounding`
// is what that would leave, as a relative error.
JudgePrecision rounding_like(const HypothesisSample *s, const CauseVariation *v, Comparison left, double *rounding);

// BFLOAT16 or FLOAT16 when it can hold every number of theirs, which says more than any size of an error; else EXACT.
JudgePrecision rounding_shown(const HypothesisCase *c);

#endif
