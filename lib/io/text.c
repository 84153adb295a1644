// UTF-8 validation, and safe excerpts of files for error messages.
#include "io/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SHOWN = 48 };

// The range of the second byte depends on the first. This rejects overlong forms, surrogates and code points from
// U+110000 on.
static bool second_byte_fits(unsigned char first, unsigned char second)
{
    if (first == 0xE0) return second >= 0xA0 && second <= 0xBF;
    if (first == 0xED) return second >= 0x80 && second <= 0x9F;
    if (first == 0xF0) return second >= 0x90 && second <= 0xBF;
    if (first == 0xF4) return second >= 0x80 && second <= 0x8F;
    return second >= 0x80 && second <= 0xBF;
}

size_t text_utf8_length(const unsigned char *at, size_t size)
{
    if (size == 0) return 0;
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    if (length > size) return 0;
    if (length >= 2 && !second_byte_fits(at[0], at[1])) return 0;
    for (size_t i = 2; i < length; i++)
        if (at[i] < 0x80 || at[i] > 0xBF) return 0;
    return length;
}

// Control characters, which a terminal would interpret: U+0000 … U+001F, U+007F … U+009F.
static bool printable(const unsigned char *at, size_t length)
{
    if (length == 1) return at[0] >= 0x20 && at[0] != 0x7F;
    return length >= 2 && !(at[0] == 0xC2 && at[1] < 0xA0);
}

char *text_shown(Arena *arena, const void *at, size_t size)
{
    const unsigned char *bytes = at;
    char *shown = arena_alloc(arena, 4 * MOST_SHOWN + sizeof "\"…\""), *end = shown;
    size_t i = 0;

    *end++ = '"';
    while (i < size && i < MOST_SHOWN) {
        size_t length = text_utf8_length(bytes + i, size - i);
        if (printable(bytes + i, length)) {
            memcpy(end, bytes + i, length);
            end += length;
            i += length;
        } else {
            end += snprintf(end, sizeof "\\xNN", "\\x%02x", bytes[i++]);
        }
    }
    strcpy(end, i < size ? "…\"" : "\"");
    return shown;
}
