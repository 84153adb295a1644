// What the checks of text and figures share: running a chapter, looking into a folder, text as lines.
#include "text/program.h"

#include "base/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

Lines lines_of(Arena *arena, const char *text)
{
    int count = 0;
    for (const char *c = text; *c; c++) count += *c == '\n' || !c[1];
    Lines lines = { arena_alloc(arena, (size_t)count * sizeof(char *)), count };
    for (int i = 0; i < count; i++) {
        int length = (int)strcspn(text, "\n");
        lines.at[i] = arena_format(arena, "%.*s", length, text);
        text += length + (text[length] == '\n');
    }
    return lines;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);
    return n >= e && !strcmp(name + n - e, ending);
}

Lines lines_named(Arena *arena, const char *folder, const char *ending)
{
    enum { MOST = 4096 };
    Lines names = { arena_alloc(arena, MOST * sizeof(char *)), 0 };
    DIR *open = opendir(folder);
    if (!open) return names;
    for (struct dirent *entry; (entry = readdir(open));) {
        if (entry->d_name[0] == '.' || !ends_with(entry->d_name, ending)) continue;
        REQUIRE(names.count < MOST, "%s holds more than %d names", folder, MOST);
        names.at[names.count++] = arena_format(arena, "%s", entry->d_name);
    }
    closedir(open);
    qsort(names.at, (size_t)names.count, sizeof *names.at, by_name);
    return names;
}

Output program_run(Arena *arena, const char *command)
{
    FILE *pipe = popen(arena_format(arena, "{ %s\n} </dev/null", command), "r");
    if (!pipe) return (Output){ "", 127 };

    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    REQUIRE(text, "out of memory for the output of %s", command);
    for (size_t got; (got = fread(text + size, 1, room - size - 1, pipe)) > 0;) {
        size += got;
        if (room - size > 1) continue;
        text = realloc(text, room *= 2);
        REQUIRE(text, "out of memory for the output of %s", command);
    }
    text[size] = '\0';
    int ended = pclose(pipe);
    Output output = { arena_format(arena, "%s", text), WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended) };
    free(text);
    return output;
}

bool path_exists(const char *path)
{
    struct stat found;
    return !stat(path, &found);
}
