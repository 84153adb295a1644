// Chapter 10, after the steps. What --json writes: what every head is worth, and the order in which they went.
#include "io/file.h"
#include "io/json.h"
#include "steps.h"

#include <string.h>

static const char *head_json(Arena *arena, const Studied *s, int n)
{
    const char *list = "";
    for (int k = 0; k < KINDS; k++)
        list = arena_format(arena, "%s\"%s\": %s, ", list, KIND_NAME[k], json_number(arena, lost(s, n, k)));
    return arena_format(arena,
                        "{ \"layer\": %d, \"head\": %d, \"role\": %s, \"gate_gradient\": %s, "
                        "\"loss_rises\": %s,\n      \"accuracy_lost\": { %s\"all\": %s } }",
                        n / s->model.config.H, n % s->model.config.H, json_quote(arena, s->head[n].role),
                        json_number(arena, s->head[n].importance),
                        json_number(arena, s->without[n].loss - s->full.loss), list,
                        json_number(arena, s->head[n].cost));
}

static const char *model_json(Arena *arena, const Studied *s)
{
    const char *heads = "";
    for (int n = 0; n < s->heads; n++)
        heads = arena_format(arena, "%s%s\n    %s", heads, n ? "," : "", head_json(arena, s, n));
    return arena_format(arena, "{ \"name\": %s, \"accuracy\": %s, \"loss\": %s, \"heads\": [%s ] }",
                        json_quote(arena, s->name), json_number(arena, s->full.all), json_number(arena, s->full.loss),
                        heads);
}

// "pruned": after 0, 1, 2 … heads, which one went and what is left of the accuracy.
void write_json(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, const Pruned *pruned,
                const char *path)
{
    Arena *arena = lesson->arena;
    const char *gone = "";
    for (int n = 0; n <= eight->heads; n++)
        gone = arena_format(arena, "%s%s{ \"went\": %s, \"accuracy\": %s }", gone, n ? ",\n    " : "",
                            n ? json_quote(arena, eight->head[pruned->order[n - 1]].name) : "null",
                            json_number(arena, pruned->accuracy[n]));
    const char *text = arena_format(arena,
                                    "{ \"program\": \"manyheads\", \"chapter\": 10,\n"
                                    "  \"sentences\": %d, \"words\": %d,\n  \"model\": %s,\n"
                                    "  \"pruned_model\": %s,\n  \"pruned\": [\n    %s ] }\n",
                                    test->count, test->words, model_json(arena, four), model_json(arena, eight), gone);
    Error error;
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    say(lesson, "written: %s", path);
}
