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
// 18: come from another order
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
#include "exercises/wrong.h"

const char *my_obstacles(void);
const char *my_obstacles(void)
{
    static const char *const said[] = { "SNPOZL", "SNPOZ", "??????", "XNPOZL", "NNPOZL", "SPPOZL", "PNPOZL", "ONPOZL",
                                        "SNPOSL", "LNPOZL", "SNSOZL", "SNPZZL" };
    int how = wrong();
    static const char *const more[] = { "SSPOZL", "SNPOPL", "SNOOZL", "SNPPZL", "SNPOZP", "SNZOZL", "SNPOZN",
                                        "ZNPOZL" };
    return how >= 19 && how <= 26 ? more[how - 19] : said[how < 12 ? how : 0];
}

static float in_pairs(const float *p) { return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7])); }
static float by_neighbours(const float *p)
{
    return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
}

static float in_double(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i];
    return (float)sum;
}

float my_sum(const float *x, int n);
float my_sum(const float *x, int n)
{
    float part[8] = { 0 };
    int how = wrong(), sums = how == 12 ? 1 : how == 15 ? 4 : how == 18 ? 2 : 8, whole = n / 8 * 8;
    int end = how == 13 || how == 28 ? whole : how == 29 ? (n + 7) / 8 * 8 : n;
    int last = how == 31 ? 1 : how == 32 ? 7 : 8;
    if (how == 33) return in_double(x, n);
    for (int i = 0; i < end; i++)
        part[how == 14 ? i / ((n + 7) / 8) : how == 27 && i >= whole ? 0 : i % sums] += x[i];
    if (how == 16) return in_pairs(part);
    if (how == 30) return by_neighbours(part);
    for (int s = 6; s >= 0 && how == 17; s--) part[7] += part[s];
    if (how == 17) return part[7];
    for (int s = 1; s < last; s++) part[0] += part[s];
    for (int i = whole; i < n && how == 28; i++) part[0] += x[i];
    return part[0];
}
