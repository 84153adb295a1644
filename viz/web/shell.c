// Turns calls of a web page into events, and pictures into pixels, as main.c does for a window.
#include "viz/web/shell.h"

#include "viz/files.h"
#include "viz/draw_internal.h"

#include <string.h>

enum { WORDS_MOST = 64 };

static struct {
    Files files;
    bool open, done; // no work was left at the last turn
    Arena *arena;    // for the command line
    Arena *pictures; // for the last picture
    Arena *texts;    // for text that was returned last
    Canvas *canvas;
    Error error;
    double place[4];
} shell;

static App *app(void) { return &shell.files.app; }

// ---- opening --------------------------------------------------------------------------------------------------------

// Splits lines into argv. −1: too many.
static int split(char **argv, Arena *arena, const char *words)
{
    static const char program[] = "viewer";
    int argc = 0;
    argv[argc++] = arena_format(arena, "%s", program);
    for (; *words; words += words[strcspn(words, "\n")] != 0) {
        size_t length = strcspn(words, "\n");
        if (argc == WORDS_MOST) return -1;
        argv[argc++] = arena_format(arena, "%.*s", (int)length, words);
        words += length;
    }
    argv[argc] = NULL;
    return argc;
}

static bool open_words(const char *words)
{
    char *argv[WORDS_MOST + 1];
    ViewerOptions options;
    Error *error = &shell.error;
    int argc = split(argv, shell.arena, words);
    if (argc < 0) return error_set(error, "more than %d words of a command are given", WORDS_MOST - 1);
    FlagsRead read = viewer_options_read(&options, argc, argv, error);
    if (read == FLAGS_WRONG) return false;
    if (read != FLAGS_FINE || options.picture || options.folder)
        return error_set(error, "--help, --export and --export-all are for a terminal");
    return files_open(&shell.files, &options, argc, argv, error);
}

bool shell_open(const char *words)
{
    shell.arena = arena_open();
    shell.open = open_words(words);
    shell.done = false;
    shell.canvas = NULL;
    if (!shell.open) {
        arena_close(shell.arena);
        return false;
    }
    shell.pictures = arena_open();
    shell.texts = arena_open();
    return true;
}

void shell_close(void)
{
    if (!shell.open) return;
    files_close(&shell.files);
    arena_close(shell.texts);
    arena_close(shell.pictures);
    arena_close(shell.arena);
    shell.open = false;
}

const char *shell_why(void) { return shell.error.text; }

bool shell_show(const char *path)
{
    const char *shown = shell.files.shown.request.path[0];
    if (!shown || strcmp(shown, path)) return files_show(&shell.files, path);
    files_poll(&shell.files, 0);
    files_poll(&shell.files, 2); // the file is complete
    return !app()->state.message.file_changed;
}

// ---- events ---------------------------------------------------------------------------------------------------------

// A slow model runs at the next turn, for the last typed text only.
static void event(Event e)
{
    app()->defer_run = true;
    app_event(app(), e);
}

void shell_size(double width, double height, double pixels)
{
    event((Event){ EVENT_RESIZE, .x = width, .y = height, .pixels = pixels });
}

static bool press(Key key, int held)
{
    event(
        (Event){ EVENT_KEY, .key = key, .shift = held & HELD_SHIFT, .ctrl = held & HELD_CTRL, .alt = held & HELD_ALT });
    return true;
}

bool shell_key(const char *name, int held)
{
    Key key = key_of_name(name, held & HELD_CTRL);
    return key && press(key, held);
}

bool shell_letter(const char *text, bool caps)
{
    Event e = state_event_of_text(&app()->state, text, caps);
    bool known = e.kind == EVENT_TEXT || e.key;
    if (known) event(e);
    return known;
}

void shell_mouse(int kind, double x, double y) { event((Event){ (EventKind)kind, .x = x, .y = y }); }

void shell_wheel(double notches) { event((Event){ EVENT_WHEEL, .wheel = notches }); }

void shell_paste(const char *text)
{
    press(KEY_PASTE, HELD_CTRL);
    app()->state.command = COMMAND_NONE;
    event((Event){ EVENT_TEXT, .text = text });
}

void shell_say(const char *sentence) { app_show_error(app(), sentence); }

// ---- the line that is typed -----------------------------------------------------------------------------------------

const char *shell_line(void) { return app()->state.editing.typing ? state_line(&app()->state) : NULL; }
int shell_caret(void) { return app()->state.editing.caret; }
bool shell_selected(void) { return app()->state.editing.selected; }

// Replaces the whole line by the text of the page's field, wherever the caret is.
void shell_type(const char *line, int caret, bool selected)
{
    State *state = &app()->state;
    if (!state->editing.typing) return;
    if (strcmp(line, state_line(state))) {
        press(KEY_ALL, HELD_CTRL);
        if (*line) event((Event){ EVENT_TEXT, .text = line });
        else press(KEY_BACKSPACE, 0);
    }
    int end = (int)strlen(state_line(state));
    state->editing.caret = caret < 0 ? 0 : caret < end ? caret : end;
    state->editing.selected = selected && end > 0;
}

const double *shell_line_place(void)
{
    CanvasRect at = layout_of(&app()->state).sentence;
    double zoom = app()->state.camera.zoom;
    shell.place[0] = at.x * zoom;
    shell.place[1] = at.y * zoom;
    shell.place[2] = at.width * zoom;
    shell.place[3] = at.height * zoom;
    return shell.place;
}

// ---- between events -------------------------------------------------------------------------------------------------

int shell_turn(double now, double seconds)
{
    app_catch_up(app());
    bool ticked = app_clock(app(), now), was = shell.done;
    shell.done = files_work(&shell.files, seconds);
    return (ticked || (shell.done && !was) ? TURN_CHANGED : 0) | (shell.done ? TURN_DONE : 0) |
           (app()->state.shown.playing ? TURN_PLAYS : 0);
}

int shell_command(void)
{
    Command command = app()->state.command;
    app()->state.command = COMMAND_NONE;
    return (int)command;
}

const char *shell_copied(void) { return state_line(&app()->state); }

const char *shell_save(int kind)
{
    static const ArenaMark start;
    arena_release(shell.texts, start);
    const char *name = app_picture_name(app(), shell.texts, (PictureKind)kind);
    app()->state.display.help = false;
    if (!files_save(&shell.files, name, &shell.error)) {
        app_show_error(app(), shell.error.text);
        return NULL;
    }
    app_show_status(app(), arena_format(shell.texts, "saved: %s", name));
    return name;
}

bool shell_last_view(bool backwards)
{
    const State *state = &app()->state;
    int step = backwards ? -1 : 1, view = (int)state->shown.view + step;
    while (view >= 0 && view < VIEWS && !state_has_view(state, (ViewKind)view)) view += step;
    return view < 0 || view >= VIEWS;
}

bool shell_quit(void)
{
    bool quit = app()->state.quit;
    app()->state.quit = false;
    return quit;
}

bool shell_dark(void) { return app()->state.display.dark; }
const char *shell_title(void) { return app()->document.title; }

// ---- the picture ----------------------------------------------------------------------------------------------------

const unsigned char *shell_picture(void)
{
    static const ArenaMark start; // one arena for all pictures: allocating again is slower than drawing
    arena_release(shell.pictures, start);
    shell.canvas = app_picture(app(), shell.pictures);
    return shell.canvas->rgba;
}

int shell_width(void) { return shell.canvas->width; }
int shell_height(void) { return shell.canvas->height; }

// The words of the panel, drawn on a hidden canvas of full height.
static const char *panel_words(Arena *arena, const View *view)
{
    enum { TALL = 4096 };
    if (view_ops(view->state->shown.view)->own_panel) return "";
    Arena *record = arena_open(), *scratch = arena_open();
    Canvas *canvas = canvas_new(scratch, PANEL_WIDTH, TALL, 0.05);
    PageLayout layout = layout_of(view->state);
    layout.panel = (CanvasRect){ 0, 0, PANEL_WIDTH, TALL };
    canvas_record(canvas, record);
    draw_panel(canvas, view, &layout);
    const char *words = canvas_text_words(arena, canvas);
    arena_close(scratch);
    arena_close(record);
    return words;
}

static const char *keys_words(Arena *arena)
{
    const char *words = "";
    for (int k = 0; k < key_lines(); k++)
        words = arena_format(arena, "%s%s: %s\n", words, key_line(k).keys, key_line(k).meaning);
    return words;
}

const char *shell_words(void)
{
    static const ArenaMark start;
    const State *state = &app()->state;
    View view = { state, app()->derived, app()->other_derived, NULL };
    arena_release(shell.texts, start);
    if (state->display.help) return keys_words(shell.texts);
    const char *texts = state->message.error    ? state->message.error
                        : state->message.status ? state->message.status
                                                : "";
    return arena_format(shell.texts, "%s\n%s, %s\n%s", texts, state_view_name(state, state->shown.view),
                        draw_head_name(shell.texts, state->shown.document, state->shown.layer, state->shown.head),
                        panel_words(shell.texts, &view));
}
