// Chapter 20. Page allocation for many sequences: a sequence takes a page when it needs one, wherever it is in memory,
// and sequences with a common prefix share pages by reference count.
//
// This file manages ownership only; the contents of pages are in attention/paged_cache.h.
// [Kwon et al. 2023, PagedAttention, §4, arXiv:2309.06180, which calls a page a block]
#ifndef ATTENTION_PAGES_H
#define ATTENTION_PAGES_H

#include "base/arena.h"

#include <stdbool.h>

// `count` pages of `size` tokens. holders[p] is the reference count of page p. The unreferenced pages are the first
// `left` of `free`.
typedef struct {
    int count, size, left;
    int *holders, *free;
} PagePool;

PagePool page_pool_new(Arena *arena, int count, int size);
void page_hold(PagePool *pool, int page); // increments the reference count
void page_drop(PagePool *pool, int page); // decrements it; at 0 the page is free

// Block table of one sequence: token t is in row t % size of page[t / size]. All pages but the last are full.
typedef struct {
    PagePool *pool;
    int *page;
    int pages, length, most;
} PageTable;

PageTable page_table_new(Arena *arena, PagePool *pool, int most); // empty; capacity of `most` tokens
int page_table_missing(const PageTable *table, int n);            // free pages needed to add n tokens
bool page_table_last_is_shared(const PageTable *table);           // then it must be copied before it is written

// Adds room for n tokens. If the last page is partly filled and shared, it is replaced by a private copy; `copy` is
// called to copy its `rows` rows (copy on write). false: not enough free pages; nothing has changed.
typedef void PageCopy(void *context, int to, int from, int rows);
bool page_table_grow(PageTable *table, int n, PageCopy *copy, void *context);

void page_table_fork(PageTable *to, const PageTable *from); // `to`, which must be empty, shares the same pages
void page_table_add(PageTable *table, int page);            // appends a full, shared page
void page_table_truncate(PageTable *table, int length);     // keeps the first `length` tokens

#endif
