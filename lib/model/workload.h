// Chapter 20. A synthetic workload, and a discrete-event simulation of a schedule: the cost of serving without a model.
//
// Prompts have log-normal lengths, answers exponential ones, and arrivals are a Poisson process. Xiang et al. [2025,
// ServeGen, arXiv:2505.09999] fit the prompt lengths of a large service by a mixture of a Pareto and a log-normal
// distribution, and answers by an exponential one; Kwon et al. [2023, §6.1, arXiv:2309.06180] use Poisson arrivals. Not
// modelled: the Pareto tail (lengths are cut off), bursts, returning users.
#ifndef MODEL_WORKLOAD_H
#define MODEL_WORKLOAD_H

#include "base/random.h"
#include "model/schedule.h"

typedef struct {
    double rate;           // requests a second
    double prompt, spread; // prompts: median length in tokens, standard deviation of its logarithm
    double answer;         // mean of the answers, in tokens
    int most;              // maximum tokens of a prompt, and of an answer
} Workload;

// (count) requests in order of arrival. The same Random gives the same lengths at every rate.
ScheduleRequest *workload_sample(Arena *arena, Workload shape, int count, Random *random);

// Roofline model of a machine: a step takes the longer of reading all weights and the whole cache once, and of 2
// operations per weight and fed token. Attention's arithmetic is ignored.
typedef struct {
    double weights; // bytes
    double token;   // bytes per token in the cache
    double parameters;
    double bytes, operations; // per second
} WorkloadMachine;

double workload_seconds(WorkloadMachine machine, int64_t fed, int64_t cached); // of one step

typedef struct {
    double at;
    int running, waiting;
    int64_t cached, held, written;
} WorkloadSample;

typedef struct {
    double seconds;          // time of the last answer
    int64_t fed, written;    // tokens
    double cached, held;     // tokens in the cache; token slots in the pages in use: means over busy time
    double running;          // mean number of requests being fed, likewise
    WorkloadSample *samples; // (samples_count) the state every `every` seconds; written: so far
    int samples_count;
} WorkloadRun;

// Runs all requests through an empty schedule. A page shared by two requests counts twice.
WorkloadRun workload_run(Arena *arena, Schedule *schedule, ScheduleRequest *requests, int count,
                         WorkloadMachine machine, double every);

#endif
