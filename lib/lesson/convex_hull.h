// The convex hull of points in a plane: what lies inside a rubber band that is stretched round them.
#ifndef LESSON_CONVEX_HULL_H
#define LESSON_CONVEX_HULL_H

#include <stdbool.h>

// xy: x, y of n points. `hull` has room for n points and gets the corners, counter-clockwise, without those that lie
// between two others. Answers how many there are: fewer than 3 where all points lie on a line.
int convex_hull_of(double *hull, const double *xy, int n);

// Is the point inside, on the edge, or outside by no more than `slack`?
bool convex_hull_holds(const double *hull, int corners, double x, double y, double slack);

#endif
