// Chapters 09, 10 and 12. Where the book's own weights and tables lie: data/models in the repository, or where they
// were installed.
#ifndef TRAIN_BUNDLED_H
#define TRAIN_BUNDLED_H

#include "io/table.h"
#include "model/transformer.h"

// The path of data/models/<file>, looked for from the folder of `program` (argv[0]; without a slash it is looked for in
// PATH) upwards, then under share/manyheads beside it, then under the folder that the program was started in, then
// where the book was built. NULL, with one sentence, when it is nowhere.
const char *bundled_path(Arena *arena, const char *program, const char *file, Error *error);

// Reads `path` when it is given, else data/models/<name>.safetensors. false, with one sentence, when there is none, or
// it cannot be run.
bool bundled_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                   Error *error);

// The same; and one that has what chapters 09 to 12 do not speak of (config_beyond) is refused.
bool bundled_plain_model(Transformer *model, Arena *arena, const char *program, const char *name, const char *path,
                         Error *error);

// A table that was computed before: <folder>/<file> when a folder is given, else data/models/<file>.
bool bundled_rows(TableRows *rows, Arena *arena, const char *program, const char *folder, const char *file, int columns,
                  Error *error);

#endif
