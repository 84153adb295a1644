// Exercise 26b: my_diagnosis.
#include "exercises/judge.h"

#include <string.h>

char my_diagnosis(int model);

enum { MODELS = 7 };
static const char RIGHT[MODELS + 1] = "CDEGFBH";

// What a model of a kind would show: put in head 0, head 1; taken out head 0, head 1.
static const char *shown(char kind)
{
    switch (kind) {
    case 'A': return "1.0 0.0, 1.0 0.0";
    case 'B': return "0.0 1.0, 0.0 1.0";
    case 'C': return "1.0 1.0, 0.0 0.0";
    case 'D': return "0.0 0.0, 1.0 1.0";
    case 'E': return "0.5 0.5, 0.5 0.5";
    case 'F': return "1.0 1.0, 1.0 1.0";
    case 'G': return "0.0 0.0, 0.0 0.0";
    case 'H': return "0.8 0.5, 0.5 0.2";
    default: return "";
    }
}

static void check(Judge *judge)
{
    static const char *const questions[MODELS] = {
        "either of them is enough to make the answer right; does it go wrong when one of them forgets?",
        "either of them is enough to make the answer wrong; what must both do for it to be right?",
        "does it matter in which order they are put in?",
        "who else could know?",
        "when the first is put in, the second is computed anew; and when the second is put in, does it need the first?",
        "which row of numbers is all 0, and whose is it?",
        "put in, the two make more than 1, taken out less: is one enough to go all the way, or needed to go at all?",
    };
    // Where neither head reads the other, four states say everything.
    static const char *const by_state =
        "with f(a, b) for how far the answer is right when head 0 has a and head 1 has b, each 0 or 1: put in is "
        "f(1, 0) and f(0, 1); taken out is f(1, 1) - f(0, 1) and f(1, 1) - f(1, 0). Which f is it?";
    static const char *const in_order =
        "head 1 has what head 0 tells it, unless head 1 itself is patched. Draw the one way; patch its first stop, "
        "then its second";
    for (int m = 0; m < MODELS; m++) {
        char said = my_diagnosis(m);
        bool letter = said && strchr("ABCDEFGH", said);
        judge_trying(judge, "my_diagnosis of model %d: '%c'", m, said ? said : '0');
        const char *property = letter ? arena_format(judge->arena, "a model of kind '%c' would show %s; it shows %s",
                                                     said, shown(said), shown(RIGHT[m]))
                                      : "the answer is a letter from 'A' to 'H'";
        judge_claim(judge, said == RIGHT[m], (Hints){ property, questions[m], RIGHT[m] == 'F' ? in_order : by_state });
    }
}

int main(void) { return judge_main("26b", check); }
