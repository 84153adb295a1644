// Chapters 14 and 15. Random queries, keys and values, for what does not depend on words.
#ifndef LESSON_RANDOM_QKV_H
#define LESSON_RANDOM_QKV_H

#include "attention/self_attention.h"
#include "lesson/lesson.h"

// q (T, d), k (S, d), v (S, dv), all normal, drawn in this order from lesson->random.
HeadProjections random_qkv(Lesson *lesson, int T, int S, int d, int dv);

#endif
