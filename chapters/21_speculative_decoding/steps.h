// Chapter 21: what its steps share, and the steps.
#ifndef CHAPTER_21_STEPS_H
#define CHAPTER_21_STEPS_H

#include "base/cost.h"
#include "language/documents.h"
#include "lesson/verbs.h"
#include "model/speculative.h"

enum { DRAFTS = 2, PROMPT = 16, GAMMA_MOST = 8 };
extern const char *const draft_names[]; // "language-32", "language-16", "look-up", NULL

// What the flags say, and the models: the target, two drafts, and chapter 09's that copies.
typedef struct {
    Transformer target, draft[DRAFTS], copies;
    int which, gamma, documents, rounds; // which: of draft_names; rounds of timing
    Sampling how;
    const char *program, *folder;
    int prompt[DOCUMENT_T], P;
} Asked;

// ---- steps_0_texts.c: texts that are written, and what was counted

// A decoder for the target, one for the draft, and the speculation over both; `tokens` has room for DOCUMENT_T.
typedef struct {
    Decoder target, draft;
    SpeculativeLookUp look_up;
    Speculation s;
    int *tokens;
} Writer;

enum { LOOK_UP = DRAFTS, ALONE }; // which: a model; the text itself; nobody
Writer *writer_new(Arena *arena, const Asked *asked, int which, int gamma, Sampling how, uint64_t seed);
void document_begin(int *tokens, int nth); // DOCUMENT_T words of a fresh document

Cost step_cost(Transformer model, int known, int n); // of feeding n words behind `known` others

// What was counted while `documents` texts were written, from 16 words on to DOCUMENT_T.
typedef struct {
    double tokens, rounds, proposed, tested, kept;
} Counted;
Counted writer_counts(const Asked *asked, int which, int gamma, Sampling how, uint64_t seed);

// What a text of n tokens would have by formula, if every drafted token were kept with the chance alpha, whatever came
// before: tokens for each step of the target. [Leviathan et al. 2023, §3.1, equation 1]
double tokens_by_formula(double alpha, int gamma);

// Overlaps Σ min(p, q) along texts that the target has written alone, word by word.
typedef struct {
    double mean, neighbours;
    double of[DOCUMENT_T];
    int count;
} Overlaps;
Overlaps overlaps_of(const Asked *asked, int which, Sampling how, uint64_t seed); // `of`: those of the first text

// ---- the steps
void a_step_for_several(Lesson *lesson, const Asked *asked); // steps_1_round.c
void the_rule(Lesson *lesson);                               // steps_2_rule.c
void exactly(Lesson *lesson, const Asked *asked);            // steps_3_exact.c
void greedy(Lesson *lesson, const Asked *asked);
typedef double Tokens[DRAFTS][GAMMA_MOST]; // for each step of the target, at γ = 1 …, temperature 1
void tokens_a_step(Lesson *lesson, const Asked *asked, Tokens tokens); // steps_5_tokens.c
void taken_back(Lesson *lesson, const Asked *asked);                   // steps_6_back.c
void look_up(Lesson *lesson, const Asked *asked);                      // steps_5_tokens.c
void when_it_pays(Lesson *lesson, const Asked *asked, Tokens tokens);  // steps_8_pays.c

#endif
