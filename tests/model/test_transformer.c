// lib/model/config.c, transformer.c, run.c and gradient.c: the forward pass against the definition in float64, every
// derivative against central differences of that definition, heads switched off in three ways.
#include "model/gradient.h"
#include "model/run.h"

#include "attention/sink.h"
#include "base/portable_math.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

// ---- the definition in float64, one sequence at a time; shares no code with lib/

typedef struct {
    Config config;
    Transformer layout; // flat: for the places of the parameters only
    const double *parameters;
    const double *gates; // L · H
    double bonus;
} Definition;

static const double *at(const Definition *f, Mat view)
{
    return view.at ? f->parameters + (view.at - f->layout.embedding.at) : NULL;
}

// out[c] += Σ x[r] w[r][c]
static void add_product(double *out, const double *x, const double *w, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) out[c] += x[r] * w[r * cols + c];
}

static void define_norm(double *y, const double *x, const double *gain, int n)
{
    double squares = 0;
    for (int c = 0; c < n; c++) squares += x[c] * x[c];
    for (int c = 0; c < n; c++) y[c] = gain ? x[c] / sqrt(squares / n + 1e-6) * gain[c] : x[c];
}

static void define_turn(double *head, int position, int d, double base)
{
    for (int m = 0; m < d / 2; m++) {
        double angle = position * pow(base, -2.0 * m / d), a = head[2 * m], b = head[2 * m + 1];
        head[2 * m] = a * cos(angle) - b * sin(angle);
        head[2 * m + 1] = a * sin(angle) + b * cos(angle);
    }
}

static bool define_sees(const Config *c, int layer, int i, int j)
{
    int window = config_window(c, layer);
    return !(c->causal && j > i) && !(window && abs(i - j) >= window);
}

// Head h of query i adds by · Σ w v to out; returns Σ w².
static double define_head(double *out, const Definition *f, int layer, int h, int i, const double *qkv, double by,
                          int T)
{
    const Config *c = &f->config;
    bool map = c->differ != CONFIG_DIFFER_NONE; // maps of a pair read a pair of key heads and values two heads wide
    int d = c->D / c->H, R = c->H / c->G, width = (c->H + 2 * c->G) * d, n = map ? 2 * d : d;
    int first = map ? h / 2 / R * 2 : h / R, key = map ? first + h % 2 : first;
    double weights[16], sum = 0, squares = 0;
    for (int j = 0; j < T; j++) {
        double score = 0;
        for (int e = 0; e < d; e++) score += qkv[i * width + h * d + e] * qkv[j * width + (c->H + key) * d + e];
        score /= sqrt(d);
        if (c->positions == CONFIG_POSITIONS_ALIBI) score -= pow(2.0, -8.0 * (h + 1) / c->H) * abs(i - j);
        sum += weights[j] = define_sees(c, layer, i, j) ? exp(score) : 0;
    }
    if (c->sink == CONFIG_SINK_ZERO) sum += 1;
    if (c->sink == CONFIG_SINK_LOGIT) sum += exp(at(f, f->layout.layers[layer].sink)[h]);
    for (int j = 0; j < T; j++) {
        squares += weights[j] / sum * (weights[j] / sum);
        for (int e = 0; e < n; e++) out[e] += by * weights[j] / sum * qkv[j * width + (c->H + c->G + first) * d + e];
    }
    return squares;
}

// λ of a layer: a number, or by way of four vectors of d numbers.
static double define_lambda(const Definition *f, int layer)
{
    const Config *c = &f->config;
    const double *v = at(f, f->layout.layers[layer].lambda);
    double lambda = c->lambda != 0 ? c->lambda : 0.8 - 0.6 * exp(-0.3 * layer), one = 0, two = 0;
    int d = c->D / c->H;
    for (int e = 0; v && e < d; e++) {
        one += v[e] * v[d + e];
        two += v[2 * d + e] * v[3 * d + e];
    }
    return c->differ == CONFIG_DIFFER_LEARNED ? lambda + exp(one) - exp(two) : lambda;
}

// What stands for each head's, or each pair's, n columns of `heads`: their norm, and the gates after it.
static void define_givers(double *heads, const Definition *f, int layer)
{
    const Config *c = &f->config;
    bool pairs = c->differ != CONFIG_DIFFER_NONE;
    int n = pairs ? 2 * c->D / c->H : c->D / c->H;
    double init = c->lambda != 0 ? c->lambda : 0.8 - 0.6 * exp(-0.3 * layer), normed[64];
    for (int first = 0; first < c->D; first += n) {
        if (!c->head_norm) break;
        define_norm(normed, heads + first, at(f, f->layout.layers[layer].head_norm), n);
        for (int e = 0; e < n; e++) heads[first + e] = pairs ? (1 - init) * normed[e] : normed[e];
    }
    for (int e = 0; e < c->D; e++) heads[e] *= f->gates[layer * c->H + e / (c->D / c->H)];
}

// x (T, D) → x + attention; answers Σ P² of this layer. With Config.share, the k and v of the group's first layer are
// in `shared` (T, (H + 2G) d), which keeps them from call to call.
static double define_attention(double *x, double *shared, const Definition *f, int layer, int T)
{
    const Config *c = &f->config;
    TransformerLayer w = f->layout.layers[layer];
    int D = c->D, d = D / c->H, width = (c->H + 2 * c->G) * d;
    double *qkv = calloc((size_t)(T * width), sizeof *qkv), *normed = calloc((size_t)D, sizeof *normed), squares = 0;
    double *open = calloc((size_t)(T * c->H), sizeof *open);
    for (int i = 0; i < T; i++) {
        define_norm(normed, x + i * D, at(f, w.norm), D);
        if (c->sink == CONFIG_SINK_GATE) add_product(open + i * c->H, normed, at(f, w.shut), D, c->H);
        for (int h = 0; h < c->H; h++)
            open[i * c->H + h] =
                c->sink == CONFIG_SINK_GATE ? 1 / (1 + exp(-open[i * c->H + h] - at(f, w.shut_bias)[h])) : 1;
        bool first = c->share < 2 || layer % c->share == 0;
        add_product(qkv + i * width, normed, at(f, w.wqkv), D, first ? width : D);
        for (int part = 0; part < (first ? c->H + c->G : c->H); part++)
            if (c->positions == CONFIG_POSITIONS_ROPE)
                define_turn(qkv + i * width + part * d, i, d, c->rope_base > 0 ? c->rope_base : 10000.0);
        for (int e = D; e < width; e++) {
            if (first) shared[i * width + e] = qkv[i * width + e];
            else qkv[i * width + e] = shared[i * width + e];
        }
    }
    for (int i = 0; i < T; i++) {
        double heads[64] = { 0 };
        for (int h = 0; h < c->H; h++) {
            double by = c->differ == CONFIG_DIFFER_NONE ? open[i * c->H + h] : h % 2 ? -define_lambda(f, layer) : 1;
            int to = c->differ == CONFIG_DIFFER_NONE ? h : h / 2 * 2;
            squares += define_head(heads + to * d, f, layer, h, i, qkv, by, T);
        }
        define_givers(heads, f, layer);
        add_product(x + i * D, heads, at(f, w.wo), D, D);
    }
    free(qkv);
    free(normed);
    free(open);
    return squares;
}

static void define_swiglu(double *x, const Definition *f, TransformerLayer w)
{
    int D = f->config.D, M = f->config.mlp;
    double normed[64], opened[64] = { 0 }, up[64] = { 0 };
    define_norm(normed, x, at(f, w.mlp_norm), D);
    add_product(opened, normed, at(f, w.gate), D, M);
    add_product(up, normed, at(f, w.up), D, M);
    for (int m = 0; m < M; m++) up[m] *= opened[m] / (1 + exp(-opened[m]));
    add_product(x, up, at(f, w.down), M, D);
}

static void define_mlp(double *x, const Definition *f, TransformerLayer w)
{
    int D = f->config.D, M = f->config.mlp;
    double normed[64], hidden[64] = { 0 };
    define_norm(normed, x, at(f, w.mlp_norm), D);
    add_product(hidden, normed, at(f, w.w1), D, M);
    for (int m = 0; m < M; m++) hidden[m] = fmax(0, hidden[m] + at(f, w.b1)[m]);
    add_product(x, hidden, at(f, w.w2), M, D);
    for (int c = 0; c < D; c++) x[c] += at(f, w.b2)[c];
}

// The loss of one sequence: Σ −log p(target) − bonus · Σ P². logits (T, outputs), if asked for.
static double define_loss(double *logits, const Definition *f, const int *tokens, const int *targets, int T)
{
    const Config *c = &f->config;
    double *x = calloc((size_t)(T * c->D), sizeof *x), normed[64], loss = 0;
    double *shared = calloc((size_t)(T * 3 * c->D), sizeof *shared);
    for (int i = 0; i < T; i++)
        for (int e = 0; e < c->D; e++) x[i * c->D + e] = at(f, f->layout.embedding)[tokens[i] * c->D + e];
    for (int l = 0; l < c->L; l++) {
        loss -= f->bonus * define_attention(x, shared, f, l, T);
        if (!c->mlp) continue;
        for (int i = 0; i < T; i++)
            (c->mlp_kind == CONFIG_MLP_SWIGLU ? define_swiglu : define_mlp)(x + i * c->D, f, f->layout.layers[l]);
    }
    for (int i = 0; i < T; i++) {
        double out[64] = { 0 };
        define_norm(normed, x + i * c->D, at(f, f->layout.norm), c->D);
        add_product(out, normed, at(f, f->layout.output), c->D, c->outputs);
        if (logits) memcpy(logits + i * c->outputs, out, (size_t)c->outputs * sizeof *out);
        if (targets[i] >= 0) loss += reference_logsumexp(out, c->outputs) - out[targets[i]];
    }
    free(x);
    free(shared);
    return loss;
}

// The mean over the batch that training minimises, with `share` in front of the answers.
static double define_batch(const Definition *f, RunBatch batch, double share)
{
    double loss = 0;
    for (int b = 0; b < batch.count; b++) {
        Definition scaled = *f;
        scaled.bonus = f->bonus / share;
        loss += share * define_loss(NULL, &scaled, batch.tokens + batch.start[b], batch.targets + batch.start[b],
                                    batch.start[b + 1] - batch.start[b]);
    }
    return loss;
}

// ---- cases

typedef struct {
    const char *name;
    double bonus;
    bool gated;
    Config config;
} Case;

// clang-format off
#define CAUSAL .causal = true
#define ROPE   .positions = CONFIG_POSITIONS_ROPE
#define ALIBI  .positions = CONFIG_POSITIONS_ALIBI
#define SWIGLU .mlp_kind = CONFIG_MLP_SWIGLU
static const Case cases[] = {
    { "plain", 0, false, { CONFIG_SIZES(7, 5, 8, 2, 2, 1) } },
    { "causal, RoPE", 0, false, { CONFIG_SIZES(7, 7, 8, 2, 2, 2), ROPE, CAUSAL } },
    { "one key head", 0, true, { CONFIG_SIZES(7, 6, 12, 3, 1, 2), ROPE, .mlp = 5 } },
    { "G < H, ALiBi", 0.3, true, { CONFIG_SIZES(6, 9, 12, 4, 2, 2), ALIBI, CAUSAL, .mlp = 7 } },
    { "windows", 0.2, false, { CONFIG_SIZES(9, 11, 16, 4, 4, 2), ROPE, .mlp = 9, .window = (const int[]){ 3, 0 } } },
    { "three layers", 0.1, true, { CONFIG_SIZES(5, 4, 6, 1, 1, 3), ROPE, CAUSAL, .window = (const int[]){ 2, 4,
      0 } } },
    { "SwiGLU, G < H", 0.1, false, { CONFIG_SIZES(7, 6, 16, 4, 2, 2), ROPE, CAUSAL, .mlp = 9, SWIGLU,
      .rope_base = 50.0 } },
    { "keys of two layers", 0.2, true, { CONFIG_SIZES(7, 6, 8, 2, 1, 5), .share = 2, ROPE, CAUSAL, .mlp = 5,
      SWIGLU } },
    { "keys of three layers", 0, false, { CONFIG_SIZES(7, 6, 8, 2, 2, 4), .share = 3, .mlp = 4, ALIBI } },
    { "a learned sink, no norms", 0, true, { CONFIG_SIZES(7, 6, 8, 2, 1, 2), .sink = CONFIG_SINK_LOGIT, .bare = true,
      ROPE, CAUSAL, .mlp = 5 } },
    { "a sink of 0", 0.2, true, { CONFIG_SIZES(7, 6, 8, 2, 2, 2), .sink = CONFIG_SINK_ZERO, CAUSAL,
      .window = (const int[]){ 2, 0 } } },
    { "gates of heads, no norms", 0.1, true, { CONFIG_SIZES(7, 6, 12, 3, 3, 2), .sink = CONFIG_SINK_GATE,
      .bare = true, ROPE, .rope_base = 100.0, CAUSAL } },
    { "gates and SwiGLU", 0, false, { CONFIG_SIZES(7, 6, 8, 2, 2, 2), .sink = CONFIG_SINK_GATE, .mlp = 5, SWIGLU,
      .share = 2 } },
    { "two maps, fixed lambda", 0.2, true, { CONFIG_SIZES(7, 6, 8, 2, 2, 2), CAUSAL, .differ = CONFIG_DIFFER_FIXED,
      .lambda = 0.4 } },
    { "differential, G < H", 0, true, { CONFIG_SIZES(7, 6, 16, 8, 4, 2), .differ = CONFIG_DIFFER_LEARNED,
      .head_norm = true, ROPE, CAUSAL, .mlp = 5 } },
    { "differential, shared keys", 0.1, false, { CONFIG_SIZES(7, 6, 16, 4, 2, 3), .lambda = -0.3,
      .differ = CONFIG_DIFFER_LEARNED, ALIBI, CAUSAL, .share = 2, .bare = true, .window = (const int[]){ 3, 0,
      2 } } },
    { "norms of heads", 0.1, true, { CONFIG_SIZES(7, 6, 12, 3, 1, 2), .head_norm = true, ROPE, .mlp = 4, SWIGLU } },
};
// clang-format on
enum { CASES = sizeof cases / sizeof *cases };

// Four sequences: 5, 0, 1 and 6 positions, some without an answer.
static RunBatch some_batch(const Config *c)
{
    static const int start[] = { 0, 5, 5, 6, 12 };
    int *tokens = arena_alloc(arena, 12 * sizeof *tokens), *targets = arena_alloc(arena, 12 * sizeof *targets);
    for (int i = 0; i < 12; i++) {
        tokens[i] = random_below(&random_state, c->words);
        targets[i] = i % 4 == 1 ? -1 : random_below(&random_state, c->outputs);
    }
    return (RunBatch){ 4, start, tokens, targets };
}

static Transformer some_model(const Config *c) { return flat_random(arena, *c, &random_state, 0.2f); }

static Mat some_gates(const Case *k)
{
    Mat gates = mat_new(arena, k->config.L, k->config.H);
    for (int l = 0; l < gates.rows; l++)
        for (int h = 0; h < gates.cols; h++)
            *mat_ref(gates, l, h) = k->gated ? 0.4f + random_uniform(&random_state) : 1.0f;
    return gates;
}

static double *doubles(Mat m)
{
    double *values = arena_alloc(arena, (size_t)(m.rows * m.cols) * sizeof *values);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) values[i * m.cols + j] = (double)*mat_ref(m, i, j);
    return values;
}

TEST_EACH(forward_against_float64, CASES)
{
    Case k = cases[_i];
    RunBatch batch = some_batch(&k.config);
    Transformer m = some_model(&k.config);
    Mat gates = some_gates(&k);
    Definition f = { k.config, m, doubles(flat_vector(m)), doubles(gates), 0 };
    Run run = run_transformer(arena, m, batch, gates);
    for (int b = 0; b < batch.count; b++) {
        int T = batch.start[b + 1] - batch.start[b];
        double logits[256];
        double loss = define_loss(logits, &f, batch.tokens + batch.start[b], batch.targets + batch.start[b], T);
        case_is("%s, sequence %d", k.name, b);
        assert_close(run_logits(&run, b), logits, 1e-5, 2e-6);
        double got = cross_entropy(run_logits(&run, b), batch.targets + batch.start[b], 1.0f, (Mat){ 0 });
        ck_assert_double_eq_tol(got, loss, 1e-5);
    }
}

// Central difference of the definition with respect to *value: fourth order, so that float64 is good for 1e-9.
static double slope_at(double *value, const Definition *f, RunBatch batch, double share)
{
    double kept = *value, step = 1e-4, loss[4];
    const double moves[] = { -2, -1, 1, 2 };
    for (int i = 0; i < 4; i++) {
        *value = kept + moves[i] * step;
        loss[i] = define_batch(f, batch, share);
    }
    *value = kept;
    return (loss[0] - 8 * loss[1] + 8 * loss[2] - loss[3]) / (12 * step);
}

// |got − want| ≤ 1e-4 · the length of the view's gradient / √n, so that a small element among large ones may be as
// wrong. Compiled for float64 (tests/support/float64_shim.h): 1e-7.
static const double RTOL = sizeof(float) == sizeof(double) ? 1e-7 : 1e-4;
static void assert_gradient(const char *name, Mat got, const double *want)
{
    double squares = 0;
    int n = got.rows * got.cols;
    for (int i = 0; i < n; i++) squares += want[i] * want[i];
    double size = sqrt(squares / n);
    ck_assert_msg(size > 1e-6, "%s: the gradient is 0 all over: nothing is tested", name);
    for (int i = 0; i < n; i++) {
        double g = (double)*mat_ref(got, i / got.cols, i % got.cols);
        ck_assert_msg(fabs(g - want[i]) <= RTOL * fmax(size, fabs(want[i])),
                      "%s, element %d: %.9g, the difference says %.9g", name, i, g, want[i]);
    }
}

TEST_EACH(every_derivative_against_differences, CASES)
{
    Case k = cases[_i];
    RunBatch batch = some_batch(&k.config);
    Transformer m = some_model(&k.config), gradient = transformer_new(arena, k.config);
    Mat gates = some_gates(&k), dgates = mat_new(arena, gates.rows, gates.cols);
    double *parameters = doubles(flat_vector(m)), *open = doubles(gates), share = 1.0 / 9;
    Definition f = { k.config, m, parameters, open, k.bonus };

    Run run = run_transformer(arena, m, batch, gates);
    Mat dlogits = mat_new(arena, run.logits.rows, run.logits.cols);
    cross_entropy(run.logits, batch.targets, (float)share, dlogits);
    transformer_backward(gradient, dgates, &run, dlogits, (float)k.bonus);

    for (int p = 0; p < m.count; p++) {
        Mat view = m.table[p].at;
        double *first = parameters + (view.at - m.embedding.at);
        double *want = arena_alloc(arena, sizeof *want * (size_t)(view.rows * view.cols));
        for (int i = 0; i < view.rows * view.cols; i++) want[i] = slope_at(first + i, &f, batch, share);
        assert_gradient(arena_format(arena, "%s: %s", k.name, m.table[p].name), gradient.table[p].at, want);
    }
    double *want = arena_alloc(arena, sizeof(double) * (size_t)(gates.rows * gates.cols));
    for (int i = 0; i < gates.rows * gates.cols; i++) want[i] = slope_at(open + i, &f, batch, share);
    assert_gradient(arena_format(arena, "%s: gates", k.name), dgates, want);
}

// ---- what must be equal to what

// In the place of what a gate takes from a head: its own outputs change nothing, zeros are the gate, and another run's
// have the rest of the share, in that head's columns alone.
TEST(something_else_in_the_place_of_a_head)
{
    const Config c = { CONFIG_SIZES(9, 4, 16, 4, 4, 2), .causal = true };
    Transformer m = some_model(&c);
    RunBatch batch = run_batch_of_one(arena, (const int[]){ 3, 1, 4, 1, 5 }, 5);
    Run whole = run_transformer(arena, m, batch, (Mat){ 0 });
    Run other = run_transformer(arena, m, run_batch_of_one(arena, (const int[]){ 2, 7, 1, 8, 2 }, 5), (Mat){ 0 });
    Mat own[] = { whole.layers[0].heads, whole.layers[1].heads }, theirs[] = { other.layers[0].heads, own[1] };
    Mat zeros[] = { mat_new(arena, 5, 16), mat_new(arena, 5, 16) }, gates = mat_new(arena, 2, 4);
    mat_fill(gates, 1.0f);
    *mat_ref(gates, 0, 2) = 0.25f;
    Run off = run_transformer(arena, m, batch, gates);
    assert_same(run_instead_transformer(arena, m, batch, gates, own).logits, whole.logits);
    assert_same(run_instead_transformer(arena, m, batch, gates, zeros).logits, off.logits);
    Mat gated = run_instead_transformer(arena, m, batch, gates, theirs).layers[0].gated;
    for (int i = 0; i < 5; i++)
        for (int e = 0; e < 16; e++) {
            float open = e / 4 == 2 ? 0.25f : 1.0f;
            float want = open * *mat_ref(own[0], i, e) + (1.0f - open) * *mat_ref(theirs[0], i, e);
            ck_assert_float_eq_tol(*mat_ref(gated, i, e), want, 1e-5f);
        }
    const Mat *means = run_mean_heads(arena, &whole);
    for (int e = 0; e < 16; e++) {
        double mean = mat_sum(mat_cols(own[1], e, 1)) / 5;
        for (int i = 0; i < 5; i++) ck_assert_double_eq_tol((double)*mat_ref(means[1], i, e), mean, 1e-6);
    }
}

static double mean_square(Mat m)
{
    double sum = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) sum += (double)*mat_ref(m, i, j) * (double)*mat_ref(m, i, j);
    return sum / ((double)m.rows * m.cols);
}

// What a matrix writes has variance 1; what L layers of two parts each add to the stream, variance 1 together.
TEST(variances_at_the_start)
{
    for (int kind = 0; kind < 2; kind++) {
        Config c = { CONFIG_SIZES(80, 80, 64, 4, 4, 3), .causal = true, .mlp = 160 };
        if (kind) c.mlp_kind = CONFIG_MLP_SWIGLU;
        Transformer m = transformer_new(arena, c);
        transformer_init(m, &random_state);
        for (int l = 0; l < 3; l++) {
            TransformerLayer layer = m.layers[l];
            Mat in[] = { layer.wqkv, kind ? layer.gate : layer.w1, kind ? layer.up : layer.w1 };
            for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(mean_square(in[i]) * 64, 1.0, 0.1);
            ck_assert_double_eq_tol(mean_square(layer.wo) * 64 * 6, 1.0, 0.1);
            ck_assert_double_eq_tol(mean_square(kind ? layer.down : layer.w2) * 160 * 6, 1.0, 0.1);
            ck_assert(*mat_ref(layer.mlp_norm, 0, 63) == 1.0f);
        }
    }
}

// A slope of its own is that of the first head; the others keep their proportion to it.
TEST(slopes_may_be_steeper)
{
    Config c = { .H = 2, .positions = CONFIG_POSITIONS_ALIBI };
    ck_assert_float_eq_tol(config_mask(&c, 0, 0).alibi, 1.0f / 16, 1e-7f);
    ck_assert_float_eq_tol(config_mask(&c, 0, 1).alibi, 1.0f / 256, 1e-7f);
    c.slope = 1.0f;
    ck_assert_float_eq_tol(config_mask(&c, 0, 0).alibi, 1.0f, 1e-6f);
    ck_assert_float_eq_tol(config_mask(&c, 0, 1).alibi, 1.0f / 16, 1e-6f);
    c.positions = CONFIG_POSITIONS_ROPE;
    ck_assert_float_eq(config_mask(&c, 0, 0).alibi, 0.0f);
}

// What a sink of the model or a gate leaves of attention_naive; the gate's share is as it was computed.
static void leave_a_share(Attended to, const Run *run, int l, int h)
{
    const Config *c = &run->model.config;
    float sink = c->sink == CONFIG_SINK_LOGIT ? *mat_ref(run->model.layers[l].sink, 0, h) : 0.0f;
    if (c->sink == CONFIG_SINK_ZERO || c->sink == CONFIG_SINK_LOGIT) sink_apply(to, &sink, 1);
    if (c->sink != CONFIG_SINK_GATE) return;
    Mat left = run_batch_rows(run->batch, run->layers[l].left, 3);
    for (int i = 0; i < to.out.rows; i++)
        for (int e = 0; e < to.out.cols; e++) *mat_ref(to.out, i, e) *= *mat_ref(left, i, h);
}

// Stage by stage, the run is attention_naive, to the bit.
TEST(stages_are_those_of_the_book)
{
    for (int e = 0; e < CASES; e++) {
        Config c = cases[e].config;
        RunBatch batch = some_batch(&c);
        Transformer m = some_model(&c);
        Run run = run_transformer(arena, m, batch, (Mat){ 0 });
        Run kept = run_keeping_transformer(arena, m, batch, (Mat){ 0 });
        for (int l = 0; l < c.L; l++)
            for (int h = 0; h < c.H; h++) {
                RunHeadStages s = run_head(arena, &run, 3, l, h);
                Mask mask = config_mask(&c, l, h);
                int T = s.q.rows;
                Mat out = mat_new(arena, T, s.v.cols), weights = mat_new(arena, T, T), scores = mat_new(arena, T, T);
                Attended naive = { out, mat_new(arena, T, 1), weights };
                attention_naive(naive, s.q, s.k, s.v, mask);
                leave_a_share(naive, &run, l, h);
                attention_scores(scores, s.q, s.k, mask);
                case_is("%s, layer %d, head %d", cases[e].name, l, h);
                assert_same(s.weights, weights);
                assert_same(s.head, out);
                assert_same(s.scores, scores);
                assert_same(run_weights(arena, &run, 3, l, h), weights);
                assert_same(run_weights(arena, &kept, 3, l, h), weights);
            }
    }
}

TEST(cross_entropy_by_hand)
{
    Mat logits = mat_of(arena, 3, 2, (float[]){ 0, logf(3), 500, -500, 1, 1 }), dlogits = mat_new(arena, 3, 2);
    double loss = cross_entropy(logits, (int[]){ 0, 1, -1 }, 0.5f, dlogits);
    ck_assert_double_eq_tol(loss, log(4) + 1000, 1e-4);
    assert_close(dlogits, ((double[]){ -0.375, 0.375, 0.5, -0.5, 0, 0 }), 1e-6, 1e-7);
}

TEST(every_parameter_is_in_the_table)
{
    for (int e = 0; e < CASES; e++) {
        Transformer m = transformer_new(arena, cases[e].config);
        ck_assert_int_eq(transformer_numbers(m), config_parameters(&cases[e].config));
        for (int p = 0; p < m.count; p++)
            for (int other = 0; other < p; other++) ck_assert_str_ne(m.table[p].name, m.table[other].name);
    }
    Config llama = { CONFIG_SIZES(100, 100, 32, 4, 2, 3), .mlp = 40, .mlp_kind = CONFIG_MLP_SWIGLU };
    ck_assert_int_eq(config_parameters(&llama), 2 * 3200 + 32 + 3 * (32 + 32 * 64 + 1024 + 32 + 3 * 1280));
}

TEST(configs_that_do_not_fit)
{
    static const int before_all[] = { -1 };
    static const struct {
        Config config;
        const char *says;
    } wrong[] = {
        { { CONFIG_SIZES(0, 1, 4, 2, 2, 1) }, "words is 0" },
        { { CONFIG_SIZES(1, 1, 4, 3, 3, 1) }, "cannot be split among H = 3" },
        { { CONFIG_SIZES(1, 1, 6, 3, 2, 1) }, "cannot share G = 2" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 1), .positions = CONFIG_POSITIONS_ROPE }, "must be even" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 4097) }, "L is 4097; it must be 1 … 4096" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 1), .window = before_all }, "window is -1" },
        { { CONFIG_SIZES(1, (1 << 24) + 1, 6, 2, 2, 1) }, "outputs is 16777217" },
        { { CONFIG_SIZES(1, 1, 1 << 25, 2, 2, 1) }, "D is 33554432" },
        { { CONFIG_SIZES(1, 1, 6, 7, 7, 1) }, "H is 7; it must be 1 … 6" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 1), .mlp = -1 }, "mlp is -1" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .share = 3 }, "share is 3; it must be 0 … 2" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .share = -1 }, "share is -1" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .mlp_kind = (ConfigMlp)2 }, "mlp_kind is 2" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .sink = (ConfigSink)4 }, "sink is 4" },
        { { CONFIG_SIZES(1, 1, 1 << 17, 1 << 17, 2, 2), .sink = CONFIG_SINK_GATE }, "H of gated" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .differ = (ConfigDiffer)3 }, "differ is 3" },
        { { CONFIG_SIZES(1, 1, 6, 3, 3, 2), .differ = CONFIG_DIFFER_FIXED }, "two by two" },
        { { CONFIG_SIZES(1, 1, 6, 2, 1, 2), .differ = CONFIG_DIFFER_LEARNED }, "H = 2, G = 1" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .lambda = 1 }, "lambda is 1; it must be" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .lambda = NAN }, "lambda is" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .differ = CONFIG_DIFFER_FIXED, .sink = CONFIG_SINK_GATE },
          "have no sink and no gate; sink is \"gate\"" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .head_norm = true, .sink = CONFIG_SINK_ZERO },
          "have no sink and no gate; sink is \"zero\"" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .rope_base = 1 }, "rope_base is 1; it must be" },
        { { CONFIG_SIZES(1, 1, 6, 2, 2, 2), .rope_base = NAN }, "rope_base is" },
    };
    Error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!config_fits(&wrong[i].config, &error), "%s", wrong[i].says);
        ck_assert_msg(strstr(error.text, wrong[i].says), "%s", error.text);
    }
    const int most = 1 << 24;
    Config largest = { CONFIG_SIZES(most, most, most, most, most, 4096), .mlp = most };
    ck_assert_msg(config_fits(&largest, &error), "%s", error.text);
    ck_assert(config_parameters(&largest) > INT64_C(6) << 60);
    largest.mlp_kind = CONFIG_MLP_SWIGLU;
    ck_assert(config_parameters(&largest) > INT64_C(7) << 60);
}

TEST_ABORTS(mistakes_stop_the_program, 7)
{
    Config c = cases[0].config;
    Transformer m = some_model(&c);
    RunBatch batch = some_batch(&c);
    Run run = run_transformer(arena, m, batch, (Mat){ 0 });
    quiet();
    switch (_i) {
    case 0: run_transformer(arena, m, (RunBatch){ 1, (int[]){ 0, 1 }, (int[]){ 7 }, NULL }, (Mat){ 0 }); break;
    case 1: run_transformer(arena, m, batch, mat_new(arena, 2, 2)); break;
    case 2: run_head(arena, &run, 0, 0, 2); break;
    case 3: transformer_backward(m, (Mat){ 0 }, &run, mat_new(arena, 12, 4), 0.0f); break;
    case 4: cross_entropy(run.logits, (int[]){ 5 }, 1.0f, (Mat){ 0 }); break;
    case 5:
        c.H = 3;
        transformer_new(arena, c);
        break;
    default: run_batch_part(arena, batch, 3, 2); break;
    }
}
