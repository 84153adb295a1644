// Exercise 01a: my_dot and my_scores.
#include "attention/dot_product.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

float my_dot(const float *a, const float *b, int n);
void my_scores(Mat scores, Mat q, Mat k);

static Mat number(Judge *judge, double value) { return mat_of(judge->arena, 1, 1, (float[]){ (float)value }); }

// a and b hold n numbers and one more behind them, which is not to be read. With the numbers of the lists below, no
// two mistakes that come so far have the same result, but for those on an empty list: there only what is read too far
// shows.
static void dot_of(Judge *judge, const char *which, int n, const float *a, const float *b)
{
    double sums = 0.0, all = 1.0, all_but_last = 0.0, all_but_first = 0.0, right = (double)dot_product(a, b, 1, n);
    double a_sum = 0.0, b_sum = 0.0, sizes = 0.0, whole = 0.0, norms = (double)(vector_norm(a, n) * vector_norm(b, n));
    double backwards = 0.0, above = 0.0, apart = 0.0, largest = 0.0, by_first = 0.0, cut_off = 0.0, until_below = 0.0;
    bool below = false;
    for (int k = 0; k < n; k++) {
        double product = (double)a[k] * (double)b[k];
        sums += (double)a[k] + (double)b[k];
        a_sum += (double)a[k];
        b_sum += (double)b[k];
        sizes += fabs(product);
        above += fmax(product, 0.0);
        apart += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
        backwards += (double)a[k] * (double)b[n - 1 - k];
        largest = fmax(largest, product);
        by_first += (double)a[0] * (double)b[k];
        cut_off += trunc((double)a[k]) * trunc((double)b[k]);
        until_below += below ? 0.0 : product;
        below = below || product < 0.0;
        whole = trunc(whole + product);
        all *= product;
        all_but_last += k < n - 1 ? product : 0.0;
        all_but_first += k > 0 ? product : 0.0;
    }
    double last = n ? (double)a[n - 1] * (double)b[n - 1] : 0.0, one_more = right + (double)a[n] * (double)b[n];
    judge_trying(judge, "my_dot of %s", which);
    judge_answer(judge,
                 (Answer){
                     .got = number(judge, (double)my_dot(a, b, n)),
                     .expected = number(judge, right),
                     .hints = { .question = "for two lists of two numbers, which two products are added?",
                                .formula = "a · b = Σₖ aₖ bₖ, over all k from 0 to n − 1" },
                     .mistakes = {
                         { "the sum is still 0: my_dot is still the stub, or adds nothing", number(judge, 0.0) },
                         { "what stands side by side is multiplied, not added", number(judge, sums) },
                         { "the products are added up, not multiplied", number(judge, all) },
                         { "only the last product is left: add to the sum, do not replace it", number(judge, last) },
                         { "the last product is missing: indices run from 0 to n - 1", number(judge, all_but_last) },
                         { "the first product is missing: indices begin at 0", number(judge, all_but_first) },
                         { "this is the mean: a dot product is not divided by n", number(judge, right / n) },
                         { "the root belongs to the norm: a dot product has none", number(judge, sqrt(fabs(right))) },
                         { "this is the cosine: a dot product is not divided by the norms",
                           number(judge, right / norms) },
                         { "every number of a meets every number of b: only those in the same place are multiplied",
                           number(judge, a_sum * b_sum) },
                         { "one product too many: behind index n - 1 nothing belongs to the lists",
                           number(judge, one_more) },
                         { "this runs from 1 to n: indices run from 0 to n - 1",
                           number(judge, all_but_first + (double)a[n] * (double)b[n]) },
                         { "only the first product is there: when does the function return?",
                           number(judge, (double)a[0] * (double)b[0]) },
                         { "the second list runs backwards: what stands in the same place is multiplied",
                           number(judge, backwards) },
                         { "this is a · a: the second list is never read",
                           number(judge, (double)dot_product(a, a, 1, n)) },
                         { "this is b · b: the first list is never read",
                           number(judge, (double)dot_product(b, b, 1, n)) },
                         { "the sum begins at 1: what is the sum of no products?", number(judge, right + 1.0) },
                         { "a dot product may be below 0: it keeps its sign", number(judge, fabs(right)) },
                         { "the products are added to the sum, not taken away", number(judge, -right) },
                         { "this is |a - b|², the square of how far apart the tips are", number(judge, apart) },
                         { "the products below 0 are left out", number(judge, above) },
                         { "products below 0 keep their sign", number(judge, sizes) },
                         { "what stands behind the point is lost: is the sum a float?", number(judge, whole) },
                         { "what stands behind the point is lost: are the factors floats?", number(judge, cut_off) },
                         { "only the largest product is left: all of them are added", number(judge, largest) },
                         { "every number of b meets the first one of a: which index has a?", number(judge, by_first) },
                         { "a product below 0 ends nothing: those behind it count, too", number(judge, until_below) },
                         { "this is a shadow of a on b: a dot product is not divided by a norm",
                           number(judge, right / (double)vector_norm(b, n)) },
                         { "this is a shadow of b on a: a dot product is not divided by a norm",
                           number(judge, right / (double)vector_norm(a, n)) } } });
}

// Row i of q against row j of k, where a row is taken to begin at i · cols.
static Mat end_to_end(Judge *judge, Mat q, Mat k)
{
    Mat scores = mat_new(judge->arena, q.rows, k.rows);
    matmul_transposed(scores, (Mat){ q.at, q.rows, q.cols, q.cols }, (Mat){ k.at, k.rows, k.cols, k.cols });
    return scores;
}

// q k as one multiplies matrices, where its shapes fit; else what is right.
static Mat by_columns(Judge *judge, Mat q, Mat k, Mat right)
{
    if (q.cols != k.rows || k.rows != k.cols) return right;
    Mat scores = mat_new(judge->arena, q.rows, k.cols);
    matmul(scores, q, k);
    return scores;
}

// The right scores, each divided: by √d, or by both norms.
static Mat divided(Judge *judge, Mat q, Mat k, Mat right, bool norms)
{
    Mat scores = mat_copy(judge->arena, right);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) = norms ? cosine_similarity(mat_row(q, i), mat_row(k, j), q.cols)
                                           : *mat_ref(right, i, j) / sqrtf((float)q.cols);
    return scores;
}

// Row i of q against row i of k in every column, where k has such a row; or every product cut off at q.rows numbers.
static Mat misread(Judge *judge, Mat q, Mat k, Mat right, bool cut)
{
    Mat scores = mat_copy(judge->arena, right);
    int width = cut && q.rows < q.cols ? q.rows : q.cols;
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) = dot_product(mat_row(q, i), mat_row(k, cut || i >= k.rows ? j : i), 1, width);
    return scores;
}

// Row i of q against row j of q, where there is one; or the last product of each score alone.
static Mat unread(Judge *judge, Mat q, Mat k, Mat right, bool last)
{
    Mat scores = mat_copy(judge->arena, right);
    int end = q.cols - 1;
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) = last ? *mat_ref(q, i, end) * *mat_ref(k, j, end)
                                          : dot_product(mat_row(q, i), mat_row(j < q.rows ? q : k, j), 1, q.cols);
    return scores;
}

// What a sum gives that is not set back to 0 for each score, but for each row, or never: all products so far.
static Mat not_set_back(Judge *judge, Mat right, bool for_each_row)
{
    Mat scores = mat_copy(judge->arena, right);
    float sum = 0.0f;
    for (int i = 0; i < right.rows; i++)
        for (int j = 0; j < right.cols; j++)
            *mat_ref(scores, i, j) = sum = (for_each_row && j == 0 ? 0.0f : sum) + *mat_ref(right, i, j);
    return scores;
}

// Half of the table, and in the other half what stands across the diagonal.
static Mat mirrored(Judge *judge, Mat right, bool lower)
{
    Mat scores = mat_copy(judge->arena, right);
    for (int i = 0; i < right.rows && right.rows == right.cols; i++)
        for (int j = 0; j < i; j++)
            *mat_ref(scores, lower ? j : i, lower ? i : j) = *mat_ref(right, lower ? i : j, lower ? j : i);
    return scores;
}

// Row i of q against numbers that are k.stride apart, from the beginning of row j on: below k stand others.
static Mat down_from(Judge *judge, Mat q, Mat k)
{
    Mat scores = mat_new(judge->arena, q.rows, k.rows);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) = dot_product(mat_row(q, i), mat_row(k, j), k.stride, q.cols);
    return scores;
}

// Without the products of one column; or column i of q against column j of k, where there are such.
static Mat without_column(Judge *judge, Mat q, Mat k, Mat right, int column)
{
    Mat scores = mat_copy(judge->arena, right);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) *mat_ref(scores, i, j) -= *mat_ref(q, i, column) * *mat_ref(k, j, column);
    return scores;
}

static Mat columns_meet(Judge *judge, Mat q, Mat k, Mat right)
{
    Mat scores = mat_copy(judge->arena, right);
    for (int i = 0; i < q.rows && q.rows == q.cols && k.rows == q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            float sum = 0.0f;
            for (int c = 0; c < q.rows; c++) sum += *mat_ref(q, c, i) * *mat_ref(k, c, j);
            *mat_ref(scores, i, j) = sum;
        }
    return scores;
}

// Rows that are taken to be `width` numbers wide. What stands behind them is there to be read: other columns, and
// below the last row others.
static Mat as_wide_as(Judge *judge, Mat q, Mat k, int width)
{
    Mat scores = mat_new(judge->arena, q.rows, k.rows);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) *mat_ref(scores, i, j) = dot_product(mat_row(q, i), mat_row(k, j), 1, width);
    return scores;
}

// Is an element still NaN? Then nothing was written there, or something was added to what stood there.
static bool unfinished(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (isnan(*mat_ref(m, i, j))) return true;
    return false;
}

// Is anything written in the columns left and right of the scores? They belong to a wider matrix.
static bool written_beside(Mat wide)
{
    for (int i = 0; i < wide.rows; i++)
        if (!isnan(*mat_ref(wide, i, 0)) || !isnan(*mat_ref(wide, i, wide.cols - 1))) return true;
    return false;
}

static Mat turned(Judge *judge, Mat right)
{
    if (right.rows != right.cols) return right;
    Mat scores = mat_new(judge->arena, right.rows, right.cols);
    for (int i = 0; i < right.rows; i++)
        for (int j = 0; j < right.cols; j++) *mat_ref(scores, j, i) = *mat_ref(right, i, j);
    return scores;
}

// Scores of T random queries and S random keys, read from the middle of wider matrices: strides count.
static void scores_of(Judge *judge, int T, int S, int d)
{
    Random random = random_from(1);
    Mat wide_q = mat_new(judge->arena, T + 1, d + 3), wide_k = mat_new(judge->arena, S + d, d + 2);
    random_normals(&random, wide_q);
    random_normals(&random, wide_k);
    Mat q = mat_block(wide_q, 0, T, 1, d), k = mat_block(wide_k, 0, S, 2, d), right = mat_new(judge->arena, T, S);
    Mat wide = judge_output(judge, T, S + 2), got = mat_cols(wide, 1, S);
    matmul_transposed(right, q, k);
    judge_trying(judge, "my_scores of q (%d, %d) and k (%d, %d)", T, d, S, d);
    my_scores(got, q, k);
    bool beside = written_beside(wide), open = unfinished(got);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = beside ? "it writes beside the scores, which are columns of a wider matrix" : NULL,
                       .question =
                           beside ? "how far apart do two rows of such a matrix begin: cols floats, or stride?"
                           : open ? "how far do i and j run, and what is an element before anything is added to it?"
                                  : "which row of q and which row of k meet in the first element that is wrong?",
                       .formula = "scoresᵢⱼ = Σ over c of qᵢc · kⱼc" },
            .mistakes = {
                { "rows are stride floats apart, not cols: use mat_row or mat_ref", end_to_end(judge, q, k) },
                { "this is q k, rows times columns: here rows of q meet rows of k", by_columns(judge, q, k, right) },
                { "i and j are swapped: rows are queries, columns are keys", turned(judge, right) },
                { "this is divided by √d: that comes in chapter 03", divided(judge, q, k, right, false) },
                { "these are cosines: a dot product is not divided by the norms", divided(judge, q, k, right, true) },
                { "row i of q meets row i of k in every column", misread(judge, q, k, right, false) },
                { "rows of q meet rows of q: k is not read", unread(judge, q, k, right, false) },
                { "only the last product of each score is left: add, do not replace",
                  unread(judge, q, k, right, true) },
                { "a row is cols numbers wide, not rows", misread(judge, q, k, right, true) },
                { "a row is cols numbers wide, not rows", S <= d + 2 ? as_wide_as(judge, q, k, S) : right },
                { "a row is cols numbers wide: stride is how far apart two rows begin",
                  as_wide_as(judge, q, k, q.stride) },
                { "a row is cols numbers wide: stride is how far apart two rows begin",
                  as_wide_as(judge, q, k, k.stride) },
                { "each score begins at 0: this sum is never set back", not_set_back(judge, right, false) },
                { "each score begins at 0: this sum is set back once a row", not_set_back(judge, right, true) },
                { "half of this is a mirror image: where q is not k, (i, j) and (j, i) differ",
                  mirrored(judge, right, true) },
                { "half of this is a mirror image: where q is not k, (i, j) and (j, i) differ",
                  mirrored(judge, right, false) },
                { "b_step is 1 here: the numbers of a row of k stand side by side", down_from(judge, q, k) },
                { "the first product of each score is missing", without_column(judge, q, k, right, 0) },
                { "the last product of each score is missing", without_column(judge, q, k, right, d - 1) },
                { "columns of q meet columns of k: here rows of q meet rows of k",
                  columns_meet(judge, q, k, right) } } });
    judge_claim(judge, !beside,
                (Hints){
                    .property =
                        "the scores are right, and something is written beside them, where others have their numbers",
                    .question = "how far does j run?" });
}

static void check(Judge *judge)
{
    dot_of(judge, "(2, 4, 3) and (1, 5, 6)", 3, (float[]){ 2, 4, 3, 7 }, (float[]){ 1, 5, 6, 7 });
    dot_of(judge, "(1, -2, 1.5, -2) and (1.5, 5, 2.5, 1)", 4, (float[]){ 1, -2, 1.5f, -2, 7 },
           (float[]){ 1.5f, 5, 2.5f, 1, 7 });
    dot_of(judge, "two lists of no numbers", 0, (float[]){ 7 }, (float[]){ 7 });
    scores_of(judge, 3, 3, 3);
    scores_of(judge, 2, 5, 3);
    scores_of(judge, 1, 1, 2);
    scores_of(judge, 12, 7, 12);
}

int main(void) { return judge_main("01a", check); }
