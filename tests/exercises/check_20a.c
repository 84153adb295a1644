// Exercise 20a: my_row, my_scores and my_append.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <string.h>

int my_row(const int *table, int size, int t);
void my_scores(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d);
int my_append(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x);

enum { PAGES = 6, SIZE = 4, ROWS = PAGES * SIZE, ENTRIES = 4 };

// ---- 1

typedef enum { THROUGH, NO_TABLE, SWAPPED, PAGE_AS_ROW, FIRST_ONLY, FIRST_PAGE_ON } Place;

static int row_by(const int *table, int size, int t, Place how)
{
    switch (how) {
    case NO_TABLE: return t;
    case SWAPPED: return table[t / size] * size + t / size;
    case PAGE_AS_ROW: return table[t / size] + t % size;
    case FIRST_ONLY: return table[t / size] * size;
    case FIRST_PAGE_ON: return table[0] * size + t;
    default: return table[t / size] * size + t % size;
    }
}

static Mat rows_by(Arena *arena, const int *table, int size, int n, Place how)
{
    Mat m = mat_new(arena, 1, n);
    for (int t = 0; t < n; t++) *mat_ref(m, 0, t) = (float)row_by(table, size, t, how);
    return m;
}

static void row_case(Judge *judge, const char *what, const int *table, int size, int n)
{
    Mat got = judge_output(judge, 1, n);
    Arena *arena = judge->arena;
    judge_trying(judge, "my_row of tokens 0 to %d, pages of %d, table %s", n - 1, size, what);
    for (int t = 0; t < n; t++) *mat_ref(got, 0, t) = (float)my_row(table, size, t);
    judge_answer(judge,
                 (Answer){ .got = got,
                           .expected = rows_by(arena, table, size, n, THROUGH),
                           .hints = { .property = "a token is not found where it stands",
                                      .question = "which entry of the table is it, and which row of that page?",
                                      .formula = "table[t / size] · size + t mod size" },
                           .mistakes = { { "the table is not looked at: token t would stand in row t",
                                           rows_by(arena, table, size, n, NO_TABLE) },
                                         { "the row within the page is counted in pages: it is what is left of t",
                                           rows_by(arena, table, size, n, SWAPPED) },
                                         { "page p does not begin in row p: the pages before it have rows, too",
                                           rows_by(arena, table, size, n, PAGE_AS_ROW) },
                                         { "all tokens of a page are in its first row",
                                           rows_by(arena, table, size, n, FIRST_ONLY) },
                                         { "the pages are taken to follow the first one; each has an entry of its own",
                                           rows_by(arena, table, size, n, FIRST_PAGE_ON) } } });
}

// ---- 2

typedef enum { SCORED, FIRST_KEYS, FROM_FIRST_PAGE, IN_ORDER_OF_PAGES, COLUMNS, OVER_ROOT } Reading;

typedef struct {
    int length, d;
    const int *table;
    Mat q, keys;
} Text;

static int key_row(const Text *text, int j, Reading how)
{
    if (how == FIRST_KEYS) return j;
    if (how == FROM_FIRST_PAGE) return text->table[0] * SIZE + j;
    if (how != IN_ORDER_OF_PAGES) return row_by(text->table, SIZE, j, THROUGH);
    int pages = (text->length + SIZE - 1) / SIZE, left = j / SIZE;
    for (int p = 0; p < PAGES; p++)
        for (int i = 0; i < pages; i++)
            if (text->table[i] == p && left-- == 0) return p * SIZE + j % SIZE;
    return 0;
}

static Mat scored(Arena *arena, const Text *text, Reading how)
{
    Mat m = mat_new(arena, 1, text->length);
    for (int j = 0; j < text->length; j++) {
        int row = key_row(text, j, how);
        for (int c = 0; c < text->d; c++) {
            int at = how == COLUMNS ? c * ROWS + row : row * text->d + c;
            *mat_ref(m, 0, j) += *mat_ref(text->q, 0, c) * text->keys.at[at];
        }
        if (how == OVER_ROOT) *mat_ref(m, 0, j) /= sqrtf((float)text->d);
    }
    return m;
}

static void scores_case(Judge *judge, const int *table, int length, int d)
{
    Random random = random_from((uint64_t)(20 + d));
    Arena *arena = judge->arena;
    Text text = { length, d, table, mat_new(arena, 1, d), mat_new(arena, ROWS, d) };
    random_normals(&random, text.q);
    random_normals(&random, text.keys);
    Mat got = judge_output(judge, 1, length);
    judge_trying(judge, "my_scores of %d tokens of %d numbers, pages of %d", length, d, SIZE);
    my_scores(got.at, text.q.at, text.keys.at, table, length, SIZE, d);
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = scored(arena, &text, SCORED),
                     .tolerance = 1e-4f,
                     .hints = { .property = "a score is not that of the query and the token's key",
                                .question = "in which row does key j stand, and where does that row begin?",
                                .formula = "scores[j] = Σ q[c] · keys[my_row(j) · d + c]" },
                     .mistakes = {
                         { "the keys are read from row 0 on: these belong to others, too",
                           scored(arena, &text, FIRST_KEYS) },
                         { "the keys are read on behind the first page; the next page may lie elsewhere",
                           scored(arena, &text, FROM_FIRST_PAGE) },
                         { "the pages are read in the order in which they lie, not in that of the table",
                           scored(arena, &text, IN_ORDER_OF_PAGES) },
                         { "a key is read down a column; its numbers lie side by side", scored(arena, &text, COLUMNS) },
                         { "this is divided by √d: the task asks for the bare product",
                           scored(arena, &text, OVER_ROOT) } } });
}

// ---- 3

typedef enum {
    APPENDED,
    NO_COPY,
    EMPTY_COPY,
    OLD_NOT_DROPPED,
    NEW_NOT_HELD,
    ALWAYS_COPIES,
    FULL_IS_COPIED,
    NOT_TAKEN,
    FROM_THE_FRONT,
    DROPS_ON_FAILURE,
    ROW_ZERO
} Appending;

typedef struct {
    int table[ENTRIES], holders[PAGES], free[PAGES], left, length, returned;
    float memory[ROWS];
} World;

static int take(World *w, Appending how)
{
    int page = how == FROM_THE_FRONT ? w->free[0] : w->free[w->left - 1];
    if (how == FROM_THE_FRONT)
        for (int i = 1; i < w->left; i++) w->free[i - 1] = w->free[i];
    if (how != NOT_TAKEN) w->left--;
    if (how != NEW_NOT_HELD) w->holders[page] = 1;
    return page;
}

static void append_by(World *w, float x, Appending how)
{
    int entry = w->length / SIZE, row = w->length % SIZE, old = row ? w->table[entry] : -1;
    bool shared = row && (w->holders[old] > 1 || how == ALWAYS_COPIES) && how != NO_COPY;
    bool full = !row && how == FULL_IS_COPIED && w->length && w->holders[w->table[entry - 1]] > 1;
    w->returned = 1;
    if ((shared || !row) && w->left == 0) {
        if (how == DROPS_ON_FAILURE && shared) w->holders[old]--;
        w->returned = 0;
        return;
    }
    if (full) { // the full page before it, as if it were written
        int page = take(w, how), before = w->table[entry - 1];
        memcpy(w->memory + page * SIZE, w->memory + before * SIZE, SIZE * sizeof(float));
        w->holders[before]--;
        w->table[entry - 1] = page;
    }
    if (shared || !row) {
        int page = take(w, how);
        for (int i = 0; i < row && how != EMPTY_COPY; i++) w->memory[page * SIZE + i] = w->memory[old * SIZE + i];
        if (shared && how != OLD_NOT_DROPPED && --w->holders[old] == 0) w->free[w->left++] = old;
        w->table[entry] = page;
    }
    w->memory[w->table[entry] * SIZE + (how == ROW_ZERO ? 0 : row)] = x;
}

// Returned, left, table, holders, the free pages in their order, memory.
static Mat seen(Arena *arena, const World *w)
{
    Mat m = mat_new(arena, 1, 2 + ENTRIES + 2 * PAGES + ROWS);
    float *at = m.at;
    *at++ = (float)w->returned;
    *at++ = (float)w->left;
    for (int i = 0; i < ENTRIES; i++) *at++ = (float)w->table[i];
    for (int p = 0; p < PAGES; p++) *at++ = (float)w->holders[p];
    for (int p = 0; p < PAGES; p++) *at++ = p < w->left ? (float)w->free[p] : -1.0f;
    for (int r = 0; r < ROWS; r++) *at++ = w->memory[r];
    return m;
}

static Mat appended(Arena *arena, World w, float x, Appending how)
{
    append_by(&w, x, how);
    return seen(arena, &w);
}

static const char *property_of(Arena *arena, const World *got, const World *want)
{
    if (got->returned != want->returned)
        return want->returned ? "there are pages enough, but 0 came back" : "no page is left, but 1 came back";
    for (int i = 0; i < ENTRIES; i++)
        if (got->table[i] != want->table[i]) return arena_format(arena, "entry %d of the table is not right", i);
    for (int r = 0; r < ROWS; r++)
        if (got->memory[r] != want->memory[r])
            return arena_format(arena, "row %d of memory is not what it should be", r);
    for (int p = 0; p < PAGES; p++)
        if (got->holders[p] != want->holders[p])
            return arena_format(arena, "the holders of page %d are not counted rightly", p);
    return "the free pages are not right";
}

static void append_case(Judge *judge, const char *what, World w)
{
    static const struct {
        Appending how;
        const char *words;
    } known[] = {
        { NO_COPY, "a page was written that others hold: they read the new row as theirs" },
        { EMPTY_COPY, "the page of its own lacks what stood in the old one" },
        { OLD_NOT_DROPPED, "the text is still counted as a holder of the page that it has left" },
        { NEW_NOT_HELD, "the page that was taken has no holder" },
        { ALWAYS_COPIES, "a page was copied that nobody else holds: its free rows are the text's to write" },
        { FULL_IS_COPIED, "a full page was copied; nothing is written into it any more" },
        { NOT_TAKEN, "the page that was taken still stands among the free ones" },
        { FROM_THE_FRONT, "the first of the free pages was taken; the task says the last" },
        { DROPS_ON_FAILURE, "no page is left, and yet something was changed" },
        { ROW_ZERO, "the new row is written to the beginning of the page" },
    };
    Arena *arena = judge->arena;
    World got = w, want = w;
    append_by(&want, 9.0f, APPENDED);
    judge_trying(judge, "my_append: %s", what);
    got.returned = my_append(got.table, got.length, SIZE, got.holders, got.free, &got.left, got.memory, 9.0f);
    judge_claim(judge, got.left >= 0,
                (Hints){ "*left is less than 0 now: a page was taken, and there was none",
                         "what does the task say of a page that is needed where none is left?", NULL });
    judge_claim(judge, got.left <= PAGES, (Hints){ "*left is more than all pages", NULL, NULL });
    Answer answer = {
        .got = seen(arena, &got),
        .expected = seen(arena, &want),
        .hints = { property_of(arena, &got, &want), "is there a row left in the last page, and whose is it to write?",
                   "length mod size is 0: a new page. Else, where holders > 1: a new page and its rows, and one holder "
                   "less of the old one" },
    };
    for (int m = 0; m < (int)(sizeof known / sizeof *known); m++)
        answer.mistakes[m] = (Mistake){ known[m].words, appended(arena, w, 9.0f, known[m].how) };
    judge_answer(judge, answer);
}

// A text of `length` tokens in pages 3, 0, 5 …, the last of which has that many holders; `left` pages are free.
static World world_of(int length, int last_holders, int left)
{
    static const int order[ENTRIES] = { 3, 0, 5, 1 };
    World w = { .length = length, .left = left };
    int pages = (length + SIZE - 1) / SIZE;
    for (int i = 0; i < pages; i++) {
        w.table[i] = order[i];
        w.holders[order[i]] = i == pages - 1 ? last_holders : 2;
    }
    for (int i = pages; i < ENTRIES; i++) w.table[i] = -1;
    static const int spare[] = { 4, 1, 2 };
    for (int i = 0; i < left; i++) w.free[i] = spare[i];
    for (int r = 0; r < ROWS; r++) w.memory[r] = 100.0f + (float)r;
    return w;
}

static void check(Judge *judge)
{
    static const int near[] = { 0, 1, 2 }, apart[] = { 5, 2, 4 }, turned[] = { 3, 0, 5, 1 };
    row_case(judge, "0, 1, 2", near, 4, 12);
    row_case(judge, "5, 2, 4", apart, 4, 10);
    row_case(judge, "3, 0, 5, 1", turned, 1, 4);
    scores_case(judge, turned, 4, 3);
    scores_case(judge, turned, 10, 5);
    append_case(judge, "the last page has room, and is the text's alone", world_of(6, 1, 3));
    append_case(judge, "the last page is full, and a page is free", world_of(8, 1, 3));
    append_case(judge, "the first token of all", world_of(0, 0, 3));
    append_case(judge, "the last page has room, but two hold it", world_of(7, 2, 3));
    append_case(judge, "the last page is full, and two hold it", world_of(8, 2, 3));
    append_case(judge, "no page is free, but the last one has room", world_of(5, 1, 0));
    append_case(judge, "no page is free, and the last one is shared", world_of(5, 3, 0));
    append_case(judge, "no page is free, and the last one is full", world_of(8, 1, 0));
}

int main(void) { return judge_main("20a", check); }
