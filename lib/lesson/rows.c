// A table that grows row by row, for chapters that run and count something at several sizes.
#include "lesson/lesson.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Rows rows_of(Lesson *lesson, const char *name, const char *const *columns, int count)
{
    REQUIRE(count >= 1, "\"%s\" has %d columns", name, count);
    Table table = { .name = name, .cols = columns, .values = { .cols = count, .stride = count } };
    return (Rows){ .table = table, .arena = lesson->arena };
}

// Twice the room: the rows so far move, views of them do not follow.
static void make_room(Rows *rows)
{
    Mat *values = &rows->table.values;
    int room = rows->room > 0 ? 2 * rows->room : 8;
    Mat more = mat_new(rows->arena, room, values->cols);
    const char **labels = arena_alloc(rows->arena, (size_t)room * sizeof *labels);
    if (values->rows > 0) {
        mat_set(mat_rows(more, 0, values->rows), *values);
        memcpy(labels, rows->table.rows, (size_t)values->rows * sizeof *labels);
    }
    *values = mat_rows(more, 0, values->rows);
    rows->labels = labels;
    rows->table.rows = labels;
    rows->room = room;
}

void rows_add(Rows *rows, const double *values, const char *label, ...)
{
    char text[256];
    va_list words;
    va_start(words, label);
    vsnprintf(text, sizeof text, label, words);
    va_end(words);

    if (rows->table.values.rows == rows->room) make_room(rows);
    int row = rows->table.values.rows++;
    rows->labels[row] = arena_format(rows->arena, "%s", text);
    for (int c = 0; c < rows->table.values.cols; c++) *mat_ref(rows->table.values, row, c) = (float)values[c];
}

void show_rows(Lesson *lesson, const Rows *rows) { show_table(lesson, rows->table); }
