// Exercise 15a, solved wrongly: number WRONG of these gets this answer.
//
// 1: still the stub
// 2: takes the place of what was in sums
// 3: rows and columns of sums are exchanged
// 4: the last step is left out
// 5: only the last step has come in
// 6: not only its own
// 7: two loads for each multiply-add
// 8: one side is fetched once
// 9: fetch was not called
// 10: ends with its fourth power
// 11: ends with its fifth power
// 12: 2ⁿ is missing
// 13: 2ʳ is missing
// 14: that of eʳ
// 15: r reaches up to 1
// 16: r reaches up to 1
// 17: ask for x < −126 first
// 18: every result is 0
// 19: divided by n, not by
// 20: the quotient should be 1
// 21: plus left · right
// 22: (int)(x + ½) cuts towards 0
// 23: r has the wrong sign
// 24: ends with its third power
// 25: nothing of what was in sums
// 26: the first step is left out
// 27: only four steps
// 28: it has no such one
// 29: were taken past fetch
// 30: need the 127
// 31: below −126 only
// 32: the 1 in front
// 33: has got all of x
// 34: not at bit 22
// 35: four more are needed
// 36: multiplied by log₂ e
// 37: r reaches down to −1
// 38: come in twice
// 39: the numbers of the first one
// 40: were not emptied
// 41: row 3 has got nothing
// 42: column 3 has got nothing
// 43: gives up at −100
// 44: one too high
// 45: one too low
// 46: missing where it is negative
// 47: n has the wrong sign
// 48: all of x has been added
// 49: a cast makes a whole number
// 50: not at bit 24
// 51: to the base 10
// 52: very small is not 0
#include "base/mat.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

#include <stdint.h>
#include <string.h>

float fetch(Mat m, int i, int j);
void my_register_block(Mat sums, Mat left, Mat right);
float my_exp2(float x);

static float number_of(Mat m, int i, int j)
{
    return wrong() == 9 || (wrong() == 29 && i == 0) ? *mat_ref(m, i, j) : fetch(m, i, j);
}

// One step, with eight loads or more.
static void one_step(Mat sums, Mat left, Mat right, int step)
{
    float a[4], b[4];
    int how = wrong();
    if (how == 39) step = 0;
    for (int r = 0; r < 4; r++) a[r] = how == 28 ? fetch(left, step, r) : number_of(left, r, step);
    if (how == 25) mat_fill(sums, 0.0f);
    for (int c = 0; c < 4; c++) b[c] = number_of(right, step, c);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            if ((how == 6 && r != c) || (how == 41 && r == 3) || (how == 42 && c == 3)) continue;
            float *sum = how == 3 ? mat_ref(sums, c, r) : mat_ref(sums, r, c);
            *sum += a[r] * (how == 21 ? a[c] : b[c]);
        }
}

static void with_more_loads(Mat sums, Mat left, Mat right, bool both)
{
    for (int step = 0; step < left.cols; step++)
        for (int r = 0; r < 4; r++) {
            float a = fetch(left, r, step);
            for (int c = 0; c < 4; c++)
                *mat_ref(sums, r, c) += (both && c > 0 ? fetch(left, r, step) : a) * fetch(right, step, c);
        }
}

// Into sums of its own, which are added after each step and never emptied.
static void with_own_sums(Mat sums, Mat left, Mat right)
{
    float own[16] = { 0 };
    for (int step = 0; step < left.cols; step++) {
        float a[4], b[4];
        for (int r = 0; r < 4; r++) a[r] = fetch(left, r, step);
        for (int c = 0; c < 4; c++) b[c] = fetch(right, step, c);
        for (int e = 0; e < 16; e++) own[e] += a[e / 4] * b[e % 4];
        for (int e = 0; e < 16; e++) *mat_ref(sums, e / 4, e % 4) += own[e];
    }
}

void my_register_block(Mat sums, Mat left, Mat right)
{
    int how = wrong();
    if (how == 40) with_own_sums(sums, left, right);
    if (how == 1 || how == 40) return;
    for (int e = 0; e < 16 && how == 38; e++) *mat_ref(sums, e / 4, e % 4) *= 2.0f;
    if (how == 2) mat_fill(sums, 0.0f);
    if (how == 7 || how == 8) with_more_loads(sums, left, right, how == 7);
    else
        for (int step = how == 5 ? left.cols - 1 : how == 26; step < left.cols - (how == 4); step++)
            if (how != 27 || step < 4) one_step(sums, left, right, step);
}

static float of_n(float a)
{
    float sum = 1, power = 1;
    for (int n = 1; n <= 6; n++) {
        power *= a;
        sum += power / (float)n;
    }
    return sum;
}

static float series(float r, int last)
{
    float sum = 0, term = 1;
    for (int n = 0; n <= last; n++) {
        sum += term;
        term *= r / (float)(n + 1);
    }
    return sum;
}

float my_exp2(float x)
{
    int how = wrong(), last = how == 10 ? 4 : how == 11 ? 5 : how == 24 ? 3 : how == 35 ? 2 : 6;
    if (how == 18 || (how == 31 && x < 0.0f)) return 0.0f;
    if (how == 52 && x < -126.0f) return 1e-37f;
    if (how != 17 && x < (how == 43 ? -100.0f : -126.0f)) return 0.0f;
    float n = how == 15   ? truncf(x)
              : how == 16 ? floorf(x)
              : how == 22 ? truncf(x + 0.5f)
              : how == 37 ? ceilf(x)
                          : nearbyintf(x);
    float r = how == 23 ? n - x : how == 33 ? x : x - n;
    float ln_2 = how == 14 ? 1.0f : how == 36 ? 1.44269504f : how == 51 ? 0.30103f : 0.69314718f;
    float power = how == 13 ? 1.0f : series(r * ln_2, last) - (how == 32 ? 1.0f : 0.0f);
    uint32_t bits;
    if (how == 19) power = of_n((x - n) * 0.69314718f);
    if (how == 20) n = n / 2;
    if (how == 44 || how == 45) n += how == 44 ? 1.0f : -1.0f;
    if (how == 46 && n < 0) n = 0;
    if (how == 47) n = -n;
    if (how == 49) return (float)((int32_t)power + (int32_t)n * (1 << 23));
    if (how == 12 || how == 33) return power;
    if (how == 30) {
        uint32_t alone = (uint32_t)((int64_t)n * (1 << 23));
        float scale;
        memcpy(&scale, &alone, sizeof scale);
        return power * scale;
    }
    memcpy(&bits, &power, sizeof bits);
    bits += how == 48 ? (uint32_t)(int64_t)(x * (1 << 23))
                      : (uint32_t)((int64_t)n * (how == 34   ? 1 << 22
                                                 : how == 50 ? 1 << 24
                                                             : 1 << 23));
    memcpy(&power, &bits, sizeof bits);
    return power;
}
