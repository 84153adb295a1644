// Machines: two roofs, and tokens a second.
#include "lesson/machines.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const Machine TOY = { "toy", 100, 10, 0 };

TEST(two_roofs)
{
    ck_assert_double_eq_tol(machine_ridge(TOY), 10, 1e-12);
    ck_assert_double_eq_tol(machine_reaches(TOY, 0.5), 5, 1e-12);
    ck_assert_double_eq_tol(machine_reaches(TOY, 10), 100, 1e-12);
    ck_assert_double_eq_tol(machine_reaches(TOY, 1000), 100, 1e-12);
    ck_assert_double_eq_tol(machine_ridge(MACHINE_H100), 295.2, 0.1);
}

// 10⁹ bytes of weights and 10⁸ of cache: one user waits for both, five share the weights.
TEST(tokens_a_second)
{
    ck_assert_double_eq_tol(machine_tokens(TOY, 1e9, 1e8, 1), 10 / 1.1, 1e-9);
    ck_assert_double_eq_tol(machine_tokens(TOY, 1e9, 1e8, 5), 50 / 1.5, 1e-9);
    ck_assert_double_eq_tol(machine_tokens(TOY, 0, 1e8, 7), 100, 1e-9);
}

// Whatever the numbers of that table are, they are a processor's.
TEST(the_core_that_was_measured)
{
    Machine core = machine_core();
    ck_assert_double_gt(core.gflops, 100);
    ck_assert_double_gt(core.gbytes, 10);
    ck_assert_double_gt(machine_ridge(core), 2);
    ck_assert_double_lt(machine_ridge(core), 20);
    ck_assert_double_gt(core.gflops, core.gbytes);
    ck_assert_double_gt(machine_core_prefill(), 0.5);
    ck_assert_double_lt(machine_core_prefill(), 1);
    ck_assert_double_gt(machine_core_decode(), 0.5);
    ck_assert_double_lt(machine_core_decode(), 1);
    ck_assert_double_gt(machine_core_decode_views(), 0.2);
    ck_assert_double_lt(machine_core_decode_views(), machine_core_decode());
}

// What a measured table says of where and when: one line each, and a day that the system's own calendar knows.
TEST(here_and_today)
{
    const char *here = machine_here(arena), *today = machine_today(arena);
    int year = 0, month = 0, day = 0, used = 0;
    ck_assert(*here && !strpbrk(here, "\n\t"));
    ck_assert_int_eq(sscanf(today, "%4d-%2d-%2d%n", &year, &month, &day, &used), 3);
    ck_assert_int_eq(used, 10);
    time_t before = time(NULL) - 86400, after = time(NULL) + 86400; // midnight may come between
    struct tm parts = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = 12 };
    ck_assert(mktime(&parts) > before - 43200 && mktime(&parts) < after + 43200);
}
