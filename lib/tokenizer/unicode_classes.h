// Chapter 25. What tokenizers of published models ask of a code point: letter, number, space; its small letter; what it
// is made of. As the library `tokenizers` has it, whose parts are of four versions of Unicode
// (data/reference/unicode_tables.py).
#ifndef TOKENIZER_UNICODE_CLASSES_H
#define TOKENIZER_UNICODE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { // in the order of unicode_tables.h
    UNICODE_LETTER,
    UNICODE_NUMBER,
    UNICODE_SPACE, // \p{L} \p{N} \s of patterns
    UNICODE_WORD,  // \w: what a token that must stand alone may not touch
    UNICODE_REMOVED,
    UNICODE_BLANK,
    UNICODE_CHINESE,
    UNICODE_PUNCTUATION,
    UNICODE_ACCENT, // BERT's
    UNICODE_CLASSES
} UnicodeClass;

bool unicode_is(UnicodeClass class, uint32_t c);

// The small letters of c, 1 or 2 of them: İ has two.
int unicode_lower(uint32_t out[2], uint32_t c);

// NFD of one code point, 1 … 4 of them; the canonical combining class, 0 for what marks do not move across; what a and
// b become together under NFC, 0: nothing. Hangul included.                              [Unicode Standard Annex 15]
int unicode_decompose(uint32_t out[4], uint32_t c);
int unicode_order(uint32_t c);
uint32_t unicode_compose(uint32_t a, uint32_t b);

// The code point at the start of `at`, `length` bytes as text_utf8_length counts them; and back, 1 … 4 bytes.
uint32_t unicode_read(const unsigned char *at, int length);
int unicode_write(char out[4], uint32_t c);

#endif
