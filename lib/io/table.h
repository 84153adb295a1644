// Small tables as text. A line is a name and numbers, separated by tabs. # starts a comment; empty lines are skipped.
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "base/mat.h"
#include "io/file.h"

typedef struct {
    const char **names; // one per row
    Mat values;         // (rows, columns)
} TableRows;

// Every line must have exactly `columns` finite numbers after its name. Errors name the line.
bool table_parse(TableRows *out, Arena *arena, FileBytes file, int columns, const char *name, Error *error);
bool table_read(TableRows *out, Arena *arena, const char *path, int columns, Error *error);

// A table of data/ embedded in the program as one string per line (the Makefile quotes it). An error in it aborts.
#define TABLE_EMBEDDED(arena, lines, columns, name) \
    table_embedded(arena, lines, sizeof(lines) / sizeof *(lines), columns, name)
TableRows table_embedded(Arena *arena, const char *const *lines, size_t count, int columns, const char *name);
// The text after `key` in the comment lines at the top: for "date: " and "# date: 2026-11-21" it is "2026-11-21".
const char *table_fact(Arena *arena, const char *const *lines, size_t count, const char *key);

#endif
