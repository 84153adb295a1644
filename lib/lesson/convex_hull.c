// Monotone chain: the lower and the upper hull of the sorted points. [Andrew 1979]
#include "lesson/convex_hull.h"

#include "base/memory.h"
#include "base/portable_math.h"

#include <stdlib.h>
#include <string.h>

// Twice the signed area of the triangle a b c: positive if c is left of the line from a to b.
static double cross(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static int compare_points(const void *a, const void *b)
{
    const double *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

// Removes points that make the chain concave, then appends the point. Keeps at least `least` − 1 points.
static int append_to_chain(double *hull, int count, int least, const double *point)
{
    while (count >= least && cross(hull + 2 * (count - 2), hull + 2 * (count - 1), point) <= 0.0) count--;
    memcpy(hull + 2 * count, point, 2 * sizeof *point);
    return count + 1;
}

int convex_hull_of(double *hull, const double *xy, int n)
{
    if (n < 1) return 0;
    size_t size = (size_t)n * 2 * sizeof *xy;
    double *sorted = memory_new(size), *both = memory_new(2 * size + 2 * sizeof *both);
    memcpy(sorted, xy, size);
    qsort(sorted, (size_t)n, 2 * sizeof *sorted, compare_points);
    int count = 0;
    for (int i = 0; i < n; i++) count = append_to_chain(both, count, 2, sorted + 2 * i);
    int lower = count + 1; // the upper chain must not remove points of the lower one
    for (int i = n - 2; i >= 0; i--) count = append_to_chain(both, count, lower, sorted + 2 * i);
    bool one_point = sorted[0] == sorted[2 * n - 2] && sorted[1] == sorted[2 * n - 1];
    count = one_point ? 1 : count - 1; // the last point repeats the first
    memcpy(hull, both, (size_t)count * 2 * sizeof *hull);
    free(sorted);
    free(both);
    return count;
}

bool convex_hull_holds(const double *hull, int corners, double x, double y, double slack)
{
    double point[2] = { x, y }, low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int c = 0; c < corners; c++) {
        const double *a = hull + 2 * c, *b = hull + 2 * ((c + 1) % corners);
        if (cross(a, b, point) < -slack * hypot(b[0] - a[0], b[1] - a[1])) return false;
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], a[axis]);
            high[axis] = fmax(high[axis], a[axis]);
        }
    }
    return x >= low[0] - slack && x <= high[0] + slack && y >= low[1] - slack && y <= high[1] + slack;
}
