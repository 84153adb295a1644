// Traces: named tensors (io/trace.h). Those of one kind and many layers, "layers.0.q", "layers.1.q", …, become one
// field; a tensor (T, H·d) is split into heads in place.
#include "base/portable_math.h"
#include "viz/document_internal.h"

#include <limits.h>
#include <string.h>

enum { LAYERS_MOST = 4096 };

// The tensors of one kind by layer; NULL: missing. `count` is the highest layer + 1; 0: none.
typedef struct {
    const TensorView *of[LAYERS_MOST];
    int count;
    bool layered;
} Stack;

typedef struct {
    Document *d;
    Arena *arena;
    TensorViews file;
    bool *used;     // (tensors) already in a field
    int64_t planes; // of all fields
} Dump;

// ---- stacks

static bool same_array(const NpyView *a, const NpyView *b)
{
    return a->axes == b->axes && a->stored == b->stored &&
           !memcmp(a->shape, b->shape, (size_t)a->axes * sizeof *a->shape);
}

// Tensors without a layer come first; those with a layer are then separate fields.
static Stack *stacks_of(const Dump *dump)
{
    Stack *stacks = arena_alloc(dump->arena, TRACE_KINDS * sizeof *stacks);
    for (int t = 0; t < dump->file.count; t++) {
        int layer;
        TraceKind kind;
        if (!trace_kind(&kind, &layer, dump->file.tensors[t].name) || layer >= LAYERS_MOST) continue;
        Stack *s = &stacks[kind];
        if (layer < 0) *s = (Stack){ .of = { &dump->file.tensors[t] }, .count = 1 };
        else if (!s->count || s->layered) {
            s->layered = true;
            s->of[layer] = &dump->file.tensors[t];
            if (s->count <= layer) s->count = layer + 1;
        }
    }
    return stacks;
}

// Are all layers there, with equal shapes?
static bool is_whole(const Stack *s)
{
    for (int l = 0; l < s->count; l++)
        if (!s->of[l] || !same_array(&s->of[l]->view, &s->of[0]->view)) return false;
    return s->count > 0;
}

// ---- fields

static bool has_maps(const NpyView *v, int64_t *planes)
{
    if (v->axes < 2 || v->axes > 4 || v->count == 0) return false;
    if (v->shape[v->axes - 1] > INT_MAX || v->shape[v->axes - 2] > INT_MAX) return false;
    int64_t a = v->axes > 2 ? v->shape[v->axes - 3] : 1, b = v->axes > 3 ? v->shape[0] : 1;
    if (a > PLANES_MOST || b > PLANES_MOST || a * b > PLANES_MOST) return false;
    *planes = a * b;
    return true;
}

static AxisOrder plain_axes(const NpyView *v)
{
    return (AxisOrder){ v->axes - 4, v->axes - 3, v->axes - 2, v->axes - 1 };
}

static void mark_used(Dump *dump, const TensorView *tensor) { dump->used[tensor - dump->file.tensors] = true; }

// One field for a stack of tensors; a tensor that holds all layers gives a field with layers.
static Field stacked(Dump *dump, const Stack *s, FieldKind kind)
{
    const NpyView *first = &s->of[0]->view;
    const char *name = s->layered ? trace_name((TraceKind)kind) : s->of[0]->name;
    Field field = field_of(dump->arena, name, kind, first, plain_axes(first));
    if (s->count == 1) return field;
    int H = field.heads;
    const unsigned char **planes = arena_alloc(dump->arena, (size_t)s->count * (size_t)H * sizeof *planes);
    for (int l = 0; l < s->count; l++)
        for (int h = 0; h < H; h++) planes[l * H + h] = s->of[l]->view.at + (field.planes[h] - first->at);
    field.planes = planes;
    field.layers = s->count;
    return field;
}

// Splits a matrix of all heads side by side into heads, without copying: planes point at columns.
static Field split(Arena *arena, Field f, int heads)
{
    const unsigned char **planes = arena_alloc(arena, (size_t)f.layers * (size_t)heads * sizeof *planes);
    f.cols /= heads;
    for (int l = 0; l < f.layers; l++)
        for (int h = 0; h < heads; h++) planes[l * heads + h] = f.planes[l] + h * f.cols * f.col_step;
    f.planes = planes;
    f.heads = heads;
    return f;
}

// Adds the stack to the document. false: it is missing, or its layers do not match.
static bool stack_field(Dump *dump, Field *out, const Stack *s, FieldKind kind)
{
    int64_t planes;
    if (!is_whole(s) || !has_maps(&s->of[0]->view, &planes)) return false;
    if (s->count > 1 && s->of[0]->view.axes > 3) return false;
    if (planes * s->count > PLANES_MOST || dump->planes + planes * s->count > PLANES_MOST_ALL) return false;
    *out = stacked(dump, s, kind);
    return true;
}

static void add_field(Dump *dump, Field field, const Stack *s)
{
    Document *d = dump->d;
    dump->planes += (int64_t)field.layers * field.heads;
    if (s)
        for (int l = 0; l < s->count; l++) mark_used(dump, s->of[l]);
    if (field.kind != FIELD_OTHER) d->of[field.kind] = d->count;
    d->fields[d->count++] = field;
}

// ---- what belongs to the maps

// Takes the document's sizes from this field.
static void maps_are(Document *d, const Field *f)
{
    d->layers = f->layers;
    d->heads = d->groups = f->heads;
    d->T = f->rows;
    d->S = f->cols;
}

static void take_maps(Dump *dump, const Stack *s, FieldKind kind)
{
    Document *d = dump->d;
    Field f;
    if (!stack_field(dump, &f, s, kind)) return;
    if (d->maps >= 0 && (f.layers != d->layers || f.heads != d->heads || f.rows != d->T || f.cols != d->S)) return;
    add_field(dump, f, s);
    if (d->maps >= 0) return;
    d->maps = d->count - 1;
    maps_are(d, &f);
}

// The number of heads in (rows, cols) side by side, each `width` wide. 0: cols is not a multiple.
static int heads_within(const Field *f, int width) { return width > 0 && f->cols % width == 0 ? f->cols / width : 0; }

// q has one head per map; k and v may have fewer, in groups. Fields that fit are split into heads, others stay as they
// are.
static bool fit_heads(Arena *arena, Field *f, const Document *d, int rows, int heads)
{
    if (f->layers != d->layers || f->rows != rows || heads < 1 || d->heads % heads) return false;
    if (f->heads == heads) return true;
    if (f->heads != 1 || f->cols % heads) return false;
    *f = split(arena, *f, heads);
    return true;
}

// q and k; one without the other is not used.
static void take_q_and_k(Dump *dump, const Stack *stacks)
{
    Document *d = dump->d;
    Field q, k;
    if (!stack_field(dump, &q, &stacks[FIELD_Q], FIELD_Q) || !stack_field(dump, &k, &stacks[FIELD_K], FIELD_K)) return;
    if (!fit_heads(dump->arena, &q, d, d->T, d->heads)) return;
    int shared = k.heads > 1 ? k.heads : heads_within(&k, q.cols);
    if (!fit_heads(dump->arena, &k, d, d->S, shared) || k.cols != q.cols) return;
    add_field(dump, q, &stacks[FIELD_Q]);
    add_field(dump, k, &stacks[FIELD_K]);
    d->groups = k.heads;
}

// Values have as many heads as keys; without keys, one per map.
static void take_values(Dump *dump, const Stack *stacks)
{
    Document *d = dump->d;
    Field v;
    if (!stack_field(dump, &v, &stacks[FIELD_V], FIELD_V)) return;
    if (!fit_heads(dump->arena, &v, d, d->S, v.heads > 1 ? v.heads : d->groups)) return;
    if (d->of[FIELD_K] < 0) d->groups = v.heads;
    add_field(dump, v, &stacks[FIELD_V]);
}

// weights · v per head, as wide as the values if there are any.
static void take_heads(Dump *dump, const Stack *stack)
{
    const Document *d = dump->d;
    const Field *v = document_field(d, FIELD_V);
    Field heads;
    if (!stack_field(dump, &heads, stack, FIELD_HEAD)) return;
    if (!fit_heads(dump->arena, &heads, d, d->T, d->heads)) return;
    if (!v || heads.cols == v->cols) add_field(dump, heads, stack);
}

// Each head's part of the output. A matrix of all heads together is not used.
static void take_outputs(Dump *dump, const Stack *stack)
{
    const Document *d = dump->d;
    Field out;
    if (!stack_field(dump, &out, stack, FIELD_OUT)) return;
    if (out.layers == d->layers && out.heads == d->heads && out.rows == d->T) add_field(dump, out, stack);
}

// "out" in a file without our format note: taken as weights · v if the shape fits. A single matrix for all heads may be
// after Wo, which the file cannot tell, so it is not used.
static void take_unlabelled(Dump *dump, const Stack *stack)
{
    const Document *d = dump->d;
    const Field *v = document_field(d, FIELD_V);
    Field out;
    if (!v || !stack_field(dump, &out, stack, FIELD_HEAD)) return;
    if (out.layers == d->layers && out.heads == d->heads && out.rows == d->T && out.cols == v->cols)
        add_field(dump, out, stack);
}

// ---- the walk

static int field_named(const Document *d, const char *name) // −1: none
{
    for (int i = 0; i < d->count; i++)
        if (!strcmp(d->fields[i].name, name)) return i;
    return -1;
}

static bool span_fits(float first, float count, int length)
{
    return first >= 0 && count >= 1 && first + count <= (float)length && first == floorf(first) &&
           count == floorf(count);
}

// A walk of ranks: "walk.weights" and "walk.ranks" of equal shape, where every number is a valid rank.
static Walk walk_of_ranks(Arena *arena, const Document *d)
{
    enum { RANKS_MOST = 1024 };
    int weights = field_named(d, "walk.weights"), ranks = field_named(d, "walk.ranks");
    if (weights < 0 || ranks < 0) return (Walk){ 0 };
    const Field *w = &d->fields[weights], *r = &d->fields[ranks];
    if (w->layers != 1 || r->layers != 1 || r->heads != w->heads) return (Walk){ 0 };
    if (r->rows != w->rows || r->cols != w->cols) return (Walk){ 0 };
    if (d->maps >= 0 && (w->rows != d->T || w->cols != d->S)) return (Walk){ 0 }; // not of these maps
    Walk walk = { .frames = w->heads, .weights = weights, .ranks = ranks, .state = -1 };
    ArenaMark mark = arena_mark(arena);
    Mat all = mat_new(arena, r->rows, r->cols);
    for (int f = 0; f < r->heads; f++) {
        field_read(all, r, 0, f, 0, 0);
        for (int64_t i = 0; i < mat_numbers(all); i++) {
            float who = all.at[i];
            if (!(who >= 0 && who <= RANKS_MOST && who == floorf(who))) return (Walk){ 0 };
            if ((int)who > walk.many) walk.many = (int)who;
        }
    }
    arena_release(arena, mark);
    return walk.many > 0 ? walk : (Walk){ 0 };
}

// A walk of tiles: "walk.weights", "walk.state" and "walk.tiles" of matching shapes, with every tile inside the map.
static Walk walk_of(Arena *arena, const Document *d)
{
    int weights = field_named(d, "walk.weights"), state = field_named(d, "walk.state");
    int tiles = field_named(d, "walk.tiles");
    if (weights < 0 || state < 0 || tiles < 0) return walk_of_ranks(arena, d);
    const Field *w = &d->fields[weights], *s = &d->fields[state], *t = &d->fields[tiles];
    if (w->layers != 1 || s->layers != 1 || t->layers != 1 || t->heads != 1) return (Walk){ 0 };
    if (s->heads != w->heads || s->rows != w->rows || s->cols != 3) return (Walk){ 0 };
    if (t->rows != w->heads || t->cols != 4) return (Walk){ 0 };
    if (d->maps >= 0 && (w->rows != d->T || w->cols != d->S)) return (Walk){ 0 }; // of another sentence
    Mat all = mat_new(arena, t->rows, t->cols);
    field_read(all, t, 0, 0, 0, 0);
    for (int f = 0; f < all.rows; f++) {
        const float *tile = mat_row(all, f);
        if (!span_fits(tile[0], tile[1], w->rows) || !span_fits(tile[2], tile[3], w->cols)) return (Walk){ 0 };
    }
    return (Walk){ .frames = all.rows, .weights = weights, .state = state, .tiles = all, .ranks = -1 };
}

// ---- all of it

static void take_others(Dump *dump)
{
    for (int t = 0; t < dump->file.count; t++) {
        const TensorView *tensor = &dump->file.tensors[t];
        int64_t planes;
        if (dump->used[t] || !has_maps(&tensor->view, &planes) || dump->planes + planes > PLANES_MOST_ALL) continue;
        AxisOrder axes = plain_axes(&tensor->view);
        add_field(dump, field_of(dump->arena, tensor->name, FIELD_OTHER, &tensor->view, axes), NULL);
    }
}

// Without weights or scores the walk is shown, or else the first field.
static void show_first(Document *d)
{
    d->maps = d->walk.frames ? d->walk.weights : 0;
    Field *f = &d->fields[d->maps];
    if (d->walk.frames) {
        f->kind = FIELD_WEIGHTS;
        d->of[FIELD_WEIGHTS] = d->maps;
    }
    maps_are(d, f);
}

bool dump_document(Document *out, Arena *arena, const TensorViews *file, const char *name, Error *error)
{
    Dump dump = { .d = out, .arena = arena, .file = *file };
    dump.used = arena_alloc(arena, (size_t)dump.file.count * sizeof *dump.used);
    out->fields = arena_alloc(arena, (size_t)dump.file.count * sizeof *out->fields);
    out->maps = -1;

    // 1. The maps, and the fields that fit them.
    const Stack *stacks = stacks_of(&dump);
    take_maps(&dump, &stacks[FIELD_WEIGHTS], FIELD_WEIGHTS);
    take_maps(&dump, &stacks[FIELD_SCORES], FIELD_SCORES);
    if (out->maps >= 0) {
        take_q_and_k(&dump, stacks);
        take_values(&dump, stacks);
        if (trace_format(dump.file.notes, dump.file.notes_count)) {
            take_heads(&dump, &stacks[FIELD_HEAD]);
            take_outputs(&dump, &stacks[FIELD_OUT]);
        } else {
            take_unlabelled(&dump, &stacks[FIELD_OUT]);
        }
    }

    // 2. All other tensors, one field each.
    take_others(&dump);
    if (!out->count)
        return error_set(error, "%s: none of its %d tensors has two axes or more; there is no map to show", name,
                         dump.file.count);
    out->walk = walk_of(arena, out);
    if (out->maps < 0) show_first(out);

    // 3. Names and words.
    const TensorNote *notes = dump.file.notes;
    const char *title = tensors_find_note(notes, dump.file.notes_count, "chapter");
    if (title) out->title = title;
    out->queries = words_of_note(arena, tensors_find_note(notes, dump.file.notes_count, "tokens"), out->T);
    out->keys = words_of_note(arena, tensors_find_note(notes, dump.file.notes_count, "key_tokens"), out->S);
    out->roles =
        words_of_note(arena, tensors_find_note(notes, dump.file.notes_count, "head_names"), out->layers * out->heads);
    if (!out->keys && out->T == out->S) out->keys = out->queries; // as with a tokens file
    return true;
}
