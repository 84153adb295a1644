// Chapter 23. Who waits for whom: sends and receives that do not come back until they are done, one after the other.
//
// A rank's orders are a list. A short message is put down at the sender's, and the sender goes on; a long one waits
// until the other side asks for it. Which of the two, a limit of bytes says; MPI has one, too, and another for each
// network. So a program may run for years and stop at the first message that is a little longer.
#ifndef RANKS_ORDERS_H
#define RANKS_ORDERS_H

#include "ranks/rank.h"

typedef struct {
    bool sends;
    int other, bytes;
} OrdersItem;
enum { ORDERS_MOST = 16 };
typedef struct {
    OrdersItem of[ORDERS_MOST];
    int count;
} Orders; // of one rank, from the first to the last

// Works all ranks' orders off as far as they go; `at` (R): how many each rank has done. Answers whether all are done.
// A message of at most `kept` bytes is put down. It does not depend on who is faster: messages between two ranks come
// in order, and nobody receives from anyone but the one he names.
bool orders_end(const Orders *orders, int R, int kept, int *at);

// A rank that waits for one that waits … for the first again. ranks (R): those of the circle, in this order. Answers
// how many there are; 0: no circle. at: as orders_end has left it.
int orders_circle(const Orders *orders, int R, const int *at, int *ranks);

#endif
