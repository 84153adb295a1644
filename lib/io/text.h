// Text as it stands in files: where a UTF-8 character ends, and how a message shows what was found.
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "base/arena.h"

// Bytes of the UTF-8 character at the start of `at`, 1 … 4; 0 when no well-formed character starts there.
// Overlong forms, surrogates and code points above U+10FFFF are not well formed.
size_t text_utf8_length(const unsigned char *at, size_t size);

// `at` in double quotes, for a message: control characters and broken bytes as \xNN, cut with … after 48 bytes or so.
char *text_shown(Arena *arena, const void *at, size_t size);

#endif
