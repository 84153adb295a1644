// Chapter 09. What its steps share, and the steps.
#ifndef CHAPTER_09_STEPS_H
#define CHAPTER_09_STEPS_H

#include "io/table.h"
#include "language/induction.h"
#include "language/head_roles.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/run.h"
#include "model/transformer.h"

enum { SENTENCES = 300, TWINS = 100, HEADS_MOST = 16, CONTROL_SEEDS = 5 };

// ---- steps_0_training.c: model A, its controls, and model B with other numbers of heads
enum { LOSS, OCCURRED, AMONG, PREVIOUS, INDUCTION, FALL_COLUMNS, BEFORE_IT = 300 };

// starts.tsv: a line for each of four other starts, all at step 300: the induction mass; the same when layer 0 looks at
// all tokens alike; and when it is silent.
enum { AS_IT_IS, ALIKE, ALONE, STARTS_COLUMNS, OTHER_STARTS = 4 };

// The mean weight that a head gives, at each place, to the token at place 4.
enum { NOTE_PLACES = 16 };
typedef struct {
    double at[NOTE_PLACES];
} Trail;

// Model A as it learns. `occurred`: the probability of all tokens that have occurred; `among`: the loss among them.
typedef struct {
    TableRows curve;                    // every 25 steps, named by the step; FALL_COLUMNS
    double even;                        // `among`, if they all had the same share
    InductionScores before;             // at step 300
    InductionScores flat, alike, alone; // then, when no head asks for anything; none of
    Trail early, late;                  // layer 0; layer 0 is silent. Step 300, and the last
} Fall;

Fall train_live(Lesson *lesson, int steps, int seed);        // 0: all
void retrain(Lesson *lesson, const char *folder);            // writes the tables of steps 3, 6 and 9
void train_control(Lesson *lesson, Config config, int seed); // one more row of step 6
void train_translator(Lesson *lesson, double bonus);         // model B for 450 steps, with another bonus

// controls.tsv: a line for each control and seed, the seeds of one control together.
enum { WHICH_SEED, RIGHT_OWN, RIGHT_CHUNKS, MASS_PREVIOUS, MASS_INDUCTION, COPIES, FELL, CONTROL_COLUMNS };

// A table that was computed before, in `folder`; or, when that is NULL, where the book's models are.
TableRows table_of(Lesson *lesson, const char *program, const char *folder, const char *name, int cols);

// ---- steps_0_translator.c: model B, and what its heads are worth
typedef struct {
    double argmax;
    int layer, head;
} Best;

typedef struct {
    Transformer model;
    bool shipped;                     // not --model: claims about the book's weights apply
    HeadScores (*scores)[HEADS_MOST]; // (L)
    HeadOffsets offsets;
    double accuracy;
    Best it;              // the head that finds what `it` stands for most often
    double output;        // twins: share of pairs with both glosses of `it` right
    HeadTwinScores twins; // … and what that head does
} Translator;

Translator translator_open(Lesson *lesson, const char *program, const char *path);
void translator_score(Translator *b);
double argmax_of(const Translator *b, int l, int h, GlossRelationKind kind);
Best best_of(const Translator *b, GlossRelationKind kind);

// A sentence as model B reads it, and what it says.
typedef struct {
    GlossedSentence s;
    Run run;
    Mat it;
    const char *const *words;
} Reading; // it: the map of its head

// ---- steps_0_json.c: what --json asks for
void write_json(Lesson *lesson, const Translator *b, const char *model, const char *path);

// ---- the steps
typedef struct {
    int previous, induction;
} Pair; // the two heads: of layer 0 and of layer 1

// What --tokens says: numbers for model A.
enum { TOKENS_MOST = 64 };
typedef struct {
    int T, at[TOKENS_MOST];
} Tokens;
Tokens tokens_read(const Lesson *lesson, const char *text, int words);

void the_block(Lesson *lesson, Transformer a, const Translator *b);
void the_corpus(Lesson *lesson);
Trail note_of(Transformer model); // of its previous-token head, on fresh sequences
void figure_note(Lesson *lesson, const Trail *early, const Trail *late, int last);
void the_fall(Lesson *lesson, const char *program, const char *tables, int steps, int seed);
Pair the_two_heads(Lesson *lesson, Transformer a, const Tokens *own); // own: --tokens, or NULL
void the_circuit(Lesson *lesson, Transformer a, Pair pair);
void figure_stream(Lesson *lesson, Transformer a, Pair pair);
void controls(Lesson *lesson, TableRows rows);
Reading glosses(Lesson *lesson, const Translator *b, const GlossedSentence *own); // own: the reader's sentence, or NULL
const char *relations_counted(Arena *arena, const HeadOffsets *offsets, const GlossRelationKind *kinds, int count);
void every_head(Lesson *lesson, const Translator *b, const Reading *r);
void five_seeds(Lesson *lesson, TableRows seeds);
void widths(Lesson *lesson, TableRows rows);
void what_it_costs(Lesson *lesson, Transformer a, const Translator *b);

#endif
