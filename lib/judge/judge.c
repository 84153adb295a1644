// Attention of one query, and of all. Every step follows the definition; each mistake changes one line.
#include "judge/judge.h"

#include "base/portable_math.h"
#include "base/threads.h"
#include "base/progress.h"
#include "judge/row.h"
#include "judge/sums.h"

#include <string.h>

// ---- a softmax over another axis

JudgeRow judge_row_new(Arena *arena, JudgeShape is)
{
    size_t S = (size_t)is.S;
    double *scratch = arena_alloc(arena, (4 * S + (size_t)is.dv) * sizeof *scratch);
    bool *seen = arena_alloc(arena, 2 * S * sizeof *seen);
    return (JudgeRow){ .weights = scratch,
                       .norms = scratch + S,
                       .other = scratch + 2 * S,
                       .largest = scratch + 3 * S,
                       .out = scratch + 4 * S,
                       .seen = seen,
                       .other_seen = seen + S,
                       .for_b = -1 };
}

// Adds one row to the sums of exp of all columns, each relative to the maximum of its column (online softmax).
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

static bool over_other_axis(const JudgeRules *r)
{
    return r->softmax >= JUDGE_OVER_QUERIES && r->softmax <= JUDGE_OVER_ALL;
}

// Computes the logsumexp of every column over queries, heads, sequences, or all queries and keys, unless `norms` holds
// it.
static void update_norms(JudgeRow *to, const JudgeProblem *p, const JudgeRules *r, int b, int h, int i)
{
    bool queries = r->softmax == JUDGE_OVER_QUERIES || r->softmax == JUDGE_OVER_ALL;
    bool heads = r->softmax == JUDGE_OVER_HEADS, batch = r->softmax == JUDGE_OVER_BATCH;
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
                judge_row_scores(to->other, to->other_seen, p, r, eb, eh, ei, 0, S);
                add_to_columns(to, S);
            }
    columns_to_logsumexp(to, S, r->softmax == JUDGE_OVER_ALL);
}

// ---- one row

// Mistakes that change the finished output row: residual, factor, offset, zeroed padding; and rounding.
static void finish_out(JudgeRow *to, const JudgeProblem *p, const JudgeRules *r, const double *v, int b, int h, int i)
{
    JudgeShape is = p->is;
    int at = i + is.S - is.T;
    const double *own = v + (size_t)(at < 0 ? 0 : at) * (size_t)is.dv;
    if (r->residual == JUDGE_PLUS_Q)
        own = p->q + (((size_t)b * (size_t)is.H + (size_t)h) * (size_t)is.T + (size_t)i) * (size_t)is.d;
    for (int c = 0; c < is.dv; c++) {
        if (r->times != 0) to->out[c] *= r->times;
        to->out[c] += r->plus;
        if (r->residual) to->out[c] += own[c];
        if (r->padded_zero && i >= judge_row_keys(p, r, b, h)) to->out[c] = 0;
        to->out[c] = judge_rounded(to->out[c], r->precision);
    }
}

// out (dv) += weighted values of keys first … end − 1. Skips hidden keys with weight 0, so that NaN in their values
// does not spread.
static void mix_values(JudgeRow *to, const JudgeProblem *p, const JudgeRules *r, const double *v, int first, int end)
{
    const double *values[JUDGE_MIXED];
    double weights[JUDGE_MIXED];
    size_t width = (size_t)(r->k_for_v ? p->is.d : p->is.dv);
    int S = p->is.S, taken = 0;
    for (int j = first; j < end; j++) {
        if ((to->weights[j] == 0 && !to->seen[j]) || j >= S - r->mix_skip_last) continue;
        int from = r->v_ahead ? (j + r->v_ahead + S) % S : j;
        values[taken] = v + (size_t)from * width;
        weights[taken++] = to->weights[j];
        if (taken < JUDGE_MIXED) continue;
        judge_mix(to->out, weights, values, p->is.dv);
        taken = 0;
    }
    for (int e = 0; e < taken; e++)
        for (int c = 0; c < p->is.dv; c++) to->out[c] += weights[e] * values[e][c];
}

// Computes rows i … i + count − 1 of a head, by blocks of keys that stay in the cache.
static void judge_rows(JudgeRow *to, int count, const JudgeProblem *p, const JudgeRules *r, int b, int h, int i)
{
    enum { KEYS = 64 };
    JudgeShape is = p->is;

    // 1. Scores, stored in `weights`.
    for (int j = 0; j < is.S; j += KEYS)
        for (int e = 0; e < count; e++)
            judge_row_scores(to[e].weights, to[e].seen, p, r, b, h, i + e, j, j + KEYS < is.S ? j + KEYS : is.S);

    // 2. Weights.
    for (int e = 0; e < count; e++) {
        if (over_other_axis(r)) update_norms(&to[e], p, r, b, h, i + e);
        judge_row_weights(&to[e], p, r, judge_position(p, r, b, i + e));
    }

    // 3. The weighted sum of the values.
    int head = judge_index_mistake(r->v_sequence, b, is.B) * is.G + judge_row_key_head(p, r->v_head, h);
    const double *v = (r->k_for_v ? p->k : p->v) + (size_t)head * (size_t)is.S * (size_t)(r->k_for_v ? is.d : is.dv);
    for (int e = 0; e < count; e++)
        for (int c = 0; c < is.dv; c++) to[e].out[c] = 0;
    for (int j = 0; j < is.S; j += KEYS)
        for (int e = 0; e < count; e++) mix_values(&to[e], p, r, v, j, j + KEYS < is.S ? j + KEYS : is.S);
    for (int e = 0; e < count; e++) finish_out(&to[e], p, r, v, b, h, i + e);
}

void judge_row(JudgeRow *to, const JudgeProblem *p, const JudgeRules *r, int b, int h, int i)
{
    judge_rows(to, 1, p, r, b, h, i);
}

// ---- all rows

typedef struct {
    const JudgeProblem *p;
    const JudgeRules *r;
    JudgeVisit *visit;
    void *context;
    int rows;
    Progress progress;
} Work;

enum { ROWS = 16 };

// A softmax over queries is computed head by head; otherwise a work item is some queries of all heads.
static bool by_head(const JudgeRules *r) { return r->softmax == JUDGE_OVER_QUERIES || r->softmax == JUDGE_OVER_ALL; }
static int rows_of_item(const JudgeProblem *p, const JudgeRules *r)
{
    return by_head(r) || p->is.T < ROWS ? p->is.T : ROWS;
}

int judge_items(const JudgeProblem *p, const JudgeRules *r)
{
    int rows = rows_of_item(p, r), blocks = (p->is.T + rows - 1) / rows;
    return p->is.B * (by_head(r) ? p->is.H : blocks);
}

static void judge_item(int index, void *context)
{
    Work *work = context;
    JudgeShape is = work->p->is;
    bool heads = by_head(work->r);
    int blocks = heads ? is.H : (is.T + work->rows - 1) / work->rows, b = index / blocks, at = index % blocks;
    int first = heads ? 0 : at * work->rows, end = first + work->rows < is.T ? first + work->rows : is.T;
    int batch =
        over_other_axis(work->r) ? 1 : end - first; // a softmax over another axis keeps column sums from row to row
    Arena *scratch = arena_open();
    JudgeRow rows[ROWS];
    for (int e = 0; e < batch; e++) rows[e] = judge_row_new(scratch, is);
    for (int i = first; i < end; i += batch)
        for (int h = heads ? at : 0; h <= (heads ? at : is.H - 1); h++) {
            judge_rows(rows, batch, work->p, work->r, b, h, i);
            for (int e = 0; e < batch; e++) work->visit(work->context, index, b, h, i + e, &rows[e]);
        }
    arena_close(scratch);
    progress_add(&work->progress);
}

void judge_each(const JudgeProblem *p, const JudgeRules *r, JudgeVisit *visit, void *context)
{
    Work work = { .p = p, .r = r, .visit = visit, .context = context, .rows = rows_of_item(p, r) };
    int count = judge_items(p, r);
    progress_begin(&work.progress, "float64", count);
    threads_parallel_for(count, judge_item, &work);
    progress_end(&work.progress);
}

typedef struct {
    Judged to;
    JudgeShape is;
} Copy;

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

void judge_all(Judged to, const JudgeProblem *p, const JudgeRules *r)
{
    judge_each(p, r, copy_row, &(Copy){ to, p->is });
}

size_t judge_empty_rows(const JudgeProblem *p, const JudgeRules *r)
{
    size_t empty = 0;
    for (int b = 0; b < p->is.B; b++)
        for (int i = 0; i < p->is.T; i++) empty += judge_row_sees_any(p, r, b, i) ? 0 : (size_t)p->is.H;
    return empty;
}

// ---- overflow

// Index of the first NaN or Inf; count if there is none.
static size_t first_not_finite(const double *at, size_t count)
{
    for (size_t e = 0; e < count; e++)
        if (!isfinite(at[e])) return e;
    return count;
}

bool judge_held(const JudgeProblem *p, Judged computed, const char *by, Error *error)
{
    size_t B = (size_t)p->is.B, H = (size_t)p->is.H, T = (size_t)p->is.T, dv = (size_t)p->is.dv;
    size_t q = B * H * T * (size_t)p->is.d, keys = B * (size_t)p->is.G * (size_t)p->is.S, out = B * H * T * dv;
    if (first_not_finite(p->q, q) < q || first_not_finite(p->k, keys * (size_t)p->is.d) < keys * (size_t)p->is.d ||
        first_not_finite(p->v, keys * dv) < keys * dv)
        return true;
    size_t at = first_not_finite(computed.out, out);
    if (at == out) return true;
    size_t row = at / dv;
    return error_set(error,
                     "the inputs are finite, but %s gives NaN or Inf for sequence %zu, head %zu, query %zu: "
                     "q · k or a value is too large to compute with; nothing is judged or written",
                     by, row / T / H, row / T % H, row % T);
}
