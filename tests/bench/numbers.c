// The same kernel, the same shape, other numbers. The kernels of chapters 03 to 14 are left out: they keep to IEEE 754,
// and what a subnormal number or expf far below 0 costs there, is the processor's and the C library's affair.
#include "bench/numbers.h"

#include "kernels/fast.h"
#include "kernels/kernels.h"
#include "base/random.h"
#include "base/threads.h"

#include <stdio.h>
#include <string.h>

enum { D = 64, HEADS = 8 };
#define HELD 0.8 // of the usual speed

const char *const numbers_names[NUMBERS] = { "usual", "q × 40",  "q × 200",   "tiny",
                                             "equal", "one hot", "subnormal", "subn. v" };

typedef struct {
    Mat q, k, v, out;
    Mask mask;
    AttentionKernel *kernel;
} Job;

static void scale(Mat m, float by)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) *= by;
}

static void fill(Job *job, Random *random, int number)
{
    Mat all[] = { job->q, job->k, job->v };
    for (int m = 0; m < 3; m++) {
        random_normals(random, all[m]);
        if (number == 4) mat_fill(all[m], 1.0f);
        if (number == 5 && m < 2) mat_fill(all[m], 0.0f);
        if (number == 6) scale(all[m], 1e-39f);
    }
    if (number == 1 || number == 2) scale(job->q, number == 1 ? 40.0f : 200.0f);
    if (number == 3) scale(job->q, 1e-10f);
    for (int i = 0; number == 5 && i < job->q.rows; i++)
        *mat_ref(job->q, i, i % D) = *mat_ref(job->k, i, i % D) = 40.0f;
    if (number == 7) scale(job->v, 1e-39f);
}

static void run(void *context)
{
    const Job *job = context;
    job->kernel((Attended){ .out = job->out }, job->q, job->k, job->v, job->mask);
}

void numbers_time(MeasureSpread speeds[NUMBERS], AttentionKernel *kernel, int length, Mask mask, int rounds)
{
    Arena *arena = arena_open();
    Random random = random_from(1);
    MeasureTimed rows[NUMBERS];
    Job jobs[NUMBERS];
    for (int n = 0; n < NUMBERS; n++) {
        Mat of[4];
        for (int m = 0; m < 4; m++) of[m] = mat_new(arena, length, D);
        jobs[n] = (Job){ of[0], of[1], of[2], of[3], mask, kernel };
        fill(&jobs[n], &random, n);
        rows[n] = (MeasureTimed){ .name = numbers_names[n], .run = run, .context = &jobs[n], .work = 1 };
    }
    measure_best(rows, NUMBERS, (Measurement){ .rounds = rounds });
    for (int n = 0; n < NUMBERS; n++) speeds[n] = measured_ratio(&rows[n], &rows[0]);
    arena_close(arena);
}

void numbers_decode(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    Mask masks[HEADS];
    int heads = q.rows < HEADS ? q.rows : HEADS;
    for (int h = 0; h < heads; h++) masks[h] = mask;
    Mat one = { q.at, 1, heads * D, heads * D }, out = { to.out.at, 1, heads * D, heads * D };
    attention_fast_decode((Attended){ .out = out }, one, k, v, heads, masks);
}

// One line. Answers its slowest, or `least` if that is less.
static double line(double least, const char *name, AttentionKernel *kernel, int length, Mask mask)
{
    MeasureSpread speeds[NUMBERS];
    double slowest = 1.0;
    numbers_time(speeds, kernel, length, mask, 7);
    printf("  %-9s %-14s", name, mask.window ? "causal, window" : mask.causal ? "causal" : "full");
    for (int n = 1; n < NUMBERS; n++) {
        slowest = speeds[n].median < slowest ? speeds[n].median : slowest;
        printf(" %9.2f", speeds[n].median);
    }
    printf("%s\n", slowest < HELD ? "  below" : "");
    fflush(stdout);
    return slowest < least ? slowest : least;
}

static double lines_of_kind(double least, int T)
{
    const Mask masks[] = { { 0 }, { .causal = true }, { .causal = true, .window = T / 4 } };
    printf(" %s, T = %d\n", fast_kind(), T);
    for (int m = 0; m < 3; m++) {
        least = line(least, "fast", attention_fast, T, masks[m]);
        least = line(least, "plain-c", attention_plain_c, T, masks[m]);
    }
    return line(least, "decode", numbers_decode, T, masks[0]);
}

static double lines_of_rungs(double least, int T)
{
    printf(" %s, T = %d, the rungs\n", fast_kind(), T);
    for (int r = 0; attention_rung(r); r++) {
        const char *name = attention_rung(r)->name;
        if (!strcmp(name, "naive") || !strcmp(name, "tiled") || !strcmp(name, "fast") || !strcmp(name, "plain-c"))
            continue;
        least = line(least, name, attention_rung(r)->run, T, (Mask){ 0 });
    }
    return least;
}

void numbers_measure(bool full)
{
    static const int lengths[] = { 16, 64, 256, 1024, 4096 };
    double least = 1.0;
    printf("\nOther numbers than Gaussians: speed against theirs, d = 64, one thread\n  %-24s", "");
    for (int n = 1; n < NUMBERS; n++) printf(" %9s", numbers_names[n]);
    printf("\n");
    threads_set(1);
    for (int kind = 0; kind < fast_kinds_count; kind++) {
        if (!fast_choose(fast_kinds[kind])) continue;
        for (int l = 0; l < 5; l++)
            if (lengths[l] == 256 || (full && lengths[l] < 4096)) least = lines_of_kind(least, lengths[l]);
    }
    fast_choose(NULL);
    if (full) least = lines_of_kind(least, 4096);
    least = lines_of_rungs(least, 256);
    threads_set(0);
    printf("  the slowest: %.2f of the usual speed; %.1f is held\n", least, HELD);
}
