// What the checkers that are not tables yet need.
#ifndef EXERCISES_JUDGE_OLD_H
#define EXERCISES_JUDGE_OLD_H

typedef struct {
    const char *words;
    Mat result;
} Mistake;

enum { MOST_MISTAKES = 48 };

typedef struct {
    Mat got, expected;
    float tolerance;
    Hints hints;
    Mistake mistakes[MOST_MISTAKES];
} Answer;

void judge_answer(Judge *judge, Answer answer);
void judge_number(Judge *judge, double got, double expected, const char *question);
int judge_main(const char *exercise, void (*check)(Judge *judge));

#endif
