// What a lesson remembers between its verbs. For the files of lib/lesson only.
#ifndef LESSON_STATE_H
#define LESSON_STATE_H

#include "lesson/lesson.h"

struct LessonState {
    int         chapter;
    const char *title, *command;

    // What the flags said.
    const char *figures, *dump, *sentence, *embeddings;        // NULL: not given
    const char *viewer;                                        // its path, when --view was given
    uint64_t    seed;
    bool        wait, view, colored;

    // What has happened so far.
    int         steps, claims, false_claims, drawn, left_out;
    bool        after_claim;                                   // the last thing printed was a claim
};

void lesson_flags(Lesson *lesson, int argc, char **argv, const Flag *own, int own_count);
void lesson_flush(void);                                       // lost output ends the program with a sentence, exit 1

#endif
