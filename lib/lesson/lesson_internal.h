// What a lesson remembers between its verbs. For the files of lib/lesson only.
#ifndef LESSON_LESSON_INTERNAL_H
#define LESSON_LESSON_INTERNAL_H

#include "lesson/lesson.h"

struct LessonState {
    int chapter;
    const char *title, *command;

    // What the flags said.
    const char *figures, *dump, *sentence, *embeddings; // NULL: not given
    const char *viewer;                                 // its path, when --view was given
    uint64_t seed;
    bool wait, view, colored, ask, svg;
    int only;       // the one step that is printed; 0: all
    int foretold;   // by lesson_steps; 0: it was not called
    double scale;   // of figures, in pixels a point
    Arena *strokes; // of figures as SVG; NULL: they are PNG

    // What has happened so far.
    int steps, claims, false_claims, drawn, left_out;
    bool after_claim, done; // the last thing printed was a claim; all steps
    Random hiding;          // which numbers --ask hides
    int asked, near;
};

bool lesson_silent(const Lesson *lesson); // this step is not printed (--only)

void lesson_flags(Lesson *lesson, int argc, char **argv, const Flag *own, int own_count);

// ask.c. A number that is hidden now and then, and a guess.
typedef struct {
    int row, col;
} LessonCell;
LessonCell lesson_ask_cell(Lesson *lesson,
                           const LessonTable *table); // row −1: none; decimals are digits here, 0 or more
void lesson_ask_about_cell(Lesson *lesson, const LessonTable *table, LessonCell cell, const char *printed);
void lesson_ask_about_count(Lesson *lesson, const char *what, const char *formula, const char *printed, int64_t count);
void lesson_ask_tally(const Lesson *lesson);

// lesson_table_text.c. table->decimals must be 0 or more here.
int lesson_table_decimals(const LessonTable *table, int col);
bool lesson_table_is_hidden(const LessonTable *table, int row, int col);
// The text of an element; "·" when a mask hides it.
void lesson_table_text(char *out, size_t size, const LessonTable *table, int row, int col);
// The text of a number: "-∞", "NaN", and 0 without a sign when it rounds to 0.
void lesson_table_number_text(char *out, size_t size, double value, int decimals);
static inline bool lesson_table_bit(unsigned bits, int i) { return i < 32 && bits >> i & 1; }

void lesson_flush(void); // lost output ends the program with a sentence, exit 1

#endif
