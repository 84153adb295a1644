// Chapter 22. Differential attention: the difference of two maps, λ, and the head-wise norm. [Ye et al. 2024, §2,
// arXiv:2410.05258]
#include "attention/differential.h"

#include "attention/dot_product.h"
#include "base/cost.h"
#include "base/portable_math.h"

// ---- one pair

DifferentialPair differential_pair(Mat q, Mat k, Mat v, int P, int G, int p)
{
    REQUIRE(G >= 1 && P % G == 0 && 0 <= p && p < P, "pair %d of %d, which read %d pairs of keys", p, P, G);
    REQUIRE(q.cols % (2 * P) == 0 && k.cols == q.cols / P * G && v.cols % G == 0,
            "q is " MAT_SHAPE " of %d pairs, k is " MAT_SHAPE ", v is " MAT_SHAPE
            " of %d: keys must be as wide as queries",
            MAT_SHAPED(q), P, MAT_SHAPED(k), MAT_SHAPED(v), G);
    int d = q.cols / P / 2, dv = v.cols / G, g = p / (P / G);
    return (DifferentialPair){ { mat_cols(q, 2 * p * d, d), mat_cols(q, (2 * p + 1) * d, d) },
                               { mat_cols(k, 2 * g * d, d), mat_cols(k, (2 * g + 1) * d, d) },
                               mat_cols(v, g * dv, dv) };
}

// to −= λ from.
static void subtract_scaled(Mat to, Mat from, float lambda)
{
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) *mat_ref(to, i, c) -= lambda * *mat_ref(from, i, c);
}

void differential_direct(Attended to, DifferentialPair pair, float lambda, const Mask masks[2])
{
    Attended first = { to.out, { 0 }, to.weights };
    attention_require(first, pair.q[0], pair.k[0], pair.v);
    REQUIRE(!mat_empty(to.weights) || to.out.rows == 0 || pair.v.rows == 0,
            "the signed map needs room: weights is " MAT_SHAPE, MAT_SHAPED(to.weights));
    Arena *scratch = arena_open();
    Mat second = mat_new(scratch, to.weights.rows, to.weights.cols);

    // 1. Two maps.
    attention_weights(to.weights, pair.q[0], pair.k[0], masks[0]);
    attention_weights(second, pair.q[1], pair.k[1], masks[1]);

    // 2. Their difference: a signed map.
    subtract_scaled(to.weights, second, lambda);

    // 3. Weighted sum of the values. The masks may differ, so only zero weights are skipped: 0 · NaN is not added.
    mat_fill(to.out, 0.0f);
    for (int i = 0; i < to.weights.rows; i++)
        for (int j = 0; j < to.weights.cols; j++) {
            float weight = *mat_ref(to.weights, i, j);
            if (weight == 0.0f) continue;
            for (int c = 0; c < pair.v.cols; c++) *mat_ref(to.out, i, c) += weight * *mat_ref(pair.v, j, c);
            cost_counted.multiplies += pair.v.cols;
        }
    arena_close(scratch);
}

void differential_calls(Attended to, DifferentialPair pair, float lambda, const Mask masks[2], AttentionKernel *kernel)
{
    Arena *scratch = arena_open();
    bool maps = !mat_empty(to.weights);
    Attended first = { to.out, { 0 }, to.weights };
    Attended second = { .out = mat_new(scratch, to.out.rows, to.out.cols) };
    if (maps) second.weights = mat_new(scratch, to.weights.rows, to.weights.cols);
    kernel(first, pair.q[0], pair.k[0], pair.v, masks[0]);
    kernel(second, pair.q[1], pair.k[1], pair.v, masks[1]);
    subtract_scaled(to.out, second.out, lambda);
    if (maps) subtract_scaled(to.weights, second.weights, lambda);
    arena_close(scratch);
}

// ---- all pairs of a layer

static Attended pair_outputs(Attended to, int p, int T, int dv)
{
    return (Attended){ mat_cols(to.out, p * dv, dv),
                       { 0 },
                       mat_empty(to.weights) ? to.weights : mat_rows(to.weights, p * T, T) };
}

void differential_attend(Attended to, Mat q, Mat k, Mat v, int P, int G, float lambda, const Mask *masks,
                         AttentionKernel *kernel)
{
    for (int p = 0; p < P; p++)
        differential_calls(pair_outputs(to, p, q.rows, v.cols / G), differential_pair(q, k, v, P, G, p), lambda,
                           masks + 2 * p, kernel);
}

// Every map has its own key, computed from the same latent. The absorbed queries contain that projection, so all of
// them are multiplied with the same cached rows.
void differential_latent(Attended to, Mat q, Mat rows, LatentHeads w, float lambda, const Mask *masks,
                         AttentionKernel *kernel)
{
    REQUIRE(w.H % 2 == 0 && w.H >= 2, "%d maps: they are subtracted two by two", w.H);
    Arena *scratch = arena_open();
    int P = w.H / 2, c = w.wuk.rows, wide = c + w.dr, key_width = q.cols / w.H;
    Mat absorbed = mat_new(scratch, q.rows, w.H * wide), mixed = mat_new(scratch, q.rows, P * c);
    latent_absorb(absorbed, q, w.wuk, w.H, w.dr);
    for (int p = 0; p < P; p++) {
        DifferentialPair pair = { { mat_cols(absorbed, 2 * p * wide, wide),
                                    mat_cols(absorbed, (2 * p + 1) * wide, wide) },
                                  { rows, rows },
                                  mat_cols(rows, 0, c) };
        Mask both[2] = { latent_mask(masks[2 * p], key_width), latent_mask(masks[2 * p + 1], key_width) };
        Attended latents = { mat_cols(mixed, p * c, c), { 0 }, pair_outputs(to, p, q.rows, 0).weights };
        differential_calls(latents, pair, lambda, both, kernel);
    }
    latent_outputs(to.out, mixed, w.wuv, P);
    arena_close(scratch);
}

// ---- through a KvStore, which only knows heads

void differential_widen(Mat wide, Mat q, int H)
{
    REQUIRE(H >= 2 && H % 2 == 0 && q.cols % H == 0 && wide.rows == q.rows && wide.cols == 2 * q.cols,
            "q is " MAT_SHAPE " of %d maps, wide is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(q), H,
            MAT_SHAPED(wide), q.rows, 2 * q.cols);
    int d = q.cols / H;
    mat_fill(wide, 0.0f);
    for (int h = 0; h < H; h++) mat_set(mat_cols(wide, (2 * h + h % 2) * d, d), mat_cols(q, h * d, d));
}

Mask differential_mask(Mask mask, int d)
{
    mask.scale = mask_scale(mask, d);
    return mask;
}

static void require_maps(Mat out, Mat maps, int P)
{
    REQUIRE(P >= 1 && out.rows == maps.rows && 2 * out.cols == maps.cols && out.cols % P == 0,
            "out is " MAT_SHAPE " of %d pairs, maps is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(out), P,
            MAT_SHAPED(maps), out.rows, 2 * out.cols);
}

void differential_subtract(Mat out, Mat maps, float lambda, int P)
{
    require_maps(out, maps, P);
    int n = out.cols / P;
    for (int p = 0; p < P; p++) {
        Mat to = mat_cols(out, p * n, n);
        mat_set(to, mat_cols(maps, 2 * p * n, n));
        subtract_scaled(to, mat_cols(maps, (2 * p + 1) * n, n), lambda);
    }
}

// Forward: out = first − λ second.
void differential_subtract_backward(Mat dmaps, float *dlambda, Mat dout, Mat maps, float lambda, int P)
{
    require_maps(dout, maps, P);
    int n = dout.cols / P;
    for (int i = 0; i < dout.rows; i++)
        for (int c = 0; c < dout.cols; c++) {
            int first = c / n * 2 * n + c % n, second = first + n;
            float up = *mat_ref(dout, i, c);
            *mat_ref(dmaps, i, first) += up;
            *mat_ref(dmaps, i, second) -= lambda * up;
            *dlambda -= up * *mat_ref(maps, i, second);
        }
}

// ---- λ

double differential_lambda_init(int layer) { return 0.8 - 0.6 * exp(-0.3 * layer); }

// exp(λq · λk) of rows `first` and `first` + 1.
static float exp_dot(Mat vectors, int first)
{
    return expf(dot_product(mat_row(vectors, first), mat_row(vectors, first + 1), 1, vectors.cols));
}

float differential_lambda(Mat vectors, float init)
{
    REQUIRE(vectors.rows == 4, "four vectors make λ; there are " MAT_SHAPE, MAT_SHAPED(vectors));
    return exp_dot(vectors, 0) - exp_dot(vectors, 2) + init;
}

// Forward: λ = exp(λq1 · λk1) − exp(λq2 · λk2) + init, so ∂λ/∂λq1 = exp(…) λk1, and so on.
void differential_lambda_backward(Mat dvectors, float dlambda, Mat vectors)
{
    for (int row = 0; row < 4; row++) {
        float slope = exp_dot(vectors, row / 2 * 2) * (row < 2 ? dlambda : -dlambda);
        const float *other = mat_row(vectors, row ^ 1);
        for (int c = 0; c < vectors.cols; c++) *mat_ref(dvectors, row, c) += slope * other[c];
    }
}

// ---- head-wise RMS norm

static float inverse_rms(const float *x, int n)
{
    float sum = 0.0f;
    for (int c = 0; c < n; c++) sum += x[c] * x[c];
    return 1.0f / sqrtf(sum / (float)n + 1e-6f);
}

void differential_norm(Mat y, Mat x, Mat weight, float factor)
{
    int n = weight.cols;
    REQUIRE(weight.rows == 1 && n >= 1 && x.cols % n == 0 && y.rows == x.rows && y.cols == x.cols,
            "x is " MAT_SHAPE ", y is " MAT_SHAPE ", gain is " MAT_SHAPE ": heads must be as wide as the gains",
            MAT_SHAPED(x), MAT_SHAPED(y), MAT_SHAPED(weight));
    const float *w = mat_row(weight, 0);
    for (int i = 0; i < x.rows; i++)
        for (int first = 0; first < x.cols; first += n) {
            const float *from = mat_row(x, i) + first;
            float *to = mat_row(y, i) + first, scale = inverse_rms(from, n) * factor;
            for (int c = 0; c < n; c++) to[c] = from[c] * scale * w[c];
        }
}

// Forward: yᵢ = xᵢ · r · wᵢ · factor with r = 1 / √(mean x² + ε), so ∂r/∂xᵢ = −r³ xᵢ / n.
void differential_norm_backward(Mat dx, Mat dweight, Mat dy, Mat x, Mat weight, float factor)
{
    int n = weight.cols;
    const float *w = mat_row(weight, 0);
    float *dw = mat_row(dweight, 0);
    for (int i = 0; i < x.rows; i++)
        for (int first = 0; first < x.cols; first += n) {
            const float *from = mat_row(x, i) + first, *up = mat_row(dy, i) + first;
            float *to = mat_row(dx, i) + first, r = inverse_rms(from, n), dot = 0.0f;
            for (int c = 0; c < n; c++) dot += up[c] * w[c] * from[c];
            float pull = dot * r * r / (float)n;
            for (int c = 0; c < n; c++) {
                to[c] += factor * r * (up[c] * w[c] - pull * from[c]);
                dw[c] += factor * up[c] * from[c] * r;
            }
        }
}
