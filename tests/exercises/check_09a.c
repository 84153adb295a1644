// Exercise 09a: my_induction_mass and my_fixed_offset.
#include "exercises/judge.h"
#include "language/head_roles.h"

typedef double Mass(Mat weights, const int *tokens);
typedef double Offset(const int *from, const int *to, int n);
Mass my_induction_mass;
Offset my_fixed_offset;

static const struct {
    const char *what;
    int T;
    int tokens[12];
} maps[] = {
    { "the tokens 7 4 9 4", 4, { 7, 4, 9, 4 } },
    { "the tokens 4 7 4", 3, { 4, 7, 4 } },
    { "the tokens 4 4 4", 3, { 4, 4, 4 } },
    { "the tokens 7 4 4", 3, { 7, 4, 4 } },
    { "the tokens 1 2 3: none stood there before", 3, { 1, 2, 3 } },
    { "12 tokens, 0 1 2 3 4 over and over", 12, { 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1 } },
};

static void mass_case(Judge *judge, Function f, int n)
{
    int T = maps[n].T;
    Random random = random_from(9);
    Mat weights = judge_random_view(judge, &random, T, T);
    judge_trying(judge, "my_induction_mass of %s", maps[n].what);
    judge_result(judge, ((Mass *)f)(weights, maps[n].tokens));
}

static double right_mass(Mat weights, const int *tokens)
{
    HeadScores scores = { 0 };
    head_role_add_map(&scores, weights, tokens);
    return scores.stats[HEAD_STAT_INDUCTION].count ? head_mean_value(scores.stats[HEAD_STAT_INDUCTION]) : 0.0;
}

enum { SAME = 1, ALL_ROWS, SUM, LAST_TIME, NOT_ITSELF, END_TO_END };

static double faulty_mass(Mat weights, const int *tokens)
{
    const int fault = judge_fault;
    double sum = 0.0;
    int rows = 0;
    for (int i = 0; i < weights.rows; i++) {
        double row = 0.0;
        int places = 0;
        for (int j = 0; j < i; j++) {
            int at = fault == SAME ? j : j + 1;
            if (tokens[j] != tokens[i]) continue;
            if (fault == NOT_ITSELF && at == i) continue;
            const float *weight = fault == END_TO_END ? weights.at + i * weights.cols + at : mat_ref(weights, i, at);
            row = (fault == LAST_TIME ? 0.0 : row) + (double)*weight;
            places++;
        }
        sum += row;
        rows += places > 0 || fault == ALL_ROWS;
    }
    return fault == SUM || rows == 0 ? sum : sum / rows;
}

static const struct {
    const char *what;
    int n, from[6], to[6];
} relations[] = {
    { "three relations, all of offset 4", 3, { 3, 5, 6 }, { 7, 9, 10 } },
    { "four relations, the offsets 1, 1, 2, 4", 4, { 8, 3, 5, 2 }, { 9, 4, 7, 6 } },
    { "four relations, the offsets 1, -1, -1, 2", 4, { 1, 5, 8, 6 }, { 2, 4, 7, 8 } },
    { "three relations, the offsets 1, 3, 3", 3, { 8, 3, 5 }, { 9, 6, 8 } },
    { "four relations, the offsets 1, 1, -2, 1", 4, { 1, 4, 9, 6 }, { 2, 5, 7, 7 } },
};

static void offset_case(Judge *judge, Function f, int n)
{
    judge_trying(judge, "my_fixed_offset of %s", relations[n].what);
    judge_result(judge, ((Offset *)f)(relations[n].from, relations[n].to, relations[n].n));
}

// The distances from `first` to `last`, those for which `counts` holds; `best` relations have the commonest.
#define OFFSET(name, first, last, counts, result) \
    static double name(const int *from, const int *to, int n) \
    { \
        int best = 0; \
        for (int o = first; o <= (last); o++) { \
            int hits = 0; \
            for (int r = 0; r < n; r++) hits += counts; \
            if (hits > best) best = hits; \
        } \
        return result; \
    }
OFFSET(right_offset, -23, 23, to[r] - from[r] == o, (double)best / n)
OFFSET(counted, -23, 23, to[r] - from[r] == o, best)
OFFSET(forwards, 0, 23, to[r] - from[r] == o, (double)best / n)
OFFSET(whole_numbers, -23, 23, to[r] - from[r] == o, (double)(best / n))
OFFSET(of_the_first, to[0] - from[0], to[0] - from[0], to[r] - from[r] == o, (double)best / n)

static const Task tasks[] = {
    { AS(Mass, my_induction_mass), AS(Mass, right_mass), mass_case, COUNT(maps), .faulty = AS(Mass, faulty_mass),
      .hints = { { NULL, "take one such row: in which columns does what followed its token stand?",
                   "(1 / n) Σᵢ Σⱼ wᵢ,ⱼ₊₁ over the n rows i that count and all j < i with tokenⱼ = tokenᵢ" } },
      .wrong = { FAULT(SAME, "this is the weight on the same token: induction looks at what came after it"),
                 FAULT(ALL_ROWS,
                       "this divides by all rows: rows whose token is new do not count; or is j = i taken for "
                       "an earlier place?"),
                 FAULT(SUM, "this is the sum over the rows: the mean is asked for"),
                 FAULT(LAST_TIME, "the token may have stood there more than once: this counts the last time only"),
                 FAULT(NOT_ITSELF, "what followed may be the row itself, when its token stood there just before: that "
                                   "counts, too"),
                 FAULT(END_TO_END, "this reads weights as if its rows had no gap between them: *mat_ref(weights, i, j) "
                                   "knows the stride") } },
    { AS(Offset, my_fixed_offset), AS(Offset, right_offset), offset_case, COUNT(relations),
      .hints = { { NULL, "how many relations have the same distance from `from` to `to`, for the commonest one?",
                   "maxₒ |{ r : toᵣ − fromᵣ = o }| / n" } },
      .wrong = { { AS(Offset, counted), "this is a count: divide by n" },
                 { AS(Offset, forwards), "some relations lead back: distances below 0 count, too" },
                 { AS(Offset, whole_numbers),
                   "where this divides two whole numbers, C drops what stands behind the point" },
                 { AS(Offset, of_the_first),
                   "this is how often the distance of the first relation is found: another one is commoner" } } },
};
EXERCISE("09a", tasks)
