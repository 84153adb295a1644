// How bytes get from rank to rank: what threads (threads.c) and MPI (mpi.c) have in common. For lib/ranks alone.
#ifndef RANKS_WIRE_H
#define RANKS_WIRE_H

#include "ranks/rank.h"

struct RankMessage {
    void *at;
    size_t bytes;
    int other; // from whom, to whom
    bool sending, busy, done;
    int number;                    // received: the how-many-th from this rank, from 0 on
    RankMessage *next;             // sent: the next one to the same rank, in the order in which they are taken
    double posted, arrived, ready; // seconds of measure_clock_wall; ready: when a limited wire has carried it
    const char *what;
};

typedef struct {
    void (*post)(Rank *rank, RankMessage *message); // starts it
    bool (*look)(Rank *rank, RankMessage *message); // is it done? Sets done and arrived
    void (*pause)(Rank *rank);                      // nothing has come: a moment, or until something happens
} Wire;

typedef struct RankState {
    const Wire *wire;
    void *hub; // of threads: what they share
    double deadline;
    int seen;                 // changes of the hub, when this rank last looked
    int received[RANKS_MOST]; // how many have been asked for, from each
    RankMessage messages[RANK_MESSAGES];
} RankState;

// A rank at the start of a task, and at its end: every message must have been waited for.
void wire_begin(Rank *rank, int me, int count, const Wire *wire, void *hub, double deadline);
void wire_end(Rank *rank);

void wire_threads_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result);

bool wire_mpi_started(void);      // did mpirun start this program?
void wire_mpi_open(Ranks *ranks); // all ranks but 0 do not come back
// work NULL: only the news of deadline and patience.
void wire_mpi_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result);

#endif
