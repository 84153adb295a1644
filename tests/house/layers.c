// Checks the layers of the tree: `layers FILE …`, from the root of the repository. Exits with 1 when a file breaks a rule.
//
// A folder may include itself and the folders that its row of the table names, and no chain of includes is a cycle. C
// files include base/portable_math.h in place of <math.h>. All
// C and CUDA files must be named on the command line, since an include is looked up among them.
#include "base/arena.h"
#include "io/file.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *path, *text;
} Source; // path: from the root of the book

typedef struct {
    Arena *arena;
    const char *messages; // one line per problem
    int problems;
} Check;

static void report(Check *check, const char *path, int line, const char *format, ...)
{
    char words[1024];
    va_list more;
    va_start(more, format);
    vsnprintf(words, sizeof words, format, more);
    va_end(more);
    check->messages =
        arena_format(check->arena, "%s%s:%d: %s\n", check->messages ? check->messages : "", path, line, words);
    check->problems++;
}

static bool ends(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length >= wanted && !strcmp(path + length - wanted, ending);
}

enum { MOST = 16 };

// A row names only rows above it, so the folders form no cycle either.
static const struct {
    const char *folder, *may[MOST];
} layers[] = {
    { "lib/base", { NULL } },
    { "lib/attention", { "lib/base" } },
    { "lib/io", { "lib/base" } },
    { "lib/figure", { "lib/base" } },
    { "lib/kernels", { "lib/base", "lib/attention" } },
    { "lib/ranks", { "lib/base", "lib/attention" } },
    { "lib/tokenizer", { "lib/base", "lib/io" } },
    { "lib/model", { "lib/base", "lib/attention", "lib/io", "lib/kernels" } },
    { "lib/train", { "lib/base", "lib/attention", "lib/io", "lib/model" } },
    { "lib/language",
      { "lib/base", "lib/attention", "lib/io", "lib/model", "lib/train" } }, // the recipes of its models
    { "lib/judge", { "lib/base", "lib/attention", "lib/io", "lib/kernels", "lib/model" } },
    { "lib/lesson", { "lib/" } },
    { "data", { "lib/" } },
    { "viz", { "lib/" } },
    { "chapters/", { "lib/" } }, // a chapter includes no other chapter
    { "tests", { "lib/", "viz", "tests", "chapters/16_cuda" } },
};
enum { LAYERS = sizeof layers / sizeof *layers };

typedef struct {
    char at[200];
} Folder;

// The folder whose row applies to a file: lib/base, chapters/02_softmax, viz. All of tests is one folder.
static Folder layer_of(const char *path)
{
    Folder layer = { "" };
    bool two = !strncmp(path, "lib/", 4) || !strncmp(path, "chapters/", 9);
    size_t first = strcspn(path, "/");
    size_t length = two ? first + 1 + strcspn(path + first + 1, "/") : first;
    snprintf(layer.at, sizeof layer.at, "%.*s", (int)length, path);
    return layer;
}

static const char *const *allowed(const char *folder)
{
    for (int i = 0; i < LAYERS; i++)
        if (!strcmp(layers[i].folder, folder) ||
            (ends(layers[i].folder, "/") && !strncmp(layers[i].folder, folder, strlen(layers[i].folder))))
            return layers[i].may;
    return NULL;
}

static bool may_include(const char *const *may, const char *from, const char *to)
{
    if (!strcmp(from, to)) return true;
    for (; *may; may++)
        if (ends(*may, "/") ? !strncmp(*may, to, strlen(*may)) : !strcmp(*may, to)) return true;
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

// ---- from an #include line to the file it names

static int find(const Source *sources, int count, const char *path)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(sources[i].path, path)) return i;
    return -1;
}

// Looks as the compiler does: in the file's own folder, in lib, for tests also in tests, then from the root.
static int included(Arena *arena, const Source *sources, int count, const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    int folder = slash ? (int)(slash + 1 - from) : 0;
    int at = find(sources, count, arena_format(arena, "%.*s%s", folder, from, name));
    if (at < 0) at = find(sources, count, arena_format(arena, "lib/%s", name));
    if (at < 0 && !strncmp(from, "tests/", 6)) at = find(sources, count, arena_format(arena, "tests/%s", name));
    return at < 0 ? find(sources, count, name) : at;
}

// Finds the next #include "name" at or after `at`. Returns the end of its line, or NULL. Advances the line number.
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

typedef struct {
    Check *check;
    const Source *sources;
    int count;
    char *state;
    const char **chain;
    int depth;
} Walk;
enum { NEW, OPEN, DONE };

static void check_layer(Walk *w, int from, int to, int line)
{
    const char *path = w->sources[from].path;
    Folder here = layer_of(path), there = layer_of(w->sources[to].path);
    const char *const *may = allowed(here.at);
    if (may && !may_include(may, here.at, there.at))
        report(w->check, path, line, "%s includes %s; it may include %s", here.at, w->sources[to].path,
               names(w->check->arena, may));
}

static void report_cycle(Walk *w, int to, int line)
{
    int from = w->depth - 1;
    while (from > 0 && strcmp(w->chain[from], w->sources[to].path)) from--;
    const char *list = w->sources[to].path;
    for (int i = from + 1; i < w->depth; i++) list = arena_format(w->check->arena, "%s → %s", list, w->chain[i]);
    report(w->check, w->chain[w->depth - 1], line, "a cycle of includes: %s → %s", list, w->sources[to].path);
}

static void visit(Walk *w, int file)
{
    const char *path = w->sources[file].path;
    char name[200];
    int line = 0;
    w->state[file] = OPEN;
    w->chain[w->depth++] = path;
    for (const char *at = w->sources[file].text; (at = next_include(at, name, sizeof name, &line)); at += *at == '\n') {
        int to = included(w->check->arena, w->sources, w->count, path, name);
        if (to < 0) {
            if (!ends(name, ".inc"))
                report(w->check, path, line, "\"%s\" is neither beside this file nor in lib", name);
            continue;
        }
        check_layer(w, file, to, line);
        if (w->state[to] == OPEN) report_cycle(w, to, line);
        if (w->state[to] == NEW) visit(w, to);
    }
    w->depth--;
    w->state[file] = DONE;
}

static void check_layers(Check *check, const Source *sources, int count)
{
    size_t most = (size_t)count + 1;
    Walk walk = {
        check, sources, count, arena_alloc(check->arena, most), arena_alloc(check->arena, most * sizeof *walk.chain), 0
    };
    for (int i = 0; i < count; i++) {
        const char *path = sources[i].path;
        if (strchr(path, '/') && !allowed(layer_of(path).at))
            report(check, path, 1, "%s is not in the table of layers; add a row to tests/house/layers.c",
                   layer_of(path).at);
        if (walk.state[i] == NEW) visit(&walk, i);
    }
}

// The system's expf may be another one: base/portable_math.h is included and not <math.h>. CUDA has its own.
static void check_math(Check *check, Source source)
{
    static const char *const may[] = { "lib/base/portable_math.h", "tests/support/float64_shim.h" };
    bool c = ends(source.path, ".c") || ends(source.path, ".h");
    for (size_t m = 0; m < sizeof may / sizeof *may; m++) c = c && strcmp(source.path, may[m]);
    if (!c || strstr(source.path, "/emulator/")) return;
    const char *at = source.text;
    for (int line = 1; at; line++) {
        if (!strncmp(at + strspn(at, " "), "#include <math.h>", 17))
            report(check, source.path, line, "<math.h> is included; base/portable_math.h is needed");
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
}

static Source read_source(Check *check, const char *path)
{
    FileBytes file;
    Error error;
    if (file_read(&file, check->arena, path, &error)) return (Source){ path, (const char *)file.at };
    report(check, path, 1, "%s", error.text);
    return (Source){ path, "" };
}

int main(int argc, char **argv)
{
    Check check = { .arena = arena_open() };
    Source *sources = arena_alloc(check.arena, (size_t)argc * sizeof *sources);
    int count = 0;
    for (int a = 1; a < argc; a++) sources[count++] = read_source(&check, argv[a]);
    check_layers(&check, sources, count);
    for (int s = 0; s < count; s++) check_math(&check, sources[s]);
    if (check.messages) fputs(check.messages, stdout);
    printf("layers: %d files, %d problems\n", argc - 1, check.problems);
    int status = check.problems || argc < 2;
    arena_close(check.arena);
    return status;
}
