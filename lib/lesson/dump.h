// Results for --dump that no kernel stores. Callers add them to lesson->trace under the names of io/trace.h.
#ifndef LESSON_DUMP_H
#define LESSON_DUMP_H

#include "attention/attention.h"
#include "lesson/lesson.h"

// Scores of q (T, H·d) and k (S, G·d) as (H·T, S): rows h·T … are head h. masks (H); NULL: no key is hidden.
Mat lesson_dump_scores(Lesson *lesson, Mat q, Mat k, int H, const Mask *masks);

#endif
