// malloc wrappers that never return NULL: on failure they print a message and exit. Files are replaced in one step
// (io/file.h), so exiting leaves no partial output. Used by the arena, by code whose memory no arena owns, and by
// bundled libraries.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void *memory_new(size_t bytes); // free with free(); 0 bytes give a valid pointer
void *memory_zeroed(size_t bytes);
void *memory_aligned(size_t align, size_t bytes); // bytes: a multiple of align; free with memory_aligned_free
void memory_aligned_free(void *at);
void *memory_resized(void *at, size_t bytes); // realloc

// Prints a message and exits with the status set by memory_ends_with (default 1).
_Noreturn void memory_out(size_t bytes);
void memory_ends_with(int status);

// Sets a function that memory_out calls before it exits, to remove temporary folders. It should not allocate.
void memory_before_end(void (*last)(void));

#endif
