// A README as prose: its words, its links and its numbers, with everything that is not prose blanked out.
#include "text/prose.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool letter(char c) { return isalpha((unsigned char)c) || c == '_'; }

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n') *from = ' ';
}

int fence_ticks(const char *line)
{
    line += strspn(line, " ");
    size_t ticks = strspn(line, "`");
    size_t info = strcspn(line + ticks, "`\n");
    return ticks >= 3 && line[ticks + info] != '`' ? (int)ticks : 0;
}

static bool closes(const char *line, int open)
{
    line += strspn(line, " ");
    size_t ticks = strspn(line, "`");
    return (int)ticks >= open && line[ticks + strspn(line + ticks, " \t\r")] < ' ';
}

void blank_fences(char *text)
{
    int open = 0;
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        int ticks = fence_ticks(line);
        bool inside = open || ticks;
        if (!open) open = ticks;
        else if (closes(line, open)) open = 0;
        if (inside) blank(line, next);
    }
}

void blank_comments(char *text)
{
    for (char *open; (open = strstr(text, "<!--"));) {
        char *close = strstr(open, "-->");
        text = close ? close + 3 : open + strlen(open);
        blank(open, text);
    }
}

// The end of the code that `ticks` backticks opened; NULL when the paragraph ends before it closes.
static char *code_end(char *at, size_t ticks)
{
    while (*at && strncmp(at, "\n\n", 2) != 0) {
        size_t run = strspn(at, "`");
        if (run == ticks) return at + run;
        at += run ? run : 1;
    }
    return NULL;
}

void blank_code(char *text)
{
    while (*(text += strcspn(text, "`"))) {
        size_t ticks = strspn(text, "`");
        char *end = code_end(text + ticks, ticks);
        if (end) blank(text, end);
        text = end ? end : text + ticks;
    }
}

static bool is_target(const char *at, const char **target, const char **ends)
{
    static const struct {
        const char *opens, *ends;
    } forms[] = {
        { "](", ") \t\n" },
        { "]: ", " \t\n" },
        { "src=\"", "\"" },
        { "href=\"", "\"" },
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        if (strncmp(at, forms[f].opens, strlen(forms[f].opens)) != 0) continue;
        *target = at + strlen(forms[f].opens);
        *ends = forms[f].ends;
        return true;
    }
    return false;
}

const char *link_next(const char *at, size_t *length)
{
    const char *target, *ends;
    for (; *at; at++) {
        if (!is_target(at, &target, &ends)) continue;
        *length = strcspn(target, ends);
        return target;
    }
    return NULL;
}

void blank_targets(char *text)
{
    size_t length;
    for (const char *at = text, *target; (target = link_next(at, &length)); at = target + length)
        blank(text + (target - text), target + length);
    for (char *at = text; (at = strstr(at, "http"));) {
        size_t scheme = !strncmp(at, "https://", 8) ? 8 : !strncmp(at, "http://", 7) ? 7 : 0;
        char *end = at + 4 + (scheme ? strcspn(at + 4, " \t\n)>") : 0);
        if (scheme) blank(at, end);
        at = end;
    }
}

int words_in(const char *text)
{
    int words = 0;
    while (*(text += strspn(text, " \t\r\n"))) {
        size_t length = strcspn(text, " \t\r\n"), i = 0;
        while (i < length && !isalnum((unsigned char)text[i]) && (unsigned char)text[i] < 0x80) i++;
        words += i < length;
        text += length;
    }
    return words;
}

int line_at(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}

static size_t digits_at(const char *at) { return strspn(at, "0123456789"); }

// One number from its first digit: how far it goes, whether it has a point or commas.
static void number_read(const char *at, Number *out)
{
    size_t length = digits_at(at);
    *out = (Number){ .at = at };
    for (bool few = length <= 3; few && at[length] == ',' && digits_at(at + length + 1) == 3; length += 4)
        out->thousands = true;
    if (at[length] == '.' && digit(at[length + 1])) {
        out->decimal = true;
        length += 1 + digits_at(at + length + 1);
    }
    out->length = length;
    size_t kept = 0;
    for (size_t i = 0; i < length && kept + 1 < sizeof out->digits; i++)
        if (at[i] != ',') out->digits[kept++] = at[i];
}

bool number_next(const char *text, const char *from, Number *out)
{
    for (const char *at = from; *(at += strcspn(at, "0123456789"));) {
        number_read(at, out);
        const char *end = at + out->length;
        bool version = *end == '.' && digit(end[1]);
        bool fraction = at > text && at[-1] == '.'; // .5, or what is left of 1.2.3
        if (!version && !fraction) return true;
        at += strspn(at, "0123456789.");
    }
    return false;
}

bool number_counts(const char *text, const Number *number)
{
    static const char section[] = "§", arxiv[] = "arXiv:";
    size_t before = (size_t)(number->at - text), s = sizeof section - 1, a = sizeof arxiv - 1;
    if (!number->decimal && !number->thousands && number->length < 5) return false;
    if (before >= s && !memcmp(number->at - s, section, s)) return false;
    if (before >= a && !strncasecmp(number->at - a, arxiv, a)) return false;
    return !letter(number->at[number->length]) && !(before && letter(number->at[-1]));
}
