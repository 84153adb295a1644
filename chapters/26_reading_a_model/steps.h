// Chapter 26. What its steps share, and the steps.
#ifndef CHAPTER_26_STEPS_H
#define CHAPTER_26_STEPS_H

#include "language/grammar.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/reading.h"

enum { HEADS_MOST = 16, PAIRS = 20, BOTH = 2 };

// ---- steps_0_twins.c: model B on sentences that differ in one word

// Two sentences that differ in the adjective alone, and the runs of both: [0] … tired, [1] … wide.
typedef struct {
    GlossedSentence s[BOTH];
    Run run[BOTH];
} Twins;

// One translator: the book's pair, and PAIRS that were never trained. Head n is head n % H of layer n / H. swapped: the
// lead in sentence k of pair p, row 2 p + k, when head n gives what it gave in the twin: step 5 finds it, step 7 reads
// it.
typedef struct {
    const char *name;
    Transformer model;
    int heads;                    // L · H
    const char *head[HEADS_MOST]; // "1.2"
    Twins book, pair[PAIRS];
    double (*swapped)[HEADS_MOST];
} Translator;

const Translator *translator_read(Lesson *lesson, const char *name, Transformer model);

// At `it`: the logit of the gloss that sentence `which` of the pair wants, less that of its twin's.
double lead(const Twins *twins, const Run *run, int which);
double lead_in(const Twins *twins, Mat logits, int which); // of one sequence of a batch

// How much of the way from the lead of sentence `which` to that of its twin a lead, or that of a run, has gone: 0 none,
// 1 all.
double way_gone(const Twins *twins, double lead, int which);
double moved(const Twins *twins, const Run *run, int which);

// Numbers of which the mean is shown, and its standard error.
typedef struct {
    double sum, squares;
    int count;
} Sample;
void sample_add(Sample *sample, double one);
double sample_mean(const Sample *sample);
double sample_error(const Sample *sample);

// ---- the steps
void the_circuits(Lesson *lesson, Transformer a);                                        // 1
void from_head_to_head(Lesson *lesson, Transformer a);                                   // 2
void a_sum(Lesson *lesson, Transformer a, const Translator *four);                       // 3
void who_speaks(Lesson *lesson, const Translator *four);                                 // 4
void who_is_missed(Lesson *lesson, const Translator *four, const Translator *eight);     // 5
void where_it_goes(Lesson *lesson, const Translator *four, const Translator *eight);     // 6
void two_ways_to_patch(Lesson *lesson, const Translator *four, const Translator *eight); // 7
void paths(Lesson *lesson, const Translator *four);                                      // 8
void rolled_out(Lesson *lesson, const Translator *four);                                 // 9
// 10: folder NULL: model C. text: two of as many tokens. ours: both are the book's, so claims about them apply
void a_model_of_your_own(Lesson *lesson, const char *program, const char *folder, const char *const text[BOTH],
                         bool ours);

#endif
