// lib/io/safetensors.c: tensors and notes go to the disk and back, and every malformed header is named.
#include "bench.h"

#include "base/portable_math.h"
#include "io/safetensors.h"
#include "support/suite.h"

BENCH_FIXTURE;

typedef struct {
    unsigned char at[8192];
    size_t size;
} File;

static const unsigned char counting[64] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

// A file with this header and `size` bytes of data.
static File file_of(const char *header, const void *data, size_t size)
{
    File file = { .size = 8 };
    size_t length = strlen(header);
    for (size_t i = 0; i < 8; i++) file.at[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(file.at + 8, header, length);
    memcpy(file.at + 8 + length, data, size);
    file.size += length + size;
    return file;
}

static bool parse(Tensors *out, const File *file, size_t size)
{
    FileBytes bytes = exact(file->at, size);
    bool ok = safetensors_parse(out, bench.arena, bytes, "t.st", &bench.error);
    free((void *)(uintptr_t)bytes.at);
    return ok;
}

// What is only looked at is what is parsed.
static void assert_look(const File *file, const Tensors *right)
{
    TensorViews views = { 0 };
    ck_assert(safetensors_look(&views, bench.arena, (FileBytes){ file->at, file->size }, "t.st", &bench.error));
    ck_assert(views.count == right->count && views.notes_count == right->notes_count);
    for (int t = 0; t < views.count; t++) {
        const NpyView *view = &views.tensors[t].view;
        const NpyArray *array = &right->tensors[t].array;
        ptrdiff_t size = (ptrdiff_t)dtype_size(view->stored);
        ck_assert_str_eq(views.tensors[t].name, right->tensors[t].name);
        ck_assert(view->axes == array->axes && view->count == array->count && !view->big_endian);
        if (view->axes == 2 && view->count > 0)
            ck_assert(view->step[1] == size && view->step[0] == size * view->shape[1]);
        for (size_t i = 0; i < view->count; i++) {
            float found = dtype_read(view->at + (ptrdiff_t)i * size, view->stored, false);
            ck_assert_mem_eq(&found, &array->at[i], sizeof found);
        }
    }
}

static Tensors parsed(const char *header, const void *data, size_t size)
{
    Tensors tensors = { 0 };
    File file = file_of(header, data, size);
    ck_assert_msg(parse(&tensors, &file, file.size), "%s", bench.error.text);
    assert_look(&file, &tensors);
    return tensors;
}

static void assert_refused(const File *file, size_t size, const char *place, const char *found, const char *right)
{
    Tensors tensors = { .count = -1 };
    ck_assert_msg(!parse(&tensors, file, size), "read, but this was expected: %s %s %s", place, found, right);
    ck_assert_int_eq(tensors.count, -1);
    ERROR_HAS(&bench.error, place, found, right);
    ck_assert_msg(strncmp(bench.error.text, "t.st: ", 6) == 0, "%s", bench.error.text);
}

TEST(test_types)
{
    static const unsigned char data[] = {
        0,    0,    0,    0,    0, 0, 0xF8, 0x3F, 0x01, 0, 0, 0, 0, 0, 0xF0, 0x7F, // F64: 1.5, NaN
        0,    0,    0xC0, 0x3F, 0, 0, 0x80, 0xFF,                                  // F32: 1.5, −Inf
        0x00, 0x3E, 0x01, 0x00,                                                    // F16: 1.5, 2⁻²⁴
        0xC0, 0x3F, 0x01, 0x00,                                                    // BF16: 1.5, 2⁻¹³³
    };
    Tensors t = parsed("{\"f64\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]},"
                       "\"f32\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[16,24]},"
                       "\"f16\":{\"dtype\":\"F16\",\"shape\":[1,2],\"data_offsets\":[24,28]},"
                       "\"bf16\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[28,32]}}",
                       data, sizeof data);
    ck_assert_int_eq(t.count, 4);
    ck_assert_int_eq(t.notes_count, 0);
    for (int i = 0; i < 4; i++) ck_assert_float_eq(t.tensors[i].array.at[0], 1.5f);
    ck_assert(isnan(tensors_find(&t, "f64")->at[1]) && tensors_find(&t, "f32")->at[1] == -INFINITY);
    ck_assert(tensors_find(&t, "f16")->at[1] == 0x1p-24f && tensors_find(&t, "bf16")->at[1] == 0x1p-133f);
    ck_assert(tensors_find(&t, "f32")->axes == 2 && tensors_find(&t, "f32")->shape[0] == 2);
    ck_assert_ptr_null(tensors_find(&t, "f8"));
    ck_assert_ptr_null(tensors_note(&t, "f64"));
}

// The header's order is kept; the data may stand in another.
TEST(test_order_and_notes)
{
    Tensors t = parsed("{\"z\":{\"data_offsets\":[4,8],\"shape\":[],\"dtype\":\"F32\"},\n"
                       " \"none\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[4,4]},\n"
                       " \"__metadata__\":{\"words\":\"the \\u00e9t\xC3\xA9\",\"\":\"\"},\n"
                       " \"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}    ",
                       "\0\0\x80\x3F\0\0\0\x40", 8);
    ck_assert_int_eq(t.count, 3);
    ck_assert_str_eq(t.tensors[0].name, "z");
    ck_assert_str_eq(t.tensors[1].name, "none");
    ck_assert_str_eq(t.tensors[2].name, "a");
    ck_assert(tensors_find(&t, "z")->axes == 0 && tensors_find(&t, "z")->count == 1);
    ck_assert_float_eq(tensors_find(&t, "z")->at[0], 2.0f);
    ck_assert_float_eq(tensors_find(&t, "a")->at[0], 1.0f);
    ck_assert(tensors_find(&t, "none")->count == 0 && tensors_find(&t, "none")->at);
    ck_assert_int_eq(t.notes_count, 2);
    ck_assert_str_eq(tensors_note(&t, "words"), "the \xC3\xA9t\xC3\xA9");
    ck_assert_str_eq(tensors_note(&t, ""), "");
    ck_assert_int_eq(parsed("{}", "", 0).count, 0);
    ck_assert_int_eq(parsed("{\"__metadata__\":{}}", "", 0).notes_count, 0);
}

// A correct file whose first bytes are replaced, cut to `size` bytes where that is not −1.
TEST(test_bad_lengths)
{
    // clang-format off
    static const struct {
        int count;
        const char *bytes;
        int size;
        const char *place, *found, *right;
    } cases[] = {
        { 0, "", 0, "byte 0", "found 0 bytes", "8" },
        { 0, "", 7, "byte 0", "found 7 bytes", "8" },
        { 0, "", 61, "byte 0", "said to have 54 bytes, but only 53 follow", "cut off" },
        { 8, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", -1, "byte 0", "18446744073709551615 bytes", "at most 16777216" },
        { 4, "\1\0\0\1", -1, "byte 0", "said to have 16777217 bytes", "at most 16777216" },
        { 4, "\0\0\0\1", -1, "byte 0", "said to have 16777216 bytes", "only 58 follow" },
        { 1, "\0", -1, "byte 8", "a header of 0 bytes", "start with {" },
        { 9, "\x36\0\0\0\0\0\0\0[", -1, "byte 8", "found \"[\"", "start with {" },
        { 1, "\x35", -1, "header:1:54", "found the end", "a comma or }" },
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File bad = file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", counting, 4);
        memcpy(bad.at, cases[i].bytes, (size_t)cases[i].count);
        size_t size = cases[i].size < 0 ? bad.size : (size_t)cases[i].size;
        assert_refused(&bad, size, cases[i].place, cases[i].found, cases[i].right);
    }
}

// Each header comes with 4 bytes of data.
TEST(test_bad_headers)
{
#define TENSOR(dtype, shape, offsets) "{\"t\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
    static const char three[] = "dtype, shape and data_offsets", offsets[] = "data_offsets must be two whole numbers";
    static const struct {
        const char *header, *place, *found, *right;
    } cases[] = {
        { "{", "header:1:2", "the end", "a key in double quotes" },
        { "{}x", "header:1:3", "found \"x\"", "nothing may follow" },
        { "{\"a\":1,}", "header:1:8", "found \"}\"", "not after the last" },
        { "{\"t\":{},\n\"t\":{}}", "header:2:5", "the key \"t\"", "a second time" },
        { "{\"t\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "header:1:29", "the key \"dtype\"", "a second time" },
        { "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", "header:1:30", "the key \"a\"", "a second time" },
        { "{\"__metadata__\":[]}", "header:1:17", "found an array", "must be an object" },
        { "{\"__metadata__\":{\"heads\":4}}", "header:1:26", "found a number under the key \"heads\"",
          "must be strings" },
        { "{\"t\":5}", "header:1:6: tensor \"t\"", "found a number", three },
        { "{\"t\":{}}", "header:1:6: tensor \"t\"", "found no dtype", three },
        { "{\"t\":{\"dtype\":\"F32\"}}", "header:1:6: tensor \"t\"", "found no shape", three },
        { "{\"t\":{\"dtype\":\"F32\",\"shape\":[]}}", "header:1:6: tensor \"t\"", "found no data_offsets", three },
        { "{\"t\":{\"dtype\":\"F32\",\"Shape\":[1]}}", "header:1:29: tensor \"t\"", "found \"Shape\"", three },
        { TENSOR("4", "[1]", "[0,4]"), "header:1:15: tensor \"t\"", "found a number", "dtype must be a string" },
        { TENSOR("\"f32\"", "[1]", "[0,4]"), "header:1:15: tensor \"t\"", "found dtype \"f32\"", "tensor.float()" },
        { TENSOR("\"\"", "[4]", "[0,4]"), "header:1:15: tensor \"t\"", "found dtype \"\"", "F64, F32, F16 and BF16" },
        { TENSOR("\"F32\"", "1", "[0,4]"), "header:1:29: tensor \"t\"", "found a number", "shape must be up to 8" },
        { TENSOR("\"F32\"", "[-1]", "[0,4]"), "header:1:30: tensor \"t\"", "found -1", "shape must be up to 8" },
        { TENSOR("\"F32\"", "[1,0.5]", "[0,4]"), "header:1:32: tensor \"t\"", "found 0.5", "whole numbers" },
        { TENSOR("\"F32\"", "[9007199254740992]", "[0,4]"), "header:1:30: tensor \"t\"", "found 9007199254740992",
          "whole" },
        { TENSOR("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), "header:1:46: tensor \"t\"", "more than 8", "up to 8" },
        { TENSOR("\"F32\"", "[1]", "4"), "header:1:48: tensor \"t\"", "found a number", offsets },
        { TENSOR("\"F32\"", "[1]", "[]"), "header:1:48: tensor \"t\"", "found no number", offsets },
        { TENSOR("\"F32\"", "[1]", "[4]"), "header:1:48: tensor \"t\"", "found one number", offsets },
        { TENSOR("\"F32\"", "[1]", "[0,4,8]"), "header:1:53: tensor \"t\"", "found more than 2", offsets },
        { TENSOR("\"F32\"", "[1]", "[0,3.5]"), "header:1:51: tensor \"t\"", "found 3.5", offsets },
        { TENSOR("\"F32\"", "[1]", "[4,0]"), "header:1:6: tensor \"t\"", "found data_offsets [4, 0]",
          "before the beginning" },
        { TENSOR("\"F32\"", "[2]", "[0,8]"), "header:1:6: tensor \"t\"", "found data_offsets [0, 8]",
          "4 bytes of data follow" },
        { TENSOR("\"F32\"", "[1]", "[1,5]"), "header:1:6: tensor \"t\"", "found data_offsets [1, 5]", "cut off" },
        { TENSOR("\"F32\"", "[1]", "[9007199254740987,9007199254740991]"), "tensor \"t\"", "[9007199254740987,",
          "cut off" },
        { TENSOR("\"F32\"", "[2]", "[0,4]"), "header:1:6: tensor \"t\"", "[0, 4]", "shape (2,) of F32 needs 8 bytes" },
        { TENSOR("\"F16\"", "[1]", "[0,4]"), "header:1:6: tensor \"t\"", "[0, 4]", "shape (1,) of F16 needs 2 bytes" },
        { TENSOR("\"F32\"", "[0]", "[0,4]"), "header:1:6: tensor \"t\"", "[0, 4]", "shape (0,) of F32 needs 0 bytes" },
        { TENSOR("\"F32\"", "[9007199254740991,9007199254740991]", "[0,4]"), "header:1:6: tensor \"t\"",
          "shape (9007199254740991, 9007199254740991)", "63 bits" },
        { TENSOR("\"F16\"", "[4294967296,1073741823]", "[0,4]"), "tensor \"t\"", "[0, 4]",
          "needs 9223372028264841216 bytes" },
        { TENSOR("\"F16\"", "[1]", "[2,4]"), "header:1:6: tensor \"t\"", "begins at 2", "must begin at 0" },
        { TENSOR("\"F16\"", "[1]", "[0,2]"), "t.st", "the tensors have 2 bytes of data, but 4 follow", "too long" },
        { "{}", "t.st", "the tensors have 0 bytes of data, but 4 follow", "too long" },
        { "{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]},"
          "\"b\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[2,4]}}",
          "header:1:59: tensor \"b\"", "begins at 2", "must begin at 4" },
        { "{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]},"
          "\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
          "tensor", "begins at 0", "must begin at 4" },
        { "{\"a\":{\"dtype\":\"F16\",\"shape\":[0],\"data_offsets\":[3,3]},"
          "\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
          "tensor \"a\"", "begins at 3", "must begin at 4" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        File file = file_of(cases[i].header, counting, 4);
        assert_refused(&file, file.size, cases[i].place, cases[i].found, cases[i].right);
    }
    ck_assert_uint_lt(arena_peak(bench.arena), 8u << 20);
}

// Every beginning of a correct file is refused, and none is read beyond its end.
TEST(test_every_cut)
{
    Tensors tensors;
    File good = file_of("{\"__metadata__\":{\"a\":\"b\"},"
                        "\"t\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[0,4]}}  ",
                        counting, 4);
    for (size_t size = 0; size < good.size; size++)
        ck_assert_msg(!parse(&tensors, &good, size), "the first %zu bytes were read", size);
    ck_assert(parse(&tensors, &good, good.size));
    ck_assert(!safetensors_parse(&tensors, bench.arena, (FileBytes){ good.at, 9 }, "t.st", NULL));
}

static Tensors some_tensors(void)
{
    static float values[6] = { 1, -0.0f, INFINITY, NAN, 0x1p-149f, 6 };
    static Tensor tensors[] = {
        { "wq", { 2, { 2, 3 }, values, 6 } },
        { "a \"quoted\"\nname", { 0, { 0 }, values + 5, 1 } },
        { "", { 1, { 0 }, NULL, 0 } },
    };
    static TensorNote notes[] = { { "words", "the \xC3\xA9t\xC3\xA9" }, { "heads", "4" } };
    return (Tensors){ tensors, 3, notes, 2 };
}

TEST(test_round_trip)
{
    Tensors given = some_tensors(), back;
    char *path = bench_path(&bench, "a.safetensors");
    ck_assert_msg(safetensors_write(path, &given, &bench.error), "%s", bench.error.text);
    ck_assert_msg(safetensors_read(&back, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert_int_eq(back.count, 3);
    ck_assert_int_eq(back.notes_count, 2);
    for (int i = 0; i < 3; i++) {
        NpyArray old = given.tensors[i].array, new = back.tensors[i].array;
        ck_assert_str_eq(back.tensors[i].name, given.tensors[i].name);
        ck_assert(old.axes == new.axes &&old.count == new.count && !memcmp(old.shape, new.shape, sizeof old.shape));
        ck_assert(old.count == 0 || !memcmp(old.at, new.at, old.count * sizeof(float)));
    }
    ck_assert_str_eq(tensors_note(&back, "words"), "the \xC3\xA9t\xC3\xA9");
    ck_assert_str_eq(tensors_note(&back, "heads"), "4");
    ck_assert_ptr_null(tensors_note(&back, "layers"));

    Tensors nothing = { 0 };
    ck_assert(safetensors_write(path, &nothing, &bench.error));
    ck_assert(safetensors_read(&back, bench.arena, path, &bench.error));
    ck_assert(back.count == 0 && back.notes_count == 0);
}

TEST(test_written_bytes)
{
    static const char header[] = "{\"__metadata__\":{\"k\":\"v\"},"
                                 "\"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
                                 "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[8,12]}}";
    FileBytes file;
    Tensor list[] = { { "b", { 2, { 1, 2 }, (float[]){ 1, 2 }, 2 } }, { "a", { 0, { 0 }, (float[]){ -1 }, 1 } } };
    Tensors given = { list, 2, (TensorNote[]){ { "k", "v" } }, 1 };
    char *path = bench_path(&bench, "a.safetensors");
    for (int again = 0; again < 2; again++) {
        ck_assert(safetensors_write(path, &given, &bench.error));
        ck_assert(file_read(&file, bench.arena, path, &bench.error));
        size_t padded = (strlen(header) + 7) / 8 * 8;
        ck_assert_uint_eq(file.size, 8 + padded + 12);
        ck_assert(file.at[0] == padded && !memcmp(file.at + 1, "\0\0\0\0\0\0\0", 7));
        ck_assert_mem_eq(file.at + 8, header, strlen(header));
        for (size_t i = strlen(header); i < padded; i++) ck_assert_int_eq(file.at[8 + i], ' ');
        ck_assert_mem_eq(file.at + 8 + padded, "\0\0\x80\x3F\0\0\0\x40\0\0\x80\xBF", 12);
    }
}

TEST(test_write_refuses)
{
    float one = 1;
    NpyArray scalar = { 0, { 0 }, &one, 1 };
    char *path = bench_path(&bench, "a.safetensors"), *nowhere = bench_path(&bench, "none/a.safetensors");
    Tensors same = { (Tensor[]){ { "q", scalar }, { "k", scalar }, { "q", scalar } }, 3, NULL, 0 };
    ck_assert(!safetensors_write(path, &same, &bench.error));
    ERROR_HAS(&bench.error, path, "tensor \"q\"", "two tensors have this name");
    Tensors kept = { (Tensor[]){ { "__metadata__", scalar } }, 1, NULL, 0 };
    ck_assert(!safetensors_write(path, &kept, &bench.error));
    ERROR_HAS(&bench.error, path, "tensor \"__metadata__\"", "kept for the dictionary");
    Tensors notes = { NULL, 0, (TensorNote[]){ { "a", "1" }, { "a", "2" } }, 2 };
    ck_assert(!safetensors_write(path, &notes, &bench.error));
    ERROR_HAS(&bench.error, path, "the key \"a\"", "stands twice");
    ck_assert_int_eq(entries_in(bench.folder), 0);

    Tensors given = some_tensors();
    ck_assert(!safetensors_write(nowhere, &given, &bench.error));
    ERROR_HAS(&bench.error, nowhere, "cannot be written");
    Tensors back;
    ck_assert(!safetensors_read(&back, bench.arena, path, &bench.error));
    ERROR_HAS(&bench.error, path, "there is no such file");
}
