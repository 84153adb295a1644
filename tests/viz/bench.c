// make bench-viewer: how fast the viewer answers, at 1280 × 800, one thread, on SDL's software path without a screen.
//
//     first picture    a process that opens the model and writes what it shows
//     hover            the mouse moves to another cell, and the picture is drawn and uploaded
//     pan, zoom        the map is dragged by a few points, or the wheel turns, and the picture is drawn and uploaded
//
// T = 4096 with 144 heads is a sparse file of 9.7 GB, made here under --folder and removed: two of its heads have
// numbers.
#include "base/measure.h"
#include "figure/shaping.h"
#include "viz/files.h"

#include <SDL2/SDL.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 1280, HEIGHT = 800, FRAMES = 60 };

typedef struct { SDL_Renderer *renderer; SDL_Texture *texture; } Screen;

static _Noreturn void fail(const char *sentence)
{
    fprintf(stderr, "bench-viewer: %s\n", sentence);
    exit(1);
}

static Screen open_screen(void)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    Screen screen = { NULL, NULL };
    if (SDL_Init(SDL_INIT_VIDEO)) fail(SDL_GetError());
    SDL_Window *window = SDL_CreateWindow("bench", 0, 0, WIDTH, HEIGHT, 0);
    screen.renderer = window ? SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE) : NULL;
    if (!screen.renderer) fail(SDL_GetError());
    screen.texture = SDL_CreateTexture(screen.renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING,
                                       WIDTH, HEIGHT);
    return screen;
}

// What main.c does between an event and the picture on the screen.
static void show(Screen screen, App *app)
{
    app_work(app, 0.008);
    Arena *arena = arena_open();
    Canvas *canvas = app_picture(app, arena);
    SDL_UpdateTexture(screen.texture, NULL, canvas->rgba, canvas->width * 4);
    SDL_RenderCopy(screen.renderer, screen.texture, NULL, NULL);
    SDL_RenderPresent(screen.renderer);
    arena_close(arena);
}

typedef void Move(App *app, int frame);

static void hover(App *app, int frame)
{
    app_event(app, (Event){ EVENT_MOVE, .x = 420 + 7 * frame, .y = 200 + 6 * frame });
}

static void pan(App *app, int frame)
{
    double x = 600 + 40 * sin(0.3 * frame), y = 400 + 40 * cos(0.3 * frame);
    if (frame == 0) app_event(app, (Event){ EVENT_PRESS, .x = x, .y = y });
    app_event(app, (Event){ EVENT_MOVE, .x = x, .y = y });
    if (frame == FRAMES - 1) app_event(app, (Event){ EVENT_RELEASE, .x = x, .y = y });
}

static void zoom(App *app, int frame)
{
    app_event(app, (Event){ EVENT_MOVE, .x = 640, .y = 420 });
    app_event(app, (Event){ EVENT_WHEEL, .wheel = frame < FRAMES / 2 ? 1 : -1 });
}

static void heads(App *app, int frame)
{
    app_event(app, (Event){ EVENT_KEY, .key = frame % 2 ? KEY_LEFT : KEY_RIGHT });
}

static void time_moves(Screen screen, App *app, const char *what, Move *move)
{
    double ms[FRAMES];
    for (int frame = 0; frame < FRAMES; frame++) {
        double start = clock_wall();
        move(app, frame);
        show(screen, app);
        ms[frame] = (clock_wall() - start) * 1000;
    }
    Spread spread = spread_of(ms, FRAMES);
    double worst = 0;
    for (int frame = 0; frame < FRAMES; frame++) worst = fmax(worst, ms[frame]);
    printf("  %-28s %6.1f ms (%.1f … %.1f), worst %5.1f: %4.0f frames a second\n", what, spread.median, spread.low,
           spread.high, worst, 1000 / spread.median);
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void time_file(Screen screen, const char *title, int argc, char **argv)
{
    Files files;
    Error error;
    App *app = &files.app;
    double start = clock_wall();
    Options options;
    if (options_read(&options, argc, argv, &error) != FLAGS_FINE) fail(error.text);
    if (!files_open(&files, &options, argc, argv, &error)) fail(error.text);
    app_event(app, (Event){ EVENT_RESIZE, .x = WIDTH, .y = HEIGHT, .pixels = 1 });
    double opened = clock_wall();
    show(screen, app);
    double shown = clock_wall();
    printf("%s\n  %-28s %6.1f ms, first picture after %.1f ms\n", title, "opened", (opened - start) * 1000,
           (shown - start) * 1000);
    double prepared = clock_wall();
    Wanted wanted = state_wanted(&app->state);
    wanted.all = false;
    scene_prepare(app->scene, &app->document, wanted, INFINITY);
    printf("  %-28s %6.1f ms\n", "levels of a head", (clock_wall() - prepared) * 1000);
    time_moves(screen, app, "hover", hover);
    time_moves(screen, app, "zoom", zoom);
    for (int k = 0; k < 6; k++) zoom(app, 0);
    time_moves(screen, app, "pan, zoomed in", pan);
    app_event(app, (Event){ EVENT_KEY, .key = KEY_FIT });
    time_moves(screen, app, "hover, the whole map", hover);
    if (app->document.heads > 1) time_moves(screen, app, "another head", heads);
    for (int step = 0; step < 40; step++) files_work(&files, 0.008);
    printf("  %-28s %6.0f MiB\n", "memory, at most so far", peak_mib());
    files_close(&files);
}

// ---- files ----------------------------------------------------------------------------------------------------------

// A causal head: most of the weight a few keys back, some of it at the first key.
static void fill_head(float *w, int T, int head)
{
    for (int i = 0; i < T; i++) {
        float *row = w + (size_t)i * (size_t)T;
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            row[j] = (float)(1 / (1.0 + abs(i - j - head)) + 3 * (j == 0));
            sum += (double)row[j];
        }
        for (int j = 0; j < T; j++) row[j] = j <= i ? (float)((double)row[j] / sum) : 0;
    }
}

// (L, H, T, T) of which the first two heads hold numbers; the rest of the file is a hole.
static void make_file(const char *path, int L, int H, int T)
{
    char text[128];
    int length = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }",
                          L, H, T, T);
    unsigned char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(header + 10, text, (size_t)length);
    header[127] = '\n';
    size_t head = (size_t)T * (size_t)T * sizeof(float);
    float *w = malloc(head);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    bool good = w && file >= 0 && write(file, header, sizeof header) == sizeof header;
    for (int h = 0; good && h < 2; h++) {
        fill_head(w, T, h);
        for (size_t at = 0; good && at < head;) {
            ssize_t wrote = write(file, (char *)w + at, head - at);
            good = wrote > 0;
            at += (size_t)wrote;
        }
    }
    good = good && !ftruncate(file, (off_t)(128 + (size_t)L * (size_t)H * head));
    free(w);
    if (file >= 0) close(file);
    if (!good) fail("a file of maps cannot be written; --folder names another place");
}

static void first_picture(const char *viewer, const char *folder)
{
    double ms[9];
    char picture[600];
    snprintf(picture, sizeof picture, "%s/first.png", folder);
    for (int k = 0; k < 9; k++) {
        double start = clock_wall();
        pid_t child = fork();
        if (child == 0) {
            execl(viewer, viewer, "--export", picture, (char *)NULL);
            _exit(127);
        }
        int status;
        waitpid(child, &status, 0);
        if (status) fail("the viewer did not run");
        ms[k] = (clock_wall() - start) * 1000;
    }
    Spread spread = spread_of(ms, 9);
    printf("from start to the first picture, with its PNG: %.0f ms (%.0f … %.0f)\n", spread.median, spread.low,
           spread.high);
    unlink(picture);
}

int main(int argc, char **argv)
{
    if (argc != 3) fail("usage: bench VIEWER FOLDER");
    shaping_use();
    static const int sizes[][3] = { { 2, 4, 64 }, { 2, 4, 1024 }, { 12, 12, 4096 } };
    char path[600], title[120];
    first_picture(argv[1], argv[2]);
    Screen screen = open_screen();
    time_file(screen, "the book's model, 16 tokens, 2 × 4 heads", 1, argv);
    snprintf(path, sizeof path, "%s/maps.npy", argv[2]);
    for (int s = 0; s < 3; s++) {
        int L = sizes[s][0], H = sizes[s][1], T = sizes[s][2];
        make_file(path, L, H, T);
        snprintf(title, sizeof title, "T = %d, %d × %d heads, %.2f GB", T, L, H, (double)L * H * T * T * 4 / 1e9);
        time_file(screen, title, 2, (char *[]){ argv[0], path, NULL });
        unlink(path);
    }
    SDL_Quit();
    return 0;
}
