// Any bytes as a table of names and numbers: rows that can be read, or one sentence that names the file.
#include "fuzz/mutate.h"
#include "base/portable_math.h"
#include "io/table.h"

FUZZ(600)
{
    TableRows rows;
    int columns = 1 + (int)(file.size % 4);
    if (!table_parse(&rows, arena, file, columns, "fuzz", error)) return false;
    if (rows.values.cols != columns) abort();
    for (int i = 0; i < rows.values.rows; i++) {
        if (!*rows.names[i] || strchr(rows.names[i], '\t')) abort();
        for (int j = 0; j < columns; j++)
            if (!isfinite(*mat_ref(rows.values, i, j))) abort();
    }
    return true;
}
