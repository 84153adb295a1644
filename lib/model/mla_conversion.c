// Chapter 17. The basis of latents from keys and values. [Eckart and Young 1936, Psychometrika 1]
#include "model/mla_conversion.h"

#include "model/svd.h"

#include <string.h>

// Σ zᵀz over the rows of a matrix (n, width).
static MlaMoments moments_of(Arena *arena, Mat z)
{
    int width = z.cols;
    MlaMoments m = { width, width / 2, arena_alloc(arena, sizeof(double) * (size_t)width * (size_t)width) };
    for (int i = 0; i < z.rows; i++) {
        const float *row = mat_row(z, i);
        for (int a = 0; a < width; a++)
            for (int b = 0; b <= a; b++) m.at[a * width + b] += (double)row[a] * (double)row[b];
    }
    for (int a = 0; a < width; a++)
        for (int b = a + 1; b < width; b++) m.at[a * width + b] = m.at[b * width + a];
    return m;
}

// k | v, the columns after the queries.
static Mat keys_and_values(Mat qkv, const Config *config)
{
    return mat_cols(qkv, config->D, 2 * config->G * (config->D / config->H));
}

MlaMoments mla_moments_of_weights(Arena *arena, Transformer model, int layer)
{
    return moments_of(arena, keys_and_values(model.layers[layer].wqkv, &model.config));
}

MlaMoments mla_moments_of_run(Arena *arena, const Run *run, int layer)
{
    return moments_of(arena, keys_and_values(run->layers[layer].qkv, &run->model.config));
}

// The leading c eigenvectors of the diagonal block first … first + n − 1, into the same rows of `to`.
static void block_eigenvectors(Mat to, MlaMoments m, int first, int n)
{
    Arena *scratch = arena_open();
    double *block = arena_alloc(scratch, sizeof(double) * (size_t)n * (size_t)n);
    for (int a = 0; a < n; a++)
        memcpy(block + (size_t)a * (size_t)n, m.at + (size_t)(first + a) * (size_t)m.width + first,
               sizeof(double) * (size_t)n);
    Svd parts = svd_decompose(scratch, block, n, n);
    for (int a = 0; a < n; a++)
        for (int l = 0; l < to.cols; l++) *mat_ref(to, first + a, l) = (float)parts.u[a * n + l];
    arena_close(scratch);
}

Mat mla_basis(Arena *arena, MlaMoments m, int c, MlaKind kind)
{
    int halves = kind == MLA_SEPARATE ? 2 : 1, values = m.width - m.keys;
    int narrowest = halves == 1 ? m.width : m.keys < values ? m.keys : values;
    REQUIRE(c >= 1 && c % halves == 0 && c / halves <= narrowest, "a latent of %d for keys and values of %d", c,
            m.width);
    Mat basis = mat_new(arena, m.width, c);
    if (kind == MLA_JOINT) block_eigenvectors(basis, m, 0, m.width);
    else {
        block_eigenvectors(mat_cols(basis, 0, c / 2), m, 0, m.keys);
        block_eigenvectors(mat_cols(basis, c / 2, c / 2), m, m.keys, values);
    }
    return basis;
}

double mla_lost(MlaMoments m, Mat basis)
{
    double total = 0.0, kept = 0.0;
    for (int a = 0; a < m.width; a++) total += m.at[a * m.width + a];
    for (int l = 0; l < basis.cols; l++)
        for (int a = 0; a < m.width; a++)
            for (int b = 0; b < m.width; b++)
                kept += (double)*mat_ref(basis, a, l) * m.at[a * m.width + b] * (double)*mat_ref(basis, b, l);
    return total > 0.0 ? 1.0 - kept / total : 0.0;
}

KvStore *mla_stores(Arena *arena, LatentStore **stores, const Mat *basis, int L, int capacity, int key_width)
{
    KvStore *caches = arena_alloc(arena, sizeof *caches * (size_t)L);
    *stores = arena_alloc(arena, sizeof **stores * (size_t)L);
    for (int l = 0; l < L; l++) {
        (*stores)[l] = latent_store_new(arena, capacity, basis[l], key_width);
        caches[l] = latent_store(&(*stores)[l]);
    }
    return caches;
}
