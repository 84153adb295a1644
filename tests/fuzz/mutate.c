// Drafts, and JSON. Values are found by brackets and quotes, also where the text is no JSON any more.
#include "fuzz/mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

size_t mutate(uint8_t *data, size_t size, size_t most, unsigned seed, void how(Draft *draft))
{
    Draft draft = { data, size, most, random_from(seed) };
    if (size == 0 || random_below(&draft.random, 4) == 0) return LLVMFuzzerMutate(data, size, most);
    for (int times = 1 + random_below(&draft.random, 3); times > 0; times--) how(&draft);
    return draft.size;
}

void draft_replace(Draft *d, size_t from, size_t to, const void *with, size_t count)
{
    if (d->size - (to - from) + count > d->most) return;
    uint8_t *copy = malloc(count + 1);
    if (!copy) abort();
    if (count) memcpy(copy, with, count);
    memmove(d->at + from + count, d->at + to, d->size - to);
    memcpy(d->at + from, copy, count);
    d->size += count - (to - from);
    free(copy);
}

void draft_mutate(Draft *d, size_t from, size_t to)
{
    size_t room = d->most - d->size + (to - from);
    uint8_t *copy = malloc(room + 1);
    if (!copy) abort();
    memcpy(copy, d->at + from, to - from);
    size_t count = room ? LLVMFuzzerMutate(copy, to - from, room) : 0;
    draft_replace(d, from, to, copy, count);
    free(copy);
}

// ---- JSON

// A value: bytes from … to − 1, and where it begins with its key.
typedef struct {
    size_t whole, from, to;
} Span;
enum { MOST_SPANS = 256, DEEPEST = 80 };

typedef struct {
    Span spans[MOST_SPANS];
    int count, open[DEEPEST], depth;
} Values;

static bool blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Behind the quote that ends the string, or the end.
static size_t string_end(const uint8_t *at, size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++) {
        if (at[i] == '"') return i + 1;
        if (at[i] == '\\') i++;
    }
    return to;
}

static size_t word_end(const uint8_t *at, size_t from, size_t to)
{
    size_t i = from + 1;
    while (i < to && !blank(at[i]) && !strchr(",:[]{}\"", at[i])) i++;
    return i;
}

// The end of the token that begins here; a value is remembered. `key`: where a key stands that waits for its value.
static size_t take_token(Values *v, const uint8_t *at, size_t from, size_t to, size_t *key)
{
    uint8_t c = at[from];
    bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    size_t end = c == '"' ? string_end(at, from, to) : strchr(",:[]{}", c) ? from + 1 : word_end(at, from, to);
    size_t next = end;
    while (next < to && blank(at[next])) next++;
    if (closes && v->depth > 0) v->spans[v->open[--v->depth]].to = end;
    if (c == '"' && next < to && at[next] == ':') {
        *key = from;
        return next + 1;
    }
    if (closes || c == ',' || c == ':' || v->count == MOST_SPANS) return end;
    v->spans[v->count] = (Span){ *key < from ? *key : from, from, opens ? to : end };
    if (opens && v->depth < DEEPEST) v->open[v->depth++] = v->count;
    v->count++;
    *key = SIZE_MAX;
    return end;
}

static void find_values(Values *v, const uint8_t *at, size_t from, size_t to)
{
    size_t key = SIZE_MAX;
    v->count = v->depth = 0;
    while (from < to)
        if (blank(at[from]) || !at[from]) from++;
        else from = take_token(v, at, from, to, &key);
}

// clang-format off
static const char *const edges[] = {
    "0", "-0", "1", "-1", "2", "3", "0.5", "1e308", "-1e-320", "127", "128", "255", "256", "65535", "2147483647",
    "2147483648", "4294967296", "9007199254740991", "9007199254740993", "9223372036854775807", "1e400", "true", "false",
    "null", "\"\"", "\" \"", "[]", "{}", "[[]]", "[1, 2, 3]", "[0, 0]", "{\"\": 0}", "\"F32\"", "\"BF16\"",
    "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "\"\\u00e9\\n\"", "\"\xc3\xa9\"", "\"\xe2\x96\x81the\"",
    "\"##ing\"", "\"a</w>\"",
};
// clang-format on
enum { EDGES = sizeof edges / sizeof *edges };

static void take_away(Draft *d, Span s, size_t to)
{
    size_t end = s.to;
    while (end < to && blank(d->at[end])) end++;
    if (end < to && d->at[end] == ',') end++;
    else end = s.to;
    while (end == s.to && s.whole > 0 && blank(d->at[s.whole - 1])) s.whole--;
    if (end == s.to && s.whole > 0 && d->at[s.whole - 1] == ',') s.whole--;
    draft_replace(d, s.whole, end, "", 0);
}

static void wrap(Draft *d, Span s)
{
    bool object = random_below(&d->random, 2);
    draft_replace(d, s.to, s.to, object ? "}" : "]", 1);
    draft_replace(d, s.from, s.from, object ? "{\"a\": " : "[", object ? 6 : 1);
}

// Once more behind itself; of a member of an object that is a key twice, of an element a longer array.
static void repeat(Draft *d, Span s)
{
    draft_replace(d, s.to, s.to, d->at + s.whole, s.to - s.whole);
    draft_replace(d, s.to, s.to, ", ", 2);
}

size_t mutate_json_part(Draft *d, size_t from, size_t to)
{
    static Values values;
    size_t before = d->size;
    find_values(&values, d->at, from, to);
    if (values.count == 0) return to;
    Span s = values.spans[random_below(&d->random, values.count)];
    Span other = values.spans[random_below(&d->random, values.count)];
    const char *edge = edges[random_below(&d->random, EDGES)];
    bool text = d->at[s.from] == '"' && s.to - s.from >= 2;
    switch (random_below(&d->random, 7)) {
    case 0: draft_replace(d, s.from, s.to, d->at + other.from, other.to - other.from); break;
    case 1: draft_replace(d, s.from, s.to, edge, strlen(edge)); break;
    case 2: take_away(d, s, to); break;
    case 3: wrap(d, s); break;
    case 4: repeat(d, s); break;
    case 5: draft_mutate(d, s.from + text, s.to - text); break;
    default: // a key, where it has one
        if (s.whole < s.from && other.whole < other.from)
            draft_replace(d, s.whole, s.from, d->at + other.whole, other.from - other.whole);
        else if (s.whole < s.from) draft_mutate(d, s.whole + 1, string_end(d->at, s.whole, s.from) - 1);
    }
    return to + d->size - before;
}

void mutate_json(Draft *d) { mutate_json_part(d, 0, d->size); }
