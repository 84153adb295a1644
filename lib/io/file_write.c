// Writing whole files, and comparing paths.
//
// A file is replaced atomically: the new contents are written to a temporary file in the same folder, flushed to disk,
// and renamed over the old file.
#include "io/file.h"

#include "base/memory.h"
#include "base/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool cannot_write(const char *path, Error *error)
{
    return error_set_system(error, errno, "%s: it cannot be written", path);
}

static bool write_fully(int file, const unsigned char *at, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

// Creates a temporary file in the folder of `path` and returns its name. The name does not contain that of `path`, so
// it is never too long. Returns −1 on an error.
static int open_temporary(char **name, Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0, file = -1;
    for (int n = 0; n < 1000; n++) {
        *name = arena_format(arena, "%.*s.manyheads-%ld-%d", folder, path, (long)getpid(), n);
        file = os_open(*name, OS_CREATE);
        if (file >= 0 || errno != EEXIST) break; // EEXIST: of another thread, or of a program that was killed
    }
    return file;
}

// ---- the target

// The file that a path to write refers to. A symbolic link is resolved, and its target is replaced; a dangling link is
// replaced itself. Devices and pipes cannot be replaced: they are opened and written to.
typedef struct {
    char *name; // free it
    bool exists, device;
    int mode;
} Target;

static char *copy_of(const char *text)
{
    char *copy = memory_new(strlen(text) + 1);
    return strcpy(copy, text);
}

static bool target_of(Target *out, const char *path, Error *error)
{
    OsStatus old = { .kind = OS_FILE };
    *out = (Target){ .name = NULL };
    if (!*path) return error_set(error, "the name of the file to write is empty");
    out->exists = os_status(&old, path);
    if (!out->exists && errno != ENOENT) return cannot_write(path, error);
    if (old.kind == OS_FOLDER) return error_set(error, "%s: this is a folder; a file is needed", path);
    if (out->exists && access(path, W_OK)) return cannot_write(path, error); // do not replace a read-only file
    out->device = old.kind == OS_DEVICE;
    out->mode = old.mode;
    out->name = out->exists && !out->device ? os_real_path(path) : copy_of(path);
    return out->name || cannot_write(path, error);
}

static bool write_device(const char *path, const void *at, size_t size, Error *error)
{
    int file = os_open(path, OS_WRITE);
    bool ok = file >= 0 && write_fully(file, at, size);
    if (!ok) cannot_write(path, error);
    if (file >= 0 && close(file) && ok) ok = cannot_write(path, error);
    return ok;
}

// `test`: only creates and removes the temporary file.
static bool replace(const char *path, const Target *target, const void *at, size_t size, bool test, Error *error)
{
    Arena *scratch = arena_open();
    char *name;
    int file = open_temporary(&name, scratch, target->name);
    bool ok = file >= 0;
    if (ok && !test) {
        ok = (!target->exists || os_set_mode(file, target->mode)) && write_fully(file, at, size) && os_flush(file);
    }
    if (!ok) cannot_write(path, error);
    if (file >= 0) close(file); // os_flush has reported every error
    if (ok && !test && !os_replace(name, target->name)) ok = cannot_write(path, error);
    if (file >= 0 && (test || !ok)) unlink(name);
    arena_close(scratch);
    return ok;
}

static bool write_or_test(const char *path, const void *at, size_t size, bool test, Error *error)
{
    Target target;
    bool ok = target_of(&target, path, error);
    if (ok && target.device) ok = test || write_device(path, at, size, error);
    else if (ok) ok = replace(path, &target, at, size, test, error);
    free(target.name);
    return ok;
}

bool file_write(const char *path, const void *at, size_t size, Error *error)
{
    return write_or_test(path, at, size, false, error);
}

bool file_may_write(const char *path, Error *error) { return write_or_test(path, NULL, 0, true, error); }

// ---- the same file?

// Status of the folder that contains `path`; *last is the name within it.
static bool folder_of(OsStatus *folder, const char *path, const char **last)
{
    const char *slash = strrchr(path, '/');
    *last = slash ? slash + 1 : path;
    Arena *scratch = arena_open();
    const char *name = slash ? arena_format(scratch, "%.*s", (int)(slash + 1 - path), path) : ".";
    bool ok = os_status(folder, name);
    arena_close(scratch);
    return ok;
}

static bool same_inode(const OsStatus *a, const OsStatus *b) { return a->device == b->device && a->node == b->node; }

bool file_same(const char *a, const char *b)
{
    OsStatus one, other;
    const char *name, *other_name;
    bool exists = os_status(&one, a);
    if (os_status(&other, b) != exists) return false;
    if (exists) return same_inode(&one, &other) && one.kind != OS_DEVICE;
    return folder_of(&one, a, &name) && folder_of(&other, b, &other_name) && same_inode(&one, &other) &&
           !strcmp(name, other_name);
}

// ---- folders

static bool make_folder(const char *path, Error *error)
{
    OsStatus there;
    if (os_make_folder(path)) return true;
    int why = errno; // an existing folder may give EEXIST, EROFS and others
    if (os_status(&there, path) && there.kind == OS_FOLDER) return true;
    if (why == EEXIST) return error_set(error, "%s: this is not a folder; a folder is needed", path);
    return error_set_system(error, why, "%s: the folder cannot be made", path);
}

bool file_make_folder(const char *path, Error *error)
{
    if (!*path) return error_set(error, "the name of the folder to make is empty");
    Arena *scratch = arena_open();
    char *part = arena_format(scratch, "%s", path);
    bool ok = true;
    for (char *at = part + 1; ok && *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        ok = make_folder(part, error);
        *at = '/';
    }
    ok = ok && make_folder(part, error);
    arena_close(scratch);
    return ok;
}
