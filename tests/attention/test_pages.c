// Tests of lib/attention/pages.c: whatever is done in whatever order, every page is held by those who hold it.
//
// Beside each table stands the plain list of its tokens, and in each row of each page the token that was written there.
// So whatever a page must not lose, or give to two, shows as a wrong token. What must hold is a bool that is asserted
// once a step: millions of asserts would take longer than the steps.
#include "attention/pages.h"

#include "base/random.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES = 12, MOST = 40, TREE = 6 };

typedef struct {
    PageTable table;
    int token[MOST], out;
} Sequence; // out: tokens it had when it was preempted

typedef struct {
    PagePool pool;
    int *row; // (count · size) the token in each row of each page
    Sequence of[TABLES];
    int tree[TREE], leaves; // pages that are held beside the tables, as a prefix tree does
    int next;               // every token is a new number
    int64_t copied, returned;
    Random random;
} World;

static int below(World *w, int n) { return random_below(&w->random, n); }

static World *world_new(int pages, int size, uint64_t seed)
{
    World *w = arena_alloc(arena, sizeof *w);
    w->random = random_from(seed);
    w->pool = page_pool_new(arena, pages, size);
    w->row = arena_alloc(arena, sizeof *w->row * (size_t)(pages * size));
    w->next = 1;
    for (int s = 0; s < TABLES; s++) w->of[s].table = page_table_new(arena, &w->pool, MOST);
    return w;
}

static void copy_rows(void *context, int to, int from, int rows)
{
    World *w = context;
    int size = w->pool.size;
    if (to == from || rows <= 0 || rows >= size || w->pool.holders[to] != 1 || w->pool.holders[from] < 2)
        ck_abort_msg("%d rows of page %d into page %d", rows, from, to);
    memcpy(w->row + to * size, w->row + from * size, sizeof *w->row * (size_t)rows);
    w->copied += rows;
}

// ---- what must always be true

static bool tokens_stand(const World *w, const Sequence *s)
{
    int size = w->pool.size;
    if (s->table.pages != (s->table.length + size - 1) / size) return false;
    for (int t = 0; t < s->table.length; t++)
        if (w->row[s->table.page[t / size] * size + t % size] != s->token[t]) return false;
    return true;
}

// Holders counted anew, and every page either held or free, once.
static bool holders_are_right(const World *w)
{
    int count[64] = { 0 }, held = 0;
    for (int s = 0; s < TABLES; s++)
        for (int i = 0; i < w->of[s].table.pages; i++) count[w->of[s].table.page[i]]++;
    for (int l = 0; l < w->leaves; l++) count[w->tree[l]]++;
    for (int p = 0; p < w->pool.count; p++) {
        if (w->pool.holders[p] != count[p]) return false;
        held += count[p] > 0;
    }
    if (w->pool.left != w->pool.count - held) return false;
    for (int f = 0; f < w->pool.left; f++)
        if (count[w->pool.free[f]]++) return false; // held after all, or free twice
    return true;
}

// ---- what can be done

// All pages of a sequence are taken; its tokens are remembered. Later it comes back, if there are pages, and all its
// rows are written again.
static bool preempt_or_return(World *w, Sequence *s)
{
    int n = s->out, size = w->pool.size, left = w->pool.left;
    if (n == 0) {
        s->out = s->table.length;
        page_table_truncate(&s->table, 0);
        return true;
    }
    int missing = page_table_missing(&s->table, n);
    if (!page_table_grow(&s->table, n, copy_rows, w)) return missing > left && w->pool.left == left;
    for (int t = 0; t < n; t++) w->row[s->table.page[t / size] * size + t % size] = s->token[t];
    s->out = 0;
    w->returned++;
    return w->pool.left == left - missing;
}

static bool append(World *w, Sequence *s)
{
    if (s->out) return preempt_or_return(w, s);
    int n = below(w, 2) ? 1 : below(w, 9), size = w->pool.size, length = s->table.length;
    if (n > MOST - length) n = MOST - length;
    int missing = page_table_missing(&s->table, n), left = w->pool.left;
    bool shared = page_table_last_is_shared(&s->table);
    int64_t copied = w->copied;
    if (!page_table_grow(&s->table, n, copy_rows, w))
        return missing > left && w->pool.left == left && s->table.length == length && w->copied == copied;
    bool right = w->pool.left == left - missing && w->copied - copied == (shared && n ? length % size : 0);
    for (int t = length; t < length + n; t++) {
        int page = s->table.page[t / size];
        right = right && w->pool.holders[page] == 1; // what is written belongs to nobody else
        w->row[page * size + t % size] = s->token[t] = w->next++;
    }
    return right;
}

static bool fork_or_free(World *w, Sequence *s)
{
    bool freed = s->table.length > 0 && below(w, 3);
    page_table_truncate(&s->table, 0);
    s->out = 0;
    const Sequence *from = &w->of[below(w, TABLES)];
    if (freed || from == s) return true;
    int left = w->pool.left;
    page_table_fork(&s->table, &from->table);
    memcpy(s->token, from->token, sizeof s->token);
    return w->pool.left == left; // nothing is copied
}

static bool truncate(World *w, Sequence *s)
{
    page_table_truncate(&s->table, below(w, s->table.length + 1));
    return true;
}

// A full page is remembered, forgotten, or begins another sequence.
static bool share_a_page(World *w, Sequence *s)
{
    int size = w->pool.size, full = s->table.length / size;
    if (w->leaves == TREE) page_drop(&w->pool, w->tree[--w->leaves]);
    if (full == 0) return true;
    int n = below(w, full), page = s->table.page[n];
    page_hold(&w->pool, page);
    w->tree[w->leaves++] = page;
    Sequence *other = &w->of[below(w, TABLES)];
    if (other == s) return true;
    page_table_truncate(&other->table, 0);
    other->out = 0;
    page_table_add(&other->table, page);
    memcpy(other->token, s->token + n * size, sizeof *s->token * (size_t)size);
    return true;
}

static bool one_step(World *w)
{
    Sequence *s = &w->of[below(w, TABLES)];
    int what = below(w, 18);
    bool right = what < 9    ? append(w, s)
                 : what < 12 ? fork_or_free(w, s)
                 : what < 15 ? truncate(w, s)
                 : what < 16 ? share_a_page(w, s)
                             : preempt_or_return(w, s);
    return right && holders_are_right(w);
}

// 200,000 steps for each of five sizes of pages; PAGES_STEPS=2000000 takes so many, ten million in all.
// Every sequence and all holders are looked at after every step.
TEST_EACH(any_order, 5)
{
    static const int sizes[][2] = { { 1, 60 }, { 4, 24 }, { 16, 8 }, { 64, 5 }, { 3, 9 } };
    const char *asked = getenv("PAGES_STEPS");
    long steps = asked ? atol(asked) : 200000;
    World *w = world_new(sizes[_i][1], sizes[_i][0], 20 + (uint64_t)_i);
    for (long n = 0; n < steps; n++) {
        bool right = one_step(w);
        for (int s = 0; s < TABLES; s++) right = right && tokens_stand(w, &w->of[s]);
        if (!right) ck_abort_msg("pages of %d tokens: wrong after step %ld", w->pool.size, n);
    }
    ck_assert((w->copied > 0 || w->pool.size == 1) && w->returned > 0);
    for (int s = 0; s < TABLES; s++) page_table_truncate(&w->of[s].table, 0);
    while (w->leaves) page_drop(&w->pool, w->tree[--w->leaves]);
    ck_assert_int_eq(w->pool.left, w->pool.count); // nothing is lost
}

// ---- a few steps by hand

TEST_ABORTS(wrong_use, 8)
{
    quiet();
    PagePool pool = page_pool_new(arena, 2, 4);
    PageTable a = page_table_new(arena, &pool, 8), b = page_table_new(arena, &pool, 2);
    page_table_grow(&a, 3, NULL, NULL);
    switch (_i) {
    case 0: page_table_grow(&a, 6, NULL, NULL); break; // more than the table is for
    case 1: page_table_fork(&b, &a); break;            // too small for it
    case 2: page_table_fork(&a, &a); break;            // not empty
    case 3: page_table_add(&a, 0); break;              // behind a page that is not full
    case 4: page_drop(&pool, 1); break;                // held by nobody
    case 5: page_hold(&pool, 2); break;
    case 6: page_table_truncate(&a, 4); break;
    case 7: page_pool_new(arena, 1, 0); break;
    }
}
