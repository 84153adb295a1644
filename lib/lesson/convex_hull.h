// The convex hull of points in the plane.
#ifndef LESSON_CONVEX_HULL_H
#define LESSON_CONVEX_HULL_H

#include <stdbool.h>

// xy: x, y of n points. `hull` has space for n points and receives the corners, counter-clockwise, without points on
// the edges. Returns their number: below 3 if all points are on a line.
int convex_hull_of(double *hull, const double *xy, int n);

// Is the point inside, on the edge, or outside by no more than `slack`?
bool convex_hull_holds(const double *hull, int corners, double x, double y, double slack);

#endif
