// Chapter 20. Page allocation: reference counts and block tables. [Kwon et al. 2023, §4.2 to §4.4, arXiv:2309.06180]
#include "attention/pages.h"

#include "base/error.h"

#include <string.h>

// ---- the pool

PagePool page_pool_new(Arena *arena, int count, int size)
{
    REQUIRE(count >= 0 && size >= 1, "%d pages of %d tokens", count, size);
    PagePool pool = { .count = count, .size = size, .left = count };
    pool.holders = arena_alloc(arena, (size_t)count * sizeof *pool.holders);
    pool.free = arena_alloc(arena, (size_t)count * sizeof *pool.free);
    for (int p = 0; p < count; p++) pool.free[p] = count - 1 - p; // page 0 is taken first
    return pool;
}

static void require_referenced(const PagePool *pool, int page)
{
    REQUIRE(page >= 0 && page < pool->count && pool->holders[page] > 0, "page %d of %d is held by nobody", page,
            pool->count);
}

void page_hold(PagePool *pool, int page)
{
    require_referenced(pool, page);
    pool->holders[page]++;
}

void page_drop(PagePool *pool, int page)
{
    require_referenced(pool, page);
    if (--pool->holders[page] == 0) pool->free[pool->left++] = page;
}

static int allocate_page(PagePool *pool)
{
    int page = pool->free[--pool->left];
    pool->holders[page] = 1;
    return page;
}

// ---- tables

static int pages_for(const PagePool *pool, int tokens) { return (tokens + pool->size - 1) / pool->size; }

PageTable page_table_new(Arena *arena, PagePool *pool, int most)
{
    REQUIRE(most >= 0, "a table for %d tokens", most);
    PageTable table = { .pool = pool, .most = most };
    table.page = arena_alloc(arena, (size_t)pages_for(pool, most) * sizeof *table.page);
    return table;
}

bool page_table_last_is_shared(const PageTable *table)
{
    return table->length % table->pool->size != 0 && table->pool->holders[table->page[table->pages - 1]] > 1;
}

int page_table_missing(const PageTable *table, int n)
{
    int copy = n > 0 && page_table_last_is_shared(table);
    return pages_for(table->pool, table->length + n) - table->pages + copy;
}

// Copy on write: replaces the shared last page by a private copy.
static void unshare_last_page(PageTable *table, PageCopy *copy, void *context)
{
    PagePool *pool = table->pool;
    int *last = &table->page[table->pages - 1], shared = *last;
    *last = allocate_page(pool);
    copy(context, *last, shared, table->length % pool->size);
    page_drop(pool, shared);
}

bool page_table_grow(PageTable *table, int n, PageCopy *copy, void *context)
{
    REQUIRE(n >= 0 && n <= table->most - table->length, "%d tokens more in a table of %d that has %d", n, table->most,
            table->length);
    if (page_table_missing(table, n) > table->pool->left) return false;
    if (n > 0 && page_table_last_is_shared(table)) unshare_last_page(table, copy, context);
    while (table->pages < pages_for(table->pool, table->length + n))
        table->page[table->pages++] = allocate_page(table->pool);
    table->length += n;
    return true;
}

void page_table_fork(PageTable *to, const PageTable *from)
{
    REQUIRE(to->pages == 0 && to->pool == from->pool && to->most >= from->length,
            "a table with %d pages, for %d tokens: it must be empty, of the same pool, and have room for %d", to->pages,
            to->most, from->length);
    for (int i = 0; i < from->pages; i++) page_hold(from->pool, from->page[i]);
    if (from->pages) memcpy(to->page, from->page, (size_t)from->pages * sizeof *to->page);
    to->pages = from->pages;
    to->length = from->length;
}

void page_table_add(PageTable *table, int page)
{
    PagePool *pool = table->pool;
    REQUIRE(table->length % pool->size == 0 && table->most - table->length >= pool->size,
            "a full page behind %d tokens, %d to a page, in a table for %d", table->length, pool->size, table->most);
    page_hold(pool, page);
    table->page[table->pages++] = page;
    table->length += pool->size;
}

void page_table_truncate(PageTable *table, int length)
{
    REQUIRE(length >= 0 && length <= table->length, "the first %d tokens of %d", length, table->length);
    while (table->pages > pages_for(table->pool, length)) page_drop(table->pool, table->page[--table->pages]);
    table->length = length;
}
