// Chapters 23 and 24. A lesson whose work is done by ranks.
#ifndef LESSON_LESSON_RANKS_H
#define LESSON_LESSON_RANKS_H

#include "lesson/lesson.h"
#include "ranks/rank.h"

// Call it after the flags are parsed. count: the value of --ranks; 0: not given, then threads run 4 ranks. Under mpirun
// its number of ranks is used, and a different count exits 2. If the lesson waits for input (--step, --ask), waiting
// ranks do not time out.
void lesson_ranks(const Lesson *lesson, Ranks *ranks, int count);

#endif
