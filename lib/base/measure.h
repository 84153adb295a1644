// Timings on a machine that has other work to do: everything that is compared is measured in turns within one run, each
// turn beside a yardstick, and what is reported is a median with its quartiles.
#ifndef BASE_MEASURE_H
#define BASE_MEASURE_H

#include <stdbool.h>

double measure_clock_wall(void);   // seconds since some moment
double measure_clock_thread(void); // seconds that this thread has computed, and not waited

// The median of some numbers, and the quartiles: half of them lie between low and high.
typedef struct {
    double low, median, high;
} MeasureSpread;
MeasureSpread measure_spread(const double *values, int count); // count ≥ 1

double measure_slope_log_log(const double *x, const double *y,
                             int count); // least squares, logarithms; count ≥ 2, all > 0

enum { MEASURE_ROUNDS = 64 }; // at most

// One thing to time. `work` is what one call does, in any unit; so is what the yardstick gives per second.
typedef struct {
    const char *name;
    void (*run)(void *context);
    void *context;
    double work;
    bool wall;                          // wall time: for what runs on several threads
    double (*elsewhere)(void *context); // in the place of run: in another process; its seconds
    int repeats;                        // calls in a turn; 0: as many as fill MEASURE_TURN
    int most;                           // rounds it takes part in; 0: all. For what is slow
    // Filled by measure:
    int rounds;
    double rate[MEASURE_ROUNDS];  // work in a second
    double share[MEASURE_ROUNDS]; // of what the yardstick gave just before and after
} MeasureTimed;

#define MEASURE_TURN 0.004 // seconds

typedef double MeasureYardstick(void *context); // work in a second, from one short look
typedef void MeasureProgress(int done, int all, void *context);

// One turn to warm up, then rounds: each row once per round, the yardstick before and after each. It ends after
// `rounds` rounds, or after `seconds` when three are complete. Without a yardstick, shares are 0. Answers how many
// rounds there were.
typedef struct {
    MeasureYardstick *yardstick;
    void *context;             // of both functions
    MeasureProgress *progress; // may be NULL
    int rounds;                // 3 … MEASURE_ROUNDS; 0: MEASURE_ROUNDS
    double seconds;
} Measurement;
int measure_best(MeasureTimed *rows, int count, Measurement how);

MeasureSpread measured_rate(const MeasureTimed *row);
MeasureSpread measured_share(const MeasureTimed *row);
MeasureSpread measured_ratio(const MeasureTimed *row,
                             const MeasureTimed *other); // of their rates, in the rounds of both

#endif
