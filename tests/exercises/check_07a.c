// Exercise 07a: my_rope_halves and my_key.
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_rope_halves(Mat m, int first);
void my_key(Mat key, Mat q, int n, Arena *arena);

static Mat turned(Arena *arena, Mat m, int first)
{
    Mat copy = mat_copy(arena, m);
    rope_apply(copy, rope_table(arena, first, m.rows, m.cols));
    return copy;
}

// Ways to go wrong with the pairs p and p + d/2; RIGHT is none.
typedef enum {
    RIGHT,
    BACKWARDS,
    OVERWRITTEN,
    HALF_AS_FAST,
    BY_HALF,
    WHOLE_NUMBERS,
    FASTER,
    ONE_PLACE,
    MIRRORED,
    SWAPPED,
    EXCHANGED,
    NEXT,
    BEFORE,
    INWARDS,
    FIRST_PAIR,
    TO_ONE,
    TO_DEGREES,
    TO_RADIANS,
    BASE_1000
} Way;

// The angle by which pair p of row i turns.
static double angle_of(int first, int i, int p, int d, Way way)
{
    double power = way == WHOLE_NUMBERS  ? 0.0
                   : way == FASTER       ? 2.0
                   : way == HALF_AS_FAST ? -1.0
                   : way == BY_HALF      ? -4.0
                                         : -2.0;
    int row = way == ONE_PLACE ? 0 : way == BEFORE ? -i : way == NEXT ? i + 1 : i;
    double angle = (first + row) * pow(way == BASE_1000 ? 1000.0 : 10000.0, power * p / d), degree = acos(-1.0) / 180.0;
    if (way == TO_ONE && d > 2) angle = (first + row) * pow(10000.0, -2.0 * p / (d - 2));
    return way == BACKWARDS ? -angle : way == TO_DEGREES ? angle / degree : way == TO_RADIANS ? angle * degree : angle;
}

static Mat halves(Arena *arena, Mat m, int first, Way way)
{
    Mat to = mat_copy(arena, m);
    int d = m.cols;
    for (int i = 0; i < m.rows; i++)
        for (int p = 0; p < (way == FIRST_PAIR && d ? 1 : d / 2); p++) {
            int other = way == INWARDS ? d - 1 - p : p + d / 2;
            double angle = angle_of(first, i, p, d, way);
            float a = *mat_ref(m, i, p), b = *mat_ref(m, i, other) * (way == MIRRORED ? -1.0f : 1.0f);
            float c = (float)(way == SWAPPED ? sin(angle) : cos(angle));
            float s = (float)(way == SWAPPED ? cos(angle) : sin(angle));
            float one = a * c - b * s, two = (way == OVERWRITTEN ? one : a) * s + b * c;
            *mat_ref(to, i, p) = way == EXCHANGED ? two : one;
            *mat_ref(to, i, other) = way == EXCHANGED ? one : two;
        }
    return to;
}

// All turning is done to row 0, by one angle after the other; the other rows stay.
static Mat row_0_alone(Arena *arena, Mat m, int first)
{
    Mat to = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++) mat_set(mat_rows(to, 0, 1), halves(arena, mat_rows(to, 0, 1), first + i, RIGHT));
    return to;
}

// Pairs p and p + 1, which overlap: each number but the first and the last is turned twice.
static Mat neighbours(Arena *arena, Mat m, int first)
{
    Mat to = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int p = 0; p < m.cols / 2; p++) {
            double angle = angle_of(first, i, p, m.cols, RIGHT);
            float c = (float)cos(angle), s = (float)sin(angle), *at = mat_ref(to, i, p), a = at[0], b = at[1];
            at[0] = a * c - b * s;
            at[1] = a * s + b * c;
        }
    return to;
}

// Turning keeps norms: a row that has another one is no turned row.
static const char *norms(Arena *arena, Mat before, Mat after)
{
    for (int i = 0; i < before.rows; i++) {
        double was = sqrt((double)dot_product(mat_row(before, i), mat_row(before, i), 1, before.cols));
        double is = sqrt((double)dot_product(mat_row(after, i), mat_row(after, i), 1, after.cols));
        if (isnan(is))
            return arena_format(arena, "row %d has become NaN: an angle is no number, as 0 / 0 and ∞ are none", i);
        if (fabs(was - is) > 1e-4 * was)
            return arena_format(arena, "the norm of a row may not change; that of row %d was %.4g and is %.4g", i, was,
                                is);
    }
    return "the norm of every row is right, so something has been turned: other columns, or by other angles";
}

static void halves_of(Judge *judge, Mat m, int first)
{
    Arena *arena = judge->arena;
    Mat got = judge_output(judge, m.rows, m.cols);
    mat_set(got, m);
    judge_trying(judge, "my_rope_halves of %d rows of width %d from position %d", m.rows, m.cols, first);
    my_rope_halves(got, first);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = halves(arena, m, first, RIGHT),
            .hints = { .property = first < 100000 ? norms(arena, m, got)
                                                  : "the small positions were right: here the angle has lost its last "
                                                    "digits",
                       .question = first >= 100000
                                       ? "how many digits has a float, and how many are left of an angle of "
                                         "100000 radians?"
                                       : "which two columns are a pair, and by which angle do they turn?",
                       .formula = "a' = a cos θ - b sin θ, b' = a sin θ + b cos θ, θ = (first + i) / 10000^(2p/d)" },
            .mistakes = {
                { "the rows come out as they went in: nothing is turned, or it is turned back, or by full circles", m },
                { "these are the library's pairs, 2p and 2p + 1; p belongs to p + d/2", turned(arena, m, first) },
                { "row 0 stands at position `first`, not at 0", halves(arena, m, 0, RIGHT) },
                { "turned the other way: the sign of the sine", halves(arena, m, first, BACKWARDS) },
                { "the second number must be made from the old a, before it was overwritten",
                  halves(arena, m, first, OVERWRITTEN) },
                { "the exponent is 2p/d, and d is the width of m, not half of it", halves(arena, m, first, BY_HALF) },
                { "the exponent reaches 1 with the last pair here; it is 2p/d, and p ends before d/2",
                  halves(arena, m, first, TO_ONE) },
                { "pair 0 alone is turned: the loop ends early, or the other angles are 0, as in C 1 / 10000 is 0",
                  halves(arena, m, first, FIRST_PAIR) },
                { "sin and cos take radians, and the angle is in radians already",
                  halves(arena, m, first, TO_DEGREES) },
                { "the angle is in radians already: nothing is to be converted", halves(arena, m, first, TO_RADIANS) },
                { "the two new numbers of a pair have changed places", halves(arena, m, first, EXCHANGED) },
                { "row i stands i words after `first`, not before it", halves(arena, m, first, BEFORE) },
                { "the exponent is 2p/d, not p/d", halves(arena, m, first, HALF_AS_FAST) },
                { "all pairs turn equally fast: in C, 2 * p / d of whole numbers is a whole number, here 0",
                  halves(arena, m, first, WHOLE_NUMBERS) },
                { "later pairs turn faster here; they should turn slower: the power divides",
                  halves(arena, m, first, FASTER) },
                { "sine and cosine have changed places: at an angle of 0 nothing is turned, and cos 0 is 1",
                  halves(arena, m, first, SWAPPED) },
                { "row 0 stands at position `first`, not one further on", halves(arena, m, first, NEXT) },
                { "the partner of p is p + d/2; pairs are not nested as p and d - 1 - p",
                  halves(arena, m, first, INWARDS) },
                { "all the turning is done to row 0: row i is turned for position first + i, each alone",
                  row_0_alone(arena, m, first) },
                { "the partner of p is p + d/2, not p + 1: no number belongs to two pairs",
                  neighbours(arena, m, first) },
                { "the base is 10000, not 1000", halves(arena, m, first, BASE_1000) },
                { "mirrored, not turned: one of the signs of b", halves(arena, m, first, MIRRORED) },
                { "every row is turned as if it stood at `first`: row i stands i words further on",
                  halves(arena, m, first, ONE_PLACE) } } });
}

// m as columns of a wider matrix: rows do not lie end to end.
static void halves_of_a_view(Judge *judge, Mat m, int first)
{
    Arena *arena = judge->arena;
    int T = m.rows, d = m.cols;
    Mat wide = mat_new(arena, T, d + 3), got = mat_cols(wide, 1, d);
    mat_set(got, m);
    Mat other = mat_copy(arena, wide), flat = { other.at + 1, T, d, d };
    mat_set(flat, halves(arena, flat, first, RIGHT));
    judge_trying(judge, "my_rope_halves of %d rows of width %d, columns of a wider matrix", T, d);
    my_rope_halves(got, first);
    judge_answer(judge,
                 (Answer){ .got = got,
                           .expected = halves(arena, m, first, RIGHT),
                           .hints = { .property = norms(arena, m, got),
                                      .question = "where does row i of a view begin?",
                                      .formula = "element (i, j) of a matrix stands at at[i · stride + j]" },
                           .mistakes = {
                               { "m is a view here: its row i begins at mat_row(m, i), which is i · stride floats on",
                                 mat_cols(other, 1, d) } } });
}

// Where q finds a key best, up to 40 words before and after it.
static const char *found(Arena *arena, Mat q, Mat key, int n)
{
    enum { FROM = 100, REACH = 40 };
    int best = 0;
    float most = -INFINITY;
    Mat query = turned(arena, q, FROM);
    for (int back = -REACH; back <= REACH; back++) {
        float score = dot_product(query.at, turned(arena, key, FROM - back).at, 1, q.cols);
        if (score > most) best = back;
        most = fmaxf(most, score);
    }
    if (most <= 0.0f || best == n) return "it has another norm than q, or not all of it is q, turned";
    if (best < 0) return arena_format(arena, "q finds this key best %d words ahead, not %d back", -best, n);
    return arena_format(arena, "q finds this key best %d words back, not %d", best, n);
}

static void key_of(Judge *judge, Mat q, int n)
{
    Arena *arena = judge->arena;
    Mat got = judge_output(judge, 1, q.cols);
    judge_trying(judge, "my_key of a query of width %d, to be found %d words back", q.cols, n);
    my_key(got, mat_copy(arena, q), n, arena);
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = turned(arena, q, n),
                     .hints = { .property = found(arena, q, got, n),
                                .question = "where does a key that was turned by n act as if it stood?",
                                .formula =
                                    "score(distance) = q · k turned by -distance: largest where that is q itself" },
                     .mistakes = {
                         { "that is turned in your own pairs; my_key is held against the library's RoPE",
                           halves(arena, q, n, RIGHT) },
                         { "that is q itself: it is found best at distance 0", q },
                         { "that key is found n words ahead: turned the other way", turned(arena, q, -n) } } });
}

static void check(Judge *judge)
{
    Random random = random_from(7);
    Mat m = mat_new(judge->arena, 5, 8), wide = mat_new(judge->arena, 3, 64);
    random_normals(&random, m);
    random_normals(&random, wide);
    halves_of(judge, mat_of(judge->arena, 2, 2, (float[]){ 1, 2, 1, 2 }), 1);
    halves_of(judge, mat_of(judge->arena, 2, 6, (float[]){ 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6 }), 1);
    halves_of(judge, m, 0);
    halves_of(judge, m, 40);
    halves_of(judge, mat_rows(m, 0, 0), 3);
    halves_of_a_view(judge, m, 40);
    halves_of(judge, wide, 100000);
    key_of(judge, mat_rows(m, 0, 1), 0);
    key_of(judge, mat_rows(m, 0, 1), 1);
    key_of(judge, mat_rows(wide, 1, 1), 12);
}

int main(void) { return judge_main("07a", check); }
