// Exercise 14c, solved: the output remembers the mean.
#include "attention/dot_product.h"

void my_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out);
void my_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out)
{
    for (int r = 0; r < weights.rows; r++) {
        float mean = dot_product(mat_row(dout, r), mat_row(out, r), 1, v.cols);
        for (int c = 0; c < weights.cols; c++)
            *mat_ref(dscores, r, c) =
                *mat_ref(weights, r, c) * (dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols) - mean);
    }
}
