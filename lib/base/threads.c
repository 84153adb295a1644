// A thread pool for threads_parallel_for: every worker takes the next index until none is left. Idle workers sleep;
// waking one takes a few microseconds, starting one tens of microseconds.
#include "base/threads.h"

#include "base/cost.h"
#include "base/error.h"
#include "base/os.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

static atomic_int chosen, online;

// Cached: counting processors opens a file, which can take longer than the attention of a short head.
int threads_count(void)
{
    int count = atomic_load(&chosen);
    if (count == 0) count = atomic_load(&online);
    if (count == 0) {
        count = os_processors();
        atomic_store(&online, count);
    }
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count;
}

void threads_set(int count)
{
    REQUIRE(count >= 0, "a program cannot have %d threads", count);
    atomic_store(&chosen, count);
}

// ---- a call's loop, and the pool of workers

typedef struct Work Work;
struct Work {
    atomic_int next;
    int n;
    void (*body)(int i, void *context);
    void *context;
    int wanted, helpers; // workers that may still join; workers in the loop
    Cost cost;           // counted by workers that have left
    Work *next_open;     // list: calls of other threads, or nested calls
};

static struct {
    pthread_mutex_t lock;       // protects the fields below, and the last four of each Work
    pthread_cond_t woken, over; // signalled when: there is work; the last helper has left
    Work *open;                 // list of loops that workers may join
    int started, busy, wanted;  // number of workers; of busy ones; sum of `wanted` of the open loops
    bool ready, closing;        // fork and exit handlers are installed; the program ends
    pthread_t workers[MOST_THREADS];
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER, .over = PTHREAD_COND_INITIALIZER };

static void work_until_done(Work *work)
{
    for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->n;) work->body(i, work->context);
}

static Work *work_to_join(void)
{
    Work *work = pool.open;
    while (work && work->wanted == 0) work = work->next_open;
    return work;
}

// Called and left with the pool locked. The worker's counted costs are added to the loop's under that lock.
static void join(Work *work)
{
    work->wanted--;
    work->helpers++;
    pool.wanted--;
    pool.busy++;
    pthread_mutex_unlock(&pool.lock);

    cost_counted = (Cost){ 0 };
    work_until_done(work);

    pthread_mutex_lock(&pool.lock);
    Cost own = cost_counted;
    cost_counted = work->cost;
    cost_add(own);
    work->cost = cost_counted;
    pool.busy--;
    if (--work->helpers == 0) pthread_cond_broadcast(&pool.over);
}

static void *worker_main(void *unused)
{
    pthread_mutex_lock(&pool.lock);
    while (!pool.closing) {
        Work *work = work_to_join();
        if (work) join(work);
        else pthread_cond_wait(&pool.woken, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

// ---- the program forks, or ends

static void lock_pool(void) { pthread_mutex_lock(&pool.lock); }
static void unlock_pool(void) { pthread_mutex_unlock(&pool.lock); }

// After fork the child has only the forking thread, so its pool is empty.
static void forget_workers(void)
{
    pool.woken = pool.over = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.open = NULL;
    pool.started = pool.busy = pool.wanted = 0;
    unlock_pool();
}

// At exit, joins the workers if all of them sleep, so that leak checkers find nothing. Busy workers end with the
// process.
static void end_workers(void)
{
    lock_pool();
    bool asleep = pool.busy == 0 && pool.open == NULL;
    pool.closing = asleep;
    pthread_cond_broadcast(&pool.woken);
    unlock_pool();
    for (int t = 0; asleep && t < pool.started; t++) pthread_join(pool.workers[t], NULL);
}

// ---- a call

static void start_worker(void)
{
    if (!pool.ready) pool.ready = os_at_fork(lock_pool, unlock_pool, forget_workers) && !atexit(end_workers);
    if (pool.ready && os_start_thread(&pool.workers[pool.started], worker_main)) pool.started++;
}

// Lets idle workers join. Nested calls and calls of other threads share the same workers, so that no more threads run
// than threads_count allows. If the system refuses to start a thread, the loop only takes longer.
static void open_work(Work *work)
{
    lock_pool();
    int left = threads_count() - 1 - pool.busy - pool.wanted;
    if (work->wanted > left) work->wanted = left > 0 ? left : 0;
    work->next_open = pool.open;
    pool.open = work;
    pool.wanted += work->wanted;
    for (int missing = pool.wanted - (pool.started - pool.busy); missing > 0 && pool.started < MOST_THREADS; missing--)
        start_worker();
    if (work->wanted == 1) pthread_cond_signal(&pool.woken);
    if (work->wanted > 1) pthread_cond_broadcast(&pool.woken);
    unlock_pool();
}

// Removes the loop from the list and waits for the workers that have joined.
static void close_work(Work *work)
{
    lock_pool();
    Work **link = &pool.open;
    while (*link != work) link = &(*link)->next_open;
    *link = work->next_open;
    pool.wanted -= work->wanted;
    while (work->helpers > 0) pthread_cond_wait(&pool.over, &pool.lock);
    unlock_pool();
}

void threads_parallel_for(int n, void (*body)(int i, void *context), void *context)
{
    Work work = { .n = n, .body = body, .context = context, .wanted = (n < threads_count() ? n : threads_count()) - 1 };
    if (work.wanted < 1) {
        work_until_done(&work);
        return;
    }
    open_work(&work);
    work_until_done(&work);
    close_work(&work);
    cost_add(work.cost);
}
