// The convex hull: its corners, in order, and what lies inside.
#include "base/portable_math.h"
#include "base/random.h"
#include "lesson/convex_hull.h"
#include "support/suite.h"

TEST(a_square_has_four_corners)
{
    const double xy[] = { 1, 1, 0, 0, 0.5, 0.5, 1, 0, 0.5, 0, 0, 1, 1, 1 };
    const double expected[] = { 0, 0, 1, 0, 1, 1, 0, 1 };
    double hull[14];
    ck_assert_int_eq(convex_hull_of(hull, xy, 7), 4);
    for (int k = 0; k < 8; k++) ck_assert_double_eq(hull[k], expected[k]);
    ck_assert(convex_hull_holds(hull, 4, 0.5, 0.9, 0) && convex_hull_holds(hull, 4, 1, 0.3, 0) &&
              convex_hull_holds(hull, 4, 0, 0, 0));
    ck_assert(!convex_hull_holds(hull, 4, 1.1, 0.5, 0.05) && convex_hull_holds(hull, 4, 1.1, 0.5, 0.2));
    ck_assert(!convex_hull_holds(hull, 4, 0.5, -0.1, 0) && !convex_hull_holds(hull, 4, -0.1, 0.5, 0));
}

// A corner of the box round a triangle is outside of the triangle.
TEST(the_hull_is_less_than_the_box)
{
    const double xy[] = { 0, 0, 1, 0, 0, 1 };
    double hull[6];
    ck_assert_int_eq(convex_hull_of(hull, xy, 3), 3);
    ck_assert(convex_hull_holds(hull, 3, 0.4, 0.4, 0) && !convex_hull_holds(hull, 3, 0.9, 0.9, 0));
    ck_assert(!convex_hull_holds(hull, 3, 0.51, 0.51, 0) && convex_hull_holds(hull, 3, 0.51, 0.51, 0.02));
}

TEST(few_points_and_points_on_a_line)
{
    const double line[] = { 2, 2, 0, 0, 1, 1, 3, 3 }, same[] = { 4, 5, 4, 5 };
    double hull[8];
    ck_assert_int_eq(convex_hull_of(hull, line, 0), 0);
    ck_assert_int_eq(convex_hull_of(hull, same, 1), 1);
    ck_assert_int_eq(convex_hull_of(hull, same, 2), 1);
    ck_assert(convex_hull_holds(hull, 1, 4, 5, 0) && !convex_hull_holds(hull, 1, 4, 6, 0.5));
    ck_assert_int_eq(convex_hull_of(hull, line, 4), 2);
    ck_assert(convex_hull_holds(hull, 2, 2.5, 2.5, 1e-12) && !convex_hull_holds(hull, 2, 3.5, 3.5, 0.1));
    ck_assert(!convex_hull_holds(hull, 2, 1, 2, 0.1));
    ck_assert(!convex_hull_holds(hull, 0, 0, 0, 1));
}
