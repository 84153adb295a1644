// Is an error what arithmetic of less precision leaves?
#ifndef JUDGE_ROUNDING_H
#define JUDGE_ROUNDING_H

#include "judge/trial.h"

// The precision whose rounding would leave about as much as `left`, which the variation leaves; EXACT: none. `rounding`
// is what that would leave, as a relative error.
Precision rounding_like(const Sample *s, const Variation *v, Comparison left, double *rounding);

// BFLOAT16 or FLOAT16 when it can hold every number of theirs, which says more than any size of an error; else EXACT.
Precision rounding_shown(const Case *c);

#endif
