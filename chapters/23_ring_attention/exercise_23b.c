// Exercise 23b. Find the deadlock, and mend it.
//
// Mend the function, then run: make exercise-23b
#include "ranks/orders.h"

// R ranks stand in a ring, R ≥ 2. Each has a message of `bytes` bytes for the rank behind it, and another one for the
// rank before it; so it sends two and receives two. Every order waits until it is done: a short message may be put down
// at the sender's, a long one waits for its receiver, and a receiver for its sender. What follows has run for years,
// with short messages. With long ones it stands still.
//
// Task. Write the orders of one rank, all four, so that all ranks come to their end however long the messages are, for
// every R, odd or even. Ranks may have different orders, but nobody sends more than that.
void my_orders(Orders *orders, int rank, int R, int bytes)
{
    int behind = (rank + 1) % R, before = (rank + R - 1) % R;
    orders->count = 4;
    orders->of[0] = (OrdersItem){ .sends = true, .other = behind, .bytes = bytes };
    orders->of[1] = (OrdersItem){ .sends = false, .other = before, .bytes = bytes };
    orders->of[2] = (OrdersItem){ .sends = true, .other = before, .bytes = bytes };
    orders->of[3] = (OrdersItem){ .sends = false, .other = behind, .bytes = bytes };
}
