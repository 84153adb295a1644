// Exercise 22b: my_diagnosis.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

char my_diagnosis(int program);

enum { PROGRAMS = 6, KEYS = 4 };

// clang-format off
static const double first[KEYS] = { 0.7, 0.1, 0.1, 0.1 }, second[KEYS] = { 0.1, 0.5, 0.3, 0.1 }, LAMBDA = 0.5;
static const char RIGHT[PROGRAMS + 1] = "CBFDAG";

// What a program with that mistake prints.
static void printed(double row[KEYS], char mistake)
{
    double sum = 0.0, exps = 0.0;
    for (int j = 0; j < KEYS; j++) {
        double right = first[j] - LAMBDA * second[j];
        row[j] = mistake == 'A' ? first[j] - second[j] : mistake == 'B' ? LAMBDA * first[j] - second[j]
            : mistake == 'C' ? first[j] + LAMBDA * second[j] : mistake == 'D' ? fmax(0.0, right)
            : mistake == 'E' ? fabs(right) : mistake == 'H' ? second[j] - LAMBDA * first[j] : right;
        sum += right;
        exps += exp(right);
    }
    for (int j = 0; j < KEYS && mistake == 'F'; j++) row[j] /= sum;
    for (int j = 0; j < KEYS && mistake == 'G'; j++) row[j] = exp(row[j]) / exps;
}

static const char *listed(Arena *arena, char mistake)
{
    double row[KEYS];
    const char *text = "";
    printed(row, mistake);
    for (int j = 0; j < KEYS; j++) text = arena_format(arena, "%s %.2f", text, row[j]);
    return text;
}

static const char *property_of(Arena *arena, char said, char right)
{
    if (!said || !strchr("ABCDEFGH", said)) return "the answer is a letter from 'A' to 'H'";
    return arena_format(arena, "with the mistake '%c' it would print%s; it prints%s", said, listed(arena, said),
                        listed(arena, right));
}

static void check(Judge *judge)
{
    static const char *const questions[PROGRAMS] = {
        "what do these weights sum up to, and what should they?",
        "the first weight is 0.25: which numbers before it give that?",
        "by what must every weight be multiplied to be right?",
        "two of the four are right; what have the others in common?",
        "by how much is each weight too small, and where have these numbers been seen?",
        "all are positive: can a difference be, when A₂ is large where A₁ is small? And what do they sum up to?",
    };
    // clang-format on
    for (int p = 0; p < PROGRAMS; p++) {
        char said = my_diagnosis(p);
        judge_trying(judge, "my_diagnosis of program %d: '%c'", p, said ? said : '0');
        judge_claim(judge, said == RIGHT[p], (Hints){ property_of(judge->arena, said, RIGHT[p]), questions[p], NULL });
    }
}

int main(void) { return judge_main("22b", check); }
