// Chapter 26. Attribution of a logit to components, and patched runs.
#include "model/reading.h"

#include "attention/attention_product.h"
#include "attention/product.h"
#include "base/portable_math.h"

static void require_plain(const Config *c)
{
    const char *beyond = config_beyond(c);
    REQUIRE(!beyond, "a model that %s is not read so", beyond);
}

static void require_place(const Config *c, ReadingHead p)
{
    REQUIRE(p.layer >= 0 && p.layer < c->L && p.h >= 0 && p.h < c->H, "head %d of layer %d; there are %d in %d layers",
            p.h, p.layer, c->H, c->L);
}

static Mat matmul(Arena *arena, Mat x, Mat w)
{
    Mat out = mat_new(arena, x.rows, w.cols);
    product_add(out, x, w);
    return out;
}

static Mat subtract(Arena *arena, Mat a, Mat b)
{
    Mat out = mat_copy(arena, a);
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) -= *mat_ref(b, i, c);
    return out;
}

// ---- attribution

// What head h writes at `count` rows from `first` on.
static Mat head_writes(Arena *arena, const Run *run, int layer, int h, int first, int count)
{
    int d = run->model.config.D / run->model.config.H;
    Mat gave = mat_rows(mat_cols(run->layers[layer].gated, h * d, d), first, count);
    return matmul(arena, gave, mat_rows(run->model.layers[layer].wo, h * d, d));
}

Mat reading_writes(Arena *arena, const Run *run, int layer, int h)
{
    require_plain(&run->model.config);
    require_place(&run->model.config, (ReadingHead){ layer, h });
    return head_writes(arena, run, layer, h, 0, run->last.rows);
}

// The stream before a layer; for layer L, the input of the last norm.
static Mat stream(const Run *run, int layer)
{
    int L = run->model.config.L;
    REQUIRE(layer >= 0 && layer <= L, "layer %d of a stream of %d", layer, L);
    return layer < L ? run->layers[layer].in : run->last;
}

static Mat mlp_writes(Arena *arena, const Run *run, int layer, int first, int count)
{
    Mat after = mat_rows(stream(run, layer + 1), first, count);
    return subtract(arena, after, mat_rows(run->layers[layer].middle, first, count));
}

Mat reading_mlp_writes(Arena *arena, const Run *run, int layer)
{
    require_plain(&run->model.config);
    return mlp_writes(arena, run, layer, 0, run->last.rows);
}

Mat reading_lens(Arena *arena, const Run *run, int layer)
{
    Mat x = stream(run, layer), normed = mat_new(arena, x.rows, x.cols);
    run_rms_norm(normed, x, run->model.norm);
    return matmul(arena, normed, run->model.output);
}

// The derivative of the answer's logit by each number of the stream at `row`, with the last norm's divisor frozen.
static double *logit_gradient(Arena *arena, const Run *run, int row, int word, int other)
{
    int D = run->model.config.D;
    double *each = arena_alloc(arena, (size_t)D * sizeof *each), squares = 0.0;
    const float *x = mat_row(run->last, row);
    Mat gain = run->model.norm, out = run->model.output;
    for (int c = 0; c < D; c++) squares += (double)x[c] * (double)x[c];
    double scale = mat_empty(gain) ? 1.0 : 1.0 / sqrt(squares / D + 1e-6);
    for (int c = 0; c < D; c++) {
        double leads = (double)*mat_ref(out, c, word) - (other < 0 ? 0.0 : (double)*mat_ref(out, c, other));
        each[c] = leads * scale * (mat_empty(gain) ? 1.0 : (double)*mat_ref(gain, 0, c));
    }
    return each;
}

static double project(const double *gradient, Mat x)
{
    double sum = 0.0;
    const float *row = mat_row(x, 0);
    for (int c = 0; c < x.cols; c++) sum += gradient[c] * (double)row[c];
    return sum;
}

ReadingAttribution reading_attribution(Arena *arena, const Run *run, int row, int word, int other)
{
    const Config *c = &run->model.config;
    require_plain(c);
    REQUIRE(word >= 0 && word < c->outputs && other >= -1 && other < c->outputs, "words %d and %d of %d", word, other,
            c->outputs);
    ReadingAttribution a = { .heads = mat_new(arena, c->L, c->H), .mlps = mat_new(arena, 1, c->L) };
    Arena *scratch = arena_open();
    const double *each = logit_gradient(scratch, run, row, word, other);
    a.embedding = project(each, mat_rows(run->layers[0].in, row, 1));
    for (int l = 0; l < c->L; l++) {
        for (int h = 0; h < c->H; h++)
            *mat_ref(a.heads, l, h) = (float)project(each, head_writes(scratch, run, l, h, row, 1));
        *mat_ref(a.mlps, 0, l) = (float)project(each, mlp_writes(scratch, run, l, row, 1));
    }
    const float *logits = mat_row(run->logits, row);
    a.whole = (double)logits[word] - (other < 0 ? 0.0 : (double)logits[other]);
    arena_close(scratch);
    return a;
}

// ---- patching

static void require_alike(const Run *run, const Run *from)
{
    require_plain(&run->model.config);
    REQUIRE(run->last.rows == from->last.rows && run->last.cols == from->last.cols,
            "a run of " MAT_SHAPE " and one of " MAT_SHAPE, MAT_SHAPED(run->last), MAT_SHAPED(from->last));
}

// (L): every head's output, where one head outputs `rows` from `row` on instead.
static Mat *replace_head(Arena *arena, const Run *run, ReadingHead head, Mat rows, int row)
{
    const Config *c = &run->model.config;
    int d = c->D / c->H;
    Mat *heads = arena_alloc(arena, (size_t)c->L * sizeof *heads);
    for (int l = 0; l < c->L; l++) heads[l] = mat_copy(arena, run->layers[l].gated);
    mat_set(mat_block(heads[head.layer], row, rows.rows, head.h * d, d), rows);
    return heads;
}

// A run in which one head outputs other rows.
static Run run_with_head(Arena *arena, const Run *run, ReadingHead head, Mat rows, int row)
{
    Mat gates = mat_copy(arena, run->gates);
    *mat_ref(gates, head.layer, head.h) = 0.0f;
    return run_after_transformer(arena, run, head.layer, gates, replace_head(arena, run, head, rows, row));
}

static Mat columns_of(const Run *run, ReadingHead head)
{
    int d = run->model.config.D / run->model.config.H;
    return mat_cols(run->layers[head.layer].gated, head.h * d, d);
}

Run reading_head_patched(Arena *arena, const Run *run, const Run *from, int layer, int h, int row)
{
    ReadingHead head = { layer, h };
    require_alike(run, from);
    require_place(&run->model.config, head);
    Mat rows = columns_of(from, head);
    return run_with_head(arena, run, head, row < 0 ? rows : mat_rows(rows, row, 1), row < 0 ? 0 : row);
}

Run reading_stream_patched(Arena *arena, const Run *run, const Run *from, int layer, int row)
{
    require_alike(run, from);
    StreamPatch patch = { layer, row, mat_rows(stream(from, layer), row, 1) };
    return run_patched_transformer(arena, run, &patch);
}

// The receiver's output when one of its q, k, v comes from another run.
static Mat head_from_parts(Arena *arena, const Run *run, const Run *other, ReadingHead receiver, RunQkv part)
{
    const Config *c = &run->model.config;
    int d = c->D / c->H;
    Mat head = mat_new(arena, run->last.rows, d);
    for (int b = 0; b < run->batch.count; b++) {
        HeadProjections own =
            run_qkv_of_head(c, run_batch_rows(run->batch, run->layers[receiver.layer].qkv, b), receiver.h);
        HeadProjections new =
            run_qkv_of_head(c, run_batch_rows(run->batch, other->layers[receiver.layer].qkv, b), receiver.h);
        Mat q = part == RUN_QKV_Q ? new.q : own.q, k = part == RUN_QKV_K ? new.k : own.k,
            v = part == RUN_QKV_V ? new.v : own.v;
        Mat weights = mat_new(arena, q.rows, k.rows);
        attention_product_weights(weights, q, k, config_mask(c, receiver.layer, receiver.h));
        product_add(run_batch_rows(run->batch, head, b), weights, v);
    }
    return head;
}

static void require_path(const Run *run, const Run *from, ReadingHead sender)
{
    require_alike(run, from);
    require_place(&run->model.config, sender);
}

Run reading_sent(Arena *arena, const Run *run, const Run *from, ReadingHead sender)
{
    // From its layer on all heads but the sender are off, and their stand-ins are their own outputs: frozen.
    require_path(run, from, sender);
    Mat *heads = replace_head(arena, run, sender, columns_of(from, sender), 0);
    Mat gates = mat_copy(arena, run->gates);
    for (int l = sender.layer; l < gates.rows; l++) mat_fill(mat_rows(gates, l, 1), 0.0f);
    return run_after_transformer(arena, run, sender.layer, gates, heads);
}

Run reading_sent_direct(Arena *arena, const Run *run, const Run *from, ReadingHead sender, int layer)
{
    require_path(run, from, sender);
    int rows = run->last.rows;
    Mat old_write = head_writes(arena, run, sender.layer, sender.h, 0, rows);
    Mat new_write = head_writes(arena, from, sender.layer, sender.h, 0, rows);
    StreamPatch patch = { layer, 0, subtract(arena, stream(run, layer), subtract(arena, old_write, new_write)) };
    return run_patched_transformer(arena, run, &patch);
}

Run reading_received(Arena *arena, const Run *run, const Run *sent, ReadingHead receiver, RunQkv part)
{
    require_alike(run, sent);
    require_place(&run->model.config, receiver);
    REQUIRE(sent->first <= receiver.layer, "a head of layer %d reads nothing that comes before layer %d",
            receiver.layer, sent->first);
    return run_with_head(arena, run, receiver, head_from_parts(arena, run, sent, receiver, part), 0);
}

// ---- weights

static double size(Mat m)
{
    double squares = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) squares += (double)*mat_ref(m, i, c) * (double)*mat_ref(m, i, c);
    return sqrt(squares);
}

// A head's columns of Wq | Wk | Wv, with the norm's weight multiplied into their rows.
static Mat read_matrix(Arena *arena, Transformer model, ReadingHead head, RunQkv part)
{
    TransformerLayer w = model.layers[head.layer];
    const Config *c = &model.config;
    Mat columns = mat_copy(arena, run_qkv_head(c, w.wqkv, part, part == RUN_QKV_Q ? head.h : head.h / (c->H / c->G)));
    if (mat_empty(w.norm)) return columns;
    for (int i = 0; i < columns.rows; i++)
        for (int k = 0; k < columns.cols; k++) *mat_ref(columns, i, k) *= *mat_ref(w.norm, 0, i);
    return columns;
}

// (D, D): OV circuit: maps a row of the stream to what the head writes.
static Mat ov(Arena *arena, Transformer model, ReadingHead head)
{
    int d = model.config.D / model.config.H;
    return matmul(arena, read_matrix(arena, model, head, RUN_QKV_V),
                  mat_rows(model.layers[head.layer].wo, head.h * d, d));
}

// (D, D): QK circuit: score = query row · QK · key row, without 1 / √d, with RoPE's rotation for this distance in
// between.
static Mat qk(Arena *arena, Transformer model, ReadingHead head, int distance)
{
    const Config *c = &model.config;
    Mat q = read_matrix(arena, model, head, RUN_QKV_Q), k = read_matrix(arena, model, head, RUN_QKV_K),
        out = mat_new(arena, c->D, c->D);
    if (c->positions == CONFIG_POSITIONS_ROPE) {
        RopeTable all = run_turns(arena, c, distance + 1);
        RopeTable turn = { mat_rows(all.cosine, distance, 1), mat_rows(all.sine, distance, 1) };
        for (int i = 0; i < q.rows; i++) rope_apply(mat_rows(q, i, 1), turn);
    }
    product_add_transposed(out, q, k);
    return out;
}

double reading_composition(Transformer model, ReadingHead sender, ReadingHead receiver, RunQkv part, int distance)
{
    const Config *c = &model.config;
    require_plain(c);
    require_place(c, sender);
    require_place(c, receiver);
    REQUIRE(distance >= 0, "a key %d before its query", distance);
    Arena *arena = arena_open();
    Mat writes = ov(arena, model, sender),
        m = part == RUN_QKV_V ? ov(arena, model, receiver) : qk(arena, model, receiver, distance);
    Mat both = mat_new(arena, c->D, c->D);
    if (part == RUN_QKV_K) product_add_transposed(both, writes, m);
    else product_add(both, writes, m);
    double score = size(both) / (size(writes) * size(m));
    arena_close(arena);
    return score;
}
