// Whether the current step prints, and what happens when output fails.
#include "lesson/lesson_internal.h"

#include <stdio.h>
#include <stdlib.h>

bool lesson_silent(const Lesson *lesson)
{
    const LessonState *state = lesson->state;
    return state->only > 0 && !state->done && state->steps != state->only;
}

_Noreturn void lesson_fail(const Error *error)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

void lesson_flush(void)
{
    Error error;
    if (!flags_printed(&error)) lesson_fail(&error);
}
