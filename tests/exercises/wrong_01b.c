// Exercise 01b, mended in part or wrongly: number WRONG of these gets this answer.
//
// 1: that row wins by its norm alone
// 2: now short rows win
// 3: its row i does not begin at i * cols
// 4: what is the first one compared with?
// 5: a cosine of -1
// 6: least like the query
// 7: that is no row of x
// 8: row 0 has a cosine of 0.00 with the query, row 3 one of 0.80
// 9: which one points the way the query points?
// 10: the root of the squares added up
// 11: the last row is not looked at
// 12: row 0 is not looked at
// 13: a row is cols numbers wide
// 14: wins by its norm alone
// 15: row 0 has a cosine of 0.45 with the query, row 1 one of 0.93
#include "attention/dot_product.h"
#include "exercises/wrong.h"

#include <math.h>

int my_nearest(const float *query, Mat x);

int my_nearest(const float *query, Mat x)
{
    int how = wrong(), best = 0;
    float most = how == 4 ? 0.0f : -INFINITY;
    if (how == 7 || how == 8) return how == 7 ? x.rows : 0;
    if (how == 14) most = dot(query, x.at, 1, x.cols);
    for (int i = how == 12; i < x.rows - (how == 11); i++) {
        const float *row = how == 3 ? x.at + i * x.cols : mat_row(x, i);
        float norm = vector_norm(row, x.cols), alike = dot(query, row, 1, x.cols);
        if (how == 13) {
            norm = vector_norm(row, x.stride);
            alike = dot(query, row, 1, x.stride);
        }
        if (how == 15) alike = query[0] * row[0] + query[1] * row[i + 1 < x.rows ? x.stride : 1];
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
