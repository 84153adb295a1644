// Chapter 22. Differential attention: the difference of two attention maps, which cancels attention noise that both
// have in common. [Ye et al. 2024, §2.1, arXiv:2410.05258]
//
//     out = (softmax(q₁ k₁ᵀ / √d) − λ softmax(q₂ k₂ᵀ / √d)) v       q₁, q₂, k₁, k₂ d wide, v of any width
//
// A pair of maps replaces a head. The difference is a signed map whose rows sum to 1 − λ. If pairs replace heads of
// twice the width, no weight matrix changes its shape: a pair's two queries are the halves of a head's query, its two
// keys the halves of the head's key, and its values are the head's.
//
// Not here: a token-dependent λ (second version by the paper's authors); the model's weight matrices, which are those
// of multi-head attention (model/transformer.h).
#ifndef ATTENTION_DIFFERENTIAL_H
#define ATTENTION_DIFFERENTIAL_H

#include "attention/latent.h"

// ---- one pair

// Inputs of one pair: q[n] (T, d) and k[n] (S, d) of map n; v (S, dv), shared by both. k[0] and k[1] may be the same.
typedef struct {
    Mat q[2], k[2], v;
} DifferentialPair;

// Pair p of P, as views: q (T, P · 2d) holds q₁ | q₂ per pair; k (S, G · 2d) and v (S, G · dv) hold G key pairs. Pair p
// reads key pair p / (P / G): its own if G = P (MHA), a shared one if G < P (GQA).
DifferentialPair differential_pair(Mat q, Mat k, Mat v, int P, int G, int p);

// The formula, literally: to.weights (T, S), which is required, receives the signed map, which then mixes the values.
// to.lse is not written: a difference has no logsumexp. masks[n] is for map n.
void differential_direct(Attended to, DifferentialPair pair, float lambda, const Mask masks[2]);

// The same by two calls of any kernel, A₁v − λ(A₂v). Needs no map; to.weights (T, S), if requested, receives the signed
// map. The two forms differ by rounding only.
void differential_calls(Attended to, DifferentialPair pair, float lambda, const Mask masks[2], AttentionKernel *kernel);

// ---- all pairs of a layer

// q, k, v as above → to.out (T, P · dv), to.weights (P T, S) if requested. masks (P · 2): one per map.
void differential_attend(Attended to, Mat q, Mat k, Mat v, int P, int G, float lambda, const Mask *masks,
                         AttentionKernel *kernel);

// Over MLA latents (latent.h), absorbed: q (T, 2P (d + dr)), one query per map; rows (S, c + dr), the cached rows; wuk
// (c, 2P d), up-projection of 2P keys; wuv (c, P · dv), of P values → to.out (T, P · dv). The mixed latents of a pair
// are subtracted and then up-projected once. masks as above, scaled for keys of width d + dr.
void differential_latent(Attended to, Mat q, Mat rows, LatentHeads w, float lambda, const Mask *masks,
                         AttentionKernel *kernel);

// ---- through a KvStore (model/run.h), which only knows heads

// A cache of k (S, G · 2d) can be read as G keys of width 2d. A query of width d, zero-padded over the other key's
// columns, meets only its own key: q (T, H d) → wide (T, H 2d), [q 0] for even heads and [0 q] for odd ones. Each score
// then costs d superfluous multiplications.
void differential_widen(Mat wide, Mat q, int H);
Mask differential_mask(Mask mask, int d); // default scale 1/√d, not 1/√2d

// maps (T, 2P dv), the output of each map → out (T, P dv): first − λ second, pair by pair.
void differential_subtract(Mat out, Mat maps, float lambda, int P);

// dout (T, P dv) → dmaps (T, 2P dv), dlambda. ADDS, as backward.h does.
void differential_subtract_backward(Mat dmaps, float *dlambda, Mat dout, Mat maps, float lambda, int P);

// ---- λ

// λ_init of a layer, counted from 0: 0.8 − 0.6 e^(−0.3 layer). The paper counts layers from 1. [§2.1]
double differential_lambda_init(int layer);

// vectors (4, d), rows λq1, λk1, λq2, λk2: λ = exp(λq1 · λk1) − exp(λq2 · λk2) + init. λ may be negative or above 1.
float differential_lambda(Mat vectors, float init);
void differential_lambda_backward(Mat dvectors, float dlambda, Mat vectors); // ADDS

// ---- head-wise RMS norm

// For each head's n columns: y = x / √(mean x² + 10⁻⁶) · weight · factor. x, y (T, P n); weight (1, n), shared by all
// heads; factor is 1 − λ_init. Removes the scale of the difference. [§2.2]
void differential_norm(Mat y, Mat x, Mat weight, float factor);
void differential_norm_backward(Mat dx, Mat dweight, Mat dy, Mat x, Mat weight, float factor); // ADDS

#endif
