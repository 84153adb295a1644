// Chapter 09. The transformer: its parameters as views of one vector, and the forward pass.
#include "model/transformer.h"

#include "attention/attention_product.h"
#include "attention/grouped.h"
#include "attention/product.h"

#include <inttypes.h>
#include <math.h>

static const char *const position_names[POSITIONS_KINDS] = { "none", "rope", "alibi" };
const char *positions_name(Positions positions) { return position_names[positions]; }

// ---- the vector

// Walks over the vector: with `at` NULL it only counts.
typedef struct { Arena *arena; float *at; int64_t used; Parameter *table; int count; } Layout;

static Mat place(Layout *layout, const char *name, int rows, int cols)
{
    Mat view = { layout->at ? layout->at + layout->used : NULL, rows, cols, cols };
    layout->used += (int64_t)rows * cols;
    if (layout->at) layout->table[layout->count] = (Parameter){ name, view };
    layout->count++;
    return view;
}

static Mat place_in_layer(Layout *layout, int l, const char *name, int rows, int cols)
{
    return place(layout, layout->at ? arena_format(layout->arena, "layers.%d.%s", l, name) : NULL, rows, cols);
}

static void place_all(Transformer *m, Layout *layout)
{
    Config c = m->config;
    int D = c.D, d = D / c.H;
    m->embedding = place(layout, "embedding", c.words, D);
    for (int l = 0; l < c.L; l++) {
        Layer *layer = &m->layers[l];
        layer->norm = place_in_layer(layout, l, "norm", 1, D);
        layer->wqkv = place_in_layer(layout, l, "wqkv", D, (c.H + 2 * c.G) * d);
        layer->wo = place_in_layer(layout, l, "wo", D, D);
        if (!c.mlp) continue;
        layer->mlp_norm = place_in_layer(layout, l, "mlp_norm", 1, D);
        layer->w1 = place_in_layer(layout, l, "w1", D, c.mlp);
        layer->b1 = place_in_layer(layout, l, "b1", 1, c.mlp);
        layer->w2 = place_in_layer(layout, l, "w2", c.mlp, D);
        layer->b2 = place_in_layer(layout, l, "b2", 1, D);
    }
    m->norm = place(layout, "norm", 1, D);
    m->output = place(layout, "output", D, c.outputs);
}

int64_t config_parameters(const Config *c)
{
    Transformer m = { .config = *c };
    Layout layout = { 0 };
    place_all(&m, &layout);
    return layout.used;
}

static bool within(const char *name, int value, int least, int most, Error *error)
{
    if (value >= least && value <= most) return true;
    return error_set(error, "%s is %d; it must be %d … %d", name, value, least, most);
}

bool config_fits(const Config *c, Error *error)
{
    if (!within("words", c->words, 1, 1 << 16, error) || !within("outputs", c->outputs, 1, 1 << 16, error)
        || !within("D", c->D, 1, 1 << 12, error) || !within("H", c->H, 1, c->D, error)
        || !within("G", c->G, 1, c->H, error) || !within("L", c->L, 1, LAYERS_MOST, error)
        || !within("mlp", c->mlp, 0, 1 << 14, error)
        || !within("positions", (int)c->positions, 0, POSITIONS_KINDS - 1, error))
        return false;
    for (int l = 0; l < c->L; l++)
        if (!within("window", c->window[l], 0, 1 << 16, error)) return false;
    if (c->D % c->H) return error_set(error, "D = %d cannot be split among H = %d heads of equal width", c->D, c->H);
    if (c->H % c->G) return error_set(error, "H = %d heads cannot share G = %d key heads evenly", c->H, c->G);
    if (c->positions == POSITIONS_ROPE && c->D / c->H % 2)
        return error_set(error, "a head is %d wide, but RoPE turns pairs: it must be even", c->D / c->H);
    if (config_parameters(c) > PARAMETERS_MOST)
        return error_set(error, "these sizes make %" PRId64 " parameters; up to %d fit", config_parameters(c),
                         PARAMETERS_MOST);
    return true;
}

// Twice over the same list: once to count, once to hand out views.
Transformer transformer_new(Arena *arena, Config config)
{
    Error error;
    REQUIRE(config_fits(&config, &error), "%s", error.text);
    Transformer m = { .config = config };
    Layout sizes = { 0 };
    place_all(&m, &sizes);

    m.all = mat_new(arena, 1, (int)sizes.used);
    m.count = sizes.count;
    m.table = arena_alloc(arena, (size_t)m.count * sizeof *m.table);
    Layout layout = { .arena = arena, .at = m.all.at, .table = m.table };
    place_all(&m, &layout);
    return m;
}

static void fill_normal(Mat m, double deviation, Random *random)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) = (float)((double)random_normal(random) * deviation);
}

void transformer_init(Transformer m, Random *random)
{
    Config c = m.config;
    double wide = 1.0 / sqrt(c.D), into_x = 1.0 / sqrt(2.0 * c.L);
    mat_fill(m.all, 0.0f);
    fill_normal(m.embedding, wide, random);
    for (int l = 0; l < c.L; l++) {
        Layer layer = m.layers[l];
        mat_fill(layer.norm, 1.0f);
        fill_normal(layer.wqkv, wide, random);
        fill_normal(layer.wo, wide * into_x, random);
        if (!c.mlp) continue;
        mat_fill(layer.mlp_norm, 1.0f);
        fill_normal(layer.w1, wide, random);
        fill_normal(layer.w2, into_x / sqrt(c.mlp), random);
    }
    mat_fill(m.norm, 1.0f);
    fill_normal(m.output, wide, random);
}

// ---- batches

Batch batch_part(Arena *arena, Batch batch, int first, int count)
{
    REQUIRE(first >= 0 && count >= 0 && first <= batch.count - count, "%d sequences from %d; there are %d", count,
            first, batch.count);
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start), from = batch.start[first];
    for (int b = 0; b <= count; b++) start[b] = batch.start[first + b] - from;
    return (Batch){ count, start, batch.tokens + from, batch.targets ? batch.targets + from : NULL };
}

Batch batch_of_one(Arena *arena, const int *tokens, int T)
{
    int *start = arena_alloc(arena, 2 * sizeof *start);
    start[1] = T;
    return (Batch){ 1, start, tokens, NULL };
}

static int longest(Batch batch)
{
    int most = 0;
    for (int b = 0; b < batch.count; b++) {
        int T = batch.start[b + 1] - batch.start[b];
        REQUIRE(T >= 0, "sequence %d has %d positions", b, T);
        if (T > most) most = T;
    }
    return most;
}

Mat batch_rows(Batch batch, Mat all, int b)
{
    return mat_rows(all, batch.start[b], batch.start[b + 1] - batch.start[b]);
}

// ---- the forward pass

Mask layer_mask(const Config *c, int layer, int h)
{
    float slope = c->positions == POSITIONS_ALIBI ? alibi_slope(h, c->H) : 0.0f;
    return (Mask){ .causal = c->causal, .window = c->window[layer], .alibi = slope };
}

// 1 / √(mean x² + ε) of one row. ε keeps a row of zeros from dividing by 0.
static float inverse_rms(const float *x, int n)
{
    float sum = 0.0f;
    for (int c = 0; c < n; c++) sum += x[c] * x[c];
    return 1.0f / sqrtf(sum / (float)n + 1e-6f);
}

void rms_norm(Mat y, Mat x, Mat gain)
{
    REQUIRE(y.rows == x.rows && y.cols == x.cols && gain.rows == 1 && gain.cols == x.cols,
            "y is " SHAPE ", x is " SHAPE ", gain is " SHAPE, SHAPED(y), SHAPED(x), SHAPED(gain));
    const float *g = mat_row(gain, 0);
    for (int i = 0; i < x.rows; i++) {
        float *to = mat_row(y, i), scale = inverse_rms(mat_row(x, i), x.cols);
        const float *from = mat_row(x, i);
        for (int c = 0; c < x.cols; c++) to[c] = from[c] * scale * g[c];
    }
}

Mat qkv_head(const Config *c, Mat qkv, QkvPart part, int head)
{
    int d = c->D / c->H, before = part == QKV_Q ? 0 : part == QKV_K ? c->H : c->H + c->G;
    return mat_cols(qkv, (before + head) * d, d);
}

void qkv_turn(const Config *c, Mat qkv, Turns turns)
{
    for (int h = 0; h < c->H; h++) rope(qkv_head(c, qkv, QKV_Q, h), turns);
    for (int g = 0; g < c->G; g++) rope(qkv_head(c, qkv, QKV_K, g), turns);
}

static void run_sequence(Arena *arena, const Run *run, LayerRun *at, int layer, int b)
{
    const Config *c = &run->model.config;
    Mat qkv = batch_rows(run->batch, at->qkv, b), heads = batch_rows(run->batch, at->heads, b);
    int T = qkv.rows, d = c->D / c->H;
    Mask *masks = arena_alloc(arena, (size_t)c->H * sizeof *masks);
    for (int h = 0; h < c->H; h++) masks[h] = layer_mask(c, layer, h);
    if (c->positions == POSITIONS_ROPE)
        qkv_turn(c, qkv, (Turns){ mat_rows(run->cosine, 0, T), mat_rows(run->sine, 0, T) });
    at->weights[b] = mat_new(arena, c->H * T, T);
    Attended to = { .out = heads, .weights = at->weights[b] };
    grouped_attend(to, mat_cols(qkv, 0, c->D), mat_cols(qkv, c->D, c->G * d), mat_cols(qkv, c->D + c->G * d, c->G * d),
                   c->H, masks, attention_product);
}

// gated = heads, each times its gate.
static void gate_heads(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) *mat_ref(gated, i, c) = gates[c / d] * *mat_ref(heads, i, c);
}

// x (N, D) → x + attention. What is kept lives in `arena`.
static Mat run_attention(Arena *arena, const Run *run, LayerRun *at, int layer, Mat x)
{
    Layer w = run->model.layers[layer];
    int N = x.rows, D = x.cols;
    at->in = x;
    at->normed = mat_new(arena, N, D);
    at->qkv = mat_new(arena, N, w.wqkv.cols);
    at->weights = arena_alloc(arena, (size_t)run->batch.count * sizeof *at->weights);
    at->heads = mat_new(arena, N, D);
    at->gated = mat_new(arena, N, D);

    // 1. Norm, then queries, keys and values in one product.
    rms_norm(at->normed, x, w.norm);
    product_add(at->qkv, at->normed, w.wqkv);

    // 2. Every head of every sequence.
    for (int b = 0; b < run->batch.count; b++) run_sequence(arena, run, at, layer, b);

    // 3. Gates, Wo, and the residual.
    gate_heads(at->gated, at->heads, mat_row(run->gates, layer), run->model.config.H);
    Mat out = mat_copy(arena, x);
    product_add(out, at->gated, w.wo);
    return out;
}

static void add_bias(Mat m, Mat bias)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) += *mat_ref(bias, 0, c);
}

Mat layer_mlp(Arena *arena, LayerRun *at, Layer w, Mat x)
{
    at->mlp_normed = mat_new(arena, x.rows, x.cols);
    at->hidden = mat_new(arena, x.rows, w.w1.cols);
    rms_norm(at->mlp_normed, x, w.mlp_norm);
    product_add(at->hidden, at->mlp_normed, w.w1);
    add_bias(at->hidden, w.b1);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < w.w1.cols; c++) *mat_ref(at->hidden, i, c) = fmaxf(0.0f, *mat_ref(at->hidden, i, c));
    Mat out = mat_copy(arena, x);
    product_add(out, at->hidden, w.w2);
    add_bias(out, w.b2);
    return out;
}

Mat transformer_embed(Arena *arena, Transformer m, const int *tokens, int n)
{
    Mat x = mat_new(arena, n, m.config.D);
    for (int i = 0; i < n; i++) {
        int token = tokens[i];
        REQUIRE(token >= 0 && token < m.config.words, "token %d at %d; there are %d", token, i, m.config.words);
        mat_set(mat_rows(x, i, 1), mat_rows(m.embedding, token, 1));
    }
    return x;
}

static Mat gates_or_ones(Arena *arena, const Config *c, Mat gates)
{
    if (mat_empty(gates)) {
        gates = mat_new(arena, c->L, c->H);
        mat_fill(gates, 1.0f);
    }
    REQUIRE(gates.rows == c->L && gates.cols == c->H, "gates is " SHAPE "; it must be " SHAPE, SHAPED(gates), c->L,
            c->H);
    return gates;
}

Run transformer_run(Arena *arena, Transformer m, Batch batch, Mat gates)
{
    const Config *c = &m.config;
    Run run = { .model = m, .batch = batch, .gates = gates_or_ones(arena, c, gates) };
    if (c->positions == POSITIONS_ROPE) {
        Turns turns = rope_turns(arena, 0, longest(batch), c->D / c->H);
        run.cosine = turns.cosine;
        run.sine = turns.sine;
    }
    Mat x = transformer_embed(arena, m, batch.tokens, batch.start[batch.count]);
    for (int l = 0; l < c->L; l++) {
        x = run.layers[l].middle = run_attention(arena, &run, &run.layers[l], l, x);
        if (c->mlp) x = layer_mlp(arena, &run.layers[l], m.layers[l], x);
    }
    run.last = x;
    run.normed = mat_new(arena, x.rows, x.cols);
    run.logits = mat_new(arena, x.rows, c->outputs);
    rms_norm(run.normed, x, m.norm);
    product_add(run.logits, run.normed, m.output);
    return run;
}

// ---- looking at it

static void require_place(const Run *run, int b, int layer, int h)
{
    REQUIRE(b >= 0 && b < run->batch.count, "sequence %d of %d", b, run->batch.count);
    REQUIRE(layer >= 0 && layer < run->model.config.L, "layer %d of %d", layer, run->model.config.L);
    REQUIRE(h >= 0 && h < run->model.config.H, "head %d of %d", h, run->model.config.H);
}

Mat run_weights(const Run *run, int b, int layer, int h)
{
    require_place(run, b, layer, h);
    Mat weights = run->layers[layer].weights[b];
    return mat_rows(weights, h * weights.cols, weights.cols);
}

HeadStages run_head(Arena *arena, const Run *run, int b, int layer, int h)
{
    require_place(run, b, layer, h);
    const Config *c = &run->model.config;
    Mat qkv = batch_rows(run->batch, run->layers[layer].qkv, b);
    Mat heads = batch_rows(run->batch, run->layers[layer].heads, b);
    int d = c->D / c->H, g = h / (c->H / c->G);
    HeadStages stages = {
        .q = qkv_head(c, qkv, QKV_Q, h), .k = qkv_head(c, qkv, QKV_K, g), .v = qkv_head(c, qkv, QKV_V, g),
        .scores = mat_new(arena, qkv.rows, qkv.rows), .weights = run_weights(run, b, layer, h),
        .out = mat_cols(heads, h * d, d),
    };
    attention_scores(stages.scores, stages.q, stages.k, layer_mask(c, layer, h));
    return stages;
}

Mat run_logits(const Run *run, int b)
{
    require_place(run, b, 0, 0);
    return batch_rows(run->batch, run->logits, b);
}

int run_answer(const Run *run, int b, int t)
{
    const float *logits = mat_row(run_logits(run, b), t);
    int best = 0;
    for (int o = 1; o < run->logits.cols; o++)
        if (logits[o] > logits[best]) best = o;
    return best;
}
