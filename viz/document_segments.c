// Two sentences in one text: which words belong to A and which to B. From the tokens file ("segments": [0, 0, 1, 1]),
// or from separators: BERT's [SEP], </s> of RoBERTa and T5.
#include "viz/document_internal.h"

#include "io/json.h"

#include <string.h>

static bool is_separator(const char *word) { return !strcmp(word, "[SEP]") || !strcmp(word, "</s>"); }

// A ends with the first separator, or the last of several in a row. NULL: no second sentence.
static const unsigned char *parts_of_words(Arena *arena, const char *const *words, int count)
{
    int end = 0;
    while (words && end < count && !is_separator(words[end])) end++;
    while (words && end < count && is_separator(words[end])) end++;
    if (!words || end == count) return NULL;
    unsigned char *parts = arena_alloc(arena, (size_t)count);
    for (int i = end; i < count; i++) parts[i] = 1;
    return parts;
}

// The numbers of a member; NULL without an error: there is no such member.
static bool parts_of_member(const unsigned char **out, Arena *arena, const Json *root, const char *member, int count,
                            const char *name, Error *error)
{
    const Json *list = root->kind == JSON_OBJECT ? json_member(root, member) : NULL;
    int n = 0;
    *out = NULL;
    if (!list) return true;
    unsigned char *parts = arena_alloc(arena, (size_t)count + 1);
    const Json *at = list->kind == JSON_ARRAY ? list->first : NULL;
    for (; at; at = at->next, n++) {
        bool part = at->kind == JSON_NUMBER && (at->number == 0 || at->number == 1);
        if (!part)
            return error_set(error, "%s:%zu:%zu: \"%s\" must be an array of 0 and 1, one for each token", name,
                             at->line, at->column, member);
        if (n < count) parts[n] = at->number == 1;
    }
    if (n != count)
        return error_set(error, "%s:%zu:%zu: found %d numbers in \"%s\" for %d words", name, list->line, list->column,
                         n, member, count);
    *out = parts;
    return true;
}

static bool read_members(Document *d, Arena *arena, Reading reading, Error *error)
{
    Json *root;
    const char *text = reading.tokens ? reading.tokens : "";
    const char *name = reading.tokens_name ? reading.tokens_name : "the tokens";
    if (!strncmp(text, "\xEF\xBB\xBF", 3)) text += 3; // a byte order mark
    if (text[strspn(text, " \t\r\n")] != '{') return true;
    if (!json_parse(&root, arena, text, strlen(text), name, NULL)) return true; // words_read has reported it
    return parts_of_member(&d->query_sentence, arena, root, "segments", d->T, name, error) &&
           parts_of_member(&d->key_sentence, arena, root, "key_segments", d->S, name, error);
}

bool segments_read(Document *d, Arena *arena, Reading reading, Error *error)
{
    Document with = *d;
    if (!read_members(&with, arena, reading, error)) {
        if (reading.guessed) d->note = arena_format(arena, "%s", error->text);
        return reading.guessed;
    }
    if (!with.query_sentence) with.query_sentence = parts_of_words(arena, d->queries, d->T);
    if (!with.key_sentence && d->keys == d->queries && d->T == d->S) with.key_sentence = with.query_sentence;
    if (!with.key_sentence) with.key_sentence = parts_of_words(arena, d->keys, d->S);
    *d = with;
    return true;
}
