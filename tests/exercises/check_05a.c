// Exercise 05a: my_bias and my_alibi.
#include "attention/mask.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Bias(Mat bias, int window, int padding);
typedef void Alibi(Mat scores, float slope);
Bias my_bias;
Alibi my_alibi;

// T, S, window, padding.
static const int masks[][4] = { { 4, 4, 0, 0 }, { 3, 12, 0, 0 }, { 6, 6, 1, 0 }, { 6, 6, 3, 0 },
                                { 3, 8, 4, 0 }, { 4, 4, 0, 2 },  { 5, 9, 3, 2 }, { 1, 1, 0, 0 } };

static void bias_case(Judge *judge, Function f, int n)
{
    int T = masks[n][0], S = masks[n][1], window = masks[n][2], padding = masks[n][3];
    Mat bias = judge_output(judge, T, S);
    judge_trying(judge, "my_bias of %d queries and %d keys, window %d, padding %d", T, S, window, padding);
    ((Bias *)f)(bias, window, padding);
}

static void right_bias(Mat bias, int window, int padding)
{
    Mask mask = { .causal = true, .window = window, .padding = padding };
    for (int i = 0; i < bias.rows; i++)
        for (int j = 0; j < bias.cols; j++)
            *mat_ref(bias, i, j) = 0.0f + mask_bias(mask, i, j, bias.rows, bias.cols); // 0, not −0
}

enum { FROM_ROW = 1, OWN_HIDDEN, NO_WINDOW, ONE_MORE, NO_PADDING, LARGE };

static void faulty_bias(Mat bias, int window, int padding)
{
    const int fault = judge_fault;
    for (int i = 0; i < bias.rows; i++)
        for (int j = 0; j < bias.cols; j++) {
            int S = bias.cols, p = fault == FROM_ROW ? i : i + S - bias.rows;
            bool in_window = window == 0 || fault == NO_WINDOW || j > p - window - (fault == ONE_MORE);
            bool seen = in_window && j <= p - (fault == OWN_HIDDEN) && (j < S - padding || fault == NO_PADDING);
            *mat_ref(bias, i, j) = seen ? 0.0f : fault == LARGE ? -1e9f : -INFINITY;
        }
}

static const struct {
    int T, S;
    float slope;
} alibis[] = { { 4, 4, 0.5f }, { 2, 7, 0.25f } };

static void alibi_case(Judge *judge, Function f, int n)
{
    Random random = random_from(5);
    Mat scores = judge_output(judge, alibis[n].T, alibis[n].S);
    mat_set(scores, judge_random(judge, &random, scores.rows, scores.cols));
    *mat_ref(scores, 0, scores.cols - 1) = -INFINITY;
    judge_trying(judge, "my_alibi of %d queries and %d keys, slope %g", scores.rows, scores.cols,
                 (double)alibis[n].slope);
    ((Alibi *)f)(scores, alibis[n].slope);
}

#define ALIBI(name, score) \
    static void name(Mat scores, float slope) \
    { \
        for (int i = 0; i < scores.rows; i++) \
            for (int j = 0; j < scores.cols; j++) { \
                float *s = mat_ref(scores, i, j), away = (float)(i + scores.cols - scores.rows - j); \
                *s = score; \
                (void)away; \
            } \
        (void)slope; \
    }
ALIBI(right_alibi, *s + mask_bias((Mask){ .alibi = slope }, i, j, scores.rows, scores.cols))
ALIBI(unchanged, *s)
ALIBI(raised, *s + slope * fabsf(away))
ALIBI(with_sign, *s - slope * away)
ALIBI(from_row, *s - slope * fabsf((float)(i - j)))

static const Task tasks[] = {
    { AS(Bias, my_bias), AS(Bias, right_bias), bias_case, COUNT(masks), .faulty = AS(Bias, faulty_bias),
      .hints = { { NULL,
                   "say for one row which keys its query may see: up to where, from where on, and what is filler?",
                   "query i stands at p = i + S - T; of a window of W the keys p - W + 1 … p are left" } },
      .wrong = { FAULT(FROM_ROW, "query i stands at position i + S - T, so that the last query sees every key"),
                 FAULT(OWN_HIDDEN, "a query sees its own key as well: j <= p, not j < p"),
                 FAULT(NO_WINDOW, "the window is missing"),
                 FAULT(ONE_MORE, "one key too many: the query's own key belongs to the window"),
                 FAULT(NO_PADDING, "the last `padding` keys must be hidden"),
                 FAULT(
                     LARGE,
                     "-1e+09 is large, not infinite: -INFINITY gives a weight of exactly 0, and a row that is all hidden "
                     "shows") } },
    { AS(Alibi, my_alibi), AS(Alibi, right_alibi), alibi_case, COUNT(alibis),
      .hints = { { NULL, "where does query i stand, and how many words away is key j?",
                   "s_ij becomes s_ij - slope · |p - j|, with p = i + S - T" } },
      .wrong = { { AS(Alibi, unchanged),
                   "no score has changed: my_alibi is still the stub, or all that it takes away is 0" },
                 { AS(Alibi, raised), "the sign: distance lowers a score" },
                 { AS(Alibi, with_sign), "a distance has no sign: a key after the query is as far as one before it" },
                 { AS(Alibi, from_row), "query i stands at position i + S - T" } } },
};
EXERCISE("05a", tasks)
