// Chapter 08. Backward passes: each function differentiates one forward function, last line first, and quotes it.
#include "attention/backward.h"

#include "attention/dot_product.h"
#include "base/cost.h"
#include "base/portable_math.h"

static bool same_shape(Mat a, Mat b) { return a.rows == b.rows && a.cols == b.cols; }

static void require_gradient(const char *name, Mat gradient, Mat of)
{
    REQUIRE(same_shape(gradient, of), "d%s is " MAT_SHAPE ", %s is " MAT_SHAPE, name, MAT_SHAPED(gradient), name,
            MAT_SHAPED(of));
}

static void require_gradient_if_given(const char *name, Mat gradient, Mat of)
{
    if (!mat_empty(gradient)) require_gradient(name, gradient, of);
}

// Element (i, l) of a was multiplied by every b[l][j] and added to out[i][j]. So its gradient is a sum over row i of
// dout. Element (l, j) of b was multiplied by every a[i][l] and added to out[i][j]. So its gradient is a sum over
// column j.
void backward_matmul(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    REQUIRE(a.cols == b.rows && dout.rows == a.rows && dout.cols == b.cols,
            "dout is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(dout), MAT_SHAPED(a),
            MAT_SHAPED(b));
    require_gradient_if_given("a", da, a);
    require_gradient_if_given("b", db, b);

    // Forward: out[i][j] = Σₗ a[i][l] · b[l][j]
    if (!mat_empty(da))
        for (int i = 0; i < a.rows; i++)
            for (int l = 0; l < a.cols; l++)
                *mat_ref(da, i, l) += dot_product(mat_row(dout, i), mat_row(b, l), 1, b.cols); // da = dout bᵀ
    if (mat_empty(db)) return;
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < a.cols; l++) {
            for (int j = 0; j < b.cols; j++)
                *mat_ref(db, l, j) += *mat_ref(a, i, l) * *mat_ref(dout, i, j); // db = aᵀ dout
            cost_counted.multiplies += b.cols;
        }
}

// Two passes over a row instead of an n × n Jacobian: Σₖ ∂wₖ/∂sⱼ dwₖ = wⱼ (dwⱼ − Σₖ wₖ dwₖ).
void backward_softmax(float *dscores, const float *dweights, const float *weights, int n)
{
    // Forward: wⱼ = exp(sⱼ) / Σₖ exp(sₖ), so ∂wₖ/∂sⱼ = −wₖ wⱼ, and wⱼ (1 − wⱼ) for k = j
    float mean = dot_product(weights, dweights, 1, n);
    for (int j = 0; j < n; j++) dscores[j] += weights[j] * (dweights[j] - mean);
    cost_counted.multiplies += n;
}

// out[i] is a weighted sum of values. The gradient of a weight is dout[i] · its value; that of a value is dout[i] times
// its weight.
void backward_mix_values(Mat dweights, Mat dv, Mat dout, Mat weights, Mat v, Mask mask)
{
    REQUIRE(dout.rows == weights.rows && weights.cols == v.rows && dout.cols == v.cols,
            "dout is " MAT_SHAPE ", weights is " MAT_SHAPE ", v is " MAT_SHAPE, MAT_SHAPED(dout), MAT_SHAPED(weights),
            MAT_SHAPED(v));
    require_gradient("weights", dweights, weights);
    require_gradient("v", dv, v);
    for (int i = 0; i < dout.rows; i++)
        for (int j = 0; j < v.rows; j++) {
            if (!mask_sees(mask, i, j, dout.rows, v.rows)) continue;
            // Forward: out[i][c] += weights[i][j] · v[j][c]
            *mat_ref(dweights, i, j) += dot_product(mat_row(dout, i), mat_row(v, j), 1, v.cols);
            for (int c = 0; c < v.cols; c++) *mat_ref(dv, j, c) += *mat_ref(weights, i, j) * *mat_ref(dout, i, c);
            cost_counted.multiplies += v.cols;
        }
}

// The mask's bias is a constant and has no gradient. Masked pairs were not multiplied in the forward pass and are
// skipped here.
void backward_attention_scores(Mat dq, Mat dk, Mat dscores, Mat q, Mat k, Mask mask)
{
    REQUIRE(q.cols >= 1 && q.cols == k.cols && dscores.rows == q.rows && dscores.cols == k.rows,
            "dscores is " MAT_SHAPE ", q is " MAT_SHAPE ", k is " MAT_SHAPE, MAT_SHAPED(dscores), MAT_SHAPED(q),
            MAT_SHAPED(k));
    require_gradient("q", dq, q);
    require_gradient("k", dk, k);
    float scale = mask_scale(mask, q.cols);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            if (!mask_sees(mask, i, j, q.rows, k.rows)) continue;
            // Forward: scores[i][j] = Σ q[i][c] · k[j][c] · scale + bias
            float slope = *mat_ref(dscores, i, j) * scale;
            for (int c = 0; c < q.cols; c++) *mat_ref(dq, i, c) += slope * *mat_ref(k, j, c);
            for (int c = 0; c < q.cols; c++) *mat_ref(dk, j, c) += slope * *mat_ref(q, i, c);
            cost_counted.multiplies += 2 * q.cols;
        }
}

// The three passes of attention_naive, last one first.
void backward_attention(HeadProjections to, Mat dout, HeadProjections p, Mat weights, Mask mask)
{
    Arena *scratch = arena_open();
    Mat dweights = mat_new(scratch, p.q.rows, p.k.rows), dscores = mat_new(scratch, p.q.rows, p.k.rows);

    // Forward 3: out = weights v
    backward_mix_values(dweights, to.v, dout, weights, p.v, mask);

    // Forward 2: weights = softmax(scores), row by row
    for (int i = 0; i < p.q.rows; i++)
        backward_softmax(mat_row(dscores, i), mat_row(dweights, i), mat_row(weights, i), p.k.rows);

    // Forward 1: scores = q kᵀ / √d + mask
    backward_attention_scores(to.q, to.k, dscores, p.q, p.k, mask);

    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// Column views of head h of H, in q, k and v or in their gradients.
static HeadProjections head_of(HeadProjections all, int h, int H)
{
    int d = all.q.cols / H, dv = all.v.cols / H;
    return (HeadProjections){ mat_cols(all.q, h * d, d), mat_cols(all.k, h * d, d), mat_cols(all.v, h * dv, dv) };
}

void backward_heads(HeadProjections to, Mat dout, HeadProjections p, Mat weights, int H, Mask mask)
{
    REQUIRE(H >= 1 && p.q.cols % H == 0 && p.k.cols == p.q.cols && p.v.cols % H == 0,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ", v is " MAT_SHAPE ": they cannot be split among %d heads",
            MAT_SHAPED(p.q), MAT_SHAPED(p.k), MAT_SHAPED(p.v), H);
    REQUIRE(weights.rows == H * p.q.rows, "weights is " MAT_SHAPE "; it must have %d rows", MAT_SHAPED(weights),
            H * p.q.rows);
    require_gradient("q", to.q, p.q);
    require_gradient("k", to.k, p.k);
    require_gradient("v", to.v, p.v);
    int T = p.q.rows, dv = p.v.cols / H;
    for (int h = 0; h < H; h++) {
        // Forward: attention_naive on columns h · d … of q and k, and h · dv … of v and out
        backward_attention(head_of(to, h, H), mat_cols(dout, h * dv, dv), head_of(p, h, H), mat_rows(weights, h * T, T),
                           mask);
    }
}

void backward_project(Mat dx, Mat dy, HeadWeights dw, HeadProjections dp, Mat x, Mat y, HeadWeights w)
{
    backward_matmul(dx, dw.wq, dp.q, x, w.wq); // Forward: q = x Wq
    backward_matmul(dy, dw.wk, dp.k, y, w.wk); // Forward: k = y Wk
    backward_matmul(dy, dw.wv, dp.v, y, w.wv); // Forward: v = y Wv
}

BackwardHeadKept backward_keep_cross_attention(Arena *arena, Mat out, Mat x, Mat y, HeadWeights w, Mask mask)
{
    BackwardHeadKept kept = { x, y, head_project(arena, x, y, w), mat_new(arena, x.rows, y.rows) };
    attention_naive((Attended){ .out = out, .weights = kept.weights }, kept.p.q, kept.p.k, kept.p.v, mask);
    return kept;
}

void backward_cross_attention(Mat dx, Mat dy, HeadWeights dw, Mat dout, BackwardHeadKept kept, HeadWeights w, Mask mask)
{
    Arena *scratch = arena_open();
    HeadProjections dp = { .q = mat_new(scratch, kept.p.q.rows, kept.p.q.cols),
                           .k = mat_new(scratch, kept.p.k.rows, kept.p.k.cols),
                           .v = mat_new(scratch, kept.p.v.rows, kept.p.v.cols) };
    backward_attention(dp, dout, kept.p, kept.weights, mask); // Forward: attention_naive(to, p.q, p.k, p.v, mask)
    backward_project(dx, dy, dw, dp, kept.x, kept.y, w);      // Forward: p = head_project(x, y, w)
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void backward_self_attention(Mat dx, HeadWeights dw, Mat dout, BackwardHeadKept kept, HeadWeights w, Mask mask)
{
    backward_cross_attention(dx, dx, dw, dout, kept, w, mask); // Forward: cross_attention(to, x, x, w, mask)
}

// Splits the fused projection q | k | v into its three column views.
static HeadProjections split_qkv(Mat qkv)
{
    int D = qkv.cols / 3;
    return (HeadProjections){ mat_cols(qkv, 0, D), mat_cols(qkv, D, D), mat_cols(qkv, 2 * D, D) };
}

BackwardKept backward_kept_new(Arena *arena, Mat x, int H)
{
    REQUIRE(H >= 1 && x.cols % H == 0, "x is " MAT_SHAPE ": it cannot be split among %d heads", MAT_SHAPED(x), H);
    return (BackwardKept){ x, mat_new(arena, x.rows, 3 * x.cols), mat_new(arena, H * x.rows, x.rows),
                           mat_new(arena, x.rows, x.cols) };
}

void backward_keep_multi_head(Mat out, BackwardKept kept, MultiHead m, Mask mask)
{
    HeadProjections p = split_qkv(kept.qkv);
    matmul(kept.qkv, kept.x, m.wqkv);
    multi_head_attend(kept.heads, kept.weights, p.q, p.k, p.v, m.H, mask);
    if (mat_empty(m.wo)) mat_set(out, kept.heads);
    else matmul(out, kept.heads, m.wo);
}

// dm holds dWqkv and dWo, which are added to. split_qkv gives the columns of q, k and v.
void backward_multi_head(Mat dx, MultiHead dm, Mat dout, BackwardKept kept, MultiHead m, Mask mask)
{
    require_gradient("heads", dout, kept.heads);
    REQUIRE(mat_empty(dm.wo) == mat_empty(m.wo), "dWo is " MAT_SHAPE ", Wo is " MAT_SHAPE, MAT_SHAPED(dm.wo),
            MAT_SHAPED(m.wo));
    Arena *scratch = arena_open();
    Mat dqkv = mat_new(scratch, kept.qkv.rows, kept.qkv.cols), dheads = dout;

    // Forward 3: out = heads Wo
    if (!mat_empty(m.wo)) {
        dheads = mat_new(scratch, kept.heads.rows, kept.heads.cols);
        backward_matmul(dheads, dm.wo, dout, kept.heads, m.wo);
    }

    // Forward 2: heads = softmax(q kᵀ / √d + mask) v, for every head
    backward_heads(split_qkv(dqkv), dheads, split_qkv(kept.qkv), kept.weights, m.H, mask);

    // Forward 1: qkv = x Wqkv
    backward_matmul(dx, dm.wqkv, dqkv, kept.x, m.wqkv);

    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
