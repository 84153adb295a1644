// Exercise 01b, mended.
#include "attention/dot_product.h"

#include <math.h>

int my_nearest(const float *query, Mat x);
int my_nearest(const float *query, Mat x)
{
    int best = 0;
    float most = -INFINITY;
    for (int i = 0; i < x.rows; i++) {
        float alike = cosine_similarity(query, mat_row(x, i), x.cols);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return best;
}
