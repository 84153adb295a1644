// Exercise 15a: my_register_block and my_exp2.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <float.h>

typedef void Block(Mat sums, Mat left, Mat right);
typedef float Exp2(float x);
Block my_register_block;
Exp2 my_exp2;
float fetch(Mat m, int i, int j);

static int fetched;

// An element that is not there stops the checker (mat_ref).
float fetch(Mat m, int i, int j)
{
    fetched++;
    return *mat_ref(m, i, j);
}

static const int steps[] = { 3, 64 };

static void block_case(Judge *judge, Function f, int n)
{
    Random random = random_from((uint64_t)n);
    Mat sums = judge_output(judge, 4, 4);
    mat_set(sums, judge_random(judge, &random, 4, 4));
    Mat left = judge_random(judge, &random, 4, steps[n]), right = judge_random_view(judge, &random, steps[n], 4);
    judge_trying(judge, "my_register_block, left (4, %d), right (%d, 4)", steps[n], steps[n]);
    fetched = 0;
    ((Block *)f)(sums, left, right);
    judge_result(judge, fetched);
}

enum { RIGHT, STUB, SET, TURNED, ALL_LOADS, NO_LOADS };

static float load(Mat m, int i, int j) { return judge_fault == NO_LOADS ? *mat_ref(m, i, j) : fetch(m, i, j); }

static void faulty_block(Mat sums, Mat left, Mat right)
{
    const int fault = judge_fault, n = left.cols, loads = fault == ALL_LOADS ? 16 : 4;
    if (fault == SET) mat_fill(sums, 0.0f);
    for (int step = 0; step < n && fault != STUB; step++) {
        float a[4], b[4];
        for (int r = 0; r < loads; r++) a[r % 4] = load(left, r % 4, step);
        for (int c = 0; c < loads; c++) b[c % 4] = load(right, step, c % 4);
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) *(fault == TURNED ? mat_ref(sums, c, r) : mat_ref(sums, r, c)) += a[r] * b[c];
    }
}

// ---- my_exp2: each result is divided by the right one, below −126 by the smallest float

static const struct {
    const char *which;
    int count;
    float x[5];
} numbers[] = {
    { "0.25, 5.3, -3.3, divided by 2ˣ", 3, { 0.25f, 5.3f, -3.3f } }, // r is nowhere 0
    { "0, 0.5, 0.9, 7.6, divided by 2ˣ", 4, { 0.0f, 0.5f, 0.9f, 7.6f } },
    { "-0.3, -0.75, -2.5, -40.4, divided by 2ˣ", 4, { -0.3f, -0.75f, -2.5f, -40.4f } },
    { "-127, -150.5, -200, -1000, -1e6: as good as nothing, which is 0", 5, { -127, -150.5f, -200, -1e3f, -1e6f } },
    { "-INFINITY: the score of a hidden key", 1, { -INFINITY } }
};

static void exp2_case(Judge *judge, Function f, int n)
{
    Mat quotients = judge_output(judge, 1, numbers[n].count);
    judge_trying(judge, "my_exp2 of %s", numbers[n].which);
    for (int i = 0; i < quotients.cols; i++) {
        double by = numbers[n].x[i] < -126.0f ? (double)FLT_MIN : exp2((double)numbers[n].x[i]);
        quotients.at[i] = (float)((double)((Exp2 *)f)(numbers[n].x[i]) / by);
    }
}

static float right_exp2(float x) { return x < -126.0f ? 0.0f : exp2f(x); }

enum { ZERO = 1, NO_N, OF_E, TRUNCATED, FLOOR };

static float faulty_exp2(float x)
{
    const int fault = judge_fault;
    if (fault == ZERO || x < -126.0f) return 0.0f;
    float n = fault == TRUNCATED ? truncf(x) : fault == FLOOR ? floorf(x) : nearbyintf(x);
    double a = (double)(x - n) * (fault == OF_E ? 1.0 : 0.69314718055994531), term = 1.0, sum = 1.0;
    for (int i = 1; i <= 6; i++) sum += term *= a / i;
    return ldexpf((float)sum, fault == NO_N ? 0 : (int)n);
}

static const Task tasks[] = {
    { AS(Block, my_register_block), AS(Block, faulty_block), block_case, COUNT(steps),
      .hints = { { NULL, "which numbers meet in a step, and which sum does their product belong to?",
                   "sum_rc + Σ over steps of left_rs · right_sc" },
                 { "each number of left and right is fetched once: 4 + 4 a step", .of = "the number of loads" } },
      .faulty = AS(Block, faulty_block),
      .wrong = { FAULT(STUB, "nothing has changed: it is still the stub"),
                 FAULT(SET, "the product takes the place of what was in sums: it must be added to it"),
                 FAULT(TURNED, "rows and columns of sums are exchanged"),
                 FAULT(ALL_LOADS, "two loads for each multiply-add: fetch four and four, use each four times"),
                 FAULT(NO_LOADS, "fetch was not called: take the numbers of left and right through it") } },
    { AS(Exp2, my_exp2), AS(Exp2, right_exp2), exp2_case, COUNT(numbers), 1e-6f, .faulty = AS(Exp2, faulty_exp2),
      .hints = { { NULL, "what is n, what is r, for the first x that is wrong? And which part is: 2ⁿ or 2ʳ?",
                   "2ⁿ · 2ʳ, n the nearest whole number; 2ʳ = Σ aⁱ / i!, a = r · 0.69314718, i up to 6" } },
      .wrong = { FAULT(ZERO, "every result is 0: it is still the stub"),
                 FAULT(NO_N, "2ⁿ is missing: what came out is 2ʳ alone"),
                 FAULT(OF_E, "the polynomial is that of eʳ: its argument is r · 0.69314718"),
                 FAULT(TRUNCATED, "(int)x cuts towards 0: for negative x it is the whole number above, and r is wrong"),
                 FAULT(FLOOR, "r reaches up to 1, where the polynomial is not good enough: take the nearest whole "
                              "number, not the one below") } },
};
EXERCISE("15a", tasks)
