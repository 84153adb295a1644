// Exercise 14c, solved wrongly: number WRONG of these gets this answer.
//
// 1: still that of the tile alone
// 2: is a mean of this tile still
// 3: the mean is gone
// 4: the sign of the mean
// 5: the weight before the bracket
// 6: out · out is no mean
// 7: a row of dscores sums to 0
// 8: row 1 sums to
// 9: as it must; row 0 is wrong all the same
// 10: it belongs before the whole bracket
// 11: the bracket is turned round
// 12: every number of dscores is 0
// 13: the key's own share alone
// 14: here it is out · v
// 15: divided by the number of keys
// 16: divided by dv
// 17: only the mean is in the bracket
// 18: the sum of out is no mean
// 19: added once more
// 20: once for each key
// 21: by the weights of this tile
// 22: a weight of its own
// 23: remembered between two calls
// 24: is it written, or added to
// 25: the mean of the first query
// 26: divided by √dv
// 27: shares of the whole row already
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out);
void my_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out)
{
    static float kept[8];
    int how = wrong();
    for (int r = 0; r < weights.rows; r++) {
        float mean = dot_product(mat_row(dout, r), mat_row(out, r), 1, v.cols), part = 0.0f, sum = 0.0f;
        for (int c = 0; c < weights.cols; c++) {
            part += *mat_ref(weights, r, c) * dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols);
            sum += *mat_ref(weights, r, c);
        }
        if (how == 1) mean = part;
        if (how == 2) mean = part / sum;
        if (how == 3) mean = 0.0f;
        if (how == 4) mean = -mean;
        if (how == 6) mean = dot_product(mat_row(out, r), mat_row(out, r), 1, v.cols);
        if (how == 7) mean *= 0.5f;
        if (how == 8) mean = dot_product(mat_row(dout, 0), mat_row(out, r), 1, v.cols);
        if (how == 15) mean /= (float)weights.cols;
        if (how == 16) mean /= (float)v.cols;
        if (how == 18) mean = (float)mat_sum(mat_rows(out, r, 1));
        if (how == 19) mean += part;
        if (how == 20) mean *= (float)weights.cols;
        if (how == 21) mean *= sum;
        if (how == 23) mean = kept[r] += part;
        if (how == 25) mean = dot_product(mat_row(dout, 0), mat_row(out, 0), 1, v.cols);
        for (int c = 0; c < weights.cols && how >= 10; c++) {
            float weight = *mat_ref(weights, r, c);
            if (how == 26) weight /= sqrtf((float)v.cols);
            if (how == 27) weight /= sum;
            float dweight = dot_product(mat_row(how == 14 ? out : dout, r), mat_row(v, c), 1, v.cols);
            float bracket = how == 11   ? mean - dweight
                            : how == 13 ? dweight * (1.0f - weight)
                            : how == 17 ? mean
                            : how == 22 ? dweight - weight * mean
                                        : dweight - mean;
            float before = how == 24 ? *mat_ref(dscores, r, c) : 0.0f;
            *mat_ref(dscores, r, c) = before + (how == 10   ? weight * dweight - mean
                                                : how == 12 ? 0.0f
                                                            : weight * bracket);
        }
        for (int c = 0; c < weights.cols && how < 10; c++)
            *mat_ref(dscores, r, c) = (how == 5 ? 1.0f : *mat_ref(weights, r, c)) * (how == 9 ? 2.0f : 1.0f) *
                                      (dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols) - mean);
    }
}
