// Exercise 15d: my_obstacles and my_sum.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

typedef const char *Obstacles(void);
typedef float Sum(const float *x, int n);
Obstacles my_obstacles;
Sum my_sum;

static const char letters[] = "NSPOZL", right[] = "SNPOZL";

// What is wrong with a letter where it does not belong.
static const char *const against[] = {
    "something does: which two orders of its turns would give other bits?",
    "nothing is added up to one number here",
    "what the next turn needs of this one is i, and that is known",
    "nothing here is read through a pointer to what is written",
    "what is the result, if one number is NaN, or 0 meets −0? The same in any order",
    "how often it runs is known when it begins",
};

static const char *const questions[] = {
    "which of the eight additions to the same number may come first?",
    "restrict promises something: what?",
    "what must be known before turn i can begin?",
    "what happens if factor points to to[0]?",
    "is the larger one of two numbers the same whichever comes first? Of every two?",
    "which numbers would a vector of sixteen lanes read at the last turn?",
};

static void obstacles(Judge *judge, Function f)
{
    const char *named = ((Obstacles *)f)();
    judge_trying(judge, "my_obstacles \"%.20s\"", named);
    judge_claim(judge, strlen(named) == strlen(right), (Hints){ "six letters are wanted, one a loop" });
    judge_claim(judge, named[0] != '?', (Hints){ "no letter has been written yet" });
    for (int n = 0; n < COUNT(questions); n++) {
        const char *letter = strchr(letters, named[n]);
        judge_trying(judge, "loop %d: %c", n + 1, named[n]);
        judge_claim(judge, letter, (Hints){ "the letters are N, S, P, O, Z and L, all of them large" });
        const char *words = against[letter - letters];
        if (right[n] == 'N') words = "two neighbours of this loop have nothing to do with each other";
        judge_claim(judge, named[n] == right[n], (Hints){ words, questions[n] });
    }
}

static const char *said_obstacles(void)
{
    static const char *const said[] = { right, "SNPOZ", "??????", "XNPOZL", "NNPOZL", "SPPOZL", "ONPOZL", "SNPZZL" };
    return said[judge_fault];
}

// ---- my_sum: several draws of large numbers among small ones. A large sum rounds the small numbers; the large ones
// cancel in the end, so the digits that are left show the order. Behind the numbers are some that may not be read.

enum { BEHIND = 8, DRAWS = 40 };
static const int counts[] = { 61, 64, 5, 0 };

static void sum_case(Judge *judge, Function f, int c)
{
    int n = counts[c];
    Random random = random_from(1);
    Mat x = judge_random(judge, &random, DRAWS, n + BEHIND), sums = judge_output(judge, 1, DRAWS);
    mat_fill(mat_cols(x, n, BEHIND), 1000.0f);
    judge_trying(judge, "my_sum of %d numbers, large and small, %d times", n, DRAWS);
    for (int draw = 0; draw < DRAWS; draw++) {
        float *row = mat_row(x, draw);
        for (int i = 0; i < n / 2; i++) row[i] = ldexpf(row[i], i * 7 % 25);
        for (int i = 0; i < n / 2; i++) row[n - 1 - i] -= row[i];
        sums.at[draw] = ((Sum *)f)(row, n);
    }
}

enum { RIGHT, NOTHING, ONE_SUM, NO_TAIL, TOO_FAR, IN_PAIRS };

static float faulty_sum(const float *x, int n)
{
    const int fault = judge_fault, sums = fault == ONE_SUM ? 1 : 8;
    float part[8] = { 0 };
    int end = fault == NO_TAIL ? n / 8 * 8 : fault == TOO_FAR ? (n + 7) / 8 * 8 : n;
    for (int i = 0; i < end && fault != NOTHING; i++) {
        part[i % sums] += x[i];
    }
    if (fault == IN_PAIRS)
        return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
    for (int s = 1; s < 8; s++) part[0] += part[s];
    return part[0];
}

static const Task tasks[] = {
    { AS(Obstacles, my_obstacles), AS(Obstacles, said_obstacles), .faulty = AS(Obstacles, said_obstacles),
      .check = obstacles,
      .wrong = { FAULT(1, "six letters are wanted, one a loop"), FAULT(2, "no letter has been written yet"),
                 FAULT(3, "the letters are N, S, P, O, Z and L, all of them large"),
                 FAULT(4, "something does: which two orders of its turns would give other bits?"),
                 FAULT(5, "two neighbours of this loop have nothing to do with each other"),
                 FAULT(6, "nothing here is read through a pointer to what is written"),
                 FAULT(7, "what is the result, if one number is NaN, or 0 meets −0? The same in any order") } },
    { AS(Sum, my_sum), AS(Sum, faulty_sum), sum_case, COUNT(counts), 1e-9f, .faulty = AS(Sum, faulty_sum),
      .hints = { { "these are not the bits of the order that the task asks for",
                   "which sum does number 9 go to, and what has been added to it before?",
                   "sum_s = x_s + x_(s+8) + x_(s+16) + …; then sum_0 + sum_1 + … + sum_7" } },
      .wrong = { FAULT(NOTHING, "the result is 0: it is still the stub"),
                 FAULT(ONE_SUM, "one sum after all: every addition waits for the one before"),
                 FAULT(NO_TAIL, "the numbers behind the last whole eight are left out"),
                 FAULT(TOO_FAR, "numbers behind the end are read: where fewer than eight are left, a turn may not take "
                                "eight"),
                 FAULT(IN_PAIRS,
                       "the eight sums are added in pairs, which is as good, but not the order of the task") } },
};
EXERCISE("15d", tasks)
