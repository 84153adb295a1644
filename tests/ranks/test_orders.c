// Tests of lib/ranks/orders: what ends, what stands still, and who waits for whom.
#include "ranks/orders.h"
#include "support/suite.h"

enum { LONG = 100000, SHORT = 100, KEPT = 4096 };

// Every rank sends to the next and receives from the last; `first` says who begins by sending.
static void round_of(Orders *orders, int R, int bytes, bool (*first)(int rank))
{
    for (int r = 0; r < R; r++) {
        OrdersItem sends = { true, (r + 1) % R, bytes }, receives = { false, (r + R - 1) % R, bytes };
        orders[r] = (Orders){ .count = 2 };
        orders[r].of[!first(r)] = sends;
        orders[r].of[first(r)] = receives;
    }
}

static bool all(int rank) { return rank >= 0; }
static bool even(int rank) { return rank % 2 == 0; }
static bool not_first(int rank) { return rank > 0; }

TEST(all_send_first)
{
    Orders orders[8];
    int at[8], circle[8];
    for (int R = 2; R <= 8; R++) {
        round_of(orders, R, LONG, all);
        ck_assert(!orders_end(orders, R, KEPT, at));
        for (int r = 0; r < R; r++) ck_assert_int_eq(at[r], 0);
        ck_assert_int_eq(orders_circle(orders, R, at, circle), R);
        for (int r = 0; r < R; r++) ck_assert_int_eq(circle[r], r);
        round_of(orders, R, SHORT, all);
        ck_assert(orders_end(orders, R, KEPT, at));
        ck_assert_int_eq(orders_circle(orders, R, at, circle), 0);
        ck_assert(!orders_end(orders, R, SHORT - 1, at));
        ck_assert(orders_end(orders, R, SHORT, at));
    }
}

TEST(one_or_every_second_receives_first)
{
    Orders orders[7];
    int at[7];
    for (int R = 2; R <= 7; R++) {
        round_of(orders, R, LONG, even);
        ck_assert(orders_end(orders, R, 0, at));
        for (int r = 0; r < R; r++) ck_assert_int_eq(at[r], 2);
        round_of(orders, R, LONG, not_first);
        ck_assert(orders_end(orders, R, 0, at));
    }
}

// A rank that waits for a rank that has finished is stuck, but not in a cycle.
TEST(waiting_for_a_finished_rank)
{
    Orders orders[3] = { { .of = { { false, 1, LONG } }, .count = 1 },
                         { .count = 0 },
                         { .of = { { true, 0, LONG } }, .count = 1 } };
    int at[3], circle[3];
    ck_assert(!orders_end(orders, 3, KEPT, at));
    ck_assert_int_eq(orders_circle(orders, 3, at, circle), 0);
}

// A long message does not overtake a short one that was put down before it, not even where its receiver comes late.
TEST(messages_come_in_order)
{
    Orders late[3] = { { .of = { { true, 1, SHORT }, { true, 1, LONG } }, .count = 2 },
                       { .of = { { false, 2, SHORT }, { false, 0, SHORT } }, .count = 2 },
                       { .of = { { true, 1, SHORT } }, .count = 1 } };
    int done[3];
    ck_assert(!orders_end(late, 3, KEPT, done));
    ck_assert_int_eq(done[0], 1);
    ck_assert_int_eq(done[1], 2);

    Orders orders[2] = { { .of = { { true, 1, SHORT }, { true, 1, LONG } }, .count = 2 },
                         { .of = { { false, 0, SHORT }, { false, 0, LONG } }, .count = 2 } };
    int at[2];
    ck_assert(orders_end(orders, 2, KEPT, at));
    orders[1].count = 1;
    ck_assert(!orders_end(orders, 2, KEPT, at));
    ck_assert_int_eq(at[0], 1); // the short one was received, nobody asks for the long one
    ck_assert_int_eq(at[1], 1);
}

// Rank 0 waits for 1, and 1 and 2 for each other.
TEST(a_circle_need_not_hold_everyone)
{
    Orders orders[3] = { { .of = { { false, 1, LONG } }, .count = 1 },
                         { .of = { { true, 2, LONG } }, .count = 1 },
                         { .of = { { true, 1, LONG } }, .count = 1 } };
    int at[3], circle[3];
    ck_assert(!orders_end(orders, 3, KEPT, at));
    ck_assert_int_eq(orders_circle(orders, 3, at, circle), 2);
    ck_assert_int_eq(circle[0], 1);
    ck_assert_int_eq(circle[1], 2);
}
