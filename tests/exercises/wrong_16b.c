// Exercise 16b, solved wrongly: number WRONG of these gets this answer.
//
// 1: still the stub
// 2: two are missing
// 3: have met again
// 4: of two rows
// 5: of eight rows
// 6: belong to other rows
// 7: only the first lane
// 8: both are wanted
// 9: it takes an exchange
// 10: two exchanges are enough
// 11: does not have the sum of its four
// 12: still the stub
// 13: added as they are
// 14: is upside down
// 15: still each lane's own
// 16: the sums have not changed
// 17: they were not added
// 18: four exchanges are enough
// 19: do not belong together
// 20: only two lanes have met
// 21: of another row have been merged
// 22: must be kept before
// 23: hands on what came
// 24: has come in twice
// 25: not e^
// 26: the lane's own sum is still
// 27: the other lane's sum is still
// 28: each has met itself
// 29: lanes four apart belong
// 30: the mean of the four
// 31: the largest of the four: the sum
// 32: the smallest maximum
// 33: of all 32 lanes: eight rows
// 34: still each lane's own
// 35: the sum of two lanes
// 36: the sum of three lanes
// 37: lanes eight and sixteen apart
// 38: to the new maximum twice
// 39: of the old maximum alone
// 40: only the sum of the lane with the largest
// 41: first added, then brought
// 42: only the first lane of each four has them
#include "base/portable_math.h"
#include "exercises/wrong.h"

#include <stdbool.h>
#include <string.h>

void exchange(float x[32], int bits);
void my_sum_of_four(float x[32]);
void my_merge_of_four(float max[32], float sum[32]);

static void add_over(float x[32], int bits)
{
    float other[32];
    memcpy(other, x, sizeof other);
    exchange(other, bits);
    for (int lane = 0; lane < 32; lane++) x[lane] += other[lane];
}

static void sum_right(float x[32])
{
    add_over(x, 1);
    add_over(x, 2);
}

static void sum_without(float x[32], bool only_first)
{
    for (int first = 0; first < 32; first += 4) {
        float sum = (x[first] + x[first + 1]) + (x[first + 2] + x[first + 3]);
        for (int lane = first; lane < first + (only_first ? 1 : 4); lane++) x[lane] = sum;
    }
}

// The lane's own number is lost, or the other's is handed on.
static void sum_carelessly(float x[32], bool lost)
{
    float other[32];
    memcpy(other, x, sizeof other);
    for (int bits = 1; bits <= 2; bits++) {
        exchange(lost ? x : other, bits);
        for (int lane = 0; lane < 32; lane++) x[lane] += lost ? x[lane] : other[lane];
    }
}

// With wrong bits, or no sum at all.
static void sum_otherwise(float x[32], int how)
{
    static const int bits[4][2] = { { 0, 1 }, { 2, 4 }, { 1, 2 }, { 1, 2 } };
    for (int n = 0; n < 2; n++) {
        float other[32];
        memcpy(other, x, sizeof other);
        exchange(other, bits[how - 28][n]);
        for (int lane = 0; lane < 32; lane++)
            x[lane] = how == 31 ? fmaxf(x[lane], other[lane]) : (x[lane] + other[lane]) / (how == 30 ? 2.0f : 1.0f);
    }
}

// Both exchanges hand on the lane's own number, or what came with the first.
static void sum_too_early(float x[32], bool own)
{
    float other[32], third[32];
    memcpy(other, x, sizeof other);
    memcpy(third, x, sizeof third);
    exchange(other, 1);
    if (!own) memcpy(third, other, sizeof third);
    exchange(third, 2);
    for (int lane = 0; lane < 32; lane++) x[lane] += third[lane] + (own ? other[lane] : 0.0f);
}

void my_sum_of_four(float x[32])
{
    static const int bits[12][6] = {
        [2] = { 1 }, [3] = { 1, 1 }, [4] = { 1, 2, 4 }, [5] = { 1, 2, 4, 8, 16 }, [6] = { 4, 8 }, [11] = { 8, 16 }
    };
    int how = wrong();
    if (how == 1) return;
    if ((how >= 2 && how <= 6) || how == 37)
        for (const int *b = bits[how == 37 ? 11 : how]; *b; b++) add_over(x, *b);
    else if (how == 35 || how == 36) sum_too_early(x, how == 36);
    else if (how == 7 || how == 9) sum_without(x, how == 7);
    else if (how == 8) {
        exchange(x, 1);
        exchange(x, 2);
    } else if (how == 11) x[0] = 7;
    else if (how >= 28 && how <= 31) sum_otherwise(x, how);
    else if (how == 22 || how == 23) sum_carelessly(x, how == 22);
    else sum_right(x);
    if (how == 10) {
        exchange(x, 1);
        exchange(x, 2);
    }
    if (how == 24) add_over(x, 3);
}

// Two lanes at a time, and one of the two sums is not rescaled.
static void merge_one_side(float max[32], float sum[32], bool own)
{
    for (int bits = 1; bits <= 2; bits++) {
        float their_max[32], their_sum[32];
        memcpy(their_max, max, sizeof their_max);
        memcpy(their_sum, sum, sizeof their_sum);
        exchange(their_max, bits);
        exchange(their_sum, bits);
        for (int lane = 0; lane < 32; lane++) {
            float most = fmaxf(max[lane], their_max[lane]);
            if (own) sum[lane] *= exp2f(max[lane] - most);
            else their_sum[lane] *= exp2f(their_max[lane] - most);
            sum[lane] += their_sum[lane];
            max[lane] = most;
        }
    }
}

static void largest(float max[32])
{
    int most = wrong() == 20 ? 1 : wrong() == 21 ? 4 : wrong() == 33 ? 16 : 2;
    for (int bits = 1; bits <= most; bits *= 2) {
        float other[32];
        memcpy(other, max, sizeof other);
        exchange(other, bits);
        for (int lane = 0; lane < 32; lane++)
            max[lane] = wrong() == 32 ? fminf(max[lane], other[lane]) : fmaxf(max[lane], other[lane]);
    }
}

void my_merge_of_four(float max[32], float sum[32])
{
    int how = wrong();
    float own[32], sums[32];
    if (how == 12) return;
    if (how == 26 || how == 27) {
        merge_one_side(max, sum, how == 27);
        return;
    }
    if (how == 34) { // sums of sums, and max stays
        sum_right(sum);
        return;
    }
    memcpy(own, max, sizeof own);
    memcpy(sums, sum, sizeof sums);
    largest(max);
    if (how == 16) return;
    if (how == 41) sum_right(sum);
    for (int lane = 0; lane < 32 && how != 13; lane++) {
        float difference = how == 14 ? max[lane] - own[lane] : own[lane] - max[lane];
        if (how == 38) difference *= 2.0f;
        if (how == 39) difference = own[lane];
        if (how == 40 && difference < 0.0f) sum[lane] = 0.0f;
        sum[lane] *= how == 25 ? expf(difference) : exp2f(difference);
    }
    if (how == 21) add_over(sum, 4);
    if (how == 20) add_over(sum, 1);
    else if (how != 17 && how != 41) sum_right(sum);
    if (how == 15) memcpy(max, own, sizeof own);
    for (int lane = 0; lane < 32 && how == 42; lane++)
        if (lane % 4) {
            max[lane] = own[lane];
            sum[lane] = sums[lane];
        }
    if (how == 18) largest(max);
    for (int lane = 0; lane < 32 && how == 19; lane++) sum[lane] += 1;
}
