// Exercise 08c, solved wrongly: number WRONG of these gets this answer.
//
// 1: the sign: more of what
// 2: not by a third
// 3: the mean has not been taken away
// 4: what is hardly heard hardly counts
// 5: and so is what comes back
// 6: these numbers are still 0
// 7: what is hardly heard hardly counts
// 8: a weight counts more where dout and its value point the same way
// 9: the three sum to 0
// 10: the sign is turned round
// 11: that is the wish of section 5
// 12: they sum to 0, as they must
// 13: token 2's own key has been left out
// 14: should not come out so
// 15: the 2 of its slope cancel
// 16: the weight comes in later
// 17: each counts by its weight
// 18: divided by √2 once too often
// 19: token 2 has another weight
// 20: that is the wish of section 5
// 21: that is the wish of section 5
// 22: the ½ does not come in again
// 23: that is the loss itself
// 24: not the query
// 25: what the other two lose is missing
// 26: w times all of the difference
// 27: the other two keys are left out
// 28: that is the weight alone
#include "exercises/wrong.h"

extern float my_dout[2], my_dw[3], my_mean[1], my_ds[3], my_dq[2], my_dv[2];

float my_dout[2] = { 0.752f, 0.752f };
float my_dw[3] = { 0.752f, 0.752f, 1.503f };
float my_mean[1] = { 1.130f };
float my_ds[3] = { -0.094f, -0.094f, 0.188f };
float my_dq[2] = { 0.066f, 0.066f };
float my_dv[2] = { 0.378f, 0.378f };

// Before main: the numbers of the wrong answer take the place of the right ones.
__attribute__((constructor)) static void spoil(void)
{
    static const struct {
        float *at;
        int count;
        float numbers[3];
    } wrongs[] = {
        { my_dout, 0, { 0 } },
        { my_dout, 2, { -0.75f, -0.75f } },
        { my_mean, 1, { 1.0f } },
        { my_ds, 3, { 0.19f, 0.19f, 0.76f } },
        { my_ds, 3, { -0.38f, -0.38f, 0.37f } },
        { my_dq, 2, { 0.09f, 0.09f } },
        { my_dv, 2, { 0, 0 } },
        { my_dv, 2, { 0.75f, 0.75f } },
        { my_dw, 3, { 0.75f, 0.75f, 0.75f } },
        { my_ds, 3, { -0.1f, 0.1f, 0.2f } },
        { my_ds, 3, { 0.09f, 0.09f, -0.19f } },
        { my_dout, 2, { -0.25f, 0.75f } },
        { my_ds, 3, { -0.2f, 0.1f, 0.1f } },
        { my_dq, 2, { -0.07f, -0.07f } },
        { my_dq, 2, { 0, 0 } },
        { my_dout, 2, { 1.5f, 1.5f } },
        { my_dw, 3, { 0.19f, 0.19f, 0.76f } },
        { my_mean, 1, { 3.0f } },
        { my_dq, 2, { 0.047f, 0.047f } },
        { my_dv, 2, { 0.19f, 0.19f } },
        { my_dw, 3, { -0.25f, 0.75f, 0.5f } },
        { my_ds, 3, { -0.16f, 0.09f, 0.06f } },
        { my_dout, 2, { 0.38f, 0.38f } },
        { my_dout, 2, { 0.28f, 0.28f } },
        { my_dw, 3, { 1.5f, 1.5f, 1.5f } },
        { my_ds, 3, { 0.14f, 0.14f, 0.38f } },
        { my_ds, 3, { -0.94f, -0.94f, -0.37f } },
        { my_dq, 2, { 0.13f, 0.13f } },
        { my_dv, 2, { 0.5f, 0.5f } },
    };
    int how = wrong();
    for (int n = 0; n < wrongs[how].count; n++) wrongs[how].at[n] = wrongs[how].numbers[n];
}
