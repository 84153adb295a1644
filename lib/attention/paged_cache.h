// Chapter 20. A cache whose rows stand in pages: what attention/pages.h hands out, with keys and values in them.
//
// One table of pages serves all layers of a model: every layer has memory of its own, cut into the same pages. So a
// sequence that grows, forks or ends does so once, and not once a layer.
//
// A row of a page may be float32, a latent (chapter 17), or codes (chapter 19). Pages are written row by row, cut back
// anywhere and forked anywhere, so a row of codes has its grids to itself. What is not here: keys that share a grid by
// channel. They would need a whole page, and the newest page would wait in float32 beside it.
#ifndef ATTENTION_PAGED_CACHE_H
#define ATTENTION_PAGED_CACHE_H

#include "attention/kv_cache.h"
#include "attention/pages.h"
#include "attention/quantised.h"

// Row p · size + r of a layer's k and v is row r of page p.
typedef struct {
    PagePool *pool;
    int layers, key_width, value_width; // numbers of a row, as attention reads them
    Mat *k, *v;                         // (layers) of (count · size, …): the rows as they are kept
    bool latents;                       // v is the first columns of k
    bool coded;                         // a row is bytes, four to a float, that are only ever moved as bytes
    QuantisedFormat format;             // of codes
    const float *numbers;               // what a byte of codes stands for
    int64_t copied;                     // rows that were copied on write, in each layer
} PagedMemory;

PagedMemory paged_memory_new(Arena *arena, PagePool *pool, int layers, int key_width, int value_width);

// Keys are rows of c + dr, values their first c columns; for paged_cache_attend, and latent_attend_over upon it.
PagedMemory paged_memory_latents(Arena *arena, PagePool *pool, int layers, int c, int dr);

// Keys and values as codes, decoded a page at a time when they are read; format as quantised_row_put wants it.
PagedMemory paged_memory_codes(Arena *arena, PagePool *pool, int layers, int key_width, int value_width,
                               QuantisedFormat format);

int64_t paged_memory_page_bytes(const PagedMemory *memory); // of a page, over all layers

PageCopy paged_memory_copy; // for page_table_grow; the context is the PagedMemory

// One sequence in one layer. `length` rows are filled. The table must have been grown for what joins: a sequence grows
// once, then every layer fills its rows.
typedef struct {
    PageTable *table;
    const PagedMemory *memory;
    int layer, length;
} PagedCache;

PagedCache paged_cache_of(PageTable *table, const PagedMemory *memory, int layer); // filled as far as the table is
KvSegments paged_cache_segments(const PagedCache *cache); // a part a page, in order; only codes are
                                                          // copied: decoded

// Only the first `length` tokens stay. The table is cut, too, by the first layer that asks, and gives back the pages
// that are empty now; what comes next must be grown for anew, so that a page that others hold is copied first.
void paged_cache_truncate(PagedCache *cache, int length);

int64_t paged_cache_bytes(const PagedCache *cache); // of whole pages, shared ones as well

// As kv_cache_attend. With attention_naive the keys are read in order, through the table, and the bits are those of a
// contiguous cache, whatever the size of pages. With any other kernel pages are worked on side by side and merged
// (kv_segments_attend).
void paged_cache_attend(Attended to, PagedCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                        AttentionKernel *kernel);
KvStore paged_cache_store(PagedCache *cache);

#endif
