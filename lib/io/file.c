// Reading whole files with plain POSIX calls, whose errors say what went wrong.
#define _DEFAULT_SOURCE 1 // madvise
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// What one read may bring into memory. A stream tells no size beforehand, so its limit is the lower one.
static const int64_t MOST_FILE = INT64_C(4) << 30, MOST_STREAM = INT64_C(256) << 20;

// What is larger is mapped: a smaller one is read in milliseconds, and then nobody can pull it from under the reader.
static const int64_t MAP_ABOVE = INT64_C(16) << 20;

// ---- reading

static bool too_large(const char *path, int64_t limit, Error *error)
{
    return error_set(error, "%s: it holds more than %lld MiB, and no more is read", path, (long long)(limit >> 20));
}

// Reads up to `size` bytes; fewer only at the end of the file. −1 on an error.
static ssize_t read_fully(int file, unsigned char *at, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, at + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

// Reads until the end. The size that the system reports is a first guess: pipes have none, and a file may be growing.
static bool read_to_end(FileBytes *out, Arena *arena, int file, const char *path, const struct stat *about,
                        Error *error)
{
    int64_t limit = S_ISREG(about->st_mode) ? MOST_FILE : MOST_STREAM;
    if (S_ISREG(about->st_mode) && about->st_size > limit) return too_large(path, limit, error);

    size_t room = about->st_size > 4096 && S_ISREG(about->st_mode) ? (size_t)about->st_size : 4096, size = 0;
    unsigned char *at = arena_alloc(arena, room + 1);
    for (;;) {
        ssize_t got = read_fully(file, at + size, room + 1 - size); // one byte more than fits, to see the end
        if (got < 0) return error_set_system(error, errno, "%s: it cannot be read", path);
        size += (size_t)got;
        if (size <= room) break;
        if ((int64_t)size > limit) return too_large(path, limit, error);
        unsigned char *larger = arena_alloc(arena, 2 * room + 1);
        memcpy(larger, at, size);
        at = larger;
        room *= 2;
    }
    at[size] = 0;
    *out = (FileBytes){ at, size };
    return true;
}

// Opens a file, or says what stands there instead. −1 after an error.
static int open_to_read(struct stat *about, const char *path, Error *error)
{
    int file = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (!*path) error_set(error, "the name of the file to read is empty");
    else if (file < 0 && errno == ENOENT) error_set(error, "%s: there is no such file", path);
    else if (file < 0) error_set_system(error, errno, "%s: it cannot be opened", path);
    else if (fstat(file, about)) error_set_system(error, errno, "%s: it cannot be read", path);
    else if (S_ISDIR(about->st_mode)) error_set(error, "%s: this is a folder; a file is needed", path);
    else return file;
    if (file >= 0) close(file);
    return -1;
}

bool file_read(FileBytes *out, Arena *arena, const char *path, Error *error)
{
    struct stat about;
    int file = open_to_read(&about, path, error);
    if (file < 0) return false;
    bool ok = read_to_end(out, arena, file, path, &about, error);
    close(file);
    return ok;
}

static bool map_all(FileMap *out, int file, const char *path, int64_t size, Error *error)
{
    if ((uint64_t)size > SIZE_MAX)
        return error_set(error, "%s: it holds %lld bytes, more than this machine can address", path, (long long)size);
    void *at = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) return error_set_system(error, errno, "%s: it cannot be mapped", path);
    posix_madvise(at, (size_t)size, POSIX_MADV_RANDOM); // a row here, a row there: reading ahead costs seconds
    *out = (FileMap){ { at, (size_t)size }, at };
    return true;
}

bool file_map(FileMap *out, Arena *arena, const char *path, Error *error)
{
    struct stat about;
    int file = open_to_read(&about, path, error);
    if (file < 0) return false;
    FileMap read = { 0 };
    bool large = S_ISREG(about.st_mode) && about.st_size > MAP_ABOVE;
    bool ok = large ? map_all(&read, file, path, about.st_size, error)
                    : read_to_end(&read.bytes, arena, file, path, &about, error);
    close(file); // a map outlives it
    if (ok) *out = read;
    return ok;
}

void file_unmap(FileMap map)
{
    if (map.map) munmap(map.map, map.bytes.size);
}

void file_forget(FileMap map)
{
    if (map.map) madvise(map.map, map.bytes.size, MADV_DONTNEED);
}

void file_want(FileBytes part)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)part.at / page * page;
    posix_madvise((void *)from, (uintptr_t)part.at + part.size - from, POSIX_MADV_WILLNEED);
}
