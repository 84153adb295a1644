// The viewer from bytes to bytes, driven as a shell without files would.
#include "viz/app.h"

#include "figure/png.h"
#include "figure/shaping.h"
#include "io/npy.h"
#include "support/maps.h"
#include "support/reference.h"
#include "support/viewer.h"
#include "viz/layout.h"
#include "support/suite.h"

#include <string.h>

static Error error;

// A file in memory: a header of `start` bytes with these words at `at`, and `count` numbers of one value.
static Source source_of(const char *name, const char *magic, size_t at, const char *words, size_t count, float value)
{
    size_t length = strlen(words), start = at + length;
    unsigned char *file = arena_alloc(arena, start + 4 * count);
    memcpy(file, magic, at - 2);
    file[at == 8 ? 0 : 8] = (unsigned char)length;
    file[at == 8 ? 1 : 9] = (unsigned char)(length >> 8);
    memcpy(file + at, words, length);
    for (size_t i = 0; i < count; i++) dtype_write_f32(file + start + 4 * i, &value, 1);
    return (Source){ .name = name, .bytes = { file, start + 4 * count } };
}

// Heads (n, n) of uniform weights as .npy.
static Source uniform(const char *name, int heads, int n)
{
    const char *words =
        arena_format(arena, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }\n", heads, n, n);
    return source_of(name, "\x93NUMPY\1\0", 10, words, (size_t)(heads * n * n), 1.0f / (float)n);
}

// A walk of four steps of one rank over a 2 × 2 map.
static Source walked(void)
{
    static const char words[] = "{\"walk.weights\":{\"dtype\":\"F32\",\"shape\":[4,2,2],\"data_offsets\":[0,64]},"
                                "\"walk.ranks\":{\"dtype\":\"F32\",\"shape\":[4,2,2],\"data_offsets\":[64,128]}}";
    return source_of("walk.safetensors", "\0\0\0\0\0\0", 8, words, 32, 1);
}

// encoder.weights (1, 2, 2), decoder.weights (1, 3, 3), cross.weights (1, 3, 2).
static Source three_kinds(void)
{
    static const char words[] = "{\"encoder.weights\":{\"dtype\":\"F32\",\"shape\":[1,2,2],\"data_offsets\":[0,16]},"
                                "\"decoder.weights\":{\"dtype\":\"F32\",\"shape\":[1,3,3],\"data_offsets\":[16,52]},"
                                "\"cross.weights\":{\"dtype\":\"F32\",\"shape\":[1,3,2],\"data_offsets\":[52,76]}}";
    return source_of("kinds.safetensors", "\0\0\0\0\0\0", 8, words, 19, 0);
}

static ViewerOptions plain(void)
{
    ViewerOptions options;
    char *argv[] = { "viewer", NULL };
    ck_assert(viewer_options_read(&options, 1, argv, &error) == FLAGS_FINE);
    return options;
}

static void open_two(const Source *shown, const Source *other)
{
    ViewerOptions options = plain();
    ck_assert_msg(app_open(app, &options, "viewer", shown, other, &error), "%s", error.text);
}

static bool holds(FileBytes bytes, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= bytes.size; i++)
        if (!memcmp((const char *)bytes.at + i, word, length)) return true;
    return false;
}

static void send(Event event) { app_event(app, event); }
static void press(const char *script) { viewer_script(&app->state, send, NULL, script); }
static void work(void)
{
    while (!app_prepare(app, 0.1)) continue;
}

static FileBytes saved(PictureKind kind, const char **boxes)
{
    FileBytes bytes;
    ck_assert_msg(app_save(app, &bytes, boxes, arena, kind, &error), "%s", error.text);
    return bytes;
}

TEST(bytes_become_pictures)
{
    Source source = uniform("maps/of.npy", 3, 4);
    open_two(&source, NULL);
    ck_assert_str_eq(app->document.title, "of.npy");
    work();
    ck_assert_str_eq(app_picture_name(app, arena, PICTURE_PNG), "of-npy-layer-0-head-0-map.png");
    ck_assert_str_eq(app_picture_name(app, arena, PICTURE_SVG), "of-npy-layer-0-head-0-map.svg");
    ck_assert_str_eq(app_picture_name(app, arena, PICTURE_PAGE), "of-npy-heads.html");
    FileBytes page = saved(PICTURE_PAGE, NULL);
    ck_assert(!strncmp((const char *)page.at, "<!DOCTYPE html>", 15) && strlen((const char *)page.at) == page.size);
    FileBytes svg = saved(PICTURE_SVG, NULL);
    ck_assert(!strncmp((const char *)svg.at, "<svg ", 5) && strlen((const char *)svg.at) == svg.size);
    if (png_available()) {
        const char *boxes;
        FileBytes png = saved(PICTURE_PNG, &boxes), again = saved(PICTURE_PNG, NULL);
        ck_assert(png.size == again.size && !memcmp(png.at, again.at, png.size));
        Canvas *read, *drawn = app_picture(app, arena);
        ck_assert(png_decode(&read, arena, png.at, (int)png.size, "saved", &error));
        ck_assert(read->width == 1280 && read->height == 800);
        ck_assert_mem_eq(read->rgba, drawn->rgba, 4 * 1280 * 800);
        ck_assert(*boxes);
    }
    app_close(app);
}

// ---- words

static const char *svg_text(void)
{
    work();
    return (const char *)saved(PICTURE_SVG, NULL).at;
}

// Pins a cell.
static void pin(int row, int col)
{
    app->state.selection.pinned = (HeadCell){ row, col };
    press("Left");
}

static bool says(const char *text) { return strstr(svg_text(), text) != NULL; }

// A shortened word is whole in the last line and in the panel; others appear once.
TEST(shortened_words_are_shown_whole)
{
    static const char word[] = "Rindfleischetikettierung";
    static const ViewKind views[] = { VIEW_HEAD, VIEW_LINES, VIEW_COMPARE };
    Source source = uniform("a.npy", 2, 3);
    source.reading = (Reading){ .tokens = "it\nRindfleischetikettierung\nb", .tokens_name = "t.txt" };
    open_two(&source, NULL);
    for (int v = 0; v < 3; v++) {
        app->state = state_with_view(app->state, views[v]);
        pin(0, 2);
        ck_assert(!says(word) && !says("it → b ·"));
        pin(1, 0);
        ck_assert(says(">Rindfleischetikettierung → it · head 0 ·"));
        pin(0, 1);
        ck_assert(says(">it → Rindfleischetikettierung · head 0 ·") && says("…</text>"));
    }
    app->state = state_with_view(app->state, VIEW_HEAD);
    ck_assert(says(">it → Rindfleischetikettierung</text>")); // of the panel
    pin(1, 1);
    ck_assert(says(">Rindfleischetikettierung</text>") && says(">→</text>"));
    app->state.selection.pinned = (HeadCell){ -1, -1 };
    ck_assert(!says(word));
    app_close(app);
}

// A file of many tokens opens with another scale; a chosen scale stays.
TEST(a_document_opens_on_its_usual_scale)
{
    Source few = uniform("few.npy", 2, 9), many = uniform("many.npy", 2, 90);
    open_two(&many, NULL);
    ck_assert(app->state.shown.scale == SCALE_LOG && app->state.shown.usual_scale == SCALE_LOG);
    ck_assert(app_show(app, &few, &error));
    ck_assert(app->state.shown.scale == SCALE_LINEAR && app->state.shown.usual_scale == SCALE_LINEAR);
    press("s");
    ck_assert(app_show(app, &many, &error));
    ck_assert(app->state.shown.scale == SCALE_HEAD && app->state.shown.usual_scale == SCALE_LOG);
    ck_assert(app_reread(app, &few, false, &error));
    ck_assert(app->state.shown.scale == SCALE_HEAD && app->state.shown.usual_scale == SCALE_LINEAR);
    app_close(app);
}

// Is the caret at x in the line? Looks above the letters, where only the caret is.
static bool has_caret_at(double x)
{
    PageLayout layout = layout_of(&app->state);
    const Canvas *drawn = app_picture(app, arena);
    double left = layout.sentence.x + canvas_text_width((CanvasText){ .size = 15 }, "open") + 12;
    const uint8_t *pixel = drawn->rgba + 4 * ((int)(layout.sentence.y + 7) * drawn->width + (int)(left + x + 1));
    return pixel[0] < 150 && pixel[0] < pixel[2];
}

// Query and key keep their order; in right-to-left text the caret is left of what was typed.
TEST(right_to_left_words_keep_the_pair_order)
{
    if (!shaping_use() || !canvas_font_name()) return;
    Source source = uniform("של é.npy", 2, 3);
    source.reading = (Reading){ .tokens = "של\nום\nb", .tokens_name = "t.txt" };
    open_two(&source, NULL);
    pin(0, 1);
    ck_assert(says(">\u2068של\u2069 → \u2068ום\u2069</text>"));
    ck_assert_str_eq(app_picture_name(app, arena, PICTURE_PNG), "של-é-npy-layer-0-head-0-map.png");
    press("Ctrl+O 'של'");
    ck_assert(has_caret_at(0) && !has_caret_at(canvas_text_width((CanvasText){ .size = 15 }, "של")));
    press("Home");
    ck_assert(!has_caret_at(0) && has_caret_at(canvas_text_width((CanvasText){ .size = 15 }, "של")));
    app_close(app);
    shaping_shape_by(NULL);
}

// After a pause a frame is not shorter than others.
TEST(tiles_are_played_in_time)
{
    Source source = walked();
    open_two(&source, NULL);
    ck_assert(app->state.shown.view == VIEW_TILES && app->state.shown.frame == 0);
    ck_assert(!app_clock(app, 1) && !app_clock(app, 2));
    press("Space");
    ck_assert(!app_clock(app, 9) && app->state.shown.frame == 0); // seconds after the last look
    ck_assert(!app_clock(app, 9.69) && app_clock(app, 9.71) && app->state.shown.frame == 1);
    ck_assert(!app_clock(app, 10) && app_clock(app, 60) && app->state.shown.frame == 2); // the window was asleep
    ck_assert(!app_clock(app, 60.6));
    press("Space");
    ck_assert(!app_clock(app, 70) && app->state.shown.frame == 2);
    press("Space");
    ck_assert(!app_clock(app, 90) && !app_clock(app, 90.6) && app_clock(app, 90.8) && app->state.shown.frame == 3);
    ck_assert(!app->state.shown.playing && !app_clock(app, 99));
    app_close(app);
}

TEST(kinds_of_attention_are_switched)
{
    Source source = three_kinds(), again = three_kinds();
    ViewerOptions options = plain();
    open_two(&source, NULL);
    ck_assert(app->document.T == 3 && app->document.S == 3 && app->state.shown.kind == 0);
    press("v");
    ck_assert(app->document.S == 2 && app->state.shown.document == &app->document &&
              !strcmp(app->document.kind, "cross"));
    work();
    app_picture(app, arena);
    ck_assert_msg(app_reread(app, &again, false, &error), "%s", error.text);
    ck_assert_str_eq(app->document.kind, "cross"); // it stays
    press("v");
    ck_assert(app->document.T == 2 && app->document.S == 2);
    press("v");
    ck_assert_str_eq(app->document.kind, "decoder");
    press("l l");
    ck_assert(app->state.shown.view == VIEW_LINES && app->state.shown.lines == LINES_KINDS);
    PageLayout layout = layout_of(&app->state);
    ck_assert(layout.band_count == 3 && layout.column_count == 4); // the decoder's words twice, the encoder's twice
    CanvasRect at = layout.bands[2].curves;
    send((Event){ EVENT_MOVE, .x = at.x + 5, .y = at.y + 1.5 * layout.line_step });
    ck_assert_str_eq(app->document.kind, "encoder"); // what is pointed at is at hand
    ck_assert(app->state.selection.hover.row == 1 && !app->state.selection.hover_by_key);
    send((Event){ EVENT_PRESS, .x = app->state.mouse.x, .y = app->state.mouse.y });
    send((Event){ EVENT_RELEASE, .x = app->state.mouse.x, .y = app->state.mouse.y });
    at = layout.bands[0].curves;
    send((Event){ EVENT_MOVE, .x = at.x + 5, .y = at.y + 5 });
    ck_assert(!strcmp(app->document.kind, "encoder") && app->state.selection.pinned.row == 1);
    app_picture(app, arena);
    app_close(app);
    options.kind = 2;
    ck_assert(app_open(app, &options, "viewer", &source, NULL, &error) && app->document.T == 2);
    app_close(app);
    Source one = uniform("one.npy", 2, 3);
    ck_assert(!app_open(app, &options, "viewer", &one, NULL, &error) &&
              strstr(error.text, "--kind encoder: one.npy has no such attention"));
}

// The dark scheme applies to saved pictures, is recorded in them, and stays for another file.
TEST(dark_applies_to_saved_pictures)
{
    Source first = uniform("a.npy", 2, 4), second = uniform("b.npy", 3, 5);
    open_two(&first, NULL);
    for (int dark = 0; dark < 2; dark++) {
        ck_assert_int_eq(app_picture(app, arena)->rgba[0], dark ? 0x16 : 0xfa);
        ck_assert_int_eq(holds(saved(PICTURE_PNG, NULL), "Scheme"), dark);
        if (!dark) press("p");
    }
    ck_assert(app_show(app, &second, &error) && app->state.display.dark && app_picture(app, arena)->rgba[0] == 0x16);
    app_close(app);
}

// Failures leave nothing open, which sanitizers check.
TEST(invalid_input_is_refused)
{
    Source good = uniform("a.npy", 3, 4), wrong = { .name = "wrong", .bytes = { (const unsigned char *)"nothing", 7 } };
    ViewerOptions options = plain();
    ck_assert(!app_open(app, &options, "", &wrong, NULL, &error) && strstr(error.text, "wrong: byte 0"));
    ck_assert(!app_open(app, &options, "", &good, &wrong, &error) && strstr(error.text, "wrong: byte 0"));
    options.layer = 7;
    ck_assert(!app_open(app, &options, "", &good, NULL, &error) && strstr(error.text, "--layer 7"));
    good.reading = (Reading){ .tokens = "one\ntwo\n", .tokens_name = "words.txt" };
    ck_assert(!app_open(app, &options, "", &good, NULL, &error) && strstr(error.text, "words.txt: found 2 tokens"));
}
