// Exercise 10b: my_prediction, six numbers of a model in miniature.
#include "exercises/predicted.h"

// The names of the exercise, beside those of predicted.h.
typedef struct {
    double lead, right_without_0, right_without_both, slope_0, rise_without_0, lead_with_mean;
} Predicted;
Predicted my_prediction(void);

static const double GIVES = 2, MEAN = 0.75, LEAD = 3.5;

static double loss(double lead) { return log(1 + exp(-lead)); }

static void the_leads(Judge *judge, const Predicted *p)
{
    judge_prediction(judge, (float)p->lead,
                     (Prediction){
                         "lead: all gates are 1",
                         LEAD,
                         0,
                         "what is the sum when g0 = g1 = g2 = 1?",
                         "lead = Σ gate · what it gives − 1",
                         { { 0, "nothing is predicted yet" },
                           { LEAD + 1, "the model leans to the wrong word by 1 before any head speaks" },
                           { LEAD + 2,
                             "the 1 is taken away: the model leans to the wrong word before any head speaks" },
                           { LEAD - 0.5, "head 2 speaks, too, if quietly" },
                           { LEAD - GIVES, "head 1 is a copy of head 0, and yet both speak: both count" } } });
    judge_prediction(judge, (float)p->right_without_0,
                     (Prediction){ "right_without_0: is the word right without head 0?",
                                   1,
                                   0,
                                   "head 1 is a copy of head 0: what is the lead when only one of them has gone?",
                                   "right ⇔ lead > 0",
                                   { { -1, "nothing is predicted yet" },
                                     { 0, "without head 0 something still speaks for the right word" },
                                     { LEAD - GIVES, "that is a lead: 1 or 0 is asked for, right or not" } } });
    judge_prediction(judge, (float)p->right_without_both,
                     (Prediction){ "right_without_both: is the word right without heads 0 and 1?",
                                   0,
                                   0,
                                   "what is the lead when only head 2 is left?",
                                   "right ⇔ lead > 0",
                                   { { -1, "nothing is predicted yet" },
                                     { 1, "heads that can go one by one need not be able to go together" },
                                     { LEAD - 2 * GIVES, "that is a lead: 1 or 0 is asked for, right or not" } } });
}

static void the_slopes(Judge *judge, const Predicted *p)
{
    double s = 1 / (1 + exp(LEAD)), rise = loss(LEAD - GIVES) - loss(LEAD);
    judge_prediction(
        judge, (float)p->slope_0,
        (Prediction){
            "slope_0: the gradient of the loss with respect to g0",
            -GIVES * s,
            0,
            "how does the loss change with the lead, and the lead with the gate?",
            "∂loss/∂g0 = ∂loss/∂lead · ∂lead/∂g0, with ∂loss/∂lead = −1/(1 + e^lead)",
            { { 0, "the gate moves the lead, and the lead the loss: a little, but not by nothing" },
              { GIVES * s, "the sign: a larger gate makes the loss smaller" },
              { -s, "this is the slope with respect to the lead; the gate moves the lead by what the head gives" },
              { -GIVES * (1 - s), "this is as if the word were nearly sure to be wrong: it is nearly sure to be right, "
                                  "and the slope is small" },
              { GIVES, "this is the slope of the lead: the loss has its own" },
              { -GIVES,
                "this is the slope of the lead, turned round: the loss has its own, and it is far smaller here" },
              { -GIVES / (1 + exp(LEAD - GIVES)),
                "this is the slope where head 0 has gone already: it is asked for with "
                "all gates at 1" },
              { -rise, "this is how far the loss goes over the whole way from 0 to 1: the slope is that of the first "
                       "step, at 1" },
              { s, "this is how likely the wrong word is: a slope has a sign, and the gate moves the lead by what the "
                   "head gives" },
              { GIVES * (1 - s), "this is as if the word were nearly sure to be wrong, and the sign is that of a gate "
                                 "that does harm" } } });
    judge_prediction(judge, (float)p->rise_without_0,
                     (Prediction){
                         "rise_without_0: the rise of the loss when g0 goes from 1 to 0",
                         rise,
                         0,
                         "what is the loss at the lead without head 0, and what was it before?",
                         "log(1 + e^(−lead without head 0)) − log(1 + e^(−lead))",
                         { { GIVES * s,
                             "this is what the slope predicts: one step along the tangent, and the curve bends" },
                           { loss(LEAD - GIVES),
                             "this is the loss without head 0: the loss that was there before is still to be "
                             "taken away" },
                           { -rise, "the sign: the loss rises" },
                           { loss(LEAD - 2 * GIVES) - loss(LEAD), "this is the rise without both copies" },
                           { rise / log(10), "this takes the logarithm to base 10: the natural one is meant" },
                           { rise / log(2), "this takes the logarithm to base 2: the natural one is meant" },
                           { loss(LEAD),
                             "this is the loss that was there before: how much more is it without head 0?" },
                           { 1 / (1 + exp(LEAD - GIVES)) - s,
                             "this is the rise of the probability of the wrong word: the loss is "
                             "−log of that of the right one" },
                           { loss(LEAD - GIVES) / loss(LEAD),
                             "this says how many times as large the loss becomes: by how much it "
                             "rises is a difference" },
                           { GIVES, "this is how far the lead falls: the loss has its own scale" },
                           { loss(GIVES - LEAD) - loss(-LEAD),
                             "the sign in the exponent: the loss is small where the lead is "
                             "large" } } });
    judge_prediction(judge, (float)p->lead_with_mean,
                     (Prediction){ "lead_with_mean: the mean of head 0 in its place",
                                   LEAD - GIVES + MEAN,
                                   0,
                                   "what goes out of the sum, and what comes in?",
                                   "lead − what head 0 gives here + what it gives on average",
                                   { { LEAD - GIVES, "this is the lead with nothing in place of head 0" },
                                     { LEAD + MEAN, "the mean comes in, but what head 0 gives here is still there" },
                                     { LEAD - GIVES + GIVES * MEAN,
                                       "what head 0 gives is not a factor: its mean replaces the 2 and is not "
                                       "multiplied by it" },
                                     { LEAD - 2 * GIVES + 2 * MEAN,
                                       "this puts the mean in place of both copies: head 1 stays as it "
                                       "is" },
                                     { MEAN, "this is what head 0 gives on average: the others speak as well" },
                                     { GIVES - MEAN, "by so much the lead falls: what is left of it?" },
                                     { LEAD - MEAN, "the mean comes in; what goes out is what head 0 gives here" } } });
}

static void check(Judge *judge)
{
    judge_trying(judge, "my_prediction");
    Predicted p = my_prediction();
    the_leads(judge, &p);
    the_slopes(judge, &p);
}

int main(void) { return judge_main("10b", check); }
