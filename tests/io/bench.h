// What the suites of lib/io share: an arena and a folder for one test, and claims about the sentence of an error.
#ifndef TESTS_IO_BENCH_H
#define TESTS_IO_BENCH_H

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Arena *arena;
    char *folder;
    Error error;
} Bench;

static inline Bench bench_open(void)
{
    Bench bench = { .arena = arena_open() };
    const char *where = getenv("TMPDIR");
    bench.folder = arena_format(bench.arena, "%s/manyheads-XXXXXX", where && *where ? where : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(bench.folder));
    return bench;
}

static inline char *bench_path(Bench *bench, const char *name)
{
    return arena_format(bench->arena, "%s/%s", bench->folder, name);
}

// How many files and folders stand in `path`, hidden ones included: a temporary file left behind is found by this.
static inline int entries_in(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(folder);
    return count;
}

// A folder with all that is in it. Links are removed, not followed.
static inline void remove_all(Arena *memory, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat about;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char *inner = arena_format(memory, "%s/%s", path, entry->d_name);
        if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode)) remove_all(memory, inner);
        else unlink(inner);
    }
    closedir(folder);
    rmdir(path);
}

static inline void bench_close(Bench *bench)
{
    remove_all(bench->arena, bench->folder);
    arena_close(bench->arena);
}

// `bench` is open for each test of a file that says so, and has included support/suite.h.
#define BENCH_FIXTURE \
    static Bench bench; \
    static void open_bench(void) { bench = bench_open(); } \
    static void close_bench(void) { bench_close(&bench); } \
    FIXTURE(open_bench, close_bench)

// The error must hold every one of these, up to a NULL, and be one line that ends whole.
static inline void error_has(const Error *error, const char *const *words)
{
    ck_assert_msg(strlen(error->text) < sizeof error->text - 1, "the message was cut: %s", error->text);
    ck_assert_msg(!strchr(error->text, '\n'), "the message has more than one line: %s", error->text);
    for (; *words; words++)
        ck_assert_msg(strstr(error->text, *words) != NULL, "\"%s\" has no \"%s\"", error->text, *words);
}

#define ERROR_HAS(error, ...) error_has(error, (const char *const[]){ __VA_ARGS__, NULL })

// Bytes of exactly this size on the heap, so that AddressSanitizer sees a read of one byte too many. free() them.
static inline FileBytes exact(const void *at, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    if (size) memcpy(copy, at, size);
    return (FileBytes){ copy, size };
}

#endif
