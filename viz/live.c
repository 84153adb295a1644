// What all models have in common: fields that are computed when they are read, and a cell worth showing.
#include "viz/model_backend.h"

#include <stdlib.h>
#include <string.h>

int live_layers(const Live *live) { return live->layers; }
int live_heads(const Live *live) { return live->heads; }
const char *live_sentence(const Live *live) { return live->sentence; }
bool live_learn_roles(Live *live) { return !live->kind->learn || live->kind->learn(live); }
bool live_is_slow(const Live *live) { return live->kind->waits; }

bool live_answer(Live *live, Document *d, int at, double seconds)
{
    return !live->kind->answer || live->kind->answer(live, d, at, seconds);
}

void live_close(Live *live)
{
    if (live && live->kind->close) live->kind->close(live);
}

void live_set_progress(Live *live, LiveProgress *tell, void *context)
{
    live->tell = tell;
    live->progress_context = context;
}

bool live_run(Document *out, Arena *arena, Live *live, LiveRequest request, Error *error)
{
    return live->kind->run(out, arena, live, &request, error);
}

bool live_new(Live **out, Arena *arena, const Live *as, Error *error)
{
    if ((int64_t)as->layers * as->heads > MAPS_MOST)
        return error_set(error, "%s has L = %d, H = %d; up to %d heads in all can be shown and switched off",
                         as->source, as->layers, as->heads, MAPS_MOST);
    Live *live = arena_alloc(arena, sizeof *live);
    *live = *as;
    live->arena = arena;
    live->roles = arena_alloc(arena, (size_t)as->layers * (size_t)as->heads * sizeof *live->roles);
    *out = live;
    return true;
}

bool live_length_error(const Document *held, int T, Error *error)
{
    return error_set(error, "the text that is held has %d tokens, this one %d; heads can be taken from one of as many",
                     held->T, T);
}

// ---- fields

// A cache of recent matrices of one kind.
typedef struct {
    int plane;
    int64_t asked;
    Mat at;
} Kept;
typedef struct {
    Kept *kept;
    int count, rows, cols;
} Shelf;

struct LiveMaker {
    LiveMake *make;
    const void *run;
    int layers, heads;
    Arena *arena;
    Shelf shelves[FIELD_KINDS];
    int64_t asks;
};

// Bytes that are cached per kind, but at least SHELF_LEAST matrices.
enum { SHELF_BYTES = 1 << 22, SHELF_LEAST = 4 };

static Shelf shelf_new(Arena *arena, int planes, int rows, int cols)
{
    int64_t fits = SHELF_BYTES / ((int64_t)rows * cols * (int64_t)sizeof(float)), least = SHELF_LEAST;
    int64_t count = fits < least ? least : fits;
    Shelf shelf = { .count = count < planes ? (int)count : planes, .rows = rows, .cols = cols };
    shelf.kept = arena_alloc(arena, (size_t)shelf.count * sizeof *shelf.kept);
    for (int n = 0; n < shelf.count; n++) shelf.kept[n].plane = -1;
    return shelf;
}

// The entry of a plane, or the one used least recently.
static Kept *place_of(Shelf *shelf, int plane)
{
    Kept *oldest = &shelf->kept[0];
    for (int n = 0; n < shelf->count; n++) {
        if (shelf->kept[n].plane == plane) return &shelf->kept[n];
        if (shelf->kept[n].asked < oldest->asked) oldest = &shelf->kept[n];
    }
    return oldest;
}

LiveMaker *live_maker(Arena *arena, LiveMake *make, const void *run, int layers, int heads)
{
    LiveMaker *maker = arena_alloc(arena, sizeof *maker);
    *maker = (LiveMaker){ .make = make, .run = run, .layers = layers, .heads = heads, .arena = arena };
    return maker;
}

static const unsigned char *make_plane(void *context, FieldKind kind, int plane)
{
    LiveMaker *maker = context;
    Shelf *shelf = &maker->shelves[kind];
    Kept *kept = place_of(shelf, plane);
    if (mat_empty(kept->at)) kept->at = mat_new(maker->arena, shelf->rows, shelf->cols);
    if (kept->plane != plane) maker->make(kept->at, maker->run, kind, plane / maker->heads, plane % maker->heads);
    kept->plane = plane;
    kept->asked = ++maker->asks;
    return (const unsigned char *)kept->at.at;
}

static Field field_of_kind(FieldKind kind, int layers, int heads, int rows, int cols, int stride)
{
    const uint16_t one = 1;
    return (Field){
        .name = trace_name((TraceKind)kind),
        .kind = kind,
        .layers = layers,
        .heads = heads,
        .rows = rows,
        .cols = cols,
        .row_step = stride * (ptrdiff_t)sizeof(float),
        .col_step = sizeof(float),
        .stored = DTYPE_F32,
        .big_endian = *(const unsigned char *)&one == 0,
    };
}

Field live_field_stored(Arena *arena, FieldKind kind, int layers, int heads, const Mat *views)
{
    Field field = field_of_kind(kind, layers, heads, views->rows, views->cols, views->stride);
    const unsigned char **planes = arena_alloc(arena, (size_t)(layers * heads) * sizeof *planes);
    for (int n = 0; n < layers * heads; n++) planes[n] = (const unsigned char *)views[n].at;
    field.planes = planes;
    return field;
}

Field live_field_lazy(LiveMaker *maker, FieldKind kind, int rows, int cols)
{
    Field field = field_of_kind(kind, maker->layers, maker->heads, rows, cols, cols);
    maker->shelves[kind] = shelf_new(maker->arena, maker->layers * maker->heads, rows, cols);
    field.make = make_plane;
    field.maker = maker;
    return field;
}

// ---- texts

static const char *many(Arena *arena, int count, const char *what)
{
    return arena_format(arena, "%d %s%s", count, what, count == 1 ? "" : "s");
}

const char *live_shape(Arena *arena, const Live *live, int G, int T, const char *more)
{
    const char *shared = G == live->heads ? "" : arena_format(arena, " on %s", many(arena, G, "key head"));
    return arena_format(arena, "%s × %s%s · %s · %s", many(arena, live->layers, "layer"),
                        many(arena, live->heads, "head"), shared, many(arena, T, "token"), more);
}

bool live_notable_cell(NotableCell *out, const Document *d)
{
    double furthest = 0;
    int layer = d->layers - 1;
    for (int i = 0; i < d->T; i++) {
        if (strcmp(d->queries[i], "it") && strcmp(d->queries[i], "·it")) continue;
        for (int h = 0; h < d->heads; h++)
            for (int j = 0; j < d->S; j++) {
                double reach = (double)field_at(document_maps(d), layer, h, i, j) * abs(i - j);
                if (reach <= furthest || strchr("[<", d->keys[j][0])) continue;
                furthest = reach;
                *out = (NotableCell){ layer, h, i, j };
            }
    }
    return furthest > 0;
}
