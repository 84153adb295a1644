// PNG: there and back, the same bytes for the same picture, and files that are not what they say.
#include "base/arena.h"
#include "base/random.h"
#include "figure/png.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Arena *arena;

static void open_arena(void) { arena = arena_open(); }
static void close_arena(void) { arena_close(arena); }

// A canvas of random pixels: nothing that a filter or a compressor could get right by luck.
static Canvas *noise(int width, int height, bool opaque)
{
    Random random = random_from((uint64_t)(width * 1000 + height));
    Canvas *canvas = canvas_new(arena, width, height, 1);
    for (int k = 0; k < width * height * 4; k++)
        canvas->rgba[k] = opaque && k % 4 == 3 ? 255 : (uint8_t)random_bits(&random);
    return canvas;
}

START_TEST(decoding_undoes_encoding)
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
END_TEST

START_TEST(equal_pictures_are_equal_bytes)
{
    unsigned char *a, *b;
    int a_size, b_size;
    ck_assert(png_encode(&a, &a_size, noise(50, 40, true), NULL));
    ck_assert(png_encode(&b, &b_size, noise(50, 40, true), NULL));
    ck_assert_int_eq(a_size, b_size);
    ck_assert_mem_eq(a, b, (size_t)a_size);
    free(a);
    free(b);
}
END_TEST

START_TEST(a_sentence_for_what_is_no_png)
{
    Error error;
    Canvas *back;
    ck_assert(!png_decode(&back, arena, "GIF89a, and more", 16, "a.gif", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "a.gif"));
    ck_assert(!png_decode(&back, arena, "", 0, "empty.png", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "empty.png"));
}
END_TEST

// Cut off anywhere, or with any one byte changed, a file is refused or read; it never takes the program down.
START_TEST(damaged_files_are_survived)
{
    Error error;
    Canvas *back;
    unsigned char *bytes;
    int size;
    Canvas *small = canvas_new(arena, 12, 9, 1);
    canvas_disc(small, 5, 5, 3, ACCENT);
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
END_TEST

// A header that names a picture of 2³¹ pixels is refused before any memory is asked for.
START_TEST(a_huge_header_is_refused)
{
    unsigned char header[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R',
                               0, 0, 0x3f, 0xff, 0, 0, 0x3f, 0xff, 8, 6, 0, 0, 0, 0, 0, 0, 0 };
    Error error;
    Canvas *back;
    ck_assert(!png_decode(&back, arena, header, (int)sizeof header, "huge.png", &error));
    ck_assert_msg(strstr(error.text, "16383"), "%s", error.text);
    header[16] = header[20] = 0x7f;
    ck_assert(!png_decode(&back, arena, header, (int)sizeof header, "huge.png", &error));
}
END_TEST

// A build without stb says so.
START_TEST(without_stb_there_is_a_sentence)
{
    Error error;
    Canvas *back;
    unsigned char *bytes;
    int size;
    ck_assert(!png_encode(&bytes, &size, noise(2, 2, true), &error));
    ck_assert_ptr_nonnull(strstr(error.text, "stb"));
    ck_assert(!png_decode(&back, arena, "x", 1, "x.png", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "x.png"));
}
END_TEST

Suite *png_suite(void)
{
    Suite *suite = suite_create("png");
    TCase *png = tcase_create("png");
    tcase_add_checked_fixture(png, open_arena, close_arena);
    tcase_set_timeout(png, 60);
    if (png_available()) {
        tcase_add_test(png, decoding_undoes_encoding);
        tcase_add_test(png, equal_pictures_are_equal_bytes);
        tcase_add_test(png, a_sentence_for_what_is_no_png);
        tcase_add_test(png, damaged_files_are_survived);
        tcase_add_test(png, a_huge_header_is_refused);
    } else {
        tcase_add_test(png, without_stb_there_is_a_sentence);
    }
    suite_add_tcase(suite, png);
    return suite;
}
