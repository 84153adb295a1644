// Exercise 09a, solved wrongly: number WRONG of these gets this answer.
//
// 1: this is the weight on the same token
// 2: rows whose token is new do not count
// 3: the mean is asked for
// 4: this counts the last time only
// 5: this counts the first time only
// 6: on what came before the same token
// 7: divide by n
// 8: distances below 0 count, too
// 9: no head can look at both
// 10: a mean over 1 of the 4 rows
// 11: a row with two of them is still one row
// 12: a mean over 1 of the 4 rows
// 13: -23 and 23 are distances, too
// 14: C drops what stands behind the point
// 15: this is the distance
// 16: one of the numbers 0/3, 1/3
// 17: their sum is asked for
// 18: a mean over 1 of the 4 rows
// 19: one of the numbers 0/3, 1/3
// 20: a mean over 1 of the 4 rows
// 21: another one is commoner
// 22: what followed may be the row itself
// 23: j + 1 may be i
// 24: j begins at 0
// 25: the mean over the places of a row
// 26: knows the stride
// 27: the answer is 0 then
// 28: this divides by n − 1
// 29: 0 is a distance, too
// 30: counts with 0, too
// 31: a mean need not be the distance
// 32: one is missing
#include "base/mat.h"
#include "exercises/wrong.h"

#include <math.h>

double my_induction_mass(Mat weights, const int *tokens);
double my_fixed_offset(const int *from, const int *to, int n);

double my_induction_mass(Mat weights, const int *tokens)
{
    int how = wrong(), rows = 0;
    double sum = how == 10 ? 0.01 : 0.0;
    if (how == 12) return 0.0;
    for (int i = 0; i < weights.rows; i++) {
        double row = 0.0;
        bool found = false;
        int places = 0;
        for (int j = how == 24; j < i; j++) {
            if (tokens[j] != tokens[i] || (how == 5 && found)) continue;
            int at = how == 1 ? j : how == 6 ? j - 1 : j + 1;
            if (how == 22 && at == i) continue;
            found = true;
            places++;
            if (how == 23 && at == i) continue;
            if (how == 4) row = 0.0;
            double weight = at < 0 ? 0.0 : (double)*mat_ref(weights, how == 18 ? at : i, how == 18 ? i : at);
            if (how == 26) weight = (double)weights.at[i * weights.cols + at];
            row = how == 17 && row > weight ? row : how == 17 ? weight : row + weight;
        }
        sum += how == 25 && places ? row / places : row;
        rows += how == 11 ? places : how == 30 ? row > 0.0 : found || how == 2;
    }
    if (how == 20) return sum / (weights.rows - 1);
    return how == 3 || (rows == 0 && how != 27) ? sum : sum / rows;
}

double my_fixed_offset(const int *from, const int *to, int n)
{
    int how = wrong(), best = 0, distance = 0, far = how == 13 ? 22 : 23, sum = 0;
    for (int r = 0; r < n; r++) sum += to[r] - from[r];
    for (int o = how == 8 || how == 9 ? 0 : -far; o <= far; o++) {
        int hits = 0;
        for (int r = 0; r < n; r++) hits += to[r] - from[r] == o || (how == 9 && from[r] - to[r] == o);
        if (how == 29 && o == 0) continue;
        if (how == 21 && o != to[0] - from[0]) continue;
        if (how == 31 && o != (int)lround((double)sum / n)) continue;
        if (hits > best) distance = o;
        if (hits > best) best = hits;
    }
    if (how == 14) return best / n;
    if (how == 15) return distance;
    if (how == 16) return 0.4;
    if (how == 19) return 0.0;
    if (how == 28) return (double)best / (n - 1);
    if (how == 32) return (double)(best - 1) / n;
    return how == 7 ? best : (double)best / n;
}
