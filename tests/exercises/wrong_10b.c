// Exercise 10b, predicted wrongly: number WRONG of these gets this answer.
//
// 1: leans to the wrong word by 1
// 2: both count
// 3: without head 0 something still speaks for the right word
// 4: need not be able to go together
// 5: the sign: a larger gate
// 6: this is the slope with respect to the lead
// 7: nearly sure to be right
// 8: one step along the tangent
// 9: the loss that was there before
// 10: the sign: the loss rises
// 11: this is the rise without both copies
// 12: with nothing in place of head 0
// 13: is still there
// 14: is not multiplied by it
// 15: nothing is predicted yet
// 16: 0.4 is not it
// 17: that is a lead: 1 or 0 is asked for
// 18: that is a lead: 1 or 0 is asked for
// 19: this is the slope of the lead
// 20: logarithm to base 10
// 21: logarithm to base 2
// 22: head 1 stays as it is
// 23: but not by nothing
// 24: 0.4 is not it
// 25: nothing is predicted yet
// 26: nothing is predicted yet
// 27: the 1 is taken away
// 28: head 2 speaks, too
// 29: this is the slope of the lead, turned round
// 30: where head 0 has gone already
// 31: over the whole way from 0 to 1
// 32: this is the loss that was there before
// 33: the sign in the exponent
// 34: the others speak as well
// 35: what goes out is what head 0 gives here
// 36: how likely the wrong word is
// 37: a gate that does harm
// 38: the probability of the wrong word
// 39: is a difference
// 40: how far the lead falls
// 41: what is left of it
#include "exercises/wrong.h"

#include <math.h>

typedef struct {
    double lead, right_without_0, right_without_both, slope_0, rise_without_0, lead_with_mean;
} Prediction;
Prediction my_prediction(void);

static double loss(double lead) { return log(1 + exp(-lead)); }

Prediction my_prediction(void)
{
    int how = wrong();
    double lead = 3.5, s = 1 / (1 + exp(lead)), rise = loss(lead - 2) - loss(lead);
    Prediction p = { lead, 1, 0, -2 * s, rise, lead - 2 + 0.75 };
    if (how == 1) p.lead = 4.5;
    if (how == 2) p.lead = 1.5;
    if (how == 3) p.right_without_0 = 0;
    if (how == 4) p.right_without_both = 1;
    if (how == 5) p.slope_0 = 2 * s;
    if (how == 6) p.slope_0 = -s;
    if (how == 7) p.slope_0 = -2 * (1 - s);
    if (how == 8) p.rise_without_0 = 2 * s;
    if (how == 9) p.rise_without_0 = loss(lead - 2);
    if (how == 10) p.rise_without_0 = -rise;
    if (how == 11) p.rise_without_0 = loss(lead - 4) - loss(lead);
    if (how == 12) p.lead_with_mean = lead - 2;
    if (how == 13) p.lead_with_mean = lead + 0.75;
    if (how == 14) p.lead_with_mean = lead - 2 + 2 * 0.75;
    if (how == 15) p = (Prediction){ 0 };
    if (how == 16) p.lead = 0.4;
    if (how == 25) p.right_without_0 = -1;
    if (how == 26) p.right_without_both = -1;
    if (how == 17) p.right_without_0 = 1.5;
    if (how == 18) p.right_without_both = -0.5;
    if (how == 19) p.slope_0 = 2;
    if (how == 20) p.rise_without_0 = rise / log(10);
    if (how == 21) p.rise_without_0 = rise / log(2);
    if (how == 22) p.lead_with_mean = lead - 4 + 1.5;
    if (how == 23) p.slope_0 = 0;
    if (how == 24) p.rise_without_0 = 0.4;
    if (how == 27) p.lead = 5.5;
    if (how == 28) p.lead = 3;
    if (how == 29) p.slope_0 = -2;
    if (how == 30) p.slope_0 = -2 / (1 + exp(1.5));
    if (how == 31) p.slope_0 = -rise;
    if (how == 32) p.rise_without_0 = loss(lead);
    if (how == 33) p.rise_without_0 = loss(2 - lead) - loss(-lead);
    if (how == 34) p.lead_with_mean = 0.75;
    if (how == 35) p.lead_with_mean = lead - 0.75;
    if (how == 36) p.slope_0 = s;
    if (how == 37) p.slope_0 = 2 * (1 - s);
    if (how == 38) p.rise_without_0 = 1 / (1 + exp(lead - 2)) - s;
    if (how == 39) p.rise_without_0 = loss(lead - 2) / loss(lead);
    if (how == 40) p.rise_without_0 = 2;
    if (how == 41) p.lead_with_mean = 1.25;
    return p;
}
