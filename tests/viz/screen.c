// What the check of the window asks of the X display: its pixels, a dropped file, the time to the first picture.
//
//   screen rgb                     the root window's pixels to stdout, three bytes each
//   screen drop WINDOW X Y FILE    drops a file there, as a file manager does (XDND 5); exit 0 when it was taken
//   screen start PROGRAM [FLAG …]  prints the milliseconds until the screen's left margin has the paper's colour,
//                                  the best of five starts
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STARTS = 5, PATIENCE_MS = 10000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void rest(void) { nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL); }

// ---- pixels

static int write_pixels(Display *display)
{
    int screen = DefaultScreen(display), width = DisplayWidth(display, screen), height = DisplayHeight(display, screen);
    XImage *image =
        XGetImage(display, DefaultRootWindow(display), 0, 0, (unsigned)width, (unsigned)height, AllPlanes, ZPixmap);
    if (!image) return 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            unsigned long pixel = XGetPixel(image, x, y);
            putchar((int)(pixel >> 16 & 255));
            putchar((int)(pixel >> 8 & 255));
            putchar((int)(pixel & 255));
        }
    XDestroyImage(image);
    return fflush(stdout) ? 1 : 0;
}

// ---- the first picture

static unsigned long margin(Display *display)
{
    int screen = DefaultScreen(display);
    int y = DisplayHeight(display, screen) / 2;
    XImage *image = XGetImage(display, DefaultRootWindow(display), 12, y, 1, 1, AllPlanes, ZPixmap);
    unsigned long pixel = image ? XGetPixel(image, 0, 0) & 0xffffff : 0;
    if (image) XDestroyImage(image);
    return pixel;
}

// Milliseconds from fork to the first picture; −1 when none comes. The program is ended then.
static double first_picture(Display *display, char **command)
{
    const unsigned long paper = 0xfaf9f6;
    while (margin(display) == paper) rest(); // the window before this one is gone
    double start = now(), found = -1;
    pid_t child = fork();
    if (!child) {
        execv(command[0], command);
        _exit(127);
    }
    while (found < 0 && now() - start < PATIENCE_MS) {
        if (margin(display) == paper) found = now() - start;
        else rest();
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return found;
}

static int print_start(Display *display, char **command)
{
    double best = -1;
    for (int i = 0; i < STARTS; i++) {
        double time = first_picture(display, command);
        if (time < 0) {
            fprintf(stderr, "screen: %s shows no picture\n", command[0]);
            return 1;
        }
        if (best < 0 || time < best) best = time;
    }
    return printf("%.0f\n", best) < 0;
}

// ---- a file is dropped

typedef struct {
    Display *display;
    Window source, target;
    Atom selection, type;
    const char *uri;
} Drop;

static Atom atom(const Drop *drop, const char *name) { return XInternAtom(drop->display, name, False); }

static void tell(const Drop *drop, const char *what, long a, long b, long c, long d)
{
    XEvent event = {
        .xclient = { .type = ClientMessage, .window = drop->target, .message_type = atom(drop, what), .format = 32 }
    };
    const long data[5] = { (long)drop->source, a, b, c, d };
    memcpy(event.xclient.data.l, data, sizeof data);
    XSendEvent(drop->display, drop->target, False, NoEventMask, &event);
    XFlush(drop->display);
}

// The target asks for what is dropped: it is put where it wants it.
static void answer(const Drop *drop, const XSelectionRequestEvent *asked)
{
    XEvent event = { .xselection = { .type = SelectionNotify,
                                     .requestor = asked->requestor,
                                     .selection = asked->selection,
                                     .target = asked->target,
                                     .property = asked->property,
                                     .time = asked->time } };
    XChangeProperty(drop->display, asked->requestor, asked->property, asked->target, 8, PropModeReplace,
                    (const unsigned char *)drop->uri, (int)strlen(drop->uri));
    XSendEvent(drop->display, asked->requestor, False, NoEventMask, &event);
    XFlush(drop->display);
}

// Waits for a message of this name and answers what is asked meanwhile. Its second number; −1: it has not come.
static long wait_for(const Drop *drop, const char *what)
{
    double end = now() + PATIENCE_MS;
    while (now() < end) {
        XEvent event;
        if (!XPending(drop->display)) {
            rest();
            continue;
        }
        XNextEvent(drop->display, &event);
        if (event.type == SelectionRequest) answer(drop, &event.xselectionrequest);
        if (event.type == ClientMessage && event.xclient.message_type == atom(drop, what))
            return event.xclient.data.l[1];
    }
    fprintf(stderr, "screen: the window sends no %s\n", what);
    return -1;
}

static int drop_file(Display *display, char **words)
{
    char uri[4200];
    Drop drop = { .display = display, .target = (Window)strtoul(words[0], NULL, 0), .uri = uri };
    long x = strtol(words[1], NULL, 10), y = strtol(words[2], NULL, 10);
    if (words[3][0] != '/' || snprintf(uri, sizeof uri, "file://%s\r\n", words[3]) >= (int)sizeof uri) return 2;
    drop.source = XCreateSimpleWindow(display, DefaultRootWindow(display), -9, -9, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display, atom(&drop, "XdndSelection"), drop.source, CurrentTime);
    tell(&drop, "XdndEnter", 5L << 24, (long)atom(&drop, "text/uri-list"), 0, 0);
    tell(&drop, "XdndPosition", 0, x << 16 | y, CurrentTime, (long)atom(&drop, "XdndActionCopy"));
    long taken = wait_for(&drop, "XdndStatus");
    if (taken < 0 || !(taken & 1)) return 1;
    tell(&drop, "XdndDrop", 0, CurrentTime, 0, 0);
    return wait_for(&drop, "XdndFinished") < 0;
}

int main(int argc, char **argv)
{
    Display *display = XOpenDisplay(NULL);
    int status = 2;
    if (!display) {
        fprintf(stderr, "screen: there is no display\n");
        return 1;
    }
    if (argc == 2 && !strcmp(argv[1], "rgb")) status = write_pixels(display);
    else if (argc == 6 && !strcmp(argv[1], "drop")) status = drop_file(display, argv + 2);
    else if (argc >= 3 && !strcmp(argv[1], "start")) status = print_start(display, argv + 2);
    else fprintf(stderr, "usage: screen rgb | drop WINDOW X Y FILE | start PROGRAM [FLAG …]\n");
    XCloseDisplay(display);
    return status;
}
