// Reductions of maps, compared with their definitions in float64; and the viewer that shows them.
#include "viz/aggregate.h"

#include "base/portable_math.h"
#include "support/maps.h"
#include "support/reference.h"
#include "tests/io/bench.h"
#include "viz/files.h"
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

static double mean(const Document *d, int l, int h, int i, int j)
{
    (void)h;
    return over(d, l, l, i, j, false);
}
static double most(const Document *d, int l, int h, int i, int j)
{
    (void)h;
    return over(d, l, l, i, j, true);
}
static double mean_all(const Document *d, int l, int h, int i, int j)
{
    (void)l;
    (void)h;
    return over(d, 0, d->layers - 1, i, j, false);
}
static double most_all(const Document *d, int l, int h, int i, int j)
{
    (void)l;
    (void)h;
    return over(d, 0, d->layers - 1, i, j, true);
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

static double rollout(const Document *d, int l, int h, int i, int j)
{
    double sum = ways(d, l, i, j);
    (void)h;
    return sum == 0 && all_hide(d, 0, d->layers - 1, i, j) ? -(double)INFINITY : sum;
}

static double norm(const Document *d, int l, int h, int i, int j)
{
    const Field *v = &d->fields[d->of[FIELD_V]];
    double square = 0;
    if (document_hidden(d, l, h, i, j)) return -(double)INFINITY;
    for (int c = 0; c < v->cols; c++) square += pow((double)field_at(v, l, h / (d->heads / v->heads), j, c), 2);
    return weight(d, l, h, i, j) * sqrt(square);
}

static const struct {
    MapReduction made;
    Definition *definition;
    bool all, each;
} kinds[] = {
    { REDUCE_MEAN, mean, false, false },        { REDUCE_MAX, most, false, false },
    { REDUCE_MEAN_ALL, mean_all, true, false }, { REDUCE_MAX_ALL, most_all, true, false },
    { REDUCE_ROLLOUT, rollout, false, false },  { REDUCE_NORM, norm, false, true },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool near(double got, double want) { return got == want || fabs(got - want) <= 1e-6; }

static void check(const Document *d, int kind)
{
    Document made = reduction_document(arena, d, kinds[kind].made);
    ck_assert_int_eq(made.layers, kinds[kind].all ? 1 : d->layers);
    ck_assert_int_eq(made.heads, kinds[kind].each ? d->heads : 1);
    ck_assert(made.T == d->T && made.S == d->S && made.queries == d->queries && made.keys == d->keys);
    for (int turn = 0; turn < 2; turn++) // the second time from what is kept, and backwards
        for (int n = 0; n < made.layers * made.heads; n++) {
            int plane = turn ? made.layers * made.heads - 1 - n : n, l = plane / made.heads, h = plane % made.heads;
            for (int i = 0; i < d->T; i++)
                for (int j = 0; j < d->S; j++) {
                    double want = kinds[kind].definition(d, l, h, i, j);
                    double got = (double)field_at(document_maps(&made), l, h, i, j);
                    ck_assert_msg(near(got, want), "%s, layer %d head %d (%d, %d): %.9g, not %.9g",
                                  reduction_name(kinds[kind].made), l, h, i, j, got, want);
                    ck_assert_int_eq(document_hidden(&made, l, h, i, j), want == -(double)INFINITY);
                }
        }
}

TEST_EACH(reductions_match_their_definitions, KINDS)
{
    Random random = random_from((uint64_t)_i + 5);
    for (int causal = 0; causal <= 1; causal++)
        for (int size = 0; size < 3; size++) {
            Shape shape = { 3, 4, 5, 5, 4, 6, .causal = causal, .words = true };
            if (size == 1) shape.layers = shape.heads = 5; // more planes than are kept
            if (size == 2) shape.S = 7;
            Document d = document_random(arena, &random, shape);
            if (reduction_possible(&d, kinds[_i].made)) check(&d, _i);
            else ck_assert(kinds[_i].made == REDUCE_ROLLOUT && size == 2);
        }
}

// With a window no head sees two positions back, but rollout over two layers does.
TEST(rollout_reaches_beyond_a_window)
{
    Mat maps[2];
    for (int l = 0; l < 2; l++) maps[l] = mat_of(arena, 3, 3, (float[]){ 1, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f });
    Document d = document_of_maps(arena, 2, 1, maps);
    d.masked = MASK_CAUSAL;
    Document made = reduction_document(arena, &d, REDUCE_ROLLOUT);
    const Field *r = document_maps(&made);
    ck_assert_float_eq(field_at(r, 0, 0, 2, 0), 0);
    ck_assert_float_eq_tol(field_at(r, 1, 0, 2, 0), 0.0625f, 1e-7f);
    ck_assert(field_at(r, 1, 0, 0, 2) == -INFINITY && document_hidden(&made, 1, 0, 0, 2));
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int j = 0; j <= i; j++) sum += (double)field_at(r, l, 0, i, j);
            ck_assert_double_eq_tol(sum, 1, 1e-6);
        }
}

// The same with a mask: reached cells are visible, others hidden.
TEST(rollout_hides_cells_without_a_path)
{
    const float no = -INFINITY;
    Mat maps[2];
    for (int l = 0; l < 2; l++) maps[l] = mat_of(arena, 3, 3, (float[]){ 1, no, no, 0.5f, 0.5f, no, no, 0.5f, 0.5f });
    Document d = document_of_maps(arena, 2, 1, maps);
    d.masked = MASK_MAPS;
    Document made = reduction_document(arena, &d, REDUCE_ROLLOUT);
    ck_assert(document_hidden(&made, 0, 0, 2, 0) && !document_hidden(&made, 1, 0, 2, 0));
    ck_assert(document_hidden(&made, 1, 0, 0, 1) && document_hidden(&made, 1, 0, 1, 2));
    ck_assert_float_eq_tol(field_at(document_maps(&made), 1, 0, 2, 0), 0.0625f, 1e-7f);
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

static Files files;
static App *const app = &files.app;
static Error error;

static void open_model(const char *flag, const char *value)
{
    char *argv[] = { "viewer", (char *)(size_t)flag, (char *)(size_t)value, NULL };
    ViewerOptions options;
    int argc = flag ? 3 : 1;
    ck_assert_msg(viewer_options_read(&options, argc, argv, &error) == FLAGS_FINE, "%s", error.text);
    ck_assert_msg(files_open(&files, &options, argc, argv, &error), "%s", error.text);
}

static void key(Key k) { files_handle_event(&files, (Event){ EVENT_KEY, .key = k }); }

static void draw(void)
{
    Arena *scratch = arena_open();
    app_picture(app, scratch);
    arena_close(scratch);
}

// W cycles through the reductions and returns to the previous head; every view draws each.
TEST(w_cycles_through_reductions)
{
    open_model(NULL, NULL);
    int layer = app->state.shown.layer, head = app->state.shown.head;
    HeadCell pinned = app->state.selection.pinned;
    ck_assert(head > 0 && pinned.row >= 0);
    for (MapReduction made = REDUCE_MEAN; made < REDUCTIONS; made++) {
        key(KEY_REDUCTION);
        ck_assert_int_eq(app->state.shown.reduction, made);
        ck_assert(app->state.shown.document == &app->reduced &&
                  !strcmp(app->reduced.reduced_name, reduction_name(made)));
        ck_assert(strstr(app->reduced.shape, reduction_formula(made)) && app->state.selection.pinned.col == pinned.col);
        while (!files_work(&files, 0.1)) continue;
        for (int v = 0; v < VIEWS; v++) {
            draw();
            key(KEY_TAB);
        }
        app->state = state_with_view(app->state, VIEW_HEAD);
    }
    key(KEY_REDUCTION);
    ck_assert(app->state.shown.reduction == REDUCE_NONE && app->state.shown.document == &app->document);
    ck_assert(app->state.shown.layer == layer && app->state.shown.head == head);
    files_close(&files);
}

// Reductions follow the sentence and the ablation. A reduction of several heads cannot be ablated.
TEST(reductions_follow_sentence_and_ablation)
{
    open_model("--of", "rollout");
    ck_assert(app->state.shown.reduction == REDUCE_ROLLOUT && app->state.shown.document == &app->reduced);
    float before = field_at(document_maps(&app->reduced), app->reduced.layers - 1, 0, 9, 3);
    key(KEY_ABLATE);
    ck_assert_ptr_nonnull(strstr(app->state.message.error, "made of several heads"));
    key(KEY_TYPE);
    for (int n = 0; n < 6; n++) key(KEY_BACKSPACE);
    files_handle_event(&files, (Event){ EVENT_TEXT, .text = "wide" });
    key(KEY_ENTER);
    ck_assert(!app->state.message.error && app->state.shown.reduction == REDUCE_ROLLOUT &&
              app->state.shown.document == &app->reduced);
    ck_assert(app->reduced.queries == app->document.queries && app->reduced.T == app->document.T);
    Arena *fresh = arena_open();
    Document again = reduction_document(fresh, &app->document, REDUCE_ROLLOUT);
    for (int i = 0; i < again.T; i++)
        for (int j = 0; j < again.S; j++)
            ck_assert(field_at(document_maps(&app->reduced), again.layers - 1, 0, i, j) ==
                      field_at(document_maps(&again), again.layers - 1, 0, i, j));
    arena_close(fresh);
    while (app->state.shown.reduction) key(KEY_REDUCTION);
    app->state.shown.layer = 0;
    key(KEY_ABLATE);
    while (app->state.shown.reduction != REDUCE_ROLLOUT) key(KEY_REDUCTION);
    ck_assert(field_at(document_maps(&app->reduced), app->reduced.layers - 1, 0, 9, 3) != before);
    char *name = NULL;
    Arena *scratch = arena_open();
    name = arena_format(scratch, "%s", app_picture_name(app, scratch, PICTURE_PNG));
    ck_assert_msg(strstr(name, "rollout"), "%s", name);
    arena_close(scratch);
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
    char *argv[] = { "viewer", square, "--of", "rollout", NULL };
    ViewerOptions options;
    ck_assert(viewer_options_read(&options, 4, argv, &error) == FLAGS_FINE &&
              files_open(&files, &options, 4, argv, &error));
    ck_assert_int_eq(app->state.shown.reduction, REDUCE_ROLLOUT);
    ck_assert(npy_write_mat(square, rectangle, &error));
    ck_assert(files_poll(&files, 1) && app->state.shown.reduction == REDUCE_NONE &&
              app->state.shown.document == &app->document);
    files_close(&files);
    argv[1] = wide;
    ck_assert(!files_open(&files, &options, 4, argv, &error));
    ck_assert_msg(strstr(error.text, "--of rollout: that cannot be made of"), "%s", error.text);
    bench_close(&bench);
}

// Values that do not sum to 1 have a scale from 0 to their maximum, and no weight statistics.
TEST(unnormalized_values_are_not_weights)
{
    open_model("--of", "norm");
    while (!files_work(&files, 0.1)) continue;
    ck_assert(app->reduced.unnormalized && app->reduced.heads == app->document.heads);
    FileBytes svg;
    Arena *scratch = arena_open();
    ck_assert(app_save(app, &svg, NULL, scratch, PICTURE_SVG, &error));
    const char *words = (const char *)svg.at;
    ck_assert(strstr(words, ">value<") && strstr(words, ">weight × norm of the value<") && strstr(words, ">largest<"));
    ck_assert(!strstr(words, ">entropy<") && !strstr(words, ">sum of the row<"));
    ck_assert(strstr(words, "w(i, j) |v(j)|") && strstr(words, "linear, all heads"));
    key(KEY_REDUCTION);
    key(KEY_REDUCTION);
    ck_assert(app->state.shown.reduction == REDUCE_MEAN && !app->reduced.unnormalized);
    while (!files_work(&files, 0.1)) continue;
    ck_assert(app_save(app, &svg, NULL, scratch, PICTURE_SVG, &error));
    words = (const char *)svg.at;
    ck_assert(strstr(words, ">weight<") && strstr(words, ">entropy<") && strstr(words, "linear 0–1"));
    ck_assert_ptr_nonnull(strstr(words, "mean of the layer"));
    arena_close(scratch);
    files_close(&files);
}
