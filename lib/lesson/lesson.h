// How a chapter talks: a short story in numbered steps. A claim is checked as it is printed, so a chapter cannot say
// what its run does not prove: one false claim, and the program ends with 1.
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include "base/arena.h"
#include "base/cost.h"
#include "base/random.h"
#include "figure/diagram.h"
#include "figure/heatmap.h"
#include "figure/links.h"
#include "figure/plane.h"
#include "figure/plot.h"
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
// Chapter 0 is none: a page that talks as a chapter does (data/models.c).
Lesson lesson_open_with(int argc, char **argv, int chapter, const char *title, const Flag *flags, int flags_count);
void lesson_steps(const Lesson *lesson, int count); // so many will come: --only beyond them is refused now
int lesson_close(Lesson *lesson);                   // exit status: 1 after a false claim or lost output
_Noreturn void lesson_fail(const Error *error);     // bad data: the sentence on stderr, exit 1

// A flag whose value does not suit this chapter (lesson->state is passed): the sentence on stderr, exit 2.
_Noreturn void lesson_misused(const LessonState *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A sentence in the book's own table, whatever flags were given: for chapters that need particular words.
Sentence book_sentence(Lesson *lesson, const char *text);
// So many words that a flag names, as they stand in a table; others: a sentence that names the flag, exit 2.
Sentence words_of_flag(Lesson *lesson, const Embeddings *table, const char *flag, const char *text, int count);
int column_index(Lesson *lesson, const char *name); // of lesson->embeddings; missing: a sentence, exit 1

// The verbs.
void step(Lesson *lesson, const char *heading);
void say(Lesson *lesson, const char *format, ...) __attribute__((format(printf, 2, 3))); // a paragraph, wrapped
void say_lines(Lesson *lesson, const char *lines); // as they stand, indented: for columns of words
bool check(Lesson *lesson, bool ok, const char *claim, ...) __attribute__((format(printf, 3, 4)));
bool cost(Lesson *lesson, const char *what, int64_t count, const char *formula, int64_t expected); // count = formula?
void show(Lesson *lesson, const char *name, Mat m);
// `figure` has one form for each kind of picture; all are drawn only when --figures asks for them.

// What one scale of the shading holds for: all of a table, or a row or a column with a unit of its own.
typedef enum { ALL_ALIKE, ROWS_APART, COLUMNS_APART } Units;

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
    Units units;                     // not ALL_ALIKE: scales are from the values
    unsigned apart;                  // ALL_ALIKE: bit c: but column c has a unit of its own
    unsigned signed_rows;            // ROWS_APART: bit r: row r lies around 0, is DIVERGING
    bool given;                      // an input that nobody can know: --ask leaves it alone
    unsigned given_rows, given_cols; // bit r: row r is one, if not all of the table
} Table;

void show_table(Lesson *lesson, Table table);

// Names of rows or columns that are counted: "head 0", "head 1", … for numbered(arena, "head ", count).
const char *const *numbered(Arena *arena, const char *before, int count);

// A table that grows row by row: Rows t = rows_of(lesson, name, columns, 3); rows_add(&t, ROW(a, b, c), "H = %d", H); …
// What else a Table says (decimals, hidden …) is set in t.table, what it holds so far is t.table.values.
typedef struct {
    Table table;
    Arena *arena;
    const char **labels;
    int room;
} Rows;
#define ROW(...) ((const double[]){ __VA_ARGS__ })

Rows rows_of(Lesson *lesson, const char *name, const char *const *columns, int count); // columns (count), or NULL
void rows_add(Rows *rows, const double *values, const char *label, ...) __attribute__((format(printf, 3, 4)));
void rows_add_from(Rows *rows, Mat m, int row, const char *label, ...) __attribute__((format(printf, 4, 5)));
void show_rows(Lesson *lesson, const Rows *rows);

// Pictures: `file` is a name that ends in .png, in the folder of --figures. The caption is printed.
void figure_map(Lesson *lesson, const char *file, const char *caption, HeatMap map);
void figure_maps(Lesson *lesson, const char *file, const char *caption, const char *title, const HeatMap *maps,
                 int count, int across);
void figure_plot(Lesson *lesson, const char *file, const char *caption, Plot plot);
void figure_plots(Lesson *lesson, const char *file, const char *caption, const Plot *plots, int count);
void figure_bars(Lesson *lesson, const char *file, const char *caption, Bars bars);
void figure_diagram(Lesson *lesson, const char *file, const char *caption, Diagram diagram);
void figure_plane(Lesson *lesson, const char *file, const char *caption, Plane plane);
void figure_links(Lesson *lesson, const char *file, const char *caption, const char *title, const Links *panels,
                  int count);

// A heat map of a head's weights with everything a reader expects on it: words on both axes, titles, scale 0 … 1.
HeatMap map_of_weights(const char *title, Mat weights, const Sentence *queries, const Sentence *keys);

#endif
