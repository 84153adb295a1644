// Chapter 09. The parameters of a transformer: allocation and initialization.
#include "model/transformer.h"

#include "base/portable_math.h"

#include <string.h>

// ---- allocation

typedef struct {
    Transformer *model;
    Arena *arena;
    TransformerPlace *place;
    void *context;
} Placing;

static Mat place(Placing *p, const char *name, int rows, int cols)
{
    Mat at = p->place(p->context, name, rows, cols);
    REQUIRE(at.rows == rows && at.cols == cols, "%s is " MAT_SHAPE "; it must be " MAT_SHAPE, name, MAT_SHAPED(at),
            rows, cols);
    p->model->table[p->model->count++] = (TransformerParameter){ name, at };
    return at;
}

static Mat place_in_layer(Placing *p, int l, const char *name, int rows, int cols)
{
    return place(p, arena_format(p->arena, "layers.%d.%s", l, name), rows, cols);
}

static TransformerLayer place_layer(Placing *p, int l)
{
    Config c = p->model->config;
    int D = c.D, d = D / c.H;
    TransformerLayer layer = { 0 };
    if (!c.bare) layer.norm = place_in_layer(p, l, "norm", 1, D);
    if (config_owner(&c, l) == l) layer.wqkv = place_in_layer(p, l, "wqkv", D, (c.H + 2 * c.G) * d);
    else layer.wqkv = place_in_layer(p, l, "wq", D, D);
    layer.wo = place_in_layer(p, l, "wo", D, D);
    if (c.sink == CONFIG_SINK_LOGIT) layer.sink = place_in_layer(p, l, "sink", 1, c.H);
    if (c.differ == CONFIG_DIFFER_LEARNED) layer.lambda = place_in_layer(p, l, "lambda", 4, d);
    if (c.head_norm) layer.head_norm = place_in_layer(p, l, "head_norm", 1, D / config_head_outputs(&c));
    if (c.sink == CONFIG_SINK_GATE) {
        layer.shut = place_in_layer(p, l, "shut", D, c.H);
        layer.shut_bias = place_in_layer(p, l, "shut_bias", 1, c.H);
    }
    if (!c.mlp) return layer;
    if (!c.bare) layer.mlp_norm = place_in_layer(p, l, "mlp_norm", 1, D);
    if (c.mlp_kind == CONFIG_MLP_SWIGLU) {
        layer.gate = place_in_layer(p, l, "gate", D, c.mlp);
        layer.up = place_in_layer(p, l, "up", D, c.mlp);
        layer.down = place_in_layer(p, l, "down", c.mlp, D);
        return layer;
    }
    layer.w1 = place_in_layer(p, l, "w1", D, c.mlp);
    layer.b1 = place_in_layer(p, l, "b1", 1, c.mlp);
    layer.w2 = place_in_layer(p, l, "w2", c.mlp, D);
    layer.b2 = place_in_layer(p, l, "b2", 1, D);
    return layer;
}

static const int *copy_of(Arena *arena, const int *window, int L)
{
    if (!window) return NULL;
    int *copy = arena_alloc(arena, (size_t)L * sizeof *copy);
    memcpy(copy, window, (size_t)L * sizeof *copy);
    return copy;
}

Transformer transformer_placed(Arena *arena, Config config, TransformerPlace *where, void *context)
{
    Error error;
    REQUIRE(config_fits(&config, &error), "%s", error.text);
    Transformer m = { .config = config };
    Placing p = { &m, arena, where, context };
    m.config.window = copy_of(arena, config.window, config.L);
    m.table = arena_alloc(arena, (size_t)(3 + config.L * (config.mlp ? 12 : 7)) * sizeof *m.table);
    m.layers = arena_alloc(arena, (size_t)config.L * sizeof *m.layers);
    m.embedding = place(&p, "embedding", config.words, config.D);
    for (int l = 0; l < config.L; l++) m.layers[l] = place_layer(&p, l);
    if (!config.bare) m.norm = place(&p, "norm", 1, config.D);
    m.output = place(&p, "output", config.D, config.outputs);
    return m;
}

static Mat place_new(void *arena, const char *name, int rows, int cols)
{
    (void)name;
    return mat_new(arena, rows, cols);
}

Transformer transformer_new(Arena *arena, Config config) { return transformer_placed(arena, config, place_new, arena); }

// ---- values

static void fill_normal(Mat m, double deviation, Random *random)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) = (float)((double)random_normal(random) * deviation);
}

void transformer_init(Transformer m, Random *random)
{
    Config c = m.config;
    double wide = 1.0 / sqrt(c.D), into_x = 1.0 / sqrt(2.0 * c.L);
    transformer_fill(m, 0.0f);
    fill_normal(m.embedding, wide, random);
    for (int l = 0; l < c.L; l++) {
        TransformerLayer layer = m.layers[l];
        mat_fill(layer.norm, 1.0f);
        fill_normal(layer.wqkv, wide, random);
        fill_normal(layer.wo, wide * into_x, random);
        fill_normal(layer.shut, wide, random);
        fill_normal(layer.lambda, 0.1, random);
        mat_fill(layer.head_norm, 1.0f);
        if (!c.mlp) continue;
        mat_fill(layer.mlp_norm, 1.0f);
        fill_normal(layer.w1, wide, random);
        fill_normal(layer.gate, wide, random);
        fill_normal(layer.up, wide, random);
        fill_normal(c.mlp_kind == CONFIG_MLP_SWIGLU ? layer.down : layer.w2, into_x / sqrt(c.mlp), random);
    }
    mat_fill(m.norm, 1.0f);
    fill_normal(m.output, wide, random);
}

void transformer_fill(Transformer m, float value)
{
    for (int p = 0; p < m.count; p++) mat_fill(m.table[p].at, value);
}

void transformer_set(Transformer to, Transformer from)
{
    REQUIRE(to.count == from.count, "one model has %d matrices, the other %d", to.count, from.count);
    for (int p = 0; p < to.count; p++) mat_set(to.table[p].at, from.table[p].at);
}

int64_t transformer_numbers(Transformer m)
{
    int64_t numbers = 0;
    for (int p = 0; p < m.count; p++) numbers += (int64_t)m.table[p].at.rows * m.table[p].at.cols;
    return numbers;
}
