// Chapter 10. What its steps share, and the steps.
#ifndef CHAPTER_10_STEPS_H
#define CHAPTER_10_STEPS_H

#include "language/grammar.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/run.h"
#include "model/transformer.h"

enum { RELATIONS = 7, REST = RELATIONS, KINDS, HEADS_MOST = 64 };

// The kinds of words that are counted apart: those whose gloss needs a certain other word. REST: all others. Marks
// ([start] , .) stand for themselves and are not counted.
static const GlossRelationKind KIND[RELATIONS] = { GLOSS_RELATION_DET,  GLOSS_RELATION_ATTR, GLOSS_RELATION_AUX,
                                                   GLOSS_RELATION_VERB, GLOSS_RELATION_IT,   GLOSS_RELATION_PRON,
                                                   GLOSS_RELATION_DUP };
enum { AUX = 2, VERB = 3, IT = 4 }; // places in KIND
static const char *const KIND_NAME[KINDS + 1] = { "det", "attr", "aux", "verb", "it", "pron", "dup", "rest", "all" };

// The test: sentences, their batch, of which kinds each token is (bit k: of kind k; a mark: 0), and how many words
// there are, of all kinds and of each.
typedef struct {
    GlossedSentence *sentences;
    RunBatch batch;
    unsigned *kinds;
    int count, words, of_kind[KINDS];
    const Mat *instead; // (L) what a head gives that is off; NULL: nothing
} Test;

// What a model answers: shares of right words, and the mean loss of a word in nats.
typedef struct {
    double all, kind[KINDS], loss;
} Score;

typedef struct {
    double importance, cost, on_object;
    const char *name, *role;
} HeadFacts;

// One model on the test, with what is known of each head. Head n is head n % H of layer n / H.
typedef struct {
    const char *name;
    Transformer model;
    int heads;                       // L · H
    Score full, without[HEADS_MOST]; // all heads; all but head n
    HeadFacts head[HEADS_MOST];
    double steepest;         // share of all slopes in the steepest 1/20 of sentences
    double look[HEADS_MOST]; // mean weight from `it`: layer 0 on its adjective,
} Studied;                   // later layers on the noun it stands for

// Heads in the order in which they go, and the accuracy after 0, 1, 2 … of them.
typedef struct {
    int order[HEADS_MOST];
    double accuracy[HEADS_MOST + 1];
} Pruned;

// ---- steps_0_test.c: the test, and a model on it with some heads switched off
Test test_draw(Lesson *lesson, int count);
Test test_of_pairs(Lesson *lesson, int pairs, Random *random);          // of twins, none ever trained
Test test_part(Lesson *lesson, const Test *test, int first, int count); // some of its sentences
Score measure(Transformer model, const Test *test, Mat gates, bool loss);
Test test_with_means(Lesson *lesson, Transformer model, const Test *test); // heads that are off give their mean
void measure_all(Transformer model, const Test *test, Mat *gates, Score *score, int count, bool loss);

Mat gates_all(Arena *arena, const Studied *s, float value); // (L, H), every gate the same
Mat gates_without(Arena *arena, Mat gates, int head);       // a copy with one of them 0

// ---- steps_0_study.c: what is found out about every head of a model
Studied study(Lesson *lesson, const char *name, Transformer model, const Test *test);
double lost(const Studied *s, int n, int kind);                    // accuracy of a kind that is lost without head n
void gate_gradients(Lesson *lesson, Studied *s, const Test *test); // the importance of each, on this test

// ---- steps_1_ablation.c
int it_head(const Studied *s);                   // the later head that `it` misses most
const Word *noun_named(Arena *arena, int gloss); // by this gloss of `it`; NULL: none

// ---- steps_0_off.c: what --off asks for
Mat off_read(Lesson *lesson, const char *text, const Config *config);
void gloss_without(Lesson *lesson, Transformer model, GlossedSentence *sentence, Mat gates, const Mat *instead);

// ---- steps_0_json.c: what --json asks for
void write_json(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, const Pruned *pruned,
                const char *path);

// ---- the steps. ours: the book's models, no others, so claims about them apply
void switch_off(Lesson *lesson, const Studied *s, const Test *test, bool ours);
void who_stands_in(Lesson *lesson, const Studied *s, const Test *test, bool ours);
void means_in_place(Lesson *lesson, const Studied *s, const Test *test, bool ours);
void put_back(Lesson *lesson, const Studied *s, const Test *test, bool ours);
void weight_is_not_importance(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, bool ours);
void gates_foretell(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, const Test *test_8,
                    bool ours);
Pruned prune(Lesson *lesson, const Studied *s, const Test *test, const Test *other, bool ours);
void one_head_a_layer(Lesson *lesson, const Studied *s, const Test *found, const Test *unseen);
int heads_within(const Pruned *pruned, int heads, double fall); // that can go before accuracy falls by more
void survivors(Lesson *lesson, const Studied *s, const Test *test, const Pruned *pruned);
void retrain(Lesson *lesson, const char *folder, const Studied *s, const Pruned *pruned); // the table of train_on
void train_on(Lesson *lesson, const char *program, const char *folder, bool ours);
void what_it_saves(Lesson *lesson, const Studied *s, const Pruned *pruned);

#endif
