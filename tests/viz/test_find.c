// Search and its sums, sorting by role, a large map by keyboard, the dark scheme, large type, the desktop's scale.
#include "viz/find.h"

#include "base/portable_math.h"
#include "figure/record.h"
#include "language/vocabulary.h"
#include "support/maps.h"
#include "support/viewer.h"
#include "viz/draw.h"
#include "viz/layout.h"
#include "viz/options.h"
#include "viz/display_scale.h"
#include "viz/update.h"
#include "viz/views.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = { "The", "animal", "it", "with", "It", "animal" };
enum { T = 6 };

static Arena *kept; // what was drawn, as a list
static Derived *derived;
static Document d, tall;
static State s;
static StateBuffers buffers;

// 2 × 3 heads: head 2 of layer 1 attends from "it" to "animal", heads x.0 to the previous token, heads x.1 to the
// first.
static void setup(void)
{
    Mat maps[6];
    kept = arena_open();
    derived = derived_open();
    for (int h = 0; h < 6; h++) {
        maps[h] = mat_new(arena, T, T);
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                int key = h % 3 == 0 ? (i ? i - 1 : 0) : h % 3 == 1 ? 0 : h == 5 && i == 2 ? 1 : (i * 5 + 2) % T;
                *mat_ref(maps[h], i, j) = j == key ? 0.75f : 0.05f;
            }
    }
    d = document_of_maps(arena, 2, 3, maps);
    d.queries = d.keys = words;
    Random random = random_from(4);
    tall = document_random(arena, &random, (Shape){ 2, 2, 300, 300, 4, 6, .causal = true });
    s = state_of(&buffers, &d, 1280, 800, 1);
}
static void teardown(void)
{
    color_scheme(COLOR_ON_PAPER);
    derived_close(derived);
    arena_close(kept);
}
FIXTURE(setup, teardown);

static void send(Event event) { s = state_update(s, event, derived); }
static void press(const char *script) { viewer_script(&s, send, NULL, script); }
static void find(const char *what) { press(arena_format(arena, "Ctrl+F '%s' Enter", what)); }
static void summary(void) { derived_prepare(derived, s.shown.document, state_wanted(&s), (double)INFINITY); }

// ---- words

TEST(whole_words_count_before_parts)
{
    static const struct {
        const char *text;
        bool part, two;
        int queries, keys;
    } cases[] = {
        { "it", false, false, 2, 2 },         { "IT", false, false, 2, 2 },    { " it ", false, false, 2, 2 },
        { "anim", true, false, 2, 2 },        { "i", true, false, 5, 5 },      { "animals", true, false, 0, 0 },
        { "it > animal", false, true, 2, 2 }, { "it>an", false, true, 2, 2 },  { "> animal", false, true, T, 2 },
        { "it >", false, true, 2, T },        { "th > it", true, true, 2, 2 },
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        Find f = find_words(&d, cases[n].text);
        ck_assert_msg(f.any && f.two == cases[n].two && f.queries.part == cases[n].part, "%s", cases[n].text);
        ck_assert_msg(f.queries.count == cases[n].queries && f.keys.count == cases[n].keys, "%s: %d, %d", cases[n].text,
                      f.queries.count, f.keys.count);
    }
    Find it = find_words(&d, "it"), part = find_words(&d, "i"), all = find_words(&d, "> it");
    for (int i = 0; i < T; i++) {
        ck_assert_int_eq(find_query(&it, &d, i), i == 2 || i == 4); // not in "with"
        ck_assert_int_eq(find_key(&part, &d, i), i != 0);
        ck_assert(!find_query(&all, &d, i) && find_key(&all, &d, i) == (i == 2 || i == 4)); // no query is marked
    }
    Find none = find_words(&d, "  "), sign = find_words(&d, ">");
    ck_assert(!none.any && !find_count(&none) && !find_query(&none, &d, 0));
    ck_assert(sign.any && !sign.two && sign.queries.count == 0);
    d.queries = d.keys = NULL; // positions are meant
    Find f = find_words(&d, "4");
    ck_assert(f.queries.count == 1 && find_query(&f, &d, 4) && find_words(&d, "6").queries.count == 0);
}

TEST(sums_cover_all_matches)
{
    static const int cells[][2] = { { 2, 1 }, { 2, 5 }, { 4, 1 }, { 4, 5 } };
    Find f = find_words(&d, "it > animal");
    double sum = 0;
    for (int n = 0; n < 4; n++) sum += (double)field_at(document_maps(&d), 1, 2, cells[n][0], cells[n][1]);
    ck_assert_int_eq(find_cells(&f, &d), 4);
    ck_assert_double_eq_tol(find_sum(&f, &d, 1, 2), sum, 1e-12);
    ck_assert_int_eq(find_cells(&(Find){ .any = true, .queries.count = 2, .keys.count = 2 }, &d), 0);
    Find many = { .any = true, .two = true, .queries.count = 1 << 19, .keys.count = 1 << 19 };
    ck_assert_int_eq(find_cells(&many, &d), 0);
    Document causal = document_random(arena, &random_state, (Shape){ 1, 1, T, T, 4, 4, .causal = true });
    causal.queries = causal.keys = words;
    f = find_words(&causal, "The > it");
    ck_assert(isnan(find_sum(&f, &causal, 0, 0))); // masked
    f = find_words(&causal, "it > animal");
    sum = (double)field_at(document_maps(&causal), 0, 0, 2, 1) + (double)field_at(document_maps(&causal), 0, 0, 4, 1);
    ck_assert_double_eq_tol(find_sum(&f, &causal, 0, 0), sum, 1e-12); // (2, 5) and (4, 5) are masked
}

// ---- in the window

TEST(from_one_word_to_another_sorts_the_heads)
{
    int order[6];
    find("it > animal");
    layout_order(order, &s, NULL);
    ck_assert(order[0] == 0 && order[1] == 3 && order[2] == 5); // equal sums: the first head first
    ck_assert_double_eq_tol(state_found_of_head(&s, 5), 0.9, 1e-6);
    ck_assert_double_eq_tol(state_found_of_head(&s, 1), 0.2, 1e-6);
}

TEST(flags_find_too)
{
    static const char *const cases[][2] = {
        { "--find|it > animal|--view|heads|--dark|--bare", "heads 0.0 by found pinned 2,1 finds 2, 2 at 0 dark" },
        { "--find|it > animal|--cell|0,3|--sort|entropy", "head 0.0 by entropy pinned 0,3 finds 2, 2" },
        { "--find|zebra", "--find zebra: that is not among" },
        { "--find|it|--sort|found", "--sort found needs --find with two words" },
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ViewerOptions o;
        Error error;
        char *argv[9] = { "viewer" }, *at = arena_format(arena, "%s", cases[n][0]);
        int argc = 1;
        while (at) {
            argv[argc++] = at;
            if ((at = strchr(at, '|'))) *at++ = 0;
        }
        s = state_of(&buffers, &d, 1280, 800, 1);
        ck_assert_int_eq(viewer_options_read(&o, argc, argv, &error), FLAGS_FINE);
        const char *is = viewer_options_apply(&s, &o, &error) ? facts_of(&s) : error.text;
        ck_assert_msg(!strncmp(is, cases[n][1], strlen(cases[n][1])), "%s: %s", cases[n][0], is);
    }
}

// ---- roles

TEST(heads_are_sorted_by_role)
{
    static const char *const roles[] = { "it, verb", NULL, "verb", "previous", "item", "previous, it" };
    // Nothing is known yet; previous twice, first twice, none; "verb" is among the first head's, "item" is none of them.
    static const int orders[][6] = { { 0, 1, 2, 3, 4, 5 }, { 0, 3, 1, 4, 2, 5 }, { 0, 2, 3, 5, 4, 1 } };
    s.shown.sort = SORT_ROLE;
    for (int n = 0; n < 3; n++) {
        int order[6];
        if (n == 1) summary();
        if (n == 2) d.roles = roles;
        layout_order(order, &s, derived);
        ck_assert_mem_eq(order, orders[n], sizeof order);
        if (n == 1)
            ck_assert(!strcmp(state_role_name(&s, derived, 4), "first token") && !state_role_name(&s, derived, 2));
    }
}

// ---- by keyboard

static MapPlace map(void)
{
    PageLayout layout = layout_of(&s);
    ck_assert_int_gt(layout.map_count, 0);
    return layout.maps[0];
}

static bool in_sight(HeadCell cell)
{
    MapPlace m = map();
    double down = (cell.row - m.row) * m.cell_height, right = (cell.col - m.col) * m.cell_width;
    return down >= -1e-6 && right >= -1e-6 && down + m.cell_height <= m.frame.height + 1e-6 &&
           right + m.cell_width <= m.frame.width + 1e-6;
}

TEST(a_pinned_cell_stays_in_sight)
{
    s = state_of(&buffers, &tall, 1280, 800, 1);
    double fit = map().cell_width;
    press("Ctrl+Right +*14");
    ck_assert_double_gt(map().cell_width, 8 * fit);
    for (int n = 0; n < 60; n++) {
        press("Ctrl+Down*2 Ctrl+Right");
        ck_assert_msg(in_sight(s.selection.pinned), "step %d", n);
    }
    press("Ctrl+Up*110");
    ck_assert(s.selection.pinned.row == 10 && s.selection.pinned.col == 60 && in_sight(s.selection.pinned));
    MapPlace before = map();
    press("-");
    ck_assert(map().cell_width < before.cell_width && in_sight(s.selection.pinned));
    press("-*20");
    ck_assert_double_eq(map().cell_width, fit);
    s.selection.pinned = (HeadCell){ 200, 100 };
    press("+*8"); // at the pinned cell
    ck_assert(in_sight(s.selection.pinned));
    s = state_with_view(s, VIEW_COMPARE);
    int other = s.shown.other_head;
    press("Ctrl+Down");
    ck_assert(s.selection.pinned.row == 201 && s.shown.other_head == other);
    s = state_with_view(s, VIEW_LINES);
    press("Ctrl+Up*190");
    PageLayout layout = layout_of(&s);
    ck_assert(s.selection.pinned.row >= layout.line_first);
    ck_assert(s.selection.pinned.row < layout.line_first + layout.line_count);
}

TEST(alt_arrows_pan)
{
    s = state_of(&buffers, &tall, 1280, 800, 1);
    press("Alt+Down");
    ck_assert_double_eq(map().row, 0); // seen whole
    press("+*12");
    MapPlace before = map();
    press("Alt+Down");
    ck_assert_double_eq_tol(map().row - before.row, before.frame.height / before.cell_height / 4, 1e-9);
    ck_assert_double_eq(map().col, before.col);
    press("Alt+Up");
    ck_assert_double_eq_tol(map().row, before.row, 1e-9);
    press("Alt+Right*200");
    MapPlace end = map();
    ck_assert_double_eq_tol(end.col + end.frame.width / end.cell_width, 300, 1e-6);
    press("Alt+Left");
    ck_assert(map().col < end.col - 1 && s.shown.head == 0 && s.selection.pinned.row < 0);
}

TEST(arrows_follow_sorted_heads)
{
    Document more = document_random(arena, &random_state, (Shape){ 20, 10, 8, 8, 4, 4, .words = true });
    int *places = arena_alloc(arena, 200 * sizeof *places);
    s = state_with_view(state_of(&buffers, &more, 500, 300, 1), VIEW_HEADS);
    derived_forget(derived);
    summary();
    s.shown.sort = SUMMARY_ENTROPY;
    layout_order(places, &s, derived);
    s.shown.layer = places[0] / 10;
    s.shown.head = places[0] % 10;
    PageLayout layout = layout_of(&s);
    press("Down");
    ck_assert_int_eq(s.shown.layer * 10 + s.shown.head, places[layout.thumbs.across]);
    press("Up");
    for (int n = 0; n < 350; n++) { // to the last head, and back: each is seen
        press(n < 200 ? "Right" : "Left");
        int place = n < 199 ? n + 1 : n < 200 ? 199 : 398 - n;
        ck_assert_int_eq(s.shown.layer * 10 + s.shown.head, places[place]);
        layout = layout_of(&s);
        CanvasRect at = layout_thumb(&layout, &s, place), f = layout.thumbs.frame;
        ck_assert_msg(at.y >= f.y - 1e-6 && at.y + at.height <= f.y + f.height + 1e-6, "place %d is not seen", place);
    }
}

// ---- pictures

static Canvas *picture(void)
{
    summary();
    color_scheme(s.display.dark ? COLOR_ON_DARK : COLOR_ON_PAPER);
    Canvas *canvas = canvas_new(arena, s.camera.width / s.camera.zoom, s.camera.height / s.camera.zoom,
                                s.camera.pixels * s.camera.zoom);
    canvas_record(canvas, kept);
    draw_view(canvas, &(View){ .state = &s, .derived = derived });
    return canvas;
}

static int times_said(const Canvas *canvas, const char *part)
{
    int count = 0;
    for (const RecordOperation *o = canvas->record->first; o; o = o->next)
        count += o->kind == RECORD_TEXT && strstr(o->text.words, part) != NULL;
    return count;
}

static bool is(const Canvas *canvas, double x, double y, Color color)
{
    const uint8_t *at = canvas->rgba + 4 * ((int)(y * canvas->scale) * canvas->width + (int)(x * canvas->scale));
    return at[0] == color.r && at[1] == color.g && at[2] == color.b;
}

TEST(matches_are_marked_at_the_edges)
{
    find("it > animal");
    Canvas *canvas = picture();
    MapPlace m = map();
    Color found = color_text(COLOR_SERIES[1], COLOR_PAPER);
    for (int n = 0; n < T; n++) {
        double x = m.frame.x + (n + 0.5) * m.cell_width, y = m.frame.y + (n + 0.5) * m.cell_height;
        ck_assert_int_eq(is(canvas, m.frame.x - 4, y, found), n == 2 || n == 4);
        ck_assert_int_eq(is(canvas, x, m.frame.y - 4, found), n == 1 || n == 5);
    }
    ck_assert_int_eq(times_said(canvas, "“it > animal”: 2 queries, 2 keys, 1 of 4"), 1);
    for (ViewKind v = VIEW_LINES; v <= VIEW_COMPARE; v++) {
        if (!state_has_view(&s, v)) continue;
        s = state_with_view(s, v);
        canvas = picture();
        int colored = 0;
        for (const RecordOperation *o = canvas->record->first; o; o = o->next)
            colored += !memcmp(&o->color, &found, sizeof found);
        ck_assert_msg(colored >= 2, "%s", view_ops((ViewKind)v)->name);
    }
    s = state_with_view(s, VIEW_HEADS);
    ck_assert_int_eq(times_said(picture(), "sorted by Σ w over 2 × 2"), 1);
}

// In Compare a cell of the second sentence alone can be pinned and followed.
TEST(aligned_cells_stay_in_sight)
{
    Document other = tall;
    const char *ones[300], *twos[300];
    for (int n = 0; n < 300; n++) {
        ones[n] = arena_format(arena, "w%d", n);
        twos[n] = n == 1 ? "x" : ones[n];
    }
    tall.queries = tall.keys = ones;
    other.queries = other.keys = twos;
    s = state_of(&buffers, &tall, 1280, 800, 1);
    s.shown.other_document = &other;
    s.shown.aligned = align_documents(arena, &tall, &other);
    s = state_with_view(s, VIEW_COMPARE);
    press("Ctrl+Down +*20");
    for (int n = 1; n < 140; n++) {
        press("Ctrl+Down");
        HeadCell spot = state_aligned_cell(&s);
        ck_assert(spot.row == n && s.selection.pinned.row == (n == 2 ? -1 : n < 2 ? n : n - 1));
        ck_assert_msg(in_sight(spot), "place %d", n);
    }
    press("+");
    ck_assert(in_sight(state_aligned_cell(&s)));
    press("Ctrl+Up*137");
    ck_assert(s.selection.pinned_aligned.row == 2 && s.selection.pinned.row < 0);
    find("w7"); // leaves no place of the second sentence pinned
    ck_assert(s.selection.pinned.row == 7 && s.selection.pinned_aligned.row < 0 && in_sight(state_aligned_cell(&s)));
}

// A word, or part of a word, in the second sentence alone is marked there.
TEST_EACH(matches_in_the_second_sentence_are_marked, 2)
{
    static const char *const others[] = { "The", "zebra", "items", "zebra", "crosses" };
    static const unsigned marked[2][2] = { { 0, 1u << 1 | 1u << 3 }, { 1u << 2 | 1u << 4, 1u << 2 } };
    Mat map5 = mat_new(arena, 5, 5);
    Document other = document_of_maps(arena, 1, 1, &map5);
    other.queries = other.keys = others;
    s.shown.other_document = &other;
    s.shown.aligned = align_documents(arena, &d, &other);
    s = state_with_view(s, VIEW_COMPARE);
    find(_i ? "it" : "zebra");
    Canvas *canvas = picture();
    PageLayout layout = layout_of(&s);
    const AlignedAxis *rows = &s.shown.aligned->rows;
    for (int n = 0; n < 2 * rows->count; n++) {
        int m = n % 2, at = (m ? rows->second : rows->first)[n / 2];
        const MapPlace *p = &layout.maps[m];
        bool mark = is(canvas, p->frame.x - 4, p->frame.y + (n / 2 + 0.5) * p->cell_height,
                       color_text(COLOR_SERIES[1], COLOR_PAPER));
        ck_assert_msg(mark == (at >= 0 && marked[_i][m] >> at & 1u), "row %d of map %d", n / 2, m);
    }
}

TEST(matches_in_lines)
{
    s = state_with_view(s, VIEW_LINES);
    Color found = color_text(COLOR_SERIES[1], COLOR_PAPER);
    find("it");
    for (LinesScope lines = LINES_HEAD; lines <= LINES_LAYERS; lines++) {
        s.shown.lines = lines;
        int said = 0;
        for (const RecordOperation *o = picture()->record->first; o; o = o->next)
            said += o->kind == RECORD_TEXT && !strcmp(o->text.words, "It") && !memcmp(&o->color, &found, sizeof found);
        ck_assert_msg(said == 2, "lines %d: %d", lines, said); // once among queries, once among keys
    }
}

TEST(panel_shows_role_and_formulas)
{
    ck_assert_int_eq(times_said(picture(), "this head: previous token ≥ 0.4"), 1);
    int before = times_said(picture(), "mean");
    press("i");
    ck_assert_int_gt(times_said(picture(), "mean"), before + 2);
    s.shown.head = 2;
    ck_assert_int_eq(times_said(picture(), "this head:"), 0);
}

TEST(dark_keeps_maps_and_bare_has_no_tabs)
{
    MapPlace m = map();
    press("p");
    Canvas *dark = picture();
    ck_assert(is(dark, m.frame.x + 2, m.frame.y + 2, color_at(COLOR_VIRIDIS, (double)0.75f)));
    ck_assert(times_said(dark, "Compare") && times_said(dark, "? lists the keys"));
    s.display.bare = true;
    ck_assert(!times_said(picture(), "Compare") && !times_said(picture(), "? lists"));
}

// ---- large type

TEST_EACH(large_type_drops_tabs_before_labels, 4)
{
    Document words16 = document_random(arena, &random_state, (Shape){ 2, 4, 16, 16, 4, 8, .words = true });
    s = state_of(&buffers, &words16, 1280, 800, 1);
    s.camera.zoom = (double[]){ 1.1, 1.33, 1.77, 2 }[_i];
    PageLayout layout = layout_of(&s);
    const MapPlace *m = &layout.maps[0];
    ck_assert(layout.room.fit >= 25 && layout.room.fit_height >= 13);
    int numbers = 0, rows = 0;
    for (const RecordOperation *o = picture()->record->first; o; o = o->next) {
        if (o->kind != RECORD_TEXT || o->text.style.angle != 0) continue;
        numbers += o->text.style.face == CANVAS_MONO && o->text.x > m->frame.x &&
                   o->text.x < m->frame.x + m->frame.width && o->text.y > m->frame.y;
        rows += fabs(o->text.x - (m->frame.x - MAP_GAP)) < 0.01 && o->text.style.anchor == CANVAS_AT_END;
    }
    ck_assert(rows == 16 && numbers >= 200);
    if (_i < 3) return;
    ck_assert(layout.close && !times_said(picture(), "Lines") && times_said(picture(), "One head") == 1);
    CanvasRect tab = layout.tabs[VIEW_HEAD];
    send((Event){ EVENT_PRESS, .x = (tab.x + 3) * s.camera.zoom, .y = (tab.y + 3) * s.camera.zoom });
    ck_assert_int_eq(s.shown.view, VIEW_LINES);
    s.camera.zoom = 1;
    ck_assert(!layout_of(&s).close && times_said(picture(), "Stages") == 1);
}

TEST(display_scale_is_parsed)
{
    // clang-format off
    static const struct { const char *scale, *dpi_scale, *dpi; double is; } cases[] = {
        { NULL, NULL, NULL, 1 }, { NULL, NULL, "192", 2 }, { NULL, NULL, "144.0", 1.5 }, { "2", "0.5", "192", 2 },
        { "2", "0.5", NULL, 1 }, { NULL, NULL, "many", 1 }, { "0", NULL, "-96", 1 }, { "inf", NULL, "nan", 1 },
        { "9", NULL, NULL, 4 }, { NULL, NULL, "1", 0.5 },
    };
    // clang-format on
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        ck_assert_double_eq_tol(display_scale(cases[n].scale, cases[n].dpi_scale, cases[n].dpi), cases[n].is, 1e-12);
}

// ---- words that are suggested

TEST(the_nearest_words_are_suggested)
{
    static const char *const cases[][2] = { { "anmal", "animal" }, { "cro", "cross" }, { "becuase", "because" } };
    int near[3];
    for (size_t n = 0; n < 3; n++) {
        int count = words_near(near, 3, cases[n][0], (int)strlen(cases[n][0]));
        ck_assert_msg(count > 0 && !strcmp(word_text(near[0]), cases[n][1]), "%s", cases[n][0]);
    }
    ck_assert_int_eq(words_near(near, 3, "xyzzyxyz", 8), 0);
    ck_assert_int_eq(words_near(near, 3, "an enormously long word that nobody has", 39), 0);
    Error error;
    int ids[WORD_SENTENCE_MOST], count;
    ck_assert(!words_of_sentence(ids, &count, "The anmal was tired", &error));
    ck_assert_msg(strstr(error.text, "; near it: animal"), "%s", error.text);
}
