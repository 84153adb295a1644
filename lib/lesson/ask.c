// --ask: hides a random number of a table, reads a guess, and prints the number. --seed determines which.
#include "base/portable_math.h"
#include "lesson/lesson_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONE_IN = 2 }; // one table or count in this many is asked about

static const LessonCell NONE = { -1, -1 };

static bool asks_now(Lesson *lesson)
{
    LessonState *state = lesson->state;
    return state->ask && !lesson_silent(lesson) && random_below(&state->hiding, ONE_IN) == 0;
}

// Is the number, as printed, repeated in its row or column? Then a guess could be read off.
static bool printed_twice(const LessonTable *table, int row, int col)
{
    char text[64], other[64];
    lesson_table_text(text, sizeof text, table, row, col);
    for (int j = 0; j < table->values.cols; j++) {
        lesson_table_text(other, sizeof other, table, row, j);
        if (j != col && !strcmp(text, other)) return true;
    }
    for (int i = 0; i < table->values.rows; i++) {
        lesson_table_text(other, sizeof other, table, i, col);
        if (i != row && !strcmp(text, other)) return true;
    }
    return false;
}

// Rows and columns with ambiguous names cannot be asked about.
static bool named_twice(const char *const *names, int at, int count)
{
    for (int i = 0; names && i < count; i++)
        if (i != at && !strcmp(names[i], names[at])) return true;
    return false;
}

// Excludes 0 and 1, which are half of the entries of attention weights, and numbers that are given, hidden or repeated.
static bool worth_asking(const LessonTable *table, int row, int col)
{
    if (lesson_table_bit(table->given_rows, row) || lesson_table_bit(table->given_cols, col)) return false;
    if (named_twice(table->rows, row, table->values.rows) || named_twice(table->cols, col, table->values.cols) ||
        printed_twice(table, row, col))
        return false;
    double value = (double)*mat_ref(table->values, row, col);
    bool hidden = !mat_empty(table->hidden) && *mat_ref(table->hidden, row, col) != 0.0f;
    double least = 0.5 * pow(10.0, -lesson_table_decimals(table, col));
    return !hidden && isfinite(value) && fabs(value) >= least && fabs(value - 1.0) >= least;
}

LessonCell lesson_ask_cell(Lesson *lesson, const LessonTable *table)
{
    int count = 0;
    for (int i = 0; i < table->values.rows; i++)
        for (int j = 0; j < table->values.cols; j++) count += worth_asking(table, i, j);
    if (count < 1 || table->given || !asks_now(lesson)) return NONE;
    int left = random_below(&lesson->state->hiding, count);
    for (int i = 0; i < table->values.rows; i++)
        for (int j = 0; j < table->values.cols; j++)
            if (worth_asking(table, i, j) && left-- == 0) return (LessonCell){ i, j };
    return NONE;
}

// Reads a guess. NaN: no number was typed. The end of the input turns --ask off.
static double read_guess(Lesson *lesson)
{
    char line[64], *end;
    size_t length = 0;
    fflush(stdout);
    int c = getchar();
    for (; c != '\n' && c != EOF; c = getchar())
        if (length + 1 < sizeof line) line[length++] = (char)c;
    line[length] = 0;
    if (c == EOF) {
        lesson->state->ask = false;
        putchar('\n');
    }
    double value = strtod(line, &end);
    return end > line ? value : NAN;
}

// Prints the number and the error of the guess, and counts guesses within a tenth or within the printed digits.
static void print_answer(Lesson *lesson, double guessed, double value, const char *printed, int decimals)
{
    LessonState *state = lesson->state;
    printf("    It is %s.", printed);
    state->asked++;
    if (isfinite(guessed)) {
        double off = fabs(guessed - value), least = 0.5 * pow(10.0, -decimals);
        state->near += off <= fmax(0.1 * fabs(value), least);
        if (off <= least) printf(" You said so.");
        else printf(" You were off by %.*f.", decimals, off);
    }
    putchar('\n');
}

// Text such as `, row "it"` or `, row 3`; empty if there is only one.
static const char *index_text(Arena *arena, const char *what, const char *const *names, int at, int count)
{
    if (names) return arena_format(arena, ", %s \"%s\"", what, names[at] + strspn(names[at], " "));
    return count > 1 ? arena_format(arena, ", %s %d", what, at) : "";
}

void lesson_ask_about_cell(Lesson *lesson, const LessonTable *table, LessonCell cell, const char *printed)
{
    const char *row = index_text(lesson->arena, "row", table->rows, cell.row, table->values.rows);
    const char *col = index_text(lesson->arena, "column", table->cols, cell.col, table->values.cols);
    printf("\n    What stands for the ?%s%s: ", row, col);
    print_answer(lesson, read_guess(lesson), (double)*mat_ref(table->values, cell.row, cell.col), printed,
                 lesson_table_decimals(table, cell.col));
}

void lesson_ask_about_count(Lesson *lesson, const char *what, const char *formula, const char *printed, int64_t count)
{
    if (count == 0 || !asks_now(lesson)) return; // an empty count can be read off the formula
    lesson->state->after_claim = false;
    printf("\n    How many %s = %s: ", what, formula);
    print_answer(lesson, read_guess(lesson), (double)count, printed, 0);
}

void lesson_ask_tally(const Lesson *lesson)
{
    const LessonState *state = lesson->state;
    if (!state->asked) return;
    printf("\n%d number%s hidden; %d guess%s within a tenth of the number\n", state->asked,
           state->asked == 1 ? " was" : "s were", state->near, state->near == 1 ? " was" : "es were");
}
