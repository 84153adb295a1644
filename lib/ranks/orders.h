// Chapter 23. Deadlock detection: simulates blocking sends and receives of all ranks.
//
// Each rank has a list of operations that it executes in order. A short message is buffered and the sender continues
// (eager protocol); a long one blocks until the receiver is ready (rendezvous). The limit between the two differs
// between MPI implementations and networks. So a program can run for years and deadlock at the first message that is a
// little longer.
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
} Orders; // the operations of one rank, in order

// Executes the operations of all ranks until none can proceed; `done` (R): number of completed operations per rank.
// Returns whether all are complete. A message of at most `kept` bytes is buffered. The result does not depend on
// timing: messages between two ranks are ordered, and every receive names its sender.
bool orders_end(const Orders *orders, int R, int kept, int *done);

// Finds a cycle of ranks that wait for each other. ranks (R): the ranks of the cycle, in order. Returns its length, 0 if
// there is none. done: as left by orders_end.
int orders_circle(const Orders *orders, int R, const int *done, int *ranks);

#endif
