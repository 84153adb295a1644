// A progress bar that is redrawn at most ten times a second, by the first thread that reports a step in that time.
#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(Progress *progress, const char *name, int steps)
{
    progress->name = name;
    progress->steps = steps;
    progress->began = seconds();
    atomic_init(&progress->done, 0);
    atomic_init(&progress->shown, 4); // tenths of a second: hidden during the first half second
}

void progress_add(Progress *progress)
{
    enum { CELLS = 30 };
    int done = atomic_fetch_add(&progress->done, 1) + 1, shown = atomic_load(&progress->shown);
    int tenth = (int)(10 * (seconds() - progress->began));
    if (tenth <= shown || !isatty(STDERR_FILENO)) return;
    if (!atomic_compare_exchange_strong(&progress->shown, &shown, tenth)) return;
    char bar[CELLS + 1] = { 0 };
    for (int i = 0; i < CELLS; i++) bar[i] = (long)i * progress->steps < (long)done * CELLS ? '#' : '.';
    fprintf(stderr, "\r%s [%s] %d %%", progress->name, bar, (int)(100L * done / progress->steps));
}

void progress_end(Progress *progress)
{
    if (atomic_load(&progress->shown) > 4) fprintf(stderr, "\r%60s\r", "");
}
