// Parses JSON (RFC 8259) into a tree in an arena. It is our own because weights and dumps have JSON headers and the
// book builds with a C compiler alone. Strict: no comments, trailing commas, duplicate keys or byte order mark, no
// number beyond float64, at most 64 levels.
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
    size_t line, column; // position in the text, from 1
};

// `name` is printed in error messages, with line and column. Strings that contain a 0 byte are rejected.
bool json_parse(Json **out, Arena *arena, const char *text, size_t size, const char *name, Error *error);

const Json *json_member(const Json *object, const char *key); // NULL if absent or not an object
bool json_integer(const Json *value, int64_t *out);           // false unless the value is an integer with |n| < 2⁵³

// `text` as a quoted JSON string. Bytes that are not UTF-8 become U+FFFD.
char *json_quote(Arena *arena, const char *text);

// Writes and reads an array of strings. false: *wrong is the value that is not an array, or not a string.
char *json_strings(Arena *arena, const char *const *texts, int count);
bool json_strings_of(const char ***texts, int *count, Arena *arena, const Json *array, const Json **wrong);

// Six digits after the point. NaN and infinities, which JSON does not have, become null.
char *json_number(Arena *arena, double value);

#endif
