// build/tests/ranks_smoke [SECONDS [die|hang RANK]]: messages go round among the ranks that mpirun has started, or among four
// threads, for so many seconds, and every number that arrives is held to what it must be. Half way one rank dies, or
// answers no more: the others must end with a sentence. Chapters 23 and 24 stand on what is tried here.
#include "base/measure.h"
#include "base/portable_math.h"
#include "ranks/collective.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 10007 };

typedef struct {
    int round, fails;
    bool dies;
} Task; // fails: the rank that does, −1: none

static void must(const Rank *rank, bool ok, const char *what)
{
    if (!ok) rank_fail(rank, "%s is wrong", what);
}

static float number_of(int rank, int round, int i) { return (float)((rank + 1) * (i % 13 + round % 7)); }

static void sum(Rank *rank, int round)
{
    Mat m = mat_new(rank->arena, 1, SIZE);
    for (int i = 0; i < SIZE; i++) m.at[i] = number_of(rank->me, round, i);
    rank_all_reduce(rank, m);
    int all = rank->count * (rank->count + 1) / 2;
    for (int i = 0; i < SIZE; i++) must(rank, m.at[i] == (float)(all * (i % 13 + round % 7)), "a sum of all ranks");
}

static void exchange(Rank *rank, int round)
{
    Mat into[RANKS_MOST], parts[RANKS_MOST];
    for (int r = 0; r < rank->count; r++) {
        into[r] = mat_new(rank->arena, 1, SIZE / rank->count);
        parts[r] = mat_new(rank->arena, 1, SIZE / rank->count);
        for (int i = 0; i < parts[r].cols; i++) parts[r].at[i] = number_of(rank->me, round, i + r);
    }
    rank_all_to_all(rank, into, parts);
    for (int r = 0; r < rank->count; r++)
        for (int i = 0; i < into[r].cols; i++)
            must(rank, into[r].at[i] == number_of(r, round, i + rank->me), "an exchange of all ranks");
}

static void go_round(Rank *rank, const void *task_bytes, void *result)
{
    const Task *task = task_bytes;
    int64_t sent[RANKS_MOST], all = 0;
    sum(rank, task->round);
    if (task->fails == rank->me && task->dies) raise(SIGKILL);
    if (task->fails == rank->me)
        for (;;) pause();
    exchange(rank, task->round);
    rank_barrier(rank);
    int64_t bytes = rank->bytes;
    rank_gather_bytes(rank, result ? sent : NULL, &bytes, sizeof bytes);
    for (int r = 0; result && r < rank->count; r++) all += sent[r];
    if (result) *(int64_t *)result += all;
}

int main(int argc, char **argv)
{
    static RankWork *const works[] = { go_round };
    Ranks ranks = ranks_open(works, 1);
    if (!ranks.processes) ranks.count = 4;
    double seconds = argc > 1 ? atof(argv[1]) : 1, began = measure_clock_wall();
    int fails = argc > 3 ? atoi(argv[3]) : -1, rounds = 0;
    int64_t bytes = 0;
    ranks_ready(&ranks);
    for (; rounds == 0 || measure_clock_wall() - began < seconds; rounds++) {
        bool now = fails >= 0 && measure_clock_wall() - began > seconds / 2;
        Task task = { .round = rounds, .fails = now ? fails : -1, .dies = argc > 2 && !strcmp(argv[2], "die") };
        ranks_run(&ranks, ranks.count, go_round, &task, sizeof task, &bytes);
    }
    printf("%d ranks: all numbers right; %lld bytes a round\n", ranks.count, (long long)(bytes / rounds));
    return 0;
}
