// The command line of a chapter. One table holds the flags that all chapters share, another the chapter's own.
#include "lesson/state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { const char *name, *value, *meaning; } Shared;

static const Shared shared[] = {
    { "step",       NULL,              "wait for Enter after every step" },
    { "seed",       "N",               "start the random numbers from N (default 1)" },
    { "sentence",   "\"WORDS\"",       "another sentence, of words in the table of embeddings" },
    { "embeddings", "FILE",            "another table of embeddings (see data/embeddings.tsv)" },
    { "figures",    "DIR",             "write the chapter's figures into DIR" },
    { "dump",       "FILE.safetensors", "write what was computed, for the viewer and for others" },
    { "view",       NULL,              "open what was computed in the viewer" },
    { "color",      "auto|always|never", "shade matrices with the colour map of their figures" },
    { "help",       NULL,              "this list" },
};

enum { SHARED_COUNT = sizeof shared / sizeof *shared };

_Noreturn void lesson_misused(const LessonState *state, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fflush(stdout);
    fprintf(stderr, "chapter %02d: ", state->chapter);
    vfprintf(stderr, format, words);
    va_end(words);
    fputc('\n', stderr);
    exit(2);
}

// The meaning is wrapped at 80 columns and stands in a column of its own.
static void print_flag(const char *name, const char *value, const char *meaning)
{
    enum { LEFT = 28, WIDTH = 80 };
    int column = printf("  --%s%s%s ", name, value ? " " : "", value ? value : "");
    for (const char *word = meaning; *word; word += strspn(word, " ")) {
        int length = (int)strcspn(word, " ");
        if (column > LEFT && column + 1 + length > WIDTH) column = printf("\n") - 1;
        column += column < LEFT ? printf("%*s", LEFT - column, "") : word == meaning ? 0 : printf(" ");
        column += printf("%.*s", length, word);
        word += length;
    }
    putchar('\n');
}

static const Shared *shared_named(const char *name)
{
    for (int f = 0; f < SHARED_COUNT; f++)
        if (!strcmp(shared[f].name, name)) return &shared[f];
    return NULL;
}

static const Flag *own_named(const char *name, const Flag *own, int own_count)
{
    for (int f = 0; f < own_count; f++)
        if (!strcmp(own[f].name, name)) return &own[f];
    return NULL;
}

// A chapter's own flag stands in the place of a shared one of the same name.
static _Noreturn void print_help(const LessonState *state, const char *program, const Flag *own, int own_count)
{
    static const char *const kinds[] = { [FLAG_INT] = "N", [FLAG_FLOAT] = "X", [FLAG_TEXT] = "TEXT",
                                         [FLAG_SWITCH] = NULL };
    printf("Chapter %02d. %s\n\nusage: %s [flags]\n\n", state->chapter, state->title, program);
    for (int f = 0; f < own_count; f++) {
        const Shared *same = shared_named(own[f].name);
        print_flag(own[f].name, same ? same->value : kinds[own[f].kind], own[f].meaning);
    }
    for (int f = 0; f < SHARED_COUNT; f++)
        if (!own_named(shared[f].name, own, own_count)) print_flag(shared[f].name, shared[f].value, shared[f].meaning);
    lesson_flush();
    exit(0);
}

static void set_seed(LessonState *state, const char *value)
{
    char *end = NULL;
    errno = 0;
    state->seed = strtoull(value, &end, 10);
    if (end == value || *end || errno || strchr(value, '-'))
        lesson_misused(state, "--seed: found \"%.60s\"; a whole number from 0 to 18446744073709551615 is needed",
                       value);
}

static void set_color(LessonState *state, const char *value)
{
    const char *terminal = getenv("TERM");
    bool can = isatty(1) && terminal && strcmp(terminal, "dumb") && !getenv("NO_COLOR");
    if (strcmp(value, "auto") && strcmp(value, "always") && strcmp(value, "never"))
        lesson_misused(state, "--color: found \"%.60s\"; it must be auto, always or never", value);
    state->colored = !strcmp(value, "always") || (!strcmp(value, "auto") && can);
}

static void set_shared(LessonState *state, const char *name, const char *value)
{
    if (!strcmp(name, "step"))       state->wait = true;
    if (!strcmp(name, "view"))       state->view = true;
    if (!strcmp(name, "seed"))       set_seed(state, value);
    if (!strcmp(name, "color"))      set_color(state, value);
    if (!strcmp(name, "sentence"))   state->sentence = value;
    if (!strcmp(name, "embeddings")) state->embeddings = value;
    if (!strcmp(name, "figures"))    state->figures = value;
    if (!strcmp(name, "dump"))       state->dump = value;
}

static void set_own(const LessonState *state, const Flag *flag, const char *value)
{
    char *end = NULL;
    if (flag->kind == FLAG_SWITCH) {
        *(bool *)flag->value = true;
        return;
    }
    if (flag->kind == FLAG_TEXT) {
        *(const char **)flag->value = value;
        return;
    }
    double number = strtod(value, &end);
    bool inside = number >= flag->least && number <= flag->most;
    bool whole = inside && (flag->kind == FLAG_FLOAT || number == (double)(long)number);
    if (end == value || *end || !whole)
        lesson_misused(state, "--%s: found \"%.60s\"; a %snumber from %g to %g is needed", flag->name, value,
                       flag->kind == FLAG_INT ? "whole " : "", flag->least, flag->most);
    if (flag->kind == FLAG_INT) *(int *)flag->value = (int)number;
    else *(float *)flag->value = (float)number;
}

// --name value, --name=value, or --name alone for the flags that take no value.
void flags_read(Lesson *lesson, int argc, char **argv, const Flag *own, int own_count)
{
    LessonState *state = lesson->state;
    set_color(state, "auto");
    for (int a = 1; a < argc; a++) {
        const char *word = argv[a], *equals = strchr(word, '=');
        if (strncmp(word, "--", 2))
            lesson_misused(state, "found \"%.60s\"; flags begin with two dashes (--help lists them)", word);
        const char *name = arena_format(lesson->arena, "%.*s", (int)(equals ? equals - word - 2 : 1 << 20), word + 2);
        const Shared *known = shared_named(name);
        const Flag *mine = own_named(name, own, own_count);
        if (!known && !mine) lesson_misused(state, "there is no flag --%.60s (--help lists them)", name);

        bool takes_value = mine ? mine->kind != FLAG_SWITCH : known->value != NULL;
        if (!takes_value && equals) lesson_misused(state, "--%s takes no value", name);
        if (takes_value && !equals && (a + 1 >= argc || !strncmp(argv[a + 1], "--", 2)))
            lesson_misused(state, "--%s needs a value (--help lists the flags)", name);
        const char *value = !takes_value ? NULL : equals ? equals + 1 : argv[++a];
        if (mine) set_own(state, mine, value);
        else if (!strcmp(name, "help")) print_help(state, argv[0], own, own_count);
        else set_shared(state, name, value);
    }
}
