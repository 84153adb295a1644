// Formats elements of a table.
#include "base/portable_math.h"
#include "lesson/lesson_internal.h"

#include <stdio.h>

void lesson_table_number_text(char *out, size_t size, double value, int decimals)
{
    if (isnan(value)) snprintf(out, size, "NaN");
    else if (isinf(value)) snprintf(out, size, "%s", value < 0 ? "-∞" : "∞");
    else snprintf(out, size, "%.*f", decimals, fabs(value) < 0.5 * pow(10, -decimals) ? 0.0 : value);
}

bool lesson_table_is_hidden(const LessonTable *table, int i, int j)
{
    return !mat_empty(table->hidden) && *mat_ref(table->hidden, i, j) != 0.0f;
}

int lesson_table_decimals(const LessonTable *table, int col)
{
    if (lesson_table_bit(table->whole, col)) return 0;
    return lesson_table_bit(table->tenths, col) ? 1 : table->decimals;
}

void lesson_table_text(char *out, size_t size, const LessonTable *table, int row, int col)
{
    if (lesson_table_is_hidden(table, row, col)) snprintf(out, size, "·");
    else
        lesson_table_number_text(out, size, (double)*mat_ref(table->values, row, col),
                                 lesson_table_decimals(table, col));
}
