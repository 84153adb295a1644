// An arena: memory that is handed out piece by piece and given back all at once.
//
// A chapter opens one and closes it at the end, so there is nothing to free and nothing to leak. A kernel opens one for
// its scratch space. `arena_peak` says how much was ever in use: the scratch memory that a chapter reports.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_open(void);
void arena_close(Arena *arena); // NULL is allowed

// Memory that several have in common: `arena` holds `other` until it is closed itself. `other` is given back when
// whoever opened it has closed it and nobody holds it any more. The same one may be held more than once.
void arena_hold(Arena *arena, Arena *other);
int arena_holders(const Arena *arena); // 1 for whoever opened it, until that is closed, and 1 a hold

// `bytes` bytes, zeroed, aligned to 64. Out of memory ends the program with a sentence: no chapter can go on.
void *arena_alloc(Arena *arena, size_t bytes);
void *arena_room(Arena *arena, size_t bytes); // the same, not zeroed: for what is written before it is read
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Everything allocated and held since the mark is given back: for loops that need scratch space in every round.
typedef struct {
    size_t chunk, used, held;
} ArenaMark;
ArenaMark arena_mark(const Arena *arena);
void arena_release(Arena *arena, ArenaMark mark);

size_t arena_used(const Arena *arena); // bytes handed out and not released
size_t arena_peak(const Arena *arena); // the most that `arena_used` ever was

#endif
