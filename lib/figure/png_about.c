// pHYs, tEXt and iTXt chunks. [PNG Specification, third edition, §5.3, §11.3.3, §11.3.4.3; annex D for the CRC]
#include "figure/png_about.h"

#include "base/error.h"
#include "base/memory.h"
#include "figure/glyphs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// With a NULL buffer it only counts: the same code computes the size and writes the bytes.
typedef struct {
    unsigned char *at;
    size_t size;
} Bytes;

static void put_byte(Bytes *to, uint32_t value)
{
    if (to->at) to->at[to->size] = (unsigned char)value;
    to->size++;
}

static void put_word(Bytes *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) put_byte(to, value >> shift);
}

static void put_text(Bytes *to, const char *text)
{
    while (*text) put_byte(to, (unsigned char)*text++);
}

static uint32_t crc_of(const unsigned char *at, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

// A chunk is its length, type, data, and a CRC of type and data. Returns the position for chunk_close.
static size_t chunk_open(Bytes *to, const char *type)
{
    size_t start = to->size;
    put_word(to, 0);
    put_text(to, type);
    return start;
}

static void chunk_close(Bytes *to, size_t start)
{
    size_t length = to->size - start - 8;
    Bytes front = { to->at ? to->at + start : NULL, 0 };
    put_word(&front, (uint32_t)length);
    put_word(to, to->at ? crc_of(to->at + start + 4, length + 4) : 0);
}

// The next code point of a value. Line ends are kept; other controls become U+FFFD.
static uint32_t value_next(const char **value)
{
    if (**value != '\n') return glyph_code_next(value);
    ++*value;
    return '\n';
}

static bool is_latin(const char *value)
{
    while (*value)
        if (value_next(&value) > 0xff) return false;
    return true;
}

static void put_utf8(Bytes *to, uint32_t code)
{
    if (code < 0x80) {
        put_byte(to, code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    put_byte(to, (0xff00u >> (more + 1) & 0xff) | code >> 6 * more);
    while (more-- > 0) put_byte(to, 0x80 | (code >> 6 * more & 0x3f));
}

// tEXt is Latin-1; other text becomes iTXt, in UTF-8, uncompressed, without a language.
static void text_chunk(Bytes *to, const char *key, const char *value)
{
    bool latin = is_latin(value);
    size_t start = chunk_open(to, latin ? "tEXt" : "iTXt");
    put_text(to, key);
    for (int zeros = latin ? 1 : 5; zeros > 0; zeros--) put_byte(to, 0);
    while (*value) {
        uint32_t code = value_next(&value);
        if (latin) put_byte(to, code);
        else put_utf8(to, code);
    }
    chunk_close(to, start);
}

// pHYs: pixels per metre, equal in both directions.
static void size_chunk(Bytes *to, double dpi)
{
    size_t start = chunk_open(to, "pHYs");
    uint32_t density = (uint32_t)(dpi / 0.0254 + 0.5);
    put_word(to, density);
    put_word(to, density);
    put_byte(to, 1);
    chunk_close(to, start);
}

static void write_all(Bytes *to, PngAbout about)
{
    if (about.dpi > 0) size_chunk(to, about.dpi);
    for (int i = 0; i < about.count; i++) text_chunk(to, about.texts[i].key, about.texts[i].value);
}

// 1 to 79 ASCII letters, without leading, trailing or double spaces.
static bool is_key(const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < length; i++)
        if (key[i] < ' ' || key[i] > '~' || (key[i] == ' ' && (i == 0 || i + 1 == length || key[i + 1] == ' ')))
            return false;
    return length >= 1 && length <= 79;
}

unsigned char *png_chunks(PngAbout about, size_t *size)
{
    REQUIRE(!(about.dpi >= 1e6), "%g dots an inch are not to be had", about.dpi);
    for (int i = 0; i < about.count; i++)
        REQUIRE(is_key(about.texts[i].key), "\"%s\" cannot be the key of a PNG text", about.texts[i].key);
    Bytes bytes = { NULL, 0 };
    write_all(&bytes, about);
    bytes = (Bytes){ memory_new(bytes.size), 0 };
    write_all(&bytes, about);
    *size = bytes.size;
    return bytes.at;
}
