// Exercise 01a, solved wrongly: number WRONG of these gets this answer.
//
// 1: my_dot is still the stub
// 2: multiplied, not added
// 3: added up, not multiplied
// 4: do not replace it
// 5: the last product is missing
// 6: the first product is missing
// 7: not divided by n
// 8: the root belongs to the norm
// 9: rows are stride floats apart
// 10: here rows of q meet rows of k
// 11: i and j are swapped
// 12: for two lists of two numbers
// 13: it was not written
// 14: this is the cosine
// 15: every number of a meets every number of b
// 16: when does the function return?
// 17: one product too many
// 18: products below 0 keep their sign
// 19: is the sum a float?
// 20: this is divided by √d
// 21: these are cosines
// 22: meets row i of k in every column
// 23: cols numbers wide, not rows
// 24: meet in the first element that is wrong
// 25: one product too many
// 26: the second list runs backwards
// 27: the second list is never read
// 28: the products below 0 are left out
// 29: it writes beside the scores
// 30: k is not read
// 31: only the last product of each score
// 32: the first list is never read
// 33: the sum begins at 1
// 34: not taken away
// 35: how far apart the tips are
// 36: never set back
// 37: stride is how far apart two rows begin
// 38: cols numbers wide, not rows
// 39: how far do i and j run
// 40: before anything is added to it
// 41: it keeps its sign
// 42: only the largest product
// 43: are the factors floats?
// 44: those behind it count, too
// 45: which index has a?
// 46: a shadow of a on b
// 47: half of this is a mirror image
// 48: stand side by side
// 49: set back once a row
// 50: the last product of each score is missing
// 51: written beside them
// 52: columns of q meet columns of k
// 53: this runs from 1 to n
#include "attention/dot_product.h"
#include "exercises/wrong.h"

#include <math.h>

float my_dot(const float *a, const float *b, int n);
void my_scores(Mat scores, Mat q, Mat k);

float my_dot(const float *a, const float *b, int n)
{
    int how = wrong();
    float sum = how == 3 || how == 33 ? 1.0f : 0.0f;
    if (how == 14) return cosine_similarity(a, b, n);
    if (how == 25) sum = a[0] * b[0];
    for (int k = how == 6 || how == 25 || how == 53; k < n - (how == 5) + (how == 17 || how == 53); k++) {
        float product = how == 2    ? a[k] + b[k]
                        : how == 18 ? fabsf(a[k] * b[k])
                        : how == 28 ? fmaxf(a[k] * b[k], 0.0f)
                        : how == 32 ? b[k] * b[k]
                        : how == 35 ? (a[k] - b[k]) * (a[k] - b[k])
                                    : a[k] * (how == 26   ? b[n - 1 - k]
                                              : how == 27 ? a[k]
                                                          : b[k]);
        for (int j = 0; j < n && how == 15; j++) product += j == k ? 0.0f : a[k] * b[j];
        if (how == 43) product = truncf(a[k]) * truncf(b[k]);
        if (how == 45) product = a[0] * b[k];
        if (how == 16) return product;
        if (how == 3) sum *= product;
        else if (how == 19) sum = truncf(sum + product);
        else if (how == 4) sum = product;
        else if (how == 42) sum = fmaxf(sum, product);
        else if (how != 1) sum += product;
        if (how == 44 && product < 0.0f) break;
    }
    if (how == 41) return fabsf(sum);
    if (how == 46) return sum / vector_norm(b, n);
    return how == 7 ? sum / (float)n : how == 8 ? sqrtf(sum) : how == 12 ? sum + 0.5f : how == 34 ? -sum : sum;
}

enum { MOST = 16 };

// Column j of m, in one of two places that take turns.
static const float *column_of(Mat m, int j)
{
    static float columns[2][MOST];
    static int turn;
    float *column = columns[turn ^= 1];
    for (int i = 0; i < m.rows && i < MOST; i++) column[i] = *mat_ref(m, i, j);
    return column;
}

void my_scores(Mat scores, Mat q, Mat k)
{
    int how = wrong();
    if (how == 10) {
        matmul(scores, q, k);
        return;
    }
    float kept = 0.0f;
    if (how == 51) scores.at[scores.cols] = 0.0f;
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < (how == 39 ? q.rows : k.rows); j++) {
            const float *a = how == 9 ? q.at + i * q.cols : mat_row(q, i);
            const float *b = how == 9 ? k.at + j * k.cols : mat_row(how == 30 ? q : k, how == 22 ? i : j);
            if (how == 13 && i == j) continue;
            float score = how == 21 ? cosine_similarity(a, b, q.cols)
                                    : dot_product(a, b, 1,
                                                  how == 23   ? q.rows
                                                  : how == 37 ? q.stride
                                                  : how == 38 ? k.rows
                                                              : q.cols);
            if (how == 48) score = dot_product(a, b, k.stride, q.cols);
            if (how == 50) score -= a[q.cols - 1] * b[q.cols - 1];
            if (how == 52 && q.rows == q.cols) score = dot_product(column_of(q, i), column_of(k, j), 1, q.rows);
            if (how == 20) score /= sqrtf((float)q.cols);
            if (how == 31) score = a[q.cols - 1] * b[q.cols - 1];
            kept = how == 49 && j == 0 ? score : kept + score;
            if (how == 36 || how == 49) score = kept;
            if (how == 47 && i < j && q.rows == k.rows) score = dot_product(mat_row(q, j), mat_row(k, i), 1, q.cols);
            float *at = how == 11 ? mat_ref(scores, j, i) : mat_ref(scores, i, j);
            if (how == 29) at = scores.at + i * scores.cols + j;
            if (how == 40) score += *at;
            *at = how == 24 ? -score : score;
        }
}
