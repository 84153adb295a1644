// Exercise 18a, solved wrongly: number WRONG of these gets this answer.
//
// 1: over the sinks as well
// 2: begins anew at row 0
// 3: counts j instead of j - sinks
// 4: one token is missing
// 5: number length has not come yet
// 6: from the oldest to the newest
// 7: from the newest to the oldest
// 8: takes no more
// 9: counted from the first of all
// 10: over the newest
// 11: from its last row on
// 12: behind the ring here
// 13: stays for ever
// 14: nothing is written
// 15: some rows of kept are not written
// 16: one behind them was written
// 17: another token than it should
// 18: 0 is a token
// 19: here from 1
// 20: one that has not come yet
// 21: the sinks take rows of the ring
// 22: from its second row on
// 23: has the number of a sink
#include "exercises/wrong.h"

void my_ring(int *kept, int sinks, int window, int length);

static int row_of(int how, int t, int sinks, int window)
{
    int rows = sinks + window, in_ring = t - sinks;
    if (how == 1) return t % rows;
    if (how == 12) return t < sinks ? window + t : in_ring % window;
    if (t < sinks) return t;
    if (how == 21) return sinks + in_ring % (window > sinks ? window - sinks : 1);
    if (how == 22) return sinks + (in_ring + 1) % window;
    if (how == 2) return in_ring < window ? t : in_ring % rows;
    if (how == 3) return sinks + t % window;
    if (how == 8 && t >= rows) return -1;
    if (how == 10 && t >= rows) return rows - 1;
    if (how == 11) return rows - 1 - in_ring % window;
    if (how == 13 && in_ring >= window && window > 1) return sinks + 1 + (in_ring - window) % (window - 1);
    return sinks + in_ring % window;
}

static void in_order(int *kept, int sinks, int window, int length, int how)
{
    int oldest = length > sinks + window ? length - window : sinks;
    for (int row = 0; row < window; row++) {
        int old = oldest + row, young = length - 1 - row;
        kept[sinks + row] = how == 6 ? (old < length ? old : -1) : young >= oldest ? young : -1;
    }
}

void my_ring(int *kept, int sinks, int window, int length)
{
    int how = wrong(), tokens = how == 4 ? length - 1 : how == 5 ? length + 1 : length;
    if (how == 14) return;
    for (int row = 0; row < sinks + window + (how == 16) && how != 15; row++)
        kept[row] = how == 18 ? 0 : how == 20 ? row : -1;
    for (int t = 0; t < tokens; t++) {
        int row = row_of(how, t, sinks, window);
        if (row >= 0) kept[row] = how == 9 && t >= sinks ? t - sinks : how == 19 ? t + 1 : t;
    }
    if (how == 6 || how == 7) in_order(kept, sinks, window, length, how);
    for (int row = sinks; row < sinks + window && how == 23; row++) {
        int newest = length - 1 - ((length - 1 - row) % window + window) % window;
        kept[row] = newest >= 0 ? newest : -1;
    }
    if (how == 17) kept[0] = 77; // nothing that is known
}
