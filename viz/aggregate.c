// Reduces the maps of a document to fewer maps, one plane at a time, in float64.
#include "viz/aggregate.h"

#include "attention/rollout.h"
#include "base/portable_math.h"

// A cache of reduced planes: the last few; for rollout all of them, since each is computed from the one before.
enum { KEPT = 8 };
typedef struct {
    int plane;
    int64_t asked;
    Mat at;
} Kept;
typedef struct {
    const Document *of;
    MapReduction reduction;
    Arena *arena;
    Kept kept[KEPT];
    int64_t asks;
    Mat *rollout; // (layers) empty: not computed yet
} Maker;

// ---- names

static const struct {
    const char *word, *name, *formula;
} texts[REDUCTIONS] = {
    [REDUCE_NONE] = { "heads", "heads as they are", "" },
    [REDUCE_MEAN] = { "mean", "mean of the layer's heads", "Σ w / H over heads" },
    [REDUCE_MAX] = { "largest", "largest of the layer's heads", "max w over heads" },
    [REDUCE_MEAN_ALL] = { "mean-all", "mean of all heads", "Σ w / (L H) over layers and heads" },
    [REDUCE_MAX_ALL] = { "largest-all", "largest of all heads", "max w over layers and heads" },
    [REDUCE_ROLLOUT] = { "rollout", "rollout", "R(l) = (½ I + ½ mean of layer l) R(l − 1)" },
    [REDUCE_NORM] = { "norm", "weight × norm of the value", "w(i, j) |v(j)|" },
};

const char *reduction_name(MapReduction reduction) { return texts[reduction].name; }
const char *reduction_word(MapReduction reduction) { return texts[reduction].word; }
const char *reduction_formula(MapReduction reduction) { return texts[reduction].formula; }

// Can a plane be computed in half a second? The window waits for it.
static bool is_fast(const Document *d, MapReduction reduction)
{
    double heads = reduction == REDUCE_NORM                              ? 1
                   : reduction == REDUCE_MEAN || reduction == REDUCE_MAX ? d->heads
                                                                         : d->layers * d->heads;
    return heads * d->T * d->S <= 1 << 25;
}

bool reduction_possible(const Document *d, MapReduction reduction)
{
    bool weights = d->of[FIELD_WEIGHTS] >= 0 && d->maps == d->of[FIELD_WEIGHTS] && !d->walk.frames;
    if (reduction != REDUCE_NONE && !is_fast(d, reduction)) return false;
    switch (reduction) {
    case REDUCE_NONE: return true;
    case REDUCE_MEAN:
    case REDUCE_MAX: return weights && d->heads > 1;
    case REDUCE_MEAN_ALL:
    case REDUCE_MAX_ALL: return weights && d->layers > 1;
    case REDUCE_ROLLOUT: return weights && d->T == d->S && d->T <= ROLLOUT_MAX_TOKENS;
    case REDUCE_NORM: return weights && d->of[FIELD_V] >= 0;
    case REDUCTIONS: break;
    }
    return false;
}

// ---- sums of maps

// Reduces heads first … first + count − 1, counted through all layers, to their mean or maximum. −∞ where all of them
// hide the cell.
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
    switch (maker->reduction) {
    case REDUCE_MEAN: make_of_many(out, d, plane * d->heads, d->heads, false); break;
    case REDUCE_MAX: make_of_many(out, d, plane * d->heads, d->heads, true); break;
    case REDUCE_MEAN_ALL: make_of_many(out, d, 0, all, false); break;
    case REDUCE_MAX_ALL: make_of_many(out, d, 0, all, true); break;
    case REDUCE_ROLLOUT: make_rollout(out, maker, plane); break;
    case REDUCE_NORM: make_norm(out, d, plane / d->heads, plane % d->heads); break;
    default: break;
    }
}

// The plane from the cache, or computed into the entry that was used least recently.
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
        .name = texts[maker->reduction].name,
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

Document reduction_document(Arena *arena, const Document *of, MapReduction reduction)
{
    REQUIRE(reduction != REDUCE_NONE && reduction_possible(of, reduction), "%s cannot be made of %s",
            reduction_name(reduction), of->title);
    bool all = reduction == REDUCE_MEAN_ALL || reduction == REDUCE_MAX_ALL, each = reduction == REDUCE_NORM;
    Maker *maker = arena_alloc(arena, sizeof *maker);
    *maker = (Maker){ .of = of, .reduction = reduction, .arena = arena };
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
    d.reduced_from = of;
    d.reduced_name = reduction_name(reduction);
    d.shape = arena_format(arena, "%s: %s", reduction_name(reduction), reduction_formula(reduction));
    d.range = NULL;
    d.roles = each ? of->roles : NULL;
    d.unnormalized = reduction == REDUCE_MAX || reduction == REDUCE_MAX_ALL || reduction == REDUCE_NORM;
    return d;
}
