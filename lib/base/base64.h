// Base64, for text files that contain pictures and numbers [RFC 4648, section 4].
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

// Length of the encoding of `size` bytes: four characters for three bytes; '=' pads the last four.
static inline size_t base64_length(size_t size) { return (size + 2) / 3 * 4; }

void base64_write(char *to, const unsigned char *bytes, size_t size); // writes no terminating 0

#endif
