// Exercise 08b: my_gradient_check, called with losses and gradients that belong together and with others.
#include "attention/backward.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

typedef double Loss(Mat x);
typedef void Gradient(Mat dx, Mat x);

bool my_gradient_check(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena);

enum { ROWS = 3, COLS = 4 };

// ---- what a check does with loss and gradient: a check that calls no loss has checked nothing

typedef struct {
    int calls, gradients;     // of the loss, and of the gradient
    bool dx_held;             // gradient was given a dx that was not 0
    bool has_x, one, several; // how many numbers differed from x, the matrix that gradient was last given
    float x[ROWS][COLS];
} Seen;

static Seen seen;

static void see_loss(Mat x)
{
    seen.calls++;
    if (!seen.has_x || x.rows != ROWS || x.cols != COLS) return;
    int moved = 0; // who adds h and takes it away again leaves a last digit: that is no move
    for (int i = 0; i < ROWS; i++)
        for (int c = 0; c < COLS; c++) moved += fabsf(*mat_ref(x, i, c) - seen.x[i][c]) > 1e-5f;
    seen.one |= moved == 1;
    seen.several |= moved > 1;
}

static void see_gradient(Mat dx, Mat x)
{
    seen.gradients++;
    seen.has_x = x.rows == ROWS && x.cols == COLS && dx.rows == ROWS && dx.cols == COLS;
    for (int i = 0; i < ROWS && seen.has_x; i++)
        for (int c = 0; c < COLS; c++) {
            seen.x[i][c] = *mat_ref(x, i, c);
            seen.dx_held |= *mat_ref(dx, i, c) != 0.0f;
        }
}

// ---- half the squared distance of a causal head's output from a wish; q = k = v = x

static const Mask CAUSAL = { .causal = true };

static float wish(int i, int c) { return i == c ? 1.5f : -0.5f; }

static double attention_loss(Mat x)
{
    Arena *arena = arena_open();
    see_loss(x);
    Mat out = mat_new(arena, x.rows, x.cols);
    attention_naive((Attended){ .out = out }, x, x, x, CAUSAL);
    float loss = 0.0f;
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++) loss += 0.5f * powf(*mat_ref(out, i, c) - wish(i, c), 2.0f);
    arena_close(arena);
    return (double)loss;
}

// What goes wrong on the way back; all 0: nothing.
typedef struct {
    float factor;
    bool without_keys, plain_mean, last_row, one_number;
} Fault;

static void attention_gradient(Mat dx, Mat x, Fault f)
{
    Arena *arena = arena_open();
    see_gradient(dx, x);
    int T = x.rows, d = x.cols;
    Mat out = mat_new(arena, T, d), weights = mat_new(arena, T, T), dout = mat_new(arena, T, d);
    Mat dw = mat_new(arena, T, T), ds = mat_new(arena, T, T);
    Mat dq = mat_new(arena, T, d), dk = mat_new(arena, T, d), dv = mat_new(arena, T, d);
    attention_naive((Attended){ .out = out, .weights = weights }, x, x, x, CAUSAL);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < d; c++) *mat_ref(dout, i, c) = *mat_ref(out, i, c) - wish(i, c);
    backward_mix_values(dw, dv, dout, weights, x, CAUSAL);
    for (int i = 0; i < T; i++) {
        backward_softmax(mat_row(ds, i), mat_row(dw, i), mat_row(weights, i), T);
        float mean = 0.0f, plain = 0.0f;
        for (int j = 0; j <= i; j++) {
            mean += *mat_ref(weights, i, j) * *mat_ref(dw, i, j);
            plain += *mat_ref(dw, i, j) / (float)(i + 1);
        }
        for (int j = 0; j <= i && f.plain_mean; j++) *mat_ref(ds, i, j) += *mat_ref(weights, i, j) * (mean - plain);
    }
    backward_attention_scores(dq, dk, ds, x, x, CAUSAL);
    float largest = 0.0f;
    for (int i = 0; i < T; i++)
        for (int c = 0; c < d; c++) {
            float sum = *mat_ref(dq, i, c) + *mat_ref(dv, i, c) + (f.without_keys ? 0.0f : *mat_ref(dk, i, c));
            *mat_ref(dx, i, c) += f.last_row && i == T - 1 ? 0.0f : sum * (f.factor != 0.0f ? f.factor : 1.0f);
            largest = fmaxf(largest, fabsf(sum));
        }
    if (f.one_number) *mat_ref(dx, 1, COLS - 1) += 0.3f * largest;
    arena_close(arena);
}

#define GRADIENT(name, ...) \
    static void name(Mat dx, Mat x) { attention_gradient(dx, x, (Fault){ __VA_ARGS__ }); }

GRADIENT(good, .factor = 1)
GRADIENT(turned, .factor = -1)
GRADIENT(twice, .factor = 2)
GRADIENT(nearly, .factor = 1.05f)
GRADIENT(last_row, .last_row = true)
GRADIENT(without_keys, .without_keys = true)
GRADIENT(plain_mean, .plain_mean = true)
GRADIENT(one_number, .one_number = true)

// The same loss, counted in thousands.
static double small_loss(Mat x) { return 0.001 * attention_loss(x); }

GRADIENT(small_twice, .factor = 0.002f)

// ---- a loss that bends, and one that does not move

static double waves(Mat x)
{
    float sum = 0.0f;
    see_loss(x);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) sum += sinf(8.0f * *mat_ref(x, i, c));
    return (double)sum;
}

static void waves_back(Mat dx, Mat x)
{
    see_gradient(dx, x);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) *mat_ref(dx, i, c) += 8.0f * cosf(8.0f * *mat_ref(x, i, c));
}

static double nothing(Mat x)
{
    see_loss(x);
    return 3.0 + 0.0 * (double)*x.at;
}

static void nothing_back(Mat dx, Mat x)
{
    see_gradient(dx, x);
    *dx.at += 0.0f * *x.at;
}

typedef struct {
    Loss *loss;
    Gradient *gradient;
    bool right;
    const char *what, *question;
} Case;

static void trying(Judge *judge, const Case *at, int n, int count)
{
    judge_trying(judge, "my_gradient_check of gradient %d of %d, which is %s", n + 1, count,
                 at->right ? "right" : "wrong");
}

// One answer, and what could be seen of how it was found.
static void judge_one(Judge *judge, const Case *at, bool passes, const Seen *saw)
{
    static const char *const formula =
        "(loss(x + h) - loss(x - h)) / 2h = dx + a rest that falls with h², in every element";
    judge_claim(judge, saw->calls > 0,
                (Hints){ .property =
                             "the answer was given without one call of loss: the check has not tried anything yet",
                         .question = "what does the derivative say of the loss when one number of x is nudged?" });
    bool as_it_is = passes == at->right;
    judge_claim(judge, as_it_is || saw->gradients > 0,
                (Hints){ .property = "gradient was not called once: nothing has been checked yet",
                         .question = "which numbers does it claim, and what do you see of the same numbers?" });
    judge_claim(judge, as_it_is || !saw->dx_held,
                (Hints){ .property = "gradient adds to dx, and dx held numbers already when gradient was called" });
    judge_claim(
        judge, saw->gradients != 1 || !saw->one || !saw->several,
        (Hints){ .property =
                     "at first loss is asked about an x with one number nudged, later about one with several: a number "
                     "that was nudged must be put back before the next" });
    judge_claim(judge, as_it_is, (Hints){ .property = at->what, .question = at->question, .formula = formula });
}

static void check(Judge *judge)
{
    static const Case all[] = {
        { attention_loss, good, true, "the gradient of a causal head is right, and your check says that it is not",
          "by what do you divide, and how far apart were the two x? How large is h: a float has about seven digits; "
          "how many are left of the difference?" },
        { waves, waves_back, true,
          "the gradient of a loss that bends strongly is right, and your check says that it "
          "is not",
          "how large is h, and at which x is gradient asked? What does a difference see that the derivative "
          "does not, and how much of it is left when one nudges both ways? How much may two numbers differ, measured "
          "by the largest?" },
        { nothing, nothing_back, true,
          "a loss that never changes has the gradient 0, and your check says that it is "
          "wrong",
          "by what do you divide?" },
        { attention_loss, turned, false, "a gradient with the wrong sign passes", "do you compare numbers or sizes?" },
        { attention_loss, twice, false, "a gradient that is twice too large passes: the ½ was forgotten",
          "what do you compare it with?" },
        { attention_loss, last_row, false, "a gradient passes whose last row is 0", "which elements do you look at?" },
        { attention_loss, plain_mean, false,
          "a gradient passes whose softmax takes away the plain mean of dw: where "
          "all rows of x are equal that is right",
          "which x have you chosen?" },
        { attention_loss, nearly, false, "a gradient passes that is larger by one part in twenty",
          "how much may two numbers differ?" },
        { attention_loss, without_keys, false, "a gradient passes that forgot that x is also the keys",
          "which elements do you look at, at which x, and how much may two of them differ, by the largest?" },
        { attention_loss, one_number, false, "a gradient passes in which one of the twelve numbers is wrong",
          "which elements do you look at, could one that is wrong be lost among the others, and does one that is too "
          "large show as well as one that is too small?" },
        { small_loss, small_twice, false, "a gradient that is twice too large passes where the loss is small",
          "how much may two numbers differ, measured by the largest derivative, and not by 1?" },
    };
    enum { COUNT = sizeof all / sizeof *all };
    bool passes[COUNT];
    Seen saw[COUNT];
    int opposite = 0;
    for (int n = 0; n < COUNT; n++) {
        trying(judge, &all[n], n, COUNT);
        seen = (Seen){ 0 };
        passes[n] = my_gradient_check(all[n].loss, all[n].gradient, ROWS, COLS, judge->arena);
        saw[n] = seen;
        opposite += passes[n] != all[n].right;
    }
    judge_trying(judge, "my_gradient_check of all %d gradients", (int)COUNT);
    judge_claim(judge, opposite < COUNT,
                (Hints){
                    .property =
                        "every answer is the opposite of the right one: true means that the two belong together" });
    for (int n = 0; n < COUNT; n++) {
        trying(judge, &all[n], n, COUNT);
        judge_one(judge, &all[n], passes[n], &saw[n]);
    }
}

int main(void) { return judge_main("08b", check); }
