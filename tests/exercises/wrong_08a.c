// Exercise 08a, solved wrongly: number WRONG of these gets this answer.
//
// 1: dscores held something already
// 2: the mean is taken away, not added
// 3: the mean of dweights is missing
// 4: not all alike
// 5: the new numbers sum to
// 6: da held something already
// 7: this is dout b
// 8: db held something already
// 9: this is a dout
// 10: this is dout aᵀ
// 11: a, b and dout are views
// 12: one more in a[i][l] changes row i of out
// 13: dscores is what it was
// 14: a score moves every weight
// 15: times all of the difference
// 16: as they must, but they are not these
// 17: nothing has been added to da
// 18: nothing has been added to db
// 19: the sign is turned round
// 20: the weight in front is missing
// 21: what is added to da must be
// 22: what is added to db must be
// 23: here a meets itself
// 24: here b meets itself
// 25: moves its own weight, too
// 26: counted twice
// 27: taken away in full
// 28: the mean is divided by n
// 29: the last j alone
// 30: the last i alone
// 31: what the other weights lose is added
// 32: not complete when it is first used
// 33: is in the mean already
// 34: counts once, not squared
// 35: here it is of the weights themselves
// 36: each b[l][j] counts by dout[i][j]
// 37: each a[i][l] counts by dout[i][j]
// 38: b is a view
// 39: a is a view
// 40: or shares that cancel
// 41: the dweights of that same weight
// 42: the dweights of that same weight
// 43: not by weights[j] alone
// 44: da is transposed
// 45: db is transposed
// 46: a column of a is not one
// 47: a column of dout is not one
#include "attention/dot_product.h"
#include "base/mat.h"
#include "exercises/wrong.h"

void my_softmax_backward(float *dscores, const float *dweights, const float *weights, int n);
void my_softmax_backward(float *dscores, const float *dweights, const float *weights, int n)
{
    int how = wrong();
    float mean = dot_product(weights, dweights, 1, n), sum = 0.0f;
    for (int j = 0; j < n; j++) sum += dweights[j];
    if (how == 3) mean = 0.0f;
    for (int j = 0; j < n && how == 4; j++) mean = (j ? mean : 0.0f) + dweights[j] / (float)n;
    for (int j = 0; j < n; j++) {
        float ds = weights[j] * (how == 2 ? dweights[j] + mean : dweights[j] - mean);
        if (how == 5) ds = weights[j] * (dweights[j] - mean / 2.0f);
        if (how == 20) ds = dweights[j] - mean;
        if (how == 14) ds = weights[j] * (1.0f - weights[j]) * dweights[j];
        if (how == 25) ds -= weights[j] * (1.0f - weights[j]) * dweights[j];
        if (how == 26) ds -= weights[j] * weights[j] * dweights[j];
        if (how == 43) ds = weights[j] * dweights[j];
        for (int k = 0; k < n && how == 43; k++)
            if (k != j) ds -= weights[k] * weights[j] * dweights[k];
        if (how == 27) ds = weights[j] * (dweights[j] - sum);
        if (how == 28) ds = weights[j] * (dweights[j] - mean / (float)n);
        if (how == 31) ds = weights[j] * ((1.0f - 2.0f * weights[j]) * dweights[j] + mean);
        if (how == 32) ds = weights[j] * (dweights[j] - dot_product(weights, dweights, 1, j + 1));
        if (how == 33) ds *= 1.0f - weights[j];
        if (how == 34) ds *= weights[j];
        if (how == 35) ds = weights[j] * (dweights[j] - dot_product(weights, weights, 1, n));
        if (how == 40) ds = dweights[j] * weights[j];
        for (int k = 0; k < n && how == 40; k++) ds -= dweights[j] * weights[k] * weights[j];
        for (int k = 0; k < n && how == 41; k++) // dweights of the score, not of the weight k
            ds = (k ? ds : 0.0f) + (k == j ? weights[j] * (1.0f - weights[j]) : -weights[k] * weights[j]) * dweights[j];
        for (int k = 0; k < n && how == 42; k++) dscores[k] -= weights[j] * weights[k] * dweights[k];
        if (how == 42) ds = weights[j] * dweights[j];
        if (how == 15) ds = weights[j] * dweights[j] - mean;
        if (how == 19) ds = -ds;
        if (how == 13 || how == 16) ds *= how == 13 ? 0.0f : 2.0f;
        dscores[j] = how == 1 ? ds : dscores[j] + ds;
    }
}

static void add(Mat to, int i, int j, float value, bool only)
{
    *mat_ref(to, i, j) = only ? value : *mat_ref(to, i, j) + value;
}

// Element (i, j), or, to who forgets the stride, what stands there when rows lie end to end.
static float element(Mat m, int i, int j) { return wrong() == 11 ? m.at[i * m.cols + j] : *mat_ref(m, i, j); }

void my_matmul_backward(Mat da, Mat db, Mat dout, Mat a, Mat b);
void my_matmul_backward(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    int how = wrong(), m = a.rows, k = a.cols, n = b.cols;
    bool square = m == k && k == n;
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) {
            float sum = 0.0f;
            for (int j = 0; j < n; j++) {
                if (how == 29) sum = 0.0f;
                if (how == 7 && square) sum += element(dout, i, j) * element(b, j, l);
                else if (how == 23) sum += element(dout, i, j) * element(a, i, l);
                else if (how == 36) sum += element(b, l, j);
                else if (how == 38) sum += element(dout, i, j) * b.at[l * n + j];
                else sum += element(dout, i, j) * element(b, l, j);
            }
            bool only = how == 6 || (how == 29 && n > 1);
            if (how == 44 && square) add(da, l, i, sum, false);
            else add(da, i, l, how == 12 ? sum / 2.0f : how == 21 ? -sum : how == 17 ? 0.0f : sum, only);
        }
    for (int l = 0; l < k; l++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int i = 0; i < m; i++) {
                if (how == 30) sum = 0.0f;
                if (how == 9 && square) sum += element(a, l, i) * element(dout, i, j);
                else if (how == 10 && square) sum += element(dout, l, i) * element(a, j, i);
                else if (how == 37) sum += element(a, i, l);
                else if (how == 39) sum += a.at[i * k + l] * element(dout, i, j);
                else sum += element(how == 24 ? b : a, how == 24 ? l : i, how == 24 ? j : l) * element(dout, i, j);
            }
            if (how == 46) sum = dot_product(mat_ref(a, 0, l), mat_ref(dout, 0, j), dout.stride, m);
            if (how == 47) sum = dot_product(mat_ref(dout, 0, j), mat_ref(a, 0, l), a.stride, m);
            if (how == 45 && square) add(db, j, l, sum, false);
            else add(db, l, j, how == 22 ? -sum : how == 18 ? 0.0f : sum, how == 8 || (how == 30 && m > 1));
        }
}
