// Paths become bytes for the app, and its pictures become files.
#include "viz/files.h"

#include "train/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- opening --------------------------------------------------------------------------------------------------------

static void close_file(OpenFile *file)
{
    file_unmap(file->map);
    arena_close(file->arena);
    *file = (OpenFile){ .arena = NULL };
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

static bool open_maps(OpenFile *out, Source *source, const char *path, const Options *options, Error *error)
{
    *out = (OpenFile){ .arena = arena_open() };
    Reading *reading = &source->reading;
    *source = (Source){ .name = arena_format(out->arena, "%s", path) };
    *reading = (Reading){ .axes = options->axes, .tokens_name = options->tokens,
                          .key_tokens_name = options->key_tokens };
    bool good = read_words(&reading->tokens, out->arena, options->tokens, error) &&
                read_words(&reading->key_tokens, out->arena, options->key_tokens, error) &&
                file_map(&out->map, out->arena, path, error);
    if (good) source->bytes = out->map.bytes;
    else close_file(out);
    return good;
}

static bool open_model(OpenFile *out, Source *source, const char *program, const Options *options, Error *error)
{
    *out = (OpenFile){ .arena = arena_open() };
    *source = (Source){ .name = NULL };
    Transformer model;
    const char *path = options->model, *title = options->model ? options->model : LIVE_TITLE;
    bool good = (path || (path = shipped_path(out->arena, program, LIVE_WEIGHTS, error))) &&
                shipped_model(&model, out->arena, program, NULL, path, error) &&
                live_open(&source->live, out->arena, model, title, path, error);
    if (!good) close_file(out);
    return good;
}

static const char *command_line(Arena *arena, int argc, char **argv)
{
    char *line = "viewer";
    for (int a = 1; a < argc; a++)
        line = arena_format(arena, strpbrk(argv[a], " '\"\\$") ? "%s \"%s\"" : "%s %s", line, argv[a]);
    return line;
}

static bool open_all(Files *files, const Options *o, int argc, char **argv, Error *error)
{
    Source shown, other;
    const Options of_other = { .axes = o->axes, .tokens = o->other_tokens };
    const char *command = command_line(files->arena, argc, argv);
    bool good = o->file ? open_maps(&files->shown, &shown, o->file, o, error)
                        : open_model(&files->shown, &shown, argv[0], o, error);
    return good && (!o->compare || open_maps(&files->other, &other, o->compare, &of_other, error))
                && app_open(&files->app, o, command, &shown, o->compare ? &other : NULL, error);
}

static void close_all(Files *files)
{
    close_file(&files->shown);
    close_file(&files->other);
    arena_close(files->arena);
}

bool files_open(Files *files, const Options *options, int argc, char **argv, Error *error)
{
    *files = (Files){ .arena = arena_open() };
    if (open_all(files, options, argc, argv, error)) return true;
    close_all(files);
    return false;
}

void files_close(Files *files)
{
    app_close(&files->app);
    close_all(files);
}

// On stderr as it is; the window has one line, without the Python that converts a pickle.
static void tell_refused(App *app, Error *error)
{
    fprintf(stderr, "viewer: %s\n", error->text);
    char *python = strstr(error->text, " In Python:\n");
    size_t room = python ? sizeof error->text - (size_t)(python - error->text) : 0;
    if (python) snprintf(python, room, " The Python lines that convert it stand in the terminal.");
    app_say(app, error->text);
}

bool files_show(Files *files, const char *path)
{
    OpenFile opened;
    Source source;
    Error error;
    bool good = open_maps(&opened, &source, path, &(Options){ 0 }, &error);
    if (good && !app_show(&files->app, &source, &error)) {
        close_file(&opened);
        good = false;
    }
    if (!good) {
        tell_refused(&files->app, &error);
        return false;
    }
    close_file(&files->shown);
    files->shown = opened;
    return true;
}

// ---- what the window asks for ---------------------------------------------------------------------------------------

bool files_save(Files *files, const char *path, Error *error)
{
    Arena *arena = arena_open();
    Bytes bytes;
    const char *boxes, *wanted = getenv("MANYHEADS_TEXT_BOXES");       // for the check of figures
    PictureKind kind;
    options_picture(&kind, path);
    bool good = app_save(&files->app, &bytes, &boxes, arena, kind, error)
             && file_write(path, bytes.at, bytes.size, error);
    if (good && wanted && kind == PICTURE_PNG)
        good = file_write(arena_format(arena, "%s.text", path), boxes, strlen(boxes), error);
    arena_close(arena);
    return good;
}

// Into the folder at hand, under a name that says what is shown.
static void save_shown(Files *files, PictureKind kind)
{
    Arena *arena = arena_open();
    App *app = &files->app;
    Error error = { "" };
    const char *path = app_picture_name(app, arena, kind);
    app->state.help = false;
    if (files_save(files, path, &error)) app_note(app, arena_format(arena, "written: %s", path));
    else app_say(app, error.text);
    arena_close(arena);
}

void files_event(Files *files, Event event)
{
    App *app = &files->app;
    app_event(app, event);
    Command command = app->state.command;
    if (command == COMMAND_FULL_SCREEN) return;      // the window's own
    app->state.command = COMMAND_NONE;
    if (command == COMMAND_SAVE_PNG) save_shown(files, PICTURE_PNG);
    if (command == COMMAND_SAVE_SVG) save_shown(files, PICTURE_SVG);
    if (command == COMMAND_OPEN) {
        char path[STATE_TEXT];
        memcpy(path, app->state.path, sizeof path);
        files_show(files, path);
    }
}

static void forget_read(const Files *files)
{
    file_forget(files->shown.map);
    file_forget(files->other.map);
}

bool files_work(Files *files, double seconds)
{
    bool done = app_work(&files->app, seconds);
    forget_read(files);
    return done;
}

// ---- without a window -----------------------------------------------------------------------------------------------

static void prepare(Files *files)
{
    while (!app_prepare(&files->app, 0.1)) forget_read(files);
}

static bool save_into(Files *files, const char *folder, Error *error)
{
    Arena *arena = arena_open();
    const char *name = app_picture_name(&files->app, arena, PICTURE_PNG);
    bool good = files_save(files, arena_format(arena, "%s/%s", folder, name), error);
    arena_close(arena);
    return good;
}

static bool export_all(Files *files, const char *folder, Error *error)
{
    State *state = &files->app.state;
    int all = state_heads(state), heads = files->app.document.heads;
    if (!folder_make(folder, error)) return false;
    for (int h = 0; h < all; h++) {
        state->layer = h / heads;
        state->head = h % heads;
        prepare(files);
        if (!save_into(files, folder, error)) return false;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rviewer: %d of %d heads%s", h + 1, all, h + 1 == all ? "\n" : "");
    }
    if (!state_has_view(state, VIEW_HEADS)) return true;
    state->view = VIEW_HEADS;
    return save_into(files, folder, error);
}

bool files_export(Files *files, Error *error)
{
    const Options *o = &files->app.options;
    prepare(files);
    if (o->picture && !files_save(files, o->picture, error)) return false;
    return !o->folder || export_all(files, o->folder, error);
}
