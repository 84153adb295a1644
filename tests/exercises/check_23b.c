// Exercise 23b: my_orders. Worked off on paper: no rank has to hang for it.
#include "exercises/judge.h"
#include "ranks/orders.h"

void my_orders(Orders *orders, int rank, int R, int bytes);

enum { MOST = 9, LONG = 1000000, SHORT = 100, KEPT = 4096 };

static const char *told(Arena *arena, const OrdersItem *order)
{
    return arena_format(arena, "%s rank %d", order->sends ? "to send to" : "to receive from", order->other);
}

// Who stands where: of a circle everyone in it, else the first who waits for one that is done.
static const char *who_waits(Judge *judge, const Orders *orders, int R, const int *at)
{
    int circle[RANKS_MOST], count = orders_circle(orders, R, at, circle);
    const char *text = "";
    for (int i = 0; i < count; i++)
        text = arena_format(judge->arena, "%s%srank %d waits %s", text, i ? ", " : "", circle[i],
                            told(judge->arena, &orders[circle[i]].of[at[circle[i]]]));
    if (count > 0) return arena_format(judge->arena, "%d ranks wait in a circle: %s", count, text);
    for (int r = 0; r < R; r++)
        if (at[r] < orders[r].count)
            return arena_format(judge->arena, "rank %d waits %s, which is done", r,
                                told(judge->arena, &orders[r].of[at[r]]));
    return "nobody waits";
}

static int orders_like(const Orders *orders, bool sends, int other)
{
    int count = 0;
    for (int i = 0; i < orders->count; i++) count += orders->of[i].sends == sends && orders->of[i].other == other;
    return count;
}

static void claim(Judge *judge, bool right, const char *property)
{
    judge_claim(judge, right,
                (Hints){ property,
                         "a rank has four orders: two neighbours, and to each it sends and "
                         "from each it receives",
                         NULL });
}

// Are these the four orders, in whatever order?
static void complete(Judge *judge, const Orders *orders, int R, int bytes)
{
    Arena *arena = judge->arena;
    for (int r = 0; r < R; r++) {
        const Orders *own = &orders[r];
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
        int neighbours[2] = { (r + 1) % R, (r + R - 1) % R }, each = R == 2 ? 2 : 1;
        for (int n = 0; n < 2; n++)
            for (int sends = 0; sends < 2; sends++) {
                int count = orders_like(own, sends, neighbours[n]);
                const char *what = sends ? "sends to" : "receives from";
                claim(judge, count >= each,
                      arena_format(arena, "rank %d %s rank %d too rarely", r, what, neighbours[n]));
                claim(judge, count <= each,
                      arena_format(arena, "rank %d %s rank %d too often", r, what, neighbours[n]));
            }
        claim(judge, own->count == 4, arena_format(arena, "rank %d has %d orders, not 4", r, own->count));
    }
}

static void of_ranks(Judge *judge, int R, int bytes, int kept)
{
    Orders orders[MOST];
    int at[MOST];
    judge_trying(judge, "my_orders of %d ranks, messages of %d bytes, of which up to %d are put down", R, bytes, kept);
    for (int r = 0; r < R; r++) {
        orders[r] = (Orders){ .count = 0 };
        my_orders(&orders[r], r, R, bytes);
    }
    complete(judge, orders, R, bytes);
    bool ends = orders_end(orders, R, kept, at);
    const char *property = ends ? "" : who_waits(judge, orders, R, at);
    judge_claim(judge, ends,
                (Hints){ property,
                         "if one of them did its next two orders in the other order, who could "
                         "go on?",
                         "each way round the ring by itself: in each, one rank receives before it sends" });
}

static void check(Judge *judge)
{
    of_ranks(judge, 4, SHORT, KEPT);
    static const int counts[] = { 4, 3, 2, 5, 7, 8, 9, 6 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) of_ranks(judge, counts[i], LONG, KEPT);
    for (int R = 2; R <= MOST; R++) of_ranks(judge, R, SHORT, 0);
}

int main(void) { return judge_main("23b", check); }
