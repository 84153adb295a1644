// The usual mistakes, each as a change to the rules of the judge or to how an array is read. They stand in
// causes_list.h, one a line.
#ifndef JUDGE_CAUSES_H
#define JUDGE_CAUSES_H

#include "judge/judge.h"

// What a program did, as far as the judge can imitate it. An array may be read in another way (reinterpretation.h), such as
// "thd>htd": memory in the one order of axes was taken for the other. NULL: it was not.
typedef struct {
    JudgeRules rules;
    const char *q_as, *k_as, *v_as; // before
    const char *out_back;           // how their output is read to undo what was done to it
    bool q_k_swapped, k_v_swapped;  // of the same shape: one array taken for the other
    const char *order;              // "kvq": k is taken for q, v for k, q for v; NULL: none is
    int heads;                      // the columns of all heads split among so many; 0: H
} CauseVariation;

// What was asked for.
typedef struct {
    JudgeShape is;
    JudgeRules rules;
    bool has_lengths, has_scale, is_output;
    const char *memory;
    bool is_lse;
} CauseSetting;

// Some mistakes have a number: one of a few (a tile's size, a window), or any, which is then fitted (a scale). It
// stands in a field of the rules.
typedef enum { CAUSE_NO_NUMBER, CAUSE_TILE, CAUSE_SMALL_WHOLE, CAUSE_FITTED } CauseParameter;

typedef struct {
    const char *name;  // short, for tests and for scripts
    const char *words; // what the program does instead; %g for its number, if it has one
    bool (*apply)(CauseVariation *, const CauseSetting *, double number); // false: it would change nothing here
    CauseParameter number;
    double from, to, steps; // FITTED: a first look goes from … to in so many steps,
    bool by_factor;         // each a factor; else each as far as the last
} Cause;

// Two mistakes are two when the second leaves alone what the first has changed; else it takes the first one's place.
bool cause_is_another(const CauseVariation *first, const CauseVariation *both, const CauseSetting *asked);

extern const Cause cause_table[];
extern const int cause_count;

#endif
