// Which mistake gives these numbers? Found by making each of them, and comparing.
#ifndef JUDGE_DIAGNOSIS_H
#define JUDGE_DIAGNOSIS_H

#include "judge/hypothesis.h"

enum { DIAGNOSIS_MOST_FINDINGS = 6, DIAGNOSIS_MOST_CAUSES = 3 };

typedef struct {
    const char *names[DIAGNOSIS_MOST_CAUSES]; // of one cause or several together; NULL behind the last
    double numbers[DIAGNOSIS_MOST_CAUSES];    // of those that have one
    const char *words;                        // a line for each
    enum { DIAGNOSIS_EXPLAINS, DIAGNOSIS_IN_PART, DIAGNOSIS_ALL_BUT, DIAGNOSIS_CLOSER } how;
    // DIAGNOSIS_IN_PART: some rows, and the others are right; DIAGNOSIS_ALL_BUT: all rows
    // but a few; CLOSER: it explains nothing fully
    JudgePrecision precision; // CLOSER, and computed in this precision it would explain
    Comparison left;          // theirs against the mistaken result
    double share;             // of the error that remains
    size_t rows;              // DIAGNOSIS_IN_PART: that are explained; DIAGNOSIS_ALL_BUT: that are not
    const char *where;        // those rows
} DiagnosisFinding;

typedef struct {
    const char *alike;                                  // "your output is all zero"; then nothing else is looked for
    DiagnosisFinding findings[DIAGNOSIS_MOST_FINDINGS]; // the best first, all of one kind
    int count, more;                                    // so many more would explain as well
    JudgePrecision precision;                           // not EXACT: an error no larger than this precision leaves
    bool precision_shows;                               // and theirs has only numbers of that precision
    double rounding;                                    // what it would leave, as a relative error
    int tried, pairs, triples;                          // causes, two and three of them together
    size_t rows, of;                                    // rows compared for each cause, of how many there are
} Diagnosis;

void diagnosis_of(Diagnosis *out, Arena *arena, const HypothesisCase *c);

#endif
