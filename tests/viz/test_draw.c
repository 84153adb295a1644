// Pictures: properties that do not depend on the design, and the golden pictures of tests/viz/golden. After a change of
// the design, look at the pictures and renew them, from the top folder: RENEW_GOLDEN=1 build/tests/suites draw
// Text is blanked, since it depends on the fonts of the machine.
#include "viz/draw.h"

#include "base/portable_math.h"
#include "figure/heatmap.h"
#include "figure/png.h"
#include "figure/svg.h"
#include "io/file.h"
#include "support/maps.h"
#include "support/reference.h"
#include "viz/draw_internal.h"
#include "viz/update.h"
#include "viz/views.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("%s", #ok); \
    } while (0)

static Derived *derived;
static Document d;
static State s;
static StateBuffers buffers;

static void setup(void) { derived = derived_open(); }
static void teardown(void) { derived_close(derived); }
FIXTURE(setup, teardown);

static void show(Document document, ViewKind view, double width, double height)
{
    d = document;
    s = state_with_view(state_of(&buffers, &d, width, height, 1), view);
    ck_assert_int_eq(s.shown.view, view);
    derived_forget(derived);
}

static Canvas *picture(void)
{
    derived_prepare(derived, &d, state_wanted(&s), (double)INFINITY);
    Canvas *canvas = canvas_new(arena, s.camera.width / s.camera.zoom, s.camera.height / s.camera.zoom,
                                s.camera.pixels * s.camera.zoom);
    draw_view(canvas, &(View){ .state = &s, .derived = derived });
    return canvas;
}

static Document some(int layers, int heads, bool causal)
{
    Random random = random_from(3);
    return document_random(arena, &random, (Shape){ layers, heads, 8, 8, 4, 10, .causal = causal, .words = true });
}

// ---- pixels

static Color pixel(const Canvas *canvas, double x, double y)
{
    int column = (int)(x * canvas->scale), row = (int)(y * canvas->scale);
    must(column >= 0 && row >= 0 && column < canvas->width && row < canvas->height);
    const uint8_t *at = canvas->rgba + 4 * (row * canvas->width + column);
    return (Color){ at[0], at[1], at[2] };
}

static bool alike(Color a, Color b, int most)
{
    return abs(a.r - b.r) <= most && abs(a.g - b.g) <= most && abs(a.b - b.b) <= most;
}

// A corner of a cell, without a number.
static Color cell_pixel(const Canvas *canvas, const MapPlace *m, int row, int col)
{
    return pixel(canvas, m->frame.x + (col - m->col) * m->cell_width + 3,
                 m->frame.y + (row - m->row) * m->cell_height + 3);
}

// ---- what must be true

TEST(masked_is_not_zero)
{
    Mat map = mat_new(arena, 6, 6);
    for (int i = 0; i < 6; i++) *mat_ref(map, i, i) = 1;
    Document document = document_of_maps(arena, 1, 2, (Mat[]){ map, map });
    for (ViewKind view = VIEW_HEADS; view <= VIEW_HEAD; view++) {
        document.masked = MASK_NONE;
        show(document, view, 1280, 800);
        Canvas *zeros = picture();
        document.masked = MASK_CAUSAL;
        show(document, view, 1280, 800);
        Canvas *masked = picture();
        ck_assert(memcmp(zeros->rgba, masked->rgba, 4 * 1280 * 700));
        if (view == VIEW_HEADS) continue;
        MapPlace m = layout_of(&s).maps[0];
        Color nothing = color_at(COLOR_VIRIDIS, 0);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                must(alike(cell_pixel(zeros, &m, i, j), color_at(COLOR_VIRIDIS, i == j ? 1 : 0), 0));
                must(alike(cell_pixel(masked, &m, i, j), nothing, 40) == (j < i));
            }
    }
}

// Is there a bar right of the map, with the colour of the largest value at its top and of the smallest at its bottom?
static bool has_bar(const Canvas *canvas, const MapPlace *m, Color high, Color low)
{
    double foot = m->frame.y + m->frame.height;
    for (double x = m->frame.x + m->frame.width + 2; x < m->frame.x + m->frame.width + BAR_ROOM; x++)
        if (alike(pixel(canvas, x, m->frame.y), high, 3) && alike(pixel(canvas, x, foot - 1), low, 3)) return true;
    return false;
}

TEST(colour_bar_matches_cells)
{
    Mat map = mat_new(arena, 8, 8);
    for (int i = 0; i < 8; i++) *mat_ref(map, i, i) = 1;
    for (ColorMap c = COLOR_VIRIDIS; c < COLOR_DIVERGING; c++)
        for (Scale scale = SCALE_LINEAR; scale <= SCALE_LOG; scale++) {
            show(document_of_maps(arena, 1, 1, &map), VIEW_HEAD, 1280, 800);
            s.shown.colors = c;
            s.shown.scale = scale;
            Canvas *canvas = picture();
            MapPlace m = layout_of(&s).maps[0];
            Color high = cell_pixel(canvas, &m, 0, 0), low = cell_pixel(canvas, &m, 0, 1);
            ck_assert(alike(high, color_at(c, 1), 0) && alike(low, color_at(c, 0), 0));
            ck_assert(has_bar(canvas, &m, high, low));
        }
}

// ---- orientation: three queries, six keys, and in each head one pair that stands out

static Document two_hot_heads(void)
{
    static const int hot[2][2] = { { 1, 4 }, { 2, 0 } };
    Mat maps[2];
    for (int h = 0; h < 2; h++) {
        maps[h] = mat_new(arena, 3, 6);
        mat_fill(maps[h], 1.0f / 6);
        mat_fill(mat_rows(maps[h], hot[h][0], 1), 0);
        *mat_ref(maps[h], hot[h][0], hot[h][1]) = 1;
    }
    return document_of_maps(arena, 1, 2, maps);
}

// Does this map, drawn in r, have the colour of 1 at query i and key j alone?
static bool only_hot(const Canvas *canvas, CanvasRect r, int i, int j)
{
    bool only = true;
    for (int row = 0; row < 3; row++)
        for (int col = 0; col < 6; col++) {
            Color c = pixel(canvas, r.x + (col + 0.2) * r.width / 6, r.y + (row + 0.2) * r.height / 3);
            only &= alike(c, color_at(COLOR_VIRIDIS, 1), 2) == (row == i && col == j);
        }
    return only;
}

TEST(a_row_is_a_query_and_a_column_a_key)
{
    show(two_hot_heads(), VIEW_HEAD, 1280, 800);
    ck_assert(only_hot(picture(), layout_of(&s).maps[0].frame, 1, 4));
    show(two_hot_heads(), VIEW_HEADS, 1280, 800);
    PageLayout layout = layout_of(&s);
    CanvasRect thumb = layout_thumb(&layout, &s, 0);
    ck_assert(only_hot(picture(), (CanvasRect){ thumb.x, thumb.y, thumb.width, thumb.width / 2 }, 1, 4));
    show(two_hot_heads(), VIEW_COMPARE, 1280, 800);
    Canvas *canvas = picture();
    layout = layout_of(&s);
    ck_assert(only_hot(canvas, layout.maps[0].frame, 1, 4) && only_hot(canvas, layout.maps[1].frame, 2, 0));
    static const struct {
        int row, col;
        double at;
    } differences[] = { { 0, 3, 0.5 }, { 1, 4, 1 }, { 2, 0, 0 } };
    for (int n = 0; n < 3; n++)
        ck_assert(alike(cell_pixel(canvas, &layout.maps[2], differences[n].row, differences[n].col),
                        color_at(COLOR_DIVERGING, differences[n].at), 1));
}

// The curve of weight 1 has the accent colour: from query 1 on the left to key 4 on the right.
TEST(lines_lead_from_query_to_key)
{
    show(two_hot_heads(), VIEW_LINES, 1280, 800);
    Canvas *canvas = picture();
    PageLayout layout = layout_of(&s);
    CanvasRect r = layout.lines;
    double left = 1e9, right = -1, from = 0, to = 0;
    for (int x = (int)r.x; x < r.x + r.width; x++)
        for (int y = (int)r.y; y < r.y + r.height; y++) {
            if (!alike(pixel(canvas, x, y), COLOR_ACCENT, 0)) continue;
            if (left > x) left = x, from = y;
            right = x;
            to = y;
        }
    ck_assert(right - left > 200);
    ck_assert_double_eq_tol(to - from, 3 * layout.line_step, 6);
    ck_assert_double_eq_tol(from - r.y, 1.5 * layout.line_step, 6);
}

// Is there a pixel of this colour between the words?
static bool has_line(const Canvas *canvas, Color color)
{
    CanvasRect at = layout_of(&s).bands[0].curves;
    for (int y = (int)at.y; y < at.y + at.height; y++)
        for (int x = (int)at.x + 4; x < at.x + at.width - 4; x++)
            if (alike(pixel(canvas, x, y), color, 0)) return true;
    return false;
}

// Heads 0 and 1 have one weight of 1 each: 1 → 4 and 2 → 0. Others are 1/6.
static void check_lines(bool first, bool second)
{
    Canvas *canvas = picture();
    ck_assert(has_line(canvas, draw_head_color(0)) == first && has_line(canvas, draw_head_color(1)) == second);
}

TEST(heads_have_colours)
{
    show(two_hot_heads(), VIEW_LINES, 1280, 800);
    s.shown.lines = LINES_LAYER;
    check_lines(true, true);
    s.shown.hidden_heads[1] = 1;
    check_lines(true, false);
    s.shown.hidden_heads[1] = 0;
    s.selection.pinned = (HeadCell){ 2, 2 }; // query 2
    check_lines(false, true);
    s.selection = (Selection){ .pinned = { 0, 4 }, .pinned_by_key = true, .hover = { -1, -1 } }; // key 4
    check_lines(true, false);
    s.selection.pinned_by_key = false; // query 0 has small weights alone
    check_lines(false, false);
}

// Lines and cells of other sentences are left out; folded cells keep the rest.
TEST(sentence_pairs)
{
    static const unsigned char queries[] = { 0, 0, 1 }, keys[] = { 0, 0, 0, 1, 1, 1 };
    Document of = two_hot_heads();
    of.query_sentence = queries;
    of.key_sentence = keys;
    for (SentencePair parts = PAIR_ALL; parts < PAIRS; parts++) {
        show(of, VIEW_LINES, 1280, 800);
        s.shown.lines = LINES_LAYER;
        s.shown.pair = parts;
        check_lines(parts == PAIR_ALL || parts == PAIR_AB, parts == PAIR_ALL || parts == PAIR_BA);
        for (int fold = 1; fold <= 2; fold++) {
            MapPlace m = { { 0, 0, 60, 30 }, 10, 10, 0, 0, 3, 6, fold, fold };
            MapCells seen = cells_of_head(arena, &(View){ .state = &s }, s.shown.document, 0, 0, &m);
            for (int i = 0; i < seen.kind.rows; i++)
                for (int j = 0; j < seen.kind.cols; j++) {
                    bool in = false;
                    for (int r = i * fold; r < (i + 1) * fold && r < 3; r++)
                        for (int c = j * fold; c < (j + 1) * fold && c < 6; c++)
                            in |= parts == PAIR_ALL || (queries[r] == (parts == PAIR_BA || parts == PAIR_BB) &&
                                                        keys[c] == (parts == PAIR_AB || parts == PAIR_BB));
                    ck_assert((*mat_ref(seen.kind, i, j) != MAP_LEFT_OUT) == in);
                }
        }
    }
}

// Among many lines small weights are left out, unless all are similar.
TEST(small_weights_are_left_out)
{
    enum { N = 36, HEADS = 12 };
    Mat maps[HEADS];
    for (int h = 0; h < HEADS; h++) mat_fill(maps[h] = mat_new(arena, N, N), 1.0f / N);
    show(document_of_maps(arena, 1, HEADS, maps), VIEW_LINES, 1280, 900);
    s.shown.lines = LINES_LAYER;
    CanvasRect at = layout_of(&s).bands[0].curves;
    Canvas *all = picture();
    ck_assert(!alike(pixel(all, at.x + at.width / 2, at.y + at.height / 2), COLOR_PAPER, 2));
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i++) *mat_ref(maps[h], i, i) = 0.9f; // now small ones are few beside them
    Canvas *some = picture();
    int painted = 0;
    for (int y = (int)at.y; y < at.y + at.height; y++)
        painted += !alike(pixel(some, at.x + at.width / 2, y), COLOR_PAPER, 2);
    ck_assert_int_lt(painted, (int)at.height * 3 / 4);
}

// ---- colours of heads, as the eye has them

typedef struct {
    double l, a, b;
} Lab;

static double linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }

// Colours as seen without one kind of cones [Machado, Oliveira & Fernandes 2009], in Ottosson's Oklab.
static Lab seen_by(int sight, Color color)
{
    static const double sights[4][9] = {
        { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
        { 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998 },
        { 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881 },
        { 1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900 },
    };
    const double *m = sights[sight],
                 in[3] = { linear(color.r / 255.0), linear(color.g / 255.0), linear(color.b / 255.0) };
    double out[3];
    for (int k = 0; k < 3; k++)
        out[k] = fmin(1, fmax(0, m[3 * k] * in[0] + m[3 * k + 1] * in[1] + m[3 * k + 2] * in[2]));
    double l = cbrt(0.4122214708 * out[0] + 0.5363325363 * out[1] + 0.0514459929 * out[2]);
    double n = cbrt(0.2119034982 * out[0] + 0.6806995451 * out[1] + 0.1073969566 * out[2]);
    double t = cbrt(0.0883024619 * out[0] + 0.2817188376 * out[1] + 0.6299787005 * out[2]);
    return (Lab){ 0.2104542553 * l + 0.7936177850 * n - 0.0040720468 * t,
                  1.9779984951 * l - 2.4285922050 * n + 0.4505937099 * t,
                  0.0259040371 * l + 0.7827717662 * n - 0.8086757660 * t };
}

TEST_EACH(colours_of_heads_are_told_apart, 2)
{
    color_scheme(_i ? COLOR_ON_DARK : COLOR_ON_PAPER);
    double paper = color_luminance(COLOR_PAPER) + 0.05;
    for (int a = 0; a < 12; a++) {
        double light = color_luminance(draw_head_color(a)) + 0.05;
        ck_assert_double_ge(fmax(light, paper) / fmin(light, paper), 3);
        for (int b = 0; b < a; b++)
            for (int sight = 0; sight < 4; sight++) {
                Lab one = seen_by(sight, draw_head_color(a)), other = seen_by(sight, draw_head_color(b));
                double apart = sqrt(pow(one.l - other.l, 2) + pow(one.a - other.a, 2) + pow(one.b - other.b, 2));
                ck_assert_msg(apart >= 0.09, "%d and %d, sight %d: %.3f", a, b, sight, apart);
            }
    }
    for (int a = 0; a < 48; a++)
        for (int b = 0; b < a; b++) must(!alike(draw_head_color(a), draw_head_color(b), 1));
    color_scheme(COLOR_ON_PAPER);
}

// Is the cell mostly background? Hatching leaves none.
static bool is_blank(const Canvas *canvas, const MapPlace *m, int row, int col)
{
    int paper = 0, all = 0;
    for (double y = 2; y < m->cell_height - 2; y++)
        for (double x = 2; x < m->cell_width - 2; x++, all++)
            paper += alike(pixel(canvas, m->frame.x + col * m->cell_width + x, m->frame.y + row * m->cell_height + y),
                           COLOR_PAPER, 0);
    return 2 * paper > all;
}

// "a b c" and "a x c" align as a, b, x, c: b is absent in the second, x in the first.
TEST_EACH(absent_cells_are_blank, SCALES)
{
    static const char *const one[] = { "a", "b", "c" }, *const two[] = { "a", "x", "c" };
    Mat map = mat_new(arena, 3, 3);
    for (int i = 0; i < 3; i++) *mat_ref(map, i, i) = 1;
    Document second = d = document_of_maps(arena, 1, 1, &map);
    d.queries = d.keys = one;
    second.queries = second.keys = two;
    s = state_of(&buffers, &d, 1280, 800, 1);
    s.shown.other_document = &second;
    s.shown.aligned = align_documents(arena, &d, &second);
    s.shown.scale = (Scale)_i;
    s = state_with_view(s, VIEW_COMPARE);
    Canvas *canvas = picture();
    PageLayout layout = layout_of(&s);
    Color full = color_at(_i == SCALE_UNIFORM ? COLOR_DIVERGING : COLOR_VIRIDIS, 1);
    for (int n = 0; n < 32; n++) {
        int m = n / 16, i = n / 4 % 4, j = n % 4;
        bool absent = i == 2 - m || j == 2 - m;
        must(absent == is_blank(canvas, &layout.maps[m], i, j));
        must(alike(cell_pixel(canvas, &layout.maps[m], i, j), full, 2) == (i == j && !absent));
    }
    must(alike(cell_pixel(canvas, &layout.maps[2], 3, 3), color_at(COLOR_DIVERGING, 0.5), 1));
}

// ---- a map of many cells a pixel

TEST_EACH(folded_rows_keep_their_sum, 4)
{
    static const Shape shapes[] = { { 1, 1, 300, 300, 3, 4, .causal = true },
                                    { 1, 1, 300, 517, 3, 4, .causal = true },
                                    { 1, 1, 61, 700, 3, 4, .causal = false },
                                    { 1, 1, 700, 513, 3, 4, .causal = false } };
    show(document_random(arena, &random_state, shapes[_i]), VIEW_HEAD, 400, 300);
    derived_prepare(derived, &d, state_wanted(&s), (double)INFINITY);
    MapPlace m = layout_of(&s).maps[0];
    MapCells direct = cells_of_head(arena, &(View){ .state = &s }, &d, 0, 0, &m);
    MapCells seen = cells_of_head(arena, &(View){ .state = &s, .derived = derived }, &d, 0, 0, &m);
    ck_assert(m.fold_cols > 1 && seen.values.rows == (m.rows + m.fold_rows - 1) / m.fold_rows);
    for (int i = 0; i < seen.values.rows; i++) {
        double sum = 0;
        for (int j = 0; j < seen.values.cols; j++) {
            must(*mat_ref(seen.kind, i, j) == *mat_ref(direct.kind, i, j));
            if (*mat_ref(seen.kind, i, j) != MAP_SHOWN) continue;
            sum += (double)*mat_ref(seen.values, i, j);
            must(fabs((double)*mat_ref(seen.values, i, j) - (double)*mat_ref(direct.values, i, j)) < 1e-6);
        }
        must(fabs(sum - 1) < 1e-5);
    }
}

TEST(first_keys_are_left_out)
{
    show(some(1, 2, false), VIEW_HEAD, 1280, 800);
    Canvas *whole = picture();
    s.shown.hide_keys = 2;
    Canvas *hidden = picture();
    MapPlace m = layout_of(&s).maps[0];
    for (int j = 0; j < 8; j++) must(alike(cell_pixel(whole, &m, 4, j), cell_pixel(hidden, &m, 4, j), 0) == (j >= 2));
}

// ---- kept pictures

static const struct {
    const char *name;
    ViewKind view;
} kept[] = { { "heads", VIEW_HEADS }, { "head", VIEW_HEAD },   { "stages", VIEW_STAGES }, { "compare", VIEW_COMPARE },
             { "tiles", VIEW_TILES }, { "lines", VIEW_LINES }, { "ranks", VIEW_TILES } };

static Document kept_document(int i, Random *random)
{
    if (i == 6) return document_of_ranks(arena, random, 8, 4);
    return kept[i].view == VIEW_TILES ? document_walk(arena, random, 8, 3) : some(2, 3, true);
}

static void wipe_text(Canvas *canvas)
{
    for (int t = 0; t < canvas->text_count; t++) {
        CanvasBox b = canvas->text[t];
        canvas_rect(canvas, b.x, b.y, b.width, b.height, COLOR_PAPER);
    }
}

static void renew(const Canvas *canvas, const char *path)
{
    unsigned char *bytes;
    int size;
    Error error;
    bool good = file_make_folder("tests/viz/golden", &error) && png_encode(&bytes, &size, canvas, &error) &&
                file_write(path, bytes, (size_t)size, &error);
    ck_assert_msg(good, "%s", error.text);
    free(bytes);
}

TEST_EACH(pictures_equal_the_goldens, (int)(sizeof kept / sizeof *kept))
{
    if (!png_available()) return;
    Random random = random_from(11);
    Error error;
    FileBytes file;
    Canvas *want;
    show(kept_document(_i, &random), kept[_i].view, 640, 400);
    if (s.shown.view == VIEW_STAGES) s.shown.stage = STAGE_MASKED;
    if (s.shown.view == VIEW_TILES) s.shown.frame = 1;
    if (s.shown.view == VIEW_HEAD || s.shown.view == VIEW_LINES) s.selection.pinned = (HeadCell){ 5, 2 };
    Canvas *got = picture();
    const char *path = arena_format(arena, "tests/viz/golden/%s.png", kept[_i].name);
    wipe_text(got);
    if (getenv("RENEW_GOLDEN")) renew(got, path);
    bool good =
        file_read(&file, arena, path, &error) && png_decode(&want, arena, file.at, (int)file.size, path, &error);
    ck_assert_msg(good, "%s", error.text);
    ck_assert(want->width == got->width && want->height == got->height);
    int apart = 0, first = -1;
    for (int p = 0; p < got->width * got->height; p++) {
        const uint8_t *a = want->rgba + 4 * p, *b = got->rgba + 4 * p;
        if (alike((Color){ a[0], a[1], a[2] }, (Color){ b[0], b[1], b[2] }, 1)) continue;
        if (!apart++) first = p;
    }
    ck_assert_msg(!apart, "%s: %d pixels are drawn otherwise, the first at x %d, y %d", path, apart, first % got->width,
                  first / got->width);
}

// ---- what is said

// The picture as SVG, for its words.
static const char *words(void)
{
    Arena *record = arena_open();
    Canvas *canvas = canvas_new(arena, s.camera.width, s.camera.height, 1);
    size_t size;
    canvas_record(canvas, record);
    draw_view(canvas, &(View){ .state = &s, .derived = derived });
    char *text = svg_encode(&size, canvas), *kept_text = arena_format(arena, "%s", text);
    free(text);
    arena_close(record);
    return kept_text;
}
#define says(what)      ck_assert_msg(strstr(words(), what), "it does not say: %s", what)
#define is_silent(what) ck_assert_msg(!strstr(words(), what), "it says: %s", what)

// 20000 × 20000: the first picture is immediate and does not read what it would have to fold.
static int planes_asked;
static const unsigned char *asked_plane(void *row, FieldKind kind, int plane)
{
    planes_asked += kind == FIELD_WEIGHTS && plane == 0;
    return row;
}

TEST(huge_maps_are_drawn_when_read)
{
    static float row[64];
    Mat map = mat_new(arena, 2, 2);
    Document huge = document_of_maps(arena, 1, 1, &map);
    huge.T = huge.S = huge.fields[0].rows = huge.fields[0].cols = 20000;
    huge.fields[0].row_step = huge.fields[0].col_step = 0;
    huge.fields[0].planes = NULL;
    huge.fields[0].make = asked_plane;
    huge.fields[0].maker = row;
    show(huge, VIEW_HEAD, 900, 700);
    MapPlace place = layout_of(&s).maps[0];
    View view = { .state = &s, .derived = derived };
    planes_asked = 0;
    ck_assert(cells_awaited(&view, &d, 0, 0, &place));
    MapCells cells = cells_of_head(arena, &view, &d, 0, 0, &place);
    ck_assert(planes_asked == 0 && *mat_ref(cells.kind, 0, 0) == MAP_LEFT_OUT);
    Canvas *canvas = canvas_new(arena, s.camera.width, s.camera.height, 1);
    draw_view(canvas, &view);
    const int fold = place.fold_rows; // as far as it has been read the map is seen
    while (cells_read(&view, &d, 0, 0) < 3 * fold)
        derived_prepare(derived, &d, (DerivedWanted){ { 0, -1 }, { 0, -1 }, false }, 0);
    const int read = cells_read(&view, &d, 0, 0);
    ck_assert_int_lt(read, 20000);
    says(arena_format(arena, "the map is being read: %d of 20000 rows", read));
    cells = cells_of_head(arena, &view, &d, 0, 0, &place);
    for (int i = 0; i < cells.kind.rows; i++)
        ck_assert(*mat_ref(cells.kind, i, 5) == (i < read / fold ? MAP_SHOWN : MAP_LEFT_OUT));
}

// The default scale is logarithmic when few weights exceed 0.2.
TEST(default_scale)
{
    static const struct {
        int T;
        double most;
        Scale scale;
    } cases[] = {
        { 90, 0.7, SCALE_LINEAR }, { 110, 0.7, SCALE_LOG }, { 64, 0.1, SCALE_LOG }, { 63, 0.1, SCALE_LINEAR }
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int T = cases[c].T;
        Mat map = mat_new(arena, T, T);
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++)
                mat_row(map, i)[j] = (float)(i == j ? cases[c].most : (1 - cases[c].most) / (T - 1));
        Document of = document_of_maps(arena, 1, 1, &map);
        ck_assert_msg(cells_usual_scale(&of) == cases[c].scale, "case %d", (int)c);
        of.warning = "no weights";
        ck_assert_int_eq(cells_usual_scale(&of), SCALE_LINEAR);
    }
}

TEST(default_scale_is_named)
{
    show(some(2, 3, false), VIEW_HEAD, 1280, 800);
    says("linear 0–1 ·");
    s.shown.scale = SCALE_LOG;
    is_silent("as few weights pass 0.2"); // chosen, not usual
    s.shown.usual_scale = SCALE_LOG;
    says("log, as few weights pass 0.2");
}

// From the summary if ready; before that only if it is fast.
TEST(hidden_mass_is_printed)
{
    Mat map = mat_new(arena, 10, 10);
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) mat_row(map, i)[j] = j == 0 ? 0.37f : 0.07f;
    show(document_of_maps(arena, 1, 1, &map), VIEW_HEAD, 1280, 800);
    s.shown.hide_keys = 2;
    says("first 2 keys left out, with 0.44 of the mass");
    derived_prepare(derived, &d, state_wanted(&s), (double)INFINITY);
    says("first 2 keys left out, with 0.44 of the mass");
}
