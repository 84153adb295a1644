// Any bytes as a table of names and numbers: rows that can be read, or one sentence that names the file.
#include "base/portable_math.h"
#include "io/table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    TableRows rows;
    Error error = { .text = "" };
    int columns = 1 + (int)(size % 4);
    if (table_parse(&rows, arena, (FileBytes){ data, size }, columns, "fuzz", &error)) {
        if (rows.values.cols != columns) abort();
        for (int i = 0; i < rows.values.rows; i++) {
            if (!*rows.names[i] || strchr(rows.names[i], '\t')) abort();
            for (int j = 0; j < columns; j++)
                if (!isfinite(*mat_ref(rows.values, i, j))) abort();
        }
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 600) {
        abort();
    }
    arena_close(arena);
    return 0;
}
