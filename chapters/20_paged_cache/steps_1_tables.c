// Chapter 20, steps 1 and 2. Pages and tables; and attention through them, to the bit.
#include "attention/grouped.h"
#include "attention/latent.h"
#include "attention/online.h"
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "steps.h"

// ---- three texts in eight pages

enum { TEXTS = 3, SIZE = 4, PAGES = 8, ROWS = PAGES * SIZE, MOST_WORDS = 12 };
static const int LENGTHS[TEXTS] = { 10, 6, 8 };

typedef struct {
    PagePool pool;
    PageTable table[TEXTS];
    int word[TEXTS][MOST_WORDS], row[ROWS];
} Small;

static void no_copy(void *context, int to, int from, int rows)
{
    (void)context;
    REQUIRE(false, "%d rows of page %d into page %d: nothing is shared here", rows, from, to);
}

// A word each, in turn, as they do when they are decoded together. (Words, in the place of keys and values.)
static void write_in_turn(Small *s)
{
    for (int t = 0; t < MOST_WORDS; t++)
        for (int n = 0; n < TEXTS; n++) {
            if (t >= LENGTHS[n]) continue;
            bool grown = page_table_grow(&s->table[n], 1, no_copy, NULL);
            REQUIRE(grown, "text %d has no page", n);
            s->row[s->table[n].page[t / SIZE] * SIZE + t % SIZE] = s->word[n][t];
        }
}

static const char *words_of_page(Arena *arena, const int *words, int count)
{
    const char *text = "";
    for (int i = 0; i < count; i++)
        text = arena_format(arena, "%s%s%s", text, i ? "\n" : "", document_word_text(words[i]));
    for (int i = count; i < SIZE; i++) text = arena_format(arena, "%s\n·", text);
    return text;
}

static Color color_of(int text)
{
    static const Color colors[TEXTS] = { { 0, 114, 178 }, { 213, 94, 0 }, { 0, 140, 100 } };
    return colors[text];
}

// Left each text, cut into pages; right the pages as they lie in memory.
static void figure_tables(Lesson *lesson, const Small *s)
{
    enum { MOST = 2 * PAGES + TEXTS, WIDE = 72, HIGH = 94, GAP = 10, TOP = 20 };
    Arena *arena = lesson->arena;
    DiagramBox *boxes = arena_alloc(arena, MOST * sizeof *boxes);
    DiagramArrow *arrows = arena_alloc(arena, PAGES * sizeof *arrows);
    DiagramLabel labels[TEXTS];
    int count = 0, arrow_count = 0, box_of[PAGES];
    for (int p = 0; p < PAGES; p++) {
        box_of[p] = count;
        boxes[count++] = (DiagramBox){ .at = { p * (WIDE + GAP), TOP + HIGH + 110, WIDE, HIGH },
                                       .title = arena_format(arena, "page %d", p),
                                       .lines = s->pool.holders[p] ? NULL : "free\n·\n·\n·" };
    }
    double x = 0;
    for (int n = 0; n < TEXTS; n++) {
        const PageTable *table = &s->table[n];
        labels[n] = (DiagramLabel){ x, 12, { .size = 13, .color = color_of(n) }, arena_format(arena, "text %d", n) };
        for (int i = 0; i < table->pages; i++) {
            int left = table->length - i * SIZE, rows = left < SIZE ? left : SIZE, page = table->page[i];
            const char *words = words_of_page(arena, s->word[n] + i * SIZE, rows);
            boxes[count] = (DiagramBox){ .at = { x, TOP, WIDE, HIGH },
                                         .lines = words,
                                         .color = color_of(n),
                                         .title = arena_format(arena, "entry %d", i) };
            boxes[box_of[page]].lines = words;
            boxes[box_of[page]].color = color_of(n);
            arrows[arrow_count++] = (DiagramArrow){
                .from = count, .to = box_of[page], .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP, .color = color_of(n)
            };
            count++;
            x += WIDE + 4;
        }
        x += 2 * GAP;
    }
    figure_diagram(lesson, "tables.png", "three texts, and the pages in which they stand",
                   (Diagram){ .boxes = boxes,
                              .box_count = count,
                              .arrows = arrows,
                              .arrow_count = arrow_count,
                              .labels = labels,
                              .label_count = TEXTS });
}

void tables_of_pages(Lesson *lesson)
{
    step(lesson, "Pages and tables");
    block_map_figure(lesson, "here.png", BLOCK_MAP_CACHE);
    Small *s = arena_alloc(lesson->arena, sizeof *s);
    s->pool = page_pool_new(lesson->arena, PAGES, SIZE);
    const Asked *prompts = prompts_of(lesson->arena, TEXTS, 2, MOST_WORDS + 1, MOST_WORDS + 1, 1);
    for (int n = 0; n < TEXTS; n++) {
        s->table[n] = page_table_new(lesson->arena, &s->pool, MOST_WORDS);
        for (int t = 0; t < LENGTHS[n]; t++) s->word[n][t] = prompts[n].tokens[1 + t];
    }
    write_in_turn(s);

    Mat values = mat_new(lesson->arena, TEXTS, 3), hidden = mat_new(lesson->arena, TEXTS, 3);
    int found = 0, all = 0;
    for (int n = 0; n < TEXTS; n++) {
        for (int i = 0; i < 3; i++) {
            *mat_ref(hidden, n, i) = i >= s->table[n].pages;
            *mat_ref(values, n, i) = i < s->table[n].pages ? (float)s->table[n].page[i] : 0.0f;
        }
        for (int t = 0; t < LENGTHS[n]; t++, all++)
            found += s->row[s->table[n].page[t / SIZE] * SIZE + t % SIZE] == s->word[n][t];
    }
    static const char *const rows[] = { "text 0", "text 1", "text 2" };
    static const char *const cols[] = { "words 0-3", "words 4-7", "words 8-11" };
    show_table(lesson, (Table){ .name = "the page in which they stand",
                                .values = values,
                                .hidden = hidden,
                                .rows = rows,
                                .cols = cols,
                                .decimals = -1 });
    figure_tables(lesson, s);
    say(lesson, "Word 5 of text 2, %s: entry 5 / 4 = 1 of its table is page %d, and 5 %% 4 = 1 its row there.",
        document_word_text(s->word[2][5]), s->table[2].page[1]);
    check(lesson, found == all, "all %d words stand in row t %% size of page[t / size]", all);
    bool cut = true;
    for (int n = 0; n < TEXTS; n++) cut = cut && s->table[n].page[1] != s->table[n].page[0] + 1;
    check(lesson, s->pool.left == 1 && cut, "%d of %d pages are held, and no text lies in one piece",
          PAGES - s->pool.left, PAGES);
}

// ---- to the bit

enum { H = 4, HEAD = 16, TOKENS = 70, C = 24, DR = 8, PAGE_SIZES = 7 };
static const int PAGE_SIZE[PAGE_SIZES] = { 1, 2, 4, 8, 16, 32, 64 };

typedef enum { ROWS_FLOAT, ROWS_LATENT, ROWS_CODED } RowKind;
typedef struct {
    const char *name;
    RowKind rows;
    int G;
    QuantisedKind code;
} Kind;

// clang-format off
static const Kind KINDS[] = {
    { "MHA, G = 4", ROWS_FLOAT, 4, 0 }, { "GQA, G = 2", ROWS_FLOAT, 2, 0 }, { "MQA, G = 1", ROWS_FLOAT, 1, 0 },
    { "latents, c = 24", ROWS_LATENT, 4, 0 }, { "INT8, G = 2", ROWS_CODED, 2, QUANTISED_INT8 },
    { "INT4, G = 2", ROWS_CODED, 2, QUANTISED_INT4 }, { "FP8, G = 2", ROWS_CODED, 2, QUANTISED_FLOAT8 },
};
// clang-format on
enum { KINDS_COUNT = sizeof KINDS / sizeof *KINDS };

// Random queries, keys and values of one kind, and what attention makes of them over a cache in one piece.
typedef struct {
    const Kind *kind;
    Mat q, k, v, out;
    LatentHeads w;
    Mask masks[H];
} Problem;

static QuantisedFormat row_format(const Kind *kind)
{
    return (QuantisedFormat){ kind->code, 1, HEAD, QUANTISED_PER_TOKEN, QUANTISED_PER_TOKEN };
}

static Mat normals(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

// In one piece: a contiguous cache of this kind, all tokens at once.
static void in_one_piece(Lesson *lesson, Problem *p)
{
    Attended to = { .out = p->out };
    if (p->kind->rows == ROWS_LATENT) {
        LatentCache cache = latent_cache_new(lesson->arena, TOKENS, C, DR);
        latent_attend(to, &cache, p->q, p->k, p->w, p->masks, attention_naive);
    } else if (p->kind->rows == ROWS_CODED) {
        QuantisedFormat format = row_format(p->kind);
        QuantisedCache cache = quantised_new(lesson->arena, format, TOKENS, p->k.cols, p->v.cols);
        quantised_append(&cache, p->k, p->v);
        kv_segments_attend_in_order(to, p->q, quantised_segments(&cache), H, p->masks);
    } else {
        KvCache cache = kv_cache_new(lesson->arena, TOKENS, p->k.cols, p->v.cols);
        kv_cache_attend(to, &cache, p->q, p->k, p->v, H, p->masks, attention_naive);
    }
}

static Problem problem_of(Lesson *lesson, const Kind *kind)
{
    bool latent = kind->rows == ROWS_LATENT;
    int width = kind->G * HEAD;
    Problem p = { .kind = kind, .out = mat_new(lesson->arena, TOKENS, H * HEAD) };
    p.q = normals(lesson, TOKENS, H * (latent ? HEAD + DR : HEAD));
    p.k = normals(lesson, TOKENS, latent ? C + DR : width);
    p.v = latent ? mat_cols(p.k, 0, C) : normals(lesson, TOKENS, width);
    if (latent) p.w = (LatentHeads){ normals(lesson, C, width), normals(lesson, C, width), H, DR };
    for (int h = 0; h < H; h++) p.masks[h] = (Mask){ .causal = true };
    in_one_piece(lesson, &p);
    return p;
}

static PagedMemory memory_of(Arena *arena, const Problem *p, PagePool *pool)
{
    if (p->kind->rows == ROWS_LATENT) return paged_memory_latents(arena, pool, 1, C, DR);
    if (p->kind->rows == ROWS_CODED)
        return paged_memory_codes(arena, pool, 1, p->k.cols, p->v.cols, row_format(p->kind));
    return paged_memory_new(arena, pool, 1, p->k.cols, p->v.cols);
}

static void attend_rows(Attended to, const Problem *p, const KvStore *store, int first, int n, AttentionKernel *kernel)
{
    Mat q = mat_rows(p->q, first, n), k = mat_rows(p->k, first, n), v = mat_rows(p->v, first, n);
    if (p->kind->rows == ROWS_LATENT) latent_attend_over(to, store, q, k, p->w, p->masks, kernel);
    else store->attend(to, store->cache, q, k, v, H, p->masks, kernel);
}

// Through a table of shuffled pages, in chunks of 1 to 9 tokens. Returns the bytes a token.
static double in_pages(Lesson *lesson, const Problem *p, int size, AttentionKernel *kernel, Mat out)
{
    Arena *arena = arena_open();
    PagePool pool = page_pool_new(arena, TOKENS / size + 2, size);
    random_shuffle(&lesson->random, pool.free, pool.count);
    PagedMemory memory = memory_of(arena, p, &pool);
    PageTable table = page_table_new(arena, &pool, TOKENS);
    PagedCache cache = paged_cache_of(&table, &memory, 0);
    KvStore store = paged_cache_store(&cache);
    for (int first = 0, n; first < TOKENS; first += n) {
        n = 1 + random_below(&lesson->random, 9);
        if (n > TOKENS - first) n = TOKENS - first;
        bool grown = page_table_grow(&table, n, paged_memory_copy, &memory);
        REQUIRE(grown, "%d pages are left", pool.left);
        attend_rows((Attended){ .out = mat_rows(out, first, n) }, p, &store, first, n, kernel);
    }
    double bytes = (double)paged_memory_page_bytes(&memory) / size;
    arena_close(arena);
    return bytes;
}

void to_the_bit(Lesson *lesson)
{
    static const char *const cols[] = { "bytes a token", "sizes of pages", "to the bit" };
    step(lesson, "To the bit");
    Rows table = rows_of(lesson, "70 tokens in pages of 1, 2, 4 … 64, against one piece", cols, 3);
    table.table.decimals = -1;
    int same = 0;
    double apart = 0.0;
    for (int k = 0; k < KINDS_COUNT; k++) {
        Problem p = problem_of(lesson, &KINDS[k]);
        int right = 0;
        double bytes = 0.0;
        for (int s = 0; s < PAGE_SIZES; s++) {
            Mat out = mat_new(lesson->arena, TOKENS, H * HEAD);
            bytes = in_pages(lesson, &p, PAGE_SIZE[s], attention_naive, out);
            right += mat_equal(out, p.out);
            in_pages(lesson, &p, PAGE_SIZE[s], attention_online, out);
            apart = fmax(apart, mat_max_difference(out, p.out) / mat_magnitude(p.out));
        }
        rows_add(&table, ROW(bytes, PAGE_SIZES, right), "%s", KINDS[k].name);
        same += right;
    }
    show_rows(lesson, &table);
    check(lesson, same == KINDS_COUNT * PAGE_SIZES, "read in order, all %d give the bits of one piece", same);
    check(lesson, apart < 1e-5,
          "a page at a time by the online kernel, and merged: at most %.0e of the largest output "
          "apart",
          apart);
}
