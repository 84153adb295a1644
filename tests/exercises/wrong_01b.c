// Exercise 01b, mended in part or wrongly: number WRONG of these gets this answer.
//
// 1: that row wins by its norm alone
// 2: now short rows win
// 3: its row i does not begin at i * cols
// 4: what is the first one compared with?
// 5: a cosine of -1
// 6: least like the query
// 7: that is no row of x
// 8: row 3 has a cosine of 0.50 with the query, row 1 one of 0.80
// 9: which one points the way the query points?
// 10: the root of the squares added up
#include "attention/dot_product.h"
#include "exercises/wrong.h"

#include <math.h>

int my_nearest(const float *query, Mat x);

int my_nearest(const float *query, Mat x)
{
    int how = wrong(), best = 0;
    float most = how == 4 ? 0.0f : -INFINITY;
    if (how == 7 || how == 8) return how == 7 ? x.rows : x.rows - 1;
    for (int i = 0; i < x.rows; i++) {
        const float *row = how == 3 ? x.at + i * x.cols : mat_row(x, i);
        float norm = vector_norm(row, x.cols), alike = dot(query, row, 1, x.cols);
        if (how == 10) norm = 0.0f;
        for (int k = 0; k < x.cols && how == 10; k++) norm += fabsf(row[k]);
        if (how != 1) alike /= how == 2 ? norm * norm : norm;
        if (how == 5) alike = fabsf(alike);
        if (how == 6) alike = -alike;
        if (how == 9) alike = 0.0f;
        for (int k = 0; k < x.cols && how == 9; k++) alike -= (query[k] - row[k]) * (query[k] - row[k]);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return best;
}
