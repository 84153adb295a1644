// Shapes first: which layout, which sizes, do they fit together. Then the numbers, into one order.
#include "judge/arrays.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const Layout layouts[] = {
    { "T,Hd", "tm", "thd" }, { "H,T,d", "htd", "htd" }, { "T,H,d", "thd", "thd" },
    { "B,T,Hd", "btm", "thd" }, { "B,H,T,d", "bhtd", "htd" }, { "B,T,H,d", "bthd", "thd" },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

// One array of the command line, and its sizes once its layout is known.
typedef struct { const char *flag, *path; NpyDoubles raw; int heads, B, T, d; } Array;

static const char *shape_of(Arena *arena, const Array *a) { return shape_text(arena, a->raw.axes, a->raw.shape); }

// ---- layouts

static int axis_of(const Layout *layout, char axis)
{
    const char *at = strchr(layout->axes, axis);
    return at ? (int)(at - layout->axes) : -1;
}

static int64_t size_of(const Array *a, const Layout *layout, char axis)
{
    int at = axis_of(layout, axis);
    return at < 0 ? 1 : a->raw.shape[at];
}

// The sizes of an array in this layout; false with a sentence when its axes do not allow it.
static bool measure(Array *a, const Layout *layout, Arena *arena, Error *error)
{
    const char *shape = shape_of(arena, a);
    const char *flag = !strcmp(a->flag, "k") || !strcmp(a->flag, "v") ? "kv-heads" : "heads";
    if (a->raw.axes != (int)strlen(layout->axes))
        return error_set(error, "%s has the shape %s, but the layout %s has %d axes", a->path, shape, layout->name,
                         (int)strlen(layout->axes));
    for (int axis = 0; axis < a->raw.axes; axis++) {
        if (a->raw.shape[axis] == 0)
            return error_set(error, "%s has the shape %s: an axis of length 0 leaves nothing to compute", a->path,
                             shape);
        if (a->raw.shape[axis] > INT_MAX / 4)
            return error_set(error, "%s has the shape %s: an axis may be %d long at most", a->path, shape, INT_MAX / 4);
    }
    int64_t merged = size_of(a, layout, 'm'), heads = size_of(a, layout, 'h');
    if (axis_of(layout, 'm') >= 0 && merged % a->heads)
        return error_set(error, "%s has the shape %s, %s: %" PRId64 " columns cannot be split among %d heads (--%s)",
                         a->path, shape, layout->name, merged, a->heads, flag);
    if (axis_of(layout, 'h') >= 0 && heads != a->heads)
        return error_set(error, "%s has the shape %s, %s: it has %" PRId64 " heads, but --%s is %d", a->path, shape,
                         layout->name, heads, flag, a->heads);
    a->B = (int)size_of(a, layout, 'b');
    a->T = (int)size_of(a, layout, 't');
    a->d = axis_of(layout, 'm') >= 0 ? (int)(merged / a->heads) : (int)size_of(a, layout, 'd');
    return true;
}

// Do the sizes of q, k and v fit together? A sentence with both shapes if not.
static bool fit_together(const Array *q, const Array *k, const Array *v, Arena *arena, Error *error)
{
    const char *qs = shape_of(arena, q), *ks = shape_of(arena, k), *vs = shape_of(arena, v);
    if (q->d != k->d)
        return error_set(error, "%s has the shape %s, its heads are %d wide, but %s has the shape %s, its heads are %d "
                         "wide", q->path, qs, q->d, k->path, ks, k->d);
    if (k->T != v->T)
        return error_set(error, "%s has the shape %s, %d keys, but %s has the shape %s, %d values", k->path, ks, k->T,
                         v->path, vs, v->T);
    const Array *other = k->B != q->B ? k : v;
    if (other->B != q->B)
        return error_set(error, "%s has the shape %s, %d sequences, but %s has the shape %s, %d", q->path, qs, q->B,
                         other->path, shape_of(arena, other), other->B);
    return true;
}

static bool all_fit(Array *arrays, const Layout *layout, Arena *arena, Error *error)
{
    for (int a = 0; a < 3; a++)
        if (!measure(&arrays[a], layout, arena, error)) return false;
    return fit_together(&arrays[0], &arrays[1], &arrays[2], arena, error);
}

static bool layout_named(const Layout **layout, const char *name, Error *error)
{
    for (int l = 0; l < LAYOUTS; l++)
        if (!strcasecmp(name, layouts[l].name)) {
            *layout = &layouts[l];
            return true;
        }
    return error_set(error, "--layout: found \"%.60s\"; there are T,Hd  H,T,d  T,H,d  B,T,Hd  B,H,T,d and B,T,H,d",
                     name);
}

// The layouts of so many axes in their order; the first is the one that is meant when nothing fits.
static int layouts_of(const Layout **found, int axes)
{
    int count = 0;
    for (int l = 0; l < LAYOUTS; l++)
        if ((int)strlen(layouts[l].axes) == axes) found[count++] = &layouts[l];
    return count;
}

// H,T,d and T,H,d may fit alike: then the reader must say. B,T,Hd is only thought of when neither fits.
static bool recognise(const Layout **layout, Array *arrays, Arena *arena, Error *error)
{
    const Layout *tried[LAYOUTS];
    int axes = arrays[0].raw.axes, count = layouts_of(tried, axes);
    for (int a = 0; a < 3; a++)
        if (arrays[a].raw.axes != axes || count == 0)
            return error_set(error, "%s has the shape %s, %s has the shape %s; q, k and v need the same 2, 3 or 4 axes",
                             arrays[0].path, shape_of(arena, &arrays[0]), arrays[a ? a : 1].path,
                             shape_of(arena, &arrays[a ? a : 1]));
    bool first = all_fit(arrays, tried[0], arena, error);
    Error unused;
    for (int l = 1; l < count; l++) {
        if (!all_fit(arrays, tried[l], arena, &unused)) continue;
        if (!first) {
            *layout = tried[l];
            return true;
        }
        if (axis_of(tried[l], 'm') < 0)
            return error_set(error, "%s %s and %s %s fit the layouts %s and %s alike: say with --layout which it is",
                             arrays[0].path, shape_of(arena, &arrays[0]), arrays[1].path, shape_of(arena, &arrays[1]),
                             tried[0]->name, tried[l]->name);
    }
    *layout = tried[0];
    return first && all_fit(arrays, tried[0], arena, error);
}

// ---- orders

int arrays_shape(int64_t *shape, const Layout *layout, int B, int heads, int T, int width)
{
    int axes = 0;
    for (const char *axis = layout->axes; *axis; axis++) {
        int64_t columns = *axis == 'm' ? (int64_t)heads * width : width;
        shape[axes++] = *axis == 'b' ? B : *axis == 'h' ? heads : *axis == 't' ? T : columns;
    }
    return axes;
}

// Elements from one index of `axis` to the next, where memory has its axes in this order.
static size_t step_of(const char *order, char axis, int H, int T, int d)
{
    size_t step = 1;
    for (const char *after = strchr(order, axis) + 1; *after; after++)
        step *= (size_t)(*after == 'h' ? H : *after == 't' ? T : d);
    return step;
}

// (h, t, c) of `to` is the number that stands at that place in the order `order` of `from`, or the other way about.
static void permute(double *to, const double *from, const char *order, bool back, int B, int H, int T, int d)
{
    size_t h_step = step_of(order, 'h', H, T, d), t_step = step_of(order, 't', H, T, d);
    size_t d_step = step_of(order, 'd', H, T, d);
    size_t each = (size_t)H * (size_t)T * (size_t)d, packed = 0;
    for (size_t b = 0; b < (size_t)B; b++)
        for (size_t h = 0; h < (size_t)H; h++)
            for (size_t t = 0; t < (size_t)T; t++)
                for (size_t c = 0; c < (size_t)d; c++, packed++) {
                    size_t place = b * each + h * h_step + t * t_step + c * d_step;
                    if (back) to[place] = from[packed];
                    else to[packed] = from[place];
                }
}

void arrays_arrange(double *to, const double *from, const Layout *layout, int B, int heads, int T, int width)
{
    permute(to, from, layout->head_axes, true, B, heads, T, width);
}

void arrays_reread(double *to, const double *from, int B, int H, int T, int d, const char *was, const char *taken)
{
    Arena *scratch = arena_open();
    double *memory = arena_alloc(scratch, (size_t)B * (size_t)H * (size_t)T * (size_t)d * sizeof *memory);
    permute(memory, from, was, true, B, H, T, d);
    permute(to, memory, taken, false, B, H, T, d);
    arena_close(scratch);
}

static const double *packed(Arena *arena, const Array *a, const Layout *layout)
{
    if (!strcmp(layout->head_axes, "htd")) return a->raw.at;
    double *to = arena_alloc(arena, a->raw.count * sizeof *to);
    permute(to, a->raw.at, layout->head_axes, false, a->B, a->heads, a->T, a->d);
    return to;
}

// ---- warnings

// NaN and Inf are computed with as they are; the reader learns that they are there, and where the first one stands.
static void warn_not_finite(Arena *arena, const char *path, const NpyDoubles *raw, const char *what_then)
{
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
    fprintf(stderr, "attend: warning: %s holds %zu NaN and %zu Inf, the first at %s; %s\n", path, nan, inf, place,
            what_then);
}

// ---- reading

static const char computed[] = "they are computed with as they are", compared[] = "ours must have the same there";

static bool read_lengths(const int **out, Arena *arena, const char *path, Shape is, Error *error)
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
        if (lengths[b] == 0) fprintf(stderr, "attend: warning: sequence %d has no keys; its output is 0\n", b);
    }
    *out = lengths;
    return true;
}

// Their output may come in another layout than q: one of as many axes as it has, in which it has the right sizes.
static bool read_theirs(Arrays *out, Arena *arena, const char *path, Error *error)
{
    Shape is = out->problem.is;
    Array theirs = { .flag = "compare", .path = path, .heads = is.H };
    const Layout *tried[LAYOUTS], *fits = NULL;
    if (!npy_read_f64(&theirs.raw, arena, path, error)) return false;
    int count = layouts_of(tried, theirs.raw.axes);
    Error unused;
    for (int l = 0; l < count; l++) {
        if (!measure(&theirs, tried[l], arena, &unused)) continue;
        if (theirs.B != is.B || theirs.T != is.T || theirs.d != is.dv) continue;
        if (!fits || tried[l] == out->layout) fits = tried[l];
    }
    int64_t shape[4];
    int axes = arrays_shape(shape, out->layout, is.B, is.H, is.T, is.dv);
    if (!fits)
        return error_set(error, "%s has the shape %s, but the output has the shape %s (%s)", path,
                         shape_of(arena, &theirs), shape_text(arena, axes, shape), out->layout->name);
    measure(&theirs, fits, arena, &unused);
    warn_not_finite(arena, path, &theirs.raw, compared);
    out->out_layout = fits;
    out->out_stored = theirs.raw.stored;
    out->out = packed(arena, &theirs, fits);
    return true;
}

// Weights and logsumexp have one shape only.
static bool read_exact(const double **out, Stored *stored, Arena *arena, const char *path, bool has_batch, int axes,
                       const int64_t *shape, Error *error)
{
    NpyDoubles raw;
    if (!npy_read_f64(&raw, arena, path, error)) return false;
    axes -= !has_batch;
    shape += !has_batch;
    if (raw.axes != axes || memcmp(raw.shape, shape, (size_t)axes * sizeof *shape))
        return error_set(error, "%s has the shape %s, but %s is needed", path, shape_text(arena, raw.axes, raw.shape),
                         shape_text(arena, axes, shape));
    warn_not_finite(arena, path, &raw, compared);
    *out = raw.at;
    *stored = raw.stored;
    return true;
}

// A result that no machine holds is refused before anything is computed.
static bool affordable(Shape is, const Options *o, Error *error)
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

bool arrays_read(Arrays *out, Arena *arena, const Options *o, Error *error)
{
    Array inputs[3] = {
        { .flag = "q", .path = o->q, .heads = o->heads }, { .flag = "k", .path = o->k, .heads = o->kv_heads },
        { .flag = "v", .path = o->v, .heads = o->kv_heads },
    };
    *out = (Arrays){ 0 };

    // 1. q, k and v, and which axis is which.
    if (o->layout && !layout_named(&out->layout, o->layout, error)) return false;
    for (int a = 0; a < 3; a++)
        if (!npy_read_f64(&inputs[a].raw, arena, inputs[a].path, error)) return false;
    for (int a = 0; a < 3; a++) warn_not_finite(arena, inputs[a].path, &inputs[a].raw, computed);
    bool fits = out->layout ? all_fit(inputs, out->layout, arena, error)
                            : recognise(&out->layout, inputs, arena, error);
    if (!fits) return false;
    out->has_batch = axis_of(out->layout, 'b') >= 0;

    // 2. One order for all.
    Shape is = { inputs[0].B, o->heads, o->kv_heads, inputs[0].T, inputs[1].T, inputs[0].d, inputs[2].d };
    out->problem = (Problem){ is, packed(arena, &inputs[0], out->layout), packed(arena, &inputs[1], out->layout),
                              packed(arena, &inputs[2], out->layout), NULL };
    if (!affordable(is, o, error)) return false;

    // 3. What else the options name.
    const int64_t shape[] = { is.B, is.H, is.T, is.S };
    if (o->lengths && !read_lengths(&out->problem.lengths, arena, o->lengths, is, error)) return false;
    if (o->compare && !read_theirs(out, arena, o->compare, error)) return false;
    bool batch = out->has_batch;
    if (o->compare_weights &&
        !read_exact(&out->weights, &out->weights_stored, arena, o->compare_weights, batch, 4, shape, error))
        return false;
    return !o->compare_lse || read_exact(&out->lse, &out->lse_stored, arena, o->compare_lse, batch, 3, shape, error);
}
