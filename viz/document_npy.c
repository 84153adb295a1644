// Loads a .npy array as layers × heads maps; its axes are named or guessed.
#include "viz/document_internal.h"

#include "io/text.h"

#include <limits.h>
#include <string.h>

static const char *shape_of(Arena *arena, const NpyView *view) { return shape_text(arena, view->axes, view->shape); }

// ---- axes that are named

// The member of `axes` for a letter; NULL: no such letter.
static int *axis_of(AxisOrder *axes, char letter)
{
    switch (letter) {
    case 'L': return &axes->layers;
    case 'H': return &axes->heads;
    case 'T': return &axes->rows;
    case 'S': return &axes->cols;
    default: return NULL;
    }
}

static bool refuse_axes(const char *name, const char *letters, const char *why, Arena *arena, Error *error)
{
    const char *given = text_shown(arena, letters, strlen(letters));
    return error_set(error, "%s: the axes are said to be %s: %s", name, given, why);
}

static bool named_axes(AxisOrder *axes, const NpyView *view, const char *name, const char *letters, Arena *arena,
                       Error *error)
{
    const char *shape = shape_of(arena, view);
    size_t count = strlen(letters);
    if (count != (size_t)view->axes) {
        const char *why = arena_format(arena, "%zu letters, but the shape %s has %d axes", count, shape, view->axes);
        return refuse_axes(name, letters, why, arena, error);
    }
    for (int a = 0; a < view->axes; a++) {
        int *axis = axis_of(axes, letters[a]);
        const char *why = NULL;
        if (letters[a] == '1' && view->shape[a] != 1)
            why = arena_format(arena, "axis %d of the shape %s is not 1; save array[0] along it", a, shape);
        else if (letters[a] != '1' && !axis)
            why = "the letters are L, H, T, S and 1: layers, heads, queries, keys, nothing";
        else if (axis && *axis >= 0) why = "each of L, H, T and S may stand only once";
        if (why) return refuse_axes(name, letters, why, arena, error);
        if (axis) *axis = a;
    }
    return (axes->rows >= 0 && axes->cols >= 0) ||
           refuse_axes(name, letters, "T and S must be among them, queries and keys", arena, error);
}

// ---- axes that are guessed

// The last two axes are queries and keys. Of those before, axes of length 1 are dropped until two remain: first the
// middle one, which is PyTorch's batch, then from the front. Two axes are layers and heads; one is heads.
static bool guessed_axes(AxisOrder *axes, const char **how, const NpyView *view, const char *name, Arena *arena,
                         Error *error)
{
    int lead[NPY_MOST_AXES], count = view->axes - 2;
    for (int a = 0; a < count; a++) lead[a] = a;
    while (count > 2) {
        int gone = -1;
        if (view->shape[lead[count - 1]] == 1) gone = count - 1;
        if (view->shape[lead[0]] == 1) gone = 0;
        for (int a = 1; a < count - 1; a++)
            if (view->shape[lead[a]] == 1) gone = a;
        if (gone < 0)
            return error_set(error,
                             "%s: the shape %s has more axes than layers, heads, queries and keys; save one "
                             "part of it, array[0]",
                             name, shape_of(arena, view));
        memmove(&lead[gone], &lead[gone + 1], (size_t)(--count - gone) * sizeof *lead);
    }
    *axes = (AxisOrder){ count == 2 ? lead[0] : -1, count ? lead[count - 1] : -1, view->axes - 2, view->axes - 1 };
    int64_t L = axes->layers < 0 ? 1 : view->shape[axes->layers], H = axes->heads < 0 ? 1 : view->shape[axes->heads];
    if (L > 1) *how = "axes read as LHTS";
    else if (count == 1 && H > 1) *how = "axes read as HTS";
    return true;
}

// ---- the document

static bool fits(const NpyView *view, AxisOrder axes, const char *name, Arena *arena, Error *error)
{
    int64_t L = axes.layers < 0 ? 1 : view->shape[axes.layers], H = axes.heads < 0 ? 1 : view->shape[axes.heads];
    if (L > PLANES_MOST || H > PLANES_MOST || L * H > PLANES_MOST)
        return error_set(error, "%s: the shape %s means more than %d heads; save fewer of them", name,
                         shape_of(arena, view), PLANES_MOST);
    if (view->shape[axes.rows] > INT_MAX || view->shape[axes.cols] > INT_MAX)
        return error_set(error, "%s: the shape %s has more than %d queries or keys", name, shape_of(arena, view),
                         INT_MAX);
    return true;
}

bool npy_document(Document *out, const char **how, Arena *arena, FileBytes file, const char *name, Reading reading,
                  Error *error)
{
    NpyView view;
    AxisOrder axes = { -1, -1, -1, -1 };
    if (!npy_look(&view, arena, file, name, error)) return false;
    if (view.axes < 2)
        return error_set(error, "%s: found the shape %s, but a map has at least two axes, queries and keys", name,
                         shape_of(arena, &view));
    if (view.count == 0)
        return error_set(error, "%s: the shape %s holds no number; there is no map to show", name,
                         shape_of(arena, &view));
    if (!(reading.axes ? named_axes(&axes, &view, name, reading.axes, arena, error)
                       : guessed_axes(&axes, how, &view, name, arena, error)))
        return false;
    if (!fits(&view, axes, name, arena, error)) return false;

    out->fields = arena_alloc(arena, sizeof *out->fields);
    out->fields[0] = field_of(arena, out->title, FIELD_WEIGHTS, &view, axes);
    const Field *f = out->fields;
    out->count = 1;
    out->of[FIELD_WEIGHTS] = out->maps = 0;
    out->layers = f->layers;
    out->heads = out->groups = f->heads;
    out->T = f->rows;
    out->S = f->cols;
    return true;
}
