// Chapter 25. Unicode properties used by tokenizers: letter, number, space; lower case; decomposition. They match the
// library `tokenizers`, whose parts use four versions of Unicode (data/reference/unicode_tables.py).
#ifndef TOKENIZER_UNICODE_CLASSES_H
#define TOKENIZER_UNICODE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { // in the order of unicode_tables.h
    UNICODE_LETTER,
    UNICODE_NUMBER,
    UNICODE_SPACE, // \p{L} \p{N} \s of patterns
    UNICODE_WORD,  // \w: a token with single_word may not touch these
    UNICODE_REMOVED,
    UNICODE_BLANK,
    UNICODE_CHINESE,
    UNICODE_PUNCTUATION,
    UNICODE_ACCENT, // BERT's
    UNICODE_CLASSES
} UnicodeClass;

bool unicode_is(UnicodeClass class, uint32_t c);

// Lower case of c, 1 or 2 code points: İ has two.
int unicode_lower(uint32_t out[2], uint32_t c);

// NFD of one code point, 1 … 4 of them; the canonical combining class; the composition of a and b under NFC, or 0.
// Hangul included. [Unicode Standard Annex 15]
int unicode_decompose(uint32_t out[4], uint32_t c);
int unicode_order(uint32_t c);
uint32_t unicode_compose(uint32_t a, uint32_t b);

// Decodes the code point at `at`, `length` bytes (text_utf8_length); and encodes one as 1 … 4 bytes.
uint32_t unicode_read(const unsigned char *at, int length);
int unicode_write(char out[4], uint32_t c);

#endif
