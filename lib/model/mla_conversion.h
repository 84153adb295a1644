// Chapter 17. Converts a trained model to multi-head latent attention (MLA): finds the c numbers per token that best
// represent its keys and values.
//
// Keys and values side by side are z = [k | v] = x [Wk | Wv], of width 2 G d. The best linear compression of z to c
// numbers, in the sum of squares, projects onto the eigenvectors of Σ zᵀz with the c largest eigenvalues: the right
// singular vectors of the stacked rows z [Eckart and Young 1936]. With rows z of real documents this fits the
// activations; it equals the SVD of [Wk | Wv] whitened by the second moment of x, without computing a matrix square
// root. With the rows of [Wk | Wv] it fits the weights alone.
//
// With RoPE, keys are cached rotated: the latents compress rotated keys, the basis is still one matrix, and rotated
// queries can absorb it. But rotated keys are not linear in x: they can span more dimensions than x has, and then the
// same c loses something. Not implemented: further training (uptraining). [Ji et al. 2025, arXiv:2502.14837; Meng et
// al. 2025, arXiv:2502.07864]
#ifndef MODEL_MLA_CONVERSION_H
#define MODEL_MLA_CONVERSION_H

#include "attention/latent.h"
#include "model/run.h"

// Σ zᵀz in float64, symmetric, (width, width), row-major.
typedef struct {
    int width, keys;
    double *at;
} MlaMoments; // the first `keys` columns belong to the keys

MlaMoments mla_moments_of_weights(Arena *arena, Transformer model, int layer); // from the rows of [Wk | Wv]
MlaMoments mla_moments_of_run(Arena *arena, const Run *run, int layer);        // from all positions of the run

// One latent for keys and values, or one each of half the width. c ≤ width; MLA_SEPARATE needs an even c.
typedef enum { MLA_JOINT, MLA_SEPARATE } MlaKind;

// (width, c) with orthonormal columns: the cache stores z · basis and restores z as that · basisᵀ (latent_store_new).
// Columns can be zero if the moments have a rank below c.
Mat mla_basis(Arena *arena, MlaMoments moments, int c, MlaKind kind);

// The fraction of Σ |z|² that is lost: 1 − Σ |z · basis|² / Σ |z|².
double mla_lost(MlaMoments moments, Mat basis);

// Latent caches for every layer, from its basis (L): stores (L) and their KvStores (L), for decoder_over.
KvStore *mla_stores(Arena *arena, LatentStore **stores, const Mat *basis, int L, int capacity, int key_width);

#endif
