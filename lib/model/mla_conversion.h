// Chapter 17. A trained model turned into one that keeps latents: which c numbers say most of a token's keys and
// values.
//
// Keys and values side by side are z = [k | v] = x [Wk | Wv], of width 2 G d. Of all ways to keep c numbers of z and
// make z again, the closest in the sum of squares goes by the eigenvectors of Σ zᵀz with the c largest eigenvalues:
// they are the right singular vectors of the rows z below each other [Eckart and Young 1936]. With the rows of real
// documents this looks at what activations are like: it is the SVD of [Wk | Wv] whitened by the second moment of x,
// without the detour by a root of that matrix. With the rows of [Wk | Wv] itself, it looks at the weights alone.
//
// With RoPE, keys come turned: latents are made of turned keys, the basis is one matrix all the same, and queries that
// are turned, too, absorb it. But turned keys are no product with x: they may lie in more directions than x has
// columns, and then as many numbers leave something out. What is not here: training on. [Ji et al. 2025,
// arXiv:2502.14837; Meng et al. 2025, arXiv:2502.07864]
#ifndef MODEL_MLA_CONVERSION_H
#define MODEL_MLA_CONVERSION_H

#include "attention/latent.h"
#include "model/run.h"

// Σ zᵀz in float64, symmetric, (width, width) row after row.
typedef struct {
    int width, keys;
    double *at;
} MlaMoments; // the first `keys` columns are those of keys

MlaMoments mla_moments_of_weights(Arena *arena, Transformer model, int layer); // its rows are those of [Wk | Wv]
MlaMoments mla_moments_of_run(Arena *arena, const Run *run, int layer);        // of all positions of the run

// One latent for keys and values, or one for each, half as wide. c ≤ width; SEPARATE wants an even c.
typedef enum { MLA_JOINT, MLA_SEPARATE } MlaKind;

// (width, c) with orthonormal columns: z is kept as z · basis, and comes back as that · basisᵀ. As latent_store_new
// takes it. A direction that no row has may be a column of zeros.
Mat mla_basis(Arena *arena, MlaMoments moments, int c, MlaKind kind);

// The share of Σ |z|² that does not come back: 1 − Σ |z · basis|² / Σ |z|².
double mla_lost(MlaMoments moments, Mat basis);

// Every layer of the model over latents of `basis` (L): stores (L) and their KvStores (L), for decoder_over.
KvStore *mla_stores(Arena *arena, LatentStore **stores, const Mat *basis, int L, int capacity, int key_width);

#endif
