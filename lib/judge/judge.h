// The judge: attention in float64 from the definition, in loops that share nothing with lib/attention.
//
// It goes row by row, and it can also do it wrong on purpose: `Rules` has a field for every usual mistake, and whoever
// makes one is recognised by the numbers (diagnosis.h). With those fields at 0 the judge is right.
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct { int B, H, G, T, S, d, dv; } Shape;

// Inputs without gaps, in this order of axes whatever the file's: q (B, H, T, d), k (B, G, S, d), v (B, G, S, dv).
typedef struct {
    Shape         is;
    const double *q, *k, *v;
    const int    *lengths;                           // (B) real keys of each sequence; NULL: all S
} Problem;

typedef enum { EXACT, FLOAT32, FLOAT16, BFLOAT16 } Precision;

typedef struct {
    bool      causal, alibi;
    int       window, sinks;                         // window 0: none
    double    scale;                                 // of q · k

    // Mistakes. All are 0 where there are none.
    enum { BOTTOM_RIGHT, TOP_LEFT, BY_OWN_LENGTH } position;           // of query i among the keys
    int       shift;                                 // the causal mask lets keys up to p + shift through
    bool      future;                                // the causal mask lets later keys through, not earlier ones
    bool      inverted;                              // what is hidden is seen, what is seen is hidden
    bool      padding_seen;                          // the lengths are ignored
    enum { SCORE_MINUS_INFINITY, SCORE_ZERO, WEIGHT_ZERO } hidden;     // how a key out of sight is hidden
    enum { ROW_ZERO, ROW_NAN, ROW_MEAN } empty;      // what a query without keys gets
    enum { OVER_KEYS, OVER_QUERIES, OVER_HEADS, UNDIVIDED, UNDIVIDED_PLAIN, TWICE, NO_SOFTMAX } softmax;
                                                     // UNDIVIDED_PLAIN: exp s, not exp(s − max)
    enum { SLOPES_PAPER, SLOPES_FROM_ONE, SLOPES_POSITIVE, SLOPES_OF_POWERS, SLOPES_SIGNED } slopes;
    enum { BLOCKS, ROUND_ROBIN, ONLY_FIRST } k_head, v_head;           // which key head query head h reads
    bool      k_reshaped;                            // k's memory is taken for (d, S), where it should be transposed
    bool      k_for_v;
    bool      unsplit;                               // one score for all heads: their products are added. G must be H
    Precision precision;                             // scores, weights and outputs are rounded to this
} Rules;

// Query i of head h in sequence b. out (dv) and weights (S) are written; lse may be NULL. `columns` is NULL except for
// OVER_QUERIES, which needs the logsumexp of every column from judge_columns.
void judge_row(double *out, double *weights, double *lse, const Problem *p, const Rules *rules, const double *columns,
               int b, int h, int i);
void judge_columns(double *columns, const Problem *p, const Rules *rules, int b, int h);               // (S)

// All of it: out (B, H, T, dv), lse (B, H, T), weights (B, H, T, S); lse and weights may be NULL. Heads are spread over
// the processors. A bar shows the progress when it takes long and stderr is a terminal.
typedef struct { double *out, *lse, *weights; } Judged;
void judge_all(Judged to, const Problem *p, const Rules *rules);

// How many queries see no key, and the slope that the rules give head h.
size_t judge_empty_rows(const Problem *p, const Rules *rules);
double judge_slope(const Rules *rules, int h, int H);

double judge_rounded(double x, Precision to);              // to nearest, ties to even; beyond the range: ±INFINITY

#endif
