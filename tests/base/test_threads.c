// Tests of lib/base/threads.c.
#include "base/threads.h"

#include "base/cost.h"
#include "support/reference.h"
#include "support/suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000 };

static void count_visit(int i, void *context)
{
    atomic_int *visits = context;
    atomic_fetch_add(&visits[i], 1);
}

TEST(every_index_exactly_once)
{
    static const int sizes[] = { 0, 1, 2, 3, 7, 64, 65, MOST }, threads[] = { 0, 1, 2, 3, 4, 8, 64, 1000 };
    for (int t = 0; t < 8; t++)
        for (int s = 0; s < 8; s++) {
            static atomic_int visits[MOST + 1];
            for (int i = 0; i <= MOST; i++) atomic_store(&visits[i], 0);
            threads_set(threads[t]);
            threads_parallel_for(sizes[s], count_visit, visits);
            int wrong = 0;
            for (int i = 0; i <= MOST; i++) wrong += atomic_load(&visits[i]) != (i < sizes[s]);
            ck_assert_msg(wrong == 0, "%d of %d indices with %d threads", wrong, sizes[s], threads[t]);
        }
}

static void work_and_count(int i, void *context)
{
    (void)context;
    cost_counted.multiplies += i;
    cost_counted.exps += 2;
    cost_scratch(i == 500 ? 4096 : 64);
}

TEST(counts_of_all_threads_end_up_here)
{
    for (int threads = 1; threads <= 8; threads++) {
        threads_set(threads);
        cost_counted = (Cost){ .multiplies = 5, .exps = 7 };
        Cost before = cost_counted;
        threads_parallel_for(MOST, work_and_count, NULL);
        Cost spent = cost_since(before);
        ck_assert_int_eq(spent.multiplies, MOST * (MOST - 1) / 2);
        ck_assert_int_eq(spent.exps, 2 * MOST);
        ck_assert_int_eq(spent.scratch, 4096);
        ck_assert_int_eq(cost_counted.multiplies, 5 + MOST * (MOST - 1) / 2);
    }
}

// Three bodies that wait for one another can only end when three threads run them.
static void wait_for_three(int i, void *context)
{
    (void)i;
    atomic_int *arrived = context;
    struct timespec moment = { .tv_nsec = 1000000 };
    atomic_fetch_add(arrived, 1);
    for (int tries = 0; tries < 5000; tries++) {
        if (atomic_load(arrived) == 3) return;
        nanosleep(&moment, NULL);
    }
}

static void note_thread(int i, void *context)
{
    pthread_t *seen = context;
    seen[i] = pthread_self();
}

TEST(one_thread_is_this_one)
{
    pthread_t seen[10];
    threads_set(1);
    threads_parallel_for(10, note_thread, seen);
    for (int i = 0; i < 10; i++) ck_assert(pthread_equal(seen[i], pthread_self()));
}

// Who runs: three bodies that wait for one another are run by three threads.
typedef struct {
    atomic_int arrived;
    pthread_t who[3];
    bool deaf[3];
} Trio;

static void meet(int i, void *context)
{
    Trio *trio = context;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    trio->who[i] = pthread_self();
    trio->deaf[i] = sigismember(&blocked, SIGTERM) && !sigismember(&blocked, SIGSEGV);
    wait_for_three(i, &trio->arrived);
}

static int strangers(const Trio *trio, const pthread_t known[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int e = 0; e < 3; e++) found = found || pthread_equal(trio->who[i], known[e]);
        count += !found;
    }
    return count;
}

// How many run now, and how many did at most.
typedef struct {
    atomic_int now, most;
} Running;

static void run_a_moment(int i, void *context)
{
    (void)i;
    Running *running = context;
    struct timespec moment = { .tv_nsec = 1000000 };
    int now = atomic_fetch_add(&running->now, 1) + 1, most = atomic_load(&running->most);
    while (now > most && !atomic_compare_exchange_weak(&running->most, &most, now)) {}
    nanosleep(&moment, NULL);
    atomic_fetch_sub(&running->now, 1);
}

static void run_eight(int i, void *context)
{
    (void)i;
    threads_parallel_for(8, run_a_moment, context);
}

static void meet_inside(int i, void *context)
{
    (void)i;
    threads_parallel_for(3, meet, context);
}

// A body that shares its own work out finds the workers taken; one that runs alone finds them free.
TEST(bodies_have_no_workers_of_their_own)
{
    Running running = { 0 };
    Trio trio = { 0 };
    threads_set(3);
    threads_parallel_for(6, run_eight, &running);
    ck_assert_int_le(atomic_load(&running.most), 3);
    threads_parallel_for(1, meet_inside, &trio);
    for (int i = 0; i < 3; i++) ck_assert(!pthread_equal(trio.who[i], trio.who[(i + 1) % 3]));
}

// Those who worked in one call work in the next.
TEST(workers_stay)
{
    Trio first = { 0 };
    threads_set(3);
    threads_parallel_for(3, meet, &first);
    for (int call = 0; call < 100; call++) {
        Trio trio = { 0 };
        threads_parallel_for(3, meet, &trio);
        ck_assert_int_eq(atomic_load(&trio.arrived), 3);
        ck_assert_int_eq(strangers(&trio, first.who), 0);
    }
}

// A signal to the program is for the threads that it knows of.
TEST(workers_take_no_signals)
{
    Trio trio = { 0 };
    threads_set(3);
    threads_parallel_for(3, meet, &trio);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(trio.deaf[i], !pthread_equal(trio.who[i], pthread_self()));
}

// What a child of this process says of three bodies that wait for one another: 0 is well.
static int child_meets(void)
{
    Trio trio = { 0 };
    cost_counted = (Cost){ 0 };
    threads_parallel_for(3, meet, &trio);
    threads_parallel_for(MOST, work_and_count, NULL);
    return atomic_load(&trio.arrived) != 3 || cost_counted.exps != 2 * MOST;
}

static void child_is_well(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) exit(child_meets());
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
}

static void *call_on(void *stop)
{
    while (!atomic_load((atomic_int *)stop)) threads_parallel_for(MOST, work_and_count, NULL);
    return NULL;
}

// Before the first call, after it, and while another thread is amid one: a child starts workers of its own.
TEST(fork_at_any_time)
{
    atomic_int stop = 0;
    Trio trio = { 0 };
    pthread_t other;
    threads_set(3);
    child_is_well();
    threads_parallel_for(3, meet, &trio);
    child_is_well();
    ck_assert_int_eq(pthread_create(&other, NULL, call_on, &stop), 0);
    for (int turn = 0; turn < 20; turn++) child_is_well();
    atomic_store(&stop, 1);
    pthread_join(other, NULL);
    threads_parallel_for(3, meet, &(Trio){ 0 });
}

static void leave(int i, void *context)
{
    wait_for_three(i, context);
    if (i == 0) exit(7);
    for (;;) pause();
}

// A body may end the program, whoever runs it and whatever the others do.
TEST_EXITS(ending_amid_work, 1, 7)
{
    atomic_int arrived = 0;
    threads_set(3);
    threads_parallel_for(3, leave, &arrived);
}

static char pool_is_shared; // what a caller answers whose counts are wrong
static void *many_calls(void *context)
{
    (void)context;
    cost_counted = (Cost){ 0 };
    for (int call = 0; call < 200; call++) threads_parallel_for(10, work_and_count, NULL);
    return cost_counted.exps == 200 * 20 ? NULL : &pool_is_shared;
}

// Several threads call at once, as ranks do: each gets what its own bodies counted.
TEST(calls_of_several_threads)
{
    pthread_t callers[4];
    threads_set(3);
    for (int t = 0; t < 4; t++) ck_assert_int_eq(pthread_create(&callers[t], NULL, many_calls, NULL), 0);
    for (int t = 0; t < 4; t++) {
        void *wrong;
        pthread_join(callers[t], &wrong);
        ck_assert_ptr_null(wrong);
    }
}

TEST(how_many)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    ck_assert_int_eq(threads_count(), online > 64 ? 64 : online);
    threads_set(5);
    ck_assert_int_eq(threads_count(), 5);
    threads_set(1000000);
    ck_assert_int_eq(threads_count(), 64);
    threads_set(0);
    ck_assert_int_eq(threads_count(), online > 64 ? 64 : online);
}
