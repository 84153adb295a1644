// Chapter 22, steps 5 and 6. No new kernel: two calls of any that there is; over keys of all kinds.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "kernels/kernels.h"
#include "lesson/reference.h"
#include "steps.h"

static const double BOUND = 2e-6; // of float32 sums of a few hundred products, against their size

static Mat random_part(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

// The definition in float64: both maps of a pair, subtracted.
static double *exact_pair(Arena *arena, DifferentialPair pair, float lambda, Mask mask)
{
    double *first = reference_compute(arena, pair.q[0], pair.k[0], pair.v, mask);
    double *second = reference_compute(arena, pair.q[1], pair.k[1], pair.v, mask);
    for (int n = 0; n < pair.q[0].rows * pair.v.cols; n++) first[n] -= (double)lambda * second[n];
    return first;
}

// ---- 5. Two calls

void two_calls(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Two calls of any kernel");
    enum { T = 256, d = 16 };
    Arena *arena = lesson->arena;
    Mat q = random_part(lesson, T, 2 * d), k = random_part(lesson, T, 2 * d), v = random_part(lesson, T, 2 * d);
    Mask causal = { .causal = true }, masks[2] = { causal, causal };
    DifferentialPair pair = differential_pair(q, k, v, 1, 1, 0);
    double *want = exact_pair(arena, pair, asked->lambda, causal);
    Mat out = mat_new(arena, T, 2 * d), map = mat_new(arena, T, T);
    differential_direct((Attended){ out, { 0 }, map }, pair, asked->lambda, masks);
    double direct = reference_error(out, want), worst = 0.0, fast = 0.0;
    say(lesson, "%d queries, causal, d = %d, against the definition in float64.", T, d);
    check(lesson, direct < BOUND, "the signed map, made and multiplied: within %.0f · 10⁻⁶ of its size", 1e6 * BOUND);
    int tried = 0;
    for (int n = 0; n < attention_kernels_count; n++) {
        if (!attention_kernel_exact(&attention_kernels[n])) continue;
        tried++;
        differential_calls((Attended){ .out = out }, pair, asked->lambda, masks, attention_kernels[n].run);
        double off = reference_error(out, want);
        worst = fmax(worst, off);
        if (attention_kernels[n].run == attention_fast) fast = off;
    }
    check(lesson, fast > 0.0 && fast < BOUND,
          "the fast kernel of chapter 15, which stores no map, called twice: the "
          "same");
    check(lesson, worst < BOUND, "so are all %d kernels of the book in float32", tried);

    Cost before = cost_counted;
    differential_calls((Attended){ .out = out }, pair, asked->lambda, masks, attention_naive);
    int64_t pairs = (int64_t)T * (T + 1) / 2;
    cost(lesson, "multiplications of a pair", cost_since(before).multiplies, "pairs in sight · (2d + 4d)",
         pairs * 6 * d);
    before = cost_counted;
    attention_naive((Attended){ .out = out }, q, k, v, causal);
    cost(lesson, "of a plain head of 2d", cost_since(before).multiplies, "pairs in sight · (2d + 2d)", pairs * 4 * d);
}

// ---- 6. Keys of all kinds

enum { P = 4, D_KEY = 8, T_KEYS = 64, C = 24, DR = 8 };

typedef struct {
    double off;
    int numbers;
} Tried;

// Every pair's own columns of `out` against float64; the error of the worst.
static double pair_off(Mat out, int p, int dv, const double *want)
{
    return reference_error(mat_cols(out, p * dv, dv), want);
}

// P pairs over G pairs of keys, by the fast kernel.
static Tried try_grouped(Lesson *lesson, int G, float lambda)
{
    Arena *arena = lesson->arena;
    Mat q = random_part(lesson, T_KEYS, P * 2 * D_KEY), k = random_part(lesson, T_KEYS, G * 2 * D_KEY);
    Mat v = random_part(lesson, T_KEYS, G * 2 * D_KEY), out = mat_new(arena, T_KEYS, P * 2 * D_KEY);
    Mask masks[2 * P];
    Tried tried = { 0.0, k.cols + v.cols };
    for (int h = 0; h < 2 * P; h++) masks[h] = (Mask){ .causal = true };
    differential_attend((Attended){ .out = out }, q, k, v, P, G, lambda, masks, attention_fast);
    for (int p = 0; p < P; p++)
        tried.off = fmax(tried.off, pair_off(out, p, 2 * D_KEY,
                                             exact_pair(arena, differential_pair(q, k, v, P, G, p), lambda, masks[0])));
    return tried;
}

static Mat scaled_part(Lesson *lesson, int rows, int cols)
{
    Mat m = random_part(lesson, rows, cols);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < cols; c++) *mat_ref(m, i, c) /= sqrtf((float)rows);
    return m;
}

// Over latents: absorbed, by the fast kernel, against keys and values that are made of them.
static Tried try_latent(Lesson *lesson, float lambda)
{
    enum { WIDE = D_KEY + DR };
    Arena *arena = lesson->arena;
    Mat q = random_part(lesson, T_KEYS, 2 * P * WIDE), rows = random_part(lesson, T_KEYS, C + DR);
    LatentHeads w = { scaled_part(lesson, C, 2 * P * D_KEY), scaled_part(lesson, C, P * 2 * D_KEY), 2 * P, DR };
    Mat out = mat_new(arena, T_KEYS, P * 2 * D_KEY), k = mat_new(arena, T_KEYS, 2 * P * WIDE);
    Mat v = mat_new(arena, T_KEYS, P * 2 * D_KEY);
    Mask masks[2 * P];
    Tried tried = { 0.0, rows.cols };
    for (int h = 0; h < 2 * P; h++) masks[h] = (Mask){ .causal = true };
    differential_latent((Attended){ .out = out }, q, rows, w, lambda, masks, attention_fast);
    latent_expand(k, v, rows, w.wuk, w.wuv, DR);
    for (int p = 0; p < P; p++)
        tried.off = fmax(tried.off, pair_off(out, p, 2 * D_KEY,
                                             exact_pair(arena, differential_pair(q, k, v, P, P, p), lambda, masks[0])));
    return tried;
}

void other_keys(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Shared keys, and latents");
    static const char *const cols[] = { "maps", "numbers" };
    Rows table = rows_of(lesson, "what is kept of a token, d = 8", cols, 2);
    table.table.decimals = -1;
    Tried mha = try_grouped(lesson, P, asked->lambda), gqa = try_grouped(lesson, P / 2, asked->lambda);
    Tried one = try_grouped(lesson, 1, asked->lambda), mla = try_latent(lesson, asked->lambda);
    rows_add(&table, ROW(2 * P, mha.numbers), "MHA, 4 pairs of keys");
    rows_add(&table, ROW(2 * P, gqa.numbers), "GQA, 2 pairs of keys");
    rows_add(&table, ROW(2 * P, one.numbers), "MQA, 1 pair of keys");
    rows_add(&table, ROW(2 * P, mla.numbers), "MLA, c = 24 and 8 turned");
    show_rows(lesson, &table);
    check(lesson, fmax(fmax(mha.off, gqa.off), fmax(one.off, mla.off)) < BOUND,
          "by two calls of the fast kernel, all four are what float64 gives, within %.0f · 10⁻⁶", 1e6 * BOUND);
    check(lesson, mha.numbers == 2 * 2 * P * D_KEY && gqa.numbers == P * 2 * D_KEY && mla.numbers == C + DR,
          "a token keeps as many numbers as with plain heads: %d of 8 key heads, %d of 4", mha.numbers, gqa.numbers);
}
