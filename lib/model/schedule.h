// Chapter 20. Scheduler of a serving engine: requests join, get pages of the KV cache as they grow, and leave.
//
// A step generates one token for every running request. Requests join and leave between steps: iteration-level
// scheduling, or continuous batching [Yu et al. 2022, Orca, OSDI, §3]. When no page is free, the newest request is
// preempted: it gives its pages back, waits, and is recomputed later [Kwon et al. 2023, §4.5, arXiv:2309.06180].
//
// This file handles lengths, pages and order only: model/workload.h simulates time over it, model/server.h runs a model.
// Not implemented: swapping of pages, priorities, chunked prefill.
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include "attention/prefix_tree.h"

typedef enum { SCHEDULE_WAITS, SCHEDULE_RUNS, SCHEDULE_DONE } ScheduleState;

typedef struct {
    // Request.
    double arrives;     // arrival time in seconds, on the caller's clock
    int prompt, answer; // tokens of the prompt, and at most of the answer; both ≥ 1
    const int *tokens;  // (prompt + answer), filled as far as generated; NULL if only lengths matter
    // State.
    ScheduleState state;
    PageTable table;    // pages of the cached tokens: all but the newest
    int written;        // tokens of the answer so far
    int fed;            // tokens added to the cache in this step: 1, or all after joining
    bool last;          // set by the caller: this step's token ends the answer
    int preempted;      // number of preemptions
    double first, done; // times of the first token of the answer, and of the complete answer
} ScheduleRequest;

// Requests are served in the order in which they were added.
typedef struct {
    PagePool *pool;
    PrefixTree *tree; // NULL: no prefix caching
    PageCopy *copy;   // for page_table_grow
    void *context;
    int most;                               // maximum number of running requests
    bool together;                          // static batching: a batch starts together and ends together
    ScheduleRequest **of;                   // (room)
    int count, room, next;                  // requests from `next` on are waiting
    int *running, runs;                     // (most) indices of the running requests, ascending
    int64_t steps, preempted, again, found; // counts; `again`: tokens recomputed; `found`: tokens found in the tree
} Schedule;

Schedule schedule_new(Arena *arena, PagePool *pool, int room, int most);

// Creates the request's page table, for all its tokens, in `arena`. The pool must be large enough for one request.
void schedule_add(Schedule *schedule, Arena *arena, ScheduleRequest *request);

// Before a step: allocates pages for every running request, preempting the newest for the oldest if necessary; then
// admits waiting requests for which pages are free, but not in a step that has preempted. Sets `fed` of each. Returns
// the number of running requests; 0 means that none is waiting.
int schedule_begin(Schedule *schedule);

// After a step: every request that was fed has one more token. Finished requests leave and release their pages, except
// those that the prefix tree keeps.
void schedule_end(Schedule *schedule, double now);

int schedule_waiting(const Schedule *schedule); // number of waiting requests

// Releases all pages, including the tree's; running requests go back to waiting. To stop before the end.
void schedule_stop(Schedule *schedule);

#endif
