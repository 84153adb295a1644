// What --dump writes: every matrix that the chapter kept, with the words it is about.
#include "io/json.h"
#include "lesson/state.h"


void keep(Lesson *lesson, const char *name, Mat m, int heads)
{
    LessonState *state = lesson->state;
    REQUIRE(state->kept_count < MOST_KEPT, "\"%s\" is one matrix too many; a dump holds %d", name, MOST_KEPT);
    REQUIRE(heads == 0 || m.rows % heads == 0, "\"%s\" is " SHAPE "; it cannot be split among %d heads", name, SHAPED(m), heads);
    Mat copy = mat_copy(lesson->arena, m);
    NpyArray array = { .axes = 2, .shape = { m.rows, m.cols }, .at = copy.at, .count = (size_t)m.rows * (size_t)m.cols };
    if (heads) array = (NpyArray){ 3, { heads, m.rows / heads, m.cols }, copy.at, array.count };
    state->kept[state->kept_count++] = (Tensor){ arena_format(lesson->arena, "%s", name), array };
}

void keep_words(Lesson *lesson, const Sentence *queries, const Sentence *keys)
{
    lesson->state->queries = *queries;
    lesson->state->keys = *keys;
}

// ["The","animal",…]
static const char *words_as_json(Arena *arena, const Sentence *sentence)
{
    char *list = "";
    for (int t = 0; t < sentence->T; t++)
        list = arena_format(arena, "%s%s%s", list, t ? "," : "", json_quote(arena, sentence->words[t]));
    return arena_format(arena, "[%s]", list);
}

bool keep_write(Lesson *lesson, const char *path, Error *error)
{
    LessonState *state = lesson->state;
    Note notes[] = {
        { "program", "manyheads" },
        { "chapter", arena_format(lesson->arena, "%02d %s", state->chapter, state->title) },
        { "command", state->command },
        { "tokens", words_as_json(lesson->arena, &state->queries) },
        { "key_tokens", words_as_json(lesson->arena, &state->keys) },
    };
    Tensors all = { state->kept, state->kept_count, notes, sizeof notes / sizeof *notes };
    return safetensors_write(path, &all, error);
}
