// Exercise 24b: my_diagnosis.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

Letters my_diagnosis;

#define READ  " 0 1 4 5 6 7"
#define BLOCK " 4 5 6 7"
// What a program with each mistake prints: read, at, kept, lse, out.
static const char *const shown[][5] = {
    ['A' - 'A'] = { READ, READ, BLOCK, "2.565", "5.667" },
    ['B' - 'A'] = { READ, " 0 1 2 3 4 5", BLOCK, "2.565", "6.000" },
    ['C' - 'A'] = { READ, READ, READ, "2.833", "4.706" },
    ['D' - 'A'] = { " 2 3 4 5 6 7", " 2 3 4 5 6 7", BLOCK, "2.565", "6.000" },
    ['E' - 'A'] = { READ, " 2 3 4 5 6 7", BLOCK, "2.565", "6.000" },
    ['F' - 'A'] = { READ, READ, BLOCK, "2.708", "6.800" },
    ['G' - 'A'] = { READ, READ, BLOCK, "2.485", "5.500" },
    ['H' - 'A'] = { READ, READ, BLOCK, "1.609", "10.000" },
};

static const char right[] = "CBAFDE";

static const char *property(Arena *arena, char named, int program)
{
    const char *const *told = shown[named - 'A'], *const *is = shown[right[program] - 'A'];
    static const char *const formats[] = {
        "with the mistake '%c' rank 1 would have read%s; here it has read%s",
        "with the mistake '%c' the positions would be%s; here they are%s",
        "with the mistake '%c' rank 1 would have kept%s; here it has kept%s",
        "with the mistake '%c' lse would be %s; here it is %s",
        "with the mistake '%c' the output would be %s; here it is %s",
    };
    for (int f = 0; f < COUNT(formats); f++)
        if (strcmp(told[f], is[f]) != 0) return arena_format(arena, formats[f], named, told[f], is[f]);
    return NULL;
}

static const char *const questions[] = {
    "how many keys does lse count, and which tokens are more than once among them?",
    "where would the query look for token 7, and where does RoPE say that it stands?",
    "how many keys has each rank, and how much does each of them count in this output?",
    "how many keys does lse count, when there are thirteen tokens?",
    "which tokens stand before the block, and which should?",
    "the tokens are right; how far is token 4 from token 1 here?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f, (Diagnosis){ "my_diagnosis of program", right, 'H', questions, NULL, property });
}

static char truth(int program) { return right[program]; }
static char no_letter(int program) { return "?BAFDE"[program]; }
static char kept(int program) { return "ABAFDE"[program]; }
static char positions(int program) { return "CEAFDE"[program]; }
static char counted(int program) { return "CBHFDE"[program]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'H'" },
                 { AS(Letters, kept), .told = "would have kept 4 5 6 7; here it has kept 0 1 4 5 6 7" },
                 { AS(Letters, positions), .told = "would be 2 3 4 5 6 7; here they are 0 1 2 3 4 5" },
                 { AS(Letters, counted), .told = "lse would be 1.609; here it is 2.565" } } },
};
EXERCISE("24b", tasks)
