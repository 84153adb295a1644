// Any bytes as JSON: a tree that can be walked, or one sentence.
#include "fuzz/mutate.h"
#include "io/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t walk(const Json *value)
{
    size_t sum = value->line + value->column + (value->key ? strlen(value->key) : 0);
    if (value->kind == JSON_STRING) sum += strlen(value->text);
    for (const Json *child = value->first; child; child = child->next) sum += walk(child);
    return sum;
}

// A string survives being written and read again.
static void check_quote(Arena *arena, const char *text)
{
    Json *again;
    const char *quoted = json_quote(arena, text);
    if (!json_parse(&again, arena, quoted, strlen(quoted), "again", NULL) || strcmp(again->text, text)) abort();
}

MUTATED_BY(mutate_json)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    Json *value;
    Error error = { .text = "" };
    if (json_parse(&value, arena, (const char *)data, size, "fuzz", &error)) {
        if (walk(value) < 2) abort();
        if (value->kind == JSON_STRING) check_quote(arena, value->text);
    } else if (strncmp(error.text, "fuzz:", 5)) {
        abort();
    }
    arena_close(arena);
    return 0;
}
