// lib/io/npy.c: every kind of .npy that is read, and every malformed one, named with its place.
#include "bench.h"

#include "base/portable_math.h"
#include "io/npy.h"
#include "base/dtype.h"
#include "support/suite.h"

BENCH_FIXTURE;

typedef struct {
    unsigned char at[4096];
    size_t size;
} File;

// A file of this version with this header, as it stands, and this data.
static File file_of(int version, const char *header, const void *data, size_t size)
{
    File file = { .size = version == 1 ? 10 : 12 };
    size_t length = strlen(header);
    memcpy(file.at, "\x93NUMPY", 6);
    file.at[6] = (unsigned char)version;
    for (size_t i = 8; i < file.size; i++) file.at[i] = (unsigned char)(length >> 8 * (i - 8));
    memcpy(file.at + file.size, header, length);
    file.size += length;
    if (size) memcpy(file.at + file.size, data, size);
    file.size += size;
    return file;
}

// Who only looks refuses what the reader refuses, in the same words.
static bool parse(NpyArray *out, const File *file, size_t size)
{
    FileBytes bytes = exact(file->at, size);
    NpyView view;
    Error other = { .text = "" };
    bool ok = npy_parse(out, bench.arena, bytes, "t.npy", &bench.error);
    ck_assert(npy_look(&view, bench.arena, bytes, "t.npy", &other) == ok);
    if (!ok) ck_assert_str_eq(other.text, bench.error.text);
    free((void *)(uintptr_t)bytes.at);
    return ok;
}

// What is only looked at is what is parsed: every number, found by its steps.
static void assert_look(const File *file, NpyArray array)
{
    NpyView view = { 0 };
    FileBytes bytes = exact(file->at, file->size);
    ck_assert_msg(npy_look(&view, bench.arena, bytes, "t.npy", &bench.error), "%s", bench.error.text);
    ck_assert(view.axes == array.axes && view.count == array.count);
    ck_assert_mem_eq(view.shape, array.shape, sizeof view.shape);
    for (size_t n = 0; n < array.count; n++) {
        const unsigned char *at = view.at;
        size_t rest = n;
        for (int a = view.axes - 1; a >= 0; a--) {
            at += (int64_t)(rest % (size_t)view.shape[a]) * view.step[a];
            rest /= (size_t)view.shape[a];
        }
        float found = dtype_read(at, view.stored, view.big_endian);
        ck_assert_mem_eq(&found, &array.at[n], sizeof found);
    }
    free((void *)(uintptr_t)bytes.at);
}

static NpyArray parsed(const File *file)
{
    NpyArray array = { 0 };
    ck_assert_msg(parse(&array, file, file->size), "%s", bench.error.text);
    ck_assert_ptr_nonnull(array.at);
    assert_look(file, array);
    return array;
}

// The header of these, without padding.
static char *header_of(const char *descr, bool fortran, const char *shape)
{
    return arena_format(bench.arena, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr,
                        fortran ? "True" : "False", shape);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void assert_values(NpyArray array, const float *values, size_t count)
{
    ck_assert_uint_eq(array.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(bits_of(array.at[i]) == bits_of(values[i]), "element %zu is %.9g, not %.9g", i,
                      (double)array.at[i], (double)values[i]);
}

TEST(test_types_and_byte_orders)
{
    static const struct {
        const char *descr;
        unsigned char data[16];
        size_t size;
    } cases[] = {
        { "<f2", { 0x00, 0x3E, 0x00, 0xC1 }, 4 },
        { ">f2", { 0x3E, 0x00, 0xC1, 0x00 }, 4 },
        { "<f4", { 0, 0, 0xC0, 0x3F, 0, 0, 0x20, 0xC0 }, 8 },
        { ">f4", { 0x3F, 0xC0, 0, 0, 0xC0, 0x20, 0, 0 }, 8 },
        { "<f8", { 0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0x04, 0xC0 }, 16 },
        { ">f8", { 0x3F, 0xF8, 0, 0, 0, 0, 0, 0, 0xC0, 0x04, 0, 0, 0, 0, 0, 0 }, 16 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int version = 1; version <= 3; version++) {
            File file = file_of(version, header_of(cases[i].descr, false, "(2,)"), cases[i].data, cases[i].size);
            NpyArray array = parsed(&file);
            ck_assert(array.axes == 1 && array.shape[0] == 2);
            assert_values(array, (float[]){ 1.5f, -2.5f }, 2);
        }
    float own = 1.5f;
    File file = file_of(1, header_of("=f4", false, "()"), &own, 4);
    assert_values(parsed(&file), &own, 1);
}

// All bit patterns of float16 and bfloat16 against the formula of the standard: 5 and 8 bits of exponent.
TEST_EACH(test_every_half, 2)
{
    const int fraction_bits = _i ? 7 : 10, most = _i ? 255 : 31, bias = most / 2;
    for (int bits = 0; bits < 65536; bits++) {
        unsigned char at[2] = { (unsigned char)bits, (unsigned char)(bits >> 8) };
        float found = dtype_read(at, _i ? DTYPE_BF16 : DTYPE_F16, false);
        int exponent = bits >> fraction_bits & most, fraction = bits & ((1 << fraction_bits) - 1);
        if (exponent == most && fraction > 0) {
            ck_assert(isnan(found) && !signbit(found) == !(bits >> 15));
            continue;
        }
        double value = exponent ? ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)
                                : ldexp(fraction, 1 - bias - fraction_bits);
        if (exponent == most) value = INFINITY;
        if (bits >> 15) value = -value;
        ck_assert_msg(bits_of(found) == bits_of((float)value), "0x%04x is read as %.9g", bits, (double)found);
    }
}

TEST(test_float64_is_rounded)
{
    static const double values[] = { 0.1, -0.0, 1e300, -1e300, 1e-300, INFINITY, 1.4e-45 };
    unsigned char data[56];
    for (size_t i = 0; i < 56; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i / 8], 8);
        data[i] = (unsigned char)(bits >> 8 * (i % 8));
    }
    File file = file_of(1, header_of("<f8", false, "(7,)"), data, 56);
    assert_values(parsed(&file), (float[]){ 0.1f, -0.0f, INFINITY, -INFINITY, 0.0f, INFINITY, 0x1p-149f }, 7);
}

// Element (i, j, k) of shape (2, 3, 4) holds 100 i + 10 j + k, written with the first axis fastest.
TEST(test_fortran_order)
{
    float data[24], matrix[] = { 1, 4, 2, 5, 3, 6 };
    int n = 0;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 2; i++) data[n++] = (float)(100 * i + 10 * j + k);
    unsigned char bytes[96];
    dtype_write_f32(bytes, data, 24);
    File file = file_of(1, header_of("<f4", true, "(2, 3, 4)"), bytes, 96);
    NpyArray array = parsed(&file);
    for (int i = 0; i < 24; i++) ck_assert_float_eq(array.at[i], (float)(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4));

    dtype_write_f32(bytes, matrix, 6);
    file = file_of(1, header_of("<f4", true, "(2, 3)"), bytes, 24);
    assert_values(parsed(&file), (float[]){ 1, 2, 3, 4, 5, 6 }, 6);
    file = file_of(1, header_of("<f4", false, "(2, 3)"), bytes, 24);
    assert_values(parsed(&file), matrix, 6);
}

TEST(test_headers_that_are_right)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }                 \n",
        "{'shape': (2, 1), 'descr': '<f4', 'fortran_order': False}\n",
        "{\"fortran_order\":False,\"shape\":(2,1),\"descr\":\"<f4\"}\n",
        "  { 'shape' : ( 2 , 1 , ) , 'fortran_order' : False ,\n\t'descr' : '<f4' }\n",
        "{'shape': (2L, 1L), 'fortran_order': False, 'descr': '<f4'}\n\n",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        File file = file_of(1, headers[i], "\0\0\x80\x3F\0\0\0\x40", 8);
        NpyArray array = parsed(&file);
        ck_assert(array.axes == 2 && array.shape[0] == 2 && array.shape[1] == 1);
        assert_values(array, (float[]){ 1, 2 }, 2);
    }
}

TEST(test_shapes)
{
    static const struct {
        const char *text;
        int axes;
        int64_t first;
        size_t count;
    } cases[] = {
        { "()", 0, 0, 1 },
        { "(1,)", 1, 1, 1 },
        { "(0,)", 1, 0, 0 },
        { "(0, 3)", 2, 0, 0 },
        { "(3, 0)", 2, 3, 0 },
        { "(1, 1, 1, 1, 1, 1, 1, 1)", 8, 1, 1 },
        { "(9223372036854775807, 9223372036854775807, 0)", 3, INT64_MAX, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int fortran = 0; fortran < 2; fortran++) {
            File file = file_of(1, header_of("<f4", fortran, cases[i].text), "\0\0\x80\x3F", 4 * cases[i].count);
            NpyArray array = parsed(&file);
            ck_assert_int_eq(array.axes, cases[i].axes);
            ck_assert(array.axes == 0 || array.shape[0] == cases[i].first);
            assert_values(array, (float[]){ 1 }, cases[i].count);
        }
}

// What the judge reads: float64 stays as it is, the narrower types become what they stand for.
TEST(test_float64_is_kept)
{
    static const double values[] = { 0.1, -0.0, 1e300, 1e-300, -INFINITY };
    unsigned char data[40];
    NpyDoubles array;
    dtype_write_f64(data, values, 5);
    File file = file_of(2, header_of("<f8", false, "(1, 5)"), data, 40);
    ck_assert(npy_parse_f64(&array, bench.arena, (FileBytes){ file.at, file.size }, "t.npy", &bench.error));
    ck_assert(array.axes == 2 && array.shape[1] == 5 && array.count == 5 && array.stored == DTYPE_F64);
    ck_assert_mem_eq(array.at, values, sizeof values);

    file = file_of(1, header_of("<f8", true, "(2, 2)"), data, 32); // columns first: 0.1, −0, 1e300, 1e-300
    ck_assert(npy_parse_f64(&array, bench.arena, (FileBytes){ file.at, file.size }, "t.npy", &bench.error));
    ck_assert(array.at[0] == 0.1 && array.at[1] == 1e300 && array.at[3] == 1e-300);

    file = file_of(1, header_of(">f2", false, "(2,)"), "\x3E\0\xC1\0", 4);
    ck_assert(npy_parse_f64(&array, bench.arena, (FileBytes){ file.at, file.size }, "t.npy", &bench.error));
    ck_assert(array.at[0] == 1.5 && array.at[1] == -2.5 && array.stored == DTYPE_F16);
    ck_assert(!npy_parse_f64(&array, bench.arena, (FileBytes){ file.at, file.size - 1 }, "t.npy", &bench.error));
    ERROR_HAS(&bench.error, "t.npy", "cut off");
}

TEST(test_whole_numbers)
{
    static const struct {
        const char *descr;
        unsigned char data[8];
        size_t size;
        int64_t value;
    } cases[] = {
        { "|i1", { 0x80 }, 1, -128 },
        { "<i2", { 0xFE, 0xFF }, 2, -2 },
        { ">i4", { 0xFF, 0xFF, 0xFF, 0xF9 }, 4, -7 },
        { "<u4", { 0xFF, 0xFF, 0xFF, 0xFF }, 4, UINT32_MAX },
        { "<i8", { 0, 0, 0, 0, 0, 0, 0, 0x80 }, 8, INT64_MIN },
        { "<i8", { 5, 1, 0, 0, 0, 0, 0, 0 }, 8, 261 },
        { "<u8", { 0, 0, 0, 0, 0, 0, 0, 0x80 }, 8, INT64_MAX },
    };
    NpyIntegers array;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file = file_of(1, header_of(cases[i].descr, i % 2, "(1,)"), cases[i].data, cases[i].size);
        ck_assert_msg(npy_parse_i64(&array, bench.arena, (FileBytes){ file.at, file.size }, "t.npy", &bench.error),
                      "%s", bench.error.text);
        ck_assert(array.axes == 1 && array.count == 1 && array.shape[0] == 1);
        ck_assert_msg(array.at[0] == cases[i].value, "case %zu: %lld", i, (long long)array.at[0]);
    }
    static const char *const refused[] = { "<f4", "<f8", "|b1", "|O", "<i16", "|i4" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        File file = file_of(1, header_of(refused[i], false, "(1,)"), "\0\0\0\0", 4);
        ck_assert(!npy_parse_i64(&array, bench.arena, (FileBytes){ file.at, file.size }, "t.npy", &bench.error));
        ERROR_HAS(&bench.error, "t.npy: byte 20", i == 5 ? "byte order" : "astype(\"int64\")");
    }
}

static void assert_refused(const File *file, size_t size, const char *place, const char *found, const char *right)
{
    NpyArray array = { .axes = -1 };
    ck_assert_msg(!parse(&array, file, size), "read, but this was expected: %s %s %s", place, found, right);
    ck_assert_int_eq(array.axes, -1);
    ERROR_HAS(&bench.error, place, found, right);
    ck_assert_msg(strncmp(bench.error.text, "t.npy: ", 7) == 0, "%s", bench.error.text);
}

// A correct file of version 1 or 2 whose bytes from `at` on are replaced, cut to `size` bytes where that is not 0.
TEST(test_bad_starts_and_lengths)
{
    // clang-format off
    static const struct {
        int version, at, count;
        const char *bytes;
        size_t size;
        const char *place, *found, *right;
    } cases[] = {
        { 1, 0, 0, "", 1, "byte 1", "cut off", "first 12 bytes" },
        { 1, 0, 0, "", 6, "byte 6", "cut off", "first 12 bytes" },
        { 1, 0, 0, "", 9, "byte 9", "cut off", "first 10 bytes" },
        { 2, 0, 0, "", 11, "byte 11", "cut off", "first 12 bytes" },
        { 1, 0, 4, "PK\3\4", 0, "byte 0", "PyTorch's .pt or NumPy's .npz", "numpy.save" },
        { 1, 0, 6, "NUMPY\x93", 0, "byte 0", "found \"NUMPY\\x93\"", "\\x93NUMPY" },
        { 1, 0, 6, "NUMPY\x93", 2, "byte 0", "found \"NU\"", "\\x93NUMPY" },
        { 1, 0, 5, "\x1B[2J\n", 0, "byte 0", "found \"\\x1b[2J\\x0aY\"", "\\x93NUMPY" },
        { 1, 6, 2, "\0\0", 0, "byte 6", "version 0.0", "1.0, 2.0 and 3.0" },
        { 1, 6, 2, "\4\0", 0, "byte 6", "version 4.0", "1.0, 2.0 and 3.0" },
        { 1, 6, 2, "\2\7", 0, "byte 6", "version 2.7", "1.0, 2.0 and 3.0" },
        { 1, 8, 2, "\xFF\xFF", 0, "byte 8", "said to have 65535 bytes", "cut off" },
        { 1, 8, 1, "\0", 0, "byte 8", "said to have 0 bytes", "" },
        { 1, 8, 1, "\x39", 0, "byte 66", "must end with a newline", "" },
        { 1, 8, 1, "\x38", 0, "byte 66", "found the end of the header", "'descr', 'fortran_order' or 'shape'" },
        { 1, 0, 0, "", 67, "byte 8", "only 57 follow", "cut off" },
        { 2, 8, 4, "\xFF\xFF\xFF\xFF", 0, "byte 8", "said to have 4294967295 bytes", "only 62 follow" },
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File bad = file_of(cases[i].version, header_of("<f4", false, "(1,)"), "\0\0\x80\x3F", 4);
        memcpy(bad.at + cases[i].at, cases[i].bytes, (size_t)cases[i].count);
        assert_refused(&bad, cases[i].size ? cases[i].size : bad.size, cases[i].place, cases[i].found, cases[i].right);
    }
    File empty = { .size = 0 };
    assert_refused(&empty, 0, "t.npy", "empty", "\\x93NUMPY");
}

// Places count from the first byte of the file: a header of version 1 starts at byte 10.
TEST(test_bad_dictionaries)
{
    static const char keys[] = "'descr', 'fortran_order' or 'shape'";
    static const struct {
        const char *header, *place, *found, *right;
    } cases[] = {
        { "\n", "byte 11", "the end of the header", "a dictionary in { }" },
        { "[]\n", "byte 10", "found \"[]", "a dictionary in { }" },
        { "{\n", "byte 12", "the end of the header", keys },
        { "{}\n", "byte 11", "without the key", "'descr'" },
        { "{'descr': '<f4'}\n", "byte 25", "without the key", "'fortran_order'" },
        { "{'descr': '<f4', 'fortran_order': True}\n", "byte 48", "without the key", "'shape'" },
        { "{'shape': (1,), 'fortran_order': True}\n", "byte 47", "without the key", "'descr'" },
        { "{descr: '<f4'}\n", "byte 11", "found \"descr", keys },
        { "{'DESCR': '<f4'}\n", "byte 11", "found \"'DESCR'", keys },
        { "{'descr ': '<f4'}\n", "byte 11", "found \"'descr '", keys },
        { "{'extra': 1}\n", "byte 11", "found \"'extra'", keys },
        { "{'descr': '<f4', 'descr': '<f4'}\n", "byte 27", "found \"'descr'", "each of them once" },
        { "{'descr\n", "byte 11", "found \"'descr", "end with its quote" },
        { "{'desc\\x72': '<f4'}\n", "byte 11", "found \"'desc\\x72", "end with its quote" },
        { "{'descr\": '<f4'}\n", "byte 11", "found \"'descr", keys },
        { "{'descr' '<f4'}\n", "byte 19", "found \"'<f4'", "a colon" },
        { "{'descr': <f4}\n", "byte 20", "found \"<f4}", "a type in quotes" },
        { "{'descr': ('<f4', (2,))}\n", "byte 20", "found \"('<f4'", "a type in quotes" },
        { "{'descr': '<f4}\n", "byte 20", "found \"'<f4}", "end with its quote" },
        { "{'descr': [('x', '<f4')]}\n", "byte 20", "found \"[('x'", "named fields" },
        { "{'fortran_order': true}\n", "byte 28", "found \"true}", "True or False" },
        { "{'fortran_order': 'True'}\n", "byte 28", "found \"'True'", "True or False" },
        { "{'fortran_order': Truest}\n", "byte 32", "found \"st}", "a comma or }" },
        { "{'fortran_order':", "byte 27", "the end of the header", "True or False" },
        { "{'shape': 3}\n", "byte 20", "found \"3}", "must be a tuple" },
        { "{'shape': (3)}\n", "byte 23", "found \"}", "needs a comma, as in (3,)" },
        { "{'shape': (,)}\n", "byte 21", "found \",)", "whole numbers" },
        { "{'shape': (-1,)}\n", "byte 21", "found \"-1", "0 or above" },
        { "{'shape': (1.5,)}\n", "byte 22", "found \".5", "must be a tuple" },
        { "{'shape': (03,)}\n", "byte 21", "found \"03", "not start with 0" },
        { "{'shape': (9223372036854775808,)}\n", "byte 21", "found \"9223372036854775", "63 bits" },
        { "{'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}\n", "byte 45", "found \"1)", "at most 8 axes" },
        { "{'shape': (3,\n", "byte 24", "the end of the header", "whole numbers" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x\n", "byte 64", "found \"x", "spaces and a newline" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "byte 62", "must end with a newline", "" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': ()}\n ", "byte 64", "must end with a newline", "" },
        { "{'descr': '<f4' 'fortran_order': False, 'shape': ()}\n", "byte 26", "found \"'fortran_order'",
          "a comma or }" },
        { "{\x1B[2J\xFF}\n", "byte 11", "found \"\\x1b[2J\\xff}", keys },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file = file_of(1, cases[i].header, "\0\0\x80\x3F", 4);
        assert_refused(&file, file.size, arena_format(bench.arena, "t.npy: %s: ", cases[i].place), cases[i].found,
                       cases[i].right);
        file.size -= 4;
        assert_refused(&file, file.size, cases[i].place, cases[i].found, cases[i].right);
    }
    File file = file_of(1, "{'de\1cr': 0}\n", "", 0);
    file.at[14] = 0;
    assert_refused(&file, file.size, "byte 11", "found \"'de\\x00cr'", "end with its quote");
}

TEST(test_types_that_are_not_read)
{
    static const struct {
        const char *descr, *advice;
    } cases[] = {
        { "<i8", ".astype(\"float32\")" },
        { "|i1", ".astype(\"float32\")" },
        { "|b1", ".astype(\"float32\")" },
        { "|O", "pickled Python objects" },
        { "<c8", "array.real" },
        { "<c16", "array.real" },
        { "|S5", "text is not read" },
        { "<U3", "text is not read" },
        { "<M8[ns]", "dates and times" },
        { "|V2", "bfloat16" },
        { "<f16", "float16, float32 and float64" },
        { "<f44", "float16, float32 and float64" },
        { "f4", "float16, float32 and float64" },
        { "|f4", "byte order, < or >" },
        { "", "no type of NumPy's" },
        { "!f4", "no type of NumPy's" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file = file_of(1, header_of(cases[i].descr, false, "(1,)"), "\0\0\0\0\0\0\0\0", 8);
        const char *found = arena_format(bench.arena, "found \"'%s'", cases[i].descr);
        assert_refused(&file, file.size, "t.npy: byte 20: ", found, cases[i].advice);
    }
}

TEST(test_sizes_that_do_not_fit)
{
    static const struct {
        const char *descr, *shape;
        size_t size;
        const char *found, *right;
    } cases[] = {
        { "<f4", "(3, 4)", 47, "shape (3, 4) of \"<f4\" needs 48 bytes of data, found 47", "cut off" },
        { "<f4", "(3, 4)", 49, "needs 48 bytes of data, found 49", "too long" },
        { ">f2", "(3,)", 12, "needs 6 bytes of data, found 12", "too long" },
        { "<f4", "(0, 7)", 1, "needs 0 bytes of data, found 1", "too long" },
        { "<f2", "(1000000000000,)", 8, "needs 2000000000000 bytes of data, found 8", "cut off" },
        { "<f2", "(4611686018427387903,)", 8, "needs 9223372036854775806 bytes of data, found 8", "cut off" },
        { "<f4", "(4611686018427387904,)", 8, "needs more bytes than 63 bits can count", "found 8 bytes" },
        { "<f4", "(3037000500, 3037000500, 2)", 8, "needs more bytes than 63 bits can count", "found 8 bytes" },
        { "<f8", "(2, 2, 2, 2, 2, 2, 2, 9223372036854775807)", 8, "more bytes than 63 bits can count",
          "found 8 bytes" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *header = header_of(cases[i].descr, i % 2, cases[i].shape);
        static const unsigned char zeros[64];
        File file = file_of(1, header, zeros, cases[i].size);
        assert_refused(&file, file.size, arena_format(bench.arena, "t.npy: byte %zu: ", 10 + strlen(header)),
                       cases[i].found, cases[i].right);
    }
    ck_assert_uint_lt(arena_peak(bench.arena), 1u << 20);
}

// Every beginning of a correct file is refused, and none is read beyond its end.
TEST(test_every_cut)
{
    File good = file_of(1, header_of("<f2", true, "(2, 2)"), "abcdefgh", 8);
    NpyArray array;
    for (size_t size = 0; size < good.size; size++)
        ck_assert_msg(!parse(&array, &good, size), "the first %zu bytes were read", size);
    parsed(&good);
    ck_assert(!npy_parse(&array, bench.arena, (FileBytes){ good.at, 3 }, "t.npy", NULL));
}

TEST(test_round_trip)
{
    static const struct {
        int axes;
        int64_t shape[NPY_MOST_AXES];
        size_t count;
    } cases[] = {
        { 0, { 0 }, 1 },     { 1, { 0 }, 0 },       { 1, { 5 }, 5 },
        { 2, { 3, 4 }, 12 }, { 3, { 2, 0, 3 }, 0 }, { 8, { 1, 2, 1, 2, 1, 2, 1, 2 }, 16 },
    };
    static const float values[16] = { 1, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, 0.1f, 3e38f, 7, 8, 9 };
    char *path = bench_path(&bench, "a.npy");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NpyArray back;
        ck_assert(npy_write(path, cases[i].count ? values : NULL, cases[i].axes, cases[i].shape, &bench.error));
        ck_assert_msg(npy_read(&back, bench.arena, path, &bench.error), "%s", bench.error.text);
        ck_assert_int_eq(back.axes, cases[i].axes);
        for (int a = 0; a < back.axes; a++) ck_assert_int_eq(back.shape[a], cases[i].shape[a]);
        assert_values(back, values, cases[i].count);
    }
}

// The bytes that numpy.save(path, numpy.array([[1, 2]], "<f4")) writes, version 1.26.
TEST(test_written_bytes)
{
    FileBytes file;
    char *path = bench_path(&bench, "a.npy");
    const char *words = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
    ck_assert(npy_write(path, (float[]){ 1, 2 }, 2, (int64_t[]){ 1, 2 }, &bench.error));
    ck_assert(file_read(&file, bench.arena, path, &bench.error));
    ck_assert_uint_eq(file.size, 136);
    ck_assert_mem_eq(file.at, "\x93NUMPY\1\0\x76\0", 10);
    ck_assert_mem_eq(file.at + 10, words, strlen(words));
    for (size_t i = 10 + strlen(words); i < 127; i++) ck_assert_int_eq(file.at[i], ' ');
    ck_assert_mem_eq(file.at + 127, "\n\0\0\x80\x3F\0\0\0\x40", 9);
}

TEST(test_mat)
{
    Mat m = mat_of(bench.arena, 3, 4, (float[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }), back;
    char *path = bench_path(&bench, "m.npy");
    ck_assert(npy_write_mat(path, mat_block(m, 1, 2, 1, 2), &bench.error)); // a view with gaps between its rows
    ck_assert_msg(npy_read_mat(&back, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert(mat_equal(back, mat_of(bench.arena, 2, 2, (float[]){ 6, 7, 10, 11 })));
    ck_assert(npy_write_mat(path, mat_new(bench.arena, 0, 4), &bench.error));
    ck_assert(npy_read_mat(&back, bench.arena, path, &bench.error));
    ck_assert(back.rows == 0 && back.cols == 4 && !mat_empty(back));

    ck_assert(npy_write(path, m.at, 1, (int64_t[]){ 12 }, &bench.error));
    ck_assert(!npy_read_mat(&back, bench.arena, path, &bench.error));
    ERROR_HAS(&bench.error, path, "found the shape (12,)", "two axes");
    ck_assert(npy_write(path, m.at, 3, (int64_t[]){ 2, 2, 3 }, &bench.error));
    ck_assert(!npy_read_mat(&back, bench.arena, path, &bench.error));
    ERROR_HAS(&bench.error, path, "found the shape (2, 2, 3)", "two axes");
    ck_assert(npy_write(path, NULL, 2, (int64_t[]){ 0, 2147483648 }, &bench.error));
    ck_assert(!npy_read_mat(&back, bench.arena, path, &bench.error));
    ERROR_HAS(&bench.error, path, "found the shape (0, 2147483648)", "at most 2147483647");
}
