// malloc and its like with one answer when there is nothing to give.
#include "base/memory.h"

#include "base/os.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int end_status = 1;

void memory_ends_with(int status) { end_status = status; }

static void (*before_end)(void);
void memory_before_end(void (*last)(void)) { before_end = last; }

// Threads may run out of it together: one of them says so. Nothing is torn down, since others may still be at work.
_Noreturn void memory_out(size_t bytes)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&said)) os_wait_forever();
    fflush(stdout);
    fprintf(stderr, "out of memory: %zu bytes were asked for and the system has none to give\n", bytes);
    if (before_end) before_end();
    _Exit(end_status);
}

// A size that no machine has is a sum that went wrong: nobody is asked for it.
static size_t asked(size_t bytes)
{
    if (bytes > SIZE_MAX / 4) memory_out(bytes);
    return bytes ? bytes : 1;
}

static void *there(void *at, size_t bytes)
{
    if (!at) memory_out(bytes);
    return at;
}

void *memory_new(size_t bytes) { return there(malloc(asked(bytes)), bytes); }
void *memory_zeroed(size_t bytes) { return there(calloc(1, asked(bytes)), bytes); }
void *memory_aligned(size_t align, size_t bytes) { return there(os_aligned_new(align, asked(bytes)), bytes); }
void memory_aligned_free(void *at) { os_aligned_free(at); }
void *memory_resized(void *at, size_t bytes) { return there(realloc(at, asked(bytes)), bytes); }
