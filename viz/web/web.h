// Included before every file that becomes WebAssembly. A page that is opened as a file has no memory that threads could
// share. Those of chapters 23 and 24 are fibers (fibers.c): what each has as its own lies in one section, which a fiber
// takes along.
#ifndef WEB_H
#define WEB_H

#ifndef __cplusplus
    #define _Thread_local __attribute__((section("thread_own")))
#endif

// In lib/ranks/rank_threads.c, whose threads they are.
#ifdef WEB_FIBERS
    #define pthread_create         fiber_create
    #define pthread_join           fiber_join
    #define pthread_cond_timedwait fiber_cond_timedwait
#endif

// In chapter 16's emulator, which asks what has called it: sites.awk has it written down before each call.
#ifdef __cplusplus
extern "C" unsigned emulator_site;
    #define CALLER ((const void *)(__UINTPTR_TYPE__)emulator_site)
#endif

#endif
