// Exercise 14c. A backward pass that is nearly right.
//
// Mend the function, then run: make exercise-14c
#include "attention/dot_product.h"

// A tile of weights has been computed again: weights (queries, keys), exp(score − lse), 0 where a key is hidden. v
// (keys, dv) are the tile's values; dout (queries, dv) says how the loss changes with the output, and out (queries, dv)
// is the output of the whole row. The function must write dscores (queries, keys): how the loss changes with a score.
//
// Task. It is right as long as one tile holds all keys of a row, and wrong for every smaller tile. Mend it. It is
// called for one tile at a time, in any order, and must not remember anything between two calls.
void my_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out)
{
    (void)out;
    for (int r = 0; r < weights.rows; r++) {
        float mean = 0.0f;
        for (int c = 0; c < weights.cols; c++) {
            float dweight = dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols);
            mean += *mat_ref(weights, r, c) * dweight;
        }
        for (int c = 0; c < weights.cols; c++) {
            float dweight = dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols);
            *mat_ref(dscores, r, c) = *mat_ref(weights, r, c) * (dweight - mean);
        }
    }
}
