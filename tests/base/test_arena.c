// Tests of lib/base/arena.c.
#include "base/arena.h"

#include "support/reference.h"
#include "support/suite.h"

#include <stdint.h>
#include <string.h>

static int all_are(const unsigned char *at, size_t n, int byte)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != byte) return 0;
    return 1;
}

TEST(zeroed_and_aligned)
{
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 1000, 70000, 1 << 20 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        unsigned char *at = arena_alloc(arena, sizes[s]);
        ck_assert_ptr_nonnull(at);
        ck_assert_uint_eq((uintptr_t)at % 64, 0);
        ck_assert(all_are(at, sizes[s], 0));
    }
}

// Every piece is filled with its own number; afterwards all must still hold it.
TEST(pieces_do_not_overlap)
{
    enum { PIECES = 400 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    for (size_t p = 0; p < PIECES; p++) {
        sizes[p] = p * p * 37 % 5000;
        pieces[p] = arena_alloc(arena, sizes[p]);
        memset(pieces[p], (int)(p % 251), sizes[p]);
    }
    for (size_t p = 0; p < PIECES; p++) ck_assert_msg(all_are(pieces[p], sizes[p], (int)(p % 251)), "piece %zu", p);
}

TEST(used_and_peak)
{
    ck_assert_uint_eq(arena_used(arena), 0);
    arena_alloc(arena, 1);
    ck_assert_uint_eq(arena_used(arena), 64); // whole lines of 64 are handed out
    ArenaMark mark = arena_mark(arena);
    arena_alloc(arena, 6400);
    arena_alloc(arena, 640000);
    ck_assert_uint_eq(arena_used(arena), 64 + 6400 + 640000);
    arena_release(arena, mark);
    ck_assert_uint_eq(arena_used(arena), 64);
    ck_assert_uint_eq(arena_peak(arena), 64 + 6400 + 640000);
    arena_alloc(arena, 128);
    ck_assert_uint_eq(arena_used(arena), 192);
    ck_assert_uint_eq(arena_peak(arena), 64 + 6400 + 640000);
}

TEST(released_memory_comes_back_clean)
{
    unsigned char *kept = memset(arena_alloc(arena, 100), 5, 100);
    ArenaMark mark = arena_mark(arena);
    unsigned char *first = memset(arena_alloc(arena, 5000), 9, 5000);
    memset(arena_alloc(arena, 300000), 9, 300000);
    arena_release(arena, mark);
    unsigned char *again = arena_alloc(arena, 5000);
    ck_assert_ptr_eq(again, first);
    ck_assert(all_are(again, 5000, 0));
    ck_assert(all_are(arena_alloc(arena, 300000), 300000, 0));
    ck_assert(all_are(kept, 100, 5));
}

TEST(formatted_text)
{
    ck_assert_str_eq(arena_format(arena, "head %d of %s", 3, "eight"), "head 3 of eight");
    ck_assert_str_eq(arena_format(arena, "%s", ""), "");
    char *wide = arena_format(arena, "%100000d", 7);
    ck_assert_uint_eq(strlen(wide), 100000);
    ck_assert_int_eq(wide[99999], '7');
}

// What is held stays until the last has let it go, in whatever order: by closing, or by going back to a mark.
TEST(memory_in_common)
{
    Arena *common = arena_open(), *other = arena_open();
    unsigned char *at = memset(arena_alloc(common, 100000), 7, 100000);
    ck_assert_int_eq(arena_holders(common), 1);
    arena_hold(arena, common);
    arena_hold(other, common);
    arena_close(common);
    ck_assert_int_eq(arena_holders(common), 2);
    ArenaMark mark = arena_mark(arena);
    arena_hold(arena, common);
    arena_hold(arena, common);
    ck_assert_int_eq(arena_holders(common), 4);
    arena_release(arena, mark);
    ck_assert_int_eq(arena_holders(common), 2);
    arena_close(other);
    ck_assert_int_eq(arena_holders(common), 1);
    ck_assert(all_are(at, 100000, 7));
    ck_assert_uint_eq(arena_used(arena), 0);
}
