// Threads and clocks of a page, tried in Node: what fibers.c and system.c have in the place of POSIX's. A sentence for
// what is wrong, and 1; else how much was looked at.
#include "base/measure.h"
#include "base/portable_math.h"
#include "viz/web/web.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int looked, wrong;
#define EXPECT(what, ...) (looked++, (what) ? 0 : (wrong++, printf("threads: " __VA_ARGS__), putchar('\n')))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void next(void)
{
    static const struct timespec soon;
    pthread_cond_timedwait(&changed, &lock, &soon);
}

// ---- whose turn it is, what each has as its own, what it answers

static _Thread_local int own = 40;
static char order[64];

static void *writes(void *argument)
{
    const char *letter = argument;
    char deep[1 << 15];
    memset(deep, *letter, sizeof deep);
    for (int n = 0; n < 3; n++) {
        strncat(order, letter, 1);
        own += *letter - 'a' + 1;
        next();
    }
    for (size_t i = 0; i < sizeof deep; i++)
        if (deep[i] != *letter) return NULL;
    return (void *)(intptr_t)own;
}

static void turns(void)
{
    static char letters[] = "abc";
    pthread_t threads[3];
    void *result;
    own = 7;
    for (int n = 0; n < 3; n++)
        EXPECT(!pthread_create(&threads[n], NULL, writes, &letters[n]), "thread %d does not begin", n);
    EXPECT(!*order, "%s is written before anybody waits", order);
    for (int n = 0; n < 3; n++) {
        EXPECT(!pthread_join(threads[n], &result), "thread %d is not joined", n);
        int sum = (int)(intptr_t)result, expected = 40 + 3 * (n + 1);
        EXPECT(sum == expected, "thread %d has %d as its own, not %d", n, sum, expected);
    }
    EXPECT(!strcmp(order, "abcabcabc"), "the turns were %s", order);
    EXPECT(own == 7, "the program's own is %d", own);
    EXPECT(pause() == -1 && errno == EINTR, "a pause does not end by a signal");
}

// ---- as many as there are, and no more; then again

static void *waits(void *argument)
{
    next();
    return argument;
}

static void as_many_as_there_are(void)
{
    enum { MOST = 63 };
    pthread_t threads[MOST], more;
    for (intptr_t round = 0; round < 2; round++) {
        int begun = 0, right = 0;
        for (intptr_t n = 0; n < MOST; n++)
            begun += !pthread_create(&threads[n], NULL, waits, (void *)(100 * round + n));
        EXPECT(begun == MOST, "%d threads begin, not %d", begun, MOST);
        EXPECT(pthread_create(&more, NULL, waits, NULL) == EAGAIN, "one too many begins");
        for (intptr_t n = 0; n < MOST; n++) {
            void *result = NULL;
            pthread_join(threads[n], &result);
            right += (intptr_t)result == 100 * round + n;
        }
        EXPECT(right == MOST, "%d of %d answer what is theirs", right, MOST);
    }
}

// ---- clocks

static void clocks(void)
{
    struct timespec now;
    double wall = measure_clock_wall(), thread = measure_clock_thread(), took;
    while ((took = measure_clock_wall() - wall) < 0.03) continue;
    double own_time = measure_clock_thread() - thread;
    EXPECT(own_time > 0.029 && own_time < took + 1.0, "a thread computes %g s in %g s", own_time, took);
    EXPECT(!clock_gettime(CLOCK_REALTIME, &now) && fabs((double)(now.tv_sec - time(NULL))) <= 1,
           "the time of day is %lld", (long long)now.tv_sec);
    EXPECT(now.tv_nsec >= 0 && now.tv_nsec < 1000000000, "%ld ns", now.tv_nsec);
}

int main(void)
{
    turns();
    as_many_as_there_are();
    clocks();
    printf("threads and clocks of a page: %d things looked at, %d problems\n", looked, wrong);
    return wrong != 0;
}
