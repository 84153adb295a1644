// SVG: each call is the element that it should be, words cannot break the file, cells become rectangles or a picture,
// and what is recorded is painted as before.
#include "base/arena.h"
#include "base/portable_math.h"
#include "figure/heatmap.h"
#include "figure/links.h"
#include "figure/vector_plot.h"
#include "figure/plot.h"
#include "figure/png.h"
#include "figure/svg.h"
#include "base/base64.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static Arena *records;

static void open_arena(void) { records = arena_open(); }

static void close_arena(void) { arena_close(records); }
FIXTURE(open_arena, close_arena);

static Canvas *recorded(double width, double height, double scale)
{
    Canvas *canvas = canvas_new(arena, width, height, scale);
    canvas_record(canvas, records);
    return canvas;
}

// The file of a canvas; it is freed with the arena.
static const char *svg_of(const Canvas *canvas)
{
    size_t size;
    char *out = svg_encode(&size, canvas);
    ck_assert_uint_eq(strlen(out), size);
    char *text = arena_format(arena, "%s", out);
    free(out);
    return text;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

#define ck_contains(text, part) ck_assert_msg(strstr(text, part), "no %s in\n%s", part, text)

TEST(a_file_has_its_size_in_points)
{
    const char *text = svg_of(recorded(100.5, 40, 2));
    ck_assert_str_eq(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
                           " width=\"100.5\" height=\"40\" viewBox=\"0 0 100.5 40\""
                           " font-family=\"DejaVu Sans, sans-serif\" xml:space=\"preserve\">\n"
                           "<rect width=\"100%\" height=\"100%\" fill=\"#faf9f6\"/>\n</svg>\n");
}

TEST(each_call_is_an_element)
{
    Canvas *canvas = recorded(100, 100, 2);
    const double xy[] = { 1, 2, 30, 4.25, 5, 60, -7, 8 };
    canvas_rect(canvas, 1, 2.5, 30, 4, COLOR_ACCENT);
    canvas_tint(canvas, 1, 2, 3, 4, COLOR_INK, 0.16);
    canvas_frame(canvas, 10, 20, 30, 40, 2, COLOR_MARK);
    canvas_hatch(canvas, 10.2, 20, 30, 40);
    canvas_line(canvas, 1, 2, 3, 4.0004, 1.5, COLOR_RULE);
    canvas_polyline(canvas, xy, 3, 1, COLOR_INK);
    canvas_curve(canvas, xy, 1, COLOR_INK);
    canvas_disc(canvas, 5, -6.125, 2, COLOR_INK);
    canvas_polygon(canvas, xy, 4, COLOR_INK);
    const char *text = svg_of(canvas), *round = "stroke-linecap=\"round\" stroke-linejoin=\"round\"";
    ck_contains(text, "<rect x=\"1\" y=\"2.5\" width=\"30\" height=\"4\" fill=\"#31688e\"/>\n");
    ck_contains(text, "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#1f2328\" fill-opacity=\"0.16\"/>\n");
    ck_contains(text, "<rect x=\"11\" y=\"21\" width=\"28\" height=\"38\" fill=\"none\" stroke=\"#c93f55\""
                      " stroke-width=\"2\"/>\n");
    ck_contains(text, "<rect x=\"10\" y=\"20\" width=\"30\" height=\"40\" fill=\"url(#masked)\"/>\n");
    ck_contains(text, "<line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\" stroke=\"#e4e1da\" stroke-width=\"1.5\"/>\n");
    ck_contains(text, arena_format(arena, "<polyline points=\"1,2 30,4.25 5,60\" fill=\"none\" %s", round));
    ck_contains(text, "<path d=\"M1,2 C30,4.25 5,60 -7,8\" fill=\"none\" stroke-linecap=\"round\"");
    ck_contains(text, "<circle cx=\"5\" cy=\"-6.125\" r=\"2\" fill=\"#1f2328\"/>\n");
    ck_contains(text, "<polygon points=\"1,2 30,4.25 5,60 -7,8\" fill=\"#1f2328\"/>\n");
    ck_assert_int_eq(count_of(text, "<pattern"), 1);
    ck_assert_int_eq(count_of(text, "\n"), 13); // nothing is written twice
}

TEST(what_cannot_be_seen_is_left_out)
{
    Canvas *canvas = recorded(100, 100, 1);
    canvas_rect(canvas, 1, 2, -3, 4, COLOR_INK);
    canvas_rect(canvas, 1, 2, NAN, 4, COLOR_INK);
    canvas_line(canvas, 1, 2, 1, 2, 3, COLOR_INK);
    canvas_polyline(canvas, NULL, 0, 3, COLOR_INK);
    canvas_text(canvas, 1, 2, (CanvasText){ .color = COLOR_INK }, "");
    canvas_cells(canvas, 0, 0, 1, 1, 0, 5, NULL);
    ck_assert_int_eq(count_of(svg_of(canvas), "\n"), 3);
    canvas_rect(canvas, NAN, -1e300, 1e300, INFINITY, COLOR_INK);
    ck_contains(svg_of(canvas), "<rect x=\"-1000000\" y=\"-1000000\" width=\"1000000\" height=\"1000000\"");
}

TEST(words_are_words)
{
    Canvas *canvas = recorded(200, 100, 1);
    canvas_text(canvas, 10, 20, (CanvasText){ .size = 16, .color = COLOR_INK }, "To");
    canvas_text(canvas, 10, 20,
                (CanvasText){ .face = CANVAS_MONO, .color = COLOR_MARK, .anchor = CANVAS_AT_END, .angle = 90 }, "0.5");
    canvas_text(canvas, 10, 20, (CanvasText){ .face = CANVAS_SANS_BOLD, .size = 12, .anchor = CANVAS_AT_MIDDLE }, "Q");
    const char *text = svg_of(canvas);
    ck_contains(text, "<text x=\"10\" y=\"20\" font-size=\"16\" fill=\"#1f2328\" textLength=\"19.563\""
                      " lengthAdjust=\"spacingAndGlyphs\">To</text>\n"); // (1251 + 1253) / 2048 · 16
    ck_contains(text, "<text x=\"10\" y=\"20\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"13\""
                      " text-anchor=\"end\" fill=\"#c93f55\" transform=\"rotate(-90 10 20)\" textLength=\"23.48\"");
    ck_contains(text, "font-weight=\"bold\" font-size=\"12\" text-anchor=\"middle\"");
}

TEST(hostile_words_stay_words)
{
    const char *const words[][2] = {
        { "</text><script>x()</script>", "&lt;/text&gt;&lt;script&gt;x()&lt;/script&gt;" },
        { "a&b;&#0;\"'", "a&amp;b;&amp;#0;\"'" },
        { "]]>", "]]&gt;" },
        { "a\x01\x1b[0m\tb\x7f", "a\uFFFD\uFFFD[0m\uFFFDb\uFFFD" },
        { "\xff\xc3 \xe2\x88", "\uFFFD\uFFFD \uFFFD\uFFFD" },
        { "\xed\xa0\x80\xef\xbf\xbf\xf4\xbf\xbf\xbf\xe0\x80\x80\xc2\x85", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD" },
        { "▁Ġü √ 𝛼", "▁Ġü √ 𝛼" },
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        Canvas *canvas = recorded(200, 100, 1);
        canvas_text(canvas, 10, 20, (CanvasText){ .color = COLOR_INK }, words[w][0]);
        ck_contains(svg_of(canvas), arena_format(arena, ">%s</text>", words[w][1]));
    }
}

TEST(a_clip_is_a_group)
{
    Canvas *canvas = recorded(100, 100, 1);
    CanvasBox all = canvas_clip(canvas, 10.3, 20, 30, 40), outer = canvas_clip(canvas, 0, 0, 20, 30);
    canvas_rect(canvas, 0, 0, 100, 100, COLOR_INK);
    canvas_unclip(canvas, outer);
    canvas_unclip(canvas, all);
    ck_contains(svg_of(canvas),
                "<clipPath id=\"clip1\"><rect x=\"10\" y=\"20\" width=\"30\" height=\"40\"/></clipPath>\n"
                "<g clip-path=\"url(#clip1)\">\n"
                "<clipPath id=\"clip2\"><rect x=\"0\" y=\"0\" width=\"20\" height=\"30\"/></clipPath>\n"
                "<g clip-path=\"url(#clip2)\">\n"
                "<rect x=\"0\" y=\"0\" width=\"100\" height=\"100\" fill=\"#1f2328\"/>\n</g>\n</g>\n");
}

TEST(cells_of_one_color_are_one_rectangle)
{
    const Color r = { 255, 0, 0 }, g = { 0, 255, 0 }, colors[] = { r, r, g, r, g, g, g, g };
    Canvas *canvas = recorded(100, 100, 1);
    canvas_cells(canvas, 10, 20, 2.5, 3, 2, 4, colors);
    ck_contains(svg_of(canvas), "<g shape-rendering=\"crispEdges\">\n"
                                "<rect x=\"10\" y=\"20\" width=\"5\" height=\"3\" fill=\"#ff0000\"/>\n"
                                "<rect x=\"15\" y=\"20\" width=\"3\" height=\"3\" fill=\"#00ff00\"/>\n"
                                "<rect x=\"18\" y=\"20\" width=\"2\" height=\"3\" fill=\"#ff0000\"/>\n"
                                "<rect x=\"10\" y=\"23\" width=\"10\" height=\"3\" fill=\"#00ff00\"/>\n</g>\n");
}

// More than 4096 cells: a picture with a pixel for each that can be seen, of which the outermost two columns cannot.
TEST(many_cells_are_a_picture)
{
    enum { ROWS = 70, COLS = 80 };
    if (!png_available()) return;
    Color *colors = arena_alloc(arena, ROWS * COLS * sizeof *colors);
    for (int k = 0; k < ROWS * COLS; k++) colors[k] = (Color){ (uint8_t)(k % COLS), (uint8_t)(k / COLS), 99 };
    Canvas *canvas = recorded(156, 300, 1);
    canvas_cells(canvas, -2, 10, 2, 3, ROWS, COLS, colors);
    Canvas *cells = canvas_new(arena, COLS - 2, ROWS, 1);
    for (int k = 0; k < ROWS * (COLS - 2); k++)
        memcpy(cells->rgba + 4 * k, (uint8_t[]){ (uint8_t)(k % (COLS - 2) + 1), (uint8_t)(k / (COLS - 2)), 99, 255 },
               4);
    unsigned char *bytes;
    int size;
    ck_assert(png_encode(&bytes, &size, cells, NULL));
    char *base64 = arena_alloc(arena, base64_length((size_t)size) + 1);
    base64_write(base64, bytes, (size_t)size);
    free(bytes);
    const char *text = svg_of(canvas);
    ck_contains(text, "<image x=\"0\" y=\"10\" width=\"156\" height=\"210\" preserveAspectRatio=\"none\"");
    ck_contains(text, arena_format(arena, "xlink:href=\"data:image/png;base64,%s\"", base64));
    ck_assert_int_eq(count_of(text, "<rect"), 1);
}

// Small cells are a picture too, but not a handful of them, nor large ones.
TEST(small_cells_are_a_picture)
{
    static const struct {
        int rows, cols;
        double width, height;
        bool picture;
    } cases[] = {
        { 9, 9, 5, 7, true }, { 9, 9, 7, 5, true },    { 9, 9, 6, 6, false },  { 8, 8, 2, 2, false },
        { 8, 9, 2, 2, true }, { 64, 64, 7, 7, false }, { 64, 65, 7, 7, true },
    };
    Color *colors = arena_alloc(arena, 64 * 65 * sizeof *colors);
    for (int k = 0; k < 64 * 65; k++) colors[k] = (Color){ (uint8_t)(k % 251), (uint8_t)(k % 13), 99 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Canvas *canvas = recorded(500, 500, 1);
        canvas_cells(canvas, 0, 0, cases[c].width, cases[c].height, cases[c].rows, cases[c].cols, colors);
        bool picture = cases[c].picture && png_available();
        ck_assert_int_eq(count_of(svg_of(canvas), "<image"), picture);
        ck_assert_int_eq(count_of(svg_of(canvas), "crispEdges"), !picture);
    }
}

// A heat map that is recorded is painted as before, and the same map gives the same bytes.
TEST(a_record_changes_no_pixel)
{
    const char *const words[] = { "The", "<a>", "didn't" };
    Mat values = mat_of(arena, 3, 3, (float[]){ 1, 0, 0, 0.5f, 0.5f, 0, 0.2f, NAN, 0.5f });
    Mat hidden = mat_of(arena, 3, 3, (float[]){ 0, 1, 1, 0, 0, 1, 0, 0, 0 });
    Heatmap map = { .title = "A & B",
                    .values = values,
                    .hidden = hidden,
                    .row_labels = words,
                    .col_labels = words,
                    .decimals = 2,
                    .bar_title = "weight",
                    .mark_row = 2,
                    .mark_col = 1 };
    Canvas *plain = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1.5 });
    ck_assert_ptr_null(plain->record);
    RenderTarget paper = { .scale = 1.5, .record = records };
    Canvas *first = heatmap_draw(arena, &map, paper), *second = heatmap_draw(arena, &map, paper);
    size_t size = (size_t)plain->width * (size_t)plain->height * 4;
    ck_assert_mem_eq(plain->rgba, first->rgba, size);
    ck_assert_str_eq(svg_of(first), svg_of(second));
    const char *text = svg_of(first);
    ck_contains(text, ">A &amp; B</text>");
    ck_assert_int_eq(count_of(text, ">&lt;a&gt;</text>"), 2);
    ck_assert_int_eq(count_of(text, ">0.50</text>"), 3);
    ck_assert_int_eq(count_of(text, "url(#masked)"), 3); // two cells side by side, one alone, the legend's
}

TEST(what_was_written_can_be_read)
{
    ck_assert_str_eq(canvas_text_words(arena, canvas_new(arena, 100, 100, 1)), "");
    Canvas *canvas = recorded(100, 100, 0.05);
    ck_assert_str_eq(canvas_text_words(arena, canvas), "");
    canvas_text(canvas, 10, 20, (CanvasText){ .face = CANVAS_SANS_BOLD }, "weight");
    canvas_rect(canvas, 0, 0, 50, 10, COLOR_INK);
    canvas_text(canvas, 90, 20, (CanvasText){ .face = CANVAS_MONO, .anchor = CANVAS_AT_END }, "0.9");
    canvas_text(canvas, 10, 41, (CanvasText){ .size = 9 }, "a < b");
    ck_assert_str_eq(canvas_text_words(arena, canvas), "weight 0.9\na < b");
}
