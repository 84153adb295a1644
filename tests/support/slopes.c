// Gradients by small nudges.
#include "base/portable_math.h"
#include "support/slopes.h"

// Central differences with this step are off by about STEP² and by rounding, 1e-16 / STEP: 1e-10 both.
static const double STEP = 1e-5;

double inner(Table a, Table b)
{
    double sum = 0;
    for (int e = 0; e < a.rows * a.cols; e++) sum += a.at[e] * b.at[e];
    return sum;
}

Table slopes(Arena *arena, Table numbers, Loss *loss, void *of)
{
    Table result = table_new(arena, numbers.rows, numbers.cols);
    for (int e = 0; e < numbers.rows * numbers.cols; e++) {
        double at = numbers.at[e], up, down;
        ArenaMark mark = arena_mark(arena);
        numbers.at[e] = at + STEP;
        up = loss(of);
        numbers.at[e] = at - STEP;
        down = loss(of);
        arena_release(arena, mark);
        numbers.at[e] = at;
        result.at[e] = (up - down) / (2 * STEP);
    }
    return result;
}

double slopes_tolerance(Table want)
{
    double largest = 1;
    for (int e = 0; e < want.rows * want.cols; e++) largest = fmax(largest, fabs(want.at[e]));
    return SLOPES_ATOL * largest;
}
