// Exercise 14a: my_tile and my_tile_is_needed.
#include "attention/mask.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v);
bool my_tile_is_needed(int i, int queries, int j, int keys, int T, int S);

// ---- my_tile. The state of every query is one matrix, max | sum | out, and what the reader gets are views of it.

typedef enum {
    RIGHT,
    OUT_NOT_RESCALED,
    SUM_NOT_RESCALED,
    NEITHER_RESCALED,
    MAX_OF_THE_TILE,
    MAX_NOT_KEPT,
    DIVIDED,
    UPSIDE_DOWN,
    NO_CASE_FOR_NOTHING,
    HIDDEN_ADDED,
    OLD_MEASURE,
    NO_MEASURE,
    FORGOTTEN,
    FROM_ZERO,
    NO_VALUES,
    FIRST_VALUE,
    COUNTED,
    LAST_LEFT_OUT,
    ONE_MAXIMUM,
    RESCALED_EACH_KEY,
    VALUE_OF_QUERY,
    ENDS_AT_NOTHING,
    SUM_ANEW,
    ONE_RESCALED,
    ENDS_AT_HIDDEN,
    QUOTIENTS,
    SIGN,
    ONE_COLUMN,
    ONE_QUERY,
    HOWS
} How;

static float largest(Mat scores, int r, float from)
{
    for (int c = 0; c < scores.cols; c++) from = fmaxf(from, *mat_ref(scores, r, c));
    return from;
}

static float smallest(Mat scores)
{
    float least = INFINITY;
    for (int r = 0; r < scores.rows; r++)
        for (int c = 0; c < scores.cols; c++) least = fminf(least, *mat_ref(scores, r, c));
    return least;
}

static float weighed(float score, float measure, How how)
{
    if (how == QUOTIENTS) return expf(score) / expf(measure);
    return how == SIGN ? expf(measure - score) : expf(score - measure);
}

// The tile as it should be taken in, or with one well-known mistake.
static void take_tile(Mat state, Mat scores, Mat v, How how)
{
    for (int r = 0; r < (how == ONE_QUERY ? 1 : scores.rows); r++) {
        float *max = mat_ref(state, r, 0), *sum = mat_ref(state, r, 1), old = *max, add = 0.0f;
        float new = largest(scores, r, how == MAX_OF_THE_TILE ? -INFINITY : how == FROM_ZERO ? fmaxf(old, 0.0f) : old);
        int keys = how == LAST_LEFT_OUT ? scores.cols - 1 : scores.cols;
        for (int q = 0; q < scores.rows && how == ONE_MAXIMUM; q++) new = largest(scores, q, new);
        if (new == -INFINITY && how == ENDS_AT_NOTHING) return;
        if (new == -INFINITY && how != NO_CASE_FOR_NOTHING) continue;
        float rescale = how == UPSIDE_DOWN ? expf(new - old) : expf(old - new);
        if (how == UPSIDE_DOWN && old == -INFINITY) rescale = 1.0f;
        float of_sum = how == SUM_NOT_RESCALED || how == NEITHER_RESCALED ? 1.0f : rescale;
        float of_out = how == OUT_NOT_RESCALED || how == NEITHER_RESCALED ? 1.0f : rescale;
        if (how == FORGOTTEN) of_sum = of_out = 0.0f;
        if (how == SUM_ANEW) of_sum = 0.0f;
        for (int c = 0; c < keys && how == ENDS_AT_HIDDEN; c++)
            if (*mat_ref(scores, r, c) == -INFINITY) keys = c;
        float measure = how == OLD_MEASURE ? old : how == NO_MEASURE ? 0.0f : new;
        for (int c = 0; c < keys; c++)
            if (*mat_ref(scores, r, c) > -INFINITY) {
                if (how == RESCALED_EACH_KEY) add *= rescale;
                add += how == COUNTED ? 1.0f : weighed(*mat_ref(scores, r, c), measure, how);
                if (how == RESCALED_EACH_KEY && c > 0) of_sum *= rescale;
            }
        if (how != MAX_NOT_KEPT) *max = new;
        *sum = *sum * of_sum + add;
        for (int n = 0; n < v.cols; n++) {
            float *out = mat_ref(state, r, 2 + n), more = 0.0f;
            for (int c = 0; c < keys; c++)
                if (*mat_ref(scores, r, c) > -INFINITY || how == HIDDEN_ADDED) {
                    int row = how == FIRST_VALUE ? 0 : how == VALUE_OF_QUERY && r < v.rows ? r : c;
                    if (how == RESCALED_EACH_KEY) more *= rescale;
                    float value = how == NO_VALUES ? 1.0f : *mat_ref(v, row, how == ONE_COLUMN ? 0 : n);
                    more += weighed(*mat_ref(scores, r, c), measure, how) * value;
                }
            bool as_it_is = how == ONE_RESCALED && n > 0;
            *out = *out * (how == RESCALED_EACH_KEY ? of_sum : as_it_is ? 1.0f : of_out) + more;
            if (how == DIVIDED) *out /= *sum;
        }
    }
}

static void begin(Mat state)
{
    mat_fill(state, 0.0f);
    mat_fill(mat_cols(state, 0, 1), -INFINITY);
}

static Mat all_tiles(Judge *judge, int rows, Mat scores, Mat v, int keys, How how)
{
    Mat state = mat_new(judge->arena, rows, 2 + v.cols);
    begin(state);
    for (int j = 0; j < scores.cols; j += keys) {
        int count = keys < scores.cols - j ? keys : scores.cols - j;
        take_tile(state, mat_cols(scores, j, count), mat_rows(v, j, count), how);
    }
    return state;
}

// The first of the three that is not right, in words. NaN where a key is hidden has its own causes.
static Hints hints_of(Arena *arena, Mat got, Mat want, Mat scores)
{
    static const char *const names[] = { "max", "sum", "out" };
    Hints hints = { .question =
                        "what does a larger maximum do to all that was summed before this tile, and what does the tile "
                        "itself add?",
                    .formula = "m′ = max(m, s₁ … sₙ);  l′ = exp(m − m′) l + Σ exp(sⱼ − m′);  o′ = exp(m − m′) o + "
                               "Σ exp(sⱼ − m′) vⱼ" };
    for (int c = 0; c < got.cols; c++)
        for (int r = 0; r < got.rows; r++) {
            float at = *mat_ref(got, r, c), right = *mat_ref(want, r, c);
            const char *what = names[c < 2 ? c : 2];
            if (at == right || fabsf(at - right) <= 1e-5f * fmaxf(1.0f, fabsf(right))) continue;
            hints.property = arena_format(arena,
                                          "%s of query %d is the first that is wrong: %.4g, and over all keys "
                                          "so far it is %.4g",
                                          what, r, (double)at, (double)right);
            if (!isnan(at)) return hints;
            bool hidden = smallest(scores) == -INFINITY;
            hints.property = arena_format(arena, "%s of query %d is the first that is wrong: it is NaN%s", what, r,
                                          hidden ? ". Where is −∞ taken from −∞, or the value of a hidden key "
                                                   "multiplied?"
                                                 : "");
            if (!hidden) return hints;
            hints.question = "what does a key with score −∞ add? And what is the factor of a query that has seen "
                             "nothing yet?";
            hints.formula = "a score of −∞ adds nothing, whatever m′ is; and exp(m − m′) is 0 for m = −∞, even where "
                            "m′ is −∞, too";
            return hints;
        }
    return hints;
}

// scores (queries, S) in tiles of `keys` keys, one after the other.
static void tiles_of(Judge *judge, const char *what, Mat scores, int dv, int keys)
{
    Random random = random_from((uint64_t)(100 * scores.cols + keys));
    Mat v = mat_new(judge->arena, scores.cols, dv), got = judge_output(judge, scores.rows, 2 + dv);
    random_normals(&random, v);
    for (int j = 0; j < scores.cols; j++) // the value of a key that nobody sees is no number
        for (int r = 0, seen = 0; r < scores.rows; r++) {
            seen += *mat_ref(scores, r, j) > -INFINITY;
            if (r == scores.rows - 1 && !seen) mat_fill(mat_rows(v, j, 1), NAN);
        }
    begin(got);
    judge_trying(judge, "my_tile, %s: %d quer%s, %d keys in tiles of %d; max, sum and out side by side", what,
                 scores.rows, scores.rows == 1 ? "y" : "ies", scores.cols, keys);
    for (int j = 0; j < scores.cols; j += keys) {
        int count = keys < scores.cols - j ? keys : scores.cols - j;
        my_tile(mat_cols(got, 2, dv), mat_cols(got, 0, 1), mat_cols(got, 1, 1), mat_cols(scores, j, count),
                mat_rows(v, j, count));
    }
    Mat wrong[HOWS], nothing = mat_new(judge->arena, scores.rows, 2 + dv);
    begin(nothing);
    Mat infinite = mat_new(judge->arena, scores.rows, 2 + dv); // exp(new − old), and old is −INFINITY
    mat_fill(infinite, NAN);
    for (How how = RIGHT; how < HOWS; how++) wrong[how] = all_tiles(judge, scores.rows, scores, v, keys, how);
    Mat nothing_added = mat_new(judge->arena, scores.rows, 2 + dv);
    for (int i = 0; i < scores.rows; i++) {
        *mat_ref(infinite, i, 0) = *mat_ref(wrong[RIGHT], i, 0);
        *mat_ref(nothing_added, i, 0) = *mat_ref(wrong[RIGHT], i, 0);
    }
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = wrong[RIGHT],
            .hints = hints_of(judge->arena, got, wrong[RIGHT], scores),
            .mistakes = {
                { "nothing has changed: it is still the stub", nothing },
                { "the sum is rescaled and out is not: a larger maximum is a new measure for both",
                  wrong[OUT_NOT_RESCALED] },
                { "out is rescaled and the sum is not: a larger maximum is a new measure for both",
                  wrong[SUM_NOT_RESCALED] },
                { "neither sum nor out is rescaled when the maximum grows. Has max been overwritten before its "
                  "old value was needed?",
                  wrong[NEITHER_RESCALED] },
                { "the tile adds exp(score), measured against nothing: take the new maximum away first",
                  wrong[NO_MEASURE] },
                { "what earlier tiles gave is lost: a tile adds to sum and out", wrong[FORGOTTEN] },
                { "this takes the maximum of the tile alone: it must be the largest of all so far",
                  wrong[MAX_OF_THE_TILE] },
                { "the new maximum is not written to max", wrong[MAX_NOT_KEPT] },
                { "out is divided by the sum after every tile: the division comes once, after the last",
                  wrong[DIVIDED] },
                { "the factor is upside down: it is exp(old max − new max)", wrong[UPSIDE_DOWN] },
                { "-INFINITY - -INFINITY is NaN: a query that has seen nothing yet needs a case of its own",
                  wrong[NO_CASE_FOR_NOTHING] },
                { "the value of a key out of sight is used: 0 · NaN is NaN", wrong[HIDDEN_ADDED] },
                { "the search for the maximum begins at 0: all scores may be negative", wrong[FROM_ZERO] },
                { "out adds the weights and not the values with their weights", wrong[NO_VALUES] },
                { "every key of the tile adds the value of its first key", wrong[FIRST_VALUE] },
                { "the row of v goes with the key, and here with the query", wrong[VALUE_OF_QUERY] },
                { "one maximum for all queries of the tile: each has its own", wrong[ONE_MAXIMUM] },
                { "what was summed up is rescaled at every key: once for a tile, before its keys are added",
                  wrong[RESCALED_EACH_KEY] },
                { "a query that sees nothing of this tile ends it for those after it, too", wrong[ENDS_AT_NOTHING] },
                { "sum counts the keys: each adds its weight", wrong[COUNTED] },
                { "sum begins anew with every tile, and out does not", wrong[SUM_ANEW] },
                { "only the first number of out is rescaled", wrong[ONE_RESCALED] },
                { "a key out of sight ends its row: keys behind it may be in sight", wrong[ENDS_AT_HIDDEN] },
                { "right as long as exp(max) is a number: subtract before exp", wrong[QUOTIENTS] },
                { "the sign: a weight is exp(score − max), and never more than 1", wrong[SIGN] },
                { "every number of out adds the first number of the values", wrong[ONE_COLUMN] },
                { scores.rows > 1 ? "only the first query is brought up to date: a tile has several" : NULL,
                  wrong[ONE_QUERY] },
                { keys >= scores.cols ? "the last key of the tile is left out of the sums" : NULL,
                  wrong[LAST_LEFT_OUT] },
                { keys >= scores.cols ? "max is right, and sum and out are still 0. Before the first tile the "
                                        "factor is 0: is it meant for what the tile adds?"
                                      : NULL,
                  nothing_added },
                { keys >= scores.cols ? "the tile's scores are measured against the maximum before it: the new "
                                        "one must be known first"
                                      : NULL,
                  wrong[OLD_MEASURE] },
                { keys >= scores.cols ? "max is right, and the rest is NaN. Before the first tile max is "
                                        "−INFINITY: what is the factor then?"
                                      : NULL,
                  infinite } } });
}

static Mat random_scores(Judge *judge, int rows, int cols, float size)
{
    Random random = random_from((uint64_t)(rows * cols));
    Mat scores = mat_new(judge->arena, rows, cols);
    random_normals(&random, scores);
    for (int e = 0; e < rows * cols; e++) scores.at[e] *= size;
    return scores;
}

static Mat causal_scores(Judge *judge, int T, int S)
{
    Mat scores = random_scores(judge, T, S, 1.0f);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(scores, i, j) += mask_bias((Mask){ .causal = true }, i, j, T, S);
    return scores;
}

// ---- my_tile_is_needed

typedef bool Rule(int i, int queries, int j, int keys, int T, int S);

static bool last_sees_first(int i, int queries, int j, int keys, int T, int S)
{
    (void)keys;
    return j <= i + queries - 1 + S - T;
}
static bool top_left(int i, int queries, int j, int keys, int T, int S)
{
    (void)keys;
    (void)T;
    (void)S;
    return j <= i + queries - 1;
}
static bool first_sees_first(int i, int queries, int j, int keys, int T, int S)
{
    (void)queries;
    (void)keys;
    return j <= i + S - T;
}
static bool last_sees_last(int i, int queries, int j, int keys, int T, int S)
{
    return j + keys - 1 <= i + queries - 1 + S - T;
}
static bool off_by_one(int i, int queries, int j, int keys, int T, int S)
{
    (void)keys;
    return j <= i + queries + S - T;
}
static bool strict(int i, int queries, int j, int keys, int T, int S)
{
    (void)keys;
    return j < i + queries - 1 + S - T;
}
static bool exchanged(int i, int queries, int j, int keys, int T, int S)
{
    (void)keys;
    return j <= i + queries - 1 + T - S;
}
static bool first_sees_last(int i, int queries, int j, int keys, int T, int S)
{
    (void)queries;
    return j + keys - 1 <= i + S - T;
}
static bool other_side(int i, int queries, int j, int keys, int T, int S)
{
    (void)queries;
    return j + keys - 1 >= i + S - T;
}
static bool out_of_sight(int i, int queries, int j, int keys, int T, int S)
{
    return !last_sees_first(i, queries, j, keys, T, S);
}
static bool by_keys(int i, int queries, int j, int keys, int T, int S)
{
    (void)queries;
    return j <= i + keys - 1 + S - T;
}
static bool cut_alone(int i, int queries, int j, int keys, int T, int S)
{
    return last_sees_first(i, queries, j, keys, T, S) && !first_sees_last(i, queries, j, keys, T, S);
}
static bool never(int i, int queries, int j, int keys, int T, int S)
{
    (void)i;
    (void)queries;
    (void)j;
    (void)keys;
    (void)T;
    (void)S;
    return false;
}
static bool always(int i, int queries, int j, int keys, int T, int S)
{
    (void)i;
    (void)queries;
    (void)j;
    (void)keys;
    (void)T;
    (void)S;
    return true;
}

enum { SIZE = 4 };

// Every tile of a T × S matrix: 1 where the rule wants it.
static void ask(Mat to, Rule *rule, int T, int S)
{
    for (int a = 0; a < to.rows; a++)
        for (int b = 0; b < to.cols; b++) {
            int i = a * SIZE, j = b * SIZE, queries = T - i < SIZE ? T - i : SIZE, keys = S - j < SIZE ? S - j : SIZE;
            *mat_ref(to, a, b) = rule(i, queries, j, keys, T, S) ? 1.0f : 0.0f;
        }
}

static Mat answers(Judge *judge, Rule *rule, int T, int S)
{
    Mat to = mat_new(judge->arena, (T + SIZE - 1) / SIZE, (S + SIZE - 1) / SIZE);
    ask(to, rule, T, S);
    return to;
}

static void needed_of(Judge *judge, int T, int S)
{
    Mat got = judge_output(judge, (T + SIZE - 1) / SIZE, (S + SIZE - 1) / SIZE);
    judge_trying(judge, "my_tile_is_needed, T = %d, S = %d, every tile of 4 × 4 (1: needed)", T, S);
    ask(got, my_tile_is_needed, T, S);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = answers(judge, last_sees_first, T, S),
            .hints = { .property = "the first wrong tile begins at query 4 · row and key 4 · column",
                       .question = "which query of the tile reaches furthest, and which key is the easiest to reach?" },
            .mistakes = {
                { T == S ? "no tile is fetched, and some have a pair in sight"
                         : "this mask is aligned the wrong way round: query i stands at i + S − T, not at i + T "
                           "− S",
                  answers(judge, T == S ? never : exchanged, T, S) },
                { "this mask is aligned top-left: query i stands at i + S − T", answers(judge, top_left, T, S) },
                { "one key too few: a query sees its own position", answers(judge, strict, T, S) },
                { "one key in sight is enough: not all keys of the tile need be seen",
                  answers(judge, last_sees_last, T, S) },
                { "one key too far: a query sees up to its own position, and the last query is i + queries − 1",
                  answers(judge, off_by_one, T, S) },
                { "the first query of the tile does not decide: the last one sees more",
                  answers(judge, first_sees_first, T, S) },
                { "this wants the tiles in which nothing is hidden: one pair in sight is enough",
                  answers(judge, first_sees_last, T, S) },
                { "the mask is on the wrong side: causal is to see what came before",
                  answers(judge, other_side, T, S) },
                { "exactly the other way round: these are the tiles of which nothing is in sight",
                  answers(judge, out_of_sight, T, S) },
                { "these are the tiles that the edge cuts: those in which all is in sight are needed, too",
                  answers(judge, cut_alone, T, S) },
                { "the last query is i + queries − 1: keys say how wide the tile is, and not how tall",
                  answers(judge, by_keys, T, S) },
                { "this fetches every tile: right, and twice the work", answers(judge, always, T, S) } } });
}

static void check(Judge *judge)
{
    Mat rising = mat_of(judge->arena, 1, 6, (float[]){ 0, 1, 2, 3, 4, 5 });
    Mat late = mat_of(judge->arena, 2, 6,
                      (float[]){ -INFINITY, -INFINITY, -INFINITY, 1, -INFINITY, 2, 0, -INFINITY, -INFINITY, -INFINITY,
                                 -INFINITY, -INFINITY });
    tiles_of(judge, "all keys in one tile", random_scores(judge, 2, 4, 1.0f), 2, 4);
    tiles_of(judge, "scores that rise", rising, 2, 2);
    tiles_of(judge, "scores at random", random_scores(judge, 5, 17, 2.0f), 3, 4);
    tiles_of(judge, "keys out of sight", late, 2, 2);
    tiles_of(judge, "causal", causal_scores(judge, 7, 7), 2, 3);
    tiles_of(judge, "scores around 100", random_scores(judge, 4, 9, 100.0f), 2, 2);
    needed_of(judge, 12, 12);
    needed_of(judge, 7, 18);
    needed_of(judge, 10, 10);
    needed_of(judge, 18, 7);
    needed_of(judge, 1, 9);
}

int main(void) { return judge_main("14a", check); }
