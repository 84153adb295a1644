// Text in files: the length of a UTF-8 character, and excerpts for error messages.
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "base/arena.h"

// Length in bytes of the UTF-8 character at `at`, 1 … 4; 0 if it is not well-formed (overlong forms, surrogates, code
// points above U+10FFFF).
size_t text_utf8_length(const unsigned char *at, size_t size);

// `at` in double quotes for a message: control characters and malformed bytes as \xNN, cut after about 48 bytes with ….
char *text_shown(Arena *arena, const void *at, size_t size);

#endif
