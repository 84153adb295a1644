// Which of a file's wrong answers is wanted: the number in WRONG. exercises.sh tries them all.
#ifndef EXERCISES_WRONG_H
#define EXERCISES_WRONG_H

#include <stdlib.h>

static inline int wrong(void)
{
    const char *number = getenv("WRONG");
    return number ? atoi(number) : 0;
}

#endif
