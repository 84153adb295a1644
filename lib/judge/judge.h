// The judge: reference attention in float64, from the definition, sharing no loops with lib/attention.
//
// It can also reproduce mistakes: JudgeRules has a field for every known mistake, so a wrong program is recognised by
// its numbers (diagnosis.h). With these fields at 0 the result is correct.
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int B, H, G, T, S, d, dv;
} JudgeShape;

// Contiguous inputs, always in this order of axes: q (B, H, T, d), k (B, G, S, d), v (B, G, S, dv).
typedef struct {
    JudgeShape is;
    const double *q, *k, *v;
    const int *lengths; // (B) number of keys of each sequence, without padding; NULL: all S
} JudgeProblem;

typedef enum { JUDGE_EXACT, JUDGE_FLOAT32, JUDGE_FLOAT16, JUDGE_BFLOAT16 } JudgePrecision;

// Which head, sequence or length is used instead of the correct one. JUDGE_IN_TURN: query head h uses key head h % G,
// and the lengths are assigned by (b · H + h) % B. JUDGE_BY_GROUPS: h / G.
typedef enum {
    JUDGE_OWN,
    JUDGE_FIRST,
    JUDGE_NEXT,
    JUDGE_BEFORE,
    JUDGE_REVERSED,
    JUDGE_IN_TURN,
    JUDGE_BY_GROUPS
} JudgeIndexMistake;

// JudgeHiddenBy: how a masked key is hidden (JUDGE_COUNTED: its score is 0 and counts in the sum, but its value is not
// added). JudgeTiles: which rescaling an online softmax omits when a tile brings a larger maximum.
typedef enum {
    JUDGE_SCORE_MINUS_INFINITY,
    JUDGE_SCORE_SET,
    JUDGE_SCORE_ADDED,
    JUDGE_WEIGHT_ZERO,
    JUDGE_COUNTED
} JudgeHiddenBy;
typedef enum {
    JUDGE_TILES_RIGHT,
    JUDGE_OUT_UNSCALED,
    JUDGE_SUM_UNSCALED,
    JUDGE_BOTH_UNSCALED,
    JUDGE_CORRECTED_UP,
    JUDGE_TILES_ALONE
} JudgeTiles;

typedef struct {
    bool causal, alibi;
    int window, sinks; // window 0: no window
    double scale;      // of q · k

    // Mistakes; 0: not made. First: which keys a query sees.
    enum { JUDGE_BOTTOM_RIGHT, JUDGE_TOP_LEFT, JUDGE_BY_OWN_LENGTH } position; // of query i among the keys
    int shift;                           // causal mask: keys up to p + shift are visible
    int causal_tile;                     // causal mask by tiles of n keys: n: own tile visible; −n: only if full
    bool self_hidden;                    // the key at the query's own position is hidden
    bool future;                         // the causal mask hides earlier keys instead of later ones
    bool inverted;                       // the mask is inverted
    bool window_behind;                  // the window hides only keys behind it, none ahead
    bool window_blocks;                  // block-local attention: blocks as large as the window
    bool sinks_ahead;                    // sinks are visible to earlier queries
    bool padding_seen, padding_in_front; // lengths are ignored; padding is on the left
    JudgeIndexMistake length_of;         // whose length is used
    int longer;                          // added to every length
    int skip_first, skip_last;           // number of keys that the loop over keys omits
    JudgeHiddenBy hidden;
    bool only_filler;                                             // `hidden` applies to padding only
    double hidden_score;                                          // score of a hidden key, or what is added to it
    enum { JUDGE_ROW_ZERO, JUDGE_ROW_NAN, JUDGE_ROW_MEAN } empty; // weights of a query without keys

    // Scores.
    JudgeIndexMistake q_head, k_head, v_head, q_sequence, k_sequence, v_sequence;
    int q_ahead, k_ahead, v_ahead; // index offset added to j, modulo S (off-by-n reads)
    int d_skip_first, d_skip_last; // number of dimensions that q · k omits
    double cap;                    // soft cap: cap · tanh(s / cap); 0: none
    bool base2;                    // 2^s instead of exp s
    enum {
        JUDGE_SLOPES_PAPER,
        JUDGE_SLOPES_FROM_ONE,
        JUDGE_SLOPES_OF_POWERS,
        JUDGE_SLOPES_REVERSED,
        JUDGE_SLOPES_OF_KEY_HEADS,
        JUDGE_SLOPES_ONE,
        JUDGE_SLOPES_HALVES
    } slopes;
    double slope_times;              // 0: 1
    bool alibi_signed, alibi_scaled; // p − j without |…|; the bias is multiplied by the scale too

    // Softmax.
    enum {
        JUDGE_OVER_KEYS,
        JUDGE_OVER_QUERIES,
        JUDGE_OVER_HEADS,
        JUDGE_OVER_BATCH,
        JUDGE_OVER_ALL,
        JUDGE_UNDIVIDED,
        JUDGE_UNDIVIDED_PLAIN,
        JUDGE_TWICE,
        JUDGE_NO_SOFTMAX,
        JUDGE_SIGMOID,
        JUDGE_HARD_MAX,
        JUDGE_SHARES,
        JUDGE_RELU,
        JUDGE_LOG_SOFTMAX,
        JUDGE_OWN_KEY,
        JUDGE_RELU_SHARES,
        JUDGE_SIGMOID_SHARES
    } softmax;
    // JUDGE_UNDIVIDED_PLAIN: exp s, not exp(s − max); JUDGE_OVER_ALL: over one head
    double below, below_plain;        // added to the denominator Σ exp(s − max), or to Σ exp s
    int sum_skip_last, mix_skip_last; // number of keys that the denominator, the weighted sum omits
    JudgeTiles tiles;
    int tile;                 // keys per tile
    JudgePrecision precision; // precision of scores, weights and outputs

    // The logsumexp, and outputs.
    enum {
        JUDGE_LSE_RIGHT,
        JUDGE_LSE_BASE_2,
        JUDGE_LSE_BASE_10,
        JUDGE_LSE_WITHOUT_MAX,
        JUDGE_LSE_LESS_MAX,
        JUDGE_LSE_MAX,
        JUDGE_LSE_SUM,
        JUDGE_LSE_SUM_WITHOUT_MAX,
        JUDGE_LSE_NEGATIVE
    } lse;
    bool k_for_v, v_for_k;
    enum { JUDGE_NO_RESIDUAL, JUDGE_PLUS_Q, JUDGE_PLUS_V } residual;
    bool padded_zero;   // output rows beyond the sequence's length are 0
    double times, plus; // times 0: 1
} JudgeRules;

// Results and scratch of one query. The next query overwrites the arrays.
typedef struct {
    double *out, *weights, lse;      // (dv), (S)
    bool *seen;                      // (S) is the key visible?
    double *norms, *other, *largest; // (S) for a softmax over another axis: logsumexp of each column
    bool *other_seen;
    int for_b, for_h, for_i; // indices that `norms` belongs to; −1: not computed
} JudgeRow;

JudgeRow judge_row_new(Arena *arena, JudgeShape is);
void judge_row(JudgeRow *to, const JudgeProblem *p, const JudgeRules *rules, int b, int h, int i);

// Computes every query in parallel, in `judge_items` work items. `visit` is called for the rows of an item in a fixed
// order; items run concurrently.
typedef void JudgeVisit(void *context, int item, int b, int h, int i, const JudgeRow *row);
int judge_items(const JudgeProblem *p, const JudgeRules *rules);
void judge_each(const JudgeProblem *p, const JudgeRules *rules, JudgeVisit *visit, void *context);

// Computes out (B, H, T, dv), lse (B, H, T) and weights (B, H, T, S); lse and weights may be NULL. Shows a progress bar
// on a terminal.
typedef struct {
    double *out, *lse, *weights;
} Judged;
void judge_all(Judged to, const JudgeProblem *p, const JudgeRules *rules);

// Overflow check: false with a message if all inputs are finite but the result is not, because a product exceeded
// float64, or float32 if a kernel computed it. `by`: who computed it.
bool judge_held(const JudgeProblem *p, Judged computed, const char *by, Error *error);

// Number of queries that see no key; the ALiBi slope of head h.
size_t judge_empty_rows(const JudgeProblem *p, const JudgeRules *rules);
double judge_slope(const JudgeRules *rules, int h, int H, int G);
int judge_index_mistake(JudgeIndexMistake whose, int own, int count); // for OWN … REVERSED, of `count` indices
int judge_position(const JudgeProblem *p, const JudgeRules *rules, int b, int i);

double judge_rounded(double x, JudgePrecision to); // round to nearest, ties to even; overflow: ±INFINITY

#endif
