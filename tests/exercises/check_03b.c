// Exercise 03b: my_diagnosis.
#include "exercises/judge.h"

typedef enum { UNKNOWN, RIGHT, NO_SCALE, DIVIDED_BY_D, TIMES_ROOT, NO_SOFTMAX, SOFTMAX_DOWN, KEYS_MIXED } Cause;

enum { OUTPUTS = 6 };

typedef void Diagnose(Cause cause[OUTPUTS]);
Diagnose my_diagnosis;

// Of each output: its cause, what can be seen of it, what to ask; and causes that go well with what is seen, and are
// not it. A value of a prediction is a cause.
// clang-format off
static const Prediction outputs[OUTPUTS] = {
    { "row 0 of A gives 98 % to the first key", NO_SCALE, 0.1,
      "how far apart are the two scores of query 0, before and after √d?", "exp(2) = 7.39, exp(4) = 54.6, exp(8) = 2981", {
        { DIVIDED_BY_D, "dividing by more brings the scores of A together; it is sharp" },
        { TIMES_ROOT, "the scores 8 and 0 would give more than 99.9 %, and A has 98 %" },
        { NO_SOFTMAX, "without the softmax row 0 would be 2 and 0 times the values" } } },
    { "in B the first numbers of the two rows sum to 10, and so do the second; in a row they do not", SOFTMAX_DOWN, 0.1,
      "which weights sum to 1 here, those of a query or those of a key?", "out = Σⱼ wᵢⱼ vⱼ, with Σⱼ wᵢⱼ = 1", {
        { RIGHT, "shares that sum to 1 leave 10 in the first two numbers of a row: do they in B?" },
        { NO_SOFTMAX, "without the softmax row 0 would be 2 and 0 times the values" } } },
    { "row 0 of C gives 88 % to the first key", RIGHT, 0.1,
      "which ratio of weights is that, and which difference of scores?", "exp(1) = 2.72, exp(2) = 7.39, exp(4) = 54.6", {
        { NO_SCALE, "without a divisor the scores of C would be 4 apart: that is 98 %" },
        { DIVIDED_BY_D, "divided by d, the scores of C would be 1 apart: that is 73 %" },
        { TIMES_ROOT, "times √d, the scores of C would be 8 apart: that is 99.97 %" },
        { SOFTMAX_DOWN, "each row of this output sums to 10 in its first two numbers: which weights sum to 1 here?" } } },
    { "row 0 of D gives 73 % to the first key", DIVIDED_BY_D, 0.1,
      "which ratio of weights is that, and which difference of scores?", "exp(1) = 2.72, exp(2) = 7.39, exp(4) = 54.6", {
        { RIGHT, "divided by √d, the scores of D would be 2 apart: that is 88 %" },
        { NO_SCALE, "without a divisor the scores of D would be 4 apart, and it is even" },
        { KEYS_MIXED, "no key has anything in its last two numbers: could a mixture?" } } },
    { "row 0 of E begins with 20, and no value has more than 10", NO_SOFTMAX, 0.1,
      "can a mixture of values do that?", "wᵢⱼ ≥ 0 and Σⱼ wᵢⱼ = 1", {
        { SOFTMAX_DOWN, "softmax, down or along, gives no weight above 1: E has a 2 in it" },
        { TIMES_ROOT, "whatever the scores, a softmax makes shares of them: E has none" } } },
    { "in F every row sums to 1, and its last two numbers are 0", KEYS_MIXED, 0.1,
      "which of the three matrices has such rows?", "out = Σⱼ wᵢⱼ vⱼ", {
        { RIGHT, "every value has something in its last two numbers: where is it in F?" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    Cause named[OUTPUTS] = { UNKNOWN };
    int right = 0;
    judge_trying(judge, "my_diagnosis");
    ((Diagnose *)f)(named);
    for (int o = 0; o < OUTPUTS; o++) right += named[o] == (Cause)outputs[o].right;
    for (int o = 0; o < OUTPUTS; o++) {
        Prediction p = outputs[o];
        p.what = arena_format(judge->arena, "my_diagnosis: %d of %d are named rightly, and %c is not", right, OUTPUTS,
                              'A' + o);
        p.otherwise = outputs[o].what;
        judge_prediction(judge, named[o], p);
    }
}

static void truth(Cause *cause)
{
    for (int o = 0; o < OUTPUTS; o++) cause[o] = (Cause)outputs[o].right;
}

static const Task tasks[] = { { AS(Diagnose, my_diagnosis), AS(Diagnose, truth), .check = check } };
EXERCISE("03b", tasks)
