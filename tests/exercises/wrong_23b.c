// Exercise 23b, solved wrongly: number WRONG of these gets this answer.
//
// 1: 4 ranks wait in a circle: rank 0 waits to send to rank 1, rank 1 waits to send to rank 2
// 2: 4 ranks wait in a circle: rank 0 waits to receive from rank 3
// 3: 2 ranks wait in a circle: rank 0 waits to send to rank 1, rank 1 waits to send to rank 0
// 4: of 3 ranks
// 5: rank 3 receives from rank 0 too often
// 6: rank 0 sends to rank 1 too often
// 7: rank 2 sends to itself
// 8: rank 3 is told of a rank 4; there are 4
// 9: rank 0 has a message of 0 bytes, not of 100
// 10: rank 0 has 17 orders
// 11: rank 0 sends to rank 1 too rarely
// 12: wait in a circle
// 13: rank 1 has a message of 50 bytes
// 14: of 2 ranks
#include "exercises/wrong.h"
#include "ranks/orders.h"

void my_orders(Orders *orders, int rank, int R, int bytes);

static OrdersItem sends(int other, int bytes) { return (OrdersItem){ true, other, bytes }; }
static OrdersItem receives(int other, int bytes) { return (OrdersItem){ false, other, bytes }; }

static void four(Orders *orders, OrdersItem a, OrdersItem b, OrdersItem c, OrdersItem d)
{
    *orders = (Orders){ .of = { a, b, c, d }, .count = 4 };
}

void my_orders(Orders *orders, int rank, int R, int bytes)
{
    int how = wrong(), behind = (rank + 1) % R, before = (rank + R - 1) % R;
    OrdersItem to_next = sends(behind, bytes), to_last = sends(before, bytes);
    OrdersItem from_next = receives(behind, bytes), from_last = receives(before, bytes);
    if (rank == 0) four(orders, from_last, to_next, from_next, to_last);
    else four(orders, to_next, from_last, to_last, from_next);
    if (how == 1) four(orders, to_next, from_last, to_last, from_next);
    if (how == 2) four(orders, from_last, to_next, from_next, to_last);
    if (how == 3)
        four(orders, rank == 1 ? to_last : to_next, rank == 1 ? from_last : from_next, rank == 1 ? to_next : to_last,
             rank == 1 ? from_next : from_last);
    // Pairs: an even rank with the one behind it first, an odd one with the one before it. With an odd number of ranks
    // two neighbours are even.
    if (how == 4 && rank % 2 == 0) four(orders, to_next, from_next, to_last, from_last);
    if (how == 4 && rank % 2 == 1) four(orders, from_last, to_last, from_next, to_next);
    if (how == 5 && rank == 3) orders->of[1] = receives(before == 2 ? 0 : before, bytes);
    if (how == 6 && rank == 0) orders->of[orders->count++] = to_next;
    if (how == 7 && rank == 2) orders->of[0] = sends(2, bytes);
    if (how == 8 && rank == 3) orders->of[0] = sends(4, bytes);
    if (how == 9) orders->of[0].bytes = 0;
    if (how == 10) orders->count = ORDERS_MOST + 1;
    if (how == 11) four(orders, to_last, from_last, to_last, from_next);
    if (how == 12 && rank == 0) four(orders, from_last, to_next, to_last, from_next);
    if (how == 13 && rank == 1) orders->of[3].bytes = bytes / 2;
    // Right from three ranks on: with two, the neighbour behind is the one before.
    if (how == 14 && R == 2) four(orders, to_next, to_last, from_last, from_next);
}
