// Attention of one query, and of all. Every step is the definition's; a mistake changes the one line it is about.
#include "judge/judge.h"

#include "base/threads.h"
#include "judge/progress.h"

#include <math.h>
#include <stdlib.h>

// ---- numbers of less precision

double judge_rounded(double x, Precision to)
{
    if (to == EXACT || !isfinite(x) || x == 0) return x;
    if (to == FLOAT32) return (double)(float)x;
    int bits = to == FLOAT16 ? 11 : 8, least = to == FLOAT16 ? -24 : -133, exponent;   // of the fraction; least step
    frexp(x, &exponent);
    int step = exponent - bits > least ? exponent - bits : least;
    double nearest = ldexp(nearbyint(ldexp(x, -step)), step);
    double largest = to == FLOAT16 ? 65504.0 : 0x1.FEp127;
    return fabs(nearest) > largest ? copysign(INFINITY, x) : nearest;
}

// ---- masks

static int keys_of(const Problem *p, int b) { return p->lengths ? p->lengths[b] : p->is.S; }

static int position(const Problem *p, const Rules *r, int b, int i)
{
    switch (r->position) {
    case TOP_LEFT:      return i;
    case BY_OWN_LENGTH: return i + keys_of(p, b) - p->is.T;
    default:            return i + p->is.S - p->is.T;
    }
}

static bool let_through(const Problem *p, const Rules *r, int b, int at, int j)
{
    if (!r->padding_seen && j >= keys_of(p, b)) return false;
    if (r->causal && (r->future ? j < at : j > at + r->shift)) return false;
    if (r->window == 0 || j < r->sinks) return true;
    return at - r->window < j && j < at + r->window;
}

// May a query at position `at` see key j?
static bool in_sight(const Problem *p, const Rules *r, int b, int at, int j)
{
    return let_through(p, r, b, at, j) != r->inverted;
}

// The authors' code for a number of heads that is no power of 2: the slopes of the power below, then every second one
// of the power above. [Press et al. 2022, their published code; the paper gives powers of 2 only]
static double slope_of_powers(int h, int H)
{
    int power = 1;
    while (power * 2 <= H) power *= 2;
    return h < power ? exp2(-8.0 * (h + 1) / power) : exp2(-4.0 * (2 * (h - power) + 1) / power);
}

double judge_slope(const Rules *r, int h, int H)
{
    switch (r->slopes) {
    case SLOPES_FROM_ONE:  return exp2(-8.0 * h / H);
    case SLOPES_POSITIVE:  return -exp2(-8.0 * (h + 1) / H);
    case SLOPES_OF_POWERS: return slope_of_powers(h, H);
    default:               return exp2(-8.0 * (h + 1) / H);
    }
}

// ---- one row

// Four sums side by side, because a processor adds faster than it finishes an addition.
static double dot64(const double *a, const double *b, size_t step, int n)
{
    double sum[4] = { 0 };
    int c = 0;
    for (; c + 4 <= n; c += 4)
        for (int s = 0; s < 4; s++) sum[s] += a[c + s] * b[(size_t)(c + s) * step];
    for (; c < n; c++) sum[0] += a[c] * b[(size_t)c * step];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static int key_head(int rule, int h, int H, int G)
{
    return rule == ROUND_ROBIN ? h % G : rule == ONLY_FIRST ? 0 : h / (H / G);
}

// q · k of head h, or of rows that are as wide as all heads.
static double product_of(const Problem *p, const Rules *r, int b, int h, int i, int j)
{
    Shape is = p->is;
    size_t S = (size_t)is.S, d = (size_t)is.d;
    double sum = 0;
    for (int e = r->unsplit ? 0 : h; e <= (r->unsplit ? is.H - 1 : h); e++) {
        const double *q = p->q + (((size_t)b * (size_t)is.H + (size_t)e) * (size_t)is.T + (size_t)i) * d;
        const double *k = p->k + ((size_t)b * (size_t)is.G + (size_t)key_head((int)r->k_head, e, is.H, is.G)) * S * d;
        sum += r->k_reshaped ? dot64(q, k + j, S, is.d) : dot64(q, k + (size_t)j * d, 1, is.d);
    }
    return sum;
}

// scores (S), −INFINITY out of sight.
static void score_row(double *scores, const Problem *p, const Rules *r, int b, int h, int i)
{
    Shape is = p->is;
    double slope = r->alibi ? judge_slope(r, h, is.H) : 0;
    int at = position(p, r, b, i);
    for (int j = 0; j < is.S; j++) {
        bool seen = in_sight(p, r, b, at, j);
        double hidden = r->hidden == SCORE_ZERO ? 0.0 : (double)-INFINITY;
        if (!seen && r->hidden != WEIGHT_ZERO) {
            scores[j] = hidden;
            continue;
        }
        int apart = r->slopes == SLOPES_SIGNED ? at - j : abs(at - j);
        scores[j] = product_of(p, r, b, h, i, j) * r->scale;
        if (r->alibi) scores[j] -= slope * apart;
        scores[j] = judge_rounded(scores[j], r->precision);
    }
}

// log Σ exp(s): −INFINITY when all are; NaN and +INFINITY stay what they are.
static double logsumexp64(const double *scores, int n)
{
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++)
        if (scores[j] > max || isnan(scores[j])) max = scores[j];
    if (isnan(max) || isinf(max)) {
        for (int j = 0; j < n; j++)
            if (isnan(scores[j])) return scores[j];
        return max;
    }
    for (int j = 0; j < n; j++) sum += exp(scores[j] - max);
    return max + log(sum);
}

// A softmax of weights: what was out of sight comes back.
static void weigh_again(double *weights, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += weights[j] = exp(weights[j]);
    for (int j = 0; j < n; j++) weights[j] /= sum;
}

// The softmax over the keys, in place. Returns the logsumexp of the scores.
static double weigh_row(double *scores, const Problem *p, const Rules *r)
{
    double total = logsumexp64(scores, p->is.S), max = -INFINITY, sum = 0;
    double nothing = r->empty == ROW_NAN ? (double)NAN : r->empty == ROW_MEAN ? 1.0 / p->is.S : 0.0;
    for (int j = 0; j < p->is.S; j++) max = fmax(max, scores[j]);
    for (int j = 0; j < p->is.S; j++) {
        double above = r->softmax == UNDIVIDED_PLAIN ? scores[j] : scores[j] - max;
        scores[j] = total == -INFINITY ? nothing : isfinite(total) ? exp(above) : (double)NAN;
        sum += scores[j];
    }
    if ((r->softmax == OVER_KEYS || r->softmax == TWICE) && total != -INFINITY)
        for (int j = 0; j < p->is.S; j++) scores[j] /= sum;
    if (r->softmax == TWICE && total != -INFINITY) weigh_again(scores, p->is.S);
    return total;
}

// The softmax over another axis: exp of each score less the logsumexp of its column, or of the same score in all heads.
static void weigh_otherwise(double *scores, const Problem *p, const Rules *r, const double *columns, int b, int i)
{
    Arena *scratch = arena_open();
    size_t S = (size_t)p->is.S, H = (size_t)p->is.H;
    double *heads = arena_alloc(scratch, H * S * sizeof *heads), *one = arena_alloc(scratch, H * sizeof *one);
    if (r->softmax == OVER_HEADS)
        for (size_t e = 0; e < H; e++) score_row(heads + e * S, p, r, b, (int)e, i);
    for (size_t j = 0; j < S; j++) {
        for (size_t e = 0; e < H; e++) one[e] = heads[e * S + j];
        double total = r->softmax == OVER_HEADS ? logsumexp64(one, p->is.H) : columns[j];
        scores[j] = total == -INFINITY ? 0.0 : exp(scores[j] - total);
    }
    arena_close(scratch);
}

void judge_row(double *out, double *weights, double *lse, const Problem *p, const Rules *r, const double *columns,
               int b, int h, int i)
{
    Shape is = p->is;
    int at = position(p, r, b, i);
    double unused;
    if (!lse) lse = &unused;

    // 1. Scores, in the place of the weights.
    score_row(weights, p, r, b, h, i);

    // 2. Weights.
    if (r->softmax == OVER_QUERIES || r->softmax == OVER_HEADS) {
        *lse = logsumexp64(weights, is.S);
        weigh_otherwise(weights, p, r, columns, b, i);
    } else if (r->softmax == NO_SOFTMAX) {
        *lse = logsumexp64(weights, is.S);
        for (int j = 0; j < is.S; j++) weights[j] = weights[j] == -INFINITY ? 0 : weights[j];
    } else {
        *lse = weigh_row(weights, p, r);
    }
    for (int j = 0; j < is.S; j++) {
        if (r->hidden == WEIGHT_ZERO && !in_sight(p, r, b, at, j)) weights[j] = 0;
        weights[j] = judge_rounded(weights[j], r->precision);
    }

    // 3. The mixture of values. A weight of 0 out of sight takes nothing, not even of a NaN.
    size_t row = (size_t)(r->k_for_v ? is.d : is.dv);
    const double *v = (r->k_for_v ? p->k : p->v)
                    + ((size_t)b * (size_t)is.G + (size_t)key_head((int)r->v_head, h, is.H, is.G)) * (size_t)is.S * row;
    for (int c = 0; c < is.dv; c++) out[c] = 0;
    for (int j = 0; j < is.S; j++) {
        if (weights[j] == 0 && !in_sight(p, r, b, at, j)) continue;
        for (int c = 0; c < is.dv; c++) out[c] += weights[j] * v[(size_t)j * row + (size_t)c];
    }
    for (int c = 0; c < is.dv; c++) out[c] = judge_rounded(out[c], r->precision);
}

// Two passes over all queries: the largest score of every column, then the sums.
void judge_columns(double *columns, const Problem *p, const Rules *r, int b, int h)
{
    Arena *scratch = arena_open();
    int S = p->is.S;
    double *scores = arena_alloc(scratch, (size_t)S * sizeof *scores);
    double *max = arena_alloc(scratch, (size_t)S * sizeof *max);
    for (int j = 0; j < S; j++) {
        max[j] = -INFINITY;
        columns[j] = 0;
    }
    for (int i = 0; i < p->is.T; i++) {
        score_row(scores, p, r, b, h, i);
        for (int j = 0; j < S; j++) max[j] = fmax(max[j], scores[j]);
    }
    for (int i = 0; i < p->is.T; i++) {
        score_row(scores, p, r, b, h, i);
        for (int j = 0; j < S; j++) columns[j] += max[j] == -INFINITY ? 0 : exp(scores[j] - max[j]);
    }
    for (int j = 0; j < S; j++) columns[j] = max[j] + log(columns[j]);
    arena_close(scratch);
}

// ---- all rows

typedef struct { Judged to; const Problem *p; const Rules *r; int rows; Progress progress; } Work;

// One block of queries of one head; with a softmax over queries, a block is a whole head.
static void judge_block(int index, void *context)
{
    Work *work = context;
    Shape is = work->p->is;
    int blocks = (is.T + work->rows - 1) / work->rows, head = index / blocks, first = index % blocks * work->rows;
    int b = head / is.H, h = head % is.H;
    Arena *scratch = arena_open();
    double *columns = NULL, *own = arena_alloc(scratch, (size_t)is.S * sizeof *own);
    if (work->r->softmax == OVER_QUERIES) {
        columns = arena_alloc(scratch, (size_t)is.S * sizeof *columns);
        judge_columns(columns, work->p, work->r, b, h);
    }
    for (int i = first; i < is.T && i < first + work->rows; i++) {
        size_t row = (size_t)head * (size_t)is.T + (size_t)i;
        judge_row(work->to.out + row * (size_t)is.dv, work->to.weights ? work->to.weights + row * (size_t)is.S : own,
                  work->to.lse ? work->to.lse + row : NULL, work->p, work->r, columns, b, h, i);
    }
    arena_close(scratch);
    progress_add(&work->progress);
}

void judge_all(Judged to, const Problem *p, const Rules *r)
{
    Work work = { .to = to, .p = p, .r = r, .rows = r->softmax == OVER_QUERIES ? p->is.T : 16 };
    int blocks = (p->is.T + work.rows - 1) / work.rows, count = p->is.B * p->is.H * blocks;
    progress_begin(&work.progress, "float64", count);
    parallel_for(count, judge_block, &work);
    progress_end(&work.progress);
}

size_t judge_empty_rows(const Problem *p, const Rules *r)
{
    size_t empty = 0;
    for (int b = 0; b < p->is.B; b++)
        for (int i = 0; i < p->is.T; i++) {
            bool any = false;
            for (int j = 0; j < p->is.S && !any; j++) any = in_sight(p, r, b, position(p, r, b, i), j);
            empty += any ? 0 : (size_t)p->is.H;
        }
    return empty;
}
