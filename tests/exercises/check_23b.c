// Exercise 23b: my_orders. The orders are executed on paper, so that no rank has to hang.
#include "exercises/judge.h"
#include "ranks/orders.h"

typedef void Write(Orders *orders, int rank, int R, int bytes);
Write my_orders;

enum { MOST = 9, LONG = 1000000, SHORT = 100, KEPT = 4096 };

static const char *told(Arena *arena, const OrdersItem *order)
{
    return arena_format(arena, "%s rank %d", order->sends ? "to send to" : "to receive from", order->other);
}

// All who wait in a circle; without a circle the first who waits for a rank that is done.
static const char *who_waits(Arena *arena, const Orders *orders, int R, const int *at)
{
    int circle[RANKS_MOST], count = orders_circle(orders, R, at, circle), r = 0;
    const char *text = arena_format(arena, "%d ranks wait in a circle: ", count);
    for (int i = 0; i < count; i++)
        text = arena_format(arena, "%s%srank %d waits %s", text, i ? ", " : "", circle[i],
                            told(arena, &orders[circle[i]].of[at[circle[i]]]));
    if (count > 0) return text;
    while (at[r] == orders[r].count) r++;
    return arena_format(arena, "rank %d waits %s, which is done", r, told(arena, &orders[r].of[at[r]]));
}

static void claim(Judge *judge, bool right, const char *property)
{
    judge_claim(judge, right,
                (Hints){ property,
                         "a rank has four orders: two neighbours, and to each it sends and from each it receives" });
}

// Are these the four orders, in whatever order?
static void complete(Judge *judge, const Orders *own, int r, int R, int bytes)
{
    Arena *arena = judge->arena;
    int neighbours[2] = { (r + 1) % R, (r + R - 1) % R }, each = R == 2 ? 2 : 1;
    claim(judge, own->count >= 0 && own->count <= ORDERS_MOST,
          arena_format(arena, "rank %d has %d orders", r, own->count));
    for (int i = 0; i < own->count; i++) {
        int other = own->of[i].other;
        claim(judge, other >= 0 && other < R,
              arena_format(arena, "rank %d is told of a rank %d; there are %d", r, other, R));
        claim(judge, other != r, arena_format(arena, "rank %d sends to itself, or receives from itself", r));
        claim(judge, own->of[i].bytes == bytes,
              arena_format(arena, "rank %d has a message of %d bytes, not of %d", r, own->of[i].bytes, bytes));
    }
    for (int n = 0; n < 4; n++) {
        const char *what = n % 2 ? "sends to" : "receives from";
        int count = 0, other = neighbours[n / 2];
        for (int i = 0; i < own->count; i++) count += own->of[i].sends == n % 2 && own->of[i].other == other;
        claim(judge, count >= each, arena_format(arena, "rank %d %s rank %d too rarely", r, what, other));
        claim(judge, count <= each, arena_format(arena, "rank %d %s rank %d too often", r, what, other));
    }
    claim(judge, own->count == 4, arena_format(arena, "rank %d has %d orders, not 4", r, own->count));
}

static void try_ranks(Judge *judge, Function f, int R, int bytes, int kept)
{
    Orders orders[MOST] = { 0 };
    int at[MOST];
    judge_trying(judge, "my_orders of %d ranks, messages of %d bytes, of which up to %d are put down", R, bytes, kept);
    for (int r = 0; r < R; r++) ((Write *)f)(&orders[r], r, R, bytes);
    for (int r = 0; r < R; r++) complete(judge, &orders[r], r, R, bytes);
    if (orders_end(orders, R, kept, at)) return;
    judge_claim(judge, false,
                (Hints){ who_waits(judge->arena, orders, R, at),
                         "if one of them did its next two orders in the other order, who could go on?",
                         "each way round the ring by itself: in each, one rank receives before it sends" });
}

static void check(Judge *judge, Function f)
{
    static const int counts[] = { 4, 3, 2, 5, 7, 8, 9, 6 };
    try_ranks(judge, f, 4, SHORT, KEPT);
    for (int i = 0; i < COUNT(counts); i++) try_ranks(judge, f, counts[i], LONG, KEPT);
    for (int R = 2; R <= MOST; R++) try_ranks(judge, f, R, SHORT, 0);
}

enum { RIGHT, AS_GIVEN, ALL_RECEIVE, ONE_WAY, PAIRS, TWO_RANKS, NO_MODULO, ONE_TOO_MANY, ONE_LESS, HALF_A_MESSAGE };

// One letter an order: s sends to the rank behind, S to the one before; r receives from the one before, R from behind.
static const char *letters(int rank, int R)
{
    switch (judge_fault) {
    case AS_GIVEN: return "srSR";
    case ALL_RECEIVE: return "rsRS";
    case ONE_WAY: return rank == 0 ? "rsSR" : "srSR";
    case PAIRS: return rank % 2 ? "rSRs" : "sRSr"; // with an odd number of ranks two neighbours are even
    case TWO_RANKS: return R == 2 ? "sSrR" : rank == 0 ? "rsRS" : "srSR";
    case ONE_TOO_MANY: return "srSRs";
    case ONE_LESS: return "srS";
    default: return rank == 0 ? "rsRS" : "srSR";
    }
}

static void orders(Orders *own, int rank, int R, int bytes)
{
    int behind = judge_fault == NO_MODULO ? rank + 1 : (rank + 1) % R, before = (rank + R - 1) % R;
    for (const char *l = letters(rank, R); *l; l++)
        own->of[own->count++] = (OrdersItem){ *l == 's' || *l == 'S', *l == 's' || *l == 'R' ? behind : before, bytes };
    if (judge_fault == HALF_A_MESSAGE) own->of[3].bytes /= 2;
}

static const Task tasks[] = {
    { AS(Write, my_orders), AS(Write, orders), .check = check, .faulty = AS(Write, orders),
      .wrong = { { .fault = AS_GIVEN,
                   .told = "4 ranks wait in a circle: rank 0 waits to send to rank 1, rank 1 waits to send to rank 2" },
                 { .fault = ALL_RECEIVE, .told = "4 ranks wait in a circle: rank 0 waits to receive from rank 3" },
                 { .fault = ONE_WAY, .told = "wait in a circle" },
                 { .fault = PAIRS, .told = "of 3 ranks" },
                 { .fault = TWO_RANKS, .told = "of 2 ranks" },
                 { .fault = NO_MODULO, .told = "rank 3 is told of a rank 4; there are 4" },
                 { .fault = ONE_TOO_MANY, .told = "rank 0 sends to rank 1 too often" },
                 { .fault = ONE_LESS, .told = "rank 0 receives from rank 1 too rarely" },
                 { .fault = HALF_A_MESSAGE, .told = "rank 0 has a message of 50 bytes, not of 100" } } },
};
EXERCISE("23b", tasks)
