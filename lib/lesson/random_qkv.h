// Chapters 14 and 15. Random queries, keys and values, for lessons that need no words.
#ifndef LESSON_RANDOM_QKV_H
#define LESSON_RANDOM_QKV_H

#include "attention/self_attention.h"
#include "lesson/lesson.h"

// Normal q (T, d), k (S, d), v (S, dv), drawn in this order from lesson->random.
HeadProjections random_qkv(Lesson *lesson, int T, int S, int d, int dv);

#endif
