// Chapter 12. Grouped-query attention: multi-head attention where query head h reads KV head h / (H / G). [Shazeer
// 2019, arXiv:1911.02150; Ainslie et al. 2023, arXiv:2305.13245]
#include "attention/grouped.h"

#include "attention/float4.h"
#include "attention/positions.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"

void grouped_require(Attended to, Mat q, Mat k, Mat v, int H)
{
    REQUIRE(H >= 1 && q.cols >= H && q.cols % H == 0, "q is " MAT_SHAPE ": it cannot be split among %d heads",
            MAT_SHAPED(q), H);
    int d = q.cols / H, G = k.cols / d;
    REQUIRE(k.cols >= d && k.cols % d == 0 && H % G == 0,
            "q is " MAT_SHAPE " in %d heads of %d columns, k is " MAT_SHAPE
            ": its columns must be G heads of %d, and G must divide %d",
            MAT_SHAPED(q), H, d, MAT_SHAPED(k), d, H);
    REQUIRE(v.cols % G == 0, "v is " MAT_SHAPE ": it cannot be split among %d key heads", MAT_SHAPED(v), G);
    REQUIRE(to.out.rows == q.rows && to.out.cols == H * (v.cols / G), "out is " MAT_SHAPE "; it must be " MAT_SHAPE,
            MAT_SHAPED(to.out), q.rows, H * (v.cols / G));
    REQUIRE(mat_empty(to.lse) || (to.lse.rows == q.rows && to.lse.cols == H),
            "lse is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.lse), q.rows, H);
    REQUIRE(mat_empty(to.weights) || (to.weights.rows == H * q.rows && to.weights.cols == k.rows),
            "weights is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.weights), H * q.rows, k.rows);
}

// Query head h reads KV head h / (H / G): with G = H its own, with G = 1 the only one. Nothing is copied.
void grouped_attend(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel)
{
    grouped_require(to, q, k, v, H);
    int T = q.rows, d = q.cols / H, G = k.cols / d, dv = v.cols / G;
    for (int h = 0; h < H; h++) {
        Mat qh = mat_cols(q, h * d, d);
        Mat kh = mat_cols(k, (h / (H / G)) * d, d), vh = mat_cols(v, (h / (H / G)) * dv, dv);
        Attended head = {
            .out = mat_cols(to.out, h * dv, dv),
            .lse = mat_empty(to.lse) ? to.lse : mat_cols(to.lse, h, 1),
            .weights = mat_empty(to.weights) ? to.weights : mat_rows(to.weights, h * T, T),
        };
        kernel(head, qh, kh, vh, masks[h]);
    }
}

// ---- one query a head

// The H / G heads of group g are adjacent in a row (1, H d): the n rows of a view (n, d).
static Mat group_rows(Mat row, int g, int n, int d) { return (Mat){ row.at + (ptrdiff_t)g * n * d, n, d, d }; }

// Per-head constants. Most masks neither hide a key from the newest query nor add a bias; for such an `open` head the
// mask is not evaluated.
typedef struct {
    Mask mask;
    float scale;
    bool open;
} Head;

static Head head_of(Mask mask, int d)
{
    bool hides = mask.window > 0 || mask.padding > 0 || (mask.causal && mask.shift < 0);
    return (Head){ mask, mask_scale(mask, d), !hides && mask.alibi == 0.0f };
}

// Bias of the newest query and key j.
static inline float newest_bias(const Head *head, int j, int S)
{
    return head->open ? 0.0f : mask_bias(head->mask, 0, j, 1, S);
}

// Whether any of the n heads of a group sees key j.
static bool group_sees(const Head *heads, int n, int j, int S)
{
    for (int r = 0; r < n; r++)
        if (newest_bias(&heads[r], j, S) != -INFINITY) return true;
    return false;
}

// Scores of all heads against key j, into column j. A KV head's key is loaded once for its n queries.
static void score_key(Mat scores, Mat q, Mat k, int G, const Head *all, int j)
{
    int n = scores.rows / G, d = k.cols / G;
    for (int g = 0; g < G; g++) {
        const Head *heads = all + g * n;
        Mat queries = group_rows(q, g, n, d), to = mat_rows(scores, g * n, n);
        bool seen = group_sees(heads, n, j, k.rows);
        const float *key = mat_row(k, j) + (ptrdiff_t)g * d;
        for (int r = 0; r < n; r++) {
            float bias = newest_bias(&heads[r], j, k.rows), *score = mat_ref(to, r, j);
            *score = bias == -INFINITY ? bias : float4_product(mat_row(queries, r), key, d) * heads[r].scale + bias;
        }
        cost_counted.multiplies += seen ? (int64_t)n * d : 0;
        cost_counted.reads += seen ? d : 0;
    }
}

// Adds value j to the outputs of all heads, loaded once per KV head.
static void mix_value(Mat out, Mat weights, Mat v, int G, const Head *all, int j)
{
    int n = weights.rows / G, dv = v.cols / G;
    for (int g = 0; g < G; g++) {
        const Head *heads = all + g * n;
        if (!group_sees(heads, n, j, v.rows)) continue;
        Mat sums = group_rows(out, g, n, dv), from = mat_rows(weights, g * n, n);
        const float *value = mat_row(v, j) + (ptrdiff_t)g * dv;
        for (int r = 0; r < n; r++)
            if (newest_bias(&heads[r], j, v.rows) != -INFINITY)
                float4_add_scaled(mat_row(sums, r), *mat_ref(from, r, j), value, dv);
        cost_counted.multiplies += (int64_t)n * dv;
        cost_counted.reads += dv;
    }
}

// Key by key, a column of scores is written. If the row length were a power of two, the elements of a column would map
// to the same cache sets and evict each other: so scratch rows are padded by 16 floats.
void grouped_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_require(to, q, k, v, H);
    REQUIRE(q.rows == 1 && k.rows == v.rows,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ", v is " MAT_SHAPE ": one query a head, and a value for every key",
            MAT_SHAPED(q), MAT_SHAPED(k), MAT_SHAPED(v));
    Arena *scratch = arena_open();
    int S = k.rows, G = k.cols / (q.cols / H);
    Mat weights = to.weights;
    if (mat_empty(weights)) weights = mat_cols(mat_new(scratch, H, S + 16), 0, S);

    // 1. Scores, key by key: the cache is read in memory order.
    Head *heads = arena_alloc(scratch, (size_t)H * sizeof *heads);
    for (int h = 0; h < H; h++) heads[h] = head_of(masks[h], q.cols / H);
    for (int j = 0; j < S; j++) score_key(weights, q, k, G, heads, j);

    // 2. Weights: a softmax for every head.
    if (!mat_empty(to.lse))
        for (int h = 0; h < H; h++) *mat_ref(to.lse, 0, h) = logsumexp(mat_row(weights, h), S);
    softmax_rows(weights, weights);

    // 3. Values, row by row.
    mat_fill(to.out, 0.0f);
    for (int j = 0; j < S; j++) mix_value(to.out, weights, v, G, heads, j);

    cost_counted.reads += q.cols;
    cost_counted.writes += to.out.cols;
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void grouped_masks(Mask *masks, int H, Mask mask, bool alibi)
{
    for (int h = 0; h < H; h++) {
        masks[h] = mask;
        if (alibi) masks[h].alibi = alibi_slope(h, H);
    }
}
