// The stages of a head, and how one of its weights was computed, from the numbers of the file.
#include "base/portable_math.h"
#include "viz/document_internal.h"

// The head of a field for map head `head`: its own, or its group's.
static int shared_head(const Document *d, const Field *f, int head) { return head / (d->heads / f->heads); }

static Mat row_of(Arena *arena, const Document *d, FieldKind kind, int layer, int head, int row)
{
    const Field *f = document_field(d, kind);
    Mat m = mat_new(arena, 1, f->cols);
    field_read(m, f, layer, shared_head(d, f, head), row, 0);
    return m;
}

static Mat whole(Arena *arena, const Document *d, FieldKind kind, int layer, int head)
{
    const Field *f = document_field(d, kind);
    Mat m = mat_new(arena, f->rows, f->cols);
    field_read(m, f, layer, shared_head(d, f, head), 0, 0);
    return m;
}

static double product(const float *a, const float *b, int n)
{
    double sum = 0;
    for (int c = 0; c < n; c++) sum += (double)a[c] * b[c];
    return sum;
}

// ---- stages

const char *stage_word(Stage stage)
{
    static const char *const words[STAGES] = { "dots", "scaled", "masked", "weights", "mixed", "out" };
    return words[stage];
}

const char *stage_name(Stage stage)
{
    static const char *const names[STAGES] = { "q · k", "÷ √d", "+ mask", "softmax", "· V", "· Wo" };
    REQUIRE(stage >= 0 && stage < STAGES, "stage %d of %d", (int)stage, STAGES);
    return names[stage];
}

bool document_has_stage(const Document *d, Stage stage)
{
    switch (stage) {
    case STAGE_DOTS:
    case STAGE_SCALED: return d->of[FIELD_Q] >= 0 && d->of[FIELD_K] >= 0;
    case STAGE_MASKED: return d->of[FIELD_SCORES] >= 0;
    case STAGE_WEIGHTS: return d->of[FIELD_WEIGHTS] >= 0;
    case STAGE_MIXED: return d->of[FIELD_HEAD] >= 0 || (d->of[FIELD_V] >= 0 && d->of[FIELD_WEIGHTS] >= 0);
    case STAGE_OUT: return d->of[FIELD_OUT] >= 0;
    case STAGES: break;
    }
    return false;
}

// q · k of every pair, divided by √d if scaled.
static Mat dots(Arena *arena, const Document *d, int layer, int head, bool scaled)
{
    Mat out = mat_new(arena, d->T, d->S);
    ArenaMark mark = arena_mark(arena);
    Mat q = whole(arena, d, FIELD_Q, layer, head), k = whole(arena, d, FIELD_K, layer, head);
    double divisor = scaled ? sqrt(q.cols) : 1;
    for (int i = 0; i < d->T; i++)
        for (int j = 0; j < d->S; j++)
            *mat_ref(out, i, j) = (float)(product(mat_row(q, i), mat_row(k, j), q.cols) / divisor);
    arena_release(arena, mark);
    return out;
}

// Σ weight · value over keys for one row of weights, in float64.
static void mix(double *out, const float *weights, Mat v)
{
    for (int c = 0; c < v.cols; c++) out[c] = 0;
    for (int j = 0; j < v.rows; j++)
        for (int c = 0; c < v.cols; c++) out[c] += (double)weights[j] * *mat_ref(v, j, c);
}

static Mat mixed(Arena *arena, const Document *d, int layer, int head)
{
    Mat out = mat_new(arena, d->T, document_field(d, FIELD_V)->cols);
    ArenaMark mark = arena_mark(arena);
    Mat v = whole(arena, d, FIELD_V, layer, head), weights = mat_new(arena, 1, d->S);
    double *row = arena_alloc(arena, (size_t)v.cols * sizeof *row);
    for (int i = 0; i < d->T; i++) {
        field_read(weights, document_field(d, FIELD_WEIGHTS), layer, head, i, 0);
        mix(row, weights.at, v);
        for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) = (float)row[c];
    }
    arena_release(arena, mark);
    return out;
}

Mat document_stage(Arena *arena, const Document *d, int layer, int head, Stage stage)
{
    if (!document_has_stage(d, stage)) return (Mat){ 0 };
    switch (stage) {
    case STAGE_DOTS: return dots(arena, d, layer, head, false);
    case STAGE_SCALED: return dots(arena, d, layer, head, true);
    case STAGE_MASKED: return whole(arena, d, FIELD_SCORES, layer, head);
    case STAGE_WEIGHTS: return whole(arena, d, FIELD_WEIGHTS, layer, head);
    case STAGE_MIXED:
        return d->of[FIELD_HEAD] >= 0 ? whole(arena, d, FIELD_HEAD, layer, head) : mixed(arena, d, layer, head);
    case STAGE_OUT: return whole(arena, d, FIELD_OUT, layer, head);
    case STAGES: break;
    }
    return (Mat){ 0 };
}

// ---- one cell

// Relative rounding error of a stored type: half a unit in the last place.
static double rounding(Dtype stored)
{
    switch (stored) {
    case DTYPE_F16: return 0x1p-11;
    case DTYPE_BF16: return 0x1p-8;
    default: return 0x1p-24;
    }
}

static void explain_products(Explained *e, Arena *arena, const Document *d, int layer, int head, int i, int j)
{
    Mat q = row_of(arena, d, FIELD_Q, layer, head, i), k = row_of(arena, d, FIELD_K, layer, head, j);
    e->terms = q.cols;
    e->q = q.at;
    e->k = k.at;
    e->dot = product(q.at, k.at, q.cols);
    e->scaled = e->dot / sqrt(q.cols);
    e->capped = d->cap > 0 ? d->cap * tanh(e->scaled / d->cap) : e->scaled;
}

// The term between the capped product and the score. Differences within rounding of float32 or the stored type count as
// 0.
static double added(const Document *d, const Explained *e, double score)
{
    double sizes = 0, small;
    if (!isfinite(score)) return score - e->capped;
    for (int c = 0; c < e->terms; c++) sizes += fabs((double)e->q[c] * e->k[c]);
    sizes /= sqrt(e->terms);
    small = (e->terms + 4) * 0x1p-24 * sizes + rounding(document_field(d, FIELD_SCORES)->stored) * fabs(score) +
            (rounding(document_field(d, FIELD_Q)->stored) + rounding(document_field(d, FIELD_K)->stored)) * sizes;
    return fabs(score - e->capped) <= small ? 0 : score - e->capped;
}

// exp and sum of a row of scores. NaN propagates, so that a row with NaN does not look valid.
static void explain_scores(Explained *e, Arena *arena, const Document *d, int layer, int head, int i, int j)
{
    Mat scores = row_of(arena, d, FIELD_SCORES, layer, head, i);
    e->from_scores = true;
    e->max = -INFINITY;
    for (int c = 0; c < scores.cols; c++)
        if (scores.at[c] > e->max || isnan(scores.at[c])) e->max = scores.at[c];
    if (e->max != -INFINITY) {
        for (int c = 0; c < scores.cols; c++) e->sum += exp(scores.at[c] - e->max);
        e->exp = exp(scores.at[j] - e->max);
    }
    e->hidden = e->hidden || scores.at[j] == -INFINITY;
    if (e->terms) e->added = added(d, e, scores.at[j]);
}

// The length of weight · value relative to the output's length.
static void explain_value(Explained *e, Arena *arena, const Document *d, int layer, int head, const float *weights,
                          int j)
{
    Mat v = whole(arena, d, FIELD_V, layer, head);
    double *out = arena_alloc(arena, (size_t)v.cols * sizeof *out), length = 0;
    mix(out, weights, v);
    for (int c = 0; c < v.cols; c++) length += out[c] * out[c];
    e->dv = v.cols;
    e->v = mat_row(v, j);
    e->pull = e->weight * sqrt(product(e->v, e->v, v.cols)) / sqrt(length);
}

Explained document_explain(Arena *arena, const Document *d, int layer, int head, int i, int j)
{
    Explained e = { .hidden = document_hidden(d, layer, head, i, j), .pull = (double)NAN };
    const Field *maps = document_maps(d);
    Mat weights = mat_new(arena, 1, d->S);
    field_read(weights, maps, layer, head, i, 0);
    e.weight = weights.at[j];
    e.row_sum = mat_sum(weights);

    if (document_has_stage(d, STAGE_DOTS)) explain_products(&e, arena, d, layer, head, i, j);
    if (e.hidden) e.added = -INFINITY;
    if (maps->kind != FIELD_WEIGHTS) return e;
    if (d->of[FIELD_SCORES] >= 0) explain_scores(&e, arena, d, layer, head, i, j);
    if (d->of[FIELD_V] >= 0) explain_value(&e, arena, d, layer, head, weights.at, j);
    return e;
}
