// Exercise 15d, solved wrongly: number WRONG of these gets this answer.
//
// 1: six letters are wanted
// 2: no letter has been written
// 3: the letters are N, S
// 4: which two orders of its turns
// 5: two neighbours of this loop
// 6: each addition does wait for the one before, as there is one sum
// 7: nothing here is read through a pointer
// 8: a maximum is no sum
// 9: how often it runs is known
// 10: nothing is added up to one number
// 11: The same in any order
// 12: one sum after all
// 13: behind the last whole eight
// 14: a run of numbers
// 15: four sums: with eight
// 16: added in pairs
// 17: from the last to the first
// 18: not the bits of the order
// 19: two neighbours of this loop
// 20: each turn does wait for the one before, as there is one `most`
// 21: by the very next turn
// 22: only if factor points into to
// 23: is i, and that is known
// 24: for every number here
// 25: it is not the order of the turns
// 26: it is a sum, and for every number
// 27: all go to sum 0
// 28: added to the total
// 29: numbers behind the end are read
// 30: added in pairs
// 31: seven are missing
// 32: sum 7 is left out
// 33: added in double
// 34: whether there is a next turn is not
// 35: added in pairs
// 36: sixteen sums
// 37: from the last to the first
// 38: number 0 is left out
// 39: the last number that went to it
// 40: though fewer than eight
#include "exercises/wrong.h"

const char *my_obstacles(void);
const char *my_obstacles(void)
{
    static const char *const said[] = { "SNPOZL", "SNPOZ",  "??????", "XNPOZL", "NNPOZL", "SPPOZL",
                                        "PNPOZL", "ONPOZL", "SNPOSL", "LNPOZL", "SNSOZL", "SNPZZL" };
    int how = wrong();
    if (how == 34) return "SNPOZP";
    static const char *const more[] = {
        "SSPOZL", "SNPOPL", "SNOOZL", "SNPPZL", "SNPOZP", "SNZOZL", "SNPOZN", "ZNPOZL"
    };
    return how >= 19 && how <= 26 ? more[how - 19] : said[how < 12 ? how : 0];
}

static float in_pairs(const float *p) { return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7])); }
static float by_neighbours(const float *p) { return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7])); }

static float in_double(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i];
    return (float)sum;
}

float my_sum(const float *x, int n);
float my_sum(const float *x, int n)
{
    float part[16] = { 0 };
    int how = wrong(), sums = how == 12 ? 1 : how == 15 ? 4 : how == 18 ? 2 : how == 36 ? 16 : 8, whole = n / 8 * 8;
    int end = how == 13 || how == 28 ? whole : how == 29 ? (n + 7) / 8 * 8 : n;
    int last = how == 31 ? 1 : how == 32 ? 7 : how == 36 ? 16 : 8;
    if (how == 33) return in_double(x, n);
    if (how == 40 && n < 8) return 0.0f;
    for (int i = how == 38; i < end; i++) {
        int at = how == 37 ? n - 1 - i : i;
        float *sum = &part[how == 14 ? i / ((n + 7) / 8) : how == 27 && i >= whole ? 0 : at % sums];
        *sum = how == 39 ? x[at] : *sum + x[at];
    }
    if (how == 16) return in_pairs(part);
    if (how == 35) return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
    if (how == 30) return by_neighbours(part);
    for (int s = 6; s >= 0 && how == 17; s--) part[7] += part[s];
    if (how == 17) return part[7];
    for (int s = 1; s < last; s++) part[0] += part[s];
    for (int i = whole; i < n && how == 28; i++) part[0] += x[i];
    return part[0];
}
