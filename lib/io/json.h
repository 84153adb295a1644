// JSON (RFC 8259) into a tree in an arena. Our own, and small, because weights and dumps carry a JSON header and the
// book must build with a C compiler alone. Strict: no comments, no trailing commas, no duplicate keys, no byte order
// mark, no number beyond float64, at most 64 levels deep.
#ifndef IO_JSON_H
#define IO_JSON_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct Json Json;
struct Json {
    JsonKind kind;
    double number;       // JSON_NUMBER
    const char *text;    // JSON_STRING: UTF-8, 0-terminated
    const char *key;     // inside an object: the member's name
    Json *first, *next;  // first child of an array or object; next sibling
    size_t line, column; // where it stands, from 1
};

// `name` is for the message, which gives line and column of what is wrong. Strings with a 0 byte in them are refused.
bool json_parse(Json **out, Arena *arena, const char *text, size_t size, const char *name, Error *error);

const Json *json_member(const Json *object, const char *key); // NULL when absent or not an object
bool json_integer(const Json *value, int64_t *out);           // false unless an integer, |n| < 2⁵³

// `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
char *json_quote(Arena *arena, const char *text);

// An array of strings, and back. false: it is none; *wrong is the value that is no string, or no array.
char *json_strings(Arena *arena, const char *const *texts, int count);
bool json_strings_of(const char ***texts, int *count, Arena *arena, const Json *array, const Json **wrong);

// Six digits after the point. What is no number in JSON, NaN and the infinities, becomes null.
char *json_number(Arena *arena, double value);

#endif
