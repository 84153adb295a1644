// Chapter 21, step 6. Three caches forget what was not kept: contiguous, paged, a ring.
#include "attention/paged_cache.h"
#include "attention/ring_cache.h"
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

// ---- a ring, row by row

static void show_ring(Lesson *lesson)
{
    enum { WINDOW = 4, SPARE = 2, ROWS = WINDOW + SPARE, TIMES = 4 };
    static const int lengths[TIMES] = { 8, 10, 8, 9 };
    static const char *const times[TIMES] = { "8 tokens", "2 drafted", "taken back", "another one" };
    static const char *const cols[ROWS] = { "row 0", "row 1", "row 2", "row 3", "row 4", "row 5" };
    Arena *arena = lesson->arena;
    Mat lies = mat_new(arena, TIMES, ROWS), unseen = mat_new(arena, TIMES, ROWS), number = mat_new(arena, 1, 1);
    RingCache ring = ring_cache_spare(arena, 0, WINDOW, SPARE, 1, 1);
    for (int i = 0; i < TIMES; i++) {
        if (lengths[i] < ring.length) ring_cache_truncate(&ring, lengths[i]);
        while (ring.length < lengths[i]) {
            *mat_ref(number, 0, 0) = (float)ring.length + (i == 3 ? 0.5f : 0.0f);
            ring_cache_append(&ring, number, number);
        }
        for (int row = 0; row < ROWS; row++) {
            *mat_ref(lies, i, row) = floorf(*mat_ref(ring.k, row, 0));
            *mat_ref(unseen, i, row) = 1.0f;
        }
        for (int j = ring.length - WINDOW; j < ring.length; j++) *mat_ref(unseen, i, ring_cache_row(&ring, j)) = 0.0f;
    }
    show_table(lesson, (Table){ .name = "a window of 4, 2 spare rows: the tokens in sight",
                                .values = lies,
                                .hidden = unseen,
                                .rows = times,
                                .cols = cols,
                                .decimals = -1 });
    figure_map(lesson, "ring.png", "a ring of six rows for a window of four: two tokens are drafted, and taken back",
               (Heatmap){ .title = "A window of 4, and 2 spare rows",
                          .values = lies,
                          .hidden = unseen,
                          .hidden_title = "out of sight",
                          .row_labels = times,
                          .col_labels = cols,
                          .low = 4,
                          .high = 9,
                          .decimals = 0,
                          .cell = 40,
                          .bar_title = "token",
                          .zeros_count = true });
}

// ---- three caches under one decoder

typedef enum { CONTIGUOUS, PAGED, RING, KINDS } Kind;
static const char *const kind_names[KINDS] = { "contiguous", "paged", "a ring" };
enum { LAYERS_MOST = 8, PAGE = 4, SINKS = 1, WINDOW = 15 };

// Pages are taken when tokens come: before a layer attends, its table is grown, if no layer has done so before.
typedef struct {
    PagedCache of;
    PagedMemory *memory;
} Growing;

static void attend_growing(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                           AttentionKernel *kernel)
{
    Growing *g = cache;
    int missing = g->of.length + k.rows - g->of.table->length;
    bool grown = missing <= 0 || page_table_grow(g->of.table, missing, paged_memory_copy, g->memory);
    REQUIRE(grown, "no page is left for %d tokens", missing);
    paged_cache_attend(to, &g->of, q, k, v, H, masks, kernel);
}

typedef struct {
    PagePool pool;
    PagedMemory memory;
    PageTable table;
    Growing paged[LAYERS_MOST];
    RingCache ring[LAYERS_MOST];
    Decoder decoder;
} Over;

static Over *decoder_of(Arena *arena, Transformer model, Kind kind, int spare)
{
    const Config *c = &model.config;
    int width = c->G * (c->D / c->H);
    Over *over = arena_alloc(arena, sizeof *over);
    KvStore stores[LAYERS_MOST];
    over->pool = page_pool_new(arena, DOCUMENT_T / PAGE, PAGE);
    over->memory = paged_memory_new(arena, &over->pool, c->L, width, width);
    over->table = page_table_new(arena, &over->pool, DOCUMENT_T);
    for (int l = 0; l < c->L; l++) {
        over->paged[l] = (Growing){ paged_cache_of(&over->table, &over->memory, l), &over->memory };
        over->ring[l] = ring_cache_spare(arena, SINKS, WINDOW, spare, width, width);
        stores[l] = kind == PAGED ? paged_cache_store(&over->paged[l].of) : ring_cache_store(&over->ring[l]);
        if (kind == PAGED) stores[l].attend = attend_growing;
    }
    over->decoder =
        kind == CONTIGUOUS ? decoder_new(arena, model, DOCUMENT_T) : decoder_over(arena, model, DOCUMENT_T, stores);
    return over;
}

// What a layer's cache has in sight, as bits: the same keys and values at the same places?
static KvSegments parts_of(const Over *over, Kind kind, int layer)
{
    if (kind == PAGED) return paged_cache_segments(&over->paged[layer].of);
    if (kind == RING) return ring_cache_segments(&over->ring[layer]);
    return kv_cache_segments(over->decoder.caches[layer].cache);
}

static bool same_caches(const Over *a, const Over *b, Kind kind)
{
    bool same = decoder_bytes(&a->decoder) == decoder_bytes(&b->decoder);
    Arena *scratch = arena_open();
    for (int l = 0; l < a->decoder.model.config.L; l++) {
        KvSegments one = parts_of(a, kind, l), other = parts_of(b, kind, l);
        same = same && one.S == other.S && one.count == other.count;
        for (int n = 0; same && n < one.count; n++) {
            KvSegment x = one.part(one.cache, n, scratch), y = other.part(other.cache, n, scratch);
            same = mat_equal(x.k, y.k) && mat_equal(x.v, y.v) && x.shift == y.shift;
        }
    }
    arena_close(scratch);
    return same;
}

// Two decoders read the same text. One is fed wrong words after every few right ones, and takes them back.
static bool as_never_fed(const Asked *asked, Kind kind, int *wrong_words)
{
    Arena *scratch = arena_open();
    int tokens[DOCUMENT_T], other[DOCUMENT_T], words = asked->target.config.words;
    document_begin(tokens, 0);
    document_begin(other, 1);
    Over *one = decoder_of(scratch, asked->target, kind, GAMMA_MOST);
    Over *never = decoder_of(scratch, asked->target, kind, GAMMA_MOST);
    Mat logits = mat_new(scratch, GAMMA_MOST, words), want = mat_new(scratch, GAMMA_MOST, words);
    bool same = true;
    for (int t = 0, n = 3; t + n + GAMMA_MOST <= DOCUMENT_T; t += n, n = 1 + t % 4) {
        decoder_feed(mat_rows(logits, 0, n), &one->decoder, tokens + t, n);
        decoder_feed(mat_rows(want, 0, n), &never->decoder, tokens + t, n);
        same = same && mat_equal(mat_rows(logits, 0, n), mat_rows(want, 0, n));
        int gone = 1 + t % GAMMA_MOST;
        decoder_feed(mat_rows(logits, 0, gone), &one->decoder, other + t + n, gone);
        decoder_truncate(&one->decoder, t + n);
        *wrong_words += gone;
        same = same && same_caches(one, never, kind);
    }
    arena_close(scratch);
    return same;
}

// A greedy text over this cache, with drafts and without.
static bool same_text(const Asked *asked, Kind kind)
{
    Arena *scratch = arena_open();
    int tokens[2][DOCUMENT_T];
    for (int drafts = 0; drafts < 2; drafts++) {
        Over *over = decoder_of(scratch, asked->target, kind, drafts ? GAMMA_MOST : 0);
        Decoder draft = decoder_new(scratch, asked->draft[0], DOCUMENT_T);
        Speculation s = speculative_new(scratch, &over->decoder, speculative_by_model(&draft), drafts ? 4 : 0,
                                        (Sampling){ 0.0, 1.0 }, 1);
        document_begin(tokens[drafts], 0);
        speculative_continue(&s, tokens[drafts], PROMPT, DOCUMENT_T);
    }
    arena_close(scratch);
    return !memcmp(tokens[0], tokens[1], sizeof tokens[0]);
}

void taken_back(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Taken back");
    show_ring(lesson);
    for (Kind kind = CONTIGUOUS; kind < KINDS; kind++) {
        int wrong = 0;
        bool same = as_never_fed(asked, kind, &wrong);
        check(lesson, same && same_text(asked, kind),
              "%s: %d words taken back leave no bit behind; a text written "
              "with drafts is the one written without",
              kind_names[kind], wrong);
    }
}
