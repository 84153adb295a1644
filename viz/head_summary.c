// Statistics and thumbnail in one pass over a map, four weights at a time.
#include "viz/head_summary.h"

#include <string.h>

// ---- names

typedef struct {
    HeadStat stat;
    const char *word, *name, *unit, *formula;
} StatText;

static const StatText *text_of(SummaryStat stat)
{
    static const StatText texts[SUMMARY_STATS] = {
        [SUMMARY_ENTROPY] = { HEAD_STAT_ENTROPY, "entropy", "entropy", "bit", "−Σ p log₂ p of p = w / Σ w, mean" },
        [SUMMARY_DISTANCE] = { HEAD_STAT_DISTANCE, "distance", "mean distance", "positions",
                               "Σ w(i, j) |i − j|, mean over queries" },
        [SUMMARY_PREVIOUS] = { HEAD_STAT_PREVIOUS, "previous", "previous token", "", "w(i, i − 1), mean over queries" },
        [SUMMARY_DIAGONAL] = { HEAD_STAT_DIAGONAL, "diagonal", "diagonal", "", "w(i, i), mean over queries" },
        [SUMMARY_INDUCTION] = { HEAD_STAT_INDUCTION, "induction", "induction", "",
                                "Σ w(i, j + 1) over earlier j with the word of i, mean" },
        [SUMMARY_FIRST] = { HEAD_STAT_FIRST, "first", "first token", "", "w(i, 0), mean over queries but the first" },
    };
    REQUIRE(0 <= (int)stat && stat < SUMMARY_STATS, "statistic %d of %d", (int)stat, (int)SUMMARY_STATS);
    return &texts[stat];
}

const char *summary_word(SummaryStat stat) { return text_of(stat)->word; }
const char *summary_name(SummaryStat stat) { return text_of(stat)->name; }
const char *summary_unit(SummaryStat stat) { return text_of(stat)->unit; }
const char *summary_formula(SummaryStat stat) { return text_of(stat)->formula; }

// ---- tokens that come again

typedef struct {
    const char *text;
    int last;
} Known; // a token and its last key so far

// The entry of a text in an open-addressing hash table of size 2ⁿ, more than half empty. [FNV-1a]
static Known *known(Known *table, size_t size, const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    for (size_t at = (size_t)(hash ^ hash >> 32);; at++) {
        Known *entry = &table[at & (size - 1)];
        if (!entry->text) *entry = (Known){ text, -1 };
        if (!strcmp(entry->text, text)) return entry;
    }
}

// Key by key: the query at this position sees earlier keys only.
Repeats summary_repeats(Arena *arena, const Document *d)
{
    if (!d->queries || !d->keys) return (Repeats){ 0 };
    Repeats repeats = { .query = arena_alloc(arena, (size_t)d->T * sizeof *repeats.query),
                        .key = arena_alloc(arena, (size_t)d->S * sizeof *repeats.key) };
    Arena *scratch = arena_open();
    size_t size = 2;
    while (size < 2 * ((size_t)d->T + (size_t)d->S) + 1) size *= 2;
    Known *table = arena_alloc(scratch, size * sizeof *table);
    for (int i = 0; i < d->T - d->S; i++) repeats.query[i] = -1;
    for (int j = 0; j < d->S; j++) {
        int i = j - (d->S - d->T);
        if (i >= 0) repeats.query[i] = known(table, size, d->queries[i])->last;
        Known *key = known(table, size, d->keys[j]);
        repeats.key[j] = key->last;
        key->last = j;
    }
    arena_close(scratch);
    return repeats;
}

// ---- four numbers

typedef int32_t Mask4 __attribute__((vector_size(16), may_alias));
typedef uint32_t Words4 __attribute__((vector_size(16), may_alias));
typedef float Loose __attribute__((vector_size(16), aligned(4), may_alias)); // unaligned

static Float4 four(float x) { return (Float4){ x, x, x, x }; }
static Float4 keep(Mask4 where, Float4 x) { return (Float4)((Mask4)x & where); }
static Float4 pick(Mask4 where, Float4 x, Float4 other)
{
    return (Float4)(((Mask4)x & where) | ((Mask4)other & ~where));
}
static float sum4(Float4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }
static float most4(Float4 x) { return fmaxf(fmaxf(x[0], x[1]), fmaxf(x[2], x[3])); }
static float least4(Float4 x) { return fminf(fminf(x[0], x[1]), fminf(x[2], x[3])); }
static bool any4(Mask4 where) { return (where[0] | where[1] | where[2] | where[3]) != 0; }

// x = 2ᵉ · m with √½ ≤ m < √2, and log₂ m = 2 / ln 2 · (s + s³ / 3 + s⁵ / 5 + …) with s = (m − 1) / (m + 1) < 0.172.
Float4 summary_log2(Float4 x)
{
    const Words4 root = { 0x3f3504f3, 0x3f3504f3, 0x3f3504f3, 0x3f3504f3 }; // √½
    Words4 bits = (Words4)x - root;
    Float4 e = __builtin_convertvector((Mask4)bits >> 23, Float4), m = (Float4)((bits & 0x7fffff) + root);
    Float4 s = (m - 1.0f) / (m + 1.0f), ss = s * s;
    Float4 series = 1.0f + ss * (1.0f / 3.0f + ss * (1.0f / 5.0f + ss * (1.0f / 7.0f + ss * (1.0f / 9.0f))));
    return e + 2.88539008f * s * series;
}

// ---- a cell of the thumb: some weights of one row

typedef struct {
    float sum, most, least; // `most` as in PyramidLevel; `least` ignores masked cells; both NaN if a value is
    float bits, distance;   // Σ −w log₂ w,  Σ w |p − j|
    bool any, hidden;       // a weight other than 0; a masked one
} Part;

typedef struct {
    Float4 sum, most, least, bits, distance;
    Mask4 any, hidden, nan;
} Part4;

static inline void part_add(Part4 *part, Float4 x, Float4 away)
{
    Mask4 hidden = x == four(-INFINITY), nan = x != x;
    Float4 w = keep(~hidden, x), least = pick(hidden, four(INFINITY), x);
    part->sum += w;
    part->most = pick(x > part->most, x, part->most);
    part->least = pick(least < part->least, least, part->least);
    part->bits -= w * summary_log2(w);
    part->distance += w * keep((Mask4){ 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff }, away);
    part->any |= w != four(0.0f);
    part->hidden |= hidden;
    part->nan |= nan;
}

// x (n); the first is `away` positions after the query.
static Part part_of(const float *x, int n, float away)
{
    Part4 part = { .most = four(-INFINITY), .least = four(INFINITY) };
    Float4 at = { away, away + 1.0f, away + 2.0f, away + 3.0f };
    int j = 0;
    for (; j + 4 <= n; j += 4, at += 4.0f) part_add(&part, *(const Loose *)(x + j), at);
    if (j < n) {
        Float4 rest = four(-INFINITY);
        Mask4 real = { -1, n - j > 1 ? -1 : 0, n - j > 2 ? -1 : 0, 0 }, before = part.hidden;
        for (int k = 0; k < n - j; k++) rest[k] = x[j + k];
        part_add(&part, rest, at);
        part.hidden = before | (part.hidden & real);
    }
    bool nan = any4(part.nan);
    return (Part){ sum4(part.sum),   nan ? NAN : most4(part.most), nan ? NAN : least4(part.least),
                   sum4(part.bits),  sum4(part.distance),          any4(part.any),
                   any4(part.hidden) };
}

// ---- rows

// Range of the finite values: value by value if a part has others.
static void add_extremes(HeadSummary *summary, Part part, const float *x, int n)
{
    if (part.most == -INFINITY) return; // all masked
    if (isfinite(part.least) && isfinite(part.most)) {
        summary->least = fmin(summary->least, (double)part.least);
        summary->most = fmax(summary->most, (double)part.most);
        return;
    }
    for (int j = 0; j < n; j++) {
        summary->any_nan |= isnan(x[j]);
        if (!isfinite(x[j])) continue;
        summary->least = fmin(summary->least, (double)x[j]);
        summary->most = fmax(summary->most, (double)x[j]);
    }
}

// Adds row i of the map to a row of the thumbnail: sums, divided at the end, and maxima.
static void add_row(SummaryWork *work, const float *row, int i)
{
    const Document *d = work->band.d;
    HeadSummary *summary = &work->summary;
    int fold = summary->thumb.fold, p = i + d->S - d->T, seen = row_band_keys(d, i);
    float *sum = mat_row(summary->thumb.sum, i / fold), *most = mat_row(summary->thumb.most, i / fold);
    double bits = 0.0, distance = 0.0, whole = 0.0;
    bool any = false;
    for (int c = 0, j = 0; j < seen; c++, j += fold) {
        int n = seen - j < fold ? seen - j : fold;
        Part part = part_of(row + j, n, (float)(j - p));
        sum[c] += part.sum;
        most[c] = pyramid_larger(part.most, most[c]);
        bits += (double)part.bits;
        whole += (double)part.sum;
        distance += (double)part.distance;
        any |= part.any;
        summary->any_hidden |= part.hidden;
        add_extremes(summary, part, row + j, n);
    }
    summary->any_hidden |= seen < d->S;
    for (int j = 0; j < HIDE_MOST && j < seen; j++) summary->mass[j + 1] += (double)pyramid_shown(row[j]);
    if (!any) return;                                                           // no visible key
    head_mean_add(&work->stats[HEAD_STAT_ENTROPY], bits / whole + log2(whole)); // of w / Σ w
    head_mean_add(&work->stats[HEAD_STAT_DISTANCE], distance);
    head_stats_add_positions(work->stats, row, d->S, p);
    if (work->repeats.query) head_stats_add_repeats(work->stats, row, work->repeats.query[i], work->repeats.key);
}

// ---- the work

SummaryWork summary_open(Arena *arena, const Document *d)
{
    return (SummaryWork){ .band = row_band_open(arena, d), .repeats = summary_repeats(arena, d) };
}

void summary_begin(SummaryWork *work, Arena *arena, int layer, int head)
{
    const Document *d = work->band.d;
    int fold = 1;
    while (pyramid_cells(d->T, fold) > THUMB || pyramid_cells(d->S, fold) > THUMB) fold *= 2;
    int rows = pyramid_cells(d->T, fold), cols = pyramid_cells(d->S, fold);
    PyramidLevel thumb = { fold, mat_new(arena, rows, cols), mat_new(arena, rows, cols) };
    mat_fill(thumb.most, -INFINITY);
    row_band_begin(&work->band, layer, head);
    for (int stat = 0; stat < HEAD_STATS; stat++) work->stats[stat] = (HeadMean){ 0 };
    work->summary = (HeadSummary){ .thumb = thumb, .least = INFINITY, .most = -INFINITY };
}

static void finish(SummaryWork *work)
{
    HeadSummary *summary = &work->summary;
    for (int r = 0; r < summary->thumb.sum.rows; r++) {
        int queries = pyramid_queries(summary->thumb.fold, r, work->band.d->T);
        for (int c = 0; c < summary->thumb.sum.cols; c++) mat_row(summary->thumb.sum, r)[c] /= (float)queries;
    }
    for (int n = 1; n <= HIDE_MOST; n++) summary->mass[n] += summary->mass[n - 1];
    for (int n = 1; n <= HIDE_MOST; n++) summary->mass[n] /= work->band.d->T + !work->band.d->T;
    bool weights = !(summary->least < 0.0);
    for (SummaryStat n = 0; n < SUMMARY_STATS; n++)
        summary->stats[n] = weights ? head_mean_value(work->stats[text_of(n)->stat]) : (double)NAN;
    if (summary->least > summary->most) summary->least = summary->most = (double)NAN;
    summary->ready = true;
}

bool summary_step(SummaryWork *work)
{
    int row = work->band.next;
    Mat band = row_band_read(&work->band);
    for (int i = 0; i < band.rows; i++) add_row(work, mat_row(band, i), row + i);
    bool done = work->band.next >= work->band.d->T;
    if (done) finish(work);
    return done;
}
