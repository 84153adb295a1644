// update, driven by scripts of events as the window sends them, and by ten thousand that nobody would send.
#include "viz/state.h"

#include "figure/shaping.h"
#include "support/maps.h"
#include "support/reference.h"
#include "viz/files.h"
#include "viz/draw.h"
#include "viz/layout.h"
#include "viz/update.h"
#include "viz/views.h"

#include <math.h>
#include <string.h>

#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("%s", #ok); \
    } while (0)

static Arena *arena;
static Document square, one, wide, bare, walk, tall, strip;
static State s;
static StateBuffers buffers;

static void setup(void)
{
    Random random = random_from(4);
    arena = arena_open();
    square = document_random(arena, &random, (Shape){ 3, 4, 12, 12, 8, 16, .causal = true, .words = true });
    one = document_random(arena, &random, (Shape){ 1, 1, 1, 1, 4, 4, .words = true });
    wide = document_random(arena, &random, (Shape){ 1, 5, 3, 7, 4, 9, .words = true });
    tall = document_random(arena, &random, (Shape){ 2, 2, 300, 300, 4, 6, .causal = true });
    strip = document_random(arena, &random, (Shape){ 1, 2, 2, 60, 4, 6, .words = false });
    Mat map = mat_of(arena, 2, 2, (float[]){ 0.25f, 0.75f, 0.5f, 0.5f });
    bare = document_of_maps(arena, 1, 1, &map);
    walk = document_walk(arena, &random, 12, 4);
    s = state_of(&buffers, &square, 1280, 800, 1);
}

static void teardown(void) { arena_close(arena); }

// ---- how a script is written

static void send(Event event) { s = state_update(s, event, NULL); }
static void key(Key k) { send((Event){ EVENT_KEY, .key = k }); }
static void shift(Key k) { send((Event){ EVENT_KEY, .key = k, .shift = true }); }
static void times(int n, Key k)
{
    while (n-- > 0) key(k);
}
static void text(const char *typed) { send(state_event_of_text(&s, typed, false)); }
static void mouse(EventKind kind, double x, double y) { send((Event){ kind, .x = x, .y = y }); }
static void click(double x, double y)
{
    mouse(EVENT_MOVE, x, y);
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_RELEASE, x, y);
}
static void tick(void) { send((Event){ .kind = EVENT_TICK }); }
static void wheel(double notches) { send((Event){ EVENT_WHEEL, .wheel = notches }); }

static State opened(const Document *d, ViewKind view)
{
    return state_with_view(state_of(&buffers, d, 1280, 800, 1), view);
}

static MapPlace map(int m)
{
    PageLayout layout = layout_of(&s);
    must(m < layout.map_count);
    return layout.maps[m];
}

// The middle of a cell of map m, in points of the window.
static void point_at(int m, int row, int col, double *x, double *y)
{
    MapPlace p = map(m);
    *x = (p.frame.x + (col + 0.5 - p.col) * p.cell_width) * s.camera.zoom;
    *y = (p.frame.y + (row + 0.5 - p.row) * p.cell_height) * s.camera.zoom;
}

static void click_cell(int row, int col)
{
    double x, y;
    point_at(0, row, col, &x, &y);
    click(x, y);
}

#define assert_cell(cell, r, c) \
    do { \
        ck_assert_int_eq((cell).row, r); \
        ck_assert_int_eq((cell).col, c); \
    } while (0)
#define assert_head(l, h) \
    do { \
        ck_assert_int_eq(s.shown.layer, l); \
        ck_assert_int_eq(s.shown.head, h); \
    } while (0)

static void views_of(const Document *d, ViewKind views[VIEWS], int *count)
{
    State at = state_of(&buffers, d, 1280, 800, 1);
    *count = 0;
    for (ViewKind v = VIEW_HEADS; v < VIEWS; v++)
        if (state_has_view(&at, v)) views[(*count)++] = v;
}

// ---- heads, layers, views

START_TEST(heads_and_layers_stop_at_the_ends)
{
    static const ViewKind views[] = { VIEW_HEADS, VIEW_HEAD, VIEW_LINES, VIEW_STAGES, VIEW_COMPARE };
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        s = opened(&square, views[v]);
        ck_assert_int_eq(s.shown.view, views[v]);
        key(KEY_LEFT);
        key(KEY_UP);
        assert_head(0, 0);
        key(KEY_RIGHT);
        key(KEY_DOWN);
        key(KEY_DOWN);
        assert_head(2, 1);
        times(9, KEY_RIGHT);
        times(9, KEY_DOWN);
        assert_head(2, 3);
        key(KEY_LEFT);
        key(KEY_UP);
        assert_head(1, 2);
        key(KEY_END);
        assert_head(2, 3);
        key(KEY_HOME);
        assert_head(0, 0);
    }
}
END_TEST

// 6 layers of 12 heads: nothing stays empty while the pictures are small, and a click finds the head that is drawn.
START_TEST(thumbnails_fill_their_place)
{
    static const struct {
        ViewKind view;
        double width, height, least;
    } cases[] = {
        { VIEW_HEAD, 1280, 800, 32 },
        { VIEW_HEADS, 1280, 800, 72 },
        { VIEW_HEADS, 800, 600, 40 },
        { VIEW_HEAD, 1600, 1200, 40 },
    };
    Random random = random_from(31);
    Document many = document_random(arena, &random, (Shape){ 6, 12, 8, 8, 4, 8, .words = true });
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        s = state_with_view(state_of(&buffers, &many, cases[c].width, cases[c].height, 1), cases[c].view);
        PageLayout layout = layout_of(&s);
        const ThumbLayout *t = &layout.thumbs;
        ck_assert_msg(t->wide >= cases[c].least, "case %d: %g wide", (int)c, t->wide);
        ck_assert(t->tall <= t->frame.height + 0.5 && t->tall >= 0.7 * t->frame.height);
        for (int place = 0; place < 72; place++) {
            CanvasRect at = layout_thumb(&layout, &s, place);
            ck_assert(at.x >= t->frame.x && at.x + at.width <= t->frame.x + t->frame.width + 0.5);
            ck_assert_int_eq(layout_hit(&layout, &s, NULL, at.x + 2, at.y + 2).head, place);
            if (t->above == 0 || place % 12) continue;
            double name = layout_layer_name(&layout, &s, place / 12); // over its row, under the row before
            ck_assert(name <= at.y - 4 && name - 9 >= t->frame.y);
            if (place) ck_assert(name - 9 >= layout_thumb(&layout, &s, place - 1).y + t->high);
        }
        if (cases[c].view == VIEW_HEAD) ck_assert(t->above > 0);
        if (cases[c].least == 72) ck_assert(t->edges && !t->names);
    }
    many.groups = 4; // what is more than a number needs its name
    s = state_with_view(state_of(&buffers, &many, 1280, 800, 1), VIEW_HEADS);
    ck_assert(layout_of(&s).thumbs.names && !layout_of(&s).thumbs.edges);
}
END_TEST

START_TEST(reset_brings_back_the_usual_scale)
{
    s = opened(&square, VIEW_HEAD);
    key(KEY_SCALE);
    key(KEY_RESET);
    ck_assert_int_eq(s.shown.scale, SCALE_LINEAR);
    s.shown.usual_scale = SCALE_LOG;
    key(KEY_RESET);
    ck_assert_int_eq(s.shown.scale, SCALE_LOG);
}
END_TEST

START_TEST(tab_walks_the_views_that_there_are)
{
    static const struct {
        Document *of;
        ViewKind views[VIEWS];
        int count;
    } all[] = {
        { &square, { VIEW_HEADS, VIEW_HEAD, VIEW_LINES, VIEW_STAGES, VIEW_COMPARE }, 5 },
        { &one, { VIEW_HEAD, VIEW_LINES, VIEW_STAGES }, 3 },
        { &bare, { VIEW_HEAD, VIEW_LINES }, 2 },
        { &walk, { VIEW_HEADS, VIEW_HEAD, VIEW_LINES, VIEW_COMPARE, VIEW_TILES }, 5 },
    };
    for (size_t d = 0; d < sizeof all / sizeof *all; d++) {
        s = opened(all[d].of, all[d].views[0]);
        for (int v = 1; v <= 2 * all[d].count; v++) {
            key(KEY_TAB);
            ck_assert_int_eq(s.shown.view, all[d].views[v % all[d].count]);
        }
        for (int v = 2 * all[d].count; v-- > 0;) {
            shift(KEY_TAB);
            ck_assert_int_eq(s.shown.view, all[d].views[v % all[d].count]);
        }
    }
}
END_TEST

START_TEST(tabs_are_clicked)
{
    PageLayout layout = layout_of(&s);
    for (ViewKind v = VIEW_HEADS; v < VIEWS; v++) {
        CanvasRect tab = layout.tabs[v];
        ck_assert_int_eq(tab.width > 0, v != VIEW_TILES);
        if (!(tab.width > 0)) continue;
        click(tab.x + tab.width / 2, tab.y + tab.height / 2);
        ck_assert_int_eq(s.shown.view, v);
        ck_assert(s.selection.pinned.row < 0 && !s.mouse.dragging);
    }
}
END_TEST

START_TEST(a_head_is_opened)
{
    s = opened(&square, VIEW_HEADS);
    key(KEY_RIGHT);
    key(KEY_ENTER);
    ck_assert_int_eq(s.shown.view, VIEW_HEAD);
    assert_head(0, 1);
    ck_assert_int_lt(s.selection.pinned.row, 0);
    key(KEY_ENTER); // in the map it pins, from the keyboard too
    assert_cell(s.selection.pinned, 0, 0);

    s = opened(&square, VIEW_HEADS);
    PageLayout layout = layout_of(&s);
    CanvasRect at = layout_thumb(&layout, &s, 6);
    click(at.x + 3, at.y + 3);
    assert_head(1, 2);
    ck_assert_int_eq(s.shown.view, VIEW_HEADS);
    mouse(EVENT_DOUBLE, at.x + 3, at.y + 3);
    ck_assert_int_eq(s.shown.view, VIEW_HEAD);
    assert_head(1, 2);
    layout = layout_of(&s); // and in the strip of thumbnails beside the map
    at = layout_thumb(&layout, &s, 9);
    click(at.x + 3, at.y + 3);
    assert_head(2, 1);
    ck_assert_int_eq(s.shown.view, VIEW_HEAD);
}
END_TEST

// Help, message, pin, zoom, view, out: nothing is skipped, and no step is spent on what is not seen.
START_TEST(esc_goes_back_a_step_at_a_time)
{
    double x, y;
    s = opened(&square, VIEW_LINES);
    key(KEY_TAB);
    key(KEY_STAGE_BEFORE);
    ck_assert_int_eq(s.shown.view, VIEW_STAGES);
    point_at(0, 5, 5, &x, &y);
    mouse(EVENT_MOVE, x, y);
    wheel(3);
    click(x, y);
    key(KEY_HELP);
    send((Event){ EVENT_ERROR, .text = "wrong" });
    ck_assert(s.display.help && s.message.error && s.selection.pinned.row >= 0 && s.camera.cell_size > 0);
    key(KEY_BACK);
    ck_assert(!s.display.help && s.message.error && s.selection.pinned.row >= 0 && s.camera.cell_size > 0);
    key(KEY_BACK);
    ck_assert(!s.message.error && s.selection.pinned.row >= 0 && s.camera.cell_size > 0);
    key(KEY_BACK);
    ck_assert(s.selection.pinned.row < 0 && s.camera.cell_size > 0);
    key(KEY_BACK);
    ck_assert(s.camera.cell_size == 0 && s.shown.view == VIEW_STAGES);
    key(KEY_BACK);
    ck_assert(s.shown.view == VIEW_HEADS && !s.quit && !s.message.status);
    key(KEY_BACK);
    ck_assert_str_eq(s.message.status, "Q or Ctrl+Q quits.");
    key(KEY_BACK);
    ck_assert(!s.quit);
    key(KEY_QUIT);
    ck_assert(s.quit);

    static const struct {
        Document *of;
        ViewKind home;
    } homes[] = { { &one, VIEW_HEAD }, { &bare, VIEW_HEAD }, { &wide, VIEW_HEADS } };
    for (size_t d = 0; d < sizeof homes / sizeof *homes; d++) {
        ViewKind views[VIEWS];
        int count;
        views_of(homes[d].of, views, &count);
        for (int v = 0; v < count; v++) {
            s = opened(homes[d].of, views[v]);
            if (views[v] != homes[d].home) {
                key(KEY_BACK);
                ck_assert(s.shown.view == homes[d].home && !s.quit);
            }
            key(KEY_BACK);
            ck_assert(!s.quit && s.message.status);
        }
    }
}
END_TEST

START_TEST(a_pin_that_is_not_seen_costs_no_step)
{
    s = opened(&walk, VIEW_HEAD);
    shift(KEY_DOWN);
    ck_assert_int_ge(s.selection.pinned.row, 0);
    key(KEY_PLAY);
    ck_assert_int_eq(s.shown.view, VIEW_TILES);
    shift(KEY_RIGHT);
    key(KEY_ENTER); // nothing is pinned there
    assert_cell(s.selection.pinned, 0, 0);
    key(KEY_BACK);
    ck_assert_int_eq(s.shown.view, VIEW_HEADS);
    ck_assert(!s.shown.playing && !s.message.status);
    key(KEY_BACK);
    ck_assert(s.message.status && !s.quit);
}
END_TEST

// ---- how it is looked at

START_TEST(keys_that_go_round)
{
    ViewKind views[VIEWS];
    int count;
    views_of(&square, views, &count);
    for (int v = 0; v < count; v++) {
        s = opened(&square, views[v]);
        for (int k = 1; k <= SCALES; k++) {
            text("s");
            ck_assert_int_eq(s.shown.scale, k % SCALES);
        }
        for (int k = 1; k <= 3; k++) {
            text("c");
            ck_assert_int_eq(s.shown.colors, k % 3);
        }
        static const int hidden[] = { 1, 2, 4, 8, 0, 1 };
        for (int k = 0; k < 6; k++) {
            text("h");
            ck_assert_int_eq(s.shown.hide_keys, hidden[k]);
        }
        for (int k = 0; k < SUMMARY_STATS; k++) {
            text("o");
            ck_assert_int_eq(s.shown.sort, k);
        }
        text("o");
        ck_assert_int_eq(s.shown.sort, SORT_ROLE);
        text("o");
        ck_assert_int_eq(s.shown.sort, SORT_NONE);
        text("m");
        ck_assert(s.shown.use_largest);
        text("m");
        ck_assert(!s.shown.use_largest);
        text("?");
        ck_assert(s.display.help);
        text("?");
        ck_assert(!s.display.help && s.shown.view == views[v]);
        text("?");
        text("c"); // no key acts behind the list
        ck_assert(!s.display.help && s.shown.colors == 1);
        text("C");
        ck_assert(s.shown.colors == 2);
        text("c");
        text("e");
        ck_assert_int_eq(s.command, COMMAND_SAVE_PNG);
        text("E");
        ck_assert_int_eq(s.command, COMMAND_SAVE_SVG);
        key(KEY_FULL_SCREEN);
        ck_assert_int_eq(s.command, COMMAND_FULL_SCREEN);
    }
}
END_TEST

START_TEST(the_window_zooms_between_its_ends)
{
    key(KEY_ZOOM_IN);
    ck_assert_double_eq_tol(s.camera.zoom, 1.1, 1e-12);
    times(40, KEY_ZOOM_IN);
    ck_assert(s.camera.zoom == 3);
    times(60, KEY_ZOOM_OUT);
    ck_assert(s.camera.zoom == 0.5);
    key(KEY_ZOOM_NONE);
    ck_assert(s.camera.zoom == 1);
}
END_TEST

START_TEST(stages_are_scrubbed)
{
    static const Stage down[] = { STAGE_MASKED, STAGE_SCALED, STAGE_DOTS, STAGE_DOTS };
    static const Stage up[] = { STAGE_SCALED, STAGE_MASKED, STAGE_WEIGHTS, STAGE_MIXED, STAGE_OUT, STAGE_OUT };
    text("]"); // the first one only turns to the view
    ck_assert(s.shown.view == VIEW_STAGES && s.shown.stage == STAGE_WEIGHTS);
    for (int k = 0; k < 4; k++) {
        text("[");
        ck_assert_int_eq(s.shown.stage, down[k]);
    }
    for (int k = 0; k < 6; k++) {
        text("]");
        ck_assert_int_eq(s.shown.stage, up[k]);
    }
    PageLayout layout = layout_of(&s);
    for (Stage k = STAGE_DOTS; k < STAGES; k++) {
        click(layout.steps[k].x + 4, layout.steps[k].y + 4);
        ck_assert_int_eq(s.shown.stage, k);
    }
    s = state_of(&buffers, &bare, 1280, 800, 1); // no scores, no view
    text("]");
    ck_assert(s.shown.view == VIEW_HEAD && s.shown.stage == STAGE_WEIGHTS);
}
END_TEST

// Columns of v and of the output are no keys: nothing is pointed at there, and nothing pinned.
START_TEST(values_are_no_cells)
{
    s = opened(&wide, VIEW_STAGES);
    for (; s.shown.stage < STAGE_OUT; text("]")) continue;
    MapPlace p = map(0);
    ck_assert_int_eq(p.rows, 3);
    click(p.frame.x + p.frame.width - 2, p.frame.y + 2);
    ck_assert(s.selection.hover.row < 0 && s.selection.pinned.row < 0);
    shift(KEY_RIGHT);
    key(KEY_ENTER);
    ck_assert_int_lt(s.selection.pinned.row, 0);
}
END_TEST

START_TEST(reset_keeps_what_is_not_a_look)
{
    key(KEY_RIGHT);
    key(KEY_ZOOM_IN);
    text("s");
    text("c");
    text("h");
    text("o");
    text("m");
    shift(KEY_DOWN);
    s.shown.ablated[5] = 1;
    double x, y;
    point_at(0, 6, 6, &x, &y);
    mouse(EVENT_MOVE, x, y);
    wheel(4);
    text("r");
    ck_assert(s.shown.scale == SCALE_LINEAR && s.shown.colors == 0 && !s.shown.hide_keys && s.shown.sort == SORT_NONE &&
              !s.shown.use_largest);
    ck_assert(s.camera.cell_size == 0 && s.camera.row == 0 && s.camera.col == 0 && s.selection.pinned.row < 0);
    assert_head(0, 1);
    ck_assert(s.shown.view == VIEW_HEAD && s.shown.ablated[5] == 1 && s.camera.zoom > 1 && s.mouse.x == x &&
              s.mouse.y == y);
    ck_assert_int_ge(s.selection.hover.row, 0); // the mouse is where it was
}
END_TEST

// ---- compare, ablate, tiles

START_TEST(two_heads_are_compared)
{
    text("d");
    ck_assert(s.shown.view == VIEW_COMPARE && s.shown.other_layer == 0 && s.shown.other_head == 1);
    shift(KEY_RIGHT);
    shift(KEY_DOWN);
    ck_assert(s.shown.other_layer == 1 && s.shown.other_head == 2);
    assert_head(0, 0);
    for (int k = 0; k < 9; k++) {
        shift(KEY_RIGHT);
        shift(KEY_DOWN);
    }
    ck_assert(s.shown.other_layer == 2 && s.shown.other_head == 3);
    for (int k = 0; k < 9; k++) {
        shift(KEY_LEFT);
        shift(KEY_UP);
    }
    ck_assert(s.shown.other_layer == 0 && s.shown.other_head == 0); // the same head, since it was asked for
    text("d");
    ck_assert_int_eq(s.shown.view, VIEW_HEAD);
    text("d");
    ck_assert(s.shown.other_head == 1);
    DerivedWanted wanted = state_wanted(&s);
    ck_assert(wanted.head[0] == 0 && wanted.head[1] == 1 && wanted.all);

    Mat maps[2] = { mat_new(arena, 2, 2), mat_new(arena, 2, 2) };
    Document layers = document_of_maps(arena, 2, 1, maps);
    s = state_of(&buffers, &layers, 1280, 800, 1);
    text("d"); // one head a layer
    ck_assert(s.shown.view == VIEW_COMPARE && s.shown.other_layer == 1 && s.shown.other_head == 0);

    s = state_of(&buffers, &one, 1280, 800, 1);
    text("d"); // there is but one
    ck_assert_int_eq(s.shown.view, VIEW_HEAD);
    s.shown.other_document = &wide; // a second file
    text("d");
    ck_assert_int_eq(s.shown.view, VIEW_COMPARE);
    for (int k = 0; k < 9; k++) {
        shift(KEY_RIGHT);
        shift(KEY_DOWN);
    }
    ck_assert(s.shown.other_layer == 0 && s.shown.other_head == 4);
}
END_TEST

START_TEST(heads_of_a_file_cannot_be_switched_off)
{
    text("a");
    ck_assert_ptr_nonnull(s.message.error);
    ck_assert_ptr_nonnull(strstr(s.message.error, "where a model is loaded"));
    for (int h = 0; h < MAPS_MOST; h++) must(!s.shown.ablated[h]);
    text("/");
    ck_assert_ptr_nonnull(strstr(s.message.error, "where a model is loaded"));
    ck_assert_int_eq(s.editing.typing, TYPING_NOTHING);
    key(KEY_RIGHT);
    ck_assert_ptr_null(s.message.error);
}
END_TEST

START_TEST(tiles_are_played_to_the_end)
{
    s = state_of(&buffers, &walk, 1280, 800, 1);
    ck_assert_int_eq(s.shown.view, VIEW_TILES);
    key(KEY_LEFT);
    ck_assert_int_eq(s.shown.frame, 0);
    key(KEY_RIGHT);
    key(KEY_DOWN);
    key(KEY_RIGHT);
    ck_assert_int_eq(s.shown.frame, 2);
    key(KEY_UP);
    key(KEY_LEFT);
    key(KEY_END);
    ck_assert_int_eq(s.shown.frame, 2);
    tick(); // not played: a tick is nothing
    key(KEY_HOME);
    tick();
    ck_assert_int_eq(s.shown.frame, 0);
    text(" ");
    ck_assert(s.shown.playing && s.shown.frame == 0);
    tick();
    ck_assert(s.shown.playing && s.shown.frame == 1);
    text(" ");
    tick();
    ck_assert(!s.shown.playing && s.shown.frame == 1);
    text(" ");
    tick();
    ck_assert(!s.shown.playing && s.shown.frame == 2); // the last one
    text(" ");
    ck_assert(s.shown.playing && s.shown.frame == 0); // from the beginning
    key(KEY_TAB);
    ck_assert(!s.shown.playing);
    s = state_of(&buffers, &square, 1280, 800, 1);
    text(" ");
    ck_assert(!s.shown.playing && s.shown.view == VIEW_HEAD);
}
END_TEST

// ---- lines of several heads

static CanvasRect swatch(int band, int head)
{
    PageLayout layout = layout_of(&s);
    must(band < layout.band_count && head < layout.bands[band].shown);
    return layout_swatch(&layout.bands[band], head);
}

static int unlit(void)
{
    int count = 0;
    for (int h = 0; h < MAPS_MOST; h++) count += s.shown.hidden_heads[h];
    return count;
}

START_TEST(lines_are_of_one_head_or_of_more)
{
    s = opened(&square, VIEW_HEAD);
    text("l");
    ck_assert(s.shown.view == VIEW_LINES && s.shown.lines == LINES_HEAD);
    ck_assert_int_eq(layout_of(&s).band_count, 1);
    ck_assert(!(layout_of(&s).bands[0].swatches.width > 0));
    text("L");
    ck_assert(s.shown.lines == LINES_LAYER && layout_of(&s).bands[0].shown == 4);
    text("l");
    ck_assert_int_eq(s.shown.lines, LINES_LAYERS);
    PageLayout layout = layout_of(&s);
    ck_assert_int_eq(layout.band_count, 3);
    for (int b = 0; b < 3; b++) ck_assert_int_eq(layout.bands[b].layer, 2 - b); // the last one asks first
    ck_assert(layout.bands[1].curves.x > layout.bands[0].curves.x + layout.bands[0].curves.width);
    ck_assert_int_eq(layout.column_count, 4); // words, dots, dots, words
    ck_assert(layout.columns[0].most > 0 && layout.columns[1].most == 0 && layout.columns[3].most > 0);
    text("l");
    ck_assert_int_eq(s.shown.lines, LINES_HEAD);
    s = opened(&wide, VIEW_LINES); // one layer
    text("l");
    text("l");
    ck_assert_int_eq(s.shown.lines, LINES_HEAD);
    s = opened(&bare, VIEW_LINES); // one head
    text("l");
    ck_assert_int_eq(s.shown.lines, LINES_HEAD);
}
END_TEST

START_TEST(heads_are_drawn_or_not)
{
    s = opened(&square, VIEW_LINES);
    text("t");
    ck_assert(s.message.error && strstr(s.message.error, "Lines of several heads") && unlit() == 0);
    s.shown.layer = 1;
    s.shown.head = 2;
    s.shown.lines = LINES_LAYER;
    text("t");
    ck_assert(s.shown.hidden_heads[6] && unlit() == 1 && !s.message.error);
    text("t");
    ck_assert_int_eq(unlit(), 0);
    text("T"); // alone in its layer
    ck_assert(!s.shown.hidden_heads[6] && s.shown.hidden_heads[4] && s.shown.hidden_heads[5] &&
              s.shown.hidden_heads[7] && unlit() == 3);
    text("T");
    ck_assert_int_eq(unlit(), 0);
    s.shown.lines = LINES_LAYERS;
    text("T"); // alone in all layers
    ck_assert(!s.shown.hidden_heads[6] && unlit() == 11);
    text("r");
    ck_assert(unlit() == 0 && s.shown.lines == LINES_HEAD);
}
END_TEST

START_TEST(swatches_are_clicked)
{
    s = opened(&square, VIEW_LINES);
    s.shown.lines = LINES_LAYERS;
    CanvasRect at = swatch(1, 3);
    click(at.x + 4, at.y + 4);
    ck_assert(s.shown.hidden_heads[4 + 3] && unlit() == 1 && !s.mouse.dragging &&
              s.selection.pinned.row < 0); // the middle band is layer 1
    click(at.x + 4, at.y + 4);
    ck_assert_int_eq(unlit(), 0);
    at = swatch(0, 1);
    for (int twice = 0; twice < 2; twice++) {
        click(at.x + 4, at.y + 4);
        mouse(EVENT_DOUBLE, at.x + 4, at.y + 4);
        mouse(EVENT_RELEASE, at.x + 4, at.y + 4);
        ck_assert_int_eq(unlit(), twice ? 0 : 11);
        ck_assert(!s.shown.hidden_heads[8 + 1]);
    }
    s.shown.lines = LINES_LAYER;
    s.shown.layer = 1;
    at = swatch(0, 2);
    click(at.x + at.width + 8, at.y + 4); // on its number
    ck_assert(s.shown.hidden_heads[4 + 2] && unlit() == 1);
    PageLayout layout = layout_of(&s);
    ck_assert(layout_hit(&layout, &s, NULL, at.x - 200, at.y).kind != HIT_SWATCH);
}
END_TEST

// The word of a band, left: of its queries.
static void point_word(int band, bool key_side, int word)
{
    PageLayout layout = layout_of(&s);
    CanvasRect at = layout.bands[band].curves;
    double x = key_side ? at.x + 0.9 * at.width : at.x + 0.1 * at.width;
    mouse(EVENT_MOVE, x, layout.lines.y + (word - layout.line_first + 0.5) * layout.line_step);
}

START_TEST(a_word_asks_on_the_left_and_is_asked_on_the_right)
{
    s = opened(&wide, VIEW_LINES); // 3 queries, 7 keys
    point_word(0, false, 2);
    assert_cell(s.selection.hover, 2, 2);
    ck_assert(!s.selection.hover_by_key && !state_by_key(&s));
    point_word(0, false, 5); // there is no such query
    ck_assert_int_eq(s.selection.hover.row, -1);
    point_word(0, true, 5);
    assert_cell(s.selection.hover, 2, 5);
    ck_assert(s.selection.hover_by_key && state_by_key(&s));
    mouse(EVENT_PRESS, s.mouse.x, s.mouse.y);
    mouse(EVENT_RELEASE, s.mouse.x, s.mouse.y);
    ck_assert(s.selection.pinned.col == 5 && s.selection.pinned_by_key);
    point_word(0, false, 2);
    ck_assert(state_by_key(&s)); // what is pinned counts
    mouse(EVENT_PRESS, s.mouse.x, s.mouse.y);
    mouse(EVENT_RELEASE, s.mouse.x, s.mouse.y);
    assert_cell(s.selection.pinned, 2, 2);
    ck_assert(!s.selection.pinned_by_key);
    point_word(0, true, 2); // the same cell from the other side is another pin
    mouse(EVENT_PRESS, s.mouse.x, s.mouse.y);
    mouse(EVENT_RELEASE, s.mouse.x, s.mouse.y);
    assert_cell(s.selection.pinned, 2, 2);
    ck_assert(s.selection.pinned_by_key);
    mouse(EVENT_PRESS, s.mouse.x, s.mouse.y);
    mouse(EVENT_RELEASE, s.mouse.x, s.mouse.y);
    ck_assert_int_eq(s.selection.pinned.row, -1);
}
END_TEST

START_TEST(who_attends_by_keyboard)
{
    s = opened(&square, VIEW_HEAD);
    s.selection.pinned = (HeadCell){ 5, 2 };
    text("k");
    ck_assert(s.shown.view == VIEW_LINES && s.selection.pinned_by_key);
    assert_cell(s.selection.pinned, 5, 2);
    text("K");
    ck_assert(!s.selection.pinned_by_key);
    text("k");
    shift(KEY_RIGHT);
    ck_assert(s.selection.pinned_by_key);
    assert_cell(s.selection.pinned, 5, 3);
    s = opened(&square, VIEW_LINES);
    text("k");
    assert_cell(s.selection.pinned, 0, 0);
    ck_assert(s.selection.pinned_by_key);
}
END_TEST

START_TEST(two_sentences_have_parts)
{
    static const unsigned char parts[12] = { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };
    s = opened(&square, VIEW_LINES);
    text("g");
    ck_assert(s.shown.pair == PAIR_ALL && s.message.error && strstr(s.message.error, "one sentence"));
    square.query_sentence = square.key_sentence = parts;
    s = opened(&square, VIEW_HEAD);
    for (int n = 1; n <= PAIRS; n++) {
        text("g");
        ck_assert(s.shown.view == VIEW_HEAD && s.shown.pair == (SentencePair)(n % PAIRS));
    }
    s = state_with_view(s, VIEW_HEADS);
    for (int n = 0; n < PAIRS; n++) text("g");
    ck_assert(s.shown.view == VIEW_LINES && s.shown.pair == PAIR_ALL);
    text("g");
    text("g");
    ck_assert_str_eq(pair_name(s.shown.pair), "A → B");
    send((Event){ EVENT_DOCUMENT, .document = &wide });
    ck_assert_int_eq(s.shown.pair, PAIR_ALL);
}
END_TEST

// As many bands as there is room for, around the layer at hand.
START_TEST(many_layers_are_shown_in_part)
{
    enum { LAYERS = 60 };
    Mat maps[LAYERS];
    for (int l = 0; l < LAYERS; l++) maps[l] = mat_new(arena, 3, 3);
    Document deep = document_of_maps(arena, LAYERS, 1, maps);
    static const int at[] = { 0, 1, 30, 58, 59 };
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        for (double width = 300; width <= 2600; width += 460) {
            s = state_with_view(state_of(&buffers, &deep, width, 700, 1), VIEW_LINES);
            s.shown.lines = LINES_LAYERS;
            s.shown.layer = at[k];
            PageLayout layout = layout_of(&s);
            int n = layout.band_count, top = layout.bands[0].layer, low = layout.bands[n - 1].layer;
            ck_assert(n >= 1 && n <= BANDS_MOST && top - low == n - 1);
            ck_assert(low >= 0 && top < LAYERS && low <= at[k] && at[k] <= top);
            ck_assert(n > 5 || width < 500);
            CanvasRect last = layout.bands[n - 1].curves;
            ck_assert(last.x + last.width < width);
        }
}
END_TEST

// ---- two files, word by word

START_TEST(places_of_two_files)
{
    static const char *const ours[] = { "a", "b", "c" }, *const theirs[] = { "a", "x", "c" };
    Mat empty = mat_new(arena, 3, 3);
    Document first = document_of_maps(arena, 1, 1, &empty), second = first;
    first.queries = first.keys = ours;
    second.queries = second.keys = theirs;
    s = state_of(&buffers, &first, 1280, 800, 1);
    s.shown.other_document = &second;
    s.shown.aligned = align_documents(arena, &first, &second);
    s = state_with_view(s, VIEW_COMPARE);
    double x, y;
    ck_assert(map(0).rows == 4 && map(2).cols == 4);
    point_at(1, 3, 3, &x, &y); // c, which both have
    mouse(EVENT_MOVE, x, y);
    assert_cell(s.selection.hover, 2, 2);
    assert_cell(s.selection.hover_aligned, 3, 3);
    point_at(1, 3, 2, &x, &y); // c to x: it has the query alone
    mouse(EVENT_MOVE, x, y);
    assert_cell(s.selection.hover, -1, -1);
    assert_cell(s.selection.hover_aligned, 3, 2);
    point_at(1, 2, 0, &x, &y); // x, which the first has not
    mouse(EVENT_MOVE, x, y);
    assert_cell(s.selection.hover, -1, -1);
    assert_cell(state_aligned_cell(&s), 2, 0);
    click(x, y);
    assert_cell(s.selection.pinned, -1, -1);
    assert_cell(s.selection.pinned_aligned, 2, 0);
    mouse(EVENT_LEAVE, 0, 0);
    assert_cell(state_aligned_cell(&s), 2, 0);
    key(KEY_BACK);
    ck_assert(s.selection.pinned_aligned.row == -1 && state_aligned_cell(&s).row == -1 && s.shown.view == VIEW_COMPARE);
    point_at(0, 3, 0, &x, &y);
    click(x, y);
    assert_cell(s.selection.pinned, 2, 0);
    assert_cell(state_aligned_cell(&s), 3, 0);
    click(x, y);
    ck_assert(s.selection.pinned.row == -1 && s.selection.pinned_aligned.row == -1);
    mouse(EVENT_LEAVE, 0, 0);
    key(KEY_ENTER);
    assert_cell(s.selection.pinned, 0, 0);
    point_at(1, 2, 2, &x, &y);
    click(x, y);
    assert_cell(s.selection.pinned_aligned, 2, 2);
    text("d");
    ck_assert(s.selection.pinned_aligned.row == -1 && s.shown.view == VIEW_HEAD); // there is no such cell
    s.shown.aligned = NULL; // without it the same numbers belong together
    text("d");
    point_at(2, 1, 2, &x, &y);
    mouse(EVENT_MOVE, x, y);
    assert_cell(s.selection.hover, 1, 2);
}
END_TEST

START_TEST(a_sentence_is_held_only_where_there_is_one)
{
    text("b");
    ck_assert(!s.shown.held && strstr(s.message.error, "where a model is loaded"));
    square.live = true;
    s.shown.other_document = &wide;
    text("b");
    ck_assert(!s.shown.held && strstr(s.message.error, "second file"));
    s.shown.other_document = NULL;
    text("b");
    ck_assert(s.shown.held && !s.message.error);
    text("b");
    ck_assert(!s.shown.held);
    text("v");
    ck_assert(strstr(s.message.error, "one kind"));
}
END_TEST

// ---- the mouse on a map

static const struct {
    Document *of;
    ViewKind view;
    int m;
    double width, height, pixels, zoom;
} places[] = {
    { &square, VIEW_HEAD, 0, 1280, 800, 1, 1 },      { &square, VIEW_HEAD, 0, 1280, 800, 2, 1.5 },
    { &square, VIEW_STAGES, 0, 900, 700, 1, 1 },     { &square, VIEW_COMPARE, 0, 1280, 800, 1, 1 },
    { &square, VIEW_COMPARE, 2, 1600, 900, 1, 0.8 }, { &one, VIEW_HEAD, 0, 1280, 800, 1, 1 },
    { &wide, VIEW_HEAD, 0, 1280, 800, 1, 1 },        { &wide, VIEW_COMPARE, 1, 1280, 800, 1, 1 },
    { &tall, VIEW_HEAD, 0, 1280, 800, 1, 1 },        { &strip, VIEW_HEAD, 0, 1280, 800, 1, 1 },
    { &strip, VIEW_COMPARE, 2, 1280, 800, 1, 1.2 },  { &tall, VIEW_HEAD, 0, 700, 300, 1, 1 },
    { &tall, VIEW_COMPARE, 1, 1280, 800, 2, 1 },     { &tall, VIEW_HEAD, 0, 1280, 800, 1, 2.5 },
};
enum { PLACES = sizeof places / sizeof *places };

static void open_place(int p)
{
    s = state_with_view(state_of(&buffers, places[p].of, places[p].width, places[p].height, places[p].pixels),
                        places[p].view);
    s.camera.zoom = places[p].zoom;
    ck_assert_int_eq(s.shown.view, places[p].view);
}

START_TEST(hover_gives_the_cells_at_the_corners)
{
    open_place(_i);
    MapPlace p = map(places[_i].m);
    double z = s.camera.zoom, in = 0.01, left = p.frame.x, top = p.frame.y, right = left + p.frame.width,
           low = top + p.frame.height;
    mouse(EVENT_MOVE, (left + in) * z, (top + in) * z);
    assert_cell(s.selection.hover, 0, 0);
    mouse(EVENT_MOVE, (right - in) * z, (top + in) * z);
    assert_cell(s.selection.hover, 0, p.cols - 1);
    mouse(EVENT_MOVE, (left + in) * z, (low - in) * z);
    assert_cell(s.selection.hover, p.rows - 1, 0);
    mouse(EVENT_MOVE, (right - in) * z, (low - in) * z);
    assert_cell(s.selection.hover, p.rows - 1, p.cols - 1);
    const double outside[][2] = {
        { left - 1, top + in }, { left + in, top - 1 }, { right + 1, low - in }, { right - in, low + 1 }
    };
    for (int k = 0; k < 4; k++) {
        mouse(EVENT_MOVE, outside[k][0] * z, outside[k][1] * z);
        ck_assert_int_lt(s.selection.hover.row, 0);
    }
    double x, y;
    for (int row = 0; row < p.rows; row += 1 + p.rows / 20)
        for (int col = 0; col < p.cols; col += 1 + p.cols / 20) {
            point_at(places[_i].m, row, col, &x, &y);
            mouse(EVENT_MOVE, x, y);
            must(s.selection.hover.row == row && s.selection.hover.col == col);
        }
    mouse(EVENT_LEAVE, 0, 0);
    ck_assert_int_lt(s.selection.hover.row, 0);
}
END_TEST

// Where on the map the mouse stands, in cells.
static void under_mouse(const MapPlace *p, double *row, double *col)
{
    *row = p->row + (s.mouse.y / s.camera.zoom - p->frame.y) / p->cell_height;
    *col = p->col + (s.mouse.x / s.camera.zoom - p->frame.x) / p->cell_width;
}

// Stays where it was, unless the map has come to an edge of its frame.
static void check_kept(double before, double after, double first, double seen, int all)
{
    bool at_edge = first <= 0 || first >= all - seen - 1e-9;
    if (!at_edge && fabs(before - after) > 1e-9) ck_abort_msg("%.12g became %.12g", before, after);
}

START_TEST(the_wheel_keeps_the_cell_under_the_mouse)
{
    Random random = random_from((uint64_t)_i);
    int m = places[_i].m, kept = 0;
    for (int round = 0; round < 60; round++) {
        open_place(_i);
        MapPlace p = map(m);
        double u = (double)random_uniform(&random), v = (double)random_uniform(&random), row, col, row_after, col_after;
        mouse(EVENT_MOVE, (p.frame.x + u * p.frame.width) * s.camera.zoom,
              (p.frame.y + v * p.frame.height) * s.camera.zoom);
        for (int step = 0; step < 30; step++) {
            p = map(m);
            if (!layout_holds(p.frame, s.mouse.x / s.camera.zoom, s.mouse.y / s.camera.zoom)) break;
            under_mouse(&p, &row, &col);
            wheel(step < 20 ? random_below(&random, 3) : -random_below(&random, 4));
            p = map(m);
            under_mouse(&p, &row_after, &col_after);
            if (p.cell_width <= layout_of(&s).room.fit) continue;
            check_kept(row, row_after, p.row, p.frame.height / p.cell_height, p.rows);
            check_kept(col, col_after, p.col, p.frame.width / p.cell_width, p.cols);
            kept += p.row > 0 && p.col > 0;
        }
    }
    if (places[_i].of == &tall) ck_assert_int_gt(kept, 300);
}
END_TEST

START_TEST(the_wheel_has_two_ends)
{
    s = opened(&tall, VIEW_HEAD);
    double x, y;
    point_at(0, 150, 100, &x, &y);
    mouse(EVENT_MOVE, x, y);
    wheel(4); // the map fills its frame
    HeadCell held = s.selection.hover;
    for (int k = 0; k < 60; k++) wheel(1);
    ck_assert(s.camera.cell_size == 64 && map(0).cell_width == 64);
    assert_cell(s.selection.hover, held.row, held.col);
    for (int k = 0; k < 80; k++) wheel(-1);
    ck_assert(s.camera.cell_size == 0 && s.camera.row == 0 && s.camera.col == 0);
    wheel(5);
    ck_assert(s.camera.cell_size > 0);
    text("f");
    ck_assert(s.camera.cell_size == 0 && s.camera.row == 0 && s.camera.col == 0);
    mouse(EVENT_MOVE, 1279, 799); // not on the map
    wheel(1);
    ck_assert(s.camera.cell_size == 0);
    mouse(EVENT_LEAVE, 0, 0);
    wheel(1);
    ck_assert(s.camera.cell_size == 0);
}
END_TEST

START_TEST(a_drag_pans_and_does_not_pin)
{
    s = opened(&tall, VIEW_HEAD);
    double x, y;
    point_at(0, 150, 150, &x, &y);
    mouse(EVENT_MOVE, x, y);
    wheel(12);
    MapPlace before = map(0);
    HeadCell held = s.selection.hover;
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_MOVE, x + 2, y); // a hand that trembles does not drag
    ck_assert(map(0).col == before.col);
    mouse(EVENT_MOVE, x + 50, y - 30);
    mouse(EVENT_MOVE, x + 70, y - 40);
    MapPlace after = map(0);
    ck_assert_double_eq_tol(after.col, before.col - 70 / before.cell_width, 1e-9);
    ck_assert_double_eq_tol(after.row, before.row + 40 / before.cell_height, 1e-9);
    assert_cell(s.selection.hover, held.row, held.col); // the cell goes with the mouse
    mouse(EVENT_RELEASE, x + 70, y - 40);
    ck_assert(s.selection.pinned.row < 0 && !s.mouse.dragging);
    mouse(EVENT_MOVE, x, y);
    ck_assert(map(0).col == after.col); // the button is up
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_MOVE, 1e6, -1e6); // far beyond the edge, and back
    ck_assert(map(0).col == 0);
    mouse(EVENT_RELEASE, x, y);
    ck_assert_int_lt(s.selection.pinned.row, 0);

    s = opened(&square, VIEW_HEAD); // what is seen whole stays
    point_at(0, 3, 3, &x, &y);
    before = map(0);
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_MOVE, x + 90, y + 20);
    mouse(EVENT_RELEASE, x + 90, y + 20);
    ck_assert(map(0).col == before.col && s.camera.cell_size == 0 && s.selection.pinned.row < 0);
}
END_TEST

START_TEST(a_click_pins_and_unpins)
{
    click_cell(7, 3);
    assert_cell(s.selection.pinned, 7, 3);
    assert_cell(state_cell(&s), 7, 3);
    double x, y;
    point_at(0, 2, 1, &x, &y);
    mouse(EVENT_MOVE, x, y);
    assert_cell(s.selection.hover, 2, 1);
    assert_cell(state_cell(&s), 7, 3); // the pin holds
    click_cell(2, 1);
    assert_cell(s.selection.pinned, 2, 1);
    click_cell(2, 1);
    ck_assert_int_lt(s.selection.pinned.row, 0);
    point_at(0, 4, 4, &x, &y);
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_RELEASE, x, y);
    mouse(EVENT_DOUBLE, x, y);
    mouse(EVENT_RELEASE, x, y); // a quick second click is a click
    ck_assert_int_lt(s.selection.pinned.row, 0);
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_RELEASE, x + 40, y); // let go elsewhere, without a move in between
    ck_assert_int_lt(s.selection.pinned.row, 0);
}
END_TEST

START_TEST(cells_are_reached_by_keys)
{
    shift(KEY_RIGHT);
    assert_cell(s.selection.pinned, 0, 0);
    shift(KEY_RIGHT);
    shift(KEY_DOWN);
    shift(KEY_DOWN);
    shift(KEY_LEFT);
    shift(KEY_LEFT);
    assert_cell(s.selection.pinned, 2, 0);
    for (int k = 0; k < 30; k++) {
        shift(KEY_DOWN);
        shift(KEY_RIGHT);
    }
    assert_cell(s.selection.pinned, 11, 11);
    for (int k = 0; k < 30; k++) {
        shift(KEY_UP);
        shift(KEY_LEFT);
    }
    assert_cell(s.selection.pinned, 0, 0);
    assert_head(0, 0);
}
END_TEST

// What stands under the mouse is told anew when the picture changes and the mouse does not.
START_TEST(hover_follows_the_picture)
{
    double x, y;
    s = opened(&tall, VIEW_HEAD);
    point_at(0, 299, 299, &x, &y);
    mouse(EVENT_MOVE, x, y);
    assert_cell(s.selection.hover, 299, 299);
    send((Event){ EVENT_RESIZE, .x = 700, .y = 500, .pixels = 1 });
    PageLayout layout = layout_of(&s);
    Hit hit = layout_hit(&layout, &s, NULL, x, y);
    HeadCell now = hit.kind == HIT_CELL ? hit.cell : NO_CELL;
    assert_cell(s.selection.hover, now.row, now.col);
    key(KEY_TAB);
    ck_assert_int_lt(s.selection.hover.row, 0);
    shift(KEY_TAB);
    assert_cell(s.selection.hover, now.row, now.col);
}
END_TEST

START_TEST(lists_are_scrolled)
{
    enum { L = 40, H = 40 };
    Mat *maps = arena_alloc(arena, L * H * sizeof *maps);
    for (int n = 0; n < L * H; n++) maps[n] = mat_new(arena, 4, 4);
    Document many = document_of_maps(arena, L, H, maps);
    s = state_with_view(state_of(&buffers, &many, 640, 400, 1), VIEW_HEADS);
    PageLayout layout = layout_of(&s);
    double most = layout.thumbs.tall - layout.thumbs.frame.height;
    ck_assert(most > 0);
    mouse(EVENT_MOVE, 300, 200);
    wheel(-2);
    ck_assert(s.camera.scroll == 80);
    for (int k = 0; k < 99; k++) wheel(-3);
    ck_assert_double_eq(s.camera.scroll, most);
    for (int k = 0; k < 99; k++) wheel(2);
    ck_assert(s.camera.scroll == 0);

    s = opened(&tall, VIEW_LINES);
    mouse(EVENT_MOVE, 600, 400);
    wheel(-1);
    ck_assert(s.camera.row == 3);
    for (int k = 0; k < 999; k++) wheel(-1);
    layout = layout_of(&s); // to the end, and not so far that the way back takes long
    double seen = layout.lines.height / layout.line_step;
    ck_assert(s.camera.row >= 300 - (seen - 3) && s.camera.row < 300 - (seen - 6));
    for (int k = 0; k < 999; k++) wheel(1);
    ck_assert(s.camera.row == 0);
}
END_TEST

// ---- typing

static Files files;
static App *const app = &files.app;

static void open_live(void)
{
    Error error;
    char *argv[] = { "viewer", "--text", "the animal", NULL };
    ViewerOptions options;
    bool good =
        viewer_options_read(&options, 3, argv, &error) == FLAGS_FINE && files_open(&files, &options, 3, argv, &error);
    ck_assert_msg(good, "%s", error.text);
}

static void live(Event event) { files_handle_event(&files, event); }
static void live_key(Key k) { live((Event){ EVENT_KEY, .key = k }); }
static void live_text(const char *t) { live(state_event_of_text(&app->state, t, false)); }

// The sentence is held with the maps that it had; another is typed beside it.
START_TEST(a_sentence_is_held_beside_another)
{
    open_live();
    const State *at = &app->state;
    live_key(KEY_HOME);
    live_key(KEY_RIGHT);
    live_text("b");
    ck_assert(at->shown.head == 1 && at->shown.other_head == 1 && at->shown.other_layer == 0);
    ck_assert(at->shown.held && app->held && at->shown.other_document == &app->other_document &&
              at->shown.view == VIEW_COMPARE);
    ck_assert(at->editing.typing == TYPING_SENTENCE && at->shown.aligned->same);
    ck_assert_str_eq(app->other_document.title, "held");
    ck_assert_str_eq(app->other_document.source, "the animal");
    live_text(" cross");
    live_key(KEY_ENTER);
    ck_assert(app->document.T == app->other_document.T + 1 && !at->shown.aligned->same);
    ck_assert_int_eq(at->shown.aligned->rows.count, app->document.T);
    live_key(KEY_RIGHT);
    ck_assert(at->shown.head == at->shown.other_head); // the same head on both sides
    live_text("a");                                    // of what is held nothing is switched off
    live_text("b");
    ck_assert(!at->shown.held && !at->shown.other_document && !app->other_arena && !at->shown.aligned);
    live_text("b");
    live_text("/");
    live_key(KEY_BACK);
    live_text("w");
    ck_assert(at->shown.reduction && at->shown.other_document == &app->reduced_other &&
              app->reduced_other.reduced_from == &app->other_document);
    Arena *scratch = arena_open();
    app_picture(app, scratch);
    arena_close(scratch);
    files_close(&files);

    char *flags[] = { "viewer", "--text", "the animal", "--other-text", "the street", NULL };
    ViewerOptions options;
    Error error;
    ck_assert(viewer_options_read(&options, 5, flags, &error) == FLAGS_FINE &&
              files_open(&files, &options, 5, flags, &error));
    ck_assert(app->held && !strcmp(app->other_document.source, "the street") && app->state.shown.view == VIEW_COMPARE);
    ck_assert_str_eq(app->other_document.keys[2], "street");
    files_close(&files);
    flags[4] = "the nonsense";
    ck_assert(viewer_options_read(&options, 5, flags, &error) == FLAGS_FINE);
    ck_assert(!files_open(&files, &options, 5, flags, &error) && strstr(error.text, "nonsense"));
}
END_TEST

START_TEST(text_is_keys_until_one_types)
{
    static const struct {
        const char *text;
        Key key;
    } keys[] = {
        { "f", KEY_FIT },          { "r", KEY_RESET },       { "s", KEY_SCALE },   { "c", KEY_COLORS },
        { "[", KEY_STAGE_BEFORE }, { "]", KEY_STAGE_AFTER }, { "d", KEY_COMPARE }, { "a", KEY_ABLATE },
        { " ", KEY_PLAY },         { "m", KEY_LARGEST },     { "h", KEY_HIDE },    { "o", KEY_SORT },
        { "/", KEY_TYPE },         { "?", KEY_HELP },        { "e", KEY_SAVE },    { "E", KEY_SAVE_SVG },
        { "x", KEY_NONE },         { "ss", KEY_NONE },       { "ä", KEY_NONE },    { "", KEY_NONE },
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        Event event = state_event_of_text(&s, keys[k].text, false);
        ck_assert(event.kind == EVENT_KEY && event.key == keys[k].key);
        s.editing.typing = TYPING_PATH;
        event = state_event_of_text(&s, keys[k].text, false);
        ck_assert(event.kind == EVENT_TEXT && event.text == keys[k].text);
        s.editing.typing = TYPING_NOTHING;
    }
}
END_TEST

START_TEST(the_line_is_edited_letter_by_letter)
{
    key(KEY_OPEN);
    ck_assert_int_eq(s.editing.typing, TYPING_PATH);
    text("ä");
    text("中");
    text("🙂");
    text("x");
    ck_assert_str_eq(s.editing.path, "ä中🙂x");
    ck_assert_int_eq(s.editing.caret, 10);
    static const int left[] = { 9, 5, 2, 0, 0 }, right[] = { 2, 5, 9, 10, 10 };
    for (int k = 0; k < 5; k++) {
        key(KEY_LEFT);
        ck_assert_int_eq(s.editing.caret, left[k]);
    }
    for (int k = 0; k < 5; k++) {
        key(KEY_RIGHT);
        ck_assert_int_eq(s.editing.caret, right[k]);
    }
    key(KEY_HOME);
    ck_assert_int_eq(s.editing.caret, 0);
    key(KEY_BACKSPACE); // nothing before the beginning
    ck_assert_str_eq(s.editing.path, "ä中🙂x");
    key(KEY_DELETE);
    ck_assert_str_eq(s.editing.path, "中🙂x");
    key(KEY_RIGHT);
    text("é");
    key(KEY_RIGHT);
    key(KEY_BACKSPACE);
    ck_assert_str_eq(s.editing.path, "中éx");
    ck_assert_int_eq(s.editing.caret, 5);
    key(KEY_END);
    key(KEY_DELETE); // nothing after the end
    times(3, KEY_BACKSPACE);
    ck_assert_str_eq(s.editing.path, "");
    key(KEY_BACKSPACE);
    key(KEY_DELETE);
    key(KEY_LEFT);
    ck_assert(s.editing.caret == 0 && s.editing.typing == TYPING_PATH);
    assert_head(0, 0); // the arrows were the line's
    key(KEY_DOWN);
    assert_head(1, 0); // these are not
    key(KEY_ZOOM_IN);
    ck_assert(s.camera.zoom > 1 && s.editing.typing == TYPING_PATH);
}
END_TEST

// Letters of several code points are one. In Hebrew the arrows go where they point; what is typed goes on to the left.
START_TEST(letters_are_those_of_a_reader)
{
    if (!shaping_use() || !canvas_font_name()) return;
    key(KEY_OPEN);
    text("שלe\u0301");
    ck_assert_int_eq(s.editing.caret, 7);
    key(KEY_BACKSPACE);
    ck_assert_str_eq(s.editing.path, "של");
    text("ום");
    ck_assert_int_eq(s.editing.caret, 8);
    static const int right[] = { 6, 4, 2, 0, 0 }, left[] = { 2, 4, 6, 8, 8 };
    for (int k = 0; k < 5; k++) {
        key(KEY_RIGHT);
        ck_assert_int_eq(s.editing.caret, right[k]);
    }
    for (int k = 0; k < 5; k++) {
        key(KEY_LEFT);
        ck_assert_int_eq(s.editing.caret, left[k]);
    }
    key(KEY_BACKSPACE);
    key(KEY_HOME);
    ck_assert_int_eq(s.editing.caret, 0);
    key(KEY_DELETE);
    ck_assert_str_eq(s.editing.path, "לו");
    text("o\u0302");
    ck_assert_str_eq(s.editing.path, "o\u0302לו");
    key(KEY_HOME);
    key(KEY_DELETE);
    ck_assert_str_eq(s.editing.path, "לו");
    shaping_shape_by(NULL);
}
END_TEST

// All of a line: it is replaced, taken away or left as one.
// By the weight of the pinned cell, as long as one is pinned: the heads that look from here to there come first.
START_TEST(heads_are_sorted_by_the_pinned_cell)
{
    enum { HEADS = 12 };
    int order[HEADS];
    s = opened(&square, VIEW_HEAD);
    int count = state_heads(&s);
    ck_assert_int_le(count, HEADS);
    s.selection.pinned = (HeadCell){ 3, 1 };
    s.shown.sort = SUMMARY_STATS - 1;
    text("o");
    ck_assert_int_eq(s.shown.sort, SORT_CELL);
    layout_order(order, &s, NULL);
    for (int n = 0; n < count; n++) {
        double here = state_cell_of_head(&s, order[n]);
        const Document *d = s.shown.document;
        ck_assert_double_eq(here, (double)field_at(document_maps(d), order[n] / d->heads, order[n] % d->heads, 3, 1));
        if (n) ck_assert(here <= state_cell_of_head(&s, order[n - 1]));
        for (int m = 0; m < n; m++) ck_assert_int_ne(order[m], order[n]);
    }
    text("o");
    ck_assert_int_eq(s.shown.sort, SORT_ROLE);
    s.shown.sort = SORT_CELL;
    key(KEY_BACK); // unpins
    ck_assert(s.selection.pinned.row < 0 && s.shown.sort == SORT_NONE);
}
END_TEST

START_TEST(a_line_is_selected_as_a_whole)
{
    key(KEY_OPEN);
    ck_assert(!s.editing.selected); // of nothing there is no all
    key(KEY_ALL);
    ck_assert(!s.editing.selected);
    text("abc");
    key(KEY_HOME);
    key(KEY_ALL);
    ck_assert(s.editing.selected && s.editing.caret == 3);
    key(KEY_LEFT);
    ck_assert(!s.editing.selected && s.editing.caret == 0);
    key(KEY_ALL);
    key(KEY_RIGHT);
    ck_assert(!s.editing.selected && s.editing.caret == 3);
    key(KEY_ALL);
    key(KEY_COPY);
    ck_assert(s.command == COMMAND_COPY && s.editing.selected);
    ck_assert_str_eq(state_line(&s), "abc");
    text("é");
    ck_assert(!s.editing.selected && s.editing.caret == 2);
    ck_assert_str_eq(s.editing.path, "é");
    key(KEY_ALL);
    key(KEY_BACKSPACE);
    ck_assert(!s.editing.selected && s.editing.caret == 0 && !s.editing.path[0] && s.editing.typing == TYPING_PATH);
    text("de");
    key(KEY_ALL);
    key(KEY_DELETE);
    ck_assert_str_eq(s.editing.path, "");
    text("x.npy");
    key(KEY_ENTER);
    key(KEY_OPEN); // the last path is there to be replaced
    ck_assert(s.editing.selected && !strcmp(s.editing.path, "x.npy"));
    text("y");
    ck_assert_str_eq(s.editing.path, "y");
    key(KEY_ALL);
    key(KEY_BACK);
    ck_assert(!s.editing.selected && !s.editing.typing);
    key(KEY_ALL); // nothing is typed
    ck_assert(!s.editing.selected);
}
END_TEST

// What is pasted is one line, whatever it was.
START_TEST(what_is_pasted_becomes_a_line)
{
    static const struct {
        const char *pasted, *line;
    } cases[] = {
        { "a b\n", "a b" },
        { "a\nb\r\n\n", "a b" },
        { "a\tb", "a b" },
        { "", "" },
        { "\n", "" },
        { "a\x01\x7f"
          "b",
          "a  b" },
        { "\xff"
          "ä\xc3",
          " ä " },
        { "中🙂", "中🙂" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        key(KEY_OPEN);
        key(KEY_ALL);
        key(KEY_DELETE);
        key(KEY_PASTE);
        ck_assert_int_eq(s.command, COMMAND_PASTE);
        s.command = COMMAND_NONE;
        text(cases[c].pasted);
        ck_assert_str_eq(s.editing.path, cases[c].line);
        ck_assert_uint_eq((size_t)s.editing.caret, strlen(cases[c].line));
        key(KEY_BACK);
    }
    key(KEY_PASTE); // a file has no sentence
    ck_assert(s.command == COMMAND_NONE && s.message.error && !s.editing.typing);
    char most[TEXT_BYTES + 1];
    memset(most, 'x', sizeof most);
    most[TEXT_BYTES] = 0;
    key(KEY_OPEN);
    key(KEY_ALL);
    key(KEY_DELETE);
    text("kept");
    key(KEY_ALL);
    text(most);
    ck_assert_ptr_nonnull(strstr(s.message.error, "8191 bytes"));
    ck_assert_str_eq(s.editing.path, "kept");
    text(most + 1);
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 1);
}
END_TEST

START_TEST(a_sentence_is_pasted)
{
    open_live();
    ck_assert_str_eq(state_line(&app->state), "the animal");
    live_key(KEY_COPY);
    ck_assert_int_eq(app->state.command, COMMAND_COPY);
    app->state.command = COMMAND_NONE;
    live_key(KEY_PASTE);
    ck_assert(app->state.command == COMMAND_PASTE && app->state.editing.selected);
    app->state.command = COMMAND_NONE;
    live((Event){ EVENT_TEXT, .text = "the animal did not\n" });
    ck_assert_str_eq(app->state.editing.sentence, "the animal did not");
    ck_assert(!app->state.message.error && app->document.T == 6);
    live_key(KEY_ENTER);
    ck_assert_int_eq(app->state.editing.typing, TYPING_NOTHING);
    files_close(&files);
}
END_TEST

START_TEST(a_line_that_is_full_takes_no_more)
{
    key(KEY_OPEN);
    for (int k = 0; k < TEXT_BYTES; k++) text("ab");
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 2);
    text("中"); // does not fit, and is not cut
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 2);
    text("c");
    text("d");
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 1);
    ck_assert_int_eq(s.editing.caret, TEXT_BYTES - 1);
    static char more[TEXT_BYTES];
    memset(more, 'x', sizeof more);
    more[sizeof more - 1] = 0;
    key(KEY_HOME);
    times(9, KEY_DELETE);
    text(more);
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 10);
}
END_TEST

START_TEST(a_path_is_typed_and_opened)
{
    key(KEY_OPEN);
    key(KEY_ENTER); // nothing typed, nothing opened
    ck_assert(s.command == COMMAND_NONE && s.editing.typing == TYPING_NOTHING);
    key(KEY_OPEN);
    text("a");
    text("/");
    text("b");
    key(KEY_BACK);
    ck_assert(s.command == COMMAND_NONE && s.editing.typing == TYPING_NOTHING);
    key(KEY_OPEN);
    key(KEY_END); // or else it would be replaced
    text(" ");
    text("c");
    key(KEY_ENTER);
    ck_assert_int_eq(s.command, COMMAND_OPEN);
    ck_assert_str_eq(s.editing.path, "a/b c");
    PageLayout layout = layout_of(&s);
    ck_assert(!(layout.sentence.width > 0));
    key(KEY_OPEN);
    layout = layout_of(&s);
    click(layout.sentence.x + 9, layout.sentence.y + 9);
    ck_assert_int_eq(s.editing.typing, TYPING_PATH);
    click(640, 300);
    ck_assert_int_eq(s.editing.typing, TYPING_NOTHING);
}
END_TEST

START_TEST(maps_follow_what_is_typed)
{
    open_live();
    ck_assert_int_eq(app->state.shown.document->T, 4); // [start] the animal .
    live_text("/");
    ck_assert_int_eq(app->state.editing.typing, TYPING_SENTENCE);
    ck_assert_int_eq(app->state.editing.caret, 10);
    static const char *const letters[] = { " ", "t", "i", "r", "e" };
    for (int k = 0; k < 5; k++) {
        live_text(letters[k]);
        ck_assert_int_eq(app->state.shown.document->T, 4); // "tire" is no word: the last maps stay
        ck_assert_int_eq(app->state.message.error != NULL, k > 0);
    }
    ck_assert_ptr_nonnull(strstr(app->state.message.error, "tire"));
    live_text("d");
    ck_assert_int_eq(app->state.shown.document->T, 5);
    ck_assert_ptr_null(app->state.message.error);
    ck_assert_str_eq(app->state.shown.document->queries[3], "tired");
    live_text("ä");
    live_text("中");
    live_text("🙂");
    ck_assert_ptr_nonnull(app->state.message.error);
    ck_assert_int_eq(app->state.shown.document->T, 5);
    live_key(KEY_BACKSPACE);
    live_key(KEY_BACKSPACE);
    live_key(KEY_BACKSPACE);
    ck_assert_str_eq(app->state.editing.sentence, "the animal tired");
    ck_assert_ptr_null(app->state.message.error);
    live_key(KEY_HOME);
    for (int k = 0; k < 16; k++) live_key(KEY_DELETE);
    ck_assert_str_eq(app->state.editing.sentence, "");
    ck_assert_ptr_nonnull(app->state.message.error); // a sentence is needed
    ck_assert_int_ge(app->state.shown.document->T, 2);
    live_key(KEY_BACK);
    ck_assert(!app->state.message.error && !app->state.editing.typing && !app->state.quit);
    files_close(&files);
}
END_TEST

START_TEST(a_longer_and_a_shorter_sentence_keep_the_state_true)
{
    open_live();
    live((Event){ EVENT_KEY, .key = KEY_DOWN, .shift = true });
    live((Event){ EVENT_KEY, .key = KEY_DOWN, .shift = true });
    live((Event){ EVENT_KEY, .key = KEY_RIGHT, .shift = true });
    HeadCell pinned = app->state.selection.pinned;
    ck_assert_int_ge(pinned.row, 0);
    live_text("/");
    live_text(" tired");
    assert_cell(app->state.selection.pinned, pinned.row, pinned.col);
    live_key(KEY_HOME);
    for (int k = 0; k < 10; k++) live_key(KEY_DELETE); // " tired"
    ck_assert_int_eq(app->state.shown.document->T, 3); // [start] tired .
    ck_assert(app->state.selection.pinned.row < 3 && app->state.selection.pinned.col < 3);
    files_close(&files);
}
END_TEST

START_TEST(a_head_is_switched_off_and_on)
{
    open_live();
    double loss = app->state.shown.document->loss;
    app->state.shown.layer = 1;
    app->state.shown.head = 2;
    live_text("a");
    ck_assert_int_eq(app->state.shown.ablated[6], 1);
    ck_assert(app->state.shown.document->loss != loss && app->state.shown.document->whole_loss == loss);
    live_text("a");
    ck_assert_int_eq(app->state.shown.ablated[6], 0);
    ck_assert(app->state.shown.document->loss == loss);
    files_close(&files);
}
END_TEST

// ---- another document, another window

START_TEST(a_smaller_document_clamps_everything)
{
    static Document *const all[] = { &square, &one, &wide, &bare, &walk, &tall };
    enum { ALL = sizeof all / sizeof *all };
    for (int from = 0; from < ALL; from++)
        for (int to = 0; to < ALL; to++)
            for (ViewKind v = VIEW_HEADS; v < VIEWS; v++) {
                s = opened(all[from], v);
                key(KEY_STAGE_BEFORE);
                s.shown.view = state_has_view(&s, v) ? v : VIEW_HEAD;
                key(KEY_END);
                key(KEY_OPEN);
                s.editing.typing = TYPING_SENTENCE;
                s.selection.pinned = s.selection.hover = (HeadCell){ all[from]->T - 1, all[from]->S - 1 };
                s.shown.other_layer = all[from]->layers - 1;
                s.shown.other_head = all[from]->heads - 1;
                s.shown.playing = true;
                s.shown.frame = 2;
                s.shown.stage = STAGE_DOTS;
                send((Event){ EVENT_DOCUMENT, .document = all[to] });
                const Document *d = s.shown.document;
                must(d == all[to] && s.shown.layer < d->layers && s.shown.head < d->heads &&
                     s.shown.other_layer < d->layers && s.shown.other_head < d->heads);
                must(s.selection.pinned.row < d->T && s.selection.pinned.col < d->S && s.selection.hover.row < d->T &&
                     s.selection.hover.col < d->S);
                must(state_has_view(&s, s.shown.view) &&
                     (document_has_stage(d, s.shown.stage) || s.shown.stage == STAGE_WEIGHTS));
                must(s.shown.frame >= 0 && (s.shown.frame == 0 || s.shown.frame < d->walk.frames));
                must(!s.shown.playing || s.shown.view == VIEW_TILES);
                must(s.editing.typing == TYPING_NOTHING);
            }
}
END_TEST

START_TEST(sizes_that_no_window_has)
{
    static const double sizes[][3] = {
        { 0, 0, 1 }, { -5, 3, 0 }, { 1e300, 1e300, 1e300 }, { 1, 16000, 64 }, { 0.5, 4000, -1 }
    };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        send((Event){ EVENT_RESIZE, .x = sizes[k][0], .y = sizes[k][1], .pixels = sizes[k][2] });
        must(s.camera.width >= 1 && s.camera.height >= 1 && s.camera.pixels >= 0.25);
        must(s.camera.width * s.camera.pixels < 32768 && s.camera.height * s.camera.pixels < 32768);
    }
    send((Event){ EVENT_RESIZE, .x = 640, .y = 400, .pixels = 2 });
    ck_assert(s.camera.width == 640 && s.camera.height == 400 && s.camera.pixels == 2);
    const double odd[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    for (int k = 0; k < 3; k++) {
        State before = s;
        mouse(EVENT_MOVE, odd[k], 5);
        mouse(EVENT_PRESS, 5, odd[k]);
        mouse(EVENT_RESIZE, odd[k], odd[k]);
        wheel(odd[k]);
        ck_assert(s.mouse.x == before.mouse.x && s.camera.width == 640 && !s.mouse.dragging && s.camera.cell_size == 0);
    }
}
END_TEST

START_TEST(messages_come_and_go)
{
    send((Event){ EVENT_STATUS, .text = "written: a.png" });
    ck_assert_str_eq(s.message.status, "written: a.png");
    mouse(EVENT_MOVE, 300, 300);
    ck_assert_ptr_nonnull(s.message.status);
    click(2, 2);
    ck_assert_ptr_null(s.message.status);
    send((Event){ EVENT_STATUS, .text = "written: a.png" });
    send((Event){ EVENT_ERROR, .text = "wrong" });
    ck_assert_ptr_null(s.message.status);
    key(KEY_LEFT);
    ck_assert_ptr_null(s.message.error);
    text("?");
    click(640, 300); // a click closes the list of keys, and does nothing else
    ck_assert(!s.display.help && s.selection.pinned.row < 0);
}
END_TEST

START_TEST(draw_changes_nothing)
{
    ViewKind views[VIEWS];
    int count;
    views_of(&square, views, &count);
    for (int v = 0; v < count; v++) {
        s = opened(&square, views[v]);
        shift(KEY_DOWN);
        unsigned char before[sizeof s];
        memcpy(before, &s, sizeof s);
        Arena *scratch = arena_open();
        draw_view(canvas_new(scratch, s.camera.width, s.camera.height, 1), &(View){ .state = &s });
        arena_close(scratch);
        ck_assert_mem_eq(before, &s, sizeof s);
    }
}
END_TEST

// ---- ten thousand events

static double a_number(Random *random, double most)
{
    static const double odd[] = {
        -1, 0, 1e-300, 1e9, -1e9, 1e300, -1e300, (double)NAN, (double)INFINITY, -(double)INFINITY
    };
    if (random_below(random, 12) == 0) return odd[random_below(random, (int)(sizeof odd / sizeof *odd))];
    return most * (double)random_uniform(random);
}

static Event an_event(Random *random, const State *at)
{
    static const char *const texts[] = { "a", "s", " ", "/", "ä", "中", "🙂", "the ", "animal ", "it ",
                                         "[", "]", "d", "h", "o", "?",  "f",    "r",    "m",       "c" };
    Event event = { (EventKind)random_below(random, EVENTS), .x = a_number(random, 1.1 * at->camera.width),
                    .y = a_number(random, 1.1 * at->camera.height) };
    event.key = (Key)random_below(random, KEYS);
    event.shift = random_below(random, 4) == 0;
    event.ctrl = random_below(random, 6) == 0;
    event.alt = random_below(random, 6) == 0;
    event.wheel = random_below(random, 9) ? random_below(random, 7) - 3 : a_number(random, 100);
    const char *typed = texts[random_below(random, (int)(sizeof texts / sizeof *texts))];
    if (event.kind == EVENT_TEXT) event = state_event_of_text(at, typed, random_below(random, 2));
    if (event.kind == EVENT_RESIZE) {
        bool large = random_below(random, 12) == 0;
        event.x = a_number(random, large ? 4000 : 1400);
        event.y = a_number(random, large ? 4000 : 1000);
        event.pixels = random_below(random, 9) ? 1 + random_below(random, 3) / 2.0 : a_number(random, 4);
    }
    if (event.kind == EVENT_DOCUMENT) event.kind = EVENT_MOVE;
    if (event.kind == EVENT_ERROR || event.kind == EVENT_STATUS)
        event.text = random_below(random, 2) ? "a sentence of what happened" : NULL;
    return event;
}

static void check_true(const State *at)
{
    const Document *d = at->shown.document;
    must(at->shown.layer >= 0 && at->shown.layer < d->layers && at->shown.head >= 0 && at->shown.head < d->heads);
    must(at->selection.pinned.row < d->T && at->selection.pinned.col < d->S && at->selection.hover.row < d->T &&
         at->selection.hover.col < d->S);
    must(state_has_view(at, at->shown.view) && at->camera.zoom >= 0.5 && at->camera.zoom <= 3);
    must(isfinite(at->camera.cell_size) && isfinite(at->camera.row) && isfinite(at->camera.col) &&
         isfinite(at->camera.scroll));
    must(!at->editing.typing || (at->editing.caret >= 0 && at->editing.caret <= (int)strlen(state_line(at))));
    PageLayout layout = layout_of(at);
    for (int m = 0; m < layout.map_count; m++) {
        const MapPlace *p = &layout.maps[m];
        must(p->cell_width > 0 && p->cell_height > 0 && p->row >= 0 && p->col >= 0 && p->row <= p->rows &&
             p->col <= p->cols);
    }
}

// A picture of a window of usual size: the large ones cost seconds under a sanitizer.
static void draw_one(const State *at, const Derived *derived)
{
    if (at->camera.width * at->camera.height * at->camera.pixels * at->camera.pixels > 3e6) return;
    Arena *scratch = arena_open();
    Canvas *canvas = canvas_new(scratch, at->camera.width / at->camera.zoom, at->camera.height / at->camera.zoom,
                                at->camera.pixels * at->camera.zoom);
    draw_view(canvas, &(View){ .state = at, .derived = derived });
    arena_close(scratch);
}

enum { EVENTS_EACH = 2000, SEEDS = 3 };

static void storm(Document *d, uint64_t seed)
{
    Random random = random_from(seed);
    Derived *derived = derived_open();
    State at = state_of(&buffers, d, 1280, 800, 1);
    if (seed % 2) at.shown.other_document = &wide;
    for (int n = 0; n < EVENTS_EACH; n++) {
        at = state_update(at, an_event(&random, &at), derived);
        at.quit = false;
        at.command = COMMAND_NONE;
        check_true(&at);
        if (n % 10 == 0) derived_prepare(derived, d, state_wanted(&at), 0.0005);
        if (n % 50 == 49) draw_one(&at, derived);
    }
    derived_close(derived);
}

START_TEST(any_events_in_any_order)
{
    static Document *const all[] = { &one, &wide, &walk, &tall, &square };
    storm(all[_i % 5], 100 + (uint64_t)_i);
}
END_TEST

START_TEST(any_events_on_a_live_model)
{
    Random random = random_from(7 + (uint64_t)_i);
    open_live();
    for (int n = 0; n < 1000; n++) {
        Event event = an_event(&random, &app->state);
        Key k = event.kind == EVENT_KEY ? event.key : KEY_NONE;
        bool saves = k == KEY_SAVE || k == KEY_SAVE_SVG || k == KEY_SAVE_PAGE;
        bool opens = event.kind == EVENT_KEY && event.key == KEY_ENTER && app->state.editing.typing == TYPING_PATH;
        if (!saves && !opens) files_handle_event(&files, event);
        app->state.quit = false;
        app->state.command = COMMAND_NONE;
        check_true(&app->state);
        if (n % 10 == 0) files_work(&files, 0.001);
        if (n % 50 == 49) draw_one(&app->state, app->derived);
    }
    files_close(&files);
}
END_TEST

Suite *state_suite(void)
{
    Suite *suite = suite_create("viz/state");
    TCase *keys = tcase_create("keys"), *pointer = tcase_create("mouse"), *typing = tcase_create("typing"),
          *rest = tcase_create("documents");
    tcase_add_checked_fixture(keys, setup, teardown);
    tcase_add_test(keys, heads_and_layers_stop_at_the_ends);
    tcase_add_test(keys, thumbnails_fill_their_place);
    tcase_add_test(keys, reset_brings_back_the_usual_scale);
    tcase_add_test(keys, tab_walks_the_views_that_there_are);
    tcase_add_test(keys, tabs_are_clicked);
    tcase_add_test(keys, a_head_is_opened);
    tcase_add_test(keys, esc_goes_back_a_step_at_a_time);
    tcase_add_test(keys, a_pin_that_is_not_seen_costs_no_step);
    tcase_add_test(keys, keys_that_go_round);
    tcase_add_test(keys, the_window_zooms_between_its_ends);
    tcase_add_test(keys, stages_are_scrubbed);
    tcase_add_test(keys, values_are_no_cells);
    tcase_add_test(keys, reset_keeps_what_is_not_a_look);
    tcase_add_test(keys, two_heads_are_compared);
    tcase_add_test(keys, lines_are_of_one_head_or_of_more);
    tcase_add_test(keys, heads_are_drawn_or_not);
    tcase_add_test(keys, swatches_are_clicked);
    tcase_add_test(keys, a_word_asks_on_the_left_and_is_asked_on_the_right);
    tcase_add_test(keys, who_attends_by_keyboard);
    tcase_add_test(keys, two_sentences_have_parts);
    tcase_add_test(keys, many_layers_are_shown_in_part);
    tcase_add_test(keys, places_of_two_files);
    tcase_add_test(keys, a_sentence_is_held_only_where_there_is_one);
    tcase_add_test(keys, heads_of_a_file_cannot_be_switched_off);
    tcase_add_test(keys, tiles_are_played_to_the_end);
    tcase_add_test(keys, cells_are_reached_by_keys);
    suite_add_tcase(suite, keys);
    tcase_add_checked_fixture(pointer, setup, teardown);
    tcase_add_loop_test(pointer, hover_gives_the_cells_at_the_corners, 0, PLACES);
    tcase_add_loop_test(pointer, the_wheel_keeps_the_cell_under_the_mouse, 0, PLACES);
    tcase_add_test(pointer, the_wheel_has_two_ends);
    tcase_add_test(pointer, a_drag_pans_and_does_not_pin);
    tcase_add_test(pointer, a_click_pins_and_unpins);
    tcase_add_test(pointer, hover_follows_the_picture);
    tcase_add_test(pointer, lists_are_scrolled);
    suite_add_tcase(suite, pointer);
    tcase_add_checked_fixture(typing, setup, teardown);
    tcase_set_timeout(typing, 120);
    tcase_add_test(typing, text_is_keys_until_one_types);
    tcase_add_test(typing, a_sentence_is_held_beside_another);
    tcase_add_test(typing, the_line_is_edited_letter_by_letter);
    tcase_add_test(typing, letters_are_those_of_a_reader);
    tcase_add_test(typing, heads_are_sorted_by_the_pinned_cell);
    tcase_add_test(typing, a_line_is_selected_as_a_whole);
    tcase_add_test(typing, what_is_pasted_becomes_a_line);
    tcase_add_test(typing, a_sentence_is_pasted);
    tcase_add_test(typing, a_line_that_is_full_takes_no_more);
    tcase_add_test(typing, a_path_is_typed_and_opened);
    tcase_add_test(typing, maps_follow_what_is_typed);
    tcase_add_test(typing, a_longer_and_a_shorter_sentence_keep_the_state_true);
    tcase_add_test(typing, a_head_is_switched_off_and_on);
    suite_add_tcase(suite, typing);
    tcase_add_checked_fixture(rest, setup, teardown);
    tcase_set_timeout(rest, 300);
    tcase_add_test(rest, a_smaller_document_clamps_everything);
    tcase_add_test(rest, sizes_that_no_window_has);
    tcase_add_test(rest, messages_come_and_go);
    tcase_add_test(rest, draw_changes_nothing);
    tcase_add_loop_test(rest, any_events_in_any_order, 0, 5 * SEEDS);
    tcase_add_loop_test(rest, any_events_on_a_live_model, 0, 2);
    suite_add_tcase(suite, rest);
    return suite;
}
