// Diagnosis: which known mistake reproduces the wrong numbers? Every cause is simulated and compared.
#ifndef JUDGE_DIAGNOSIS_H
#define JUDGE_DIAGNOSIS_H

#include "judge/hypothesis.h"

enum { DIAGNOSIS_MOST_FINDINGS = 6, DIAGNOSIS_MOST_CAUSES = 3 };

typedef struct {
    const char *names[DIAGNOSIS_MOST_CAUSES]; // of the causes that act together; NULL-terminated
    double numbers[DIAGNOSIS_MOST_CAUSES];    // parameters of the causes that have one
    const char *words;                        // one line per cause
    enum { DIAGNOSIS_EXPLAINS, DIAGNOSIS_IN_PART, DIAGNOSIS_ALL_BUT, DIAGNOSIS_CLOSER } how;
    // IN_PART: explains some rows, the others are right; ALL_BUT: explains all rows
    // but a few; CLOSER: reduces the error without explaining it
    JudgePrecision precision; // CLOSER: computed in this precision it would explain everything
    Comparison left;          // theirs compared with the simulated mistake
    double share;             // share of the error that remains
    size_t rows;              // IN_PART: rows explained; ALL_BUT: rows not explained
    const char *where;        // description of these rows
} DiagnosisFinding;

typedef struct {
    const char *alike;                                  // "your output is all zero": no search is made
    DiagnosisFinding findings[DIAGNOSIS_MOST_FINDINGS]; // best first, all with the same `how`
    int count, more;                                    // more: number of further causes that explain as well
    JudgePrecision precision;                           // not EXACT: the error is no larger than this precision causes
    bool precision_shows;                               // and all numbers of theirs are representable in it
    double rounding;                                    // relative error that this precision causes
    int tried, pairs, triples;                          // number of single causes, pairs and triples tried
    size_t rows, of;                                    // rows compared for each cause; rows in total
} Diagnosis;

void diagnosis_of(Diagnosis *out, Arena *arena, const HypothesisCase *c);

#endif
