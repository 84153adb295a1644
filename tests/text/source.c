// Finding a function or a type in C source that carries no markers but its own names.
#include "text/source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool starts(const char *line, const char *with) { return !strncmp(line, with, strlen(with)); }

// The name as a whole word at the top level, followed by ( or [, with no = or ( before it: `static float dot(`. Or the
// name that a macro makes others of, followed by its parameters: `static float NAME(dot)(`.
static bool introduces(const char *line, const char *name)
{
    if (!isalpha((unsigned char)line[0]) && line[0] != '_') return false;
    size_t before = strcspn(line, "=(["), length = strlen(name);
    if (line[before] == '(' && !strncmp(line + before + 1, name, length) && starts(line + before + 1 + length, ")("))
        return true;
    if (before < length || strncmp(line + before - length, name, length) != 0) return false;
    return (line[before] == '(' || line[before] == '[') && (before == length || !word_char(line[before - length - 1]));
}

// The first of { and ; from line i on, comments left out. Its line is left in *at; 0 when the file ends first.
static char body_or_end(Lines source, int i, int *at)
{
    for (*at = i; *at < source.count; ++*at) {
        const char *line = source.at[*at], *comment = strstr(line, "//");
        size_t stop = strcspn(line, "{;");
        if (line[stop] && (!comment || line + stop < comment)) return line[stop];
    }
    return '\0';
}

// The line that closes the body opened on line i: the same one, or the first with } in column 0.
static int body_end(Lines source, int i)
{
    size_t length = strlen(source.at[i]);
    while (length && isspace((unsigned char)source.at[i][length - 1])) length--;
    if (length && source.at[i][length - 1] == ';') length--;
    if (length && source.at[i][length - 1] == '}') return i;
    for (int j = i + 1; j < source.count; j++)
        if (source.at[j][0] == '}') return j;
    return -1;
}

static bool find_function(Lines source, const char *name, char what, int *first, int *last)
{
    for (int i = 0; i < source.count; i++) {
        int at;
        if (!introduces(source.at[i], name) || body_or_end(source, i, &at) != what) continue;
        *first = i;
        *last = what == '{' ? body_end(source, at) : at;
        return *last >= 0;
    }
    return false;
}

static bool goes_on(const char *line)
{
    size_t length = strlen(line);
    return length && line[length - 1] == '\\';
}

// `#define NAME(`, and the lines that it goes on to.
static bool find_macro(Lines source, const char *name, int *first, int *last)
{
    char define[128];
    snprintf(define, sizeof define, "#define %s(", name);
    for (int i = 0; i < source.count; i++) {
        if (!starts(source.at[i], define)) continue;
        *first = *last = i;
        while (*last < source.count - 1 && goes_on(source.at[*last])) ++*last;
        return true;
    }
    return false;
}

// `struct Name {`, `enum Name {`; `typedef … Name;` on one line; `} Name;` or `} NAME(Name);` with its typedef above.
static bool find_type(Lines source, const char *name, int *first, int *last)
{
    char tag_struct[128], tag_enum[128], ending[128], made[128];
    snprintf(tag_struct, sizeof tag_struct, "struct %s {", name);
    snprintf(tag_enum, sizeof tag_enum, "enum %s {", name);
    snprintf(ending, sizeof ending, " %s;", name);
    snprintf(made, sizeof made, "(%s);", name);
    for (int i = 0; i < source.count; i++) {
        const char *line = source.at[i];
        bool tagged = starts(line, tag_struct) || starts(line, tag_enum);
        bool alias = (starts(line, "typedef ") || line[0] == '}') && strstr(line, ending);
        alias = alias || (line[0] == '}' && strstr(line, made));
        if (!tagged && !alias) continue;
        *first = i;
        *last = tagged ? body_end(source, i) : i;
        while (line[0] == '}' && *first > 0 && !starts(source.at[*first], "typedef ")) --*first;
        return *last >= 0 && (line[0] != '}' || starts(source.at[*first], "typedef "));
    }
    return false;
}

bool definition_find(Lines source, const char *name, int *first, int *last)
{
    if (!find_function(source, name, '{', first, last) && !find_type(source, name, first, last) &&
        !find_macro(source, name, first, last) && !find_function(source, name, ';', first, last))
        return false;
    if (*first > 0 && starts(source.at[*first - 1], "template <")) --*first;
    while (*first > 0 && starts(source.at[*first - 1], "//")) --*first;
    return true;
}
