// Exercise 23c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: keys and values both
// 3: not query heads
// 4: all ranks' keys and values
// 5: numbers have 2 bytes here
// 6: every key head is in the block
// 7: and a number has 2 bytes
// 8: a MiB has 2^20
// 9: in the last step nothing is sent
// 10: this is one step
// 11: whole blocks on
// 12: sends and receives together
// 13: what all ranks send
// 14: both are sent on
// 15: a MiB has 2^20
// 16: their gradients go with them
// 17: the owner's own part
// 18: nothing is sent R times
// 19: there and back together
// 20: stay at home
// 21: a MiB has 2^20
// 22: an R-th does not leave
// 23: outputs must be sent back
// 24: not 32
// 25: keys and values are sent, too
// 26: what all ranks send
// 27: queries and outputs are sent, too
// 28: to all others together
// 29: a MiB has 2^20
// 30: sums grow once round
// 31: R − 1 of R parts
// 32: the output itself
// 33: not T/R
// 34: nobody sends all to all
// 35: numbers have 2 bytes
// 36: a MiB has 2^20
// 37: four times as many
// 38: in the last step nothing is sent
// 39: keys and values
// 40: a MiB has 2^20
// 41: half as large
// 42: there are more steps
// 43: in the last step nothing is sent
// 44: it grows a little
// 45: 777 is not it
// 46: a MiB has 2^20
#include "base/portable_math.h"
#include "exercises/wrong.h"

float my_block(void);
float my_forward(void);
float my_backward(void);
float my_ulysses(void);
float my_all_reduce(void);
float my_all_key_heads(void);
float my_sixteen_ranks(void);

// One of the values of a list, where `wrong` is between its first number and its last; else what is right.
static float one_of(const float *list, int first, int count, float right)
{
    int how = wrong();
    return how >= first && how < first + count ? list[how - first] : right;
}

float my_block(void)
{
    static const float list[] = { NAN, 16.0f, 128.0f, 256.0f, 64.0f, 4.0f, 8.0f, 33.55f };
    return one_of(list, 1, 8, 32.0f);
}

float my_forward(void)
{
    static const float list[] = { 256.0f, 32.0f, 28.0f, 448.0f, 1792.0f, 112.0f, 234.9f };
    return one_of(list, 9, 7, 224.0f);
}

float my_backward(void)
{
    static const float list[] = { 224.0f, 480.0f, 512.0f, 672.0f, 896.0f, 469.76f };
    return one_of(list, 16, 6, 448.0f);
}

float my_ulysses(void)
{
    static const float list[] = { 160.0f, 84.0f, 224.0f, 112.0f, 1120.0f, 28.0f, 980.0f, 146.8f };
    return one_of(list, 22, 8, 140.0f);
}

float my_all_reduce(void)
{
    static const float list[] = { 448.0f, 1024.0f, 512.0f, 112.0f, 3584.0f, 1792.0f, 939.52f };
    return one_of(list, 30, 7, 896.0f);
}

float my_all_key_heads(void)
{
    static const float list[] = { 224.0f, 1024.0f, 448.0f, 939.52f };
    return one_of(list, 37, 4, 896.0f);
}

float my_sixteen_ranks(void)
{
    static const float list[] = { 480.0f, 112.0f, 256.0f, 224.0f, 777.0f, 251.66f };
    return one_of(list, 41, 6, 240.0f);
}
