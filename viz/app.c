// Files and models are opened, events are followed up, pictures are saved.
#include "viz/app.h"

#include "figure/png.h"
#include "figure/svg.h"
#include "model/shipped.h"
#include "viz/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- opening --------------------------------------------------------------------------------------------------------

static void close_opened(Opened *opened)
{
    file_unmap(opened->map);
    arena_close(opened->arena);
    *opened = (Opened){ .arena = NULL };
}

// A token file as 0-terminated text; NULL when none is named.
static bool read_words(const char **text, Arena *arena, const char *path, Error *error)
{
    Bytes bytes;
    *text = NULL;
    if (!path) return true;
    if (!file_read(&bytes, arena, path, error)) return false;
    *text = (const char *)bytes.at;
    return true;
}

static bool open_maps(Opened *out, const char *path, const Options *options, Error *error)
{
    *out = (Opened){ .arena = arena_open() };
    Reading reading = { .axes = options->axes, .tokens_name = options->tokens, .key_tokens_name = options->key_tokens };
    bool good = read_words(&reading.tokens, out->arena, options->tokens, error) &&
                read_words(&reading.key_tokens, out->arena, options->key_tokens, error) &&
                file_map(&out->map, out->arena, path, error) &&
                document_parse(&out->document, out->arena, out->map.bytes, path, reading, error);
    if (!good) close_opened(out);
    return good;
}

static bool open_model(Opened *out, const char *program, const Options *options, Error *error)
{
    *out = (Opened){ .arena = arena_open() };
    Transformer model;
    const char *name = "glosses-4", *path = options->model;
    bool good = (path || (path = shipped_path(out->arena, program, "glosses-4.safetensors", error))) &&
                shipped_model(&model, out->arena, program, name, path, error) &&
                live_open(&out->live, out->arena, model, options->model ? options->model : "glosses", path, error);
    if (!good) close_opened(out);
    return good;
}

// ---- the model runs -------------------------------------------------------------------------------------------------

static bool run_model(App *app, Error *error)
{
    Arena *arena = arena_open();
    Document document;
    memcpy(app->ran, app->state.text, sizeof app->ran);
    memcpy(app->ran_off, app->state.off, sizeof app->ran_off);
    if (!live_run(&document, arena, app->opened.live, app->ran, app->ran_off, error)) {
        arena_close(arena);
        return false;
    }
    arena_close(app->run);
    app->run = arena;
    app->document = document;
    scene_forget(app->scene);
    return true;
}

// The sentence or a switch has changed: the model runs again. A sentence that it cannot read leaves the last maps.
static void follow(App *app)
{
    bool same = !strcmp(app->ran, app->state.text) && !memcmp(app->ran_off, app->state.off, sizeof app->ran_off);
    if (!app->opened.live || same) return;
    bool good = run_model(app, &app->error);
    if (good) app->state = state_update(app->state, (Event){ EVENT_DOCUMENT, .document = &app->document }, app->scene);
    app->state = state_update(app->state, (Event){ EVENT_SAID, .text = good ? NULL : app->error.text }, app->scene);
}

// Where a live model opens: at the head of the last layer through which `it` reaches furthest, on that cell; marks
// such as [start] do not count.
static void look_at_it(State *state)
{
    const Document *d = state->document;
    double furthest = 0;
    for (int i = 0; i < d->T; i++)
        for (int h = 0; h < d->heads && !strcmp(d->queries[i], "it"); h++)
            for (int j = 0; j < d->S; j++) {
                double reach = (double)field_at(document_maps(d), d->layers - 1, h, i, j) * abs(i - j);
                if (reach <= furthest || d->keys[j][0] == '[') continue;
                furthest = reach;
                state->layer = d->layers - 1, state->head = h, state->pinned = (Cell){ i, j };
            }
}

static bool begin(App *app, Error *error)
{
    const Options *o = &app->options;
    app->document = app->opened.document;
    app->state = (State){ .text = "" };
    if (app->opened.live) {
        const char *text = o->text ? o->text : live_sentence(app->opened.live);
        if (strlen(text) >= STATE_TEXT) return error_set(error, "--text: %zu bytes; %d are possible", strlen(text), STATE_TEXT - 1);
        memcpy(app->state.text, text, strlen(text) + 1);
        if (!run_model(app, error)) return false;
    }
    State state = state_of(&app->document, o->width, o->height, o->dpi / 96);
    memcpy(state.text, app->state.text, sizeof state.text);
    state.caret = (int)strlen(state.text);
    if (app->opened.live && o->layer < 0 && o->head < 0 && !o->cell) look_at_it(&state);
    state.other_scene = app->other_scene;
    if (app->other.arena) state.other = &app->other.document, state = state_turned(state, VIEW_COMPARE);
    app->state = state;
    return true;
}

static const char *command_line(Arena *arena, int argc, char **argv)
{
    char *line = "viewer";
    for (int a = 1; a < argc; a++) line = arena_format(arena, strpbrk(argv[a], " '\"\\$") ? "%s \"%s\"" : "%s %s", line, argv[a]);
    return line;
}

bool app_open(App *app, int argc, char **argv, Error *error)
{
    *app = (App){ .program = argv[0], .arena = arena_open(), .scene = scene_open(), .other_scene = scene_open() };
    app->command = command_line(app->arena, argc, argv);
    Options *o = &app->options;
    bool good = options_parse(o, argc, argv, error);
    if (!good || o->help) return good;
    good = o->file ? open_maps(&app->opened, o->file, o, error) : open_model(&app->opened, app->program, o, error);
    good = good && (!o->compare || open_maps(&app->other, o->compare, &(Options){ .axes = o->axes }, error));
    good = good && begin(app, error) && options_apply(&app->state, o, error);
    if (good) follow(app);                           // --off
    if (good && app->state.said) return error_set(error, "%s", app->state.said);
    return good;
}

void app_close(App *app)
{
    scene_close(app->scene);
    scene_close(app->other_scene);
    arena_close(app->run);
    if (app->opened.arena) close_opened(&app->opened);
    if (app->other.arena) close_opened(&app->other);
    arena_close(app->arena);
}

// On stderr as it is; the window has one line, without the Python that converts a pickle.
static void tell_refused(Error *error)
{
    fprintf(stderr, "viewer: %s\n", error->text);
    char *python = strstr(error->text, " In Python:\n");
    size_t room = python ? sizeof error->text - (size_t)(python - error->text) : 0;
    if (python) snprintf(python, room, " The Python lines that convert it stand in the terminal.");
}

bool app_open_file(App *app, const char *path)
{
    Opened opened;
    if (!open_maps(&opened, path, &(Options){ 0 }, &app->error)) {
        tell_refused(&app->error);
        app->state = state_update(app->state, (Event){ EVENT_SAID, .text = app->error.text }, app->scene);
        return false;
    }
    State before = app->state;
    scene_forget(app->scene);
    arena_close(app->run);
    app->run = NULL;
    close_opened(&app->opened);
    app->opened = opened;
    app->document = opened.document;
    app->state = state_of(&app->document, before.width, before.height, before.scale);
    app->state.zoom = before.zoom, app->state.colors = before.colors, app->state.scale_of = before.scale_of;
    app->state.other = before.other, app->state.other_scene = before.other_scene;
    return true;
}

// ---- events ---------------------------------------------------------------------------------------------------------

// "glosses-layer-1-head-2-head.png": what a title holds besides letters and digits must not choose the folder.
static const char *name_to_save(Arena *arena, const State *state, const char *suffix)
{
    static const char *const views[VIEWS] = { "heads", "map", "lines", "stages", "compare", "tiles" };
    const Document *d = state->document;
    const char *slash = strrchr(d->title, '/');
    char *title = arena_format(arena, "%s", slash ? slash + 1 : d->title);
    for (char *c = title; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c)) *c = '-';
    if (state->view == VIEW_HEADS) return arena_format(arena, "%s-heads.%s", title, suffix);
    return arena_format(arena, "%s-layer-%d-head-%d-%s.%s", title, state->layer, state->head, views[state->view], suffix);
}

static void save_shown(App *app, const char *suffix)
{
    Arena *arena = arena_open();
    Error error = { "" };
    const char *path = name_to_save(arena, &app->state, suffix);
    app->state.help = false;
    bool good = app_save(app, path, &error);
    error_set(&app->error, "%s%s", good ? "written: " : "", good ? path : error.text);
    Event event = { good ? EVENT_NOTED : EVENT_SAID, .text = app->error.text };
    app->state = state_update(app->state, event, app->scene);
    arena_close(arena);
}

void app_event(App *app, Event event)
{
    app->state = state_update(app->state, event, app->scene);
    follow(app);
    Command command = app->state.command;
    if (command == COMMAND_FULL_SCREEN) return;      // the window's own
    app->state.command = COMMAND_NONE;
    if (command == COMMAND_SAVE_PNG) save_shown(app, "png");
    if (command == COMMAND_SAVE_SVG) save_shown(app, "svg");
    if (command == COMMAND_OPEN) {
        char path[STATE_TEXT];
        memcpy(path, app->state.path, sizeof path);
        app_open_file(app, path);
    }
}

// The second file's head, where there is a second file and it is looked at.
static bool prepare_other(App *app, double seconds)
{
    if (!app->state.other || app->state.view != VIEW_COMPARE) return true;
    bool done = scene_prepare(app->other_scene, &app->other.document, state_wanted_of_other(&app->state), seconds);
    file_forget(app->other.map);
    return done;
}

bool app_work(App *app, double seconds)
{
    bool roles = !app->opened.live || (seconds >= 0.005 && live_learn_roles(app->opened.live));
    bool scene = scene_prepare(app->scene, &app->document, state_wanted(&app->state), seconds);
    bool other = prepare_other(app, seconds);
    file_forget(app->opened.map);
    return roles && scene && other;
}

// ---- pictures -------------------------------------------------------------------------------------------------------

static Canvas *canvas_of(Arena *arena, const State *s)
{
    return canvas_new(arena, s->width / s->zoom, s->height / s->zoom, s->scale * s->zoom);
}

Canvas *app_picture(App *app, Arena *arena)
{
    Canvas *canvas = canvas_of(arena, &app->state);
    draw_state(canvas, &app->state, app->scene);
    return canvas;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

static bool save_png(App *app, const Canvas *canvas, const char *path, Error *error)
{
    const State *s = &app->state;
    Arena *arena = canvas->arena;
    PngText texts[] = {
        { "Software", "manyheads" }, { "Title", app->document.title }, { "Source", app->document.source },
        { "Layer", arena_format(arena, "%d", s->layer) }, { "Head", arena_format(arena, "%d", s->head) },
        { "View", view_name(s->view) }, { "Scale", scale_name(s->scale_of) }, { "Command", app->command },
    };
    unsigned char *bytes = NULL;
    int size = 0;
    PngAbout about = { texts, sizeof texts / sizeof *texts, 96 * s->scale };
    bool good = png_encode_about(&bytes, &size, canvas, about, error) && file_write(path, bytes, (size_t)size, error);
    free(bytes);
    if (!good || !getenv("MANYHEADS_TEXT_BOXES")) return good;
    const char *boxes = text_boxes(arena, canvas);   // for the check of figures
    return file_write(arena_format(arena, "%s.text", path), boxes, strlen(boxes), error);
}

static bool save_svg(const Canvas *canvas, const char *path, Error *error)
{
    char *text = NULL;
    size_t size = 0;
    bool good = svg_encode(&text, &size, canvas, error) && file_write(path, text, size, error);
    free(text);
    return good;
}

// What was said about an event before is not part of a saved picture.
bool app_save(App *app, const char *path, Error *error)
{
    Arena *arena = arena_open(), *record = arena_open();
    State state = app->state;
    state.said = state.noted = NULL;
    bool svg = ends_with(path, ".svg");
    Canvas *canvas = canvas_of(arena, &state);
    if (svg) canvas_record(canvas, record);
    draw_state(canvas, &state, app->scene);
    bool good = svg ? save_svg(canvas, path, error) : save_png(app, canvas, path, error);
    arena_close(record);
    arena_close(arena);
    return good;
}

// Everything that a picture needs, at once. Of a file of gigabytes the thumbnails beside one head stay empty.
static void prepare(App *app)
{
    const Document *d = &app->document;
    double cells = (double)state_heads(&app->state) * d->T * d->S;
    Wanted wanted = state_wanted(&app->state);
    if (app->state.view != VIEW_HEADS && cells > 3e8) wanted.all = false;
    while (app->opened.live && !live_learn_roles(app->opened.live)) continue;
    while (!scene_prepare(app->scene, d, wanted, 0.1)) file_forget(app->opened.map);
    while (!prepare_other(app, 0.1)) continue;
}

static bool export_all(App *app, const char *folder, Error *error)
{
    const Document *d = &app->document;
    int all = state_heads(&app->state);
    if (!folder_make(folder, error)) return false;
    for (int h = 0; h < all; h++) {
        Arena *arena = arena_open();
        app->state.layer = h / d->heads, app->state.head = h % d->heads;
        prepare(app);
        bool good = app_save(app, arena_format(arena, "%s/%s", folder, name_to_save(arena, &app->state, "png")), error);
        arena_close(arena);
        if (!good) return false;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\rviewer: %d of %d heads%s", h + 1, all, h + 1 == all ? "\n" : "");
    }
    if (!state_has_view(&app->state, VIEW_HEADS)) return true;
    Arena *arena = arena_open();
    app->state.view = VIEW_HEADS;
    bool good = app_save(app, arena_format(arena, "%s/%s", folder, name_to_save(arena, &app->state, "png")), error);
    arena_close(arena);
    return good;
}

bool app_export(App *app, Error *error)
{
    prepare(app);
    if (app->options.picture && !app_save(app, app->options.picture, error)) return false;
    return !app->options.folder || export_all(app, app->options.folder, error);
}
