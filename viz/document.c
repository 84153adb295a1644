// A safetensors file as a list of matrices to look at.
#include "viz/document.h"

#include "io/json.h"

#include <limits.h>

// The words of a note such as ["The","animal"]; none when the note is missing or holds something else.
static const char *const *words_of(Arena *arena, const Tensors *file, const char *key, int *count)
{
    const char *text = tensors_note(file, key);
    Json *list;
    size_t length = 0;
    *count = 0;
    while (text && text[length]) length++;
    if (!text || !json_parse(&list, arena, text, length, key, NULL) || list->kind != JSON_ARRAY) return NULL;

    for (const Json *word = list->first; word; word = word->next) *count += 1;
    const char **words = arena_alloc(arena, (size_t)*count * sizeof *words);
    int w = 0;
    for (const Json *word = list->first; word; word = word->next) words[w++] = word->kind == JSON_STRING ? word->text : "?";
    return words;
}

// Two axes are a matrix, three are heads of matrices; others are passed over.
static bool item_from(Item *item, const Tensor *tensor)
{
    const NpyArray *a = &tensor->array;
    int64_t heads = a->axes == 3 ? a->shape[0] : 1;
    if ((a->axes != 2 && a->axes != 3) || a->count == 0 || a->count > INT_MAX) return false;
    int cols = (int)a->shape[a->axes - 1], rows = (int)(heads * a->shape[a->axes - 2]);
    *item = (Item){ tensor->name, a->axes == 3 ? (int)heads : 0, { a->at, rows, cols, cols } };
    return true;
}

bool document_parse(Document *out, Arena *arena, Bytes file, const char *name, Error *error)
{
    Tensors tensors;
    if (!safetensors_parse(&tensors, arena, file, name, error)) return false;
    Document document = { .title = tensors_note(&tensors, "chapter") };
    if (!document.title) document.title = name;
    document.items = arena_alloc(arena, (size_t)tensors.count * sizeof *document.items);
    for (int t = 0; t < tensors.count; t++)
        document.count += item_from(&document.items[document.count], &tensors.tensors[t]);
    if (!document.count)
        return error_set(error, "%s: none of its %d tensors has two or three axes; there is no map to show", name, tensors.count);
    document.queries = words_of(arena, &tensors, "tokens", &document.queries_count);
    document.keys = words_of(arena, &tensors, "key_tokens", &document.keys_count);
    *out = document;
    return true;
}

Mat document_map(const Document *document, int item, int head)
{
    Item chosen = document->items[item];
    if (!chosen.heads) return chosen.stack;
    int rows = chosen.stack.rows / chosen.heads;
    return mat_rows(chosen.stack, head * rows, rows);
}
