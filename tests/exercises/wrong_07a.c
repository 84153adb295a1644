// Exercise 07a, solved wrongly: number WRONG of these gets this answer.
//
// 1: p belongs to p + d/2
// 2: row 0 stands at position `first`, not at 0
// 3: the sign of the sine
// 4: before it was overwritten
// 5: the exponent is 2p/d, not p/d
// 6: the angle has lost its last digits
// 7: it is found best at distance 0
// 8: that key is found n words ahead
// 9: the norm of a row
// 10: 2 * p / d of whole numbers
// 11: later pairs turn faster here
// 12: row i stands i words further on
// 13: q finds this key best 2 words back, not 1
// 14: it has another norm than q
// 15: mirrored, not turned
// 16: turned in your own pairs
// 17: sine and cosine have changed places
// 18: not one further on
// 19: pairs are not nested
// 20: row 0 has become NaN
// 21: turned back, or by full circles
// 22: not half of it
// 23: pair 0 alone is turned
// 24: sin and cos take radians
// 25: nothing is to be converted
// 26: have changed places
// 27: not before it
// 28: reaches 1 with the last pair
// 29: all the turning is done to row 0
// 30: no number belongs to two pairs
// 31: the base is 10000, not 1000
// 32: its row i begins at mat_row(m, i)
#include "attention/positions.h"
#include "exercises/wrong.h"

#include <math.h>

void my_rope_halves(Mat m, int first);
void my_rope_halves(Mat m, int first)
{
    int how = wrong(), d = m.cols, step = how == 1 ? 2 : 1;
    for (int i = 0; i < m.rows; i++)
        for (int p = 0; p < d / 2; p++) {
            int other = how == 1 || how == 30 ? 1 : how == 19 ? d - 1 - 2 * p : d / 2;
            float *at = how == 32 ? m.at + i * d + p : mat_ref(m, how == 29 ? 0 : i, step * p);
            float a = at[0], b = at[other];
            double power = how == 10 ? -(2 * p / d) : how == 11 ? 2.0 * p / d : (how == 5 ? -1.0 : -2.0) * p / d;
            double angle = (how == 2 ? i : how == 12 ? first : first + i + (how == 18)) * pow(10000.0, power);
            if (how == 6) angle = (double)((float)(first + i) * (float)pow(10000.0, -2.0 * p / d));
            double turn = acos(-1.0);
            if (how == 21) angle *= 2.0 * turn;
            if (how == 31) angle = (first + i) * pow(1000.0, -2.0 * p / d);
            if (how == 22) angle = (first + i) * pow(10000.0, -4.0 * p / d);
            if (how == 23) angle = (first + i) * pow(1 / 10000, 2.0 * p / d);
            if (how == 24) angle *= 180.0 / turn;
            if (how == 25) angle *= turn / 180.0;
            if (how == 28 && d > 2) angle = (first + i) * pow(10000.0, -2.0 * p / (d - 2));
            if (how == 27) angle = (first - i) * pow(10000.0, power);
            if (how == 20) angle = (first + i) * 0.0 / p;
            if (how == 3) angle = -angle;
            if (how == 15) b = -b;
            float c = (float)(how == 17 ? sin(angle) : cos(angle)), s = (float)(how == 17 ? cos(angle) : sin(angle));
            at[0] = how == 9 ? a * c + b * s : a * c - b * s;
            at[other] = (how == 4 ? at[0] : a) * s + b * c;
            if (how == 26) at[other] = at[0];
            if (how == 26) at[0] = a * s + b * c;
        }
}

void my_key(Mat key, Mat q, int n, Arena *arena);
void my_key(Mat key, Mat q, int n, Arena *arena)
{
    int how = wrong();
    mat_set(key, q);
    if (how == 16) my_rope_halves(key, n);
    if (how != 7 && how != 16) rope_apply(key, rope_table(arena, how == 8 ? -n : how == 13 ? 2 * n : n, 1, q.cols));
    for (int c = 0; c < q.cols && how == 14; c++) key.at[c] *= 2.0f;
}
