// Exercise 01b, mended in part or wrongly: number WRONG of these gets this answer.
//
// 1: that row wins by its norm alone
// 2: now short rows win
// 3: its row i does not begin at i * cols
// 4: what is the first one compared with?
// 5: a cosine of -1
// 6: least like the query
// 7: that is no row of x
// 8: does the search go on?
// 9: which one points the way the query points?
// 10: the root of the squares added up
// 11: the last row is not looked at
// 12: row 0 is not looked at
// 13: a row is cols numbers wide
// 14: wins by its norm alone
// 15: has a cosine of
// 16: is the best cosine so far kept?
// 17: what is the first one compared with?
// 18: the norm is that of other numbers
// 19: the product reads other numbers
// 20: the last column is not looked at
// 21: has lost its sign
// 22: behind the point is lost: is the best cosine so far a float?
#include "attention/dot_product.h"
#include "exercises/wrong.h"

#include <math.h>

int my_nearest(const float *query, Mat x);

int my_nearest(const float *query, Mat x)
{
    int how = wrong(), best = how == 17 ? -1 : 0;
    float most = how == 4 || how == 17 ? 0.0f : -INFINITY;
    if (how == 7 || how == 8) return how == 7 ? x.rows : 0;
    if (how == 14) most = dot_product(query, x.at, 1, x.cols);
    for (int i = how == 12; i < x.rows - (how == 11); i++) {
        const float *row = how == 3 ? x.at + i * x.cols : mat_row(x, i);
        float norm = vector_norm(row, x.cols), alike = dot_product(query, row, 1, x.cols);
        if (how == 13) {
            norm = vector_norm(row, x.stride);
            alike = dot_product(query, row, 1, x.stride);
        }
        if (how == 15) alike = query[0] * row[0] + query[1] * row[i + 1 < x.rows ? x.stride : 1];
        const float *end_to_end = x.at + i * x.cols;
        if (how == 18) norm = vector_norm(end_to_end, x.cols);
        if (how == 19) alike = dot_product(query, end_to_end, 1, x.cols);
        if (how == 20) alike = cosine_similarity(query, row, x.cols - 1) * norm;
        if (how == 10) norm = 0.0f;
        for (int k = 0; k < x.cols && how == 10; k++) norm += fabsf(row[k]);
        if (how != 1) alike /= how == 2 ? norm * norm : norm;
        if (how == 5) alike = fabsf(alike);
        if (how == 6) alike = -alike;
        if (how == 9) alike = 0.0f;
        for (int k = 0; k < x.cols && how == 9; k++) alike -= (query[k] - row[k]) * (query[k] - row[k]);
        if ((how == 21 ? fabsf(alike) : alike) > most) {
            most = how == 16 ? most : how == 22 ? (float)(int)alike : alike;
            best = i;
        }
    }
    return best;
}
