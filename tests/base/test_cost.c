// Tests of lib/base/cost.c. What the kernels count is asserted beside each kernel.
#include "base/cost.h"

#include "support/reference.h"

static void assert_cost(Cost cost, int64_t multiplies, int64_t exps, int64_t scratch)
{
    ck_assert_int_eq(cost.multiplies, multiplies);
    ck_assert_int_eq(cost.exps, exps);
    ck_assert_int_eq(cost.scratch, scratch);
}

START_TEST(a_thread_starts_at_nothing) { assert_cost(counted, 0, 0, 0); }
END_TEST

START_TEST(since)
{
    counted = (Cost){ 100, 10, 64 };
    Cost before = counted;
    counted.multiplies += 7;
    counted.exps += 3;
    cost_scratch(128);
    assert_cost(cost_since(before), 7, 3, 128);       // scratch is a maximum: there is no difference to take
    assert_cost(counted, 107, 13, 128);
}
END_TEST

START_TEST(scratch_is_the_largest)
{
    cost_scratch(64);
    cost_scratch(4096);
    cost_scratch(128);
    ck_assert_int_eq(counted.scratch, 4096);
}
END_TEST

START_TEST(adding)
{
    counted = (Cost){ 1, 2, 300 };
    cost_add((Cost){ 10, 20, 100 });
    assert_cost(counted, 11, 22, 300);
    cost_add((Cost){ 5000000000, 6000000000, 7000000000 });
    assert_cost(counted, 5000000011, 6000000022, 7000000000);
}
END_TEST

Suite *cost_suite(void)
{
    Suite *suite = suite_create("cost");
    TCase *tests = tcase_create("cost");
    tcase_add_test(tests, a_thread_starts_at_nothing);
    tcase_add_test(tests, since);
    tcase_add_test(tests, scratch_is_the_largest);
    tcase_add_test(tests, adding);
    suite_add_tcase(suite, tests);
    return suite;
}
