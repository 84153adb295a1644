// Writing whole files beside their place with plain POSIX calls, and which paths mean the same file.
#define _XOPEN_SOURCE   700 // realpath
#define _DEFAULT_SOURCE 1   // flock
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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

// ---- part files

// Who writes a part file holds a lock on it, and the lock ends with the program, however that ends. So a part file that
// can be locked was left behind by a program that was killed, and may go.
enum { PARTS = 100, LOOK_AHEAD = 4 };

// Is this still the file of that name? Another program may have renamed or removed it between two calls.
static bool still_named(int file, const char *name)
{
    struct stat one, other;
    return fstat(file, &one) == 0 && lstat(name, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static void remove_if_left(const char *name)
{
    int file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    struct stat about;
    bool regular = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    if (regular && flock(file, LOCK_EX | LOCK_NB) == 0 && still_named(file, name)) unlink(name);
    close(file);
}

// The name is short, so that it fits wherever the real name fits.
static char *part_name(Arena *arena, const char *path, int number)
{
    const char *slash = strrchr(path, '/');
    return arena_format(arena, "%.*s.part-%d", slash ? (int)(slash + 1 - path) : 0, path, number);
}

// Opens a new file in the folder of `path`, and takes away what killed programs have left there. −1 after an error. A
// file system without locks has none to take: there, nothing is ever taken away.
static int open_part(char **name, Arena *arena, const char *path)
{
    for (int number = 0; number < PARTS; number++) {
        *name = part_name(arena, path, number);
        remove_if_left(*name);
        int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST) continue;
        if (file < 0) return -1;
        flock(file, LOCK_EX | LOCK_NB);
        if (still_named(file, *name)) {
            for (int next = 1; next <= LOOK_AHEAD; next++) remove_if_left(part_name(arena, path, number + next));
            return file;
        }
        close(file); // taken for one left behind, in the moment before the lock
    }
    errno = EEXIST;
    return -1;
}

// ---- where it goes

// What a path to write to stands for. A link stays a link: the file that it leads to is replaced, and one that leads
// nowhere is replaced itself. A device or a pipe cannot be replaced: it is written to as it stands.
typedef struct {
    const char *name;
    bool exists, replaced;
    mode_t mode;
} Target;

// `resolved` is to be freed.
static bool target_of(Target *out, char **resolved, const char *path, Error *error)
{
    struct stat old;
    *resolved = NULL;
    if (!*path) return error_set(error, "the name of the file to write is empty");
    bool exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT) return cannot_write(path, error);
    if (exists && S_ISDIR(old.st_mode)) return error_set(error, "%s: this is a folder; a file is needed", path);
    *out = (Target){ path, exists, !exists || S_ISREG(old.st_mode), exists ? old.st_mode & 0777 : 0 };
    if (!exists) return true;
    if (access(path, W_OK)) return cannot_write(path, error); // what its owner has locked stays as it is
    if (!out->replaced) return true;
    *resolved = realpath(path, NULL);
    out->name = *resolved;
    return *resolved || cannot_write(path, error);
}

static bool write_directly(const char *path, const void *at, size_t size, Error *error)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return cannot_write(path, error);
    bool ok = write_fully(file, at, size) || cannot_write(path, error);
    if (close(file) && ok) ok = cannot_write(path, error);
    return ok;
}

// Writes the new file beside the target, has it reach the disk, and renames it.
static bool replace(const char *path, const Target *target, const void *at, size_t size, Error *error)
{
    Arena *scratch = arena_open();
    char *part;
    int file = open_part(&part, scratch, target->name);
    bool ok = file >= 0 || cannot_write(path, error);
    if (ok) {
        if (target->exists && fchmod(file, target->mode)) ok = cannot_write(path, error);
        if (ok && !(write_fully(file, at, size) && fsync(file) == 0)) ok = cannot_write(path, error);
        if (ok && rename(part, target->name)) ok = cannot_write(path, error);
        if (!ok) unlink(part);
        close(file); // last, as it gives the lock away; fsync has said all it could say
    }
    arena_close(scratch);
    return ok;
}

bool file_write(const char *path, const void *at, size_t size, Error *error)
{
    signal(SIGXFSZ, SIG_IGN); // a limit to the size of files is an error, not the program's end
    Target target;
    char *resolved;
    bool ok = target_of(&target, &resolved, path, error);
    if (ok) ok = target.replaced ? replace(path, &target, at, size, error) : write_directly(path, at, size, error);
    free(resolved);
    return ok;
}

bool file_may_write(const char *path, Error *error)
{
    Target target;
    char *resolved;
    bool ok = target_of(&target, &resolved, path, error);
    if (ok && target.replaced) {
        Arena *scratch = arena_open();
        char *part;
        int file = open_part(&part, scratch, target.name);
        ok = file >= 0 || cannot_write(path, error);
        if (ok) unlink(part);
        if (ok) close(file);
        arena_close(scratch);
    }
    free(resolved);
    return ok;
}

// ---- the same file?

// The folder in which a path's last name stands.
static bool folder_of(struct stat *folder, const char *path, const char **last)
{
    const char *slash = strrchr(path, '/');
    *last = slash ? slash + 1 : path;
    Arena *scratch = arena_open();
    const char *name = slash ? arena_format(scratch, "%.*s", (int)(slash + 1 - path), path) : ".";
    bool ok = stat(name, folder) == 0;
    arena_close(scratch);
    return ok;
}

static bool same_place(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool file_same(const char *a, const char *b)
{
    struct stat one, other;
    const char *name, *other_name;
    bool exists = stat(a, &one) == 0;
    if ((stat(b, &other) == 0) != exists) return false;
    if (exists) return same_place(&one, &other) && (S_ISREG(one.st_mode) || S_ISDIR(one.st_mode));
    return folder_of(&one, a, &name) && folder_of(&other, b, &other_name) && same_place(&one, &other) &&
           !strcmp(name, other_name);
}

// ---- folders

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool make_one(const char *path, Error *error)
{
    if (mkdir(path, 0777) == 0) return true;
    int why = errno; // EEXIST, or EROFS and others even though the folder is there
    if (is_folder(path)) return true;
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
        ok = make_one(part, error);
        *at = '/';
    }
    ok = ok && make_one(part, error);
    arena_close(scratch);
    return ok;
}
