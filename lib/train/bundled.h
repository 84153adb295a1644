// Chapters 09, 10 and 12. Finds the book's bundled weights and tables: in data/models of the repository, or where they
// were installed.
#ifndef TRAIN_BUNDLED_H
#define TRAIN_BUNDLED_H

#include "io/table.h"
#include "model/transformer.h"

// The path of data/models/<file>. Searched in this order: the folder of `program` (argv[0], looked up in PATH if it has
// no slash) and its parents, share/manyheads next to it, the current folder, the build folder. NULL with an error if
// not found.
const char *bundled_path(Arena *arena, const char *program, const char *file, Error *error);

// Reads `path` if given, else data/models/<name>.safetensors. false with an error if it is missing or cannot be run.
bool bundled_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                   Error *error);

// The same for the basic transformer only: a model with further features (config_beyond) is refused.
bool bundled_plain_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                         Error *error);

// A precomputed table: <folder>/<file> if a folder is given, else data/models/<file>.
bool bundled_rows(TableRows *rows, Arena *arena, const char *program, const char *folder, const char *file, int columns,
                  Error *error);

#endif
