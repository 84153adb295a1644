// Chapter 23. Orders that are worked off until nobody can go on.
#include "ranks/orders.h"

#include "base/error.h"

// From rank a to rank b: messages that were put down or taken.
typedef struct {
    int put[RANKS_MOST][RANKS_MOST], taken[RANKS_MOST][RANKS_MOST];
} Wires;

static const OrdersItem *order_of(const Orders *orders, int rank, const int *at)
{
    return at[rank] < orders[rank].count ? &orders[rank].of[at[rank]] : NULL;
}

// One order more of this rank, or of it and the one that it meets. False: it waits.
static bool go_on(const Orders *orders, int rank, int kept, int *at, Wires *wires)
{
    const OrdersItem *mine = order_of(orders, rank, at);
    if (!mine) return false;
    REQUIRE(0 <= mine->other && mine->other < RANKS_MOST && mine->other != rank, "rank %d and rank %d", rank,
            mine->other);
    int *put = &wires->put[rank][mine->other];
    if (mine->sends && mine->bytes <= kept) {
        *put += 1;
        at[rank]++;
        return true;
    }
    if (!mine->sends && wires->put[mine->other][rank] > wires->taken[mine->other][rank]) {
        wires->taken[mine->other][rank]++;
        at[rank]++;
        return true;
    }
    const OrdersItem *theirs = order_of(orders, mine->other, at);
    bool meet =
        mine->sends && theirs && !theirs->sends && theirs->other == rank && *put == wires->taken[rank][mine->other];
    if (!meet) return false;
    at[rank]++;
    at[mine->other]++;
    return true;
}

bool orders_end(const Orders *orders, int R, int kept, int *at)
{
    Wires wires = { .put = { { 0 } } };
    REQUIRE(1 <= R && R <= RANKS_MOST, "%d ranks", R);
    for (int r = 0; r < R; r++) at[r] = 0;
    bool moved = true;
    while (moved) {
        moved = false;
        for (int r = 0; r < R; r++)
            if (go_on(orders, r, kept, at, &wires)) moved = true;
    }
    for (int r = 0; r < R; r++)
        if (order_of(orders, r, at)) return false;
    return true;
}

int orders_circle(const Orders *orders, int R, const int *at, int *ranks)
{
    for (int first = 0; first < R; first++) {
        int rank = first, count = 0;
        while (count < R) {
            const OrdersItem *order = order_of(orders, rank, at);
            if (!order) break;
            ranks[count++] = rank;
            rank = order->other;
            if (rank == first) return count;
        }
    }
    return 0;
}
