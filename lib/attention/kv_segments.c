// Chapter 14. Segments of a KV cache are attended separately and merged by logsumexp. [Dao, Haziza, Massa and Sizov
// 2023, Flash-Decoding]
#include "attention/kv_segments.h"

#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "base/threads.h"

#include <limits.h>

enum { ROUND = 64 }; // segments per parallel round; then they are merged

// Partial result of a segment: out (T, H dv) and lse (T, H) over keys first … first + count − 1.
typedef struct {
    MaskRange keys;
    Mat out, lse;
} PartialResult;

typedef struct {
    Mat q, weights;
    KvSegments segments;
    int H;
    const Mask *masks;
    AttentionKernel *kernel;
    PartialResult *partials; // one per segment
    int first;               // first segment of this round
} Call;

// Runs the kernel on segment n alone. Its weights go to the segment's columns of the table.
static MaskRange attend_segment(Attended to, const Call *call, int n)
{
    Arena *scratch = arena_open();
    KvSegment segment = call->segments.part(call->segments.cache, n, scratch);
    cost_scratch((int64_t)arena_peak(scratch)); // memory for decoding
    int S = call->segments.S, count = segment.k.rows, first = S - segment.shift - count;
    Mask *masks = arena_alloc(scratch, (size_t)call->H * sizeof *masks);
    for (int h = 0; h < call->H; h++) masks[h] = mask_of_part(call->masks[h], S, first, count);
    if (!mat_empty(to.weights)) to.weights = mat_cols(to.weights, first, count);
    grouped_attend(to, call->q, segment.k, segment.v, call->H, masks, call->kernel);
    arena_close(scratch);
    return (MaskRange){ first, count };
}

static void attend_partial(int i, void *context)
{
    const Call *call = context;
    int n = call->first + i;
    Attended to = { call->partials[n].out, call->partials[n].lse, call->weights };
    call->partials[n].keys = attend_segment(to, call, n);
}

// Allocates the partial results. The buffers of a round are reused by the next one; lse of every segment is kept if the
// weights are needed. The array itself is in another arena, because scratch memory is counted and the size of a pointer
// differs between machines.
static PartialResult *partials_new(Arena *arena, Arena *array_arena, int count, int T, int width, int H, bool weights)
{
    PartialResult *partials = arena_alloc(array_arena, (size_t)count * sizeof *partials);
    for (int n = 0; n < count; n++) {
        partials[n] = n < ROUND ? (PartialResult){ .out = mat_new(arena, T, width) } : partials[n - ROUND];
        if (n < ROUND || weights) partials[n].lse = mat_new(arena, T, H);
    }
    return partials;
}

// Merges a segment's result, head by head.
static void merge_heads(Mat out, Mat lse, PartialResult partial)
{
    int H = lse.cols, dv = out.cols / H;
    for (int h = 0; h < H; h++)
        attention_merge(mat_cols(out, h * dv, dv), mat_cols(lse, h, 1), mat_cols(partial.out, h * dv, dv),
                        mat_cols(partial.lse, h, 1));
}

// A segment's weights are normalised within the segment. Multiplies them by exp(lse of the segment − lse over all
// keys).
static void rescale_weights(Mat weights, Mat lse, PartialResult partial)
{
    Mat own = mat_cols(weights, partial.keys.first, partial.keys.count);
    for (int h = 0; h < lse.cols; h++)
        for (int i = 0; i < lse.rows; i++) {
            float all = *mat_ref(lse, i, h), share = expf(*mat_ref(partial.lse, i, h) - all);
            if (all == -INFINITY) continue;   // no visible key
            if (all == INFINITY) share = NAN; // as in the naive kernel
            float *row = mat_row(own, h * lse.rows + i);
            for (int j = 0; j < own.cols; j++) row[j] *= share;
        }
}

static void require_shapes(Attended to, Mat q, KvSegments segments, int H)
{
    REQUIRE(segments.S >= 0 && segments.count >= 0, "%d keys in %d parts", segments.S, segments.count);
    REQUIRE(H >= 1 && to.out.rows == q.rows && to.out.cols % H == 0,
            "out is " MAT_SHAPE "; it must have %d rows, and columns for %d heads", MAT_SHAPED(to.out), q.rows, H);
    REQUIRE(mat_empty(to.lse) || (to.lse.rows == q.rows && to.lse.cols == H),
            "lse is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.lse), q.rows, H);
    REQUIRE(mat_empty(to.weights) || (to.weights.rows == H * q.rows && to.weights.cols == segments.S),
            "weights is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.weights), H * q.rows, segments.S);
}

void kv_segments_attend(Attended to, Mat q, KvSegments segments, int H, const Mask *masks, AttentionKernel *kernel)
{
    require_shapes(to, q, segments, H);
    Call call = { .q = q, .weights = to.weights, .segments = segments, .H = H, .masks = masks, .kernel = kernel };
    mat_fill(to.weights, 0.0f); // for keys in no segment
    if (segments.count == 1) {
        attend_segment(to, &call, 0);
        return;
    }
    Arena *scratch = arena_open(), *array_arena = arena_open();
    Mat lse = mat_empty(to.lse) ? mat_new(scratch, q.rows, H) : to.lse;
    call.partials = partials_new(scratch, array_arena, segments.count, q.rows, to.out.cols, H, !mat_empty(to.weights));
    mat_fill(to.out, 0.0f);
    mat_fill(lse, -INFINITY);
    for (int left = segments.count; left > 0; left -= ROUND) {
        // 1. A round of segments, in parallel.
        int n = left < ROUND ? left : ROUND;
        call.first = segments.count - left;
        threads_parallel_for(n, attend_partial, &call);

        // 2. Merge in order, so that the result does not depend on the threads.
        for (int i = 0; i < n; i++) merge_heads(to.out, lse, call.partials[call.first + i]);
    }
    cost_counted.reads += segments.count * (mat_numbers(to.out) + mat_numbers(lse));
    cost_counted.writes += mat_numbers(to.out) + mat_numbers(to.lse);

    // 3. The weights, if requested.
    if (!mat_empty(to.weights)) {
        for (int n = 0; n < segments.count; n++) rescale_weights(to.weights, lse, call.partials[n]);
        cost_counted.reads += mat_numbers(to.weights);
        cost_counted.writes += mat_numbers(to.weights);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(array_arena);
    arena_close(scratch);
}

// ---- in order

// Keys and values of one head in a segment, the segment's range among all keys, and its mask.
typedef struct {
    Mat k, v;
    MaskRange keys;
    Mask mask;
} HeadSegment;

static HeadSegment head_segment(KvSegments segments, int n, int h, int H, int d, Mask mask, Arena *scratch)
{
    KvSegment segment = segments.part(segments.cache, n, scratch);
    REQUIRE(segment.k.rows == segment.v.rows && segment.k.cols >= d && segment.k.cols % d == 0 &&
                H % (segment.k.cols / d) == 0,
            "k is " MAT_SHAPE ", v is " MAT_SHAPE ": as many rows, and columns for heads of %d that divide %d",
            MAT_SHAPED(segment.k), MAT_SHAPED(segment.v), d, H);
    int G = segment.k.cols / d, dv = segment.v.cols / G, g = h / (H / G), count = segment.k.rows;
    int first = segments.S - segment.shift - count;
    return (HeadSegment){ mat_cols(segment.k, g * d, d),
                          mat_cols(segment.v, g * dv, dv),
                          { first, count },
                          mask_of_part(mask, segments.S, first, count) };
}

// The three passes of attention_naive; the first and the last loop over segments.
static void attend_in_order(Attended to, Mat q, KvSegments segments, int h, int H, Mask mask)
{
    // 1. Scores. Keys in no segment keep −INFINITY.
    mat_fill(to.weights, -INFINITY);
    for (int n = 0; n < segments.count; n++) {
        Arena *scratch = arena_open();
        HeadSegment segment = head_segment(segments, n, h, H, q.cols, mask, scratch);
        attention_scores(mat_cols(to.weights, segment.keys.first, segment.keys.count), q, segment.k, segment.mask);
        arena_close(scratch);
    }

    // 2. Weights.
    for (int i = 0; i < to.lse.rows; i++) *mat_ref(to.lse, i, 0) = logsumexp(mat_row(to.weights, i), to.weights.cols);
    softmax_rows(to.weights, to.weights);

    // 3. Output.
    mat_fill(to.out, 0.0f);
    for (int n = 0; n < segments.count; n++) {
        Arena *scratch = arena_open();
        HeadSegment segment = head_segment(segments, n, h, H, q.cols, mask, scratch);
        attention_mix(to.out, mat_cols(to.weights, segment.keys.first, segment.keys.count), segment.v, segment.mask);
        arena_close(scratch);
    }
}

void kv_segments_attend_in_order(Attended to, Mat q, KvSegments segments, int H, const Mask *masks)
{
    require_shapes(to, q, segments, H);
    REQUIRE(q.cols % H == 0, "q is " MAT_SHAPE ": it cannot be split among %d heads", MAT_SHAPED(q), H);
    Arena *scratch = arena_open();
    int T = q.rows, d = q.cols / H, dv = to.out.cols / H;
    Mat table = mat_empty(to.weights) ? mat_new(scratch, T, segments.S) : to.weights;
    for (int h = 0; h < H; h++) {
        Attended head = {
            .out = mat_cols(to.out, h * dv, dv),
            .lse = mat_empty(to.lse) ? to.lse : mat_cols(to.lse, h, 1),
            .weights = mat_empty(to.weights) ? table : mat_rows(table, h * T, T),
        };
        attend_in_order(head, mat_cols(q, h * d, d), segments, h, H, masks[h]);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// ---- split keys

typedef struct {
    Mat k, v;
    int splits;
} Split;

static KvSegment segment_of_split(const void *cache, int n, Arena *scratch)
{
    (void)scratch; // views; nothing is decoded
    const Split *split = cache;
    int64_t S = split->k.rows;
    int first = (int)(S * n / split->splits), end = (int)(S * (n + 1) / split->splits);
    return (KvSegment){ mat_rows(split->k, first, end - first), mat_rows(split->v, first, end - first),
                        split->k.rows - end };
}

void kv_segments_split(Attended to, Mat q, Mat k, Mat v, Mask mask, int splits, AttentionKernel *kernel)
{
    attention_require(to, q, k, v);
    REQUIRE(splits >= 1 && (int64_t)splits * q.rows <= INT_MAX, "%d queries, and keys cut into %d parts", q.rows,
            splits);
    Split split = { k, v, splits };
    kv_segments_attend(to, q, (KvSegments){ k.rows, splits, segment_of_split, &split }, 1, &mask, kernel);
}
