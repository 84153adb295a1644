// Exercise 14a: my_tile and my_tile_is_needed.
#include "attention/tiled.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Tile(Mat out, Mat max, Mat sum, Mat scores, Mat v);
typedef bool Rule(int i, int queries, int j, int keys, int T, int S);
Tile my_tile;
Rule my_tile_is_needed;

// ---- my_tile: one tile after the other. What is known of a query is a row of one matrix, max | sum | out.

enum { NONE, CAUSAL, LATE }; // which keys are out of sight: none, those after the query, or the first ones of query 0

static const struct {
    const char *what;
    int T, S, dv, keys, hidden;
} tiles[] = { { "all keys in one tile", 2, 4, 2, 4, NONE },
              { "scores at random", 5, 17, 3, 4, NONE },
              { "keys out of sight", 2, 6, 2, 2, LATE },
              { "causal", 7, 7, 2, 3, CAUSAL } };

static void tile_case(Judge *judge, Function f, int n)
{
    int T = tiles[n].T, S = tiles[n].S, dv = tiles[n].dv, step = tiles[n].keys;
    Random random = random_from((uint64_t)(T * S));
    Mat state = judge_output(judge, T, 2 + dv), scores = judge_random(judge, &random, T, S);
    Mat v = judge_random(judge, &random, S, dv);
    for (int j = 0; j < S; j++) {
        bool nobody = tiles[n].hidden == LATE && (j == 1 || j == 2 || j == 4); // sees it
        if (nobody) mat_fill(mat_rows(v, j, 1), NAN);
        for (int i = 0; i < T; i++) {
            bool hidden = nobody || (tiles[n].hidden == CAUSAL ? j > i : tiles[n].hidden == LATE && i + j == 0);
            if (hidden) *mat_ref(scores, i, j) = -INFINITY;
        }
    }
    mat_fill(state, 0.0f);
    mat_fill(mat_cols(state, 0, 1), -INFINITY);
    judge_trying(judge, "my_tile, %s: %d queries, %d keys in tiles of %d; max, sum and out side by side", tiles[n].what,
                 T, S, step);
    for (int j = 0; j < S; j += step) {
        int count = step < S - j ? step : S - j;
        ((Tile *)f)(mat_cols(state, 2, dv), mat_cols(state, 0, 1), mat_cols(state, 1, 1), mat_cols(scores, j, count),
                    mat_rows(v, j, count));
    }
}

enum { RIGHT, STUB, OUT_KEPT, SUM_KEPT, NO_CASE, HIDDEN_ADDED };

static void faulty_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v)
{
    const int fault = judge_fault;
    for (int r = 0; r < scores.rows && fault != STUB; r++) {
        float old = *mat_ref(max, r, 0), new = old, add = 0.0f;
        Mat o = mat_rows(out, r, 1);
        for (int c = 0; c < scores.cols; c++) new = fmaxf(new, *mat_ref(scores, r, c));
        if (new == -INFINITY && fault != NO_CASE) continue;
        float factor = expf(old - new);
        for (int e = 0; e < v.cols && fault != OUT_KEPT; e++) o.at[e] *= factor;
        for (int c = 0; c < scores.cols; c++) {
            float score = *mat_ref(scores, r, c), weight = expf(score - new);
            if (score == -INFINITY && fault != HIDDEN_ADDED) continue;
            add += weight;
            for (int e = 0; e < v.cols; e++) o.at[e] += weight * *mat_ref(v, c, e);
        }
        *mat_ref(sum, r, 0) = *mat_ref(sum, r, 0) * (fault == SUM_KEPT ? 1.0f : factor) + add;
        *mat_ref(max, r, 0) = new;
    }
}

static const int shapes[][2] = { { 12, 12 }, { 7, 18 }, { 10, 10 }, { 18, 7 }, { 1, 9 } };
enum { SIDE = 4 };

static void rule_case(Judge *judge, Function f, int n)
{
    int T = shapes[n][0], S = shapes[n][1];
    Mat needed = judge_output(judge, (T + SIDE - 1) / SIDE, (S + SIDE - 1) / SIDE);
    judge_trying(judge, "my_tile_is_needed, T = %d, S = %d, every tile of 4 × 4 (1: needed)", T, S);
    for (int i = 0; i < T; i += SIDE)
        for (int j = 0; j < S; j += SIDE)
            *mat_ref(needed, i / SIDE, j / SIDE) =
                ((Rule *)f)(i, T - i < SIDE ? T - i : SIDE, j, S - j < SIDE ? S - j : SIDE, T, S);
}

static bool right_rule(int i, int queries, int j, int keys, int T, int S)
{
    return tile_kind((Mask){ .causal = true }, (MaskRange){ i, queries }, (MaskRange){ j, keys }, T, S) != TILE_EMPTY;
}

#define RULE(name, is_needed) \
    static bool name(int i, int queries, int j, int keys, int T, int S) \
    { \
        int first = i + S - T, last = first + queries - 1; \
        (void)last, (void)j, (void)keys; \
        return is_needed; \
    }
RULE(never, false)
RULE(always, true)
RULE(top_left, j <= i + queries - 1)
RULE(first_decides, j <= first)

static const Task tasks[] = {
    { AS(Tile, my_tile), AS(Tile, faulty_tile), tile_case, COUNT(tiles), .faulty = AS(Tile, faulty_tile),
      .hints = { { NULL,
                   "what does a larger maximum do to all that was summed before this tile, and what does the tile "
                   "itself add?",
                   "m′ = max(m, s₁ … sₙ);  l′ = exp(m − m′) l + Σ exp(sⱼ − m′);  o′ = exp(m − m′) o + "
                   "Σ exp(sⱼ − m′) vⱼ" } },
      .wrong = { FAULT(STUB, "nothing has changed: it is still the stub"),
                 FAULT(OUT_KEPT, "the sum is rescaled and out is not: a larger maximum is a new measure for both"),
                 FAULT(SUM_KEPT, "out is rescaled and the sum is not: a larger maximum is a new measure for both"),
                 FAULT(NO_CASE,
                       "-INFINITY - -INFINITY is NaN: a query that has seen nothing yet needs a case of its own"),
                 FAULT(HIDDEN_ADDED, "the value of a key out of sight is used: 0 · NaN is NaN") } },
    { AS(Rule, my_tile_is_needed), AS(Rule, right_rule), rule_case, COUNT(shapes),
      .hints = { { "the first wrong tile begins at query 4 · row and key 4 · column",
                   "which query of the tile reaches furthest, and which key is the easiest to reach?" } },
      .wrong = { { AS(Rule, never), "no tile is fetched, and some have a pair in sight" },
                 { AS(Rule, always), "this fetches every tile: right, and twice the work" },
                 { AS(Rule, top_left), "this mask is aligned top-left: query i stands at i + S − T" },
                 { AS(Rule, first_decides), "the first query of the tile does not decide: the last one sees more" } } },
};
EXERCISE("14a", tasks)
