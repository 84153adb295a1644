// Chapter 10, within step 1. What --off asks for: one sentence, glossed with all heads and without some.
#include "steps.h"

#include <stdlib.h>
#include <string.h>

// "1.0,1.2": a layer and a head each. Gates of the heads that stay.
Mat off_read(Lesson *lesson, const char *text, const Config *c)
{
    Mat gates = mat_new(lesson->arena, c->L, c->H);
    mat_fill(gates, 1.0f);
    const char *at = text;
    bool more = true; // at first, and after a comma
    while (more) {
        char *dot, *end;
        long layer = strtol(at, &dot, 10), head = *dot == '.' ? strtol(dot + 1, &end, 10) : -1;
        if (dot == at || *dot != '.' || end == dot + 1 || layer < 0 || layer >= c->L || head < 0 || head >= c->H ||
            (*end && *end != ','))
            lesson_misused(lesson->state,
                           "--off: found \"%.20s\"; a head is a layer and a number, 0.0 to %d.%d, and "
                           "a comma stands between two",
                           at, c->L - 1, c->H - 1);
        *mat_ref(gates, (int)layer, (int)head) = 0.0f;
        more = *end == ',';
        at = more ? end + 1 : end;
    }
    return gates;
}

void gloss_without(Lesson *lesson, Transformer model, GlossedSentence *s, Mat gates, const Mat *instead)
{
    Arena *arena = lesson->arena;
    RunBatch one = run_batch_of_one(arena, s->words, s->T);
    Run all = run_transformer(arena, model, one, (Mat){ 0 });
    Run some = run_instead_transformer(arena, model, one, gates, instead);
    const char *lines = arena_format(arena, "%-11s%-16s%s\n", "word", "all heads", "without");
    for (int t = 1; t < s->T; t++) {
        const char *with = gloss_text(arena, run_answer(&all, 0, t));
        const char *without = gloss_text(arena, run_answer(&some, 0, t));
        lines = arena_format(arena, "%s%-11s%-16s%s\n", lines, word_text(s->words[t]), with,
                             strcmp(with, without) ? without : "·");
    }
    say_lines(lesson, lines);
}
