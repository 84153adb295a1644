// Memory that is there, or the program ends: with a sentence, and no half file, since nobody is writing one meanwhile.
// The arena asks here, and so does whoever needs memory that no arena keeps, libraries that we compile among them.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void *memory_new(size_t bytes); // free() it; 0 bytes are a place too
void *memory_zeroed(size_t bytes);
void *memory_aligned(size_t align, size_t bytes); // bytes: a multiple of align; memory_aligned_free() it
void memory_aligned_free(void *at);
void *memory_resized(void *at, size_t bytes); // what stands there is moved along

// Ends the program, with the status of memory_ends_with: 1, where nobody has chosen another.
_Noreturn void memory_out(size_t bytes);
void memory_ends_with(int status);

// Called once, before that: for what must not be left behind, such as a folder. It should need no memory.
void memory_before_end(void (*last)(void));

#endif
