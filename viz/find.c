// Searches words.
#include "viz/find.h"

#include "base/portable_math.h"

#include <stdio.h>
#include <string.h>

// ---- one word -------------------------------------------------------------------------------------------------------

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// The length of the rest if `word` starts with `text`, ignoring case; −1: it does not.
static int after(const char *word, const char *text)
{
    for (; *text; word++, text++)
        if (small(*word) != small(*text)) return -1;
    return (int)strlen(word);
}

static bool matches(const char *word, const char *text, bool part)
{
    if (!part) return after(word, text) == 0;
    for (; *word; word++)
        if (after(word, text) >= 0) return true;
    return false;
}

static bool found(const FindSide *side, const char *const *words, int n)
{
    char digits[16];
    if (words) return matches(words[n], side->text, side->part);
    snprintf(digits, sizeof digits, "%d", n);
    return !strcmp(digits, side->text);
}

bool find_query(const Find *find, const Document *d, int i)
{
    return find->any && !find->queries.all && find->queries.count && found(&find->queries, d->queries, i);
}

bool find_key(const Find *find, const Document *d, int j)
{
    return find->any && !find->keys.all && find->keys.count && found(&find->keys, d->keys, j);
}

// ---- what is typed --------------------------------------------------------------------------------------------------

static int count_found(const FindSide *side, const char *const *words, int all)
{
    int count = 0;
    for (int n = 0; n < all; n++) count += found(side, words, n);
    return count;
}

// One side of the search, without surrounding spaces.
static FindSide side_of(const char *text, size_t length, const char *const *words, int all)
{
    FindSide side = { .part = false };
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ') length--;
    if (length > FIND_TEXT - 1) length = FIND_TEXT - 1;
    memcpy(side.text, text, length);
    side.all = length == 0;
    side.count = side.all ? all : count_found(&side, words, all);
    if (side.count || !words) return side;
    side.part = true;
    side.count = count_found(&side, words, all);
    return side;
}

// ">" separates two words if either side has something besides spaces; alone it is a word.
Find find_words(const Document *d, const char *text)
{
    size_t length = strlen(text), blank = strspn(text, " ");
    const char *sign = strchr(text, '>');
    Find find = { .any = blank < length };
    find.two = sign && strspn(text, " >") < length;
    if (!find.any) return find;
    size_t first = find.two ? (size_t)(sign - text) : length;
    find.queries = side_of(text, first, d->queries, d->T);
    if (find.two) find.keys = side_of(sign + 1, length - first - 1, d->keys, d->S);
    else find.keys = side_of(text, length, d->keys, d->S);
    return find;
}

// ---- from one word to another ---------------------------------------------------------------------------------------

int find_cells(const Find *find, const Document *d)
{
    const double most = 1 << 20; // cells in all heads: some 10 ms
    if (!find->any || !find->two) return 0;
    double cells = (double)find->queries.count * find->keys.count;
    return cells * d->layers * d->heads > most ? 0 : (int)cells;
}

// Indices of the matches, side->count.
static int *places_of(Arena *arena, const FindSide *side, const char *const *words, int all)
{
    int *at = arena_alloc(arena, ((size_t)side->count + 1) * sizeof *at), count = 0;
    for (int n = 0; n < all; n++)
        if (side->all || found(side, words, n)) at[count++] = n;
    return at;
}

double find_sum(const Find *find, const Document *d, int layer, int head)
{
    Arena *scratch = arena_open();
    const int *rows = places_of(scratch, &find->queries, d->queries, d->T);
    const int *cols = places_of(scratch, &find->keys, d->keys, d->S);
    double sum = 0;
    int shown = 0;
    for (int r = 0; r < find->queries.count; r++)
        for (int c = 0; c < find->keys.count; c++) {
            if (document_hidden(d, layer, head, rows[r], cols[c])) continue;
            sum += (double)field_at(document_maps(d), layer, head, rows[r], cols[c]);
            shown++;
        }
    arena_close(scratch);
    return shown ? sum : (double)NAN;
}

// ---- one after the other --------------------------------------------------------------------------------------------

int find_count(const Find *find)
{
    if (!find->any) return 0;
    double count =
        find->two ? (double)find->queries.count * find->keys.count : (double)find->queries.count + find->keys.count;
    return count > 1 << 30 ? 1 << 30 : (int)count;
}

static int nth(const FindSide *side, const char *const *words, int all, int n)
{
    for (int at = 0; at < all; at++)
        if ((side->all || found(side, words, at)) && n-- == 0) return at;
    return -1;
}

void find_place(const Find *find, const Document *d, int n, int *query, int *key)
{
    int queries = find->queries.count, keys = find->keys.count;
    *query = *key = -1;
    if (find->two) {
        *query = nth(&find->queries, d->queries, d->T, n / keys);
        *key = nth(&find->keys, d->keys, d->S, n % keys);
    } else if (n < queries) *query = nth(&find->queries, d->queries, d->T, n);
    else *key = nth(&find->keys, d->keys, d->S, n - queries);
}
