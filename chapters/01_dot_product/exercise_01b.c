// Exercise 01b. Mend it: which row points most nearly the way the query points?
//
// my_nearest is to answer with the row of x (n, d) whose cosine with the query (d numbers) is the largest. It is wrong
// in three places, though it gives the right answer for many tables. Find them, then run: make exercise-01b
#include "attention/dot_product.h"
#include "base/portable_math.h"

int my_nearest(const float *query, Mat x)
{
    int best = 0;
    float most = 0.0f;
    for (int i = 0; i < x.rows; i++) {
        const float *row = x.at + i * x.cols;
        float alike = dot_product(query, row, 1, x.cols);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return best;
}
