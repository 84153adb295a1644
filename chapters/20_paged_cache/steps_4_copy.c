// Chapter 20, step 4. Pages that two texts hold, and that are copied when one of them writes.
#include "steps.h"

#include <string.h>

enum { SIZE = 8, FORKS = 6, PROMPT = 45, MORE = 20 };

// A text over pages, as far as it has come.
typedef struct {
    PageTable table;
    PagedCache *of;
    Decoder decoder;
    int tokens[DOCUMENT_T], count;
} Branch;

static Branch *branch_new(Arena *arena, Transformer model, PagePool *pool, const PagedMemory *memory)
{
    int L = model.config.L;
    Branch *text = arena_alloc(arena, sizeof *text);
    KvStore *stores = arena_alloc(arena, (size_t)L * sizeof *stores);
    text->table = page_table_new(arena, pool, DOCUMENT_T);
    text->of = arena_alloc(arena, (size_t)L * sizeof *text->of);
    for (int l = 0; l < L; l++) {
        text->of[l] = paged_cache_of(&text->table, memory, l);
        stores[l] = paged_cache_store(&text->of[l]);
    }
    text->decoder = decoder_over(arena, model, DOCUMENT_T, stores);
    return text;
}

static void fork_branch(Branch *to, const Branch *from)
{
    page_table_fork(&to->table, &from->table);
    for (int l = 0; l < to->decoder.model.config.L; l++) to->of[l].length = from->table.length;
    memcpy(to->tokens, from->tokens, sizeof to->tokens);
    to->count = from->count;
}

// Feeds the next n tokens; logits (n, outputs).
static void feed(Branch *text, PagedMemory *memory, int n, Mat logits)
{
    bool grown = page_table_grow(&text->table, n, paged_memory_copy, memory);
    REQUIRE(grown, "%d tokens more, and %d pages are left", n, text->table.pool->left);
    decoder_feed(logits, &text->decoder, text->tokens + text->count, n);
    text->count += n;
}

// All go on from the same words, each with a first word of its own, in turn. How many of their logits are those of a
// cache in one piece, to the bit?
static int go_on(Arena *arena, Branch **texts, Transformer model, PagedMemory *memory, Mat *logits)
{
    int same = 0, words = model.config.outputs;
    for (int t = 0; t < MORE; t++)
        for (int f = 0; f < FORKS; f++) {
            const float *last = t ? mat_row(logits[f], t - 1) : NULL;
            int said = 1 + 7 * f; // another word for each
            for (int w = 0; last && w < words; w++)
                if (w == 0 || last[w] > last[said]) said = w;
            texts[f]->tokens[PROMPT + t] = said;
            feed(texts[f], memory, 1, mat_rows(logits[f], t, 1));
        }
    for (int f = 0; f < FORKS; f++) {
        Decoder decoder = decoder_new(arena, model, PROMPT + MORE);
        Mat whole = mat_new(arena, PROMPT + MORE, words);
        decoder_feed(whole, &decoder, texts[f]->tokens, PROMPT + MORE);
        same += mat_equal(mat_rows(whole, PROMPT, MORE), logits[f]);
    }
    return same;
}

void copy_on_write(Lesson *lesson, Transformer model)
{
    step(lesson, "Copy on write");
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    int width = c->G * (c->D / c->H), words = c->outputs, pages_each = (PROMPT + MORE + SIZE - 1) / SIZE;
    int full = PROMPT / SIZE, begun = (PROMPT + SIZE - 1) / SIZE;
    PagePool pool = page_pool_new(arena, FORKS * pages_each, SIZE);
    PagedMemory memory = paged_memory_new(arena, &pool, c->L, width, width);
    Branch *texts[FORKS];
    Mat logits[FORKS];
    for (int f = 0; f < FORKS; f++) {
        texts[f] = branch_new(arena, model, &pool, &memory);
        logits[f] = mat_new(arena, MORE, words);
    }
    const Asked *asked = prompts_of(arena, 1, 7, PROMPT, PROMPT, 1);
    memcpy(texts[0]->tokens, asked->tokens, PROMPT * sizeof(int));
    feed(texts[0], &memory, PROMPT, mat_new(arena, PROMPT, words));
    int last = texts[0]->table.page[begun - 1];
    Mat before = mat_copy(arena, mat_rows(memory.k[0], last * SIZE, SIZE));
    for (int f = 1; f < FORKS; f++) fork_branch(texts[f], texts[0]);
    int held = pool.count - pool.left;
    say(lesson,
        "A prompt of %d words in %d pages of %d, the last one not full. %d answers to it begin from the same "
        "pages.",
        PROMPT, begun, SIZE, FORKS);
    check(lesson, held == begun && pool.holders[0] == FORKS,
          "%d texts, %d pages: a fork copies nothing, each page has "
          "%d holders",
          FORKS, held, pool.holders[0]);

    // One of them writes.
    texts[1]->tokens[PROMPT] = 1 + 7;
    feed(texts[1], &memory, 1, mat_rows(logits[1], 0, 1));
    Mat after = mat_rows(memory.k[0], last * SIZE, SIZE);
    check(lesson, texts[1]->table.page[begun - 1] != last && texts[0]->table.page[begun - 1] == last,
          "text 1 writes a word: it has page %d for its own, the others still hold page %d",
          texts[1]->table.page[begun - 1], last);
    cost(lesson, "rows copied for it", memory.copied, "prompt mod size", PROMPT % SIZE);
    check(lesson, mat_equal(before, after), "not a bit of page %d has changed", last);
    page_table_truncate(&texts[1]->table, PROMPT); // … and takes it back, to begin with the others
    texts[1]->count = PROMPT;
    for (int l = 0; l < c->L; l++) texts[1]->of[l].length = PROMPT;

    int same = go_on(arena, texts, model, &memory, logits);
    held = pool.count - pool.left;
    int64_t page = paged_memory_page_bytes(&memory);
    cost(lesson, "pages, shared", held, "full + texts · own", full + FORKS * (pages_each - full));
    say(lesson, "%lld bytes; each with pages of its own, %d pages and %lld bytes.", (long long)(held * page),
        FORKS * pages_each, (long long)(FORKS * pages_each * page));
    check(lesson, memory.copied == (FORKS - 1) * (PROMPT % SIZE),
          "copied in all: %lld rows, for all but the last, who then holds the page alone", (long long)memory.copied);
    check(lesson, same == FORKS, "%d words more each: the logits are those of a cache in one piece, to the bit", MORE);
    for (int f = 0; f < FORKS; f++) page_table_truncate(&texts[f]->table, 0);
    check(lesson, pool.left == pool.count, "and all %d pages come back", pool.count);
}
