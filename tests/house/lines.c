// Lines: their width, their ends, the first and the last of them.
#include "house/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 120 };

void house_complain(House *house, const char *path, int line, const char *format, ...)
{
    char words[1024];
    va_list more;
    va_start(more, format);
    vsnprintf(words, sizeof words, format, more);
    va_end(more);
    house->said = arena_format(house->arena, "%s%s:%d: %s\n", house->said ? house->said : "", path, line, words);
    house->problems++;
}

bool house_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length >= wanted && !strcmp(path + length - wanted, ending);
}

static bool is_c(const char *path)
{
    return house_ends(path, ".c") || house_ends(path, ".h") || house_ends(path, ".cu") ||
           house_ends(path, ".cpp");
}

// Characters, not bytes.
static int columns(const char *at, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++) count += ((unsigned char)at[i] & 0xc0) != 0x80;
    return count;
}

static void check_line(House *house, Source s, int number, const char *at, size_t length)
{
    bool row = house_ends(s.path, ".md") && *at == '|';                // a table's row cannot be broken
    int wide = columns(at, length);
    if (wide > WIDEST && !row)
        house_complain(house, s.path, number, "%d columns wide; %d is the most", wide, WIDEST);
    if (length && strchr(" \t\r", at[length - 1]))
        house_complain(house, s.path, number, "white space at the end; it should end with the last letter");
    if (is_c(s.path) && memchr(at, '\t', length))
        house_complain(house, s.path, number, "a tab; C is indented with four spaces");
}

static void check_head(House *house, Source s)
{
    const char *second = s.text + strcspn(s.text, "\n");
    if (is_c(s.path) && strncmp(s.text, "// ", 3))
        house_complain(house, s.path, 1, "no comment heads the file; // and what it does, in a sentence");
    if (house_ends(s.path, ".sh") && (strncmp(s.text, "#!", 2) || strncmp(second, "\n# ", 3)))
        house_complain(house, s.path, 1, "not headed by #! and a comment: # and what it does, in a sentence");
}

void house_lines(House *house, Source s)
{
    int number = 0;
    check_head(house, s);
    for (const char *line = s.text, *end; *line; line = end) {
        size_t length = strcspn(line, "\n");
        check_line(house, s, ++number, line, length);
        end = line + length + (line[length] == '\n');
        if (*end) continue;
        if (!line[length]) house_complain(house, s.path, number, "the last line does not end; a line end is needed");
        else if (!length) house_complain(house, s.path, number, "an empty line at the end of the file");
    }
    if (!number) house_complain(house, s.path, 1, "an empty file");
}
