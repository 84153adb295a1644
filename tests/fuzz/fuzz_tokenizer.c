// Any bytes as a tokenizer.json or a vocab.txt: texts become tokens that exist, of bytes that the text has, and text
// again; or one sentence that begins with the name.
#include "fuzz/mutate.h"
#include "tokenizer/tokenizer.h"

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

FUZZ(1000)
{
    Tokenizer *t;
    bool lines = file.size > 0 && file.at[0] == '['; // no tokenizer.json is a list
    bool ok = lines ? tokenizer_parse_vocabulary(&t, arena, file, "fuzz", file.at[file.size - 1] & 1, error)
                    : tokenizer_parse(&t, arena, file, "fuzz", error);
    if (!ok) return false;
    check_text(arena, t, "the\xC3\xA9's 12  e\xCC\x81\xFF<s>\n \xE4\xBD\xA0!");
    size_t last = file.size > 32 ? 32 : file.size;
    check_pair(arena, t, memcpy(arena_alloc(arena, 33), file.at + file.size - last, last), "a b"); // its own bytes
    return true;
}
