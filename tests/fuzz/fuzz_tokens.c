// Any bytes as a file of tokens: words that can be drawn, one for each row, or one sentence that names the file. How
// many rows there are, and what the file is called, hangs on its length.
#include "fuzz/mutate.h"
#include "io/text.h"
#include "viz/document.h"

// A .npy of zeros, (n, n).
static FileBytes square(Arena *arena, int n)
{
    const char *words = arena_format(arena, "{'descr': '<f2', 'fortran_order': False, 'shape': (%d, %d), }\n", n, n);
    size_t length = strlen(words), size = 10 + length + 2 * (size_t)(n * n);
    unsigned char *file = arena_alloc(arena, size);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (unsigned char)length;
    memcpy(file + 10, words, length);
    return (FileBytes){ file, size };
}

static void check_word(const char *word)
{
    const unsigned char *at = (const unsigned char *)word;
    if (!*at) abort();
    while (*at) {
        size_t length = text_utf8_length(at, strlen((const char *)at));
        if (!length || *at < 0x20 || *at == 0x7F) abort();
        at += length;
    }
}

static void mutate_tokens(Draft *draft)
{
    if (draft->at[0] == '[' || draft->at[0] == '{') mutate_json(draft);
    else draft_mutate(draft, 0, draft->size);
}

MUTATED_BY(mutate_tokens)

FUZZ(1000)
{
    char *text = arena_format(arena, "%.*s", (int)file.size, (const char *)file.at);
    int which = (int)(file.size % 8), n = 1 + which / 2;
    Reading reading = { .tokens = text, .tokens_name = which % 2 ? "fuzz.json" : "fuzz" };
    if (n == 4) {
        reading.key_tokens = text;
        reading.key_tokens_name = "fuzz";
    }
    Document d;
    if (!document_parse(&d, arena, square(arena, n), "square", reading, error)) return false;
    for (int i = 0; i < n; i++) {
        if (d.queries) check_word(d.queries[i]);
        if (d.keys) check_word(d.keys[i]);
    }
    return true;
}
