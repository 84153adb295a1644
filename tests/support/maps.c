// Documents made by hand: a few lines of attention that share nothing with lib/.
#include "base/portable_math.h"
#include "support/maps.h"

// ---- fields

static Field field_of(Arena *arena, FieldKind kind, int layers, int heads, const Mat *maps)
{
    static const char *const names[FIELD_KINDS] = { "weights", "scores", "q", "k", "v", "heads", "out", "other" };
    const unsigned char **planes = arena_alloc(arena, (size_t)(layers * heads) * sizeof *planes);
    for (int n = 0; n < layers * heads; n++) planes[n] = (const unsigned char *)maps[n].at;
    return (Field){ .name = names[kind],
                    .kind = kind,
                    .layers = layers,
                    .heads = heads,
                    .rows = maps->rows,
                    .cols = maps->cols,
                    .planes = planes,
                    .row_step = maps->stride * (ptrdiff_t)sizeof(float),
                    .col_step = sizeof(float),
                    .stored = DTYPE_F32 };
}

static void add(Document *d, Field field)
{
    d->of[field.kind] = d->count;
    d->fields[d->count++] = field;
}

static Document empty(Arena *arena, int layers, int heads, int T, int S)
{
    Document d = { .title = "by hand",
                   .source = "by hand",
                   .shape = "a shape",
                   .range = "a range",
                   .layers = layers,
                   .heads = heads,
                   .groups = heads,
                   .T = T,
                   .S = S };
    d.fields = arena_alloc(arena, 8 * sizeof *d.fields);
    for (int kind = 0; kind < FIELD_KINDS; kind++) d.of[kind] = -1;
    return d;
}

Document document_of_maps(Arena *arena, int layers, int heads, const Mat *maps)
{
    Document d = empty(arena, layers, heads, maps->rows, maps->cols);
    add(&d, field_of(arena, FIELD_WEIGHTS, layers, heads, maps));
    return d;
}

// ---- attention, row by row

static void scores_of(Mat scores, Mat q, Mat k, bool causal)
{
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) {
            double dot = 0;
            for (int c = 0; c < q.cols; c++) dot += (double)*mat_ref(q, i, c) * (double)*mat_ref(k, j, c);
            bool hidden = causal && j > i + scores.cols - scores.rows;
            *mat_ref(scores, i, j) = hidden ? -INFINITY : (float)(dot / sqrt(q.cols));
        }
}

static void weights_of(Mat weights, Mat scores)
{
    for (int i = 0; i < scores.rows; i++) {
        double sum = 0;
        for (int j = 0; j < scores.cols; j++) sum += exp((double)*mat_ref(scores, i, j));
        for (int j = 0; j < scores.cols; j++)
            *mat_ref(weights, i, j) = (float)(exp((double)*mat_ref(scores, i, j)) / sum);
    }
}

static Mat product_of(Arena *arena, Mat a, Mat b)
{
    Mat out = mat_new(arena, a.rows, b.cols);
    for (int i = 0; i < a.rows; i++)
        for (int k = 0; k < a.cols; k++)
            for (int j = 0; j < b.cols; j++) *mat_ref(out, i, j) += *mat_ref(a, i, k) * *mat_ref(b, k, j);
    return out;
}

static Mat random_of(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

static const char *const *words_of(Arena *arena, int count)
{
    static const char *const few[] = { "the", "animal", "it", "Straßenüberquerung", ".", "中文", "a" };
    const char **words = arena_alloc(arena, (size_t)count * sizeof *words);
    for (int i = 0; i < count; i++) words[i] = few[i % (int)(sizeof few / sizeof *few)];
    return words;
}

Document document_random(Arena *arena, Random *random, Shape s)
{
    int all = s.layers * s.heads;
    Document d = empty(arena, s.layers, s.heads, s.T, s.S);
    Mat *maps[FIELD_KINDS];
    for (int kind = 0; kind < FIELD_KINDS; kind++) maps[kind] = arena_alloc(arena, (size_t)all * sizeof(Mat));
    for (int n = 0; n < all; n++) {
        Mat q = maps[FIELD_Q][n] = random_of(arena, random, s.T, s.d),
            k = maps[FIELD_K][n] = random_of(arena, random, s.S, s.d);
        Mat v = maps[FIELD_V][n] = random_of(arena, random, s.S, s.d);
        scores_of(maps[FIELD_SCORES][n] = mat_new(arena, s.T, s.S), q, k, s.causal);
        weights_of(maps[FIELD_WEIGHTS][n] = mat_new(arena, s.T, s.S), maps[FIELD_SCORES][n]);
        maps[FIELD_HEAD][n] = product_of(arena, maps[FIELD_WEIGHTS][n], v);
        maps[FIELD_OUT][n] = product_of(arena, maps[FIELD_HEAD][n], random_of(arena, random, s.d, s.D));
    }
    for (FieldKind kind = FIELD_WEIGHTS; kind <= FIELD_OUT; kind++)
        add(&d, field_of(arena, kind, s.layers, s.heads, maps[kind]));
    d.masked = s.causal ? MASK_SCORES : MASK_NONE;
    if (s.words) {
        d.queries = words_of(arena, s.T);
        d.keys = words_of(arena, s.S);
    }
    return d;
}

// ---- the walk

// A frame: the weights of the keys seen so far, and m, l and the last rescale of every query.
static void step(Mat weights, Mat state, Mat scores, int keys, int width)
{
    for (int i = 0; i < scores.rows; i++) {
        double max = -INFINITY, before = -INFINITY, sum = 0;
        for (int j = 0; j < keys; j++) {
            double score = (double)*mat_ref(scores, i, j);
            max = fmax(max, score);
            if (j < keys - width) before = fmax(before, score);
        }
        for (int j = 0; j < keys; j++) sum += exp((double)*mat_ref(scores, i, j) - max);
        for (int j = 0; j < keys; j++)
            *mat_ref(weights, i, j) = (float)(exp((double)*mat_ref(scores, i, j) - max) / sum);
        *mat_ref(state, i, 0) = (float)max;
        *mat_ref(state, i, 1) = (float)sum;
        *mat_ref(state, i, 2) = (float)exp(before - max);
    }
}

Document document_walk(Arena *arena, Random *random, int T, int tile)
{
    int frames = (T + tile - 1) / tile;
    Mat scores = mat_new(arena, T, T), tiles = mat_new(arena, frames, 4);
    Mat *weights = arena_alloc(arena, (size_t)frames * sizeof(Mat)),
        *states = arena_alloc(arena, (size_t)frames * sizeof(Mat));
    Mat q = random_of(arena, random, T, 4), k = random_of(arena, random, T, 4);
    scores_of(scores, q, k, false);
    for (int f = 0; f < frames; f++) {
        int first = f * tile, width = T - first < tile ? T - first : tile;
        weights[f] = mat_new(arena, T, T);
        states[f] = mat_new(arena, T, 3);
        step(weights[f], states[f], scores, first + width, width);
        *mat_ref(tiles, f, 1) = (float)T;
        *mat_ref(tiles, f, 2) = (float)first;
        *mat_ref(tiles, f, 3) = (float)width;
    }
    Document d = document_of_maps(arena, 1, frames, weights);
    add(&d, field_of(arena, FIELD_OTHER, 1, frames, states));
    d.walk = (Walk){ .frames = frames, .weights = 0, .state = 1, .tiles = tiles, .ranks = -1 };
    return d;
}

// Rank r owns T / R queries and in step s meets the keys of rank r − s, causal.
Document document_of_ranks(Arena *arena, Random *random, int T, int R)
{
    Mat *weights = arena_alloc(arena, (size_t)R * sizeof(Mat)), *ranks = arena_alloc(arena, (size_t)R * sizeof(Mat));
    int share = T / R;
    for (int s = 0; s < R; s++) {
        weights[s] = random_of(arena, random, T, T);
        ranks[s] = mat_new(arena, T, T);
        for (int i = 0; i < T; i++)
            for (int j = 0; j <= i; j++)
                if ((i / share - s + R) % R == j / share) *mat_ref(ranks[s], i, j) = (float)(1 + i / share);
    }
    Document d = document_of_maps(arena, 1, R, weights);
    add(&d, field_of(arena, FIELD_OTHER, 1, R, ranks));
    d.walk = (Walk){ .frames = R, .weights = 0, .state = -1, .ranks = 1, .many = R };
    return d;
}
