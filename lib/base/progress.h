// A bar on stderr for work that takes long; only on a terminal, and only after half a second.
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
void progress_add(Progress *progress); // one step more; any thread
void progress_end(Progress *progress); // removes the bar

#endif
