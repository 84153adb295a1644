// Opens and closes a lesson: words, trace, viewer, exit status.
#include "base/os.h"
#include "io/file.h"
#include "lesson/lesson_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Without the full stop it has 11 words. The table has 12 columns, so numbers of words and columns differ.
static const char BOOK_SENTENCE[] = "The animal didn't cross the street because it was too tired";

// Reads the table and the sentence, the reader's or the book's.
static void read_words(Lesson *lesson)
{
    LessonState *state = lesson->state;
    Error error;
    if (!state->embeddings) embeddings_of_the_book(&lesson->embeddings, lesson->arena);
    else if (!embeddings_read(&lesson->embeddings, lesson->arena, state->embeddings, &error)) lesson_fail(&error);

    const char *text = state->sentence ? state->sentence : BOOK_SENTENCE;
    if (!sentence_look_up(&lesson->sentence, lesson->arena, &lesson->embeddings, text, &error)) lesson_fail(&error);
    lesson->own_words = state->sentence || state->embeddings;
}

// Notes the command and the words in the trace.
static void open_trace(Lesson *lesson)
{
    const LessonState *state = lesson->state;
    const Sentence *s = &lesson->sentence;
    lesson->trace = trace_open(lesson->arena);
    trace_note(lesson->trace, "program", "manyheads");
    trace_note(lesson->trace, "chapter", arena_format(lesson->arena, "%02d %s", state->chapter, state->title));
    trace_note(lesson->trace, "command", state->command);
    trace_words(lesson->trace, s->words, s->T, s->words, s->T);
}

static const char *command_line(Arena *arena, int argc, char **argv)
{
    const char *program = os_program(argv[0]), *slash = strrchr(program, '/');
    char *line = arena_format(arena, "%s", slash ? slash + 1 : program);
    for (int a = 1; a < argc; a++) line = arena_format(arena, "%s %s", line, argv[a]);
    return line;
}

// Path of the viewer: next to the folder of the chapters in a build, next to the chapter when installed.
static const char *viewer_path(Lesson *lesson, const char *program)
{
    const char *slash = strrchr(program, '/');
    if (!slash) return "manyheads-viewer"; // found in PATH, like the chapter
    int folder = (int)(slash - program);
    const char *built = arena_format(lesson->arena, "%.*s/../viewer", folder, program);
    const char *installed = arena_format(lesson->arena, "%.*s/manyheads-viewer", folder, program);
    if (os_is_program(built)) return built;
    if (os_is_program(installed)) return installed;
    Error error;
    error_set(&error, "--view: there is no viewer at %s; make builds it when SDL2 is there (make deps installs that)",
              built);
    lesson_fail(&error);
}

// The viewer opens a file: that of --dump, or a temporary one.
static void prepare_view(Lesson *lesson, const char *program)
{
    LessonState *state = lesson->state;
    Error error;
    state->viewer = viewer_path(lesson, program);
    if (state->dump) return;
    state->dump = arena_format(lesson->arena, "%s/manyheads-%02d-%ld.safetensors", os_temporary_folder(),
                               state->chapter, (long)getpid());
    if (!file_may_write(state->dump, &error)) lesson_fail(&error);
}

Lesson lesson_open_with(int argc, char **argv, int chapter, const char *title, const Flag *flags, int flags_count)
{
    Lesson lesson = { .arena = arena_open() };
    LessonState *state = lesson.state = arena_alloc(lesson.arena, sizeof *state);
    *state = (LessonState){ .chapter = chapter, .title = title, .seed = 1, .scale = 2 };
    lesson_flags(&lesson, argc, argv, flags, flags_count);
    state->command = command_line(lesson.arena, argc, argv);
    lesson.random = random_from(state->seed);
    state->hiding = random_from(state->seed + 1);
    read_words(&lesson);
    open_trace(&lesson);

    if (state->view) prepare_view(&lesson, os_program(argv[0]));
    printf("%s%s\n", chapter ? arena_format(lesson.arena, "Chapter %02d. ", chapter) : "", title);
    fflush(stdout);
    return lesson;
}

Sentence lesson_book_sentence(Lesson *lesson, const char *text)
{
    Embeddings book;
    Sentence sentence;
    Error error;
    embeddings_of_the_book(&book, lesson->arena);
    if (!sentence_look_up(&sentence, lesson->arena, &book, text, &error)) lesson_fail(&error);
    return sentence;
}

Sentence lesson_words_of_flag(Lesson *lesson, const Embeddings *table, const char *flag, const char *text, int count)
{
    Sentence words;
    Error error;
    bool known = sentence_look_up(&words, lesson->arena, table, text, &error);
    if (!known && text[strspn(text, " \t\r\n")]) lesson_misused(lesson->state, "--%s: %s", flag, error.text);
    if (!known || words.T != count)
        lesson_misused(lesson->state, "--%s: found \"%.60s\"; %s %s needed", flag, text,
                       count == 1 ? "one word of" : arena_format(lesson->arena, "%d words of", count),
                       arena_format(lesson->arena, "%s %s", table->file, count == 1 ? "is" : "are"));
    return words;
}

int lesson_column(Lesson *lesson, const char *name)
{
    int column = embeddings_column(&lesson->embeddings, name);
    if (column < 0) {
        Error error;
        error_set(&error, "%s: there is no column %s, and chapter %02d needs it", lesson->embeddings.file, name,
                  lesson->state->chapter);
        lesson_fail(&error);
    }
    return column;
}

// Rejects --only with a step that does not exist.
static void check_only(const LessonState *state, int steps)
{
    if (state->only > steps) lesson_misused(state, "--only %d: it has %d steps", state->only, steps);
}

// Checks --only before the first step. A chapter whose flags add steps must parse them first.
void lesson_steps(const Lesson *lesson, int count)
{
    lesson->state->foretold = count;
    check_only(lesson->state, count);
}

static void finish_dump(Lesson *lesson)
{
    LessonState *state = lesson->state;
    Error error;
    if (state->dump && !trace_write(lesson->trace, state->dump, &error)) lesson_fail(&error);
    if (state->dump) printf("\nwritten: %s\n", state->dump);
}

int lesson_close(Lesson *lesson)
{
    LessonState *state = lesson->state;
    Error error;
    state->done = true;
    check_only(state, state->steps);
    REQUIRE(!state->foretold || state->steps == state->foretold, "chapter %02d: %d steps, but lesson_steps said %d",
            state->chapter, state->steps, state->foretold);
    lesson_ask_tally(lesson);
    finish_dump(lesson);
    if (state->drawn) printf("\n%d figures written to %s\n", state->drawn, state->figures);
    if (state->left_out) printf("\n%d figures left out, for want of stb (make deps installs it)\n", state->left_out);
    printf("\n%d claims, %s\n", state->claims,
           state->false_claims ? arena_format(lesson->arena, "%d of them FALSE", state->false_claims) : "all true");
    lesson_flush();
    if (state->view && !state->false_claims) {
        os_become(state->viewer, state->dump);
        error_set_system(&error, errno, "%s", state->viewer);
        lesson_fail(&error);
    }
    int status = state->false_claims ? 1 : 0;
    if (state->strokes) arena_close(state->strokes);
    arena_close(lesson->arena);
    return status;
}
