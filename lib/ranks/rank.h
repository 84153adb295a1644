// Chapter 23. Ranks: workers that share no memory and send each other bytes.
//
// There are `count` of them, 0 … count − 1. Where mpirun has started the program, each is a process, on this machine or
// on another, and MPI carries the bytes. Elsewhere each is a thread of this one process, which keeps to the same rule:
// what another rank knows has come in a message. The code is the same, and so is every number.
//
// Rank 0 runs the program; the others wait for tasks. A task is a function, which every rank runs, and some bytes, of
// which every rank gets a copy.
//
// Nothing waits for ever. Whoever has waited `deadline` seconds for a message ends the program with a sentence: a rank
// that has died, a network that is down and a rank that never answers look alike from afar.
//
// Not here: groups of ranks other than the first n, messages from anyone, tags. Messages between two ranks arrive in
// the order in which they were sent.
#ifndef RANKS_RANK_H
#define RANKS_RANK_H

#include "base/arena.h"
#include "base/cost.h"

#include <stdbool.h>
#include <stdint.h>

enum { RANKS_MOST = 64, RANK_MESSAGES = 4 * RANKS_MOST, RANK_TASK_BYTES = 4096 };

typedef struct RankMessage RankMessage;

// One rank, as its own task sees it.
typedef struct Rank {
    int me, count;
    Arena *arena;            // its memory: opened for the task and closed after it
    Cost before;             // what was counted when it began: cost_since(before) is the task's own
    int64_t messages, bytes; // sent to other ranks since the task began
    double began;            // measure_clock_wall() when the task began
    struct RankState *state;
} Rank;

// ---- messages. Their memory is not touched until rank_wait has come back. `what` is for the sentence of a failure:
// "keys and values of step 3". A rank sends nothing to itself.

RankMessage *rank_send(Rank *rank, int to, const void *from, size_t bytes, const char *what);
RankMessage *rank_receive(Rank *rank, int from, void *to, size_t bytes, const char *what);

// Until it has been sent or received; then the message is no more. Answers the seconds from its start to its arrival,
// as far as this rank has seen: what came while nobody looked has come when somebody looks.
double rank_wait(Rank *rank, RankMessage *message);

// Lets all messages under way move on, without waiting. MPI moves large ones only while it is called: who works for
// long between rank_send and rank_wait calls this now and then.
void rank_progress(Rank *rank);

// Ends the program from inside a task: the sentence on stderr, status 1.
_Noreturn void rank_fail(const Rank *rank, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- the ranks, as the program sees them

// What a rank does. task: its copy of the bytes. result: what the program gave to ranks_run; only rank 0 has it, which
// runs in the program's own process and gathers there what the others send. NULL elsewhere.
typedef void RankWork(Rank *rank, const void *task, void *result);

typedef struct {
    bool processes;  // mpirun has started this program: its ranks are processes. Else threads
    int count;       // how many there are; threads: may be set, up to RANKS_MOST
    double deadline; // seconds; 5 if it is not set. 0: none
    double rate;     // threads: bytes a second that a rank can send, one message after another; 0: no limit
    bool patient;    // ranks without a task wait for ever: where the program waits for a key
    RankWork *const *works;
    int works_count;
} Ranks;

// The first line of main: `works` are all functions that ranks_run may be given. Where mpirun has started the program,
// all ranks but 0 stay in here, silent, until rank 0 has ended, and exit.
Ranks ranks_open(RankWork *const *works, int count);

// When the flags have been read: tells the other processes what `deadline` and `patient` now are.
void ranks_ready(Ranks *ranks);

// Ranks 0 … count − 1 run `work`; it comes back when rank 0 is done with it, and threads all are.
// task: `bytes` bytes, no pointers in them: other processes cannot follow them.
void ranks_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result);

#endif
