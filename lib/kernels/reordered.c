// Chapter 15. Chapter 03's kernel with its loops in another order, for the compiler to make vectors of.
//
// A dot product is one sum, which has to be added up in order. So the keys are turned on their side: the scores of one
// query are then a sum of rows, and S sums that have nothing to do with each other stand side by side.
#include "kernels/fast_kernel.h"

#include "attention/softmax.h"
#include "base/cost.h"

// to += factor · row, neighbours of neighbours.
ISA_INLINE void add_row(float *restrict to, const float *restrict row, float factor, int n)
{
    for (int i = 0; i < n; i++) to[i] += factor * row[i];
}

// The keys that query i can see lie between the first and the last of these.
static MaskRange keys_in_sight(Mask mask, int i, int T, int S)
{
    MaskVisible sight = mask_visible(mask, (MaskRange){ i, 1 }, T, S);
    int first = sight.sinks > 0 ? 0 : sight.keys.first;
    return (MaskRange){ first, sight.keys.first + sight.keys.count - first };
}

// Hidden keys get −INFINITY, the others ALiBi's share.
static void mask_scores(float *scores, MaskRange seen, Mask mask, int i, int T, int S)
{
    for (int j = 0; j < seen.count; j++) {
        float bias = mask_bias(mask, i, seen.first + j, T, S);
        scores[j] = bias == -INFINITY ? bias : scores[j] + bias;
    }
}

ISA_TARGET void ISA_NAME(reordered)(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    uint64_t mode = subnormals_flush();
    Arena *scratch = arena_open();
    int T = q.rows, S = k.rows;
    float scale = mask_scale(mask, q.cols), *scores = arena_alloc(scratch, sizeof(float) * (size_t)S);
    Mat turned = mat_new(scratch, k.cols, S);
    for (int j = 0; j < S; j++)
        for (int c = 0; c < k.cols; c++) *mat_ref(turned, c, j) = *mat_ref(k, j, c);
    mat_fill(to.out, 0.0f);

    for (int i = 0; i < T; i++) {
        MaskRange seen = keys_in_sight(mask, i, T, S);
        bool all = seen.count > 0 && tile_kind(mask, (MaskRange){ i, 1 }, seen, T, S) == TILE_FULL;

        // 1. Scores: channel by channel, all keys at once.
        for (int j = 0; j < seen.count; j++) scores[j] = 0.0f;
        if (seen.count > 0)
            for (int c = 0; c < q.cols; c++)
                add_row(scores, mat_row(turned, c) + seen.first, *mat_ref(q, i, c) * scale, seen.count);
        if (!all || mask.alibi != 0.0f) mask_scores(scores, seen, mask, i, T, S);

        // 2. Weights.
        if (!mat_empty(to.lse)) *mat_ref(to.lse, i, 0) = logsumexp(scores, seen.count);
        softmax(scores, scores, seen.count);

        // 3. Output: key by key, all channels at once.
        for (int j = 0; j < seen.count; j++)
            if (all || mask_sees(mask, i, seen.first + j, T, S))
                add_row(mat_row(to.out, i), mat_row(v, seen.first + j), scores[j], v.cols);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
    subnormals_restore(mode);
}
