// Exercise 03b, diagnosed wrongly: number WRONG of these gets this answer.
//
// 1: 0 of 6 are named rightly, and A is not
// 2: brings the scores of A together
// 3: more than 99.9 %
// 4: the scores of C would be 4 apart
// 5: the scores of D would be 4 apart
// 6: would be 2 and 0 times the values
// 7: a softmax makes shares of them
// 8: in F every row sums to 1
// 9: the first numbers of the two rows sum to 10
// 10: no value has more than 10
// 11: the scores of C would be 1 apart
// 12: the scores of D would be 2 apart
// 13: the scores of C would be 8 apart
// 14: the scores of D would be 8 apart
// 15: row 0 would be 2 and 0 times the values
// 16: in its last two numbers
// 17: do they in B?
// 18: which weights sum to 1 here?
// 19: where is it in F?
// 20: gives no weight above 1
#include "exercises/wrong.h"

typedef enum { UNKNOWN, RIGHT, NO_SCALE, DIVIDED_BY_D, TIMES_ROOT, NO_SOFTMAX, SOFTMAX_DOWN, KEYS_MIXED } Cause;

void my_diagnosis(Cause cause[6]);
void my_diagnosis(Cause cause[6])
{
    static const Cause causes[6] = { NO_SCALE, SOFTMAX_DOWN, RIGHT, DIVIDED_BY_D, NO_SOFTMAX, KEYS_MIXED };
    static const struct {
        int output;
        Cause named;
    } wrongly[] = {
        { 0, UNKNOWN },      { 0, UNKNOWN },      { 0, DIVIDED_BY_D }, { 0, TIMES_ROOT },   { 2, NO_SCALE },
        { 3, NO_SCALE },     { 1, NO_SOFTMAX },   { 4, TIMES_ROOT },   { 5, NO_SOFTMAX },   { 1, NO_SCALE },
        { 4, NO_SCALE },     { 2, DIVIDED_BY_D }, { 3, RIGHT },        { 2, TIMES_ROOT },   { 3, TIMES_ROOT },
        { 0, NO_SOFTMAX },   { 3, KEYS_MIXED },   { 1, RIGHT },        { 2, SOFTMAX_DOWN }, { 5, RIGHT },
        { 4, SOFTMAX_DOWN },
    };
    int how = wrong();
    for (int output = 0; output < 6; output++) cause[output] = how == 1 ? UNKNOWN : causes[output];
    cause[wrongly[how].output] = wrongly[how].named;
}
