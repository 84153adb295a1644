// The record is a text: "=== CHAPTER" begins a block, its code follows, then "---", then what it printed.
#include "text/record.h"

#include <string.h>

static bool begins(const char *line) { return !strncmp(line, "=== ", 4); }

bool record_find(Lines record, const char *chapter, Lines *code, Lines *output)
{
    int at = 0;
    while (at < record.count && !(begins(record.at[at]) && !strcmp(record.at[at] + 4, chapter))) at++;
    if (at == record.count) return false;
    int first = at + 1, middle = first;
    while (middle < record.count && !begins(record.at[middle]) && strcmp(record.at[middle], "---") != 0) middle++;
    int end = middle;
    while (end < record.count && !begins(record.at[end])) end++;
    *code = (Lines){ record.at + first, middle - first };
    *output = (Lines){ record.at + middle + 1, end > middle ? end - middle - 1 : 0 };
    return true;
}
