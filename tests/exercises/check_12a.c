// Exercise 12a: my_shared_heads and my_pooled_heads.
#include "attention/grouped.h"
#include "exercises/judge.h"
#include "model/pooling.h"

typedef void Shared(Mat out, Mat q, Mat k, Mat v, int H);
typedef void Pooled(Mat to, Mat from, int d);
Shared my_shared_heads;
Pooled my_pooled_heads;

// T, S, H, G, d
static const int shapes[][5] = { { 3, 3, 4, 2, 2 }, { 3, 5, 8, 4, 2 }, { 4, 4, 4, 4, 3 }, { 1, 9, 6, 1, 2 } };

static void shared_case(Judge *judge, Function f, int n)
{
    int T = shapes[n][0], S = shapes[n][1], H = shapes[n][2], G = shapes[n][3], d = shapes[n][4];
    Random random = random_from((uint64_t)(100 * H + G));
    Mat q = judge_random_view(judge, &random, T, H * d), k = judge_random_view(judge, &random, S, G * d);
    Mat v = judge_random_view(judge, &random, S, G * d);
    judge_trying(judge,
                 "my_shared_heads of %d quer%s and %d keys, H = %d, G = %d, d = %d: q has %d columns, k and v have %d",
                 T, T == 1 ? "y" : "ies", S, H, G, d, H * d, G * d);
    ((Shared *)f)(judge_output(judge, T, H * d), q, k, v, H);
}

static void right_shared(Mat out, Mat q, Mat k, Mat v, int H)
{
    Mask masks[8] = { { 0 } };
    grouped_attend((Attended){ .out = out }, q, k, v, H, masks, attention_naive);
}

enum { REMAINDER = 1, OTHER_VALUES, ONE_QUERY, FIRST_HEAD, KEYS_MIXED };

static void faulty_shared(Mat out, Mat q, Mat k, Mat v, int H)
{
    const int fault = judge_fault, d = q.cols / H, G = k.cols / d;
    for (int h = 0; h < H; h++) {
        int g = h / (H / G), query = fault == ONE_QUERY ? g * (H / G) : h;
        int key = fault == REMAINDER ? h % G : fault == FIRST_HEAD ? 0 : g;
        int value = fault == OTHER_VALUES ? h % G : key;
        Mat to = mat_cols(out, h * d, d), values = mat_cols(fault == KEYS_MIXED ? k : v, value * d, d);
        attention_naive((Attended){ .out = to }, mat_cols(q, query * d, d), mat_cols(k, key * d, d), values,
                        (Mask){ 0 });
    }
}

// rows, heads, G, d. In the first the heads of a group, G, d, the rows and n − 1 all differ.
static const int pools[][4] = { { 6, 8, 2, 5 }, { 3, 6, 2, 3 }, { 5, 8, 1, 4 }, { 2, 3, 3, 2 } };

static void pooled_case(Judge *judge, Function f, int n)
{
    int rows = pools[n][0], many = pools[n][1], G = pools[n][2], d = pools[n][3];
    Random random = random_from((uint64_t)(1000 + 100 * many + G));
    Mat from = judge_random_view(judge, &random, rows, many * d);
    judge_trying(judge, "my_pooled_heads of %d heads to %d, d = %d, %d rows", many, G, d, rows);
    ((Pooled *)f)(judge_output(judge, rows, G * d), from, d);
}

static void right_pooled(Mat to, Mat from, int d) { pool_heads(to, from, to.cols / d, d, POOL_MEAN); }

// The mean of the numbers in the columns `column`, over m; i and c are the row and the column of `to`.
#define POOLED(name, column, divisor) \
    static void name(Mat to, Mat from, int d) \
    { \
        int n = from.cols / to.cols, G = to.cols / d; \
        for (int i = 0; i < to.rows; i++) \
            for (int c = 0; c < to.cols; c++) { \
                float sum = 0.0f; \
                for (int m = 0; m < n; m++) sum += from.at[i * from.stride + (column)]; \
                *mat_ref(to, i, c) = sum * (divisor); \
            } \
        (void)G; \
    }
#define HEAD(head) (head) * d + c % d
POOLED(summed, HEAD(c / d * n + m), 1.0f)
POOLED(first_alone, HEAD(c / d * n), 1.0f / (float)n)
POOLED(by_groups, HEAD(c / d * n + m), 1.0f / (float)G)
POOLED(whole_numbers, HEAD(c / d * n + m), (float)(1 / n))
POOLED(end_to_end, i *(from.cols - from.stride) + HEAD(c / d * n + m), 1.0f / (float)n)

static const Task tasks[] = {
    { AS(Shared, my_shared_heads), AS(Shared, right_shared), shared_case, COUNT(shapes),
      .hints = { { NULL,
                   "how many columns has a head, how many query heads read one key head, and which key head is that?",
                   "key head of h: h · G / H, rounded down" } },
      .faulty = AS(Shared, faulty_shared),
      .wrong = { FAULT(REMAINDER, "query head h reads key head h % G here; it is neighbours that share a head"),
                 FAULT(OTHER_VALUES, "keys are shared as they should be, values by h % G: the values of a group go "
                                     "with its keys"),
                 FAULT(ONE_QUERY,
                       "all heads of a group have the queries of its first: keys are shared, queries are not"),
                 FAULT(FIRST_HEAD, "every query head reads key head 0"),
                 FAULT(KEYS_MIXED, "the keys are mixed here: what is mixed are the values") } },
    { AS(Pooled, my_pooled_heads), AS(Pooled, right_pooled), pooled_case, COUNT(pools),
      .hints = { { NULL, "which columns of `from` belong to the same place of the heads of one group?",
                   "to[i, g·d + e] = Σₘ from[i, (g·n + m)·d + e] / n, over m = 0 … n − 1" } },
      .wrong = { { AS(Pooled, summed), "this is the sum: divide by n, or scores grow n times as large" },
                 { AS(Pooled, first_alone), "this is the first head of each group alone: take the mean of all n" },
                 { AS(Pooled, by_groups), "divided by G, the number of groups: how many heads has a group?" },
                 { AS(Pooled, whole_numbers), "all is 0: 1 / n is a division of whole numbers" },
                 { AS(Pooled, end_to_end),
                   "row i does not begin at i times the columns: `from` is a view, and its rows lie further apart "
                   "(mat_ref)" } } },
};
EXERCISE("12a", tasks)
