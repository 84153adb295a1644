// Number of ranks of a lesson, and their timeout.
#include "lesson/lesson_ranks.h"
#include "lesson/lesson_internal.h"

void lesson_ranks(const Lesson *lesson, Ranks *ranks, int count)
{
    const LessonState *state = lesson->state;
    if (ranks->processes && count && count != ranks->count)
        lesson_misused(state, "--ranks %d: mpirun has started %d, and their number is its own", count, ranks->count);
    if (!ranks->processes) ranks->count = count ? count : 4;
    ranks->patient = state->wait || state->ask;
    ranks_ready(ranks);
}
