// lib/base/dtype.c: rows of numbers against the numbers one by one, which tests/io/test_npy.c holds to their
// definitions.
#include "io/bench.h"

#include "base/dtype.h"
#include "base/portable_math.h"
#include "support/suite.h"

BENCH_FIXTURE;

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// All bits there are of 16, and as many of the longer kinds, at odd addresses, side by side and apart, forwards and
// back.
TEST(rows_are_their_numbers)
{
    static const Dtype kinds[] = { DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64 };
    enum { COUNT = 65536 };
    unsigned char *from = (unsigned char *)arena_alloc(bench.arena, COUNT * 11 + 1) + 1;
    float *row = arena_alloc(bench.arena, (COUNT + 1) * sizeof *row);
    for (int k = 0; k < 4; k++)
        for (int form = 0; form < 6; form++) {
            ptrdiff_t size = (ptrdiff_t)dtype_size(kinds[k]), step = form < 2 ? size : form < 4 ? 11 : -11;
            unsigned char *first = step < 0 ? from + 11 * (COUNT - 1) : from;
            for (unsigned i = 0; i < COUNT; i++)
                for (int b = 0; b < size; b++)
                    first[(int)i * step + b] = (unsigned char)(b == 0 ? i : b == 1 ? i >> 8 : i * 40503 >> b);
            row[COUNT] = -3.0f;
            dtype_read_row(row, first, step, COUNT, kinds[k], form & 1);
            for (int i = 0; i < COUNT; i++) {
                float right = dtype_read(first + i * step, kinds[k], form & 1);
                bool same = isnan(right) ? isnan(row[i]) : bits_of(row[i]) == bits_of(right);
                if (!same)
                    ck_abort_msg("number %d of kind %d, form %d: %g, not %g", i, k, form, (double)row[i],
                                 (double)right);
            }
            ck_assert(row[COUNT] == -3.0f);
        }
    dtype_read_row(row, NULL, 4, 0, DTYPE_F32, false);
}

TEST(numbers_are_written_little_endian)
{
    static const uint32_t bits = 0x41424344;
    static const uint64_t long_bits = 0x4142434445464748;
    unsigned char at[8];
    float value;
    double long_value;
    memcpy(&value, &bits, sizeof bits);
    memcpy(&long_value, &long_bits, sizeof long_bits);
    dtype_write_f32(at, (float[]){ 1.0f, value }, 2);
    ck_assert(!memcmp(at,
                      "\x00\x00\x80\x3f"
                      "DCBA",
                      8));
    dtype_write_f64(at, &long_value, 1);
    ck_assert(!memcmp(at, "HGFEDCBA", 8));
}

TEST(shapes)
{
    int64_t count = -1;
    ck_assert(shape_count(&count, 0, NULL) && count == 1);
    ck_assert(shape_count(&count, 2, (int64_t[]){ 3, 5 }) && count == 15);
    ck_assert(shape_count(&count, 3, (int64_t[]){ INT64_MAX, 2, 0 }) && count == 0);
    ck_assert(shape_count(&count, 2, (int64_t[]){ INT64_MAX / 2, 2 }) && count == INT64_MAX - 1);
    ck_assert(!shape_count(&count, 2, (int64_t[]){ INT64_MAX / 2 + 1, 2 }));
    ck_assert_str_eq(shape_text(arena, 0, NULL), "()");
    ck_assert_str_eq(shape_text(arena, 1, (int64_t[]){ 7 }), "(7,)");
    ck_assert_str_eq(shape_text(arena, 2, (int64_t[]){ 3, 5 }), "(3, 5)");
}
