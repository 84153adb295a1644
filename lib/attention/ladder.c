// Chapter 15. The rungs of the ladder, and their list.
#include "attention/ladder.h"

#include "attention/fast.h"
#include "attention/fast_kinds.h"
#include "attention/tiled.h"
#include "base/measure.h"

// ---- the rungs that share the fast kernel's body, for three kinds of processor

#define KIND 4
#define RUNG(f, name) f##name##_plain
#include "attention/ladder_body.h"

#if defined __x86_64__
#define KIND 8
#define RUNG(f, name) f##name##_avx2
#include "attention/ladder_body.h"

#define KIND 16
#define RUNG(f, name) f##name##_avx512
#include "attention/ladder_body.h"

#define KINDS(rung) { blocks_##rung##_avx512, blocks_##rung##_avx2, blocks_##rung##_plain }
#else
#define KINDS(rung) { blocks_##rung##_plain }
#endif

typedef void Blocks(Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next, void *context);

static int count_up(void *context) { return (*(int *)context)++; }

// `kinds` are one rung's versions, in the order of fast_kinds.
static void run(Blocks *const *kinds, Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    int kind = 0, block = 0;
    while (strcmp(fast_kinds[kind], fast_kind())) kind++;
    Arena *scratch = arena_open();
    kinds[kind](scratch, to, q, k, v, mask, count_up, &block);
    arena_close(scratch);
    attention_weights(to.weights, q, k, mask);
}

static Blocks *const lanes[] = KINDS(lanes), *const one[] = KINDS(1x4), *const two[] = KINDS(2x4),
              *const four[] = KINDS(4x4), *const lazy[] = KINDS(lazy);

void attention_lanes(Attended to, Mat q, Mat k, Mat v, Mask mask) { run(lanes, to, q, k, v, mask); }
void attention_1x4(Attended to, Mat q, Mat k, Mat v, Mask mask) { run(one, to, q, k, v, mask); }
void attention_2x4(Attended to, Mat q, Mat k, Mat v, Mask mask) { run(two, to, q, k, v, mask); }
void attention_4x4(Attended to, Mat q, Mat k, Mat v, Mask mask) { run(four, to, q, k, v, mask); }
void attention_lazy(Attended to, Mat q, Mat k, Mat v, Mask mask) { run(lazy, to, q, k, v, mask); }

void attention_packed(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    Arena *scratch = arena_open();
    attention_fast(to, q, mat_copy(scratch, k), mat_copy(scratch, v), mask);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// ---- the list

const Rung ladder[] = {
    { "naive", attention_naive, "chapter 03: three passes over a table of all scores" },
    { "reordered", attention_reordered, "keys on their side: the inner loops run over neighbours" },
    { "tiled", attention_tiled, "chapter 14: no table any more, and the same slow inner loops" },
    { "lanes", attention_lanes, "queries in the lanes of a vector; 2ˣ number by number" },
    { "1x4", attention_1x4, "2ˣ for a whole vector" },
    { "2x4", attention_2x4, "a vector that was loaded serves two keys" },
    { "4x4", attention_4x4, "and four: sixteen sums stay in registers" },
    { "lazy", attention_lazy, "a score becomes a weight at once; the maximum is seldom raised" },
    { "fast", attention_fast, "tiles that the mask cuts are worked on in strips" },
    { "packed", attention_packed, "keys and values copied to lie side by side first" },
    { "plain-c", attention_plain_c, "no intrinsics and no vector types" },
};
const int ladder_count = sizeof ladder / sizeof *ladder;

const Rung *ladder_rung(const char *name)
{
    for (int i = 0; i < ladder_count; i++)
        if (!strcmp(name, ladder[i].name)) return &ladder[i];
    return NULL;
}

// Multiply-adds in a second over one look of `seconds` or more; `rounds` grows until it takes that long.
static double look(double seconds, int *rounds)
{
    for (;; *rounds *= 2) {
        double began = clock_thread();
        double done = (double)fast_probe(*rounds), took = clock_thread() - began;
        if (took >= seconds || *rounds >= 1 << 24) return done / (took > 1e-9 ? took : 1e-9);
    }
}

// The best of three: the system may still be busy, on this thread's time, with memory that was just given back.
double ladder_probe(double seconds)
{
    static _Thread_local int rounds = 16;            // of about 2 µs each, until it is known better
    double best = 0.0;
    for (int i = 0; i < 3; i++) {
        double rate = look(seconds / 6, &rounds);
        best = rate > best ? rate : best;
    }
    return best;
}
