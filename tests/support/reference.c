// Float64 references and the comparison that reports the worst element.
#include "base/portable_math.h"
#include "support/reference.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char case_text[300];

void case_is(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(case_text, sizeof case_text, format, words);
    va_end(words);
}

bool case_tried(int i)
{
    const char *thin = getenv("THIN"), *seed = getenv("SEED");
    int n = thin ? atoi(thin) : 1;
    Random dealt = random_from((uint64_t)i + (uint64_t)(seed ? strtoull(seed, NULL, 10) : 0) * 1000000);
    return n < 2 || random_below(&dealt, n) == 0;
}

// ---- tables

Table table_new(Arena *arena, int rows, int cols)
{
    return (Table){ arena_alloc(arena, (size_t)rows * (size_t)cols * sizeof(double)), rows, cols };
}

Table table_of(Arena *arena, Mat m)
{
    Table t = table_new(arena, m.rows, m.cols);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) t.at[i * m.cols + j] = (double)m.at[(ptrdiff_t)i * m.stride + j];
    return t;
}

Table table_cols(Arena *arena, Table t, int first, int count)
{
    Table part = table_new(arena, t.rows, count);
    for (int i = 0; i < t.rows; i++)
        for (int j = 0; j < count; j++) part.at[i * count + j] = t.at[i * t.cols + first + j];
    return part;
}

Table reference_matmul(Arena *arena, Table a, Table b)
{
    Table product = table_new(arena, a.rows, b.cols);
    for (int i = 0; i < a.rows; i++)
        for (int k = 0; k < a.cols; k++)
            for (int j = 0; j < b.cols; j++) product.at[i * b.cols + j] += a.at[i * a.cols + k] * b.at[k * b.cols + j];
    return product;
}

// ---- softmax

static double max_of(const double *scores, int n)
{
    double max = -INFINITY;
    for (int j = 0; j < n; j++) {
        if (isnan(scores[j])) return scores[j];
        if (scores[j] > max) max = scores[j];
    }
    return max;
}

double reference_logsumexp(const double *scores, int n)
{
    double max = max_of(scores, n), sum = 0;
    if (isinf(max)) return max;
    for (int j = 0; j < n; j++) sum += exp(scores[j] - max);
    return max + log(sum);
}

// wⱼ = exp(sⱼ − log Σ exp s): another way than the library's, which divides.
void reference_softmax(double *weights, const double *scores, int n)
{
    double total = reference_logsumexp(scores, n);
    for (int j = 0; j < n; j++)
        weights[j] = total == -INFINITY ? 0.0 : isfinite(total) ? exp(scores[j] - total) : (double)NAN;
}

// ---- masks

// "Causal with T ≠ S is aligned bottom-right … the last query sees every key": query i comes T − 1 − i before the last.
static int newest_key(Mask mask, int i, int T, int S)
{
    int queries_after = T - 1 - i;
    return (S - 1) + mask.shift - queries_after;
}

bool reference_sees(Mask mask, int i, int j, int T, int S)
{
    int own = newest_key(mask, i, T, S), real_keys = S - mask.padding;
    bool filler = j >= real_keys, later = j > own, sink = j < mask.sinks;
    bool global = mask.globals > 0 && (j + mask.before < mask.globals || own + mask.before < mask.globals);
    if (filler) return false;
    if (mask.causal && later) return false;
    if (mask.window == 0 || sink || global) return true;
    int oldest = own - mask.window + 1, latest = own + mask.window - 1;
    return oldest <= j && j <= latest;
}

double reference_bias(Mask mask, int i, int j, int T, int S)
{
    int own = newest_key(mask, i, T, S), apart = j < own ? own - j : j - own;
    return -(double)mask.alibi * apart;
}

// ---- attention

Reference reference_attention(Arena *arena, Table q, Table k, Table v, Mask mask)
{
    int T = q.rows, S = k.rows, d = q.cols, dv = v.cols;
    double scale = mask.scale > 0 ? (double)mask.scale : 1 / sqrt(d);
    Reference r = { table_new(arena, T, dv), table_new(arena, T, 1), table_new(arena, T, S), table_new(arena, T, S) };
    for (int i = 0; i < T; i++) {
        double *scores = r.scores.at + i * S, *weights = r.weights.at + i * S;
        for (int j = 0; j < S; j++) {
            double product = 0;
            for (int c = 0; c < d; c++) product += q.at[i * d + c] * k.at[j * d + c];
            scores[j] = product * scale + reference_bias(mask, i, j, T, S);
            if (!reference_sees(mask, i, j, T, S)) scores[j] = -INFINITY;
        }
        r.lse.at[i] = reference_logsumexp(scores, S);
        reference_softmax(weights, scores, S);
        for (int j = 0; j < S; j++) {
            if (!reference_sees(mask, i, j, T, S)) continue;
            for (int c = 0; c < dv; c++) r.out.at[i * dv + c] += weights[j] * v.at[j * dv + c];
        }
    }
    return r;
}

Reference reference_multi_head(Arena *arena, Table x, Table wqkv, Table wo, int H, Mask mask)
{
    int T = x.rows, D = x.cols, d = D / H;
    Reference r = { .weights = table_new(arena, H * T, T) };
    Table heads = table_new(arena, T, D);
    for (int h = 0; h < H; h++) {
        Table q = reference_matmul(arena, x, table_cols(arena, wqkv, h * d, d));
        Table k = reference_matmul(arena, x, table_cols(arena, wqkv, D + h * d, d));
        Table v = reference_matmul(arena, x, table_cols(arena, wqkv, 2 * D + h * d, d));
        Reference one = reference_attention(arena, q, k, v, mask);
        for (int i = 0; i < T; i++)
            for (int c = 0; c < d; c++) heads.at[i * D + h * d + c] = one.out.at[i * d + c];
        for (int e = 0; e < T * T; e++) r.weights.at[h * T * T + e] = one.weights.at[e];
    }
    r.out = wo.at ? reference_matmul(arena, heads, wo) : heads;
    return r;
}

void reference_heads(Attended got, Mat q, Mat k, Mat v, int H, const Mask *masks, double rtol, double atol)
{
    Arena *arena = arena_open();
    int T = q.rows, d = q.cols / H, G = k.cols / d, dv = v.cols / G;
    for (int h = 0; h < H; h++) {
        int g = h * G / H;
        Table keys = table_of(arena, mat_cols(k, g * d, d)), values = table_of(arena, mat_cols(v, g * dv, dv));
        Reference want = reference_attention(arena, table_of(arena, mat_cols(q, h * d, d)), keys, values, masks[h]);
        double largest = 16;
        for (int e = 0; e < T * k.rows; e++)
            if (isfinite(want.scores.at[e])) largest = fmax(largest, fabs(want.scores.at[e]));
        double room = atol * largest / 16;
        assert_close(mat_cols(got.out, h * dv, dv), want.out.at, rtol, room);
        if (!mat_empty(got.lse)) assert_close(mat_cols(got.lse, h, 1), want.lse.at, rtol, room);
        if (!mat_empty(got.weights)) assert_close(mat_rows(got.weights, h * T, T), want.weights.at, rtol, room);
    }
    arena_close(arena);
}

// ---- matrices for tests

Mat random_mat(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

enum { FRAME_BEFORE = 3, FRAME_AFTER = 5 };

Framed framed_mat(Arena *arena, int rows, int cols, float poison)
{
    Mat whole = mat_new(arena, rows + 2, cols + FRAME_BEFORE + FRAME_AFTER);
    mat_fill(whole, poison);
    return (Framed){ mat_block(whole, 1, rows, FRAME_BEFORE, cols), whole };
}

bool frame_untouched(Framed framed, float poison)
{
    for (int i = 0; i < framed.whole.rows; i++)
        for (int j = 0; j < framed.whole.cols; j++) {
            bool inside = i >= 1 && i <= framed.view.rows && j >= FRAME_BEFORE && j < FRAME_BEFORE + framed.view.cols;
            float *element = framed.whole.at + (ptrdiff_t)i * framed.whole.stride + j;
            if (!inside && memcmp(element, &poison, sizeof poison)) return false;
        }
    return true;
}

// ---- comparisons

// How far apart, in tolerances: above 1 is too far.
static double distance(double got, double want, double rtol, double atol)
{
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (got == want) return 0;
    if (isinf(want) || isinf(got)) return INFINITY;
    double allowed = atol + rtol * fabs(want), off = fabs(got - want);
    return allowed > 0 ? off / allowed : INFINITY;
}

bool reference_close(char *why, size_t room, Mat got, const double *want, double rtol, double atol)
{
    double worst = -1;
    int row = 0, col = 0;
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++) {
            double off = distance((double)got.at[(ptrdiff_t)i * got.stride + j], want[i * got.cols + j], rtol, atol);
            if (off <= worst) continue;
            worst = off;
            row = i;
            col = j;
        }
    *why = '\0';
    if (worst <= 1) return true;
    double one = (double)got.at[(ptrdiff_t)row * got.stride + col], other = want[row * got.cols + col];
    snprintf(why, room, "worst of " MAT_SHAPE " is [%d][%d]: got %.9g, want %.9g; off by %.3g, %.3g tolerances; %s",
             MAT_SHAPED(got), row, col, one, other, fabs(one - other), worst, case_text);
    return false;
}

bool reference_same(char *why, size_t room, Mat got, Mat want)
{
    *why = '\0';
    if (got.rows != want.rows || got.cols != want.cols) {
        snprintf(why, room, "got the shape " MAT_SHAPE ", want " MAT_SHAPE "; %s", MAT_SHAPED(got), MAT_SHAPED(want),
                 case_text);
        return false;
    }
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++) {
            const float *a = got.at + (ptrdiff_t)i * got.stride + j, *b = want.at + (ptrdiff_t)i * want.stride + j;
            if (!memcmp(a, b, sizeof *a)) continue;
            snprintf(why, room, "[%d][%d] of " MAT_SHAPE ": got %a (%.9g), want %a (%.9g); %s", i, j, MAT_SHAPED(got),
                     (double)*a, (double)*a, (double)*b, (double)*b, case_text);
            return false;
        }
    return true;
}

void quiet(void)
{
    if (!freopen("/dev/null", "w", stderr)) ck_abort_msg("/dev/null cannot be opened");
}
