// Chapter 09, after the steps. What --json writes: all scores of all heads of model B.
#include "io/file.h"
#include "io/json.h"
#include "steps.h"

#include <string.h>

static const char *relations_json(Arena *arena, const HeadMean *means)
{
    const char *list = "";
    for (int k = 0; k < GLOSS_RELATION_KINDS; k++)
        list = arena_format(arena, "%s%s\"%s\": %s", list, k ? ", " : "", gloss_relation_name((GlossRelationKind)k),
                            json_number(arena, head_mean_value(means[k])));
    return arena_format(arena, "{ %s }", list);
}

static const char *head_json(Arena *arena, const Translator *b, int l, int h)
{
    const HeadScores *s = &b->scores[l][h];
    const char *stats = "";
    for (int e = 0; e < HEAD_STATS; e++)
        stats = arena_format(arena, "%s%s\"%s\": %s", stats, e ? ", " : "", head_stat_name((HeadStat)e),
                             json_number(arena, head_mean_value(s->stats[e])));
    return arena_format(arena,
                        "{ \"layer\": %d, \"head\": %d, \"role\": %s,\n      \"argmax\": %s,\n"
                        "      \"mass\": %s,\n      \"stats\": { %s } }",
                        l, h, json_quote(arena, head_role_text(arena, head_role_of(s, &b->offsets))),
                        relations_json(arena, s->argmax), relations_json(arena, s->mass), stats);
}

// "argmax": of each relation the best score, and whose it is; beside it what the best fixed offset reaches.
static const char *best_json(Arena *arena, const Translator *b)
{
    const char *list = "";
    for (int k = 0; k < GLOSS_RELATION_KINDS; k++) {
        Best best = best_of(b, (GlossRelationKind)k);
        HeadBaseline fixed = head_offsets_best(&b->offsets, (GlossRelationKind)k);
        list =
            arena_format(arena,
                         "%s%s\n    \"%s\": { \"score\": %s, \"layer\": %d, \"head\": %d, "
                         "\"fixed_offset\": %d, \"fixed_score\": %s }",
                         list, k ? "," : "", gloss_relation_name((GlossRelationKind)k), json_number(arena, best.argmax),
                         best.layer, best.head, fixed.offset, json_number(arena, fixed.share));
    }
    return list;
}

void write_json(Lesson *lesson, const Translator *b, const char *model, const char *path)
{
    Arena *arena = lesson->arena;
    const char *heads = "";
    for (int l = 0; l < b->model.config.L; l++)
        for (int h = 0; h < b->model.config.H; h++)
            heads = arena_format(arena, "%s%s\n    %s", heads, l + h ? "," : "", head_json(arena, b, l, h));
    const char *twins =
        arena_format(arena,
                     "{ \"pairs\": %d, \"layer\": %d, \"head\": %d, \"switch\": %s, "
                     "\"order\": %s, \"both_glosses\": %s }",
                     TWINS, b->it.layer, b->it.head, json_number(arena, head_mean_value(b->twins.switched)),
                     json_number(arena, head_mean_value(b->twins.pairwise)), json_number(arena, b->output));
    const char *text = arena_format(arena,
                                    "{ \"program\": \"manyheads\", \"chapter\": 9, \"model\": %s,\n"
                                    "  \"sentences\": %d, \"accuracy\": %s,\n  \"argmax\": {%s },\n"
                                    "  \"pairs_never_trained\": %s,\n  \"heads\": [%s ] }\n",
                                    json_quote(arena, model ? model : "glosses-4"), SENTENCES,
                                    json_number(arena, b->accuracy), best_json(arena, b), twins, heads);
    Error error;
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    say(lesson, "written: %s", path);
}
