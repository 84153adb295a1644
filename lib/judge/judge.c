// Attention of one query, and of all. Every step is the definition's; a mistake changes the one line it is about.
#include "judge/judge.h"

#include "base/threads.h"
#include "judge/progress.h"
#include "judge/row.h"

#include <math.h>
#include <string.h>

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

// ---- a softmax over another axis

JudgeRow judge_row_new(Arena *arena, Shape is)
{
    size_t S = (size_t)is.S;
    double *room = arena_alloc(arena, (4 * S + (size_t)is.dv) * sizeof *room);
    bool *seen = arena_alloc(arena, 2 * S * sizeof *seen);
    return (JudgeRow){ .weights = room, .norms = room + S, .other = room + 2 * S, .largest = room + 3 * S,
                       .out = room + 4 * S, .seen = seen, .other_seen = seen + S, .for_b = -1 };
}

// One row more of the columns' sums, which are kept below the largest of each column.
static void add_to_columns(JudgeRow *to, int S)
{
    for (int j = 0; j < S; j++) {
        double s = to->other[j], *max = &to->largest[j];
        if (s == -INFINITY) continue;
        if (s > *max) {
            to->norms[j] = to->norms[j] * exp(*max - s) + 1;
            *max = s;
        } else {
            to->norms[j] += exp(s - *max);
        }
    }
}

static void columns_to_logsumexp(JudgeRow *to, int S, bool all)
{
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < S; j++) max = fmax(max, to->largest[j]);
    for (int j = 0; j < S; j++) sum += to->norms[j] * exp(to->largest[j] - max);
    for (int j = 0; j < S; j++) to->norms[j] = all ? max + log(sum) : to->largest[j] + log(to->norms[j]);
}

// The logsumexp of every column, over the queries, the heads, the sequences, or all queries and keys.
static void find_norms(JudgeRow *to, const Problem *p, const Rules *r, int b, int h, int i)
{
    bool queries = r->softmax == OVER_QUERIES || r->softmax == OVER_ALL;
    bool heads = r->softmax == OVER_HEADS, batch = r->softmax == OVER_BATCH;
    int first_b = batch ? 0 : b, first_h = heads ? 0 : h, first_i = queries ? 0 : i, S = p->is.S;
    if (to->for_b == first_b && to->for_h == first_h && to->for_i == first_i) return;
    to->for_b = first_b;
    to->for_h = first_h;
    to->for_i = first_i;
    for (int j = 0; j < S; j++) {
        to->norms[j] = 0;
        to->largest[j] = -INFINITY;
    }
    for (int eb = first_b; eb <= (batch ? p->is.B - 1 : b); eb++)
        for (int eh = first_h; eh <= (heads ? p->is.H - 1 : h); eh++)
            for (int ei = first_i; ei <= (queries ? p->is.T - 1 : i); ei++) {
                row_scores(to->other, to->other_seen, p, r, eb, eh, ei);
                add_to_columns(to, S);
            }
    columns_to_logsumexp(to, S, r->softmax == OVER_ALL);
}

// ---- one row

// out (n) += weight · value. Four at a time, which a compiler makes one instruction of.
static void mix(double *restrict out, double weight, const double *restrict value, int n)
{
    int c = 0;
    for (; c + 4 <= n; c += 4)
        for (int e = 0; e < 4; e++) out[c + e] += weight * value[c + e];
    for (; c < n; c++) out[c] += weight * value[c];
}

// out (dv): a row that is added to the mixture, and what else comes behind it.
static void finish_out(JudgeRow *to, const Problem *p, const Rules *r, const double *v, int b, int h, int i)
{
    Shape is = p->is;
    int at = i + is.S - is.T;
    const double *own = v + (size_t)(at < 0 ? 0 : at) * (size_t)is.dv;
    if (r->residual == PLUS_Q)
        own = p->q + (((size_t)b * (size_t)is.H + (size_t)h) * (size_t)is.T + (size_t)i) * (size_t)is.d;
    for (int c = 0; c < is.dv; c++) {
        if (r->times != 0) to->out[c] *= r->times;
        to->out[c] += r->plus;
        if (r->residual) to->out[c] += own[c];
        if (r->padded_zero && i >= row_keys(p, r, b)) to->out[c] = 0;
        to->out[c] = judge_rounded(to->out[c], r->precision);
    }
}

void judge_row(JudgeRow *to, const Problem *p, const Rules *r, int b, int h, int i)
{
    Shape is = p->is;

    // 1. Scores, in the place of the weights.
    row_scores(to->weights, to->seen, p, r, b, h, i);

    // 2. Weights.
    if (r->softmax >= OVER_QUERIES && r->softmax <= OVER_ALL) find_norms(to, p, r, b, h, i);
    row_weights(to, p, r, judge_position(p, r, b, i));

    // 3. The mixture of values. A weight of 0 out of sight takes nothing, not even of a NaN.
    size_t row = (size_t)(r->k_for_v ? is.d : is.dv);
    size_t head = (size_t)(judge_whose(r->v_sequence, b, is.B) * is.G + row_key_head(p, r->v_head, h));
    const double *v = (r->k_for_v ? p->k : p->v) + head * (size_t)is.S * row;
    for (int c = 0; c < is.dv; c++) to->out[c] = 0;
    for (int j = 0; j < is.S; j++) {
        size_t from = (size_t)(r->v_ahead ? (j + r->v_ahead + is.S) % is.S : j);
        if (to->weights[j] != 0 || to->seen[j]) mix(to->out, to->weights[j], v + from * row, is.dv);
    }
    finish_out(to, p, r, v, b, h, i);
}

// ---- all rows

typedef struct {
    const Problem *p;
    const Rules   *r;
    JudgeVisit    *visit;
    void          *context;
    int            rows;
    Progress       progress;
} Work;

// A softmax over the queries is worked on head by head; else some queries of all heads are one piece.
static bool by_head(const Rules *r) { return r->softmax == OVER_QUERIES || r->softmax == OVER_ALL; }
static int rows_of_item(const Problem *p, const Rules *r) { return by_head(r) || p->is.T < 16 ? p->is.T : 16; }

int judge_items(const Problem *p, const Rules *r)
{
    int rows = rows_of_item(p, r), blocks = (p->is.T + rows - 1) / rows;
    return p->is.B * (by_head(r) ? p->is.H : blocks);
}

static void judge_item(int index, void *context)
{
    Work *work = context;
    Shape is = work->p->is;
    bool heads = by_head(work->r);
    int blocks = heads ? is.H : (is.T + work->rows - 1) / work->rows, b = index / blocks, at = index % blocks;
    int first = heads ? 0 : at * work->rows, end = first + work->rows < is.T ? first + work->rows : is.T;
    Arena *scratch = arena_open();
    JudgeRow row = judge_row_new(scratch, is);
    for (int i = first; i < end; i++)
        for (int h = heads ? at : 0; h <= (heads ? at : is.H - 1); h++) {
            judge_row(&row, work->p, work->r, b, h, i);
            work->visit(work->context, index, b, h, i, &row);
        }
    arena_close(scratch);
    progress_add(&work->progress);
}

void judge_each(const Problem *p, const Rules *r, JudgeVisit *visit, void *context)
{
    Work work = { .p = p, .r = r, .visit = visit, .context = context, .rows = rows_of_item(p, r) };
    int count = judge_items(p, r);
    progress_begin(&work.progress, "float64", count);
    parallel_for(count, judge_item, &work);
    progress_end(&work.progress);
}

typedef struct { Judged to; Shape is; } Copy;

static void copy_row(void *context, int item, int b, int h, int i, const JudgeRow *row)
{
    (void)item;
    const Copy *copy = context;
    size_t S = (size_t)copy->is.S, dv = (size_t)copy->is.dv;
    size_t at = ((size_t)b * (size_t)copy->is.H + (size_t)h) * (size_t)copy->is.T + (size_t)i;
    memcpy(copy->to.out + at * dv, row->out, dv * sizeof(double));
    if (copy->to.lse) copy->to.lse[at] = row->lse;
    if (copy->to.weights) memcpy(copy->to.weights + at * S, row->weights, S * sizeof(double));
}

void judge_all(Judged to, const Problem *p, const Rules *r) { judge_each(p, r, copy_row, &(Copy){ to, p->is }); }

size_t judge_empty_rows(const Problem *p, const Rules *r)
{
    size_t empty = 0;
    for (int b = 0; b < p->is.B; b++)
        for (int i = 0; i < p->is.T; i++) empty += row_sees_any(p, r, b, i) ? 0 : (size_t)p->is.H;
    return empty;
}

// ---- overflow

// The first number that is NaN or Inf; count if there is none.
static size_t first_not_finite(const double *at, size_t count)
{
    for (size_t e = 0; e < count; e++)
        if (!isfinite(at[e])) return e;
    return count;
}

bool judge_held(const Problem *p, Judged computed, const char *by, Error *error)
{
    size_t B = (size_t)p->is.B, H = (size_t)p->is.H, T = (size_t)p->is.T, dv = (size_t)p->is.dv;
    size_t q = B * H * T * (size_t)p->is.d, keys = B * (size_t)p->is.G * (size_t)p->is.S, out = B * H * T * dv;
    if (first_not_finite(p->q, q) < q || first_not_finite(p->k, keys * (size_t)p->is.d) < keys * (size_t)p->is.d ||
        first_not_finite(p->v, keys * dv) < keys * dv) return true;
    size_t at = first_not_finite(computed.out, out);
    if (at == out) return true;
    size_t row = at / dv;
    return error_set(error, "the inputs are finite, but %s gives NaN or Inf for sequence %zu, head %zu, query %zu: "
                     "q · k or a value is too large to compute with; nothing is judged or written", by, row / T / H,
                     row / T % H, row % T);
}
