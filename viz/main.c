// The window: opens it, forwards events, uploads the canvas. draw.c draws everything.
#include "viz/files.h"
#include "viz/display_scale.h"

#include "figure/shaping.h"

#include <SDL2/SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    int width, height; // of the texture
    bool held;         // Ctrl was down at the last key press: ignore the text event that follows
    double scale;      // window-system units per point: 1 unless the system leaves scaling to programs
    Arena *arena;
} Screen;

static _Noreturn void fail(const char *sentence)
{
    fprintf(stderr, "viewer: %s\n", sentence);
    exit(EXIT_FAILURE);
}

// Looks up a function of a library, which may be NULL. memcpy, since C cannot cast an object pointer to a function
// pointer.
static void load(void *library, const char *name, void *function)
{
    void *found = library ? SDL_LoadFunction(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

// X11 works in pixels; the scale is in X resources, read with libX11 if it is there.
static double scale_of_x11(void)
{
    typedef void *Open(const char *);
    typedef int Close(void *);
    typedef char *Default(void *, const char *, const char *);
    void *library = SDL_LoadObject("libX11.so.6"), *display = NULL;
    Open *open = NULL;
    Close *close = NULL;
    Default *ask = NULL;
    load(library, "XOpenDisplay", &open);
    load(library, "XCloseDisplay", &close);
    load(library, "XGetDefault", &ask);
    if (open && close && ask) display = open(NULL);
    const char *dpi = display ? ask(display, "Xft", "dpi") : NULL;
    double scale = display_scale(getenv("GDK_SCALE"), getenv("GDK_DPI_SCALE"), dpi);
    if (display) close(display);
    return scale;
}

// When the window is closed while SDL reports a focus change on its own connection, X11 would end the program with an
// error; ignore it.
static int passed_over(void *display, void *error)
{
    (void)display;
    (void)error;
    return 0;
}

static void close_window(void)
{
    typedef int Handler(void *, void *);
    typedef Handler *Set(Handler *);
    bool x11 = !strcmp(SDL_GetCurrentVideoDriver(), "x11");
    Set *set = NULL;
    load(x11 ? SDL_LoadObject("libX11.so.6") : NULL, "XSetErrorHandler", &set);
    if (set) set(passed_over);
    SDL_Quit();
}

// The scale; limits the size to the screen.
static double scale_of(const ViewerOptions *options, SDL_Rect *size)
{
    bool x11 = !strcmp(SDL_GetCurrentVideoDriver(), "x11");
    double scale = options->has_dpi ? options->dpi / 96 : x11 ? scale_of_x11() : 1;
    if (SDL_GetDisplayUsableBounds(0, size)) *size = (SDL_Rect){ 0, 0, 1 << 14, 1 << 14 };
    size->w = (int)SDL_min(size->w, options->width * scale);
    size->h = (int)SDL_min(size->h, options->height * scale);
    return scale;
}

static Screen open_screen(const App *app)
{
    // Without a display SDL would use a driver that shows nothing, and the program would run unseen.
    bool x11 = getenv("DISPLAY"), wayland = getenv("WAYLAND_DISPLAY");
    if (!strcmp(SDL_GetPlatform(), "Linux"))
        SDL_SetHint(SDL_HINT_VIDEODRIVER, x11 && wayland ? "x11,wayland" : wayland ? "wayland" : "x11");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    // No acceleration: loading the OpenGL libraries would take most of the start-up time.
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    if (SDL_Init(SDL_INIT_VIDEO))
        fail("there is no display to open a window on; --export FILE.png writes the picture instead");
    SDL_Rect size;
    Screen screen = { .scale = scale_of(&app->options, &size) };
    screen.window = SDL_CreateWindow(app->document.title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, size.w,
                                     size.h, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    screen.renderer = screen.window ? SDL_CreateRenderer(screen.window, -1, SDL_RENDERER_SOFTWARE) : NULL;
    if (!screen.renderer) fail(SDL_GetError());
    screen.arena = arena_open();
    SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
    SDL_StartTextInput();
    return screen;
}

// The window's size in points, and pixels per point.
static Event size_of(Screen screen)
{
    int points_wide, points_high, pixels_wide, pixels_high;
    SDL_GetWindowSize(screen.window, &points_wide, &points_high);
    SDL_GetRendererOutputSize(screen.renderer, &pixels_wide, &pixels_high);
    double pixels = points_wide > 0 ? (double)pixels_wide / points_wide : 1, s = screen.scale;
    return (Event){ EVENT_RESIZE, .x = points_wide / s, .y = points_high / s, .pixels = s * (pixels > 0 ? pixels : 1) };
}

static void present(Screen *screen, App *app)
{
    ArenaMark mark = arena_mark(screen->arena); // one arena for all pictures: allocating again is slower than drawing
    Canvas *canvas = app_picture(app, screen->arena);
    if (!screen->texture || canvas->width != screen->width || canvas->height != screen->height) {
        if (screen->texture) SDL_DestroyTexture(screen->texture);
        screen->width = canvas->width;
        screen->height = canvas->height;
        screen->texture = SDL_CreateTexture(screen->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING,
                                            canvas->width, canvas->height);
    }
    if (screen->texture) {
        SDL_UpdateTexture(screen->texture, NULL, canvas->rgba, canvas->width * 4);
        SDL_RenderCopy(screen->renderer, screen->texture, NULL, NULL);
    }
    SDL_RenderPresent(screen->renderer);
    arena_release(screen->arena, mark);
}

// Keys by name; letters arrive as text.
static Key key_of(const SDL_Keysym *sym)
{
    static const char keypad[] = "Keypad ";
    const char *name = SDL_GetKeyName(sym->sym);
    if (!strncmp(name, keypad, strlen(keypad))) name += strlen(keypad);
    return key_of_name(strcmp(name, "Return") ? name : "Enter", sym->mod & (KMOD_CTRL | KMOD_GUI));
}

// Shows the progress of a long run.
typedef struct {
    Screen *screen;
    App *app;
} Shown;
static void show_busy(void *context)
{
    const Shown *shown = context;
    present(shown->screen, shown->app);
    SDL_PumpEvents();
}

static void handle(Files *files, Screen *screen, const SDL_Event *e)
{
    App *app = &files->app;
    double s = screen->scale;
    Key key;
    app->defer_run = SDL_HasEvents(SDL_KEYDOWN, SDL_TEXTINPUT);
    switch (e->type) {
    case SDL_QUIT: app->state.quit = true; break;
    case SDL_KEYDOWN:
        screen->held = e->key.keysym.mod & (KMOD_CTRL | KMOD_GUI) && !(e->key.keysym.mod & KMOD_ALT);
        key = key_of(&e->key.keysym); // KEY_NONE: a letter, which arrives as text, or Shift etc.
        if (key)
            files_handle_event(files, (Event){ EVENT_KEY, .key = key, .shift = e->key.keysym.mod & KMOD_SHIFT,
                                               .ctrl = e->key.keysym.mod & (KMOD_CTRL | KMOD_GUI),
                                               .alt = e->key.keysym.mod & KMOD_ALT });
        break;
    case SDL_TEXTINPUT:
        if (screen->held) break;
        files_handle_event(files, state_event_of_text(&app->state, e->text.text, SDL_GetModState() & KMOD_CAPS));
        break;
    case SDL_MOUSEMOTION:
        files_handle_event(files, (Event){ EVENT_MOVE, .x = e->motion.x / s, .y = e->motion.y / s });
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        if (e->button.button == SDL_BUTTON_LEFT)
            files_handle_event(files, (Event){ e->type == SDL_MOUSEBUTTONUP ? EVENT_RELEASE
                                               : e->button.clicks == 2      ? EVENT_DOUBLE
                                                                            : EVENT_PRESS,
                                               .x = e->button.x / s, .y = e->button.y / s });
        break;
    case SDL_MOUSEWHEEL: files_handle_event(files, (Event){ EVENT_WHEEL, .wheel = e->wheel.y }); break;
    case SDL_DROPFILE:
        files_show(files, e->drop.file);
        SDL_free(e->drop.file);
        break;
    case SDL_WINDOWEVENT:
        if (e->window.event == SDL_WINDOWEVENT_LEAVE) files_handle_event(files, (Event){ .kind = EVENT_LEAVE });
        files_handle_event(files, size_of(*screen));
        break;
    default: break;
    }
}

static void paste(Files *files)
{
    char *text = SDL_GetClipboardText();
    if (text) files_handle_event(files, (Event){ EVENT_TEXT, .text = text });
    SDL_free(text);
}

// Does what the app asks of the window: title, clipboard, full screen.
static void follow(Files *files, Screen screen)
{
    App *app = &files->app;
    const char *title = app->document.title;
    Command command = app->state.command;
    if (strcmp(SDL_GetWindowTitle(screen.window), title)) SDL_SetWindowTitle(screen.window, title);
    app->state.command = COMMAND_NONE;
    if (command == COMMAND_COPY) SDL_SetClipboardText(state_line(&app->state));
    if (command == COMMAND_PASTE) paste(files);
    if (command != COMMAND_FULL_SCREEN) return;
    bool full = SDL_GetWindowFlags(screen.window) & SDL_WINDOW_FULLSCREEN_DESKTOP;
    SDL_SetWindowFullscreen(screen.window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

enum { SHOW_MS = 60, LOOK_MS = 200 }; // ms between two pictures during work; between two polls of the files
// Seconds of work between two polls for events; less after an event, so that its picture is not delayed.
static const double WORK = 0.008, WORK_BESIDE = 0.002;

static void run_window(Files *files)
{
    App *app = &files->app;
    Screen screen = open_screen(app);
    SDL_Event event;
    Uint32 shown = 0, looked = 0;
    bool done = false, changed = true;
    Shown busy = { &screen, app };
    app->busy = show_busy;
    app->busy_context = &busy;
    files_handle_event(files, size_of(screen));
    files_work(files, 0.004);
    while (!app->state.quit) {
        if (changed) {
            present(&screen, app);
            shown = SDL_GetTicks();
        }
        changed = false;
        int wait = !done ? 0 : app->state.shown.playing ? 30 : files_open_any(files) ? LOOK_MS : -1;
        int came = wait < 0 ? SDL_WaitEvent(&event) : wait ? SDL_WaitEventTimeout(&event, wait) : SDL_PollEvent(&event);
        if (wait < 0 && !came) break; // SDL has failed
        for (; came; came = SDL_PollEvent(&event)) {
            handle(files, &screen, &event);
            follow(files, screen);
            changed = true;
        }
        app_catch_up(app);
        if (SDL_TICKS_PASSED(SDL_GetTicks(), looked + LOOK_MS)) {
            if (files_poll(files, SDL_GetTicks() * 1e-3)) changed = true;
            follow(files, screen);
            looked = SDL_GetTicks();
        }
        if (app_clock(app, SDL_GetTicks() * 1e-3)) changed = true;
        bool was = done;
        done = files_work(files, changed ? WORK_BESIDE : WORK);
        if (!was && (done || SDL_TICKS_PASSED(SDL_GetTicks(), shown + SHOW_MS))) changed = true;
    }
    app->busy = NULL;
    arena_close(screen.arena);
    close_window();
}

int main(int argc, char **argv)
{
    Files files;
    ViewerOptions options;
    Error error;
    FlagsRead read = viewer_options_read(&options, argc, argv, &error);
    if (read != FLAGS_FINE) return flags_exit(read, "viewer", &error);
    shaping_use();
    if (!files_open(&files, &options, argc, argv, &error)) fail(error.text);
    if (!options.picture && !options.folder) run_window(&files);
    else if (!files_export(&files, &error)) fail(error.text);
    files_close(&files);
    return 0;
}
