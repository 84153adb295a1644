// Chapter 20. A paged KV cache (PagedAttention): keys and values in the pages that attention/pages.h allocates.
// [Kwon et al. 2023, §4.1 and §4.3, arXiv:2309.06180]
//
// One block table serves all layers of a model: every layer has memory of its own, divided into the same pages. So a
// sequence grows, forks or ends once, not once per layer.
//
// A row of a page is float32, an MLA latent (latent.h) or quantised codes (quantised.h). Pages are written row by row,
// and can be truncated and forked at any row, so a quantised row has its own scales. Not here: keys quantised per
// channel. Their groups would need a whole page, and the newest page would have to stay in float32.
#ifndef ATTENTION_PAGED_CACHE_H
#define ATTENTION_PAGED_CACHE_H

#include "attention/kv_cache.h"
#include "attention/pages.h"
#include "attention/quantised.h"

// Row p · size + r of a layer's k and v is row r of page p.
typedef struct {
    PagePool *pool;
    int layers, key_width, value_width; // width of a row as attention reads it
    Mat *k, *v;                         // (layers) of (count · size, …): the rows as stored
    bool latents;                       // v is a view of the first columns of k
    bool coded;                         // a row is codes, packed four bytes to a float and only moved bytewise
    QuantisedFormat format;             // format of the codes
    const float *numbers;               // lookup table from a byte of codes to values
    int64_t copied;                     // rows copied on write, per layer
} PagedMemory;

PagedMemory paged_memory_new(Arena *arena, PagePool *pool, int layers, int key_width, int value_width);

// MLA: keys are rows of c + dr, values their first c columns. For paged_cache_attend, and latent_attend_over on top of
// it.
PagedMemory paged_memory_latents(Arena *arena, PagePool *pool, int layers, int c, int dr);

// Quantised keys and values, decoded one page at a time when they are read; format as in quantised_row_put.
PagedMemory paged_memory_codes(Arena *arena, PagePool *pool, int layers, int key_width, int value_width,
                               QuantisedFormat format);

int64_t paged_memory_page_bytes(const PagedMemory *memory); // bytes of a page, over all layers

PageCopy paged_memory_copy; // for page_table_grow; the context is the PagedMemory

// One sequence in one layer. `length` rows are filled. The table must have been grown first: a sequence grows once,
// then every layer fills its rows.
typedef struct {
    PageTable *table;
    const PagedMemory *memory;
    int layer, length;
} PagedCache;

PagedCache paged_cache_of(PageTable *table, const PagedMemory *memory, int layer); // length: the table's
KvSegments paged_cache_segments(const PagedCache *cache); // one segment per page, in order; views,
                                                          // except that codes are decoded

// Keeps the first `length` tokens. The first layer that calls this also truncates the table, which frees empty pages;
// the table must be grown again for later tokens, so that a shared page is copied first.
void paged_cache_truncate(PagedCache *cache, int length);

int64_t paged_cache_bytes(const PagedCache *cache); // bytes of whole pages, including shared ones

// As kv_cache_attend. With attention_naive the keys are read in order through the block table, and the result is
// bit-identical to a contiguous cache for any page size. With other kernels, pages are attended in parallel and merged
// (kv_segments_attend).
void paged_cache_attend(Attended to, PagedCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                        AttentionKernel *kernel);
KvStore paged_cache_store(PagedCache *cache);

#endif
