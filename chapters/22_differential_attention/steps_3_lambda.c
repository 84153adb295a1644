// Chapter 22, steps 3 and 4. Where λ comes from, and what the norm of each head does to it.
#include "base/portable_math.h"
#include "steps.h"

// ---- 3. λ

enum { DEEPEST = 24, VECTORS_D = 8 };

static void figure_init(Lesson *lesson)
{
    static double x[DEEPEST], y[DEEPEST], first[DEEPEST];
    for (int l = 0; l < DEEPEST; l++) {
        x[l] = l;
        y[l] = differential_lambda_init(l);
        first[l] = 0.8;
    }
    PlotSeries series[] = { { "λ_init", x, y, DEEPEST, false, true, NULL },
                            { "0.8", x, first, DEEPEST, true, false, NULL } };
    figure_plot(lesson, "lambda.png", "lambda_init by layer: dots; the limit 0.8: dashed",
                (Plot){ .title = "How much is taken away at first, layer by layer",
                        .x_title = "layer l, from 0",
                        .y_title = "λ_init",
                        .series = series,
                        .count = 2,
                        .y_low = 0,
                        .y_high = 1,
                        .height = 320 });
}

// Vectors whose products are a and b: λq1 · λk1 = a, λq2 · λk2 = b.
static Mat vectors_with(Arena *arena, double a, double b)
{
    Mat vectors = mat_new(arena, 4, VECTORS_D);
    for (int r = 0; r < 4; r++) *mat_ref(vectors, r, 0) = 1.0f;
    *mat_ref(vectors, 0, 0) = (float)a;
    *mat_ref(vectors, 2, 0) = (float)b;
    return vectors;
}

static Mat random_vectors(Lesson *lesson)
{
    Mat vectors = mat_new(lesson->arena, 4, VECTORS_D);
    random_normals(&lesson->random, vectors);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < VECTORS_D; c++) *mat_ref(vectors, r, c) *= 0.1f;
    return vectors;
}

// |dλ by the way back − by a small step|, the largest of all numbers of the vectors.
static double slopes_off(Lesson *lesson, Mat vectors)
{
    Mat gradient = mat_new(lesson->arena, 4, VECTORS_D);
    double off = 0.0;
    differential_lambda_backward(gradient, 1.0f, vectors);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < VECTORS_D; c++) {
            float *number = mat_ref(vectors, r, c), kept = *number, h = 1.0f / 64;
            *number = kept + h;
            double up = (double)differential_lambda(vectors, 0.2f);
            *number = kept - h;
            double down = (double)differential_lambda(vectors, 0.2f);
            *number = kept;
            off = fmax(off, fabs((up - down) * 32.0 - mat_value(gradient, r, c)));
        }
    return off;
}

void lambdas(Lesson *lesson)
{
    step(lesson, "Where lambda comes from");
    static const char *const layers[] = { "layer 0", "1", "2", "5", "11", "23" };
    static const int of[] = { 0, 1, 2, 5, 11, 23 };
    Mat init = mat_new(lesson->arena, 1, 6);
    for (int n = 0; n < 6; n++) *mat_ref(init, 0, n) = (float)differential_lambda_init(of[n]);
    show_table(lesson, (Table){ .name = "lambda_init = 0.8 - 0.6 exp(-0.3 l)",
                                .values = init,
                                .cols = layers,
                                .decimals = 3,
                                .low = 0,
                                .high = 1 });
    figure_init(lesson);

    static const char *const cols[] = { "q1 · k1", "q2 · k2", "lambda" };
    static const double products[][2] = { { 0, 0 }, { 0.25, 0 }, { 0.5, 0 }, { 0, 0.25 }, { 0, 0.5 } };
    Rows table = rows_of(lesson, "the learned lambda in layer 0", cols, 3);
    for (int n = 0; n < 5; n++) {
        Mat vectors = vectors_with(lesson->arena, products[n][0], products[n][1]);
        rows_add(&table, ROW(products[n][0], products[n][1], (double)differential_lambda(vectors, 0.2f)), "%s", "");
    }
    show_rows(lesson, &table);
    check(lesson,
          differential_lambda(vectors_with(lesson->arena, 0, 0.5), 0.2f) < 0.0f &&
              differential_lambda(vectors_with(lesson->arena, 0.75, 0), 0.2f) > 1.0f,
          "nothing keeps it between 0 and 1: with a product of 0.5 the second map is added, not taken away");
    Mat vectors = random_vectors(lesson);
    double begins = (double)differential_lambda(vectors, 0.2f);
    check(lesson, fabs(begins - 0.2) < 0.2, "vectors of %d normal numbers of deviation 0.1: lambda begins at %.3f",
          VECTORS_D, begins);
    check(lesson, slopes_off(lesson, vectors) < 1e-4, "its derivatives by all %d numbers are what small steps say",
          4 * VECTORS_D);
}

// ---- 4. The norm of each head

static double rms(Mat m)
{
    double squares = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) squares += mat_value(m, i, c) * mat_value(m, i, c);
    return sqrt(squares / ((double)m.rows * m.cols));
}

// Outputs of one pair over random keys, before the norm.
static Mat some_difference(Lesson *lesson, float lambda)
{
    enum { T = 32, S = 64, d = 8 };
    Arena *arena = lesson->arena;
    Random random = random_from(22);
    Mat q = mat_new(arena, T, 2 * d), k = mat_new(arena, S, 2 * d), v = mat_new(arena, S, 2 * d);
    Mat out = mat_new(arena, T, 2 * d);
    random_normals(&random, q);
    random_normals(&random, k);
    random_normals(&random, v);
    differential_calls((Attended){ .out = out }, differential_pair(q, k, v, 1, 1, 0), lambda, (Mask[2]){ { 0 } },
                       attention_naive);
    return out;
}

void norms(Lesson *lesson)
{
    step(lesson, "A norm for each head");
    static const char *const cols[] = { "before", "after", "· (1 - init)" };
    static const float inits[] = { 0.2f, 0.5f, 0.8f };
    Rows table = rows_of(lesson, "root of the mean square of what a pair gives", cols, 3);
    table.table.decimals = 3;
    bool as_said = true;
    double change = 0.0;
    for (int n = 0; n < 3; n++) {
        Mat out = some_difference(lesson, inits[n]), gain = mat_new(lesson->arena, 1, out.cols);
        Mat one = mat_new(lesson->arena, out.rows, out.cols), all = mat_new(lesson->arena, out.rows, out.cols);
        mat_fill(gain, 1.0f);
        differential_norm(one, out, gain, 1.0f);
        differential_norm(all, out, gain, 1.0f - inits[n]);
        rows_add(&table, ROW(rms(out), rms(one), rms(all)), "lambda = init = %.1f", (double)inits[n]);
        as_said = as_said && fabs(rms(all) - 1.0 + (double)inits[n]) < 1e-3;
        Mat tripled = mat_copy(lesson->arena, out);
        for (int i = 0; i < out.rows; i++)
            for (int c = 0; c < out.cols; c++) *mat_ref(tripled, i, c) *= 3.0f;
        differential_norm(one, tripled, gain, 1.0f - inits[n]);
        change = fmax(change, mat_max_difference(one, all));
    }
    show_rows(lesson, &table);
    check(lesson, as_said, "after it every pair's output is 1 - lambda_init large, whatever was left of it");
    check(lesson, change < 1e-3, "a difference three times as large gives the same: only its proportions count");
}
