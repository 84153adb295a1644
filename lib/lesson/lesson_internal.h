// State of a lesson. For the files of lib/lesson only.
#ifndef LESSON_LESSON_INTERNAL_H
#define LESSON_LESSON_INTERNAL_H

#include "lesson/lesson.h"

struct LessonState {
    int chapter;
    const char *title, *command;

    // Flags.
    const char *figures, *dump, *sentence, *embeddings; // NULL: not given
    const char *viewer;                                 // path of the viewer, with --view
    uint64_t seed;
    bool wait, view, colored, ask, svg;
    int only;       // step to print; 0: all
    int foretold;   // number of steps given to lesson_steps; 0: not called
    double scale;   // of figures, in pixels per point
    Arena *strokes; // of SVG figures; NULL: figures are PNG

    // Progress.
    int steps, claims, false_claims, drawn, left_out;
    bool after_claim, done; // the last output was a claim; all steps are done
    Random hiding;          // for --ask
    int asked, near;
};

bool lesson_silent(const Lesson *lesson); // this step is not printed (--only)

void lesson_flags(Lesson *lesson, int argc, char **argv, const Flag *own, int own_count);

// ask.c: hides a number and reads a guess.
typedef struct {
    int row, col;
} LessonCell;
LessonCell lesson_ask_cell(Lesson *lesson,
                           const LessonTable *table); // row −1: no cell; table->decimals must be 0 or more
void lesson_ask_about_cell(Lesson *lesson, const LessonTable *table, LessonCell cell, const char *printed);
void lesson_ask_about_count(Lesson *lesson, const char *what, const char *formula, const char *printed, int64_t count);
void lesson_ask_tally(const Lesson *lesson);

// table_text.c. table->decimals must be 0 or more here.
int lesson_table_decimals(const LessonTable *table, int col);
bool lesson_table_is_hidden(const LessonTable *table, int row, int col);
// The text of an element; "·" when a mask hides it.
void lesson_table_text(char *out, size_t size, const LessonTable *table, int row, int col);
// The text of a number: "-∞", "NaN", and 0 without a sign when it rounds to 0.
void lesson_table_number_text(char *out, size_t size, double value, int decimals);
static inline bool lesson_table_bit(unsigned bits, int i) { return i < 32 && bits >> i & 1; }

void lesson_flush(void); // exits 1 with a message if output was lost

#endif
