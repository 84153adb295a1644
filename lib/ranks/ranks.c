// Chapter 23. Runs a task on every rank: threads of this process, or the processes started by mpirun.
#include "base/error.h"
#include "ranks/wire.h"

#include <stddef.h>

Ranks ranks_open(RankWork *const *works, int count)
{
    Ranks ranks = { .works = works, .works_count = count, .count = 1, .deadline = 5 };
    if (wire_mpi_started()) wire_mpi_open(&ranks);
    return ranks;
}

void ranks_ready(Ranks *ranks)
{
    if (ranks->processes) wire_mpi_run(ranks, 1, NULL, NULL, 0, NULL);
}

void ranks_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result)
{
    REQUIRE(1 <= count && count <= RANKS_MOST, "%d ranks", count);
    REQUIRE(!ranks->processes || count <= ranks->count, "%d ranks, where mpirun has started %d", count, ranks->count);
    REQUIRE(bytes <= RANK_TASK_BYTES, "a task of %zu bytes", bytes);
    if (ranks->processes) wire_mpi_run(ranks, count, work, task, bytes, result);
    else wire_threads_run(ranks, count, work, task, bytes, result);
}
