// Chapter 20. A load of requests, and a clock that runs over a schedule: what serving takes, without a model.
//
// Prompts have log-normal lengths, answers exponential ones, and requests arrive at random, at a rate that stays
// (Poisson). Xiang et al. [2025, ServeGen, arXiv:2505.09999] fit the lengths of a large service by a mixture of a
// Pareto and a log-normal distribution, and by an exponential one; Kwon et al. [2023, §6.1, arXiv:2309.06180] let
// requests arrive as here. What is not here: Pareto's tail (lengths are cut off), bursts, users who come back.
#ifndef MODEL_WORKLOAD_H
#define MODEL_WORKLOAD_H

#include "base/random.h"
#include "model/schedule.h"

typedef struct {
    double rate;           // requests a second
    double prompt, spread; // median of the prompts in tokens; of the logarithm the standard deviation
    double answer;         // mean of the answers, in tokens
    int most;              // tokens of a prompt at most, and of an answer
} Workload;

// (count) in the order in which they arrive. The same Random gives the same lengths at every rate.
ScheduleRequest *workload_sample(Arena *arena, Workload shape, int count, Random *random);

// A machine that waits for whichever is slower: all weights and all of the cache read once a step, or 2 operations a
// weight for every token that is fed. What attention computes is left out.
typedef struct {
    double weights; // bytes
    double token;   // bytes that one token takes in the cache
    double parameters;
    double bytes, operations; // a second
} WorkloadMachine;

double workload_seconds(WorkloadMachine machine, int64_t fed, int64_t cached); // of a step

typedef struct {
    double at;
    int running, waiting;
    int64_t cached, held, written;
} WorkloadSample;

typedef struct {
    double seconds;          // until the last answer was handed over
    int64_t fed, written;    // tokens
    double cached, held;     // tokens in the cache, places in the pages that were held: means while somebody ran
    double running;          // who was being fed, mean as well
    WorkloadSample *samples; // (samples_count) one every so many seconds: the state at that time. written: so far
    int samples_count;
} WorkloadRun;

// All requests through a schedule that is empty. A page that two hold counts twice.
WorkloadRun workload_run(Arena *arena, Schedule *schedule, ScheduleRequest *requests, int count,
                         WorkloadMachine machine, double every);

#endif
