// Exercise 12a: my_shared_heads and my_pooled_heads.
#include "attention/attention.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H);
void my_pooled_heads(Mat to, Mat from, int d);

// A view in the middle of a wider matrix of noise, so that a stride that is forgotten shows.
static Mat view_of(Judge *judge, Random *random, int rows, int cols)
{
    Mat wide = mat_new(judge->arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 2, cols);
}

// ---- 1

typedef enum {
    BLOCKS,
    REMAINDER,
    FIRST_HEAD,
    BY_G,
    VALUES_BY_REMAINDER,
    KEYS_BY_REMAINDER,
    KEYS_TWICE,
    ONE_QUERY,
    FIRST_VALUES,
    FIRST_KEYS,
    FROM_THE_END,
    EXCHANGED,
    VALUES_LOOKED_AT,
    QUERY_OF_GROUP,
    LAST_HEAD,
    NOT_TIMES_D
} Mapping;

static int mapped(Mapping how, int h, int H, int G)
{
    int g = h / (H / G);
    if (how == FROM_THE_END) return G - 1 - g;
    if (how == LAST_HEAD) return G - 1;
    return how == REMAINDER ? h % G : how == FIRST_HEAD ? 0 : how == BY_G ? h / G % G : g;
}

static Mat attended(Arena *arena, Mat q, Mat k, Mat v, int H, Mapping how, bool causal)
{
    int d = q.cols / H, G = k.cols / d;
    Mat out = mat_new(arena, q.rows, q.cols);
    for (int h = 0; h < H; h++) {
        int g = mapped(how, h, H, G);
        int of_values = how == VALUES_BY_REMAINDER ? h % G : how == FIRST_VALUES ? 0 : g;
        int of_keys = how == KEYS_BY_REMAINDER ? h % G : how == FIRST_KEYS ? 0 : g;
        int of_queries = how == ONE_QUERY ? g * (H / G) : how == QUERY_OF_GROUP ? g : h;
        int apart = how == NOT_TIMES_D ? 1 : d;
        bool k_mixed = how == KEYS_TWICE || how == EXCHANGED, v_compared = how == VALUES_LOOKED_AT || how == EXCHANGED;
        attention_naive((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(q, of_queries * d, d),
                        mat_cols(v_compared ? v : k, of_keys * apart, d),
                        mat_cols(k_mixed ? k : v, of_values * apart, d), (Mask){ .causal = causal });
    }
    return out;
}

static int first_wrong_head(Mat got, Mat right, int d)
{
    for (int c = 0; c < got.cols; c++)
        for (int i = 0; i < got.rows; i++)
            if (!(fabsf(*mat_ref(got, i, c) - *mat_ref(right, i, c)) <= 1e-5f)) return c / d;
    return 0;
}

// What was never written is NaN, and so is what came of it.
static const char *what_is_wrong(Arena *arena, Mat got, Mat right, int d)
{
    for (int h = 0; h < got.cols / d; h++)
        if (isnan(*mat_ref(got, 0, h * d)))
            return arena_format(arena,
                                "the columns of query head %d hold no numbers: each of the H heads writes its "
                                "own d columns of out",
                                h);
    return arena_format(arena, "query head %d is the first that is wrong", first_wrong_head(got, right, d));
}

static void heads_case(Judge *judge, int T, int S, int H, int G, int d)
{
    Random random = random_from((uint64_t)(100 * H + G));
    Mat q = view_of(judge, &random, T, H * d), k = view_of(judge, &random, S, G * d),
        v = view_of(judge, &random, S, G * d);
    Mat got = judge_output(judge, T, H * d);
    judge_trying(judge,
                 "my_shared_heads of %d quer%s and %d keys, H = %d, G = %d, d = %d: q has %d columns, k and v "
                 "have %d",
                 T, T == 1 ? "y" : "ies", S, H, G, d, H * d, G * d);
    my_shared_heads(got, q, k, v, H);
    Mat right = attended(judge->arena, q, k, v, H, BLOCKS, false);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = what_is_wrong(judge->arena, got, right, d),
                       .question = "how many columns has a head, how many query heads read one key head, and which key "
                                   "head is that?",
                       .formula = "key head of h: h · G / H, rounded down" },
            .mistakes = {
                { "query head h reads key head h % G here; it is neighbours that share a head",
                  attended(judge->arena, q, k, v, H, REMAINDER, false) },
                { "keys are shared as they should be, values by h % G: the values of a group go with its keys",
                  attended(judge->arena, q, k, v, H, VALUES_BY_REMAINDER, false) },
                { "values are shared as they should be, keys by h % G: the keys of a group go with its values",
                  attended(judge->arena, q, k, v, H, KEYS_BY_REMAINDER, false) },
                { "the keys are mixed here: what is mixed are the values",
                  attended(judge->arena, q, k, v, H, KEYS_TWICE, false) },
                { "all heads of a group have the queries of its first: keys are shared, queries are not",
                  attended(judge->arena, q, k, v, H, ONE_QUERY, false) },
                { "every query head reads key head 0", attended(judge->arena, q, k, v, H, FIRST_HEAD, false) },
                { "query head h reads key head h / G here; a group does not have G heads",
                  attended(judge->arena, q, k, v, H, BY_G, false) },
                { "no mask was asked for: every query sees every key",
                  attended(judge->arena, q, k, v, H, BLOCKS, true) },
                { "keys are shared as they should be, but all heads mix the values of key head 0",
                  attended(judge->arena, q, k, v, H, FIRST_VALUES, false) },
                { "values are shared as they should be, but all heads look at the keys of key head 0",
                  attended(judge->arena, q, k, v, H, FIRST_KEYS, false) },
                { "key heads are read from the last one on: the first group reads key head 0",
                  attended(judge->arena, q, k, v, H, FROM_THE_END, false) },
                { "keys and values are exchanged", attended(judge->arena, q, k, v, H, EXCHANGED, false) },
                { "queries are compared with the values here, and not with the keys",
                  attended(judge->arena, q, k, v, H, VALUES_LOOKED_AT, false) },
                { "the queries are taken by the number of the group: each query head has its own",
                  attended(judge->arena, q, k, v, H, QUERY_OF_GROUP, false) },
                { "every query head reads the last key head", attended(judge->arena, q, k, v, H, LAST_HEAD, false) },
                { "key head g is taken from column g on: each is d columns wide, so where does it begin?",
                  attended(judge->arena, q, k, v, H, NOT_TIMES_D, false) } } });
}

// ---- 2

typedef enum {
    ALL,
    FIRST,
    LAST,
    APART,
    NEIGHBOURS,
    OVERLAPPING,
    ALL_BUT_LAST,
    EVERY,
    NO_STRIDE,
    ALL_BUT_FIRST,
    ONE_COLUMN_APART,
    SUM_GOES_ON,
    HALVES
} Pool;

// The sum over those columns that such a reader takes for a group's.
static float pooled_sum(Mat from, int i, int c, int G, int d, Pool how)
{
    int n = from.cols / (G * d), g = c / d;
    float sum = 0.0f;
    for (int m = 0; m < (how == EVERY ? n * G : n); m++) {
        if ((how == FIRST && m > 0) || (how == LAST && m < n - 1) || (how == ALL_BUT_LAST && m == n - 1) ||
            (how == ALL_BUT_FIRST && m == 0))
            continue;
        int head = how == EVERY ? m : how == APART ? m * G + g : how == OVERLAPPING ? g + m : g * n + m;
        int column = how == NEIGHBOURS ? c * n + m : how == ONE_COLUMN_APART ? head + c % d : head * d + c % d;
        if (how == HALVES) sum *= 0.5f;
        sum += how == NO_STRIDE ? from.at[i * from.cols + column] : *mat_ref(from, i, column);
    }
    return sum;
}

// Divided by that number; by 0 gives 0, as 1 / n does in whole numbers.
static Mat pooled(Judge *judge, Mat from, int G, int d, Pool how, int divisor)
{
    Mat to = mat_new(judge->arena, from.rows, G * d);
    float before = 0.0f;
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) {
            float sum = pooled_sum(from, i, c, G, d, how) + before;
            *mat_ref(to, i, c) = divisor ? sum / (float)divisor : 0.0f;
            if (how == SUM_GOES_ON) before = sum;
        }
    return to;
}

// The mean of all numbers of a group, in each of its columns.
static Mat block_mean(Judge *judge, Mat from, int G, int d)
{
    int n = from.cols / (G * d);
    Mat means = pooled(judge, from, G, d, ALL, n), to = mat_new(judge->arena, from.rows, G * d);
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++)
            for (int e = 0; e < d; e++) *mat_ref(to, i, c) += *mat_ref(means, i, c / d * d + e) / (float)d;
    return to;
}

// Column e of head g written to e · G + g.
static Mat interleaved(Judge *judge, Mat from, int G, int d)
{
    Mat means = pooled(judge, from, G, d, ALL, from.cols / (G * d)), to = mat_new(judge->arena, from.rows, G * d);
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) *mat_ref(to, i, c % d * G + c / d) = *mat_ref(means, i, c);
    return to;
}

static void judge_pooled(Judge *judge, Mat from, Mat got, int G, int d)
{
    int many = from.cols / d, n = many / G;
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = pooled(judge, from, G, d, ALL, n),
            .hints = { .property = arena_format(judge->arena, "%d heads become %d: each is the mean of %d", many, G, n),
                       .question = "which columns of `from` belong to the same place of the heads of one group?",
                       .formula = "to[i, g·d + e] = Σₘ from[i, (g·n + m)·d + e] / n, over m = 0 … n − 1" },
            .mistakes = {
                { "this is the sum: divide by n, or scores grow n times as large", pooled(judge, from, G, d, ALL, 1) },
                { "this is the first head of each group alone: take the mean of all n",
                  pooled(judge, from, G, d, FIRST, 1) },
                { "this is the last head of each group alone: take the mean of all n",
                  pooled(judge, from, G, d, LAST, 1) },
                { "divided by G, the number of groups: how many heads has a group?",
                  pooled(judge, from, G, d, ALL, G) },
                { "heads g, g + G, … are pooled here; a group's heads are neighbours: n g … n g + n - 1",
                  pooled(judge, from, G, d, APART, n) },
                { "neighbouring columns are pooled here; column e of one head belongs with column e of the next",
                  pooled(judge, from, G, d, NEIGHBOURS, n) },
                { "heads g, g + 1, … are pooled here, so groups overlap: where does group g begin?",
                  pooled(judge, from, G, d, OVERLAPPING, n) },
                { "the last head of each group is left out of the sum", pooled(judge, from, G, d, ALL_BUT_LAST, n) },
                { "the first head of each group is left out of the sum", pooled(judge, from, G, d, ALL_BUT_FIRST, n) },
                { "head j is taken from column j on: each is d columns wide, so where does it begin?",
                  pooled(judge, from, G, d, ONE_COLUMN_APART, n) },
                { "the sum goes on from one number to the next: it begins at 0 for each",
                  pooled(judge, from, G, d, SUM_GOES_ON, n) },
                { "this is half of what was there and half of the next, head by head: the last one weighs most",
                  pooled(judge, from, G, d, HALVES, 2) },
                { "one mean for all columns of a head: each column has its own", block_mean(judge, from, G, d) },
                { "the means are right, and each stands in another place: `to` holds head after head",
                  interleaved(judge, from, G, d) },
                { "all heads are pooled into each: a group has n of them", pooled(judge, from, G, d, EVERY, many) },
                { "divided by all the heads that there are: a group has n", pooled(judge, from, G, d, ALL, many) },
                { "divided by n twice", pooled(judge, from, G, d, ALL, n * n) },
                { "divided by d, the width of a head: how many heads has a group?", pooled(judge, from, G, d, ALL, d) },
                { "divided by the number of rows: how many heads has a group?",
                  pooled(judge, from, G, d, ALL, from.rows) },
                { "divided by n - 1: the mean of n heads is wanted", pooled(judge, from, G, d, ALL, n - 1) },
                { "all is 0: 1 / n is a division of whole numbers", pooled(judge, from, G, d, ALL, 0) },
                { "row i does not begin at i times the columns: `from` is a view, and its rows lie further apart (mat_ref)",
                  pooled(judge, from, G, d, NO_STRIDE, n) } } });
}

static void pool_case(Judge *judge, int rows, int many, int G, int d)
{
    Random random = random_from((uint64_t)(1000 + 100 * many + G));
    Mat from = view_of(judge, &random, rows, many * d), got = judge_output(judge, rows, G * d);
    judge_trying(judge, "my_pooled_heads of %d heads to %d, d = %d, %d rows", many, G, d, rows);
    my_pooled_heads(got, from, d);
    judge_pooled(judge, from, got, G, d);
}

static void check(Judge *judge)
{
    heads_case(judge, 3, 3, 4, 2, 2);
    heads_case(judge, 3, 5, 8, 4, 2); // h / G stays inside, and is named; later it leaves the matrix
    heads_case(judge, 4, 4, 2, 1, 2);
    heads_case(judge, 4, 4, 4, 4, 3);
    heads_case(judge, 5, 7, 8, 2, 4);
    heads_case(judge, 1, 9, 6, 3, 2);
    pool_case(judge, 6, 8, 2, 5); // n, G, d, rows and n - 1 all differ
    pool_case(judge, 3, 6, 2, 3);
    pool_case(judge, 5, 8, 1, 4);
    pool_case(judge, 2, 3, 3, 2);
}

int main(void) { return judge_main("12a", check); }
