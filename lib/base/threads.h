// Work that is the same for many indices, spread over the machine's processors.
//
// Threads are started when they are first needed, and sleep from one call to the next. A program may fork before or
// after a call: its child starts its own. Where it ends they are awaited; they take no signals. Results must not depend
// on which thread did what; then they are the same for any number of threads.
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

// Calls body(i, context) once for every i in 0 … n − 1. Counted costs of all threads end up in the caller's counters.
// A call takes about as long as to wake a sleeper, some microseconds, even if there is less to do. A body may call it,
// too: all calls together have no more workers at a time than one alone.
void threads_parallel_for(int n, void (*body)(int i, void *context), void *context);

int threads_count(void);     // the processors online, or what threads_set said
void threads_set(int count); // 0: as many as the machine has

#endif
