// Exercise 07a: my_rope_halves and my_key.
#include "attention/positions.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Halves(Mat m, int first);
typedef void Key(Mat key, Mat q, int n, Arena *arena);
Halves my_rope_halves;
Key my_key;

static const struct {
    int T, d, first;
    bool view;
} cases[] = { { 2, 2, 1, false }, { 2, 6, 1, false }, { 5, 8, 40, false }, { 0, 8, 3, false }, { 5, 8, 40, true } };

static void halves_case(Judge *judge, Function f, int n)
{
    int T = cases[n].T, d = cases[n].d;
    Random random = random_from(7);
    Mat m = cases[n].view ? judge_output_view(judge, T, d) : judge_output(judge, T, d);
    mat_set(m, judge_random(judge, &random, T, d));
    if (cases[n].view) judge_trying(judge, "my_rope_halves of %d rows of width %d, columns of a wider matrix", T, d);
    else judge_trying(judge, "my_rope_halves of %d rows of width %d from position %d", T, d, cases[n].first);
    ((Halves *)f)(m, cases[n].first);
}

enum { LEFT = 1, LIBRARY, FROM_0, BACKWARDS, OVERWRITTEN, HALF_AS_FAST, END_TO_END };

static void faulty_halves(Mat m, int first)
{
    const int fault = judge_fault, d = m.cols;
    for (int i = 0; i < m.rows; i++)
        for (int p = 0; p < d / 2; p++) {
            float *row = fault == END_TO_END ? m.at + i * d : mat_row(m, i);
            float *a = row + (fault == LIBRARY ? 2 * p : p), *b = fault == LIBRARY ? a + 1 : a + d / 2, old = *a;
            double power = (fault == HALF_AS_FAST ? -1.0 : -2.0) * p / d;
            double angle = fault == LEFT ? 0.0 : (fault == FROM_0 ? i : first + i) * pow(10000.0, power);
            float c = (float)cos(angle), s = (float)sin(fault == BACKWARDS ? -angle : angle), x = *b;
            *a = old * c - x * s;
            *b = (fault == OVERWRITTEN ? *a : old) * s + x * c;
        }
}

static const int keys[][2] = { { 8, 0 }, { 8, 1 }, { 64, 12 } }; // the width, and how many words back

static void key_case(Judge *judge, Function f, int n)
{
    Random random = random_from(8);
    Mat q = judge_random(judge, &random, 1, keys[n][0]);
    judge_trying(judge, "my_key of a query of width %d, to be found %d words back", keys[n][0], keys[n][1]);
    ((Key *)f)(judge_output(judge, 1, keys[n][0]), q, keys[n][1], judge->arena);
}

enum { OWN_PAIRS = 1, AHEAD };

static void faulty_key(Mat key, Mat q, int n, Arena *arena)
{
    const int fault = judge_fault, turns = fault == AHEAD ? -n : n;
    mat_set(key, q);
    judge_fault = 0;
    if (fault == OWN_PAIRS) faulty_halves(key, n);
    else rope_apply(key, rope_table(arena, turns, 1, q.cols));
    judge_fault = fault;
}

static void copied(Mat key, Mat q, int n, Arena *arena)
{
    (void)n;
    (void)arena;
    mat_set(key, q);
}

static const Task tasks[] = {
    { AS(Halves, my_rope_halves), AS(Halves, faulty_halves), halves_case, COUNT(cases),
      .hints = { { NULL, "which two columns are a pair, and by which angle do they turn?",
                   "a' = a cos θ - b sin θ, b' = a sin θ + b cos θ, θ = (first + i) / 10000^(2p/d)" } },
      .faulty = AS(Halves, faulty_halves),
      .wrong = { FAULT(LEFT, "the rows come out as they went in: nothing is turned, or it is turned back, or by full "
                             "circles"),
                 FAULT(LIBRARY, "these are the library's pairs, 2p and 2p + 1; p belongs to p + d/2"),
                 FAULT(FROM_0, "row 0 stands at position `first`, not at 0"),
                 FAULT(BACKWARDS, "turned the other way: the sign of the sine"),
                 FAULT(OVERWRITTEN, "the second number must be made from the old a, before it was overwritten"),
                 FAULT(HALF_AS_FAST, "the exponent is 2p/d, not p/d"),
                 FAULT(END_TO_END,
                       "m is a view here: its row i begins at mat_row(m, i), which is i · stride floats on") } },
    { AS(Key, my_key), AS(Key, faulty_key), key_case, COUNT(keys), .faulty = AS(Key, faulty_key),
      .hints = { { NULL, "where does a key that was turned by n act as if it stood?",
                   "score(distance) = q · k turned by -distance: largest where that is q itself" } },
      .wrong = { FAULT(OWN_PAIRS, "that is turned in your own pairs; my_key is held against the library's RoPE"),
                 { AS(Key, copied), "that is q itself: it is found best at distance 0" },
                 FAULT(AHEAD, "that key is found n words ahead: turned the other way") } },
};
EXERCISE("07a", tasks)
