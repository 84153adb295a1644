// Maps made of maps, a plane at a time, in float64.
#include "viz/made.h"

#include "attention/rollout.h"

#include <math.h>

// Planes that were made, and are kept: of rollout all, as each is made of the one before; of the others the last few.
enum { KEPT = 8 };
typedef struct {
    int plane;
    int64_t asked;
    Mat at;
} Kept;
typedef struct {
    const Document *of;
    MapReduction made;
    Arena *arena;
    Kept kept[KEPT];
    int64_t asks;
    Mat *rollout; // (layers) empty: not made so far
} Maker;

// ---- names

static const struct {
    const char *word, *name, *formula;
} texts[MADES] = {
    [MADE_NONE] = { "heads", "heads as they are", "" },
    [MADE_MEAN] = { "mean", "mean of the layer's heads", "Σ w / H over heads" },
    [MADE_MOST] = { "largest", "largest of the layer's heads", "max w over heads" },
    [MADE_MEAN_ALL] = { "mean-all", "mean of all heads", "Σ w / (L H) over layers and heads" },
    [MADE_MOST_ALL] = { "largest-all", "largest of all heads", "max w over layers and heads" },
    [MADE_ROLLOUT] = { "rollout", "rollout", "R(l) = (½ I + ½ mean of layer l) R(l − 1)" },
    [MADE_NORM] = { "norm", "weight × norm of the value", "w(i, j) |v(j)|" },
};

const char *made_name(MapReduction made) { return texts[made].name; }
const char *made_word(MapReduction made) { return texts[made].word; }
const char *made_formula(MapReduction made) { return texts[made].formula; }

// What goes into one map, and takes a window's time: half a second at most.
static bool is_soon_made(const Document *d, MapReduction made)
{
    double heads = made == MADE_NORM ? 1 : made == MADE_MEAN || made == MADE_MOST ? d->heads : d->layers * d->heads;
    return heads * d->T * d->S <= 1 << 25;
}

bool made_possible(const Document *d, MapReduction made)
{
    bool weights = d->of[FIELD_WEIGHTS] >= 0 && d->maps == d->of[FIELD_WEIGHTS] && !d->walk.frames;
    if (made != MADE_NONE && !is_soon_made(d, made)) return false;
    switch (made) {
    case MADE_NONE: return true;
    case MADE_MEAN:
    case MADE_MOST: return weights && d->heads > 1;
    case MADE_MEAN_ALL:
    case MADE_MOST_ALL: return weights && d->layers > 1;
    case MADE_ROLLOUT: return weights && d->T == d->S && d->T <= ROLLOUT_MOST;
    case MADE_NORM: return weights && d->of[FIELD_V] >= 0;
    case MADES: break;
    }
    return false;
}

// ---- sums of maps

// Heads `first` … first + count − 1, layer after layer, into one: their mean or the largest. −∞ where all hide.
static void make_of_many(Mat out, const Document *d, int first, int count, bool largest)
{
    Arena *scratch = arena_open();
    Mat map = mat_new(scratch, d->T, d->S);
    double *sum = arena_alloc(scratch, (size_t)mat_numbers(map) * sizeof *sum);
    bool *seen = arena_alloc(scratch, (size_t)mat_numbers(map) * sizeof *seen);
    for (int n = first; n < first + count; n++) {
        field_read(map, document_maps(d), n / d->heads, n % d->heads, 0, 0);
        for (int i = 0; i < d->T; i++)
            for (int j = 0; j < d->S; j++) {
                size_t at = (size_t)i * (size_t)d->S + (size_t)j;
                double w = (double)*mat_ref(map, i, j);
                if (d->masked != MASK_NONE && document_hidden(d, n / d->heads, n % d->heads, i, j)) continue;
                if (!largest) sum[at] += w;
                else if (!seen[at] || w > sum[at] || isnan(w)) sum[at] = w;
                seen[at] = true;
            }
    }
    for (int i = 0; i < d->T; i++)
        for (int j = 0; j < d->S; j++) {
            size_t at = (size_t)i * (size_t)d->S + (size_t)j;
            *mat_ref(out, i, j) = seen[at] ? (float)(largest ? sum[at] : sum[at] / count) : -INFINITY;
        }
    arena_close(scratch);
}

// ---- rollout

static Mat rollout_of(Maker *maker, int layer)
{
    const Document *d = maker->of;
    for (int l = 0; l <= layer; l++) {
        if (!mat_empty(maker->rollout[l])) continue;
        Mat step = mat_new(maker->arena, d->T, d->S);
        make_of_many(step, d, l * d->heads, d->heads, false);
        rollout_step(step, step);
        maker->rollout[l] = l ? mat_new(maker->arena, d->T, d->S) : step;
        if (l) rollout_join(maker->rollout[l], step, maker->rollout[l - 1]);
    }
    return maker->rollout[layer];
}

static bool hidden_in_all(const Document *d, int i, int j)
{
    for (int n = 0; n < d->layers * d->heads; n++)
        if (!document_hidden(d, n / d->heads, n % d->heads, i, j)) return false;
    return true;
}

static void make_rollout(Mat out, Maker *maker, int layer)
{
    const Document *d = maker->of;
    mat_set(out, rollout_of(maker, layer));
    if (d->masked == MASK_NONE) return;
    for (int i = 0; i < d->T; i++)
        for (int j = 0; j < d->S; j++)
            if (*mat_ref(out, i, j) == 0 && hidden_in_all(d, i, j)) *mat_ref(out, i, j) = -INFINITY;
}

// ---- norms

static void make_norm(Mat out, const Document *d, int layer, int head)
{
    Arena *scratch = arena_open();
    const Field *values = &d->fields[d->of[FIELD_V]];
    Mat v = mat_new(scratch, values->rows, values->cols);
    field_read(v, values, layer, head / (d->heads / values->heads), 0, 0);
    field_read(out, document_maps(d), layer, head, 0, 0);
    for (int j = 0; j < d->S; j++) {
        double square = 0;
        for (int c = 0; c < v.cols; c++) square += (double)*mat_ref(v, j, c) * (double)*mat_ref(v, j, c);
        for (int i = 0; i < d->T; i++) {
            bool hidden = d->masked != MASK_NONE && document_hidden(d, layer, head, i, j);
            float *w = mat_ref(out, i, j);
            *w = hidden ? -INFINITY : (float)((double)*w * sqrt(square));
        }
    }
    arena_close(scratch);
}

// ---- planes

static void make_plane(Mat out, Maker *maker, int plane)
{
    const Document *d = maker->of;
    int all = d->layers * d->heads;
    switch (maker->made) {
    case MADE_MEAN: make_of_many(out, d, plane * d->heads, d->heads, false); break;
    case MADE_MOST: make_of_many(out, d, plane * d->heads, d->heads, true); break;
    case MADE_MEAN_ALL: make_of_many(out, d, 0, all, false); break;
    case MADE_MOST_ALL: make_of_many(out, d, 0, all, true); break;
    case MADE_ROLLOUT: make_rollout(out, maker, plane); break;
    case MADE_NORM: make_norm(out, d, plane / d->heads, plane % d->heads); break;
    default: break;
    }
}

// The plane, in the place of the one that was asked for the longest time ago.
static const unsigned char *plane_of(void *context, FieldKind kind, int plane)
{
    Maker *maker = context;
    Kept *place = &maker->kept[0];
    (void)kind;
    for (int n = 0; n < KEPT; n++) {
        Kept *kept = &maker->kept[n];
        if (!mat_empty(kept->at) && kept->plane == plane) {
            kept->asked = ++maker->asks;
            return (const unsigned char *)kept->at.at;
        }
        if (kept->asked < place->asked) place = kept;
    }
    if (mat_empty(place->at)) place->at = mat_new(maker->arena, maker->of->T, maker->of->S);
    make_plane(place->at, maker, plane);
    place->plane = plane;
    place->asked = ++maker->asks;
    return (const unsigned char *)place->at.at;
}

static Field field_of(Maker *maker, int layers, int heads)
{
    const uint16_t one = 1;
    const Document *d = maker->of;
    return (Field){
        .name = texts[maker->made].name,
        .kind = FIELD_WEIGHTS,
        .layers = layers,
        .heads = heads,
        .rows = d->T,
        .cols = d->S,
        .make = plane_of,
        .maker = maker,
        .row_step = d->S * (ptrdiff_t)sizeof(float),
        .col_step = sizeof(float),
        .stored = DTYPE_F32,
        .big_endian = *(const unsigned char *)&one == 0,
    };
}

Document made_document(Arena *arena, const Document *of, MapReduction made)
{
    REQUIRE(made != MADE_NONE && made_possible(of, made), "%s cannot be made of %s", made_name(made), of->title);
    bool all = made == MADE_MEAN_ALL || made == MADE_MOST_ALL, each = made == MADE_NORM;
    Maker *maker = arena_alloc(arena, sizeof *maker);
    *maker = (Maker){ .of = of, .made = made, .arena = arena };
    maker->rollout = arena_alloc(arena, (size_t)of->layers * sizeof *maker->rollout);
    Document d = *of;
    d.layers = all ? 1 : of->layers;
    d.heads = d.groups = each ? of->heads : 1;
    d.fields = arena_alloc(arena, sizeof *d.fields);
    d.fields[0] = field_of(maker, d.layers, d.heads);
    d.count = 1;
    d.maps = 0;
    for (int kind = 0; kind < FIELD_KINDS; kind++) d.of[kind] = -1;
    d.of[FIELD_WEIGHTS] = 0;
    d.masked = of->masked == MASK_NONE ? MASK_NONE : MASK_MAPS;
    d.walk = (Walk){ .frames = 0, .ranks = -1 };
    d.of_maps = of;
    d.made = made_name(made);
    d.shape = arena_format(arena, "%s: %s", made_name(made), made_formula(made));
    d.range = NULL;
    d.roles = each ? of->roles : NULL;
    d.loose = made == MADE_MOST || made == MADE_MOST_ALL || made == MADE_NORM;
    return d;
}
