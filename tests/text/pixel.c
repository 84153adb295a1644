// Makes pictures for test_text.sh: `pixel new WIDTH HEIGHT OUT.png` and `pixel change IN.png OUT.png X Y LEVELS`.
#include "figure/png.h"
#include "io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const Error *error)
{
    fprintf(stderr, "pixel: %s\n", error->text);
    return 1;
}

static int save(const Canvas *canvas, const char *path)
{
    unsigned char *bytes = NULL;
    int size;
    Error error;
    bool ok = png_encode(&bytes, &size, canvas, &error) && file_write(path, bytes, (size_t)size, &error);
    free(bytes);
    return ok ? 0 : fail(&error);
}

// The green of one pixel is raised by some levels, or lowered where it would leave 0 … 255.
static int change(Arena *arena, char **argv)
{
    Error error;
    FileBytes file;
    Canvas *canvas;
    int x = atoi(argv[4]), y = atoi(argv[5]), levels = atoi(argv[6]);
    if (!file_read(&file, arena, argv[2], &error)) return fail(&error);
    if (!png_decode(&canvas, arena, file.at, (int)file.size, argv[2], &error)) return fail(&error);
    uint8_t *green = canvas->rgba + 4 * (y * canvas->width + x) + 1;
    *green = (uint8_t)(*green + (*green + levels <= 255 ? levels : -levels));
    return save(canvas, argv[3]);
}

int main(int argc, char **argv)
{
    Arena *arena = arena_open();
    int status = 2;
    if (!png_available()) status = 77;
    else if (argc == 5 && !strcmp(argv[1], "new"))
        status = save(canvas_new(arena, atoi(argv[2]), atoi(argv[3]), 1), argv[4]);
    else if (argc == 7 && !strcmp(argv[1], "change")) status = change(arena, argv);
    arena_close(arena);
    return status;
}
