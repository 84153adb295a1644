// The viewer without its window: opening, saving, errors, and what stays after an error.
#include "support/viewer.h"

#include "tests/io/bench.h"
#include "io/npy.h"
#include "support/maps.h"
#include "support/reference.h"
#include "viz/layout.h"
#include "support/suite.h"

#include <fcntl.h>
#include <sys/wait.h>

BENCH_FIXTURE;

// A file, a flag and its value.
static const char *line_of(const char *a, const char *b, const char *c)
{
    return arena_format(bench.arena, "%s%s%s%s%s", a, b ? "|" : "", b ? b : "", c ? "|" : "", c ? c : "");
}

static void opens(const char *a, const char *b, const char *c) { viewer_opens(line_of(a, b, c)); }

static void refuses(const char *a, const char *b, const char *c, const char *why)
{
    ck_assert(!viewer_tries(line_of(a, b, c), &bench.error));
    ERROR_HAS(&bench.error, why);
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

static bool same(FileBytes a, FileBytes b) { return a.size == b.size && !memcmp(a.at, b.at, a.size); }

// ---- saving

TEST(every_head_is_exported)
{
    char *folder = bench_path(&bench, "new/all");
    opens(npy("a.npy", 3, 4, 6), "--export-all", folder);
    ck_assert_msg(files_export(&files, &bench.error), "%s", bench.error.text);
    files_close(&files);
    ck_assert_int_eq(entries_in(folder), 4);
    for (int h = 0; h < 3; h++) bytes_of(arena_format(bench.arena, "%s/a-npy-layer-0-head-%d-map.png", folder, h));
    bytes_of(arena_format(bench.arena, "%s/a-npy-heads.png", folder));
}

// What a key writes, and how the message names it, is what is saved again under another name.
static void check_saved(const char *script, const char *name)
{
    char folder[4096];
    viewer_press(script);
    ck_assert(getcwd(folder, sizeof folder) && app->state.message.status);
    ck_assert_str_eq(app->state.message.status, arena_format(bench.arena, "written: %s/%s", folder, name));
    FileBytes saved = bytes_of(name);
    const char *again = arena_format(bench.arena, "again%s", strrchr(name, '.'));
    ck_assert(files_save(&files, again, &bench.error) && same(saved, bytes_of(again)));
}

TEST(keys_save_in_the_current_folder)
{
    opens(npy("a.npy", 3, 4, 6), NULL, NULL);
    ck_assert_int_eq(chdir(bench.folder), 0);
    check_saved("? e", "a-npy-layer-0-head-0-map.png");
    check_saved("E", "a-npy-layer-0-head-0-map.svg");
    check_saved("e", "a-npy-layer-0-head-0-map-2.png"); // what stands there stays
    check_saved("e", "a-npy-layer-0-head-0-map-3.png");
    check_saved("Ctrl+E", "a-npy-heads.html");
    ck_assert(!app->state.display.help && same(bytes_of("a-npy-layer-0-head-0-map.png"), bytes_of("again.png")));
    ck_assert_int_eq(chdir("/"), 0);
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
    viewer_press("e");
    return app->state.message.error && strstr(app->state.message.error, "cannot be written") && !app->state.quit;
}

TEST(write_errors_are_reported)
{
    char *locked = bench_path(&bench, "locked"), *inside = bench_path(&bench, "locked/a.png"),
         *file = bench_path(&bench, "file");
    opens(npy("a.npy", 3, 4, 6), NULL, NULL);
    ck_assert(file_make_folder(locked, &bench.error) && file_write(file, "x", 1, &bench.error));
    ck_assert(chmod(locked, 0555) == 0 && chmod(bench.folder, 0755) == 0 && as_nobody(refused, inside));
    ck_assert(as_nobody(refused, bench_path(&bench, "none/a.png")) && as_nobody(refused_folder, inside));
    ck_assert(as_nobody(refused_folder, file) && as_nobody(said_in_window, locked));
#ifdef __linux__
    ck_assert(as_nobody(refused, "/dev/full"));
#endif
    ck_assert(entries_in(locked) == 0 && entries_in(bench.folder) == 3 && chmod(locked, 0755) == 0);
    files_close(&files);
}

// ---- opening

TEST(missing_and_cut_files_are_refused)
{
    char *whole = npy("a.npy", 3, 4, 6), *cut = bench_path(&bench, "cut.npy"), many[9001] = { 0 };
    char *missing = bench_path(&bench, "missing.npy");
    FileBytes bytes = bytes_of(whole);
    refuses(missing, NULL, NULL, "there is no such file");
    refuses(bench.folder, NULL, NULL, "this is a folder");
    for (size_t size = 1; size < bytes.size; size += 7) {
        ck_assert(file_write(cut, bytes.at, size, &bench.error));
        refuses(cut, NULL, NULL, cut);
    }
    refuses(whole, "--tokens", missing, missing);
    refuses(whole, "--compare", missing, missing);
    refuses("--model", whole, NULL, whole);
    refuses("--text", "the xyzzy", NULL, "xyzzy");
    memset(many, 'a', 9000);
    refuses("--text", many, NULL, "9000 bytes; 8191 are possible");
}

TEST(another_file_is_shown)
{
    char *first = npy("first.npy", 3, 4, 6), *second = npy("second.npy", 2, 5, 5), *wrong = bench_path(&bench, "wrong");
    ck_assert(file_write(wrong, "nothing", 7, &bench.error));
    opens(first, NULL, NULL);
    quiet();
    files_handle_event(&files, (Event){ EVENT_RESIZE, .x = 900, .y = 700, .pixels = 2 });
    viewer_press("Ctrl++ End c s");
    ck_assert(!files_show(&files, wrong) && strstr(app->state.message.error, "wrong"));
    ck_assert(app->state.shown.document->S == 6 && app->state.shown.head == 2); // all stays
    ck_assert(files_show(&files, second) && app->state.shown.document->S == 5 && app->state.camera.width == 900);
    viewer_facts("head 0.0 scale head cividis zoom 1.10");
    viewer_press(arena_format(bench.arena, "Ctrl+O '%s' Enter", first));
    ck_assert(app->state.shown.document->S == 6 && !app->state.message.error && app->state.command == COMMAND_NONE);
    viewer_press("Ctrl+O 'x' Enter");
    ck_assert(app->state.shown.document->S == 6 && strstr(app->state.message.error, "there is no such file"));
    viewer_draw();
    files_close(&files);
}

// The window shows one line; the Python code for a pickle goes to the terminal.
TEST(a_pickle_is_refused_in_a_line)
{
    char *pickle = bench_path(&bench, "maps.pt");
    ck_assert(file_write(pickle, "\x80\x02}q\x00.", 6, &bench.error));
    opens(npy("a.npy", 3, 4, 6), NULL, NULL);
    quiet();
    ck_assert(!files_show(&files, pickle));
    const char *error = app->state.message.error;
    ck_assert_msg(strstr(error, "this is a pickle") && strstr(error, "terminal.") && !strchr(error, '\n'), "%s", error);
    files_close(&files);
}

// ---- models and comparisons

TEST(heads_are_ablated_by_a_flag)
{
    opens("--off", "1.2,0.1", NULL);
    ck_assert(app->state.shown.ablated[6] && app->state.shown.ablated[1]);
    ck_assert(app->document.loss != app->document.whole_loss);
    files_close(&files);
    refuses("--off", "1.2,7.0", NULL, "--off 7.0");
    refuses(npy("a.npy", 3, 4, 6), "--off", "0.0", "in a model only");
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
    viewer_opens("--text|the animal");
    const State *s = &app->state;
    FileBytes before = shown_png();
    viewer_press("/ ' xyzzy' Enter");
    ck_assert(s->editing.typing == TYPING_SENTENCE && strstr(s->message.error, "xyzzy"));
    ck_assert_str_eq(s->editing.sentence, "the animal xyzzy");
    FileBytes png = shown_png();
    ck_assert(png_says(png, "Sentence", "the animal") && !png_says(png, "Sentence", "the animal xyzzy"));
    files_handle_event(&files, (Event){ EVENT_PRESS, .x = 640, .y = 5 });
    files_handle_event(&files, (Event){ EVENT_RELEASE, .x = 640, .y = 5 });
    ck_assert(!s->editing.typing && !strcmp(s->editing.sentence, "the animal"));
    viewer_press("Left");
    ck_assert(same(shown_png(), before));
    viewer_press("/ ' xyzzy' Ctrl+O"); // another line: the caret is that of the path
    ck_assert(s->editing.typing == TYPING_PATH && s->editing.caret == 0);
    ck_assert_str_eq(s->editing.sentence, "the animal");
    viewer_press("Escape / ' xyzzy' Backspace*6 ' did' Enter");
    ck_assert(!s->editing.typing && !s->message.error && !strcmp(s->editing.sentence, "the animal did"));
    files_close(&files);
}

static void check_says(const char *const said[][2], int count)
{
    FileBytes png = shown_png();
    for (int n = 0; n < count; n++)
        ck_assert_msg(png_says(png, said[n][0], said[n][1]), "%s %s", said[n][0], said[n][1]);
}

TEST(pictures_record_their_settings)
{
    static const char *const all[][2] = {
        { "Sentence", "the animal" },
        { "Off", "0.0,0.1" },
        { "Scale", "per head" },
        { "Colors", "cividis" },
        { "Left out", "1" },
        { "Folded", "largest" },
        { "Head", "1" },
        { "Command", "viewer --text \"the animal\"" },
    };
    viewer_opens("--text|the animal");
    ck_assert(!png_says(shown_png(), "Off", ""));
    viewer_press("Home a Right a s c h m");
    check_says(all, 8);
    viewer_press("l l t"); // that head is not drawn
    check_says((const char *const[][2]){ { "Lines", "layer" }, { "Not drawn", "0.1" } }, 2);
    viewer_press("d");
    const DocumentView *shown = &app->state.shown;
    const char *other = arena_format(arena, "%d.%d", shown->other_layer, shown->other_head);
    check_says((const char *const[][2]){ { "View", "Compare" }, { "Other", other } }, 2);
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
    const char *line = arena_format(bench.arena, "%s|--tokens|%s|--compare|%s|--head|5", first, words, second);
    for (int own = 0; own < 2; own++) {
        viewer_opens(own ? arena_format(bench.arena, "%s|--other-tokens|%s", line, others) : line);
        ck_assert(svg_has("x") && svg_has("two") == own);
        ck_assert(svg_has("y") && svg_has("3")); // the difference is of both: positions
        viewer_facts("compare 0.5 and 0.5");
        viewer_press("Right*2"); // the second has no head 7
        viewer_facts("compare 0.7 and 0.6");
        viewer_press("Left*2");
        viewer_facts("compare 0.5 and 0.5");
        viewer_press("Shift+Left Left*2");
        viewer_facts("compare 0.3 and 0.3");
        files_close(&files);
    }
    refuses(first, "--other-tokens", others, "needs --compare");
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
        opens(turned ? scores : weights, "--compare", turned ? weights : scores);
        for (int scale = 0; scale < SCALES; scale++) {
            app->state.shown.scale = (Scale)scale;
            ck_assert(svg_has("value") || (scale != SCALE_LOG && scale != SCALE_UNIFORM));
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
    viewer_opens(
        arena_format(bench.arena, "%s|--tokens|%s|--compare|%s|--other-tokens|%s", first, words, second, others));
    ck_assert(app->document.masked == MASK_CAUSAL && app->state.shown.aligned->rows.count == 4);
    app->state.selection.pinned = (HeadCell){ -1, -1 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        app->state.selection.pinned_aligned = (HeadCell){ cases[c].row, cases[c].col };
        for (int k = 0; k < 4; k++) ck_assert_msg(svg_has(cases[c].said[k]), "%s", cases[c].said[k]);
    }
    ck_assert(svg_has("x")); // each side has its own words
    files_close(&files);
}
