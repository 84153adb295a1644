// A progress bar on stderr for long computations: only on a terminal, and only after half a second.
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdatomic.h>

typedef struct {
    const char *name;
    int steps;
    double began;
    atomic_int done, shown;
} Progress;

void progress_begin(Progress *progress, const char *name, int steps);
void progress_add(Progress *progress); // one step is done; any thread may call it
void progress_end(Progress *progress); // erases the bar

#endif
