// The viewer as a page has it, driven as viewer.js does: words in, events in, points and words out.
#include "viz/web/shell.h"

#include "tests/io/bench.h"
#include "io/npy.h"
#include "support/maps.h"
#include "support/reference.h"
#include "support/viewer.h"
#include "support/suite.h"

static Bench bench;
static char *before;

// A page's program has a folder of its own.
static void setup(void)
{
    bench = bench_open();
    before = getcwd(NULL, 0);
    ck_assert_int_eq(chdir(bench.folder), 0);
}

static void teardown(void)
{
    shell_close();
    ck_assert_int_eq(chdir(before), 0);
    free(before);
    bench_close(&bench);
}
FIXTURE(setup, teardown);

static void opened(const char *words) { ck_assert_msg(shell_open(words), "%s", shell_why()); }

static void settled(void)
{
    while (!(shell_turn(0, 0.1) & TURN_DONE)) continue;
}

static bool says(const char *words) { return strstr(shell_words(), words) != NULL; }

// Weights (heads, n, n), each row 1/n.
static void uniform(const char *path, int64_t heads, int64_t n)
{
    const int64_t shape[] = { heads, n, n };
    float *at = arena_alloc(bench.arena, (size_t)(heads * n * n) * sizeof *at);
    for (int64_t i = 0; i < heads * n * n; i++) at[i] = 1 / (float)n;
    ck_assert_msg(npy_write(path, at, 3, shape, &bench.error), "%s", bench.error.text);
}

static void written(const char *path, const char *text)
{
    ck_assert_msg(file_write(path, text, strlen(text), &bench.error), "%s", bench.error.text);
}

// ---- opening

TEST_EACH(wrong_words_are_refused_and_others_may_follow, 4)
{
    static const char *const wrong[] = { "--view\nnone\n", "--export\nit.png\n", "missing.npy\n", "--help\n" };
    static const char *const sentence[] = { "none", "for a terminal", "no such file", "for a terminal" };
    ck_assert(!shell_open(wrong[_i]));
    ck_assert_msg(strstr(shell_why(), sentence[_i]), "%s", shell_why());
    opened("--view\nlines\n--layer\n1\n");
    ck_assert(says("Lines, layer 1 head 0"));
}

TEST(too_many_words_are_refused)
{
    const char *words = "";
    for (int n = 0; n < 64; n++) words = arena_format(bench.arena, "%s--dark\n", words);
    ck_assert(!shell_open(words));
    ck_assert_str_eq(shell_why(), "more than 63 words of a command are given");
}

TEST_EACH(the_picture_is_the_windows, 3)
{
    static const double sizes[][3] = { { 1280, 800, 1 }, { 900, 700, 1.25 }, { 390, 780, 3 } };
    const double *size = sizes[_i];
    opened("--text\nThe animal did not cross the street.\n");
    shell_size(size[0], size[1], size[2]);
    settled();
    const unsigned char *points = shell_picture();

    viewer_opens(
        arena_format(bench.arena, "--text|The animal did not cross the street.|--size|%gx%g", size[0], size[1]));
    files_handle_event(&files, (Event){ EVENT_RESIZE, .x = size[0], .y = size[1], .pixels = size[2] });
    while (!app_prepare(&files.app, 0.1)) continue;
    const Canvas *canvas = app_picture(&files.app, bench.arena);
    ck_assert(shell_width() == canvas->width && shell_height() == canvas->height);
    ck_assert_int_eq(shell_width(), (int)(size[0] * size[2]));
    ck_assert(!memcmp(points, canvas->rgba, (size_t)(4 * canvas->width * canvas->height)));
    files_close(&files);
}

TEST(a_file_takes_the_place_and_is_read_again)
{
    opened("");
    uniform("a.npy", 2, 4);
    ck_assert(shell_show("a.npy"));
    ck_assert_str_eq(shell_title(), "a.npy");
    shell_key("Right", 0);
    ck_assert(says("One head, head 1"));
    uniform("a.npy", 2, 5);
    ck_assert(shell_show("a.npy") && says("read again: a.npy\nOne head, head 1"));
    written("words.json", "[\"p\", \"q\", \"r\", \"s\", \"t\"]");
    ck_assert(shell_show("words.json"));
    shell_key("Left", HELD_SHIFT);
    ck_assert(says(" → "));
    written("a.npy", "no longer one");
    ck_assert(!shell_show("a.npy") && !shell_show("none.npy") && says("none.npy: there is no such file"));
}

// ---- events

TEST(keys_have_the_windows_meanings)
{
    static const struct {
        const char *key;
        int held;
        bool bound;
        const char *says;
    } keys[] = {
        { "Tab", 0, true, "Lines, layer 1 head 2" },   { "Tab", HELD_SHIFT, true, "One head, layer 1 head 2" },
        { "Right", 0, true, "layer 1 head 3" },        { "Right", HELD_CTRL, true, "query 11, key 3, pinned" },
        { "F5", 0, false, "query 11, key 3, pinned" }, { "W", HELD_CTRL, false, "query 11, key 3, pinned" },
    };
    opened("");
    for (size_t n = 0; n < sizeof keys / sizeof *keys; n++) {
        ck_assert_int_eq(shell_key(keys[n].key, keys[n].held), keys[n].bound);
        ck_assert_msg(says(keys[n].says), "%s", shell_words());
    }
    ck_assert(!shell_letter("y", false) && shell_letter("D", true) && says("Compare, layer 1 head 3"));
    ck_assert(shell_key("F", HELD_CTRL) && !strcmp(shell_line(), ""));
    ck_assert(shell_key("Escape", 0) && !shell_line() && !shell_quit());
    ck_assert(shell_letter("q", false) && shell_quit() && !shell_quit());
}

TEST(the_mouse_pins_and_the_wheel_zooms)
{
    opened("--view\nhead\n");
    shell_size(1280, 800, 1);
    shell_mouse(EVENT_MOVE, 640, 400);
    shell_letter("r", false);
    ck_assert(!says("pinned"));
    shell_mouse(EVENT_PRESS, 640, 400);
    shell_mouse(EVENT_RELEASE, 640, 400);
    ck_assert_msg(says("query 7, key 8, pinned"), "%s", shell_words());
    settled();
    unsigned char *far = memcpy(arena_alloc(bench.arena, 4 * 1280 * 800), shell_picture(), 4 * 1280 * 800);
    shell_wheel(3);
    settled();
    ck_assert(memcmp(far, shell_picture(), 4 * 1280 * 800));
    shell_wheel(-3);
    settled();
    ck_assert(!memcmp(far, shell_picture(), 4 * 1280 * 800));
}

TEST(the_tabs_end)
{
    opened("--view\nheads\n--dark\n");
    ck_assert(shell_dark() && shell_last_view(true));
    int views = 1;
    for (; !shell_last_view(false); views++) shell_key("Tab", 0);
    ck_assert_int_eq(views, 5); // Tiles are not among them
    ck_assert(says("Compare") && !shell_last_view(true));
}

TEST(the_line_is_as_the_field_has_it)
{
    const char *line = "The animal did not cross the street last night because it was too wide.";
    opened("");
    ck_assert_ptr_null(shell_line());
    shell_type("nothing is typed", 3, false);
    ck_assert_str_eq(shell_copied(), "The animal did not cross the street last night because it was too tired.");
    shell_letter("/", false);
    ck_assert_int_eq(shell_caret(), (int)strlen(shell_line()));
    shell_type(line, 10, false);
    ck_assert(!strcmp(shell_line(), line) && shell_caret() == 10 && !shell_selected() && says("street 1.000"));
    shell_type(line, 1000, true);
    ck_assert(shell_caret() == (int)strlen(line) && shell_selected());
    shell_type("", -1, true);
    ck_assert(!strcmp(shell_line(), "") && shell_caret() == 0 && !shell_selected());
    const double *place = shell_line_place();
    ck_assert(place[0] == 24 && place[1] > 700 && place[1] + place[3] < 800 && place[2] == 1280 - 48);
    shell_key("Escape", 0);
    ck_assert_str_eq(shell_copied(), line);
    shell_paste("The street did not cross the animal.");
    ck_assert(!strcmp(shell_line(), "The street did not cross the animal.") && shell_command() == COMMAND_NONE);
    shell_key("Enter", 0);
    ck_assert_ptr_null(shell_line());
    ck_assert_str_eq(shell_copied(), "The street did not cross the animal.");
}

// ---- between events

// A walk of two steps over a map (2, 2), as chapter 23 dumps it.
static void walked(const char *path)
{
    static const char words[] = "{\"walk.weights\":{\"dtype\":\"F32\",\"shape\":[2,2,2],\"data_offsets\":[0,32]},"
                                "\"walk.ranks\":{\"dtype\":\"F32\",\"shape\":[2,2,2],\"data_offsets\":[32,64]}}";
    enum { START = 8 + sizeof words - 1 };
    unsigned char file[START + 64] = { sizeof words - 1 };
    const float one = 1;
    memcpy(file + 8, words, sizeof words - 1);
    for (size_t i = 0; i < 16; i++) dtype_write_f32(file + START + 4 * i, &one, 1);
    ck_assert_msg(file_write(path, file, sizeof file, &bench.error), "%s", bench.error.text);
}

TEST(what_plays_goes_on)
{
    walked("walk.safetensors");
    opened("walk.safetensors\n--view\ntiles\n");
    settled();
    ck_assert_int_eq(shell_turn(1, 0.1), TURN_DONE);
    shell_letter(" ", false);
    ck_assert(shell_turn(2, 0.1) == (TURN_DONE | TURN_PLAYS) && shell_turn(2.1, 0.1) == (TURN_DONE | TURN_PLAYS));
    ck_assert(shell_turn(3, 0.1) & TURN_CHANGED);
    ck_assert_str_eq(shell_words(), "\nRanks, head 0\n"); // whose numbers have no panel
}

// ---- what comes out

TEST_EACH(pictures_are_saved_under_their_names, 3)
{
    static const char *const names[] = { "glosses-layer-1-head-2-map.png", "glosses-layer-1-head-2-map.svg",
                                         "glosses-heads.html" };
    static const char *const begins[] = { "\x89PNG", "<svg", "<!DOCTYPE html>" };
    static const Command commands[] = { COMMAND_SAVE_PNG, COMMAND_SAVE_SVG, COMMAND_SAVE_PAGE };
    opened("");
    if (_i < 2) shell_letter(_i ? "E" : "e", false);
    else shell_key("E", HELD_CTRL);
    ck_assert(shell_command() == (int)commands[_i] && shell_command() == COMMAND_NONE);
    const char *name = shell_save(_i);
    ck_assert_str_eq(name, names[_i]);
    FileBytes bytes;
    ck_assert_msg(file_read(&bytes, bench.arena, name, &bench.error), "%s", bench.error.text);
    ck_assert_msg(strstr((const char *)bytes.at, begins[_i]), "%.40s", (const char *)bytes.at);
    ck_assert(says(arena_format(bench.arena, "saved: %s", names[_i])));
}

TEST(what_cannot_be_saved_is_told)
{
    opened("");
    ck_assert(mkdir("glosses-heads.html", 0700) == 0 && !shell_save(PICTURE_PAGE) && says("glosses-heads.html"));
    ck_assert(!says("saved"));
}

TEST(words_say_what_the_panel_has)
{
    opened("");
    settled();
    shell_say("It went wrong.");
    const char *words = shell_words();
    static const char first[] = "It went wrong.\nOne head, layer 1 head 2: it, verb\n"
                                "it → animal\nquery 11, key 2, pinned\n";
    ck_assert_msg(!strncmp(words, first, sizeof first - 1), "%s", words);
    ck_assert(says("\nweight 1.0000\n"));
    ck_assert(says("\nfirst token 0.07")); // the last line, whatever the window's height
    shell_size(320, 200, 1);
    ck_assert(says("\nfirst token 0.07"));
    shell_letter("?", false);
    ck_assert(says("\nS   C: scale; colours\n") && !says("first token"));
}
