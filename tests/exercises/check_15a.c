// Exercise 15a: my_register_block and my_exp2.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <stdint.h>
#include <string.h>

float fetch(Mat m, int i, int j);
void my_register_block(Mat sums, Mat left, Mat right);
float my_exp2(float x);

static int fetched;
static struct {
    int i, j, rows, cols;
} outside; // what was asked for first of what is not there; rows 0: nothing

float fetch(Mat m, int i, int j)
{
    fetched++;
    if (0 <= i && i < m.rows && 0 <= j && j < m.cols) return *mat_ref(m, i, j);
    if (!outside.rows) {
        outside.i = i;
        outside.j = j;
        outside.rows = m.rows;
        outside.cols = m.cols;
    }
    return 0.0f;
}

// ---- my_register_block

typedef enum {
    RIGHT,
    SET,
    EACH_SET,
    TURNED_LEFT,
    ONE_STEP_SHORT,
    FIRST_STEP_OUT,
    FOUR_STEPS,
    LAST_STEP_ONLY,
    DIAGONAL,
    BEFORE_TWICE,
    FIRST_NUMBERS,
    NOT_EMPTIED,
    THREE_ROWS,
    THREE_COLUMNS
} How;

static Mat block_of(Arena *arena, Mat before, Mat left, Mat right, How how)
{
    Mat sums = mat_copy(arena, before);
    int n = left.cols, end = how == FOUR_STEPS && n > 4 ? 4 : n - (how == ONE_STEP_SHORT);
    if (how == SET) mat_fill(sums, 0.0f);
    for (int step = how == LAST_STEP_ONLY ? n - 1 : how == FIRST_STEP_OUT; step < end; step++) {
        int from = how == FIRST_NUMBERS ? 0 : step, times = how == NOT_EMPTIED ? n - step : 1;
        if (how == EACH_SET) mat_fill(sums, 0.0f);
        for (int r = 0; r < 4 - (how == THREE_ROWS); r++)
            for (int c = 0; c < 4 - (how == THREE_COLUMNS); c++)
                if (how != DIAGONAL || r == c)
                    *mat_ref(sums, how == TURNED_LEFT ? c : r, how == TURNED_LEFT ? r : c) +=
                        *mat_ref(left, r, from) * *mat_ref(right, from, c) * (float)times;
    }
    for (int e = 0; e < 16 && how == BEFORE_TWICE; e++) sums.at[e] += before.at[e];
    return sums;
}

static void block_case(Judge *judge, int n)
{
    Random random = random_from((uint64_t)n);
    Mat left = mat_new(judge->arena, 4, n), right = mat_cols(mat_new(judge->arena, n, 7), 2, 4);
    Mat before = mat_new(judge->arena, 4, 4), got = judge_output(judge, 4, 4), wrong[THREE_COLUMNS + 1];
    random_normals(&random, left);
    random_normals(&random, right);
    random_normals(&random, before);
    mat_set(got, before);
    for (How how = RIGHT; how <= THREE_COLUMNS; how++) wrong[how] = block_of(judge->arena, before, left, right, how);

    judge_trying(judge, "my_register_block, left (4, %d), right (%d, 4)", n, n);
    fetched = 0;
    outside.rows = 0;
    my_register_block(got, left, right);
    judge_claim(judge, !outside.rows,
                (Hints){ .property =
                             arena_format(judge->arena,
                                          "element (%d, %d) is fetched of a matrix (%d, %d): it has no such one",
                                          outside.i, outside.j, outside.rows, outside.cols),
                         .question = "which index of left is the step, and which of right?" });
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = wrong[RIGHT],
            .hints = { .property = "sums is not what it was, plus left · right",
                       .question = "which numbers meet in a step, and which sum does their product belong to?",
                       .formula = "sum_rc + Σ over steps of left_rs · right_sc" },
            .mistakes = {
                { "nothing has changed: it is still the stub", before },
                { "the product takes the place of what was in sums: it must be added to it", wrong[SET] },
                { "only the last step is left, and nothing of what was in sums: every step is added", wrong[EACH_SET] },
                { "rows and columns of sums are exchanged", wrong[TURNED_LEFT] },
                { "the last step is left out", wrong[ONE_STEP_SHORT] },
                { "the first step is left out", wrong[FIRST_STEP_OUT] },
                { "only four steps have come in: there are as many as left has columns", wrong[FOUR_STEPS] },
                { "only the last step has come in: every step is added", wrong[LAST_STEP_ONLY] },
                { "every number of left meets every number of right, not only its own", wrong[DIAGONAL] },
                { "what was in sums has come in twice", wrong[BEFORE_TWICE] },
                { "each step has used the numbers of the first one: fetch eight others in each", wrong[FIRST_NUMBERS] },
                { "sums of your own have been added to sums after each step, and were not emptied: earlier steps "
                  "count more than once",
                  wrong[NOT_EMPTIED] },
                { "row 3 has got nothing: left has four rows", wrong[THREE_ROWS] },
                { "column 3 has got nothing: right has four columns", wrong[THREE_COLUMNS] } } });

    judge_trying(judge, "my_register_block: the sums are right; how many loads did it take for %d steps", n);
    judge_number(judge, fetched, 8 * n,
                 fetched == 0        ? "fetch was not called: take the numbers of left and right through it"
                 : fetched < 8 * n   ? "numbers were taken past fetch: all of left and right go through it"
                 : fetched == 32 * n ? "two loads for each multiply-add: fetch four and four, use each four times"
                 : fetched == 20 * n ? "one side is fetched once, the other for each of the sixteen: keep all eight"
                                     : "each number of left and right is fetched once: 4 + 4 a step");
}

// ---- my_exp2. What is judged is the quotient of what came out and what is right: 1 everywhere.

typedef double Exp2(double x);

static double series(double r, int last)
{
    double sum = 0, term = 1;
    for (int n = 0; n <= last; n++) {
        sum += term;
        term *= r * 0.69314718055994531 / (n + 1);
    }
    return sum;
}

// aⁿ / n in the place of aⁿ / n!
static double of_n(double x)
{
    double a = (x - nearbyint(x)) * 0.69314718055994531, sum = 1, power = 1;
    for (int n = 1; n <= 6; n++) {
        power *= a;
        sum += power / n;
    }
    return ldexp(sum, (int)nearbyint(x));
}

static double zero(double x)
{
    (void)x;
    return 0;
}
static double of_truncated(double x) { return ldexp(series(x - trunc(x), 6), (int)x); }
static double of_floor(double x) { return ldexp(series(x - floor(x), 6), (int)floor(x)); }
static double of_fraction(double x) { return series(x - nearbyint(x), 6); }
static double of_whole(double x) { return ldexp(1, (int)nearbyint(x)); }
static double of_e(double x) { return ldexp(series((x - nearbyint(x)) / log(2), 6), (int)nearbyint(x)); }
static double of_half(double x)
{
    double n = trunc(x + 0.5);
    return ldexp(series(x - n, 6), (int)n);
}
static double of_ceiling(double x) { return ldexp(series(x - ceil(x), 6), (int)ceil(x)); }
static double of_log2_e(double x)
{
    return ldexp(series((x - nearbyint(x)) / (log(2) * log(2)), 6), (int)nearbyint(x));
}
static double without_one(double x) { return ldexp(series(x - nearbyint(x), 6) - 1, (int)nearbyint(x)); }
static double no_negative(double x) { return x < 0 ? 0 : exp2(x); }
static double undivided_x(double x) { return series(x, 6); }
static double bit_22(double x)
{
    float part = (float)series(x - nearbyint(x), 6);
    int32_t bits;
    memcpy(&bits, &part, sizeof bits);
    bits += (int32_t)nearbyint(x) * (1 << 22);
    memcpy(&part, &bits, sizeof part);
    return (double)part;
}
// 2ⁿ from bits of its own, without the 127: nothing, a number below 2⁻¹²⁶, or, where n is negative, nonsense.
static double without_127(double x)
{
    int32_t bits = (int32_t)nearbyint(x) * (1 << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    return (double)((float)series(x - nearbyint(x), 6) * power);
}
static double of_base_10(double x)
{
    return ldexp(series((x - nearbyint(x)) * log10(2) / log(2), 6), (int)nearbyint(x));
}
static double twice(double x) { return 2 * exp2(x); }
static double half(double x) { return exp2(x) / 2; }
static double of_minus_n(double x) { return ldexp(series(x - nearbyint(x), 6), -(int)nearbyint(x)); }
static double only_up(double x) { return ldexp(series(x - nearbyint(x), 6), x > 0 ? (int)nearbyint(x) : 0); }
static double from_100(double x) { return x < -100 ? 0 : exp2(x); }
// 2ʳ, with so much added to its bits.
static double with_bits(double x, int64_t more)
{
    float part = (float)series(x - nearbyint(x), 6);
    uint32_t bits;
    memcpy(&bits, &part, sizeof bits);
    bits += (uint32_t)more;
    memcpy(&part, &bits, sizeof part);
    return (double)part;
}
static double bit_24(double x) { return with_bits(x, (int64_t)nearbyint(x) * (1 << 24)); }
static double x_in_exponent(double x) { return with_bits(x, (int64_t)((float)x * (1 << 23))); }
static double value_as_bits(double x)
{
    return (double)((float)((int32_t)series(x - nearbyint(x), 6) + (int32_t)nearbyint(x) * (1 << 23)));
}
static double of_turned(double x) { return ldexp(series(nearbyint(x) - x, 6), (int)nearbyint(x)); }
static double to_fifth(double x) { return ldexp(series(x - nearbyint(x), 5), (int)nearbyint(x)); }
static double to_fourth(double x) { return ldexp(series(x - nearbyint(x), 4), (int)nearbyint(x)); }
static double to_second(double x) { return ldexp(series(x - nearbyint(x), 2), (int)nearbyint(x)); }
static double to_third(double x) { return ldexp(series(x - nearbyint(x), 3), (int)nearbyint(x)); }

static Mat quotients(Arena *arena, Exp2 *f, const float *x, int n)
{
    Mat result = mat_new(arena, 1, n);
    for (int i = 0; i < n; i++) result.at[i] = (float)(f(x[i]) / exp2(x[i]));
    return result;
}

static void exp2_of(Judge *judge, const char *which, const float *x, int n)
{
    Mat got = judge_output(judge, 1, n);
    judge_trying(judge, "my_exp2 of %s, divided by 2ˣ", which);
    for (int i = 0; i < n; i++) got.at[i] = (float)((double)my_exp2(x[i]) / exp2((double)x[i]));
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = quotients(judge->arena, exp2, x, n),
            .tolerance = 1e-6f,
            .hints = { .property = "what came out is not 2ˣ: the quotient should be 1",
                       .question = "what is n, what is r, for the first x that is wrong? And which part is: 2ⁿ or 2ʳ?",
                       .formula =
                           "2ⁿ · 2ʳ, n the nearest whole number; 2ʳ = Σ aⁱ / i!, a = r · 0.69314718, i up to 6" },
            .mistakes = {
                { "0 is wanted below −126 only: the kernel gives up at −100, this function should not",
                  quotients(judge->arena, from_100, x, n) },
                { "every result is 0: it is still the stub", quotients(judge->arena, zero, x, n) },
                { "twice as large: the exponent of 2ⁿ is one too high", quotients(judge->arena, twice, x, n) },
                { "half as large: the exponent of 2ⁿ is one too low", quotients(judge->arena, half, x, n) },
                { "2ⁿ is there where n is positive, and missing where it is negative",
                  quotients(judge->arena, only_up, x, n) },
                { "n has the wrong sign: it is added to the exponent", quotients(judge->arena, of_minus_n, x, n) },
                { "all of x has been added to the exponent: n belongs there, r has had its turn",
                  quotients(judge->arena, x_in_exponent, x, n) },
                { "a cast makes a whole number of a float; its bits are moved by memcpy",
                  quotients(judge->arena, value_as_bits, x, n) },
                { "the exponent begins at bit 23, not at bit 24", quotients(judge->arena, bit_24, x, n) },
                { "0.301 is the logarithm of 2 to the base 10; ln 2 is 0.69314718",
                  quotients(judge->arena, of_base_10, x, n) },
                { "the exponent of a float is n + 127: bits of 2ⁿ alone need the 127",
                  quotients(judge->arena, without_127, x, n) },
                { "nothing is given for negative x: 0 is wanted below −126 only",
                  quotients(judge->arena, no_negative, x, n) },
                { "the 1 in front of the series is missing", quotients(judge->arena, without_one, x, n) },
                { "the polynomial has got all of x: only r goes into it, and n into the exponent",
                  quotients(judge->arena, undivided_x, x, n) },
                { "the exponent begins at bit 23, not at bit 22", quotients(judge->arena, bit_22, x, n) },
                { "the series ends with its second power: four more are needed",
                  quotients(judge->arena, to_second, x, n) },
                { "the series ends with its fourth power: two more are needed",
                  quotients(judge->arena, to_fourth, x, n) },
                { "the series ends with its fifth power: one more is needed", quotients(judge->arena, to_fifth, x, n) },
                { "the series ends with its third power: three more are needed",
                  quotients(judge->arena, to_third, x, n) },
                { "2ⁿ is missing: what came out is 2ʳ alone", quotients(judge->arena, of_fraction, x, n) },
                { "2ʳ is missing: what came out is 2ⁿ alone", quotients(judge->arena, of_whole, x, n) },
                { "terms are divided by n, not by 1 · 2 · … · n", quotients(judge->arena, of_n, x, n) },
                { "the polynomial is that of eʳ: its argument is r · 0.69314718", quotients(judge->arena, of_e, x, n) },
                { "r is multiplied by log₂ e; 2ʳ is e to the power r · ln 2, which is 0.69314718",
                  quotients(judge->arena, of_log2_e, x, n) },
                { "r reaches down to −1, where the polynomial is not good enough: take the nearest whole number, "
                  "not the one above",
                  quotients(judge->arena, of_ceiling, x, n) },
                { "r reaches up to 1, where the polynomial is not good enough: take the nearest whole number, "
                  "not the one below",
                  quotients(judge->arena, of_floor, x, n) },
                { "(int)(x + ½) cuts towards 0: for negative x it is not the nearest whole number",
                  quotients(judge->arena, of_half, x, n) },
                { "r has the wrong sign: x = n + r", quotients(judge->arena, of_turned, x, n) },
                { "(int)x cuts towards 0: for negative x it is the whole number above, and r is wrong",
                  quotients(judge->arena, of_truncated, x, n) } } });
}

// What comes out below −126 when nobody looks: the exponent runs through 0 into the sign.
static float wrapped(float x)
{
    int32_t bits;
    float n = nearbyintf(x), part = (float)series((double)(x - n), 6);
    memcpy(&bits, &part, sizeof bits);
    uint32_t sum = (uint32_t)bits + (uint32_t)(int32_t)n * (1u << 23);
    memcpy(&part, &sum, sizeof part);
    return part;
}

static void nothing_left(Judge *judge)
{
    static const float x[] = { -127.0f, -150.5f, -200.0f, -1000.0f, -1e6f };
    enum { N = sizeof x / sizeof *x };
    Mat got = judge_output(judge, 1, N), wrong = mat_new(judge->arena, 1, N);
    judge_trying(judge, "my_exp2 of -127, -150.5, -200, -1000, -1e6: as good as nothing, which is 0");
    for (int i = 0; i < N; i++) {
        got.at[i] = my_exp2(x[i]);
        wrong.at[i] = wrapped(x[i]);
    }
    judge_answer(judge,
                 (Answer){ .got = got,
                           .expected = mat_new(judge->arena, 1, N),
                           .tolerance = 1e-30f,
                           .hints.question = "a float's exponent ends at −126: ask for x < −126 first",
                           .mistakes = { { "the exponent has run through 0 and become a sign: ask for x < −126 first",
                                           wrong } } });
    for (int i = 0; i < N; i++)
        judge_claim(judge, got.at[i] == 0.0f,
                    (Hints){ .property = "very small is not 0, and 0 is wanted",
                             .question = "what is returned below −126?" });
    judge_trying(judge, "my_exp2 of -INFINITY: the score of a hidden key");
    judge_number(judge, (double)my_exp2(-INFINITY), 0, "−∞ is below −126, too; ask before anything becomes an int");
}

static void check(Judge *judge)
{
    block_case(judge, 3); // with two steps "all but one" and "one" would be the same
    block_case(judge, 2);
    block_case(judge, 7);
    block_case(judge, 64);
    exp2_of(judge, "0.25, 5.3, -3.3", (float[]){ 0.25f, 5.3f, -3.3f }, 3); // r is nowhere 0
    exp2_of(judge, "0, 1, 5, -3", (float[]){ 0.0f, 1.0f, 5.0f, -3.0f }, 4);
    exp2_of(judge, "0.25, 0.5, 3.3", (float[]){ 0.25f, 0.5f, 3.3f }, 3);
    exp2_of(judge, "0.75, 0.9, 7.6", (float[]){ 0.75f, 0.9f, 7.6f }, 3);
    exp2_of(judge, "-0.3, -0.75, -2.5, -40.4", (float[]){ -0.3f, -0.75f, -2.5f, -40.4f }, 4);
    exp2_of(judge, "126.7, 127, -100", (float[]){ 126.7f, 127.0f, -100.0f }, 3);
    exp2_of(judge, "-101.5, -120.3, -125.4", (float[]){ -101.5f, -120.3f, -125.4f }, 3);
    nothing_left(judge);
}

int main(void) { return judge_main("15a", check); }
