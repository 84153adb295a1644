// Problems for the kernels of chapter 16 in the emulator, and what is right in float64.
#include "base/portable_math.h"
#include "cuda/trial.h"

#include <string.h>

// What `heads` times `rows` rows of d numbers lie apart by.
static GpuStrides steps_of(int heads, int rows, int d, TrialLayout layout)
{
    int64_t all = (int64_t)heads * rows * d;
    if (layout == TRIAL_HEADS_OUTSIDE) return (GpuStrides){ all, (int64_t)rows * d, d };
    if (layout == TRIAL_HEADS_INSIDE) return (GpuStrides){ all, d, (int64_t)heads * d };
    int64_t wide = d + 8, row = heads * wide + 16; // gaps behind each head, each row and each sequence
    return (GpuStrides){ rows * row + 24, wide, row };
}

static size_t count_of(GpuStrides step, int batches, int heads, int rows, int d)
{
    if (batches * heads * rows == 0) return 0;
    return (size_t)(gpu_offset(step, batches - 1, heads - 1, rows - 1) + d);
}

static uint16_t *gaussians(Arena *arena, Random *random, const GpuProblem *p, GpuStrides step, int heads, int rows,
                           size_t count)
{
    uint16_t *numbers = arena_alloc(arena, sizeof *numbers * (count + 1));
    memset(numbers, 0xFF, sizeof *numbers * count);
    for (int n = 0; n < p->B * heads * rows; n++)
        for (int c = 0; c < p->d; c++)
            numbers[gpu_offset(step, n / rows / heads, n / rows % heads, n % rows) + c] =
                half_of(p->kind, random_normal(random));
    return numbers;
}

static void *sent(const void *from, size_t bytes)
{
    void *there = NULL;
    CUDA(cudaMalloc(&there, bytes));
    CUDA(cudaMemcpy(there, from, bytes, cudaMemcpyHostToDevice));
    return there;
}

static void widen(double *to, const GpuProblem *p, const uint16_t *from)
{
    for (int c = 0; c < p->d; c++) to[c] = (double)half_value(p->kind, from[c]);
}

// Row i of head h, by the definition.
static void answer(Trial *problem, const double *k, const double *v, double *scores, int b, int h, int i)
{
    const GpuProblem *p = &problem->here;
    int64_t row = ((int64_t)b * p->H + h) * p->T + i;
    int seen = gpu_keys_seen(i, p->T, p->S, p->causal), d = p->d;
    double q[256], *want = problem->want + row * d;
    widen(q, p, p->q + gpu_offset(p->q_step, b, h, i));
    double lse = exact_row(want, scores, q, k, v, seen, d, (double)p->scale);
    for (int c = 0; c < d; c++) problem->largest = fmax(problem->largest, fabs(want[c]));
    problem->want_lse[row] = lse;
}

static void answers(Arena *arena, Trial *problem)
{
    const GpuProblem *p = &problem->here;
    size_t keys = (size_t)p->S * (size_t)p->d + 1;
    double *k = arena_alloc(arena, sizeof *k * keys), *v = arena_alloc(arena, sizeof *v * keys);
    double *scores = arena_alloc(arena, sizeof *scores * ((size_t)p->S + 1));
    for (int n = 0; n < p->B * p->H; n++) {
        int b = n / p->H, h = n % p->H, g = gpu_key_head(h, p->H, p->G);
        for (int j = 0; j < p->S; j++) {
            widen(k + j * p->d, p, p->k + gpu_offset(p->kv_step, b, g, j));
            widen(v + j * p->d, p, p->v + gpu_offset(p->kv_step, b, g, j));
        }
        for (int i = 0; i < p->T; i++) answer(problem, k, v, scores, b, h, i);
    }
}

Trial trial_new(Arena *arena, Random *random, GpuProblem p, TrialLayout layout)
{
    size_t rows = (size_t)p.B * (size_t)p.H * (size_t)p.T;
    p.scale = 1.0f / sqrtf((float)p.d);
    p.q_step = p.out_step = steps_of(p.H, p.T, p.d, layout);
    p.kv_step = steps_of(p.G, p.S, p.d, layout);
    p.scratch = NULL;
    Trial problem = { .q_count = count_of(p.q_step, p.B, p.H, p.T, p.d),
                      .kv_count = count_of(p.kv_step, p.B, p.G, p.S, p.d) };
    p.q = gaussians(arena, random, &p, p.q_step, p.H, p.T, problem.q_count);
    p.k = gaussians(arena, random, &p, p.kv_step, p.G, p.S, problem.kv_count);
    p.v = gaussians(arena, random, &p, p.kv_step, p.G, p.S, problem.kv_count);
    p.out = arena_alloc(arena, sizeof *p.out * (problem.q_count + 1));
    p.lse = arena_alloc(arena, sizeof *p.lse * (rows + 1));
    problem.here = problem.there = p;
    problem.want = arena_alloc(arena, sizeof *problem.want * (rows * (size_t)p.d + 1));
    problem.want_lse = arena_alloc(arena, sizeof *problem.want_lse * (rows + 1));
    answers(arena, &problem);
    problem.there.q = sent(p.q, 2 * problem.q_count);
    problem.there.k = sent(p.k, 2 * problem.kv_count);
    problem.there.v = sent(p.v, 2 * problem.kv_count);
    problem.there.out = sent(p.out, 2 * problem.q_count);
    problem.there.lse = sent(p.lse, sizeof(float) * rows);
    return problem;
}

void trial_free(Trial *problem)
{
    const GpuProblem *p = &problem->there;
    const void *all[] = { p->q, p->k, p->v, p->out, p->lse };
    for (size_t e = 0; e < sizeof all / sizeof *all; e++) CUDA(cudaFree((void *)(uintptr_t)all[e]));
}

// ---- one rung

static const char *wrong_numbers(Arena *arena, const Trial *problem)
{
    const GpuProblem *p = &problem->here;
    double allowed = p->kind == HALF_BFLOAT16 ? 0x1p-8 : 0x1p-11, off = 0, all = 0;
    size_t theirs = 0, untouched = 0;
    for (size_t e = 0; e < problem->q_count; e++) untouched += p->out[e] == 0xFFFF;
    for (int row = 0; row < p->B * p->H * p->T; row++) {
        int b = row / p->T / p->H, h = row / p->T % p->H, i = row % p->T;
        const uint16_t *out = p->out + gpu_offset(p->out_step, b, h, i);
        theirs += (size_t)p->d;
        for (int c = 0; c < p->d; c++) {
            double want = problem->want[(int64_t)row * p->d + c], error = (double)half_value(p->kind, out[c]) - want;
            if (!(fabs(error) <= 4 * allowed * fmax(1, problem->largest)))
                return arena_format(arena, "sequence %d, head %d, query %d, channel %d: off by %g", b, h, i, c, error);
            off += error * error;
            all += want * want;
        }
        double lse = (double)p->lse[row], want = problem->want_lse[row];
        if (lse != want && !(fabs(lse - want) <= 1e-4))
            return arena_format(arena, "sequence %d, head %d, query %d: lse %g, not %g", b, h, i, lse, want);
    }
    if (untouched != problem->q_count - theirs)
        return arena_format(arena, "%zu numbers lie between the rows, and %zu of them are as before",
                            problem->q_count - theirs, untouched);
    if (sqrt(off) > allowed * sqrt(all)) return arena_format(arena, "relative error %g", sqrt(off / all));
    return NULL;
}

const char *trial_run(Arena *arena, Trial *problem, const Rung *rung, EmulatorOptions options)
{
    GpuProblem *p = &problem->here, *there = &problem->there;
    size_t rows = (size_t)p->B * (size_t)p->H * (size_t)p->T;
    emulator_configure(options);
    int64_t scratch = rung_scratch(rung, there);
    emulator_reset();
    CUDA(cudaMemset(there->out, 0xFF, 2 * problem->q_count));
    CUDA(cudaMemset(there->lse, 0xFF, sizeof(float) * rows));
    if (scratch > 0) CUDA(cudaMalloc((void **)&there->scratch, sizeof(float) * (size_t)scratch));
    cudaError_t error = rung->run(there);
    if (there->scratch) CUDA(cudaFree(there->scratch));
    there->scratch = NULL;
    if (emulator_findings()) return arena_format(arena, "%s", emulator_finding(0));
    if (error) return cudaGetErrorString(error);
    CUDA(cudaMemcpy(p->out, there->out, 2 * problem->q_count, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(p->lse, there->lse, sizeof(float) * rows, cudaMemcpyDeviceToHost));
    return wrong_numbers(arena, problem);
}
