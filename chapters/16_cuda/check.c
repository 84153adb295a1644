// Every rung against float64 on the card.
#include "card.h"

#include "base/portable_math.h"
#include "base/threads.h"

#include <stdio.h>
#include <stdlib.h>

// clang-format off
static const int lengths[][2] = {
    { 1, 1 }, { 7, 9 }, { 16, 64 }, { 17, 65 }, { 64, 64 }, { 127, 129 }, { 128, 128 }, { 129, 127 }, { 130, 200 },
    { 200, 66 }, { 260, 257 }, { 1, 300 }, { 1, 1000 }, { 1, 17 }, { 150, 1 }, { 5, 0 }, { 140, 12 },
};
// clang-format on
static const int heads[][3] = { { 1, 1, 1 }, { 2, 4, 2 }, { 1, 6, 1 }, { 1, 20, 1 } }; // B, H, G
enum { LENGTHS = sizeof lengths / sizeof *lengths, HEADS = sizeof heads / sizeof *heads };
_Static_assert(CHECK_CASES == LENGTHS * HEADS * 8, "two widths, two masks, two kinds of number");

GpuProblem check_case(int n)
{
    const int *TS = lengths[n / 8 % LENGTHS], *BHG = heads[n / 8 / LENGTHS];
    return (GpuProblem){ .B = BHG[0],
                         .H = BHG[1],
                         .G = BHG[2],
                         .T = TS[0],
                         .S = TS[1],
                         .d = n & 1 ? 128 : 64,
                         .causal = n & 2,
                         .kind = n & 4 ? HALF_BFLOAT16 : HALF_FLOAT16 };
}

typedef struct {
    const Rung *rung;
    int cases, wrong;
    double relative;
} Tally;

// Of a width for which this card has too little shared memory.
static void say_skipped(const Rung *rung, const Card *card)
{
    for (int d = 64; d <= 128; d *= 2)
        if (!rung_runs(rung, card, 1, d))
            printf("%-8s skipped at d = %d: a block of this card has %d KiB of shared memory\n", rung->name, d,
                   (int)(card->shared >> 10));
}

// The errors of all heads of a problem: float64 takes its time, and every processor.
typedef struct {
    const OnCard *problem;
    Off *off;
} Heads;

static void error_of_head(int n, void *context)
{
    Heads *all = context;
    int H = all->problem->here.H;
    all->off[n] = on_card_error(all->problem, n / H, n % H, 1);
}

static void try_one(Tally *tally, Random *random, GpuProblem shape)
{
    Arena *arena = arena_open();
    OnCard o = on_card(arena, random, shape);
    int64_t scratch = rung_scratch(tally->rung, &o.there);
    if (scratch > 0) CUDA(cudaMalloc((void **)&o.there.scratch, sizeof(float) * (size_t)scratch));
    CUDA(tally->rung->run(&o.there));
    on_card_fetch(&o);
    double allowed = shape.kind == HALF_BFLOAT16 ? 0x1p-8 : 0x1p-11;
    bool right = on_card_margin(&o);
    Heads all = { &o, arena_alloc(arena, sizeof *all.off * (size_t)(shape.B * shape.H)) };
    threads_parallel_for(shape.B * shape.H, error_of_head, &all);
    for (int n = 0; n < shape.B * shape.H; n++) {
        Off off = all.off[n];
        right = right && off.relative <= allowed && off.worst <= 2 * allowed * fmax(off.largest, 1) && off.lse <= 1e-4;
        if (off.relative > tally->relative) tally->relative = off.relative;
    }
    tally->cases++;
    if (!right && tally->wrong++ < 5)
        printf("  WRONG: B %d, H %d, G %d, T %d, S %d, d %d, %s, %s\n", shape.B, shape.H, shape.G, shape.T, shape.S,
               shape.d, shape.causal ? "causal" : "full", shape.kind == HALF_BFLOAT16 ? "bfloat16" : "float16");
    if (o.there.scratch) CUDA(cudaFree(o.there.scratch));
    on_card_free(&o);
    arena_close(arena);
}

// The first kernel, which has a form of its own.
static int check_first(void)
{
    enum { T = 11, S = 13, d = 12 };
    Random random = random_from(16);
    float q[T * d], k[S * d], scores[T * S];
    int wrong = 0;
    for (int e = 0; e < T * d; e++) q[e] = random_normal(&random);
    for (int e = 0; e < S * d; e++) k[e] = random_normal(&random);
    CUDA(gpu_first(scores, q, k, T, S, d));
    for (int n = 0; n < T * S; n++) {
        double want = 0;
        for (int c = 0; c < d; c++) want += (double)q[n / S * d + c] * (double)k[n % S * d + c];
        wrong += !(fabs((double)scores[n] - want / sqrt(d)) < 1e-5);
    }
    printf("%-8s %d scores, %d wrong\n", "first", T * S, wrong);
    return wrong > 0;
}

int check_main(const Card *card, int each)
{
    int wrong = check_first();
    for (int r = 0; r < rungs_count; r++) {
        Tally tally = { &rungs[r], 0, 0, 0 };
        if (card->major < rungs[r].least || card->major > rungs[r].most) {
            printf("%-8s skipped: it needs compute capability %d.0%s, this card has %d.%d\n", rungs[r].name,
                   rungs[r].least, rungs[r].most == rungs[r].least ? " itself" : "", card->major, card->minor);
            continue;
        }
        say_skipped(&rungs[r], card);
        Random random = random_from(16);
        for (int n = 0; n < CHECK_CASES; n += each) {
            GpuProblem shape = check_case(n);
            if (rung_runs(&rungs[r], card, shape.T, shape.d)) try_one(&tally, &random, shape);
        }
        printf("%-8s %d cases, %d wrong, worst relative error %.2e\n", rungs[r].name, tally.cases, tally.wrong,
               tally.relative);
        fflush(stdout);
        wrong += tally.wrong;
    }
    if (wrong) printf("%d cases are wrong\n", wrong);
    else printf("all cases are right\n");
    return wrong > 0;
}
