// What the files of the frame share: judge.c compares, judge_process.c runs a checker in a process of its own,
// judge_self_test.c puts wrong answers in place of the reader's.
#ifndef EXERCISES_JUDGE_INTERNAL_H
#define EXERCISES_JUDGE_INTERNAL_H

#include "exercises/judge.h"

enum { JUDGE_RIGHT = 70, JUDGE_WRONG = 71 }; // how a checker's process ends; anything else is not its doing

// What takes the place of the reader's answers in a self-test: `function` that of one task; or, with `values`, `value`
// that of one prediction. All other answers are the right ones. With `collected`, predictions are listed there, and
// nothing is judged.
typedef struct {
    bool used, values;
    int task, fault, prediction;
    Function function;
    double value;
    Prediction *collected;
    int most;
} Substitute;

extern Substitute judge_substitute;

void judge_tasks(Judge *judge, Exercise exercise);

// Runs `check` in a process of its own, prints what becomes of it, and returns the exit status: 0 right, 1 wrong.
int judge_process(Exercise exercise, void (*check)(Judge *judge, Exercise exercise));
_Noreturn void judge_wrong(Judge *judge, Hints hints); // prints the hints that HINT asks for, and ends the checker

int judge_self_test(Exercise exercise);

#endif
