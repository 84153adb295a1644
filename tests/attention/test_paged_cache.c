// Tests of lib/attention/paged_cache.c: rows in pages, read in order, give the bits of rows in one piece.
#include "attention/paged_cache.h"

#include "attention/grouped.h"
#include "attention/latent.h"
#include "attention/tiled.h"
#include "base/portable_math.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static Mat normals(int rows, int cols) { return random_mat(arena, &random_state, rows, cols); }

enum { H = 4, G = 2, D_HEAD = 5, DV = 3, LAYERS = 2, MOST = 40 };

// A sequence as it would stand in one piece, for each layer, beside its pages.
typedef struct {
    int length;
    Mat q, k[LAYERS], v[LAYERS];
    PageTable table;
} Sequence;

static Sequence sequence_new(PagePool *pool)
{
    Sequence s = { .q = normals(MOST, H * D_HEAD), .table = page_table_new(arena, pool, MOST) };
    for (int l = 0; l < LAYERS; l++) {
        s.k[l] = normals(MOST, G * D_HEAD);
        s.v[l] = normals(MOST, G * DV);
    }
    return s;
}

static Attended room(int n, int S)
{
    return (Attended){ framed_mat(arena, n, H * DV, NAN).view, framed_mat(arena, n, H, NAN).view,
                       framed_mat(arena, H * n, S, NAN).view };
}

// The next n tokens join, in every layer, and look back: as attention_naive over all rows in one piece, to the bit.
static void feed(Sequence *s, const PagedMemory *memory, int n, const Mask *masks)
{
    PagedCache of[LAYERS];
    int first = s->length, S = first + n;
    for (int l = 0; l < LAYERS; l++) of[l] = paged_cache_of(&s->table, memory, l);
    ck_assert(page_table_grow(&s->table, n, paged_memory_copy, (void *)memory));
    for (int l = 0; l < LAYERS; l++) {
        Attended got = room(n, S), want = room(n, S), merged = room(n, S);
        Mat q = mat_rows(s->q, first, n), k = mat_rows(s->k[l], 0, S), v = mat_rows(s->v[l], 0, S);
        KvStore store = paged_cache_store(&of[l]);
        ck_assert_int_eq(store.length(store.cache), first);
        store.attend(got, store.cache, q, mat_rows(k, first, n), mat_rows(v, first, n), H, masks, attention_naive);
        grouped_attend(want, q, k, v, H, masks, attention_naive);
        assert_same(got.out, want.out);
        assert_same(got.lse, want.lse);
        assert_same(got.weights, want.weights);
        kv_segments_attend(merged, q, paged_cache_segments(&of[l]), H, masks, attention_tiled);
        ck_assert(mat_max_difference(merged.out, want.out) < 2e-6);
        ck_assert_int_eq(of[l].length, S);
        ck_assert_int_eq(store.bytes(store.cache),
                         (int64_t)s->table.pages * memory->pool->size * G * (D_HEAD + DV) * 4);
    }
    s->length = S;
}

static const int sizes[] = { 1, 2, 3, 4, 7, 8, 16, 32, 64 };
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST_EACH(as_in_one_piece, SIZES)
{
    PagePool pool = page_pool_new(arena, 2 + 2 * MOST / sizes[_i], sizes[_i]);
    PagedMemory memory = paged_memory_new(arena, &pool, LAYERS, G * D_HEAD, G * DV);
    ck_assert_int_eq(paged_memory_page_bytes(&memory), LAYERS * sizes[_i] * G * (D_HEAD + DV) * 4);
    Mask masks[H] = { { .causal = true },
                      { .causal = true, .window = 5, .sinks = 1 },
                      { .causal = true, .alibi = 0.25f },
                      { .causal = true, .scale = 0.5f } };
    for (int round = 0; round < 6; round++) {
        Sequence s = sequence_new(&pool);
        while (s.length < MOST) {
            int n = below(2) ? 1 : below(9);
            feed(&s, &memory, n < MOST - s.length ? n : MOST - s.length, masks);
            case_is("pages of %d, round %d, %d tokens", sizes[_i], round, s.length);
        }
        page_table_truncate(&s.table, 0);
    }
    ck_assert_int_eq(pool.left, pool.count);
}

// Two that begin alike go on differently, each with its own; and one that is cut back goes on anew.
TEST_EACH(forks_part_when_they_write, SIZES)
{
    int size = sizes[_i];
    PagePool pool = page_pool_new(arena, 4 + 2 * MOST / size, size);
    PagedMemory memory = paged_memory_new(arena, &pool, LAYERS, G * D_HEAD, G * DV);
    Mask masks[H] = { { .causal = true }, { .causal = true }, { .causal = true }, { .causal = true, .window = 4 } };
    for (int length = 1; length < 20; length++) {
        Sequence a = sequence_new(&pool), b = sequence_new(&pool);
        feed(&a, &memory, length, masks);
        page_table_fork(&b.table, &a.table);
        for (int l = 0; l < LAYERS; l++) {
            mat_set(mat_rows(b.k[l], 0, length), mat_rows(a.k[l], 0, length));
            mat_set(mat_rows(b.v[l], 0, length), mat_rows(a.v[l], 0, length));
        }
        b.length = length;
        int64_t copied = memory.copied;
        case_is("pages of %d, a fork after %d tokens", size, length);
        feed(&b, &memory, 3, masks);
        ck_assert_int_eq(memory.copied - copied, length % size);
        feed(&a, &memory, 2, masks);
        feed(&b, &memory, 1, masks);
        ck_assert_int_eq(memory.copied - copied, length % size); // who is left alone need not copy
        a.length = length / 2;
        page_table_truncate(&a.table, a.length);
        for (int l = 0; l < LAYERS; l++) random_normals(&random_state, mat_rows(a.k[l], a.length, MOST - a.length));
        feed(&a, &memory, 4, masks);
        feed(&b, &memory, 2, masks);
        page_table_truncate(&a.table, 0);
        page_table_truncate(&b.table, 0);
    }
    ck_assert_int_eq(pool.left, pool.count);
}

// ---- other rows

// A sequence in one piece and the same in pages: latents. Both are asked for n tokens more.
typedef struct {
    LatentCache whole;
    PageTable table;
    int length;
    Mat q, rows;
} LatentPair;

enum { C = 6, DR = 2, WIDE = H * (D_HEAD + DR) };

static LatentPair latent_pair(PagePool *pool)
{
    return (LatentPair){ latent_cache_new(arena, MOST, C, DR), page_table_new(arena, pool, MOST), 0,
                         normals(MOST, WIDE), normals(MOST, C + DR) };
}

static void feed_latents(LatentPair *pair, PagedMemory *memory, int n, LatentHeads w, const Mask *masks)
{
    int first = pair->length, S = first + n;
    Mat q = mat_rows(pair->q, first, n), rows = mat_rows(pair->rows, first, n);
    Attended got = room(n, S), want = room(n, S);
    PagedCache paged = paged_cache_of(&pair->table, memory, 1);
    KvStore store = paged_cache_store(&paged);
    ck_assert(page_table_grow(&pair->table, n, paged_memory_copy, memory));
    latent_attend_over(got, &store, q, rows, w, masks, attention_naive);
    latent_attend(want, &pair->whole, q, rows, w, masks, attention_naive);
    assert_same(got.out, want.out);
    assert_same(got.lse, want.lse);
    assert_same(got.weights, want.weights);
    pair->length = S;
}

TEST_EACH(latents_as_in_one_piece, SIZES)
{
    int size = sizes[_i];
    PagePool pool = page_pool_new(arena, 4 + 2 * MOST / size, size);
    PagedMemory memory = paged_memory_latents(arena, &pool, 2, C, DR);
    ck_assert_int_eq(paged_memory_page_bytes(&memory), 2 * size * (C + DR) * 4); // values take no room
    LatentHeads w = { normals(C, G * D_HEAD), normals(C, G * DV), H, DR };
    Mask masks[H] = { { .causal = true }, { .causal = true, .window = 5 }, { .causal = true }, { .causal = true } };
    for (int length = 1; length < 20; length++) {
        LatentPair a = latent_pair(&pool);
        case_is("latents in pages of %d, %d and 3 more", size, length);
        feed_latents(&a, &memory, length, w, masks);
        feed_latents(&a, &memory, 3, w, masks);
        page_table_truncate(&a.table, 0);
    }
    ck_assert_int_eq(pool.left, pool.count);
}

// Codes, row by row: as chapter 19's cache in blocks of one token, read in order.
static void feed_codes(QuantisedCache *whole, PageTable *table, PagedMemory *memory, Mat rows)
{
    enum { CH = 8 }; // channels of a head, keys and values alike
    int n = rows.rows;
    Mat k = mat_cols(rows, 0, G * CH), v = mat_cols(rows, G * CH, G * CH), q = normals(n, H * CH);
    Mask masks[H] = { { .causal = true }, { .causal = true, .window = 5 }, { .causal = true }, { .causal = true } };
    Mat got = framed_mat(arena, n, H * CH, NAN).view, want = framed_mat(arena, n, H * CH, NAN).view;
    PagedCache paged = paged_cache_of(table, memory, 0);
    ck_assert(page_table_grow(table, n, paged_memory_copy, memory));
    paged_cache_attend((Attended){ .out = got }, &paged, q, k, v, H, masks, attention_naive);
    quantised_append(whole, k, v);
    kv_segments_attend_in_order((Attended){ .out = want }, q, quantised_segments(whole), H, masks);
    assert_same(got, want);
}

TEST_EACH(codes_as_in_one_piece, SIZES *QUANTISED_KINDS)
{
    enum { WIDTH = 16, GROUP = 8 };
    QuantisedFormat format = { (QuantisedKind)(_i / SIZES), 1, GROUP, QUANTISED_PER_TOKEN, QUANTISED_PER_TOKEN };
    int size = sizes[_i % SIZES], bytes = WIDTH * quantised_bits(format.kind) / 8;
    if (format.kind != QUANTISED_FLOAT8) bytes += 4 * WIDTH / GROUP;
    PagePool pool = page_pool_new(arena, 4 + 2 * MOST / size, size);
    PagedMemory memory = paged_memory_codes(arena, &pool, 1, WIDTH, WIDTH, format);
    ck_assert_int_eq(quantised_row_bytes(format, WIDTH), bytes);
    ck_assert_int_eq(paged_memory_page_bytes(&memory), size * 2 * bytes);
    for (int length = 1; length < 12; length++) {
        Mat rows = normals(MOST, 2 * WIDTH), other = normals(MOST, 2 * WIDTH);
        QuantisedCache a = quantised_new(arena, format, MOST, WIDTH, WIDTH);
        QuantisedCache cut = quantised_new(arena, format, MOST, WIDTH, WIDTH);
        PageTable of_a = page_table_new(arena, &pool, MOST);
        case_is("%s in pages of %d, cut after %d", quantised_names[format.kind], size, length);
        feed_codes(&a, &of_a, &memory, mat_rows(rows, 0, length));
        feed_codes(&a, &of_a, &memory, mat_rows(rows, length, 2));
        page_table_truncate(&of_a, length / 2); // cut back, it goes on with other tokens
        quantised_append(&cut, mat_cols(mat_rows(rows, 0, length / 2), 0, WIDTH),
                         mat_cols(mat_rows(rows, 0, length / 2), WIDTH, WIDTH));
        feed_codes(&cut, &of_a, &memory, mat_rows(other, 5, 4));
        page_table_truncate(&of_a, 0);
    }
    ck_assert_int_eq(pool.left, pool.count);
}

TEST_ABORTS(wrong_use, 5)
{
    quiet();
    PagePool pool = page_pool_new(arena, 4, 4), other = pool;
    PagedMemory memory = paged_memory_new(arena, &pool, 1, 4, 4);
    PageTable table = page_table_new(arena, &pool, 8), foreign = page_table_new(arena, &other, 8);
    Mat out = mat_new(arena, 3, 4), rows = mat_new(arena, 3, 4), wide = mat_new(arena, 3, 6);
    Mask mask = { .causal = true };
    PagedCache cache = paged_cache_of(&table, &memory, 0);
    page_table_grow(&table, 2, paged_memory_copy, &memory);
    switch (_i) {
    case 0: paged_cache_attend((Attended){ .out = out }, &cache, rows, rows, rows, 1, &mask, attention_naive); break;
    case 1: paged_cache_of(&table, &memory, 1); break;
    case 2: paged_cache_of(&foreign, &memory, 0); break;
    case 3:
        paged_cache_attend((Attended){ .out = mat_rows(out, 0, 2) }, &cache, mat_rows(rows, 0, 2), mat_rows(wide, 0, 2),
                           mat_rows(rows, 0, 2), 1, &mask, attention_naive);
        break;
    case 4:
        paged_cache_attend((Attended){ .out = mat_rows(out, 0, 2) }, &cache, mat_rows(rows, 0, 2), mat_rows(rows, 0, 1),
                           mat_rows(rows, 0, 1), 1, &mask, attention_naive);
        break;
    }
}
