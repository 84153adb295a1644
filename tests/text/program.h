// What the checks of text and figures share: running a chapter, looking into a folder, text as lines.
#ifndef TEXT_PROGRAM_H
#define TEXT_PROGRAM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char **at;
    int count;
} Lines; // without their line ends

Lines lines_of(Arena *arena, const char *text);

// The names in a folder that end so, sorted; none when there is no such folder.
Lines lines_named(Arena *arena, const char *folder, const char *ending);

typedef struct {
    const char *text;
    int status;
} Output; // stdout, 0-terminated; status as the shell counts it

Output program_run(Arena *arena, const char *command); // through sh, with nothing on stdin
bool path_exists(const char *path);

#endif
