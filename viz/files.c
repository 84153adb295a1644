// Opens and watches files for the app, and writes its pictures.
#include "viz/files.h"

#include "model/pretrained.h"
#include "train/bundled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Larger files are mapped. One that is read cannot be cut while it is shown.
static const int64_t MAP_ABOVE = INT64_C(1) << 30;

// ---- opening --------------------------------------------------------------------------------------------------------

static void close_file(OpenFile *file)
{
    file_unmap(file->map);
    live_close(file->live);
    arena_close(file->arena);
    *file = (OpenFile){ .arena = NULL };
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t size = strlen(path), n = strlen(suffix);
    return size > n && !strcasecmp(path + size - n, suffix);
}

// maps.json for maps.npy; otherwise NULL.
static const char *words_beside(Arena *arena, const char *path)
{
    if (!ends_in(path, ".npy")) return NULL;
    return arena_format(arena, "%.*s.json", (int)(strlen(path) - strlen(".npy")), path);
}

static OpenRequest request_for(const char *maps, const char *tokens, const char *key_tokens, const char *axes)
{
    return (OpenRequest){ .path = { maps, tokens, key_tokens }, .axes = axes };
}

static const char *copied(Arena *arena, const char *text) { return text ? arena_format(arena, "%s", text) : NULL; }

// A copy in `arena`.
static OpenRequest copied_request(Arena *arena, const OpenRequest *request)
{
    OpenRequest out = { .axes = copied(arena, request->axes), .guessed = request->guessed };
    for (int p = 0; p < PATHS; p++) out.path[p] = copied(arena, request->path[p]);
    if (!out.path[1] && !out.path[2]) {
        out.path[1] = words_beside(arena, out.path[0]);
        out.guessed = out.path[1] != NULL;
    }
    return out;
}

// All zeros where no file exists, or none is named.
static void status_all(OsStatus *status, const OpenRequest *request)
{
    for (int p = 0; p < PATHS; p++) {
        status[p] = (OsStatus){ .node = 0 };
        if (request->path[p]) os_status(&status[p], request->path[p]);
    }
}

// Has nothing been written in between?
static bool same_file(const OsStatus *a, const OsStatus *b)
{
    return a->device == b->device && a->node == b->node && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

static bool same_files(const OsStatus *a, const OsStatus *b)
{
    for (int p = 0; p < PATHS; p++)
        if (!same_file(&a[p], &b[p])) return false;
    return true;
}

// A tokens file as 0-terminated text; NULL: none named.
static bool read_words(const char **text, Arena *arena, const char *path, Error *error)
{
    FileBytes bytes;
    *text = NULL;
    if (!path) return true;
    if (!file_read(&bytes, arena, path, error)) return false;
    *text = (const char *)bytes.at;
    return true;
}

// The status is taken before the file is read: what is written in between changes it.
static bool open_maps(OpenFile *out, Source *source, const OpenRequest *request, Error *error)
{
    *out = (OpenFile){ .arena = arena_open() };
    out->request = copied_request(out->arena, request);
    status_all(out->read, &out->request);
    memcpy(out->found, out->read, sizeof out->found);
    const char *const *path = out->request.path;
    bool absent = out->request.guessed && out->read[1].node == 0;
    Reading *reading = &source->reading;
    *source = (Source){ .name = path[0] };
    *reading = (Reading){
        .axes = out->request.axes, .tokens_name = path[1], .key_tokens_name = path[2], .guessed = out->request.guessed
    };
    bool good = (absent || read_words(&reading->tokens, out->arena, path[1], error) || out->request.guessed) &&
                read_words(&reading->key_tokens, out->arena, path[2], error) &&
                file_map(&out->map, out->arena, path[0], MAP_ABOVE, error);
    if (good) source->bytes = out->map.bytes;
    else close_file(out);
    return good;
}

static bool open_published(OpenFile *out, Source *source, const char *folder, Error *error)
{
    *out = (OpenFile){ .arena = arena_open() };
    *source = (Source){ .name = NULL };
    bool good = live_open_pretrained(&out->live, out->arena, folder, error);
    source->live = out->live;
    if (!good) close_file(out);
    return good;
}

static bool open_model(OpenFile *out, Source *source, const char *program, const ViewerOptions *options, Error *error)
{
    if (options->model && pretrained_here(options->model)) return open_published(out, source, options->model, error);
    *out = (OpenFile){ .arena = arena_open() };
    *source = (Source){ .name = NULL };
    Transformer model;
    const char *path = options->model, *title = options->model ? options->model : LIVE_TITLE;
    bool good = (path || (path = bundled_path(out->arena, program, LIVE_WEIGHTS, error))) &&
                bundled_model(&model, out->arena, program, NULL, path, error) &&
                live_open(&source->live, out->arena, model, title, path, error);
    out->live = source->live;
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

static bool open_all(Files *files, const ViewerOptions *o, int argc, char **argv, Error *error)
{
    Source shown, other;
    const OpenRequest request = request_for(o->file, o->tokens, o->key_tokens, o->axes);
    const OpenRequest of_other = request_for(o->compare, o->other_tokens, NULL, o->axes);
    const char *command = command_line(files->arena, argc, argv);
    bool good = o->file ? open_maps(&files->shown, &shown, &request, error)
                        : open_model(&files->shown, &shown, argv[0], o, error);
    return good && (!o->compare || open_maps(&files->other, &other, &of_other, error)) &&
           app_open(&files->app, o, command, &shown, o->compare ? &other : NULL, error);
}

static void close_all(Files *files)
{
    close_file(&files->shown);
    close_file(&files->other);
    arena_close(files->arena);
}

bool files_open(Files *files, const ViewerOptions *options, int argc, char **argv, Error *error)
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

// The whole error on stderr; the window shows one line, without the Python code for a pickle.
static void report_error(App *app, Error *error)
{
    fprintf(stderr, "viewer: %s\n", error->text);
    char *python = strstr(error->text, " In Python:\n");
    size_t room = python ? sizeof error->text - (size_t)(python - error->text) : 0;
    if (python) snprintf(python, room, " The Python lines that convert it stand in the terminal.");
    app_show_error(app, error->text);
}

static bool show_maps(Files *files, const char *path, Error *error)
{
    OpenFile opened;
    Source source;
    const OpenRequest request = request_for(path, NULL, NULL, NULL);
    bool good = pretrained_here(path) ? open_published(&opened, &source, path, error)
                                      : open_maps(&opened, &source, &request, error);
    if (!good) return false;
    if (!app_show(&files->app, &source, error)) {
        close_file(&opened);
        return false;
    }
    close_file(&files->shown);
    files->shown = opened;
    return true;
}

// ---- what changes while it is open ----------------------------------------------------------------------------------

// The same file once more, as it is now, or with other words.
static bool read_again(Files *files, OpenFile *file, const OpenRequest *request, Error *error)
{
    OpenFile opened;
    Source source;
    if (!open_maps(&opened, &source, request, error)) return false;
    bool good = app_reread(&files->app, &source, file == &files->other, error);
    if (!good) {
        close_file(&opened);
        return false;
    }
    close_file(file);
    *file = opened;
    return true;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Reports that the file was read again, or why its words are not used.
static void report_read_again(Files *files, const OpenFile *file)
{
    App *app = &files->app;
    const Document *d = file == &files->other ? &app->other_document : &app->document;
    Error note;
    error_set(&note, "read again: %s", last_name(file->request.path[0]));
    app_set_file_changed(app, NULL);
    app_show_status(app, d->note ? d->note : note.text);
}

static void report_changed(Files *files, OpenFile *file, const char *why)
{
    Error stale;
    error_set(&stale, "%s is shown as it was read; now: %s", last_name(file->request.path[0]), why);
    app_set_file_changed(&files->app, stale.text);
    file->reported = true;
}

// After a second without a change nobody is writing any more.
static bool poll_file(Files *files, OpenFile *file, double now)
{
    const double patience = 1.0;
    if (!file->request.path[0]) return false;
    OsStatus status[PATHS];
    Error error;
    status_all(status, &file->request);
    if (same_files(status, file->read)) {
        bool was = file->reported; // and is again what was read
        if (was) app_set_file_changed(&files->app, NULL);
        file->reported = false;
        memcpy(file->found, file->read, sizeof file->found);
        return was;
    }
    bool other = !same_files(status, file->found);
    if (other) {
        memcpy(file->found, status, sizeof file->found);
        file->since = now;
    }
    if (!other && (file->reported || now - file->since < patience)) return false;
    if (read_again(files, file, &file->request, &error)) {
        report_read_again(files, file);
        return true;
    }
    if (other) return false;
    report_changed(files, file, error.text);
    return true;
}

bool files_poll(Files *files, double now)
{
    bool shown = poll_file(files, &files->shown, now);
    return poll_file(files, &files->other, now) || shown;
}

bool files_open_any(const Files *files) { return files->shown.request.path[0] || files->other.request.path[0]; }

static bool show_words(Files *files, const char *path, Error *error)
{
    OpenFile *file = &files->shown;
    if (!file->request.path[0])
        return error_set(error, "%s: words are given to a file of maps; a model has those of its sentence", path);
    const OpenRequest request = request_for(file->request.path[0], path, NULL, file->request.axes);
    return read_again(files, file, &request, error);
}

bool files_show(Files *files, const char *path)
{
    Error error;
    bool words = ends_in(path, ".json") || ends_in(path, ".txt");
    bool good = words ? show_words(files, path, &error) : show_maps(files, path, &error);
    if (!good) report_error(&files->app, &error);
    else if (files->app.document.note) app_show_status(&files->app, files->app.document.note);
    return good;
}

// ---- what the window asks for ---------------------------------------------------------------------------------------

bool files_save(Files *files, const char *path, Error *error)
{
    Arena *arena = arena_open();
    FileBytes bytes;
    const char *boxes, *wanted = getenv("MANYHEADS_TEXT_BOXES"); // for the figure check
    PictureKind kind;
    viewer_options_picture(&kind, path);
    bool good =
        app_save(&files->app, &bytes, &boxes, arena, kind, error) && file_write(path, bytes.at, bytes.size, error);
    if (good && wanted && kind == PICTURE_PNG)
        good = file_write(arena_format(arena, "%s.text", path), boxes, strlen(boxes), error);
    arena_close(arena);
    return good;
}

// The first of NAME.png, NAME-2.png, NAME-3.png … that does not exist.
static const char *free_name(Arena *arena, const char *name)
{
    enum { MOST = 10000 };
    const char *dot = strrchr(name, '.'), *path = name;
    for (int n = 2; n < MOST && access(path, F_OK) == 0; n++)
        path = arena_format(arena, "%.*s-%d%s", (int)(dot - name), name, n, dot);
    return path;
}

// Saves into the current folder under a descriptive name, without overwriting.
static void save_shown(Files *files, PictureKind kind)
{
    Arena *arena = arena_open();
    App *app = &files->app;
    Error error = { .text = "" };
    char folder[4096];
    const char *path = free_name(arena, app_picture_name(app, arena, kind)), *in = getcwd(folder, sizeof folder);
    app->state.display.help = false;
    if (files_save(files, path, &error))
        app_show_status(app, arena_format(arena, "written: %s%s%s", in ? in : "", in ? "/" : "", path));
    else app_show_error(app, error.text);
    arena_close(arena);
}

void files_handle_event(Files *files, Event event)
{
    App *app = &files->app;
    app_event(app, event);
    Command command = app->state.command;
    bool of_window = command == COMMAND_FULL_SCREEN || command == COMMAND_COPY || command == COMMAND_PASTE;
    if (of_window) return;
    app->state.command = COMMAND_NONE;
    if (command == COMMAND_SAVE_PNG) save_shown(files, PICTURE_PNG);
    if (command == COMMAND_SAVE_SVG) save_shown(files, PICTURE_SVG);
    if (command == COMMAND_SAVE_PAGE) save_shown(files, PICTURE_PAGE);
    if (command == COMMAND_OPEN) {
        char path[TEXT_BYTES];
        memcpy(path, app->state.editing.path, sizeof path);
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

static bool is_whole(const OpenFile *file, Error *error)
{
    OsStatus now[PATHS];
    status_all(now, &file->request);
    return same_file(&now[0], &file->read[0]) ||
           error_set(error, "%s: it was changed while it was read", file->request.path[0]);
}

// A picture of a file that changed during export would show neither state.
static bool all_whole(const Files *files, Error *error)
{
    return is_whole(&files->shown, error) && is_whole(&files->other, error);
}

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
    int all = state_heads(state), heads = state->shown.document->heads;
    if (!file_make_folder(folder, error)) return false;
    for (int h = 0; h < all; h++) {
        state->shown.layer = h / heads;
        state->shown.head = h % heads;
        prepare(files);
        if (!all_whole(files, error) || !save_into(files, folder, error)) return false;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\rviewer: %d of %d heads%s", h + 1, all, h + 1 == all ? "\n" : "");
    }
    if (!state_has_view(state, VIEW_HEADS)) return true;
    state->shown.view = VIEW_HEADS;
    return save_into(files, folder, error);
}

// A page reads the maps itself; only a model's roles are computed for it.
static bool is_page(const char *path)
{
    PictureKind kind;
    return path && viewer_options_picture(&kind, path) && kind == PICTURE_PAGE;
}

bool files_export(Files *files, Error *error)
{
    const ViewerOptions *o = &files->app.options;
    if (!is_page(o->picture) || o->folder || files->app.live) prepare(files);
    if (!all_whole(files, error) || (o->picture && !files_save(files, o->picture, error))) return false;
    return !o->folder || export_all(files, o->folder, error);
}
