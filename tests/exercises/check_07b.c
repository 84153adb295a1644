// Exercise 07b: my_distance_test, called with scores that depend on the distance alone and with others.
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <stdlib.h>
#include <string.h>

typedef double Score(Mat q, int i, Mat k, int j);
typedef bool Test(Score *score, Arena *arena);
Test my_distance_test;

// What a test asks of a score: one that calls none has tested nothing.
static struct {
    int calls, outside; // outside: a position that does not exist; 0: all exist
} seen;

static void see(int i, int j)
{
    seen.calls++;
    if (i < 0 || i > 1000000) seen.outside = i;
    if (j < 0 || j > 1000000) seen.outside = j;
}

static double product(Mat q, Mat k) { return (double)dot_product(q.at, k.at, 1, q.cols); }

// q moved to position i, k to position j: turned, or with sinusoidal positions added.
static double moved_to(Mat q, int i, Mat k, int j, bool add)
{
    Arena *arena = arena_open();
    Mat a = mat_copy(arena, q), b = mat_copy(arena, k);
    if (add) sinusoidal_add(a, i), sinusoidal_add(b, j);
    else rope_apply(a, rope_table(arena, i, 1, q.cols)), rope_apply(b, rope_table(arena, j, 1, k.cols));
    double score = product(a, b);
    arena_close(arena);
    return score;
}

#define SCORE(name, value) \
    static double name(Mat q, int i, Mat k, int j) \
    { \
        see(i, j); \
        return value; \
    }

SCORE(turned, moved_to(q, i, k, j, false))
SCORE(nothing, product(q, k))
SCORE(last_pair, moved_to(mat_cols(q, 0, q.cols - 2), i, mat_cols(k, 0, k.cols - 2), j, false) +
                     moved_to(mat_cols(q, q.cols - 2, 2), i, mat_cols(k, k.cols - 2, 2), 0, false))
SCORE(added, moved_to(q, i, k, j, true))
SCORE(slope, product(q, k) - 0.125 * abs(i - j))
SCORE(only_query, moved_to(q, i, k, 0, false))
SCORE(both_ways, moved_to(q, i, k, -j, false))
SCORE(clipped, moved_to(q, i < 512 ? i : 511, k, j < 512 ? j : 511, false))

static const struct {
    Score *score;
    bool distance;
    const char *what, *question;
} all[] = {
    { turned, true, "RoPE's score depends on the distance alone, and your test says that it does not",
      "how equal must two scores be that are rounded?" },
    { slope, true, "ALiBi's score depends on the distance alone, and your test says that it does not",
      "what do you compare, and with what?" },
    { nothing, true, "a score without positions depends on nothing but the words, and your test says no",
      "does the score have to differ between distances?" },
    { added, false, "sinusoidal positions added to q and k pass", "what do you move, and by how much?" },
    { only_query, false, "a score passes for which only the query is turned",
      "are both positions moved, and does the score stay?" },
    { both_ways, false, "a score passes whose keys are turned the other way: it depends on i + j",
      "are both positions moved, and does the score stay?" },
    { last_pair, false,
      "a score passes in which the last pair of the key is not turned, and turns by a thousandth "
      "of a radian a word",
      "which columns of your q and k are not 0, and how far do you move?" },
    { clipped, false, "a score passes that takes every position from 512 on for 511",
      "how far do you move, and from where?" },
};

static void check(Judge *judge, Function f)
{
    Test *test = (Test *)f;
    for (int n = 0; n < COUNT(all); n++) {
        judge_trying(judge, "my_distance_test of score %d of %d, which depends on %s", n + 1, COUNT(all),
                     all[n].distance ? "the distance alone" : "more than the distance");
        memset(&seen, 0, sizeof seen);
        bool passes = test(all[n].score, judge->arena);
        judge_claim(judge, seen.calls > 0,
                    (Hints){ "the answer was given without one call of score: the test has not tried anything yet",
                             "which two scores should be equal, if only the distance counts?" });
        judge_claim(judge, !seen.outside,
                    (Hints){ arena_format(judge->arena, "position %d was asked for; positions go from 0 to a million",
                                          seen.outside) });
        judge_verdict(judge, passes, all[n].distance,
                      (Hints){ all[n].what, all[n].question,
                               "score(q, i + n, k, j + n) = score(q, i, k, j) for all q, k, i, j and n" });
    }
}

enum { SAYS_YES = 1, ONLY_NEAR, EXACT, OUTSIDE };

static bool faulty_test(Score *score, Arena *arena)
{
    static const int moves[] = { 1, 10, 300, 3000, 999000 };
    const int fault = judge_fault;
    if (fault == SAYS_YES) return true;
    Random random = random_from(7);
    Mat q = mat_new(arena, 1, 8), k = mat_new(arena, 1, 8);
    random_normals(&random, q);
    random_normals(&random, k);
    double most = fault == EXACT ? 0.0 : 1e-4 * (double)(vector_norm(q.at, 8) * vector_norm(k.at, 8));
    for (int n = 0; n < (fault == ONLY_NEAR ? 3 : 5); n++)
        for (int apart = 0; apart <= 100; apart += 7) {
            int by = fault == OUTSIDE ? -1 : moves[n];
            if (fabs(score(q, apart + by, k, by) - score(q, apart, k, 0)) > most) return false;
        }
    return true;
}

static const Task tasks[] = {
    { AS(Test, my_distance_test), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { FAULT(SAYS_YES, "the answer was given without one call of score: the test has not tried anything yet"),
                 FAULT(ONLY_NEAR, "a score passes that takes every position from 512 on for 511"),
                 FAULT(EXACT, "RoPE's score depends on the distance alone, and your test says that it does not"),
                 FAULT(OUTSIDE, "position -1 was asked for; positions go from 0 to a million") } },
};
EXERCISE("07b", tasks)
