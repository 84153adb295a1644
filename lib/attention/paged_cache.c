// Chapter 20. Keys and values in pages. [Kwon et al. 2023, §4.1 and §4.3, arXiv:2309.06180]
#include "attention/paged_cache.h"

#include "base/cost.h"

// ---- memory

static PagedMemory memory_new(Arena *arena, PagePool *pool, int layers, int key_width, int value_width)
{
    REQUIRE(layers >= 1, "memory for %d layers", layers);
    PagedMemory memory = { .pool = pool, .layers = layers, .key_width = key_width, .value_width = value_width };
    memory.k = arena_alloc(arena, (size_t)layers * sizeof *memory.k);
    memory.v = arena_alloc(arena, (size_t)layers * sizeof *memory.v);
    return memory;
}

static Mat pool_rows(Arena *arena, const PagePool *pool, int width)
{
    return mat_new(arena, pool->count * pool->size, width);
}

PagedMemory paged_memory_new(Arena *arena, PagePool *pool, int layers, int key_width, int value_width)
{
    PagedMemory memory = memory_new(arena, pool, layers, key_width, value_width);
    for (int l = 0; l < layers; l++) {
        memory.k[l] = pool_rows(arena, pool, key_width);
        memory.v[l] = pool_rows(arena, pool, value_width);
    }
    return memory;
}

PagedMemory paged_memory_latents(Arena *arena, PagePool *pool, int layers, int c, int dr)
{
    REQUIRE(c >= 1 && dr >= 0, "a latent of %d, and %d beside it", c, dr);
    PagedMemory memory = memory_new(arena, pool, layers, c + dr, c);
    memory.latents = true;
    for (int l = 0; l < layers; l++) {
        memory.k[l] = pool_rows(arena, pool, c + dr);
        memory.v[l] = mat_cols(memory.k[l], 0, c);
    }
    return memory;
}

static int floats_for(int bytes) { return (bytes + (int)sizeof(float) - 1) / (int)sizeof(float); }

PagedMemory paged_memory_codes(Arena *arena, PagePool *pool, int layers, int key_width, int value_width,
                               QuantisedFormat format)
{
    PagedMemory memory = memory_new(arena, pool, layers, key_width, value_width);
    memory.coded = true;
    memory.format = format;
    memory.numbers = quantised_numbers(arena, format.kind);
    for (int l = 0; l < layers; l++) {
        memory.k[l] = pool_rows(arena, pool, floats_for(quantised_row_bytes(format, key_width)));
        memory.v[l] = pool_rows(arena, pool, floats_for(quantised_row_bytes(format, value_width)));
    }
    return memory;
}

int64_t paged_memory_page_bytes(const PagedMemory *memory)
{
    int values = memory->latents ? 0 : memory->v[0].cols; // latents are stored once
    return (int64_t)memory->layers * memory->pool->size * (memory->k[0].cols + values) * (int64_t)sizeof(float);
}

// The first `rows` rows of a page.
static Mat page_rows(Mat all, const PagePool *pool, int page, int rows)
{
    return mat_rows(all, page * pool->size, rows);
}

void paged_memory_copy(void *context, int to, int from, int rows)
{
    PagedMemory *memory = context;
    const PagePool *pool = memory->pool;
    for (int l = 0; l < memory->layers; l++) {
        mat_set(page_rows(memory->k[l], pool, to, rows), page_rows(memory->k[l], pool, from, rows));
        if (memory->latents) continue;
        mat_set(page_rows(memory->v[l], pool, to, rows), page_rows(memory->v[l], pool, from, rows));
    }
    memory->copied += rows;
}

// ---- one sequence in one layer

PagedCache paged_cache_of(PageTable *table, const PagedMemory *memory, int layer)
{
    REQUIRE(layer >= 0 && layer < memory->layers && table->pool == memory->pool,
            "layer %d of %d, and a table of %s pool", layer, memory->layers,
            table->pool == memory->pool ? "the same" : "another");
    return (PagedCache){ table, memory, layer, table->length };
}

// Number of filled rows in the table's n-th page.
static int rows_in_page(const PagedCache *cache, int n)
{
    int size = cache->table->pool->size, remaining = cache->length - n * size;
    return remaining < size ? remaining : size;
}

static Mat decoded(Arena *scratch, const PagedMemory *memory, Mat codes, int width)
{
    Mat rows = mat_new(scratch, codes.rows, width);
    for (int i = 0; i < codes.rows; i++)
        quantised_row_get(mat_rows(rows, i, 1), memory->format, mat_row(codes, i), memory->numbers);
    return rows;
}

static KvSegment page_segment(const void *context, int n, Arena *scratch)
{
    const PagedCache *cache = context;
    const PagedMemory *memory = cache->memory;
    const PagePool *pool = cache->table->pool;
    int page = cache->table->page[n], rows = rows_in_page(cache, n);
    KvSegment segment = { page_rows(memory->k[cache->layer], pool, page, rows),
                          page_rows(memory->v[cache->layer], pool, page, rows), cache->length - n * pool->size - rows };
    if (!memory->coded) return segment; // views
    return (KvSegment){ decoded(scratch, memory, segment.k, memory->key_width),
                        decoded(scratch, memory, segment.v, memory->value_width), segment.shift };
}

static int filled_pages(const PagedCache *cache)
{
    int size = cache->table->pool->size;
    return (cache->length + size - 1) / size;
}

KvSegments paged_cache_segments(const PagedCache *cache)
{
    return (KvSegments){ cache->length, filled_pages(cache), page_segment, cache };
}

int64_t paged_cache_bytes(const PagedCache *cache)
{
    return filled_pages(cache) * paged_memory_page_bytes(cache->memory) / cache->memory->layers;
}

void paged_cache_truncate(PagedCache *cache, int length)
{
    REQUIRE(length >= 0 && length <= cache->length, "the first %d tokens of %d", length, cache->length);
    page_table_truncate(cache->table, length); // by the first layer; the table already has this length for the others
    cache->length = length;
}

static void store_row(const PagedMemory *memory, Mat to, Mat row)
{
    if (memory->coded) quantised_row_put(mat_row(to, 0), memory->format, row);
    else mat_set(to, row);
}

// Writes rows to the table's pages. For latents, values are a part of the keys.
static void append(PagedCache *cache, Mat k, Mat v)
{
    const PagedMemory *memory = cache->memory;
    int size = cache->table->pool->size;
    REQUIRE(k.rows == v.rows && k.cols == memory->key_width && v.cols == memory->value_width,
            "k is " MAT_SHAPE ", v is " MAT_SHAPE "; the pages hold rows of %d and %d", MAT_SHAPED(k), MAT_SHAPED(v),
            memory->key_width, memory->value_width);
    REQUIRE(k.rows <= cache->table->length - cache->length, "%d rows more; the table was grown for %d", k.rows,
            cache->table->length - cache->length);
    for (int i = 0; i < k.rows; i++) {
        int t = cache->length + i, row = cache->table->page[t / size] * size + t % size;
        store_row(memory, mat_rows(memory->k[cache->layer], row, 1), mat_rows(k, i, 1));
        if (!memory->latents) store_row(memory, mat_rows(memory->v[cache->layer], row, 1), mat_rows(v, i, 1));
    }
    cache->length += k.rows;
    int64_t floats = mat_numbers(k) + (memory->latents ? 0 : mat_numbers(v));
    cost_counted.reads += floats;
    cost_counted.writes += floats;
}

void paged_cache_attend(Attended to, PagedCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                        AttentionKernel *kernel)
{
    REQUIRE(q.rows == k.rows || (k.rows == 0 && q.rows <= cache->length),
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ": a chunk has as many queries as keys", MAT_SHAPED(q),
            MAT_SHAPED(k));
    append(cache, k, v);
    KvSegments segments = paged_cache_segments(cache);
    if (kernel == attention_naive) kv_segments_attend_in_order(to, q, segments, H, masks);
    else kv_segments_attend(to, q, segments, H, masks, kernel);
}

// ---- KvStore

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    paged_cache_attend(to, cache, q, k, v, H, masks, kernel);
}

static int length_of_store(const void *cache) { return ((const PagedCache *)cache)->length; }
static int64_t bytes_of_store(const void *cache) { return paged_cache_bytes(cache); }
static void truncate_store(void *cache, int length) { paged_cache_truncate(cache, length); }

KvStore paged_cache_store(PagedCache *cache)
{
    return (KvStore){ cache, attend_store, length_of_store, bytes_of_store, truncate_store };
}
