// Exercise 10b: my_prediction, six numbers of a model in miniature.
#include "exercises/judge.h"

#include <math.h>

typedef struct {
    double lead, right_without_0, right_without_both, slope_0, rise_without_0, lead_with_mean;
} Prediction;
Prediction my_prediction(void);

static const double GIVES = 2, MEAN = 0.75, LEAD = 3.5;

static double loss(double lead) { return log(1 + exp(-lead)); }

static Mat number(Judge *judge, double value) { return mat_of(judge->arena, 1, 1, (float[]){ (float)value }); }

// Two decimals are enough.
static void predicted(Judge *judge, const char *what, double got, double expected, Answer answer)
{
    judge_trying(judge, "your prediction of %s", what);
    answer.got = number(judge, got);
    answer.expected = number(judge, expected);
    answer.tolerance = 0.0051f;
    judge_answer(judge, answer);
}

static void the_leads(Judge *judge, const Prediction *p)
{
    predicted(judge, "the lead with all gates at 1", p->lead, LEAD, (Answer){
        .hints = { .property = arena_format(judge->arena, "the three heads together give more than %.2f + 1",
                                            p->lead < LEAD ? p->lead : 0.0),
                   .question = "what is the sum when g0 = g1 = g2 = 1?",
                   .formula = "lead = Σ gate · what it gives − 1" },
        .mistakes = { { "the model leans to the wrong word by 1 before any head speaks", number(judge, LEAD + 1) } } });
    predicted(judge, "whether the word is right without head 0", p->right_without_0, 1, (Answer){
        .hints = { .property = "without head 0 something still speaks for the right word",
                   .question = "head 1 is a copy of head 0: what is the lead when only one of them has gone?",
                   .formula = "right ⇔ lead > 0" } });
    predicted(judge, "whether the word is right without heads 0 and 1", p->right_without_both, 0, (Answer){
        .hints = { .property = "heads that can go one by one need not be able to go together",
                   .question = "what is the lead when only head 2 is left?", .formula = "right ⇔ lead > 0" } });
}

static void the_slopes(Judge *judge, const Prediction *p)
{
    double s = 1 / (1 + exp(LEAD)), rise = loss(LEAD - GIVES) - loss(LEAD);
    predicted(judge, "the slope of the gate of head 0", p->slope_0, -GIVES * s, (Answer){
        .hints = { .property = "a larger gate makes a larger lead, and that a smaller loss: the slope is below 0",
                   .question = "how does the loss change with the lead, and the lead with the gate?",
                   .formula = "∂loss/∂g0 = ∂loss/∂lead · ∂lead/∂g0, with ∂loss/∂lead = −1/(1 + e^lead)" },
        .mistakes = { { "the sign: a larger gate makes the loss smaller", number(judge, GIVES * s) },
                      { "this is the slope with respect to the lead; the gate moves the lead by what the head gives",
                        number(judge, -s) },
                      { "this is −(1 − s) where −s is wanted: the model is nearly sure, so the slope is small",
                        number(judge, -GIVES * (1 - s)) } } });
    predicted(judge, "the rise of the loss without head 0", p->rise_without_0, rise, (Answer){
        .hints = { .property = arena_format(judge->arena, "a loss that bends upwards rises by more than its slope "
                                            "says, %.2f", GIVES * s),
                   .question = "what is the loss at the lead without head 0, and what was it before?",
                   .formula = "log(1 + e^(−lead without head 0)) − log(1 + e^(−lead))" },
        .mistakes = { { "this is what the slope foretells: one step along the tangent, and the curve bends",
                        number(judge, GIVES * s) },
                      { "this is the loss without head 0: the loss that was there before is still to be taken away",
                        number(judge, loss(LEAD - GIVES)) },
                      { "the sign: the loss rises", number(judge, -rise) },
                      { "this is the rise without both copies",
                        number(judge, loss(LEAD - 2 * GIVES) - loss(LEAD)) } } });
    predicted(judge, "the lead with the mean of head 0 in its place", p->lead_with_mean, LEAD - GIVES + MEAN, (Answer){
        .hints = { .property = "it lies between the lead without head 0 and the lead with it",
                   .question = "what goes out of the sum, and what comes in?",
                   .formula = "lead − what head 0 gives here + what it gives on the mean" },
        .mistakes = { { "this is the lead with nothing in the place of head 0", number(judge, LEAD - GIVES) },
                      { "the mean comes in, but what head 0 gives here is still there", number(judge, LEAD + MEAN) },
                      { "what head 0 gives is not a factor: its mean replaces the 2 and is not multiplied by it",
                        number(judge, LEAD - GIVES + GIVES * MEAN) } } });
}

static void check(Judge *judge)
{
    Prediction p = my_prediction();
    the_leads(judge, &p);
    the_slopes(judge, &p);
}

int main(void) { return judge_main("10b", check); }
