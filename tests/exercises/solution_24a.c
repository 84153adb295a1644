// Exercise 24a, solved: by the library's own merge, rank after rank.
#include "attention/online.h"
#include "base/portable_math.h"

void my_merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv);
void my_merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv)
{
    Mat all = { out, n, H * dv, H * dv }, sums = { lse, n, H, H };
    mat_fill(all, 0.0f);
    mat_fill(sums, -INFINITY);
    for (int r = 0; r < R; r++) {
        Mat answer = { (float *)(uintptr_t)answers[r], n, H * (dv + 1), H * (dv + 1) };
        for (int h = 0; h < H; h++)
            attention_merge(mat_cols(all, h * dv, dv), mat_cols(sums, h, 1), mat_cols(answer, h * dv, dv),
                            mat_cols(answer, H * dv + h, 1));
    }
}
