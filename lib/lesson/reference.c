// Reference attention in float64, one row of scores at a time.
#include "lesson/reference.h"

#include "base/portable_math.h"

static double exact_score(Mat q, Mat k, Mask mask, int i, int j)
{
    double product = 0, scale = mask.scale > 0 ? (double)mask.scale : 1 / sqrt(q.cols);
    for (int c = 0; c < q.cols; c++) product += (double)*mat_ref(q, i, c) * (double)*mat_ref(k, j, c);
    return product * scale + (double)mask_bias(mask, i, j, q.rows, k.rows);
}

double *reference_compute(Arena *arena, Mat q, Mat k, Mat v, Mask mask)
{
    int T = q.rows, S = k.rows, dv = v.cols;
    double *out = arena_alloc(arena, sizeof *out * (size_t)T * (size_t)dv);
    double *row = arena_alloc(arena, sizeof *row * (size_t)S);
    for (int i = 0; i < T; i++) {
        double max = -INFINITY, sum = 0;
        for (int j = 0; j < S; j++) {
            row[j] = mask_sees(mask, i, j, T, S) ? exact_score(q, k, mask, i, j) : -INFINITY;
            max = fmax(max, row[j]);
        }
        if (max == -INFINITY) continue;

        for (int j = 0; j < S; j++) {
            row[j] = exp(row[j] - max);
            sum += row[j];
        }
        for (int j = 0; j < S; j++)
            for (int c = 0; c < dv; c++) out[i * dv + c] += row[j] / sum * (double)*mat_ref(v, j, c);
    }
    return out;
}

double reference_error(Mat got, const double *want)
{
    double off = 0, all = 0;
    for (int i = 0; i < got.rows; i++)
        for (int c = 0; c < got.cols; c++) {
            double w = want[i * got.cols + c], difference = (double)*mat_ref(got, i, c) - w;
            off += difference * difference;
            all += w * w;
        }
    return sqrt(off / all);
}
