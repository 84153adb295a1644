// Exercise 03b: my_diagnosis.
#include "exercises/judge.h"

typedef enum { UNKNOWN, RIGHT, NO_SCALE, DIVIDED_BY_D, TIMES_ROOT, NO_SOFTMAX, SOFTMAX_DOWN, KEYS_MIXED } Cause;

enum { OUTPUTS = 6 };

void my_diagnosis(Cause cause[OUTPUTS]);

static const Cause truth[OUTPUTS] = { NO_SCALE, SOFTMAX_DOWN, RIGHT, DIVIDED_BY_D, NO_SOFTMAX, KEYS_MIXED };

// What can be seen of each output, and what to ask.
static const Hints about[OUTPUTS] = {
    { "row 0 of A gives 98 % to the first key", "how far apart are the two scores of query 0, before and after √d?",
      "exp(2) = 7.39, exp(4) = 54.6, exp(8) = 2981" },
    { "in B the first numbers of the two rows sum to 10, and so do the second; in a row they do not",
      "which weights sum to 1 here, those of a query or those of a key?", "out = Σⱼ wᵢⱼ vⱼ, with Σⱼ wᵢⱼ = 1" },
    { "row 0 of C gives 88 % to the first key", "which ratio of weights is that, and which difference of scores?",
      "exp(1) = 2.72, exp(2) = 7.39, exp(4) = 54.6" },
    { "row 0 of D gives 73 % to the first key", "which ratio of weights is that, and which difference of scores?",
      "exp(1) = 2.72, exp(2) = 7.39, exp(4) = 54.6" },
    { "row 0 of E begins with 20, and no value has more than 10", "can a mixture of values do that?",
      "wᵢⱼ ≥ 0 and Σⱼ wᵢⱼ = 1" },
    { "in F every row sums to 1, and its last two numbers are 0", "which of the three matrices has such rows?",
      "out = Σⱼ wᵢⱼ vⱼ" },
};

// A cause that goes well with what is seen, and is not it.
static const char *near_miss(int output, Cause named)
{
    if (output == 0 && named == DIVIDED_BY_D) return "dividing by more brings the scores of A together; it is sharp";
    if (output == 0 && named == TIMES_ROOT) return "the scores 8 and 0 would give more than 99.9 %, and A has 98 %";
    if (output == 2 && named == NO_SCALE) return "without a divisor the scores of C would be 4 apart: that is 98 %";
    if (output == 2 && named == DIVIDED_BY_D) return "divided by d, the scores of C would be 1 apart: that is 73 %";
    if (output == 3 && named == RIGHT) return "divided by √d, the scores of D would be 2 apart: that is 88 %";
    if (output == 2 && named == TIMES_ROOT) return "times √d, the scores of C would be 8 apart: that is 99.97 %";
    if (output == 3 && named == TIMES_ROOT) return "times √d, the scores of D would be 8 apart: that is 99.97 %";
    if (output == 3 && named == NO_SCALE) return "without a divisor the scores of D would be 4 apart, and it is even";
    if (output < 4 && named == NO_SOFTMAX) return "without the softmax row 0 would be 2 and 0 times the values";
    if (output != 5 && named == KEYS_MIXED) return "no key has anything in its last two numbers: could a mixture?";
    if (output == 1 && named == RIGHT)
        return "shares that sum to 1 leave 10 in the first two numbers of a row: do they in B?";
    if (output != 1 && output < 4 && named == SOFTMAX_DOWN)
        return "each row of this output sums to 10 in its first two numbers: which weights sum to 1 here?";
    if (output == 5 && named == RIGHT) return "every value has something in its last two numbers: where is it in F?";
    if (output == 4 && named == SOFTMAX_DOWN) return "softmax, down or along, gives no weight above 1: E has a 2 in it";
    if (output == 4 && named == TIMES_ROOT) return "whatever the scores, a softmax makes shares of them: E has none";
    return NULL;
}

static void check(Judge *judge)
{
    Cause named[OUTPUTS] = { UNKNOWN };
    int right = 0;
    judge_trying(judge, "my_diagnosis");
    my_diagnosis(named);
    for (int o = 0; o < OUTPUTS; o++) right += named[o] == truth[o];
    for (int o = 0; o < OUTPUTS; o++) {
        if (named[o] == truth[o]) continue;
        const char *miss = near_miss(o, named[o]);
        judge_trying(judge, "my_diagnosis: %d of %d are named rightly, and %c is not", right, OUTPUTS, 'A' + o);
        judge_claim(judge, false, (Hints){ miss ? miss : about[o].property, about[o].question, about[o].formula });
    }
}

int main(void) { return judge_main("03b", check); }
