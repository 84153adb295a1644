// Judges a reader's function: what is wrong with it, and which known mistake that may come from.
//
// An exercise is a table in check_NNx.c: the reader's function, the right one, the cases from the simplest on, hints, and
// about eight wrong functions with what to tell a reader who made that mistake:
//
//     typedef void Softmax(float *weights, const float *scores, int n);
//     Softmax my_softmax;
//
//     static void softmax_case(Judge *judge, Function f, int n)
//     {
//         Mat weights = judge_output(judge, 1, cases[n].count); // filled with NaN: what is not written shows
//         judge_trying(judge, "my_softmax of %s", cases[n].which);
//         ((Softmax *)f)(weights.at, cases[n].scores, cases[n].count);
//     }
//
//     static const Task tasks[] = { { AS(Softmax, my_softmax), AS(Softmax, softmax), softmax_case, COUNT(cases),
//                                     .hints = { { "the property", "the question", "the formula" } },
//                                     .wrong = { { AS(Softmax, not_divided), "divide by the sum of them all" } } } };
//     EXERCISE("02a", tasks)
//
// The frame runs the reader's function on each case and stops at the first case where it differs from the right one.
// Then it runs the wrong functions on the same case. A wrong function that gives what the reader's gave, and that is
// right on all cases before, is named with its words. Where several fit, the next cases decide; if they do not, none is
// named. Then hints come in levels: the property that is violated, a question, the formula. One is printed at a time;
// HINT=2 and HINT=3 in the environment ask for more. The solution is never printed.
//
// The checker runs in a process of its own with ten seconds to live: a crash and an endless loop are named, too.
//
// `stub_NNx --self-test` puts the right function and then each wrong function in place of the reader's: the first must
// pass, each of the others must be told exactly its words.
#ifndef EXERCISES_JUDGE_H
#define EXERCISES_JUDGE_H

#include "base/mat.h"
#include "base/random.h"

// A table leaves out what it does not need.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef struct Judge Judge;

// Any function. AS(type, f) puts f into a table, and does not compile when f is not of that type; a case casts it back.
typedef void (*Function)(void);
#define AS(type, f)  _Generic((f), type * : (Function)(f))

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

enum { MOST_OUTPUTS = 8, MOST_WRONG = 28, MOST_BELIEFS = 12 };

// From the least that helps to the most; those that are NULL are left out. `of` names the output: "the weights".
typedef struct {
    const char *property, *question, *formula, *of;
} Hints;

// A wrong function, and the words for a reader whose function gives the same. With `told` in place of words it is not
// a known mistake: only the self-test runs it, and looks for `told` in what is printed (at HINT=`hint`). Without a
// function it is the task's `faulty`, which looks at judge_fault for the fault that it is to have.
extern int judge_fault;
#define FAULT(number, words_) \
    { \
        .fault = number, .words = words_ \
    }
typedef struct {
    Function function;
    const char *words, *question; // `question`: with HINT=2, after the words; most have none
    const char *told, *not_told;
    int hint, fault;
} Wrong;

// Output number `output` of case n is not what it should be.
typedef struct {
    int n, output;
    Mat got, expected;
} Difference;

// One function that the reader writes. Without `right` the self-test replaces no function, but predictions only.
typedef struct {
    Function answer, right;                        // the reader's, and the library's or a few lines
    void (*call)(Judge *judge, Function f, int n); // calls f on case n, with outputs from the functions below
    int cases;
    float tolerance;           // |got − expected| ≤ tolerance · max(1, |expected|); 0 means 1e-5
    Hints hints[MOST_OUTPUTS]; // by output
    Hints (*explain)(Judge *judge, Difference d); // in their place, where they depend on what was got
    Function faulty;
    void (*check)(Judge *judge, Function f); // in place of `call`: judges f with the functions further below
    Wrong wrong[MOST_WRONG];
} Task;

// ---- for a case: the same calls each time, whatever f does

// A matrix for the function to write into, full of a NaN that no computation gives. What is around it must not change.
// A view has other columns beside it: its stride is larger than its columns.
Mat judge_output(Judge *judge, int rows, int cols);
Mat judge_output_view(Judge *judge, int rows, int cols);
void judge_result(Judge *judge, double value);             // what the function returned: an output of one element
Mat judge_argument(Judge *judge, const char *name, Mat m); // a copy of m, a view, that must stay as it is

// What is called next, as the reader would say it: "my_softmax of the scores 2, 1, 0.1".
void judge_trying(Judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));

Mat judge_random(Judge *judge, Random *random, int rows, int cols);
Mat judge_random_view(Judge *judge, Random *random, int rows, int cols); // with other numbers on all sides but above
Mat judge_transposed(Arena *arena, Mat m);

// ---- for a check

// Ends the checker when `right` is false.
void judge_claim(Judge *judge, bool right, Hints hints);

// What the reader's test says of a function that is right or wrong. Ends the checker when that is not true. The
// self-test also makes each such answer the wrong one, one at a time, and looks for `property`.
void judge_verdict(Judge *judge, bool said, bool truth, Hints hints);

// One letter for each of a few programs, tables or models: f(n) for n from 0.
typedef char Letters(int n);
typedef struct {
    const char *what;             // "my_diagnosis of program"
    const char *right;            // "CABDE"
    char last;                    // the letters go from 'A' to this one
    const char *const *questions; // by program
    const char *formula;
    const char *(*property)(Arena *arena, char named, int n); // what the named letter would give, and what there is
} Diagnosis;
void judge_letters(Judge *judge, Letters *f, Diagnosis diagnosis);

// Numbers that the reader predicts.
typedef struct {
    double value;
    const char *words;
} Belief; // a known wrong prediction, and what to say of it

typedef struct {
    const char *what;        // "raised: 5 is added to both scores"
    double right, tolerance; // tolerance 0: 0.006
    const char *question, *formula;
    Belief beliefs[MOST_BELIEFS];
    double low, high;      // outside of these bounds,
    const char *outside;   // and where no belief fits, this is said
    const char *otherwise; // NULL: "7 is not it"
} Prediction;

// A wrong one is told what it comes from, and never what is right. The self-test also tries every belief.
void judge_prediction(Judge *judge, double got, Prediction prediction);

// ----

typedef struct {
    const char *number; // "05a"
    const Task *tasks;
    int count;
} Exercise;
int judge_exercise(Exercise exercise, int argc, char **argv);
#define EXERCISE(number, tasks) \
    int main(int argc, char **argv) { return judge_exercise((Exercise){ number, tasks, COUNT(tasks) }, argc, argv); }

// An output within its memory, in which all other floats must stay what they are.
typedef struct {
    Mat m;
    float *block;
    int size;         // of the block, in floats
    const char *name; // of an argument; NULL: it is no argument
} Output;

struct Judge {
    Arena *arena; // for the checker's matrices
    // The rest is the frame's.
    const char *exercise;
    int report; // where judge_trying tells the parent process what is tried
    char trying[512];
    bool quiet;         // a function that is not the reader's runs
    Output outputs[64]; // since the call began
    int outputs_count, predictions_count;
};

#endif
