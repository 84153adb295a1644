// Chapter 14. Keys in parts: each by itself, then one result. [Dao, Haziza, Massa and Sizov 2023, Flash-Decoding]
#include "attention/kv_segments.h"

#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "base/threads.h"

#include <limits.h>

enum { AT_ONCE = 64 }; // parts that are worked on before they are merged

// What a part gave: out (T, H dv) and lse (T, H) over keys first … first + count − 1.
typedef struct {
    MaskRange keys;
    Mat out, lse;
} Partial;

typedef struct {
    Mat q, weights;
    KvSegments parts;
    int H;
    const Mask *masks;
    AttentionKernel *kernel;
    Partial *of; // of each part
    int first;   // of those that are worked on at once
} Call;

// Part n by the kernel, as if there were no others. Its weights go to its own columns of the table.
static MaskRange attend_part(Attended to, const Call *call, int n)
{
    Arena *room = arena_open();
    KvSegment part = call->parts.part(call->parts.cache, n, room);
    cost_scratch((int64_t)arena_peak(room)); // what it took to decode
    int S = call->parts.S, count = part.k.rows, first = S - part.shift - count;
    Mask *masks = arena_alloc(room, (size_t)call->H * sizeof *masks);
    for (int h = 0; h < call->H; h++) masks[h] = mask_of_part(call->masks[h], S, first, count);
    if (!mat_empty(to.weights)) to.weights = mat_cols(to.weights, first, count);
    grouped_attend(to, call->q, part.k, part.v, call->H, masks, call->kernel);
    arena_close(room);
    return (MaskRange){ first, count };
}

static void attend_partial(int i, void *context)
{
    const Call *call = context;
    int n = call->first + i;
    Attended to = { call->of[n].out, call->of[n].lse, call->weights };
    call->of[n].keys = attend_part(to, call, n);
}

// A part's room serves again when its result has been merged. Its lse is kept where the weights will ask for it. Where
// they all stand is not in that arena, whose numbers are counted: a pointer is not as long on every machine.
static Partial *partials_new(Arena *arena, Arena *places, int count, int T, int width, int H, bool weights)
{
    Partial *of = arena_alloc(places, (size_t)count * sizeof *of);
    for (int n = 0; n < count; n++) {
        of[n] = n < AT_ONCE ? (Partial){ .out = mat_new(arena, T, width) } : of[n - AT_ONCE];
        if (n < AT_ONCE || weights) of[n].lse = mat_new(arena, T, H);
    }
    return of;
}

// One part more, head by head, as chapter 13 merges two.
static void merge_heads(Mat out, Mat lse, Partial part)
{
    int H = lse.cols, dv = out.cols / H;
    for (int h = 0; h < H; h++)
        attention_merge(mat_cols(out, h * dv, dv), mat_cols(lse, h, 1), mat_cols(part.out, h * dv, dv),
                        mat_cols(part.lse, h, 1));
}

// A part's weights are shares of the part. The part's own share of all is exp(lse of the part − lse of all).
static void weigh_part(Mat weights, Mat lse, Partial part)
{
    Mat own = mat_cols(weights, part.keys.first, part.keys.count);
    for (int h = 0; h < lse.cols; h++)
        for (int i = 0; i < lse.rows; i++) {
            float all = *mat_ref(lse, i, h), share = expf(*mat_ref(part.lse, i, h) - all);
            if (all == -INFINITY) continue;   // nothing was seen anywhere
            if (all == INFINITY) share = NAN; // as in the naive kernel: no weight is a number
            float *row = mat_row(own, h * lse.rows + i);
            for (int j = 0; j < own.cols; j++) row[j] *= share;
        }
}

static void require_shapes(Attended to, Mat q, KvSegments parts, int H)
{
    REQUIRE(parts.S >= 0 && parts.count >= 0, "%d keys in %d parts", parts.S, parts.count);
    REQUIRE(H >= 1 && to.out.rows == q.rows && to.out.cols % H == 0,
            "out is " MAT_SHAPE "; it must have %d rows, and columns for %d heads", MAT_SHAPED(to.out), q.rows, H);
    REQUIRE(mat_empty(to.lse) || (to.lse.rows == q.rows && to.lse.cols == H),
            "lse is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.lse), q.rows, H);
    REQUIRE(mat_empty(to.weights) || (to.weights.rows == H * q.rows && to.weights.cols == parts.S),
            "weights is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.weights), H * q.rows, parts.S);
}

void kv_segments_attend(Attended to, Mat q, KvSegments parts, int H, const Mask *masks, AttentionKernel *kernel)
{
    require_shapes(to, q, parts, H);
    Call call = { .q = q, .weights = to.weights, .parts = parts, .H = H, .masks = masks, .kernel = kernel };
    mat_fill(to.weights, 0.0f); // for keys that are in no part
    if (parts.count == 1) {
        attend_part(to, &call, 0);
        return;
    }
    Arena *scratch = arena_open(), *places = arena_open();
    Mat lse = mat_empty(to.lse) ? mat_new(scratch, q.rows, H) : to.lse;
    call.of = partials_new(scratch, places, parts.count, q.rows, to.out.cols, H, !mat_empty(to.weights));
    mat_fill(to.out, 0.0f);
    mat_fill(lse, -INFINITY);
    for (int left = parts.count; left > 0; left -= AT_ONCE) {
        // 1. Some parts, each on its own, in any order.
        int n = left < AT_ONCE ? left : AT_ONCE;
        call.first = parts.count - left;
        threads_parallel_for(n, attend_partial, &call);

        // 2. Merged from the first to the last, so that the result does not depend on who was ready first.
        for (int i = 0; i < n; i++) merge_heads(to.out, lse, call.of[call.first + i]);
    }
    cost_counted.reads += parts.count * (mat_numbers(to.out) + mat_numbers(lse));
    cost_counted.writes += mat_numbers(to.out) + mat_numbers(to.lse);

    // 3. The weights, if they were asked for.
    if (!mat_empty(to.weights)) {
        for (int n = 0; n < parts.count; n++) weigh_part(to.weights, lse, call.of[n]);
        cost_counted.reads += mat_numbers(to.weights);
        cost_counted.writes += mat_numbers(to.weights);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(places);
    arena_close(scratch);
}

// ---- in order

// A part's keys and values for head h, and its place in a row of all keys.
typedef struct {
    Mat k, v;
    MaskRange keys;
    Mask mask;
} HeadPart;

static HeadPart head_part(KvSegments parts, int n, int h, int H, int d, Mask mask, Arena *room)
{
    KvSegment part = parts.part(parts.cache, n, room);
    REQUIRE(part.k.rows == part.v.rows && part.k.cols >= d && part.k.cols % d == 0 && H % (part.k.cols / d) == 0,
            "k is " MAT_SHAPE ", v is " MAT_SHAPE ": as many rows, and columns for heads of %d that divide %d",
            MAT_SHAPED(part.k), MAT_SHAPED(part.v), d, H);
    int G = part.k.cols / d, dv = part.v.cols / G, g = h / (H / G), count = part.k.rows;
    int first = parts.S - part.shift - count;
    return (HeadPart){ mat_cols(part.k, g * d, d),
                       mat_cols(part.v, g * dv, dv),
                       { first, count },
                       mask_of_part(mask, parts.S, first, count) };
}

// attention_naive's three passes; the first and the last go over the parts.
static void attend_in_order(Attended to, Mat q, KvSegments parts, int h, int H, Mask mask)
{
    // 1. Scores. A key that is in no part has none.
    mat_fill(to.weights, -INFINITY);
    for (int n = 0; n < parts.count; n++) {
        Arena *room = arena_open();
        HeadPart part = head_part(parts, n, h, H, q.cols, mask, room);
        attention_scores(mat_cols(to.weights, part.keys.first, part.keys.count), q, part.k, part.mask);
        arena_close(room);
    }

    // 2. Weights.
    for (int i = 0; i < to.lse.rows; i++) *mat_ref(to.lse, i, 0) = logsumexp(mat_row(to.weights, i), to.weights.cols);
    softmax_rows(to.weights, to.weights);

    // 3. Output.
    mat_fill(to.out, 0.0f);
    for (int n = 0; n < parts.count; n++) {
        Arena *room = arena_open();
        HeadPart part = head_part(parts, n, h, H, q.cols, mask, room);
        attention_mix(to.out, mat_cols(to.weights, part.keys.first, part.keys.count), part.v, part.mask);
        arena_close(room);
    }
}

void kv_segments_attend_in_order(Attended to, Mat q, KvSegments parts, int H, const Mask *masks)
{
    require_shapes(to, q, parts, H);
    REQUIRE(q.cols % H == 0, "q is " MAT_SHAPE ": it cannot be split among %d heads", MAT_SHAPED(q), H);
    Arena *scratch = arena_open();
    int T = q.rows, d = q.cols / H, dv = to.out.cols / H;
    Mat table = mat_empty(to.weights) ? mat_new(scratch, T, parts.S) : to.weights;
    for (int h = 0; h < H; h++) {
        Attended head = {
            .out = mat_cols(to.out, h * dv, dv),
            .lse = mat_empty(to.lse) ? to.lse : mat_cols(to.lse, h, 1),
            .weights = mat_empty(to.weights) ? table : mat_rows(table, h * T, T),
        };
        attend_in_order(head, mat_cols(q, h * d, d), parts, h, H, masks[h]);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// ---- split keys

typedef struct {
    Mat k, v;
    int parts;
} Cut;

static KvSegment part_of_cut(const void *cache, int n, Arena *room)
{
    (void)room; // views; nothing is decoded
    const Cut *cut = cache;
    int64_t S = cut->k.rows;
    int first = (int)(S * n / cut->parts), end = (int)(S * (n + 1) / cut->parts);
    return (KvSegment){ mat_rows(cut->k, first, end - first), mat_rows(cut->v, first, end - first), cut->k.rows - end };
}

void kv_segments_split(Attended to, Mat q, Mat k, Mat v, Mask mask, int parts, AttentionKernel *kernel)
{
    attention_require(to, q, k, v);
    REQUIRE(parts >= 1 && (int64_t)parts * q.rows <= INT_MAX, "%d queries, and keys cut into %d parts", q.rows, parts);
    Cut cut = { k, v, parts };
    kv_segments_attend(to, q, (KvSegments){ k.rows, parts, part_of_cut, &cut }, 1, &mask, kernel);
}
