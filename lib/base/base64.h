// Bytes as letters, for files of text that carry pictures and numbers [RFC 4648, section 4].
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

// Letters that `size` bytes take: four for three, the last four filled up with '='.
static inline size_t base64_length(size_t size) { return (size + 2) / 3 * 4; }

void base64_write(char *to, const unsigned char *bytes, size_t size); // no 0 behind it

#endif
