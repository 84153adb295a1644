// Evaluates one variation (a hypothesis) against theirs, on a sample of rows or on all.
#ifndef JUDGE_HYPOTHESIS_H
#define JUDGE_HYPOTHESIS_H

#include "judge/causes.h"
#include "judge/compare.h"
#include "judge/reinterpretation.h"

// A result that is out of tolerance: an output (width dv), weights (width S) or a logsumexp (width 1); both arrays are
// (B, H, T, width).
typedef struct {
    const JudgeProblem *problem;
    CauseSetting setting;
    enum { HYPOTHESIS_OUTPUT, HYPOTHESIS_WEIGHTS, HYPOTHESIS_LOGSUMEXP } what;
    const double *theirs, *ours;
    CompareTolerance tolerance;
    Comparison found; // theirs compared with ours
} HypothesisCase;

int hypothesis_width(const HypothesisCase *c);

// The rows on which every cause is tried: all if that is cheap, else some of the wrong rows, more of them in the head
// with the worst element, and some random rows.
typedef struct {
    const HypothesisCase *c;
    Reinterpretations *views;
    size_t *rows;           // indices b · H · T + h · T + i, ascending
    Comparison *plain_rows; // theirs compared with ours, per row
    int count, middle;      // middle: index of the wrong row with the median error
    size_t of, worst_head;  // of: rows in total; worst_head: b · H + h
    Comparison plain;       // over all rows of the sample
} HypothesisSample;

HypothesisSample hypothesis_sample(Arena *arena, const HypothesisCase *c, Reinterpretations *views);

// Result of a variation. left: the remaining difference; mends: wrong rows that it explains; neither: rows that are
// wrong with and without it; misfits: rows that are wrong with it. before, after: Σ (theirs − ours)² of the explained
// rows.
typedef struct {
    Comparison left;
    size_t mends, neither, misfits;
    double before, after;
} HypothesisResult;

// A variation's arrays and rules, ready to be computed row by row.
typedef struct {
    JudgeProblem problem;
    JudgeRules rules;
    const double *theirs;
} Hypothesis;
Hypothesis hypothesis_of(const HypothesisCase *c, Reinterpretations *views, const CauseVariation *v);
const double *hypothesis_row(const Hypothesis *t, const HypothesisCase *c, JudgeRow *scratch, size_t row);
JudgeRow hypothesis_room(Arena *arena, const HypothesisCase *c); // scratch for one thread

// Evaluates on `most` rows of the sample, starting at `middle`. `hasty`: stops at the first row that does not fit.
HypothesisResult hypothesis_on_sample(const HypothesisSample *s, const CauseVariation *v, JudgeRow *scratch, int most,
                                      bool hasty);

// Evaluates on every row. marks (rows) may be NULL; it receives the state of each row. HURT: right only without the
// variation.
enum { HYPOTHESIS_ROW_RIGHT = 1, HYPOTHESIS_ROW_MENDED = 2, HYPOTHESIS_ROW_WRONG = 4, HYPOTHESIS_ROW_HURT = 8 };
HypothesisResult hypothesis_on_all(const HypothesisSample *s, const CauseVariation *v, unsigned char *marks);

#endif
