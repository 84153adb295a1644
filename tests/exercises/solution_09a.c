// Exercise 09a, solved: the first with the library's own statistic.
#include "language/head_roles.h"

double my_induction_mass(Mat weights, const int *tokens);
double my_induction_mass(Mat weights, const int *tokens)
{
    HeadScores scores = { 0 };
    head_role_add_map(&scores, weights, tokens);
    return scores.stats[HEAD_STAT_INDUCTION].count ? head_mean_value(scores.stats[HEAD_STAT_INDUCTION]) : 0.0;
}

double my_fixed_offset(const int *from, const int *to, int n);
double my_fixed_offset(const int *from, const int *to, int n)
{
    int best = 0;
    for (int o = -23; o <= 23; o++) {
        int hits = 0;
        for (int r = 0; r < n; r++) hits += to[r] - from[r] == o;
        if (hits > best) best = hits;
    }
    return (double)best / n;
}
