// Is an error explained by arithmetic of lower precision?
#ifndef JUDGE_ROUNDING_H
#define JUDGE_ROUNDING_H

#include "judge/hypothesis.h"

// The precision whose rounding would cause about the error `left` that the variation leaves; EXACT: none. *rounding is
// the relative error that it would cause.
JudgePrecision rounding_like(const HypothesisSample *s, const CauseVariation *v, Comparison left, double *rounding);

// BFLOAT16 or FLOAT16 if every number of theirs is representable in it, which is stronger evidence than the size of an
// error; else EXACT.
JudgePrecision rounding_shown(const HypothesisCase *c);

#endif
