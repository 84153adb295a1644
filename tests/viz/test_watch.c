// Files that change while they are open: what is shown of them, and what the window says.
#include "support/viewer.h"

#include "base/portable_math.h"
#include "tests/io/bench.h"
#include "io/npy.h"
#include "support/reference.h"
#include "support/suite.h"

#include <fcntl.h>

BENCH_FIXTURE;

enum { SMALL = 6 };

// Uniform weights, written in place as np.save does: the file is emptied, then filled.
static void save(const char *path, int heads, int n, double weight)
{
    const char *words =
        arena_format(arena, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }\n", heads, n, n);
    float *row = arena_alloc(arena, (size_t)n * sizeof *row);
    for (int j = 0; j < n; j++) row[j] = (float)weight;
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "\x93NUMPY\x01%c%c%c%s", 0, (int)(strlen(words) & 255), (int)(strlen(words) >> 8), words);
    for (int i = 0; i < heads * n; i++) ck_assert_uint_eq(fwrite(row, sizeof *row, (size_t)n, file), (size_t)n);
    ck_assert_int_eq(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    ck_assert_msg(file_write(path, text, strlen(text), &bench.error), "%s", bench.error.text);
}

// viewer FILE [--tokens WORDS | --compare FILE]
static void open_file(const char *path, const char *flag, const char *value)
{
    viewer_opens(flag ? arena_format(arena, "%s|%s|%s", path, flag, value) : path);
}

// Seconds go by, a fifth at a time, as the window looks. The looks that found another picture to show.
static double clock_now;
static int stats(double seconds)
{
    int shown = 0;
    for (double end = clock_now + seconds; clock_now < end - 1e-9; clock_now += 0.2) {
        if (files_poll(&files, clock_now)) shown++;
        files_work(&files, 0.002);
        viewer_draw();
    }
    return shown;
}

static float cell(int i, int j) { return field_at(document_maps(&app->document), 0, 0, i, j); }

// ---- files that change

enum { WAYS = 4 };

static void spoil(const char *path, int way)
{
    if (way < 2) ck_assert_int_eq(truncate(path, way ? 0 : 100), 0);
    else if (way == 2) ck_assert_int_eq(unlink(path), 0);
    else write_text(path, "no maps at all");
}

// The viewer goes on with what it has read, and says so after a second and not before; a good file is shown again, at
// the same place.
TEST_EACH(a_spoiled_file_is_told_and_a_good_one_is_shown, WAYS)
{
    static const char *const whys[WAYS] = { "byte", "is empty", "there is no such file", "found \"no maps" };
    char *path = bench_path(&bench, "maps.npy");
    save(path, 3, SMALL, 1.0 / SMALL);
    open_file(path, NULL, NULL);
    viewer_press("Right s Shift+Down");
    const Scale chosen = app->state.shown.scale;
    ck_assert(app->state.shown.head == 1 && app->state.selection.pinned.row == 0 && stats(1) == 0);
    spoil(path, _i);
    ck_assert(stats(0.8) == 0 && !app->state.message.file_changed);
    stats(0.8);
    ck_assert_msg(app->state.message.file_changed &&
                      strstr(app->state.message.file_changed, "maps.npy is shown as it was read"),
                  "%s", app->state.message.file_changed);
    ck_assert_msg(strstr(app->state.message.file_changed, path) && strstr(app->state.message.file_changed, whys[_i]),
                  "%s", app->state.message.file_changed);
    ck_assert_int_eq(stats(1), 0); // once is enough
    ck_assert(field_at(document_maps(&app->document), 0, 2, SMALL - 1, SMALL - 1) == (float)(1.0 / SMALL));

    save(path, 3, 5, 0.2);
    ck_assert(stats(0.2) == 1 && !app->state.message.file_changed && app->document.S == 5 && cell(4, 4) == 0.2f);
    ck_assert(app->state.shown.head == 1 && app->state.shown.scale == chosen && app->state.selection.pinned.row == 0);
    ck_assert_str_eq(app->state.message.status, "read again: maps.npy");
    viewer_work();
    viewer_draw();
    ck_assert_int_eq(stats(2), 0);
    files_close(&files);
}

// Larger and smaller, in place and by rename, with fewer heads: what still means something stays.
TEST(what_is_looked_at_stays)
{
    char *path = bench_path(&bench, "maps.npy"), *beside = bench_path(&bench, "new.npy");
    save(path, 9, 8, 0.125);
    open_file(path, NULL, NULL);
    viewer_press("Right*7 Shift+Down*7 l h h");
    save(path, 9, 10, 0.1);
    ck_assert_int_eq(stats(0.4), 1);
    viewer_facts("lines 0.7 hides 2 pinned 6,0 status: read again: maps.npy");
    save(beside, 3, 4, 0.25);
    ck_assert(rename(beside, path) == 0 && stats(0.4) == 1);
    viewer_facts("lines 0.2 hides 2 status: read again: maps.npy"); // there is no such row any more
    save(path, 3, 4, 0.125);                                        // the same shape, other numbers
    ck_assert(stats(0.4) == 1 && cell(3, 3) == 0.125f && app->document.warning);
    files_close(&files);
}

// A file that is being written is not complained about, and shown when it is whole.
TEST(a_half_written_file_is_waited_for)
{
    char *path = bench_path(&bench, "maps.npy");
    save(path, 2, SMALL, 0.5);
    open_file(path, NULL, NULL);
    save(path, 2, 7, 0.25);
    FileBytes whole;
    ck_assert(file_read(&whole, bench.arena, path, &bench.error));
    FILE *file = fopen(path, "wb");
    for (size_t at = 0; at < whole.size; at += 40) {
        size_t left = whole.size - at;
        fwrite(whole.at + at, 1, left < 40 ? left : 40, file);
        fflush(file);
        int shown = stats(0.2);
        ck_assert(shown == (left <= 40) && !app->state.message.file_changed);
    }
    fclose(file);
    ck_assert_int_eq(app->document.S, 7);
    stats(0.4);
    ck_assert(cell(6, 6) == 0.25f);
    files_close(&files);
}

// ---- words that stand beside a file, or are dropped on the window

static const char *key_of(int j) { return document_key(bench.arena, &app->document, j); }

// maps.json beside maps.npy: found at once, found later, read again, left out where it does not fit, and no bar to
// anything.
TEST(words_beside_a_file_are_found)
{
    static const struct {
        const char *words; // NULL: none
        int n;
        const char *last, *status;
    } steps[] = {
        { "[\"one\", \"two\", \"ten\"]", 3, "ten", NULL },
        { "[\"one\", \"two\", \"ten\"]", 2, "1", "maps.json: found 3 tokens, but" },
        { "[\"a\", \"b\"]", 2, "b", NULL },
        { "{\"epochs\": 3}", 2, "1", "maps.json:1:1" },
        { NULL, 2, "1", "read again: maps.npy" },
        { "[\"a\", \"c\"]", 2, "c", NULL },
    };
    char *path = bench_path(&bench, "maps.npy"), *words = bench_path(&bench, "maps.json");
    int n = 3;
    save(path, 2, n, 0.5);
    write_text(words, "[\"one\", \"two\", \"six\"]");
    open_file(path, NULL, NULL);
    ck_assert(!strcmp(key_of(2), "six") && !app->document.note && !app->state.message.status && stats(0.6) == 0);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        if (!steps[k].words) ck_assert_int_eq(unlink(words), 0);
        else if (steps[k].n == n) write_text(words, steps[k].words);
        else save(path, 2, n = steps[k].n, 0.5); // the notebook writes the maps first
        ck_assert_int_eq(stats(0.4), 1);
        ck_assert(!strcmp(key_of(n - 1), steps[k].last) && !app->state.message.file_changed);
        if (steps[k].status) ck_assert_ptr_nonnull(strstr(app->state.message.status, steps[k].status));
    }
    files_close(&files);
}

// Words that are named come first, and must fit.
TEST(named_words_are_held_to)
{
    char *path = bench_path(&bench, "maps.npy"), *beside = bench_path(&bench, "maps.json");
    char *words = bench_path(&bench, "words.txt");
    save(path, 2, 2, 0.5);
    write_text(beside, "[\"x\", \"y\"]");
    write_text(words, "a\nb\n");
    open_file(path, "--tokens", words);
    ck_assert_str_eq(key_of(1), "b");
    save(path, 2, 3, 0.5);
    stats(1.6);
    ck_assert_ptr_nonnull(strstr(app->state.message.file_changed, "words.txt: found 2 tokens"));
    ck_assert(app->document.S == 2 && !strcmp(key_of(1), "b"));
    write_text(words, "a\nb\nc\n");
    ck_assert(stats(0.4) == 1 && app->document.S == 3 && !strcmp(key_of(2), "c") && !app->state.message.file_changed);
    files_close(&files);
}

TEST(dropped_words_name_the_maps)
{
    char *path = bench_path(&bench, "maps.npy"), *words = bench_path(&bench, "words.json");
    char *lines = bench_path(&bench, "lines.txt"), *other = bench_path(&bench, "other.npy");
    quiet();
    save(path, 3, 3, 0.5);
    save(other, 3, 3, 0.5);
    write_text(words, "[\"one\", \"two\", \"six\"]");
    write_text(lines, "a\nb\n");
    open_file(path, NULL, NULL);
    viewer_press("Right");
    ck_assert(files_show(&files, words) && app->state.shown.head == 1 && !strcmp(key_of(2), "six"));
    ck_assert(!files_show(&files, lines));
    ck_assert(strstr(app->state.message.error, "lines.txt: found 2 tokens, but") && !strcmp(key_of(2), "six"));
    write_text(words, "[\"one\", \"two\", \"ten\"]"); // and these, too, are watched
    ck_assert_int_eq(stats(0.4), 1);
    ck_assert_str_eq(key_of(2), "ten");
    ck_assert(files_show(&files, other)); // another file has not the words of this one
    ck_assert_str_eq(key_of(2), "2");
    files_close(&files);

    viewer_opens(""); // a model, which has no file to look at
    ck_assert(!files_open_any(&files) && !files_poll(&files, 1));
    ck_assert(!files_show(&files, words) && strstr(app->state.message.error, "a model has those of its sentence"));
    files_close(&files);
}

// The second file changes on its own.
TEST(both_files_are_watched)
{
    char *first = bench_path(&bench, "first.npy"), *second = bench_path(&bench, "second.npy");
    save(first, 2, SMALL, 0.5);
    save(second, 2, SMALL, 0.5);
    open_file(first, "--compare", second);
    ck_assert_int_eq(app->state.shown.view, VIEW_COMPARE);
    save(second, 3, SMALL, 0.25);
    ck_assert_int_eq(stats(0.4), 1);
    ck_assert(app->other_document.heads == 3 && app->document.heads == 2 && app->state.shown.view == VIEW_COMPARE);
    ck_assert_str_eq(app->state.message.status, "read again: second.npy");
    save(first, 4, 7, 0.25);
    ck_assert(stats(0.4) == 1 && app->other_document.heads == 3 && app->document.heads == 4 && app->document.S == 7);
    ck_assert_int_eq(unlink(second), 0);
    stats(1.6);
    ck_assert_ptr_nonnull(strstr(app->state.message.file_changed, "second.npy"));
    files_close(&files);
}

// A picture without a window is of one state of the file, or of none.
TEST(a_file_that_changes_is_not_exported)
{
    char *path = bench_path(&bench, "maps.npy"), *picture = bench_path(&bench, "out.png");
    save(path, 2, SMALL, 1.0 / SMALL);
    open_file(path, "--export", picture);
    ck_assert(truncate(path, 200) == 0 && !files_export(&files, &bench.error));
    ck_assert_msg(strstr(bench.error.text, "maps.npy: it was changed while it was read"), "%s", bench.error.text);
    ck_assert_int_eq(access(picture, F_OK), -1);
    files_close(&files);
}
