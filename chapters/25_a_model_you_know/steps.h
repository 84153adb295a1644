// Chapter 25. What its steps share, and the steps.
#ifndef CHAPTER_25_STEPS_H
#define CHAPTER_25_STEPS_H

#include "language/documents.h"
#include "tokenizer/tokenizer.h"
#include "lesson/export_hf.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/pretrained_run.h"

// What the flags say.
typedef struct {
    const char *program, *model, *text, *keep;
    bool own_text;
    int period;
} Asked;

// ---- steps_0_models.c: what the steps read

// Model C, as the book has it and as a folder; and a document that it reads.
typedef struct {
    Transformer model;
    PretrainedModel *published;
    Tokenizer *tokenizer;
    DocumentSample document;
    int T; // positions: the last word is only an answer
} Subject;
Subject subject(Lesson *lesson, const char *program);

// Random numbers of their own for each `start`, and for each --seed; with seed 1, the default, random_from(start).
// Nothing in this chapter draws from lesson->random itself.
Random random_of(const Lesson *lesson, uint64_t start);

// What steps 9 and 10 look at: the reader's own, or model C.
typedef struct {
    const PretrainedModel *model;
    const Tokenizer *tokenizer;
    bool ours;
} Own;
Own own_model(Lesson *lesson, const char *folder);

// The text as tokens that the model has; else the program ends with a sentence.
TokenList tokens_of(Lesson *lesson, const Own *own, const char *text);

// Chapter 09's model A, which has no MLP, saved as a LLaMA whose MLP adds nothing. off: how far its logits are from
// those of the book's own run.
Own model_a(Lesson *lesson, const char *program, double *off);

// A GPT-2 of random numbers, whose matrices have deviations of `size` / √(rows); each `start` is another one.
typedef struct {
    PretrainedModel *published;
    int tokens[24], T;
} Random2;
Random2 random_gpt2(Lesson *lesson, double size, unsigned start);

// A model that differs from another in what one says of it: its layers may be written to, its weights are the same.
PretrainedModel *look_alike(Arena *arena, const PretrainedModel *model);
Mat all_logits(Arena *arena, const PretrainedModel *model, const int *tokens, int T); // (T, words)
double off_by(Mat got, Mat want);                                                     // max |got − want| / max |want|

// ---- steps_3_blocks.c
void figure_blocks(Lesson *lesson);

// ---- the steps
void a_folder(Lesson *lesson, const Subject *c);                                           // 1
void the_same_logits(Lesson *lesson, const Subject *c);                                    // 2
void table_of_families(Lesson *lesson);                                                    // 3
void silent_configs(Lesson *lesson);                                                       // 4
void one_wrong_switch(Lesson *lesson, const Subject *c);                                   // 5
void too_small_to_see(Lesson *lesson);                                                     // 6
void what_is_refused(Lesson *lesson, const Subject *c);                                    // 7
void tokens_by_merges(Lesson *lesson);                                                     // 8
void heads_and_jobs(Lesson *lesson, const Subject *c, const Own *own, const Asked *asked); // 9
void your_own(Lesson *lesson, const Own *own, const Asked *asked);                         // 10

#endif
