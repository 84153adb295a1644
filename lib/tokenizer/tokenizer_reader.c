// Typed access to the JSON of a tokenizer, with error messages.
#include "tokenizer/tokenizer_reader.h"

#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// "name:line:column: …".
bool tok_refuse(const TokReader *r, const Json *value, const char *format, ...)
{
    char text[sizeof r->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(r->error, "%s:%zu:%zu: %s", r->name, value->line, value->column, text);
}

const char *tok_quoted(const TokReader *r, const char *text) { return text_shown(r->scratch, text, strlen(text)); }

const char *tok_shown(const TokReader *r, const Json *value)
{
    static const char *const words[] = { "null", "false", "true", "", "", "a list", "an object" };
    if (value->kind == JSON_NUMBER) return arena_format(r->scratch, "%g", value->number);
    return value->kind == JSON_STRING ? tok_quoted(r, value->text) : words[value->kind];
}

// A member that exists and is not null.
const Json *tok_member(const Json *object, const char *key)
{
    const Json *value = json_member(object, key);
    return value && value->kind != JSON_NULL ? value : NULL;
}

const Json *tok_need(const TokReader *r, const Json *object, const char *key, JsonKind kind)
{
    static const char *const kinds[] = { "null", "false", "true", "a number", "a string", "a list", "an object" };
    const Json *value = json_member(object, key);
    if (object->kind != JSON_OBJECT)
        tok_refuse(r, object, "found %s, but an object must stand here", tok_shown(r, object));
    else if (!value) tok_refuse(r, object, "this object has no \"%s\"; it must be %s", key, kinds[kind]);
    else if (value->kind != kind)
        tok_refuse(r, value, "\"%s\" is %s; it must be %s", key, tok_shown(r, value), kinds[kind]);
    return value && value->kind == kind ? value : NULL;
}

// true or false, with a default.
bool tok_read_flag(const TokReader *r, bool *out, const Json *object, const char *key, bool otherwise)
{
    const Json *value = tok_member(object, key);
    *out = value ? value->kind == JSON_TRUE : otherwise;
    if (!value || value->kind == JSON_TRUE || value->kind == JSON_FALSE) return true;
    return tok_refuse(r, value, "\"%s\" is %s; it must be true or false", key, tok_shown(r, value));
}

bool tok_read_number(const TokReader *r, int *out, const Json *value, const char *what, int most)
{
    int64_t n;
    if (!json_integer(value, &n) || n < 0 || n > most)
        return tok_refuse(r, value, "%s is %s; it must be a whole number from 0 to %d", what, tok_shown(r, value),
                          most);
    *out = (int)n;
    return true;
}

const char *tok_kept(const TokReader *r, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(arena_room(r->arena, size), text, size);
}

bool tok_read_text(const TokReader *r, const char **out, const Json *object, const char *key)
{
    const Json *value = tok_need(r, object, key, JSON_STRING);
    if (!value) return false;
    if (!*value->text) return tok_refuse(r, value, "\"%s\" is an empty string; at least one character is needed", key);
    *out = tok_kept(r, value->text);
    return true;
}

// { "String": "…" }: the pattern of a Replace or a Split.
bool tok_read_pattern(const TokReader *r, const char **out, const Json *part, const char *type)
{
    const Json *pattern = tok_need(r, part, "pattern", JSON_OBJECT);
    if (!pattern) return false;
    const Json *regex = json_member(pattern, "Regex");
    if (regex) return tok_refuse(r, regex, "the pattern %s of %s is not known", tok_shown(r, regex), type);
    return tok_read_text(r, out, pattern, "String");
}

// ---- parts of a known type, alone or in a Sequence

static const char *known(const TokReader *r, const TokParts *kinds)
{
    const char *text = "Sequence";
    for (int i = 0; i < kinds->count; i++) text = arena_format(r->scratch, "%s, %s", text, kinds->kinds[i].type);
    return text;
}

bool tok_read_part(const TokReader *r, const Json *part, const TokParts *kinds)
{
    if (!part || part->kind == JSON_NULL) return true;
    const Json *type = tok_need(r, part, "type", JSON_STRING), *list = NULL;
    if (!type) return false;
    if (!strcmp(type->text, "Sequence")) {
        list = tok_need(r, part, kinds->list, JSON_ARRAY);
        if (!list) return false;
        for (const Json *one = list->first; one; one = one->next)
            if (!tok_read_part(r, one, kinds)) return false;
        return true;
    }
    for (int i = 0; i < kinds->count; i++)
        if (!strcmp(type->text, kinds->kinds[i].type)) return kinds->kinds[i].read(r, part);
    return tok_refuse(r, type, "the %s %s is not known; known are %s", kinds->what, tok_shown(r, type),
                      known(r, kinds));
}
