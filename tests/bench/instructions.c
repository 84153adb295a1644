// Instructions, one by one. A child process runs the kernel between two signals to itself, and between these the parent
// lets it go from one instruction to the next. No counter of the processor is needed, and nothing else is counted.
//
// Each rung runs with T queries and S keys, with twice as many of one, of the other, and of both: f(2T, 2S) − f(2T, S)
// − f(T, 2S) + f(T, S) is what grows with queries times keys, and all else is left out. An instruction that repeats
// itself counts for each time.
#include "bench/instructions.h"

#include "kernels/fast.h"
#include "kernels/kernels.h"
#include "bench/problem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __linux__
    #include <errno.h>
    #include <signal.h>
    #include <sys/ptrace.h>
    #include <sys/wait.h>
    #include <unistd.h>

// Queries: a block of the widest vectors. The first rungs take them one by one, and one of these has its loops over
// keys, of which it is given more for that.
enum { WIDTH = 64, BLOCK = 64, ONE_BY_ONE = 3, MORE = 4 };

static void run(AttentionKernel *kernel, const Problem *p)
{
    kernel((Attended){ .out = p->out }, p->q[0], p->k[0], p->v[0], (Mask){ 0 });
}

// The child: once to find all that is found on a first call, then between two stops.
static _Noreturn void be_watched(AttentionKernel *kernel, const Problem *p)
{
    run(kernel, p);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(1);
    raise(SIGSTOP);
    run(kernel, p);
    raise(SIGSTOP);
    _exit(0);
}

// Steps from one stop to the next; −1 when there was none.
static int64_t steps_of(pid_t child)
{
    int status;
    int64_t steps = 0;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
    while (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0) {
        if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
        if (WSTOPSIG(status) == SIGSTOP) return steps;
        steps++;
    }
    return -1;
}

static int64_t instructions_of(AttentionKernel *kernel, int queries, int keys)
{
    Arena *arena = arena_open();
    Problem problem = problem_new(arena, 1, 1, queries, keys, WIDTH, false, false);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) be_watched(kernel, &problem);
    int64_t steps = child < 0 ? -1 : steps_of(child);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    arena_close(arena);
    return steps;
}

bool instructions_count(char **table, Arena *arena, int keys, bool two_rungs, Error *error)
{
    *table = arena_format(arena, "# kernel\tinstructions_per_1000_multiply_adds\n");
    printf("\nInstructions for 1,000 multiply-adds: d = %d, %d keys or more\n", WIDTH, keys);
    for (int r = 0; attention_rung(r); r++) {
        const AttentionKernelNamed *rung = attention_rung(r);
        if (two_rungs && r != 0 && rung->run != attention_fast) continue;
        int queries = r < ONE_BY_ONE ? 1 : BLOCK, S = r < ONE_BY_ONE ? MORE * keys : keys;
        int64_t grown = 0, steps = 0;
        for (int more = 0; more < 4 && steps >= 0; more++) {
            steps = instructions_of(rung->run, queries << more / 2, S << more % 2);
            grown += more == 0 || more == 3 ? steps : -steps;
        }
        if (steps < 0) {
            error_set(error, "%s could not be run step by step: %s", rung->name, strerror(errno));
            return false;
        }
        double each = 1000.0 * (double)grown / (2.0 * queries * WIDTH * S);
        printf("  %-10s %8.1f\n", rung->name, each);
        fflush(stdout);
        *table = arena_format(arena, "%s%s\t%.1f\n", *table, rung->name, each);
    }
    return true;
}

#else

bool instructions_count(char **table, Arena *arena, int keys, bool two_rungs, Error *error)
{
    (void)table;
    (void)arena;
    (void)keys;
    (void)two_rungs;
    error_set(error, "instructions are counted on Linux only");
    return false;
}

#endif
