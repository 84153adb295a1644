// Three bytes are 24 bits, and those four letters of six bits.
#include "base/base64.h"

#include <stdint.h>

void base64_write(char *to, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3, to += 4) {
        size_t left = size - i;
        uint32_t three =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0u);
        to[0] = digits[three >> 18];
        to[1] = digits[three >> 12 & 63];
        to[2] = left > 1 ? digits[three >> 6 & 63] : '=';
        to[3] = left > 2 ? digits[three & 63] : '=';
    }
}
