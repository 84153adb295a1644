// Exercise 05a: my_bias and my_alibi.
#include "attention/mask.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>
#include <stdlib.h>

void my_bias(Mat bias, int window, int padding);
void my_alibi(Mat scores, float slope);

// What a mask adds when query 0 stands at position `first`; the library's queries stand at S − T and after.
static Mat bias_from(Arena *arena, int T, int S, int first, Mask mask)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            int p = first + i;
            bool seen = (!mask.causal || j <= p) && (mask.window == 0 || j > p - mask.window) && j < S - mask.padding;
            *mat_ref(bias, i, j) = seen ? -mask.alibi * (float)abs(p - j) : -INFINITY;
        }
    return bias;
}

static Mat library_bias(Arena *arena, int T, int S, Mask mask)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(bias, i, j) = 0.0f + mask_bias(mask, i, j, T, S); // 0, not −0
    return bias;
}

// The window is counted from i, where the query does not stand when there are more keys than queries.
static Mat window_from_row(Arena *arena, int T, int S, Mask mask, bool both_sides)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            bool near = mask.window == 0 || j > i - mask.window;
            if (both_sides && mask.window > 0) near = abs(i - j) < mask.window;
            bool seen = j <= i + S - T && near && j < S - mask.padding;
            *mat_ref(bias, i, j) = seen ? 0.0f : -INFINITY;
        }
    return bias;
}

// Filler is looked for behind key T, as if there were as many keys as queries.
static Mat padded_behind_T(Arena *arena, int T, int S, Mask mask)
{
    Mat bias = library_bias(arena, T, S, mask);
    for (int j = T - mask.padding < 0 ? 0 : T - mask.padding; j < S; j++) mat_fill(mat_cols(bias, j, 1), -INFINITY);
    return bias;
}

// The rule turned round: what is seen is hidden, and keys after the query are seen.
static Mat reversed(Arena *arena, int T, int S, Mask mask)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            int p = i + S - T;
            bool seen = j >= p && (mask.window == 0 || j < p + mask.window) && j < S - mask.padding;
            *mat_ref(bias, i, j) = seen ? 0.0f : -INFINITY;
        }
    return bias;
}

static Mat filler_in_front(Arena *arena, int T, int S, Mask mask)
{
    int padding = mask.padding;
    mask.padding = 0;
    Mat bias = library_bias(arena, T, S, mask);
    for (int j = 0; j < padding && j < S; j++) mat_fill(mat_cols(bias, j, 1), -INFINITY);
    return bias;
}

// The rows of filler are hidden, which are queries; keys are what nobody may see.
static Mat filler_rows_hidden(Arena *arena, int T, int S, Mask mask)
{
    Mat bias = library_bias(arena, T, S, mask);
    for (int i = 0; i < T; i++)
        if (i + S - T >= S - mask.padding) mat_fill(mat_rows(bias, i, 1), -INFINITY);
    return bias;
}

// A window of both sides that stands in for the causal mask, which then holds without a window only.
static Mat window_of_both_sides(Arena *arena, int T, int S, Mask mask)
{
    Mat bias = library_bias(arena, T, S, mask);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            bool seen = mask.window == 0 ? *mat_ref(bias, i, j) == 0.0f
                                         : abs(i + S - T - j) < mask.window && j < S - mask.padding;
            *mat_ref(bias, i, j) = seen ? 0.0f : -INFINITY;
        }
    return bias;
}

// The first keys are left in the window's place, those that stand at 0 … window − 1.
static Mat first_keys_left(Arena *arena, int T, int S, Mask mask)
{
    int window = mask.window;
    mask.window = 0;
    Mat bias = library_bias(arena, T, S, mask);
    for (int j = window; window > 0 && j < S; j++) mat_fill(mat_cols(bias, j, 1), -INFINITY);
    return bias;
}

// The last keys of the text are left, whatever the query.
static Mat last_keys_left(Arena *arena, int T, int S, Mask mask)
{
    int window = mask.window;
    mask.window = 0;
    Mat bias = library_bias(arena, T, S, mask);
    for (int j = 0; window > 0 && j < S - window; j++) mat_fill(mat_cols(bias, j, 1), -INFINITY);
    return bias;
}

// Queries of filler stand at the last key that is none, so that their window is not empty.
static Mat window_before_filler(Arena *arena, int T, int S, Mask mask)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            int p = i + S - T < S - mask.padding ? i + S - T : S - mask.padding - 1;
            bool seen = j <= p && (mask.window == 0 || j > p - mask.window);
            *mat_ref(bias, i, j) = seen ? 0.0f : -INFINITY;
        }
    return bias;
}

// Rows in which all is hidden are opened: 0 everywhere.
static Mat empty_rows_opened(Arena *arena, Mat right)
{
    Mat bias = mat_copy(arena, right), hidden = mat_new(arena, 1, right.cols);
    mat_fill(hidden, -INFINITY);
    for (int i = 0; i < bias.rows; i++)
        if (mat_equal(mat_rows(right, i, 1), hidden)) mat_fill(mat_rows(bias, i, 1), 0.0f);
    return bias;
}

// The right mask with other numbers for what is seen and what is hidden.
static Mat written(Arena *arena, Mat right, float seen, float hidden)
{
    Mat bias = mat_copy(arena, right);
    for (int e = 0; e < bias.rows * bias.cols; e++) bias.at[e] = bias.at[e] == -INFINITY ? hidden : seen;
    return bias;
}

// What is written where a key is hidden, if that is a negative number; else -1e9, the best known of them.
static float number_for_hidden(Mat got, Mat right)
{
    for (int e = 0; e < got.rows * got.cols; e++)
        if (right.at[e] == -INFINITY && got.at[e] < 0.0f && isfinite(got.at[e])) return got.at[e];
    return -1e9f;
}

// ALiBi by someone who takes a distance with its sign: keys after the query are preferred.
static Mat signed_bias(Arena *arena, int T, int S, float slope)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(bias, i, j) = -slope * (float)(i + S - T - j);
    return bias;
}

// ALiBi for the keys before a query alone; those after it stay as they are, or are hidden.
static Mat scores_before(Arena *arena, Mat scores, float slope, bool hide)
{
    Mat changed = mat_copy(arena, scores);
    int T = scores.rows, S = scores.cols;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            int away = i + S - T - j;
            if (away >= 0) *mat_ref(changed, i, j) -= slope * (float)away;
            else if (hide) *mat_ref(changed, i, j) = -INFINITY;
        }
    return changed;
}

// ALiBi for the keys after a query alone.
static Mat scores_after(Arena *arena, Mat scores, float slope)
{
    Mat changed = mat_copy(arena, scores);
    int T = scores.rows, S = scores.cols;
    for (int i = 0; i < T; i++)
        for (int j = i + S - T + 1; j < S; j++) *mat_ref(changed, i, j) -= slope * (float)(j - (i + S - T));
    return changed;
}

// The distance of a key from the end of the text, the same for every query.
static Mat from_the_end(Arena *arena, Mat scores, float slope)
{
    Mat changed = mat_copy(arena, scores);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(changed, i, j) -= slope * (float)(scores.cols - 1 - j);
    return changed;
}

// Each query's own key is at a distance of 0, so there nothing is taken away; and a score of −∞ stays.
static const char *own_keys(Mat got, Mat scores)
{
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++)
            if (*mat_ref(scores, i, j) == -INFINITY && *mat_ref(got, i, j) != -INFINITY)
                return "a score of -INFINITY has changed: that key is hidden, and stays so";
    for (int i = 0; i < got.rows; i++) {
        int own = i + got.cols - got.rows;
        if (*mat_ref(got, i, own) != *mat_ref(scores, i, own))
            return "the score of a query with its own key has changed, and their distance is 0";
    }
    return "the scores of queries with their own keys are right; those of other distances are not";
}

static Mat sum_of(Arena *arena, Mat a, Mat b, float sign)
{
    Mat sum = mat_copy(arena, a);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) *mat_ref(sum, i, j) += sign * *mat_ref(b, i, j);
    return sum;
}

// In the first row that hides too many or too few keys: how many it leaves, and how many it should.
static const char *keys_left(Arena *arena, Mat got, Mat right)
{
    int numbers = 0;
    for (int e = 0; e < got.rows * got.cols; e++) numbers += !isnan(got.at[e]);
    if (!numbers) return "bias holds no numbers when my_bias is called: set its elements with =, do not add to them";
    for (int i = 0; i < got.rows; i++) {
        int left = 0, should = 0;
        for (int j = 0; j < got.cols; j++) {
            if (isnan(*mat_ref(got, i, j)))
                return arena_format(arena, "row %d, column %d has no number: %s", i, j,
                                    *mat_ref(right, i, j) == 0.0f ? "a key that is seen needs its 0, too"
                                                                  : "a key that is hidden gets -INFINITY");
            left += *mat_ref(got, i, j) > -INFINITY;
            should += *mat_ref(right, i, j) > -INFINITY;
        }
        if (left != should)
            return arena_format(arena, "row %d leaves %d of %d keys; it should leave %d", i, left, got.cols, should);
    }
    return "every row leaves as many keys as it should, but not these, or it adds something else than 0";
}

static void bias_of(Judge *judge, int T, int S, int window, int padding)
{
    Arena *arena = judge->arena;
    Mask mask = { .causal = true, .window = window, .padding = padding };
    Mask unpadded = mask, unwindowed = mask, open = mask, wider = mask, narrower = mask;
    unpadded.padding = 0;
    unwindowed.window = 0;
    open.causal = false;
    Mask less_filler = mask, more_filler = mask;
    wider.window += window > 0;
    narrower.window -= window > 1;
    less_filler.padding -= padding > 0;
    more_filler.padding += padding > 0;
    Mat got = judge_output(judge, T, S), right = library_bias(arena, T, S, mask), nothing = mat_new(arena, T, S);
    if (window == 0 && T == S) mat_fill(nothing, -INFINITY); // with T < S a wrong position hides all keys, too
    judge_trying(judge, "my_bias of %d queries and %d keys, window %d, padding %d", T, S, window, padding);
    my_bias(got, window, padding);
    float number = number_for_hidden(got, right);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = keys_left(arena, got, right),
                       .question =
                           "say for one row which keys its query may see: up to where, from where on, and what is "
                           "filler?",
                       .formula = "query i stands at p = i + S - T; of a window of W the keys p - W + 1 … p are left" },
            .mistakes = {
                { "query i stands at position i + S - T, so that the last query sees every key",
                  bias_from(arena, T, S, 0, mask) },
                { "a query sees its own key as well: j <= p, not j < p", bias_from(arena, T, S, S - T - 1, mask) },
                { "no query sees a key after it", bias_from(arena, T, S, S - T, open) },
                { "the window ends at the query's position, which is i + S - T, not i",
                  window_from_row(arena, T, S, mask, false) },
                { "the window ends at the query's position, which is i + S - T, not i",
                  window_from_row(arena, T, S, mask, true) },
                { "there are S keys, not T: filler is the last `padding` of all keys",
                  padded_behind_T(arena, T, S, mask) },
                { "the window is missing", library_bias(arena, T, S, unwindowed) },
                { "the last `padding` keys must be hidden", library_bias(arena, T, S, unpadded) },
                { "one key of filler is still seen: the last `padding` keys are S - padding … S - 1",
                  library_bias(arena, T, S, less_filler) },
                { "one key too many is taken for filler: the last `padding` keys are S - padding … S - 1",
                  library_bias(arena, T, S, more_filler) },
                { "a window hides what is too far back; that no query sees a key after it stays true with a window",
                  window_of_both_sides(arena, T, S, mask) },
                { "these are the first keys of the text: a window leaves the most recent ones of each query",
                  first_keys_left(arena, T, S, mask) },
                { "one key too many: the query's own key belongs to the window", library_bias(arena, T, S, wider) },
                { "one key too few in the window", library_bias(arena, T, S, narrower) },
                { "this is turned round: a query sees its own key and those before it, not those after it",
                  reversed(arena, T, S, mask) },
                { "filler stands at the end: the last `padding` keys are hidden, not the first",
                  filler_in_front(arena, T, S, mask) },
                { "a row that has nothing to see is -INFINITY all along; what becomes of it is not the mask's business",
                  empty_rows_opened(arena, right) },
                { "these are the last keys of the text: each query has a window of its own, which ends at the query",
                  last_keys_left(arena, T, S, mask) },
                { "filler is hidden, and counts in the window all the same: a window ends at its query, filler or not",
                  window_before_filler(arena, T, S, mask) },
                { "a bias is added to a score: 0 for what is seen, and not 1", written(arena, right, 1.0f, 0.0f) },
                { arena_format(
                      arena,
                      number < -100.0f
                          ? "%g is large, not infinite: -INFINITY gives a weight of exactly 0, and a row that is "
                            "all hidden shows"
                          : "%g is a number, not -INFINITY: a key with a good score is still seen a little",
                      (double)number),
                  written(arena, right, 0.0f, number) },
                { "0 and -INFINITY have changed places: 0 is for a key that is seen",
                  written(arena, right, -INFINITY, 0.0f) },
                { "the sign: +INFINITY is a score that nothing can beat; a hidden key gets -INFINITY",
                  written(arena, right, 0.0f, INFINITY) },
                { "0 times infinity is NaN: a seen key's 0 must be written, it cannot be made by multiplying",
                  written(arena, right, NAN, -INFINITY) },
                { "window 0 means that there is no window", nothing },
                { "T and S have changed places: the last query stands at the last key, S - 1",
                  bias_from(arena, T, S, T - S, mask) },
                { "filler counts in S: the queries stand where they stand, with and without it",
                  bias_from(arena, T, S, S - T - padding, mask) },
                { "the rows of filler are hidden as well: a mask hides keys, and a query of filler may see what it likes",
                  filler_rows_hidden(arena, T, S, mask) } } });
}

static void alibi_of(Judge *judge, int T, int S, float slope)
{
    Arena *arena = judge->arena;
    Random random = random_from(5);
    Mat scores = mat_new(arena, T, S), got = judge_output(judge, T, S);
    random_normals(&random, scores);
    *mat_ref(scores, 0, S - 1) = -INFINITY;
    Mat bias = library_bias(arena, T, S, (Mask){ .alibi = slope });
    mat_set(got, scores);
    Mat plain = library_bias(arena, T, S, (Mask){ .alibi = 1.0f }), times = mat_copy(arena, scores);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(times, i, j) *= -*mat_ref(bias, i, j);
    judge_trying(judge, "my_alibi of %d queries and %d keys, slope %g", T, S, (double)slope);
    my_alibi(got, slope);
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = sum_of(arena, scores, bias, 1.0f),
                     .hints = { .property = own_keys(got, scores),
                                .question = "where does query i stand, and how many words away is key j?",
                                .formula = "s_ij becomes s_ij - slope · |p - j|, with p = i + S - T" },
                     .mistakes = {
                         { "no score has changed: my_alibi is still the stub, or all that it takes away is 0", scores },
                         { "the score is replaced; the bias must be added to it", bias },
                         { "the sign: distance lowers a score", sum_of(arena, scores, bias, -1.0f) },
                         { "a distance has no sign: a key after the query is as far as one before it",
                           sum_of(arena, scores, signed_bias(arena, T, S, slope), 1.0f) },
                         { "keys after the query have a distance, too, and get their bias",
                           scores_before(arena, scores, slope, false) },
                         { "ALiBi itself hides nothing: keys after the query get a bias, too",
                           scores_before(arena, scores, slope, true) },
                         { "the distance alone is taken away, without the slope", sum_of(arena, scores, plain, 1.0f) },
                         { "slope is a factor: the steeper, the more is taken away; here the distance is divided by it",
                           sum_of(arena, scores, library_bias(arena, T, S, (Mask){ .alibi = 1.0f / slope }), 1.0f) },
                         { "keys before the query have a distance, too, and get their bias",
                           scores_after(arena, scores, slope) },
                         { "this is the distance from the last key; what counts is the distance from the query",
                           from_the_end(arena, scores, slope) },
                         { "the score is multiplied; slope · distance must be taken away from it", times },
                         { "T and S have changed places: query i stands at position i + S - T",
                           sum_of(arena, scores, bias_from(arena, T, S, T - S, (Mask){ .alibi = slope }), 1.0f) },
                         { "query i stands at position i + S - T",
                           sum_of(arena, scores, bias_from(arena, T, S, 0, (Mask){ .alibi = slope }), 1.0f) } } });
}

static void check(Judge *judge)
{
    bias_of(judge, 4, 4, 0, 0);
    bias_of(judge, 3, 12, 0, 0);
    bias_of(judge, 1, 5, 0, 0);
    bias_of(judge, 6, 6, 1, 0);
    bias_of(judge, 6, 6, 3, 0);
    bias_of(judge, 3, 8, 2, 0);
    bias_of(judge, 3, 8, 4, 0);
    bias_of(judge, 4, 4, 0, 2);
    bias_of(judge, 5, 9, 3, 2);
    bias_of(judge, 2, 3, 0, 3);
    bias_of(judge, 1, 1, 0, 0);
    alibi_of(judge, 4, 4, 0.5f);
    alibi_of(judge, 2, 7, 0.25f);
}

int main(void) { return judge_main("05a", check); }
