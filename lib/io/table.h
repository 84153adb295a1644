// Small tables in text: a line is a name and numbers, with tabs between. # begins a comment; empty lines are skipped.
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "base/mat.h"
#include "io/file.h"

typedef struct {
    const char **names; // one a row
    Mat values;         // (rows, columns)
} TableRows;

// Every line must have exactly `columns` finite numbers behind its name. Anything else is refused, with the line.
bool table_parse(TableRows *out, Arena *arena, FileBytes file, int columns, const char *name, Error *error);
bool table_read(TableRows *out, Arena *arena, const char *path, int columns, Error *error);

// A table of data/ that travels inside a program, one string a line, as the Makefile has quoted them. A mistake in it
// is the book's own.
#define TABLE_EMBEDDED(arena, lines, columns, name) \
    table_embedded(arena, lines, sizeof(lines) / sizeof *(lines), columns, name)
TableRows table_embedded(Arena *arena, const char *const *lines, size_t count, int columns, const char *name);
// What stands behind `key` in the comment lines above its numbers: "date: ", of "# date: 2026-11-21".
const char *table_fact(Arena *arena, const char *const *lines, size_t count, const char *key);

#endif
