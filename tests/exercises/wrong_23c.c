// Exercise 23c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: keys and values both
// 3: not query heads
// 4: all ranks' keys and values
// 5: numbers have 2 bytes here
// 6: every key head is in the block
// 7: in the last step nothing is sent
// 8: this is one step
// 9: whole blocks on
// 10: sends and receives together
// 11: what all ranks send
// 12: their gradients go with them
// 13: the owner's own part
// 14: nothing is sent R times
// 15: there and back together
// 16: stay at home
// 17: an R-th does not leave
// 18: outputs must be sent back
// 19: not 32
// 20: keys and values are sent, too
// 21: what all ranks send
// 22: queries and outputs are sent, too
// 23: sums grow once round
// 24: R − 1 of R parts
// 25: the output itself
// 26: not T/R
// 27: nobody sends all to all
// 28: four times as many
// 29: in the last step nothing is sent
// 30: keys and values
// 31: half as large
// 32: there are more steps
// 33: in the last step nothing is sent
// 34: it grows a little
// 35: 777 is not it
#include "exercises/wrong.h"

#include <math.h>

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
    static const float list[] = { NAN, 16.0f, 128.0f, 256.0f, 64.0f, 4.0f };
    return one_of(list, 1, 6, 32.0f);
}

float my_forward(void)
{
    static const float list[] = { 256.0f, 32.0f, 28.0f, 448.0f, 1792.0f };
    return one_of(list, 7, 5, 224.0f);
}

float my_backward(void)
{
    static const float list[] = { 224.0f, 480.0f, 512.0f, 672.0f, 896.0f };
    return one_of(list, 12, 5, 448.0f);
}

float my_ulysses(void)
{
    static const float list[] = { 160.0f, 84.0f, 224.0f, 112.0f, 1120.0f, 28.0f };
    return one_of(list, 17, 6, 140.0f);
}

float my_all_reduce(void)
{
    static const float list[] = { 448.0f, 1024.0f, 512.0f, 112.0f, 3584.0f };
    return one_of(list, 23, 5, 896.0f);
}

float my_all_key_heads(void)
{
    static const float list[] = { 224.0f, 1024.0f, 448.0f };
    return one_of(list, 28, 3, 896.0f);
}

float my_sixteen_ranks(void)
{
    static const float list[] = { 480.0f, 112.0f, 256.0f, 224.0f, 777.0f };
    return one_of(list, 31, 5, 240.0f);
}
