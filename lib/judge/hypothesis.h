// One variation held against theirs: on some rows, or on all.
#ifndef JUDGE_HYPOTHESIS_H
#define JUDGE_HYPOTHESIS_H

#include "judge/causes.h"
#include "judge/compare.h"
#include "judge/reinterpretation.h"

// What is out of tolerance: an output (width dv), weights (width S) or a logsumexp (width 1), both (B, H, T, width).
typedef struct {
    const JudgeProblem *problem;
    CauseSetting setting;
    enum { HYPOTHESIS_OUTPUT, HYPOTHESIS_WEIGHTS, HYPOTHESIS_LOGSUMEXP } what;
    const double *theirs, *ours;
    CompareTolerance tolerance;
    Comparison found; // of these two
} HypothesisCase;

int hypothesis_width(const HypothesisCase *c);

// The rows that every cause is tried on: all where that is little work, else some that are wrong, more of them in the
// head with the worst element, and some at random.
typedef struct {
    const HypothesisCase *c;
    Reinterpretations *views;
    size_t *rows;           // indices b · H · T + h · T + i, rising
    Comparison *plain_rows; // theirs with ours there
    int count, middle;      // middle: of those that are wrong, the one with the median error
    size_t of, worst_head;  // of how many rows; b · H + h
    Comparison plain;       // and on all of them
} HypothesisSample;

HypothesisSample hypothesis_sample(Arena *arena, const HypothesisCase *c, Reinterpretations *views);

// What a variation leaves, how many rows it mends that are wrong as they are, and how many are wrong with it and
// without. misfits: wrong with it, though some may be right without. before, after: Σ (theirs − ours)² of the rows
// that it mends.
typedef struct {
    Comparison left;
    size_t mends, neither, misfits;
    double before, after;
} HypothesisResult;

// The arrays and rules of a variation, to be computed row by row.
typedef struct {
    JudgeProblem problem;
    JudgeRules rules;
    const double *theirs;
} Hypothesis;
Hypothesis hypothesis_of(const HypothesisCase *c, Reinterpretations *views, const CauseVariation *v);
const double *hypothesis_row(const Hypothesis *t, const HypothesisCase *c, JudgeRow *room, size_t row);
JudgeRow hypothesis_room(Arena *arena, const HypothesisCase *c); // for one thread

// On the first `most` rows of the sample, beginning in the middle. `hasty`: up to the first that does not fit.
HypothesisResult hypothesis_on_sample(const HypothesisSample *s, const CauseVariation *v, JudgeRow *room, int most,
                                      bool hasty);

// On every row. marks (rows) may be NULL: what became of each, HYPOTHESIS_ROW_HURT where it is right without the variation alone.
enum { HYPOTHESIS_ROW_RIGHT = 1, HYPOTHESIS_ROW_MENDED = 2, HYPOTHESIS_ROW_WRONG = 4, HYPOTHESIS_ROW_HURT = 8 };
HypothesisResult hypothesis_on_all(const HypothesisSample *s, const CauseVariation *v, unsigned char *marks);

#endif
