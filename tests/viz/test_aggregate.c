// Reductions of maps, compared with their definitions in float64; and the viewer that shows them.
#include "viz/aggregate.h"

#include "base/portable_math.h"
#include "support/maps.h"
#include "support/reference.h"
#include "tests/io/bench.h"
#include "support/viewer.h"
#include "support/suite.h"

#include <string.h>

// The definition of a reduction at one cell. −∞: hidden.
typedef double Definition(const Document *d, int layer, int head, int i, int j);

static double weight(const Document *d, int layer, int head, int i, int j)
{
    return (double)field_at(&d->fields[d->of[FIELD_WEIGHTS]], layer, head, i, j);
}

static bool all_hide(const Document *d, int first, int last, int i, int j)
{
    for (int l = first; l <= last; l++)
        for (int h = 0; h < d->heads; h++)
            if (!document_hidden(d, l, h, i, j)) return false;
    return true;
}

static double over(const Document *d, int first, int last, int i, int j, bool largest)
{
    double sum = 0, most = 0;
    if (all_hide(d, first, last, i, j)) return -(double)INFINITY;
    for (int l = first; l <= last; l++)
        for (int h = 0; h < d->heads; h++) {
            sum += weight(d, l, h, i, j);
            most = fmax(most, weight(d, l, h, i, j));
        }
    return largest ? most : sum / ((last - first + 1) * d->heads);
}

// Rollout from position i after layer l to word j, summed over all paths.
static double ways(const Document *d, int l, int i, int j)
{
    if (l < 0) return i == j ? 1 : 0;
    double sum = 0, row = 0.5;
    for (int k = 0; k < d->S; k++) row += 0.5 * fmax(0, over(d, l, l, i, k, false));
    for (int k = 0; k < d->S; k++)
        sum += (0.5 * fmax(0, over(d, l, l, i, k, false)) + (i == k ? 0.5 : 0)) / row * ways(d, l - 1, k, j);
    return sum;
}

static double norm(const Document *d, int l, int h, int i, int j)
{
    const Field *v = &d->fields[d->of[FIELD_V]];
    double square = 0;
    if (document_hidden(d, l, h, i, j)) return -(double)INFINITY;
    for (int c = 0; c < v->cols; c++) square += pow((double)field_at(v, l, h / (d->heads / v->heads), j, c), 2);
    return weight(d, l, h, i, j) * sqrt(square);
}

static const MapReduction kinds[] = { REDUCE_MEAN,    REDUCE_MAX,     REDUCE_MEAN_ALL,
                                      REDUCE_MAX_ALL, REDUCE_ROLLOUT, REDUCE_NORM };

static double definition(MapReduction made, const Document *d, int l, int h, int i, int j)
{
    bool all = made == REDUCE_MEAN_ALL || made == REDUCE_MAX_ALL;
    if (made == REDUCE_NORM) return norm(d, l, h, i, j);
    if (made != REDUCE_ROLLOUT)
        return over(d, all ? 0 : l, all ? d->layers - 1 : l, i, j, made == REDUCE_MAX || made == REDUCE_MAX_ALL);
    double sum = ways(d, l, i, j);
    return sum == 0 && all_hide(d, 0, d->layers - 1, i, j) ? -(double)INFINITY : sum;
}

static void check(const Document *d, MapReduction kind)
{
    Document made = reduction_document(arena, d, kind);
    ck_assert_int_eq(made.layers, kind == REDUCE_MEAN_ALL || kind == REDUCE_MAX_ALL ? 1 : d->layers);
    ck_assert_int_eq(made.heads, kind == REDUCE_NORM ? d->heads : 1);
    ck_assert(made.T == d->T && made.S == d->S && made.queries == d->queries && made.keys == d->keys);
    int planes = made.layers * made.heads;
    for (int n = 0; n < 2 * planes; n++) { // the second time from what is kept, and backwards
        int plane = n < planes ? n : 2 * planes - 1 - n, l = plane / made.heads, h = plane % made.heads;
        for (int cell = 0; cell < d->T * d->S; cell++) {
            int i = cell / d->S, j = cell % d->S;
            double want = definition(kind, d, l, h, i, j), got = (double)field_at(document_maps(&made), l, h, i, j);
            ck_assert_msg(got == want || fabs(got - want) <= 1e-6, "%s, layer %d head %d (%d, %d): %.9g, not %.9g",
                          reduction_name(kind), l, h, i, j, got, want);
            ck_assert_int_eq(document_hidden(&made, l, h, i, j), want == -(double)INFINITY);
        }
    }
}

TEST_EACH(reductions_match_their_definitions, 6)
{
    Random random = random_from((uint64_t)_i + 5);
    for (int causal = 0; causal <= 1; causal++)
        for (int size = 0; size < 3; size++) {
            Shape shape = { 3, 4, 5, 5, 4, 6, .causal = causal, .words = true };
            if (size == 1) shape.layers = shape.heads = 5; // more planes than are kept
            if (size == 2) shape.S = 7;
            Document d = document_random(arena, &random, shape);
            if (reduction_possible(&d, kinds[_i])) check(&d, kinds[_i]);
            else ck_assert(kinds[_i] == REDUCE_ROLLOUT && size == 2);
        }
}

// With a window no head sees two positions back, but rollout over two layers does: reached cells are visible.
TEST_EACH(rollout_reaches_beyond_a_window, 2)
{
    const float no = _i ? -INFINITY : 0;
    Mat map = mat_of(arena, 3, 3, (float[]){ 1, no, no, 0.5f, 0.5f, no, no, 0.5f, 0.5f });
    Document d = document_of_maps(arena, 2, 1, (Mat[]){ map, map });
    d.masked = _i ? MASK_MAPS : MASK_CAUSAL;
    Document made = reduction_document(arena, &d, REDUCE_ROLLOUT);
    ck_assert_float_eq_tol(field_at(document_maps(&made), 1, 0, 2, 0), 0.0625f, 1e-7f);
    ck_assert(!document_hidden(&made, 1, 0, 2, 0) && document_hidden(&made, 1, 0, 0, 2));
    ck_assert(!_i || document_hidden(&made, 0, 0, 2, 0));
}

TEST(reductions_that_are_possible)
{
    Random random = random_from(8);
    Mat one = mat_new(arena, 4, 4), wide = mat_new(arena, 4, 5);
    Document all = document_random(arena, &random, (Shape){ 2, 2, 4, 4, 4, 6, .words = true });
    Document single = document_of_maps(arena, 1, 1, &one), rectangle = document_of_maps(arena, 1, 1, &wide);
    for (MapReduction made = REDUCE_NONE; made < REDUCTIONS; made++) {
        ck_assert(reduction_possible(&all, made));
        ck_assert_int_eq(reduction_possible(&single, made), made == REDUCE_NONE || made == REDUCE_ROLLOUT);
        ck_assert_int_eq(reduction_possible(&rectangle, made), made == REDUCE_NONE);
        ck_assert(*reduction_word(made) && *reduction_name(made) && (made == REDUCE_NONE || *reduction_formula(made)));
    }
    single.T = single.S = ROLLOUT_MAX_TOKENS + 1;
    ck_assert(!reduction_possible(&single, REDUCE_ROLLOUT));
    all.T = all.S = 20000; // none while a window stands still
    for (MapReduction made = REDUCE_MEAN; made < REDUCTIONS; made++) ck_assert(!reduction_possible(&all, made));
}

// ---- in the viewer

static Error error;

// W cycles through the reductions and returns to the previous head; every view draws each.
TEST(w_cycles_through_reductions)
{
    viewer_opens("");
    int layer = app->state.shown.layer, head = app->state.shown.head;
    HeadCell pinned = app->state.selection.pinned;
    ck_assert(head > 0 && pinned.row >= 0);
    for (MapReduction made = REDUCE_MEAN; made < REDUCTIONS; made++) {
        viewer_press("w");
        ck_assert(app->state.shown.reduction == made && app->state.shown.document == &app->reduced);
        ck_assert(strstr(app->reduced.shape, reduction_formula(made)) && app->state.selection.pinned.col == pinned.col);
        viewer_work();
        for (int v = 0; v < VIEWS; v++) {
            viewer_draw();
            viewer_press("Tab");
        }
        app->state = state_with_view(app->state, VIEW_HEAD);
    }
    viewer_press("w");
    ck_assert(app->state.shown.reduction == REDUCE_NONE && app->state.shown.document == &app->document);
    ck_assert(app->state.shown.layer == layer && app->state.shown.head == head);
    files_close(&files);
}

static float last_rollout(const Document *d) { return field_at(document_maps(d), d->layers - 1, 0, 9, 3); }

// Reductions follow the sentence and the ablation. A reduction of several heads cannot be ablated.
TEST(reductions_follow_sentence_and_ablation)
{
    viewer_opens("--of|rollout");
    float before = last_rollout(&app->reduced);
    viewer_press("a");
    ck_assert_ptr_nonnull(strstr(app->state.message.error, "made of several heads"));
    viewer_press("/ Backspace*6 'wide' Enter");
    ck_assert(!app->state.message.error && app->state.shown.reduction == REDUCE_ROLLOUT);
    ck_assert(app->state.shown.document == &app->reduced && app->reduced.queries == app->document.queries);
    Document again = reduction_document(arena, &app->document, REDUCE_ROLLOUT);
    ck_assert(last_rollout(&app->reduced) == last_rollout(&again));
    while (app->state.shown.reduction) viewer_press("w");
    app->state.shown.layer = 0;
    viewer_press("a");
    while (app->state.shown.reduction != REDUCE_ROLLOUT) viewer_press("w");
    ck_assert(last_rollout(&app->reduced) != before && strstr(app_picture_name(app, arena, PICTURE_PNG), "rollout"));
    files_close(&files);
}

// A new file without the reduction is shown as it is.
TEST(impossible_reductions_are_dropped)
{
    Bench bench = bench_open();
    char *square = bench_path(&bench, "square.npy"), *wide = bench_path(&bench, "wide.npy");
    Mat one = mat_new(bench.arena, 4, 4), rectangle = mat_new(bench.arena, 4, 5);
    mat_fill(one, 0.25f);
    mat_fill(rectangle, 0.2f);
    ck_assert(npy_write_mat(square, one, &error) && npy_write_mat(wide, rectangle, &error));
    viewer_opens(arena_format(arena, "%s|--of|rollout", square));
    ck_assert(app->state.shown.reduction == REDUCE_ROLLOUT && npy_write_mat(square, rectangle, &error));
    ck_assert(files_poll(&files, 1) && app->state.shown.reduction == REDUCE_NONE &&
              app->state.shown.document == &app->document);
    files_close(&files);
    ck_assert(!viewer_tries(arena_format(arena, "%s|--of|rollout", wide), &error));
    ck_assert_msg(strstr(error.text, "--of rollout: that cannot be made of"), "%s", error.text);
    bench_close(&bench);
}

// Values that do not sum to 1 have a scale from 0 to their maximum, and no weight statistics.
static void check_words(const char *const *there, const char *absent)
{
    FileBytes svg;
    viewer_work();
    ck_assert(app_save(app, &svg, NULL, arena, PICTURE_SVG, &error) && !strstr((const char *)svg.at, absent));
    for (; *there; there++) ck_assert_msg(strstr((const char *)svg.at, *there), "no %s", *there);
}

TEST(unnormalized_values_are_not_weights)
{
    static const char *const norms[] = { ">value<", ">weight × norm of the value<", "linear, all heads", NULL };
    static const char *const weights[] = { ">weight<", ">entropy<", "linear 0–1", "mean of the layer", NULL };
    viewer_opens("--of|norm");
    check_words(norms, ">entropy<");
    viewer_press("w w");
    ck_assert(app->state.shown.reduction == REDUCE_MEAN && !app->reduced.unnormalized);
    check_words(weights, ">weight × norm");
    files_close(&files);
}
