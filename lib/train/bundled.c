// Chapters 09, 10 and 12. Finds the bundled weights.
#include "train/bundled.h"

#include "base/os.h"
#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The repository is one folder above build, two above build/chapters; a build folder may be deeper.
static const char *const places[] = {
    "data/models",          "../data/models",          "../../data/models",
    "../../../data/models", "../../../../data/models", "../share/manyheads/models",
};

// The folder of `program`, with its slash. A program without a slash in its name is looked up in PATH.
static const char *folder_of(Arena *arena, const char *program)
{
    program = os_program(program);
    const char *slash = strrchr(program, '/'), *path = getenv("PATH");
    if (slash) return arena_format(arena, "%.*s", (int)(slash - program) + 1, program);
    if (!path) return "";
    for (size_t length; *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        const char *folder = arena_format(arena, "%.*s/", (int)length, path);
        if (length && os_is_program(arena_format(arena, "%s%s", folder, program))) return folder;
    }
    return "";
}

const char *bundled_path(Arena *arena, const char *program, const char *file, Error *error)
{
    const char *folder = folder_of(arena, program);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        const char *path = arena_format(arena, "%s%s/%s", folder, places[p], file);
        if (!access(path, F_OK)) return path;
    }
    const char *here = arena_format(arena, "data/models/%s", file);
    if (!access(here, F_OK)) return here;
#ifdef BOOK
    const char *book = arena_format(arena, "%s/%s", BOOK, here);
    if (!access(book, F_OK)) return book;
#endif
    error_set(error,
              "there is no %s, neither from the program's folder upwards nor here; run this in the book's "
              "folder",
              here);
    return NULL;
}

bool bundled_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                   Error *error)
{
    if (!path) path = bundled_path(arena, program, arena_format(arena, "%s.safetensors", name), error);
    return path && checkpoint_read_model(model, NULL, arena, path, error);
}

bool bundled_plain_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                         Error *error)
{
    if (!bundled_model(model, arena, program, name, path, error)) return false;
    const char *beyond = config_beyond(&model->config);
    if (!beyond) return true;
    return error_set(error, "%s: the model %s; one that does not is needed here", path ? path : name, beyond);
}

bool bundled_rows(TableRows *rows, Arena *arena, const char *program, const char *folder, const char *file, int columns,
                  Error *error)
{
    const char *path = folder ? arena_format(arena, "%s/%s", folder, file) : bundled_path(arena, program, file, error);
    return path && table_read(rows, arena, path, columns, error);
}
