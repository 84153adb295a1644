// Tests of lib/base/memory.c.
#include "base/memory.h"

#include "base/threads.h"
#include "support/reference.h"
#include "support/suite.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(what_is_given)
{
    unsigned char *zeroed = memory_zeroed(1000), *aligned = memory_aligned(64, 128), *grown = memory_new(3);
    for (int i = 0; i < 1000; i++) ck_assert_int_eq(zeroed[i], 0);
    ck_assert_uint_eq((uintptr_t)aligned % 64, 0);
    memcpy(grown, "abc", 3);
    grown = memory_resized(grown, 100000);
    ck_assert_mem_eq(grown, "abc", 3);
    void *nothing = memory_new(0);
    ck_assert_ptr_nonnull(nothing);
    free(zeroed);
    memory_aligned_free(aligned);
    free(grown);
    free(nothing);
}

static void ask(int i, void *context)
{
    (void)context;
    size_t much = SIZE_MAX / 2;
    if (i == 0) memory_new(much);
    if (i == 1) memory_zeroed(much);
    if (i == 2) memory_resized(NULL, much);
    memory_aligned(64, much / 64 * 64);
}

// Runs it in a process of its own; what it says is in `said`.
static int status_of(char *said, size_t room, void run(void))
{
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t got; size + 1 < room && (got = read(ends[0], said + size, room - 1 - size)) > 0;) size += (size_t)got;
    said[size] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int turn;
static void ask_once(void) { ask(turn, NULL); }
static void ask_with_status(void)
{
    memory_ends_with(2);
    ask(0, NULL);
}

// All wait for the last one, so that they ask at the same moment.
enum { TOGETHER = 8 };
static void ask_when_all_are_there(int i, void *context)
{
    atomic_int *there = context;
    atomic_fetch_add(there, 1);
    while (atomic_load(there) < TOGETHER) sched_yield();
    ask(i, NULL);
}

static void ask_together(void)
{
    atomic_int there = 0;
    threads_set(TOGETHER);
    threads_parallel_for(TOGETHER, ask_when_all_are_there, &there);
}

static bool is_line(const char *said) { return *said && strchr(said, '\n') == said + strlen(said) - 1; }

// However many ask, one sentence.
TEST(none_left)
{
    char said[1000];
    for (turn = 0; turn < 4; turn++) {
        ck_assert_int_eq(status_of(said, sizeof said, ask_once), 1);
        ck_assert_msg(!strncmp(said, "out of memory: ", 15) && is_line(said), "%s", said);
    }
    ck_assert_int_eq(status_of(said, sizeof said, ask_with_status), 2);
    for (int i = 0; i < 40; i++) {
        ck_assert_int_eq(status_of(said, sizeof said, ask_together), 1);
        ck_assert_msg(is_line(said), "%s", said);
    }
}
