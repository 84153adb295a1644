// threads_parallel_for over POSIX threads: every worker takes the next index until none is left. Workers that have nothing to
// do sleep: to wake one takes a few microseconds, to start one tens of them.
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

// The system opens a file to count processors, which takes longer than a short head does: it is asked once.
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

// ---- one call's work, and the workers of the program

typedef struct Work Work;
struct Work {
    atomic_int next;
    int n;
    void (*body)(int i, void *context);
    void *context;
    int wanted, helpers; // workers that may still join; that are at it
    Cost cost;           // of those who have left
    Work *other;         // calls of other threads, or of a body
};

static struct {
    pthread_mutex_t lock;       // of all that follows, and of each work's last four fields
    pthread_cond_t woken, over; // there is work; a work has lost its last helper
    Work *open;                 // works that may be joined
    int started, busy, wanted;  // workers; those at work; the sum of what the open works want
    bool ready, closing;        // fork and exit are told; the program ends
    pthread_t workers[MOST_THREADS];
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER, .over = PTHREAD_COND_INITIALIZER };

static void work_until_done(Work *work)
{
    for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->n;) work->body(i, work->context);
}

static Work *work_to_join(void)
{
    Work *work = pool.open;
    while (work && work->wanted == 0) work = work->other;
    return work;
}

// The pool is locked before and after. What this thread has counted goes to the work, under that lock.
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

// A child has no thread but the one that forked: its workers are still to be started.
static void forget_workers(void)
{
    pool.woken = pool.over = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.open = NULL;
    pool.started = pool.busy = pool.wanted = 0;
    unlock_pool();
}

// Workers that sleep are awaited, so that nothing of them is left behind. If the program ends amid their work, they end
// with it.
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

// Lets workers join: those that are left, as a call of a body, or of another thread, finds others at work. More threads
// than the program may have would only take turns. Where a thread is refused, that costs only time.
static void open_work(Work *work)
{
    lock_pool();
    int left = threads_count() - 1 - pool.busy - pool.wanted;
    if (work->wanted > left) work->wanted = left > 0 ? left : 0;
    work->other = pool.open;
    pool.open = work;
    pool.wanted += work->wanted;
    for (int missing = pool.wanted - (pool.started - pool.busy); missing > 0 && pool.started < MOST_THREADS; missing--)
        start_worker();
    if (work->wanted == 1) pthread_cond_signal(&pool.woken);
    if (work->wanted > 1) pthread_cond_broadcast(&pool.woken);
    unlock_pool();
}

// Nobody joins any more, and who has joined is awaited.
static void close_work(Work *work)
{
    lock_pool();
    Work **place = &pool.open;
    while (*place != work) place = &(*place)->other;
    *place = work->other;
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
