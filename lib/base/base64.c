// Base64: three bytes are 24 bits, written as four characters of six bits.
#include "base/base64.h"

#include <stdint.h>

void base64_write(char *to, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3, to += 4) {
        size_t left = size - i;
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0u);
        to[0] = digits[bits >> 18];
        to[1] = digits[bits >> 12 & 63];
        to[2] = left > 1 ? digits[bits >> 6 & 63] : '=';
        to[3] = left > 2 ? digits[bits & 63] : '=';
    }
}
