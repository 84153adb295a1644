// Tests of tests/bench: what the tables of timings stand on.
#include "bench/results.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "bench/problem.h"
#include "bench/reader.h"
#include "io/table.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static Results two_rows(void)
{
    Results results = { 0 };
    MeasureSpread share = { 0.60, 0.61456, 0.62 }, another = { 0.8, 0.9, 1.1 }, none = { 0, 0, 0 };
    results_add(&results, (Result){ "plain-c", 12, 12, 1024, 1024, 64, 1, 1, 171.254, share, 0.5, 3.84e-7, none });
    results_add(&results, (Result){ "all heads", 32, 8, 1, 4096, 128, 0, 2, 12.5, another, 30.25, 0.0, none });
    return results;
}

TEST(as_csv)
{
    Results results = two_rows();
    ck_assert_str_eq(results_csv(arena, &results, NULL),
                     "kernel,H,G,T,S,d,causal,threads,gflops,share_of_probe,gbytes_per_s,rel_error\n"
                     "plain-c,12,12,1024,1024,64,1,1,171.25,0.6146,0.50,3.84e-07\n"
                     "all heads,32,8,1,4096,128,0,2,12.50,0.9000,30.25,0.00e+00\n");
    free(results.at);
}

// The file to keep is read back by io/table.
TEST(as_kept)
{
    Results results = two_rows();
    char *text = results_csv(arena, &results, "# cpu: one, two\n");
    TableRows rows;
    Error error;
    bool parsed = table_parse(&rows, arena, (FileBytes){ (unsigned char *)text, strlen(text) }, 13, "kept", &error);
    ck_assert_msg(parsed, "%s", error.text);
    ck_assert_int_eq(rows.values.rows, 2);
    ck_assert_str_eq(rows.names[1], "all heads");
    ck_assert(!strncmp(text, "# cpu: one, two\n# kernel\tH\tG\t", 29));
    static const float want[] = { 12, 12, 1024, 1024, 64, 1, 1, 171.25f, 0.6146f, 0.5f, 3.84e-7f, 0.6f, 0.62f };
    for (int c = 0; c < 13; c++) ck_assert_float_eq_tol(*mat_ref(rows.values, 0, c), want[c], 1e-9f + 1e-6f * want[c]);
    free(results.at);
}

// An error is that of the rows that were computed; of zeros it is 1.
TEST_EACH(errors, 4)
{
    bool causal = _i % 2, views = _i / 2;
    Problem p = problem_new(arena, 6, 2, 70, 90, 8, causal, views);
    Mat out = mat_new(arena, 70, 8);
    ck_assert_double_eq_tol(problem_error(&p, 5, out), 1.0, 1e-12);
    attention_naive((Attended){ .out = out }, p.q[5], p.k[1], p.v[1], (Mask){ .causal = causal });
    ck_assert_double_lt(problem_error(&p, 5, out), 5e-7);
    for (int c = 0; c < 8; c++) *mat_ref(out, 69, c) *= 1.01f;
    ck_assert_double_gt(problem_error(&p, 5, out), 1e-4);
    ck_assert_double_gt(problem_error(&p, 4, out), 0.1); // another head
    ck_assert(problem_flops(&p) == (causal ? 2 : 4) * 70.0 * 90 * 8);
    ck_assert_double_eq_tol(problem_bytes(&p) * 6, 4.0 * 8 * (2 * 6 * 70 + 2 * 2 * 90), 1e-9);
}

TEST_EACH(streams_read_everything, 7)
{
    static const int shapes[][2] = { { 0, 4 }, { 1, 1 }, { 3, 7 }, { 1, 64 }, { 1, 65 }, { 40, 50 }, { 37, 111 } };
    Mat m = mat_new(arena, shapes[_i][0], shapes[_i][1]);
    for (int i = 0; i < m.rows * m.cols; i++) m.at[i] = (float)(i % 7 + 1); // whole numbers: sums are exact
    for (int kind = 0; kind < fast_kinds_count; kind++)
        for (int streams = 1; streams <= 4; streams += 3)
            if (fast_choose(fast_kinds[kind])) ck_assert((double)read_streams(m, streams) == mat_sum(m));
    fast_choose(NULL);
}
