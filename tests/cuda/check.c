// Every kernel of chapter 16 in the emulator: all cases of the card's own check (chapters/16_cuda/check.c), then any
// shapes, layouts, orders and sums, with every access watched. `cuda-check [CASES]`: so many of the latter, 60 if it
// is not said; SEED picks them. Two processes share the work; each tells the first cases that are wrong.
#include "cuda/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 2 };

// More scores than these, and the rungs without tensor cores run unwatched: they have an access or more for each
// multiplication.
enum { WATCHED = 30000 };

typedef struct {
    int cases, watched, wrong;
} Tally;

static void try_all(Tally *tally, Random *random, GpuProblem shape, TrialLayout layout, EmulatorOptions options)
{
    Arena *arena = arena_open();
    Card card = { .major = 9, .shared = 227 << 10 };
    emulator_configure(options);
    Trial problem = trial_new(arena, random, shape, layout);
    for (int r = 0; r < rungs_count; r++) {
        if (!rung_runs(&rungs[r], &card, shape.T, shape.d)) continue;
        EmulatorOptions these = options;
        bool slow = r < 3 && shape.B * shape.H * shape.T * shape.S > WATCHED;
        these.unchecked = slow;
        const char *why = trial_run(arena, &problem, &rungs[r], these);
        tally[r].cases++;
        tally[r].watched += !slow;
        if (why && tally[r].wrong++ < 5)
            printf("  WRONG: %s, B %d, H %d, G %d, T %d, S %d, d %d, %s, %s, layout %d, order %d: %s\n", rungs[r].name,
                   shape.B, shape.H, shape.G, shape.T, shape.S, shape.d, shape.causal ? "causal" : "full",
                   shape.kind == HALF_BFLOAT16 ? "bfloat16" : "float16", (int)layout, (int)options.order, why);
        fflush(stdout);
    }
    trial_free(&problem);
    arena_close(arena);
}

// Process `mine` takes every PROCESSES-th case; what it draws hangs on the case alone.
static void known_cases(Tally *tally, int mine)
{
    for (int n = mine; n < CHECK_CASES; n += PROCESSES) {
        Random random = random_from((uint64_t)n);
        try_all(tally, &random, check_case(n), TRIAL_HEADS_OUTSIDE, (EmulatorOptions){ .uncounted = true });
    }
}

static void any_cases(Tally *tally, int mine, int cases, uint64_t seed)
{
    for (int e = mine; e < cases; e += PROCESSES) {
        Random random = random_from(seed + (uint64_t)e);
        bool decodes = random_below(&random, 3) == 0;
        int G = 1 + random_below(&random, 3);
        GpuProblem shape = { .B = 1 + random_below(&random, 2),
                             .H = G * (1 + random_below(&random, decodes ? 24 : 3)),
                             .G = G,
                             .T = decodes ? 1 : 1 + random_below(&random, 200),
                             .S = random_below(&random, decodes ? 1500 : 200),
                             .d = 64 << random_below(&random, 2),
                             .causal = random_below(&random, 2),
                             .kind = random_below(&random, 2) ? HALF_BFLOAT16 : HALF_FLOAT16 };
        try_all(tally, &random, shape, (TrialLayout)random_below(&random, TRIAL_LAYOUTS),
                (EmulatorOptions){ .order = (EmulatorOrder)random_below(&random, 3),
                                   .seed = seed + (uint64_t)e,
                                   .truncating = random_below(&random, 2),
                                   .uncounted = true,
                                   .multiprocessors = 1 + random_below(&random, 12) });
    }
}

static int run(int mine, int cases, uint64_t seed)
{
    Tally known[16] = { { 0, 0, 0 } }, any[16] = { { 0, 0, 0 } };
    int wrong = 0;
    known_cases(known, mine);
    any_cases(any, mine, cases, seed);
    for (int r = 0; r < rungs_count; r++) {
        printf("%-8s %d of the card's cases (%d watched), %d wrong; %d of any shape (%d watched), %d wrong\n",
               rungs[r].name, known[r].cases, known[r].watched, known[r].wrong, any[r].cases, any[r].watched,
               any[r].wrong);
        wrong += known[r].wrong + any[r].wrong;
    }
    fflush(stdout);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    int cases = argc > 1 ? atoi(argv[1]) : 60, failed = 0;
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    for (int n = 0; n < PROCESSES; n++) {
        pid_t child = fork();
        if (child == 0) return run(n, cases, seed);
        failed += child < 0;
    }
    for (int n = 0, status; n < PROCESSES; n++)
        if (wait(&status) < 0 || status != 0) failed++;
    puts(failed ? "some cases are wrong" : "all cases are right");
    return failed > 0;
}
