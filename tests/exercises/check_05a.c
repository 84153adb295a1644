// Exercise 05a: my_bias and my_alibi.
#include "attention/mask.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <stdlib.h>

typedef void Bias(Mat bias, int window, int padding);
typedef void Alibi(Mat scores, float slope);
Bias my_bias;
Alibi my_alibi;

// T, S, window, padding.
static const int masks[][4] = { { 4, 4, 0, 0 }, { 3, 12, 0, 0 }, { 1, 5, 0, 0 }, { 6, 6, 1, 0 },
                                { 6, 6, 3, 0 }, { 3, 8, 2, 0 },  { 3, 8, 4, 0 }, { 4, 4, 0, 2 },
                                { 5, 9, 3, 2 }, { 2, 3, 0, 3 },  { 1, 1, 0, 0 } };

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

enum { FROM_ROW = 1, OWN_HIDDEN, NOT_CAUSAL, NO_WINDOW, ONE_MORE, WINDOW_FROM_ROW, NO_PADDING, ZERO_IS_EMPTY };
enum { LARGE = ZERO_IS_EMPTY + 1, MULTIPLIED, SEEN_LEFT };

static bool is_seen(int i, int j, int T, int S, int window, int padding)
{
    const int fault = judge_fault, p = fault == FROM_ROW ? i : i + S - T, end = fault == WINDOW_FROM_ROW ? i : p;
    if (j >= S - padding && fault != NO_PADDING) return false;
    if (fault != NOT_CAUSAL && j > p - (fault == OWN_HIDDEN)) return false;
    if (window == 0) return fault != ZERO_IS_EMPTY;
    return fault == NO_WINDOW || j > end - window - (fault == ONE_MORE);
}

static void faulty_bias(Mat bias, int window, int padding)
{
    const int fault = judge_fault;
    for (int i = 0; i < bias.rows; i++)
        for (int j = 0; j < bias.cols; j++) {
            bool seen = is_seen(i, j, bias.rows, bias.cols, window, padding);
            if (seen && fault == SEEN_LEFT) continue;
            float hidden = fault == LARGE ? -1e9f : -INFINITY;
            *mat_ref(bias, i, j) = fault == MULTIPLIED ? (float)!seen * hidden : seen ? 0.0f : hidden;
        }
}

// What is written where a key is hidden, if that is a finite number; else of the first row that hides too many or too few
// keys how many it leaves.
static Hints bias_hints(Judge *judge, Difference d)
{
    Hints hints = { "every row leaves as many keys as it should, but not these, or it adds something else than 0",
                    "say for one row which keys its query may see: up to where, from where on, and what is filler?",
                    "query i stands at p = i + S - T; of a window of W the keys p - W + 1 … p are left" };
    float number = -INFINITY;
    for (int i = d.got.rows - 1; i >= 0; i--) {
        int left = 0, should = 0, missing = -1;
        for (int j = 0; j < d.got.cols; j++) {
            left += *mat_ref(d.got, i, j) > -INFINITY;
            should += *mat_ref(d.expected, i, j) > -INFINITY;
            if (missing < 0 && isnan(*mat_ref(d.got, i, j))) missing = j;
            if (*mat_ref(d.expected, i, j) == -INFINITY && *mat_ref(d.got, i, j) < 0.0f) number = *mat_ref(d.got, i, j);
        }
        if (missing >= 0)
            hints.property =
                arena_format(judge->arena, "row %d, column %d has no number: %s", i, missing,
                             *mat_ref(d.expected, i, missing) == 0.0f ? "a key that is seen needs its 0, too"
                                                                      : "a key that is hidden gets -INFINITY");
        else if (left != should)
            hints.property = arena_format(judge->arena, "row %d leaves %d of %d keys; it should leave %d", i, left,
                                          d.got.cols, should);
    }
    if (number > -INFINITY)
        hints.property =
            arena_format(judge->arena,
                         number < -100.0f
                             ? "%g is large, not infinite: -INFINITY gives a weight of exactly 0, and a row "
                               "that is all hidden shows"
                             : "%g is a number, not -INFINITY: a key with a good score is still seen a little",
                         (double)number);
    return hints;
}

static const struct {
    int T, S;
    float slope;
} alibis[] = { { 4, 4, 0.5f }, { 2, 7, 0.25f } };

static Mat scores_of(Judge *judge, int n)
{
    Random random = random_from(5);
    Mat scores = judge_random(judge, &random, alibis[n].T, alibis[n].S);
    *mat_ref(scores, 0, scores.cols - 1) = -INFINITY;
    return scores;
}

static void alibi_case(Judge *judge, Function f, int n)
{
    Mat scores = judge_output(judge, alibis[n].T, alibis[n].S);
    mat_set(scores, scores_of(judge, n));
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
ALIBI(before_alone, *s - slope * fmaxf(away, 0.0f))
ALIBI(from_row, *s - slope * fabsf((float)(i - j)))
ALIBI(squared, *s - slope * away * away)

// Each query's own key is at a distance of 0, so there nothing is taken away.
static Hints alibi_hints(Judge *judge, Difference d)
{
    Hints hints = { "the scores of queries with their own keys are right; those of other distances are not",
                    "where does query i stand, and how many words away is key j?",
                    "s_ij becomes s_ij - slope · |p - j|, with p = i + S - T" };
    Mat scores = scores_of(judge, d.n);
    for (int i = 0, own = d.got.cols - d.got.rows; i < d.got.rows; i++, own++)
        if (*mat_ref(d.got, i, own) != *mat_ref(scores, i, own))
            hints.property = "the score of a query with its own key has changed, and their distance is 0";
    if (*mat_ref(d.got, 0, d.got.cols - 1) != -INFINITY)
        hints.property = "a score of -INFINITY has changed: that key is hidden, and stays so";
    return hints;
}

static const Task tasks[] = {
    { AS(Bias, my_bias), AS(Bias, right_bias), bias_case, COUNT(masks), .explain = bias_hints,
      .faulty = AS(Bias, faulty_bias),
      .wrong = { FAULT(FROM_ROW, "query i stands at position i + S - T, so that the last query sees every key"),
                 FAULT(OWN_HIDDEN, "a query sees its own key as well: j <= p, not j < p"),
                 FAULT(NOT_CAUSAL, "no query sees a key after it"),
                 FAULT(NO_WINDOW, "the window is missing"),
                 FAULT(ONE_MORE, "one key too many: the query's own key belongs to the window"),
                 FAULT(WINDOW_FROM_ROW, "the window ends at the query's position, which is i + S - T, not i"),
                 FAULT(NO_PADDING, "the last `padding` keys must be hidden"),
                 FAULT(ZERO_IS_EMPTY, "window 0 means that there is no window"),
                 FAULT(MULTIPLIED, "0 times infinity is NaN: a seen key's 0 must be written, it cannot be made by "
                                   "multiplying"),
                 { .fault = LARGE, .told = "-1e+09 is large, not infinite: -INFINITY gives a weight of exactly 0" },
                 { .fault = SEEN_LEFT, .told = "a key that is seen needs its 0, too" } } },
    { AS(Alibi, my_alibi), AS(Alibi, right_alibi), alibi_case, COUNT(alibis), .explain = alibi_hints,
      .wrong = { { AS(Alibi, unchanged),
                   "no score has changed: my_alibi is still the stub, or all that it takes away is 0" },
                 { AS(Alibi, raised), "the sign: distance lowers a score" },
                 { AS(Alibi, with_sign), "a distance has no sign: a key after the query is as far as one before it" },
                 { AS(Alibi, before_alone), "keys after the query have a distance, too, and get their bias" },
                 { AS(Alibi, from_row), "query i stands at position i + S - T" },
                 { AS(Alibi, squared), .told = "those of other distances are not" } } },
};
EXERCISE("05a", tasks)
