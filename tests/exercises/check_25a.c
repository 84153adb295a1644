// Exercise 25a: my_norm and my_rope.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

typedef enum { LAYER, RMS, RMS_PLUS_ONE } Kind;
void my_norm(Mat m, Kind kind, Mat w, Mat b, float eps);
void my_rope(Mat m, float base);

// ---- 1

typedef enum {
    RIGHT,
    MEAN_KEPT,
    MEAN_TAKEN,
    EPS_OUTSIDE,
    NO_EPS,
    ONE_LESS,
    NO_ROOT,
    NO_GAIN,
    NO_ONE,
    ONE_ADDED,
    BIAS_LEFT,
    BIAS_ADDED,
    SUM_FOR_MEAN,
    SQUARES_KEPT,
    UNTOUCHED,
    NORM_WAYS
} NormWay;

static const char *const NORM_WORDS[NORM_WAYS] = {
    [MEAN_KEPT] = "LayerNorm takes the mean away, from the numbers and under the root",
    [MEAN_TAKEN] = "an RMSNorm takes no mean away",
    [EPS_OUTSIDE] = "eps is added under the root, not behind it",
    [NO_EPS] = "eps is left out",
    [ONE_LESS] = "the variance is divided by n, not by n − 1",
    [NO_ROOT] = "the root is left out",
    [NO_GAIN] = "the gains w are left out",
    [NO_ONE] = "RMS_PLUS_ONE multiplies by 1 + w",
    [ONE_ADDED] = "only RMS_PLUS_ONE adds 1 to the gains",
    [BIAS_LEFT] = "LayerNorm adds b at the end",
    [BIAS_ADDED] = "only LayerNorm has a bias",
    [SUM_FOR_MEAN] = "under the root stands a mean, not a sum",
    [SQUARES_KEPT] = "the mean is away from the numbers, but not from the squares under the root",
    [UNTOUCHED] = "the rows are as they came",
};

static void norm_by(Mat m, Kind kind, Mat w, Mat b, double eps, NormWay way)
{
    bool centred = kind == LAYER ? way != MEAN_KEPT : way == MEAN_TAKEN;
    int n = m.cols;
    for (int t = 0; t < m.rows && way != UNTOUCHED; t++) {
        double mean = 0.0, squares = 0.0;
        for (int c = 0; c < n && centred; c++) mean += (double)*mat_ref(m, t, c) / n;
        for (int c = 0; c < n; c++) squares += pow((double)*mat_ref(m, t, c) - (way == SQUARES_KEPT ? 0.0 : mean), 2.0);
        squares /= way == SUM_FOR_MEAN ? 1 : way == ONE_LESS ? n - 1 : n;
        double divisor = way == EPS_OUTSIDE ? sqrt(squares) + eps : sqrt(squares + (way == NO_EPS ? 0.0 : eps));
        if (way == NO_ROOT) divisor = squares + eps;
        for (int c = 0; c < n; c++) {
            bool one = kind == RMS_PLUS_ONE ? way != NO_ONE : way == ONE_ADDED;
            double gain = way == NO_GAIN ? 1.0 : (double)*mat_ref(w, 0, c) + (one ? 1.0 : 0.0);
            double y = ((double)*mat_ref(m, t, c) - mean) / divisor * gain;
            bool bias = kind == LAYER ? way != BIAS_LEFT : way == BIAS_ADDED;
            *mat_ref(m, t, c) = (float)(y + (bias ? (double)*mat_ref(b, 0, c) : 0.0));
        }
    }
}

static void norm_case(Judge *judge, Kind kind, int T, int n, double size)
{
    static const char *const names[] = { "LAYER", "RMS", "RMS_PLUS_ONE" };
    static const char *const formulas[] = { "(x − mean x) / √(mean (x − mean x)² + eps) · w + b",
                                            "x / √(mean x² + eps) · w", "x / √(mean x² + eps) · (1 + w)" };
    Random random = random_from((uint64_t)(25 + n));
    double eps = 0.01;
    Mat wide = mat_new(judge->arena, T, n + 3), m = mat_cols(wide, 2, n), w = mat_new(judge->arena, 1, n);
    Mat b = mat_new(judge->arena, 1, n), got = judge_output(judge, T, n);
    random_normals(&random, wide);
    random_normals(&random, w);
    random_normals(&random, b);
    for (int t = 0; t < T; t++)
        for (int c = 0; c < n; c++) *mat_ref(m, t, c) = (float)(size * ((double)*mat_ref(m, t, c) + 0.7));
    mat_set(got, m);
    judge_trying(judge, "my_norm of %d rows of %d, %s", T, n, names[kind]);
    my_norm(got, kind, w, b, (float)eps);
    Answer answer = { .got = got,
                      .expected = mat_copy(judge->arena, m),
                      .tolerance = 1e-5f,
                      .hints = { "the rows are not what this norm makes of them",
                                 "what is taken away, what is divided by, and what comes after that?",
                                 formulas[kind] } };
    norm_by(answer.expected, kind, w, b, eps, RIGHT);
    for (int way = 1; way < NORM_WAYS; way++) {
        answer.mistakes[way - 1] = (Mistake){ NORM_WORDS[way], mat_copy(judge->arena, m) };
        norm_by(answer.mistakes[way - 1].result, kind, w, b, eps, (NormWay)way);
    }
    judge_answer(judge, answer);
}

// ---- 2

typedef enum {
    HALVES,
    PAIRS,
    FROM_ONE,
    BACKWARDS,
    STEEP,
    FLAT,
    EVERY_PAIR,
    OVERWRITTEN,
    LEFT_ALONE,
    ROPE_WAYS
} RopeWay;

static const char *const ROPE_WORDS[ROPE_WAYS] = {
    [PAIRS] = "columns 2c and 2c + 1 are turned: here c and c + d/2 are",
    [FROM_ONE] = "row 0 stands at position 0, and is not turned",
    [BACKWARDS] = "turned the wrong way round: (a cos − b sin, a sin + b cos)",
    [STEEP] = "the exponent is −2c/d: this is −c/d",
    [FLAT] = "the exponent is −2c/d, and d is the width of the head, not half of it",
    [EVERY_PAIR] = "every pair is turned by the same angle",
    [OVERWRITTEN] = "the second column is made of the first one's new value",
    [LEFT_ALONE] = "the rows are as they came",
};

static void rope_by(Mat m, double base, RopeWay way)
{
    int half = m.cols / 2;
    for (int t = 0; t < m.rows && way != LEFT_ALONE; t++)
        for (int c = 0; c < half; c++) {
            double power = way == STEEP ? -1.0 * c / m.cols : way == FLAT ? -2.0 * c / half : -2.0 * c / m.cols;
            double angle = (t + (way == FROM_ONE)) * (way == EVERY_PAIR ? 1.0 : pow(base, power));
            float *first = mat_ref(m, t, way == PAIRS ? 2 * c : c);
            float *second = mat_ref(m, t, way == PAIRS ? 2 * c + 1 : c + half);
            double a = (double)*first, b = (double)*second, s = way == BACKWARDS ? -sin(angle) : sin(angle);
            *first = (float)(a * cos(angle) - b * s);
            *second = (float)((way == OVERWRITTEN ? (double)*first : a) * s + b * cos(angle));
        }
}

static void rope_case(Judge *judge, int T, int d, double base)
{
    Random random = random_from((uint64_t)(250 + d));
    Mat wide = mat_new(judge->arena, T, d + 3), m = mat_cols(wide, 1, d), got = judge_output(judge, T, d);
    random_normals(&random, wide);
    mat_set(got, m);
    judge_trying(judge, "my_rope of %d rows of %d, base %g", T, d, base);
    my_rope(got, (float)base);
    Answer answer = { .got = got,
                      .expected = mat_copy(judge->arena, m),
                      .tolerance = 1e-4f,
                      .hints = { "the rows are not turned as they should be",
                                 "which two columns, by which angle, and in which direction?",
                                 "c and c + d/2 by t · base^(−2c/d)" } };
    rope_by(answer.expected, base, HALVES);
    for (int way = 1; way < ROPE_WAYS; way++) {
        answer.mistakes[way - 1] = (Mistake){ ROPE_WORDS[way], mat_copy(judge->arena, m) };
        rope_by(answer.mistakes[way - 1].result, base, (RopeWay)way);
    }
    judge_answer(judge, answer);
}

static void check(Judge *judge)
{
    for (int kind = LAYER; kind <= RMS_PLUS_ONE; kind++) {
        norm_case(judge, (Kind)kind, 1, 4, 1.0);
        norm_case(judge, (Kind)kind, 3, 7, 0.1);
    }
    rope_case(judge, 3, 4, 10000.0);
    rope_case(judge, 5, 10, 50.0);
}

int main(void) { return judge_main("25a", check); }
