// Chapter 21. Speculative decoding: a draft proposes tokens, the target verifies all of them in one step and accepts a
// prefix. The output has exactly the target's distribution.
//
//     p, q      probabilities of the next token under target and draft
//     γ         number of drafted tokens per target step
//     x ~ q     accepted with probability min(1, p(x) / q(x)); if rejected, a token is sampled from the residual
//               distribution, max(0, p − q) normalized
//
// Not implemented: draft trees, batches, drafts that share layers with the target.
// [Leviathan, Kalman and Matias 2023, arXiv:2211.17192; Chen et al. 2023, arXiv:2302.01318]
#ifndef MODEL_SPECULATIVE_H
#define MODEL_SPECULATIVE_H

#include "model/decode.h"
#include "model/sample.h"

// ---- one token

// p, q (n), Σ 1 each; `drafted` was sampled from q. Returns the next token. *kept: the drafted token was accepted, so the
// next drafted one can be verified.
typedef int SpeculativeRule(bool *kept, const double *p, const double *q, int n, int drafted, Random *random);

SpeculativeRule speculative_rule; // rejection sampling; other rules serve as counterexamples

double speculative_overlap(const double *p, const double *q, int n); // Σ min(p, q): the acceptance probability
void speculative_rest(double *rest, const double *p, const double *q, int n); // residual: max(0, p − q), Σ 1 − overlap

// ---- `count` drafted tokens

// Verifies p (count + 1, n) against q (count, n), row-major → tokens (count + 1): the accepted ones and one more, from
// the residual, or from the last row of p if all were accepted. Returns the number accepted.
int speculative_check(int *tokens, const double *p, const double *q, const int *drafted, int count, int n,
                      SpeculativeRule *rule, Random *random);

// ---- drafts

// Request to a draft: up to `most` tokens to follow tokens[0 … length − 1]; the vocabulary is 0 … words − 1.
typedef struct {
    const int *tokens;
    int length, most, words;
    Sampling how;
    Random *random;
} SpeculativeAsked;

// Writes drafted (most) and q (most, words), the distribution that each was sampled from. Returns the number of tokens.
typedef struct {
    void *context;
    int (*propose)(void *context, int *drafted, double *q, const SpeculativeAsked *asked);
} SpeculativeDraft;

// A draft model with the same vocabulary. It keeps its KV cache between calls and rolls back what was rejected
// (decoder_truncate).
SpeculativeDraft speculative_by_model(Decoder *decoder);

// Prompt lookup: finds the latest earlier occurrence of the last `longest` tokens, or else of fewer, and proposes what
// followed there, with probability 1. [Saxena 2023, prompt lookup decoding]
typedef struct {
    int longest;
} SpeculativeLookUp;
SpeculativeDraft speculative_by_look_up(SpeculativeLookUp *look_up);

// ---- decoding

typedef struct {
    Decoder *target;
    SpeculativeDraft draft;
    int gamma; // ≥ 0; 0: no drafting
    Sampling how;
    SpeculativeRule *rule;
    Random random;
    int *drafted;                           // (γ)            of the last round
    double *p, *q;                          // (γ + 1, words) (γ, words)
    int64_t rounds, proposed, tested, kept; // tested: accepted, or the first rejected
} Speculation;

// Uses speculative_rule. The target's outputs must be its vocabulary.
Speculation speculative_new(Arena *arena, Decoder *target, SpeculativeDraft draft, int gamma, Sampling how,
                            uint64_t seed);

// One target step: appends 1 … γ + 1 tokens to tokens[0 … length − 1], length ≥ 1, up to `most` in all. Returns the new
// length. Afterwards the target has been fed all tokens but the last; rejected ones are rolled back.
int speculative_round(Speculation *s, int *tokens, int length, int most);

void speculative_continue(Speculation *s, int *tokens, int length,
                          int most); // rounds until length is `most`

#endif
