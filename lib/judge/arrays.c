// Reads all arrays, then packs them in the order (B, heads, T, width).
#include "judge/arrays.h"

#include "base/portable_math.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *shape_of(Arena *arena, const ArrayLayoutOf *a)
{
    return shape_text(arena, a->raw.axes, a->raw.shape);
}

static const double *packed(Arena *arena, const ArrayLayoutOf *a, const ArrayLayout *layout)
{
    if (!strcmp(layout->head_axes, "htd")) return a->raw.at;
    double *to = arena_alloc(arena, a->raw.count * sizeof *to);
    array_layout_reread(to, a->raw.at, a->B, a->heads, a->T, a->d, "htd", layout->head_axes);
    return to;
}

// ---- warnings

// NaN and Inf are not rejected: the warning tells the reader where the first one is.
static void warn_not_finite(Arena *arena, const ArraysRead *read)
{
    const NpyDoubles *raw = &read->raw;
    size_t nan = 0, inf = 0, first = raw->count;
    for (size_t e = raw->count; e-- > 0;) {
        if (isfinite(raw->at[e])) continue;
        if (isnan(raw->at[e])) nan++;
        else inf++;
        first = e;
    }
    if (first == raw->count) return;
    char *place = arena_format(arena, "%s", "");
    for (int a = raw->axes - 1; a >= 0; a--) {
        place = arena_format(arena, "[%zu]%s", first % (size_t)raw->shape[a], place);
        first /= (size_t)raw->shape[a];
    }
    fflush(stdout);
    fprintf(stderr, "attend: warning: %s holds %zu NaN and %zu Inf, the first at %s; %s\n", read->path, nan, inf, place,
            read->is_theirs ? "ours must have the same there" : "they are computed with as they are");
}

void arrays_warn(const Arrays *arrays, Arena *arena)
{
    const int *lengths = arrays->problem.lengths;
    for (int e = 0; e < arrays->read_count; e++) warn_not_finite(arena, &arrays->read[e]);
    if (!lengths) return;
    for (int b = 0; b < arrays->problem.is.B; b++)
        if (lengths[b] == 0) fprintf(stderr, "attend: warning: sequence %d has no keys; its output is 0\n", b);
}

static void note(Arrays *out, const char *path, const NpyDoubles *raw, bool is_theirs)
{
    out->read[out->read_count++] = (ArraysRead){ path, *raw, is_theirs };
}

// ---- reading

static bool read_lengths(const int **out, Arena *arena, const char *path, JudgeShape is, Error *error)
{
    NpyIntegers raw;
    if (!npy_read_i64(&raw, arena, path, error)) return false;
    const char *shape = shape_text(arena, raw.axes, raw.shape);
    if (raw.axes != 1 || raw.shape[0] != is.B)
        return error_set(error, "%s has the shape %s; one length for each of %d sequences is needed: (%d,)", path,
                         shape, is.B, is.B);
    int *lengths = arena_alloc(arena, (size_t)is.B * sizeof *lengths);
    for (int b = 0; b < is.B; b++) {
        if (raw.at[b] < 0 || raw.at[b] > is.S)
            return error_set(error, "%s: element %d is %" PRId64 "; a length must be from 0 to S = %d", path, b,
                             raw.at[b], is.S);
        lengths[b] = (int)raw.at[b];
    }
    *out = lengths;
    return true;
}

// The output to compare may have another layout than q: one with the same number of axes in which its sizes match.
static bool read_theirs(Arrays *out, Arena *arena, const char *path, Error *error)
{
    JudgeShape is = out->problem.is;
    ArrayLayoutOf theirs = { .flag = "compare", .path = path, .heads = is.H };
    const ArrayLayout *tried[ARRAY_LAYOUTS], *fits = NULL;
    if (!npy_read_f64(&theirs.raw, arena, path, error)) return false;
    int count = array_layouts_of(tried, theirs.raw.axes);
    Error unused;
    for (int l = 0; l < count; l++) {
        if (!array_layout_measure(&theirs, tried[l], arena, &unused)) continue;
        if (theirs.B != is.B || theirs.T != is.T || theirs.d != is.dv) continue;
        if (!fits || tried[l] == out->layout) fits = tried[l];
    }
    int64_t shape[4];
    int axes = array_layout_shape(shape, out->layout, is.B, is.H, is.T, is.dv);
    if (!fits)
        return error_set(error, "%s has the shape %s, but the output has the shape %s (%s)", path,
                         shape_of(arena, &theirs), shape_text(arena, axes, shape), out->layout->name);
    array_layout_measure(&theirs, fits, arena, &unused);
    note(out, path, &theirs.raw, true);
    out->out_layout = fits;
    out->out_stored = theirs.raw.stored;
    out->out = packed(arena, &theirs, fits);
    return true;
}

// Weights and logsumexp have a fixed shape.
static bool read_exact(Arrays *all, const double **out, Dtype *stored, Arena *arena, const char *path, int axes,
                       const int64_t *shape, Error *error)
{
    NpyDoubles raw;
    bool has_batch = all->has_batch;
    if (!npy_read_f64(&raw, arena, path, error)) return false;
    axes -= !has_batch;
    shape += !has_batch;
    if (raw.axes != axes || memcmp(raw.shape, shape, (size_t)axes * sizeof *shape))
        return error_set(error, "%s has the shape %s, but %s is needed", path, shape_text(arena, raw.axes, raw.shape),
                         shape_text(arena, axes, shape));
    note(all, path, &raw, true);
    *out = raw.at;
    *stored = raw.stored;
    return true;
}

// Rejects results that would not fit into memory, before anything is computed.
static bool affordable(JudgeShape is, const AttendOptions *o, Error *error)
{
    const double most = 8.0 * (1 << 30), rows = 8.0 * is.B * is.H * is.T;
    bool wants_weights = o->weights || o->compare_weights;
    if (rows * is.dv > most)
        return error_set(error, "the output would have B·H·T·dv = %d·%d·%d·%d numbers; more than 8 GiB is not computed",
                         is.B, is.H, is.T, is.dv);
    if (wants_weights && rows * is.S > most)
        return error_set(error, "the weights would have B·H·T·S = %d·%d·%d·%d numbers; more than 8 GiB is not computed",
                         is.B, is.H, is.T, is.S);
    return true;
}

static bool read_inputs(ArrayLayoutOf *inputs, Arena *arena, const AttendOptions *o, Error *error)
{
    inputs[0] = (ArrayLayoutOf){ .flag = "q", .path = o->q, .heads = o->heads };
    inputs[1] = (ArrayLayoutOf){ .flag = "k", .path = o->k, .heads = o->kv_heads };
    inputs[2] = (ArrayLayoutOf){ .flag = "v", .path = o->v, .heads = o->kv_heads };
    for (int a = 0; a < 3; a++)
        if (!npy_read_f64(&inputs[a].raw, arena, inputs[a].path, error)) return false;
    return true;
}

int arrays_layouts(const ArrayLayout **found, Arena *arena, const AttendOptions *o)
{
    ArrayLayoutOf inputs[3];
    Error unused;
    return read_inputs(inputs, arena, o, &unused) ? array_layouts_fitting(found, inputs, arena, &unused) : 0;
}

bool arrays_alike(const ArrayLayout **found, Arena *arena, const AttendOptions *o, const char *then, Error *error)
{
    ArrayLayoutOf inputs[3];
    if (!read_inputs(inputs, arena, o, error)) return false;
    return error_set(error, "%s %s and %s %s fit the layouts %s and %s alike%s: say with --layout which it is",
                     inputs[0].path, shape_of(arena, &inputs[0]), inputs[1].path, shape_of(arena, &inputs[1]),
                     found[0]->name, found[1]->name, then);
}

// The layout from --layout, or the only one that fits.
static bool find_layout(const ArrayLayout **layout, ArrayLayoutOf *inputs, Arena *arena, const AttendOptions *o,
                        Error *error)
{
    const ArrayLayout *found[ARRAY_LAYOUTS];
    if (o->layout)
        return array_layout_named(layout, o->layout, error) && array_layout_fits(inputs, *layout, arena, error);
    int count = array_layouts_fitting(found, inputs, arena, error);
    if (count > 1) return arrays_alike(found, arena, o, "", error);
    *layout = found[0];
    return count == 1 && array_layout_fits(inputs, *layout, arena, error);
}

bool arrays_read(Arrays *out, Arena *arena, const AttendOptions *o, Error *error)
{
    ArrayLayoutOf inputs[3];
    *out = (Arrays){ 0 };

    // 1. q, k and v, and their layout.
    if (o->layout && !array_layout_named(&out->layout, o->layout, error)) return false;
    if (!read_inputs(inputs, arena, o, error) || !find_layout(&out->layout, inputs, arena, o, error)) return false;
    for (int a = 0; a < 3; a++) note(out, inputs[a].path, &inputs[a].raw, false);
    out->has_batch = strchr(out->layout->axes, 'b') != NULL;

    // 2. Convert to one order of axes.
    JudgeShape is = { inputs[0].B, o->heads, o->kv_heads, inputs[0].T, inputs[1].T, inputs[0].d, inputs[2].d };
    out->problem = (JudgeProblem){ is, packed(arena, &inputs[0], out->layout), packed(arena, &inputs[1], out->layout),
                                   packed(arena, &inputs[2], out->layout), NULL };
    if (!affordable(is, o, error)) return false;

    // 3. The other arrays of the options.
    const int64_t shape[] = { is.B, is.H, is.T, is.S };
    if (o->lengths && !read_lengths(&out->problem.lengths, arena, o->lengths, is, error)) return false;
    if (o->compare && !read_theirs(out, arena, o->compare, error)) return false;
    if (o->compare_weights &&
        !read_exact(out, &out->weights, &out->weights_stored, arena, o->compare_weights, 4, shape, error))
        return false;
    return !o->compare_lse || read_exact(out, &out->lse, &out->lse_stored, arena, o->compare_lse, 3, shape, error);
}
