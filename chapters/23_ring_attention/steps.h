// Chapter 23. What its steps share, and the steps.
#ifndef CHAPTER_23_STEPS_H
#define CHAPTER_23_STEPS_H

#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "ranks/orders.h"
#include "ranks/ring.h"
#include "ranks/tensor_parallel.h"
#include "ranks/ulysses.h"

// What the flags say.
typedef struct {
    Ranks *ranks;
    int tokens, layout, mask, heads, keys; // of steps 5 and 7: T, H, G
    int fault, of, at;                     // of step 11
    const char *measure;
} Asked;

typedef enum { NO_FAULT, DIE, HANG } Fault;
typedef enum { MASK_FULL, MASK_CAUSAL, MASK_WINDOW, MASK_SINKS, MASK_KINDS } MaskName;
extern const char *const mask_names[MASK_KINDS + 1], *const fault_names[4];
Mask mask_named(int name);

// ---- steps_0_tasks.c: what the ranks are asked to do. No pointers: other processes could not follow them.

enum { SENTENCE_ROOM = 900 }; // numbers of a sentence that a task has room for
typedef struct {
    ShareSequence s;
    uint64_t seed;
    bool back, silent; // the backward pass, too; no kernel: sends alone
    bool walked;       // work by the naive kernel, which does what is in sight
    int fault, of, at;
    int D; // step 3: width of x; of a sentence, whose x stands here
    float x[SENTENCE_ROOM];
} Task;

// What rank 0 has gathered of all. Counts were taken before anything was gathered.
typedef struct {
    Attended did;       // (T, H dv) (T, H); what is empty is not gathered
    HeadProjections to; // gradients
    int64_t bytes[RANKS_MOST], back_bytes[RANKS_MOST], memory[RANKS_MOST], multiplies[RANKS_MOST];
    int64_t messages[RANKS_MOST];
    double seconds[RANKS_MOST];              // of the attention, between two barriers
    RingStep steps[RANKS_MOST * RANKS_MOST]; // of rank r from r · R on
} Gathered;

RankWork turn_work, sum_work, tensor_work, ring_work, ulysses_work, sentence_work;
extern RankWork *const works[];
extern const int works_count;

Gathered *gathered_new(Arena *arena, ShareSequence s, bool back); // room for results of this shape
void run_task(const Asked *asked, int R, RankWork *work, const Task *task, void *result);

// 1, 2, 4 … and `count` itself; how many these are.
enum { LISTED = 8 };
int rank_counts(int count, int *list);

double relative(Mat got, Mat want); // largest difference over the largest number, of two results

// ---- the steps
void too_large(Lesson *lesson);                            // 1
void first_messages(Lesson *lesson, const Asked *asked);   // 2
void heads_split(Lesson *lesson, const Asked *asked);      // 3
void a_sentence_split(Lesson *lesson, const Asked *asked); // 4
void the_ring(Lesson *lesson, const Asked *asked);         // 5
void memory_of_a_rank(Lesson *lesson, const Asked *asked); // 6
void the_way_back(Lesson *lesson, const Asked *asked);     // 7
void who_waits(Lesson *lesson, const Asked *asked);        // 8
void the_other_way(Lesson *lesson, const Asked *asked);    // 9
void behind_the_work(Lesson *lesson, const Asked *asked);  // 10
void what_goes_wrong(Lesson *lesson, const Asked *asked);  // 11
void in_the_large(Lesson *lesson);                         // 12

void measure_ring(Lesson *lesson, const Asked *asked); // --measure FILE, and no story

#endif
