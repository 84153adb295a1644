// Chapter 23. Deadlock detection by executing all ranks' operations until none can proceed.
#include "ranks/orders.h"

#include "base/error.h"

// Number of buffered messages sent from rank a to rank b, and of those received.
typedef struct {
    int sent[RANKS_MOST][RANKS_MOST], received[RANKS_MOST][RANKS_MOST];
} Channels;

static const OrdersItem *next_item(const Orders *orders, int rank, const int *done)
{
    return done[rank] < orders[rank].count ? &orders[rank].of[done[rank]] : NULL;
}

// Executes this rank's next operation if it can complete: a buffered send, a receive of a buffered message, or a long
// send together with its receive. Returns whether it did.
static bool advance(const Orders *orders, int rank, int kept, int *done, Channels *channels)
{
    const OrdersItem *item = next_item(orders, rank, done);
    if (!item) return false;
    REQUIRE(0 <= item->other && item->other < RANKS_MOST && item->other != rank, "rank %d and rank %d", rank,
            item->other);
    int *sent = &channels->sent[rank][item->other];
    if (item->sends && item->bytes <= kept) {
        *sent += 1;
        done[rank]++;
        return true;
    }
    if (!item->sends && channels->sent[item->other][rank] > channels->received[item->other][rank]) {
        channels->received[item->other][rank]++;
        done[rank]++;
        return true;
    }
    const OrdersItem *peer_item = next_item(orders, item->other, done);
    bool rendezvous = item->sends && peer_item && !peer_item->sends && peer_item->other == rank &&
                      *sent == channels->received[rank][item->other];
    if (!rendezvous) return false;
    done[rank]++;
    done[item->other]++;
    return true;
}

bool orders_end(const Orders *orders, int R, int kept, int *done)
{
    Channels channels = { .sent = { { 0 } } };
    REQUIRE(1 <= R && R <= RANKS_MOST, "%d ranks", R);
    for (int r = 0; r < R; r++) done[r] = 0;
    bool progress = true;
    while (progress) {
        progress = false;
        for (int r = 0; r < R; r++)
            if (advance(orders, r, kept, done, &channels)) progress = true;
    }
    for (int r = 0; r < R; r++)
        if (next_item(orders, r, done)) return false;
    return true;
}

int orders_circle(const Orders *orders, int R, const int *done, int *ranks)
{
    for (int first = 0; first < R; first++) {
        int rank = first, count = 0;
        while (count < R) {
            const OrdersItem *item = next_item(orders, rank, done);
            if (!item) break;
            ranks[count++] = rank;
            rank = item->other;
            if (rank == first) return count;
        }
    }
    return 0;
}
