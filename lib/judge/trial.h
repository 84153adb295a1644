// One variation held against theirs: on some rows, or on all.
#ifndef JUDGE_TRIAL_H
#define JUDGE_TRIAL_H

#include "judge/causes.h"
#include "judge/compare.h"
#include "judge/views.h"

// What is out of tolerance: an output (width dv), weights (width S) or a logsumexp (width 1), both (B, H, T, width).
typedef struct {
    const Problem *problem;
    Setting setting;
    enum { OUTPUT, WEIGHTS, LOGSUMEXP } what;
    const double *theirs, *ours;
    Tolerance tolerance;
    Comparison found; // of these two
} Case;

int trial_width(const Case *c);

// The rows that every cause is tried on: all where that is little work, else some that are wrong, more of them in the
// head with the worst element, and some at random.
typedef struct {
    const Case *c;
    Views *views;
    size_t *rows;           // indices b · H · T + h · T + i, rising
    Comparison *plain_rows; // theirs with ours there
    int count, middle;      // middle: of those that are wrong, the one with the median error
    size_t of, worst_head;  // of how many rows; b · H + h
    Comparison plain;       // and on all of them
} Sample;

Sample trial_sample(Arena *arena, const Case *c, Views *views);

// What a variation leaves, how many rows it mends that are wrong as they are, and how many are wrong with it and
// without. misfits: wrong with it, though some may be right without. before, after: Σ (theirs − ours)² of the rows
// that it mends.
typedef struct {
    Comparison left;
    size_t mends, neither, misfits;
    double before, after;
} Tried;

// The arrays and rules of a variation, to be computed row by row.
typedef struct {
    Problem problem;
    Rules rules;
    const double *theirs;
} Trial;
Trial trial_of(const Case *c, Views *views, const Variation *v);
const double *trial_row(const Trial *t, const Case *c, JudgeRow *room, size_t row);
JudgeRow trial_room(Arena *arena, const Case *c); // for one thread

// On the first `most` rows of the sample, beginning in the middle. `hasty`: up to the first that does not fit.
Tried trial_on_sample(const Sample *s, const Variation *v, JudgeRow *room, int most, bool hasty);

// On every row. marks (rows) may be NULL: what became of each, ROW_HURT where it is right without the variation alone.
enum { ROW_RIGHT = 1, ROW_MENDED = 2, ROW_WRONG = 4, ROW_HURT = 8 };
Tried trial_on_all(const Sample *s, const Variation *v, unsigned char *marks);

#endif
