// Tests of lib/attention/differential.c: every form against the definition in float64, over MHA, GQA and latents, with
// every mask and kernel; λ, the norm and their ways back against slopes. Compiled for float64, too.
#include "attention/differential.h"

#include "attention/grouped.h"
#include "attention/online.h"
#include "base/portable_math.h"
#include "support/kernel_masks.h"
#include "support/reference.h"
#include "support/slopes.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static AttentionKernel *const kernels[] = { attention_naive, attention_online };
enum { KERNELS = sizeof kernels / sizeof *kernels, PAIRS_MOST = 6 };

// ---- the definition in float64

// The signed map and what it mixes: A₁ − λ A₂, from two reference maps.
typedef struct {
    Table weights, out;
} Signed;
static Signed reference_signed(Table q1, Table k1, Table q2, Table k2, Table v, double lambda, const Mask masks[2])
{
    Reference first = reference_attention(arena, q1, k1, v, masks[0]);
    Reference second = reference_attention(arena, q2, k2, v, masks[1]);
    Signed s = { table_new(arena, q1.rows, k1.rows), { 0 } };
    for (int n = 0; n < s.weights.rows * s.weights.cols; n++)
        s.weights.at[n] = first.weights.at[n] - lambda * second.weights.at[n];
    s.out = reference_matmul(arena, s.weights, v);
    return s;
}

// P pairs that read G pairs of keys of width d, values of width dv.
typedef struct {
    int P, G, d, dv;
} Sizes;
static const Sizes sizes[] = { { 1, 1, 3, 2 }, { 2, 2, 4, 8 }, { 4, 2, 3, 5 }, { 6, 2, 2, 4 }, { 6, 1, 4, 3 } };
enum { SIZES = sizeof sizes / sizeof *sizes };

static Signed expected(Sizes s, int p, Mat q, Mat k, Mat v, double lambda, const Mask masks[2])
{
    int g = p / (s.P / s.G);
    Table all_q = table_of(arena, q), all_k = table_of(arena, k);
    return reference_signed(table_cols(arena, all_q, 2 * p * s.d, s.d), table_cols(arena, all_k, 2 * g * s.d, s.d),
                            table_cols(arena, all_q, (2 * p + 1) * s.d, s.d),
                            table_cols(arena, all_k, (2 * g + 1) * s.d, s.d),
                            table_cols(arena, table_of(arena, v), g * s.dv, s.dv), lambda, masks);
}

static void assert_pair(Mat out, Mat weights, Signed want)
{
    assert_close(out, want.out.at, 1e-5, 4e-6);
    assert_close(weights, want.weights.at, 1e-5, 2e-6);
}

// Each mask for the first map of every pair, and another one for the second of every third.
static void some_masks(Mask *masks, int P, const Mask *all, int m)
{
    for (int h = 0; h < 2 * P; h++) masks[h] = all[h % 6 == 5 ? (m + 7) % kernel_mask_count : m];
}

TEST_EACH(all_pairs_against_float64, SIZES *KERNELS)
{
    Sizes s = sizes[_i / KERNELS];
    Mask all[kernel_mask_count], masks[2 * PAIRS_MOST];
    kernel_masks(all, 11);
    for (int m = 0; m < kernel_mask_count; m++) {
        ArenaMark mark = arena_mark(arena);
        int T = 1 + random_below(&random_state, 9), S = 11;
        float lambda = m % 4 == 0 ? -0.5f : m % 4 == 1 ? 1.25f : random_uniform(&random_state);
        Mat q = framed_random(T, s.P * 2 * s.d), k = framed_random(S, s.G * 2 * s.d), v = framed_random(S, s.G * s.dv);
        Attended to = { framed_mat(arena, T, s.P * s.dv, NAN).view, { 0 }, framed_mat(arena, s.P * T, S, NAN).view };
        Attended direct = { mat_new(arena, T, s.dv), { 0 }, mat_new(arena, T, S) };
        some_masks(masks, s.P, all, m);
        differential_attend(to, q, k, v, s.P, s.G, lambda, masks, kernels[_i % KERNELS]);
        Mat alone = mat_new(arena, T, s.P * s.dv);
        differential_attend((Attended){ .out = alone }, q, k, v, s.P, s.G, lambda, masks, kernels[_i % KERNELS]);
        assert_same(alone, to.out);
        for (int p = 0; p < s.P; p++) {
            Signed want = expected(s, p, q, k, v, (double)lambda, masks + 2 * p);
            case_is("%d pairs of %d, kernel %d, mask %d, pair %d", s.P, s.G, _i % KERNELS, m, p);
            assert_pair(mat_cols(to.out, p * s.dv, s.dv), mat_rows(to.weights, p * T, T), want);
            differential_direct(direct, differential_pair(q, k, v, s.P, s.G, p), lambda, masks + 2 * p);
            assert_pair(direct.out, direct.weights, want);
        }
        arena_release(arena, mark);
    }
}

// ---- over latents

// Keys and values of all maps are made of the rows, by the definition.
static void expand(Table k[2], Table *v, Mat rows, LatentHeads w, int p, int d, int dv)
{
    Table latents = table_of(arena, mat_cols(rows, 0, w.wuk.rows)), all = table_of(arena, rows);
    for (int n = 0; n < 2; n++) {
        Table own = reference_matmul(arena, latents, table_of(arena, mat_cols(w.wuk, (2 * p + n) * d, d)));
        k[n] = table_new(arena, rows.rows, d + w.dr);
        for (int j = 0; j < rows.rows; j++)
            for (int c = 0; c < d + w.dr; c++)
                k[n].at[j * (d + w.dr) + c] = c < d ? own.at[j * d + c] : all.at[j * all.cols + w.wuk.rows + c - d];
    }
    *v = reference_matmul(arena, latents, table_of(arena, mat_cols(w.wuv, p * dv, dv)));
}

TEST_EACH(over_latents, 4)
{
    static const struct {
        int P, c, d, dr, dv;
    } cases[] = { { 1, 3, 2, 2, 2 }, { 2, 6, 3, 2, 6 }, { 3, 5, 4, 0, 4 }, { 2, 4, 1, 4, 3 } };
    Mask all[kernel_mask_count], masks[2 * PAIRS_MOST];
    kernel_masks(all, 9);
    for (int m = 0; m < kernel_mask_count; m++) {
        ArenaMark mark = arena_mark(arena);
        int P = cases[_i].P, c = cases[_i].c, d = cases[_i].d, dr = cases[_i].dr, dv = cases[_i].dv, T = 5, S = 9;
        Mat q = framed_random(T, 2 * P * (d + dr)), rows = framed_random(S, c + dr);
        LatentHeads w = { framed_random(c, 2 * P * d), framed_random(c, P * dv), 2 * P, dr };
        Attended to = { framed_mat(arena, T, P * dv, NAN).view, { 0 }, framed_mat(arena, P * T, S, NAN).view };
        some_masks(masks, P, all, m);
        differential_latent(to, q, rows, w, 0.7f, masks, kernels[m % KERNELS]);
        for (int p = 0; p < P; p++) {
            Table k[2], v, all_q = table_of(arena, q);
            expand(k, &v, rows, w, p, d, dv);
            Mask both[2] = { masks[2 * p], masks[2 * p + 1] };
            Signed want =
                reference_signed(table_cols(arena, all_q, 2 * p * (d + dr), d + dr), k[0],
                                 table_cols(arena, all_q, (2 * p + 1) * (d + dr), d + dr), k[1], v, (double)0.7f, both);
            case_is("latents, case %d, mask %d, pair %d", _i, m, p);
            assert_close(mat_cols(to.out, p * dv, dv), want.out.at, 2e-5, 2e-5);
            assert_close(mat_rows(to.weights, p * T, T), want.weights.at, 2e-5, 1e-5);
        }
        arena_release(arena, mark);
    }
}

// ---- what follows from the formula

// A query beside zeros, over keys two maps wide: grouped_attend gives what each map gives by itself, to the bit; and
// what is subtracted is what differential_attend gives.
TEST(widened_queries_read_pairs_of_keys)
{
    for (int e = 0; e < SIZES; e++) {
        Sizes s = sizes[e];
        int T = 5, S = 8, H = 2 * s.P;
        Mask masks[2 * PAIRS_MOST], own[2 * PAIRS_MOST];
        grouped_masks(own, H, (Mask){ .causal = true }, true);
        for (int h = 0; h < H; h++) masks[h] = differential_mask(own[h], s.d);
        Mat q = framed_random(T, H * s.d), k = framed_random(S, s.G * 2 * s.d), v = framed_random(S, s.G * s.dv);
        Mat wide = framed_mat(arena, T, H * 2 * s.d, NAN).view, maps = framed_mat(arena, T, H * s.dv, NAN).view;
        Mat out = framed_mat(arena, T, s.P * s.dv, NAN).view, want = mat_new(arena, T, s.P * s.dv);
        differential_widen(wide, q, H);
        grouped_attend((Attended){ .out = maps }, wide, k, v, H, masks, attention_naive);
        differential_subtract(out, maps, 0.6f, s.P);
        differential_attend((Attended){ .out = want }, q, k, v, s.P, s.G, 0.6f, own, attention_naive);
        case_is("%d pairs of %d", s.P, s.G);
        assert_same(out, want);
    }
}

// ---- λ and the norm

static Mat some_vectors(void)
{
    Mat vectors = framed_random(4, 3);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 3; c++) *mat_ref(vectors, r, c) *= 0.5f;
    return vectors;
}

static double lambda_defined(const double *v, int d, double init)
{
    double one = 0, two = 0;
    for (int c = 0; c < d; c++) {
        one += v[c] * v[d + c];
        two += v[2 * d + c] * v[3 * d + c];
    }
    return exp(one) - exp(two) + init;
}

static double lambda_loss(void *of)
{
    Table *v = of;
    return 1.75 * lambda_defined(v->at, v->cols, 0.2);
}

TEST(lambda_of_vectors)
{
    bool negative = false, large = false;
    for (int e = 0; e < 60; e++) {
        Mat vectors = some_vectors();
        if (e > 40)
            for (int c = 0; c < 3; c++) *mat_ref(vectors, e % 4, c) *= 4.0f;
        Table v = table_of(arena, vectors);
        float lambda = differential_lambda(vectors, 0.25f);
        double want = lambda_defined(v.at, 3, 0.25);
        ck_assert_double_eq_tol((double)lambda, want, 3e-6 * (1 + fabs(want)));
        negative |= lambda < 0.0f;
        large |= lambda > 1.0f;
        Mat gradient = mat_new(arena, 4, 3);
        differential_lambda_backward(gradient, 1.25f, vectors);
        differential_lambda_backward(gradient, 0.5f, vectors);
        assert_gradient(gradient, slopes(arena, v, lambda_loss, &v));
    }
    ck_assert(negative && large);
    Mat none = mat_new(arena, 4, 5);
    ck_assert(differential_lambda(none, 0.5f) == 0.5f);
}

// Σ r · norm(x): numbers are x, then gains.
typedef struct {
    Table x, gain, r;
    double factor;
} Norm;

static double norm_loss(void *of)
{
    const Norm *f = of;
    double sum = 0;
    int n = f->gain.cols;
    for (int i = 0; i < f->x.rows; i++)
        for (int first = 0; first < f->x.cols; first += n) {
            const double *x = f->x.at + i * f->x.cols + first, *r = f->r.at + i * f->x.cols + first;
            double squares = 0;
            for (int c = 0; c < n; c++) squares += x[c] * x[c];
            for (int c = 0; c < n; c++) sum += r[c] * x[c] / sqrt(squares / n + 1e-6) * f->gain.at[c] * f->factor;
        }
    return sum;
}

TEST(the_norm_and_its_way_back)
{
    Mat x = framed_random(3, 12), gain = framed_random(1, 4), r = framed_random(3, 12);
    Mat y = framed_mat(arena, 3, 12, NAN).view, dx = mat_new(arena, 3, 12), dgain = mat_new(arena, 1, 4);
    Norm f = { table_of(arena, x), table_of(arena, gain), table_of(arena, r), 0.75 };
    differential_norm(y, x, gain, 0.75f);
    ck_assert_double_eq_tol(inner(table_of(arena, y), f.r), norm_loss(&f), 1e-5);
    differential_norm_backward(dx, dgain, r, x, gain, 0.75f);
    assert_gradient(dx, slopes(arena, f.x, norm_loss, &f));
    assert_gradient(dgain, slopes(arena, f.gain, norm_loss, &f));
    differential_norm_backward(dx, dgain, r, x, gain, 0.75f); // it adds
    for (int c = 0; c < 4; c++)
        ck_assert_double_eq_tol((double)*mat_ref(dgain, 0, c), 2 * slopes(arena, f.gain, norm_loss, &f).at[c], 1e-3);
}

// ---- the way back through the difference: numbers are the maps, then λ

typedef struct {
    Table maps, r, lambda;
    int P;
} Difference;

static double difference_loss(void *of)
{
    const Difference *f = of;
    int n = f->r.cols / f->P;
    double sum = 0;
    for (int i = 0; i < f->r.rows; i++)
        for (int c = 0; c < f->r.cols; c++) {
            int first = c / n * 2 * n + c % n;
            const double *maps = f->maps.at + i * f->maps.cols;
            sum += f->r.at[i * f->r.cols + c] * (maps[first] - f->lambda.at[0] * maps[first + n]);
        }
    return sum;
}

TEST(subtraction_and_its_way_back)
{
    Mat maps = framed_random(4, 12), r = framed_random(4, 6), out = mat_new(arena, 4, 6), dmaps = mat_new(arena, 4, 12);
    Mat lambda = mat_new(arena, 1, 1);
    lambda.at[0] = 0.375f;
    Difference f = { table_of(arena, maps), table_of(arena, r), table_of(arena, lambda), 3 };
    float dlambda = 0.0f;
    differential_subtract(out, maps, 0.375f, 3);
    ck_assert_double_eq_tol(inner(table_of(arena, out), f.r), difference_loss(&f), 1e-5);
    differential_subtract_backward(dmaps, &dlambda, r, maps, 0.375f, 3);
    assert_gradient(dmaps, slopes(arena, f.maps, difference_loss, &f));
    ck_assert_double_eq_tol((double)dlambda, slopes(arena, f.lambda, difference_loss, &f).at[0], 1e-5);
    differential_subtract_backward(dmaps, &dlambda, r, maps, 0.375f, 3);
    ck_assert_double_eq_tol((double)dlambda, 2 * slopes(arena, f.lambda, difference_loss, &f).at[0], 2e-5);
}

TEST_ABORTS(mistakes_stop_the_program, 7)
{
    Mat q = mat_new(arena, 3, 8), k = mat_new(arena, 5, 8), v = mat_new(arena, 5, 4), out = mat_new(arena, 3, 4);
    Mask masks[2] = { { 0 } };
    quiet();
    switch (_i) {
    case 0: differential_pair(q, mat_new(arena, 5, 4), v, 1, 1, 0); break;
    case 1: differential_pair(q, k, v, 2, 2, 2); break;
    case 2: differential_direct((Attended){ .out = out }, differential_pair(q, k, v, 1, 1, 0), 0.5f, masks); break;
    case 3: differential_widen(q, k, 4); break;
    case 4: differential_subtract(out, q, 0.5f, 3); break;
    case 5: differential_lambda(mat_new(arena, 3, 4), 0.5f); break;
    default: differential_norm(q, q, mat_new(arena, 1, 3), 1.0f); break;
    }
}

TEST(lambda_init_by_hand)
{
    ck_assert_double_eq_tol(differential_lambda_init(0), 0.2, 1e-12); // layers are counted from 0
    ck_assert_double_eq_tol(differential_lambda_init(80), 0.8, 1e-9);
}
