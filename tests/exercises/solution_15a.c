// Exercise 15a, solved; task 2 with the library's own function.
#include "base/portable_math.h"
#include "kernels/fast.h"

float fetch(Mat m, int i, int j);
void my_register_block(Mat sums, Mat left, Mat right);
float my_exp2(float x);

void my_register_block(Mat sums, Mat left, Mat right)
{
    for (int step = 0; step < left.cols; step++) {
        float a[4], b[4];
        for (int r = 0; r < 4; r++) a[r] = fetch(left, r, step);
        for (int c = 0; c < 4; c++) b[c] = fetch(right, step, c);
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) *mat_ref(sums, r, c) += a[r] * b[c];
    }
}

// The library's gives 0 below −100 already.
float my_exp2(float x)
{
    if (x < -126.0f) return 0.0f;
    return x < -100.0f ? fast_exp2(x + 26.0f) * ldexpf(1.0f, -26) : fast_exp2(x);
}
