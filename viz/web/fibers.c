// POSIX threads for chapters 23 and 24 in a browser, where a page that is opened as a file has no memory that threads
// could share: each is a fiber, and runs until it waits. Who waits lets the next one go on, in a circle, and looks
// again when its turn comes. Locks stand open, since nobody else runs.
//
// Left out: what the ranks do not ask for. A fiber that never waits keeps all others from running.
#include "viz/web/web.h"

#include "base/memory.h"

#include <emscripten/fiber.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FIBERS = 64, STACK = 1 << 20, LEFT = 1 << 16 }; // bytes: of a stack, and what is left to come back to

typedef struct {
    emscripten_fiber_t fiber;
    void *(*run)(void *argument);
    void *argument, *result;
    char *stack, *own; // own: its thread-local variables, while it does not run
    bool there, done;
} Fiber;

static Fiber fibers[MOST_FIBERS]; // the first is the program's own
static char left[MOST_FIBERS][LEFT] __attribute__((aligned(16)));
static int current;

// All that is _Thread_local; the linker knows where it begins and ends.
extern char __start_thread_own[], __stop_thread_own[];
static size_t own_size(void) { return (size_t)(__stop_thread_own - __start_thread_own); }

static void let_others_run(void)
{
    int before = current, next = current;
    do next = (next + 1) % MOST_FIBERS;
    while (!fibers[next].there || fibers[next].done);
    if (next == before) return;
    memcpy(fibers[before].own, __start_thread_own, own_size());
    memcpy(__start_thread_own, fibers[next].own, own_size());
    current = next;
    emscripten_fiber_swap(&fibers[before].fiber, &fibers[next].fiber);
}

static void fiber_main(void *argument)
{
    Fiber *fiber = argument;
    fiber->result = fiber->run(fiber->argument);
    fiber->done = true;
    let_others_run();
}

// ---- the calls of POSIX, under the names that web.h gives them

static char *own_at_first; // thread-local variables, as a thread finds them

__attribute__((constructor)) static void keep_own(void)
{
    own_at_first = memory_new(own_size());
    memcpy(own_at_first, __start_thread_own, own_size());
}

// The program's own fiber, when it gets company.
static void begin(void)
{
    if (fibers[0].there) return;
    fibers[0] = (Fiber){ .there = true, .own = memory_new(own_size()) };
    emscripten_fiber_init_from_current_context(&fibers[0].fiber, left[0], LEFT);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int n = 1;
    (void)attributes;
    while (n < MOST_FIBERS && fibers[n].there) n++;
    if (n == MOST_FIBERS) return EAGAIN;
    begin();
    Fiber *fiber = &fibers[n];
    *fiber = (Fiber){ .run = run, .argument = argument, .there = true };
    fiber->stack = memory_aligned(16, STACK);
    fiber->own = memory_new(own_size());
    memcpy(fiber->own, own_at_first, own_size());
    emscripten_fiber_init(&fiber->fiber, fiber_main, fiber, fiber->stack, STACK, left[n], LEFT);
    *thread = (pthread_t)n;
    return 0;
}

int pthread_join(pthread_t thread, void **result)
{
    Fiber *fiber = &fibers[(uintptr_t)thread];
    while (!fiber->done) let_others_run();
    if (result) *result = fiber->result;
    memory_aligned_free(fiber->stack);
    free(fiber->own);
    fiber->there = false;
    return 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
    (void)condition;
    (void)lock;
    (void)until;
    let_others_run();
    return 0;
}

int pause(void)
{
    let_others_run();
    errno = EINTR;
    return -1;
}
