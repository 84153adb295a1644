// Parses tables: each line is a name and numbers.
#include "io/table.h"

#include "base/portable_math.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

static int lines_in(const char *text)
{
    int count = 1;
    for (; (text = strchr(text, '\n')); text++) count++;
    return count;
}

// Parses exactly `columns` numbers, each after a tab.
static bool read_numbers(float *to, int columns, const char *at)
{
    for (int c = 0; c < columns; c++) {
        char *end;
        if (*at++ != '\t') return false;
        to[c] = strtof(at, &end);
        if (end == at || !isfinite(to[c])) return false;
        at = end;
    }
    return !*at;
}

bool table_parse(TableRows *out, Arena *arena, FileBytes file, int columns, const char *name, Error *error)
{
    char *text = arena_alloc(arena, file.size + 1);
    if (file.size) memcpy(text, file.at, file.size);
    int most = lines_in(text), rows = 0, number = 0;
    *out = (TableRows){ arena_alloc(arena, (size_t)most * sizeof *out->names), mat_new(arena, most, columns) };
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        number++;
        if (*line == '#' || !*line) continue;
        size_t length = strcspn(line, "\t");
        if (!length || !read_numbers(mat_row(out->values, rows), columns, line + length))
            return error_set(error, "%s:%d: found %s; a name and %d numbers are needed, with tabs between", name,
                             number, text_shown(arena, line, strlen(line)), columns);
        out->names[rows++] = arena_format(arena, "%.*s", (int)length, line);
    }
    out->values = mat_rows(out->values, 0, rows);
    return true;
}

bool table_read(TableRows *out, Arena *arena, const char *path, int columns, Error *error)
{
    FileBytes file;
    return file_read(&file, arena, path, error) && table_parse(out, arena, file, columns, path, error);
}

TableRows table_embedded(Arena *arena, const char *const *lines, size_t count, int columns, const char *name)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += strlen(lines[i]);
    char *text = arena_alloc(arena, size + 1), *end = text;
    for (size_t i = 0; i < count; i++) {
        memcpy(end, lines[i], strlen(lines[i]));
        end += strlen(lines[i]);
    }
    TableRows rows;
    Error error;
    bool right = table_parse(&rows, arena, (FileBytes){ (const unsigned char *)text, size }, columns, name, &error);
    REQUIRE(right, "%s", error.text);
    return rows;
}

const char *table_fact(Arena *arena, const char *const *lines, size_t count, const char *key)
{
    for (size_t i = 0; i < count && *lines[i] == '#'; i++) {
        if (strncmp(lines[i] + 2, key, strlen(key)) != 0) continue;
        const char *fact = lines[i] + 2 + strlen(key);
        return arena_format(arena, "%.*s", (int)strcspn(fact, "\n"), fact);
    }
    return "not recorded";
}
