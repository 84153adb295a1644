// Which mistake gives these numbers? Found by making each of them, and comparing.
#ifndef JUDGE_DIAGNOSIS_H
#define JUDGE_DIAGNOSIS_H

#include "judge/causes.h"
#include "judge/compare.h"

// What is out of tolerance: an output (width dv), weights (width S) or a logsumexp (width 1), both (B, H, T, width).
typedef struct {
    const Problem *problem;
    Setting        setting;
    enum { OUTPUT, WEIGHTS, LOGSUMEXP } what;
    const double  *theirs, *ours;
    Tolerance      tolerance;
    Comparison     found;          // of these two
} Case;

enum { MOST_FINDINGS = 3 };

typedef struct {
    const char *name, *other;      // of one cause, or of two together; "heads-moved" and "multiplied" have none
    const char *words;             // one line, two for two causes
    bool        fits;              // it reproduces everything that was compared
    Precision   precision;         // computed in this precision it would
    Comparison  left;              // theirs against the mistaken result
    double      share;             // of the error that remains, where it does not fit
} Finding;

typedef struct {
    Finding   findings[MOST_FINDINGS];               // the best first
    int       count;
    bool      reproduces;          // the findings give theirs, at least on the rows tried
    Precision precision;           // not EXACT: no mistake, but arithmetic of this precision
    double    rounding;            // what that precision would leave here, as a relative error
    int       tried, pairs;        // causes, and two of them together
    size_t    rows, of;            // rows compared for each cause, of how many there are
} Diagnosis;

int    diagnosis_width(const Case *c);
void   diagnose(Diagnosis *out, Arena *arena, const Case *c);

#endif
