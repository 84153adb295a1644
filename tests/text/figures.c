// Compares the committed figures with what the programs draw: `figures PROGRAMS CHAPTERS [--update | --runs DIR]`.
//
// As in `figures build/chapters chapters`. Every chapter draws its figures anew, into a fresh folder. They must be the
// same files as in CHAPTERS/NN_name/figures, of the same size, every channel of every pixel within one level. --update
// copies what is not. With --runs, DIR/NAME holds what NAME has drawn already, where there is a file DIR/NAME.txt.
//
// chapters/figures.font names the font that the committed figures were drawn with. Where this machine has another one,
// or none, the boxes where a program wrote text (NAME.png.text, which MANYHEADS_TEXT_BOXES asks for) are not compared.
#include "figure/canvas.h"
#include "figure/png.h"
#include "io/file.h"
#include "text/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    Arena *arena;
    const char *programs, *chapters;
    const char *drawn, *runs; // the fresh folder; the one of kept runs, or NULL
    bool update, without_text;
    int figures, problems;
} Gallery;

static void complain(Gallery *gallery, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(Gallery *gallery, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vprintf(format, words);
    putchar('\n');
    va_end(words);
    gallery->problems++;
}

// ---- one picture

static Canvas *picture(Gallery *gallery, const char *path, FileBytes *file)
{
    Error error;
    Canvas *canvas = NULL;
    if (file_read(file, gallery->arena, path, &error) &&
        png_decode(&canvas, gallery->arena, file->at, (int)file->size, path, &error))
        return canvas;
    complain(gallery, "%s", error.text);
    return NULL;
}

// Marks the pixels of the text boxes in `skip`, one byte a pixel. A picture without text has no such file.
static void skip_text(Gallery *gallery, const char *path, unsigned char *skip, const Canvas *canvas)
{
    const char *boxes = arena_format(gallery->arena, "%s.text", path);
    FileBytes file;
    if (!path_exists(boxes) || !file_read(&file, gallery->arena, boxes, NULL)) return;
    Lines lines = lines_of(gallery->arena, (const char *)file.at);
    for (int i = 0; i < lines.count; i++) {
        CanvasBox b;
        if (sscanf(lines.at[i], "%d %d %d %d", &b.x, &b.y, &b.width, &b.height) != 4) continue;
        for (int y = b.y < 0 ? 0 : b.y; y < b.y + b.height && y < canvas->height; y++)
            for (int x = b.x < 0 ? 0 : b.x; x < b.x + b.width && x < canvas->width; x++)
                skip[(size_t)y * (size_t)canvas->width + (size_t)x] = 1;
    }
}

static int pixel_difference(const uint8_t *a, const uint8_t *b)
{
    int worst = 0;
    for (int c = 0; c < 4; c++)
        if (abs(a[c] - b[c]) > worst) worst = abs(a[c] - b[c]);
    return worst;
}

// How many pixels differ by more than one level, and which differs most.
static int pixels_apart(const Canvas *a, const Canvas *b, const unsigned char *skip, size_t *worst)
{
    int count = 0, most = 1;
    for (size_t p = 0; p < (size_t)a->width * (size_t)a->height; p++) {
        int difference = skip[p] ? 0 : pixel_difference(a->rgba + 4 * p, b->rgba + 4 * p);
        count += difference > 1;
        if (difference > most) {
            most = difference;
            *worst = p;
        }
    }
    return count;
}

// Are the two pictures the same? If not, `why` says what is different.
static bool same(Gallery *gallery, const char *committed, const char *drawn, const char **why)
{
    FileBytes file[2];
    Canvas *a = picture(gallery, committed, &file[0]), *b = picture(gallery, drawn, &file[1]);
    *why = "cannot be read";
    if (!a || !b) return false;
    if (a->width != b->width || a->height != b->height) {
        *why = arena_format(gallery->arena, "is %d × %d pixels, the program draws %d × %d", a->width, a->height,
                            b->width, b->height);
        return false;
    }
    unsigned char *skip = arena_alloc(gallery->arena, (size_t)a->width * (size_t)a->height + 1);
    if (gallery->without_text) skip_text(gallery, drawn, skip, a);
    size_t worst = 0;
    int apart = pixels_apart(a, b, skip, &worst);
    if (!apart) return true;
    const uint8_t *p = a->rgba + 4 * worst, *q = b->rgba + 4 * worst;
    int x = (int)(worst % (size_t)a->width), y = (int)(worst / (size_t)a->width);
    *why = arena_format(gallery->arena,
                        "differs from what the program draws in %d of %d pixels, most at x %d, y %d: "
                        "committed #%02x%02x%02x, drawn #%02x%02x%02x",
                        apart, a->width * a->height, x, y, p[0], p[1], p[2], q[0], q[1], q[2]);
    return false;
}

// ---- one chapter

static void replace(Gallery *gallery, const char *committed, const char *drawn)
{
    Error error;
    FileBytes file;
    if (!file_read(&file, gallery->arena, drawn, &error) || !file_write(committed, file.at, file.size, &error))
        complain(gallery, "%s", error.text);
    else printf("%s: refreshed\n", committed);
}

static void hold_drawn(Gallery *gallery, const char *committed, const char *drawn)
{
    const char *why = NULL;
    bool there = path_exists(committed), equal = there && same(gallery, committed, drawn, &why);
    gallery->figures++;
    if (equal) return;
    if (gallery->update) replace(gallery, committed, drawn);
    else if (!there) complain(gallery, "%s is missing; the program draws it (make figures)", committed);
    else complain(gallery, "%s %s", committed, why);
}

static void hold_left_over(Gallery *gallery, const char *committed)
{
    if (!gallery->update) complain(gallery, "%s is committed, but the program does not draw it", committed);
    else if (unlink(committed)) complain(gallery, "%s cannot be removed", committed);
    else printf("%s: removed, the program does not draw it\n", committed);
}

static bool named(Lines names, const char *name)
{
    for (int i = 0; i < names.count; i++)
        if (!strcmp(names.at[i], name)) return true;
    return false;
}

static void hold_chapter(Gallery *gallery, const char *chapter)
{
    Arena *arena = gallery->arena;
    const char *program = arena_format(arena, "%s/%s", gallery->programs, chapter);
    const char *drawn = arena_format(arena, "%s/%s", gallery->drawn, chapter);
    const char *committed = arena_format(arena, "%s/%s/figures", gallery->chapters, chapter);
    Error error;
    if (gallery->update && !file_make_folder(committed, &error)) complain(gallery, "%s", error.text);

    // 1. Draw, or take what a kept run has drawn.
    const char *kept = arena_format(arena, "%s/%s", gallery->runs ? gallery->runs : "", chapter);
    bool drawn_before = gallery->runs && path_exists(arena_format(arena, "%s.txt", kept));
    if (drawn_before) drawn = kept;
    Output run = { "", 0 };
    if (!drawn_before)
        run = program_run(arena, arena_format(arena, "'%s' --color never --figures '%s'", program, drawn));
    if (run.status) {
        complain(gallery, "%s --figures ended with %d; it must end with 0", program, run.status);
        return;
    }
    // 2. What is drawn must be committed, 3. what is committed must be drawn.
    Lines now = lines_named(arena, drawn, ".png"), before = lines_named(arena, committed, ".png");
    for (int i = 0; i < now.count; i++)
        hold_drawn(gallery, arena_format(arena, "%s/%s", committed, now.at[i]),
                   arena_format(arena, "%s/%s", drawn, now.at[i]));
    for (int i = 0; i < before.count; i++)
        if (!named(now, before.at[i])) hold_left_over(gallery, arena_format(arena, "%s/%s", committed, before.at[i]));
}

// ---- all of them

// Is this machine's font the one of the committed figures? Where it is not, text is left out, and that is said.
static void look_at_font(Gallery *gallery)
{
    const char *path = "chapters/figures.font", *here = canvas_font_name();
    Error error;
    FileBytes file;
    if (gallery->update) {
        const char *line = arena_format(gallery->arena, "%s\n", here);
        if (!file_write(path, line, strlen(line), &error)) complain(gallery, "%s", error.text);
        return;
    }
    if (!file_read(&file, gallery->arena, path, &error)) {
        complain(gallery, "%s", error.text);
        return;
    }
    Lines lines = lines_of(gallery->arena, (const char *)file.at);
    const char *theirs = lines.count ? lines.at[0] : "";
    gallery->without_text = !here || strcmp(here, theirs) != 0;
    if (gallery->without_text)
        printf("left out: letters in figures; the committed ones are drawn with %s, this machine has %s\n", theirs,
               here ? here : "no font");
}

static void hold_all(Gallery *gallery)
{
    look_at_font(gallery);
    Lines names = lines_named(gallery->arena, gallery->chapters, "");
    for (int i = 0; i < names.count; i++) {
        ArenaMark mark = arena_mark(gallery->arena);
        if (path_exists(arena_format(gallery->arena, "%s/%s", gallery->programs, names.at[i])))
            hold_chapter(gallery, names.at[i]);
        arena_release(gallery->arena, mark);
    }
}

int main(int argc, char **argv)
{
    Gallery gallery = { .update = argc == 4 && !strcmp(argv[3], "--update") };
    if (argc == 5 && !strcmp(argv[3], "--runs")) gallery.runs = argv[4];
    if (argc != 3 && !gallery.update && !gallery.runs) {
        fprintf(stderr, "usage: figures PROGRAMS CHAPTERS [--update | --runs DIR]\n");
        return 2;
    }
    if (!png_available()) {
        printf("left out: figures, for want of stb\n");
        return 0;
    }
    if (gallery.update && !canvas_font_name()) {
        fprintf(stderr, "figures: this machine has no font, and a figure of the book needs its letters (make deps)\n");
        return 1;
    }
    gallery.arena = arena_open();
    gallery.programs = argv[1];
    gallery.chapters = argv[2];
    char *drawn = arena_format(gallery.arena, "%s/../figures-XXXXXX", argv[1]);
    gallery.drawn = mkdtemp(drawn);
    if (!gallery.drawn) {
        fprintf(stderr, "figures: no folder can be made beside %s\n", argv[1]);
        return 1;
    }
    if (!gallery.update) setenv("MANYHEADS_TEXT_BOXES", "1", 1);
    hold_all(&gallery);
    if (gallery.problems) printf("figures: the pictures as drawn now are in %s\n", gallery.drawn);
    else program_run(gallery.arena, arena_format(gallery.arena, "rm -r '%s'", gallery.drawn));
    if (!gallery.update) printf("figures: %d figures, %d problems\n", gallery.figures, gallery.problems);
    arena_close(gallery.arena);
    return gallery.problems ? 1 : 0;
}
