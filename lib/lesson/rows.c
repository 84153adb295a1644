// Tables built row by row, and numbered names.
#include "lesson/lesson.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

LessonRows lesson_rows_of(Lesson *lesson, const char *name, const char *const *columns, int count)
{
    REQUIRE(count >= 1, "\"%s\" has %d columns", name, count);
    LessonTable table = { .name = name, .cols = columns, .values = { .cols = count, .stride = count } };
    return (LessonRows){ .table = table, .arena = lesson->arena };
}

// Doubles the capacity. Rows are copied; earlier views refer to the old rows.
static void grow_rows(LessonRows *rows)
{
    Mat *values = &rows->table.values;
    int capacity = rows->room > 0 ? 2 * rows->room : 8;
    Mat more = mat_new(rows->arena, capacity, values->cols);
    const char **labels = arena_alloc(rows->arena, (size_t)capacity * sizeof *labels);
    if (values->rows > 0) {
        mat_set(mat_rows(more, 0, values->rows), *values);
        memcpy(labels, rows->table.rows, (size_t)values->rows * sizeof *labels);
    }
    *values = mat_rows(more, 0, values->rows);
    rows->labels = labels;
    rows->table.rows = labels;
    rows->room = capacity;
}

// Appends a row of zeros.
static float *new_row(LessonRows *rows, const char *label, va_list arguments)
{
    char text[256];
    vsnprintf(text, sizeof text, label, arguments);
    if (rows->table.values.rows == rows->room) grow_rows(rows);
    int row = rows->table.values.rows++;
    rows->labels[row] = arena_format(rows->arena, "%s", text);
    return mat_row(rows->table.values, row);
}

void lesson_rows_add(LessonRows *rows, const double *values, const char *label, ...)
{
    va_list arguments;
    va_start(arguments, label);
    float *row = new_row(rows, label, arguments);
    va_end(arguments);
    for (int c = 0; c < rows->table.values.cols; c++) row[c] = (float)values[c];
}

// Appends row `row` of m.
void lesson_rows_add_from(LessonRows *rows, Mat m, int row, const char *label, ...)
{
    Mat *values = &rows->table.values;
    REQUIRE(m.cols == values->cols, "\"%s\" has %d columns, the row %d", rows->table.name, values->cols, m.cols);
    va_list arguments;
    va_start(arguments, label);
    new_row(rows, label, arguments);
    va_end(arguments);
    mat_set(mat_rows(*values, values->rows - 1, 1), mat_rows(m, row, 1));
}

void lesson_show_rows(Lesson *lesson, const LessonRows *rows) { lesson_show_table(lesson, rows->table); }

const char *const *lesson_numbered(Arena *arena, const char *before, int count)
{
    const char **names = arena_alloc(arena, (size_t)count * sizeof *names);
    for (int i = 0; i < count; i++) names[i] = arena_format(arena, "%s%d", before, i);
    return names;
}
