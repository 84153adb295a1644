// Chapter 25. The forward pass: embedding, layers, last norm. Stages that a model lacks are skipped.
#include "model/pretrained_run.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/product.h"
#include "attention/softmax.h"
#include "base/threads.h"
#include "model/pretrained_internal.h"

#include <string.h>

static Mat mat_room(Arena *arena, int rows, int cols)
{
    return (Mat){ arena_room(arena, (size_t)rows * (size_t)cols * sizeof(float) + 1), rows, cols, cols };
}

static Mat rows_from(Mat m, int first) { return mat_rows(m, first, m.rows - first); }

static int least(int a, int b) { return a < b ? a : b; }

// ---- before the layers

int pretrained_longest(const PretrainedModel *model)
{
    return model->is.places == FAMILY_POSITIONS_LEARNED ? model->is.positions : 0;
}

// Adds learned position embeddings: rows count all tokens, or only those that are not padding.
static void add_positions(Mat x, const PretrainedModel *m, const int *tokens, int first)
{
    Arena *scratch = arena_open();
    Mat row = mat_room(scratch, 1, x.cols);
    for (int t = 0, words = 0; t < x.rows; t++) {
        bool filler = m->is.padding >= 0 && tokens[t] == m->is.padding;
        int place = m->is.padding < 0 ? m->is.first_place + t : filler ? m->is.padding : m->is.first_place + words++;
        REQUIRE(place < m->places.out, "position %d of a model that has %d", t, m->is.positions);
        if (t < first) continue;
        weight_row(row, m->places, place);
        for (int c = 0; c < x.cols; c++) *mat_ref(x, t, c) += row.at[c];
    }
    arena_close(scratch);
}

static void add_token_types(Mat x, const PretrainedModel *m, const int *kinds, int first)
{
    Arena *scratch = arena_open();
    Mat row = mat_room(scratch, 1, x.cols);
    for (int t = first; t < x.rows; t++) {
        int kind = kinds ? kinds[t] : 0;
        REQUIRE(kind >= 0 && kind < m->kinds.out, "a sentence of kind %d; there are %d", kind, m->kinds.out);
        weight_row(row, m->kinds, kind);
        for (int c = 0; c < x.cols; c++) *mat_ref(x, t, c) += row.at[c];
    }
    arena_close(scratch);
}

// Computes rows `first` and later of x.
static void embed(Mat x, const PretrainedModel *m, const PretrainedInput *in, int first)
{
    float scale = (float)m->is.embedding_scale;
    for (int t = first; t < in->T; t++) {
        REQUIRE(in->tokens[t] >= 0 && in->tokens[t] < m->is.words, "token %d at %d; there are %d", in->tokens[t], t,
                m->is.words);
        weight_row(mat_rows(x, t, 1), m->embedding, in->tokens[t]);
        for (int c = 0; c < x.cols; c++) *mat_ref(x, t, c) *= scale;
    }
    if (m->kinds.at) add_token_types(x, m, in->kinds, first);
    if (m->is.places == FAMILY_POSITIONS_LEARNED) add_positions(x, m, in->tokens, first);
    pretrained_norm(rows_from(x, first), rows_from(x, first), m->embedding_norm, &m->is);
}

// ---- RoPE

typedef struct {
    Mat cosine, sine;
    int first;
} Rotations; // (T − first, pairs) each: cosines and sines of positions `first` and later

static bool has_rope(const Architecture *a)
{
    return a->places == FAMILY_POSITIONS_ROPE || a->places == FAMILY_POSITIONS_ROPE_PAIRS;
}

static Mat frequencies_of(Arena *arena, const Architecture *a, int T)
{
    if (!has_rope(a)) return (Mat){ 0 };
    Mat f = mat_new(arena, 1, (a->turned + 1) / 2);
    rope_frequencies(f, a->rope_base, a->turned, &a->stretch, a->positions, T);
    return f;
}

// Angles are rounded to float32, as in the libraries.
static Rotations rotations_of(Arena *arena, Mat frequencies, double factor, int first, int T)
{
    if (mat_empty(frequencies)) return (Rotations){ { 0 }, { 0 }, 0 };
    Rotations t = { mat_room(arena, T - first, frequencies.cols), mat_room(arena, T - first, frequencies.cols), first };
    for (int i = first; i < T; i++)
        for (int m = 0; m < frequencies.cols; m++) {
            float angle = (float)i * *mat_ref(frequencies, 0, m);
            *mat_ref(t.cosine, i - first, m) = (float)cos((double)angle) * (float)factor;
            *mat_ref(t.sine, i - first, m) = (float)sin((double)angle) * (float)factor;
        }
    return t;
}

// Rotates one head from position `first` on. Pair m is columns m and m + pairs, or 2m and 2m + 1 if neighbours.
static void rotate(Mat x, const Rotations *turns, int first, bool neighbours)
{
    int pairs = turns->cosine.cols;
    for (int i = 0; i < x.rows; i++) {
        int t = first + i - turns->first;
        const float *c = mat_row(turns->cosine, t), *s = mat_row(turns->sine, t);
        float *row = mat_row(x, i);
        for (int m = 0; m < pairs; m++) {
            float *a = row + (neighbours ? 2 * m : m), *b = neighbours ? a + 1 : a + pairs, left = *a, right = *b;
            *a = left * c[m] - right * s[m];
            *b = right * c[m] + left * s[m];
        }
    }
}

// ---- attention

typedef struct {
    const PretrainedModel *m;
    const PretrainedInput *in;
    PretrainedRun *run;
    Rotations turns;
    int layer;
    int first, first_gated; // the first row to compute: of queries and keys; and after the gates
} Work;

// Norms of each head, or of all heads side by side.
static void norm_heads(Mat x, PretrainedNorm norm, const Architecture *a)
{
    if (mat_empty(norm.gain)) return;
    int width = norm.gain.cols;
    for (int c = 0; c < x.cols; c += width) {
        Mat head = mat_cols(x, c, width);
        pretrained_norm(head, head, norm, a);
    }
}

// For few rows, computes Q, K and V in one product if their weights are parts of the same rows: reading each part alone
// gets only half of the memory bandwidth.
static bool fused_qkv(Mat *to, Mat x, const PretrainedLinear *const *parts, WeightSums sums)
{
    PretrainedLinear all = *parts[0];
    bool beside = x.rows <= WEIGHT_FEW && weight_joined(&all.weight, parts[0]->weight, parts[1]->weight) &&
                  weight_joined(&all.weight, all.weight, parts[2]->weight);
    if (!beside) return false;
    Arena *scratch = arena_open();
    Mat out = mat_room(scratch, x.rows, all.weight.out);
    all.bias = mat_new(scratch, 1, out.cols);
    for (int n = 0, c = 0; n < 3; c += parts[n++]->weight.out)
        if (!mat_empty(parts[n]->bias)) mat_set(mat_cols(all.bias, c, parts[n]->bias.cols), parts[n]->bias);
    pretrained_linear(out, x, &all, sums);
    for (int n = 0, c = 0; n < 3; c += to[n++].cols) mat_set(to[n], mat_cols(out, c, to[n].cols));
    arena_close(scratch);
    return true;
}

static void make_qkv(const Work *w, Mat normed)
{
    const PretrainedLayer *layer = &w->m->layers[w->layer];
    const PretrainedStages *stages = &w->run->layers[w->layer];
    const Architecture *a = &w->m->is;
    Mat q = rows_from(stages->q, w->first), k = rows_from(stages->k, w->first), v = rows_from(stages->v, w->first);
    bool pairs = a->places == FAMILY_POSITIONS_ROPE_PAIRS;
    WeightSums sums = pretrained_sums(w->in);
    const PretrainedLinear *parts[] = { &layer->q, &layer->k, &layer->v };
    Mat to[] = { q, k, v };
    bool done = fused_qkv(to, normed, parts, sums);
    for (int n = 0; n < 3 && !done; n++) pretrained_linear(to[n], normed, parts[n], sums);
    norm_heads(q, layer->q_norm, a);
    norm_heads(k, layer->k_norm, a);
    if (!has_rope(a)) return;
    for (int h = 0; h < a->H; h++) rotate(mat_cols(q, h * a->d, a->d), &w->turns, w->first, pairs);
    for (int g = 0; g < a->G; g++) rotate(mat_cols(k, g * a->d, a->d), &w->turns, w->first, pairs);
}

enum { QUERIES = 256 }; // queries whose scores are in memory at a time

// One head, a block of queries at a time: scores, softmax, values.
static void attend_head(int h, void *context)
{
    const Work *w = context;
    const PretrainedStages *stages = &w->run->layers[w->layer];
    const Architecture *a = &w->m->is;
    int T = w->in->T, d = a->d;
    Mat v = mat_cols(stages->v, h / (a->H / a->G) * d, d);
    Arena *scratch = arena_open();
    Mat block = mat_room(scratch, least(QUERIES, T - w->first), T);
    for (int first = w->first; first < T; first += QUERIES) {
        int count = least(QUERIES, T - first);
        Mat scores = mat_rows(block, 0, count), out = mat_block(stages->heads, first, count, h * d, d);
        pretrained_head_scores(scores, w->run, w->layer, h, first);
        softmax_rows(scores, scores);
        mat_fill(out, 0.0f);
        product_add(out, scores, v);
    }
    arena_close(scratch);
}

static void attend(Work *w)
{
    const PretrainedStages *stages = &w->run->layers[w->layer];
    const Architecture *a = &w->m->is;
    if (w->in->plain || a->score_cap > 0.0) {
        threads_parallel_for(a->H, attend_head, w);
        return;
    }
    Arena *scratch = arena_open();
    Mask *masks = arena_alloc(scratch, (size_t)a->H * sizeof *masks);
    for (int h = 0; h < a->H; h++) masks[h] = pretrained_mask(a, w->layer, h, w->in->padding);
    Mat q = rows_from(stages->q, w->first);
    Attended to = { .out = rows_from(stages->heads, w->first) };
    if (q.rows == 1) attention_fast_decode(to, q, stages->k, stages->v, a->H, masks);
    else attention_fast_heads(to, q, stages->k, stages->v, a->H, masks);
    arena_close(scratch);
}

static bool gates_on(const PretrainedInput *in, int layer, int H)
{
    for (int h = 0; h < H && !mat_empty(in->gates); h++)
        if (*mat_ref(in->gates, layer, h) != 1.0f) return false;
    return true;
}

// gated = gate · heads + (1 − gate) · instead
static void apply_gates(const Work *w)
{
    const PretrainedStages *stages = &w->run->layers[w->layer];
    if (stages->gated.at == stages->heads.at) return;
    int d = w->m->is.d;
    for (int h = 0; h < w->m->is.H; h++) {
        float gate = *mat_ref(w->in->gates, w->layer, h);
        for (int t = w->first_gated; t < w->in->T; t++)
            for (int c = h * d; c < (h + 1) * d; c++) {
                float given = w->in->instead && gate != 1.0f ? *mat_ref(w->in->instead[w->layer], t, c) : 0.0f;
                float own = gate == 0.0f ? 0.0f : gate * *mat_ref(stages->heads, t, c);
                *mat_ref(stages->gated, t, c) = gate == 1.0f ? own : own + (1.0f - gate) * given;
            }
    }
}

// ---- the MLP

enum { ROWS = 512 }; // rows whose hidden neurons are in memory at a time

static void multiply_by(Mat x, Mat y)
{
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) *mat_ref(x, i, c) *= *mat_ref(y, i, c);
}

static void run_mlp(const Work *w, Mat out, Mat normed)
{
    const PretrainedLayer *layer = &w->m->layers[w->layer];
    const Architecture *a = &w->m->is;
    WeightSums sums = pretrained_sums(w->in);
    Arena *scratch = arena_open();
    int block_rows = least(ROWS, normed.rows);
    Mat hidden = mat_room(scratch, block_rows, a->mlp), up = a->gated ? mat_room(scratch, block_rows, a->mlp) : hidden;
    for (int first = 0; first < normed.rows; first += ROWS) {
        int count = least(ROWS, normed.rows - first);
        Mat x = mat_rows(normed, first, count), h = mat_rows(hidden, 0, count), u = mat_rows(up, 0, count);
        pretrained_linear(h, x, a->gated ? &layer->gate : &layer->up, sums);
        pretrained_activate(h, a->activation, w->in->plain);
        if (a->gated) {
            pretrained_linear(u, x, &layer->up, sums);
            multiply_by(h, u);
        }
        pretrained_linear(mat_rows(out, first, count), h, &layer->down, sums);
    }
    arena_close(scratch);
}

// ---- a layer

static void add(Mat to, Mat a, Mat b)
{
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) *mat_ref(to, i, c) = *mat_ref(a, i, c) + *mat_ref(b, i, c);
}

static void run_layer(Work *w)
{
    const PretrainedLayer *layer = &w->m->layers[w->layer];
    const PretrainedStages *stages = &w->run->layers[w->layer];
    const Architecture *a = &w->m->is;
    Arena *scratch = arena_open();

    // 1. Attention for rows from `first` on; queries, keys, values and heads of earlier rows are unchanged.
    if (w->first < w->in->T) {
        Mat normed = mat_room(scratch, w->in->T - w->first, a->D);
        pretrained_norm(normed, rows_from(stages->in, w->first), layer->before_attention, a);
        make_qkv(w, normed);
        attend(w);
    }

    // 2. Output projection, for rows from the first changed gate on.
    int from = w->first_gated, rows = w->in->T - from;
    if (rows > 0) {
        Mat in = rows_from(stages->in, from), attended = rows_from(stages->attended, from),
            mlp = rows_from(stages->mlp, from);
        Mat out = rows_from(stages->out, from), normed = mat_room(scratch, rows, a->D);
        apply_gates(w);
        pretrained_linear(attended, rows_from(stages->gated, from), &layer->o, pretrained_sums(w->in));
        pretrained_norm(attended, attended, layer->after_attention, a);

        // 3. The MLP, after attention or parallel to it.
        add(out, in, attended);
        pretrained_norm(out, out, layer->sum_attention, a);
        PretrainedNorm before =
            mat_empty(layer->before_mlp.gain) && a->parallel ? layer->before_attention : layer->before_mlp;
        pretrained_norm(normed, a->parallel ? in : out, before, a);
        run_mlp(w, mlp, normed);
        pretrained_norm(mlp, mlp, layer->after_mlp, a);
        add(out, out, mlp);
        pretrained_norm(out, out, layer->sum_mlp, a);
    }
    arena_close(scratch);
}

// ---- the run

static PretrainedInput copy_input(Arena *arena, const PretrainedModel *m, PretrainedInput in)
{
    int T = in.T;
    REQUIRE(T >= 1 && in.padding >= 0 && in.padding < T, "%d tokens, of which %d are filler", T, in.padding);
    REQUIRE(!pretrained_longest(m) || T <= pretrained_longest(m), "%d tokens; the model has %d positions", T,
            pretrained_longest(m));
    REQUIRE(!in.patch || (in.patch->layer >= 0 && in.patch->layer <= m->is.L && in.patch->rows.cols == m->is.D &&
                          in.patch->row >= 0 && in.patch->row <= T - in.patch->rows.rows),
            "a patch of " MAT_SHAPE " at row %d before layer %d", MAT_SHAPED(in.patch->rows), in.patch->row,
            in.patch->layer);
    REQUIRE(mat_empty(in.gates) || (in.gates.rows == m->is.L && in.gates.cols == m->is.H),
            "gates are " MAT_SHAPE ", the model has %d layers of %d heads", MAT_SHAPED(in.gates), m->is.L, m->is.H);
    for (int l = 0; in.instead && l < m->is.L; l++)
        REQUIRE(in.instead[l].rows == T && in.instead[l].cols == m->is.H * m->is.d,
                "stand-ins of layer %d are " MAT_SHAPE, l, MAT_SHAPED(in.instead[l]));
    size_t bytes = (size_t)T * sizeof(int);
    in.tokens = memcpy(arena_alloc(arena, bytes), in.tokens, bytes);
    if (in.kinds) in.kinds = memcpy(arena_alloc(arena, bytes), in.kinds, bytes);
    if (!mat_empty(in.gates)) in.gates = mat_copy(arena, in.gates);
    return in;
}

// ---- memory

struct PretrainedRows {
    Arena *arena;             // holds the memory; held by the arenas of the runs
    int room, taken;          // allocated rows; rows written by some run
    Mat in, last;             // (room, D)  the embedding; the output of the last norm, if any
    PretrainedStages *layers; // (L), of `room` rows
};

static PretrainedStages stages_new(Arena *arena, const Architecture *a, int T, bool gates)
{
    int heads = a->H * a->d, keys = a->G * a->d;
    PretrainedStages s = { .q = mat_room(arena, T, heads),
                           .k = mat_room(arena, T, keys),
                           .v = mat_room(arena, T, keys),
                           .heads = mat_room(arena, T, heads),
                           .attended = mat_room(arena, T, a->D),
                           .mlp = mat_room(arena, T, a->D),
                           .out = mat_room(arena, T, a->D) };
    s.gated = gates ? mat_room(arena, T, heads) : s.heads;
    return s;
}

// Capacity with half as many rows more. Pages that are never written use no physical memory.
static int capacity_for(const PretrainedModel *m, int T)
{
    int capacity = T + T / 2 + 16, longest = pretrained_longest(m);
    if (!m->is.causal) return T;
    return longest ? least(capacity, longest) : capacity;
}

static PretrainedRows *rows_new(Arena *arena, const PretrainedModel *m, const PretrainedInput *input)
{
    const Architecture *a = &m->is;
    Arena *own = arena_open();
    PretrainedRows *rows = arena_alloc(own, sizeof *rows);
    int capacity = capacity_for(m, input->T);
    *rows = (PretrainedRows){ .arena = own,
                              .room = capacity,
                              .taken = input->T,
                              .in = mat_room(own, capacity, a->D),
                              .layers = arena_alloc(own, (size_t)a->L * sizeof *rows->layers) };
    for (int l = 0; l < a->L; l++) rows->layers[l] = stages_new(own, a, capacity, !gates_on(input, l, a->H));
    if (!mat_empty(m->last_norm.gain)) rows->last = mat_room(own, capacity, a->D);
    arena_hold(arena, own);
    arena_close(own);
    return rows;
}

// Can a run of T tokens, of which the first `kept` rows are unchanged in all layers, share the memory of `before`?
static bool can_extend(const PretrainedRun *before, int T, int kept)
{
    const PretrainedRows *rows = before->rows;
    int old = before->input.T;
    if (kept < least(old, T) || T > rows->room || T < old / 2) return false;
    return T <= old || rows->taken == old || arena_holders(rows->arena) == 1;
}

static PretrainedRows *rows_shared(Arena *arena, const PretrainedRun *before, int T)
{
    PretrainedRows *rows = before->rows;
    if (T > before->input.T) rows->taken = T;
    arena_hold(arena, rows->arena);
    return rows;
}

// The first T rows of each; `in` is the input of the first layer, or the output of the layer below.
static PretrainedStages stages_of(const PretrainedRows *rows, int layer, int T)
{
    const PretrainedStages *all = &rows->layers[layer];
    Mat in = layer ? rows->layers[layer - 1].out : rows->in;
    return (PretrainedStages){
        mat_rows(in, 0, T),         mat_rows(all->q, 0, T),     mat_rows(all->k, 0, T),        mat_rows(all->v, 0, T),
        mat_rows(all->heads, 0, T), mat_rows(all->gated, 0, T), mat_rows(all->attended, 0, T), mat_rows(all->mlp, 0, T),
        mat_rows(all->out, 0, T)
    };
}

static void keep(Mat to, Mat from, int rows)
{
    if (rows > 0) mat_set(mat_rows(to, 0, rows), mat_rows(from, 0, rows));
}

// Copies the rows that are not recomputed.
static void copy_unchanged(const Work *w, const PretrainedStages *old)
{
    const PretrainedStages *stages = &w->run->layers[w->layer];
    int rows = w->first, gated = w->first_gated;
    keep(stages->q, old->q, rows);
    keep(stages->k, old->k, rows);
    keep(stages->v, old->v, rows);
    keep(stages->heads, old->heads, rows);
    if (stages->gated.at != stages->heads.at) keep(stages->gated, old->gated, gated);
    keep(stages->attended, old->attended, gated);
    keep(stages->mlp, old->mlp, gated);
    keep(stages->out, old->out, gated);
}

// The first row of a layer with different gates.
static int first_gate(const PretrainedInput *a, const PretrainedInput *b, const Architecture *is, int layer)
{
    int first = least(a->T, b->T);
    for (int h = 0; h < is->H; h++) {
        float gate = mat_empty(a->gates) ? 1.0f : *mat_ref(a->gates, layer, h);
        if (gate != (mat_empty(b->gates) ? 1.0f : *mat_ref(b->gates, layer, h))) return 0;
        if (gate == 1.0f || (!a->instead && !b->instead)) continue;
        if (!a->instead || !b->instead) return 0;
        size_t bytes = (size_t)is->d * sizeof(float);
        for (int t = 0; t < first; t++)
            if (memcmp(mat_row(a->instead[layer], t) + h * is->d, mat_row(b->instead[layer], t) + h * is->d, bytes))
                first = t;
    }
    return first;
}

// The first token that differs, or that is padding in one of the runs only; 0 if the model is bidirectional.
static int first_token(const PretrainedRun *before, const PretrainedRun *now)
{
    const PretrainedInput *a = &before->input, *b = &now->input;
    int first = least(a->T, b->T);
    bool same = a->T == b->T && a->padding == b->padding;
    if (pretrained_sums(a) != pretrained_sums(b)) return 0;
    if (!mat_empty(now->frequencies) && !mat_equal(before->frequencies, now->frequencies)) return 0;
    if (!same) first = least(first, least(a->T - a->padding, b->T - b->padding));
    for (int t = 0; t < first; t++)
        if (a->tokens[t] != b->tokens[t] || (a->kinds ? a->kinds[t] : 0) != (b->kinds ? b->kinds[t] : 0)) first = t;
    bool whole = same && first == a->T;
    return now->model->is.causal || whole ? first : 0;
}

typedef struct {
    int heads, gated;
} Unchanged; // number of unchanged rows of a layer; after its gates

// (L). Returns the number of rows that are unchanged in all layers.
static int find_unchanged(Unchanged *unchanged, const PretrainedRun *before, const PretrainedRun *now)
{
    const Architecture *a = &now->model->is;
    int rows = first_token(before, now);
    const StreamPatch *patch = now->input.patch;
    for (int l = 0; l < a->L; l++) {
        if (patch && patch->layer == l) rows = a->causal ? least(rows, patch->row) : 0;
        int gated = least(rows, first_gate(&before->input, &now->input, a, l));
        unchanged[l] = (Unchanged){ rows, gated };
        rows = a->causal || gated == now->input.T ? gated : 0;
    }
    return patch && patch->layer == a->L ? least(rows, patch->row) : rows;
}

// Patches the stream before a layer.
static void patch_rows(const PretrainedRun *r, int layer)
{
    const StreamPatch *patch = r->input.patch;
    if (!patch || patch->layer != layer) return;
    Mat x = layer ? r->layers[layer - 1].out : r->layers[0].in;
    mat_set(mat_rows(x, patch->row, patch->rows.rows), patch->rows);
}

static PretrainedRun run(Arena *arena, const PretrainedModel *m, const PretrainedRun *before, PretrainedInput input,
                         PretrainedProgress *tell, void *context)
{
    // 1. Which rows are unchanged, and is there capacity after them?
    const Architecture *a = &m->is;
    int T = input.T;
    PretrainedRun r = { .model = m,
                        .input = copy_input(arena, m, input),
                        .layers = arena_alloc(arena, (size_t)a->L * sizeof *r.layers),
                        .frequencies = frequencies_of(arena, a, T) };
    Arena *scratch = arena_open();
    Unchanged *unchanged = arena_alloc(scratch, (size_t)a->L * sizeof *unchanged);
    int kept = before ? find_unchanged(unchanged, before, &r) : 0;
    bool shares = before && can_extend(before, T, kept), copies = before && !shares;
    r.rows = shares ? rows_shared(arena, before, T) : rows_new(arena, m, &r.input);

    // 2. The embedding.
    Mat x = mat_rows(r.rows->in, 0, T);
    if (copies) keep(x, before->layers[0].in, unchanged[0].heads);
    embed(x, m, &r.input, unchanged[0].heads);

    // 3. The layers.
    Work w = {
        .m = m, .in = &r.input, .run = &r, .turns = rotations_of(scratch, r.frequencies, a->stretch.attention, kept, T)
    };
    for (int l = 0; l < a->L; l++) {
        r.layers[l] = stages_of(r.rows, l, T);
        patch_rows(&r, l);
        w.layer = l;
        w.first = unchanged[l].heads;
        w.first_gated = unchanged[l].gated;
        if (copies) copy_unchanged(&w, &before->layers[l]);
        run_layer(&w);
        if (tell) tell(context, l + 1);
    }

    // 4. The last norm.
    patch_rows(&r, a->L);
    r.last = r.layers[a->L - 1].out;
    if (!mat_empty(m->last_norm.gain)) {
        r.last = mat_rows(r.rows->last, 0, T);
        if (copies) keep(r.last, before->last, kept);
        pretrained_norm(rows_from(r.last, kept), rows_from(r.layers[a->L - 1].out, kept), m->last_norm, a);
    }
    arena_close(scratch);
    return r;
}

PretrainedRun pretrained_run(Arena *arena, const PretrainedModel *model, PretrainedInput input,
                             PretrainedProgress *tell, void *context)
{
    return run(arena, model, NULL, input, tell, context);
}

PretrainedRun pretrained_run_after(Arena *arena, const PretrainedRun *before, PretrainedInput input,
                                   PretrainedProgress *tell, void *context)
{
    REQUIRE(!before->input.patch, "a run with a patch before layer %d is none to go on from",
            before->input.patch->layer);
    return run(arena, before->model, before, input, tell, context);
}
