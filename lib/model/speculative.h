// Chapter 21. Speculative decoding: a draft says how it may go on, the target looks at all of it in one step, and keeps
// what it may. The text is distributed exactly as if the target had written it alone.
//
//     p, q      chances of the next token: the target's, the draft's
//     γ         tokens that are drafted for a step of the target
//     x ~ q     is kept with the chance min(1, p(x) / q(x)); else a token is drawn from the rest, max(0, p − q)
//
// What is not here: trees of drafts, several sequences at once, drafts that share layers with the target.
// [Leviathan, Kalman and Matias 2023, arXiv:2211.17192; Chen et al. 2023, arXiv:2302.01318]
#ifndef MODEL_SPECULATIVE_H
#define MODEL_SPECULATIVE_H

#include "model/decode.h"
#include "model/sample.h"

// ---- one token

// p, q (n), Σ 1 each; `drafted` was drawn from q. Answers the token to go on with. *kept: it is the drafted one, and
// what was drafted behind it may be looked at.
typedef int SpeculativeRule(bool *kept, const double *p, const double *q, int n, int drafted, Random *random);

SpeculativeRule speculative_rule; // the right one; others are there to be found out

double speculative_overlap(const double *p, const double *q, int n);          // Σ min(p, q): the chance to be kept
void speculative_rest(double *rest, const double *p, const double *q, int n); // max(0, p − q), Σ 1 − overlap

// ---- `count` drafted tokens

// p (count + 1, n), one row behind the other, q (count, n) → tokens (count + 1): those that are kept, and one more, of
// the rest, or, if all are kept, of the last row of p. Answers how many are kept.
int speculative_check(int *tokens, const double *p, const double *q, const int *drafted, int count, int n,
                      SpeculativeRule *rule, Random *random);

// ---- drafts

// What is asked of a draft: up to `most` tokens that may follow tokens[0 … length − 1], of 0 … words − 1.
typedef struct {
    const int *tokens;
    int length, most, words;
    Sampling how;
    Random *random;
} SpeculativeAsked;

// drafted (most), and q (most, words): the chances that each was drawn with. Answers how many there are.
typedef struct {
    void *context;
    int (*propose)(void *context, int *drafted, double *q, const SpeculativeAsked *asked);
} SpeculativeDraft;

// A smaller model, of the same words. It remembers the text that it was asked to go on with, and its drafts as far as
// they were kept: what it was fed beyond that is taken back (decoder_truncate) when it is asked again.
SpeculativeDraft speculative_by_model(Decoder *decoder);

// The text itself: where its last `longest` tokens stood before, the last time, and if they never did, one fewer, and
// so on; what followed there is proposed, with a chance of 1. [Saxena 2023, prompt lookup decoding]
typedef struct {
    int longest;
} SpeculativeLookUp;
SpeculativeDraft speculative_by_look_up(SpeculativeLookUp *look_up);

// ---- decoding

typedef struct {
    Decoder *target;
    SpeculativeDraft draft;
    int gamma; // ≥ 0; 0: the target alone
    Sampling how;
    SpeculativeRule *rule;
    Random random;
    int *drafted;                           // (γ)            of the last round
    double *p, *q;                          // (γ + 1, words) (γ, words)
    int64_t rounds, proposed, tested, kept; // tested: kept, or the first that was not
} Speculation;

// By the right rule. The target's outputs must be its words.
Speculation speculative_new(Arena *arena, Decoder *target, SpeculativeDraft draft, int gamma, Sampling how,
                            uint64_t seed);

// One step of the target: 1 … γ + 1 tokens more behind tokens[0 … length − 1], length ≥ 1, and never more than `most`
// in all. Answers the new length. The target has been fed all but the last of them then: what was not kept is taken
// back.
int speculative_round(Speculation *s, int *tokens, int length, int most);

void speculative_continue(Speculation *s, int *tokens, int length, int most); // rounds, until there are `most`

#endif
