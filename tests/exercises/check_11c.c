// Exercise 11c: my_diagnosis.
#include "exercises/judge.h"

Letters my_diagnosis;

enum { TOKENS = 6, GIVEN = 3 };

// The mean of the values of keys first … end − 1; the value of key j (from 0) is j + 1.
static float mean_of(int first, int end)
{
    float sum = 0.0f;
    for (int j = first; j < end; j++) sum += (float)(j + 1);
    return end > first ? sum / (float)(end - first) : 0.0f;
}

// What a decoder with that mistake prints for token t (from 0).
static float printed(char mistake, int t)
{
    bool prompt = t < GIVEN;
    switch (mistake) {
    case 'A': return prompt ? 0.0f : mean_of(0, t);
    case 'B': return prompt ? mean_of(0, GIVEN) : mean_of(0, t + 1);
    case 'C': return prompt ? mean_of(0, t + 1) : mean_of(0, 1);
    case 'D': return prompt ? mean_of(0, t + 1) : mean_of(t, t + 1);
    case 'E': return prompt ? mean_of(0, t + 1) : (mean_of(0, GIVEN) * GIVEN + (float)(t + 1)) / (GIVEN + 1);
    default: return mean_of(0, t + 1); // F: a mean does not depend on positions
    }
}

static const char right[] = "CABDE";

static const char *property(Arena *arena, char named, int program)
{
    char made = right[program];
    for (int t = 0; t < TOKENS; t++)
        if (printed(named, t) != printed(made, t))
            return arena_format(arena, "with the mistake '%c' token %d would print %.4g; this program prints %.4g",
                                named, t + 1, (double)printed(named, t), (double)printed(made, t));
    return NULL;
}

static const char *const questions[] = {
    "of which token alone is 1.0 the mean, and where does a query that is alone in its chunk seem to stand?",
    "what is there to be seen when the very first chunk looks?",
    "which values have the mean 2.0, and which of them lie in the future of token 1?",
    "of which token alone is 4.0 the mean?",
    "2.75 is the mean of four values; which one is missing?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f, (Diagnosis){ "my_diagnosis of program", right, 'F', questions, NULL, property });
}

static char truth(int program) { return right[program]; }
static char no_letter(int program) { return "?ABDE"[program]; }
static char first(int program) { return "FABDE"[program]; }
static char last(int program) { return "CABDF"[program]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'F'" },
                 { AS(Letters, first), "with the mistake 'F' token 4 would print 2.5; this program prints 1" },
                 { AS(Letters, last), .told = "token 5 would print 3; this program prints 2.75" } } },
};
EXERCISE("11c", tasks)
