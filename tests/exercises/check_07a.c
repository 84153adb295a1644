// Exercise 07a: my_rope_halves and my_key.
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <stdlib.h>

typedef void Halves(Mat m, int first);
typedef void Key(Mat key, Mat q, int n, Arena *arena);
Halves my_rope_halves;
Key my_key;

static const struct {
    int T, d, first;
    bool view;
} cases[] = { { 2, 2, 1, false }, { 2, 6, 1, false }, { 5, 8, 0, false },      { 5, 8, 40, false },
              { 0, 8, 3, false }, { 5, 8, 40, true }, { 3, 64, 100000, false } };

static Mat before(Judge *judge, int n)
{
    Random random = random_from(7);
    return judge_random(judge, &random, cases[n].T, cases[n].d);
}

static void halves_case(Judge *judge, Function f, int n)
{
    int T = cases[n].T, d = cases[n].d;
    Mat m = cases[n].view ? judge_output_view(judge, T, d) : judge_output(judge, T, d);
    mat_set(m, before(judge, n));
    if (cases[n].view) judge_trying(judge, "my_rope_halves of %d rows of width %d, columns of a wider matrix", T, d);
    else judge_trying(judge, "my_rope_halves of %d rows of width %d from position %d", T, d, cases[n].first);
    ((Halves *)f)(m, cases[n].first);
}

enum { LEFT = 1, LIBRARY, FROM_0, BACKWARDS, OVERWRITTEN, HALF_AS_FAST, WHOLE_NUMBERS, FIRST_PAIR };
enum { END_TO_END = FIRST_PAIR + 1, IN_FLOAT, STRETCHED, WITH_NAN };

static double angle_of(int first, int i, int p, int d)
{
    const int fault = judge_fault;
    double power = fault == WHOLE_NUMBERS ? -(2 * p / d) : (fault == HALF_AS_FAST ? -1.0 : -2.0) * p / d;
    int t = fault == FROM_0 ? i : first + i;
    if (fault == IN_FLOAT) return (double)((float)t * (float)pow(10000.0, power));
    if (fault == WITH_NAN) return t * 0.0 / p;
    double angle = t * pow(10000.0, power);
    return fault == BACKWARDS ? -angle : fault == LEFT || (fault == FIRST_PAIR && p > 0) ? 0.0 : angle;
}

static void faulty_halves(Mat m, int first)
{
    const int fault = judge_fault, d = m.cols;
    for (int i = 0; i < m.rows; i++)
        for (int p = 0; p < d / 2; p++) {
            float *row = fault == END_TO_END ? m.at + i * d : mat_row(m, i);
            float *a = row + (fault == LIBRARY ? 2 * p : p), *b = fault == LIBRARY ? a + 1 : a + d / 2, old = *a;
            double angle = angle_of(first, i, p, d);
            float c = (float)cos(angle), s = (float)sin(angle), x = *b;
            *a = old * c + (fault == STRETCHED ? x : -x) * s;
            *b = (fault == OVERWRITTEN ? *a : old) * s + x * c;
        }
}

static Hints halves_hints(Judge *judge, Difference d)
{
    Mat was = before(judge, d.n);
    Hints hints = { "the norm of every row is right, so something has been turned: other columns, or by other angles",
                    "which two columns are a pair, and by which angle do they turn?",
                    "a' = a cos θ - b sin θ, b' = a sin θ + b cos θ, θ = (first + i) / 10000^(2p/d)" };
    if (cases[d.n].first >= 100000)
        return (Hints){ "the small positions were right: here the angle has lost its last digits",
                        "how many digits has a float, and how many are left of an angle of 100000 radians?",
                        hints.formula };
    for (int i = was.rows - 1; i >= 0; i--) {
        double old = (double)vector_norm(mat_row(was, i), was.cols);
        double new = (double)vector_norm(mat_row(d.got, i), was.cols);
        const char *words =
            arena_format(judge->arena, "the norm of a row may not change; that of row %d was %.4g and is %.4g", i, old,
                         new);
        if (isnan(new))
            words =
                arena_format(judge->arena, "row %d has become NaN: an angle is no number, as 0 / 0 and ∞ are none", i);
        if (!(fabs(new - old) <= 1e-4 * old)) hints.property = words;
    }
    return hints;
}

static const int keys[][2] = { { 8, 0 }, { 8, 1 }, { 64, 12 } }; // the width, and how many words back

static Mat query(Judge *judge, int n)
{
    Random random = random_from(8);
    return judge_random(judge, &random, 1, keys[n][0]);
}

static void key_case(Judge *judge, Function f, int n)
{
    judge_trying(judge, "my_key of a query of width %d, to be found %d words back", keys[n][0], keys[n][1]);
    ((Key *)f)(judge_output(judge, 1, keys[n][0]), query(judge, n), keys[n][1], judge->arena);
}

enum { OWN_PAIRS = 1, AHEAD, TWICE_AS_FAR, TWICE_AS_LONG };

static void faulty_key(Mat key, Mat q, int n, Arena *arena)
{
    const int fault = judge_fault, turns = fault == AHEAD ? -n : fault == TWICE_AS_FAR ? 2 * n : n;
    mat_set(key, q);
    judge_fault = 0;
    if (fault == OWN_PAIRS) faulty_halves(key, n);
    else rope_apply(key, rope_table(arena, turns, 1, q.cols));
    judge_fault = fault;
    for (int c = 0; c < q.cols && fault == TWICE_AS_LONG; c++) key.at[c] *= 2.0f;
}

static void copied(Mat key, Mat q, int n, Arena *arena)
{
    (void)n;
    (void)arena;
    mat_set(key, q);
}

// How far back q finds the key best, up to 40 words before and after it.
static Hints key_hints(Judge *judge, Difference d)
{
    Hints hints = { "it has another norm than q, or not all of it is q, turned",
                    "where does a key that was turned by n act as if it stood?",
                    "score(distance) = q · k turned by -distance: largest where that is q itself" };
    int best = 0, n = keys[d.n][1];
    float most = 0.0f;
    for (int back = -40; back <= 40; back++) {
        Mat q = query(judge, d.n);
        rope_apply(q, rope_table(judge->arena, back, 1, q.cols));
        float score = dot_product(q.at, d.got.at, 1, q.cols);
        if (score > most) best = back;
        most = fmaxf(most, score);
    }
    if (most > 0.0f && best != n)
        hints.property = arena_format(judge->arena, "q finds this key best %d words %s, not %d%s", abs(best),
                                      best < 0 ? "ahead" : "back", n, best < 0 ? " back" : "");
    return hints;
}

static const Task tasks[] = {
    { AS(Halves, my_rope_halves), AS(Halves, faulty_halves), halves_case, COUNT(cases), .explain = halves_hints,
      .faulty = AS(Halves, faulty_halves),
      .wrong = { FAULT(LEFT, "the rows come out as they went in: nothing is turned, or it is turned back, or by full "
                             "circles"),
                 FAULT(LIBRARY, "these are the library's pairs, 2p and 2p + 1; p belongs to p + d/2"),
                 FAULT(FROM_0, "row 0 stands at position `first`, not at 0"),
                 FAULT(BACKWARDS, "turned the other way: the sign of the sine"),
                 FAULT(OVERWRITTEN, "the second number must be made from the old a, before it was overwritten"),
                 FAULT(HALF_AS_FAST, "the exponent is 2p/d, not p/d"),
                 FAULT(WHOLE_NUMBERS,
                       "all pairs turn equally fast: in C, 2 * p / d of whole numbers is a whole number, "
                       "here 0"),
                 FAULT(FIRST_PAIR,
                       "pair 0 alone is turned: the loop ends early, or the other angles are 0, as in C 1 / "
                       "10000 is 0"),
                 FAULT(END_TO_END,
                       "m is a view here: its row i begins at mat_row(m, i), which is i · stride floats on"),
                 { .fault = IN_FLOAT, .told = "the angle has lost its last digits" },
                 { .fault = STRETCHED, .told = "the norm of a row may not change; that of row 0 was" },
                 { .fault = WITH_NAN, .told = "row 0 has become NaN" } } },
    { AS(Key, my_key), AS(Key, faulty_key), key_case, COUNT(keys), .explain = key_hints, .faulty = AS(Key, faulty_key),
      .wrong = { FAULT(OWN_PAIRS, "that is turned in your own pairs; my_key is held against the library's RoPE"),
                 { AS(Key, copied), "that is q itself: it is found best at distance 0" },
                 FAULT(AHEAD, "that key is found n words ahead: turned the other way"),
                 { .fault = TWICE_AS_FAR, .told = "q finds this key best 2 words back, not 1" },
                 { .fault = TWICE_AS_LONG, .told = "it has another norm than q" } } },
};
EXERCISE("07a", tasks)
