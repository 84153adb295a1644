// Chapters 09 and 10. Finds the committed weights.
#include "model/shipped.h"

#include "model/checkpoint.h"

#include <string.h>
#include <unistd.h>

// From build/chapters to the repository it is two folders up; a build folder may lie a few deeper.
static const char *const places[] = {
    "../../data/models", "../../../data/models", "../../../../data/models", "../share/manyheads/models",
};

const char *shipped_path(Arena *arena, const char *program, const char *file, Error *error)
{
    const char *slash = strrchr(program, '/');
    int folder = slash ? (int)(slash - program) + 1 : 0;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        const char *path = arena_format(arena, "%.*s%s/%s", folder, program, places[p], file);
        if (!access(path, F_OK)) return path;
    }
    const char *here = arena_format(arena, "data/models/%s", file);
    if (!access(here, F_OK)) return here;
#ifdef BOOK
    const char *book = arena_format(arena, "%s/%s", BOOK, here);
    if (!access(book, F_OK)) return book;
#endif
    error_set(error, "there is no %s, neither from the program's folder upwards nor here; run this in the book's folder", here);
    return NULL;
}

bool shipped_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                   Error *error)
{
    if (!path) path = shipped_path(arena, program, arena_format(arena, "%s.safetensors", name), error);
    return path && model_read(model, NULL, arena, path, error);
}
