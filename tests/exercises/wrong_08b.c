// Exercise 08b, solved wrongly: number WRONG of these gets this answer.
//
// 1: without one call of loss
// 2: without one call of loss
// 3: whose last row is 0
// 4: where all rows of x are equal that is right
// 5: by one part in twenty
// 6: the gradient of a causal head is right
// 7: a loss that bends strongly is right
// 8: a loss that never changes has the gradient 0
// 9: a gradient with the wrong sign passes
// 10: a loss that bends strongly is right
// 11: the gradient of a causal head is right
// 12: one of the twelve numbers is wrong
// 13: dx held numbers already
// 14: must be put back before the next
// 15: the opposite of the right one
// 16: gradient was not called once
// 17: one of the twelve numbers is wrong
// 18: where the loss is small
// 19: one of the twelve numbers is wrong
#include "base/random.h"
#include "exercises/wrong.h"

#include <math.h>

typedef double Loss(Mat x);
typedef void Gradient(Mat dx, Mat x);

bool my_gradient_check(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena);

static double slope_of(Loss *loss, Mat x, int i, int j)
{
    int how = wrong();
    float h = how == 6 ? 1e-7f : how == 7 ? 0.1f : 0.01f, at = *mat_ref(x, i, j), up = at + h, down = at - h;
    if (how == 10) down = at;
    *mat_ref(x, i, j) = up;
    double above = loss(x);
    *mat_ref(x, i, j) = down;
    double slope = (above - loss(x)) / (double)(how == 11 ? h : up - down);
    if (how != 14) *mat_ref(x, i, j) = at;
    return slope;
}

bool my_gradient_check(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena)
{
    int how = wrong();
    if (how == 1 || how == 2) return how == 1;
    Random random = random_from(8);
    Mat x = mat_new(arena, rows, cols), dx = mat_new(arena, rows, cols);
    if (how == 4)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) *mat_ref(x, i, j) = 0.3f + (float)j;
    else random_normals(&random, x);
    if (how != 16) gradient(dx, x);
    if (how == 13) gradient(dx, x);
    double off = 0.0, largest = 0.0;
    for (int i = 0; i < (how == 3 ? 1 : rows); i++)
        for (int j = 0; j < cols; j++) {
            if (how == 12 && i != j) continue;
            if (how == 19 && j == cols - 1) continue;
            double slope = slope_of(loss, x, i, j), dxij = (double)*mat_ref(dx, i, j);
            if (how == 17) off = fmax(off, slope - dxij);
            else off = fmax(off, how == 9 ? fabs(fabs(slope) - fabs(dxij)) : fabs(slope - dxij));
            largest = fmax(largest, fabs(slope));
        }
    if (how == 18) return off <= 0.01;
    if (how == 8) return off / largest <= 0.01;
    if (how == 15) return off > 0.01 * largest + 1e-6;
    return off <= (how == 5 ? 0.2 : 0.01) * largest + 1e-6;
}
