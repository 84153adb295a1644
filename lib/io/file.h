// Whole files: read into an arena or mapped (file.c), and replaced in one step (file_write.c), so that no half file is
// left.
#ifndef IO_FILE_H
#define IO_FILE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

typedef struct {
    const unsigned char *at;
    size_t size;
} FileBytes;

// The whole file, with one 0 byte after its end. Folders, missing and unreadable files give an error, and so do files
// above 4 GiB. Pipes and devices are read to their end, up to 256 MiB.
bool file_read(FileBytes *out, Arena *arena, const char *path, Error *error);

// The whole file, of any size. Above `read_up_to` bytes it is mapped: its pages are read from the disk when they are
// used. Smaller files, pipes and devices are read as file_read does; errors are the same. The bytes stay until
// file_unmap (or the arena's end, whichever is first). A program that writes into a mapped file changes what is seen
// here; one that cuts it ends this program with SIGBUS at the next use of what is gone, since reading memory cannot fail.
// A file that is replaced, as file_write does it, stays as it was. No 0 byte follows a mapped file.
typedef struct {
    FileBytes bytes;
    void *map;
} FileMap; // map: NULL when the bytes are in the arena
bool file_map(FileMap *out, Arena *arena, const char *path, int64_t read_up_to, Error *error);
void file_unmap(FileMap map);
void file_forget(FileMap map); // its pages no longer count as this program's memory

// A part of a mapped file will be read now: it is fetched in one go, and not page by page. Nothing happens to other bytes.
void file_want(FileBytes part);

// Replaces `path` by `size` bytes in one step: writes a temporary file in the same folder, flushes it and renames it. On
// any error the old file stays as it was and the temporary one is removed. Only a program that is killed leaves it, named
// .manyheads-PID-N. The permissions of an old file are kept. A symbolic link stays a link, and its target is replaced. A
// device or a pipe is opened and written to.
bool file_write(const char *path, const void *at, size_t size, Error *error);

// Could `path` be written now? For programs with long work before they write. Tries what file_write does, up to the
// temporary file, and removes that.
bool file_may_write(const char *path, Error *error);

// Do two paths mean the same file, or the same folder? Files that do not exist yet are compared by folder and last name.
// Devices and pipes never count as the same: nothing is lost in one.
bool file_same(const char *a, const char *b);

// Makes a folder and those above it; one that exists is fine.
bool file_make_folder(const char *path, Error *error);

#endif
