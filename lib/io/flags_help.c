// Formats --help: each flag, and its meaning wrapped in a column.
#include "io/flags.h"

#include <string.h>

enum { WIDTH = 80 };

static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++) columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

// Text is appended at the end, which is in column `column`.
typedef struct {
    Arena *arena;
    const char *text;
    int column;
} Page;

static void add(Page *page, const char *words)
{
    const char *end = strrchr(words, '\n');
    page->text = arena_format(page->arena, "%s%s", page->text, words);
    page->column = end ? columns_of(end + 1) : page->column + columns_of(words);
}

static void go_to(Page *page, int column)
{
    if (page->column >= column) add(page, "\n");
    if (page->column < column) add(page, arena_format(page->arena, "%*s", column - page->column, ""));
}

// Wraps the meaning from `column` on; line ends in the meaning are kept.
static void add_meaning(Page *page, int column, const char *meaning)
{
    go_to(page, column);
    for (bool first = true; *meaning; first = false) {
        int bytes = (int)strcspn(meaning, " \n");
        const char *word = arena_format(page->arena, "%.*s", bytes, meaning);
        bool fits = page->column + 1 + columns_of(word) <= WIDTH;
        if (!first && page->column > column) {
            if (fits) add(page, " ");
            else go_to(page, column);
        }
        add(page, word);
        meaning += bytes;
        if (*meaning == '\n') go_to(page, column);
        meaning += *meaning != 0;
    }
    add(page, "\n");
}

static const char *names_between(Arena *arena, const char *const *names, const char *between)
{
    const char *list = names[0];
    for (int n = 1; names[n]; n++) list = arena_format(arena, "%s%s%s", list, between, names[n]);
    return list;
}

static void add_flag(Page *page, int column, const Flag *flag)
{
    Arena *arena = page->arena;
    const char *example = flag->example, *meaning = flag->meaning;
    if (flag->kind == FLAG_CHOICE && !example) example = names_between(arena, flag->names, "|");
    else if (flag->kind == FLAG_CHOICE)
        meaning = arena_format(arena, "%s%s%s", meaning, *meaning ? " " : "", names_between(arena, flag->names, ", "));
    bool alone = flag->argument || !example;
    add(page, arena_format(arena, "  %s%s%s%s", flag->argument ? "" : "--", flag->name, alone ? "" : " ",
                           alone ? "" : example));
    add_meaning(page, column, meaning);
}

char *flags_help(Arena *arena, const Flags *flags)
{
    Page page = { arena, "", 0 };
    static const Flag always[] = {
        { .kind = FLAG_SWITCH, .name = "help", .meaning = "this list; also -h" },
        { .kind = FLAG_SWITCH, .name = "version", .meaning = "the version" },
    };
    bool groups = false;
    if (flags->above) add(&page, arena_format(arena, "%s\n", flags->above));
    for (int f = 0; f < flags->count; f++) {
        const Flag *flag = &flags->flags[f];
        if (flag->kind == FLAG_HEADING) add(&page, arena_format(arena, "\n%s\n", flag->name));
        else add_flag(&page, flags->column, flag);
        groups = groups || flag->kind == FLAG_HEADING;
    }
    if (groups) add(&page, "\n");
    for (int f = 0; f < 2; f++) add_flag(&page, flags->column, &always[f]);
    if (flags->below) add(&page, arena_format(arena, "\n%s", flags->below));
    return arena_format(arena, "%s", page.text);
}
