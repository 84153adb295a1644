// Exercise 14a, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing has changed: it is still the stub
// 2: no tile is fetched
// 3: not at i + T − S
// 4: aligned top-left
// 5: a query sees its own position
// 6: the last one sees more
// 7: right, and twice the work
// 8: sum of query 0 is the first that is wrong
// 9: what is the factor then
// 10: Has max been overwritten
// 11: the new one must be known first
// 12: measured against nothing
// 13: what earlier tiles gave is lost
// 14: begins at 0
// 15: adds the weights and not the values
// 16: the value of its first key
// 17: sum counts the keys
// 18: the last key of the tile
// 19: is it meant for what the tile adds
// 20: in which nothing is hidden
// 21: the mask is on the wrong side
// 22: exactly the other way round
// 23: ends its row
// 24: and here with the query
// 25: each has its own
// 26: rescaled at every key
// 27: ends it for those after it
// 28: sum begins anew
// 29: only the first number of out is rescaled
// 30: subtract before exp
// 31: never more than 1
// 32: adds the first number of the values
// 33: only the first query
// 34: those in which all is in sight are needed
// 35: and not how tall
// 36: it is NaN
// 37: Where is −∞ taken from −∞
// 38: or the value of a hidden key multiplied
#include "attention/online.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v);
bool my_tile_is_needed(int i, int queries, int j, int keys, int T, int S);

void my_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v)
{
    int how = wrong();
    for (int r = 0; r < (how == 33 ? 1 : scores.rows) && how != 1; r++) {
        int keys = how == 18 ? scores.cols - 1 : scores.cols;
        float old = *mat_ref(max, r, 0), new = how == 14 ? fmaxf(old, 0.0f) : old;
        for (int c = 0; c < scores.cols; c++) new = fmaxf(new, *mat_ref(scores, r, c));
        for (int e = 0; e < scores.rows * scores.cols && how == 25; e++)
            new = fmaxf(new, *mat_ref(scores, e / scores.cols, e % scores.cols));
        if (new == -INFINITY && how == 27) return;
        bool no_case = how == 37 || how == 38; // the three formulas and nothing else; 38 has the factor
        if (new == -INFINITY && !no_case) continue;
        *mat_ref(max, r, 0) = new;
        float factor = wrong() == 9 ? expf(new - old) : expf(old - new);
        if (wrong() == 10 && old > -INFINITY) factor = 1.0f;
        if (wrong() == 13 || (how == 38 && old == -INFINITY)) factor = 0.0f;
        if (how != 26) *mat_ref(sum, r, 0) *= how == 28 ? 0.0f : factor;
        for (int n = 0; n < (how == 29 ? 1 : v.cols) && how != 26; n++) *mat_ref(out, r, n) *= factor;
        for (int c = 0; c < keys; c++) {
            if (*mat_ref(scores, r, c) == -INFINITY && how == 23) break; // not a key left out: all after it
            if (*mat_ref(scores, r, c) == -INFINITY && !no_case) continue;
            float weight = expf(*mat_ref(scores, r, c) - (wrong() == 11 ? old : wrong() == 12 ? 0.0f : new));
            if (how == 19) weight *= factor;
            if (how == 30) weight = expf(*mat_ref(scores, r, c)) / expf(new);
            if (how == 31) weight = 1.0f / weight;
            if (how == 26) *mat_ref(sum, r, 0) *= factor;
            for (int n = 0; n < v.cols && how == 26; n++) *mat_ref(out, r, n) *= factor;
            *mat_ref(sum, r, 0) += how == 8 ? 2.0f * weight : how == 17 ? 1.0f : weight;
            for (int n = 0; n < v.cols; n++) {
                int row = how == 16 ? 0 : how == 24 ? r : c;
                *mat_ref(out, r, n) += weight * (how == 15 ? 1.0f : *mat_ref(v, row, how == 32 ? 0 : n));
            }
        }
        if (how == 36) *mat_ref(sum, r, 0) = NAN;
    }
}

bool my_tile_is_needed(int i, int queries, int j, int keys, int T, int S)
{
    int last = i + queries - 1;
    switch (wrong()) {
    case 2: return false;
    case 3: return j <= last + T - S;
    case 4: return j <= last;
    case 5: return j < last + S - T;
    case 6: return j <= i + S - T;
    case 7: return true;
    case 20: return j + keys - 1 <= i + S - T;
    case 21: return j + keys - 1 >= i + S - T;
    case 22: return j > last + S - T;
    case 34: return j <= last + S - T && j + keys - 1 > i + S - T;
    case 35: return j <= i + keys - 1 + S - T;
    default: return j <= last + S - T;
    }
}
