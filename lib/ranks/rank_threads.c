// Ranks as threads of one process. A message is copied from the sender's memory to the receiver's when both have named
// it, and not before: a send is done when it has been received. (MPI keeps a copy of a short message and says at once
// that it is sent.)
#include "ranks/wire.h"

#include "base/measure.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the threads of one task share. Everything but the tasks' own memory is behind the lock.
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Rank ranks[RANKS_MOST];
    RankMessage *sent[RANKS_MOST][RANKS_MOST]; // by receiver and sender: the first of those not yet received
    int taken[RANKS_MOST][RANKS_MOST];         // how many have been
    double free_at[RANKS_MOST];                // when this rank's wire has carried what it was given
    double rate;
    int changes; // counted, so that none is slept through
    int running;
    RankWork *work;
    const void *task;
    void *result;
} Hub;

static Hub *hub_of(const Rank *rank) { return rank->state->hub; }

// With the lock held.
static void tell_all(Hub *hub)
{
    hub->changes++;
    pthread_cond_broadcast(&hub->changed);
}

static void wire_post(Rank *rank, RankMessage *message)
{
    Hub *hub = hub_of(rank);
    if (!message->sending) return;
    pthread_mutex_lock(&hub->lock);
    RankMessage **last = &hub->sent[message->other][rank->me];
    while (*last) last = &(*last)->next;
    *last = message;
    if (hub->rate > 0) {
        double *free_at = &hub->free_at[rank->me];
        *free_at = (*free_at > message->posted ? *free_at : message->posted) + (double)message->bytes / hub->rate;
        message->ready = *free_at;
    }
    tell_all(hub);
    pthread_mutex_unlock(&hub->lock);
}

// Copies what has been sent for `received` by now. Answers the bytes that were sent, if they are too many or too few.
static size_t take(const Rank *rank, RankMessage *received, double now)
{
    Hub *hub = hub_of(rank);
    RankMessage **first = &hub->sent[rank->me][received->other], *sent = *first;
    int *taken = &hub->taken[rank->me][received->other];
    if (!sent || received->number != *taken || now < sent->ready) return received->bytes;
    if (sent->bytes != received->bytes) return sent->bytes;
    if (sent->bytes > 0) memcpy(received->at, sent->at, sent->bytes);
    *first = sent->next;
    *taken += 1;
    received->done = sent->done = true;
    received->arrived = sent->arrived = sent->ready > 0 ? sent->ready : now;
    tell_all(hub);
    return received->bytes;
}

// Whoever looks at one message takes all that have come for him, as MPI does: two who wait for their sends to be done
// take each other's.
static bool wire_look(Rank *rank, RankMessage *message)
{
    Hub *hub = hub_of(rank);
    const RankMessage *wrong = NULL;
    size_t found = 0;
    pthread_mutex_lock(&hub->lock);
    double now = measure_clock_wall();
    for (int i = 0; i < RANK_MESSAGES && !wrong; i++) {
        RankMessage *m = &rank->state->messages[i];
        if (!m->busy || m->sending || m->done) continue;
        found = take(rank, m, now);
        if (found != m->bytes) wrong = m;
    }
    bool done = message->done;
    rank->state->seen = hub->changes;
    pthread_mutex_unlock(&hub->lock);
    if (wrong)
        rank_fail(rank, "rank %d has sent %zu bytes where %zu were awaited (%s)", wrong->other, found, wrong->bytes,
                  wrong->what);
    return done;
}

// Until something changes, and at most for a few milliseconds: a deadline may be near, or what a limited wire carries.
// With the lock held.
static void wait_for_change(Hub *hub, int seen)
{
    if (hub->changes != seen) return;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += hub->rate > 0 ? 50000 : 5000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&hub->changed, &hub->lock, &until);
}

static void wire_pause(Rank *rank)
{
    Hub *hub = hub_of(rank);
    pthread_mutex_lock(&hub->lock);
    wait_for_change(hub, rank->state->seen);
    pthread_mutex_unlock(&hub->lock);
}

static const Wire wire_of_threads = { wire_post, wire_look, wire_pause };

static void run_one(Rank *rank)
{
    Hub *hub = hub_of(rank);
    rank->before = cost_counted;
    hub->work(rank, hub->task, rank->me == 0 ? hub->result : NULL);
    pthread_mutex_lock(&hub->lock);
    wire_end(rank);
    hub->running--;
    tell_all(hub);
    pthread_mutex_unlock(&hub->lock);
}

static void *thread_main(void *argument)
{
    run_one(argument);
    return NULL;
}

// Rank 0 has done its task. Others who wait for a message meet their own deadline before this one.
static void wait_for_the_others(Hub *hub, double deadline)
{
    double since = measure_clock_wall(), most = 1.5 * deadline;
    pthread_mutex_lock(&hub->lock);
    int left = hub->running;
    while (hub->running > 0) {
        if (hub->running != left) since = measure_clock_wall();
        left = hub->running;
        if (deadline > 0 && measure_clock_wall() - since > most) {
            const Rank *rank = hub->ranks;
            while (!rank->state) rank++;
            rank_fail(rank, "has not ended its task %.1f s after rank 0 has", most);
        }
        wait_for_change(hub, hub->changes);
    }
    pthread_mutex_unlock(&hub->lock);
}

void wire_threads_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result)
{
    (void)bytes; // threads read the program's own copy
    Hub *hub = memory_zeroed(sizeof *hub);
    *hub = (Hub){ .lock = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER,
                  .rate = ranks->rate,
                  .running = count,
                  .work = work,
                  .task = task,
                  .result = result };
    pthread_t threads[RANKS_MOST];
    for (int i = 0; i < count; i++) wire_begin(&hub->ranks[i], i, count, &wire_of_threads, hub, ranks->deadline);
    for (int i = 1; i < count; i++)
        if (pthread_create(&threads[i], NULL, thread_main, &hub->ranks[i]))
            rank_fail(&hub->ranks[i], "the system refuses the thread that it would be");
    run_one(&hub->ranks[0]);
    wait_for_the_others(hub, ranks->deadline);
    for (int i = 1; i < count; i++) pthread_join(threads[i], NULL);
    free(hub);
}
