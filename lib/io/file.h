// Whole files: read into an arena, or written beside their place and renamed into it, so that no half file is left.
#ifndef IO_FILE_H
#define IO_FILE_H

#include "base/arena.h"
#include "base/error.h"

typedef struct { const unsigned char *at; size_t size; } Bytes;

// The whole file, with one 0 byte after its end. Folders, missing and unreadable files give an error, and so do files
// above 4 GiB. Pipes and devices are read to their end, up to 256 MiB.
bool file_read(Bytes *out, Arena *arena, const char *path, Error *error);

// Replaces `path` by `size` bytes in one step (write beside, flush, rename); on any error the old file stays as it was.
// A link stays a link, its target is replaced. A device or a pipe is written to as it stands.
bool file_write(const char *path, const void *at, size_t size, Error *error);

// Makes a folder and those above it; one that exists is fine.
bool folder_make(const char *path, Error *error);

#endif
