// Chapter 15. Naive attention with its loops interchanged, so that the compiler can vectorise them.
//
// A dot product is one sum, which has to be added up in order. So the keys are transposed: the scores of one query are
// then a sum of rows, with S independent sums side by side.
#include "kernels/fast_kernel.h"

#include "attention/softmax.h"
#include "base/cost.h"

// to += factor · row
ISA_INLINE void add_row(float *restrict to, const float *restrict row, float factor, int n)
{
    for (int i = 0; i < n; i++) to[i] += factor * row[i];
}

// The range from the first to the last key that query i can see.
static MaskRange visible_range(Mask mask, int i, int T, int S)
{
    MaskVisible seen = mask_visible(mask, (MaskRange){ i, 1 }, T, S);
    int first = seen.sinks > 0 ? 0 : seen.keys.first;
    return (MaskRange){ first, seen.keys.first + seen.keys.count - first };
}

// Hidden keys get −INFINITY, the others their ALiBi bias.
static void mask_scores(float *scores, MaskRange visible, Mask mask, int i, int T, int S)
{
    for (int j = 0; j < visible.count; j++) {
        float bias = mask_bias(mask, i, visible.first + j, T, S);
        scores[j] = bias == -INFINITY ? bias : scores[j] + bias;
    }
}

ISA_TARGET void ISA_NAME(reordered)(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    uint64_t mode = subnormals_flush();
    Arena *scratch = arena_open();
    int T = q.rows, S = k.rows;
    float scale = mask_scale(mask, q.cols), *scores = arena_alloc(scratch, sizeof(float) * (size_t)S);
    Mat keys_transposed = mat_new(scratch, k.cols, S);
    for (int j = 0; j < S; j++)
        for (int c = 0; c < k.cols; c++) *mat_ref(keys_transposed, c, j) = *mat_ref(k, j, c);
    mat_fill(to.out, 0.0f);

    for (int i = 0; i < T; i++) {
        MaskRange visible = visible_range(mask, i, T, S);
        bool all = visible.count > 0 && tile_kind(mask, (MaskRange){ i, 1 }, visible, T, S) == TILE_FULL;

        // 1. Scores: channel by channel, all keys at once.
        for (int j = 0; j < visible.count; j++) scores[j] = 0.0f;
        if (visible.count > 0)
            for (int c = 0; c < q.cols; c++)
                add_row(scores, mat_row(keys_transposed, c) + visible.first, *mat_ref(q, i, c) * scale, visible.count);
        if (!all || mask.alibi != 0.0f) mask_scores(scores, visible, mask, i, T, S);

        // 2. Weights.
        if (!mat_empty(to.lse)) *mat_ref(to.lse, i, 0) = logsumexp(scores, visible.count);
        softmax(scores, scores, visible.count);

        // 3. Output: key by key, all channels at once.
        for (int j = 0; j < visible.count; j++)
            if (all || mask_sees(mask, i, visible.first + j, T, S))
                add_row(mat_row(to.out, i), mat_row(v, visible.first + j), scores[j], v.cols);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
    subnormals_restore(mode);
}
