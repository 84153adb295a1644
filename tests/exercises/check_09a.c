// Exercise 09a: my_induction_mass and my_fixed_offset.
#include "base/random.h"
#include "exercises/judge.h"

double my_induction_mass(Mat weights, const int *tokens);
double my_fixed_offset(const int *from, const int *to, int n);

static Mat number(Arena *arena, double value) { return mat_of(arena, 1, 1, (float[]){ (float)value }); }

// The mean of Σ weights[i][j + shift] over rows with an earlier equal token; or over all rows.
static double mass(Mat weights, const int *tokens, int shift, bool all_rows)
{
    double sum = 0.0;
    int rows = 0;
    for (int i = 0; i < weights.rows; i++) {
        bool found = false;
        for (int j = 0; j < i; j++) {
            if (tokens[j] != tokens[i]) continue;
            sum += (double)*mat_ref(weights, i, j + shift);
            found = true;
        }
        rows += found || all_rows;
    }
    return rows ? sum / rows : 0.0;
}

static void mass_of(Judge *judge, const char *what, Mat weights, const int *tokens)
{
    judge_trying(judge, "my_induction_mass of %s", what);
    double got = my_induction_mass(weights, tokens);
    judge_answer(judge, (Answer){
        .got = number(judge->arena, got), .expected = number(judge->arena, mass(weights, tokens, 1, false)),
        .hints.question = "for each row i, go through j = 0 … i − 1; where tokens[j] == tokens[i], add weights[i][j + "
                          "1]",
        .mistakes = { { "this is the weight on the same token: induction looks at what came after it, j + 1",
                        number(judge->arena, mass(weights, tokens, 0, false)) },
                      { "this divides by all rows: rows whose token is new do not count",
                        number(judge->arena, mass(weights, tokens, 1, true)) } } });
}

static void offset_of(Judge *judge, const char *what, const int *from, const int *to, int n, double expected)
{
    judge_trying(judge, "my_fixed_offset of %s", what);
    judge_number(judge, my_fixed_offset(from, to, n), expected,
                 "count, for every o from −23 to 23, how many r have to[r] − from[r] == o; the largest count / n");
}

static void check(Judge *judge)
{
    Mat small = mat_of(judge->arena, 3, 3, (float[]){ 1, 0, 0, 0.5f, 0.5f, 0, 0.125f, 0.625f, 0.25f });
    mass_of(judge, "the tokens 4 7 4", small, (int[]){ 4, 7, 4 });
    mass_of(judge, "the tokens 4 4 4", small, (int[]){ 4, 4, 4 });
    mass_of(judge, "the tokens 1 2 3: none stood there before", small, (int[]){ 1, 2, 3 });
    enum { T = 12 };
    Random random = random_from(9);
    Mat large = mat_new(judge->arena, T, T);
    int tokens[T];
    for (int i = 0; i < T; i++) {
        tokens[i] = i % 5;
        for (int j = 0; j <= i; j++) *mat_ref(large, i, j) = random_uniform(&random) / (float)(i + 1);
    }
    mass_of(judge, "12 tokens, 0 1 2 3 4 over and over", large, tokens);

    offset_of(judge, "one relation, from 3 to 5", (int[]){ 3 }, (int[]){ 5 }, 1, 1.0);
    offset_of(judge, "four relations, the offsets 1, 1, -2, 1", (int[]){ 1, 4, 9, 6 }, (int[]){ 2, 5, 7, 7 }, 4, 0.75);
    offset_of(judge, "four relations, the offsets -9, -9, 3, 2", (int[]){ 9, 11, 1, 2 }, (int[]){ 0, 2, 4, 4 }, 4, 0.5);
    offset_of(judge, "the offsets 0, -23, 23", (int[]){ 5, 23, 0 }, (int[]){ 5, 0, 23 }, 3, 1.0 / 3.0);
}

int main(void) { return judge_main("09a", check); }
