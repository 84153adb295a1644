// Reading and mapping whole files.
#include "io/file.h"

#include "base/os.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// Size limits of file_read. The size of a stream is not known in advance, so its limit is lower.
static const int64_t MOST_FILE = INT64_C(4) << 30, MOST_STREAM = INT64_C(256) << 20;

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

// Reads to the end. The reported size is only an initial capacity: pipes report none, and a file may be growing.
static bool read_to_end(FileBytes *out, Arena *arena, int file, const char *path, const OsStatus *about, Error *error)
{
    int64_t limit = about->kind == OS_FILE ? MOST_FILE : MOST_STREAM;
    if (about->kind == OS_FILE && about->size > limit) return too_large(path, limit, error);

    size_t capacity = about->size > 4096 && about->kind == OS_FILE ? (size_t)about->size : 4096, size = 0;
    unsigned char *at = arena_alloc(arena, capacity + 1);
    for (;;) {
        ssize_t got =
            read_fully(file, at + size, capacity + 1 - size); // one byte more than the capacity, to detect the end
        if (got < 0) return error_set_system(error, errno, "%s: it cannot be read", path);
        size += (size_t)got;
        if (size <= capacity) break;
        if ((int64_t)size > limit) return too_large(path, limit, error);
        unsigned char *larger = arena_alloc(arena, 2 * capacity + 1);
        memcpy(larger, at, size);
        at = larger;
        capacity *= 2;
    }
    at[size] = 0;
    *out = (FileBytes){ at, size };
    return true;
}

// Returns −1 and sets a message if `path` is not a readable file.
static int open_to_read(OsStatus *about, const char *path, Error *error)
{
    int file = *path ? os_open(path, OS_READ) : -1;
    if (!*path) error_set(error, "the name of the file to read is empty");
    else if (file < 0 && errno == ENOENT) error_set(error, "%s: there is no such file", path);
    else if (file < 0) error_set_system(error, errno, "%s: it cannot be opened", path);
    else if (!os_status_of(about, file)) error_set_system(error, errno, "%s: it cannot be read", path);
    else if (about->kind == OS_FOLDER) error_set(error, "%s: this is a folder; a file is needed", path);
    else return file;
    if (file >= 0) close(file);
    return -1;
}

bool file_read(FileBytes *out, Arena *arena, const char *path, Error *error)
{
    OsStatus about;
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
    void *at = os_map(file, (size_t)size);
    if (!at) return error_set_system(error, errno, "%s: it cannot be mapped", path);
    os_advise(at, (size_t)size, OS_RANDOM); // access is by single rows: read-ahead would cost seconds
    *out = (FileMap){ { at, (size_t)size }, at };
    return true;
}

bool file_map(FileMap *out, Arena *arena, const char *path, int64_t read_up_to, Error *error)
{
    OsStatus about;
    int file = open_to_read(&about, path, error);
    if (file < 0) return false;
    FileMap read = { 0 };
    bool large = about.kind == OS_FILE && about.size > read_up_to;
    bool ok = large ? map_all(&read, file, path, about.size, error)
                    : read_to_end(&read.bytes, arena, file, path, &about, error);
    close(file); // the mapping stays valid
    if (ok) *out = read;
    return ok;
}

void file_unmap(FileMap map)
{
    if (map.map) os_unmap(map.map, map.bytes.size);
}

void file_forget(FileMap map)
{
    if (map.map) os_advise(map.map, map.bytes.size, OS_FORGET);
}

void file_want(FileBytes part) { os_advise(part.at, part.size, OS_SOON); }
