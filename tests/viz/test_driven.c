// Random events for the viewer without its window: on a model, on files, and on files that change. It must survive, and
// its state must stay valid. A few hundred events in `make test`; longer: SEED=7 EVENTS=100000 build/tests/suites driven
#include "support/viewer.h"

#include "base/portable_math.h"
#include "tests/io/bench.h"
#include "support/reference.h"
#include "viz/draw.h"
#include "viz/layout.h"
#include "support/suite.h"

#include <string.h>

#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("event %d of seed %d: %s", done, (int)seed, #ok); \
    } while (0)

typedef enum { ON_MODEL, ON_FILE, ON_TWO_FILES, ON_LARGE_FILE, ON_TWO_SENTENCES, ON_PUBLISHED, SUBJECTS } Subject;
enum { LARGE = 2100 };

static Bench bench;
static Random chance;
static uint64_t seed;
static int done;
static double now;

// A small GPT-2 with a vocabulary of the typed words, and letters.
static void make_model(void)
{
    static const char *const parts[] = { "config.json", "model.safetensors" };
    static const char words[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nanimal\nit\nwide\na\n##a\n中\n[\n]\n/\n";
    const char *folder = arena_format(bench.arena, "%s/model", bench.folder);
    ck_assert(file_make_folder(folder, &bench.error));
    for (int n = 0; n < 2; n++) {
        FileBytes bytes;
        const char *from = arena_format(bench.arena, "data/reference/published/gpt2/%s", parts[n]);
        ck_assert_msg(file_read(&bytes, bench.arena, from, &bench.error), "%s", bench.error.text);
        ck_assert(file_write(arena_format(bench.arena, "%s/%s", folder, parts[n]), bytes.at, bytes.size, &bench.error));
    }
    ck_assert(file_write(arena_format(bench.arena, "%s/vocab.txt", folder), words, strlen(words), &bench.error));
}

static void setup(void)
{
    bench = bench_open();
    make_model();
    ck_assert_int_eq(chdir(bench.folder), 0); // pictures are saved in the folder at hand
    quiet();
}

static void teardown(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    bench_close(&bench);
}
FIXTURE(setup, teardown);

static int from_environment(const char *name, int otherwise)
{
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

static int one_of(int n) { return random_below(&chance, n); }

// ---- files, good and bad

static void put(const char *path, const void *at, size_t size)
{
    FILE *file = fopen(path, "wb"); // in place, not by a new file
    ck_assert_ptr_nonnull(file);
    fwrite(at, 1, size, file);
    fclose(file);
}

// Random maps: weights, scores with −∞, NaN and ∞, rectangular ones, several layers.
static void save_maps(const char *path, bool large)
{
    int T = large ? LARGE : 1 + one_of(9), S = large || one_of(2) ? T : 1 + one_of(9);
    int heads = large ? 1 : 1 + one_of(5), layers = large ? 1 : 1 + one_of(3), sort = one_of(4);
    char *words = arena_format(arena, "{'descr': '<f4', 'fortran_order': %s, 'shape': (%d, %d, %d, %d), }\n",
                               one_of(4) ? "False" : "True", layers, heads, T, S);
    size_t start = 10 + strlen(words), count = (size_t)layers * (size_t)heads * (size_t)T * (size_t)S;
    unsigned char *bytes = arena_alloc(arena, start + 4 * count);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (unsigned char)strlen(words);
    memcpy(bytes + 10, words, strlen(words));
    for (size_t i = 0; i < count; i++) {
        float value = sort ? 1.0f / (float)S : 4.0f * random_uniform(&chance) - 2.0f;
        if (sort == 3 && one_of(9) == 0) value = (const float[]){ -INFINITY, NAN, INFINITY, 1e38f }[one_of(4)];
        memcpy(bytes + start + 4 * i, &value, 4);
    }
    put(path, bytes, start + 4 * count);
}

static void save_words(const char *path)
{
    char text[400] = "[";
    int count = 1 + one_of(9);
    for (int n = 0; n < count; n++) strcat(strcat(text, n ? ", " : ""), one_of(3) ? "\"it\"" : "\"Ġ中文\"");
    strcat(text, one_of(8) ? "]" : "");
    put(path, text, strlen(text));
}

static void change_files(bool large)
{
    static const char *const names[] = { "maps.npy", "second.npy" };
    const char *path = names[one_of(2)];
    switch (one_of(8)) {
    case 0: ck_assert(truncate(path, one_of(3000)) == 0 || access(path, F_OK)); break;
    case 1: put(path, "", 0); break;
    case 2: unlink(path); break;
    case 3: put(path, "no maps", 7); break;
    case 4: save_words("maps.json"); break;
    case 5: unlink("maps.json"); break;
    default: save_maps(path, large && one_of(2)); break;
    }
}

// ---- events

static double a_place(double most)
{
    static const double odd[] = { -1, 0, 1e9, -1e300, (double)NAN, (double)INFINITY };
    return one_of(30) ? most * (double)random_uniform(&chance) : odd[one_of(6)];
}

static Event an_event(void)
{
    static const char *const texts[] = { "a", "S", " ", "/", "ä", "中", "the ", "animal ", "it ",  "[",    "]", "d",
                                         "h", "o", "?", "f", "r", "m",  "c",    "wide",    ".npy", "\xff", "e", "E" };
    static const EventKind kinds[] = { EVENT_KEY,     EVENT_KEY,    EVENT_TEXT,  EVENT_TEXT,   EVENT_MOVE, EVENT_PRESS,
                                       EVENT_RELEASE, EVENT_DOUBLE, EVENT_WHEEL, EVENT_RESIZE, EVENT_LEAVE };
    const State *s = &app->state;
    EventKind kind = kinds[one_of((int)(sizeof kinds / sizeof *kinds))];
    double most_x = kind == EVENT_RESIZE ? 1000 : 1.05 * s->camera.width;
    double most_y = kind == EVENT_RESIZE ? 700 : 1.05 * s->camera.height;
    Event event = { kind,
                    .key = (Key)one_of(KEYS),
                    .shift = one_of(4) == 0,
                    .x = a_place(most_x),
                    .y = a_place(most_y),
                    .wheel = one_of(9) - 4,
                    .pixels = 1 };
    const char *text = texts[one_of((int)(sizeof texts / sizeof *texts))];
    bool saves = !s->editing.typing && (text[0] == 'e' || text[0] == 'E') && one_of(20); // now and then: it takes long
    if (event.kind == EVENT_TEXT) event = state_event_of_text(s, saves ? "x" : text, one_of(9) == 0);
    bool of_file = event.key == KEY_SAVE || event.key == KEY_SAVE_SVG || event.key == KEY_SAVE_PAGE;
    if (of_file && one_of(20)) event.key = KEY_NONE;
    return event;
}

// Draws with the cached pictures and without, which must be equal; then moves the mouse.
static void draw(void)
{
    const State *s = &app->state;
    if (s->camera.width * s->camera.height * s->camera.pixels * s->camera.pixels > 1e6) return;
    Arena *scratch = arena_open();
    for (int turn = 0; turn < 2; turn++) {
        Canvas *canvas = app_picture(app, scratch),
               *fresh = canvas_new(scratch, s->camera.width / s->camera.zoom, s->camera.height / s->camera.zoom,
                                   s->camera.pixels * s->camera.zoom);
        draw_view(fresh, &(View){ s, app->derived, app->other_derived, NULL });
        must(!memcmp(canvas->rgba, fresh->rgba, 4 * (size_t)canvas->width * (size_t)canvas->height));
        files_handle_event(&files,
                           (Event){ EVENT_MOVE, .x = a_place(s->camera.width), .y = a_place(s->camera.height) });
    }
    arena_close(scratch);
}

// Does what the window would do for a command.
static void do_command(void)
{
    Command command = app->state.command;
    app->state.command = COMMAND_NONE;
    if (command == COMMAND_PASTE)
        files_handle_event(&files, (Event){ EVENT_TEXT, .text = one_of(2) ? "the animal\n" : "not a\tword\xf0" });
    must(command == COMMAND_NONE || command == COMMAND_PASTE || command == COMMAND_COPY ||
         command == COMMAND_FULL_SCREEN);
    must(strlen(state_line(&app->state)) < TEXT_BYTES);
}

static void check_true(void)
{
    const State *s = &app->state;
    const Document *d = s->shown.document, *other = s->shown.other_document ? s->shown.other_document : d;
    must(d == (s->shown.reduction ? &app->reduced : &app->document) && s->shown.reduction == app->reduction);
    must(!s->shown.other_document || s->shown.other_document == &app->other_document ||
         (s->shown.reduction && s->shown.other_document == &app->reduced_other));
    must(s->shown.layer >= 0 && s->shown.layer < d->layers && s->shown.head >= 0 && s->shown.head < d->heads);
    must(s->shown.other_layer >= 0 && s->shown.other_layer < other->layers);
    must(s->shown.other_head >= 0 && s->shown.other_head < other->heads);
    must(s->selection.pinned.row < d->T && s->selection.pinned.col < d->S);
    must(s->selection.hover.row < d->T && s->selection.hover.col < d->S);
    must(state_has_view(s, s->shown.view) && state_has_lines(s, s->shown.lines));
    must(!s->shown.other_document == !app->other_arena && s->shown.held == app->held &&
         (!s->shown.aligned == !s->shown.other_document));
    must(!s->shown.held || app->live);
    if (s->shown.aligned)
        must(s->selection.hover_aligned.row < s->shown.aligned->rows.count &&
             s->selection.pinned_aligned.col < s->shown.aligned->cols.count);
    must(!s->editing.selected || s->editing.typing);
    must(!s->editing.typing || (s->editing.caret >= 0 && s->editing.caret <= (int)strlen(state_line(s))));
    if (app->live && s->editing.typing != TYPING_SENTENCE) must(!strcmp(s->editing.sentence, app->mapped_text));
    must(!app->live == !d->live);
}

static void drive(Subject subject, int events)
{
    for (done = 0; done < events; done++) {
        files_handle_event(&files, an_event());
        do_command();
        app->state.quit = false;
        bool files_too = subject != ON_MODEL && subject != ON_TWO_SENTENCES && subject != ON_PUBLISHED;
        if (files_too && one_of(40) == 0) change_files(subject == ON_LARGE_FILE);
        if (one_of(300) == 0) files_show(&files, (const char *[]){ "maps.npy", "maps.json", "model" }[one_of(3)]);
        app->defer_run = app->live && one_of(9) == 0;
        now += 0.2 * one_of(4);
        if (one_of(3) == 0) files_poll(&files, now);
        if (one_of(2)) files_work(&files, 0.001);
        app_clock(app, now);
        app_catch_up(app);
        check_true();
        if (one_of(10) == 0) draw();
    }
}

TEST_EACH(random_events_do_no_harm, SUBJECTS)
{
    static const char *const lines[SUBJECTS] = { "",
                                                 "maps.npy",
                                                 "maps.npy|--compare|second.npy",
                                                 "maps.npy",
                                                 "--other-text|the animal",
                                                 "model|--text|the animal" };
    Subject subject = (Subject)_i;
    seed = (uint64_t)from_environment("SEED", 1);
    chance = random_from(seed * SUBJECTS + (uint64_t)_i);
    save_maps("maps.npy", subject == ON_LARGE_FILE);
    save_maps("second.npy", false);
    save_words("maps.json");
    viewer_opens(arena_format(arena, "%s%s--size|800x600", lines[_i], *lines[_i] ? "|" : ""));
    drive(subject, from_environment("EVENTS", 400));
    files_close(&files);
}
