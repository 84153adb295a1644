// The command line of attend.
#ifndef JUDGE_OPTIONS_H
#define JUDGE_OPTIONS_H

#include "io/flags.h"

typedef struct {
    const char *q, *k, *v, *lengths, *layout, *kernel; // NULL: not given
    const char *out, *weights, *lse, *compare, *compare_weights, *compare_lse;
    int heads, kv_heads, window, sinks;
    double scale, rtol, atol;
    bool causal, alibi, has_scale, has_rtol, has_atol;
} AttendOptions;

// Like flags_read, then checks which flags require each other.
FlagsRead attend_options_read(AttendOptions *options, int argc, char **argv, Error *error);

#endif
