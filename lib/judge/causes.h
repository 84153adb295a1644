// The known mistakes (causes), each as a change of the judge's rules or of how an array is read. causes_list.h defines
// them.
#ifndef JUDGE_CAUSES_H
#define JUDGE_CAUSES_H

#include "judge/judge.h"

// A hypothesis about the tested program, as far as the judge can reproduce it. q_as, k_as, v_as: how an array is
// reinterpreted (reinterpretation.h), such as "thd>htd": memory in one order of axes was read in another. NULL: it was
// not.
typedef struct {
    JudgeRules rules;
    const char *q_as, *k_as, *v_as; // of the inputs
    const char *out_back;           // reinterpretation of the output that undoes the mistake
    bool q_k_swapped, k_v_swapped;  // two arrays of the same shape were exchanged
    const char *order;              // "kvq": k is used as q, v as k, q as v; NULL: no permutation
    int heads;                      // number of heads that the columns are split into; 0: H
} CauseVariation;

// The problem that the tested program should have solved.
typedef struct {
    JudgeShape is;
    JudgeRules rules;
    bool has_lengths, has_scale, is_output;
    const char *memory;
    bool is_lse;
} CauseSetting;

// Some causes have a parameter, which is a field of the rules: one of a few integers (a tile size, a window), or a real
// number that is fitted (a scale).
typedef enum { CAUSE_NO_NUMBER, CAUSE_TILE, CAUSE_SMALL_WHOLE, CAUSE_FITTED } CauseParameter;

typedef struct {
    const char *name;                                                     // identifier, for tests and scripts
    const char *words;                                                    // description; %g is its number
    bool (*apply)(CauseVariation *, const CauseSetting *, double number); // false: has no effect on this problem
    CauseParameter number;
    double from, to, steps; // CAUSE_FITTED: grid of the first search: bounds and number of points;
    bool by_factor;         // geometric grid, else linear
} Cause;

// Do the second cause's changes leave those of the first intact? Otherwise the second replaces the first, and they are
// not a pair.
bool cause_is_another(const CauseVariation *first, const CauseVariation *both, const CauseSetting *asked);

extern const Cause cause_table[];
extern const int cause_count;

#endif
