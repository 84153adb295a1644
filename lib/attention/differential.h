// Chapter 22. Differential attention: two maps, and λ times the second is taken away from the first.
//
//     out = (softmax(q₁ k₁ᵀ / √d) − λ softmax(q₂ k₂ᵀ / √d)) v       q₁, q₂, k₁, k₂ d wide, v of any width
//
// A pair of maps takes the place of a head. The map that is left is signed, and its rows sum up to 1 − λ. Where pairs
// take the places of as many heads of twice the width, no matrix changes its shape: a pair's queries are the two halves
// of a head's query, and so are its keys; its values are the head's. [Ye et al. 2024, §2.1, arXiv:2410.05258]
//
// What is not here: λ made of the token (the second version of the paper's authors); the matrices of the model, which
// are those of chapter 06 (model/transformer.h).
#ifndef ATTENTION_DIFFERENTIAL_H
#define ATTENTION_DIFFERENTIAL_H

#include "attention/latent.h"

// ---- one pair

// What a pair reads: q[n] (T, d) and k[n] (S, d) of map n, v (S, dv) of both. k[0] and k[1] may be the same.
typedef struct {
    Mat q[2], k[2], v;
} DifferentialPair;

// Pair p of P, as views: q (T, P · 2d), in which each pair has q₁ | q₂; k (S, G · 2d) and v (S, G · dv) of G pairs of
// keys. Pair p reads pair p / (P / G) of them: with G = P its own (MHA), with G < P it shares (GQA).
DifferentialPair differential_pair(Mat q, Mat k, Mat v, int P, int G, int p);

// As the formula says: to.weights (T, S), which it needs, becomes the signed map, and that mixes the values once.
// to.lse is left alone: a difference has none. masks[n] is for map n.
void differential_direct(Attended to, DifferentialPair pair, float lambda, const Mask masks[2]);

// The same by two calls of any kernel, whose outputs are subtracted: A₁v − λ(A₂v). It needs no map; to.weights (T, S),
// if asked for, becomes the signed one, as the kernel gives its two. Both forms differ in their rounding alone.
void differential_calls(Attended to, DifferentialPair pair, float lambda, const Mask masks[2], AttentionKernel *kernel);

// ---- all pairs of a layer

// q, k, v as above → to.out (T, P · dv), to.weights (P T, S) if asked for. masks (P · 2), one a map.
void differential_attend(Attended to, Mat q, Mat k, Mat v, int P, int G, float lambda, const Mask *masks,
                         AttentionKernel *kernel);

// Over latents (chapter 17), absorbed: q (T, 2P (d + dr)), one query a map, rows (S, c + dr) as they are kept, wuk
// (c, 2P d) of 2P keys, wuv (c, P · dv) of P values → to.out (T, P · dv). Latents are mixed and subtracted, and what is
// left becomes values, once a pair. masks as above, for keys of d + dr.
void differential_latent(Attended to, Mat q, Mat rows, LatentHeads w, float lambda, const Mask *masks,
                         AttentionKernel *kernel);

// ---- for those who know of heads only: a cache that is a KvStore (model/run.h)

// A cache that holds k (S, G · 2d) can be read as one of G keys of 2d. A query of d with zeros in the place of the
// other's columns meets its own: q (T, H d) → wide (T, H 2d), [q 0] for even heads and [0 q] for odd ones. That is d
// multiplications too many for every score.
void differential_widen(Mat wide, Mat q, int H);
Mask differential_mask(Mask mask, int d); // where the mask names no scale: 1/√d, not 1/√2d

// maps (T, 2P dv), what each map mixed → out (T, P dv): first − λ second, pair by pair.
void differential_subtract(Mat out, Mat maps, float lambda, int P);

// dout (T, P dv) → dmaps (T, 2P dv), dlambda. ADDS, as chapter 08 does.
void differential_subtract_backward(Mat dmaps, float *dlambda, Mat dout, Mat maps, float lambda, int P);

// ---- λ

// λ_init of a layer, from 0: 0.8 − 0.6 e^(−0.3 layer). The paper counts layers from 1. [§2.1]
double differential_lambda_init(int layer);

// vectors (4, d), rows λq1, λk1, λq2, λk2: λ = exp(λq1 · λk1) − exp(λq2 · λk2) + init. It may be negative, and above 1.
float differential_lambda(Mat vectors, float init);
void differential_lambda_backward(Mat dvectors, float dlambda, Mat vectors); // ADDS

// ---- the norm of each head

// Of every head's n columns by themselves: y = x / √(mean x² + 10⁻⁶) · gain · factor. x, y (T, P n), gain (1, n), the
// same for all heads; factor is 1 − λ_init. Whatever scale the difference had is gone. [§2.2]
void differential_norm(Mat y, Mat x, Mat gain, float factor);
void differential_norm_backward(Mat dx, Mat dgain, Mat dy, Mat x, Mat gain, float factor); // ADDS

#endif
