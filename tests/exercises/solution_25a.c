// Exercise 25a, solved.
#include "base/mat.h"
#include "base/portable_math.h"

typedef enum { LAYER, RMS, RMS_PLUS_ONE } Kind;
void my_norm(Mat m, Kind kind, Mat w, Mat b, float eps);
void my_rope(Mat m, float base);

void my_norm(Mat m, Kind kind, Mat w, Mat b, float eps)
{
    for (int t = 0; t < m.rows; t++) {
        double mean = 0.0, squares = 0.0;
        for (int c = 0; c < m.cols && kind == LAYER; c++) mean += (double)*mat_ref(m, t, c) / m.cols;
        for (int c = 0; c < m.cols; c++) squares += pow((double)*mat_ref(m, t, c) - mean, 2.0) / m.cols;
        for (int c = 0; c < m.cols; c++) {
            double gain = (double)*mat_ref(w, 0, c) + (kind == RMS_PLUS_ONE ? 1.0 : 0.0);
            double y = ((double)*mat_ref(m, t, c) - mean) / sqrt(squares + (double)eps) * gain;
            *mat_ref(m, t, c) = (float)(y + (kind == LAYER ? (double)*mat_ref(b, 0, c) : 0.0));
        }
    }
}

void my_rope(Mat m, float base)
{
    int half = m.cols / 2;
    for (int t = 0; t < m.rows; t++)
        for (int c = 0; c < half; c++) {
            double angle = t * pow((double)base, -2.0 * c / m.cols);
            double a = (double)*mat_ref(m, t, c), b = (double)*mat_ref(m, t, c + half);
            *mat_ref(m, t, c) = (float)(a * cos(angle) - b * sin(angle));
            *mat_ref(m, t, c + half) = (float)(a * sin(angle) + b * cos(angle));
        }
}
