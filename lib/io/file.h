// Whole files: read or mapped (file.c), and replaced atomically (file_write.c), so that no partial file is left.
#ifndef IO_FILE_H
#define IO_FILE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

typedef struct {
    const unsigned char *at;
    size_t size;
} FileBytes;

// Reads the whole file; one 0 byte follows the last. Fails for folders, missing and unreadable files and files above 4
// GiB. Reads pipes and devices to their end, at most 256 MiB.
bool file_read(FileBytes *out, Arena *arena, const char *path, Error *error);

// Reads or maps a whole file of any size. A regular file above `read_up_to` bytes is mapped: pages are read when they
// are accessed. Everything else is read as by file_read, with the same errors. The bytes are valid until file_unmap or
// the end of the arena, whichever is first. No 0 byte follows a mapped file.
//
// If another program writes into a mapped file, the change is visible here; if it truncates the file, accessing the
// missing part raises SIGBUS. Replacing the file by rename, as file_write does, is safe.
typedef struct {
    FileBytes bytes;
    void *map;
} FileMap; // map: NULL if the bytes are in the arena
bool file_map(FileMap *out, Arena *arena, const char *path, int64_t read_up_to, Error *error);
void file_unmap(FileMap map);
void file_forget(FileMap map); // madvise(DONTNEED): drops the resident pages

// madvise(WILLNEED): prefetches a part of a mapped file. Does nothing for other bytes.
void file_want(FileBytes part);

// Replaces `path` atomically by `size` bytes: writes a temporary file in the same folder, flushes it and renames it. On
// an error the old file is unchanged and the temporary file is removed; only a killed program leaves one, named
// .manyheads-PID-N. Keeps the permissions of an old file. The target of a symbolic link is replaced, not the link.
// Devices and pipes are opened and written to.
bool file_write(const char *path, const void *at, size_t size, Error *error);

// Can `path` be written? Lets a program fail before a long computation. Does what file_write does up to creating the
// temporary file, and removes that.
bool file_may_write(const char *path, Error *error);

// Do two paths refer to the same file or folder? Files that do not exist yet are compared by folder and name. Devices
// and pipes never count as the same, since writing to one destroys nothing.
bool file_same(const char *a, const char *b);

// Creates a folder and its parents; existing ones are not an error.
bool file_make_folder(const char *path, Error *error);

#endif
