// Exercise 22c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: takes the difference the other way round
// 3: the products themselves
// 4: λ_init is missing
// 5: this is λ_init alone
// 6: exp(0) is 1
// 7: mind the sign
// 8: this is 1 + λ
// 9: their difference does not
// 10: the λ of question 1 counts
// 11: for λ = 1
// 12: a factor follows
// 13: the factor is not λ_init
// 14: the factor does not learn
// 15: takes the place of two heads
// 16: all pairs give together
// 17: share one value
// 18: both are kept
// 19: not for each map
// 20: bytes in 16 bits
// 21: both maps of a pair mix a value
// 22: scores alone
// 23: this is one pair
// 24: every pair has two maps
// 25: 777 is not it
// 26: is taken away, not added
// 27: a root is not negative
// 28: this is the number of maps
// 29: a value has 256 numbers
// 30: this is one map
#include "base/portable_math.h"
#include "exercises/wrong.h"

float my_lambda(void);
float my_row_sum(void);
float my_size(void);
float my_value_width(void);
float my_numbers_kept(void);
float my_multiplications(void);

// One of the values of a list, where `wrong` is between its first number and its last; else what is right.
static float one_of(const float *list, int first, int count, float right)
{
    int how = wrong();
    return how >= first && how < first + count ? list[how - first] : right;
}

float my_lambda(void)
{
    if (wrong() == 26) return 3.8f;
    static const float list[] = { NAN, 1.8f, 0.107f, -1.0f, 0.8f, -1.2f, 0.2f };
    return one_of(list, 1, 7, -0.2f);
}

float my_row_sum(void)
{
    static const float list[] = { 0.8f, 1.0f, 0.2f, 0.0f };
    return one_of(list, 8, 4, 1.2f);
}

float my_size(void)
{
    if (wrong() == 27) return -0.2f;
    static const float list[] = { 1.0f, 0.8f, 1.2f };
    return one_of(list, 12, 3, 0.2f);
}

float my_value_width(void)
{
    if (wrong() == 28) return 16.0f;
    static const float list[] = { 128.0f, 2048.0f, 512.0f };
    return one_of(list, 15, 3, 256.0f);
}

float my_numbers_kept(void)
{
    if (wrong() == 29) return 3072.0f;
    static const float list[] = { 2048.0f, 6144.0f, 8192.0f };
    return one_of(list, 18, 3, 4096.0f);
}

float my_multiplications(void)
{
    if (wrong() == 30) return 384.0f;
    static const float list[] = { 4096.0f, 2048.0f, 768.0f, 3072.0f, 777.0f };
    return one_of(list, 21, 5, 6144.0f);
}
