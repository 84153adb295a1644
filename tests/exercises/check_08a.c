// Exercise 08a: my_softmax_backward and my_matmul_backward. What they add to holds something already.
#include "attention/backward.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "exercises/judge.h"

typedef void Softmax(float *dscores, const float *dweights, const float *weights, int n);
typedef void Matmul(Mat da, Mat db, Mat dout, Mat a, Mat b);
Softmax my_softmax_backward;
Matmul my_matmul_backward;

static const int counts[] = { 3, 1, 12 };

static void softmax_case(Judge *judge, Function f, int n)
{
    Random random = random_from((uint64_t)counts[n]);
    Mat before = judge_random(judge, &random, 1, counts[n]), weights = judge_random(judge, &random, 1, counts[n]);
    Mat dweights = judge_random(judge, &random, 1, counts[n]), dscores = judge_output(judge, 1, counts[n]);
    softmax(weights.at, weights.at, counts[n]);
    mat_set(dscores, before);
    judge_trying(judge, "my_softmax_backward of %d weights", counts[n]);
    ((Softmax *)f)(dscores.at, dweights.at, weights.at, counts[n]);
}

#define SOFTMAX(name, step) \
    static void name(float *ds, const float *dw, const float *w, int n) \
    { \
        float mean = dot_product(w, dw, 1, n); \
        for (int j = 0; j < n; j++) ds[j] step; \
        (void)mean; \
    }
SOFTMAX(adds_nothing, += 0.0f)
SOFTMAX(replaces, = w[j] * (dw[j] - mean))
SOFTMAX(own_weight_alone, += w[j] * (1.0f - w[j]) * dw[j])
SOFTMAX(without_brackets, += w[j] * dw[j] - mean)
SOFTMAX(other_sign, -= w[j] * (dw[j] - mean))
SOFTMAX(no_mean, += w[j] * dw[j])

static const int shapes[][3] = { { 1, 1, 1 }, { 3, 3, 3 }, { 2, 4, 3 }, { 5, 1, 2 } }; // m, k, n

static void matmul_case(Judge *judge, Function f, int at)
{
    int m = shapes[at][0], k = shapes[at][1], n = shapes[at][2];
    Random random = random_from((uint64_t)(100 * m + 10 * k + n));
    Mat a = judge_random_view(judge, &random, m, k), b = judge_random_view(judge, &random, k, n);
    Mat dout = judge_random_view(judge, &random, m, n), da = judge_output(judge, m, k), db = judge_output(judge, k, n);
    mat_set(da, judge_random(judge, &random, m, k));
    mat_set(db, judge_random(judge, &random, k, n));
    judge_trying(judge, "my_matmul_backward of (%d, %d) times (%d, %d)", m, k, k, n);
    ((Matmul *)f)(da, db, dout, a, b);
}

enum { NO_DA = 1, NO_DB, DA_REPLACED, DB_REPLACED, NO_TRANSPOSE_A, NO_TRANSPOSE_B, END_TO_END };

static float element(Mat m, int i, int j)
{
    return judge_fault == END_TO_END ? m.at[i * m.cols + j] : *mat_ref(m, i, j);
}

static void faulty_matmul(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    const int fault = judge_fault, k = a.cols, n = b.cols;
    bool square = a.rows == k && k == n;
    if (fault == DA_REPLACED) mat_fill(da, 0.0f);
    if (fault == DB_REPLACED) mat_fill(db, 0.0f);
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++) {
                float d = element(dout, i, j), x = element(b, l, j), y = element(a, i, l);
                if (fault == NO_TRANSPOSE_A && square) x = element(b, j, l);
                if (fault != NO_DA) *mat_ref(da, i, l) += d * x * 1.0f;
                if (fault == NO_TRANSPOSE_B && square) *mat_ref(db, i, j) += y * element(dout, l, j);
                else if (fault != NO_DB) *mat_ref(db, l, j) += d * y;
            }
}

static const Task tasks[] = {
    { AS(Softmax, my_softmax_backward), AS(Softmax, backward_softmax), softmax_case, COUNT(counts),
      .hints = { { NULL, "which dweights is better than the average, and how much is each key heard?",
                   "ds_j = w_j (dw_j - Σ w_k dw_k)" } },
      .wrong = { { AS(Softmax, adds_nothing),
                   "dscores is what it was: nothing has been added, or shares that cancel: the change of a weight counts "
                   "by the dweights of that same weight" },
                 { AS(Softmax, replaces), "dscores held something already: add to it with +=" },
                 { AS(Softmax, own_weight_alone),
                   "a score moves every weight, not its own alone: the other weights are missing" },
                 { AS(Softmax, without_brackets),
                   "the weight counts for the mean, too: weights[j] times all of the difference" },
                 { AS(Softmax, other_sign),
                   "the sign is turned round: where dweights is above the mean, the loss rises with the score" },
                 { AS(Softmax, no_mean), "the mean of dweights is missing" } } },
    { AS(Matmul, my_matmul_backward), AS(Matmul, backward_matmul), matmul_case, COUNT(shapes),
      .hints = { { "one more in a[i][l] changes row i of out, and nothing else",
                   "by how much does out[i][j] rise with a[i][l], and what does the loss say of out[i][j]?",
                   "da = dout bᵀ", "da" },
                 { "one more in b[l][j] changes column j of out, and nothing else",
                   "by how much does out[i][j] rise with b[l][j], and what does the loss say of out[i][j]?",
                   "db = aᵀ dout", "db" } },
      .faulty = AS(Matmul, faulty_matmul),
      .wrong = { FAULT(NO_DA, "nothing has been added to da"), FAULT(NO_DB, "nothing has been added to db"),
                 FAULT(DA_REPLACED, "da held something already: add to it with +="),
                 FAULT(DB_REPLACED, "db held something already: add to it with +="),
                 FAULT(NO_TRANSPOSE_A, "this is dout b; it must be dout bᵀ"),
                 FAULT(NO_TRANSPOSE_B, "this is a dout; it must be aᵀ dout"),
                 FAULT(END_TO_END, "a, b and dout are views: a row begins at mat_row(m, i)") } },
};
EXERCISE("08a", tasks)
