// How a chapter talks: a short story in numbered steps. A claim is checked as it is printed, so a chapter cannot say
// what its run does not prove: one false claim, and the program ends with 1.
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
    Trace *trace;          // what --dump writes; its words are the sentence's, unless trace_words says others
    LessonState *state;
} Lesson;

// Reads the flags and prints the title. `flags` are the chapter's own, on top of those that all chapters share, or in
// the place of one of these: then with the same name. --help exits 0, a wrong flag 2, bad data 1, with a sentence.
// Chapter 0: a stand-alone page that uses the lesson API (data/models.c).
Lesson lesson_open_with(int argc, char **argv, int chapter, const char *title, const Flag *flags, int flags_count);
void lesson_steps(const Lesson *lesson, int count); // so many will come: --only beyond them is refused now
int lesson_close(Lesson *lesson);                   // exit status: 1 after a false claim or lost output
_Noreturn void lesson_fail(const Error *error);     // bad data: the sentence on stderr, exit 1

// A flag whose value does not suit this chapter (lesson->state is passed): the sentence on stderr, exit 2.
_Noreturn void lesson_misused(const LessonState *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A sentence in the book's own table, whatever flags were given: for chapters that need particular words.
Sentence lesson_book_sentence(Lesson *lesson, const char *text);
// So many words that a flag names, as they stand in a table; others: a sentence that names the flag, exit 2.
Sentence lesson_words_of_flag(Lesson *lesson, const Embeddings *table, const char *flag, const char *text, int count);
int lesson_column(Lesson *lesson, const char *name); // of lesson->embeddings; missing: a sentence, exit 1

// The verbs.
void lesson_step(Lesson *lesson, const char *heading);
void lesson_say(Lesson *lesson, const char *format, ...) __attribute__((format(printf, 2, 3))); // a paragraph, wrapped
void lesson_say_lines(Lesson *lesson, const char *lines); // as they stand, indented: for columns of words
bool lesson_check(Lesson *lesson, bool ok, const char *claim, ...) __attribute__((format(printf, 3, 4)));
bool lesson_cost(Lesson *lesson, const char *what, int64_t count, const char *formula,
                 int64_t expected); // count = formula?
void lesson_show(Lesson *lesson, const char *name, Mat m);
// Figures: lesson_figures.h.

// What one scale of the shading holds for: all of a table, or a row or a column with a unit of its own.
typedef enum { LESSON_ALL_ALIKE, LESSON_ROWS_APART, LESSON_COLUMNS_APART } LessonUnits;

// A matrix with names for its rows and columns, shaded on a terminal by the colour map of its figure.
typedef struct {
    const char *name;
    Mat values;
    Mat hidden;                            // same shape or empty: a dot stands where it is not 0
    const char *const *rows, *const *cols; // may be NULL: no names
    int decimals;                          // 0: two; −1: none, whole numbers
    unsigned whole, tenths;                // bit c: column c has no decimals; has one
    ColorMap colors;
    double low, high;                // the scale of the shading; both 0: from the values
    LessonUnits units;               // not LESSON_ALL_ALIKE: scales are from the values
    unsigned apart;                  // LESSON_ALL_ALIKE: bit c: but column c has a unit of its own
    unsigned signed_rows;            // LESSON_ROWS_APART: bit r: row r lies around 0, is DIVERGING
    bool given;                      // an input that nobody can know: --ask leaves it alone
    unsigned given_rows, given_cols; // bit r: row r is one, if not all of the table
} LessonTable;

void lesson_show_table(Lesson *lesson, LessonTable table);

// Names of rows or columns that are counted: "head 0", "head 1", … for lesson_numbered(arena, "head ", count).
const char *const *lesson_numbered(Arena *arena, const char *before, int count);

// A table that grows row by row: Rows t = lesson_rows_of(lesson, name, columns, 3); lesson_rows_add(&t, ROW(a, b, c), "H = %d", H); …
// What else a Table says (decimals, hidden …) is set in t.table, what it holds so far is t.table.values.
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
