// Exercise 11c: my_diagnosis.
#include "exercises/judge.h"

#include <string.h>

char my_diagnosis(int program);

enum { TOKENS = 6, GIVEN = 3, PROGRAMS = 5 };

// Token t (from 0) sees the values of keys 0 … seen − 1, but for the mistake. What it takes is their mean.
static float mean_of(int first, int end)
{
    float sum = 0.0f;
    for (int j = first; j < end; j++) sum += (float)(j + 1);
    return end > first ? sum / (float)(end - first) : 0.0f;
}

// What a decoder with that mistake prints for token t.
static float printed(char mistake, int t)
{
    bool prompt = t < GIVEN;
    switch (mistake) {
    case 'A': return prompt ? 0.0f : mean_of(0, t);
    case 'B': return prompt ? mean_of(0, GIVEN) : mean_of(0, t + 1);
    case 'C': return prompt ? mean_of(0, t + 1) : mean_of(0, 1);
    case 'D': return prompt ? mean_of(0, t + 1) : mean_of(t, t + 1);
    case 'E': return prompt ? mean_of(0, t + 1) : (mean_of(0, GIVEN) * GIVEN + (float)(t + 1)) / (GIVEN + 1);
    default: return mean_of(0, t + 1); // F: a mean does not know positions
    }
}

static const char RIGHT[PROGRAMS + 1] = "CABDE";

static const char *property_of(Arena *arena, char said, char right)
{
    if (!said || !strchr("ABCDEF", said)) return "the answer is a letter from 'A' to 'F'";
    for (int t = 0; t < TOKENS; t++)
        if (printed(said, t) != printed(right, t))
            return arena_format(arena, "with the mistake '%c' token %d would print %.4g; this program prints %.4g",
                                said, t + 1, (double)printed(said, t), (double)printed(right, t));
    return NULL;
}

static void check(Judge *judge)
{
    static const char *const questions[PROGRAMS] = {
        "of which token alone is 1.0 the mean, and where does a query that is alone in its chunk seem to stand?",
        "what is there to be seen when the very first chunk looks?",
        "which values have the mean 2.0, and which of them lie in the future of token 1?",
        "of which token alone is 4.0 the mean?",
        "2.75 is the mean of four values; which one is missing?",
    };
    for (int p = 0; p < PROGRAMS; p++) {
        char said = my_diagnosis(p);
        judge_trying(judge, "my_diagnosis of program %d: '%c'", p, said ? said : '0');
        judge_claim(judge, said == RIGHT[p], (Hints){ property_of(judge->arena, said, RIGHT[p]), questions[p], NULL });
    }
}

int main(void) { return judge_main("11c", check); }
