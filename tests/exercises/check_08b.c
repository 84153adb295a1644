// Exercise 08b: my_gradient_check, called with losses and gradients that belong together and with others.
#include "attention/backward.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef double Loss(Mat x);
typedef void Gradient(Mat dx, Mat x);
typedef bool Test(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena);
Test my_gradient_check;

enum { ROWS = 3, COLS = 4 };

static int calls; // of the loss

// ---- half the squared distance of a causal head's output from a wish; q = k = v = x

// The loss of x. With dx, also adds its gradient, `factor` times as large, that of the first `rows`.
static double attention(Mat dx, Mat x, float factor, int rows)
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
    for (int e = 0; e < T * d && dx.at; e++) {
        float sum = to.q.at[e] + to.v.at[e] + to.k.at[e];
        *mat_ref(dx, e / d, e % d) += e / d < rows ? sum * factor : 0.0f;
    }
    arena_close(arena);
    return (double)(float)loss;
}

static double attention_loss(Mat x) { return calls++, attention((Mat){ 0 }, x, 0.0f, 0); }
static double small_loss(Mat x) { return 0.001 * attention_loss(x); }
static double constant(Mat x) { return calls++, 3.0 + 0.0 * (double)x.cols; }

static void good(Mat dx, Mat x) { attention(dx, x, 1.0f, ROWS); }
static void turned(Mat dx, Mat x) { attention(dx, x, -1.0f, ROWS); }
static void twice(Mat dx, Mat x) { attention(dx, x, 2.0f, ROWS); }
static void nearly(Mat dx, Mat x) { attention(dx, x, 1.05f, ROWS); }
static void small_twice(Mat dx, Mat x) { attention(dx, x, 0.002f, ROWS); }
static void last_row(Mat dx, Mat x) { attention(dx, x, 1.0f, ROWS - 1); }

static void one_number(Mat dx, Mat x)
{
    good(dx, x);
    *mat_ref(dx, 1, COLS - 1) += 0.3f * fabsf(*mat_ref(dx, 0, 0)) + 0.3f;
}

static void nothing_back(Mat dx, Mat x) { (void)dx, (void)x; }

static const struct {
    Loss *loss;
    Gradient *gradient;
    bool right;
    const char *what, *question;
} all[] = {
    { attention_loss, good, true, "the gradient of a causal head is right, and your check says that it is not",
      "by what do you divide, and how far apart were the two x? How large is h: a float has about seven digits; "
      "how many are left of the difference?" },
    { constant, nothing_back, true,
      "a loss that never changes has the gradient 0, and your check says that it is wrong", "by what do you divide?" },
    { attention_loss, turned, false, "a gradient with the wrong sign passes", "do you compare numbers or sizes?" },
    { attention_loss, twice, false, "a gradient that is twice too large passes: the ½ was forgotten",
      "what do you compare it with?" },
    { attention_loss, last_row, false, "a gradient passes whose last row is 0", "which elements do you look at?" },
    { attention_loss, nearly, false, "a gradient passes that is larger by one part in twenty",
      "how much may two numbers differ?" },
    { attention_loss, one_number, false, "a gradient passes in which one of the twelve numbers is wrong",
      "which elements do you look at, could one that is wrong be lost among the others, and does one that is too "
      "large show as well as one that is too small?" },
    { small_loss, small_twice, false, "a gradient that is twice too large passes where the loss is small",
      "how much may two numbers differ, measured by the largest derivative, and not by 1?" },
};

static void check(Judge *judge, Function f)
{
    Test *test = (Test *)f;
    for (int n = 0; n < COUNT(all); n++) {
        judge_trying(judge, "my_gradient_check of gradient %d of %d, which is %s", n + 1, COUNT(all),
                     all[n].right ? "right" : "wrong");
        calls = 0;
        bool passes = test(all[n].loss, all[n].gradient, ROWS, COLS, judge->arena);
        judge_claim(judge, calls > 0,
                    (Hints){ "the answer was given without one call of loss: the check has not tried anything yet",
                             "what does the derivative say of the loss when one number of x is nudged?" });
        judge_verdict(judge, passes, all[n].right,
                      (Hints){ all[n].what, all[n].question,
                               "(loss(x + h) - loss(x - h)) / 2h = dx + a rest that falls with h², in every element" });
    }
}

enum { SAYS_YES = 1, FIRST_ROW, LOOSE, BY_ITSELF, SIZES };

static bool faulty_test(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena)
{
    const int fault = judge_fault;
    Random random = random_from(8);
    Mat x = mat_new(arena, rows, cols), dx = mat_new(arena, rows, cols);
    if (fault == SAYS_YES) return true;
    random_normals(&random, x);
    gradient(dx, x);
    double off = 0.0, largest = 0.0;
    for (int i = 0; i < (fault == FIRST_ROW ? 1 : rows); i++)
        for (int j = 0; j < cols; j++) {
            float *at = mat_ref(x, i, j), was = *at, h = 0.01f;
            double claimed = (double)*mat_ref(dx, i, j), above = ((void)(*at = was + h), loss(x));
            *at = was - h;
            double slope = (above - loss(x)) / (double)((was + h) - *at);
            *at = was;
            off = fmax(off, fault == SIZES ? fabs(fabs(slope) - fabs(claimed)) : fabs(slope - claimed));
            largest = fmax(largest, fabs(slope));
        }
    if (fault == BY_ITSELF) return off / largest <= 0.01;
    return off <= (fault == LOOSE ? 0.2 : 0.01) * largest + 1e-6;
}

static const Task tasks[] = {
    { AS(Test, my_gradient_check), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { { .fault = SAYS_YES, .told = "without one call of loss" },
                 FAULT(FIRST_ROW, "a gradient passes whose last row is 0"),
                 FAULT(LOOSE, "a gradient passes that is larger by one part in twenty"),
                 { .fault = BY_ITSELF, .told = "a loss that never changes has the gradient 0" },
                 FAULT(SIZES, "a gradient with the wrong sign passes") } },
};
EXERCISE("08b", tasks)
