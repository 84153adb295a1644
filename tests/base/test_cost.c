// Tests of lib/base/cost.c. What the kernels count is asserted beside each kernel.
#include "base/cost.h"

#include "support/reference.h"
#include "support/suite.h"

static void assert_cost(Cost cost, Cost want)
{
    ck_assert_int_eq(cost.multiplies, want.multiplies);
    ck_assert_int_eq(cost.exps, want.exps);
    ck_assert_int_eq(cost.reads, want.reads);
    ck_assert_int_eq(cost.writes, want.writes);
    ck_assert_int_eq(cost.scratch, want.scratch);
}

TEST(a_thread_starts_at_nothing) { assert_cost(cost_counted, (Cost){ 0 }); }

TEST(since)
{
    cost_counted = (Cost){ .multiplies = 100, .exps = 10, .reads = 40, .writes = 20, .scratch = 64 };
    Cost before = cost_counted;
    cost_counted.multiplies += 7;
    cost_counted.exps += 3;
    cost_counted.reads += 5;
    cost_counted.writes += 2;
    cost_scratch(128);
    // scratch is a maximum: there is no difference to take
    assert_cost(cost_since(before), (Cost){ .multiplies = 7, .exps = 3, .reads = 5, .writes = 2, .scratch = 128 });
    assert_cost(cost_counted, (Cost){ .multiplies = 107, .exps = 13, .reads = 45, .writes = 22, .scratch = 128 });
}

TEST(scratch_is_the_largest)
{
    cost_scratch(64);
    cost_scratch(4096);
    cost_scratch(128);
    ck_assert_int_eq(cost_counted.scratch, 4096);
}

TEST(adding)
{
    cost_counted = (Cost){ .multiplies = 1, .exps = 2, .reads = 3, .writes = 4, .scratch = 300 };
    cost_add((Cost){ .multiplies = 10, .exps = 20, .reads = 30, .writes = 40, .scratch = 100 });
    assert_cost(cost_counted, (Cost){ .multiplies = 11, .exps = 22, .reads = 33, .writes = 44, .scratch = 300 });
    int64_t much = 5000000000;
    cost_add((Cost){ .multiplies = much, .exps = much, .reads = much, .writes = much, .scratch = much });
    assert_cost(cost_counted, (Cost){ .multiplies = much + 11,
                                      .exps = much + 22,
                                      .reads = much + 33,
                                      .writes = much + 44,
                                      .scratch = much });
}
