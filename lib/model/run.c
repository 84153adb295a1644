// Chapter 09. The forward pass: embedding, layers, logits. With a cache it is chapter 11's.
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

// ---- pieces

// 1 / √(mean x² + ε) of one row. ε keeps a row of zeros from dividing by 0.
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

// out += x w, for a matrix w of the model: what it moves is counted.
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

// Map h of a pair: pair p reads pair p / (H / G) of the key heads, its first map the first key, and both maps the
// values of both.
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

// RoPE: all queries and keys, in place. Keys of another layer are turned already.
static void turn_heads(const Config *c, Mat qkv, RopeTable turns, bool own_keys)
{
    for (int h = 0; h < c->H; h++) rope_apply(run_qkv_head(c, qkv, RUN_QKV_Q, h), turns);
    if (!own_keys) return;
    for (int g = 0; g < c->G; g++) rope_apply(run_qkv_head(c, qkv, RUN_QKV_K, g), turns);
}

// A sink takes its share of every row of weights, and of what they mixed.
static void sinks_take(Attended to, const Run *run, int layer, int b)
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

// The queries of all heads, side by side. Maps that are subtracted ask for keys and values 2d wide, which lie there as
// they are: their queries have zeros beside them, and masks_of has the scale of d columns.
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

// λ of a layer as it is now.
static float lambda_of(const Run *run, int layer)
{
    float init = (float)config_lambda(&run->model.config, layer);
    Mat learned = run->model.layers[layer].lambda;
    return mat_empty(learned) ? init : differential_lambda(learned, init);
}

// Norms of pairs are scaled down to what is usual where λ is not there: 1 − λ_init.
static float norm_factor(const Config *c, int layer)
{
    return c->differ == CONFIG_DIFFER_NONE ? 1.0f : 1.0f - (float)config_lambda(c, layer);
}

static bool has_sink(const Config *c) { return c->sink == CONFIG_SINK_ZERO || c->sink == CONFIG_SINK_LOGIT; }

// RoPE by the true positions. Answers how many tokens stand before the first row: as many as the layer's cache holds.
static int turn_sequence(const Run *run, int layer, const KvStore *store, Mat qkv)
{
    const Config *c = &run->model.config;
    bool own_keys = config_owner(c, layer) == layer;
    int n = qkv.rows, first = store ? store->length(store->cache) : 0;
    if (store && !own_keys) first -= n; // the layer below has put its keys and values there
    if (c->positions == CONFIG_POSITIONS_ROPE)
        turn_heads(c, qkv, (RopeTable){ mat_rows(run->turns.cosine, first, n), mat_rows(run->turns.sine, first, n) },
                   own_keys);
    return first;
}

// Every head of sequence b.
static void attend_sequence(Arena *arena, const Run *run, int layer, int b, const Mask *masks)
{
    const Config *c = &run->model.config;
    RunLayer *at = &run->layers[layer];
    Mat qkv = run_batch_rows(run->batch, at->qkv, b);
    const KvStore *store = run->caches ? &run->caches[layer] : NULL;
    bool own_keys = config_owner(c, layer) == layer;
    int n = qkv.rows, D = c->D, d = D / c->H;

    // 1. Queries and keys are turned.
    int first = turn_sequence(run, layer, store, qkv);

    // 2. Queries look at the keys of their own sequence: all at hand, or these and the ones in the cache.
    Mat q = queries_of(arena, c, qkv), k = mat_cols(qkv, D, c->G * d), v = mat_cols(qkv, D + c->G * d, c->G * d);
    Attended to = { .out = run_batch_rows(run->batch, at->heads, b) };
    if (run->keep) to.weights = at->weights[b] = mat_new(arena, c->H * n, first + n);
    if (has_sink(c)) to.lse = run_batch_rows(run->batch, at->lse, b);
    int joining = own_keys ? n : 0;
    if (store)
        store->attend(to, store->cache, q, mat_rows(k, 0, joining), mat_rows(v, 0, joining), c->H, masks, run->kernel);
    else grouped_attend(to, q, k, v, c->H, masks, run->kernel);
    if (has_sink(c)) sinks_take(to, run, layer, b);
}

// heads, each times a sigmoid of the word that it belongs to: near 0 it is shut, whatever it has looked at.
static void shut_heads(RunLayer *at, TransformerLayer w, int H)
{
    mat_fill(at->left, 0.0f);
    apply(at->left, at->normed, w.shut);
    int d = at->heads.cols / H;
    for (int i = 0; i < at->heads.rows; i++)
        for (int h = 0; h < H; h++) {
            float *left = mat_ref(at->left, i, h);
            *left = 1.0f / (1.0f + expf(-*left - *mat_ref(w.shut_bias, 0, h)));
            for (int c = 0; c < d; c++) *mat_ref(at->heads, i, h * d + c) *= *left;
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
static void stand_in(Mat gated, Mat instead, const float *gates, int H)
{
    int d = gated.cols / H;
    for (int i = 0; i < gated.rows; i++)
        for (int c = 0; c < gated.cols; c++) *mat_ref(gated, i, c) += (1.0f - gates[c / d]) * *mat_ref(instead, i, c);
}

// What the heads of a layer give of x (N, D). What is kept lives in `arena`.
static void attend_layer(Arena *arena, const Run *run, int layer, Mat x)
{
    const Config *c = &run->model.config;
    RunLayer *at = &run->layers[layer];
    TransformerLayer w = run->model.layers[layer];
    at->in = x;
    at->normed = mat_new(arena, x.rows, c->D);
    at->qkv = mat_new(arena, x.rows, (c->H + 2 * c->G) * (c->D / c->H));
    at->heads = mat_new(arena, x.rows, c->differ == CONFIG_DIFFER_NONE ? c->D : 2 * c->D);
    at->mixed = c->differ == CONFIG_DIFFER_NONE ? at->heads : mat_new(arena, x.rows, c->D);
    at->given = c->head_norm ? mat_new(arena, x.rows, c->D) : at->mixed;
    if (c->sink != CONFIG_SINK_NONE) at->left = mat_new(arena, x.rows, c->H);
    if (has_sink(c)) at->lse = mat_new(arena, x.rows, c->H);
    if (run->keep) at->weights = arena_alloc(arena, (size_t)run->batch.count * sizeof *at->weights);
    const Mask *masks = masks_of(arena, c, layer);

    // 1. Norm, then queries, keys and values in one product; or queries alone, and the keys and values of the layer
    //    below.
    run_rms_norm(at->normed, x, w.norm);
    apply(mat_cols(at->qkv, 0, w.wqkv.cols), at->normed, w.wqkv);
    if (config_owner(c, layer) != layer) {
        int kv = at->qkv.cols - c->D;
        mat_set(mat_cols(at->qkv, c->D, kv), mat_cols(run->layers[layer - 1].qkv, c->D, kv));
    }

    // 2. Every head of every sequence; maps that are subtracted; norms of heads.
    for (int b = 0; b < run->batch.count; b++) attend_sequence(arena, run, layer, b, masks);
    if (c->differ != CONFIG_DIFFER_NONE) differential_subtract(at->mixed, at->heads, lambda_of(run, layer), c->H / 2);
    if (c->head_norm) differential_norm(at->given, at->mixed, w.head_norm, norm_factor(c, layer));
    if (c->sink == CONFIG_SINK_GATE) shut_heads(at, w, c->H);
}

// x (N, D) → x + what they give: gates, Wo, and the residual.
static Mat add_heads(Arena *arena, const Run *run, int layer)
{
    RunLayer *at = &run->layers[layer];
    int H = run->model.config.H;
    at->gated = mat_empty(run->gates) ? at->given : mat_new(arena, at->given.rows, at->given.cols);
    if (!mat_empty(run->gates)) gate_heads(at->gated, at->given, mat_row(run->gates, layer), H);
    if (run->instead) stand_in(at->gated, run->instead[layer], mat_row(run->gates, layer), H);
    Mat out = mat_copy(arena, at->in);
    apply(out, at->gated, run->model.layers[layer].wo);
    return out;
}

// ---- the MLP

static void add_bias(Mat m, Mat bias)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) += *mat_ref(bias, 0, c);
}

// hidden = silu(opened) ⊙ up, for opened = normed Wgate and up = normed Wup.
static void swiglu_hidden(Arena *arena, RunLayer *at, TransformerLayer w)
{
    at->opened = mat_new(arena, at->hidden.rows, at->hidden.cols);
    at->up = mat_new(arena, at->hidden.rows, at->hidden.cols);
    apply(at->opened, at->mlp_normed, w.gate);
    apply(at->up, at->mlp_normed, w.up);
    for (int i = 0; i < at->hidden.rows; i++) {
        const float *opened = mat_row(at->opened, i), *up = mat_row(at->up, i);
        float *hidden = mat_row(at->hidden, i);
        for (int c = 0; c < at->hidden.cols; c++) hidden[c] = opened[c] / (1.0f + expf(-opened[c])) * up[c];
    }
}

// x (N, D) → x + (silu(norm(x) Wgate) ⊙ (norm(x) Wup)) Wdown.
static Mat swiglu_layer(Arena *arena, RunLayer *at, TransformerLayer w, Mat x)
{
    at->mlp_normed = mat_new(arena, x.rows, x.cols);
    at->hidden = mat_new(arena, x.rows, w.gate.cols);
    run_rms_norm(at->mlp_normed, x, w.mlp_norm);
    swiglu_hidden(arena, at, w);
    Mat out = mat_copy(arena, x);
    apply(out, at->hidden, w.down);
    return out;
}

// x (N, D) → x + relu(norm(x) W1 + b1) W2 + b2.
static Mat mlp_layer(Arena *arena, RunLayer *at, TransformerLayer w, Mat x)
{
    at->mlp_normed = mat_new(arena, x.rows, x.cols);
    at->hidden = mat_new(arena, x.rows, w.w1.cols);
    run_rms_norm(at->mlp_normed, x, w.mlp_norm);
    apply(at->hidden, at->mlp_normed, w.w1);
    add_bias(at->hidden, w.b1);
    for (int i = 0; i < x.rows; i++) {
        float *row = mat_row(at->hidden, i);
        for (int c = 0; c < w.w1.cols; c++) row[c] = row[c] > 0.0f ? row[c] : 0.0f;
    }
    Mat out = mat_copy(arena, x);
    apply(out, at->hidden, w.w2);
    add_bias(out, w.b2);
    return out;
}

// ---- all of it

// The stream before a layer, or the same with other rows in some places. What was computed stays as it was.
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

// The layer where a run begins: below it all is that of the run before. With other gates it is the one whose heads give
// what they gave.
static int begins(const Run *run) { return !run->before ? 0 : run->patch ? run->first : run->first - 1; }

// The stream there. Without a run before, the embedding.
static Mat begin(Arena *arena, Run *run)
{
    const Run *before = run->before;
    int L = run->model.config.L, at = begins(run);
    if (!before) return embed(arena, run->model, run->batch.tokens, run->batch.start[run->batch.count]);
    REQUIRE(at >= 0 && at <= L, "layer %d of %d", at, L);
    for (int l = 0; l < L && l <= at; l++) run->layers[l] = before->layers[l];
    return at < L ? before->layers[at].in : before->last;
}

void run_layers(Arena *arena, Run *run)
{
    Transformer m = run->model;
    const Config *c = &m.config;
    REQUIRE(mat_empty(run->gates) || (run->gates.rows == c->L && run->gates.cols == c->H),
            "gates is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(run->gates), c->L, c->H);
    REQUIRE(!run->caches || run->batch.count == 1, "a cache is of one sequence; there are %d", run->batch.count);
    run->layers = arena_alloc(arena, (size_t)c->L * sizeof *run->layers);
    Mat x = begin(arena, run);
    for (int l = begins(run); l < c->L; l++) {
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

// Of `run` the model and the batch are set, and what it is asked for beyond them.
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

// ---- looking at it

static void require_place(const Run *run, int b, int layer, int h)
{
    REQUIRE(b >= 0 && b < run->batch.count, "sequence %d of %d", b, run->batch.count);
    REQUIRE(layer >= 0 && layer < run->model.config.L, "layer %d of %d", layer, run->model.config.L);
    REQUIRE(h >= 0 && h < run->model.config.H, "head %d of %d", h, run->model.config.H);
    REQUIRE(!run->caches, "a run with a cache has the keys of its newest tokens only");
}

// The keys' shares of a map, where a sink has one of its own.
static void scale_to_left(Mat weights, const Run *run, int b, int layer, int h)
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
    scale_to_left(weights, run, b, layer, h);
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
    scale_to_left(stages.weights, run, b, layer, h);
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
