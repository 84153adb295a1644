// Chapter 20. Who runs in the next step: requests come, get pages as they grow, and leave.
//
// A step is one token for everyone who runs. Between two steps requests may join and leave: iteration-level scheduling,
// or continuous batching [Yu et al. 2022, Orca, OSDI, §3]. Where pages run out, the request that came last gives all of
// its own back and waits; when it comes back, what it had is computed anew [Kwon et al. 2023, §4.5, arXiv:2309.06180].
//
// This file knows lengths, pages and order, not what is computed: model/workload.h moves a clock over it, model/server.h a
// model. What is not here: pages that are moved elsewhere and fetched back, priorities, prompts that are fed in parts.
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include "attention/prefix_tree.h"

typedef enum { SCHEDULE_WAITS, SCHEDULE_RUNS, SCHEDULE_DONE } ScheduleState;

typedef struct {
    // What is asked for.
    double arrives;     // seconds, on the caller's clock
    int prompt, answer; // tokens: of the prompt, and of the answer at most; both ≥ 1
    const int *tokens;  // (prompt + answer) as far as they are written; NULL when nobody asks which they are
    // What has become of it.
    ScheduleState state;
    PageTable table;    // what stands in the cache: all tokens but the newest
    int written;        // tokens of the answer
    int fed;            // tokens that join the cache in this step: 1, or all when it comes or comes back
    bool last;          // set by the caller: the token of this step is the answer's last
    int preempted;      // so many times its pages were taken
    double first, done; // when the first token of the answer came, and when the answer was handed over
} ScheduleRequest;

// Requests are served in the order in which they were added.
typedef struct {
    PagePool *pool;
    PrefixTree *tree; // NULL: every request computes all of its own prompt
    PageCopy *copy;   // for page_table_grow
    void *context;
    int most;              // so many run at once, at most
    bool together;         // static batching: who begins together leaves together, and nobody joins between
    ScheduleRequest **of;  // (room)
    int count, room, next; // requests before `next` do not wait
    int *running, runs;    // (most) their numbers, ascending
    int64_t steps, preempted, again, found; // times; tokens computed anew; tokens found in the tree
} Schedule;

Schedule schedule_new(Arena *arena, PagePool *pool, int room, int most);

// The request's table, for all its tokens, is made in `arena`. The pool must have pages for them.
void schedule_add(Schedule *schedule, Arena *arena, ScheduleRequest *request);

// Before a step: pages for everyone who runs, those of the last for the first where they do not suffice; then those
// join who wait and for whom there are pages, none in a step that has preempted. Each has its `fed`. Returns how many
// run: 0 when nobody waits.
int schedule_begin(Schedule *schedule);

// After a step: everyone who was fed has written one token more. Those who are done leave and give their pages back,
// those that the tree keeps remain there.
void schedule_end(Schedule *schedule, double now);

int schedule_waiting(const Schedule *schedule); // how many wait

// All give back what they hold, the tree as well; whoever was running waits. For whoever stops before the end.
void schedule_stop(Schedule *schedule);

#endif
