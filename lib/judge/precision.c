// Rounds a float64 to float32, float16 or bfloat16.
#include "base/portable_math.h"
#include "judge/judge.h"

double judge_rounded(double x, JudgePrecision to)
{
    if (to == JUDGE_EXACT || !isfinite(x) || x == 0) return x;
    if (to == JUDGE_FLOAT32) return (double)(float)x;
    int bits = to == JUDGE_FLOAT16 ? 11 : 8, least = to == JUDGE_FLOAT16 ? -24 : -133,
        exponent; // bits: of the fraction; least: exponent of the smallest step
    frexp(x, &exponent);
    int step = exponent - bits > least ? exponent - bits : least;
    double nearest = ldexp(nearbyint(ldexp(x, -step)), step);
    double largest = to == JUDGE_FLOAT16 ? 65504.0 : 0x1.FEp127;
    return fabs(nearest) > largest ? copysign(INFINITY, x) : nearest;
}
