// Who includes whom. A folder may include itself and what its line of the table names; no chain of files is a circle.
#include "house/rules.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

// No line names one that stands below it, so that folders are no circle either. The table speaks of folders to come,
// too.
static const struct { const char *room, *may[MOST]; } rooms[] = {
    { "lib/base",      { NULL } },
    { "lib/attention", { "lib/base" } },
    { "lib/io",        { "lib/base" } },
    { "lib/figure",    { "lib/base" } },
    { "lib/ranks",     { "lib/base", "lib/attention" } },
    { "lib/model",     { "lib/base", "lib/attention", "lib/io" } },
    { "lib/train",     { "lib/base", "lib/attention", "lib/io", "lib/model" } },
    { "lib/language",  { "lib/base", "lib/attention", "lib/io", "lib/model", "lib/train" } },       // its recipes
    { "lib/judge",     { "lib/base", "lib/attention", "lib/io", "lib/model" } },
    { "lib/lesson",    { "lib/" } },
    { "data",          { "lib/" } },
    { "viz",           { "lib/" } },
    { "chapters/",     { "lib/" } },                 // each of its own folder only
    { "tests",         { "lib/", "viz", "tests", "chapters/16_cuda" } },     // of a chapter: its kernels alone
};
enum { ROOMS = sizeof rooms / sizeof *rooms };

typedef struct { char at[200]; } Folder;

// The room that a file is in: lib/base, chapters/02_softmax, viz; the whole of tests is one.
static Folder room_of(const char *path)
{
    Folder room = { "" };
    bool two = !strncmp(path, "lib/", 4) || !strncmp(path, "chapters/", 9);
    size_t first = strcspn(path, "/");
    size_t length = two ? first + 1 + strcspn(path + first + 1, "/") : first;
    snprintf(room.at, sizeof room.at, "%.*s", (int)length, path);
    return room;
}

static const char *const *allowed(const char *room)
{
    for (int i = 0; i < ROOMS; i++)
        if (!strcmp(rooms[i].room, room) || (house_ends(rooms[i].room, "/") &&
                                             !strncmp(rooms[i].room, room, strlen(rooms[i].room)))) return rooms[i].may;
    return NULL;
}

static bool may_include(const char *const *may, const char *from, const char *to)
{
    if (!strcmp(from, to)) return true;
    for (; *may; may++)
        if (house_ends(*may, "/") ? !strncmp(*may, to, strlen(*may)) : !strcmp(*may, to)) return true;
    return false;
}

// "lib/base, lib/io", or "nothing else".
static const char *names(Arena *arena, const char *const *may)
{
    if (!*may) return "nothing else";
    const char *list = *may++;
    for (; *may; may++) list = arena_format(arena, "%s, %s", list, *may);
    return list;
}

// ---- from what an #include says to a file

static int find(const Source *sources, int count, const char *path)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(sources[i].path, path)) return i;
    return -1;
}

// As the compiler looks: beside the file, then from lib, then, for tests and the viewer, from tests and from the root.
static int included(Arena *arena, const Source *sources, int count, const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    int folder = slash ? (int)(slash + 1 - from) : 0;
    int at = find(sources, count, arena_format(arena, "%.*s%s", folder, from, name));
    if (at < 0) at = find(sources, count, arena_format(arena, "lib/%s", name));
    if (at < 0 && !strncmp(from, "tests/", 6)) at = find(sources, count, arena_format(arena, "tests/%s", name));
    return at < 0 ? find(sources, count, name) : at;
}

// The next #include "name" at or after `at`: the line behind it, or NULL. Its line's number is counted on.
static const char *next_include(const char *at, char *name, size_t room, int *number)
{
    for (; *at; at += strcspn(at, "\n") + 1) {
        ++*number;
        size_t space = strspn(at, " ");
        bool found = !strncmp(at + space, "#include \"", 10);
        if (found) snprintf(name, room, "%.*s", (int)strcspn(at + space + 10, "\"\n"), at + space + 10);
        if (found) return at + strcspn(at, "\n");
        if (!at[strcspn(at, "\n")]) break;
    }
    return NULL;
}

typedef struct { House *house; const Source *sources; int count; char *state; const char **chain; int depth; } Walk;
enum { NEW, OPEN, DONE };

static void check_room(Walk *w, int from, int to, int line)
{
    const char *path = w->sources[from].path;
    Folder here = room_of(path), there = room_of(w->sources[to].path);
    const char *const *may = allowed(here.at);
    if (may && !may_include(may, here.at, there.at))
        house_complain(w->house, path, line, "%s includes %s; it may include %s", here.at, w->sources[to].path,
                       names(w->house->arena, may));
}

static void say_circle(Walk *w, int to, int line)
{
    int from = w->depth - 1;
    while (from > 0 && strcmp(w->chain[from], w->sources[to].path)) from--;
    const char *list = w->sources[to].path;
    for (int i = from + 1; i < w->depth; i++) list = arena_format(w->house->arena, "%s → %s", list, w->chain[i]);
    house_complain(w->house, w->chain[w->depth - 1], line, "a circle of includes: %s → %s", list, w->sources[to].path);
}

static void visit(Walk *w, int file)
{
    const char *path = w->sources[file].path;
    char name[200];
    int line = 0;
    w->state[file] = OPEN;
    w->chain[w->depth++] = path;
    for (const char *at = w->sources[file].text; (at = next_include(at, name, sizeof name, &line)); at += *at == '\n') {
        int to = included(w->house->arena, w->sources, w->count, path, name);
        if (to < 0) {
            if (!house_ends(name, ".inc"))
                house_complain(w->house, path, line, "\"%s\" is neither beside this file nor in lib", name);
            continue;
        }
        check_room(w, file, to, line);
        if (w->state[to] == OPEN) say_circle(w, to, line);
        if (w->state[to] == NEW) visit(w, to);
    }
    w->depth--;
    w->state[file] = DONE;
}

void house_rooms(House *house, const Source *sources, int count)
{
    size_t room = (size_t)count + 1;
    Walk walk = { house, sources, count, arena_alloc(house->arena, room),
                  arena_alloc(house->arena, room * sizeof *walk.chain), 0 };
    for (int i = 0; i < count; i++) {
        const char *path = sources[i].path;
        if (strchr(path, '/') && !allowed(room_of(path).at))
            house_complain(house, path, 1, "%s is no folder of the house; the table in tests/house/rooms.c names them",
                           room_of(path).at);
        if (walk.state[i] == NEW) visit(&walk, i);
    }
}
