// The usual mistakes, each as a change to the rules of the judge or to how an array is read.
#ifndef JUDGE_CAUSES_H
#define JUDGE_CAUSES_H

#include "judge/judge.h"

// What a program did, as far as the judge can imitate it. `was` and `taken` are orders of axes (arrays_reread): memory
// written in the one was taken for the other. NULL: it was not.
typedef struct {
    Rules       rules;
    const char *in_was, *in_taken;                   // of q, k and v, before
    const char *out_was, *out_taken;                 // of the output, after
    bool        q_k_swapped, k_v_swapped;            // of the same shape: one array taken for the other
} Variation;

// What was asked for.
typedef struct { Shape is; Rules rules; bool has_lengths, has_scale, is_output; const char *memory; } Setting;

typedef struct {
    const char *name;                                // short, for tests and for scripts
    const char *words;                               // what the program does instead
    bool      (*apply)(Variation *, const Setting *);                  // false: it would change nothing here
} Cause;

extern const Cause causes[];
extern const int causes_count;

#endif
