// The command line of attend.
#ifndef JUDGE_OPTIONS_H
#define JUDGE_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>

typedef struct {
    const char *q, *k, *v, *lengths, *layout, *kernel;                 // NULL: not given
    const char *out, *weights, *lse, *compare, *compare_weights, *compare_lse;
    int         heads, kv_heads, window, sinks;
    double      scale, rtol, atol;
    bool        causal, alibi, help, has_scale, has_rtol, has_atol;
} Options;

// false: a sentence about the flag that is wrong or missing. With --help nothing else is asked for.
bool options_read(Options *options, int argc, char **argv, Error *error);

void options_help(void);                             // on stdout

#endif
