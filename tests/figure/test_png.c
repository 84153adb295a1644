// PNG: there and back, the same bytes for the same picture, and files that are not what they say.
#include "base/arena.h"
#include "base/random.h"
#include "figure/png.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

// A canvas of random pixels: nothing that a filter or a compressor could get right by luck.
static Canvas *noise(int width, int height, bool opaque)
{
    Random random = random_from((uint64_t)(width * 1000 + height));
    Canvas *canvas = canvas_new(arena, width, height, 1);
    for (int k = 0; k < width * height * 4; k++)
        canvas->rgba[k] = opaque && k % 4 == 3 ? 255 : (uint8_t)random_bits(&random);
    return canvas;
}

TEST_EACH(decoding_undoes_encoding, png_available() ? 1 : 0)
{
    const int sizes[][2] = { { 1, 1 }, { 1, 9 }, { 7, 1 }, { 33, 20 }, { 300, 100 } };
    Error error;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int opaque = 0; opaque < 2; opaque++) {
            Canvas *canvas = noise(sizes[s][0], sizes[s][1], opaque), *back;
            unsigned char *bytes;
            int size;
            ck_assert_msg(png_encode(&bytes, &size, canvas, &error), "%s", error.text);
            ck_assert_msg(png_decode(&back, arena, bytes, size, "noise.png", &error), "%s", error.text);
            ck_assert_int_eq(back->width, canvas->width);
            ck_assert_int_eq(back->height, canvas->height);
            ck_assert_mem_eq(back->rgba, canvas->rgba, (size_t)(canvas->width * canvas->height * 4));
            free(bytes);
        }
}

typedef struct {
    char type[5];
    uint32_t length, crc;
    const unsigned char *data;
} Chunk;

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// The chunks of a file, in order.
static int chunks_of(Chunk *chunks, const unsigned char *bytes, int size)
{
    int count = 0;
    for (int at = 8; at < size;) {
        Chunk *chunk = &chunks[count++];
        ck_assert_int_le(count, 20);
        chunk->length = big_endian(bytes + at);
        memcpy(chunk->type, bytes + at + 4, 4);
        chunk->type[4] = 0;
        chunk->data = bytes + at + 8;
        chunk->crc = big_endian(chunk->data + chunk->length);
        at += 12 + (int)chunk->length;
        ck_assert_int_le(at, size);
    }
    return count;
}

// The CRC as the specification defines it, a polynomial's remainder, bit by bit from the highest power.
static uint32_t remainder_of(const unsigned char *at, size_t size)
{
    uint32_t rest = 0xffffffff, mirrored = 0;
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint32_t top = rest >> 31 ^ (at[i] >> bit & 1u);
            rest = rest << 1 ^ (top ? 0x04c11db7u : 0);
        }
    for (int bit = 0; bit < 32; bit++) mirrored |= (rest >> bit & 1u) << (31 - bit);
    return ~mirrored;
}

static void assert_chunk(Chunk chunk, const char *type, const char *data, size_t length)
{
    ck_assert_str_eq(chunk.type, type);
    ck_assert_uint_eq(chunk.length, length);
    ck_assert_mem_eq(chunk.data, data, length);
    ck_assert_uint_eq(chunk.crc, remainder_of(chunk.data - 4, length + 4));
}

#define ck_chunk(chunk, type, data) assert_chunk(chunk, type, data, sizeof(data) - 1)

TEST_EACH(a_file_says_what_it_shows, png_available() ? 1 : 0)
{
    const PngText texts[] = { { "Title", "Layer 2, head 5" },
                              { "Source", "café ©\nnext" },
                              { "Tokens", "▁it 𝛼 é" },
                              { "Command line", "a\x01\xff<&>\t" },
                              { "Empty", "" } };
    Error error;
    Chunk chunks[20];
    unsigned char *bytes, *plain;
    int size, plain_size;
    Canvas *canvas = noise(30, 20, true), *back;
    ck_assert(png_encode_about(&bytes, &size, canvas, (PngAbout){ texts, 5, 300 }, &error));
    ck_assert_int_eq(chunks_of(chunks, bytes, size), 9);
    ck_assert_str_eq(chunks[0].type, "IHDR");
    ck_chunk(chunks[1], "pHYs", "\0\0\x2e\x23\0\0\x2e\x23\1"); // 300 / 0.0254 = 11811.02
    ck_chunk(chunks[2], "tEXt", "Title\0Layer 2, head 5");
    ck_chunk(chunks[3], "tEXt", "Source\0caf\xe9 \xa9\nnext");
    ck_chunk(chunks[4], "iTXt", "Tokens\0\0\0\0\0\xe2\x96\x81it \xf0\x9d\x9b\xbc \xc3\xa9");
    ck_chunk(chunks[5], "iTXt", "Command line\0\0\0\0\0a\xef\xbf\xbd\xef\xbf\xbd<&>\xef\xbf\xbd");
    ck_chunk(chunks[6], "tEXt", "Empty\0");
    ck_assert_str_eq(chunks[7].type, "IDAT");
    ck_assert_str_eq(chunks[8].type, "IEND");
    for (int c = 0; c < 9; c++)
        ck_assert_uint_eq(chunks[c].crc, remainder_of(chunks[c].data - 4, chunks[c].length + 4));

    ck_assert_msg(png_decode(&back, arena, bytes, size, "about.png", &error), "%s", error.text);
    ck_assert_mem_eq(back->rgba, canvas->rgba, 30 * 20 * 4);
    free(bytes);
    ck_assert(png_encode(&plain, &plain_size, canvas, &error));
    ck_assert(png_encode_about(&bytes, &size, canvas, (PngAbout){ 0 }, &error));
    ck_assert_int_eq(size, plain_size);
    ck_assert_mem_eq(bytes, plain, (size_t)size);
    free(bytes);
    free(plain);
}

static void encode_with_key(const char *key)
{
    unsigned char *bytes;
    int size;
    PngText text = { key, "value" };
    png_encode_about(&bytes, &size, canvas_new(arena, 2, 2, 1), (PngAbout){ &text, 1, 0 }, NULL);
    free(bytes);
}

TEST_ABORTS(a_key_must_be_one, png_available() ? 7 : 0)
{
    const char *const keys[] = { "",
                                 " Title",
                                 "Title ",
                                 "Ti  tle",
                                 "Ti\ntle",
                                 "Titel \xc3\xbc",
                                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
    encode_with_key(keys[_i]);
}

// Cut off anywhere, or with any one byte changed, a file is refused or read; it never takes the program down.
TEST_EACH(damaged_files_are_survived, png_available() ? 1 : 0)
{
    Error error;
    Canvas *back;
    unsigned char *bytes;
    int size;
    Canvas *small = canvas_new(arena, 12, 9, 1);
    canvas_disc(small, 5, 5, 3, COLOR_ACCENT);
    ck_assert(png_encode(&bytes, &size, small, &error));
    for (int cut = 0; cut < size - 16; cut++)
        ck_assert_msg(!png_decode(&back, arena, bytes, cut, "cut.png", &error), "%d of %d", cut, size);
    for (int k = 0; k < size; k++)
        for (int bit = 0; bit < 8; bit += 3) {
            ArenaMark mark = arena_mark(arena);
            unsigned char *copy = malloc((size_t)size);
            ck_assert_ptr_nonnull(copy);
            memcpy(copy, bytes, (size_t)size);
            copy[k] ^= (unsigned char)(1 << bit);
            png_decode(&back, arena, copy, size, "changed.png", &error);
            free(copy);
            arena_release(arena, mark);
        }
    free(bytes);
}

// A header that names a picture of 2³¹ pixels is refused before any memory is asked for.
TEST_EACH(a_huge_header_is_refused, png_available() ? 1 : 0)
{
    unsigned char header[] = { 0x89, 'P',  'N',  'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0,
                               0,    0x3f, 0xff, 0,   0,    0x3f, 0xff, 8,    6, 0, 0, 0,  0,   0,   0,   0 };
    Error error;
    Canvas *back;
    ck_assert(!png_decode(&back, arena, header, (int)sizeof header, "huge.png", &error));
    ck_assert_msg(strstr(error.text, "16383"), "%s", error.text);
    header[16] = header[20] = 0x7f;
    ck_assert(!png_decode(&back, arena, header, (int)sizeof header, "huge.png", &error));
}
