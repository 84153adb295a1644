// A parallel for loop over the processors of the machine.
//
// Threads are started when they are first needed and sleep between calls; they receive no signals. A program may fork
// between calls: the child starts its own threads. At exit they are joined. If results do not depend on which thread
// handled which index, they are the same for any number of threads.
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

// Calls body(i, context) once for every i in 0 … n − 1. Costs that the threads count are added to the caller's
// counters. The overhead of a call is some microseconds, the time to wake a thread. A body may call it too: nested
// calls share the same workers.
void threads_parallel_for(int n, void (*body)(int i, void *context), void *context);

int threads_count(void);     // processors online, or the number set by threads_set
void threads_set(int count); // 0: the processors of the machine

#endif
