// Names of the tensors of a trace, and the list of tensors that grows until it is written.
#include "io/trace.h"

#include "io/json.h"

#include <limits.h>
#include <string.h>

static const char FORMAT[] = "manyheads trace 1";

struct Trace {
    Arena *arena;
    Tensor *tensors;
    TensorNote *notes;
    int count, capacity, notes_count, notes_capacity;
};

// ---- names

static const char *const names[TRACE_KINDS] = { "weights", "scores", "q", "k", "v", "heads", "out" };

const char *trace_name(TraceKind kind) { return names[kind]; }

bool trace_kind(TraceKind *kind, int *layer, const char *name)
{
    *layer = -1;
    if (!strncmp(name, "layers.", 7) && name[7] >= '0' && name[7] <= '9') {
        const char *at = name + 7;
        *layer = 0;
        while (*at >= '0' && *at <= '9') {
            if (*layer > (INT_MAX - 9) / 10) return false;
            *layer = 10 * *layer + *at++ - '0';
        }
        if (*at != '.') return false;
        name = at + 1;
    }
    for (int k = 0; k < TRACE_KINDS; k++) {
        *kind = (TraceKind)k;
        if (!strcmp(name, names[k])) return true;
    }
    return false;
}

bool trace_format(const TensorNote *notes, int count)
{
    const char *format = tensors_find_note(notes, count, "format");
    return format && !strcmp(format, FORMAT);
}

// ---- writing

// Returns `at`, or a larger copy if it has no space for another element.
static void *grow(Arena *arena, void *at, int count, int *capacity, size_t size)
{
    if (count < *capacity) return at;
    *capacity = 2 * *capacity + 16;
    void *more = arena_alloc(arena, (size_t)*capacity * size);
    if (count) memcpy(more, at, (size_t)count * size);
    return more;
}

static void add_tensor(Trace *trace, const char *name, NpyArray array, Mat m)
{
    array.at = mat_copy(trace->arena, m).at;
    array.count = (size_t)m.rows * (size_t)m.cols;
    trace->tensors = grow(trace->arena, trace->tensors, trace->count, &trace->capacity, sizeof *trace->tensors);
    trace->tensors[trace->count++] = (Tensor){ arena_format(trace->arena, "%s", name), array };
}

Trace *trace_open(Arena *arena)
{
    Trace *trace = arena_alloc(arena, sizeof *trace);
    trace->arena = arena;
    trace_note(trace, "format", FORMAT);
    return trace;
}

void trace_note(Trace *trace, const char *key, const char *value)
{
    Arena *arena = trace->arena;
    for (int n = 0; n < trace->notes_count; n++)
        if (!strcmp(trace->notes[n].key, key)) {
            trace->notes[n].value = arena_format(arena, "%s", value);
            return;
        }
    trace->notes = grow(arena, trace->notes, trace->notes_count, &trace->notes_capacity, sizeof *trace->notes);
    trace->notes[trace->notes_count++] =
        (TensorNote){ arena_format(arena, "%s", key), arena_format(arena, "%s", value) };
}

void trace_words(Trace *trace, const char *const *queries, int T, const char *const *keys, int S)
{
    trace_note(trace, "tokens", json_strings(trace->arena, queries, T));
    trace_note(trace, "key_tokens", json_strings(trace->arena, keys, S));
}

void trace_head_names(Trace *trace, const char *const *called, int heads)
{
    trace_note(trace, "head_names", json_strings(trace->arena, called, heads));
}

void trace_mat(Trace *trace, const char *name, Mat m)
{
    add_tensor(trace, name, (NpyArray){ .axes = 2, .shape = { m.rows, m.cols } }, m);
}

void trace_stack(Trace *trace, const char *name, Mat m, int count)
{
    REQUIRE(count > 0 && m.rows % count == 0, "\"%s\" is " MAT_SHAPE "; it cannot be split into %d", name,
            MAT_SHAPED(m), count);
    add_tensor(trace, name, (NpyArray){ .axes = 3, .shape = { count, m.rows / count, m.cols } }, m);
}

static void trace_named(Trace *trace, const char *prefix, const char *name, Mat m, int heads)
{
    name = arena_format(trace->arena, "%s%s", prefix, name);
    if (mat_empty(m)) return;
    if (heads > 1) trace_stack(trace, name, m, heads);
    else trace_mat(trace, name, m);
}

static void trace_all(Trace *trace, const char *prefix, TraceHeads h)
{
    trace_named(trace, prefix, "x", h.x, 1);
    trace_named(trace, prefix, names[TRACE_Q], h.q, 1);
    trace_named(trace, prefix, names[TRACE_K], h.k, 1);
    trace_named(trace, prefix, names[TRACE_V], h.v, 1);
    trace_named(trace, prefix, names[TRACE_SCORES], h.scores, h.H);
    trace_named(trace, prefix, names[TRACE_WEIGHTS], h.weights, h.H);
    trace_named(trace, prefix, names[TRACE_HEADS], h.heads, 1);
    trace_named(trace, prefix, names[TRACE_OUT], h.out, 1);
}

void trace_heads(Trace *trace, TraceHeads heads) { trace_all(trace, "", heads); }

void trace_layer(Trace *trace, int layer, TraceHeads heads)
{
    trace_all(trace, arena_format(trace->arena, "layers.%d.", layer), heads);
}

void trace_walk(Trace *trace, const TraceTile *tiles, int count)
{
    REQUIRE(count > 0, "a walk of %d tiles", count);
    int T = tiles->weights.rows;
    Mat weights = mat_new(trace->arena, count * T, tiles->weights.cols), state = mat_new(trace->arena, count * T, 3);
    Mat positions = mat_new(trace->arena, count, 4);
    for (int n = 0; n < count; n++) {
        const TraceTile *tile = &tiles[n];
        float *position = mat_row(positions, n);
        mat_set(mat_rows(weights, n * T, T), tile->weights);
        mat_set(mat_rows(state, n * T, T), tile->state);
        position[0] = (float)tile->first_query;
        position[1] = (float)tile->queries;
        position[2] = (float)tile->first_key;
        position[3] = (float)tile->keys;
    }
    trace_stack(trace, "walk.weights", weights, count);
    trace_stack(trace, "walk.state", state, count);
    trace_mat(trace, "walk.tiles", positions);
}

void trace_steps(Trace *trace, const TraceStep *steps, int count)
{
    REQUIRE(count > 0, "a walk of %d steps", count);
    int T = steps->weights.rows, S = steps->weights.cols;
    Mat weights = mat_new(trace->arena, count * T, S), ranks = mat_new(trace->arena, count * T, S);
    for (int n = 0; n < count; n++) {
        mat_set(mat_rows(weights, n * T, T), steps[n].weights);
        mat_set(mat_rows(ranks, n * T, T), steps[n].ranks);
    }
    trace_stack(trace, "walk.weights", weights, count);
    trace_stack(trace, "walk.ranks", ranks, count);
}

bool trace_write(const Trace *trace, const char *path, Error *error)
{
    Tensors all = { trace->tensors, trace->count, trace->notes, trace->notes_count };
    return safetensors_write(path, &all, error);
}
