// Element-wise comparison.
#include "judge/compare.h"

#include "base/portable_math.h"

// The error in units of the tolerance. With tolerance 0 only equal numbers pass.
static double error_in_tolerances(double theirs, double ours, CompareTolerance t)
{
    if (theirs == ours || (isnan(theirs) && isnan(ours))) return 0;
    double off = fabs(theirs - ours), allowed = t.a + t.r * fabs(ours);
    if (!isfinite(theirs) || !isfinite(ours) || allowed == 0) return INFINITY;
    return off / allowed;
}

Comparison compare_arrays(const double *theirs, const double *ours, size_t count, CompareTolerance tolerance)
{
    Comparison sum = { .count = count };
    for (size_t e = 0; e < count; e++) {
        double off = error_in_tolerances(theirs[e], ours[e], tolerance);
        if (off > 1) sum.out++;
        if (off > sum.worst) {
            sum.worst = off;
            sum.at = e;
        }
        if (!isfinite(theirs[e]) || !isfinite(ours[e])) {
            sum.not_finite += off > 1;
            continue;
        }
        double apart = theirs[e] - ours[e];
        sum.largest = fmax(sum.largest, fabs(apart));
        sum.difference += apart * apart;
        sum.size += ours[e] * ours[e];
    }
    return sum;
}

void compare_add(Comparison *sum, Comparison part, size_t first)
{
    if (part.worst > sum->worst) {
        sum->worst = part.worst;
        sum->at = first + part.at;
    }
    sum->count += part.count;
    sum->out += part.out;
    sum->not_finite += part.not_finite;
    sum->largest = fmax(sum->largest, part.largest);
    sum->difference += part.difference;
    sum->size += part.size;
}

double compare_relative(const Comparison *c)
{
    if (c->not_finite) return INFINITY;
    return c->difference == 0 ? 0 : c->size == 0 ? INFINITY : sqrt(c->difference / c->size);
}
