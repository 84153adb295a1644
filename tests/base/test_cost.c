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
