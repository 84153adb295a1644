// lib/base/dtype.c: rows of numbers against the numbers one by one, which tests/io/test_npy.c holds to their
// definitions.
#include "io/bench.h"

#include "base/dtype.h"

#include <math.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// All bits there are of 16, and as many of the longer kinds, at odd addresses, side by side and apart, forwards and
// back.
START_TEST(rows_are_their_numbers)
{
    static const Dtype kinds[] = { DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64 };
    enum { COUNT = 65536 };
    Bench bench = bench_open();
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
    bench_close(&bench);
}
END_TEST

Suite *number_suite(void);
Suite *number_suite(void)
{
    Suite *suite = suite_create("io/number");
    TCase *tcase = tcase_create("number");
    tcase_add_test(tcase, rows_are_their_numbers);
    suite_add_tcase(suite, tcase);
    return suite;
}
