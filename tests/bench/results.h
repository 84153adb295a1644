// What bench found out, as a table for the terminal, as CSV, as a file to keep, and as charts.
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "base/measure.h"
#include "figure/canvas.h"
#include "io/file.h"

typedef struct {
    const char *kernel; // without commas
    int H, G, T, S, d, causal, threads;
    double gflops;
    MeasureSpread share; // of the probe; of four-stream reading when T = 1
    double gbytes_per_s; // q, k, v and out, counted once
    double rel_error;
    MeasureSpread ratio; // against the row that the table names; 0: there is none
} Result;

typedef struct {
    Result *at;
    int count, room;
} Results;

extern const char *const results_header; // of the CSV

void results_add(Results *results, Result result);

// Rows first … of one group, under a title. `against`: what the ratios are to; NULL leaves them out.
void results_print(const Results *results, int first, const char *title, const char *yardstick, const char *against);

// CSV; with `head` (lines that begin with #) a file to keep: tabs for commas, and share's quartiles as two more
// columns.
char *results_csv(Arena *arena, const Results *results, const char *head);

// Shares in percent: the ladder at one shape, and the best of ours beside the peers at all shapes.
bool results_chart(const Results *results, const char *path, Error *error);

// Pictures beside or below each other, as one file.
bool canvases_stack(const Canvas *const *parts, int count, bool across, const char *path, Error *error);

const Result *results_find(const Results *results, const char *kernel, int T, int d, int causal);

#endif
