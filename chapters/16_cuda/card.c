// The card, problems on it, and their errors against float64.
#include "base/portable_math.h"
#include "card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cuda_require(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(1);
}

bool card_find(Card *card, char *why, int room)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        snprintf(why, (size_t)room, "%s", error ? cudaGetErrorString(error) : "no CUDA device was found");
        return false;
    }
    struct cudaDeviceProp found;
    *card = (Card){ .major = 0 };
    CUDA(cudaGetDeviceProperties(&found, 0));
    snprintf(card->name, sizeof card->name, "%s", found.name);
    card->major = found.major;
    card->minor = found.minor;
    card->multiprocessors = found.multiProcessorCount;
    card->cache = (size_t)found.l2CacheSize;
    card->shared = found.sharedMemPerBlockOptin;
    CUDA(cudaDriverGetVersion(&card->driver));
    CUDA(cudaRuntimeGetVersion(&card->runtime));
    return true;
}

// clang-format off
const Rung rungs[] = {
    { "naive", gpu_naive, 7, 99, false, true, NULL }, { "tiles", gpu_tiles, 7, 99, false, true, NULL },
    { "online", gpu_online, 7, 99, false, false, NULL }, { "mma", gpu_mma, 8, 99, false, false, mma_shared },
    { "hopper", gpu_hopper, 9, 9, false, false, hopper_shared },
    { "decode", gpu_decode, 8, 99, true, false, decode_shared },
};
// clang-format on
const int rungs_count = sizeof rungs / sizeof *rungs;

bool rung_runs(const Rung *rung, const Card *card, int T, int d)
{
    int shared = rung->shared ? rung->shared(d) : 0;
    bool known = card->major >= rung->least && card->major <= rung->most;
    return known && (!rung->decodes || T == 1) && (size_t)shared <= card->shared;
}

int64_t rung_scratch(const Rung *rung, const GpuProblem *p)
{
    if (rung->decodes) return decode_scratch(p->B, p->H, p->d, gpu_decode_splits(p));
    return rung->tabled ? (int64_t)p->B * p->H * p->T * p->S : 0;
}

// ---- a problem on the card

// Beyond a million they repeat: a cache of gigabytes is to be timed, not waited for.
static uint16_t *gaussians(Arena *arena, Random *random, size_t count, HalfKind kind)
{
    enum { OWN = 1000003 };
    uint16_t *numbers = arena_alloc(arena, sizeof *numbers * (count + 1));
    for (size_t e = 0; e < count; e++) numbers[e] = e < OWN ? half_of(kind, random_normal(random)) : numbers[e - OWN];
    return numbers;
}

static void *sent(const void *from, size_t bytes)
{
    void *there = NULL;
    CUDA(cudaMalloc(&there, bytes ? bytes : 1));
    CUDA(cudaMemcpy(there, from, bytes, cudaMemcpyHostToDevice));
    return there;
}

OnCard on_card(Arena *arena, Random *random, GpuProblem p)
{
    OnCard o = { .queries = (size_t)p.B * (size_t)p.H * (size_t)p.T * (size_t)p.d,
                 .keys = (size_t)p.B * (size_t)p.G * (size_t)p.S * (size_t)p.d };
    size_t rows = (size_t)p.B * (size_t)p.H * (size_t)p.T;
    p.scale = 1.0f / sqrtf((float)p.d);
    p.q_step = p.out_step = (GpuStrides){ (int64_t)p.H * p.T * p.d, (int64_t)p.T * p.d, p.d }; // as PyTorch has it
    p.kv_step = (GpuStrides){ (int64_t)p.G * p.S * p.d, (int64_t)p.S * p.d, p.d };
    uint16_t *q = gaussians(arena, random, o.queries, p.kind), *k = gaussians(arena, random, o.keys, p.kind);
    uint16_t *v = gaussians(arena, random, o.keys, p.kind);
    p.q = q;
    p.k = k;
    p.v = v;
    p.scratch = NULL;
    p.out = arena_alloc(arena, 2 * (o.queries + MARGIN));
    p.lse = arena_alloc(arena, sizeof(float) * (rows + 1));
    o.here = o.there = p;
    o.there.q = sent(q, 2 * o.queries);
    o.there.k = sent(k, 2 * o.keys);
    o.there.v = sent(v, 2 * o.keys);
    o.there.out = sent(p.out, 2 * (o.queries + MARGIN));
    o.there.lse = sent(p.lse, sizeof(float) * rows);
    on_card_poison(&o);
    return o;
}

void on_card_poison(OnCard *o)
{
    size_t rows = (size_t)o->here.B * (size_t)o->here.H * (size_t)o->here.T;
    CUDA(cudaMemset(o->there.out, 0xFF, 2 * (o->queries + MARGIN)));
    CUDA(cudaMemset(o->there.lse, 0xFF, sizeof(float) * rows));
}

void on_card_fetch(OnCard *o)
{
    size_t rows = (size_t)o->here.B * (size_t)o->here.H * (size_t)o->here.T;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(o->here.out, o->there.out, 2 * (o->queries + MARGIN), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(o->here.lse, o->there.lse, sizeof(float) * rows, cudaMemcpyDeviceToHost));
}

void on_card_free(OnCard *o)
{
    const void *all[] = { o->there.q, o->there.k, o->there.v, o->there.out, o->there.lse };
    for (size_t e = 0; e < sizeof all / sizeof *all; e++) CUDA(cudaFree((void *)(uintptr_t)all[e]));
}

bool on_card_margin(const OnCard *o)
{
    bool untouched = true;
    for (size_t e = o->queries; e < o->queries + MARGIN; e++) untouched = untouched && o->here.out[e] == 0xFFFF;
    return untouched;
}

// ---- errors

static double *widened(Arena *arena, const GpuProblem *p, const uint16_t *from, int rows)
{
    double *wide = arena_alloc(arena, sizeof *wide * ((size_t)rows * (size_t)p->d + 1));
    for (int64_t e = 0; e < (int64_t)rows * p->d; e++) wide[e] = (double)half_value(p->kind, from[e]);
    return wide;
}

double exact_row(double *want, double *scores, const double *q, const double *k, const double *v, int seen, int d,
                 double scale)
{
    double max = -INFINITY, sum = 0;
    memset(want, 0, sizeof *want * (size_t)d);
    for (int j = 0; j < seen; j++) {
        scores[j] = 0;
        for (int c = 0; c < d; c++) scores[j] += q[c] * k[(int64_t)j * d + c];
        scores[j] *= scale;
        max = fmax(max, scores[j]);
    }
    for (int j = 0; j < seen; j++) sum += scores[j] = exp(scores[j] - max);
    for (int j = 0; j < seen; j++)
        for (int c = 0; c < d; c++) want[c] += scores[j] / sum * v[(int64_t)j * d + c];
    return seen ? max + log(sum) : -INFINITY;
}

Off on_card_error(const OnCard *o, int b, int h, int step)
{
    const GpuProblem *p = &o->here;
    Arena *arena = arena_open();
    int g = h / (p->H / p->G), S = p->S, d = p->d;
    const double *q = widened(arena, p, p->q + gpu_offset(p->q_step, b, h, 0), p->T);
    const double *k = widened(arena, p, p->k + gpu_offset(p->kv_step, b, g, 0), S);
    const double *v = widened(arena, p, p->v + gpu_offset(p->kv_step, b, g, 0), S);
    const double *got = widened(arena, p, p->out + gpu_offset(p->out_step, b, h, 0), p->T);
    double *row = arena_alloc(arena, sizeof *row * ((size_t)S + 1));
    double *want = arena_alloc(arena, sizeof *want * (size_t)d);
    double off = 0, all = 0;
    Off result = { 0, 0, 0, 0 };
    for (int i = 0; i < p->T; i += step) {
        int seen = p->causal ? (i + S - p->T + 1 > 0 ? i + S - p->T + 1 : 0) : S; // not by the kernels' own words
        double right = exact_row(want, row, q + (int64_t)i * d, k, v, seen, d, (double)p->scale);
        for (int c = 0; c < d; c++) {
            double e = got[(int64_t)i * d + c] - want[c];
            off += e * e;
            all += want[c] * want[c];
            result.largest = fmax(result.largest, fabs(want[c]));
            if (!(fabs(e) <= result.worst)) result.worst = fabs(e); // NaN is the worst
        }
        double lse = (double)p->lse[((int64_t)b * p->H + h) * p->T + i];
        double apart = lse == right ? 0 : fabs(lse - right);
        if (!(apart <= result.lse)) result.lse = apart;
    }
    arena_close(arena);
    result.relative = all > 0 ? sqrt(off / all) : sqrt(off);
    return result;
}
