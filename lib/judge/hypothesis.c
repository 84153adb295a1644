// Computes rows of a variation and compares them with theirs.
#include "judge/hypothesis.h"

#include "base/portable_math.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

int hypothesis_width(const HypothesisCase *c)
{
    return c->what == HYPOTHESIS_OUTPUT ? c->problem->is.dv : c->what == HYPOTHESIS_WEIGHTS ? c->problem->is.S : 1;
}

// ---- a variation's arrays

static const char *const precision_names[] = { NULL, "float32", "float16", "bfloat16" };

// Splits the columns of all heads, (T, H·d), into another number of heads.
static void split_heads(Hypothesis *t, Reinterpretations *views, int heads)
{
    JudgeShape is = t->problem.is, now = is;
    now.H = heads;
    now.G = is.G * heads / is.H;
    now.d = is.d * is.H / heads;
    now.dv = is.dv * is.H / heads;
    t->problem.q = reinterpretation_get(views, t->problem.q, is.B, is.H, is.T, is.d, "heads", now.H);
    t->problem.k = reinterpretation_get(views, t->problem.k, is.B, is.G, is.S, is.d, "heads", now.G);
    t->problem.v = reinterpretation_get(views, t->problem.v, is.B, is.G, is.S, is.dv, "heads", now.G);
    t->theirs = reinterpretation_get(views, t->theirs, is.B, is.H, is.T, is.dv, "heads", now.H);
    t->problem.is = now;
}

static const double *array_named(const JudgeProblem *p, char array)
{
    return array == 'q' ? p->q : array == 'k' ? p->k : p->v;
}

Hypothesis hypothesis_of(const HypothesisCase *c, Reinterpretations *views, const CauseVariation *v)
{
    JudgeShape is = c->problem->is;
    Hypothesis t = { *c->problem, v->rules, c->theirs };
    JudgeProblem *p = &t.problem;
    if (v->order) {
        p->q = array_named(c->problem, v->order[0]);
        p->k = array_named(c->problem, v->order[1]);
        p->v = array_named(c->problem, v->order[2]);
    }
    if (v->q_k_swapped) {
        const double *q = p->q;
        p->q = p->k;
        p->k = q;
    }
    if (v->k_v_swapped) {
        const double *k = p->k;
        p->k = p->v;
        p->v = k;
    }
    p->q = reinterpretation_get(views, p->q, is.B, is.H, is.T, is.d, v->q_as, is.S - is.T);
    p->k = reinterpretation_get(views, p->k, is.B, is.G, is.S, is.d, v->k_as, 0);
    p->v = reinterpretation_get(views, p->v, is.B, is.G, is.S, is.dv, v->v_as, 0);
    t.theirs = reinterpretation_get(views, t.theirs, is.B, is.H, is.T, is.dv, v->out_back, 0);
    p->q = reinterpretation_get(views, p->q, is.B, is.H, is.T, is.d, precision_names[v->rules.precision], 0);
    p->k = reinterpretation_get(views, p->k, is.B, is.G, is.S, is.d, precision_names[v->rules.precision], 0);
    p->v = reinterpretation_get(views, p->v, is.B, is.G, is.S, is.dv, precision_names[v->rules.precision], 0);
    if (v->heads) split_heads(&t, views, v->heads);
    return t;
}

// The width may become that of all heads.
JudgeRow hypothesis_room(Arena *arena, const HypothesisCase *c)
{
    JudgeShape is = c->problem->is;
    is.dv *= is.H;
    return judge_row_new(arena, is);
}

const double *hypothesis_row(const Hypothesis *t, const HypothesisCase *c, JudgeRow *scratch, size_t row)
{
    size_t T = (size_t)t->problem.is.T, H = (size_t)t->problem.is.H;
    judge_row(scratch, &t->problem, &t->rules, (int)(row / T / H), (int)(row / T % H), (int)(row % T));
    return c->what == HYPOTHESIS_OUTPUT    ? scratch->out
           : c->what == HYPOTHESIS_WEIGHTS ? scratch->weights
                                           : &scratch->lse;
}

// Compares the part of a variation that corresponds to one row of ours: several rows or part of one if the heads are
// split differently.
static Comparison compare_row(const Hypothesis *t, const HypothesisCase *c, JudgeRow *scratch, size_t row)
{
    size_t T = (size_t)c->problem->is.T, H = (size_t)c->problem->is.H, heads = (size_t)t->problem.is.H;
    size_t width = heads == H ? (size_t)hypothesis_width(c) : (size_t)t->problem.is.dv;
    size_t b = row / T / H, h = row / T % H, i = row % T;
    size_t first = h * heads / H, end = first + (heads > H ? heads / H : 1);
    Comparison sum = { 0 };
    for (size_t e = first; e < end; e++) {
        size_t at = (b * heads + e) * T + i;
        const double *ours = hypothesis_row(t, c, scratch, at);
        compare_add(&sum, compare_arrays(t->theirs + at * width, ours, width, c->tolerance), at * width);
    }
    return sum;
}

// ---- which rows

static int compare_indices(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    return one < other ? -1 : one > other;
}

typedef struct {
    double error;
    int at;
} Wrong;

static int by_error(const void *a, const void *b)
{
    const Wrong *one = a, *other = b;
    return one->error < other->error ? -1 : one->error > other->error ? 1 : one->at - other->at;
}

static Comparison plain_row(const HypothesisCase *c, size_t row)
{
    size_t width = (size_t)hypothesis_width(c);
    return compare_arrays(c->theirs + row * width, c->ours + row * width, width, c->tolerance);
}

// Chooses up to `count` wrong rows of from … end − 1, evenly spaced. Returns their number.
static size_t choose_wrong_rows(size_t *rows, size_t count, const HypothesisCase *c, size_t from, size_t end)
{
    size_t wrong = 0, taken = 0, seen = 0;
    for (size_t row = from; row < end; row++) wrong += plain_row(c, row).out > 0;
    for (size_t row = from; row < end && taken < count; row++) {
        if (!plain_row(c, row).out) continue;
        if (seen++ * count >= taken * wrong) rows[taken++] = row;
    }
    return taken;
}

static size_t rows_of_sample(size_t *rows, size_t count, const HypothesisCase *c, size_t all, size_t worst_head)
{
    size_t T = (size_t)c->problem->is.T, taken = 0;
    Random random = random_from(1);
    if (count == all) {
        for (; taken < all; taken++) rows[taken] = taken;
        return taken;
    }
    rows[taken++] = c->found.at / (size_t)hypothesis_width(c);
    taken += choose_wrong_rows(rows + taken, count / 2, c, worst_head * T, (worst_head + 1) * T);
    taken += choose_wrong_rows(rows + taken, count / 4, c, 0, all);
    while (taken < count) rows[taken++] = (size_t)(random_bits(&random) % all);
    qsort(rows, taken, sizeof *rows, compare_indices);
    return taken;
}

HypothesisSample hypothesis_sample(Arena *arena, const HypothesisCase *c, Reinterpretations *views)
{
    enum { FEWEST = 24, WORK = 1 << 22 };
    JudgeShape is = c->problem->is;
    size_t all = (size_t)is.B * (size_t)is.H * (size_t)is.T, each = (size_t)is.S * (size_t)(is.d + is.dv), wrong = 0;
    size_t count = WORK / each > FEWEST ? WORK / each : FEWEST;
    if (count > all) count = all;
    HypothesisSample s = { .c = c,
                           .views = views,
                           .of = all,
                           .rows = arena_alloc(arena, count * sizeof *s.rows),
                           .plain_rows = arena_alloc(arena, count * sizeof *s.plain_rows) };
    s.worst_head = c->found.at / (size_t)hypothesis_width(c) / (size_t)is.T;
    s.count = (int)rows_of_sample(s.rows, count, c, all, s.worst_head);
    Wrong *order = arena_alloc(arena, count * sizeof *order);
    for (int e = 0; e < s.count; e++) {
        Comparison one = plain_row(c, s.rows[e]);
        compare_add(&s.plain, one, s.rows[e] * (size_t)hypothesis_width(c));
        s.plain_rows[e] = one;
        if (one.out && s.rows[e] / (size_t)is.T == s.worst_head) order[wrong++] = (Wrong){ one.worst, e };
    }
    qsort(order, wrong, sizeof *order, by_error);
    if (wrong) s.middle = order[wrong / 2].at;
    return s;
}

// ---- evaluating a variation

static void add_row_result(HypothesisResult *to, Comparison one, Comparison plain)
{
    compare_add(&to->left, one, 0);
    to->misfits += one.out > 0;
    if (!plain.out) return;
    if (one.out) {
        to->neither++;
        return;
    }
    to->mends++;
    to->before += plain.difference;
    to->after += one.difference;
}

// A softmax over queries needs a whole head: unless all rows are in the sample, only the head with the worst element is
// evaluated.
static bool is_skipped(const HypothesisSample *s, const JudgeRules *r, size_t row)
{
    bool whole_head = r->softmax == JUDGE_OVER_QUERIES || r->softmax == JUDGE_OVER_ALL;
    return whole_head && (size_t)s->count < s->of && row / (size_t)s->c->problem->is.T != s->worst_head;
}

HypothesisResult hypothesis_on_sample(const HypothesisSample *s, const CauseVariation *v, JudgeRow *scratch, int most,
                                      bool hasty)
{
    HypothesisResult sum = { 0 };
    Hypothesis t = hypothesis_of(s->c, s->views, v);
    if (most > s->count) most = s->count;
    scratch->for_b = -1;
    for (int e = 0; e < most; e++) {
        int at = (e + s->middle) % s->count;
        if (is_skipped(s, &v->rules, s->rows[at])) continue;
        add_row_result(&sum, compare_row(&t, s->c, scratch, s->rows[at]), s->plain_rows[at]);
        if (hasty && sum.left.out) break;
    }
    return sum;
}

typedef struct {
    const HypothesisSample *s;
    const Hypothesis *t;
    HypothesisResult *sums;
    unsigned char *marks;
} AllRows;

static void evaluate_row(void *context, int item, int b, int h, int i, const JudgeRow *row)
{
    const AllRows *all = context;
    const HypothesisCase *c = all->s->c;
    JudgeShape is = all->t->problem.is;
    size_t width = is.H == c->problem->is.H ? (size_t)hypothesis_width(c) : (size_t)is.dv;
    size_t at = ((size_t)b * (size_t)is.H + (size_t)h) * (size_t)is.T + (size_t)i;
    const double *result = c->what == HYPOTHESIS_OUTPUT    ? row->out
                           : c->what == HYPOTHESIS_WEIGHTS ? row->weights
                                                           : &row->lse;
    Comparison one = compare_arrays(all->t->theirs + at * width, result, width, c->tolerance);
    Comparison plain = is.H == c->problem->is.H ? plain_row(c, at) : (Comparison){ 0 };
    add_row_result(&all->sums[item], one, plain);
    if (all->marks)
        all->marks[at] = one.out     ? plain.out ? HYPOTHESIS_ROW_WRONG : HYPOTHESIS_ROW_HURT
                         : plain.out ? HYPOTHESIS_ROW_MENDED
                                     : HYPOTHESIS_ROW_RIGHT;
}

HypothesisResult hypothesis_on_all(const HypothesisSample *s, const CauseVariation *v, unsigned char *marks)
{
    Hypothesis t = hypothesis_of(s->c, s->views, v);
    Arena *arena = arena_open();
    int items = judge_items(&t.problem, &t.rules);
    AllRows all = { s, &t, arena_alloc(arena, (size_t)items * sizeof(HypothesisResult)), v->heads ? NULL : marks };
    judge_each(&t.problem, &t.rules, evaluate_row, &all);
    HypothesisResult sum = { 0 };
    for (int e = 0; e < items; e++) {
        compare_add(&sum.left, all.sums[e].left, 0);
        sum.mends += all.sums[e].mends;
        sum.neither += all.sums[e].neither;
        sum.misfits += all.sums[e].misfits;
        sum.before += all.sums[e].before;
        sum.after += all.sums[e].after;
    }
    arena_close(arena);
    return sum;
}
