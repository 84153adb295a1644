// Chapter 25. Finds every tensor that the family names, and checks its shape against config.json.
#include "model/pretrained.h"

#include "io/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    PretrainedModel *to;
    Arena *arena;
    const char *family;
    Error *error;
    int layer;
} Opener;

// ---- one tensor

// The first of the alternative names for which name.weight exists, or the name itself if it ends with .bias. NULL: none
// does.
static const char *find_name(const Opener *o, const char *names)
{
    char layer[16];
    snprintf(layer, sizeof layer, "%d", o->layer);
    for (const char *at = names; *at && *at != '?';) {
        size_t length = strcspn(at, "|?"), before = strcspn(at, "#");
        const char *name = before >= length ? arena_format(o->arena, "%.*s", (int)length, at)
                                            : arena_format(o->arena, "%.*s%s%.*s", (int)before, at, layer,
                                                           (int)(length - before - 1), at + before + 1);
        if (shards_find(&o->to->shards, arena_format(o->arena, "%s.weight", name))) return name;
        at += length + (at[length] == '|');
    }
    return NULL;
}

// The first alternative, for messages.
static const char *first_name(const Opener *o, const char *names)
{
    const char *name = "";
    for (const char *at = names; *at && !strchr("|?", *at); at++)
        name = *at == '#' ? arena_format(o->arena, "%s%d", name, o->layer) : arena_format(o->arena, "%s%c", name, *at);
    return name;
}

static bool missing(const Opener *o, const char *name)
{
    return error_set(o->error, "%s: there is no tensor %s; %s models need it", o->to->shards.where, name, o->family);
}

// A tensor by its full name, with `axes` axes: (rows, cols), or (cols).
static bool find(const Opener *o, const NpyView **out, const char *name, int axes, int64_t rows, int64_t cols)
{
    ShardTensor *t = shards_find(&o->to->shards, name);
    if (!t) return missing(o, name);
    const NpyView *v = &t->view;
    const char *whole = text_shown(o->arena, t->whole, strlen(t->whole));
    if (t->other || v->stored == DTYPE_F64)
        return error_set(o->error, "%s: tensor %s is of type %s; F32, F16 and BF16 are read", t->file, whole,
                         t->other ? text_shown(o->arena, t->other, strlen(t->other)) : "\"F64\"");
    int64_t expected[2] = { axes == 2 ? rows : cols, cols };
    bool fits = v->axes == axes;
    for (int a = 0; fits && a < axes; a++) fits = v->shape[a] == expected[a];
    if (!fits)
        return error_set(o->error, "%s: tensor %s has the shape %s; by config.json it must be %s", t->file, whole,
                         shape_text(o->arena, v->axes, v->shape), shape_text(o->arena, axes, expected));
    if (!t->used) o->to->bytes += (int64_t)v->count * (int64_t)dtype_size(v->stored);
    t->used = true;
    *out = v;
    return true;
}

static bool find_row(const Opener *o, Mat *out, const char *name, int n)
{
    const NpyView *v;
    if (!find(o, &v, name, 1, 0, n)) return false;
    *out = mat_new(o->arena, 1, n);
    dtype_read_row(out->at, v->at, (ptrdiff_t)dtype_size(v->stored), (size_t)n, v->stored, false);
    return true;
}

// The weight of `name`: in inputs, out outputs.
static bool find_weight(const Opener *o, Weight *out, const char *name, int in, int outs, bool columns)
{
    const NpyView *v;
    if (!find(o, &v, arena_format(o->arena, "%s.weight", name), 2, columns ? in : outs, columns ? outs : in))
        return false;
    ptrdiff_t size = (ptrdiff_t)dtype_size(v->stored);
    *out = (Weight){ .at = v->at,
                     .stored = v->stored,
                     .in = in,
                     .out = outs,
                     .in_step = columns ? outs * size : size,
                     .out_step = columns ? size : in * size };
    return true;
}

// ---- layers

static bool is_optional(const char *names) { return strchr(names, '?') != NULL; }

// `product` is the FAMILY_BIAS_… of this linear layer. A row of the table without a name has no such layer.
static bool linear(const Opener *o, PretrainedLinear *out, const char *names, int product, int in, int outs)
{
    if (!names) return true;
    const Architecture *a = &o->to->is;
    const char *name = find_name(o, names);
    if (!name) return missing(o, arena_format(o->arena, "%s.weight", first_name(o, names)));
    if (!find_weight(o, &out->weight, name, in, outs, a->family->columns)) return false;
    return !(a->biased & product) || find_row(o, &out->bias, arena_format(o->arena, "%s.bias", name), outs);
}

static bool norm(const Opener *o, PretrainedNorm *out, const char *names, int n)
{
    if (!names) return true;
    const char *name = find_name(o, names);
    if (!name && is_optional(names)) return true;
    if (!name) return missing(o, arena_format(o->arena, "%s.weight", first_name(o, names)));
    if (!find_row(o, &out->gain, arena_format(o->arena, "%s.weight", name), n)) return false;
    return o->to->is.norm != FAMILY_NORM_LAYER || find_row(o, &out->bias, arena_format(o->arena, "%s.bias", name), n);
}

// A norm per head, or over all heads side by side: the shape decides.
static bool qk_norm(const Opener *o, PretrainedNorm *out, const char *names, int heads, int d)
{
    if (!names) return true;
    const char *name = find_name(o, names);
    const ShardTensor *t = name ? shards_find(&o->to->shards, arena_format(o->arena, "%s.weight", name)) : NULL;
    bool all = t && t->view.axes == 1 && t->view.shape[0] == (int64_t)heads * d;
    return norm(o, out, names, all ? heads * d : d);
}

// The part of a bias for outputs `first` … of a packed matrix, as in part().
static Mat bias_part(Arena *arena, Mat bias, int first, int count, int run, int step)
{
    if (mat_empty(bias)) return bias;
    Mat part = mat_new(arena, 1, count);
    for (int c = 0; c < count; c++) *mat_ref(part, 0, c) = *mat_ref(bias, 0, first + c / run * step + c % run);
    return part;
}

// `count` outputs of a packed matrix, in runs of `run` that start every `step` outputs.
static PretrainedLinear part(const Opener *o, PretrainedLinear whole, int first, int count, int run, int step)
{
    PretrainedLinear l = { whole.weight, bias_part(o->arena, whole.bias, first, count, run, step) };
    l.weight.at += first * l.weight.out_step;
    l.weight.out = count;
    if (run < count) {
        l.weight.run = run;
        l.weight.run_step = step * l.weight.out_step;
    }
    return l;
}

static bool attention(const Opener *o, PretrainedLayer *layer)
{
    const Architecture *a = &o->to->is;
    const FamilyTensorNames *n = a->family->names;
    int q = a->H * a->d, k = a->G * a->d, d = a->d, R = a->H / a->G;
    PretrainedLinear packed = { 0 };
    if (!linear(o, &packed, n->qkv, FAMILY_BIAS_QKV, a->D, q + 2 * k)) return false;
    if (a->packing == FAMILY_PACKED_BLOCK) {
        layer->q = part(o, packed, 0, q, q, 0);
        layer->k = part(o, packed, q, k, k, 0);
        layer->v = part(o, packed, q + k, k, k, 0);
    }
    if (a->packing == FAMILY_PACKED_GROUP) {
        layer->q = part(o, packed, 0, q, R * d, (R + 2) * d);
        layer->k = part(o, packed, R * d, k, d, (R + 2) * d);
        layer->v = part(o, packed, (R + 1) * d, k, d, (R + 2) * d);
    }
    return linear(o, &layer->q, n->q, FAMILY_BIAS_QKV, a->D, q) &&
           linear(o, &layer->k, n->k, FAMILY_BIAS_QKV, a->D, k) &&
           linear(o, &layer->v, n->v, FAMILY_BIAS_QKV, a->D, k) && linear(o, &layer->o, n->o, FAMILY_BIAS_O, q, a->D) &&
           qk_norm(o, &layer->q_norm, n->q_norm, a->H, d) && qk_norm(o, &layer->k_norm, n->k_norm, a->G, d);
}

static bool mlp(const Opener *o, PretrainedLayer *layer)
{
    const Architecture *a = &o->to->is;
    const FamilyTensorNames *n = a->family->names;
    PretrainedLinear packed = { 0 };
    if (!linear(o, &packed, n->gate_up, FAMILY_BIAS_MLP, a->D, 2 * a->mlp)) return false;
    if (n->gate_up) {
        layer->gate = part(o, packed, 0, a->mlp, a->mlp, 0);
        layer->up = part(o, packed, a->mlp, a->mlp, a->mlp, 0);
    }
    if (a->gated != (n->gate || n->gate_up))
        return error_set(o->error, "%s: %s models have %s gate in the MLP", o->to->shards.where, o->family,
                         a->gated ? "no" : "a");
    return linear(o, &layer->gate, n->gate, FAMILY_BIAS_MLP, a->D, a->mlp) &&
           linear(o, &layer->up, n->up, FAMILY_BIAS_MLP, a->D, a->mlp) &&
           linear(o, &layer->down, n->down, FAMILY_BIAS_MLP, a->mlp, a->D);
}

static bool norms(const Opener *o, PretrainedLayer *layer)
{
    const FamilyTensorNames *n = o->to->is.family->names;
    int D = o->to->is.D;
    return norm(o, &layer->before_attention, n->before_attention, D) &&
           norm(o, &layer->after_attention, n->after_attention, D) &&
           norm(o, &layer->sum_attention, n->sum_attention, D) && norm(o, &layer->before_mlp, n->before_mlp, D) &&
           norm(o, &layer->after_mlp, n->after_mlp, D) && norm(o, &layer->sum_mlp, n->sum_mlp, D);
}

// A layer must have a norm before its MLP if and only if the first layer has one.
static bool check_like(const Opener *o, const PretrainedLayer *layer)
{
    const PretrainedLayer *first = &o->to->layers[0];
    if (mat_empty(first->before_mlp.gain) == mat_empty(layer->before_mlp.gain)) return true;
    return error_set(o->error, "%s: only one of layers 0 and %d has a norm before its MLP; all must be alike",
                     o->to->shards.where, o->layer);
}

static bool layers(Opener *o)
{
    const Architecture *a = &o->to->is;
    o->to->layers = arena_alloc(o->arena, (size_t)a->L * sizeof *o->to->layers);
    for (o->layer = 0; o->layer < a->L; o->layer++) {
        PretrainedLayer *layer = &o->to->layers[o->layer];
        if (!attention(o, layer) || !mlp(o, layer) || !norms(o, layer) || !check_like(o, layer)) return false;
        if (!a->parallel && a->family->names->before_mlp && mat_empty(layer->before_mlp.gain))
            return missing(o, arena_format(o->arena, "%s.weight", first_name(o, a->family->names->before_mlp)));
    }
    return true;
}

// ---- embedding and head

static bool table(const Opener *o, Weight *out, const char *names, int rows)
{
    if (!names) return true;
    return find_weight(o, out, names, o->to->is.D, rows, false);
}

static bool ends(const Opener *o)
{
    PretrainedModel *m = o->to;
    const FamilyTensorNames *n = m->is.family->names;
    return table(o, &m->embedding, n->embedding, m->is.words) &&
           table(o, &m->places, n->places, m->is.positions + m->is.first_place) &&
           table(o, &m->kinds, n->kinds, m->is.kinds) && norm(o, &m->embedding_norm, n->embedding_norm, m->is.D) &&
           norm(o, &m->last_norm, n->last_norm, m->is.D);
}

// The unembedding: the embedding if the config ties them, even if the file has another; else a tensor of its own.
static bool head(const Opener *o)
{
    PretrainedModel *m = o->to;
    const FamilyTensorNames *n = m->is.family->names;
    const char *bias = n->output_bias ? n->output_bias : arena_format(o->arena, "%s.bias", n->output);
    if (!m->is.head_said)
        m->is.head = (!n->head_dense || find_name(o, n->head_dense)) && (m->is.tied || find_name(o, n->output));
    if (!m->is.head) return true;
    if (n->head_dense) {
        if (!find_weight(o, &m->head_dense.weight, n->head_dense, m->is.D, m->is.D, false) ||
            !find_row(o, &m->head_dense.bias, arena_format(o->arena, "%s.bias", n->head_dense), m->is.D) ||
            !norm(o, &m->head_norm, n->head_norm, m->is.D))
            return false;
    }
    if (m->is.tied) m->output.weight = m->embedding;
    else if (!find_weight(o, &m->output.weight, n->output, m->is.D, m->is.words, false)) return false;
    if (!n->output_bias && !shards_find(&m->shards, bias)) return true;
    return find_row(o, &m->output.bias, bias, m->is.words);
}

// ---- unused tensors

// Buffers of masks and frequencies, which older versions saved.
static bool is_buffer(const char *name)
{
    static const char *const ends[] = { ".attn.bias",           ".attn.masked_bias",
                                        ".attn.attention.bias", ".attn.attention.masked_bias",
                                        ".attention.bias",      ".attention.masked_bias",
                                        ".rotary_emb.inv_freq" };
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length >= strlen(ends[i]) && !strcmp(name + length - strlen(ends[i]), ends[i])) return true;
    return false;
}

// An unused tensor of a layer is an error: the model is not what its config says.
static bool check_unused(const Opener *o)
{
    const char *some = o->to->is.family->names->o;
    int before = (int)strcspn(some, "#");
    const Shards *s = &o->to->shards;
    for (int i = 0; i < s->count; i++) {
        const ShardTensor *t = &s->tensors[i];
        if (t->used || strncmp(t->name, some, (size_t)before) || is_buffer(t->name)) continue;
        return error_set(o->error, "%s: tensor %s belongs to a layer; in %s models of %d layers it is not known",
                         t->file, text_shown(o->arena, t->whole, strlen(t->whole)), o->family, o->to->is.L);
    }
    return true;
}

// ---- opening a folder

bool pretrained_here(const char *folder)
{
    Arena *scratch = arena_open();
    FILE *file = fopen(arena_format(scratch, "%s/config.json", folder), "rb");
    arena_close(scratch);
    if (file) fclose(file);
    return file != NULL;
}

bool pretrained_config(Architecture *out, Arena *arena, const char *folder, Error *error)
{
    FileBytes file;
    Json *config;
    const char *path = arena_format(arena, "%s/config.json", folder);
    return file_read(&file, arena, path, error) &&
           json_parse(&config, arena, (const char *)file.at, file.size, path, error) &&
           architecture_parse(out, arena, config, path, error);
}

bool pretrained_open_as(PretrainedModel **out, Arena *arena, const char *folder, const Architecture *is, Error *error)
{
    PretrainedModel *m = arena_alloc(arena, sizeof *m);
    m->folder = arena_format(arena, "%s", folder);
    m->is = *is;
    if (!shards_open(&m->shards, arena, folder, is->family->prefixes, FAMILY_MOST_PREFIXES, error)) return false;
    Opener o = { m, arena, m->is.name, error, 0 };
    if (!ends(&o) || !layers(&o) || !head(&o) || !check_unused(&o)) {
        shards_close(&m->shards);
        return false;
    }
    *out = m;
    return true;
}

bool pretrained_open(PretrainedModel **out, Arena *arena, const char *folder, Error *error)
{
    Architecture is;
    return pretrained_config(&is, arena, folder, error) && pretrained_open_as(out, arena, folder, &is, error);
}

void pretrained_close(PretrainedModel *model) { shards_close(&model->shards); }
