// Exercise 08b, solved: central differences of all elements, against the largest of them.
#include "base/random.h"

#include <math.h>

typedef double Loss(Mat x);
typedef void Gradient(Mat dx, Mat x);

bool my_gradient_check(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena);
bool my_gradient_check(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena)
{
    const float h = 0.01f;
    Random random = random_from(8);
    Mat x = mat_new(arena, rows, cols), dx = mat_new(arena, rows, cols);
    random_normals(&random, x);
    gradient(dx, x);
    double off = 0.0, largest = 0.0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            float at = *mat_ref(x, i, j), up = at + h, down = at - h;
            *mat_ref(x, i, j) = up;
            double above = loss(x);
            *mat_ref(x, i, j) = down;
            double slope = (above - loss(x)) / (double)(up - down);
            *mat_ref(x, i, j) = at;
            off = fmax(off, fabs(slope - (double)*mat_ref(dx, i, j)));
            largest = fmax(largest, fabs(slope));
        }
    return off <= 0.01 * largest + 1e-6;
}
