// Exercise 26b: my_diagnosis.
#include "exercises/judge.h"

Letters my_diagnosis;

// What a model of each kind shows: put in head 0, head 1; taken out head 0, head 1.
static const char *const shown[] = { "1.0 0.0, 1.0 0.0", "0.0 1.0, 0.0 1.0", "1.0 1.0, 0.0 0.0", "0.0 0.0, 1.0 1.0",
                                     "0.5 0.5, 0.5 0.5", "1.0 1.0, 1.0 1.0", "0.0 0.0, 0.0 0.0", "0.8 0.5, 0.5 0.2" };
static const char right[] = "CDEGFBH";
static const char *const questions[] = {
    "either of them is enough to make the answer right; does it go wrong when one of them forgets?",
    "either of them is enough to make the answer wrong; what must both do for it to be right?",
    "does it matter in which order they are put in?",
    "who else could know?",
    "when the first is put in, the second is computed anew; and when the second is put in, does it need the first?",
    "which row of numbers is all 0, and whose is it?",
    "put in, the two make more than 1, taken out less: is one enough to go all the way, or needed to go at all?",
};
// Where neither head reads the other, four states say everything.
static const char by_state[] =
    "with f(a, b) for how far the answer is right when head 0 has a and head 1 has b, each 0 or 1: put in is "
    "f(1, 0) and f(0, 1); taken out is f(1, 1) - f(0, 1) and f(1, 1) - f(1, 0). Which f is it?";
static const char in_order[] = "head 1 has what head 0 tells it, unless head 1 itself is patched. Draw the one way; "
                               "patch its first stop, then its second";

// As judge_letters, with a formula that depends on the model.
static void check(Judge *judge, Function f)
{
    (void)f;
    for (int m = 0; right[m]; m++) {
        char named = my_diagnosis(m);
        Prediction p = { arena_format(judge->arena, "my_diagnosis of model %d: '%c'", m, named ? named : '0'), right[m],
                         .question = questions[m], .formula = right[m] == 'F' ? in_order : by_state,
                         .otherwise = "the answer is a letter from 'A' to 'H'" };
        p.beliefs[0] = (Belief){ '?', p.otherwise };
        for (int kind = 'A', known = 1; kind <= 'H'; kind++)
            if (kind != right[m])
                p.beliefs[known++] =
                    (Belief){ kind, arena_format(judge->arena, "a model of kind '%c' would show %s; it shows %s", kind,
                                                 shown[kind - 'A'], shown[right[m] - 'A']) };
        judge_prediction(judge, named, p);
    }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("26b", tasks)
