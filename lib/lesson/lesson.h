// The API of a lesson: text in numbered steps, with claims that are checked when they are printed. One false claim
// makes the program exit with 1.
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include "base/arena.h"
#include "base/cost.h"
#include "base/random.h"
#include "figure/color.h"
#include "io/flags.h"
#include "io/trace.h"
#include "lesson/embeddings.h"

typedef struct LessonState LessonState;

typedef struct {
    Arena *arena;          // opened and closed with the lesson
    Random random;         // from --seed
    Embeddings embeddings; // the book's, or --embeddings
    Sentence sentence;     // the book's, or --sentence
    bool own_words;        // --sentence or --embeddings was given: claims about the book's words do not apply
    Trace *trace;          // for --dump; its tokens are the sentence's unless trace_words is called
    LessonState *state;
} Lesson;

// Parses the flags and prints the title. `flags` are the chapter's own; they are added to the shared flags, or replace
// one of the same name. --help exits 0, a wrong flag 2, bad data 1, with a message. Chapter 0: a stand-alone page that
// uses the lesson API (data/models.c).
Lesson lesson_open_with(int argc, char **argv, int chapter, const char *title, const Flag *flags, int flags_count);
void lesson_steps(const Lesson *lesson, int count); // announces the number of steps, to reject --only beyond it early
int lesson_close(Lesson *lesson);                   // exit status: 1 after a false claim or lost output
_Noreturn void lesson_fail(const Error *error);     // bad data: prints the message on stderr, exits 1

// For a flag value that does not suit this chapter: prints the message on stderr, exits 2. Takes lesson->state.
_Noreturn void lesson_misused(const LessonState *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A sentence in the book's own table, regardless of flags, for lessons that need particular words.
Sentence lesson_book_sentence(Lesson *lesson, const char *text);
// Looks up the `count` words of a flag in a table; on failure prints a message with the flag, exits 2.
Sentence lesson_words_of_flag(Lesson *lesson, const Embeddings *table, const char *flag, const char *text, int count);
int lesson_column(Lesson *lesson, const char *name); // of lesson->embeddings; missing: prints a message, exits 1

// Output.
void lesson_step(Lesson *lesson, const char *heading);
void lesson_say(Lesson *lesson, const char *format, ...) __attribute__((format(printf, 2, 3))); // a paragraph, wrapped
void lesson_say_lines(Lesson *lesson, const char *lines); // printed verbatim, indented
bool lesson_check(Lesson *lesson, bool ok, const char *claim, ...) __attribute__((format(printf, 3, 4)));
bool lesson_cost(Lesson *lesson, const char *what, int64_t count, const char *formula,
                 int64_t expected); // claim: count == expected
void lesson_show(Lesson *lesson, const char *name, Mat m);
// Figures: lesson_figures.h.

// The range of one shading scale: the whole table, each row, or each column.
typedef enum { LESSON_ALL_ALIKE, LESSON_ROWS_APART, LESSON_COLUMNS_APART } LessonUnits;

// A table: a matrix with row and column names, shaded on a terminal with the colour map of its figure.
typedef struct {
    const char *name;
    Mat values;
    Mat hidden;                            // same shape or empty: nonzero cells print a dot
    const char *const *rows, *const *cols; // NULL: no names
    int decimals;                          // 0: two; −1: none, whole numbers
    unsigned whole, tenths;                // bit c: column c has no decimals; one decimal
    ColorMap colors;
    double low, high;                // range of the shading; both 0: computed from the values
    LessonUnits units;               // unless LESSON_ALL_ALIKE, ranges are computed from the values
    unsigned apart;                  // LESSON_ALL_ALIKE: bit c: column c has its own range
    unsigned signed_rows;            // LESSON_ROWS_APART: bit r: row r is centred at 0 (COLOR_DIVERGING)
    bool given;                      // an input, which a reader cannot predict: --ask skips it
    unsigned given_rows, given_cols; // bit r: only row r (column r) is an input
} LessonTable;

void lesson_show_table(Lesson *lesson, LessonTable table);

// Numbered names: "head 0", "head 1", … for lesson_numbered(arena, "head ", count).
const char *const *lesson_numbered(Arena *arena, const char *before, int count);

// A table built row by row: LessonRows t = lesson_rows_of(lesson, name, columns, 3); lesson_rows_add(&t, LESSON_ROW(a,
// b, c), "H = %d", H); …
// Other fields of the table (decimals, hidden …) are set in t.table; its rows so far are t.table.values.
typedef struct {
    LessonTable table;
    Arena *arena;
    const char **labels;
    int room;
} LessonRows;
#define LESSON_ROW(...) ((const double[]){ __VA_ARGS__ })

LessonRows lesson_rows_of(Lesson *lesson, const char *name, const char *const *columns,
                          int count); // columns (count), or NULL
void lesson_rows_add(LessonRows *rows, const double *values, const char *label, ...)
    __attribute__((format(printf, 3, 4)));
void lesson_rows_add_from(LessonRows *rows, Mat m, int row, const char *label, ...)
    __attribute__((format(printf, 4, 5)));
void lesson_show_rows(Lesson *lesson, const LessonRows *rows);

#endif
