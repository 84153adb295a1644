// Exercise 10b, predicted wrongly: number WRONG of these gets this answer.
//
// 1: leans to the wrong word by 1
// 2: the three heads together give more than
// 3: without head 0 something still speaks for the right word
// 4: need not be able to go together
// 5: the sign: a larger gate
// 6: this is the slope with respect to the lead
// 7: the model is nearly sure
// 8: one step along the tangent
// 9: the loss that was there before
// 10: the sign: the loss rises
// 11: this is the rise without both copies
// 12: with nothing in the place of head 0
// 13: is still there
// 14: is not multiplied by it
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
    return p;
}
