// Chapter 09. The forward pass: embedding, layers, logits; for whole sequences, or with a KV cache.
#include "model/run.h"

#include "attention/attention_product.h"
#include "attention/differential.h"
#include "attention/grouped.h"
#include "attention/product.h"
#include "attention/sink.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "model/sample.h"

// ---- batches

RunBatch run_batch_part(Arena *arena, RunBatch batch, int first, int count)
{
    REQUIRE(first >= 0 && count >= 0 && first <= batch.count - count, "%d sequences from %d; there are %d", count,
            first, batch.count);
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start), from = batch.start[first];
    for (int b = 0; b <= count; b++) start[b] = batch.start[first + b] - from;
    return (RunBatch){ count, start, batch.tokens + from, batch.targets ? batch.targets + from : NULL };
}

RunBatch run_batch_of_one(Arena *arena, const int *tokens, int T)
{
    int *start = arena_alloc(arena, 2 * sizeof *start);
    start[1] = T;
    return (RunBatch){ 1, start, tokens, NULL };
}

static int longest(RunBatch batch)
{
    int most = 0;
    for (int b = 0; b < batch.count; b++) {
        int T = batch.start[b + 1] - batch.start[b];
        REQUIRE(T >= 0, "sequence %d has %d positions", b, T);
        if (T > most) most = T;
    }
    return most;
}

Mat run_batch_rows(RunBatch batch, Mat all, int b)
{
    return mat_rows(all, batch.start[b], batch.start[b + 1] - batch.start[b]);
}

// ---- building blocks

// 1 / √(mean x² + ε) of one row. ε avoids division by 0.
static float inverse_rms(const float *x, int n)
{
    float sum = 0.0f;
    for (int c = 0; c < n; c++) sum += x[c] * x[c];
    return 1.0f / sqrtf(sum / (float)n + 1e-6f);
}

void run_rms_norm(Mat y, Mat x, Mat gain)
{
    if (mat_empty(gain)) {
        mat_set(y, x);
        return;
    }
    const float *g = mat_row(gain, 0);
    for (int i = 0; i < x.rows; i++) {
        float *to = mat_row(y, i), scale = inverse_rms(mat_row(x, i), x.cols);
        const float *from = mat_row(x, i);
        for (int c = 0; c < x.cols; c++) to[c] = from[c] * scale * g[c];
    }
}

// out += x w for a weight matrix w; counts memory traffic.
static void apply(Mat out, Mat x, Mat w)
{
    product_add(out, x, w);
    cost_counted.reads += (int64_t)x.rows * w.rows + (int64_t)w.rows * w.cols;
    cost_counted.writes += (int64_t)x.rows * w.cols;
}

static Mat embed(Arena *arena, Transformer m, const int *tokens, int n)
{
    Mat x = mat_new(arena, n, m.config.D);
    for (int i = 0; i < n; i++) {
        int token = tokens[i];
        REQUIRE(token >= 0 && token < m.config.words, "token %d at %d; there are %d", token, i, m.config.words);
        mat_set(mat_rows(x, i, 1), mat_rows(m.embedding, token, 1));
    }
    return x;
}

// ---- attention

Mat run_qkv_head(const Config *c, Mat qkv, RunQkv part, int head)
{
    int d = c->D / c->H, before = part == RUN_QKV_Q ? 0 : part == RUN_QKV_K ? c->H : c->H + c->G;
    return mat_cols(qkv, (before + head) * d, d);
}

// Map h of a pair: query pair p reads KV pair p / (H / G); its first map reads the first key head, the second the second,
// and both read the values of both.
static HeadProjections qkv_of_map(const Config *c, Mat qkv, int h)
{
    int d = c->D / c->H, first = 2 * (h / 2 / (c->H / c->G));
    return (HeadProjections){ run_qkv_head(c, qkv, RUN_QKV_Q, h), run_qkv_head(c, qkv, RUN_QKV_K, first + h % 2),
                              mat_cols(qkv, (c->H + c->G + first) * d, 2 * d) };
}

HeadProjections run_qkv_of_head(const Config *c, Mat qkv, int h)
{
    int g = h / (c->H / c->G);
    if (c->differ != CONFIG_DIFFER_NONE) return qkv_of_map(c, qkv, h);
    return (HeadProjections){ run_qkv_head(c, qkv, RUN_QKV_Q, h), run_qkv_head(c, qkv, RUN_QKV_K, g),
                              run_qkv_head(c, qkv, RUN_QKV_V, g) };
}

RopeTable run_turns(Arena *arena, const Config *c, int T)
{
    if (c->positions != CONFIG_POSITIONS_ROPE) return (RopeTable){ { 0 }, { 0 } };
    if (c->rope_base == 0.0) return rope_table(arena, 0, T, c->D / c->H);
    return rope_table_scaled(arena, 0, T, c->D / c->H, c->rope_base, 1.0);
}

// RoPE on all queries and keys, in place. Shared keys are already rotated.
static void rotate_heads(const Config *c, Mat qkv, RopeTable turns, bool own_keys)
{
    for (int h = 0; h < c->H; h++) rope_apply(run_qkv_head(c, qkv, RUN_QKV_Q, h), turns);
    if (!own_keys) return;
    for (int g = 0; g < c->G; g++) rope_apply(run_qkv_head(c, qkv, RUN_QKV_K, g), turns);
}

// A sink takes its part of the softmax: scales each row of weights and of outputs.
static void scale_by_sinks(Attended to, const Run *run, int layer, int b)
{
    const Config *c = &run->model.config;
    Arena *scratch = arena_open();
    Mat left = run_batch_rows(run->batch, run->layers[layer].left, b), learned = run->model.layers[layer].sink;
    float *sinks = arena_alloc(scratch, (size_t)c->H * sizeof *sinks);
    for (int h = 0; h < c->H; h++) sinks[h] = c->sink == CONFIG_SINK_LOGIT ? *mat_ref(learned, 0, h) : 0.0f;
    for (int i = 0; i < left.rows; i++)
        for (int h = 0; h < c->H; h++) *mat_ref(left, i, h) = sink_left(*mat_ref(to.lse, i, h), sinks[h]);
    sink_apply(to, sinks, c->H);
    arena_close(scratch);
}

// The queries of all heads, concatenated. Differential attention reads keys and values 2d wide: queries are padded with
// zeros for the other key head, and masks_of sets the scale for d columns.
static Mat queries_of(Arena *arena, const Config *c, Mat qkv)
{
    Mat q = mat_cols(qkv, 0, c->D);
    if (c->differ == CONFIG_DIFFER_NONE) return q;
    Mat wide = mat_new(arena, q.rows, 2 * q.cols);
    differential_widen(wide, q, c->H);
    return wide;
}

static const Mask *masks_of(Arena *arena, const Config *c, int layer)
{
    Mask *masks = arena_alloc(arena, (size_t)c->H * sizeof *masks);
    for (int h = 0; h < c->H; h++) {
        masks[h] = config_mask(c, layer, h);
        if (c->differ != CONFIG_DIFFER_NONE) masks[h] = differential_mask(masks[h], c->D / c->H);
    }
    return masks;
}

// The present λ of a layer.
static float lambda_of(const Run *run, int layer)
{
    float init = (float)config_lambda(&run->model.config, layer);
    Mat learned = run->model.layers[layer].lambda;
    return mat_empty(learned) ? init : differential_lambda(learned, init);
}

// Norms of pairs are scaled by 1 − λ_init, to the usual magnitude.
static float norm_factor(const Config *c, int layer)
{
    return c->differ == CONFIG_DIFFER_NONE ? 1.0f : 1.0f - (float)config_lambda(c, layer);
}

static bool has_sink(const Config *c) { return c->sink == CONFIG_SINK_ZERO || c->sink == CONFIG_SINK_LOGIT; }

// RoPE by absolute position. Returns the number of tokens before the first row, which is the length of the cache.
static int rotate_sequence(const Run *run, int layer, const KvStore *store, Mat qkv)
{
    const Config *c = &run->model.config;
    bool own_keys = config_owner(c, layer) == layer;
    int n = qkv.rows, first = store ? store->length(store->cache) : 0;
    if (store && !own_keys) first -= n; // the cache has been extended by the owner layer
    if (c->positions == CONFIG_POSITIONS_ROPE)
        rotate_heads(c, qkv, (RopeTable){ mat_rows(run->turns.cosine, first, n), mat_rows(run->turns.sine, first, n) },
                     own_keys);
    return first;
}

// Every head of sequence b.
static void attend_sequence(Arena *arena, const Run *run, int layer, int b, const Mask *masks)
{
    const Config *c = &run->model.config;
    RunLayer *stages = &run->layers[layer];
    Mat qkv = run_batch_rows(run->batch, stages->qkv, b);
    const KvStore *store = run->caches ? &run->caches[layer] : NULL;
    bool own_keys = config_owner(c, layer) == layer;
    int n = qkv.rows, D = c->D, d = D / c->H;

    // 1. Rotate queries and keys.
    int first = rotate_sequence(run, layer, store, qkv);

    // 2. Queries attend to the keys of their own sequence: of this batch, or of the cache and this batch.
    Mat q = queries_of(arena, c, qkv), k = mat_cols(qkv, D, c->G * d), v = mat_cols(qkv, D + c->G * d, c->G * d);
    Attended to = { .out = run_batch_rows(run->batch, stages->heads, b) };
    if (run->keep) to.weights = stages->weights[b] = mat_new(arena, c->H * n, first + n);
    if (has_sink(c)) to.lse = run_batch_rows(run->batch, stages->lse, b);
    int joining = own_keys ? n : 0;
    if (store)
        store->attend(to, store->cache, q, mat_rows(k, 0, joining), mat_rows(v, 0, joining), c->H, masks, run->kernel);
    else grouped_attend(to, q, k, v, c->H, masks, run->kernel);
    if (has_sink(c)) scale_by_sinks(to, run, layer, b);
}

// heads, each times its gate, the sigmoid of a projection of the token: near 0 the head is shut.
static void apply_head_gates(RunLayer *stages, TransformerLayer w, int H)
{
    mat_fill(stages->left, 0.0f);
    apply(stages->left, stages->normed, w.shut);
    int d = stages->heads.cols / H;
    for (int i = 0; i < stages->heads.rows; i++)
        for (int h = 0; h < H; h++) {
            float *left = mat_ref(stages->left, i, h);
            *left = 1.0f / (1.0f + expf(-*left - *mat_ref(w.shut_bias, 0, h)));
            for (int c = 0; c < d; c++) *mat_ref(stages->heads, i, h * d + c) *= *left;
        }
}

// gated = heads, each times its gate.
static void gate_heads(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) *mat_ref(gated, i, c) = gates[c / d] * *mat_ref(heads, i, c);
}

// gated += (1 − gate) · instead.
static void add_stand_ins(Mat gated, Mat instead, const float *gates, int H)
{
    int d = gated.cols / H;
    for (int i = 0; i < gated.rows; i++)
        for (int c = 0; c < gated.cols; c++) *mat_ref(gated, i, c) += (1.0f - gates[c / d]) * *mat_ref(instead, i, c);
}

// The head outputs of a layer for x (N, D). Kept stages are in `arena`.
static void attend_layer(Arena *arena, const Run *run, int layer, Mat x)
{
    const Config *c = &run->model.config;
    RunLayer *stages = &run->layers[layer];
    TransformerLayer w = run->model.layers[layer];
    stages->in = x;
    stages->normed = mat_new(arena, x.rows, c->D);
    stages->qkv = mat_new(arena, x.rows, (c->H + 2 * c->G) * (c->D / c->H));
    stages->heads = mat_new(arena, x.rows, c->differ == CONFIG_DIFFER_NONE ? c->D : 2 * c->D);
    stages->mixed = c->differ == CONFIG_DIFFER_NONE ? stages->heads : mat_new(arena, x.rows, c->D);
    stages->given = c->head_norm ? mat_new(arena, x.rows, c->D) : stages->mixed;
    if (c->sink != CONFIG_SINK_NONE) stages->left = mat_new(arena, x.rows, c->H);
    if (has_sink(c)) stages->lse = mat_new(arena, x.rows, c->H);
    if (run->keep) stages->weights = arena_alloc(arena, (size_t)run->batch.count * sizeof *stages->weights);
    const Mask *masks = masks_of(arena, c, layer);

    // 1. Norm, then queries, keys and values in one product; or queries only, and the keys and values of the layer
    //    below.
    run_rms_norm(stages->normed, x, w.norm);
    apply(mat_cols(stages->qkv, 0, w.wqkv.cols), stages->normed, w.wqkv);
    if (config_owner(c, layer) != layer) {
        int kv = stages->qkv.cols - c->D;
        mat_set(mat_cols(stages->qkv, c->D, kv), mat_cols(run->layers[layer - 1].qkv, c->D, kv));
    }

    // 2. Every head of every sequence; differential attention; head-wise norms.
    for (int b = 0; b < run->batch.count; b++) attend_sequence(arena, run, layer, b, masks);
    if (c->differ != CONFIG_DIFFER_NONE)
        differential_subtract(stages->mixed, stages->heads, lambda_of(run, layer), c->H / 2);
    if (c->head_norm) differential_norm(stages->given, stages->mixed, w.head_norm, norm_factor(c, layer));
    if (c->sink == CONFIG_SINK_GATE) apply_head_gates(stages, w, c->H);
}

// x (N, D) → x + gated Wo: gates, output projection, residual connection.
static Mat add_heads(Arena *arena, const Run *run, int layer)
{
    RunLayer *stages = &run->layers[layer];
    int H = run->model.config.H;
    stages->gated = mat_empty(run->gates) ? stages->given : mat_new(arena, stages->given.rows, stages->given.cols);
    if (!mat_empty(run->gates)) gate_heads(stages->gated, stages->given, mat_row(run->gates, layer), H);
    if (run->instead) add_stand_ins(stages->gated, run->instead[layer], mat_row(run->gates, layer), H);
    Mat out = mat_copy(arena, stages->in);
    apply(out, stages->gated, run->model.layers[layer].wo);
    return out;
}

// ---- the MLP

static void add_bias(Mat m, Mat bias)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) += *mat_ref(bias, 0, c);
}

// hidden = silu(opened) ⊙ up, for opened = normed Wgate and up = normed Wup.
static void swiglu_hidden(Arena *arena, RunLayer *stages, TransformerLayer w)
{
    stages->opened = mat_new(arena, stages->hidden.rows, stages->hidden.cols);
    stages->up = mat_new(arena, stages->hidden.rows, stages->hidden.cols);
    apply(stages->opened, stages->mlp_normed, w.gate);
    apply(stages->up, stages->mlp_normed, w.up);
    for (int i = 0; i < stages->hidden.rows; i++) {
        const float *opened = mat_row(stages->opened, i), *up = mat_row(stages->up, i);
        float *hidden = mat_row(stages->hidden, i);
        for (int c = 0; c < stages->hidden.cols; c++) hidden[c] = opened[c] / (1.0f + expf(-opened[c])) * up[c];
    }
}

// x (N, D) → x + (silu(norm(x) Wgate) ⊙ (norm(x) Wup)) Wdown.
static Mat swiglu_layer(Arena *arena, RunLayer *stages, TransformerLayer w, Mat x)
{
    stages->mlp_normed = mat_new(arena, x.rows, x.cols);
    stages->hidden = mat_new(arena, x.rows, w.gate.cols);
    run_rms_norm(stages->mlp_normed, x, w.mlp_norm);
    swiglu_hidden(arena, stages, w);
    Mat out = mat_copy(arena, x);
    apply(out, stages->hidden, w.down);
    return out;
}

// x (N, D) → x + relu(norm(x) W1 + b1) W2 + b2.
static Mat mlp_layer(Arena *arena, RunLayer *stages, TransformerLayer w, Mat x)
{
    stages->mlp_normed = mat_new(arena, x.rows, x.cols);
    stages->hidden = mat_new(arena, x.rows, w.w1.cols);
    run_rms_norm(stages->mlp_normed, x, w.mlp_norm);
    apply(stages->hidden, stages->mlp_normed, w.w1);
    add_bias(stages->hidden, w.b1);
    for (int i = 0; i < x.rows; i++) {
        float *row = mat_row(stages->hidden, i);
        for (int c = 0; c < w.w1.cols; c++) row[c] = row[c] > 0.0f ? row[c] : 0.0f;
    }
    Mat out = mat_copy(arena, x);
    apply(out, stages->hidden, w.w2);
    add_bias(out, w.b2);
    return out;
}

// ---- the whole model

// The stream before a layer, with patched rows if any. The original is not changed.
static Mat patched(Arena *arena, const Run *run, int layer, Mat x)
{
    const StreamPatch *patch = run->patch;
    if (!patch || patch->layer != layer) return x;
    REQUIRE(patch->row >= 0 && patch->row <= x.rows - patch->rows.rows && patch->rows.cols == x.cols,
            "rows " MAT_SHAPE " at %d of a stream " MAT_SHAPE, MAT_SHAPED(patch->rows), patch->row, MAT_SHAPED(x));
    Mat other = mat_copy(arena, x);
    mat_set(mat_rows(other, patch->row, patch->rows.rows), patch->rows);
    return other;
}

// The layer where a run starts; lower layers are those of `before`. With other gates it is the layer whose gates differ,
// since its head outputs are unchanged.
static int first_layer(const Run *run) { return !run->before ? 0 : run->patch ? run->first : run->first - 1; }

// The stream there. Without `before`, the embedding.
static Mat initial_stream(Arena *arena, Run *run)
{
    const Run *before = run->before;
    int L = run->model.config.L, layer = first_layer(run);
    if (!before) return embed(arena, run->model, run->batch.tokens, run->batch.start[run->batch.count]);
    REQUIRE(layer >= 0 && layer <= L, "layer %d of %d", layer, L);
    for (int l = 0; l < L && l <= layer; l++) run->layers[l] = before->layers[l];
    return layer < L ? before->layers[layer].in : before->last;
}

void run_layers(Arena *arena, Run *run)
{
    Transformer m = run->model;
    const Config *c = &m.config;
    REQUIRE(mat_empty(run->gates) || (run->gates.rows == c->L && run->gates.cols == c->H),
            "gates is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(run->gates), c->L, c->H);
    REQUIRE(!run->caches || run->batch.count == 1, "a cache is of one sequence; there are %d", run->batch.count);
    run->layers = arena_alloc(arena, (size_t)c->L * sizeof *run->layers);
    Mat x = initial_stream(arena, run);
    for (int l = first_layer(run); l < c->L; l++) {
        if (l >= run->first) attend_layer(arena, run, l, patched(arena, run, l, x));
        x = run->layers[l].middle = add_heads(arena, run, l);
        if (!c->mlp) continue;
        bool swiglu = c->mlp_kind == CONFIG_MLP_SWIGLU;
        x = (swiglu ? swiglu_layer : mlp_layer)(arena, &run->layers[l], m.layers[l], x);
    }
    run->last = x = patched(arena, run, c->L, x);
    run->normed = mat_new(arena, x.rows, x.cols);
    run_rms_norm(run->normed, x, m.norm);
    if (mat_empty(run->logits)) run->logits = mat_new(arena, x.rows, c->outputs);
    mat_fill(run->logits, 0.0f);
    apply(run->logits, run->normed, m.output);
}

// Model, batch and options of `run` are set.
static Run run_whole(Arena *arena, Run run)
{
    const Config *c = &run.model.config;
    run.kernel = attention_product;
    if (mat_empty(run.gates)) {
        run.gates = mat_new(arena, c->L, c->H);
        mat_fill(run.gates, 1.0f);
    }
    run.turns = run.before ? run.before->turns : run_turns(arena, c, longest(run.batch));
    run_layers(arena, &run);
    run.before = NULL;
    run.patch = NULL;
    return run;
}

Run run_transformer(Arena *arena, Transformer m, RunBatch batch, Mat gates)
{
    return run_whole(arena, (Run){ .model = m, .batch = batch, .gates = gates });
}

Run run_instead_transformer(Arena *arena, Transformer m, RunBatch batch, Mat gates, const Mat *instead)
{
    return run_whole(arena, (Run){ .model = m, .batch = batch, .gates = gates, .instead = instead });
}

Run run_keeping_transformer(Arena *arena, Transformer m, RunBatch batch, Mat gates)
{
    return run_whole(arena, (Run){ .model = m, .batch = batch, .gates = gates, .keep = true });
}

Run run_after_transformer(Arena *arena, const Run *before, int layer, Mat gates, const Mat *instead)
{
    return run_whole(arena, (Run){ .model = before->model,
                                   .batch = before->batch,
                                   .gates = gates,
                                   .instead = instead,
                                   .before = before,
                                   .first = layer + 1 });
}

Run run_patched_transformer(Arena *arena, const Run *before, const StreamPatch *patch)
{
    return run_whole(arena, (Run){ .model = before->model,
                                   .batch = before->batch,
                                   .gates = before->gates,
                                   .instead = before->instead,
                                   .patch = patch,
                                   .before = before,
                                   .first = patch->layer });
}

Mat *run_mean_heads(Arena *arena, const Run *run)
{
    int L = run->model.config.L;
    Mat *means = arena_alloc(arena, (size_t)L * sizeof *means);
    for (int l = 0; l < L; l++) means[l] = mat_mean_rows(arena, run->layers[l].heads);
    return means;
}

// ---- inspection

static void require_place(const Run *run, int b, int layer, int h)
{
    REQUIRE(b >= 0 && b < run->batch.count, "sequence %d of %d", b, run->batch.count);
    REQUIRE(layer >= 0 && layer < run->model.config.L, "layer %d of %d", layer, run->model.config.L);
    REQUIRE(h >= 0 && h < run->model.config.H, "head %d of %d", h, run->model.config.H);
    REQUIRE(!run->caches, "a run with a cache has the keys of its newest tokens only");
}

// Scales a map to the keys' part of the softmax if a sink takes the rest.
static void scale_by_sink_share(Mat weights, const Run *run, int b, int layer, int h)
{
    if (!has_sink(&run->model.config)) return;
    Mat left = run_batch_rows(run->batch, run->layers[layer].left, b);
    for (int i = 0; i < weights.rows; i++)
        for (int j = 0; j < weights.cols; j++) *mat_ref(weights, i, j) *= *mat_ref(left, i, h);
}

Mat run_weights(Arena *arena, const Run *run, int b, int layer, int h)
{
    require_place(run, b, layer, h);
    const Config *c = &run->model.config;
    HeadProjections p = run_qkv_of_head(c, run_batch_rows(run->batch, run->layers[layer].qkv, b), h);
    int T = p.q.rows;
    if (run->keep) return mat_rows(run->layers[layer].weights[b], h * T, T);
    Mat weights = mat_new(arena, T, T);
    attention_product_weights(weights, p.q, p.k, config_mask(c, layer, h));
    scale_by_sink_share(weights, run, b, layer, h);
    return weights;
}

RunHeadStages run_head(Arena *arena, const Run *run, int b, int layer, int h)
{
    require_place(run, b, layer, h);
    const Config *c = &run->model.config;
    HeadProjections p = run_qkv_of_head(c, run_batch_rows(run->batch, run->layers[layer].qkv, b), h);
    Mat heads = run_batch_rows(run->batch, run->layers[layer].heads, b);
    int T = p.q.rows, d = p.v.cols;
    RunHeadStages stages = { p.q, p.k, p.v, mat_new(arena, T, T), mat_new(arena, T, T), mat_cols(heads, h * d, d) };
    attention_product_scores(stages.scores, p.q, p.k, config_mask(c, layer, h));
    softmax_rows(stages.weights, stages.scores);
    scale_by_sink_share(stages.weights, run, b, layer, h);
    return stages;
}

Mat run_logits(const Run *run, int b)
{
    REQUIRE(b >= 0 && b < run->batch.count, "sequence %d of %d", b, run->batch.count);
    return run_batch_rows(run->batch, run->logits, b);
}

int run_answer(const Run *run, int b, int t)
{
    return sample_likeliest(mat_row(run_logits(run, b), t), run->logits.cols);
}
