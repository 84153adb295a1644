// Exercise 03a: my_scaled_scores and my_look_up.
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/random.h"
#include "exercises/judge.h"
#include "lesson/matrices.h"

#include <math.h>

void my_scaled_scores(Mat scores, Mat q, Mat k);
void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v);

// A view of a wider and taller matrix: who takes the rows to lie end to end reads the wrong numbers, and who reads down
// where he should read on finds numbers, too.
static Mat random_view(Arena *arena, Random *random, int rows, int cols)
{
    Mat wide = mat_new(arena, rows + cols, cols + 3);
    random_normals(random, wide);
    return mat_block(wide, 0, rows, 1, cols);
}

// q kᵀ · scale.
static Mat scores_of(Arena *arena, Mat q, Mat k, float scale)
{
    Mat scores = mat_new(arena, q.rows, k.rows);
    matmul_transposed(scores, q, k);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    return scores;
}

static Mat weights_of(Arena *arena, Mat q, Mat k, float scale)
{
    Mat weights = scores_of(arena, q, k, scale);
    softmax_rows(weights, weights);
    return weights;
}

static Mat mixed(Arena *arena, Mat weights, Mat v)
{
    Mat out = mat_new(arena, weights.rows, v.cols);
    matmul(out, weights, v);
    return out;
}

static Mat scaled_by(Arena *arena, Mat m, float factor)
{
    Mat scaled = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(scaled, i, j) *= factor;
    return scaled;
}

// What a matrix gives to a reader who forgets its stride: rows end to end, from its first number on.
static Mat end_to_end(Mat m) { return (Mat){ m.at, m.rows, m.cols, m.cols }; }

// q k as one multiplies matrices, and the right scores turned over their diagonal, where the shapes allow it.
static Mat by_columns(Arena *arena, Mat q, Mat k, Mat right, float scale)
{
    if (q.cols != k.rows || k.rows != k.cols) return right;
    Mat scores = mat_new(arena, q.rows, k.cols);
    matmul(scores, q, k);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    return scores;
}

static Mat cosines(Arena *arena, Mat q, Mat k)
{
    Mat scores = mat_new(arena, q.rows, k.rows);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) = cosine_similarity(mat_row(q, i), mat_row(k, j), q.cols);
    return scores;
}

static Mat turned(Arena *arena, Mat right)
{
    if (right.rows != right.cols) return right;
    Mat scores = mat_new(arena, right.rows, right.cols);
    for (int i = 0; i < right.rows; i++)
        for (int j = 0; j < right.cols; j++) *mat_ref(scores, j, i) = *mat_ref(right, i, j);
    return scores;
}

// What a sum gives that is not set back to 0 for each score, but for each row, or never: all products so far.
static Mat not_set_back(Arena *arena, Mat right, bool for_each_row)
{
    Mat scores = mat_copy(arena, right);
    float sum = 0.0f;
    for (int i = 0; i < right.rows; i++)
        for (int j = 0; j < right.cols; j++)
            *mat_ref(scores, i, j) = sum = (for_each_row && j == 0 ? 0.0f : sum) + *mat_ref(right, i, j);
    return scores;
}

// Half of the table, and in the other half what stands across the diagonal.
static Mat mirrored(Arena *arena, Mat right, bool lower)
{
    Mat scores = mat_copy(arena, right);
    for (int i = 0; i < right.rows && right.rows == right.cols; i++)
        for (int j = 0; j < i; j++)
            *mat_ref(scores, lower ? j : i, lower ? i : j) = *mat_ref(right, lower ? i : j, lower ? j : i);
    return scores;
}

// Row i of q against numbers that are k.stride apart, from the beginning of row j on: below k stand others.
static Mat down_from(Arena *arena, Mat q, Mat k, float scale)
{
    Mat scores = mat_new(arena, q.rows, k.rows);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) = dot_product(mat_row(q, i), mat_row(k, j), k.stride, q.cols) * scale;
    return scores;
}

// Without the products of one column.
static Mat without_column(Arena *arena, Mat q, Mat k, Mat right, int column)
{
    Mat scores = mat_copy(arena, right);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            *mat_ref(scores, i, j) -= *mat_ref(q, i, column) * *mat_ref(k, j, column) / sqrtf((float)q.cols);
    return scores;
}

// Row i of q against row i of k in every column, where k has such a row.
static Mat side_by_side(Arena *arena, Mat right)
{
    Mat scores = mat_copy(arena, right);
    for (int i = 0; i < right.rows && i < right.cols; i++)
        for (int j = 0; j < right.cols; j++) *mat_ref(scores, i, j) = *mat_ref(right, i, i);
    return scores;
}

// The roots of the scores, NaN where they are below 0.
static Mat roots(Arena *arena, Mat q, Mat k)
{
    Mat scores = scores_of(arena, q, k, 1.0f);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) = sqrtf(*mat_ref(scores, i, j));
    return scores;
}

// Divided after every product, and not once after the last.
static Mat divided_inside(Arena *arena, Mat q, Mat k)
{
    Mat scores = mat_new(arena, q.rows, k.rows);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            float sum = 0.0f;
            for (int c = 0; c < q.cols; c++) sum = (sum + *mat_ref(q, i, c) * *mat_ref(k, j, c)) / sqrtf((float)q.cols);
            *mat_ref(scores, i, j) = sum;
        }
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

static void must_be_left(Judge *judge, const char *name, Mat before, Mat after)
{
    judge_claim(judge, mat_equal(before, after),
                (Hints){ .property =
                             arena_format(judge->arena,
                                          "afterwards %s is no longer what it was, and it is the caller's", name),
                         .question = "where else can the scale go than into what is given?" });
}

static void scores_case(Judge *judge, int T, int S, int d)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * T + 10 * S + d));
    Mat q = random_view(arena, &random, T, d), k = random_view(arena, &random, S, d);
    Mat expected = mat_new(arena, T, S), got = judge_output(judge, T, S);
    Mat q_was = mat_copy(arena, q), k_was = mat_copy(arena, k);
    float scale = 1.0f / sqrtf((float)d);
    attention_scores(expected, q, k, (Mask){ 0 });
    judge_trying(judge, "my_scaled_scores of %d queries and %d keys, d = %d", T, S, d);
    my_scaled_scores(got, q, k);
    must_be_left(judge, "q", q_was, q);
    must_be_left(judge, "k", k_was, k);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = expected,
            .hints = { .question =
                           unfinished(got)
                               ? "how far do i and j run, and what is an element before anything is added to it?"
                               : "which two rows meet in the first wrong element, and of how many products is it the sum?",
                       .formula = "scoresᵢⱼ = Σ over c of qᵢc · kⱼc, divided by √d" },
            .mistakes = {
                { "divide every score by sqrt(d)", scores_of(arena, q, k, 1.0f) },
                { "this is q k, rows times columns: here rows of q meet rows of k",
                  by_columns(arena, q, k, expected, scale) },
                { "this is q k, rows times columns: here rows of q meet rows of k",
                  by_columns(arena, q, k, expected, 1.0f) },
                { "these are weights already: the scores are asked for, before the softmax",
                  weights_of(arena, q, k, scale) },
                { "these are weights already: the scores are asked for, before the softmax",
                  weights_of(arena, q, k, 1.0f) },
                { "these are weights already: the scores are asked for, before the softmax",
                  scaled_by(arena, weights_of(arena, q, k, 1.0f), scale) },
                { "these are cosines: divide by sqrt(d), not by the norms", cosines(arena, q, k) },
                { "i and j are swapped: rows are queries, columns are keys", turned(arena, expected) },
                { "divide once by the square root of d, not by d, and not twice",
                  scores_of(arena, q, k, 1.0f / (float)d) },
                { "the square root of d need not be whole: is it kept in an int?",
                  scores_of(arena, q, k, 1.0f / floorf(sqrtf((float)d))) },
                { "d is the number of columns of q, not of its rows", scores_of(arena, q, k, 1.0f / sqrtf((float)T)) },
                { "d is the number of columns of k, not of its rows", scores_of(arena, q, k, 1.0f / sqrtf((float)S)) },
                { "divide by sqrt(d), do not multiply", scores_of(arena, q, k, sqrtf((float)d)) },
                { "all scores are 0: is something worked out in whole numbers?", scores_of(arena, q, k, 0.0f) },
                { "d is how wide a row is: stride is how far apart two rows begin",
                  scores_of(arena, q, k, 1.0f / sqrtf((float)q.stride)) },
                { "the root is that of d, not of the score", roots(arena, q, k) },
                { "divide by the root of d: d * d, or twice by d, is far too much",
                  scores_of(arena, q, k, 1.0f / (float)(d * d)) },
                { "d / 2 is not the root of d", scores_of(arena, q, k, 2.0f / (float)d) },
                { "each score begins at 0: this sum is never set back", not_set_back(arena, expected, false) },
                { "each score begins at 0: this sum is set back once a row", not_set_back(arena, expected, true) },
                { "half of this is a mirror image: where q is not k, (i, j) and (j, i) differ",
                  mirrored(arena, expected, true) },
                { "half of this is a mirror image: where q is not k, (i, j) and (j, i) differ",
                  mirrored(arena, expected, false) },
                { "b_step is 1 here: the numbers of a row of k stand side by side", down_from(arena, q, k, scale) },
                { "the first product of each score is missing", without_column(arena, q, k, expected, 0) },
                { "the last product of each score is missing", without_column(arena, q, k, expected, d - 1) },
                { "row i of q meets row i of k in every column", side_by_side(arena, expected) },
                { "divide once, after the last product", divided_inside(arena, q, k) },
                { "rows of q meet rows of q: k is not read", scores_of(arena, q, T == S ? q : k, scale) },
                { "q and k are views: a row begins at mat_row(q, i), not at q.at + i * q.cols",
                  scores_of(arena, end_to_end(q), end_to_end(k), scale) } } });
}

// The value of the key with the largest weight: a hard look-up.
static Mat hardest(Arena *arena, Mat weights, Mat v)
{
    int best = 0;
    for (int j = 1; j < weights.cols; j++)
        if (weights.at[j] > weights.at[best]) best = j;
    return mat_copy(arena, mat_rows(v, best, 1));
}

static Mat evenly(Arena *arena, int count, float weight)
{
    Mat weights = mat_new(arena, 1, count);
    mat_fill(weights, weight);
    return weights;
}

// The exponentials of the scores, or all the weight for the best key.
static Mat not_divided(Arena *arena, Mat scores)
{
    Mat weights = mat_copy(arena, scores);
    for (int j = 0; j < scores.cols; j++) weights.at[j] = expf(weights.at[j]);
    return weights;
}

static Mat all_or_nothing(Arena *arena, Mat weights)
{
    Mat hard = mat_new(arena, 1, weights.cols);
    hard.at[mat_argmax(weights, 0)] = 1.0f;
    return hard;
}

static Mat softened(Arena *arena, Mat row)
{
    Mat weights = mat_copy(arena, row);
    softmax_rows(weights, weights);
    return weights;
}

static void weights_judged(Judge *judge, Mat got, Mat q, Mat k, int dv)
{
    Arena *arena = judge->arena;
    int d = q.cols;
    float scale = 1.0f / sqrtf((float)d);
    bool sums_to_1 = fabs(mat_sum(got) - 1.0) < 1e-3;
    Mat first_d = scores_of(arena, q, k, scale), scores = scores_of(arena, q, k, scale);
    Mat right = weights_of(arena, q, k, scale);
    softmax(first_d.at, first_d.at, d < k.rows ? d : k.rows);
    judge_trying(judge, "my_look_up among %d keys, d = %d: the weights", k.rows, d);
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = right,
                     .hints = { .property = sums_to_1
                                                ? "the weights sum to 1, as they must, but the shares are not right"
                                                : arena_format(arena, "the weights sum to %.4g", mat_sum(got)),
                                .question = "what are the scores of this query, before the softmax?",
                                .formula = "weights = softmax of query · keyⱼ / √d, over all j" },
                     .mistakes = {
                         { "divide the scores by sqrt(d) before the softmax", weights_of(arena, q, k, 1.0f) },
                         { "these are the scores: softmax makes weights of them", scores },
                         { "these are shares of the scores: softmax has shares of their exponentials",
                           scaled_by(arena, scores, 1.0f / (float)mat_sum(scores)) },
                         { "these are the exponentials: each is divided by the sum of them all",
                           not_divided(arena, scores) },
                         { "the best key takes all here: in a soft look-up every key gets a share",
                           all_or_nothing(arena, right) },
                         { "the weights have gone through softmax once more", softened(arena, right) },
                         { "these scores are cosines: divide by sqrt(d), not by the norms",
                           softened(arena, cosines(arena, q, k)) },
                         { "b_step is 1 here: the numbers of a key stand side by side",
                           softened(arena, down_from(arena, q, k, scale)) },
                         { "the softmax goes over all keys, not over d of them", first_d },
                         { "k is a view: its row j begins at mat_row(k, j)",
                           weights_of(arena, q, end_to_end(k), scale) },
                         { "d is how wide a key is, not how many keys there are",
                           weights_of(arena, q, k, 1.0f / sqrtf((float)k.rows)) },
                         { "the scale belongs to the scores: after the softmax it is too late",
                           scaled_by(arena, weights_of(arena, q, k, 1.0f), scale) },
                         { "divide by sqrt(d), do not multiply", weights_of(arena, q, k, sqrtf((float)d)) },
                         { "d is how wide a key is, not a value", weights_of(arena, q, k, 1.0f / sqrtf((float)dv)) },
                         { "divide once by the square root of d, not by d, and not twice",
                           weights_of(arena, q, k, 1.0f / (float)d) } } });
}

// The weights against numbers that stand side by side, from column c of row 0 on.
static Mat along_rows(Arena *arena, Mat weights, Mat v)
{
    Mat out = mat_new(arena, 1, v.cols);
    for (int c = 0; c < v.cols; c++) out.at[c] = dot_product(weights.at, v.at + c, 1, weights.cols);
    return out;
}

static Mat first_numbers(Arena *arena, Mat row, int count)
{
    Mat out = mat_copy(arena, row);
    for (int c = count; c < row.cols; c++) out.at[c] = 0.0f;
    return out;
}

static void look_up_case(Judge *judge, int S, int d, int dv)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * S + 10 * d + dv));
    Mat q = random_view(arena, &random, 1, d), k = random_view(arena, &random, S, d);
    Mat v = random_view(arena, &random, S, dv), weights = judge_output(judge, 1, S), out = judge_output(judge, 1, dv);
    Mat shares = weights_of(arena, q, k, 1.0f / sqrtf((float)d)), right = mixed(arena, shares, v);
    Mat scores = scores_of(arena, q, k, 1.0f / sqrtf((float)d));
    judge_trying(judge, "my_look_up among %d keys, d = %d, dv = %d", S, d, dv);
    my_look_up(out.at, weights.at, q.at, k, v);
    judge_claim(judge, !unfinished(weights) || unfinished(out),
                (Hints){ .property = "the output is written and the weights are not: both are results" });
    weights_judged(judge, weights, q, k, dv);
    judge_trying(judge, "my_look_up among %d keys, d = %d, dv = %d: the output", S, d, dv);
    judge_claim(judge, !unfinished(out),
                (Hints){
                    .property =
                        "the weights are right; the output is not written everywhere, or is added to what stood there",
                    .question = "how far do the two indices run, and what is out[0] before anything is added to it?" });
    bool many = S > 1;
    judge_answer(judge,
                 (Answer){
                     .got = out,
                     .expected = right,
                     .hints = { .question = "what does key 0 add to out[0], and what key 1?",
                                .formula = "out = Σⱼ weightⱼ · valueⱼ, number by number" },
                     .mistakes = {
                         { "these are keys: what is handed over are the values",
                           d == dv ? mixed(arena, shares, k) : right },
                         { "the values are mixed by the weights, not by the scores", mixed(arena, scores, v) },
                         { "out is a sum over all keys: only the last one is left, so add instead of overwriting",
                           mixed(arena, mat_cols(shares, S - 1, 1), mat_rows(v, S - 1, 1)) },
                         { "this is the value of one key alone: a soft look-up takes something of each",
                           hardest(arena, shares, v) },
                         { "the values are added up without their weights", mixed(arena, evenly(arena, S, 1.0f), v) },
                         { "this is the plain mean: each value counts by its weight",
                           mixed(arena, evenly(arena, S, 1.0f / (float)S), v) },
                         { "the weights sum to 1: a mixture is not divided once more",
                           scaled_by(arena, right, 1.0f / (float)S) },
                         { "the scale belongs to the scores: the mixture is not divided by it",
                           scaled_by(arena, right, 1.0f / sqrtf((float)d)) },
                         { "key 0 is left out: indices begin at 0",
                           many ? mixed(arena, mat_cols(shares, 1, S - 1), mat_rows(v, 1, S - 1)) : right },
                         { "the last key is left out: indices run to S - 1",
                           many ? mixed(arena, mat_cols(shares, 0, S - 1), mat_rows(v, 0, S - 1)) : right },
                         { "v is a view: its row j begins at mat_row(v, j)", mixed(arena, shares, end_to_end(v)) },
                         { "b_step is v.stride here: the numbers of a column stand below each other",
                           along_rows(arena, shares, v) },
                         { "a value is dv numbers wide, a key d: the output has dv of them",
                           first_numbers(arena, right, d) } } });
}

static void check(Judge *judge)
{
    scores_case(judge, 5, 5, 5); // ⌊√5⌋ is 2: neither 1 nor √5
    scores_case(judge, 2, 3, 5);
    scores_case(judge, 1, 1, 4);
    scores_case(judge, 3, 2, 1);
    look_up_case(judge, 3, 4, 4);
    look_up_case(judge, 2, 3, 4);
    look_up_case(judge, 4, 5, 2);
    look_up_case(judge, 5, 2, 3);
    look_up_case(judge, 1, 2, 3);
}

int main(void) { return judge_main("03a", check); }
