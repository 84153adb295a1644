// Exercise 05c: my_causes. Every cause can be computed, so a wrong letter is answered with what it would have given.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <ctype.h>
#include <string.h>

typedef const char *Causes(void);
Causes my_causes;

enum { T = 3, S = 5, TABLES = 7 };

static const char right[] = "HFGCDBI";
static const float exponentials[S] = { 1, 2, 1, 4, 2 };

static bool sees(char cause, int i, int j)
{
    int p = i + S - T;
    if (cause == 'H') return j <= i;
    if (cause == 'G') return j < p;
    if (cause == 'C') return j >= p;
    if (cause == 'B') return j <= p && j > p - 2;
    if (cause == 'E') return j <= p + 1;
    if (cause == 'J') return j <= p && j > 0;
    return cause == 'A' || cause == 'F' || j <= p;
}

static float divisor(Mat table, char cause, int i, int j)
{
    return (float)mat_sum(cause == 'I' ? mat_cols(table, j, 1) : mat_rows(table, i, 1));
}

static Mat table_of(Arena *arena, char cause)
{
    Mat seen = mat_new(arena, T, S), weights = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++)
            *mat_ref(seen, i, j) = sees(cause, i, j) ? exponentials[j] : cause == 'D' ? 1.0f : 0.0f;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            bool struck_out = cause == 'F' && j > i + S - T;
            if (!struck_out) *mat_ref(weights, i, j) = *mat_ref(seen, i, j) / divisor(seen, cause, i, j);
        }
    return weights;
}

static const char *first_difference(Arena *arena, char letter, int n)
{
    Mat a = table_of(arena, letter), b = table_of(arena, right[n]);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++)
            if (fabsf(*mat_ref(a, i, j) - *mat_ref(b, i, j)) > 0.005f)
                return arena_format(arena, "%c would give %.2f in row %d, column %d (both from 0); there stands %.2f",
                                    letter, (double)*mat_ref(a, i, j), i, j, (double)*mat_ref(b, i, j));
    return "";
}

// What can be seen of each table without a cause: for those who ask further.
// clang-format off
static const char *const questions[TABLES] = {
    "how many keys does each query see, and how many should it see?", "what does each row sum to?",
    "which is the last key that each query sees, and where does the query stand?",
    "on which side of a query are the keys that it sees?",
    "what are the weights of hidden keys, times the row's divisor?", "how many keys does each query see?",
    "what do rows sum to, and what do columns?",
};
// clang-format on

static const char *named;
static char letter(int n) { return (char)toupper((unsigned char)named[n]); }

static void check(Judge *judge, Function f)
{
    named = ((Causes *)f)();
    judge_trying(judge, "my_causes \"%.20s\"", named);
    judge_claim(judge, strlen(named) == TABLES,
                (Hints){ "seven letters are wanted, one a table, and nothing between them" });
    judge_claim(judge, strspn(named, "?") != TABLES, (Hints){ "no letter has been written yet" });
    judge_letters(judge, letter,
                  (Diagnosis){ "my_causes: letter", right, 'J', questions,
                               "weight = e^score / the sum of e^score over the keys in sight of that query",
                               first_difference });
}

#define CAUSES(name, letters) \
    static const char *name(void) { return letters; }
CAUSES(truth, right)
CAUSES(nothing, "???????")
CAUSES(with_spaces, "H F G C D B I")
CAUSES(second, "HAGCDBI")
CAUSES(small, "hfgcdib")

static const Task tasks[] = {
    { AS(Causes, my_causes), AS(Causes, truth), .check = check,
      .wrong = { { AS(Causes, nothing), "no letter has been written yet" },
                 { AS(Causes, with_spaces), "seven letters are wanted, one a table, and nothing between them" },
                 { AS(Causes, second), .told = "A would give 0.40 in row 0, column 3" },
                 { AS(Causes, small), .told = "I would give 0.33 in row 0" } } },
};
EXERCISE("05c", tasks)
