// Timing on a machine with other load. Everything that is compared is measured alternately within one run, with a
// yardstick (a reference workload) before and after each measurement. Results are medians with quartiles.
#ifndef BASE_MEASURE_H
#define BASE_MEASURE_H

#include <stdbool.h>

double measure_clock_wall(void);   // monotonic, in seconds
double measure_clock_thread(void); // processor time of this thread, in seconds

// Median and quartiles: half of the values are between low and high.
typedef struct {
    double low, median, high;
} MeasureSpread;
MeasureSpread measure_spread(const double *values, int count); // count ≥ 1

double measure_slope_log_log(const double *x, const double *y,
                             int count); // least-squares slope of log y against log x; count ≥ 2, all > 0

enum { MEASURE_ROUNDS = 64 }; // at most

// One function to time. `work` is the work of one call in any unit, the same unit as the yardstick's.
typedef struct {
    const char *name;
    void (*run)(void *context);
    void *context;
    double work;
    bool wall;                          // use wall time: for functions that run on several threads
    double (*elsewhere)(void *context); // instead of run: measured in another process; returns seconds
    int repeats;                        // calls per measurement; 0: enough to fill MEASURE_TURN
    int most;                           // maximum number of rounds, for slow functions; 0: all
    // Filled by measure:
    int rounds;
    double rate[MEASURE_ROUNDS];  // work per second
    double share[MEASURE_ROUNDS]; // rate relative to the yardstick just before and after
} MeasureTimed;

#define MEASURE_TURN 0.004 // seconds

typedef double MeasureYardstick(void *context); // work per second, from one short run
typedef void MeasureProgress(int done, int all, void *context);

// Runs one warm-up, then rounds; a round measures every row once, with the yardstick before and after each. Stops after
// `rounds` rounds, or after `seconds` if at least three rounds are complete. Without a yardstick, shares are 0. Returns
// the number of rounds.
typedef struct {
    MeasureYardstick *yardstick;
    void *context;             // passed to both functions
    MeasureProgress *progress; // may be NULL
    int rounds;                // 3 … MEASURE_ROUNDS; 0: MEASURE_ROUNDS
    double seconds;
} Measurement;
int measure_best(MeasureTimed *rows, int count, Measurement how);

MeasureSpread measured_rate(const MeasureTimed *row);
MeasureSpread measured_share(const MeasureTimed *row);
MeasureSpread measured_ratio(const MeasureTimed *row,
                             const MeasureTimed *other); // ratio of rates, over the rounds that both took part in

#endif
