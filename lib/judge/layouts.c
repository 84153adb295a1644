// Assigns axes to layouts, and converts between orders of memory.
#include "judge/layouts.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

static const ArrayLayout layouts[ARRAY_LAYOUTS] = {
    { "T,Hd", "tm", "thd" },    { "H,T,d", "htd", "htd" },    { "T,H,d", "thd", "thd" },
    { "B,T,Hd", "btm", "thd" }, { "B,H,T,d", "bhtd", "htd" }, { "B,T,H,d", "bthd", "thd" },
};

static const char *shape_of(Arena *arena, const ArrayLayoutOf *a)
{
    return shape_text(arena, a->raw.axes, a->raw.shape);
}

// ---- layouts

static int axis_of(const ArrayLayout *layout, char axis)
{
    const char *at = strchr(layout->axes, axis);
    return at ? (int)(at - layout->axes) : -1;
}

static int64_t size_of(const ArrayLayoutOf *a, const ArrayLayout *layout, char axis)
{
    int at = axis_of(layout, axis);
    return at < 0 ? 1 : a->raw.shape[at];
}

bool array_layout_measure(ArrayLayoutOf *a, const ArrayLayout *layout, Arena *arena, Error *error)
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

// Are the sizes of q, k and v consistent? If not, the message has both shapes.
static bool fit_together(const ArrayLayoutOf *q, const ArrayLayoutOf *k, const ArrayLayoutOf *v, Arena *arena,
                         Error *error)
{
    const char *qs = shape_of(arena, q), *ks = shape_of(arena, k), *vs = shape_of(arena, v);
    if (q->d != k->d)
        return error_set(error,
                         "%s has the shape %s, its heads are %d wide, but %s has the shape %s, its heads are %d "
                         "wide",
                         q->path, qs, q->d, k->path, ks, k->d);
    if (k->T != v->T)
        return error_set(error, "%s has the shape %s, %d keys, but %s has the shape %s, %d values", k->path, ks, k->T,
                         v->path, vs, v->T);
    const ArrayLayoutOf *other = k->B != q->B ? k : v;
    if (other->B != q->B)
        return error_set(error, "%s has the shape %s, %d sequences, but %s has the shape %s, %d", q->path, qs, q->B,
                         other->path, shape_of(arena, other), other->B);
    return true;
}

bool array_layout_fits(ArrayLayoutOf *arrays, const ArrayLayout *layout, Arena *arena, Error *error)
{
    for (int a = 0; a < 3; a++)
        if (!array_layout_measure(&arrays[a], layout, arena, error)) return false;
    return fit_together(&arrays[0], &arrays[1], &arrays[2], arena, error);
}

bool array_layout_named(const ArrayLayout **layout, const char *name, Error *error)
{
    for (int l = 0; l < ARRAY_LAYOUTS; l++)
        if (!strcasecmp(name, layouts[l].name)) {
            *layout = &layouts[l];
            return true;
        }
    return error_set(error, "--layout: found \"%.60s\"; there are T,Hd  H,T,d  T,H,d  B,T,Hd  B,H,T,d and B,T,H,d",
                     name);
}

int array_layouts_of(const ArrayLayout **found, int axes)
{
    int count = 0;
    for (int l = 0; l < ARRAY_LAYOUTS; l++)
        if ((int)strlen(layouts[l].axes) == axes) found[count++] = &layouts[l];
    return count;
}

// Do two layouts give the same arrays? They do if there is only one head or one row.
static bool same_arrays(const ArrayLayoutOf *arrays, const ArrayLayout *one, const ArrayLayout *other, Arena *arena)
{
    Error unused;
    for (int a = 0; a < 3; a++) {
        ArrayLayoutOf x = arrays[a], y = arrays[a];
        array_layout_measure(&x, one, arena, &unused);
        array_layout_measure(&y, other, arena, &unused);
        bool same_order = !strcmp(one->head_axes, other->head_axes) || x.heads == 1 || x.T == 1;
        if (x.B != y.B || x.T != y.T || x.d != y.d || !same_order) return false;
    }
    return true;
}

int array_layouts_fitting(const ArrayLayout **found, ArrayLayoutOf *arrays, Arena *arena, Error *error)
{
    const ArrayLayout *tried[ARRAY_LAYOUTS];
    int axes = arrays[0].raw.axes, count = array_layouts_of(tried, axes), fitting = 0;
    for (int a = 0; a < 3; a++) {
        if (arrays[a].raw.axes == axes && count > 0) continue;
        const ArrayLayoutOf *other = &arrays[a ? a : 1];
        error_set(error, "%s has the shape %s, %s has the shape %s; q, k and v need the same 2, 3 or 4 axes",
                  arrays[0].path, shape_of(arena, &arrays[0]), other->path, shape_of(arena, other));
        return 0;
    }
    Error other; // if none fits, the message of the first is kept
    for (int l = 0; l < count; l++) {
        if (!array_layout_fits(arrays, tried[l], arena, l ? &other : error)) continue;
        bool duplicate = false;
        for (int e = 0; e < fitting; e++) duplicate |= same_arrays(arrays, found[e], tried[l], arena);
        if (!duplicate) found[fitting++] = tried[l];
    }
    return fitting;
}

// ---- orders

int array_layout_shape(int64_t *shape, const ArrayLayout *layout, int B, int heads, int T, int width)
{
    int axes = 0;
    for (const char *axis = layout->axes; *axis; axis++) {
        int64_t columns = *axis == 'm' ? (int64_t)heads * width : width;
        shape[axes++] = *axis == 'b' ? B : *axis == 'h' ? heads : *axis == 't' ? T : columns;
    }
    return axes;
}

// Visits memory that holds (H, T, d) in some order of axes; `at` is the index of the next number in (h, t, c).
typedef struct {
    size_t size[3], step[3], index[3], at;
} Cursor;

static Cursor cursor_of(const char *order, size_t H, size_t T, size_t d)
{
    Cursor cursor = { 0 };
    for (int a = 0; a < 3; a++) {
        cursor.size[a] = order[a] == 'h' ? H : order[a] == 't' ? T : d;
        cursor.step[a] = order[a] == 'h' ? T * d : order[a] == 't' ? d : 1;
    }
    return cursor;
}

static void cursor_advance(Cursor *cursor)
{
    for (int a = 2; a >= 0; a--) {
        cursor->at += cursor->step[a];
        if (++cursor->index[a] < cursor->size[a]) return;
        cursor->at -= cursor->size[a] * cursor->step[a];
        cursor->index[a] = 0;
    }
}

// Reads every sequence in the order `was` and writes it as (heads, T, H·d / heads) in the order `taken`.
static void reorder(double *to, const double *from, int B, int H, int T, int d, const char *was, int heads,
                    const char *taken)
{
    size_t rows = (size_t)T, each = (size_t)H * rows * (size_t)d;
    Cursor write = cursor_of(was, (size_t)H, rows, (size_t)d);
    Cursor read = cursor_of(taken, (size_t)heads, rows, (size_t)(H * d / heads));
    for (size_t first = 0; first < (size_t)B * each; first += each)
        for (size_t e = 0; e < each; e++) {
            to[first + read.at] = from[first + write.at];
            cursor_advance(&write);
            cursor_advance(&read);
        }
}

void array_layout_arrange(double *to, const double *from, const ArrayLayout *layout, int B, int heads, int T, int width)
{
    reorder(to, from, B, heads, T, width, layout->head_axes, heads, "htd");
}

void array_layout_reread(double *to, const double *from, int B, int H, int T, int d, const char *was, const char *taken)
{
    reorder(to, from, B, H, T, d, was, H, taken);
}

void array_layout_resplit(double *to, const double *from, int B, int H, int T, int d, int heads)
{
    reorder(to, from, B, H, T, d, "thd", heads, "thd");
}
