// The judge: attention in float64 from the definition, in loops that share nothing with lib/attention.
//
// It goes row by row, and it can also do it wrong on purpose: `Rules` has a field for every usual mistake, and whoever
// makes one is recognised by the numbers (diagnosis.h). With those fields at 0 the judge is right.
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int B, H, G, T, S, d, dv;
} JudgeShape;

// Inputs without gaps, in this order of axes whatever the file's: q (B, H, T, d), k (B, G, S, d), v (B, G, S, dv).
typedef struct {
    JudgeShape is;
    const double *q, *k, *v;
    const int *lengths; // (B) real keys of each sequence; NULL: all S
} JudgeProblem;

typedef enum { JUDGE_EXACT, JUDGE_FLOAT32, JUDGE_FLOAT16, JUDGE_BFLOAT16 } JudgePrecision;

// Whose head, sequence or length is taken for one's own. JUDGE_IN_TURN deals key heads out to query heads, h % G, and lengths
// to heads, (b · H + h) % B. JUDGE_BY_GROUPS: h / G.
typedef enum {
    JUDGE_OWN,
    JUDGE_FIRST,
    JUDGE_NEXT,
    JUDGE_BEFORE,
    JUDGE_REVERSED,
    JUDGE_IN_TURN,
    JUDGE_BY_GROUPS
} JudgeIndexMistake;

// How a key out of sight is hidden (COUNTED: with score 0, and nothing is taken of its value); what an online softmax
// forgets when a tile brings a larger maximum.
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
    int window, sinks; // window 0: none
    double scale;      // of q · k

    // Mistakes. All are 0 where there are none. First: which keys a query sees.
    enum { JUDGE_BOTTOM_RIGHT, JUDGE_TOP_LEFT, JUDGE_BY_OWN_LENGTH } position; // of query i among the keys
    int shift;                           // the causal mask lets keys up to p + shift through
    int causal_tile;                     // of so many keys: all of a query's own is seen; −: only if full
    bool self_hidden;                    // a query does not see the key at its own position
    bool future;                         // the causal mask lets later keys through, not earlier ones
    bool inverted;                       // what is hidden is seen, what is seen is hidden
    bool window_behind;                  // the window hides only what is behind
    bool window_blocks;                  // keys are cut into blocks as large as the window
    bool sinks_ahead;                    // the sinks are seen from before them too
    bool padding_seen, padding_in_front; // the lengths are ignored; the filler stands before the keys
    JudgeIndexMistake length_of;         // which sequence's length counts
    int longer;                          // every length is so many keys too long
    int skip_first, skip_last;           // so many keys are left out of the loop over the keys
    JudgeHiddenBy hidden;
    bool only_filler;    // only the filler is hidden so, by `hidden`
    double hidden_score; // what a hidden key's score is set to, or what is added to it
    enum { JUDGE_ROW_ZERO, JUDGE_ROW_NAN, JUDGE_ROW_MEAN } empty; // what a query without keys gets

    // Scores.
    JudgeIndexMistake q_head, k_head, v_head, q_sequence, k_sequence, v_sequence;
    int q_ahead, k_ahead, v_ahead; // key or value j + so many is read for j, past the end the first
    int d_skip_first, d_skip_last; // so many columns are left out of q · k
    double cap;                    // s becomes cap · tanh(s / cap); 0: it does not
    bool base2;                    // 2^s is taken for exp s
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
    bool alibi_signed, alibi_scaled; // p − j without |…|; multiplied with the scale as q · k is

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
    // JUDGE_UNDIVIDED_PLAIN: exp s, not exp(s − max); JUDGE_OVER_ALL: one head
    double below, below_plain;        // added to the sum of exp(s − max), or of exp s
    int sum_skip_last, mix_skip_last; // so many keys are left out of the sum, of the mixture
    JudgeTiles tiles;
    int tile;                 // so many keys
    JudgePrecision precision; // scores, weights and outputs are rounded to this

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
    bool padded_zero;   // rows behind the sequence's length are 0
    double times, plus; // times 0: 1
} JudgeRules;

// One query's results, and what computing them needs. The arrays are overwritten by the next query.
typedef struct {
    double *out, *weights, lse;      // (dv), (S)
    bool *seen;                      // (S) is the key in sight?
    double *norms, *other, *largest; // (S) for a softmax over another axis: a logsumexp of each column
    bool *other_seen;
    int for_b, for_h, for_i; // which `norms` these are; −1: none yet
} JudgeRow;

JudgeRow judge_row_new(Arena *arena, JudgeShape is);
void judge_row(JudgeRow *to, const JudgeProblem *p, const JudgeRules *rules, int b, int h, int i);

// Every query, spread over the processors in `judge_items` pieces. `visit` is called for the rows of one piece one
// after the other, always in the same order; other pieces may be under way.
typedef void JudgeVisit(void *context, int item, int b, int h, int i, const JudgeRow *row);
int judge_items(const JudgeProblem *p, const JudgeRules *rules);
void judge_each(const JudgeProblem *p, const JudgeRules *rules, JudgeVisit *visit, void *context);

// All of it: out (B, H, T, dv), lse (B, H, T), weights (B, H, T, S); lse and weights may be NULL. A bar shows the
// progress when it takes long and stderr is a terminal.
typedef struct {
    double *out, *lse, *weights;
} Judged;
void judge_all(Judged to, const JudgeProblem *p, const JudgeRules *rules);

// false with a sentence when inputs that are all finite have given NaN or Inf, because a product was too large for
// float64, or for float32 if `computed` is by a kernel.
bool judge_held(const JudgeProblem *p, Judged computed, const char *by, Error *error);

// How many queries see no key, and the slope that the rules give head h.
size_t judge_empty_rows(const JudgeProblem *p, const JudgeRules *rules);
double judge_slope(const JudgeRules *rules, int h, int H, int G);
int judge_index_mistake(JudgeIndexMistake whose, int own, int count); // OWN to REVERSED, of `count`
int judge_position(const JudgeProblem *p, const JudgeRules *rules, int b, int i);

double judge_rounded(double x, JudgePrecision to); // to nearest, ties to even; beyond the range: ±INFINITY

#endif
