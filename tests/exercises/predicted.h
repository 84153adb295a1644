// Numbers that a reader predicts. A wrong one is told what it comes from, and never what is right.
#ifndef EXERCISES_PREDICTED_H
#define EXERCISES_PREDICTED_H

#include "exercises/judge.h"

#include <math.h>

typedef struct {
    double value;
    const char *words;
} Belief; // a well-known wrong prediction, and what to say of it

enum { MOST_BELIEFS = 12 };

typedef struct {
    const char *what;        // "raised: 5 is added to both scores"
    double right, tolerance; // tolerance 0: 0.006
    const char *question, *formula;
    Belief beliefs[MOST_BELIEFS];
} Prediction;

// What is known of a wrong prediction, or NULL.
static inline const char *belief_in(double got, double tolerance, const Prediction *p)
{
    const char *words = NULL;
    for (int b = 0; b < MOST_BELIEFS && p->beliefs[b].words; b++) {
        bool both_nan = isnan(got) && isnan(p->beliefs[b].value);
        if (both_nan || fabs(got - p->beliefs[b].value) <= tolerance) words = p->beliefs[b].words;
    }
    return words;
}

// Whole numbers are shown with all their digits.
static inline void judge_predicted(Judge *judge, double got, double tolerance, Prediction p)
{
    if (fabs(got - p.right) <= tolerance) return;
    judge_trying(judge, "%s", p.what);
    bool whole = fabs(got) < 1e15 && got == floor(got);
    const char *words = belief_in(got, tolerance, &p);
    if (!words && isnan(got)) words = "nothing is predicted yet";
    if (!words) words = arena_format(judge->arena, whole ? "%.0f is not it" : "%g is not it", got);
    judge_claim(judge, false, (Hints){ words, p.question, p.formula });
}

static inline void judge_prediction(Judge *judge, float got, Prediction p)
{
    judge_predicted(judge, (double)got, p.tolerance > 0.0 ? p.tolerance : 0.006, p);
}

// A prediction that must lie between two bounds: of one that does not, that is said, where nothing else is known.
static inline void judge_within(Judge *judge, float got, double low, double high, const char *outside, Prediction p)
{
    double tolerance = p.tolerance > 0.0 ? p.tolerance : 0.006;
    if ((double)got < low - tolerance || (double)got > high + tolerance) {
        const char *words = belief_in((double)got, tolerance, &p);
        judge_trying(judge, "%s", p.what);
        judge_claim(judge, false, (Hints){ words ? words : outside, p.question, p.formula });
    }
    judge_prediction(judge, got, p);
}

#endif
