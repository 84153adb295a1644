// A list of chunks with bump allocation. A new chunk is as large as everything in use, at most 64 MiB, or as large as
// one allocation that needs more.
#include "base/arena.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, FIRST_CHUNK = 1 << 16, LARGE_CHUNK = 1 << 26 };

typedef struct {
    char *data;
    size_t size, used;
} Chunk;

struct Arena {
    Chunk *chunks; // chunks[0 … count − 1] are allocated; `current` is being filled
    size_t count, current, total, peak;
    Arena **held; // (held_count)
    size_t held_count;
    atomic_int holders; // reference count; atomic, since holders may be closed on several threads
};

Arena *arena_open(void)
{
    Arena *arena = memory_zeroed(sizeof(Arena));
    atomic_init(&arena->holders, 1);
    return arena;
}

void arena_hold(Arena *arena, Arena *other)
{
    arena->held = memory_resized(arena->held, (arena->held_count + 1) * sizeof(Arena *));
    arena->held[arena->held_count++] = other;
    atomic_fetch_add(&other->holders, 1);
}

int arena_holders(const Arena *arena) { return atomic_load(&arena->holders); }

static void close_held(Arena *arena, size_t keep)
{
    while (arena->held_count > keep) arena_close(arena->held[--arena->held_count]);
}

void arena_close(Arena *arena)
{
    if (!arena || atomic_fetch_sub(&arena->holders, 1) > 1) return;
    close_held(arena, 0);
    free(arena->held);
    for (size_t i = 0; i < arena->count; i++) memory_aligned_free(arena->chunks[i].data);
    free(arena->chunks);
    free(arena);
}

// A chunk with `bytes` bytes free: the current one, a later one that a release has emptied, or a new one.
static Chunk *chunk_with_space(Arena *arena, size_t bytes)
{
    for (; arena->current < arena->count; arena->current++) {
        Chunk *chunk = &arena->chunks[arena->current];
        if (chunk->size - chunk->used >= bytes) return chunk;
    }
    size_t size = arena->total < FIRST_CHUNK ? FIRST_CHUNK : arena->total < LARGE_CHUNK ? arena->total : LARGE_CHUNK;
    if (size < bytes) size = bytes;
    arena->chunks = memory_resized(arena->chunks, (arena->count + 1) * sizeof *arena->chunks);
    arena->chunks[arena->count] = (Chunk){ memory_aligned(ALIGN, size), size, 0 };
    return &arena->chunks[arena->count++];
}

void *arena_room(Arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) memory_out(bytes);
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    Chunk *chunk = chunk_with_space(arena, bytes);
    void *memory = chunk->data + chunk->used;
    chunk->used += bytes;
    arena->total += bytes;
    if (arena->total > arena->peak) arena->peak = arena->total;
    return memory;
}

void *arena_alloc(Arena *arena, size_t bytes) { return memset(arena_room(arena, bytes), 0, bytes); }

char *arena_format(Arena *arena, const char *format, ...)
{
    va_list arguments, copy;
    va_start(arguments, format);
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    REQUIRE(length >= 0, "the format \"%s\" cannot be printed", format);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, copy);
    va_end(copy);
    va_end(arguments);
    return text;
}

ArenaMark arena_mark(const Arena *arena)
{
    bool empty = arena->current >= arena->count;
    return (ArenaMark){ arena->current, empty ? 0 : arena->chunks[arena->current].used, arena->held_count };
}

void arena_release(Arena *arena, ArenaMark mark)
{
    close_held(arena, mark.held);
    for (size_t i = mark.chunk; i < arena->count; i++) {
        size_t keep = i == mark.chunk ? mark.used : 0;
        arena->total -= arena->chunks[i].used - keep;
        arena->chunks[i].used = keep;
    }
    arena->current = mark.chunk;
}

size_t arena_used(const Arena *arena) { return arena->total; }
size_t arena_peak(const Arena *arena) { return arena->peak; }
