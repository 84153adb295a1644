// The canvas: which pixels a stroke covers and by how much; text that is as wide as its font, and is recorded.
#include "base/arena.h"
#include "base/portable_math.h"
#include "figure/canvas.h"
#include "figure/glyphs.h"
#include "figure/stamps.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Color BLACK = { 0, 0, 0 };

static const uint8_t *pixel(const Canvas *canvas, int x, int y)
{
    return canvas->rgba + ((size_t)y * (size_t)canvas->width + (size_t)x) * 4;
}

static bool is_color(const Canvas *canvas, int x, int y, Color color)
{
    const uint8_t *at = pixel(canvas, x, y);
    return at[0] == color.r && at[1] == color.g && at[2] == color.b && at[3] == 255;
}

// This box has this colour, and the rest of the canvas is paper.
static void assert_box(const Canvas *canvas, CanvasBox box, Color color)
{
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) {
            bool inside = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
            ck_assert_msg(is_color(canvas, x, y, inside ? color : COLOR_PAPER), "pixel (%d, %d)", x, y);
        }
}

// How much black ink lies on the canvas, in pixels: each pixel counts by its darkness.
static double ink(const Canvas *canvas)
{
    double sum = 0;
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) sum += 1 - pixel(canvas, x, y)[0] / (double)COLOR_PAPER.r;
    return sum;
}

TEST(a_new_canvas_is_paper)
{
    Canvas *canvas = canvas_new(arena, 10.5, 7, 2);
    ck_assert_int_eq(canvas->width, 21);
    ck_assert_int_eq(canvas->height, 14);
    assert_box(canvas, (CanvasBox){ 0 }, COLOR_PAPER);
    ck_assert_int_eq(canvas_new(arena, 0, 0, 1)->width, 1);
}

TEST(a_rectangle_covers_its_pixels)
{
    Canvas *canvas = canvas_new(arena, 10, 10, 2);
    canvas_rect(canvas, 1, 2, 3, 4, COLOR_ACCENT);
    assert_box(canvas, (CanvasBox){ 2, 4, 6, 8 }, COLOR_ACCENT);
}

TEST(a_tint_mixes)
{
    Canvas *canvas = canvas_new(arena, 4, 4, 1);
    canvas_tint(canvas, 0, 0, 4, 4, BLACK, 0.5);
    ck_assert_int_eq(pixel(canvas, 2, 2)[0], (COLOR_PAPER.r * (255 - 128) + 127) / 255);
}

// The darkness of a shape adds up to its area, wherever it lies.
TEST(areas_are_exact)
{
    for (int i = 0; i < 8; i++) {
        double off = i * 0.13;
        Canvas *canvas = canvas_new(arena, 60, 60, 1);
        canvas_polygon(canvas, (double[]){ 10 + off, 10, 50, 20 + off, 20, 50.5 }, 3, BLACK);
        double area = fabs((40 - off) * 40.5 - (10 - off) * (10 + off)) / 2;
        ck_assert_msg(fabs(ink(canvas) - area) < 0.004 * area, "the triangle has %g, not %g", ink(canvas), area);

        canvas = canvas_new(arena, 60, 60, 1);
        canvas_disc(canvas, 30 + off, 30, 20, BLACK);
        ck_assert_msg(fabs(ink(canvas) - 1256.637) < 5, "the disc has %g, not 1256.6", ink(canvas));

        canvas = canvas_new(arena, 60, 60, 1);
        canvas_line(canvas, 10, 10 + off, 40, 50, 3, BLACK);
        double length = sqrt(900 + (40 - off) * (40 - off));
        ck_assert_msg(fabs(ink(canvas) - 3 * length) < 1.5, "the line has %g, not %g", ink(canvas), 3 * length);
    }
}

TEST(a_level_line_is_sharp)
{
    Canvas *canvas = canvas_new(arena, 20, 10, 1);
    canvas_line(canvas, 2, 4, 18, 4, 2, COLOR_INK);
    assert_box(canvas, (CanvasBox){ 2, 3, 16, 2 }, COLOR_INK);
}

// A bend is not darker than its arms, and a curve starts and ends where it should.
TEST(polylines_join)
{
    Canvas *canvas = canvas_new(arena, 40, 40, 1);
    canvas_polyline(canvas, (double[]){ 5, 5.5, 30, 5.5, 30, 30 }, 3, 3, COLOR_INK);
    ck_assert(is_color(canvas, 29, 5, COLOR_INK));
    ck_assert(is_color(canvas, 20, 5, COLOR_INK));
    ck_assert(is_color(canvas, 20, 2, COLOR_PAPER));

    const double curve[8] = { 5, 35, 5, 20, 20, 20, 20, 35 };
    double x, y;
    canvas_curve_point(curve, 0.5, &x, &y);
    ck_assert_double_eq_tol(x, 12.5, 1e-12);
    ck_assert_double_eq_tol(y, 23.75, 1e-12);
    canvas_curve(canvas, curve, 3, COLOR_INK);
    ck_assert(is_color(canvas, 12, 23, COLOR_INK));
}

TEST(strokes_leave_the_canvas_unharmed)
{
    Canvas *canvas = canvas_new(arena, 20, 20, 1);
    canvas_rect(canvas, -100, -100, 50, 50, COLOR_INK);
    canvas_rect(canvas, NAN, 3, 5, 5, COLOR_INK);
    canvas_rect(canvas, 3, 3, -5, 5, COLOR_INK);
    canvas_line(canvas, NAN, 0, 5, 5, 2, COLOR_INK);
    canvas_line(canvas, 5, 5, 5, 5, 2, COLOR_INK);
    canvas_polygon(canvas, (double[]){ NAN, NAN, NAN, NAN, NAN, NAN }, 3, COLOR_INK);
    canvas_polyline(canvas, (double[]){ -50, -50, -40, -45 }, 2, 2, COLOR_INK);
    canvas_disc(canvas, -1e30, INFINITY, 4, COLOR_INK);
    canvas_text(canvas, NAN, NAN, (CanvasText){ .color = COLOR_INK }, "nowhere");
    canvas_text(canvas, 1e9, -1e9, (CanvasText){ .color = COLOR_INK, .angle = 33 }, "nowhere");
    assert_box(canvas, (CanvasBox){ 0 }, COLOR_PAPER);
    canvas_rect(canvas, -1e30, -1e30, 2e30, 2e30, COLOR_INK);
    ck_assert(is_color(canvas, 0, 0, COLOR_INK) && is_color(canvas, 19, 19, COLOR_INK));
}

static void draw_one(Canvas *canvas, int which)
{
    const double xy[] = { 5, 8, 55, 20, 31, 52, 30.5, 30 };
    const Color grid[] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 9, 9, 9 }, { 90, 9, 9 }, { 9, 90, 9 } };
    if (which == 0) canvas_rect(canvas, 3.3, 4.4, 50, 44, COLOR_ACCENT);
    if (which == 1) canvas_tint(canvas, 3.3, 4.4, 50, 44, COLOR_ACCENT, 0.3);
    if (which == 2) canvas_hatch(canvas, 3.3, 4.4, 50, 44);
    if (which == 3) canvas_line(canvas, 2, 55, 58, 3.7, 4, COLOR_INK);
    if (which == 4) canvas_polyline(canvas, xy, 4, 5.5, COLOR_MARK);
    if (which == 5) canvas_curve(canvas, xy, 3, COLOR_MARK);
    if (which == 6) canvas_disc(canvas, 30, 30, 22, COLOR_QUIET);
    if (which == 7) canvas_polygon(canvas, xy, 4, COLOR_INK);
    if (which == 8) canvas_text(canvas, 4, 40, (CanvasText){ .color = COLOR_INK, .size = 20 }, "Query");
    if (which == 9) canvas_text(canvas, 4, 60, (CanvasText){ .color = COLOR_INK, .size = 170, .angle = 30 }, "Q");
    if (which == 10) canvas_cells(canvas, 3.3, 4.4, 17.7, 20.2, 2, 3, grid);
    if (which == 11) canvas_frame(canvas, 3.3, 4.4, 50, 44, 3, COLOR_MARK);
}

// A clip keeps what is inside to the bit, and nothing else is painted, whatever is drawn.
TEST(a_clip_cuts_and_changes_nothing)
{
    const double clips[][4] = { { 20, 20, 15, 12 }, { 0, 0, 30.2, 60 }, { 33.4, -5, 100, 40 }, { 41, 22, 0.2, 30 } };
    for (int which = 0; which < 12; which++) {
        Canvas *open = canvas_new(arena, 60, 60, 1.5);
        draw_one(open, which);
        for (int c = 0; c < 4; c++) {
            int left = (int)floor(clips[c][0] * 1.5 + 0.5), right = (int)floor((clips[c][0] + clips[c][2]) * 1.5 + 0.5);
            int top = (int)floor(clips[c][1] * 1.5 + 0.5), bottom = (int)floor((clips[c][1] + clips[c][3]) * 1.5 + 0.5);
            Canvas *cut = canvas_new(arena, 60, 60, 1.5);
            CanvasBox before = canvas_clip(cut, clips[c][0], clips[c][1], clips[c][2], clips[c][3]);
            draw_one(cut, which);
            canvas_unclip(cut, before);
            for (int y = 0; y < 90; y++)
                for (int x = 0; x < 90; x++) {
                    bool inside = x >= left && x < right && y >= top && y < bottom;
                    bool right_pixel =
                        inside ? !memcmp(pixel(cut, x, y), pixel(open, x, y), 4) : is_color(cut, x, y, COLOR_PAPER);
                    ck_assert_msg(right_pixel, "drawing %d, clip %d, pixel (%d, %d)", which, c, x, y);
                }
        }
    }
}

TEST(clips_meet)
{
    Canvas *canvas = canvas_new(arena, 40, 40, 1);
    CanvasBox all = canvas_clip(canvas, 5, 5, 20, 20), outer = canvas_clip(canvas, 15, -10, 100, 20);
    canvas_rect(canvas, 0, 0, 40, 40, COLOR_INK);
    assert_box(canvas, (CanvasBox){ 15, 5, 10, 5 }, COLOR_INK);
    canvas_unclip(canvas, outer);
    canvas_rect(canvas, 0, 0, 40, 40, COLOR_MARK);
    ck_assert(is_color(canvas, 5, 5, COLOR_MARK) && is_color(canvas, 24, 24, COLOR_MARK) &&
              is_color(canvas, 25, 24, COLOR_PAPER));
    canvas_unclip(canvas, all);
    canvas_rect(canvas, 0, 0, 40, 40, COLOR_ACCENT);
    ck_assert(is_color(canvas, 0, 0, COLOR_ACCENT) && is_color(canvas, 39, 39, COLOR_ACCENT));
    canvas_clip(canvas, 10, 10, -5, 5);
    canvas_rect(canvas, 0, 0, 40, 40, COLOR_INK);
    ck_assert(is_color(canvas, 10, 10, COLOR_ACCENT));
}

// Far out and far in, where most cells are off the canvas or smaller than a pixel, on a canvas of two pixels a point.
TEST(cells_may_lie_anywhere)
{
    enum { SIDE = 300 };
    Color *colors = arena_alloc(arena, SIDE * SIDE * sizeof *colors);
    for (int k = 0; k < SIDE * SIDE; k++) colors[k] = (Color){ (uint8_t)(k % SIDE), (uint8_t)(k / SIDE), 77 };
    const double places[][3] = { { -1000.3, -700, 9.1 }, { 4, 5, 0.21 }, { -3, 30, 0.5 }, { 1e7, 0, 3 }, { 0, 0, -2 } };
    for (int p = 0; p < 5; p++) {
        double left = places[p][0], top = places[p][1], cell = places[p][2];
        Canvas *canvas = canvas_new(arena, 60, 50, 2), *each = canvas_new(arena, 60, 50, 2);
        canvas_cells(canvas, left, top, cell, cell, SIDE, SIDE, colors);
        for (int k = 0; k < SIDE * SIDE; k++) {
            double x0 = floor((left + k % SIDE * cell) * 2 + 0.5), x1 = floor((left + (k % SIDE + 1) * cell) * 2 + 0.5);
            double y0 = floor((top + k / SIDE * cell) * 2 + 0.5), y1 = floor((top + (k / SIDE + 1) * cell) * 2 + 0.5);
            canvas_rect(each, x0 / 2, y0 / 2, (x1 - x0) / 2, (y1 - y0) / 2, colors[k]);
        }
        ck_assert_msg(!memcmp(canvas->rgba, each->rgba, 120 * 100 * 4), "place %d", p);
    }
    Canvas *canvas = canvas_new(arena, 60, 50, 2);
    canvas_cells(canvas, NAN, 0, 5, 5, SIDE, SIDE, colors);
    canvas_cells(canvas, 0, 0, 5, 5, 0, 0, colors);
    ck_assert_mem_eq(canvas->rgba, canvas_new(arena, 60, 50, 2)->rgba, 120 * 100 * 4);
}

// By hand: on the diagonal x + y = n a pixel's middle is n + 1 from the corner; lines are 1.2 thick at 3, 9, 15, …
TEST(the_hatching_is_where_it_should_be)
{
    Color ground = color_mix(COLOR_PAPER, COLOR_RULE, 0.5), line = color_mix(COLOR_RULE, COLOR_QUIET, 0.4);
    Canvas *canvas = canvas_new(arena, 40, 40, 1);
    canvas_hatch(canvas, 0, 0, 40, 40);
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 40; x++) {
            int away = abs((x + y + 1) % 6 - 3), alpha = away == 0 ? 219 : away == 1 ? 55 : 0;
            int expected = (ground.r * (255 - alpha) + line.r * alpha + 127) / 255;
            ck_assert_msg(pixel(canvas, x, y)[0] == expected, "pixel (%d, %d) is %d, not %d", x, y,
                          pixel(canvas, x, y)[0], expected);
        }
    canvas = canvas_new(arena, 40, 40, 1.25); // 7.5 pixels: two lines every 15
    canvas_hatch(canvas, 0, 0, 40, 40);
    for (int x = 0; x + 15 < 50; x++) ck_assert_mem_eq(pixel(canvas, x, 3), pixel(canvas, x + 15, 3), 4);
    ck_assert_int_ne(pixel(canvas, 1, 3)[0], pixel(canvas, 8, 3)[0]);
}

// In units of 1/2048 em: T 1251, o 1253 in Sans; every letter 1233 in Mono.
TEST(widths_come_from_the_table)
{
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 2048 }, "To"), 1251 + 1253, 1e-9);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 2048, .face = CANVAS_SANS_BOLD }, "T"), 1397, 1e-9);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 2048, .face = CANVAS_MONO }, "0.97 √λ"), 7 * 1233,
                            1e-9);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 2048 }, "√ → − ·"), 1305 + 2 * 1716 + 651 + 3 * 651,
                            1e-9);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ 0 }, "o"), 13 * 1253 / 2048.0, 1e-9);
    ck_assert_double_eq(canvas_text_width((CanvasText){ 0 }, ""), 0);
}

// Bytes that are not UTF-8 count as one letter each, and no byte after the end is read.
TEST(broken_utf8_is_survived)
{
    double one = canvas_text_width((CanvasText){ .size = 1 }, "\xff");
    ck_assert_double_gt(one, 0);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 1 }, "\xff\xc3"), 2 * one, 1e-12);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 1 }, "\xe2\x88"), 2 * one, 1e-12);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 1 }, "\xf0\x9f\x98"), 3 * one, 1e-12);
    Canvas *canvas = canvas_new(arena, 50, 20, 1);
    canvas_text(canvas, 2, 15, (CanvasText){ .color = COLOR_INK }, "a\xe2\x88");
}

TEST(text_is_recorded)
{
    Canvas *canvas = canvas_new(arena, 200, 100, 2);
    CanvasText style = { .size = 10, .face = CANVAS_MONO, .color = COLOR_INK };
    double width = canvas_text_width(style, "weight");
    canvas_text(canvas, 20, 50, style, "weight");
    canvas_text(canvas, 20, 50, style, "");
    ck_assert_int_eq(canvas->text_count, 1);
    CanvasBox box = canvas->text[0];
    int end = box.x + box.width - (int)(40 + 2 * width);
    ck_assert(38 <= box.x && box.x <= 40 && 0 <= end && end <= 3 && box.y < 85 && box.y + box.height > 104);

    style.angle = 90; // reads upwards: tall, and above its start
    canvas_text(canvas, 150, 90, style, "weight");
    box = canvas->text[1];
    ck_assert_int_gt(box.height, 2 * box.width);
    ck_assert_int_le(box.y + box.height, 180 + 3);
    for (int k = 0; k < 200; k++) canvas_text(canvas, k, 20, style, "x");
    ck_assert_int_eq(canvas->text_count, 202);
}

// The same letters turned by a quarter are the same pixels turned by a quarter.
TEST(turned_text_is_the_same_text)
{
    Canvas *level = canvas_new(arena, 80, 80, 1), *turned = canvas_new(arena, 80, 80, 1);
    canvas_text(level, 10, 40, (CanvasText){ .size = 16, .color = COLOR_INK }, "Query");
    canvas_text(turned, 40, 70, (CanvasText){ .size = 16, .color = COLOR_INK, .angle = 90 }, "Query");
    for (int y = 0; y < 80; y++)
        for (int x = 0; x < 80; x++) {
            int difference = abs(pixel(level, x, y)[0] - pixel(turned, y, 79 - x)[0]);
            ck_assert_msg(difference <= 1, "pixel (%d, %d) differs by %d", x, y, difference);
        }
}

static void write_words(Canvas *canvas, double x, double y)
{
    const CanvasText styles[] = { { .size = 11, .color = COLOR_INK },
                                  { .size = 12.3, .face = CANVAS_SANS_BOLD, .color = COLOR_MARK },
                                  { .size = 13, .face = CANVAS_MONO, .color = COLOR_ACCENT, .angle = 90 },
                                  { .size = 12, .color = COLOR_INK, .angle = 55 },
                                  { .color = COLOR_QUIET, .angle = -30.5 } };
    for (int s = 0; s < 5; s++) canvas_text(canvas, x + 30 * s, y, styles[s], "Åjl query");
}

// A letter that is kept is the letter that was drawn; and it is the same letter at every whole pixel.
TEST(kept_letters_are_the_same)
{
    glyphs_forget();
    Canvas *fresh = canvas_new(arena, 240, 160, 1), *again = canvas_new(arena, 240, 160, 1);
    write_words(fresh, 10.3, 80.6);
    int kept = stamps_count();
    if (canvas_font_name()) ck_assert_int_gt(kept, 20);
    write_words(again, 10.3, 80.6);
    ck_assert_int_eq(stamps_count(), kept);
    ck_assert_mem_eq(fresh->rgba, again->rgba, 240 * 160 * 4);
    Canvas *moved = canvas_new(arena, 240, 160, 1);
    write_words(moved, 17.3, 91.6);
    ck_assert_int_eq(stamps_count(), kept);
    for (int y = 0; y < 149; y++) ck_assert_mem_eq(pixel(fresh, 0, y), pixel(moved, 7, y + 11), 233 * 4);
    Canvas *elsewhere = canvas_new(arena, 240, 160, 1);
    write_words(elsewhere, 10.55, 80.6);
    if (canvas_font_name()) ck_assert(memcmp(fresh->rgba, elsewhere->rgba, 240 * 160 * 4) != 0);
}

// Text draws only inside the box that it records, at every angle: a comparison may leave the boxes out.
TEST(letters_stay_in_their_box)
{
    for (int angle = 0; angle < 360; angle += 15) {
        Canvas *canvas = canvas_new(arena, 160, 160, 1);
        canvas_text(canvas, 80, 80, (CanvasText){ .size = 17, .color = COLOR_INK, .angle = angle }, "ÅjÉg_|");
        CanvasBox box = canvas->text[0];
        for (int y = 0; y < 160; y++)
            for (int x = 0; x < 160; x++) {
                bool inside = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
                ck_assert_msg(inside || is_color(canvas, x, y, COLOR_PAPER), "angle %d, pixel (%d, %d)", angle, x, y);
            }
    }
}

// Under DejaVu, the table is the font's own advances.
TEST(the_table_is_the_font)
{
    const char *name = canvas_font_name();
    if (!name || strncmp(name, "DejaVu", 6)) return;
    for (int face = CANVAS_SANS; face <= CANVAS_MONO; face++) {
        for (uint32_t code = 0x20; code < 0x7f; code++) {
            char letter[2] = { (char)code, 0 };
            double width = canvas_text_width((CanvasText){ .size = 1, .face = (CanvasFace)face }, letter);
            ck_assert_msg(fabs(glyph_find((CanvasFace)face, code)->advance - width) < 1e-6, "face %d, U+%04X", face,
                          code);
        }
    }
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// Text without a font: nothing is drawn, the box is there, the width is the same.
static void assert_no_letters(const char *folder)
{
    setenv("MANYHEADS_FONTS", folder, 1);
    glyphs_forget();
    ck_assert_ptr_null(canvas_font_name());
    Canvas *canvas = canvas_new(arena, 60, 30, 1);
    canvas_text(canvas, 5, 20, (CanvasText){ .color = COLOR_INK }, "key");
    ck_assert_double_eq(ink(canvas), 0);
    ck_assert_int_eq(canvas->text_count, 1);
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 2048 }, "To"), 2504, 1e-9);
    unsetenv("MANYHEADS_FONTS");
    glyphs_forget();
}

TEST(a_missing_or_damaged_font_means_no_letters)
{
    char folder[] = "/tmp/manyheads-fonts-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/DejaVuSans.ttf", folder);
    assert_no_letters("/nonexistent");
    assert_no_letters(folder); // empty
    write_file(path, "", 0);
    assert_no_letters(folder);
    write_file(path, "this is not a font at all, but it is long enough to be looked at", 64);
    assert_no_letters(folder);
    unsigned char hostile[64] = { 0, 1, 0, 0, 0xff, 0xff };
    write_file(path, hostile, sizeof hostile); // 65535 tables in 64 bytes
    assert_no_letters(folder);
    memcpy(hostile, "ttcf\0\1\0\0\0\0\0\1\xff\xff\xff\xf0", 16);
    write_file(path, hostile, sizeof hostile); // a collection whose font lies far outside
    assert_no_letters(folder);
    remove(path);
    remove(folder);
}

// A font that is given as bytes draws as the same file does that the machine has; damaged bytes change nothing.
TEST(a_font_may_come_as_bytes)
{
    static unsigned char bytes[1 << 20];
    FILE *file = fopen("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "rb");
    if (!file || !canvas_font_name()) return;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    Canvas *found = canvas_new(arena, 240, 160, 1), *none = canvas_new(arena, 240, 160, 1),
           *given = canvas_new(arena, 240, 160, 1);
    CanvasText style = { .size = 20, .color = COLOR_INK };
    canvas_text(found, 10, 80, style, "query key value");
    setenv("MANYHEADS_FONTS", "/nonexistent", 1);
    glyphs_forget();
    canvas_text(none, 10, 80, style, "query key value");
    ck_assert_double_eq(ink(none), 0);
    ck_assert(!canvas_font_from(CANVAS_SANS, bytes, 0) && !canvas_font_from(CANVAS_SANS, bytes, size / 2) &&
              !canvas_font_from(CANVAS_SANS, "not a font", 10));
    ck_assert_ptr_null(canvas_font_name());
    ck_assert(canvas_font_from(CANVAS_SANS, bytes, size) && canvas_font_name());
    canvas_text(given, 10, 80, style, "query key value");
    ck_assert_mem_eq(given->rgba, found->rgba, 240 * 160 * 4);
    bytes[size / 2] ^= 1;
    ck_assert(!canvas_font_from(CANVAS_SANS, bytes, size) && canvas_font_name());
    unsetenv("MANYHEADS_FONTS");
    glyphs_forget();
}
