// Chapters 23 and 24. A lesson whose work is done by ranks.
#ifndef LESSON_LESSON_RANKS_H
#define LESSON_LESSON_RANKS_H

#include "lesson/lesson.h"
#include "ranks/rank.h"

// When the flags have been read. count: what --ranks says, 0: nothing; then threads are 4. Under mpirun their number is
// mpirun's, and another one is refused: exit 2. Where the lesson waits for its reader (--step, --ask), ranks without a
// task wait for the lesson, however long.
void lesson_ranks(const Lesson *lesson, Ranks *ranks, int count);

#endif
