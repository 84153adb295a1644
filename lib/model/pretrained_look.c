// Chapters 25 and 26. Parts of the forward pass, and inspection of a run: maps, logits, attribution.
#include "model/pretrained_internal.h"

#include "attention/attention_product.h"
#include "attention/positions.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "kernels/weight_kernel.h"

// ---- norms

typedef struct {
    double mean, inverse;
} Divisor;

static Divisor divisor_of(const float *x, int n, const Architecture *is)
{
    double sum = 0.0, squares = 0.0;
    for (int c = 0; c < n && is->norm == FAMILY_NORM_LAYER; c++) sum += (double)x[c];
    double mean = sum / n;
    for (int c = 0; c < n; c++) squares += ((double)x[c] - mean) * ((double)x[c] - mean);
    return (Divisor){ mean, 1.0 / sqrt(squares / n + is->eps) };
}

// Normalizes with a given mean and divisor: (x − mean) · inverse · gain.
static void scale_row(float *y, const float *x, Divisor by, PretrainedNorm norm, const Architecture *is)
{
    const float *gain = norm.gain.at;
    float mean = (float)by.mean, inverse = (float)by.inverse, plus = is->norm == FAMILY_NORM_RMS_PLUS_ONE ? 1.0f : 0.0f;
    for (int c = 0; c < norm.gain.cols; c++) y[c] = (x[c] - mean) * inverse * (plus + gain[c]);
}

typedef struct {
    Mat y, x;
    PretrainedNorm norm;
    const Architecture *is;
} Normed;
enum { STRIP = 16 }; // rows per task

static void norm_strip(int n, void *context)
{
    const Normed *a = context;
    for (int i = n * STRIP; i < a->x.rows && i < (n + 1) * STRIP; i++) {
        float *row = mat_row(a->y, i);
        scale_row(row, mat_row(a->x, i), divisor_of(mat_row(a->x, i), a->x.cols, a->is), a->norm, a->is);
        if (a->is->norm == FAMILY_NORM_LAYER)
            for (int c = 0; c < a->x.cols; c++) row[c] += a->norm.bias.at[c];
    }
}

void pretrained_norm(Mat y, Mat x, PretrainedNorm norm, const Architecture *is)
{
    if (mat_empty(norm.gain)) {
        if (y.at != x.at) mat_set(y, x);
        return;
    }
    REQUIRE(x.cols == norm.gain.cols, "a norm of %d numbers for " MAT_SHAPE, norm.gain.cols, MAT_SHAPED(x));
    Normed a = { y, x, norm, is };
    threads_parallel_for((x.rows + STRIP - 1) / STRIP, norm_strip, &a);
}

void pretrained_norm_share(Mat y, Mat whole, PretrainedNorm norm, const Architecture *is)
{
    for (int i = 0; i < y.rows && !mat_empty(norm.gain); i++) {
        Divisor by = divisor_of(mat_row(whole, i), whole.cols, is);
        by.mean = 0.0;
        for (int c = 0; c < y.cols && is->norm == FAMILY_NORM_LAYER; c++) by.mean += (double)*mat_ref(y, i, c) / y.cols;
        scale_row(mat_row(y, i), mat_row(y, i), by, norm, is);
    }
}

// ---- products and activations

void pretrained_linear(Mat out, Mat x, const PretrainedLinear *l, WeightSums sums)
{
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) = mat_empty(l->bias) ? 0.0f : l->bias.at[c];
    weight_apply(out, x, l->weight, sums);
}

static float activated(float x, Activation f)
{
    double v = (double)x;
    if (f == ACTIVATION_RELU) return x > 0.0f ? x : 0.0f;
    if (f == ACTIVATION_SILU) return (float)(v / (1.0 + exp(-v)));
    if (f == ACTIVATION_GELU) return (float)(0.5 * v * (1.0 + erf(v * 0.70710678118654752)));
    return (float)(0.5 * v * (1.0 + tanh(0.79788456080286536 * (v + 0.044715 * v * v * v))));
}

typedef struct {
    Mat x;
    Activation f;
    bool plain;
} Activated;

static void activate_row(int i, void *context)
{
    const Activated *a = context;
    float *row = mat_row(a->x, i);
    if (!a->plain) weight_kernel()->activate(row, a->x.cols, a->f);
    else
        for (int c = 0; c < a->x.cols; c++) row[c] = activated(row[c], a->f);
}

void pretrained_activate(Mat x, Activation f, bool plain)
{
    Activated a = { x, f, plain };
    threads_parallel_for(x.rows, activate_row, &a);
}

// ---- maps

// ALiBi slopes as in BLOOM: powers for the largest power of two ≤ H, and interpolated ones for the other heads.
static float slope_of(int h, int H)
{
    int power = 1;
    while (2 * power <= H) power *= 2;
    return h < power ? alibi_slope(h, power) : alibi_slope(2 * (h - power), 2 * power);
}

Mask pretrained_mask(const Architecture *is, int layer, int h, int padding)
{
    double scale = is->score_scale / (is->score_by_layer ? layer + 1 : 1);
    Mask mask = { .causal = is->causal, .window = is->window[layer], .padding = padding, .scale = (float)scale };
    if (is->places == FAMILY_POSITIONS_ALIBI) mask.alibi = slope_of(h, is->H);
    return mask;
}

void pretrained_head_scores(Mat scores, const PretrainedRun *run, int layer, int h, int first)
{
    const Architecture *is = &run->model->is;
    const PretrainedStages *stages = &run->layers[layer];
    int T = run->input.T, d = is->d;
    Mask mask = pretrained_mask(is, layer, h, run->input.padding);
    mask.shift = first + scores.rows - T;
    attention_product_scores(scores, mat_block(stages->q, first, scores.rows, h * d, d),
                             mat_cols(stages->k, h / (is->H / is->G) * d, d), mask);
    float cap = (float)is->score_cap;
    for (int i = 0; i < scores.rows && cap > 0.0f; i++)
        for (int j = 0; j < T; j++) {
            float *score = mat_ref(scores, i, j);
            if (*score != -INFINITY) *score = (float)((double)cap * tanh((double)(*score / cap)));
        }
}

static void check_head(const PretrainedRun *run, int layer, int h)
{
    const Architecture *is = &run->model->is;
    REQUIRE(layer >= 0 && layer < is->L && h >= 0 && h < is->H, "head %d of layer %d; there are %d layers of %d", h,
            layer, is->L, is->H);
}

Mat pretrained_scores(Arena *arena, const PretrainedRun *run, int layer, int h)
{
    check_head(run, layer, h);
    Mat scores = mat_new(arena, run->input.T, run->input.T);
    pretrained_head_scores(scores, run, layer, h, 0);
    return scores;
}

Mat pretrained_weights(Arena *arena, const PretrainedRun *run, int layer, int h)
{
    Mat weights = pretrained_scores(arena, run, layer, h);
    softmax_rows(weights, weights);
    return weights;
}

bool pretrained_sees(const PretrainedRun *run, int layer, int query, int key)
{
    check_head(run, layer, 0);
    return mask_sees(pretrained_mask(&run->model->is, layer, 0, run->input.padding), query, key, run->input.T,
                     run->input.T);
}

// ---- logits

Mat pretrained_logits(Arena *arena, const PretrainedRun *run, int t)
{
    const PretrainedModel *m = run->model;
    REQUIRE(t >= 0 && t < run->input.T, "position %d of %d", t, run->input.T);
    if (!m->is.head) return (Mat){ 0 };
    WeightSums sums = pretrained_sums(&run->input);
    Mat row = mat_copy(arena, mat_rows(run->last, t, 1)), logits = mat_new(arena, 1, m->is.words);
    if (m->head_dense.weight.at) {
        Mat dense = mat_new(arena, 1, m->is.D);
        pretrained_linear(dense, row, &m->head_dense, sums);
        pretrained_activate(dense, m->is.activation, run->input.plain);
        pretrained_norm(row, dense, m->head_norm, &m->is);
    }
    pretrained_linear(logits, row, &m->output, sums);
    double cap = m->is.logit_cap;
    for (int c = 0; c < logits.cols && cap > 0.0; c++) logits.at[c] = (float)(cap * tanh((double)logits.at[c] / cap));
    return logits;
}

// ---- attribution

Mat pretrained_writes(Arena *arena, const PretrainedRun *run, int layer, int h)
{
    check_head(run, layer, h);
    const Architecture *is = &run->model->is;
    const PretrainedLayer *l = &run->model->layers[layer];
    Mat gated = run->layers[layer].gated, out = mat_new(arena, gated.rows, is->D);
    Weight rows = weight_inputs(l->o.weight, h * is->d, is->d);
    weight_apply(out, mat_cols(gated, h * is->d, is->d), rows, pretrained_sums(&run->input));
    if (mat_empty(l->after_attention.gain)) return out;
    Arena *scratch = arena_open();
    Mat whole = mat_new(scratch, gated.rows, is->D);
    pretrained_linear(whole, gated, &l->o, pretrained_sums(&run->input));
    pretrained_norm_share(out, whole, l->after_attention, is);
    arena_close(scratch);
    return out;
}

// Backward through a norm with a frozen divisor: turns u (1, D), a linear functional of the norm's output, into the same
// functional of its input: Σ u (y − mean y) inverse gain = Σ y (u inverse gain − its mean)
static void pull_back(Mat u, Mat whole, PretrainedNorm norm, const Architecture *is)
{
    if (mat_empty(norm.gain)) return;
    Divisor by = divisor_of(whole.at, whole.cols, is);
    double mean = 0.0, plus = is->norm == FAMILY_NORM_RMS_PLUS_ONE ? 1.0 : 0.0;
    for (int c = 0; c < u.cols; c++) {
        u.at[c] = (float)((double)u.at[c] * by.inverse * (plus + (double)norm.gain.at[c]));
        mean += (double)u.at[c] / u.cols;
    }
    for (int c = 0; c < u.cols && is->norm == FAMILY_NORM_LAYER; c++) u.at[c] -= (float)mean;
}

typedef struct {
    Mat to, u;
    const PretrainedRun *run;
    int t;
} Attribution;

// One layer: u is pulled back through Wo, and multiplied with the head outputs.
static void attribute_layer(int layer, void *context)
{
    const Attribution *a = context;
    const Architecture *is = &a->run->model->is;
    const PretrainedLayer *l = &a->run->model->layers[layer];
    Arena *scratch = arena_open();
    Mat u = mat_copy(scratch, a->u), gated = mat_rows(a->run->layers[layer].gated, a->t, 1);
    if (!mat_empty(l->after_attention.gain)) {
        Mat whole = mat_new(scratch, 1, is->D);
        pretrained_linear(whole, gated, &l->o, pretrained_sums(&a->run->input));
        pull_back(u, whole, l->after_attention, is);
    }
    Mat rows = mat_new(scratch, is->d, is->D);
    for (int h = 0; h < is->H; h++) {
        double sum = 0.0;
        weight_part(rows, l->o.weight, h * is->d, 0);
        for (int i = 0; i < is->d; i++) {
            double along = 0.0;
            for (int c = 0; c < is->D; c++) along += (double)*mat_ref(rows, i, c) * (double)u.at[c];
            sum += along * (double)gated.at[h * is->d + i];
        }
        *mat_ref(a->to, layer, h) = (float)sum;
    }
    arena_close(scratch);
}

static bool has_sum(const PretrainedRun *run, Error *error)
{
    const PretrainedModel *m = run->model;
    const char *why = !m->is.head                                   ? "gives no logits"
                      : m->head_dense.weight.at                     ? "has a dense layer before its words"
                      : !mat_empty(m->layers[0].sum_attention.gain) ? "has norms on the sum of each layer"
                                                                    : NULL;
    return !why || error_set(error, "%s: a model of the family %s %s, so its logits are no sum over heads", m->folder,
                             m->is.name, why);
}

bool pretrained_attribution(Mat *out, Arena *arena, const PretrainedRun *run, int t, int word, int other, Error *error)
{
    const PretrainedModel *m = run->model;
    REQUIRE(t >= 0 && t < run->input.T && word >= 0 && word < m->is.words && other >= -1 && other < m->is.words,
            "words %d and %d at position %d", word, other, t);
    if (!has_sum(run, error)) return false;

    // 1. The direction: the unembedding row of the word minus the other's, pulled back through the last norm.
    Arena *scratch = arena_open();
    Mat u = mat_new(scratch, 1, m->is.D), less = mat_new(scratch, 1, m->is.D);
    weight_row(u, m->output.weight, word);
    if (other >= 0) weight_row(less, m->output.weight, other);
    for (int c = 0; c < u.cols; c++) u.at[c] -= less.at[c];
    pull_back(u, mat_rows(run->layers[m->is.L - 1].out, t, 1), m->last_norm, &m->is);

    // 2. The component of every head's output along it.
    *out = mat_new(arena, m->is.L, m->is.H);
    Attribution a = { *out, u, run, t };
    threads_parallel_for(m->is.L, attribute_layer, &a);
    arena_close(scratch);
    return true;
}
