// Chapter 22. What its steps share, and the steps.
#ifndef CHAPTER_22_STEPS_H
#define CHAPTER_22_STEPS_H

#include "attention/differential.h"
#include "language/facts.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

// What the flags say.
typedef struct {
    const char *program, *folder, *path;
    float lambda;
    int noise, pair, rounds;
} Asked;

// ---- steps_0_facts.c: what is measured of a model that answers questions

enum { LENGTHS = 4, TEXTS = 60 };
extern const int lengths[LENGTHS]; // facts and noise in a text: 64, as in training, and more

// λ of the model's only layer; NaN where no maps are subtracted.
double facts_lambda(Transformer model);

// The signed map of pair p, or the map of head p, for the first sequence of a run; in `arena`.
Mat facts_map(Arena *arena, const Run *run, int p);

// Over many questions: right answers; their surprise in nats; and of the head or pair with the largest share on the
// fact, what share of its weight, signs left aside, lies there and on noise, and how often it is negative there.
typedef struct {
    double right, loss, fact, noise, negative;
} Answers;
Answers facts_answers(Transformer model, int length, uint64_t seed);

// Each single map, whether it is subtracted or not: how many of the facts it finds more often than any other map does,
// and in what share of all questions the fact's own map has the largest weight on it.
enum { MAPS_MOST = 8 };
typedef struct {
    int facts[MAPS_MOST];
    double own;
} Shared;
Shared facts_shared(Transformer model, int length, uint64_t seed);

// ---- steps_0_retrain.c: data/models/facts.tsv, and the model that step 7 looks at

typedef enum {
    HEADS_4,
    HEADS_2,
    DIFFERENTIAL,
    FIXED,
    NO_NORM,
    DEEP,
    HEADS_4_NORM,
    HEADS_2_NORM,
    HEADS_4_LONG,
    DIFFERENTIAL_LONG,
    HEADS_2_LONG,
    FORMS
} Form;
enum { SEEDS = 5 };
typedef enum {
    RIGHT,
    LOSS = RIGHT + LENGTHS,
    FACT = LOSS + LENGTHS,
    NOISE = FACT + LENGTHS,
    NEGATIVE = NOISE + LENGTHS,
    LAMBDA,
    COLUMNS
} Column;
extern const char *const form_names[FORMS];
Config form_config(Form form);
void retrain(Lesson *lesson, const char *folder);

// ---- the steps
void two_maps(Lesson *lesson, const Asked *asked);                               // 1
void signed_weights(Lesson *lesson, const Asked *asked);                         // 2
void lambdas(Lesson *lesson);                                                    // 3
void norms(Lesson *lesson);                                                      // 4
void two_calls(Lesson *lesson, const Asked *asked);                              // 5
void other_keys(Lesson *lesson, const Asked *asked);                             // 6
void noise_and_retrieval(Lesson *lesson, Transformer model, const Asked *asked); // 7
void five_seeds(Lesson *lesson, Transformer model, const Asked *asked);          // 8
void what_the_second_does(Lesson *lesson, const Asked *asked);                   // 9

#endif
