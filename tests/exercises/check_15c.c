// Exercise 15c: my_predictions. What can be counted is counted; no answer is printed.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/tiled.h"
#include "base/cost.h"
#include "exercises/judge.h"

extern double my_predictions[7];

enum { T = 192, SIDE = 64, KNOWN = 8 };
typedef struct {
    double wrong;
    const char *words;
} Known;
typedef struct {
    double right;
    Known known[KNOWN];
    Hints hints;
} Question;

static double multiplies_of_fast(Arena *arena, int S, int d, int dv)
{
    Mat q = mat_new(arena, T, d), k = mat_new(arena, S, d), v = mat_new(arena, S, dv), out = mat_new(arena, T, dv);
    mat_fill(q, 1.0f);
    mat_fill(mat_rows(k, S - SIDE, SIDE), 60.0f);
    Cost before = cost_counted;
    attention_fast((Attended){ .out = out }, q, k, v, (Mask){ 0 });
    return (double)cost_since(before).multiplies;
}

static double pairs_in_tiles(void)
{
    double pairs = 0;
    for (int i = 0; i < T; i += SIDE)
        for (int j = 0; j < T; j += SIDE)
            if (tile_kind((Mask){ .causal = true }, (MaskRange){ i, SIDE }, (MaskRange){ j, SIDE }, T, T) != TILE_EMPTY)
                pairs += SIDE * SIDE;
    return pairs;
}

static void ask(Judge *judge, int n, Question q)
{
    double said = my_predictions[n], near = q.right < 1 ? 0.005 : 1e-6; // 0.83 is near enough to 5/6
    judge_trying(judge, "prediction %d: %.10g", n + 1, said);
    judge_claim(judge, said >= 0, (Hints){ .property = "nothing is predicted yet" });
    for (int e = 0; e < KNOWN && q.known[e].words; e++)
        judge_claim(judge, fabs(said - q.known[e].wrong) > near * q.known[e].wrong,
                    (Hints){ .property = q.known[e].words, .question = q.hints.question, .formula = q.hints.formula });
    if (!q.hints.property) q.hints.property = said > q.right ? "it is less" : "it is more";
    judge_claim(judge, fabs(said - q.right) <= near * q.right, q.hints);
}

static void check(Judge *judge)
{
    const double TT = T, S = 256, d = 32, dv = 16;
    ask(judge, 0,
        (Question){ 2 + 3,
                    { { 6, "these are the multiply-adds: each number meets each vector" },
                      { 12, "each is loaded once, and kept for all that it meets" },
                      { 3, "these are the vectors alone: numbers are loaded, too" },
                      { 2, "these are the numbers alone: vectors are loaded, too" } },
                    { .question = "what stays in a register during a step?", .formula = "numbers + vectors" } });
    ask(judge, 1,
        (Question){ 5.0 / 6,
                    { { 6.0 / 5, "this is multiply-adds for each load" },
                      { 5.0, "these are the loads of a step: share them out" },
                      { 5.0 / 2, "this is loads for each number: it meets three vectors" },
                      { 5.0 / 3, "this is loads for each vector: it meets two numbers" } },
                    { .question = "how many multiply-adds are in a step?",
                      .formula = "(numbers + vectors) / (numbers · vectors)" } });
    ask(judge, 2,
        (Question){ 6 + 3 + 1,
                    { { 9, "the spread number needs a register, too" },
                      { 6, "these are the sums alone" },
                      { 11, "numbers are spread one at a time: one register serves both" },
                      { 7, "the vectors need registers, too: each number meets all of them" },
                      { 8, "the vectors need registers, too: each number meets all of them" } },
                    { .question = "what is alive while one number meets the vectors?",
                      .formula = "numbers · vectors + vectors + 1" } });
    ask(judge, 3,
        (Question){ 50,
                    { { 100, "that takes two new multiply-adds in every cycle: are there so many that "
                             "wait for nothing?" },
                      { 12.5, "that is one sum alone" },
                      { 25, "that is one multiply-add in two cycles: how many sums are there?" },
                      { 400, "no core does more than it can" },
                      { 200, "no core does more than it can" },
                      { 0.5, "in percent" } },
                    { .question = "how many multiply-adds end in four cycles, and how many could?",
                      .formula = "sums / (4 · 2)" } });
    ask(judge, 4,
        (Question){
            100,
            { { 150, "no core does more than it can" },
              { 300, "no core does more than it can" },
              { 75, "how many sums keep such a core busy?" },
              { 1, "in percent" } },
            { .question = "how many must be under way for all of the core?", .formula = "min(1, sums / (4 · 2))" } });
    ask(judge, 5,
        (Question){ multiplies_of_fast(judge->arena, (int)S, (int)d, (int)dv),
                    { { TT * S * (d + dv), "the last 64 keys are looked at twice, by every query" },
                      { 2 * TT * S * (d + dv), "these are floating-point operations: a multiply-add is two of them" },
                      { 2 * (TT * S * (d + dv) + TT * SIDE * d),
                        "these are floating-point operations: a multiply-add is two of them" },
                      { TT * S * d + TT * SIDE * d, "these are the scores alone: values are mixed, too" },
                      { TT * S * (d + dv) + SIDE * d, "so much for one query: every one looks at the last keys twice" },
                      { S * (d + dv) + SIDE * d, "so much for one query: there are T of them" },
                      { 2 * TT * S * d + TT * S * dv, "the last 64 keys are scored twice, not all of them" },
                      { TT * S * (d + dv) + TT * SIDE * (d + dv),
                        "the last keys are scored twice; their values are mixed once" } },
                    { .question = "d for each score, dv for each output: of how many pairs?",
                      .formula = "T·S·(d + dv) + T·64·d" } });
    ask(judge, 6,
        (Question){
            pairs_in_tiles(),
            { { TT * (TT + 1) / 2, "these are the pairs in sight: a tile that the mask cuts is worked on in full" },
              { TT * (TT - 1) / 2,
                "a query sees its own key, too; and a tile that the mask cuts is worked on in full" },
              { TT * TT, "these are all pairs: three tiles are empty" },
              { TT * TT / 2, "half of all pairs: which tiles are empty, and which are cut?" },
              { 6, "these are tiles: how many pairs are in one?" },
              { 9, "so many tiles are there in all; pairs are asked for, of those that are not empty" },
              { 3 * SIDE * SIDE,
                "these are the pairs of three tiles: those that are cut count, and those in full sight" } },
            { .question = "how many of the nine tiles hold a pair in sight?",
              .formula = "n·(n + 1) / 2 tiles, n = T / 64" } });
}

int main(void) { return judge_main("15c", check); }
