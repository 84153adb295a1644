// Exercise 25a, solved wrongly: number WRONG of these gets this answer.
//
// 1: LayerNorm takes the mean away
// 2: an RMSNorm takes no mean away
// 3: eps is added under the root
// 4: eps is left out
// 5: divided by n, not by n − 1
// 6: the root is left out
// 7: the gains w are left out
// 8: RMS_PLUS_ONE multiplies by 1 + w
// 9: only RMS_PLUS_ONE adds 1
// 10: LayerNorm adds b
// 11: only LayerNorm has a bias
// 12: a mean, not a sum
// 13: but not from the squares
// 14: columns 2c and 2c + 1 are turned
// 15: row 0 stands at position 0
// 16: the wrong way round
// 17: this is −c/d
// 18: not half of it
// 19: by the same angle
// 20: the first one's new value
// 21: not what this norm makes of them
// 22: not turned as they should be
#include "base/mat.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

#include <stdbool.h>

typedef enum { LAYER, RMS, RMS_PLUS_ONE } Kind;
void my_norm(Mat m, Kind kind, Mat w, Mat b, float eps);
void my_rope(Mat m, float base);

static float root_of(float squares, float eps)
{
    switch (wrong()) {
    case 3: return sqrtf(squares) + eps;
    case 4: return sqrtf(squares);
    case 6: return squares + eps;
    case 21: return 2.0f * sqrtf(squares + eps);
    default: return sqrtf(squares + eps);
    }
}

void my_norm(Mat m, Kind kind, Mat w, Mat b, float eps)
{
    bool centred = wrong() == 2 || (kind == LAYER && wrong() != 1);
    float n = (float)m.cols, by = wrong() == 12 ? 1.0f : wrong() == 5 ? n - 1.0f : n;
    for (int t = 0; t < m.rows; t++) {
        float *x = mat_row(m, t), mean = 0.0f, squares = 0.0f;
        for (int c = 0; c < m.cols; c++) mean += centred ? x[c] / n : 0.0f;
        for (int c = 0; c < m.cols; c++) {
            float off = wrong() == 13 ? x[c] : x[c] - mean;
            squares += off * off / by;
        }
        for (int c = 0; c < m.cols; c++) {
            bool one = wrong() == 9 || (kind == RMS_PLUS_ONE && wrong() != 8);
            bool bias = wrong() == 11 || (kind == LAYER && wrong() != 10);
            float gain = wrong() == 7 ? 1.0f : *mat_ref(w, 0, c) + (one ? 1.0f : 0.0f);
            x[c] = (x[c] - mean) / root_of(squares, eps) * gain + (bias ? *mat_ref(b, 0, c) : 0.0f);
        }
    }
}

void my_rope(Mat m, float base)
{
    int half = m.cols / 2;
    for (int t = 0; t < m.rows; t++)
        for (int c = 0; c < half; c++) {
            float d = (float)m.cols, power = wrong() == 17 ? 1.0f / d : wrong() == 18 ? 4.0f / d : 2.0f / d;
            float rate = wrong() == 19 ? 1.0f : powf(base, -(float)c * power);
            float angle = (float)(t + (wrong() == 15)) * rate * (wrong() == 22 ? 0.5f : 1.0f);
            float *a = mat_ref(m, t, wrong() == 14 ? 2 * c : c);
            float *b = mat_ref(m, t, wrong() == 14 ? 2 * c + 1 : c + half);
            float s = wrong() == 16 ? -sinf(angle) : sinf(angle), was = *a;
            *a = was * cosf(angle) - *b * s;
            *b = (wrong() == 20 ? *a : was) * s + *b * cosf(angle);
        }
}
