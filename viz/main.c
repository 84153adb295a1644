// The window: opens it, passes keys on, uploads the canvas. Everything that is seen is drawn by view.c.
#include "figure/png.h"
#include "viz/view.h"

#include <SDL2/SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(int status, const char *sentence)
{
    fprintf(stderr, "viewer: %s\n", sentence);
    exit(status);
}

static bool save(const Canvas *canvas, const char *path, Error *error)
{
    unsigned char *bytes = NULL;
    int size = 0;
    bool saved = png_encode(&bytes, &size, canvas, error) && file_write(path, bytes, (size_t)size, error);
    free(bytes);
    return saved;
}

static Key key_of(SDL_Keycode code)
{
    switch (code) {
    case SDLK_LEFT:     return KEY_LEFT;
    case SDLK_RIGHT:    return KEY_RIGHT;
    case SDLK_UP:       return KEY_UP;
    case SDLK_DOWN:     return KEY_DOWN;
    case SDLK_c:        return KEY_COLORS;
    case SDLK_SPACE:    return KEY_PLAY;
    case SDLK_SLASH:
    case SDLK_QUESTION: return KEY_HELP;
    case SDLK_ESCAPE:   return KEY_BACK;
    default:            return KEY_NONE;
    }
}

typedef struct { SDL_Window *window; SDL_Renderer *renderer; } Screen;

static Screen open_screen(const char *title)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !strcmp(SDL_GetPlatform(), "Linux"))
        fail(1, "there is no display to open a window on; --export FILE.png writes the picture instead");
    if (SDL_Init(SDL_INIT_VIDEO)) fail(1, SDL_GetError());
    Screen screen = { .window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, 1280, 800,
                                                 SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI) };
    screen.renderer = screen.window ? SDL_CreateRenderer(screen.window, -1, SDL_RENDERER_SOFTWARE) : NULL;
    if (!screen.renderer) fail(1, SDL_GetError());
    return screen;
}

static void present(Screen screen, const View *view)
{
    int width, height, points;
    SDL_GetRendererOutputSize(screen.renderer, &width, &height);
    SDL_GetWindowSize(screen.window, &points, NULL);
    double scale = points > 0 ? (double)width / points : 1.0;
    Arena *arena = arena_open();
    Canvas *canvas = view_draw(arena, view, width / scale, height / scale, scale);
    SDL_Texture *texture = SDL_CreateTexture(screen.renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING,
                                             canvas->width, canvas->height);
    if (texture) {
        SDL_UpdateTexture(texture, NULL, canvas->rgba, canvas->width * 4);
        SDL_RenderCopy(screen.renderer, texture, NULL, NULL);
        SDL_DestroyTexture(texture);
    }
    SDL_RenderPresent(screen.renderer);
    arena_close(arena);
}

// E saves what is shown, at two pixels a point.
static void save_shown(const View *view)
{
    Arena *arena = arena_open();
    Error error;
    char *path = arena_format(arena, "%s-%d.png", view->document->items[view->item].name, view->head);
    for (char *c = path; *c; c++)
        if (*c == '/' || (c == path && *c == '.')) *c = '_';   // a file's words must not choose the folder
    if (save(view_draw(arena, view, 1280, 800, 2), path, &error)) printf("written: %s\n", path);
    else fprintf(stderr, "viewer: %s\n", error.text);
    arena_close(arena);
}

enum { FRAME_MS = 700 };                             // while it plays

static void run_window(View view)
{
    Screen screen = open_screen(view.document->title);
    SDL_Event event;
    Uint32 next = 0;                                 // when the next frame is due
    present(screen, &view);
    while (!view.quit) {
        bool playing = view.playing, came = playing ? SDL_WaitEventTimeout(&event, 50) : SDL_WaitEvent(&event);
        if (!playing) next = SDL_GetTicks() + FRAME_MS;
        if (playing && SDL_TICKS_PASSED(SDL_GetTicks(), next)) {
            view = view_update(view, KEY_TICK);
            present(screen, &view);
            next += FRAME_MS;
        }
        if (!came && !playing) break;                // waiting without end, and no event: SDL has failed
        if (!came) continue;
        if (event.type == SDL_QUIT) break;
        if (event.type == SDL_KEYDOWN) view = view_update(view, key_of(event.key.keysym.sym));
        if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_e) save_shown(&view);
        if (event.type == SDL_KEYDOWN || event.type == SDL_WINDOWEVENT) present(screen, &view);
    }
    SDL_DestroyRenderer(screen.renderer);
    SDL_DestroyWindow(screen.window);
    SDL_Quit();
}

// 0, which no scale may be, when the word is no number.
static double number_of(const char *word)
{
    char *end = NULL;
    double number = strtod(word, &end);
    return end != word && !*end ? number : 0;
}

typedef struct { const char *file, *picture; double scale; } Options;

// viewer FILE.safetensors [--export FILE.png] [--scale PIXELS_A_POINT]
static Options options_of(int argc, char **argv)
{
    Options options = { .scale = 2 };
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "--export") && a + 1 < argc) options.picture = argv[++a];
        else if (!strcmp(argv[a], "--scale") && a + 1 < argc) options.scale = number_of(argv[++a]);
        else if (!options.file && strncmp(argv[a], "--", 2)) options.file = argv[a];
        else options.scale = 0;
    }
    if (!options.file || !(options.scale >= 0.5 && options.scale <= 8))
        fail(2, "usage: viewer FILE.safetensors [--export FILE.png] [--scale 0.5 … 8]; a chapter's --dump writes such a file");
    return options;
}

int main(int argc, char **argv)
{
    Options options = options_of(argc, argv);
    Arena *arena = arena_open();
    Bytes file;
    Document document;
    Error error;
    if (!file_read(&file, arena, options.file, &error) || !document_parse(&document, arena, file, options.file, &error))
        fail(1, error.text);
    View view = view_of(&document);
    if (!options.picture) run_window(view);
    else if (!save(view_draw(arena, &view, 1280, 800, options.scale), options.picture, &error)) fail(1, error.text);
    arena_close(arena);
    return 0;
}
