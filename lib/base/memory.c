// malloc wrappers that exit when memory runs out.
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

// Several threads may run out at once; only one prints. Uses _Exit, since other threads may still be running.
_Noreturn void memory_out(size_t bytes)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&reported)) os_wait_forever();
    fflush(stdout);
    fprintf(stderr, "out of memory: %zu bytes were asked for and the system has none to give\n", bytes);
    if (before_end) before_end();
    _Exit(end_status);
}

// Rejects impossible sizes, which come from an overflow, before calling malloc.
static size_t checked_size(size_t bytes)
{
    if (bytes > SIZE_MAX / 4) memory_out(bytes);
    return bytes ? bytes : 1;
}

static void *require_memory(void *at, size_t bytes)
{
    if (!at) memory_out(bytes);
    return at;
}

void *memory_new(size_t bytes) { return require_memory(malloc(checked_size(bytes)), bytes); }
void *memory_zeroed(size_t bytes) { return require_memory(calloc(1, checked_size(bytes)), bytes); }
void *memory_aligned(size_t align, size_t bytes)
{
    return require_memory(os_aligned_new(align, checked_size(bytes)), bytes);
}
void memory_aligned_free(void *at) { os_aligned_free(at); }
void *memory_resized(void *at, size_t bytes) { return require_memory(realloc(at, checked_size(bytes)), bytes); }
