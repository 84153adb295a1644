// One vector for all parameters.
#include "support/flat.h"

typedef struct {
    float *next;
} Vector;

static Mat place_next(void *context, const char *name, int rows, int cols)
{
    Vector *vector = context;
    Mat at = { vector->next, rows, cols, cols };
    (void)name;
    vector->next += (ptrdiff_t)rows * cols;
    return at;
}

Transformer flat_model(Arena *arena, Config config)
{
    Vector vector = { mat_new(arena, 1, (int)config_parameters(&config)).at };
    return transformer_placed(arena, config, place_next, &vector);
}

Mat flat_vector(Transformer flat)
{
    int n = (int)transformer_numbers(flat);
    for (int p = 0, before = 0; p < flat.count; p++) {
        Mat at = flat.table[p].at;
        REQUIRE(at.at == flat.embedding.at + before && at.stride == at.cols, "%s stands elsewhere", flat.table[p].name);
        before += at.rows * at.cols;
    }
    return (Mat){ flat.embedding.at, 1, n, n };
}

Transformer flat_random(Arena *arena, Config config, Random *random, float noise)
{
    Transformer m = flat_model(arena, config);
    Mat all = flat_vector(m);
    transformer_init(m, random);
    for (int i = 0; i < all.cols; i++) all.at[i] += noise * random_normal(random);
    return m;
}

Mat flat_copy(Arena *arena, Transformer model)
{
    Transformer flat = flat_model(arena, model.config);
    transformer_set(flat, model);
    return flat_vector(flat);
}

void flat_set(Transformer model, Mat vector)
{
    int next = 0;
    for (int p = 0; p < model.count; p++) {
        Mat to = model.table[p].at;
        mat_set(to, (Mat){ mat_row(vector, 0) + next, to.rows, to.cols, to.cols });
        next += to.rows * to.cols;
    }
    REQUIRE(next == vector.cols, "%d numbers for %d", vector.cols, next);
}
