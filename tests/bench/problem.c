// Random heads, and float64's opinion on some of their rows.
#include "bench/problem.h"

#include "base/portable_math.h"
#include "base/random.h"

enum { CHECKED = 48 }; // rows that the error is taken over

static Mat filled(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

// `parts` matrices of (rows, d): of one (rows, parts · d), or each for itself.
static Mat *heads_of(Arena *arena, Random *random, Mat *all, int parts, int rows, int d, bool views)
{
    Mat *heads = arena_alloc(arena, sizeof *heads * (size_t)parts);
    if (views) *all = filled(arena, random, rows, parts * d);
    for (int h = 0; h < parts; h++) heads[h] = views ? mat_cols(*all, h * d, d) : filled(arena, random, rows, d);
    return heads;
}

Problem problem_new(Arena *arena, int H, int G, int T, int S, int d, bool causal, bool views)
{
    Random random = random_from(15);
    Problem p = { .H = H, .G = G, .T = T, .S = S, .d = d, .dv = d, .causal = causal };
    p.q = heads_of(arena, &random, &p.all_q, H, T, d, views);
    p.k = heads_of(arena, &random, &p.all_k, G, S, d, views);
    p.v = heads_of(arena, &random, &p.all_v, G, S, d, views);
    p.out = mat_new(arena, T, views ? H * d : d);
    return p;
}

Problem problem_latent(Arena *arena, int H, int S, int c, int dr)
{
    Problem p = problem_new(arena, H, 1, 1, S, c + dr, false, true);
    p.dv = c;
    p.all_v = mat_cols(p.all_k, 0, c);
    *p.v = p.all_v;
    p.out = mat_new(arena, 1, H * c);
    return p;
}

double problem_flops(const Problem *p) { return (p->causal ? 1.0 : 2.0) * p->T * p->S * (p->d + p->dv); }

// Values that lie in the keys are fetched with them.
double problem_bytes(const Problem *p)
{
    int row = p->all_v.at && p->all_v.at == p->all_k.at ? p->d : p->d + p->dv;
    return 4.0 * ((p->d + p->dv) * (double)p->T + (double)row * p->S * p->G / p->H);
}

// Row i of a head in float64, into want (dv).
static void exact_row(const Problem *p, int head, int i, double *want, double *scores)
{
    Mat q = p->q[head], k = p->k[head / (p->H / p->G)], v = p->v[head / (p->H / p->G)];
    Mask mask = { .causal = p->causal };
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < p->S; j++) {
        scores[j] = 0;
        for (int c = 0; c < p->d; c++) scores[j] += (double)*mat_ref(q, i, c) * (double)*mat_ref(k, j, c);
        scores[j] = mask_sees(mask, i, j, p->T, p->S) ? scores[j] / sqrt(p->d) : -INFINITY;
        max = fmax(max, scores[j]);
    }
    for (int c = 0; c < p->dv; c++) want[c] = 0;
    for (int j = 0; j < p->S; j++) {
        double weight = exp(scores[j] - max);
        sum += weight;
        for (int c = 0; c < p->dv; c++) want[c] += weight * (double)*mat_ref(v, j, c);
    }
    for (int c = 0; c < p->dv; c++) want[c] /= sum;
}

double problem_error(const Problem *p, int head, Mat out)
{
    Arena *scratch = arena_open();
    double *scores = arena_alloc(scratch, sizeof(double) * (size_t)p->S);
    double *want = arena_alloc(scratch, sizeof(double) * (size_t)p->dv);
    double off = 0, all = 0;
    int step = p->T > CHECKED ? p->T / CHECKED : 1;
    for (int i = p->T - 1; i >= 0; i -= step) {
        exact_row(p, head, i, want, scores);
        for (int c = 0; c < p->dv; c++) {
            double difference = (double)*mat_ref(out, i, c) - want[c];
            off += difference * difference;
            all += want[c] * want[c];
        }
    }
    arena_close(scratch);
    return sqrt(off / all);
}
