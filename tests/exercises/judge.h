// Judges a reader's function: what is wrong, in words, and what it may come from.
//
// Where no mistake is recognised the answer comes in levels: the property that is violated, a question, the formula.
// One is said at a time; HINT=2 and HINT=3 in the environment ask for more. The solution is never said.
//
// A checker is a function that goes through a few cases, from the plainest on, and stops at the first wrong one:
//
//     static void check(Judge *judge)
//     {
//         Mat got = judge_output(judge, 1, 3);                      // filled with NaN: what is not written shows
//         judge_trying(judge, "my_softmax of the scores 2, 1, 0.1");
//         my_softmax(got.at, scores.at, 3);
//         judge_answer(judge, (Answer){ .got = got, .expected = expected,
//                                       .hints = { .property = "row 1 sums to 0.8", .question = "…", .formula = "…" },
//                                       .mistakes = { { "the weights do not sum to 1: …", not_divided } } });
//     }
//
//     int main(void) { return judge_main("02a", check); }
//
// The checker runs in a process of its own with ten seconds to live: a crash and an endless loop are named, too.
#ifndef EXERCISES_JUDGE_H
#define EXERCISES_JUDGE_H

#include "base/mat.h"

typedef struct Judge Judge;
struct Judge {
    Arena *arena;         // for the checker's matrices
    const char *exercise; // "05a"
    int report;           // where judge_trying tells the parent process what is tried
    char trying[512];
    Mat outputs[64]; // of judge_output
    int outputs_count;
};

// What the function would have given, had it made a well-known mistake; and that mistake in words, NULL where it is not
// to be named. A result in a matrix of judge_output may be left unwritten in places: not to write there is the
// mistake.
typedef struct {
    const char *words;
    Mat result;
} Mistake;

enum { MOST_MISTAKES = 48 };

// From the least that helps to the most; those that are NULL are left out.
typedef struct {
    const char *property, *question, *formula;
} Hints;

typedef struct {
    Mat got, expected;
    float tolerance; // |got − expected| ≤ tolerance · max(1, |expected|); 0 means 1e-5
    Hints hints;     // when none of the mistakes gives what was got
    Mistake mistakes[MOST_MISTAKES];
} Answer;

// A matrix for the reader's function to write into, full of a NaN that no computation gives. What stands around it
// must not change.
Mat judge_output(Judge *judge, int rows, int cols);

// What is called next, as the reader would say it: "my_softmax of the scores 2, 1, 0.1".
void judge_trying(Judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Both end the checker when the answer is wrong. A number is judged as a matrix of one element.
void judge_answer(Judge *judge, Answer answer);
void judge_number(Judge *judge, double got, double expected, const char *question);

// For an answer that is not a matrix: what the reader's test says of a function, a cause that was named. Ends the
// checker when it is false. No number is printed, so none gives the answer away.
void judge_claim(Judge *judge, bool right, Hints hints);

int judge_main(const char *exercise, void (*check)(Judge *judge)); // the exit status: 0 right, 1 wrong

#endif
