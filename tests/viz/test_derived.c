// Pyramids, statistics and thumbnails, compared with their definitions in float64; computing in small steps gives the
// same result.
#include "viz/derived.h"

#include "base/portable_math.h"
#include "language/head_roles.h"
#include "support/maps.h"
#include "support/reference.h"
#include "viz/head_summary.h"
#include "support/suite.h"

#include <signal.h>

// Check's assertions cost a system call each; this one is free while it holds.
#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("%s", #ok); \
    } while (0)

static Document document_of(int layers, int heads, const Mat *maps, Masked masked)
{
    Document d = document_of_maps(arena, layers, heads, maps);
    d.masked = masked;
    return d;
}

// Rows that sum to 1 over visible keys: MASK_SCORES hides a third of the keys, and all of row 1.
static Document random_document(Random *random, int heads, int T, int S, Masked masked)
{
    Mat maps[2][8];
    for (int n = 0; n < 2 * heads; n++) maps[n / heads][n % heads] = mat_new(arena, T, S);
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < T; i++) {
            float *row = mat_row(maps[0][h], i), *score = mat_row(maps[1][h], i);
            double sum = 0;
            for (int j = 0; j < S; j++) {
                bool hidden = masked == MASK_CAUSAL ? j > i + S - T
                                                    : masked == MASK_SCORES && (i == 1 || random_below(random, 3) == 0);
                score[j] = hidden ? -INFINITY : 3.0f * random_normal(random);
                sum += exp((double)score[j]);
            }
            for (int j = 0; j < S && sum > 0; j++) row[j] = (float)(exp((double)score[j]) / sum);
        }
    Document d = document_of(1, heads, maps[0], masked), scores = document_of(1, heads, maps[1], masked);
    if (masked != MASK_SCORES) return d;
    d.fields[d.of[FIELD_SCORES] = d.count++] = scores.fields[0];
    d.fields[1].kind = FIELD_SCORES;
    return d;
}

// The map, writable.
static float *map_of(const Document *d, int head) { return (float *)(uintptr_t)document_maps(d)->planes[head]; }

static float weight(const Document *d, int head, int i, int j) { return field_at(document_maps(d), 0, head, i, j); }

static int least(int a, int b) { return a < b ? a : b; }

// ---- levels

static Pyramid levels_of(const Document *d, int layer, int head)
{
    Arena *scratch = arena_open();
    PyramidWork work = pyramid_open(scratch, d);
    pyramid_begin(&work, layer, head);
    while (!pyramid_step(&work, arena)) continue;
    arena_close(scratch);
    return pyramid_kept(&work);
}

typedef struct {
    double sum, most;
    bool hidden;
} Want;

// A cell by its definition, summing all queries and keys that it stands for.
static Want want_cell(const Document *d, int head, int fold, int row, int col)
{
    Want want = { 0.0, (double)-INFINITY, true };
    int rows = least(fold, d->T - row * fold), cols = least(fold, d->S - col * fold);
    for (int i = row * fold; i < row * fold + rows; i++)
        for (int j = col * fold; j < col * fold + cols; j++) {
            if (document_hidden(d, 0, head, i, j)) continue;
            double w = (double)weight(d, head, i, j);
            want.hidden = false;
            want.sum += w / rows;
            if (!(w <= want.most) && !isnan(want.most)) want.most = w;
        }
    return want;
}

static bool near(double got, double want) { return fabs(got - want) <= 1e-6 + 1e-5 * fabs(want); }

static void check_level(const Document *d, int head, const PyramidLevel *level)
{
    int rows = (d->T + level->fold - 1) / level->fold, cols = (d->S + level->fold - 1) / level->fold;
    ck_assert(level->sum.rows == rows && level->sum.cols == cols);
    ck_assert(level->most.rows == rows && level->most.cols == cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            Want want = want_cell(d, head, level->fold, i, j);
            must(near((double)*mat_ref(level->sum, i, j), want.sum));
            must((double)*mat_ref(level->most, i, j) == want.most);
            must(pyramid_hidden(level, i, j) == want.hidden);
        }
}

static const int shapes[][2] = { { 1, 1 }, { 1, 2 },  { 1, 9 },   { 9, 1 },    { 2, 2 },    { 5, 3 },
                                 { 3, 5 }, { 7, 13 }, { 64, 64 }, { 65, 129 }, { 129, 65 }, { 300, 513 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST_EACH(levels_match_their_definition, SHAPES)
{
    Random random = random_from((uint64_t)_i);
    for (Masked masked = MASK_NONE; masked <= MASK_SCORES; masked++) {
        int T = shapes[_i][0], S = shapes[_i][1], folds = 0;
        Document d = random_document(&random, 2, T, S, masked);
        while (1 << folds < T || 1 << folds < S) folds++;
        Pyramid pyramid = levels_of(&d, 0, 1);
        ck_assert(pyramid.count == folds + 1 && pyramid.first == 1 && mat_empty(pyramid.level[0].sum));
        for (int n = 1; n < pyramid.count; n++) {
            ck_assert_int_eq(pyramid.level[n].fold, 1 << n);
            check_level(&d, 1, &pyramid.level[n]);
        }
    }
}

// NaN anywhere in a folded cell, and in the last odd row and column, makes exactly the cells above it NaN.
TEST(nan_spreads_upward)
{
    static const int places[][2] = { { 2, 4 }, { 2, 5 }, { 3, 4 }, { 4, 12 }, { 4, 0 }, { 0, 0 } };
    for (int n = 0; n < 18; n++) {
        int T = 5 + n / 6, row = places[n % 6][0], col = places[n % 6][1];
        Document d = random_document(&random_state, 1, T, 13, MASK_NONE);
        map_of(&d, 0)[row * 13 + col] = NAN;
        Pyramid pyramid = levels_of(&d, 0, 0);
        for (int l = 1; l < pyramid.count; l++)
            for (int i = 0; i < pyramid.level[l].sum.rows; i++)
                for (int j = 0; j < pyramid.level[l].sum.cols; j++) {
                    bool over = i == row >> l && j == col >> l;
                    must(isnan(*mat_ref(pyramid.level[l].sum, i, j)) == over);
                    must(isnan(*mat_ref(pyramid.level[l].most, i, j)) == over);
                    must(!pyramid_hidden(&pyramid.level[l], i, j));
                }
    }
}

// Masked values are ignored, and a score of −∞ is masked even without a mask.
TEST(masked_cells_do_not_count)
{
    Document d = random_document(&random_state, 1, 9, 9, MASK_CAUSAL);
    Pyramid before = levels_of(&d, 0, 0);
    for (int infinite = 0; infinite < 2; infinite++) {
        for (int n = 0; n < 81; n++)
            if (n % 9 > n / 9) map_of(&d, 0)[n] = infinite ? -INFINITY : n % 2 ? NAN : 100.0f;
        if (infinite) d.masked = MASK_NONE;
        Pyramid after = levels_of(&d, 0, 0);
        for (int n = 1; n < before.count; n++) {
            assert_same(after.level[n].sum, before.level[n].sum);
            assert_same(after.level[n].most, before.level[n].most);
        }
    }
}

// A map of 64 × 524288 whose rows share memory: level 1 exceeds PYRAMID_CELLS.
TEST(huge_maps_skip_the_first_levels)
{
    enum { T = 64, S = 1 << 19 };
    Mat row = mat_new(arena, 1, S);
    mat_fill(row, 1.0f / S);
    row.at[S - 1] = 0.5f;
    Document d = document_of(1, 1, &row, MASK_NONE);
    d.T = d.fields[0].rows = T;
    d.fields[0].row_step = 0;
    Pyramid pyramid = levels_of(&d, 0, 0);
    ck_assert(pyramid.first == 2 && pyramid.count == 20 && mat_empty(pyramid.level[1].sum));
    ck_assert(pyramid.level[2].sum.rows == T / 4 && pyramid.level[2].sum.cols == S / 4);
    ck_assert(*mat_ref(pyramid.level[2].sum, 9, 7) == 4.0f / S &&
              *mat_ref(pyramid.level[2].most, 9, S / 4 - 1) == 0.5f);
    ck_assert_double_eq_tol((double)*mat_ref(pyramid.level[19].sum, 0, 0), 1.5, 1e-5);
    ck_assert_uint_lt(arena_used(arena), 60 << 20);
}

// ---- statistics

TEST(log2_is_accurate)
{
    double worst = 0;
    for (double x = 1e-37; x<1e37; x *= x> 0.99 && x < 1.01 ? 1.0000001 : 1.00013) {
        Float4 got = summary_log2((Float4){ (float)x, 1.0f, 0.25f, 0.0f });
        double want = log2((double)(float)x);
        if (want != 0) worst = fmax(worst, fabs((double)got[0] - want) / fabs(want));
        must(got[1] == 0.0f && got[2] == -2.0f && isfinite(got[3]));
    }
    ck_assert_double_lt(worst, 1e-6);
}

static HeadSummary look_of(const Document *d, int head)
{
    SummaryWork work = summary_open(arena, d);
    summary_begin(&work, arena, 0, head);
    while (!summary_step(&work)) continue;
    return work.summary;
}

// NaN makes both results NaN; rows of zeros count in neither.
TEST_EACH(statistics_match_head_stats, 10)
{
    static const int sides[] = { 1, 2, 3, 5, 17, 63, 64, 65, 130, 257 };
    static const HeadStat stats[SUMMARY_STATS] = { HEAD_STAT_ENTROPY,  HEAD_STAT_DISTANCE,  HEAD_STAT_PREVIOUS,
                                                   HEAD_STAT_DIAGONAL, HEAD_STAT_INDUCTION, HEAD_STAT_FIRST };
    int T = sides[_i];
    Random random = random_from((uint64_t)_i + 100);
    for (Masked masked = MASK_NONE; masked <= MASK_SCORES; masked++)
        for (int nan = 0; nan <= 1; nan++) {
            int *tokens = arena_alloc(arena, (size_t)T * sizeof *tokens);
            const char **words = arena_alloc(arena, (size_t)T * sizeof *words);
            Document d = random_document(&random, 2, T, T, masked);
            Mat map = { map_of(&d, 1), T, T, T };
            for (int i = 0; i < T; i++) // many repetitions, never with equal pointers
                words[i] = arena_format(arena, "word%d", tokens[i] = random_below(&random, T / 3 + 1));
            d.queries = d.keys = words;
            if (nan) *mat_ref(map, T - 1, 0) = NAN;
            HeadScores scores = { 0 };
            HeadSummary summary = look_of(&d, 1);
            if (nan && document_hidden(&d, 0, 1, T - 1, 0)) *mat_ref(map, T - 1, 0) = 0.0f;
            head_role_add_map(&scores, map, tokens);
            for (int n = 0; n < SUMMARY_STATS; n++) {
                double got = summary.stats[n], want = head_mean_value(scores.stats[stats[n]]);
                ck_assert_msg(isnan(want) ? isnan(got) : near(got, want), "%s of %d: %.9g, roles.h has %.9g",
                              summary_name((SummaryStat)n), T, got, want);
            }
        }
}

// Two queries on five keys are at positions 3 and 4; of four queries on two keys, the first two are before every key.
TEST_EACH(statistics_of_rectangles, 2)
{
    static const struct {
        int T, S;
        float map[10];
        const char *queries[4], *keys[5];
        double stats[SUMMARY_STATS]; // entropy, distance, previous, diagonal, induction, first
    } cases[] = {
        { 2,
          5,
          { .5f, 0, .25f, .25f, 0, .125f, .125f, .25f, 0, .5f },
          { "b", "c" },
          { "b", "c", "a", "b", "c" },
          { 1.625, 1.5625, 0.125, 0.375, 0.125, 0.3125 } },
        { 4,
          2,
          { 1, 0, .5f, .5f, .25f, .75f, 1, 0 },
          { "a", "a", "b", "b" },
          { "b", "b" },
          { 0.4528195311, 1.3125, 1, 0.125, 0, 1 } },
    };
    Mat map = mat_of(arena, cases[_i].T, cases[_i].S, cases[_i].map);
    Document d = document_of(1, 1, &map, _i ? MASK_NONE : MASK_CAUSAL);
    d.queries = cases[_i].queries;
    d.keys = cases[_i].keys;
    HeadSummary summary = look_of(&d, 0);
    for (int n = 0; n < SUMMARY_STATS; n++)
        ck_assert_msg(near(summary.stats[n], cases[_i].stats[n]), "%s: %g", summary_name((SummaryStat)n),
                      summary.stats[n]);
}

TEST(induction_needs_words)
{
    static const char *const same[] = { "a", "a" }, *const different[] = { "a", "b" };
    Mat map = mat_of(arena, 2, 2, (float[]){ 1, 0, .5f, .5f });
    Document d = document_of(1, 1, &map, MASK_CAUSAL);
    d.queries = same;
    ck_assert(isnan(look_of(&d, 0).stats[SUMMARY_INDUCTION]));
    d.keys = same;
    ck_assert_double_eq(look_of(&d, 0).stats[SUMMARY_INDUCTION], 0.5);
    d.keys = d.queries = different;
    ck_assert(isnan(look_of(&d, 0).stats[SUMMARY_INDUCTION]));
}

TEST(ranges_and_special_values)
{
    static const struct {
        Masked masked;
        float map[6];
        double least, most;
        bool hidden, nan;
    } cases[] = {
        { MASK_CAUSAL, { .25f, .75f, 9, 0, .5f, .5f }, 0, .75, true, false },
        { MASK_NONE, { .25f, .75f, 9, 0, .5f, .5f }, 0, 9, false, false },
        { MASK_NONE, { .25f, .75f, INFINITY, NAN, .5f, .5f }, .25, .75, false, true },
        { MASK_NONE, { .25f, .75f, -INFINITY, -3, .5f, .5f }, -3, .75, true, false },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Mat map = mat_of(arena, 2, 3, cases[c].map);
        Document d = document_of(1, 1, &map, cases[c].masked);
        HeadSummary summary = look_of(&d, 0);
        ck_assert(summary.ready && summary.any_hidden == cases[c].hidden && summary.any_nan == cases[c].nan);
        ck_assert(summary.least == cases[c].least && summary.most == cases[c].most);
        if (c == 3)
            ck_assert(isnan(summary.stats[SUMMARY_ENTROPY]) && isnan(summary.stats[SUMMARY_FIRST])); // of scores
    }
}

TEST(thumbs_are_levels)
{
    Random random = random_from(9);
    for (int s = 0; s < SHAPES; s++)
        for (Masked masked = MASK_NONE; masked <= MASK_SCORES; masked++) {
            Document d = random_document(&random, 2, shapes[s][0], shapes[s][1], masked);
            HeadSummary summary = look_of(&d, 1);
            int fold = summary.thumb.fold, longest = d.T > d.S ? d.T : d.S;
            ck_assert(longest <= 64 * fold && (fold == 1 || longest > 32 * fold));
            check_level(&d, 1, &summary.thumb);
        }
}

// ---- the cache

static Derived *derived;
static void setup(void) { derived = derived_open(); }
static void teardown(void) { derived_close(derived); }
FIXTURE(setup, teardown);

static DerivedWanted heads(int one, int other, bool all) { return (DerivedWanted){ { 0, 0 }, { one, other }, all }; }

static bool same_level(const PyramidLevel *a, const PyramidLevel *b)
{
    return a->fold == b->fold && mat_equal(a->sum, b->sum) && mat_equal(a->most, b->most);
}

static bool same_levels(const Pyramid *a, const Pyramid *b)
{
    bool same = a && b && a->first == b->first && a->count == b->count;
    for (int n = 1; same && n < a->count; n++) same = same_level(&a->level[n], &b->level[n]);
    return same;
}

// The mass of the first n keys over all queries, some of which see none of them.
static void check_hidden(const Document *of, int head, const HeadSummary *summary, int n)
{
    double sum = 0;
    for (int i = 0; i < of->T; i++)
        for (int j = 0; j < n && j < of->S; j++)
            if (!document_hidden(of, 0, head, i, j)) sum += (double)field_at(document_maps(of), 0, head, i, j);
    ck_assert_double_eq_tol(summary->mass[n], sum / of->T, 1e-9);
}

// An unfinished pyramid has its final values in all rows that have been read.
TEST(pyramids_grow_row_by_row)
{
    enum { T = 700, S = 650, FOLD = 4 };
    Random random = random_from(21);
    Document d = random_document(&random, 2, T, S, MASK_SCORES);
    Pyramid whole = levels_of(&d, 0, 1);
    int rows = 0, before = 0, grown = 0;
    ck_assert(!derived_pyramid_so_far(derived, 0, 1, &rows) && rows == 0);
    while (!derived_pyramid(derived, 0, 1)) {
        derived_prepare(derived, &d, heads(1, -1, false), 0.0);
        const Pyramid *pyramid = derived_pyramid_so_far(derived, 0, 1, &rows);
        if (!pyramid) continue;
        ck_assert(rows >= before && rows < T && !derived_pyramid(derived, 0, 1));
        grown += rows > before;
        before = rows;
        for (int r = 0; r < rows / FOLD; r++)
            ck_assert_mem_eq(mat_row(pyramid->level[2].sum, r), mat_row(whole.level[2].sum, r), 4 * ((S + 3) / FOLD));
    }
    ck_assert(grown > 1 && !derived_pyramid_so_far(derived, 0, 1, &rows) && rows == 0);
}

// Levels of the wanted heads come first, then their summaries, then all others.
TEST(wanted_heads_come_first)
{
    enum { HEADS = 4, T = 700, S = 650 };
    Document d = random_document(&random_state, HEADS, T, S, MASK_SCORES);
    int calls = 0, ready = 0;
    for (; !derived_prepare(derived, &d, heads(2, 1, true), 0.0); calls++) {
        must(derived_summaries_ready(derived) >= ready);
        ready = derived_summaries_ready(derived);
        must(!ready || (derived_pyramid(derived, 0, 2) && derived_pyramid(derived, 0, 1)));
        must(ready < 1 || derived_summary(derived, 0, 2)->ready);
        must(ready < 2 || derived_summary(derived, 0, 1)->ready);
    }
    ck_assert(calls > 4 * HEADS && derived_summaries_ready(derived) == HEADS && !derived_pyramid(derived, 0, 3));
    for (int n = 0; n <= HIDE_MOST; n++) check_hidden(&d, 3, derived_summary(derived, 0, 3), n);
}

// The wanted heads may change at any time: unfinished work is continued or dropped, never mixed.
TEST(wanted_heads_may_change)
{
    enum { HEADS = 6, T = 500 };
    Random random = random_from(21);
    Document d = random_document(&random, HEADS, T, T, MASK_CAUSAL);
    Pyramid want[HEADS];
    HeadSummary summary[HEADS];
    for (int h = 0; h < HEADS; h++) {
        want[h] = levels_of(&d, 0, h);
        summary[h] = look_of(&d, h);
    }
    DerivedWanted wanted = { 0 };
    for (int round = 0; round < 4000; round++) {
        if (round % 100 == 0) derived_forget(derived);
        if (random_below(&random, 9) == 0)
            wanted = heads(random_below(&random, HEADS + 1) - 1, random_below(&random, HEADS + 1) - 1, round % 3 == 0);
        bool done = derived_prepare(derived, &d, wanted, random_below(&random, 40) ? 0.0 : (double)INFINITY);
        for (int h = 0; h < HEADS; h++) {
            const Pyramid *pyramid = derived_pyramid(derived, 0, h);
            must(!pyramid || same_levels(pyramid, &want[h]));
            must(pyramid || !done || (h != wanted.head[0] && h != wanted.head[1]));
            const HeadSummary *got = derived_summary(derived, 0, h);
            must(!got->ready || (same_level(&got->thumb, &summary[h].thumb) &&
                                 got->stats[SUMMARY_ENTROPY] == summary[h].stats[SUMMARY_ENTROPY]));
            must(got->ready || !done || !(wanted.all || h == wanted.head[0] || h == wanted.head[1]));
        }
    }
}

TEST(three_pyramids_are_kept)
{
    Document d = random_document(&random_state, 5, 8, 8, MASK_NONE);
    ck_assert(derived_prepare(derived, &d, heads(0, -1, false), (double)INFINITY));
    ck_assert(derived_prepare(derived, &d, heads(1, 2, false), (double)INFINITY));
    ck_assert(derived_pyramid(derived, 0, 0) && derived_pyramid(derived, 0, 1) && derived_pyramid(derived, 0, 2));
    ck_assert(derived_prepare(derived, &d, heads(3, 0, false), (double)INFINITY)); // 1 or 2 makes room, not 0
    ck_assert(derived_pyramid(derived, 0, 0) && derived_pyramid(derived, 0, 3));
    ck_assert(!derived_pyramid(derived, 0, 1) != !derived_pyramid(derived, 0, 2));
    ck_assert(derived_summaries_ready(derived) == 4 && !derived_summary(derived, 0, 4)->ready);
}

// Maps without rows or without columns.
TEST_EACH(empty_maps, 2)
{
    Mat map = mat_new(arena, _i ? 3 : 0, _i ? 0 : 3);
    Document d = document_of(1, 1, &map, MASK_NONE);
    ck_assert(derived_prepare(derived, &d, heads(0, -1, true), (double)INFINITY));
    ck_assert(isnan(derived_summary(derived, 0, 0)->stats[SUMMARY_ENTROPY]));
}

// Diagonal masses 0.5, 0.25, none (all masked), 0.5, 0.75, none, of two layers with three heads.
TEST(heads_in_order)
{
    static const float mass[6] = { 0.5f, 0.25f, -INFINITY, 0.5f, 0.75f, -INFINITY };
    Mat maps[6];
    for (int n = 0; n < 6; n++) {
        maps[n] = mat_new(arena, 2, 2);
        mat_fill(maps[n], mass[n]);
    }
    Document d = document_of(2, 3, maps, MASK_NONE);
    int order[6];
    derived_order(order, derived, &d, SUMMARY_DIAGONAL); // nothing is known yet
    ck_assert_mem_eq(order, ((int[]){ 0, 1, 2, 3, 4, 5 }), sizeof order);
    ck_assert(derived_prepare(derived, &d, (DerivedWanted){ { 0, 0 }, { -1, -1 }, true }, (double)INFINITY));
    derived_order(order, derived, &d, SUMMARY_DIAGONAL);
    ck_assert_mem_eq(order, ((int[]){ 4, 0, 3, 1, 2, 5 }), sizeof order);
    derived_order(order, derived, &d, -1);
    ck_assert_mem_eq(order, ((int[]){ 0, 1, 2, 3, 4, 5 }), sizeof order);
    ck_assert_double_eq(derived_summary(derived, 1, 1)->stats[SUMMARY_DIAGONAL], 0.75);
}
