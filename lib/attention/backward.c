// Chapter 08. Backward passes: every function undoes one of the forward pass, last line first, and quotes it.
#include "attention/backward.h"

#include "attention/dot_product.h"
#include "base/cost.h"

#include <math.h>

static bool same_shape(Mat a, Mat b) { return a.rows == b.rows && a.cols == b.cols; }

static void require_gradient(const char *name, Mat gradient, Mat of)
{
    REQUIRE(same_shape(gradient, of), "d%s is " SHAPE ", %s is " SHAPE, name, SHAPED(gradient), name, SHAPED(of));
}

static void require_gradient_if_asked(const char *name, Mat gradient, Mat of)
{
    if (!mat_empty(gradient)) require_gradient(name, gradient, of);
}

// Element (i, l) of a was multiplied by every b[l][j] and went into out[i][j]. So it collects from row i of dout.
// Element (l, j) of b was multiplied by every a[i][l] and went into out[i][j]. So it collects from column j.
void matmul_backward(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    REQUIRE(a.cols == b.rows && dout.rows == a.rows && dout.cols == b.cols,
            "dout is " SHAPE ", a is " SHAPE ", b is " SHAPE, SHAPED(dout), SHAPED(a), SHAPED(b));
    require_gradient_if_asked("a", da, a);
    require_gradient_if_asked("b", db, b);

    // Forward: out[i][j] = Σₗ a[i][l] · b[l][j]
    if (!mat_empty(da))
        for (int i = 0; i < a.rows; i++)
            for (int l = 0; l < a.cols; l++)
                *mat_ref(da, i, l) += dot(mat_row(dout, i), mat_row(b, l), 1, b.cols); // da = dout bᵀ
    if (mat_empty(db)) return;
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < a.cols; l++) {
            for (int j = 0; j < b.cols; j++)
                *mat_ref(db, l, j) += *mat_ref(a, i, l) * *mat_ref(dout, i, j); // db = aᵀ dout
            counted.multiplies += b.cols;
        }
}

// Two passes over a row instead of an n × n table: Σₖ ∂wₖ/∂sⱼ dwₖ = wⱼ (dwⱼ − Σₖ wₖ dwₖ).
void softmax_backward(float *dscores, const float *dweights, const float *weights, int n)
{
    // Forward: wⱼ = exp(sⱼ) / Σₖ exp(sₖ), so ∂wₖ/∂sⱼ = −wₖ wⱼ, and wⱼ (1 − wⱼ) for k = j
    float mean = dot(weights, dweights, 1, n);
    for (int j = 0; j < n; j++) dscores[j] += weights[j] * (dweights[j] - mean);
    counted.multiplies += n;
}

// out[i] is the values mixed by weights. A weight's gradient is dout[i] · its value; a value's is dout[i], times its
// weight.
void mix_values_backward(Mat dweights, Mat dv, Mat dout, Mat weights, Mat v, Mask mask)
{
    REQUIRE(dout.rows == weights.rows && weights.cols == v.rows && dout.cols == v.cols,
            "dout is " SHAPE ", weights is " SHAPE ", v is " SHAPE, SHAPED(dout), SHAPED(weights), SHAPED(v));
    require_gradient("weights", dweights, weights);
    require_gradient("v", dv, v);
    for (int i = 0; i < dout.rows; i++)
        for (int j = 0; j < v.rows; j++) {
            if (!mask_sees(mask, i, j, dout.rows, v.rows)) continue;
            // Forward: out[i][c] += weights[i][j] · v[j][c]
            *mat_ref(dweights, i, j) += dot(mat_row(dout, i), mat_row(v, j), 1, v.cols);
            for (int c = 0; c < v.cols; c++) *mat_ref(dv, j, c) += *mat_ref(weights, i, j) * *mat_ref(dout, i, c);
            counted.multiplies += v.cols;
        }
}

// A mask's bias is a constant and has no gradient. A key out of sight was never multiplied, and is not here either.
void attention_scores_backward(Mat dq, Mat dk, Mat dscores, Mat q, Mat k, Mask mask)
{
    REQUIRE(q.cols >= 1 && q.cols == k.cols && dscores.rows == q.rows && dscores.cols == k.rows,
            "dscores is " SHAPE ", q is " SHAPE ", k is " SHAPE, SHAPED(dscores), SHAPED(q), SHAPED(k));
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
            counted.multiplies += 2 * q.cols;
        }
}

// The three passes of attention_naive, last one first.
void attention_backward(Projected to, Mat dout, Projected p, Mat weights, Mask mask)
{
    Arena *scratch = arena_open();
    Mat dweights = mat_new(scratch, p.q.rows, p.k.rows), dscores = mat_new(scratch, p.q.rows, p.k.rows);

    // Forward 3: out = weights v
    mix_values_backward(dweights, to.v, dout, weights, p.v, mask);

    // Forward 2: weights = softmax(scores), row by row
    for (int i = 0; i < p.q.rows; i++)
        softmax_backward(mat_row(dscores, i), mat_row(dweights, i), mat_row(weights, i), p.k.rows);

    // Forward 1: scores = q kᵀ / √d + mask
    attention_scores_backward(to.q, to.k, dscores, p.q, p.k, mask);

    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// Head h of H: its columns of q, k and v, or of their gradients.
static Projected head_of(Projected all, int h, int H)
{
    int d = all.q.cols / H, dv = all.v.cols / H;
    return (Projected){ mat_cols(all.q, h * d, d), mat_cols(all.k, h * d, d), mat_cols(all.v, h * dv, dv) };
}

void heads_backward(Projected to, Mat dout, Projected p, Mat weights, int H, Mask mask)
{
    REQUIRE(H >= 1 && p.q.cols % H == 0 && p.k.cols == p.q.cols && p.v.cols % H == 0,
            "q is " SHAPE ", k is " SHAPE ", v is " SHAPE ": they cannot be split among %d heads", SHAPED(p.q),
            SHAPED(p.k), SHAPED(p.v), H);
    REQUIRE(weights.rows == H * p.q.rows, "weights is " SHAPE "; it must have %d rows", SHAPED(weights), H * p.q.rows);
    require_gradient("q", to.q, p.q);
    require_gradient("k", to.k, p.k);
    require_gradient("v", to.v, p.v);
    int T = p.q.rows, dv = p.v.cols / H;
    for (int h = 0; h < H; h++) {
        // Forward: attention_naive on columns h · d … of q and k, and h · dv … of v and out
        attention_backward(head_of(to, h, H), mat_cols(dout, h * dv, dv), head_of(p, h, H), mat_rows(weights, h * T, T),
                           mask);
    }
}

void project_backward(Mat dx, Mat dy, HeadWeights dw, Projected dp, Mat x, Mat y, HeadWeights w)
{
    matmul_backward(dx, dw.wq, dp.q, x, w.wq); // Forward: q = x Wq
    matmul_backward(dy, dw.wk, dp.k, y, w.wk); // Forward: k = y Wk
    matmul_backward(dy, dw.wv, dp.v, y, w.wv); // Forward: v = y Wv
}

HeadKept cross_attention_keep(Arena *arena, Mat out, Mat x, Mat y, HeadWeights w, Mask mask)
{
    HeadKept kept = { x, y, project(arena, x, y, w), mat_new(arena, x.rows, y.rows) };
    attention_naive((Attended){ .out = out, .weights = kept.weights }, kept.p.q, kept.p.k, kept.p.v, mask);
    return kept;
}

void cross_attention_backward(Mat dx, Mat dy, HeadWeights dw, Mat dout, HeadKept kept, HeadWeights w, Mask mask)
{
    Arena *scratch = arena_open();
    Projected dp = { .q = mat_new(scratch, kept.p.q.rows, kept.p.q.cols),
                     .k = mat_new(scratch, kept.p.k.rows, kept.p.k.cols),
                     .v = mat_new(scratch, kept.p.v.rows, kept.p.v.cols) };
    attention_backward(dp, dout, kept.p, kept.weights, mask); // Forward: attention_naive(to, p.q, p.k, p.v, mask)
    project_backward(dx, dy, dw, dp, kept.x, kept.y, w);      // Forward: p = project(x, y, w)
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void self_attention_backward(Mat dx, HeadWeights dw, Mat dout, HeadKept kept, HeadWeights w, Mask mask)
{
    cross_attention_backward(dx, dx, dw, dout, kept, w, mask); // Forward: cross_attention(to, x, x, w, mask)
}

// q | k | v, side by side in one matrix.
static Projected thirds(Mat qkv)
{
    int D = qkv.cols / 3;
    return (Projected){ mat_cols(qkv, 0, D), mat_cols(qkv, D, D), mat_cols(qkv, 2 * D, D) };
}

MultiHeadKept multi_head_kept_new(Arena *arena, Mat x, int H)
{
    REQUIRE(H >= 1 && x.cols % H == 0, "x is " SHAPE ": it cannot be split among %d heads", SHAPED(x), H);
    return (MultiHeadKept){ x, mat_new(arena, x.rows, 3 * x.cols), mat_new(arena, H * x.rows, x.rows),
                            mat_new(arena, x.rows, x.cols) };
}

void multi_head_keep(Mat out, MultiHeadKept kept, MultiHead m, Mask mask)
{
    Projected p = thirds(kept.qkv);
    matmul(kept.qkv, kept.x, m.wqkv);
    heads_attend(kept.heads, kept.weights, p.q, p.k, p.v, m.H, mask);
    if (mat_empty(m.wo)) mat_set(out, kept.heads);
    else matmul(out, kept.heads, m.wo);
}

// dm holds dWqkv and dWo, to be added to. kept is what the forward pass computed; thirds cuts a wide q | k | v apart.
void multi_head_backward(Mat dx, MultiHead dm, Mat dout, MultiHeadKept kept, MultiHead m, Mask mask)
{
    require_gradient("heads", dout, kept.heads);
    REQUIRE(mat_empty(dm.wo) == mat_empty(m.wo), "dWo is " SHAPE ", Wo is " SHAPE, SHAPED(dm.wo), SHAPED(m.wo));
    Arena *scratch = arena_open();
    Mat dqkv = mat_new(scratch, kept.qkv.rows, kept.qkv.cols), dheads = dout;

    // Forward 3: out = heads Wo
    if (!mat_empty(m.wo)) {
        dheads = mat_new(scratch, kept.heads.rows, kept.heads.cols);
        matmul_backward(dheads, dm.wo, dout, kept.heads, m.wo);
    }

    // Forward 2: heads = softmax(q kᵀ / √d + mask) v, for every head
    heads_backward(thirds(dqkv), dheads, thirds(kept.qkv), kept.weights, m.H, mask);

    // Forward 1: qkv = x Wqkv
    matmul_backward(dx, dm.wqkv, dqkv, kept.x, m.wqkv);

    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
