// Chapter 16. Problems in 16 bits, as its kernels take them, and how far off their results are.
#include "attention/mask.h"
#include "base/portable_math.h"
#include "lesson/reference.h"
#include "lesson/matrices.h"
#include "steps.h"

#include <string.h>

int width_or(Asked asked, int usual) { return asked.has_width ? 64 << asked.width : usual; }

static uint16_t *halves(Arena *arena, Mat m, HalfKind kind)
{
    uint16_t *bits = arena_alloc(arena, sizeof *bits * (size_t)(m.rows * m.cols + 1));
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) bits[i * m.cols + c] = half_of(kind, *mat_ref(m, i, c));
    return bits;
}

GpuProblem problem_of(Arena *arena, Mat q, Mat k, Mat v, int H, int d, bool causal, HalfKind kind)
{
    GpuProblem p = { .B = 1,
                     .H = H,
                     .G = k.cols / d,
                     .T = q.rows,
                     .S = k.rows,
                     .d = d,
                     .causal = causal,
                     .kind = kind,
                     .scale = 1.0f / sqrtf((float)d) };
    p.q_step = p.out_step = (GpuStrides){ (int64_t)q.rows * q.cols, d, q.cols };
    p.kv_step = (GpuStrides){ (int64_t)k.rows * k.cols, d, k.cols };
    p.q = halves(arena, q, kind);
    p.k = halves(arena, k, kind);
    p.v = halves(arena, v, kind);
    p.out = arena_alloc(arena, sizeof *p.out * (size_t)(q.rows * q.cols + 1));
    p.lse = arena_alloc(arena, sizeof *p.lse * (size_t)(H * q.rows + 1));
    return p;
}

static Mat drawn(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

GpuProblem problem_drawn(Lesson *lesson, int H, int G, int T, int S, int d, bool causal, HalfKind kind)
{
    Mat q = drawn(lesson, T, H * d), k = drawn(lesson, S, G * d), v = drawn(lesson, S, G * d);
    return problem_of(lesson->arena, q, k, v, H, d, causal, kind);
}

static Mat widened(Arena *arena, HalfKind kind, const uint16_t *from, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < cols; c++) *mat_ref(m, i, c) = half_value(kind, from[i * cols + c]);
    return m;
}

Mat problem_out(Arena *arena, const GpuProblem *p) { return widened(arena, p->kind, p->out, p->T, p->H * p->d); }

double problem_error(Arena *arena, const GpuProblem *p)
{
    int H = p->H, d = p->d;
    const Mask mask = { .causal = p->causal, .scale = p->scale };
    Mat q = widened(arena, p->kind, p->q, p->T, H * d);
    Mat k = widened(arena, p->kind, p->k, p->S, p->G * d), v = widened(arena, p->kind, p->v, p->S, p->G * d);
    double *want = arena_alloc(arena, sizeof *want * (size_t)(p->T * H * d));
    for (int h = 0; h < H; h++) {
        int key_head = gpu_key_head(h, H, p->G);
        const double *head = reference_compute(arena, mat_cols(q, h * d, d), mat_cols(k, key_head * d, d),
                                               mat_cols(v, key_head * d, d), mask);
        for (int i = 0; i < p->T; i++) memcpy(want + (i * H + h) * d, head + i * d, sizeof *head * (size_t)d);
    }
    return reference_error(problem_out(arena, p), want);
}
