// Included before every file that becomes WebAssembly. A page that is opened as a file has no memory that threads could
// share. Those of chapters 23 and 24 are fibers (fibers.c): what each has as its own lies in one section, which a fiber
// takes along.
#ifndef WEB_H
#define WEB_H

#define _Thread_local __attribute__((section("thread_own")))

// In lib/ranks/threads.c, whose threads they are.
#ifdef WEB_FIBERS
#define pthread_create         fiber_create
#define pthread_join           fiber_join
#define pthread_cond_timedwait fiber_cond_timedwait
#endif

#endif
