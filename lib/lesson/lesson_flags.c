// The command line of a chapter: its own flags and the shared ones.
#include "base/os.h"
#include "io/file.h"
#include "lesson/lesson_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void lesson_misused(const LessonState *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    if (state->chapter) fprintf(stderr, "chapter %02d: ", state->chapter);
    else fprintf(stderr, "%s: ", state->title);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

enum { SHARED = 13, AUTO = 0, ALWAYS, PNG = 0, SVG };

// Flag values that are converted after parsing.
typedef struct {
    int color, format;
    bool dark;
} RawFlags;

static void shared_flags(Flag *to, LessonState *state, RawFlags *raw)
{
    static const char *const colors[] = { "auto", "always", "never", NULL }, *const formats[] = { "png", "svg", NULL };
    const Flag shared[SHARED] = {
        flag_switch("step", &state->wait, "wait for Enter after every step"),
        flag_count("only", &state->only, 1, 99, "N", "print step N alone (all of them run)"),
        flag_switch("ask", &state->ask, "hide a number now and then, and take a guess"),
        flag_seed("seed", &state->seed, "N", "start the random numbers from N (default 1)"),
        flag_text("sentence", &state->sentence, "\"WORDS\"", "another sentence, of words in the table of embeddings"),
        flag_input("embeddings", &state->embeddings, "FILE", "another table of embeddings (see data/embeddings.tsv)"),
        flag_folder("figures", &state->figures, "DIR", "write the chapter's figures into DIR"),
        flag_choice("format", &raw->format, formats, NULL, "of the figures (default png)"),
        flag_real("scale", &state->scale, 0.5, 8, "N", "pixels a point, of figures as PNG (default 2)"),
        flag_switch("dark", &raw->dark, "figures for a dark wall"),
        flag_output("dump", &state->dump, "FILE.safetensors", "write what was computed, for the viewer and for others"),
        flag_switch("view", &state->view, "open what was computed in the viewer"),
        flag_choice("color", &raw->color, colors, NULL, "shade matrices with the colour map of their figures"),
    };
    memcpy(to, shared, sizeof shared);
}

static bool has_flag(const Flag *flags, int count, const char *name)
{
    for (int f = 0; f < count; f++)
        if (!strcmp(flags[f].name, name)) return true;
    return false;
}

static bool terminal_shades(void)
{
    const char *terminal = getenv("TERM");
    return os_terminal_columns() > 0 && terminal && strcmp(terminal, "dumb") && !getenv("NO_COLOR");
}

// A chapter's own flag replaces a shared one of the same name.
void lesson_flags(Lesson *lesson, int argc, char **argv, const Flag *own, int own_count)
{
    Arena *arena = lesson->arena;
    LessonState *state = lesson->state;
    Flag shared[SHARED], *all = arena_alloc(arena, (size_t)(own_count + SHARED) * sizeof *all);
    int count = 0;
    RawFlags raw = { AUTO, PNG, false };
    shared_flags(shared, state, &raw);
    for (int f = 0; f < own_count; f++) all[count++] = own[f];
    for (int f = 0; f < SHARED; f++)
        if (!has_flag(own, own_count, shared[f].name)) all[count++] = shared[f];

    Error error;
    const char *chapter = state->chapter ? arena_format(arena, "chapter %02d", state->chapter) : state->title;
    const char *before = state->chapter ? arena_format(arena, "Chapter %02d. ", state->chapter) : "";
    const char *above = arena_format(arena, "%s%s\n\nusage: %s [flags]\n", before, state->title, argv[0]);
    FlagsRead read = flags_read(&(Flags){ above, NULL, 28, all, count }, argc, argv, &error);
    if (read != FLAGS_FINE) exit(flags_exit(read, chapter, &error));
    state->colored = raw.color == ALWAYS || (raw.color == AUTO && terminal_shades());
    state->svg = raw.format == SVG;
    if (state->svg) state->strokes = arena_open();
    if (raw.dark) color_scheme(COLOR_ON_DARK);
}
