// For what --dump writes: what no kernel keeps. What is written is said to lesson->trace, in the functions and by the
// names of io/trace.h.
#ifndef LESSON_DUMP_H
#define LESSON_DUMP_H

#include "attention/attention.h"
#include "lesson/lesson.h"

// Scores of q (T, H·d) and k (S, G·d), (H·T, S): head h's are rows h·T …. masks (H); NULL: no key is hidden.
Mat lesson_dump_scores(Lesson *lesson, Mat q, Mat k, int H, const Mask *masks);

#endif
