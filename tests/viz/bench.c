// make bench-viewer: how fast the viewer answers, at 1280 × 800, one thread, on SDL's software path without a screen,
// and whether the goals are met; how large a page is, and how long it takes to write.
//
//     first picture    a process that starts, opens the model and shows it
//     hover            the mouse moves to another cell, and the picture is drawn and uploaded
//     pan, zoom        the map is dragged by a few points, or the wheel turns, and the picture is drawn and uploaded
//     while it reads   the same on a map that takes seconds to read: the worst frame
//     page             all heads as one file of HTML; by bertviz, where Python has it (BERTVIZ names one that has)
//
// T = 4096 with 144 heads is a sparse file of 9.7 GB, T = 20000 with 12 one of 19 GB, made here under FOLDER and
// removed: two heads have numbers, or none.
#include "base/measure.h"
#include "base/portable_math.h"
#include "figure/shaping.h"
#include "base/random.h"
#include "viz/files.h"

#include <SDL2/SDL.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 1280, HEIGHT = 800, FRAMES = 60 };

typedef struct {
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    Arena *arena;
} Screen;

static _Noreturn void fail(const char *sentence)
{
    fprintf(stderr, "bench-viewer: %s\n", sentence);
    exit(1);
}

static Screen open_screen(void)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    Screen screen = { NULL, NULL, arena_open() };
    if (SDL_Init(SDL_INIT_VIDEO)) fail(SDL_GetError());
    SDL_Window *window = SDL_CreateWindow("bench", 0, 0, WIDTH, HEIGHT, 0);
    screen.renderer = window ? SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE) : NULL;
    if (!screen.renderer) fail(SDL_GetError());
    screen.texture =
        SDL_CreateTexture(screen.renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING, WIDTH, HEIGHT);
    return screen;
}

// What main.c does between an event and the picture on the screen.
static void show(Screen screen, Files *files)
{
    files_work(files, 0.002);
    ArenaMark mark = arena_mark(screen.arena);
    Canvas *canvas = app_picture(&files->app, screen.arena);
    SDL_UpdateTexture(screen.texture, NULL, canvas->rgba, canvas->width * 4);
    SDL_RenderCopy(screen.renderer, screen.texture, NULL, NULL);
    SDL_RenderPresent(screen.renderer);
    arena_release(screen.arena, mark);
}

static void tell_goal(const char *what, double ms, double most)
{
    printf("  goal: %s in at most %.4g ms: %s (%.1f)\n", what, most, ms <= most ? "met" : "missed", ms);
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

static MeasureSpread time_moves(Screen screen, Files *files, const char *what, Move *move)
{
    double ms[FRAMES], worst = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        double start = measure_clock_wall();
        move(&files->app, frame);
        show(screen, files);
        ms[frame] = (measure_clock_wall() - start) * 1000;
        worst = fmax(worst, ms[frame]);
    }
    MeasureSpread spread = measure_spread(ms, FRAMES);
    printf("  %-28s %6.1f ms (%.1f … %.1f), worst %5.1f: %4.0f frames a second\n", what, spread.median, spread.low,
           spread.high, worst, 1000 / spread.median);
    return spread;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void open_file(Files *files, int argc, char **argv)
{
    Error error;
    ViewerOptions options;
    if (viewer_options_read(&options, argc, argv, &error) != FLAGS_FINE) fail(error.text);
    if (!files_open(files, &options, argc, argv, &error)) fail(error.text);
    app_event(&files->app, (Event){ EVENT_RESIZE, .x = WIDTH, .y = HEIGHT, .pixels = 1 });
}

static void time_file(Screen screen, const char *title, int argc, char **argv)
{
    Files files;
    App *app = &files.app;
    double start = measure_clock_wall();
    open_file(&files, argc, argv);
    double opened = measure_clock_wall();
    show(screen, &files);
    double shown = measure_clock_wall();
    printf("%s\n  %-28s %6.1f ms, first picture after %.1f ms\n", title, "opened", (opened - start) * 1000,
           (shown - start) * 1000);
    double prepared = measure_clock_wall();
    DerivedWanted wanted = state_wanted(&app->state);
    wanted.all = false;
    derived_prepare(app->derived, &app->document, wanted, INFINITY);
    printf("  %-28s %6.1f ms\n", "levels of a head", (measure_clock_wall() - prepared) * 1000);
    MeasureSpread hovered = time_moves(screen, &files, "hover", hover);
    time_moves(screen, &files, "zoom", zoom);
    for (int k = 0; k < 6; k++) zoom(app, 0);
    MeasureSpread panned = time_moves(screen, &files, "pan, zoomed in", pan);
    app_event(app, (Event){ EVENT_KEY, .key = KEY_FIT });
    MeasureSpread whole = time_moves(screen, &files, "hover, the whole map", hover);
    if (app->document.heads > 1) time_moves(screen, &files, "another head", heads);
    for (int step = 0; step < 40; step++) files_work(&files, 0.008);
    printf("  %-28s %6.0f MiB\n", "memory, at most so far", peak_mib());
    if (app->document.T == 1024) tell_goal("hover at 1024 tokens", fmax(hovered.median, whole.median), 8);
    if (app->document.T == 4096) tell_goal("a frame of panning 4096 tokens, 144 heads", panned.median, 1000.0 / 60);
    files_close(&files);
}

// Events while a map is being read that takes seconds: in every view, none may wait long.
static void time_reading(Screen screen, const char *title, int argc, char **argv)
{
    static const Key keys[] = { KEY_NONE,  KEY_TAB,   KEY_TAB,     KEY_TAB,  KEY_TAB,
                                KEY_RIGHT, KEY_SCALE, KEY_LARGEST, KEY_HIDE, KEY_SORT };
    Files files;
    double start = measure_clock_wall(), worst = 0;
    open_file(&files, argc, argv);
    show(screen, &files);
    double shown = measure_clock_wall();
    printf("%s\n", title);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        app_event(&files.app, (Event){ EVENT_KEY, .key = keys[k] });
        for (int frame = 0; frame < FRAMES / 4; frame++) {
            double begun = measure_clock_wall();
            hover(&files.app, frame);
            show(screen, &files);
            worst = fmax(worst, (measure_clock_wall() - begun) * 1000);
        }
    }
    tell_goal("a first picture", (shown - start) * 1000, 1000);
    tell_goal("the worst of 150 frames while it reads", worst, 100);
    while (!files_work(&files, 0.1) && !derived_pyramid(files.app.derived, 0, files.app.state.shown.head)) continue;
    printf("  %-28s %6.1f s\n", "the whole map of a head after", measure_clock_wall() - start);
    files_close(&files);
}

// ---- files ----------------------------------------------------------------------------------------------------------

// A causal head: most of the weight a few keys back, some of it at the first key, and no two rows alike, as of a model.
static void fill_head(float *w, int T, int head)
{
    Random random = random_from((uint64_t)head);
    for (int i = 0; i < T; i++) {
        float *row = w + (size_t)i * (size_t)T;
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            row[j] = random_uniform(&random) * (float)(1 / (1.0 + abs(i - j - head)) + 3 * (j == 0));
            sum += (double)row[j];
        }
        for (int j = 0; j < T; j++) row[j] = j <= i ? (float)((double)row[j] / sum) : 0;
    }
}

// (L, H, T, T) of which the first heads hold numbers; the rest of the file is a hole.
static void make_file(const char *path, int L, int H, int T, int filled)
{
    char text[128];
    int length = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }", L,
                          H, T, T);
    unsigned char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(header + 10, text, (size_t)length);
    header[127] = '\n';
    size_t head = (size_t)T * (size_t)T * sizeof(float);
    float *w = malloc(filled ? head : 1);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    bool good = w && file >= 0 && write(file, header, sizeof header) == sizeof header;
    for (int h = 0; good && h < filled; h++) {
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

// A program's milliseconds, from its start to its end.
static double run(char *const *argv)
{
    double start = measure_clock_wall();
    int status;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return status ? (double)NAN : (measure_clock_wall() - start) * 1000;
}

// This program as the viewer starts: the model is opened and shown.
static void first_picture(char *self)
{
    enum { TIMES = 9 };
    double ms[TIMES];
    for (int k = 0; k < TIMES; k++) ms[k] = run((char *[]){ self, "--first", NULL });
    if (isnan(ms[0])) fail("the first picture did not come");
    MeasureSpread spread = measure_spread(ms, TIMES);
    printf("from start to the first picture: %.0f ms (%.0f … %.0f)\n", spread.median, spread.low, spread.high);
    tell_goal("the first picture", spread.median, 100);
}

static int show_first(char **argv)
{
    Files files;
    Screen screen = open_screen();
    open_file(&files, 1, argv);
    show(screen, &files);
    return 0;
}

// ---- pages

static double size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) ? (double)NAN : (double)status.st_size / 1e6;
}

// All heads as a page; the same maps by bertviz's head_view, with the time that Python and torch take to start.
static void time_pages(char *viewer, const char *folder)
{
    char path[600], page[600], other[600], *bertviz = getenv("BERTVIZ");
    snprintf(path, sizeof path, "%s/maps.npy", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    snprintf(other, sizeof other, "%s/bertviz.html", folder);
    static char *const tried[] = { "-c", "import bertviz" };
    if (!bertviz) bertviz = "python3";
    bool has = !isnan(run((char *[]){ bertviz, tried[0], tried[1], NULL }));
    printf("pages of 12 × 12 heads\n");
    static const int sizes[] = { 16, 128, 400 };
    for (int s = 0; s < 3; s++) {
        make_file(path, 12, 12, sizes[s], 144);
        double ms = run((char *[]){ viewer, path, "--export", page, NULL });
        printf("  %3d tokens: %8.1f ms, %7.2f MB", sizes[s], ms, size_of(page));
        if (has) {
            ms = run((char *[]){ bertviz, "tests/viz/bertviz_page.py", path, other, NULL });
            printf("; by bertviz %8.1f ms, %7.2f MB", ms, size_of(other));
        }
        printf("\n");
        fflush(stdout);
        unlink(path);
        unlink(page);
        unlink(other);
    }
    if (!has) printf("  left out: bertviz, which %s does not have\n", bertviz);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--first")) return show_first(argv);
    if (argc != 3) fail("usage: bench VIEWER FOLDER");
    shaping_use();
    static const int sizes[][3] = { { 2, 4, 64 }, { 2, 4, 1024 }, { 12, 12, 4096 } };
    char path[600], title[120];
    first_picture(argv[0]);
    Screen screen = open_screen();
    time_file(screen, "the book's model, 16 tokens, 2 × 4 heads", 1, argv);
    snprintf(path, sizeof path, "%s/maps.npy", argv[2]);
    for (int s = 0; s < 3; s++) {
        int L = sizes[s][0], H = sizes[s][1], T = sizes[s][2];
        make_file(path, L, H, T, 2);
        snprintf(title, sizeof title, "T = %d, %d × %d heads, %.2f GB", T, L, H, (double)L * H * T * T * 4 / 1e9);
        time_file(screen, title, 2, (char *[]){ argv[0], path, NULL });
        unlink(path);
    }
    make_file(path, 1, 12, 20000, 0);
    time_reading(screen, "T = 20000, 12 heads, 19.20 GB", 2, (char *[]){ argv[0], path, NULL });
    unlink(path);
    time_pages(argv[1], argv[2]);
    SDL_Quit();
    return 0;
}
