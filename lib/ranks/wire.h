// Transport of messages: the interface that threads (rank_threads.c) and MPI (rank_mpi.c) implement. Internal to
// lib/ranks.
#ifndef RANKS_WIRE_H
#define RANKS_WIRE_H

#include "ranks/rank.h"

struct RankMessage {
    void *at;
    size_t bytes;
    int other; // sender or receiver
    bool sending, busy, done;
    int number;                    // of a receive: index among those from this rank, from 0
    RankMessage *next;             // of a send: the next one to the same rank, in order
    double posted, arrived, ready; // measure_clock_wall() in seconds; ready: end of the simulated transfer
    const char *what;
};

typedef struct {
    void (*post)(Rank *rank, RankMessage *message); // starts it
    bool (*look)(Rank *rank, RankMessage *message); // polls: returns done; sets done and arrived
    void (*pause)(Rank *rank);                      // waits briefly, or until something changes
} Wire;

typedef struct RankState {
    const Wire *wire;
    void *hub; // threads: their shared state
    double deadline;
    int seen;                 // hub's change counter when this rank last polled
    int received[RANKS_MOST]; // number of receives posted, per sender
    RankMessage messages[RANK_MESSAGES];
} RankState;

// Initialise and finish a rank's task. At its end every message must have been waited for.
void wire_begin(Rank *rank, int me, int count, const Wire *wire, void *hub, double deadline);
void wire_end(Rank *rank);

void wire_threads_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result);

bool wire_mpi_started(void);      // did mpirun start this program?
void wire_mpi_open(Ranks *ranks); // returns on rank 0 only
// work NULL: only sends deadline and patience.
void wire_mpi_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result);

#endif
