// Converts float64 (B, H, T, d) to the matrices of the kernels, heads concatenated, and back.
#include "judge/kernel.h"

#include "attention/grouped.h"
#include "base/portable_math.h"
#include "base/threads.h"

typedef struct {
    Judged to;
    const JudgeProblem *p;
    const JudgeRules *rules;
    AttentionKernel *kernel;
} Work;

// Converts (heads, T, width) to (T, heads · width).
static Mat concat_heads(Arena *arena, const double *from, int heads, int T, int width, double factor)
{
    Mat m = mat_new(arena, T, heads * width);
    for (int h = 0; h < heads; h++)
        for (int t = 0; t < T; t++)
            for (int c = 0; c < width; c++) *mat_ref(m, t, h * width + c) = (float)(*from++ * factor);
    return m;
}

static void attend_sequence(int b, void *context)
{
    const Work *work = context;
    const JudgeProblem *p = work->p;
    const JudgeRules *r = work->rules;
    JudgeShape is = p->is;
    size_t at = (size_t)b, rows = (size_t)is.H * (size_t)is.T, keys = (size_t)is.G * (size_t)is.S;
    Arena *scratch = arena_open();

    // 1. The matrices of this sequence.
    Mat q = concat_heads(scratch, p->q + at * rows * (size_t)is.d, is.H, is.T, is.d, r->scale * sqrt(is.d));
    Mat k = concat_heads(scratch, p->k + at * keys * (size_t)is.d, is.G, is.S, is.d, 1);
    Mat v = concat_heads(scratch, p->v + at * keys * (size_t)is.dv, is.G, is.S, is.dv, 1);
    Attended to = { .out = mat_new(scratch, is.T, is.H * is.dv) };
    if (work->to.lse) to.lse = mat_new(scratch, is.T, is.H);
    if (work->to.weights) to.weights = mat_new(scratch, is.H * is.T, is.S);

    // 2. All heads.
    Mask *masks = arena_alloc(scratch, (size_t)is.H * sizeof *masks);
    Mask mask = { .causal = r->causal, .window = r->window, .sinks = r->sinks };
    if (p->lengths) mask.padding = is.S - p->lengths[b];
    grouped_masks(masks, is.H, mask, r->alibi);
    grouped_attend(to, q, k, v, is.H, masks, work->kernel);

    // 3. The results.
    double *out = work->to.out + at * rows * (size_t)is.dv;
    for (int h = 0; h < is.H; h++)
        for (int i = 0; i < is.T; i++) {
            size_t row = at * rows + (size_t)h * (size_t)is.T + (size_t)i;
            for (int c = 0; c < is.dv; c++) *out++ = (double)*mat_ref(to.out, i, h * is.dv + c);
            if (work->to.lse) work->to.lse[row] = (double)*mat_ref(to.lse, i, h);
            if (!work->to.weights) continue;
            for (int j = 0; j < is.S; j++)
                work->to.weights[row * (size_t)is.S + (size_t)j] = (double)*mat_ref(to.weights, h * is.T + i, j);
        }
    arena_close(scratch);
}

void judge_kernel_all(Judged to, const JudgeProblem *p, const JudgeRules *rules, AttentionKernel *kernel)
{
    Work work = { to, p, rules, kernel };
    threads_parallel_for(p->is.B, attend_sequence, &work);
}
