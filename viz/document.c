// A safetensors file as a list of matrices to look at.
#include "viz/document.h"

#include "io/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

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

static int item_named(const Document *d, const char *name)                    // −1: there is none
{
    for (int i = 0; i < d->count; i++)
        if (!strcmp(d->items[i].name, name)) return i;
    return -1;
}

static bool span_fits(float first, float count, int length)
{
    return first >= 0 && count >= 1 && first + count <= (float)length
        && first == floorf(first) && count == floorf(count);
}

// "walk.weights", "walk.state" and "walk.tiles", when they belong together and every tile lies inside the map.
static Walk walk_of(const Document *d)
{
    int weights = item_named(d, "walk.weights"), state = item_named(d, "walk.state");
    int tiles = item_named(d, "walk.tiles");
    if (weights < 0 || state < 0 || tiles < 0) return (Walk){ 0 };
    const Item *w = &d->items[weights], *s = &d->items[state], *t = &d->items[tiles];
    if (!w->heads || s->heads != w->heads || s->stack.rows != w->stack.rows || s->stack.cols != 3) return (Walk){ 0 };
    if (t->heads || t->stack.rows != w->heads || t->stack.cols != 4) return (Walk){ 0 };
    for (int f = 0; f < w->heads; f++) {
        const float *tile = mat_row(t->stack, f);
        if (!span_fits(tile[0], tile[1], w->stack.rows / w->heads) || !span_fits(tile[2], tile[3], w->stack.cols))
            return (Walk){ 0 };
    }
    return (Walk){ weights, state, t->stack };
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
    document.walk = walk_of(&document);
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
