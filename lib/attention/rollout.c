// Chapter 26. Attention rollout. [Abnar and Zuidema 2020, arXiv:2005.00928]
#include "attention/rollout.h"

#include "base/portable_math.h"

#include <string.h>

void rollout_step(Mat step, Mat mean)
{
    REQUIRE(step.rows == step.cols && mean.rows == step.rows && mean.cols == step.cols,
            "a step is " MAT_SHAPE ", a mean map " MAT_SHAPE "; both are square", MAT_SHAPED(step), MAT_SHAPED(mean));
    for (int i = 0; i < step.rows; i++) {
        double sum = 0.0;
        float *row = mat_row(step, i);
        const float *from = mat_row(mean, i);
        for (int j = 0; j < step.cols; j++) {
            row[j] = 0.5f * (from[j] == -INFINITY ? 0.0f : from[j]) + (i == j ? 0.5f : 0.0f);
            sum += (double)row[j];
        }
        for (int j = 0; j < step.cols; j++) row[j] = (float)((double)row[j] / sum);
    }
}

void rollout_join(Mat out, Mat step, Mat before)
{
    REQUIRE(out.rows == step.rows && out.cols == before.cols && step.cols == before.rows,
            MAT_SHAPE " of " MAT_SHAPE " and " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(step), MAT_SHAPED(before));
    Arena *scratch = arena_open();
    double *sum = arena_alloc(scratch, (size_t)(out.cols + 1) * sizeof *sum);
    for (int i = 0; i < out.rows; i++) {
        memset(sum, 0, (size_t)out.cols * sizeof *sum);
        for (int k = 0; k < step.cols; k++) {
            double weight = (double)*mat_ref(step, i, k);
            const float *row = mat_row(before, k);
            if (weight == 0.0) continue;
            for (int j = 0; j < out.cols; j++) sum[j] += weight * (double)row[j];
        }
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = (float)sum[j];
    }
    arena_close(scratch);
}
