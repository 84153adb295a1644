// Exercise 22b: my_diagnosis.
#include "base/portable_math.h"
#include "exercises/judge.h"

Letters my_diagnosis;

enum { KEYS = 4 };
static const double first[KEYS] = { 0.7, 0.1, 0.1, 0.1 }, second[KEYS] = { 0.1, 0.5, 0.3, 0.1 }, LAMBDA = 0.5;
static const char right[] = "CBFDAG";

static double weight(int j, char mistake)
{
    double exps = 0.0, difference = first[j] - LAMBDA * second[j];
    for (int e = 0; e < KEYS; e++) exps += exp(first[e] - LAMBDA * second[e]);
    switch (mistake) {
    case 'A': return first[j] - second[j];
    case 'B': return LAMBDA * first[j] - second[j];
    case 'C': return first[j] + LAMBDA * second[j];
    case 'D': return fmax(0.0, difference);
    case 'E': return fabs(difference);
    case 'F': return difference / (1.0 - LAMBDA);
    case 'G': return exp(difference) / exps;
    default: return second[j] - LAMBDA * first[j];
    }
}

// What a program with that mistake prints.
static const char *printed(Arena *arena, char mistake)
{
    const char *text = "";
    for (int j = 0; j < KEYS; j++) text = arena_format(arena, "%s %.2f", text, weight(j, mistake));
    return text;
}

static const char *property(Arena *arena, char named, int program)
{
    return arena_format(arena, "with the mistake '%c' it would print%s; it prints%s", named, printed(arena, named),
                        printed(arena, right[program]));
}

static const char *const questions[] = {
    "what do these weights sum up to, and what should they?",
    "the first weight is 0.25: which numbers before it give that?",
    "by what must every weight be multiplied to be right?",
    "two of the four are right; what have the others in common?",
    "by how much is each weight too small, and where have these numbers been seen?",
    "all are positive: can a difference be, when A₂ is large where A₁ is small? And what do they sum up to?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f, (Diagnosis){ "my_diagnosis of program", right, 'H', questions, NULL, property });
}

static char truth(int program) { return right[program]; }
static char no_letter(int program) { return "?BFDAG"[program]; }
static char lambda_left_out(int program) { return "ABFDAG"[program]; }
static char softmax_last(int program) { return "CBGDAG"[program]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'H'" },
                 { AS(Letters, lambda_left_out),
                   .told = "would print 0.60 -0.40 -0.20 0.00; it prints 0.75 0.35 0.25 0.15" },
                 { AS(Letters, softmax_last),
                   .told = "would print 0.40 0.18 0.20 0.22; it prints 1.30 -0.30 -0.10 0.10" } } },
};
EXERCISE("22b", tasks)
