// Calls that programs make and a page does not have: another program, waiting for a signal, advice on memory, a thread's
// own clock.
#include <emscripten/html5.h>
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int execve(const char *path, char *const arguments[], char *const environment[])
{
    (void)path;
    (void)arguments;
    (void)environment;
    errno = ENOENT;
    return -1;
}

// fibers.c knows a better one.
__attribute__((weak)) int pause(void)
{
    errno = ENOSYS;
    return -1;
}

long __syscall_madvise(long at, long size, long advice);
long __syscall_madvise(long at, long size, long advice)
{
    (void)at;
    (void)size;
    (void)advice;
    return 0;
}

// Emscripten's refuses CLOCK_THREAD_CPUTIME_ID and leaves the time as it was: what is timed then takes any time at all.
// A worker has one thread, which waits for nobody.
int clock_gettime(clockid_t clock, struct timespec *t)
{
    double ms = clock == CLOCK_REALTIME ? emscripten_date_now() : emscripten_performance_now();
    t->tv_sec = (time_t)(ms / 1e3);
    t->tv_nsec = (long)((ms - 1e3 * (double)t->tv_sec) * 1e6);
    return 0;
}
