// Exercise 04a: my_self_attention and my_received.
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "attention/softmax.h"
#include "base/random.h"
#include "exercises/judge.h"
#include "lesson/matrices.h"

#include <math.h>

void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena);
void my_received(float *received, Mat weights);

static Mat random_mat(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

static Mat transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

// softmax(q kᵀ · scale) v; with `columns`, the softmax runs down the columns.
static Mat attended(Arena *arena, Mat q, Mat k, Mat v, float scale, bool columns)
{
    Mat scores = mat_new(arena, q.rows, k.rows), out = mat_new(arena, q.rows, v.cols);
    matmul_transposed(scores, q, k);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    if (columns) scores = transposed(arena, scores);
    softmax_rows(scores, scores);
    if (columns) scores = transposed(arena, scores);
    matmul(out, scores, v);
    return out;
}

// softmax(q kᵀ) · scale, times v.
static Mat scaled_late(Arena *arena, HeadProjections p, float scale)
{
    Mat out = attended(arena, p.q, p.k, p.v, 1.0f, false);
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) *= scale;
    return out;
}

// q kᵀ · scale as weights, without a softmax.
static Mat unsoftened(Arena *arena, HeadProjections p, float scale)
{
    Mat scores = mat_new(arena, p.q.rows, p.k.rows), out = mat_new(arena, p.q.rows, p.v.cols);
    matmul_transposed(scores, p.q, p.k);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    matmul(out, scores, p.v);
    return out;
}

// q k, rows times columns, where the shapes allow it.
static Mat by_columns(Arena *arena, HeadProjections p, float scale, Mat right)
{
    if (p.q.cols != p.k.rows || p.k.rows != p.k.cols) return right;
    return attended(arena, p.q, transposed(arena, p.k), p.v, scale, false);
}

// softmax over the whole table of scores at once.
static Mat over_the_table(Arena *arena, HeadProjections p, float scale)
{
    Mat scores = mat_new(arena, p.q.rows, p.k.rows), out = mat_new(arena, p.q.rows, p.v.cols);
    matmul_transposed(scores, p.q, p.k);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    softmax(scores.at, scores.at, scores.rows * scores.cols);
    matmul(out, scores, p.v);
    return out;
}

// x wᵀ, where the shapes allow it.
static Mat turned(Arena *arena, Mat x, Mat w)
{
    Mat product = mat_new(arena, x.rows, w.rows);
    matmul_transposed(product, x, w);
    return product;
}

static Mat all_turned(Arena *arena, Mat x, HeadWeights w, float scale, Mat right)
{
    if (w.wq.rows != w.wq.cols || w.wv.rows != w.wv.cols) return right;
    return attended(arena, turned(arena, x, w.wq), turned(arena, x, w.wk), turned(arena, x, w.wv), scale, false);
}

// What else is done wrong now and then: tried only when none of the mistakes above gives what was got.
typedef struct {
    bool larger, by_dv, causal, twice, even, turned, undivided, others, hard, mean, cosines, whole_root, first_row;
} Oddity;

static Mat odd(Arena *arena, HeadProjections p, Oddity o)
{
    Mat w = mat_new(arena, p.q.rows, p.k.rows), out = mat_new(arena, p.q.rows, p.v.cols);
    float root = sqrtf((float)(o.by_dv ? p.v.cols : p.q.cols)), scale = o.even ? 0.0f : o.larger ? root : 1.0f / root;
    if (o.whole_root) scale = 1.0f / floorf(root);
    attention_scores(w, p.q, p.k, (Mask){ .scale = scale > 0.0f ? scale : 1.0f, .causal = o.causal });
    if (o.even) mat_fill(w, 0.0f);
    for (int i = 0; i < w.rows && o.others && w.rows > 1; i++) *mat_ref(w, i, i) = -INFINITY;
    for (int i = 0; i < w.rows && o.cosines; i++)
        for (int j = 0; j < w.cols; j++)
            *mat_ref(w, i, j) = cosine_similarity(mat_row(p.q, i), mat_row(p.k, j), p.q.cols);
    for (int i = 0; i < w.rows && o.undivided; i++)
        for (int j = 0; j < w.cols; j++) *mat_ref(w, i, j) = expf(*mat_ref(w, i, j));
    if (!o.undivided) softmax_rows(w, w);
    if (o.twice) softmax_rows(w, w);
    for (int i = 0; i < w.rows && (o.hard || o.first_row); i++) {
        int best = mat_argmax(w, i);
        if (o.first_row) mat_set(mat_rows(w, i, 1), mat_rows(w, 0, 1));
        for (int j = 0; j < w.cols && o.hard; j++) *mat_ref(w, i, j) = j == best ? 1.0f : 0.0f;
    }
    for (int i = 0; i < w.rows && o.mean; i++)
        for (int j = 0; j < w.cols; j++) *mat_ref(w, i, j) /= (float)w.cols;
    matmul(out, o.turned ? transposed(arena, w) : w, p.v);
    return out;
}

// v times the weights, where the shapes allow it.
static Mat other_way_round(Arena *arena, HeadProjections p, Mat right)
{
    Mat w = mat_new(arena, p.q.rows, p.k.rows), out = mat_new(arena, p.v.rows, w.cols);
    if (p.v.cols != w.rows) return right;
    attention_scores(w, p.q, p.k, (Mask){ 0 });
    softmax_rows(w, w);
    matmul(out, p.v, w);
    return out;
}

// An output is a mixture of the values: no number of it lies outside of its column of v.
static const char *out_of_the_values(Arena *arena, Mat got, Mat v)
{
    for (int i = 0; i < got.rows; i++)
        for (int c = 0; c < got.cols; c++) {
            float least = *mat_ref(v, 0, c), most = least, is = *mat_ref(got, i, c);
            for (int j = 1; j < v.rows; j++) {
                least = fminf(least, *mat_ref(v, j, c));
                most = fmaxf(most, *mat_ref(v, j, c));
            }
            if (isnan(is)) return arena_format(arena, "row %d, column %d of out has no number", i, c);
            if (is < least - 1e-5f || is > most + 1e-5f)
                return arena_format(arena,
                                    "column %d of v goes from %.3g to %.3g, and row %d of out has %.3g there: "
                                    "that is no mixture of values",
                                    c, (double)least, (double)most, i, (double)is);
        }
    return "every number lies among the values of its column, so it may be a mixture, but of other weights";
}

static const char *what_is_odd(Arena *arena, Mat got, HeadProjections p, Mat x, Mat right)
{
    static const struct {
        Oddity what;
        const char *words;
    } all[] = {
        { { .larger = true }, "the scores are multiplied by sqrt(d): they must be divided by it" },
        { { .by_dv = true }, "the scores are divided by the root of dv: d is how wide a query and a key are" },
        { { .causal = true }, "the later words are hidden: no mask was asked for" },
        { { .twice = true }, "the weights have gone through softmax once more" },
        { { .even = true }, "all weights are the same: do the scores reach the softmax, and is their scale a float?" },
        { { .turned = true },
          "the weights are right, and are turned round before they meet v: row i of them mixes the "
          "values for word i" },
        { { .others = true }, "a word hides itself here: it looks at itself, too" },
        { { .hard = true }, "each word takes the value of one word alone: of each it should take its share" },
        { { .mean = true }, "the weights sum to 1: a mixture is not divided once more" },
        { { .cosines = true }, "these scores are cosines: divide by sqrt(d), not by the norms" },
        { { .whole_root = true }, "the square root of d need not be whole: is it kept in an int?" },
        { { .first_row = true }, "all words receive what word 0 receives: which row of the weights mixes for word i?" },
        { { .undivided = true }, "these are exponentials times v: a row of weights sums to 1" },
    };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (mat_max_difference(got, odd(arena, p, all[n].what)) < 1e-5) return all[n].words;
    if (mat_max_difference(got, other_way_round(arena, p, right)) < 1e-5)
        return "this is v times the weights: the weights stand on the left, a row for each word";
    Mat rest = mat_copy(arena, got);
    for (int i = 0; i < got.rows; i++)
        for (int c = 0; c < got.cols && got.cols == x.cols; c++) *mat_ref(rest, i, c) -= *mat_ref(x, i, c);
    if (mat_max_difference(rest, right) < 1e-5) return "the word itself has been added to what it receives";
    rest = mat_copy(arena, got);
    for (int i = 0; i < got.rows; i++)
        for (int c = 0; c < got.cols; c++) *mat_ref(rest, i, c) -= *mat_ref(p.v, i, c);
    if (mat_max_difference(rest, right) < 1e-5) return "a word's own value has been added: it is in the sum already";
    return out_of_the_values(arena, got, p.v);
}

static void head_of(Judge *judge, int T, int D, int d, int dv)
{
    Random random = random_from((uint64_t)T);
    Arena *arena = judge->arena;
    Mat x = random_mat(arena, &random, T, D), got = judge_output(judge, T, dv), right = mat_new(arena, T, dv);
    HeadWeights w = { random_mat(arena, &random, D, d), random_mat(arena, &random, D, d),
                      random_mat(arena, &random, D, dv) };
    self_attention((Attended){ .out = right }, x, w, (Mask){ 0 });

    HeadProjections p = head_project(arena, x, x, w);
    float scale = 1.0f / sqrtf((float)d);
    judge_trying(judge, "my_self_attention of %d words, D = %d, d = %d, dv = %d", T, D, d, dv);
    my_self_attention(got, x, w, arena);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = what_is_odd(arena, got, p, x, right),
                       .question =
                           "of which shape is each matrix on the way, and which of them sum to 1 along which side?",
                       .formula = "Q = X Wq, K = X Wk, V = X Wv, out = softmax(Q Kᵀ / √d) V" },
            .mistakes = {
                { "the scores must be divided by sqrt(d)", attended(arena, p.q, p.k, p.v, 1.0f, false) },
                { "divide by sqrt(d), with d the columns of wq, not by sqrt(D)",
                  attended(arena, p.q, p.k, p.v, 1.0f / sqrtf((float)D), false) },
                { "divide once by the square root of d: not by d, and not twice",
                  attended(arena, p.q, p.k, p.v, 1.0f / (float)d, false) },
                { "the scale belongs to the scores: after the softmax it is too late", scaled_late(arena, p, scale) },
                { "d is how wide a query is, not how many words there are",
                  attended(arena, p.q, p.k, p.v, 1.0f / sqrtf((float)T), false) },
                { "q and k are swapped: rows of the scores are queries", attended(arena, p.k, p.q, p.v, scale, false) },
                { "the softmax runs along the rows: the weights of one query sum to 1",
                  attended(arena, p.q, p.k, p.v, scale, true) },
                { "these are the scores times v: softmax makes weights of them first", unsoftened(arena, p, scale) },
                { "these are the scores times v: softmax makes weights of them first", unsoftened(arena, p, 1.0f) },
                { "the weights sum to 1 in each row, not in the whole table", over_the_table(arena, p, scale) },
                { "this is x times wᵀ: q, k and v are x w, rows times columns", all_turned(arena, x, w, scale, right) },
                { "this is q k, rows times columns: scores are rows of q against rows of k",
                  by_columns(arena, p, scale, right) },
                { "the keys are mixed: what a word hands over is its value",
                  dv == d ? attended(arena, p.q, p.k, p.k, scale, false) : right },
                { "the keys must be projected by wk, not by wq", attended(arena, p.q, p.q, p.v, scale, false) },
                { "the queries must be projected by wq, not by wk", attended(arena, p.k, p.k, p.v, scale, false) },
                { "the queries must be projected by wq, not by wv",
                  dv == d ? attended(arena, p.v, p.k, p.v, scale, false) : right },
                { "the keys must be projected by wk, not by wv",
                  dv == d ? attended(arena, p.q, p.v, p.v, scale, false) : right },
                { "each score has the wrong sign: what fits best gets least",
                  attended(arena, p.q, p.k, p.v, -scale, false) },
                { "the values must be projected by wv, not by wq",
                  dv == d ? attended(arena, p.q, p.k, p.q, scale, false) : right },
                { "x itself asks, is asked and is handed over: nothing is projected",
                  dv == D && d == D ? attended(arena, x, x, x, scale, false) : right },
                { "the values must be projected too: v = x wv",
                  dv == D ? attended(arena, p.q, p.k, x, scale, false) : right },
                { "the keys must be projected too: k = x wk",
                  d == D ? attended(arena, p.q, x, p.v, scale, false) : right },
                { "the queries must be projected too: q = x wq",
                  d == D ? attended(arena, x, p.k, p.v, scale, false) : right } } });
}

static void received_of(Judge *judge, int T)
{
    Random random = random_from((uint64_t)T);
    Mat weights = random_mat(judge->arena, &random, T, T), got = judge_output(judge, 1, T);
    Mat expected = mat_new(judge->arena, 1, T), by_row = mat_new(judge->arena, 1, T);
    Mat from_others = mat_new(judge->arena, 1, T), mean = mat_new(judge->arena, 1, T);
    Mat running = mat_new(judge->arena, 1, T), largest = mat_new(judge->arena, 1, T);
    Mat own = mat_new(judge->arena, 1, T), net = mat_new(judge->arena, 1, T);
    Mat all_but_first = mat_new(judge->arena, 1, T), all_but_last = mat_new(judge->arena, 1, T);
    Mat from_before = mat_new(judge->arena, 1, T);
    softmax_rows(weights, weights);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            *mat_ref(expected, 0, j) += *mat_ref(weights, i, j);
            *mat_ref(by_row, 0, i) += *mat_ref(weights, i, j);
            *mat_ref(from_others, 0, j) += i == j ? 0.0f : *mat_ref(weights, i, j);
            *mat_ref(mean, 0, j) += *mat_ref(weights, i, j) / (float)T;
            *mat_ref(largest, 0, j) = fmaxf(*mat_ref(largest, 0, j), *mat_ref(weights, i, j));
            *mat_ref(own, 0, j) += i == j ? *mat_ref(weights, i, j) : 0.0f;
            *mat_ref(net, 0, j) += *mat_ref(weights, i, j) - *mat_ref(weights, j, i);
            *mat_ref(all_but_first, 0, j) += i > 0 ? *mat_ref(weights, i, j) : 0.0f;
            *mat_ref(all_but_last, 0, j) += i < T - 1 ? *mat_ref(weights, i, j) : 0.0f;
            *mat_ref(from_before, 0, j) += i <= j ? *mat_ref(weights, i, j) : 0.0f;
            for (int after = j; after < T; after++) *mat_ref(running, 0, after) += *mat_ref(weights, i, j);
        }
    judge_trying(judge, "my_received of the weights of %d words", T);
    my_received(got.at, weights);
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = expected,
                     .hints = { .property =
                                    isnan(mat_sum(got))
                                        ? "a sum begins at a number: at which does yours begin?"
                                        : arena_format(judge->arena,
                                                       "all that is received sums to %.4g, and %d words give 1 each",
                                                       mat_sum(got), T),
                                .question = "which numbers of the table end at word 0?",
                                .formula = "receivedⱼ = Σᵢ wᵢⱼ" },
                     .mistakes = {
                         { "that is what leaves each word, and always 1: add up columns, not rows", by_row },
                         { "a word also receives what it gives to itself", from_others },
                         { "the sum goes on from word to word: it begins at 0 for each", running },
                         { "that is the largest of the arrows that end there: their sum is asked for", largest },
                         { "that is what a word gives to itself: what do the others give it?", own },
                         { "what a word gives is taken away here: only what arrives is asked for", net },
                         { "word 0 gives something, too: indices begin at 0", all_but_first },
                         { "the last word gives something, too: indices run to T - 1", all_but_last },
                         { "words that come later give something, too", from_before },
                         { "only what word 0 gives is there: each word gives something",
                           mat_copy(judge->arena, mat_rows(weights, 0, 1)) },
                         { "that is a mean: a sum is asked for", mean },
                         { "only what the last word gives is there: add, do not replace",
                           mat_copy(judge->arena, mat_rows(weights, T - 1, 1)) } } });
}

static void check(Judge *judge)
{
    head_of(judge, 4, 4, 4, 4);
    head_of(judge, 3, 4, 4, 4);
    head_of(judge, 3, 6, 5, 2); // ⌊√5⌋ is 2: neither 1 nor √5
    head_of(judge, 5, 6, 2, 3);
    head_of(judge, 1, 2, 2, 2);
    head_of(judge, 11, 12, 6, 12);
    received_of(judge, 3);
    received_of(judge, 11);
}

int main(void) { return judge_main("04a", check); }
