// Exercise 10b: my_prediction, six numbers of a small model.
#include "base/portable_math.h"
#include "exercises/judge.h"

// As in the exercise, where it is called Prediction.
typedef struct {
    double lead, right_without_0, right_without_both, slope_0, rise_without_0, lead_with_mean;
} Predicted;
Predicted my_prediction(void);

static double loss(double lead) { return log(1 + exp(-lead)); }

#define A_LEAD "that is a lead: 1 or 0 is asked for, right or not"

static void check(Judge *judge, Function f)
{
    (void)f;
    judge_trying(judge, "my_prediction");
    const Predicted p = my_prediction();
    const double got[] = { p.lead,    p.right_without_0, p.right_without_both,
                           p.slope_0, p.rise_without_0,  p.lead_with_mean };
    const double gives = 2, mean = 0.75, lead = 3.5, without = lead - gives, s = 1 / (1 + exp(lead));
    const double rise = loss(without) - loss(lead);
    // clang-format off
    const Prediction predictions[] = {
        { "lead: all gates are 1", lead, 0,
          "what is the sum when g0 = g1 = g2 = 1?", "lead = Σ gate · what it gives − 1", {
            { 0, "nothing is predicted yet" },
            { lead + 1, "the model leans to the wrong word by 1 before any head speaks" },
            { lead + 2, "the 1 is taken away: the model leans to the wrong word before any head speaks" },
            { lead - 0.5, "head 2 speaks, too, if quietly" } } },
        { "right_without_0: is the word right without head 0?", 1, 0,
          "head 1 is a copy of head 0: what is the lead when only one of them has gone?", "right ⇔ lead > 0", {
            { -1, "nothing is predicted yet" }, { 0, "without head 0 something still speaks for the right word" },
            { without, A_LEAD } } },
        { "right_without_both: is the word right without heads 0 and 1?", 0, 0,
          "what is the lead when only head 2 is left?", "right ⇔ lead > 0", {
            { -1, "nothing is predicted yet" }, { 1, "heads that can go one by one need not be able to go together" },
            { without - gives, A_LEAD } } },
        { "slope_0: the gradient of the loss with respect to g0", -gives * s, 0,
          "how does the loss change with the lead, and the lead with the gate?",
          "∂loss/∂g0 = ∂loss/∂lead · ∂lead/∂g0, with ∂loss/∂lead = −1/(1 + e^lead)", {
            { 0, "the gate moves the lead, and the lead the loss: a little, but not by nothing" },
            { gives * s, "the sign: a larger gate makes the loss smaller" },
            { -s, "this is the slope with respect to the lead; the gate moves the lead by what the head gives" },
            { -gives * (1 - s),
              "this is as if the word were nearly sure to be wrong: it is nearly sure to be right, and the slope is small" } } },
        { "rise_without_0: the rise of the loss when g0 goes from 1 to 0", rise, 0,
          "what is the loss at the lead without head 0, and what was it before?",
          "log(1 + e^(−lead without head 0)) − log(1 + e^(−lead))", {
            { gives * s, "this is what the slope predicts: one step along the tangent, and the curve bends" },
            { loss(without), "this is the loss without head 0: the loss that was there before is still to be "
                             "taken away" },
            { -rise, "the sign: the loss rises" },
            { loss(without - gives) - loss(lead), "this is the rise without both copies" } } },
        { "lead_with_mean: the mean of head 0 in its place", without + mean, 0,
          "what goes out of the sum, and what comes in?",
          "lead − what head 0 gives here + what it gives on average", {
            { without, "this is the lead with nothing in place of head 0" },
            { lead + mean, "the mean comes in, but what head 0 gives here is still there" },
            { without + gives * mean,
              "what head 0 gives is not a factor: its mean replaces the 2 and is not multiplied by it" },
            { without - gives + 2 * mean, "this puts the mean in place of both copies: head 1 stays as it is" } } },
    };
    // clang-format on
    for (int n = 0; n < COUNT(predictions); n++) judge_prediction(judge, got[n], predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("10b", tasks)
