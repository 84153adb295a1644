// Exercise 20b: my_diagnosis. The pages are played through with each mistake, so what a reader is told is what such
// pages would do.
#include "exercises/judge.h"

#include <string.h>

Letters my_diagnosis;

enum { PAGES = 6, SIZE = 4, ROWS = PAGES * SIZE, B_READS = 7, MOST_FREE = 2 * PAGES };
static const char right[] = "CAEBD";

typedef struct {
    int page[2], pages, length;
} Table;
typedef struct {
    char mistake;
    int holders[PAGES], free[MOST_FREE], left;
    const char *row[ROWS];
} Pool;

static void give_back(Pool *pool, int page)
{
    pool->holders[page]--;
    if (pool->holders[page] <= 0 || pool->mistake == 'E') pool->free[pool->left++] = page;
}

static int take(Pool *pool)
{
    int page = pool->free[--pool->left];
    pool->holders[page] = 1;
    return page;
}

static void write_word(Pool *pool, Table *table, const char *word)
{
    int row = table->length % SIZE;
    if (row == 0) table->page[table->pages++] = take(pool);
    int *last = &table->page[table->pages - 1], old = *last;
    bool own = pool->holders[old] > 1 || pool->mistake == 'D';
    if (row > 0 && own && pool->mistake != 'A') {
        *last = take(pool);
        for (int i = 0; i < row && pool->mistake != 'B'; i++) pool->row[*last * SIZE + i] = pool->row[old * SIZE + i];
        // With 'E' it is the end of a text that goes wrong, and not this.
        if (pool->mistake != 'C' && --pool->holders[old] == 0) pool->free[pool->left++] = old;
    }
    pool->row[*last * SIZE + row] = word;
    table->length++;
}

// a's two pages after step 4, what b reads, and how many are free.
typedef struct {
    int a[2], left;
    const char *read[B_READS];
} Seen;

// The mistake is made from step 2 on, up to the end of a.
static Seen play(char mistake)
{
    static const char *const of_a[] = { "a0", "a1", "a2", "a3", "a4", "a5" }, *const of_c[] = { "c0", "c1", "c2",
                                                                                                "c3" };
    Pool pool = { .mistake = 'R', .left = PAGES };
    Table a = { .pages = 0 }, b, c = { .pages = 0 };
    for (int p = 0; p < PAGES; p++) pool.free[p] = PAGES - 1 - p;
    for (int r = 0; r < ROWS; r++) pool.row[r] = "--";
    for (int t = 0; t < 6; t++) write_word(&pool, &a, of_a[t]);
    pool.mistake = mistake;
    b = a;
    for (int i = 0; i < a.pages && mistake != 'F'; i++) pool.holders[a.page[i]]++;
    write_word(&pool, &b, "bb");
    write_word(&pool, &a, "aa");
    Seen seen = { .a = { a.page[0], a.page[1] } };
    for (int i = a.pages - 1; i >= 0; i--) give_back(&pool, a.page[i]);
    pool.mistake = 'R';
    for (int t = 0; t < 4; t++) write_word(&pool, &c, of_c[t]);
    for (int t = 0; t < B_READS; t++) seen.read[t] = pool.row[b.page[t / SIZE] * SIZE + t % SIZE];
    seen.left = pool.left;
    return seen;
}

// Where the two outcomes differ first, in words.
static const char *property(Arena *arena, char named, int pool)
{
    Seen with = play(named), has = play(right[pool]);
    for (int t = 0; t < B_READS; t++)
        if (strcmp(with.read[t], has.read[t]))
            return arena_format(arena, "with the mistake '%c' b would read %s as its word %d; here it reads %s", named,
                                with.read[t], t, has.read[t]);
    if (with.a[1] != has.a[1])
        return arena_format(arena, "with the mistake '%c' a would end in page %d; here it ends in page %d", named,
                            with.a[1], has.a[1]);
    return arena_format(arena, "with the mistake '%c' %d pages would be free in the end; here %d are", named, with.left,
                        has.left);
}

static const char *const questions[] = {
    "a had to move, though nobody else read its page any more: who was still counted there, and until when?",
    "b reads a word of a: into which page did both write, and was page 0 counted rightly?",
    "c was given a page that b still read: when did that page become free?",
    "b has a page of its own: what should stand in its first rows?",
    "nothing is lost and nothing is wrong: what was done that need not be done?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f,
                  (Diagnosis){ "my_diagnosis of", right, 'F', questions,
                               "play the six steps with a pencil: tables, holders, free", property });
}

static char truth(int pool) { return right[pool]; }
static char no_letter(int pool) { return "?AEBD"[pool]; }
static char swapped(int pool) { return "CFEBD"[pool]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'F'" },
                 { AS(Letters, swapped),
                   .told = "with the mistake 'F' b would read c0 as its word 0; here it reads a0" } } },
};
EXERCISE("20b", tasks)
