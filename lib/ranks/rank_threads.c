// Chapter 23. Ranks as threads of one process. A message is copied from the sender's memory to the receiver's when both
// sides have posted it, so a send completes only when it is received. (MPI buffers short messages and completes their
// sends at once.)
#include "ranks/wire.h"

#include "base/measure.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// State shared by the threads of one task, protected by the lock except for the tasks' own memory.
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Rank ranks[RANKS_MOST];
    RankMessage *sent[RANKS_MOST][RANKS_MOST]; // [receiver][sender]: queue of messages not yet received
    int taken[RANKS_MOST][RANKS_MOST];         // [receiver][sender]: number received
    double free_at[RANKS_MOST];                // end of this rank's last simulated transfer
    double rate;
    int changes; // change counter, so that no wake-up is missed
    int running;
    RankWork *work;
    const void *task;
    void *result;
} Hub;

static Hub *hub_of(const Rank *rank) { return rank->state->hub; }

// Call with the lock held.
static void notify_all(Hub *hub)
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
    notify_all(hub);
    pthread_mutex_unlock(&hub->lock);
}

// If a message for `received` is available, copies it and completes both sides. Returns the sent number of bytes if it
// differs from the expected one, else the expected one.
static size_t try_receive(const Rank *rank, RankMessage *received, double now)
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
    notify_all(hub);
    return received->bytes;
}

// Polling one message completes all receives that can complete, as in MPI: two ranks that wait for their sends to each
// other complete each other's.
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
        found = try_receive(rank, m, now);
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

// Waits for a change, at most a few milliseconds, so that deadlines and simulated transfers are noticed. Call with the
// lock held.
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

static void run_rank(Rank *rank)
{
    Hub *hub = hub_of(rank);
    rank->before = cost_counted;
    hub->work(rank, hub->task, rank->me == 0 ? hub->result : NULL);
    pthread_mutex_lock(&hub->lock);
    wire_end(rank);
    hub->running--;
    notify_all(hub);
    pthread_mutex_unlock(&hub->lock);
}

static void *thread_main(void *argument)
{
    run_rank(argument);
    return NULL;
}

// Called when rank 0 has finished. Ranks that wait for a message reach their own deadline before this longer one.
static void wait_for_others(Hub *hub, double deadline)
{
    double since = measure_clock_wall(), limit = 1.5 * deadline;
    pthread_mutex_lock(&hub->lock);
    int running = hub->running;
    while (hub->running > 0) {
        if (hub->running != running) since = measure_clock_wall();
        running = hub->running;
        if (deadline > 0 && measure_clock_wall() - since > limit) {
            const Rank *rank = hub->ranks;
            while (!rank->state) rank++;
            rank_fail(rank, "has not ended its task %.1f s after rank 0 has", limit);
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
    run_rank(&hub->ranks[0]);
    wait_for_others(hub, ranks->deadline);
    for (int i = 1; i < count; i++) pthread_join(threads[i], NULL);
    free(hub);
}
