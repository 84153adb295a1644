// Chapter 09, step 8. Every head of model B against every relation, beside the best that a fixed distance does.
#include "base/portable_math.h"
#include "steps.h"

static const GlossRelationKind SHOWN[] = { GLOSS_RELATION_DET,  GLOSS_RELATION_ATTR, GLOSS_RELATION_VERB,
                                           GLOSS_RELATION_AUX,  GLOSS_RELATION_IT,   GLOSS_RELATION_PRON,
                                           GLOSS_RELATION_PADJ, GLOSS_RELATION_DUP,  GLOSS_RELATION_PREVIOUS,
                                           GLOSS_RELATION_NEXT };
enum { SHOWN_COUNT = sizeof SHOWN / sizeof *SHOWN };

// Every job of a head, the best first; without any, the name of what it does.
static const char *jobs_of(Arena *arena, const Translator *b, int l, int h)
{
    GlossRelationKind jobs[GLOSS_RELATION_KINDS];
    int count = head_role_relations(jobs, &b->scores[l][h], &b->offsets);
    const char *list = "";
    for (int n = 0; n < count; n++)
        list = arena_format(arena, "%s%s%s", list, n ? ", " : "", gloss_relation_name(jobs[n]));
    return count ? list : head_role_text(arena, head_role_of(&b->scores[l][h], &b->offsets));
}

// A picture for each layer, two maps beside each other: so a page shows their words well.
static void role_maps(Lesson *lesson, const Translator *b, const Reading *r, int l)
{
    Arena *arena = lesson->arena;
    int H = b->model.config.H;
    Heatmap *maps = arena_alloc(arena, (size_t)H * sizeof *maps);
    Sentence words = { r->s.T, r->words, (Mat){ 0 } };
    for (int h = 0; h < H; h++) {
        const char *title = arena_format(arena, "%d.%d: %s", l, h, jobs_of(arena, b, l, h));
        maps[h] = map_of_weights(title, run_weights(arena, &r->run, 0, l, h), &words, &words);
        maps[h].hidden = mat_hidden(arena, config_mask(&b->model.config, l, h), r->s.T, r->s.T);
        maps[h].decimals = -1;
        maps[h].mark_row = r->s.it + 1; // 0 without `it`: nothing is framed
        maps[h].mark_col = maps[h].mark_rows = 1;
        maps[h].mark_cols = r->s.T;
    }
    figure_maps(lesson, arena_format(arena, "roles_%d.png", l),
                arena_format(arena, "the %d heads of layer %d on a sentence, with their roles", H, l),
                arena_format(arena, "What the heads of layer %d look at", l), maps, H, 2);
}

static void table_of_scores(Lesson *lesson, const Translator *b)
{
    const char *cols[SHOWN_COUNT];
    double share[SHOWN_COUNT];
    for (int c = 0; c < SHOWN_COUNT; c++) cols[c] = arena_format(lesson->arena, "%.4s", gloss_relation_name(SHOWN[c]));
    Rows rows = rows_of(lesson, "layer.head: share of relations that its largest weight gets right", cols, SHOWN_COUNT);
    for (int l = 0; l < b->model.config.L; l++)
        for (int h = 0; h < b->model.config.H; h++) {
            for (int c = 0; c < SHOWN_COUNT; c++) share[c] = argmax_of(b, l, h, SHOWN[c]);
            rows_add(&rows, share, "%d.%d", l, h);
        }
    for (int c = 0; c < SHOWN_COUNT; c++) share[c] = head_offsets_best(&b->offsets, SHOWN[c]).share;
    rows_add(&rows, share, "fixed");
    rows.table.high = 1.0;
    show_rows(lesson, &rows);
}

const char *relations_counted(Arena *arena, const HeadOffsets *offsets, const GlossRelationKind *kinds, int count)
{
    const char *list = "";
    for (int c = 0; c < count; c++)
        list = arena_format(arena, "%s%s%s %d", list, c ? ", " : "", gloss_relation_name(kinds[c]),
                            (int)offsets->count[kinds[c]]);
    return list;
}

// Shares are of so many relations; how far chance alone may move them.
static void how_many(Lesson *lesson, const Translator *b)
{
    const char *list = relations_counted(lesson->arena, &b->offsets, SHOWN, SHOWN_COUNT);
    double share = argmax_of(b, 1, 1, GLOSS_RELATION_AUX), n = (double)b->offsets.count[GLOSS_RELATION_AUX];
    say(lesson,
        "Relations in %d sentences: %s. A share p of n has a standard error of √(p(1 − p)/n): for head 1.1 and "
        "aux, %.2f ± %.2f.",
        SENTENCES, list, share, sqrt(share * (1.0 - share) / n));
}

void every_head(Lesson *lesson, const Translator *b, const Reading *r)
{
    step(lesson, "Every head against every relation");
    table_of_scores(lesson, b);
    Arena *arena = lesson->arena;
    how_many(lesson, b);
    const char *roles = "";
    for (int l = 0; l < b->model.config.L; l++)
        for (int h = 0; h < b->model.config.H; h++)
            roles = arena_format(arena, "%s%s%d.%d %s", roles, l + h ? "; " : "", l, h, jobs_of(arena, b, l, h));
    say(lesson, "Jobs, the best by (share − fixed)/(1 − fixed) first, of equal ones that with the lower fixed: %s.",
        roles);
    if (b->shipped) {
        check(lesson,
              best_of(b, GLOSS_RELATION_DET).argmax >= 0.9 && best_of(b, GLOSS_RELATION_VERB).argmax >= 0.9 &&
                  best_of(b, GLOSS_RELATION_IT).argmax >= 0.9,
              "for det, verb and it there is a head that is right in 0.9 or more");
        check(lesson, best_of(b, GLOSS_RELATION_PRON).argmax >= 0.85,
              "for pron there is one that is right in 0.85 or more");
        check(lesson, best_of(b, GLOSS_RELATION_DUP).argmax < 0.9, "for dup there is none with 0.9");
    }
    for (int l = 0; l < b->model.config.L; l++) role_maps(lesson, b, r, l);
}
