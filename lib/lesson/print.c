// Printing functions of a lesson. Text is wrapped at 80 columns and indented by four.
#include "base/portable_math.h"
#include "lesson/lesson_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 4 };

// Columns of a UTF-8 text on a terminal: one per character.
static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++) columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

// Bytes of the first `columns` characters.
static int bytes_of(const char *text, int columns)
{
    int bytes = 0;
    while (text[bytes] && (columns > 0 || ((unsigned char)text[bytes] & 0xC0) == 0x80)) {
        bytes++;
        columns -= ((unsigned char)text[bytes] & 0xC0) != 0x80;
    }
    return bytes;
}

static void spaces(int count) { printf("%*s", count > 0 ? count : 0, ""); }

// Prints text wrapped at spaces, with a hanging indent after `lead`.
static void print_wrapped(const char *lead, const char *text)
{
    int hang = INDENT + columns_of(lead), column = hang;
    spaces(INDENT);
    printf("%s", lead);
    for (bool first = true; *text; first = false) {
        int bytes = (int)strcspn(text, " \n");
        char word[512];
        snprintf(word, sizeof word, "%.*s", bytes, text);
        int shown_width = columns_of(word);
        if (!first && column + 1 + shown_width > WIDTH) {
            putchar('\n');
            spaces(hang);
            column = hang;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%s", word);
        column += shown_width;
        text += bytes;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

// Prints an empty line before everything except a claim that follows a claim.
static void begin_block(Lesson *lesson)
{
    putchar('\n');
    lesson->state->after_claim = false;
}

static void wait_for_enter(const Lesson *lesson)
{
    if (!lesson->state->wait || !lesson->state->steps) return;
    printf("\n    [Enter] ");
    fflush(stdout);
    int c = getchar();
    while (c != '\n' && c != EOF) c = getchar();
}

void lesson_step(Lesson *lesson, const char *heading)
{
    if (!lesson_silent(lesson)) wait_for_enter(lesson);
    lesson->state->steps++;
    if (lesson_silent(lesson)) return;
    begin_block(lesson);
    printf("%d.  %s\n", lesson->state->steps, heading);
    fflush(stdout);
}

void lesson_say(Lesson *lesson, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (lesson_silent(lesson)) return;
    begin_block(lesson);
    print_wrapped("", text);
}

void lesson_say_lines(Lesson *lesson, const char *lines)
{
    if (lesson_silent(lesson)) return;
    begin_block(lesson);
    while (*lines) {
        int bytes = (int)strcspn(lines, "\n");
        spaces(INDENT);
        printf("%.*s\n", bytes, lines);
        lines += bytes;
        lines += *lines == '\n';
    }
}

bool lesson_check(Lesson *lesson, bool ok, const char *claim, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, claim);
    vsnprintf(text, sizeof text, claim, arguments);
    va_end(arguments);
    lesson->state->claims++;
    lesson->state->false_claims += !ok;
    if (ok && lesson_silent(lesson)) return ok;
    if (!lesson->state->after_claim) putchar('\n');
    lesson->state->after_claim = true;
    print_wrapped(ok ? "✓ " : "✗ FALSE: ", text);
    return ok;
}

// Formats with thousands separators: 1,048,576.
static const char *group_digits(Arena *arena, int64_t n)
{
    char digits[32], *out = arena_alloc(arena, 48), *to = out;
    int count = snprintf(digits, sizeof digits, "%lld", (long long)(n < 0 ? -n : n));
    if (n < 0) *to++ = '-';
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    return out;
}

bool lesson_cost(Lesson *lesson, const char *what, int64_t count, const char *formula, int64_t expected)
{
    const char *number = group_digits(lesson->arena, count);
    lesson_ask_about_count(lesson, what, formula, number, count);
    if (count == expected) return lesson_check(lesson, true, "counted: %s %s = %s", number, what, formula);
    return lesson_check(lesson, false, "counted: %s %s, but %s = %s", number, what, formula,
                        group_digits(lesson->arena, expected));
}

// ---- matrices

static void scale_from_values(LessonTable *table)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < table->values.rows; i++)
        for (int j = 0; j < table->values.cols; j++) {
            double value = (double)*mat_ref(table->values, i, j);
            if (!isfinite(value) || lesson_table_is_hidden(table, i, j) || lesson_table_bit(table->apart, j)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    if (table->colors == COLOR_DIVERGING) {
        high = fmax(fabs(low), fabs(high));
        low = -high;
    }
    table->low = low;
    table->high = high;
}

static bool has_own_scale(const LessonTable *table, int col)
{
    return table->units != LESSON_ALL_ALIKE || lesson_table_bit(table->apart, col);
}

// The row or column of element (i, j) as a table with its own range.
static LessonTable unit_table(const LessonTable *table, int i, int j)
{
    LessonTable part = *table;
    bool row = table->units == LESSON_ROWS_APART;
    part.apart = 0;
    if (row && lesson_table_bit(table->signed_rows, i)) part.colors = COLOR_DIVERGING;
    part.values = row ? mat_rows(table->values, i, 1) : mat_cols(table->values, j, 1);
    if (!mat_empty(table->hidden)) part.hidden = row ? mat_rows(table->hidden, i, 1) : mat_cols(table->hidden, j, 1);
    scale_from_values(&part);
    return part;
}

// Widths in characters; `across`: cells per line. stagger: names wider than their cells alternate between two lines.
typedef struct {
    int label, cell, across;
    bool stagger;
} Layout;

// Makes cells as wide as their values, and wider if the column names then fit.
static Layout compute_layout(const LessonTable *table)
{
    Layout layout = { .label = 0, .cell = 4 };
    int names = 0;
    for (int i = 0; i < table->values.rows; i++) {
        if (table->rows && columns_of(table->rows[i]) > layout.label) layout.label = columns_of(table->rows[i]);
        for (int j = 0; j < table->values.cols; j++) {
            char text[64];
            lesson_table_number_text(text, sizeof text, (double)*mat_ref(table->values, i, j),
                                     lesson_table_decimals(table, j));
            if (columns_of(text) > layout.cell) layout.cell = columns_of(text);
        }
    }
    if (table->cols)
        for (int j = 0; j < table->values.cols; j++)
            if (columns_of(table->cols[j]) > names) names = columns_of(table->cols[j]);
    if (layout.label > 40) layout.label = 40;
    int available = WIDTH - INDENT - layout.label;
    while (layout.cell < names && layout.cell < 16 && (layout.cell + 2) * table->values.cols <= available)
        layout.cell++;
    layout.across = available / (layout.cell + 1);
    if (layout.across > table->values.cols) layout.across = table->values.cols;
    layout.stagger = names > layout.cell;
    return layout;
}

static void print_padded(const char *text, int width) // right-aligned, truncated
{
    int shown_width = columns_of(text) < width ? columns_of(text) : width;
    spaces(width - shown_width);
    printf("%.*s", bytes_of(text, shown_width), text);
}

// Masked cells are not shaded, nor is the cell that --ask hides: it prints ?.
static void print_cell(const Lesson *lesson, const LessonTable *table, int i, int j, int width, LessonCell asked)
{
    double value = (double)*mat_ref(table->values, i, j);
    char text[64];
    lesson_table_text(text, sizeof text, table, i, j);
    bool hidden_by_ask = i == asked.row && j == asked.col;
    if (hidden_by_ask) snprintf(text, sizeof text, "?");
    bool shaded = lesson->state->colored && isfinite(value) && !lesson_table_is_hidden(table, i, j) && !hidden_by_ask;
    if (shaded) {
        LessonTable scaled = has_own_scale(table, j) ? unit_table(table, i, j) : *table;
        double range = scaled.high - scaled.low;
        Color back = color_at(scaled.colors, range > 0 ? (value - scaled.low) / range : 0.5), front = color_over(back);
        printf("\033[48;2;%d;%d;%dm\033[38;2;%d;%d;%dm", back.r, back.g, back.b, front.r, front.g, front.b);
    }
    print_padded(text, width);
    if (shaded) printf("\033[0m");
}

// Prints column names, right-aligned above their columns; step 2: every other name, with twice the width.
static void print_names(const LessonTable *table, Layout layout, int first, int count, int step)
{
    int cell = layout.cell + 1;
    spaces(INDENT);
    for (int j = 0; j < count; j += step) {
        int available = j ? step * cell : layout.label + cell, most = step * cell - 1;
        int width = most < available ? most : available;
        spaces(available - width);
        print_padded(table->cols[first + j], width);
    }
    putchar('\n');
}

// Prints columns first … first + count − 1 of a matrix with their names.
static void print_columns(const Lesson *lesson, const LessonTable *table, Layout layout, int first, int count,
                          LessonCell asked)
{
    if (table->cols && layout.stagger && count > 1) {
        Layout second = layout;
        second.label += layout.cell + 1;
        print_names(table, second, first + 1, count - 1, 2);
        print_names(table, layout, first, count, 2);
    } else if (table->cols) {
        print_names(table, layout, first, count, 1);
    }
    for (int i = 0; i < table->values.rows; i++) {
        spaces(INDENT);
        if (table->rows) printf("%.*s", bytes_of(table->rows[i], layout.label), table->rows[i]);
        if (table->rows) spaces(layout.label - columns_of(table->rows[i]));
        spaces(1);
        for (int j = first; j < first + count; j++) print_cell(lesson, table, i, j, layout.cell + (j > first), asked);
        putchar('\n');
    }
}

void lesson_show_table(Lesson *lesson, LessonTable table)
{
    if (lesson_silent(lesson)) return;
    if (table.decimals == 0) table.decimals = 2;
    if (table.decimals < 0) table.decimals = 0;
    if (table.low == 0 && table.high == 0) scale_from_values(&table);
    Layout layout = compute_layout(&table);
    LessonCell asked = lesson_ask_cell(lesson, &table);
    begin_block(lesson);
    printf("    %s  (%d × %d)\n", table.name, table.values.rows, table.values.cols);
    for (int first = 0; first < table.values.cols; first += layout.across) {
        int left = table.values.cols - first;
        if (first) putchar('\n');
        print_columns(lesson, &table, layout, first, left < layout.across ? left : layout.across, asked);
    }
    if (asked.row < 0) return;
    char text[64];
    lesson_table_text(text, sizeof text, &table, asked.row, asked.col);
    lesson_ask_about_cell(lesson, &table, asked, text);
}

void lesson_show(Lesson *lesson, const char *name, Mat m)
{
    lesson_show_table(lesson, (LessonTable){ .name = name, .values = m });
}
