// Chapter 09. The forward pass of run.c in reverse. Every step quotes the forward line that it differentiates.
#include "model/gradient.h"

#include "attention/attention_product.h"
#include "attention/differential.h"
#include "attention/positions.h"
#include "attention/product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "model/sample.h"

// ---- the loss

double cross_entropy(Mat logits, const int *targets, float scale, Mat dlogits)
{
    double loss = 0.0;
    Arena *scratch = arena_open();
    Mat p = mat_new(scratch, 1, logits.cols);
    for (int i = 0; i < logits.rows; i++) {
        int target = targets[i];
        REQUIRE(target >= -1 && target < logits.cols, "target %d at %d; there are %d outputs", target, i, logits.cols);
        if (target < 0) continue;
        const float *row = mat_row(logits, i);
        softmax(p.at, row, logits.cols);
        int best = sample_likeliest(row, logits.cols); // log p = log p[best] − (row[best] − row[target]),
        loss -= (double)(row[target] - row[best]) + log((double)p.at[best]); // where p[best] cannot underflow
        if (mat_empty(dlogits)) continue;
        for (int o = 0; o < logits.cols; o++) *mat_ref(dlogits, i, o) = scale * (p.at[o] - (o == target ? 1.0f : 0.0f));
    }
    arena_close(scratch);
    return loss;
}

// ---- building blocks

// Forward: yᵢ = xᵢ · r · gᵢ with r = 1 / √(mean x² + ε), so ∂r/∂xᵢ = −r³ xᵢ / n. Adds to dx and dgain.
static void rms_norm_backward(Mat dx, Mat dgain, Mat dy, Mat x, Mat gain)
{
    if (mat_empty(gain)) { // y = x
        for (int i = 0; i < dx.rows; i++)
            for (int c = 0; c < dx.cols; c++) *mat_ref(dx, i, c) += *mat_ref(dy, i, c);
        return;
    }
    const float *g = mat_row(gain, 0);
    float *dg = mat_row(dgain, 0);
    int n = x.cols;
    for (int i = 0; i < x.rows; i++) {
        const float *from = mat_row(x, i), *up = mat_row(dy, i);
        float *to = mat_row(dx, i), squares = 0.0f, along = 0.0f;
        for (int c = 0; c < n; c++) {
            squares += from[c] * from[c];
            along += up[c] * g[c] * from[c];
        }
        float r = 1.0f / sqrtf(squares / (float)n + 1e-6f), pull = along * r * r / (float)n;
        for (int c = 0; c < n; c++) {
            to[c] += r * (up[c] * g[c] - pull * from[c]);
            dg[c] += up[c] * from[c] * r;
        }
    }
}

// Forward: every row += bias.
static void bias_backward(Mat dbias, Mat dout)
{
    for (int i = 0; i < dout.rows; i++)
        for (int c = 0; c < dout.cols; c++) *mat_ref(dbias, 0, c) += *mat_ref(dout, i, c);
}

// Forward: out += a w. Adds to da and dw.
static void product_backward(Mat da, Mat dw, Mat dout, Mat a, Mat w)
{
    product_add_transposed(da, dout, w);
    product_add_transposed_left(dw, a, dout);
}

// ---- layers

// Forward: rope on every query and key head, or on queries only if the keys are another layer's. The gradient is rotated
// by the opposite angle.
static void rope_backward(const Run *run, Mat dqkv, bool own_keys)
{
    const Config *c = &run->model.config;
    RopeTable turns = { mat_rows(run->turns.cosine, 0, dqkv.rows), mat_rows(run->turns.sine, 0, dqkv.rows) };
    for (int h = 0; h < c->H; h++) rope_undo(run_qkv_head(c, dqkv, RUN_QKV_Q, h), turns);
    if (!own_keys) return;
    for (int g = 0; g < c->G; g++) rope_undo(run_qkv_head(c, dqkv, RUN_QKV_K, g), turns);
}

// Forward: attend_sequence. Query heads of a group add to the same dk and dv.
static void sequence_backward(Mat dqkv, Mat dheads, const Run *run, int layer, int b, float bonus)
{
    const Config *c = &run->model.config;
    Mat qkv = run_batch_rows(run->batch, run->layers[layer].qkv, b);
    Arena *scratch = arena_open();
    int d = dheads.cols / c->H; // 2d with differential attention
    for (int h = 0; h < c->H; h++) {
        ArenaMark mark = arena_mark(scratch);
        attention_product_backward(run_qkv_of_head(c, dqkv, h), mat_cols(dheads, h * d, d), run_qkv_of_head(c, qkv, h),
                                   run_weights(scratch, run, b, layer, h), config_mask(c, layer, h), bonus);
        arena_release(scratch, mark);
    }
    if (c->positions == CONFIG_POSITIONS_ROPE) rope_backward(run, dqkv, config_owner(c, layer) == layer);
    arena_close(scratch);
}

// Forward: gated[i][c] = gate[h] · heads[i][c]. dheads contains dgated on entry, dheads on return.
static void gates_backward(Mat dheads, float *dgates, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) {
            if (dgates) dgates[c / d] += *mat_ref(dheads, i, c) * *mat_ref(heads, i, c);
            *mat_ref(dheads, i, c) *= gates[c / d];
        }
}

// dheads · heads of one row and head, times 1 − left: the gradient at the sigmoid's argument, since left = σ(z) has the
// derivative left (1 − left), and heads = left · mixed.
static float sigmoid_backward(Mat dheads, const RunLayer *stages, int i, int h, int H)
{
    int d = dheads.cols / H;
    float along = 0.0f;
    for (int c = h * d; c < (h + 1) * d; c++) along += *mat_ref(dheads, i, c) * *mat_ref(stages->heads, i, c);
    return along * (1.0f - *mat_ref(stages->left, i, h));
}

// Forward: left = σ(lse − sink). The weights already contain it, so only the gradient of the sink remains.
static void sinks_backward(Mat dsink, Mat dheads, const RunLayer *stages)
{
    for (int i = 0; i < dheads.rows; i++)
        for (int h = 0; h < dsink.cols; h++)
            *mat_ref(dsink, 0, h) -= sigmoid_backward(dheads, stages, i, h, dsink.cols);
}

// Forward: heads = left · mixed, left = σ(normed shut + shut_bias). dheads becomes dmixed.
static void shut_backward(Mat dheads, Mat dnormed, TransformerLayer dw, const RunLayer *stages, TransformerLayer w)
{
    Arena *scratch = arena_open();
    int H = w.shut.cols, d = dheads.cols / H;
    Mat dz = mat_new(scratch, dheads.rows, H);
    for (int i = 0; i < dheads.rows; i++)
        for (int h = 0; h < H; h++) {
            *mat_ref(dz, i, h) = sigmoid_backward(dheads, stages, i, h, H);
            for (int c = h * d; c < (h + 1) * d; c++) *mat_ref(dheads, i, c) *= *mat_ref(stages->left, i, h);
        }
    bias_backward(dw.shut_bias, dz);
    product_backward(dnormed, dw.shut, dz, stages->normed, w.shut);
    arena_close(scratch);
}

// Forward: given = norm of mixed, per head or pair; mixed = map − λ map per pair. From dheads: the gradient of every map's
// output, in `arena`; (N, 2D) with differential attention.
static Mat differential_backward(Arena *arena, Mat dheads, TransformerLayer dw, const Run *run, int layer)
{
    const Config *c = &run->model.config;
    const RunLayer *stages = &run->layers[layer];
    TransformerLayer w = run->model.layers[layer];
    bool pairs = c->differ != CONFIG_DIFFER_NONE;
    float init = (float)config_lambda(c, layer), lambda = init, dlambda = 0.0f;
    Mat dmixed = dheads;
    if (c->head_norm) {
        dmixed = mat_new(arena, dheads.rows, dheads.cols);
        differential_norm_backward(dmixed, dw.head_norm, dheads, stages->mixed, w.head_norm,
                                   pairs ? 1.0f - init : 1.0f);
    }
    if (!pairs) return dmixed;
    Mat dmaps = mat_new(arena, stages->heads.rows, stages->heads.cols);
    if (c->differ == CONFIG_DIFFER_LEARNED) lambda = differential_lambda(w.lambda, init);
    differential_subtract_backward(dmaps, &dlambda, dmixed, stages->heads, lambda, c->H / 2);
    if (c->differ == CONFIG_DIFFER_LEARNED) differential_lambda_backward(dw.lambda, dlambda, w.lambda);
    return dmaps;
}

// dx is the gradient of the attention block's output on entry, of its input on return. dkv (N, 2G d) is the gradient of
// the keys and values of this layer's group: layers above have added to it, and it is passed on down.
static void attention_layer_backward(Mat dx, TransformerLayer dw, Mat dgates, Mat dkv, const Run *run, int layer,
                                     float bonus)
{
    Arena *scratch = arena_open();
    const RunLayer *stages = &run->layers[layer];
    TransformerLayer w = run->model.layers[layer];
    Mat dheads = mat_new(scratch, dx.rows, dx.cols), dnormed = mat_new(scratch, dx.rows, dx.cols);
    Mat dqkv = mat_new(scratch, stages->qkv.rows, stages->qkv.cols);
    mat_set(mat_cols(dqkv, dx.cols, dkv.cols), dkv);

    // Forward 3: out = x + gated Wo, gated = gates · given. The residual leaves dx as it is; the branch adds to it.
    product_backward(dheads, dw.wo, dx, stages->gated, w.wo);
    gates_backward(dheads, mat_empty(dgates) ? NULL : mat_row(dgates, layer), stages->given, mat_row(run->gates, layer),
                   run->model.config.H);

    // Forward 2: scaling by a sink or a gate
    if (run->model.config.sink == CONFIG_SINK_LOGIT) sinks_backward(dw.sink, dheads, stages);
    if (run->model.config.sink == CONFIG_SINK_GATE) shut_backward(dheads, dnormed, dw, stages, w);

    // Forward 2: head-wise norms, and differential attention
    dheads = differential_backward(scratch, dheads, dw, run, layer);

    // Forward 2: every head of every sequence
    for (int b = 0; b < run->batch.count; b++)
        sequence_backward(run_batch_rows(run->batch, dqkv, b), run_batch_rows(run->batch, dheads, b), run, layer, b,
                          bonus);

    // Forward 1: normed = rms_norm(x), qkv = normed Wqkv; or q = normed Wq, with k and v of the layer below
    bool own_keys = config_owner(&run->model.config, layer) == layer;
    if (own_keys) mat_fill(dkv, 0.0f);
    else mat_set(dkv, mat_cols(dqkv, dx.cols, dkv.cols));
    product_backward(dnormed, dw.wqkv, mat_cols(dqkv, 0, w.wqkv.cols), stages->normed, w.wqkv);
    rms_norm_backward(dx, dw.norm, dnormed, stages->in, w.norm);
    arena_close(scratch);
}

static void mlp_backward(Mat dx, TransformerLayer dw, const RunLayer *stages, TransformerLayer w)
{
    Arena *scratch = arena_open();
    Mat dhidden = mat_new(scratch, stages->hidden.rows, stages->hidden.cols),
        dnormed = mat_new(scratch, dx.rows, dx.cols);

    // Forward: out = x + hidden W2 + b2
    bias_backward(dw.b2, dx);
    product_backward(dhidden, dw.w2, dx, stages->hidden, w.w2);

    // Forward: hidden = relu(normed W1 + b1). The gradient is 0 where the ReLU gave 0.
    for (int i = 0; i < dhidden.rows; i++)
        for (int c = 0; c < dhidden.cols; c++)
            if (*mat_ref(stages->hidden, i, c) <= 0.0f) *mat_ref(dhidden, i, c) = 0.0f;
    bias_backward(dw.b1, dhidden);
    product_backward(dnormed, dw.w1, dhidden, stages->mlp_normed, w.w1);

    // Forward: normed = rms_norm(x)
    rms_norm_backward(dx, dw.mlp_norm, dnormed, stages->middle, w.mlp_norm);
    arena_close(scratch);
}

// silu(z) = z s with s = 1 / (1 + e⁻ᶻ), so silu′(z) = s (1 + z (1 − s)). dhidden becomes d(normed Wup), and dopened is
// written.
static void silu_backward(Mat dhidden, Mat dopened, const RunLayer *stages)
{
    for (int i = 0; i < dhidden.rows; i++) {
        const float *opened = mat_row(stages->opened, i), *up = mat_row(stages->up, i);
        float *to = mat_row(dhidden, i), *gate = mat_row(dopened, i);
        for (int c = 0; c < dhidden.cols; c++) {
            float share = 1.0f / (1.0f + expf(-opened[c]));
            gate[c] = to[c] * up[c] * share * (1.0f + opened[c] * (1.0f - share));
            to[c] *= opened[c] * share;
        }
    }
}

static void swiglu_backward(Mat dx, TransformerLayer dw, const RunLayer *stages, TransformerLayer w)
{
    Arena *scratch = arena_open();
    Mat dhidden = mat_new(scratch, stages->hidden.rows, stages->hidden.cols),
        dnormed = mat_new(scratch, dx.rows, dx.cols);
    Mat dopened = mat_new(scratch, stages->hidden.rows, stages->hidden.cols);

    // Forward: out = x + hidden Wdown
    product_backward(dhidden, dw.down, dx, stages->hidden, w.down);

    // Forward: hidden = silu(opened) ⊙ up, opened = normed Wgate, up = normed Wup
    silu_backward(dhidden, dopened, stages);
    product_backward(dnormed, dw.gate, dopened, stages->mlp_normed, w.gate);
    product_backward(dnormed, dw.up, dhidden, stages->mlp_normed, w.up);

    // Forward: normed = rms_norm(x)
    rms_norm_backward(dx, dw.mlp_norm, dnormed, stages->middle, w.mlp_norm);
    arena_close(scratch);
}

void transformer_backward(Transformer gradient, Mat dgates, const Run *run, Mat dlogits, float bonus)
{
    REQUIRE(!run->instead, "no way back through heads that something else stands in for");
    const Config *c = &run->model.config;
    Transformer m = run->model;
    REQUIRE(c->sink != CONFIG_SINK_LOGIT || !(bonus > 0.0f), "no way back to sinks through a bonus for large weights");
    REQUIRE(gradient.count == m.count, "the gradient has %d matrices, the model %d", gradient.count, m.count);
    REQUIRE(dlogits.rows == run->logits.rows && dlogits.cols == run->logits.cols,
            "dlogits is " MAT_SHAPE ", logits is " MAT_SHAPE, MAT_SHAPED(dlogits), MAT_SHAPED(run->logits));
    REQUIRE(mat_empty(dgates) || (dgates.rows == c->L && dgates.cols == c->H),
            "dgates is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(dgates), c->L, c->H);
    Arena *scratch = arena_open();
    Mat dnormed = mat_new(scratch, run->last.rows, c->D), dx = mat_new(scratch, run->last.rows, c->D);
    Mat dkv = mat_new(scratch, run->last.rows, 2 * c->G * (c->D / c->H));

    // Forward: normed = rms_norm(last), logits = normed Wout
    product_backward(dnormed, gradient.output, dlogits, run->normed, m.output);
    rms_norm_backward(dx, gradient.norm, dnormed, run->last, m.norm);

    // Forward: for every layer, x += attention, x += MLP
    for (int l = c->L - 1; l >= 0; l--) {
        bool swiglu = c->mlp_kind == CONFIG_MLP_SWIGLU;
        if (c->mlp) (swiglu ? swiglu_backward : mlp_backward)(dx, gradient.layers[l], &run->layers[l], m.layers[l]);
        attention_layer_backward(dx, gradient.layers[l], dgates, dkv, run, l, bonus);
    }

    // Forward: x[i] = embedding[token i]
    for (int i = 0; i < dx.rows; i++)
        for (int j = 0; j < c->D; j++) *mat_ref(gradient.embedding, run->batch.tokens[i], j) += *mat_ref(dx, i, j);
    arena_close(scratch);
}
