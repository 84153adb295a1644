// Exercise 25a: my_norm and my_rope.
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "lesson/matrices.h"

typedef enum { LAYER, RMS, RMS_PLUS_ONE } Kind;
typedef void Norm(Mat m, Kind kind, Mat w, Mat b, float eps);
typedef void Rope(Mat m, float base);
Norm my_norm;
Rope my_rope;

enum { RIGHT, UNTOUCHED, MEAN_KEPT, MEAN_TAKEN, EPS_OUTSIDE, NO_EPS, ONE_LESS, NO_GAIN, NO_ONE, BIAS_LEFT };
enum { TWICE = BIAS_LEFT + 1, PAIRS, FROM_ONE, BACKWARDS, STEEP, OVERWRITTEN, HALF_ANGLE };

// ---- 1. Of each kind a row of 4, and then 3 smaller rows of 7.

enum { NORM_CASES = 6 };

static void norm_case(Judge *judge, Function f, int n)
{
    static const char *const names[] = { "LAYER", "RMS", "RMS_PLUS_ONE" };
    int T = n % 2 ? 3 : 1, cols = n % 2 ? 7 : 4;
    Random random = random_from((uint64_t)(25 + cols));
    Mat m = judge_output_view(judge, T, cols), w = judge_random_view(judge, &random, 1, cols);
    Mat b = judge_random_view(judge, &random, 1, cols);
    mat_set(m, judge_random(judge, &random, T, cols));
    for (int t = 0; t < T; t++)
        for (int c = 0; c < cols; c++) *mat_ref(m, t, c) = (n % 2 ? 0.1f : 1.0f) * (*mat_ref(m, t, c) + 0.7f);
    judge_trying(judge, "my_norm of %d rows of %d, %s", T, cols, names[n / 2]);
    ((Norm *)f)(m, (Kind)(n / 2), w, b, 0.01f);
}

static void norm(Mat m, Kind kind, Mat w, Mat b, float eps)
{
    const int fault = judge_fault, n = m.cols;
    bool centred = kind == LAYER ? fault != MEAN_KEPT : fault == MEAN_TAKEN;
    for (int t = 0; t < m.rows && fault != UNTOUCHED; t++) {
        double mean = 0.0, squares = 0.0;
        for (int c = 0; c < n && centred; c++) mean += mat_value(m, t, c) / n;
        for (int c = 0; c < n; c++) squares += pow(mat_value(m, t, c) - mean, 2.0) / (n - (fault == ONE_LESS));
        double inside = fault == NO_EPS || fault == EPS_OUTSIDE ? 0.0 : (double)eps;
        double divisor = sqrt(squares + inside) + (fault == EPS_OUTSIDE ? (double)eps : 0.0);
        for (int c = 0; c < n; c++) {
            double gain = mat_value(w, 0, c) + (kind == RMS_PLUS_ONE && fault != NO_ONE ? 1.0 : 0.0);
            double y = (mat_value(m, t, c) - mean) / divisor *
                       (fault == NO_GAIN ? 1.0
                        : fault == TWICE ? 2 * gain
                                         : gain);
            *mat_ref(m, t, c) = (float)(y + (kind == LAYER && fault != BIAS_LEFT ? mat_value(b, 0, c) : 0.0));
        }
    }
}

static Hints norm_hints(Judge *judge, Difference d)
{
    static const char *const formulas[] = { "(x − mean x) / √(mean (x − mean x)² + eps) · w + b",
                                            "x / √(mean x² + eps) · w", "x / √(mean x² + eps) · (1 + w)" };
    (void)judge;
    return (Hints){ "the rows are not what this norm makes of them",
                    "what is taken away, what is divided by, and what comes after that?", formulas[d.n / 2] };
}

// ---- 2

static const struct {
    int T, d;
    float base;
} ropes[] = { { 3, 4, 10000.0f }, { 5, 10, 50.0f } };

static void rope_case(Judge *judge, Function f, int n)
{
    Random random = random_from((uint64_t)(250 + ropes[n].d));
    Mat m = judge_output_view(judge, ropes[n].T, ropes[n].d);
    mat_set(m, judge_random(judge, &random, m.rows, m.cols));
    judge_trying(judge, "my_rope of %d rows of %d, base %g", m.rows, m.cols, (double)ropes[n].base);
    ((Rope *)f)(m, ropes[n].base);
}

static void rope(Mat m, float base)
{
    const int fault = judge_fault, half = m.cols / 2;
    for (int t = 0; t < m.rows && fault != UNTOUCHED; t++)
        for (int c = 0; c < half; c++) {
            double angle = (t + (fault == FROM_ONE)) * pow((double)base, (fault == STEEP ? -1.0 : -2.0) * c / m.cols);
            angle *= fault == BACKWARDS ? -1.0 : fault == HALF_ANGLE ? 0.5 : 1.0;
            float *first = mat_ref(m, t, fault == PAIRS ? 2 * c : c);
            float *second = mat_ref(m, t, fault == PAIRS ? 2 * c + 1 : c + half);
            double a = (double)*first, b = (double)*second;
            *first = (float)(a * cos(angle) - b * sin(angle));
            *second = (float)((fault == OVERWRITTEN ? (double)*first : a) * sin(angle) + b * cos(angle));
        }
}

static const Task tasks[] = {
    { AS(Norm, my_norm), AS(Norm, norm), norm_case, NORM_CASES, .explain = norm_hints, .faulty = AS(Norm, norm),
      .wrong = { FAULT(UNTOUCHED, "the rows are as they came"),
                 FAULT(MEAN_KEPT, "LayerNorm takes the mean away, from the numbers and under the root"),
                 FAULT(MEAN_TAKEN, "an RMSNorm takes no mean away"),
                 FAULT(EPS_OUTSIDE, "eps is added under the root, not behind it"),
                 FAULT(NO_EPS, "eps is left out"),
                 FAULT(ONE_LESS, "the variance is divided by n, not by n − 1"),
                 FAULT(NO_GAIN, "the gains w are left out"),
                 FAULT(NO_ONE, "RMS_PLUS_ONE multiplies by 1 + w"),
                 FAULT(BIAS_LEFT, "LayerNorm adds b at the end"),
                 { .fault = TWICE, .told = "the rows are not what this norm makes of them" } } },
    { AS(Rope, my_rope), AS(Rope, rope), rope_case, COUNT(ropes), .tolerance = 1e-4f, .faulty = AS(Rope, rope),
      .hints = { { "the rows are not turned as they should be",
                   "which two columns, by which angle, and in which direction?",
                   "c and c + d/2 by t · base^(−2c/d)" } },
      .wrong = { FAULT(UNTOUCHED, "the rows are as they came"),
                 FAULT(PAIRS, "columns 2c and 2c + 1 are turned: here c and c + d/2 are"),
                 FAULT(FROM_ONE, "row 0 stands at position 0, and is not turned"),
                 FAULT(BACKWARDS, "turned the wrong way round: (a cos − b sin, a sin + b cos)"),
                 FAULT(STEEP, "the exponent is −2c/d: this is −c/d"),
                 FAULT(OVERWRITTEN, "the second column is made of the first one's new value"),
                 { .fault = HALF_ANGLE, .told = "the rows are not turned as they should be" } } },
};
EXERCISE("25a", tasks)
