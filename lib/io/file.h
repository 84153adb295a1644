// Whole files: read into an arena, or written beside their place and renamed into it, so that no half file is left.
// file.c reads, file_write.c writes.
#ifndef IO_FILE_H
#define IO_FILE_H

#include "base/arena.h"
#include "base/error.h"

typedef struct {
    const unsigned char *at;
    size_t size;
} FileBytes;

// The whole file, with one 0 byte after its end. Folders, missing and unreadable files give an error, and so do files
// above 4 GiB. Pipes and devices are read to their end, up to 256 MiB.
bool file_read(FileBytes *out, Arena *arena, const char *path, Error *error);

// The whole file without reading it, of any size: what is looked at comes from the disk when it is looked at. Files up
// to 16 MiB, pipes and devices are read as file_read does, errors are the same. The bytes stay until file_unmap (or the
// arena's end, whichever is first). Whoever writes into a mapped file changes what is seen; whoever cuts it while it is
// mapped ends this program with SIGBUS at the next look beyond the new end, unless a handler is there: a plain read of
// memory has no way to fail.
// A file that is renamed over, as file_write does it, stays as it was. No 0 byte follows a mapped file.
typedef struct {
    FileBytes bytes;
    void *map;
} FileMap; // map: NULL when the bytes are in the arena
bool file_map(FileMap *out, Arena *arena, const char *path, Error *error);
void file_unmap(FileMap map);
void file_forget(FileMap map); // what was looked at no longer counts as this program's memory

// Part of a mapped file is to be read now: it is fetched in one go, where otherwise every page is a wait of its own.
// For other bytes it does nothing.
void file_want(FileBytes part);

// Replaces `path` by `size` bytes in one step (write beside, flush, rename); on any error the old file stays as it was.
// A link stays a link, its target is replaced. A device or a pipe is written to as it stands. What lies beside while it
// is written, `.part-N`, stays when the program is killed; the next one that writes into the folder takes it away.
bool file_write(const char *path, const void *at, size_t size, Error *error);

// Could `path` be written now? For whoever has long work before writing: asks as file_write does, down to a new file
// beside it, and leaves all as it was.
bool file_may_write(const char *path, Error *error);

// Do two paths mean the same file, or the same folder? By what they lead to, not by how they are spelled; files that do
// not exist yet by their folders and last names. No device or pipe counts: nothing is lost in one.
bool file_same(const char *a, const char *b);

// Makes a folder and those above it; one that exists is fine.
bool file_make_folder(const char *path, Error *error);

#endif
