// Chapter 09. AdamW and clipping. Quantities common to all elements are float64, elements float32.
#include "train/adamw.h"

#include "base/portable_math.h"

void adamw_step(Mat p, Mat m, Mat v, Mat gradient, AdamW a, double lr, int t)
{
    REQUIRE(m.rows == p.rows && m.cols == p.cols && v.rows == p.rows && v.cols == p.cols && gradient.rows == p.rows &&
                gradient.cols == p.cols,
            "p is " MAT_SHAPE ", m is " MAT_SHAPE ", v is " MAT_SHAPE ", gradient is " MAT_SHAPE, MAT_SHAPED(p),
            MAT_SHAPED(m), MAT_SHAPED(v), MAT_SHAPED(gradient));
    REQUIRE(t >= 1, "the step is %d; the first one is 1", t);
    float keep1 = (float)a.beta1, add1 = (float)(1.0 - a.beta1), keep2 = (float)a.beta2, add2 = (float)(1.0 - a.beta2);
    float shrink = (float)(1.0 - lr * a.decay), epsilon = (float)a.epsilon;
    float step = (float)(lr / (1.0 - pow(a.beta1, t)));
    float spread = (float)(1.0 / sqrt(1.0 - pow(a.beta2, t)));
    for (int i = 0; i < p.rows; i++) {
        float *to = mat_row(p, i), *mean = mat_row(m, i), *square = mat_row(v, i);
        const float *g = mat_row(gradient, i);
        for (int c = 0; c < p.cols; c++) {
            mean[c] = keep1 * mean[c] + add1 * g[c];
            square[c] = keep2 * square[c] + add2 * (g[c] * g[c]);
            to[c] = to[c] * shrink - step * mean[c] / (sqrtf(square[c]) * spread + epsilon);
        }
    }
}

static double add_squares(double squares, Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) squares += (double)*mat_ref(m, i, c) * (double)*mat_ref(m, i, c);
    return squares;
}

static void scale_all(Mat m, float scale)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) *= scale;
}

double adamw_clip(const TransformerParameter *gradient, int count, double most)
{
    double squares = 0.0;
    for (int p = 0; p < count; p++) squares = add_squares(squares, gradient[p].at);
    double found = sqrt(squares);
    if (most <= 0.0 || !(found > most)) return found;
    for (int p = 0; p < count; p++) scale_all(gradient[p].at, (float)(most / found));
    return found;
}
