// Small tables in text: a line is a name and numbers, with tabs between. # begins a comment; empty lines are skipped.
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "base/mat.h"
#include "io/file.h"

typedef struct {
    const char **names;            // one a row
    Mat          values;           // (rows, columns)
} NamedRows;

// Every line must have exactly `columns` finite numbers behind its name. Anything else is refused, with the line.
bool rows_parse(NamedRows *out, Arena *arena, Bytes file, int columns, const char *name, Error *error);
bool rows_read(NamedRows *out, Arena *arena, const char *path, int columns, Error *error);

#endif
