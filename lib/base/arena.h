// An arena: allocations are never freed one by one, but all at once when the arena is closed.
//
// A chapter opens one at its start and closes it at its end. A kernel opens one for its scratch memory; `arena_peak` is
// the most that was in use at once.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_open(void);
void arena_close(Arena *arena); // NULL is allowed

// Reference counting. `arena` holds `other` until `arena` is closed. `other` is freed once its owner has closed it and
// no arena holds it. One arena may be held several times.
void arena_hold(Arena *arena, Arena *other);
int arena_holders(const Arena *arena); // references: 1 of the owner until arena_close, and 1 for each hold

// `bytes` bytes, set to 0, aligned to 64. Ends the program with a message when memory runs out.
void *arena_alloc(Arena *arena, size_t bytes);
void *arena_room(Arena *arena, size_t bytes); // the same, uninitialised
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Releasing frees everything allocated or held since the mark: for scratch memory inside a loop.
typedef struct {
    size_t chunk, used, held;
} ArenaMark;
ArenaMark arena_mark(const Arena *arena);
void arena_release(Arena *arena, ArenaMark mark);

size_t arena_used(const Arena *arena); // bytes allocated and not released
size_t arena_peak(const Arena *arena); // the maximum of `arena_used` so far

#endif
