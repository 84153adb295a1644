// The viewer without its window: opening, saving, errors, and what stays after an error.
#include "viz/files.h"

#include "tests/io/bench.h"
#include "io/npy.h"
#include "support/maps.h"
#include "support/reference.h"
#include "viz/layout.h"
#include "support/suite.h"

#include <fcntl.h>
#include <sys/wait.h>

static Bench bench;
static Files files;
static App *const app = &files.app;

static void setup(void) { bench = bench_open(); }
static void teardown(void) { bench_close(&bench); }
FIXTURE(setup, teardown);

// Up to four arguments.
static bool open_with(const char *a, const char *b, const char *c, const char *e)
{
    char *argv[6] = { "viewer" };
    const char *const words[] = { a, b, c, e };
    int argc = 1;
    for (int w = 0; w < 4 && words[w]; w++) argv[argc++] = arena_format(bench.arena, "%s", words[w]);
    ViewerOptions options;
    return viewer_options_read(&options, argc, argv, &bench.error) == FLAGS_FINE &&
           files_open(&files, &options, argc, argv, &bench.error);
}

static char *npy(const char *name, int64_t heads, int64_t T, int64_t S)
{
    Random random = random_from((uint64_t)(heads + T));
    char *path = bench_path(&bench, name);
    const int64_t shape[] = { heads, T, S };
    float *at = arena_alloc(bench.arena, (size_t)(heads * T * S) * sizeof *at);
    for (int64_t row = 0; row < heads * T; row++) {
        double sum = 0;
        for (int64_t j = 0; j < S; j++) sum += at[row * S + j] = 0.01f + random_uniform(&random);
        for (int64_t j = 0; j < S; j++) at[row * S + j] = (float)((double)at[row * S + j] / sum);
    }
    ck_assert_msg(npy_write(path, at, 3, shape, &bench.error), "%s", bench.error.text);
    return path;
}

static FileBytes bytes_of(const char *path)
{
    FileBytes bytes;
    ck_assert_msg(file_read(&bytes, bench.arena, path, &bench.error), "%s", bench.error.text);
    return bytes;
}

static void send(Event event) { files_handle_event(&files, event); }
static void text(const char *typed) { send(state_event_of_text(&app->state, typed, false)); }
static void key(Key k) { send((Event){ EVENT_KEY, .key = k }); }

// ---- saving

TEST(every_head_is_exported)
{
    char *folder = bench_path(&bench, "new/all");
    ck_assert_msg(open_with(npy("a.npy", 3, 4, 6), "--export-all", folder, NULL), "%s", bench.error.text);
    ck_assert_msg(files_export(&files, &bench.error), "%s", bench.error.text);
    files_close(&files);
    ck_assert_int_eq(entries_in(folder), 4);
    for (int h = 0; h < 3; h++) bytes_of(arena_format(bench.arena, "%s/a-npy-layer-0-head-%d-map.png", folder, h));
    bytes_of(arena_format(bench.arena, "%s/a-npy-heads.png", folder));
}

// The message, which names the folder.
static const char *written(const char *name)
{
    char folder[4096];
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    return arena_format(bench.arena, "written: %s/%s", folder, name);
}

TEST(keys_save_in_the_current_folder)
{
    ck_assert(open_with(npy("a.npy", 3, 4, 6), NULL, NULL, NULL));
    ck_assert_int_eq(chdir(bench.folder), 0);
    text("?");
    text("e");
    ck_assert(!app->state.display.help && app->state.command == COMMAND_NONE);
    ck_assert_str_eq(app->state.message.status, written("a-npy-layer-0-head-0-map.png"));
    FileBytes shown = bytes_of("a-npy-layer-0-head-0-map.png");
    char *path = bench_path(&bench, "again.png");
    ck_assert(files_save(&files, path, &bench.error)); // the note is not in the picture
    FileBytes noted = bytes_of(path);
    ck_assert_str_eq(app->state.message.status, written("a-npy-layer-0-head-0-map.png"));
    key(KEY_LEFT);
    ck_assert(!app->state.message.status && files_save(&files, path, &bench.error));
    FileBytes plain = bytes_of(path);
    ck_assert(shown.size == plain.size && !memcmp(shown.at, plain.at, plain.size));
    ck_assert(noted.size == plain.size && !memcmp(noted.at, plain.at, plain.size));
    text("E");
    ck_assert_str_eq(app->state.message.status, written("a-npy-layer-0-head-0-map.svg"));
    bytes_of("a-npy-layer-0-head-0-map.svg");
    for (int again = 2; again < 4; again++) { // what stands there stays
        text("e");
        const char *name = arena_format(bench.arena, "a-npy-layer-0-head-0-map-%d.png", again);
        ck_assert_str_eq(app->state.message.status, written(name));
        bytes_of(name);
    }
    FileBytes first = bytes_of("a-npy-layer-0-head-0-map.png");
    ck_assert(first.size == plain.size && !memcmp(first.at, plain.at, plain.size));
    key(KEY_SAVE_PAGE);
    ck_assert_str_eq(app->state.message.status, written("a-npy-heads.html"));
    FileBytes page = bytes_of("a-npy-heads.html");
    path = bench_path(&bench, "again.html");
    ck_assert(files_save(&files, path, &bench.error));
    FileBytes again = bytes_of(path);
    ck_assert(page.size == again.size && !memcmp(page.at, again.at, page.size));
    ck_assert(chdir("/") == 0);
    files_close(&files);
}

// Runs a check as an unprivileged user in a child process, since root may write anywhere.
static bool as_nobody(bool (*claim)(const char *), const char *path)
{
    pid_t child = fork();
    if (child == 0) _exit((geteuid() == 0 && setuid(65534) != 0) || !claim(path));
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool refused(const char *path)
{
    Error error = { .text = "" };
    return !files_save(&files, path, &error) && strstr(error.text, path) && strstr(error.text, "cannot be written");
}

static bool refused_folder(const char *path)
{
    Error error = { .text = "" };
    app->options.folder = path;
    return !files_export(&files, &error) && strstr(error.text, path);
}

static bool said_in_window(const char *path)
{
    if (chdir(path)) return false;
    text("e");
    return app->state.message.error && strstr(app->state.message.error, "cannot be written") && !app->state.quit;
}

TEST(write_errors_are_reported)
{
    char *locked = bench_path(&bench, "locked"), *inside = bench_path(&bench, "locked/a.png"),
         *file = bench_path(&bench, "file");
    ck_assert(open_with(npy("a.npy", 3, 4, 6), NULL, NULL, NULL));
    ck_assert(file_make_folder(locked, &bench.error) && file_write(file, "x", 1, &bench.error));
    ck_assert(chmod(locked, 0555) == 0 && chmod(bench.folder, 0755) == 0);
    ck_assert(as_nobody(refused, inside));
    ck_assert(as_nobody(refused, bench_path(&bench, "none/a.png")));
    ck_assert(as_nobody(refused_folder, inside));
    ck_assert(as_nobody(refused_folder, file));
    ck_assert(as_nobody(said_in_window, locked));
#ifdef __linux__
    ck_assert(as_nobody(refused, "/dev/full"));
#endif
    ck_assert_int_eq(entries_in(locked), 0);
    ck_assert_int_eq(entries_in(bench.folder), 3);
    ck_assert_int_eq(chmod(locked, 0755), 0);
    files_close(&files);
}

// ---- opening

TEST(missing_and_cut_files_are_refused)
{
    char *whole = npy("a.npy", 3, 4, 6), *cut = bench_path(&bench, "cut.npy"),
         *missing = bench_path(&bench, "missing.npy");
    FileBytes bytes = bytes_of(whole);
    ck_assert(!open_with(missing, NULL, NULL, NULL) && strstr(bench.error.text, "there is no such file"));
    ck_assert(!open_with(bench.folder, NULL, NULL, NULL) && strstr(bench.error.text, "this is a folder"));
    for (size_t size = 1; size < bytes.size; size += 7) {
        ck_assert(file_write(cut, bytes.at, size, &bench.error));
        ck_assert(!open_with(cut, NULL, NULL, NULL) && strstr(bench.error.text, cut) &&
                  !strchr(bench.error.text, '\n'));
    }
    ck_assert(!open_with(whole, "--tokens", missing, NULL) && strstr(bench.error.text, missing));
    ck_assert(!open_with(whole, "--compare", missing, NULL) && strstr(bench.error.text, missing));
    ck_assert(!open_with("--model", whole, NULL, NULL) && strstr(bench.error.text, whole));
    ck_assert(!open_with("--text", "the xyzzy", NULL, NULL) && strstr(bench.error.text, "xyzzy"));
    char *many = arena_alloc(bench.arena, 9001);
    memset(many, 'a', 9000);
    ck_assert(!open_with("--text", many, NULL, NULL) && strstr(bench.error.text, "9000 bytes; 8191 are possible"));
}

TEST(another_file_is_shown)
{
    char *first = npy("first.npy", 3, 4, 6), *second = npy("second.npy", 2, 5, 5),
         *wrong = bench_path(&bench, "wrong.npy");
    ck_assert(file_write(wrong, "nothing", 7, &bench.error));
    ck_assert(open_with(first, NULL, NULL, NULL));
    quiet();
    send((Event){ EVENT_RESIZE, .x = 900, .y = 700, .pixels = 2 });
    key(KEY_ZOOM_IN);
    key(KEY_END);
    text("c");
    text("s");
    ck_assert(!files_show(&files, wrong));
    ck_assert_ptr_nonnull(strstr(app->state.message.error, "wrong.npy"));
    ck_assert(app->state.shown.document->S == 6 && app->state.shown.head == 2); // all stays
    ck_assert(files_show(&files, second));
    ck_assert(app->state.shown.document->S == 5 && app->state.shown.head == 0 && !app->state.message.error);
    ck_assert(app->state.camera.width == 900 && app->state.camera.pixels == 2 && app->state.camera.zoom > 1 &&
              app->state.shown.colors == COLOR_CIVIDIS);
    key(KEY_OPEN);
    for (const char *c = first; *c; c++) text((char[]){ *c, 0 });
    key(KEY_ENTER);
    ck_assert(app->state.shown.document->S == 6 && !app->state.message.error && app->state.command == COMMAND_NONE);
    key(KEY_OPEN);
    text("x");
    key(KEY_ENTER);
    ck_assert(app->state.shown.document->S == 6 && strstr(app->state.message.error, "there is no such file"));
    Arena *scratch = arena_open();
    app_picture(app, scratch);
    arena_close(scratch);
    files_close(&files);
}

// The window shows one line; the Python code for a pickle goes to the terminal.
TEST(a_pickle_is_refused_in_a_line)
{
    char *pickle = bench_path(&bench, "maps.pt");
    ck_assert(file_write(pickle, "\x80\x02}q\x00.", 6, &bench.error));
    ck_assert(open_with(npy("a.npy", 3, 4, 6), NULL, NULL, NULL));
    quiet();
    ck_assert(!files_show(&files, pickle));
    ck_assert_msg(strstr(app->state.message.error, "this is a pickle") &&
                      strstr(app->state.message.error, "terminal.") && !strchr(app->state.message.error, '\n'),
                  "%s", app->state.message.error);
    files_close(&files);
}

TEST(a_file_replaces_a_model)
{
    char *file = npy("a.npy", 3, 4, 6);
    ck_assert_msg(open_with(NULL, NULL, NULL, NULL), "%s", bench.error.text);
    ck_assert(app->state.shown.document->live && app->state.selection.pinned.row >= 0);
    files_work(&files, 0.01);
    ck_assert(files_show(&files, file));
    ck_assert(!app->state.shown.document->live);
    text("/");
    text("a");
    ck_assert_ptr_nonnull(strstr(app->state.message.error, "where a model is loaded"));
    while (!files_work(&files, 0.01)) continue;
    files_close(&files);
}

// ---- models and comparisons

TEST(heads_are_ablated_by_a_flag)
{
    ck_assert_msg(open_with("--off", "1.2,0.1", NULL, NULL), "%s", bench.error.text);
    ck_assert(app->state.shown.ablated[6] && app->state.shown.ablated[1] &&
              app->document.loss != app->document.whole_loss);
    files_close(&files);
    ck_assert(!open_with("--off", "1.2,7.0", NULL, NULL) && strstr(bench.error.text, "--off 7.0"));
    ck_assert(!open_with(npy("a.npy", 3, 4, 6), "--off", "0.0", NULL) && strstr(bench.error.text, "in a model only"));
}

// Has the PNG a tEXt chunk with this text, as Latin-1?
static bool png_says(FileBytes png, const char *name, const char *value)
{
    size_t n = strlen(name), m = strlen(value);
    for (size_t at = 4; at + n + 1 + m <= png.size; at++)
        if (!memcmp(png.at + at - 4, "tEXt", 4) && !memcmp(png.at + at, name, n + 1) &&
            !memcmp(png.at + at + n + 1, value, m))
            return true;
    return false;
}

static FileBytes shown_png(void)
{
    char *path = bench_path(&bench, "shown.png");
    ck_assert_msg(files_save(&files, path, &bench.error), "%s", bench.error.text);
    return bytes_of(path);
}

// Enter keeps an invalid sentence in the line; anything else that ends typing restores the sentence of the maps. Saved
// files have only that.
TEST(saved_sentence_is_that_of_the_maps)
{
    ck_assert(open_with("--text", "the animal", NULL, NULL));
    FileBytes before = shown_png();
    text("/");
    text(" xyzzy");
    key(KEY_ENTER);
    ck_assert(app->state.editing.typing == TYPING_SENTENCE && strstr(app->state.message.error, "xyzzy"));
    ck_assert_str_eq(app->state.editing.sentence, "the animal xyzzy");
    ck_assert(png_says(shown_png(), "Sentence", "the animal"));
    ck_assert(!png_says(bytes_of(bench_path(&bench, "shown.png")), "Sentence", "the animal xyzzy"));
    send((Event){ EVENT_PRESS, .x = 640, .y = 5 });
    send((Event){ EVENT_RELEASE, .x = 640, .y = 5 });
    ck_assert(!app->state.editing.typing);
    ck_assert_str_eq(app->state.editing.sentence, "the animal");
    key(KEY_LEFT);
    FileBytes after = shown_png();
    ck_assert(after.size == before.size && !memcmp(after.at, before.at, after.size));
    text("/");
    text(" xyzzy");
    key(KEY_OPEN); // another line: the caret is that of the path
    ck_assert(app->state.editing.typing == TYPING_PATH && app->state.editing.caret == 0 &&
              !strcmp(app->state.editing.sentence, "the animal"));
    key(KEY_BACK);
    text("/");
    text(" xyzzy");
    for (int n = 0; n < 6; n++) key(KEY_BACKSPACE);
    text(" did");
    key(KEY_ENTER);
    ck_assert(!app->state.editing.typing && !app->state.message.error && app->document.T > 2);
    ck_assert_str_eq(app->state.editing.sentence, "the animal did");
    files_close(&files);
}

TEST(pictures_record_their_settings)
{
    ck_assert(open_with("--text", "the animal", NULL, NULL));
    ck_assert(!png_says(shown_png(), "Off", ""));
    text("a");
    key(KEY_RIGHT);
    text("a");
    text("s");
    text("c");
    text("h");
    text("m");
    FileBytes png = shown_png();
    int head = app->state.shown.head, layer = app->state.shown.layer;
    char *off = arena_format(bench.arena, "%d.%d,%d.%d", layer, head - 1, layer, head);
    ck_assert(png_says(png, "Sentence", "the animal") && png_says(png, "Off", off));
    ck_assert(png_says(png, "Scale", "per head") && png_says(png, "Colors", "cividis"));
    ck_assert(png_says(png, "Left out", "1") && png_says(png, "Folded", "largest"));
    ck_assert(png_says(png, "Head", arena_format(bench.arena, "%d", head)));
    ck_assert(png_says(png, "Command", "viewer --text \"the animal\""));
    text("l");
    text("l");
    text("t"); // that head is not drawn
    png = shown_png();
    ck_assert(png_says(png, "Lines", "layer"));
    ck_assert(png_says(png, "Not drawn", arena_format(bench.arena, "%d.%d", layer, head)));
    text("d");
    png = shown_png();
    ck_assert(png_says(png, "View", "Compare"));
    char *other = arena_format(bench.arena, "%d.%d", app->state.shown.other_layer, app->state.shown.other_head);
    ck_assert(png_says(png, "Other", other));
    files_close(&files);
}

static bool svg_has(const char *word)
{
    char *path = bench_path(&bench, "words.svg");
    ck_assert_msg(files_save(&files, path, &bench.error), "%s", bench.error.text);
    return strstr((const char *)bytes_of(path).at, arena_format(bench.arena, ">%s<", word));
}

// The second file shows the same head, with its own words.
TEST(the_second_file_has_its_own_words_and_the_same_head)
{
    char *first = npy("first.npy", 9, 4, 4), *second = npy("second.npy", 7, 4, 4);
    char *words = bench_path(&bench, "w.txt"), *others = bench_path(&bench, "o.txt");
    ck_assert(file_write(words, "w\nx\ny\nz\n", 8, &bench.error) &&
              file_write(others, "one\ntwo\nsix\nten\n", 16, &bench.error));
    char *flags[] = {
        "viewer", first, "--tokens", words, "--compare", second, "--head", "5", "--other-tokens", others
    };
    ViewerOptions options;
    for (int argc = 8; argc <= 10; argc += 2) {
        ck_assert(viewer_options_read(&options, argc, flags, &bench.error) == FLAGS_FINE);
        ck_assert_msg(files_open(&files, &options, argc, flags, &bench.error), "%s", bench.error.text);
        ck_assert(app->state.shown.head == 5 && app->state.shown.other_head == 5);
        ck_assert(app->other_document.keys == NULL || !strcmp(app->other_document.keys[3], "ten"));
        ck_assert(svg_has("x") && svg_has("two") == (argc == 10));
        ck_assert(svg_has("y") && svg_has("3")); // the difference is of both: positions
        key(KEY_RIGHT);
        ck_assert(app->state.shown.head == 6 && app->state.shown.other_head == 6);
        key(KEY_RIGHT);
        ck_assert(app->state.shown.head == 7 && app->state.shown.other_head == 6); // it has no more
        key(KEY_LEFT);
        key(KEY_LEFT);
        ck_assert(app->state.shown.head == 5 && app->state.shown.other_head == 5);
        send((Event){ EVENT_KEY, .key = KEY_LEFT, .shift = true });
        key(KEY_LEFT);
        key(KEY_LEFT);
        ck_assert(app->state.shown.head == 3 && app->state.shown.other_head == 3);
        files_close(&files);
    }
    ck_assert(!open_with(first, "--other-tokens", others, NULL) && strstr(bench.error.text, "needs --compare"));
}

// Weights compared with scores, which have no logarithm: a linear scale for both.
TEST(weights_are_compared_with_scores)
{
    char *weights = npy("weights.npy", 2, 4, 4), *scores = bench_path(&bench, "scores.npy");
    const int64_t shape[] = { 2, 4, 4 };
    float at[32];
    for (int n = 0; n < 32; n++) at[n] = (float)(n % 7 - 3);
    ck_assert(npy_write(scores, at, 3, shape, &bench.error));
    for (int turned = 0; turned <= 1; turned++) {
        ck_assert(open_with(turned ? scores : weights, "--compare", turned ? weights : scores, NULL));
        ck_assert(app->document.of[FIELD_WEIGHTS] >= 0 ? app->other_document.of[FIELD_SCORES] >= 0
                                                       : app->other_document.of[FIELD_WEIGHTS] >= 0);
        for (int scale = 0; scale < SCALES; scale++) {
            app->state.shown.scale = (Scale)scale;
            bool one = scale == SCALE_LOG || scale == SCALE_UNIFORM;
            ck_assert(svg_has("value") || !one);
            ck_assert(!svg_has("weight, log") && !svg_has("weight × allowed keys"));
        }
        files_close(&files);
    }
}

// Both values and their difference, or why a value is missing.
TEST(compare_shows_both_numbers)
{
    const int64_t shape[] = { 3, 3 };
    const float one[] = { 1, 0, 0, 0.25f, 0.75f, 0, 0.5f, 0.25f, 0.25f };
    const float two[] = { 0.25f, 0.5f, 0.25f, 0.5f, 0.25f, 0.25f, 0.125f, 0.125f, 0.75f };
    char *first = bench_path(&bench, "first.npy"), *second = bench_path(&bench, "second.npy");
    char *words = bench_path(&bench, "w.txt"), *others = bench_path(&bench, "o.txt");
    ck_assert(npy_write(first, one, 2, shape, &bench.error) && npy_write(second, two, 2, shape, &bench.error));
    ck_assert(file_write(words, "a\nb\nc\n", 6, &bench.error) && file_write(others, "a\nx\nc\n", 6, &bench.error));
    char *flags[] = { "viewer",         first,  "--tokens", words, "--compare", second,
                      "--other-tokens", others, "--cell",   "2,0", NULL };
    static const struct {
        int row, col;
        const char *said[4];
    } cases[] = {
        // places: a, b, x, c
        { 3, 0, { "c → a", "0.5000", "0.1250", "+0.3750" } },
        { 0, 0, { "a → a", "1.0000", "0.2500", "+0.7500" } },
        { 3, 3, { "c → c", "0.2500", "0.7500", "−0.5000" } },
        { 0, 3, { "a → c", "masked", "0.2500", "masked in the first" } },
        { 3, 2, { "c → x", "not there", "0.1250", "not in the first" } },
        { 1, 0, { "b → a", "0.2500", "not there", "not in the second" } },
        { 1, 2, { "b → x", "not there", "not there", "in neither" } },
    };
    ViewerOptions options;
    ck_assert(viewer_options_read(&options, 10, flags, &bench.error) == FLAGS_FINE);
    ck_assert_msg(files_open(&files, &options, 10, flags, &bench.error), "%s", bench.error.text);
    ck_assert(app->document.masked == MASK_CAUSAL && app->state.shown.aligned->rows.count == 4);
    app->state.selection.pinned = (HeadCell){ -1, -1 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        app->state.selection.pinned_aligned = (HeadCell){ cases[c].row, cases[c].col };
        for (int k = 0; k < 4; k++) ck_assert_msg(svg_has(cases[c].said[k]), "%s", cases[c].said[k]);
    }
    ck_assert(svg_has("x")); // each side has its own words
    files_close(&files);
}
