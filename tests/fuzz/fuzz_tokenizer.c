// Any bytes as a tokenizer.json or a vocab.txt: texts become tokens that exist, of bytes that the text has, and text
// again; or one sentence that begins with the name.
#include "fuzz/mutate.h"
#include "tokenizer/tokenizer.h"

#include <stdlib.h>
#include <string.h>

MUTATED_BY(mutate_json)

static void check_list(const Tokenizer *t, TokenList list, size_t first, size_t second)
{
    size_t longest = first > second ? first : second;
    for (int i = 0; i < list.count; i++) {
        if (list.ids[i] < 0 || list.ids[i] >= tokenizer_count(t)) abort();
        if (list.from[i] < 0 || list.to[i] < list.from[i] || (size_t)list.to[i] > longest) abort();
    }
}

static void check_text(Arena *arena, const Tokenizer *t, const char *text)
{
    TokenList list = tokenizer_encode(arena, t, text, true);
    check_list(t, list, strlen(text), 0);
    const char *back = tokenizer_decode(arena, t, list.ids, list.count, false);
    if (list.count && (!back || !tokenizer_shown(arena, t, list.ids[list.count / 2]))) abort();
}

static void check_pair(Arena *arena, const Tokenizer *t, const char *first, const char *second)
{
    int *kinds;
    TokenList list;
    if (tokenizer_encode_pair(&list, &kinds, arena, t, first, second))
        check_list(t, list, strlen(first), strlen(second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    Tokenizer *t;
    Error error = { .text = "" };
    FileBytes file = { data, size };
    bool lines = size > 0 && data[0] == '['; // no tokenizer.json is a list
    bool ok = lines ? tokenizer_parse_vocabulary(&t, arena, file, "fuzz", data[size - 1] & 1, &error)
                    : tokenizer_parse(&t, arena, file, "fuzz", &error);
    if (ok) {
        check_text(arena, t, "the\xC3\xA9's 12  e\xCC\x81\xFF<s>\n \xE4\xBD\xA0!");
        char *end = memcpy(arena_alloc(arena, 33), data + (size > 32 ? size - 32 : 0), size > 32 ? 32 : size);
        check_pair(arena, t, end, "a b"); // and what stands in the file itself
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 1000) {
        abort();
    }
    arena_close(arena);
    return 0;
}
