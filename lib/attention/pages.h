// Chapter 20. Memory for many sequences, in pages: a sequence takes the next page when it needs it, wherever that lies,
// and two that begin alike hold the same pages.
//
// This file knows which page belongs to whom. What stands in the pages, attention/paged_cache.h knows.
// [Kwon et al. 2023, PagedAttention, §4, arXiv:2309.06180, where a page is a block]
#ifndef ATTENTION_PAGES_H
#define ATTENTION_PAGES_H

#include "base/arena.h"

#include <stdbool.h>

// `count` pages of `size` tokens each. holders[p] is how many hold page p; a page that nobody holds is among the
// first `left` of `free`.
typedef struct {
    int count, size, left;
    int *holders, *free;
} PagePool;

PagePool page_pool_new(Arena *arena, int count, int size);
void page_hold(PagePool *pool, int page); // one holder more: a prefix tree, say
void page_drop(PagePool *pool, int page); // one less; the last one gives the page back

// The pages of one sequence: token t stands in row t % size of page[t / size]. Pages are full but for the last.
typedef struct {
    PagePool *pool;
    int *page;
    int pages, length, most;
} PageTable;

PageTable page_table_new(Arena *arena, PagePool *pool, int most); // empty; for at most `most` tokens
int page_table_missing(const PageTable *table, int n);            // pages that n tokens more would take
bool page_table_last_is_shared(const PageTable *table);           // its free rows are not the table's to write

// Room for n tokens more. Where the last page has room but others hold it too, the table gets a page of its own, and
// `copy` is asked to carry `rows` rows over: copy on write. false: there are not enough pages, and nothing has changed.
typedef void PageCopy(void *context, int to, int from, int rows);
bool page_table_grow(PageTable *table, int n, PageCopy *copy, void *context);

void page_table_fork(PageTable *to, const PageTable *from); // `to`, which is empty, holds the same pages
void page_table_add(PageTable *table, int page);            // one full page more, which others hold too
void page_table_truncate(PageTable *table, int length);     // only the first `length` tokens stay

#endif
