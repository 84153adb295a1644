// Chapter 23. Ranks: workers that share no memory and exchange messages.
//
// Ranks are numbered 0 … count − 1. Under mpirun each is a process, on this machine or another, and MPI transports the
// messages. Otherwise each is a thread of this process that follows the same rule: it knows of other ranks only what
// messages contain. The code and all results are the same.
//
// Rank 0 runs the program; the others wait for tasks. A task is a function that every rank runs, with some bytes of
// which every rank gets a copy.
//
// No wait is unbounded. A rank that has waited `deadline` seconds for a message exits with an error message: a dead
// rank, a broken network and a hanging rank cannot be distinguished from outside.
//
// Not here: groups other than the first n ranks, receives from any sender, tags. Messages between two ranks arrive in
// the order in which they were sent.
#ifndef RANKS_RANK_H
#define RANKS_RANK_H

#include "base/arena.h"
#include "base/cost.h"

#include <stdbool.h>
#include <stdint.h>

enum { RANKS_MOST = 64, RANK_MESSAGES = 4 * RANKS_MOST, RANK_TASK_BYTES = 4096 };

typedef struct RankMessage RankMessage;

// A rank, as seen by its own task.
typedef struct Rank {
    int me, count;
    Arena *arena;            // the task's memory: opened before it and closed after it
    Cost before;             // counters at the start: cost_since(before) is the task's own cost
    int64_t messages, bytes; // sent to other ranks since the task began
    double began;            // measure_clock_wall() at the start of the task
    struct RankState *state;
} Rank;

// ---- non-blocking messages. Do not touch a message's memory before rank_wait has returned. `what` names it in error
// messages: "keys and values of step 3". A rank cannot send to itself.

RankMessage *rank_send(Rank *rank, int to, const void *from, size_t bytes, const char *what);
RankMessage *rank_receive(Rank *rank, int from, void *to, size_t bytes, const char *what);

// Waits until the message is sent or received, then frees it. Returns the seconds from its start to its arrival as far
// as this rank observed it: completion is noticed only when messages are polled.
double rank_wait(Rank *rank, RankMessage *message);

// Polls all pending messages, without waiting. MPI transfers large messages only during calls to it: call this now and
// then during long computations between rank_send and rank_wait.
void rank_progress(Rank *rank);

// Exits from within a task: message on stderr, status 1.
_Noreturn void rank_fail(const Rank *rank, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- the ranks, as the program sees them

// The function that every rank runs. task: its copy of the bytes. result: the pointer given to ranks_run, on rank 0
// only, which runs in the program's own process and gathers results there; NULL elsewhere.
typedef void RankWork(Rank *rank, const void *task, void *result);

typedef struct {
    bool processes;  // started by mpirun: ranks are processes; else threads
    int count;       // number of ranks; with threads it may be set, up to RANKS_MOST
    double deadline; // seconds; default 5; 0: no deadline
    double rate;     // threads: simulated bandwidth per sender in bytes/s, messages serialised; 0: unlimited
    bool patient;    // no deadline for idle ranks: the program waits for a key
    RankWork *const *works;
    int works_count;
} Ranks;

// Call first in main: `works` are all functions that may be passed to ranks_run. Under mpirun, all ranks but 0 stay in
// here, without output, until rank 0 has exited, and then exit.
Ranks ranks_open(RankWork *const *works, int count);

// Sends `deadline` and `patient` to the other processes, after the flags were parsed.
void ranks_ready(Ranks *ranks);

// Ranks 0 … count − 1 run `work`. Returns when rank 0 has finished it; with threads, when all have. task: `bytes` bytes
// without pointers, which other processes could not follow.
void ranks_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result);

#endif
