// parallel_for over POSIX threads: every worker takes the next index until none is left.
#include "base/threads.h"

#include "base/cost.h"
#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

static atomic_int chosen, online;

// The system opens a file to count processors, which takes longer than a short head does: it is asked once.
int threads_count(void)
{
    int count = atomic_load(&chosen);
    if (count == 0) count = atomic_load(&online);
    if (count == 0) {
        count = (int)sysconf(_SC_NPROCESSORS_ONLN);
        atomic_store(&online, count);
    }
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count;
}

void threads_set(int count)
{
    REQUIRE(count >= 0, "a program cannot have %d threads", count);
    atomic_store(&chosen, count);
}

typedef struct {
    atomic_int next;
    int        n;
    void     (*body)(int i, void *context);
    void      *context;
} Work;

typedef struct { pthread_t thread; Work *work; Cost cost; } Worker;

static void work_until_done(Work *work)
{
    for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->n;) work->body(i, work->context);
}

static void *worker_main(void *argument)
{
    Worker *worker = argument;
    work_until_done(worker->work);
    worker->cost = counted;
    return NULL;
}

void parallel_for(int n, void (*body)(int i, void *context), void *context)
{
    Work work = { .n = n, .body = body, .context = context };
    Worker helpers[MOST_THREADS];
    int wanted = (n < threads_count() ? n : threads_count()) - 1, started = 0;

    while (started < wanted) {
        helpers[started] = (Worker){ .work = &work };
        if (pthread_create(&helpers[started].thread, NULL, worker_main, &helpers[started])) break;
        started++;
    }
    work_until_done(&work);                          // this thread works too, so a refused thread costs only time
    for (int t = 0; t < started; t++) {
        pthread_join(helpers[t].thread, NULL);
        cost_add(helpers[t].cost);
    }
}
