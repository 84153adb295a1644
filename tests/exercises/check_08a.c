// Exercise 08a: my_softmax_backward and my_matmul_backward.
#include "attention/backward.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_softmax_backward(float *dscores, const float *dweights, const float *weights, int n);
void my_matmul_backward(Mat da, Mat db, Mat dout, Mat a, Mat b);

// A column view of a wider matrix: who takes the rows to lie end to end reads the wrong numbers.
static Mat random_view(Arena *arena, Random *random, int rows, int cols)
{
    Mat wide = mat_new(arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 1, cols);
}

// An output for the reader that holds these numbers already.
static Mat output_with(Judge *judge, Mat before)
{
    Mat m = judge_output(judge, before.rows, before.cols);
    mat_set(m, before);
    return m;
}

static Mat sum_of(Arena *arena, Mat a, Mat b)
{
    Mat sum = mat_copy(arena, a);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) *mat_ref(sum, i, j) += *mat_ref(b, i, j);
    return sum;
}

// w (dw − mean), key by key.
static Mat softmax_with(Arena *arena, Mat dweights, Mat weights, float mean)
{
    Mat ds = mat_new(arena, 1, weights.cols);
    for (int j = 0; j < weights.cols; j++) ds.at[j] = weights.at[j] * (dweights.at[j] - mean);
    return ds;
}

// The Jacobian's diagonal alone: w (1 − w) dw.
static Mat diagonal(Arena *arena, Mat dweights, Mat weights)
{
    Mat ds = mat_new(arena, 1, weights.cols);
    for (int j = 0; j < weights.cols; j++) ds.at[j] = weights.at[j] * (1.0f - weights.at[j]) * dweights.at[j];
    return ds;
}

// What the other weights take away, without what the score's own weight gives; or with its own share taken twice.
static Mat own_weight(Arena *arena, Mat dweights, Mat weights, float mean, bool twice)
{
    Mat ds = softmax_with(arena, dweights, weights, mean);
    for (int j = 0; j < weights.cols; j++) {
        float w = weights.at[j], dw = dweights.at[j];
        ds.at[j] -= (twice ? w : 1.0f - w) * w * dw;
    }
    return ds;
}

// The sum of all other keys, and its own term left as weights[j] dweights[j]: w dw − Σ over k ≠ j.
static Mat own_term_in_full(Arena *arena, Mat dweights, Mat weights, float mean)
{
    Mat ds = softmax_with(arena, dweights, weights, mean);
    for (int j = 0; j < weights.cols; j++) ds.at[j] += weights.at[j] * weights.at[j] * dweights.at[j];
    return ds;
}

// The Jacobian with a plus: what the other weights lose is added.
static Mat all_added(Arena *arena, Mat dweights, Mat weights, float mean)
{
    Mat ds = mat_new(arena, 1, weights.cols);
    for (int j = 0; j < weights.cols; j++) {
        float w = weights.at[j], dw = dweights.at[j];
        ds.at[j] = w * (1.0f - w) * dw + w * (mean - w * dw);
    }
    return ds;
}

// The mean as far as the loop has come.
static Mat running_mean(Arena *arena, Mat dweights, Mat weights)
{
    Mat ds = mat_new(arena, 1, weights.cols);
    float mean = 0.0f;
    for (int j = 0; j < weights.cols; j++) {
        mean += weights.at[j] * dweights.at[j];
        ds.at[j] = weights.at[j] * (dweights.at[j] - mean);
    }
    return ds;
}

// w (1 − w) (dw − mean), or w² (dw − mean): the own weight comes in once more.
static Mat weighted_again(Arena *arena, Mat dweights, Mat weights, float mean, bool other)
{
    Mat ds = softmax_with(arena, dweights, weights, mean);
    for (int j = 0; j < weights.cols; j++) ds.at[j] *= other ? 1.0f - weights.at[j] : weights.at[j];
    return ds;
}

// w dw − mean: what the brackets were for.
static Mat without_brackets(Arena *arena, Mat dweights, Mat weights, float mean)
{
    Mat ds = mat_new(arena, 1, weights.cols);
    for (int j = 0; j < weights.cols; j++) ds.at[j] = weights.at[j] * dweights.at[j] - mean;
    return ds;
}

// dw − mean: without the weight in front.
static Mat differences(Arena *arena, Mat dweights, float mean)
{
    Mat ds = mat_copy(arena, dweights);
    for (int j = 0; j < ds.cols; j++) ds.at[j] -= mean;
    return ds;
}

static Mat turned_round(Arena *arena, Mat m)
{
    Mat negative = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(negative, i, j) *= -1.0f;
    return negative;
}

static const char *sum_of_new(Arena *arena, Mat got, Mat before)
{
    if (fabs(mat_sum(got) - mat_sum(before)) < 1e-5)
        return "the new numbers sum to 0, as they must, but they are not these";
    return arena_format(arena,
                        "the new numbers sum to %.3g; raising all scores together moves nothing, so it should "
                        "be 0",
                        mat_sum(got) - mat_sum(before));
}

static void softmax_case(Judge *judge, int n)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)n);
    Mat weights = mat_new(arena, 1, n), dweights = mat_new(arena, 1, n), before = mat_new(arena, 1, n);
    random_normals(&random, weights);
    random_normals(&random, dweights);
    random_normals(&random, before);
    softmax(weights.at, weights.at, n);
    float mean = dot_product(weights.at, dweights.at, 1, n), plain = 0.0f;
    for (int j = 0; j < n; j++) plain += dweights.at[j] / (float)n;
    float count = (float)n;
    Mat ds = softmax_with(arena, dweights, weights, mean), got = output_with(judge, before);

    judge_trying(judge, "my_softmax_backward of %d weights", n);
    my_softmax_backward(got.at, dweights.at, weights.at, n);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = sum_of(arena, before, ds),
            .hints = { .property = sum_of_new(arena, got, before),
                       .question = "which dweights is better than the average, and how much is each key heard?",
                       .formula = "ds_j = w_j (dw_j - Σ w_k dw_k)" },
            .mistakes = {
                { "dscores is what it was: nothing has been added, or shares that cancel: the change of a weight counts by "
                  "the dweights of that same weight",
                  before },
                { "dscores held something already: add to it with +=", ds },
                { "a score moves every weight, not its own alone: the other weights are missing",
                  sum_of(arena, before, diagonal(arena, dweights, weights)) },
                { "the score moves its own weight, too, by weights[j] (1 - weights[j]): that part is missing",
                  sum_of(arena, before, own_weight(arena, dweights, weights, mean, false)) },
                { "the score's own weight is counted twice: by weights[j] (1 - weights[j]), and among the others again",
                  sum_of(arena, before, own_weight(arena, dweights, weights, mean, true)) },
                { "its own weight rises by weights[j] (1 - weights[j]), not by weights[j] alone",
                  sum_of(arena, before, own_term_in_full(arena, dweights, weights, mean)) },
                { "all dweights are taken away in full: each counts by weights[k] only",
                  sum_of(arena, before, softmax_with(arena, dweights, weights, plain * count)) },
                { "the mean is divided by n, but the weights sum to 1 already",
                  sum_of(arena, before, softmax_with(arena, dweights, weights, mean / count)) },
                { "the weight counts for the mean, too: weights[j] times all of the difference",
                  sum_of(arena, before, without_brackets(arena, dweights, weights, mean)) },
                { "the sign is turned round: where dweights is above the mean, the loss rises with the score",
                  sum_of(arena, before, softmax_with(arena, turned_round(arena, dweights), weights, -mean)) },
                { "what the other weights lose is added here; with a score its own weight rises, and the others fall",
                  sum_of(arena, before, all_added(arena, dweights, weights, mean)) },
                { "the mean is not complete when it is first used: all of the row goes into it before any score changes",
                  sum_of(arena, before, running_mean(arena, dweights, weights)) },
                { "the factor 1 - weights[j] is in the mean already: weights[j] times the difference is all",
                  sum_of(arena, before, weighted_again(arena, dweights, weights, mean, true)) },
                { "the weight in front counts once, not squared",
                  sum_of(arena, before, weighted_again(arena, dweights, weights, mean, false)) },
                { "the mean is of dweights, each in the share of its weight; here it is of the weights themselves",
                  sum_of(arena, before,
                         softmax_with(arena, dweights, weights, dot_product(weights.at, weights.at, 1, n))) },
                { "the mean is taken away, not added",
                  sum_of(arena, before, softmax_with(arena, dweights, weights, -mean)) },
                { "the weight in front is missing: weights[j] times the difference",
                  sum_of(arena, before, differences(arena, dweights, mean)) },
                { "the mean of dweights is missing",
                  sum_of(arena, before, softmax_with(arena, dweights, weights, 0.0f)) },
                { "the mean counts each dweights[k] by weights[k], not all alike",
                  sum_of(arena, before, softmax_with(arena, dweights, weights, plain)) } } });
}

// What a matrix gives to a reader who forgets its stride: rows end to end, from its first number on.
static Mat end_to_end(Mat m) { return (Mat){ m.at, m.rows, m.cols, m.cols }; }

static Mat transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

// `right` with its elements at (j, i), where the shape allows it; else a matrix that is no answer.
static Mat transposed_or_nothing(Arena *arena, Mat right)
{
    return right.rows == right.cols ? transposed(arena, right) : mat_new(arena, right.rows, right.cols);
}

// db by dot, with a column as its first list: that list is read with step 1, along a row. Of a, or else of dout.
static Mat column_comes_first(Arena *arena, Mat dout, Mat a, bool of_a)
{
    Mat db = mat_new(arena, a.cols, dout.cols);
    for (int l = 0; l < db.rows; l++)
        for (int j = 0; j < db.cols; j++)
            *mat_ref(db, l, j) = of_a ? dot_product(a.at + l, dout.at + j, dout.stride, a.rows)
                                      : dot_product(dout.at + j, a.at + l, a.stride, a.rows);
    return db;
}

// What was multiplied is taken for what it was multiplied with: dout goes to da with a, and to db with b.
static void factors_exchanged(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < a.cols; l++)
            for (int j = 0; j < b.cols; j++) {
                *mat_ref(da, i, l) += *mat_ref(dout, i, j) * *mat_ref(a, i, l);
                *mat_ref(db, l, j) += *mat_ref(dout, i, j) * *mat_ref(b, l, j);
            }
}

// Each share takes the place of the one before it, in da over j and in db over i: the last alone is left.
static void last_share(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    int i = a.rows - 1, j = b.cols - 1;
    for (int l = 0; l < a.cols; l++) {
        for (int r = 0; r < a.rows; r++) *mat_ref(da, r, l) = *mat_ref(dout, r, j) * *mat_ref(b, l, j);
        for (int c = 0; c < b.cols; c++) *mat_ref(db, l, c) = *mat_ref(dout, i, c) * *mat_ref(a, i, l);
    }
}

// The other factor alone, without what the loss says of out.
static void without_dout(Mat da, Mat db, Mat a, Mat b)
{
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < a.cols; l++)
            for (int j = 0; j < b.cols; j++) {
                *mat_ref(da, i, l) += *mat_ref(b, l, j);
                *mat_ref(db, l, j) += *mat_ref(a, i, l);
            }
}

// Without the transpose, where the shapes allow it; else a matrix that is no answer.
static Mat product_or_nothing(Arena *arena, Mat a, Mat b, Mat like)
{
    Mat product = mat_new(arena, like.rows, like.cols);
    if (a.cols == b.rows && a.rows == like.rows && b.cols == like.cols) matmul(product, a, b);
    return product;
}

static void product_case(Judge *judge, int m, int k, int n)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * m + 10 * k + n));
    Mat a = random_view(arena, &random, m, k), b = random_view(arena, &random, k, n);
    Mat dout = random_view(arena, &random, m, n), before_a = mat_new(arena, m, k), before_b = mat_new(arena, k, n);
    random_normals(&random, before_a);
    random_normals(&random, before_b);
    Mat da = mat_new(arena, m, k), db = mat_new(arena, k, n);
    Mat stride_a = mat_new(arena, m, k), stride_b = mat_new(arena, k, n);
    backward_matmul(da, db, dout, a, b);
    backward_matmul(stride_a, stride_b, end_to_end(dout), end_to_end(a), end_to_end(b));
    Mat factor_a = mat_new(arena, m, k), factor_b = mat_new(arena, k, n);
    backward_matmul(factor_a, factor_b, dout, end_to_end(a), end_to_end(b));
    Mat bare_a = mat_new(arena, m, k), bare_b = mat_new(arena, k, n);
    without_dout(bare_a, bare_b, a, b);
    Mat got_a = output_with(judge, before_a), got_b = output_with(judge, before_b);
    Mat of_a = mat_new(arena, m, k), of_b = mat_new(arena, k, n);
    factors_exchanged(of_a, of_b, dout, a, b);
    Mat last_a = mat_new(arena, m, k), last_b = mat_new(arena, k, n);
    last_share(last_a, last_b, dout, a, b);

    judge_trying(judge, "my_matmul_backward of (%d, %d) times (%d, %d): da", m, k, k, n);
    my_matmul_backward(got_a, got_b, dout, a, b);
    judge_answer(
        judge,
        (Answer){
            .got = got_a,
            .expected = sum_of(arena, before_a, da),
            .hints = { .property = "one more in a[i][l] changes row i of out, and nothing else",
                       .question =
                           "by how much does out[i][j] rise with a[i][l], and what does the loss say of out[i][j]?",
                       .formula = "da = dout bᵀ" },
            .mistakes = {
                { "nothing has been added to da", before_a },
                { "da held something already: add to it with +=", da },
                { "the sign is turned round: what is added to da must be dout bᵀ itself",
                  sum_of(arena, before_a, turned_round(arena, da)) },
                { "here a meets itself: how fast a product rises with a is what a is multiplied with",
                  sum_of(arena, before_a, of_a) },
                { "the shares of all j are added with +=; here the last j alone is left", last_a },
                { "da is transposed: element (i, l) belongs to a[i][l]",
                  sum_of(arena, before_a, transposed_or_nothing(arena, da)) },
                { "this is dout b; it must be dout bᵀ",
                  sum_of(arena, before_a, product_or_nothing(arena, dout, b, da)) },
                { "what the loss says of out is missing: each b[l][j] counts by dout[i][j]",
                  sum_of(arena, before_a, bare_a) },
                { "b is a view: a row begins at mat_row(b, l)", sum_of(arena, before_a, factor_a) },
                { "a, b and dout are views: a row begins at mat_row(m, i)", sum_of(arena, before_a, stride_a) } } });
    judge_trying(judge, "my_matmul_backward of (%d, %d) times (%d, %d): db", m, k, k, n);
    judge_answer(
        judge,
        (Answer){
            .got = got_b,
            .expected = sum_of(arena, before_b, db),
            .hints = { .property = "one more in b[l][j] changes column j of out, and nothing else",
                       .question =
                           "by how much does out[i][j] rise with b[l][j], and what does the loss say of out[i][j]?",
                       .formula = "db = aᵀ dout" },
            .mistakes = {
                { "nothing has been added to db", before_b },
                { "db held something already: add to it with +=", db },
                { "the sign is turned round: what is added to db must be aᵀ dout itself",
                  sum_of(arena, before_b, turned_round(arena, db)) },
                { "here b meets itself: how fast a product rises with b is what b is multiplied with",
                  sum_of(arena, before_b, of_b) },
                { "the shares of all i are added with +=; here the last i alone is left", last_b },
                { "db is transposed: element (l, j) belongs to b[l][j]",
                  sum_of(arena, before_b, transposed_or_nothing(arena, db)) },
                { "dot's first list has step 1: a column of a is not one",
                  sum_of(arena, before_b, column_comes_first(arena, dout, a, true)) },
                { "dot's first list has step 1: a column of dout is not one",
                  sum_of(arena, before_b, column_comes_first(arena, dout, a, false)) },
                { "this is a dout; it must be aᵀ dout",
                  sum_of(arena, before_b, product_or_nothing(arena, a, dout, db)) },
                { "this is dout aᵀ; it must be aᵀ dout",
                  sum_of(arena, before_b, product_or_nothing(arena, dout, transposed(arena, a), db)) },
                { "what the loss says of out is missing: each a[i][l] counts by dout[i][j]",
                  sum_of(arena, before_b, bare_b) },
                { "a is a view: a row begins at mat_row(a, i)", sum_of(arena, before_b, factor_b) },
                { "a, b and dout are views: a row begins at mat_row(m, i)", sum_of(arena, before_b, stride_b) } } });
}

static void check(Judge *judge)
{
    softmax_case(judge, 3);
    softmax_case(judge, 1);
    softmax_case(judge, 12);
    product_case(judge, 1, 1, 1);
    product_case(judge, 3, 3, 3);
    product_case(judge, 2, 4, 3);
    product_case(judge, 5, 1, 2);
}

int main(void) { return judge_main("08a", check); }
