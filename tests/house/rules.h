// The rules that a machine can hold every file to. Each complains of all that it finds: file, line, what, what would be
// right.
#ifndef HOUSE_RULES_H
#define HOUSE_RULES_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct { const char *path, *text; } Source;                    // path: from the root of the book

typedef struct {
    Arena      *arena;
    const char *said;              // one line a problem
    int         problems;
} House;

void house_complain(House *house, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool house_ends(const char *path, const char *ending);

// Every text: width, spaces at the end of a line, the last line. C: no tabs; C and shell: a comment that heads the
// file.
void house_lines(House *house, Source source);

// C: a statement begins at a multiple of four columns, no comma makes two of one, spaces stand where clang-format puts
// them, and memory comes from who ends the program where there is none.
void house_statements(House *house, Source source);

// Who includes whom, by the table in rooms.c, and no file includes itself by way of others. What is included must be
// among the sources; tables that the Makefile makes (.inc) need not be.
void house_rooms(House *house, const Source *sources, int count);

#endif
