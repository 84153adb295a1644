// Any bytes as JSON: a tree that can be walked, or one sentence.
#include "fuzz/mutate.h"
#include "io/json.h"

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

FUZZ(1000)
{
    Json *value;
    if (!json_parse(&value, arena, (const char *)file.at, file.size, "fuzz", error)) return false;
    if (walk(value) < 2) abort();
    if (value->kind == JSON_STRING) check_quote(arena, value->text);
    return true;
}
