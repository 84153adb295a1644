// Chapter 18. The learned sink, applied after any kernel by means of its logsumexp.
#include "attention/sink.h"

#include "attention/online.h"
#include "base/cost.h"
#include "base/portable_math.h"

// exp(lse) / (exp(lse) + exp(s)) = 1 / (1 + exp(s − lse)): 0 for lse = −INFINITY, NaN for NaN.
float sink_left(float lse, float sink)
{
    cost_counted.exps++;
    return 1.0f / (1.0f + expf(sink - lse));
}

static void scale_row(float *row, int n, float factor)
{
    for (int c = 0; c < n; c++) row[c] *= factor;
    cost_counted.multiplies += n;
}

// Merges the result with that of one key of score s and value 0.
void sink_apply(Attended to, const float *sinks, int H)
{
    int T = to.out.rows, dv = H > 0 ? to.out.cols / H : 0;
    REQUIRE(H >= 1 && to.out.cols == H * dv && to.lse.rows == T && to.lse.cols == H,
            "out is " MAT_SHAPE ", lse is " MAT_SHAPE ", of %d heads; lse must be " MAT_SHAPE, MAT_SHAPED(to.out),
            MAT_SHAPED(to.lse), H, T, H);
    Arena *scratch = arena_open();
    Mat zeros = mat_new(scratch, T, dv), score = mat_new(scratch, T, 1);
    for (int h = 0; h < H; h++) {
        Mat lse = mat_cols(to.lse, h, 1);
        if (!mat_empty(to.weights))
            for (int i = 0; i < T; i++)
                scale_row(mat_row(to.weights, h * T + i), to.weights.cols, sink_left(*mat_ref(lse, i, 0), sinks[h]));
        mat_fill(score, sinks[h]);
        attention_merge(mat_cols(to.out, h * dv, dv), lse, zeros, score);
    }
    arena_close(scratch);
}
