// lib/tokenizer/unicode_classes.c: code points whose classes, small letters and parts are known, at the edges of tables.
#include "tokenizer/unicode_classes.h"
#include "support/suite.h"

TEST(classes)
{
    static const struct {
        UnicodeClass class;
        uint32_t in[4], out[4];
    } known[] = {
        { UNICODE_LETTER, { 'A', 0xE9, 0x4E00, 0x10570 }, { '1', ' ', 0x300, 0x10FFFF } },
        { UNICODE_NUMBER, { '0', 0xB2, 0x2167, 0x1D7FF }, { 'a', '/', 0xB4, 0x1D800 } },
        { UNICODE_SPACE, { 9, 0x85, 0xA0, 0x3000 }, { 0x1C, 0x200B, 0xFEFF, 0x180E } },
        { UNICODE_WORD, { '_', 0x300, 0x200D, 'z' }, { '-', ' ', 0x2019, 0x10FFFF } },
        { UNICODE_REMOVED, { 0, 0x7F, 0xAD, 0xE000 }, { 9, ' ', 'a', 0x4E00 } },
        { UNICODE_BLANK, { '\n', ' ', 0xA0, 0x3000 }, { 0x85, 0xB, 'a', 0x200B } },
        { UNICODE_CHINESE, { 0x4E00, 0x9FFF, 0x2B81F, 0x2B920 }, { 0x2B820, 0x2B91F, 0x3042, 0xAC00 } },
        { UNICODE_PUNCTUATION, { '$', '~', 0x2014, 0x3002 }, { 0x20AC, 'a', 0xAC, 0x300 } },
        { UNICODE_ACCENT, { 0x300, 0x36F, 0x5BC, 0xFE0F }, { 0x2FF, 0x903, 0xB4, 'e' } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (int n = 0; n < 4; n++) {
            ck_assert_msg(unicode_is(known[i].class, known[i].in[n]), "class %zu has U+%04X", i, known[i].in[n]);
            ck_assert_msg(!unicode_is(known[i].class, known[i].out[n]), "class %zu: U+%04X", i, known[i].out[n]);
        }
    }
}

TEST(small_letters)
{
    static const uint32_t pairs[][2] = {
        { 'A', 'a' },      { 'Z', 'z' },       { '[', '[' },         { 0x100, 0x101 },
        { 0x101, 0x101 },  { 0x178, 0xFF },    { 0x1E9E, 0xDF },     { 0x3A3, 0x3C3 },
        { 0x2126, 0x3C9 }, { 0x1F88, 0x1F80 }, { 0x10570, 0x10597 }, { 'a', 'a' },
    };
    uint32_t small[2];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ck_assert_int_eq(unicode_lower(small, pairs[i][0]), 1);
        ck_assert_uint_eq(small[0], pairs[i][1]);
    }
    ck_assert_int_eq(unicode_lower(small, 0x130), 2);
    ck_assert_uint_eq(small[0], 'i');
    ck_assert_uint_eq(small[1], 0x307);
}

static void falls_apart(uint32_t c, const uint32_t *parts, int count)
{
    uint32_t got[4];
    ck_assert_int_eq(unicode_decompose(got, c), count);
    for (int i = 0; i < count; i++) ck_assert_uint_eq(got[i], parts[i]);
}

TEST(parts_of_code_points)
{
    falls_apart('a', (const uint32_t[]){ 'a' }, 1);
    falls_apart(0xE9, (const uint32_t[]){ 'e', 0x301 }, 2);
    falls_apart(0x1E69, (const uint32_t[]){ 's', 0x323, 0x307 }, 3);
    falls_apart(0x1F82, (const uint32_t[]){ 0x3B1, 0x313, 0x300, 0x345 }, 4);
    falls_apart(0x2126, (const uint32_t[]){ 0x3A9 }, 1);
    falls_apart(0xAC00, (const uint32_t[]){ 0x1100, 0x1161 }, 2);
    falls_apart(0xAC01, (const uint32_t[]){ 0x1100, 0x1161, 0x11A8 }, 3);
    falls_apart(0xD7A4, (const uint32_t[]){ 0xD7A4 }, 1);
    ck_assert_uint_eq(unicode_compose('e', 0x301), 0xE9);
    ck_assert_uint_eq(unicode_compose(0x1E63, 0x307), 0x1E69);
    ck_assert_uint_eq(unicode_compose(0x1100, 0x1161), 0xAC00);
    ck_assert_uint_eq(unicode_compose(0xAC00, 0x11A8), 0xAC01);
    ck_assert_uint_eq(unicode_compose(0xAC01, 0x11A8), 0); // it has a trailing consonant already
    ck_assert_uint_eq(unicode_compose(0xAC00, 0x11A7), 0);
    ck_assert_uint_eq(unicode_compose(0x915, 0x93C), 0); // excluded
    ck_assert_uint_eq(unicode_compose('q', 0x301), 0);
    ck_assert_int_eq(unicode_order(0x301), 230);
    ck_assert_int_eq(unicode_order(0x327), 202);
    ck_assert_int_eq(unicode_order(0x345), 240);
    ck_assert_int_eq(unicode_order('a'), 0);
}

TEST(utf8_there_and_back)
{
    static const uint32_t edges[] = { 1, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0x10000, 0x10FFFF };
    static const int lengths[] = { 1, 1, 2, 2, 3, 3, 4, 4 };
    for (int i = 0; i < 8; i++) {
        char bytes[4];
        ck_assert_int_eq(unicode_write(bytes, edges[i]), lengths[i]);
        ck_assert_uint_eq(unicode_read((const unsigned char *)bytes, lengths[i]), edges[i]);
    }
    char euro[4];
    unicode_write(euro, 0x20AC);
    ck_assert_mem_eq(euro, "\xE2\x82\xAC", 3);
}
