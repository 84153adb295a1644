// Every cause is tried on the same rows: all of them where that is little work, else some spread over everything and
// some of the head with the worst element. What fits is then tried on all rows.
#include "judge/diagnosis.h"

#include "base/random.h"
#include "base/threads.h"
#include "judge/arrays.h"

#include <math.h>
#include <stdlib.h>

typedef struct { int b, h, i; } Row;

typedef struct {
    const Case *c;
    Row        *rows;                                // sorted by sequence, head, query
    int         count;
    size_t      of;
    int         worst_b, worst_h;
} Sample;

int diagnosis_width(const Case *c)
{
    return c->what == OUTPUT ? c->problem->is.dv : c->what == WEIGHTS ? c->problem->is.S : 1;
}

// ---- rows

static Row row_at(Shape is, size_t index)
{
    size_t T = (size_t)is.T, H = (size_t)is.H;
    return (Row){ (int)(index / T / H), (int)(index / T % H), (int)(index % T) };
}

static size_t index_of(Shape is, Row row)
{
    return ((size_t)row.b * (size_t)is.H + (size_t)row.h) * (size_t)is.T + (size_t)row.i;
}

static int by_size(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    return one < other ? -1 : one > other;
}

static Sample sample_of(Arena *arena, const Case *c)
{
    enum { FEWEST = 48, WORK = 1 << 22 };
    Shape is = c->problem->is;
    size_t all = (size_t)is.B * (size_t)is.H * (size_t)is.T, each = (size_t)is.S * (size_t)(is.d + is.dv);
    size_t count = WORK / each > FEWEST ? WORK / each : FEWEST, worst = c->found.at / (size_t)diagnosis_width(c);
    if (count > all) count = all;
    size_t *chosen = arena_alloc(arena, count * sizeof *chosen), T = (size_t)is.T, head = worst / T * T;
    Random random = random_from(1);
    for (size_t e = 0; e < count; e++) {
        size_t half = count / 2, within = e * T / (half > 1 ? half - 1 : 1);
        if (count == all) chosen[e] = e;
        else if (e == 0) chosen[e] = worst;
        else if (e < half) chosen[e] = head + (within < T ? within : T - 1);
        else chosen[e] = (size_t)(random_bits(&random) % all);
    }
    qsort(chosen, count, sizeof *chosen, by_size);
    Row first = row_at(is, worst);
    Sample s = { c, arena_alloc(arena, count * sizeof(Row)), (int)count, all, first.b, first.h };
    for (size_t e = 0; e < count; e++) s.rows[e] = row_at(is, chosen[e]);
    return s;
}

// ---- a variation, ready to be computed row by row

typedef struct {
    Problem       problem;                           // with arrays that are read wrongly, or rounded
    Rules         rules;
    const double *theirs;                            // put right, where the output was written wrongly
    double       *columns, *out, *weights, lse;
    int           b, h;                              // what `columns` is for
} Trial;

static const double *reread(Arena *arena, const double *from, int B, int H, int T, int d, const char *was,
                            const char *taken)
{
    double *to = arena_alloc(arena, (size_t)B * (size_t)H * (size_t)T * (size_t)d * sizeof *to);
    layout_reread(to, from, B, H, T, d, was, taken);
    return to;
}

static const double *rounded_copy(Arena *arena, const double *from, size_t count, Precision precision)
{
    double *to = arena_alloc(arena, count * sizeof *to);
    for (size_t e = 0; e < count; e++) to[e] = judge_rounded(from[e], precision);
    return to;
}

static Trial trial_of(Arena *arena, const Case *c, const Variation *v)
{
    Shape is = c->problem->is;
    Trial t = { .problem = *c->problem, .rules = v->rules, .theirs = c->theirs, .b = -1 };
    if (v->q_k_swapped) {
        t.problem.q = c->problem->k;
        t.problem.k = c->problem->q;
    }
    if (v->k_v_swapped) {
        const double *k = t.problem.k;
        t.problem.k = t.problem.v;
        t.problem.v = k;
    }
    if (v->in_was) {
        t.problem.q = reread(arena, t.problem.q, is.B, is.H, is.T, is.d, v->in_was, v->in_taken);
        t.problem.k = reread(arena, t.problem.k, is.B, is.G, is.S, is.d, v->in_was, v->in_taken);
        t.problem.v = reread(arena, t.problem.v, is.B, is.G, is.S, is.dv, v->in_was, v->in_taken);
    }
    if (v->rules.precision) {
        size_t keys = (size_t)is.B * (size_t)is.G * (size_t)is.S, queries = (size_t)is.B * (size_t)is.H * (size_t)is.T;
        t.problem.q = rounded_copy(arena, t.problem.q, queries * (size_t)is.d, v->rules.precision);
        t.problem.k = rounded_copy(arena, t.problem.k, keys * (size_t)is.d, v->rules.precision);
        t.problem.v = rounded_copy(arena, t.problem.v, keys * (size_t)is.dv, v->rules.precision);
    }
    if (v->out_was) t.theirs = reread(arena, t.theirs, is.B, is.H, is.T, is.dv, v->out_taken, v->out_was);
    t.columns = arena_alloc(arena, (size_t)is.S * sizeof *t.columns);
    t.weights = arena_alloc(arena, (size_t)is.S * sizeof *t.weights);
    t.out = arena_alloc(arena, (size_t)is.dv * sizeof *t.out);
    return t;
}

// The mistaken row of what is compared.
static const double *trial_row(Trial *t, const Case *c, Row row)
{
    bool by_column = t->rules.softmax == OVER_QUERIES;
    if (by_column && (t->b != row.b || t->h != row.h)) judge_columns(t->columns, &t->problem, &t->rules, row.b, row.h);
    t->b = row.b;
    t->h = row.h;
    judge_row(t->out, t->weights, &t->lse, &t->problem, &t->rules, by_column ? t->columns : NULL, row.b, row.h, row.i);
    return c->what == OUTPUT ? t->out : c->what == WEIGHTS ? t->weights : &t->lse;
}

// A softmax over queries needs the whole head: only the one with the worst element is looked at, unless all rows are.
static bool passed_over(const Sample *s, const Rules *rules, Row row)
{
    return rules->softmax == OVER_QUERIES && (size_t)s->count < s->of && (row.b != s->worst_b || row.h != s->worst_h);
}

// Theirs against a variation. With `hasty` it ends at the first row that is out of tolerance.
static Comparison try_it(const Sample *s, const Variation *v, bool hasty)
{
    const Case *c = s->c;
    Comparison sum = { 0 };
    size_t width = (size_t)diagnosis_width(c);
    Arena *scratch = arena_open();
    Trial t = trial_of(scratch, c, v);
    for (int e = 0; e < s->count && !(hasty && sum.out); e++) {
        if (passed_over(s, &v->rules, s->rows[e])) continue;
        size_t first = index_of(c->problem->is, s->rows[e]) * width;
        compare_add(&sum, compare(t.theirs + first, trial_row(&t, c, s->rows[e]), width, c->tolerance), first);
    }
    arena_close(scratch);
    return sum;
}

// ---- precision

// How far rounding would move the rows: as a relative error, and the largest movement.
static double rounding_of(const Sample *s, Variation v, Precision precision, double *root_mean, double *largest)
{
    Variation exact = v;
    v.rules.precision = precision;
    Arena *scratch = arena_open();
    Trial one = trial_of(scratch, s->c, &exact), other = trial_of(scratch, s->c, &v);
    Comparison sum = { 0 };
    for (int e = 0; e < s->count; e++) {
        if (passed_over(s, &v.rules, s->rows[e])) continue;
        const double *ours = trial_row(&one, s->c, s->rows[e]), *moved = trial_row(&other, s->c, s->rows[e]);
        compare_add(&sum, compare(moved, ours, (size_t)diagnosis_width(s->c), s->c->tolerance), 0);
    }
    arena_close(scratch);
    *root_mean = sum.count ? sqrt(sum.difference / (double)sum.count) : 0;
    *largest = sum.largest;
    return compare_relative(&sum);
}

// The share of numbers that differ by more than `least`. Rounding touches nearly all, a mistake in a mask only some,
// and an error that is far too small for this rounding none.
static double share_touched(const Sample *s, const Variation *v, double least)
{
    size_t touched = 0, count = 0, width = (size_t)diagnosis_width(s->c);
    Arena *scratch = arena_open();
    Trial t = trial_of(scratch, s->c, v);
    for (int e = 0; e < s->count; e++) {
        if (passed_over(s, &v->rules, s->rows[e])) continue;
        const double *row = trial_row(&t, s->c, s->rows[e]);
        const double *theirs = t.theirs + index_of(s->c->problem->is, s->rows[e]) * width;
        for (size_t c = 0; c < width; c++, count++) touched += fabs(row[c] - theirs[c]) > least;
    }
    arena_close(scratch);
    return count ? (double)touched / (double)count : 0;
}

// Is what a variation leaves unexplained what arithmetic of less precision would leave?
static Precision precision_of(const Sample *s, const Variation *v, Comparison left, double *rounding)
{
    static const Precision tried[] = { FLOAT32, FLOAT16, BFLOAT16 };
    if (left.not_finite) return EXACT;
    for (int p = 0; p < 3; p++) {
        double root_mean, largest, error = compare_relative(&left);
        *rounding = rounding_of(s, *v, tried[p], &root_mean, &largest);
        double allowed = tried[p] == FLOAT32 ? 30 : 3;           // sums in float32 lose more than one rounding
        bool too_large = error > allowed * *rounding || left.largest > 2 * allowed * largest;
        if (!too_large && share_touched(s, v, root_mean / 50) > 0.5) return tried[p];
    }
    return EXACT;
}

// ---- heads in another order

static bool same_head(const Case *c, int theirs, int ours)
{
    Shape is = c->problem->is;
    size_t row = (size_t)diagnosis_width(c), each = (size_t)is.T * row, H = (size_t)is.H;
    for (size_t b = 0; b < (size_t)is.B; b++) {
        const double *one = c->theirs + (b * H + (size_t)theirs) * each;
        const double *other = c->ours + (b * H + (size_t)ours) * each;
        for (size_t i = 0; i < (size_t)is.T; i++)
            if (compare(one + i * row, other + i * row, row, c->tolerance).out) return false;
    }
    return true;
}

// Is each of their heads one of ours? Then only their order is wrong.
static bool heads_moved(Finding *out, Arena *arena, const Case *c)
{
    int H = c->problem->is.H;
    const char *list = "";
    for (int h = 0; h < H; h++) {
        int from = 0;
        while (from < H && !same_head(c, h, from)) from++;
        if (from == H) return false;
        if (h < 8) list = arena_format(arena, "%s%s%d", list, h ? ", " : "", from);
    }
    *out = (Finding){ .name = "heads-moved", .fits = true, .left = { .count = c->found.count } };
    out->words = arena_format(arena, "the heads are in another order: yours are our heads %s%s", list,
                              H > 8 ? ", …" : "");
    return true;
}

// Is every number of theirs the same multiple of ours?
static bool all_multiplied(Finding *out, Arena *arena, const Case *c)
{
    double mixed = 0, size = 0;
    for (size_t e = 0; e < c->found.count; e++) {
        mixed += c->theirs[e] * c->ours[e];
        size += c->ours[e] * c->ours[e];
    }
    double factor = mixed / size;
    if (!isfinite(factor) || factor == 0) return false;
    for (size_t e = 0; e < c->found.count; e++)
        if (compare(&c->theirs[e], &(double){ factor * c->ours[e] }, 1, c->tolerance).out) return false;
    *out = (Finding){ .name = "multiplied", .fits = true, .left = { .count = c->found.count } };
    out->words = arena_format(arena, "every number is %.6g times ours", factor);
    return true;
}

// ---- all causes

typedef struct { const Cause *cause, *other; Variation variation; Comparison left; } Candidate;
typedef struct { const Sample *sample; Candidate *candidates; bool hasty; } Trials;

static void try_candidate(int index, void *context)
{
    const Trials *trials = context;
    Candidate *candidate = &trials->candidates[index];
    candidate->left = try_it(trials->sample, &candidate->variation, trials->hasty);
}

static int candidates_of(Candidate *to, const Case *c)
{
    int count = 0;
    for (int e = 0; e < causes_count; e++) {
        Candidate one = { .cause = &causes[e], .variation = { .rules = c->setting.rules } };
        if (causes[e].apply(&one.variation, &c->setting)) to[count++] = one;
    }
    return count;
}

// Does trying it cost more than its rows: a copy of all arrays, or a whole head?
static bool costly(const Case *c, const Variation *v)
{
    Shape is = c->problem->is;
    double copy = (double)is.B * is.H * ((double)is.T + is.S) * (is.d + is.dv), head = (double)is.T * is.S * is.d;
    return ((v->in_was || v->out_was) && copy > 1e5) || (v->rules.softmax == OVER_QUERIES && head > 1e5);
}

// Two mistakes at once: the second is applied on top of the first.
static int pairs_of(Candidate *to, const Candidate *single, int singles, const Case *c)
{
    int count = 0;
    for (int a = 0; a < singles; a++)
        for (int b = a + 1; b < singles; b++) {
            Candidate both = { single[a].cause, single[b].cause, single[a].variation, { 0 } };
            both.other->apply(&both.variation, &c->setting);
            if (!costly(c, &both.variation)) to[count++] = both;
        }
    return count;
}

// What of the error a candidate leaves: Σ (theirs − its result)².
static double left_by(const Candidate *c) { return c->left.not_finite ? INFINITY : c->left.difference; }

// Fewer numbers out of tolerance only counts when it is none; else what is left decides.
static int by_fit(const void *a, const void *b)
{
    const Candidate *one = a, *other = b;
    bool one_fits = !one->left.out, other_fits = !other->left.out;
    if (one_fits != other_fits) return one_fits ? -1 : 1;
    double left = left_by(one), right = left_by(other);
    return left < right ? -1 : left > right ? 1 : one->cause < other->cause ? -1 : 1;
}

// A fit on the sample is tried on every row, where that costs no more than the judgement itself.
static void try_everywhere(Candidate *candidate, const Sample *s)
{
    const Case *c = s->c;
    Shape is = c->problem->is;
    const Rules *r = &candidate->variation.rules;
    if ((size_t)s->count == s->of || c->what != OUTPUT || r->softmax == OVER_HEADS || r->unsplit) return;
    Arena *scratch = arena_open();
    Trial t = trial_of(scratch, c, &candidate->variation);
    double *out = arena_alloc(scratch, c->found.count * sizeof *out);
    judge_all((Judged){ .out = out }, &t.problem, &t.rules);
    candidate->left = compare(t.theirs, out, s->of * (size_t)is.dv, c->tolerance);
    arena_close(scratch);
}

static Finding finding_of(Arena *arena, const Candidate *candidate)
{
    const Cause *other = candidate->other;
    Finding f = { .name = candidate->cause->name, .other = other ? other->name : NULL, .words = candidate->cause->words,
                  .fits = candidate->left.out == 0, .left = candidate->left };
    if (other) f.words = arena_format(arena, "%s,\nand %s", f.words, other->words);
    return f;
}

static void keep_fits(Diagnosis *out, Arena *arena, Candidate *candidates, int count, const Sample *s)
{
    qsort(candidates, (size_t)count, sizeof *candidates, by_fit);
    for (int e = 0; e < count && !candidates[e].left.out && out->count < MOST_FINDINGS; e++) {
        if (out->count == 0) try_everywhere(&candidates[e], s);
        out->findings[out->count++] = finding_of(arena, &candidates[e]);
    }
    out->reproduces = out->count > 0;
}

// Nothing fits: what brings theirs much closer, and whether rounding explains the rest of it.
static void keep_closest(Diagnosis *out, Arena *arena, const Candidate *candidates, int count, const Sample *s,
                         Comparison before)
{
    if (before.not_finite) return;
    for (int e = 0; e < count && out->count < MOST_FINDINGS; e++) {
        double share = sqrt(left_by(&candidates[e]) / before.difference), rounding;
        if (!(share < 0.5)) break;
        Finding f = finding_of(arena, &candidates[e]);
        f.share = share;
        if (out->count == 0) f.precision = precision_of(s, &candidates[e].variation, f.left, &rounding);
        out->findings[out->count++] = f;
        if (f.precision) break;
    }
}

void diagnose(Diagnosis *out, Arena *arena, const Case *c)
{
    *out = (Diagnosis){ 0 };
    Sample s = sample_of(arena, c);
    Variation asked = { .rules = c->setting.rules };
    Candidate *single = arena_alloc(arena, (size_t)causes_count * sizeof *single);
    int count = candidates_of(single, c);
    out->tried = count;
    out->rows = (size_t)s.count;
    out->of = s.of;

    // 1. Each mistake alone.
    if (c->problem->is.H > 1 && heads_moved(&out->findings[0], arena, c)) out->count++;
    else if (c->what != LOGSUMEXP && all_multiplied(&out->findings[0], arena, c)) out->count++;
    parallel_for(count, try_candidate, &(Trials){ &s, single, false });
    keep_fits(out, arena, single, count, &s);
    if (out->count) return;

    // 2. No mistake, only less precision.
    Comparison plain = try_it(&s, &asked, false);
    out->precision = precision_of(&s, &asked, plain, &out->rounding);
    if (out->precision) return;

    // 3. Two mistakes together.
    Candidate *pair = arena_alloc(arena, (size_t)(count * count / 2 + 1) * sizeof *pair);
    int pairs = pairs_of(pair, single, count, c);
    out->pairs = pairs;
    parallel_for(pairs, try_candidate, &(Trials){ &s, pair, true });
    keep_fits(out, arena, pair, pairs, &s);
    if (out->count) return;

    // 4. Nothing fits.
    keep_closest(out, arena, single, count, &s, plain);
}
