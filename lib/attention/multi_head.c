// Chapter 06. Multi-head attention. [Vaswani et al. 2017, §3.2.2, arXiv:1706.03762]
#include "attention/multi_head.h"

#include "attention/dot_product.h"
#include "base/threads.h"

MultiHead multi_head_new(Arena *arena, int D, int H)
{
    REQUIRE(D >= 1 && H >= 1 && D % H == 0, "D = %d cannot be split among H = %d heads of equal width", D, H);
    return (MultiHead){ H, mat_new(arena, D, 3 * D), mat_new(arena, D, D) };
}

HeadWeights multi_head_weights(MultiHead m, int h)
{
    Mat w = m.wqkv;
    int D = w.rows, d = D / m.H;
    return (HeadWeights){ mat_cols(w, h * d, d), mat_cols(w, D + h * d, d), mat_cols(w, 2 * D + h * d, d) };
}

// Head h's rows of the stacked attention maps; empty if weights were not requested.
static Mat map_of_head(Mat weights, int h, int T) { return mat_empty(weights) ? weights : mat_rows(weights, h * T, T); }

static void require_shapes(Mat out, Mat weights, Mat x, MultiHead m)
{
    REQUIRE(m.H >= 1 && x.cols % m.H == 0, "x is " MAT_SHAPE ": it cannot be split among %d heads", MAT_SHAPED(x), m.H);
    REQUIRE(x.cols == m.wqkv.rows && m.wqkv.cols == 3 * x.cols,
            "x is " MAT_SHAPE ", wqkv is " MAT_SHAPE "; it must be (D, 3 D)", MAT_SHAPED(x), MAT_SHAPED(m.wqkv));
    REQUIRE(out.rows == x.rows && out.cols == x.cols, "out is " MAT_SHAPE ", x is " MAT_SHAPE, MAT_SHAPED(out),
            MAT_SHAPED(x));
    REQUIRE(mat_empty(weights) || (weights.rows == m.H * x.rows && weights.cols == x.rows),
            "weights is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(weights), m.H * x.rows, x.rows);
}

// out = heads Wo: the output projection lets every output column depend on every head. Without Wo the heads stay
// concatenated.
static void project_output(Mat out, Mat heads, Mat wo)
{
    if (mat_empty(wo)) mat_set(out, heads);
    else matmul(out, heads, wo);
}

// One head after the other, each with its own small projections, as in the paper's formula.
void multi_head_separate(Mat out, Mat weights, Mat x, MultiHead m, Mask mask)
{
    require_shapes(out, weights, x, m);
    Arena *scratch = arena_open();
    int T = x.rows, D = x.cols, d = D / m.H;
    Mat heads = mat_new(scratch, T, D);

    for (int h = 0; h < m.H; h++) {
        Attended to = { .out = mat_cols(heads, h * d, d), .weights = map_of_head(weights, h, T) };
        self_attention(to, x, multi_head_weights(m, h), mask);
    }
    project_output(out, heads, m.wo);
    arena_close(scratch);
}

// Head h reads and writes columns h·d … h·d + d − 1. No two heads share a column, so concatenation is free.
void multi_head_attend(Mat out, Mat weights, Mat q, Mat k, Mat v, int H, Mask mask)
{
    REQUIRE(H >= 1 && q.cols % H == 0 && k.cols == q.cols && v.cols % H == 0,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ", v is " MAT_SHAPE ": they cannot be split among %d heads",
            MAT_SHAPED(q), MAT_SHAPED(k), MAT_SHAPED(v), H);
    int d = q.cols / H, dv = v.cols / H;
    for (int h = 0; h < H; h++) {
        Attended to = { .out = mat_cols(out, h * dv, dv), .weights = map_of_head(weights, h, q.rows) };
        attention_naive(to, mat_cols(q, h * d, d), mat_cols(k, h * d, d), mat_cols(v, h * dv, dv), mask);
    }
}

// Three wide projections; a head is a column view of each result.
void multi_head_views(Mat out, Mat weights, Mat x, MultiHead m, Mask mask)
{
    require_shapes(out, weights, x, m);
    Arena *scratch = arena_open();
    int T = x.rows, D = x.cols;
    HeadWeights all = { mat_cols(m.wqkv, 0, D), mat_cols(m.wqkv, D, D), mat_cols(m.wqkv, 2 * D, D) };
    HeadProjections p = head_project(scratch, x, x, all);
    Mat heads = mat_new(scratch, T, D);
    multi_head_attend(heads, weights, p.q, p.k, p.v, m.H, mask);
    project_output(out, heads, m.wo);
    arena_close(scratch);
}

// One fused projection, three times as wide: q, k and v are column views of its result.
void multi_head_fused(Mat out, Mat weights, Mat x, MultiHead m, Mask mask)
{
    require_shapes(out, weights, x, m);
    Arena *scratch = arena_open();
    int T = x.rows, D = x.cols;
    Mat qkv = mat_new(scratch, T, 3 * D), heads = mat_new(scratch, T, D);
    matmul(qkv, x, m.wqkv);
    multi_head_attend(heads, weights, mat_cols(qkv, 0, D), mat_cols(qkv, D, D), mat_cols(qkv, 2 * D, D), m.H, mask);
    project_output(out, heads, m.wo);
    arena_close(scratch);
}

typedef struct {
    Mat out, x;
    int T;
    MultiHead m;
    const Mask *masks;
} Batch;

static void attend_sequence(int b, void *context)
{
    const Batch *batch = context;
    Mat out = mat_rows(batch->out, b * batch->T, batch->T), x = mat_rows(batch->x, b * batch->T, batch->T);
    multi_head_fused(out, (Mat){ 0 }, x, batch->m, batch->masks[b]);
}

// A batch is a loop over row views: sequence b is rows b·T … b·T + T − 1.
void multi_head_batch(Mat out, Mat x, int B, MultiHead m, const Mask *masks)
{
    REQUIRE(B >= 1 && x.rows % B == 0 && out.rows == x.rows,
            "out is " MAT_SHAPE ", x is " MAT_SHAPE ": they cannot be split into %d sequences of equal length",
            MAT_SHAPED(out), MAT_SHAPED(x), B);
    Batch batch = { out, x, x.rows / B, m, masks };
    threads_parallel_for(B, attend_sequence, &batch);
}
