// Exercise 08b: my_gradient_check, called with losses and gradients that belong together and with others.
#include "attention/backward.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

typedef double Loss(Mat x);
typedef void Gradient(Mat dx, Mat x);
typedef bool Test(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena);
Test my_gradient_check;

enum { ROWS = 3, COLS = 4 };

// ---- what a check does with loss and gradient: a check that calls no loss has checked nothing

static struct {
    int calls, gradients;     // of the loss, and of the gradient
    bool dx_held;             // gradient was given a dx that was not 0
    bool has_x, one, several; // how many numbers differed from x, the matrix that gradient was last given
    float x[ROWS * COLS];
} seen;

static void see_loss(Mat x)
{
    int moved = 0; // adding h and taking it away again leaves a last digit: that is no move
    for (int e = 0; e < ROWS * COLS && seen.has_x && x.rows == ROWS && x.cols == COLS; e++)
        moved += fabsf(*mat_ref(x, e / COLS, e % COLS) - seen.x[e]) > 1e-5f;
    seen.calls++;
    seen.one |= moved == 1;
    seen.several |= moved > 1;
}

static void see_gradient(Mat dx, Mat x)
{
    seen.gradients++;
    seen.has_x = x.rows == ROWS && x.cols == COLS && dx.rows == ROWS && dx.cols == COLS;
    for (int e = 0; e < ROWS * COLS && seen.has_x; e++) {
        seen.x[e] = *mat_ref(x, e / COLS, e % COLS);
        seen.dx_held |= *mat_ref(dx, e / COLS, e % COLS) != 0.0f;
    }
}

// ---- half the squared distance of a causal head's output from a wish; q = k = v = x

// The loss of x. With dx, also adds its gradient, `factor` times as large; `fault` is what goes wrong there.
typedef enum { NO_FAULT, LAST_ROW, NO_KEYS, PLAIN_MEAN, ONE_NUMBER } Fault;

static double attention(Mat dx, Mat x, float factor, Fault fault)
{
    Arena *arena = arena_open();
    int T = x.rows, d = x.cols;
    Mat out = mat_new(arena, T, d), weights = mat_new(arena, T, T);
    HeadProjections to = { mat_new(arena, T, d), mat_new(arena, T, d), mat_new(arena, T, d) };
    double loss = 0.0;
    attention_naive((Attended){ .out = out, .weights = weights }, x, x, x, (Mask){ .causal = true });
    for (int e = 0; e < T * d; e++) {
        out.at[e] -= e / d == e % d ? 1.5f : -0.5f;
        loss += 0.5 * (double)(out.at[e] * out.at[e]);
    }
    if (dx.at) backward_attention(to, out, (HeadProjections){ x, x, x }, weights, (Mask){ .causal = true });
    if (fault == PLAIN_MEAN) {
        Mat dw = mat_new(arena, T, T), more = mat_new(arena, T, T);
        backward_mix_values(dw, mat_new(arena, T, d), out, weights, x, (Mask){ .causal = true });
        for (int i = 0; i < T; i++)
            for (int j = 0; j <= i; j++)
                for (int k = 0; k <= i; k++)
                    *mat_ref(more, i, j) += *mat_ref(weights, i, j) * *mat_ref(dw, i, k) *
                                            (*mat_ref(weights, i, k) - 1.0f / (float)(i + 1));
        backward_attention_scores(to.q, to.k, more, x, x, (Mask){ .causal = true });
    }
    float largest = 0.0f;
    for (int e = 0; e < T * d && dx.at; e++) {
        float sum = to.q.at[e] + to.v.at[e] + (fault == NO_KEYS ? 0.0f : to.k.at[e]);
        *mat_ref(dx, e / d, e % d) += fault == LAST_ROW && e / d == T - 1 ? 0.0f : sum * factor;
        largest = fmaxf(largest, fabsf(sum));
    }
    if (fault == ONE_NUMBER) *mat_ref(dx, 1, COLS - 1) += 0.3f * largest;
    arena_close(arena);
    return (double)(float)loss;
}

#define LOSS(name, value) \
    static double name(Mat x) \
    { \
        double sum = 0.0; \
        see_loss(x); \
        for (int i = 0; i < x.rows; i++) \
            for (int c = 0; c < x.cols; c++) sum += (double)sinf(8.0f * *mat_ref(x, i, c)); \
        return value; \
    }
LOSS(attention_loss, attention((Mat){ 0 }, x, 0.0f, NO_FAULT) + 0.0 * sum)
LOSS(small_loss, 0.001 * attention((Mat){ 0 }, x, 0.0f, NO_FAULT) + 0.0 * sum)
LOSS(waves, (double)(float)sum)
LOSS(constant, 3.0 + 0.0 * sum)

#define GRADIENT(name, factor, fault) \
    static void name(Mat dx, Mat x) \
    { \
        see_gradient(dx, x); \
        attention(dx, x, factor, fault); \
    }
GRADIENT(good, 1.0f, NO_FAULT)
GRADIENT(turned, -1.0f, NO_FAULT)
GRADIENT(twice, 2.0f, NO_FAULT)
GRADIENT(nearly, 1.05f, NO_FAULT)
GRADIENT(last_row, 1.0f, LAST_ROW)
GRADIENT(no_keys, 1.0f, NO_KEYS)
GRADIENT(plain_mean, 1.0f, PLAIN_MEAN)
GRADIENT(one_number, 1.0f, ONE_NUMBER)
GRADIENT(small_twice, 0.002f, NO_FAULT)

static void waves_back(Mat dx, Mat x)
{
    see_gradient(dx, x);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) *mat_ref(dx, i, c) += 8.0f * cosf(8.0f * *mat_ref(x, i, c));
}

static void nothing_back(Mat dx, Mat x) { see_gradient(dx, x); }

static const struct {
    Loss *loss;
    Gradient *gradient;
    bool right;
    const char *what, *question;
} all[] = {
    { attention_loss, good, true, "the gradient of a causal head is right, and your check says that it is not",
      "by what do you divide, and how far apart were the two x? How large is h: a float has about seven digits; "
      "how many are left of the difference?" },
    { waves, waves_back, true,
      "the gradient of a loss that bends strongly is right, and your check says that it is not",
      "how large is h, and at which x is gradient asked? What does a difference see that the derivative "
      "does not, and how much of it is left when one nudges both ways? How much may two numbers differ, measured "
      "by the largest?" },
    { constant, nothing_back, true,
      "a loss that never changes has the gradient 0, and your check says that it is wrong", "by what do you divide?" },
    { attention_loss, turned, false, "a gradient with the wrong sign passes", "do you compare numbers or sizes?" },
    { attention_loss, twice, false, "a gradient that is twice too large passes: the ½ was forgotten",
      "what do you compare it with?" },
    { attention_loss, last_row, false, "a gradient passes whose last row is 0", "which elements do you look at?" },
    { attention_loss, plain_mean, false,
      "a gradient passes whose softmax takes away the plain mean of dw: where all rows of x are equal that is right",
      "which x have you chosen?" },
    { attention_loss, nearly, false, "a gradient passes that is larger by one part in twenty",
      "how much may two numbers differ?" },
    { attention_loss, no_keys, false, "a gradient passes that forgot that x is also the keys",
      "which elements do you look at, at which x, and how much may two of them differ, by the largest?" },
    { attention_loss, one_number, false, "a gradient passes in which one of the twelve numbers is wrong",
      "which elements do you look at, could one that is wrong be lost among the others, and does one that is too "
      "large show as well as one that is too small?" },
    { small_loss, small_twice, false, "a gradient that is twice too large passes where the loss is small",
      "how much may two numbers differ, measured by the largest derivative, and not by 1?" },
};

static void check(Judge *judge, Function f)
{
    Test *test = (Test *)f;
    int opposite = 0;
    for (int n = 0; n < COUNT(all); n++)
        opposite += test(all[n].loss, all[n].gradient, ROWS, COLS, judge->arena) != all[n].right;
    judge_trying(judge, "my_gradient_check of all %d gradients", COUNT(all));
    judge_claim(judge, opposite < COUNT(all),
                (Hints){ "every answer is the opposite of the right one: true means that the two belong together" });
    for (int n = 0; n < COUNT(all); n++) {
        judge_trying(judge, "my_gradient_check of gradient %d of %d, which is %s", n + 1, COUNT(all),
                     all[n].right ? "right" : "wrong");
        memset(&seen, 0, sizeof seen);
        bool passes = test(all[n].loss, all[n].gradient, ROWS, COLS, judge->arena);
        judge_claim(judge, seen.calls > 0,
                    (Hints){ "the answer was given without one call of loss: the check has not tried anything yet",
                             "what does the derivative say of the loss when one number of x is nudged?" });
        Hints hints = { all[n].what, all[n].question,
                        "(loss(x + h) - loss(x - h)) / 2h = dx + a rest that falls with h², in every element" };
        if (seen.dx_held)
            hints = (Hints){ "gradient adds to dx, and dx held numbers already when gradient was called" };
        if (!seen.gradients)
            hints = (Hints){ "gradient was not called once: nothing has been checked yet",
                             "which numbers does it claim, and what do you see of the same numbers?" };
        if (seen.gradients == 1 && seen.one && seen.several)
            judge_claim(judge, false,
                        (Hints){ "at first loss is asked about an x with one number nudged, later about one with "
                                 "several: a number that was nudged must be put back before the next" });
        judge_verdict(judge, passes, all[n].right, hints);
    }
}

// ---- tests

enum { SAYS_YES = 1, FIRST_ROW, EQUAL_ROWS, LOOSE, LARGE_H, BY_ITSELF, SIZES, DIAGONAL };
enum { NOT_CLEARED = DIAGONAL + 1, NOT_PUT_BACK, TURNED, NO_GRADIENT, ABSOLUTE };

static double slope_of(Loss *loss, Mat x, int i, int j)
{
    const int fault = judge_fault;
    float h = fault == LARGE_H ? 0.1f : 0.01f;
    float at = *mat_ref(x, i, j), up = at + h, down = at - h;
    *mat_ref(x, i, j) = up;
    double above = loss(x);
    *mat_ref(x, i, j) = down;
    double slope = (above - loss(x)) / (double)(up - down);
    if (fault != NOT_PUT_BACK) *mat_ref(x, i, j) = at;
    return slope;
}

static bool faulty_test(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena)
{
    const int fault = judge_fault;
    Random random = random_from(8);
    Mat x = mat_new(arena, rows, cols), dx = mat_new(arena, rows, cols);
    if (fault == SAYS_YES) return true;
    random_normals(&random, x);
    for (int i = 1; i < rows && fault == EQUAL_ROWS; i++) mat_set(mat_rows(x, i, 1), mat_rows(x, 0, 1));
    if (fault != NO_GRADIENT) gradient(dx, x);
    if (fault == NOT_CLEARED) gradient(dx, x);
    double off = 0.0, largest = 0.0;
    for (int i = 0; i < (fault == FIRST_ROW ? 1 : rows); i++)
        for (int j = 0; j < cols; j++) {
            double slope = slope_of(loss, x, i, j), claimed = (double)*mat_ref(dx, i, j);
            if (fault == DIAGONAL && i != j) continue;
            off = fmax(off, fault == SIZES ? fabs(fabs(slope) - fabs(claimed)) : fabs(slope - claimed));
            largest = fmax(largest, fabs(slope));
        }
    if (fault == ABSOLUTE) return off <= 0.01;
    if (fault == BY_ITSELF) return off / largest <= 0.01;
    return (off <= (fault == LOOSE ? 0.2 : 0.01) * largest + 1e-6) != (fault == TURNED);
}

static const Task tasks[] = {
    { AS(Test, my_gradient_check), AS(Test, faulty_test), .check = check, .faulty = AS(Test, faulty_test),
      .wrong = { { .fault = SAYS_YES, .told = "without one call of loss" },
                 FAULT(FIRST_ROW, "a gradient passes whose last row is 0"),
                 { .fault = EQUAL_ROWS, .told = "where all rows of x are equal that is right" },
                 FAULT(LOOSE, "a gradient passes that is larger by one part in twenty"),
                 { .fault = LARGE_H, .told = "a loss that bends strongly is right" },
                 { .fault = BY_ITSELF, .told = "a loss that never changes has the gradient 0" },
                 FAULT(SIZES, "a gradient with the wrong sign passes"),
                 FAULT(DIAGONAL, "a gradient passes in which one of the twelve numbers is wrong"),
                 { .fault = NOT_CLEARED, .told = "dx held numbers already" },
                 { .fault = NOT_PUT_BACK, .told = "must be put back before the next" },
                 { .fault = TURNED, .told = "every answer is the opposite of the right one" },
                 { .fault = NO_GRADIENT, .told = "gradient was not called once" },
                 FAULT(ABSOLUTE, "a gradient that is twice too large passes where the loss is small") } },
};
EXERCISE("08b", tasks)
