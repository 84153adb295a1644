// What the predictions that are not tables yet need.
#ifndef EXERCISES_PREDICTED_H
#define EXERCISES_PREDICTED_H

#include "base/portable_math.h"
#include "exercises/judge.h"

static inline void judge_predicted(Judge *judge, double got, double tolerance, Prediction p)
{
    p.tolerance = tolerance;
    judge_prediction(judge, got, p);
}

static inline void judge_within(Judge *judge, float got, double low, double high, const char *outside, Prediction p)
{
    p.low = low;
    p.high = high;
    p.outside = outside;
    judge_prediction(judge, (double)got, p);
}

#endif
