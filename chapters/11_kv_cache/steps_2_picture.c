// Chapter 11, step 2. The cache in the moment in which a word joins, as a picture.
#include "attention/kv_cache.h"
#include "attention/self_attention.h"
#include "base/portable_math.h"
#include "lesson/hand_made.h"
#include "steps.h"

enum { NEW_KEY, QUERY, NEW_VALUE, KEYS, WEIGHTS, VALUES, OUT, BOXES };
enum { FREE = 3 }; // rows that no word has filled yet

// All the room there is, as numbers: rows that are not filled have none.
static Mat with_room(Arena *arena, Mat filled)
{
    Mat all = mat_new(arena, filled.rows + FREE, filled.cols);
    mat_fill(all, NAN);
    mat_set(mat_rows(all, 0, filled.rows), filled);
    return all;
}

// Puts a box over or under another, middle over middle, so that the arrow between them is upright.
static void centre(Arena *arena, DiagramBox *box, const DiagramBox *on)
{
    CanvasRect wide = diagram_box(arena, on);
    box->at.x = wide.x + (wide.width - diagram_box(arena, box).width) / 2;
}

static void draw(Lesson *lesson, const HeadProjections *p, KvSegment filled, Attended got, const char *const *words)
{
    Arena *arena = lesson->arena;
    int T = filled.k.rows;
    const char *word = words[T - 1], **rows = arena_alloc(arena, (size_t)(T + FREE) * sizeof *rows);
    for (int j = 0; j < T + FREE; j++) rows[j] = j < T ? words[j] : "free";
    Mat weights = mat_new(arena, T, 1);
    for (int j = 0; j < T; j++) *mat_ref(weights, j, 0) = *mat_ref(got.weights, 0, j);
    const double down = 112, below = down + 20.0 * (T + FREE) + 72;
    DiagramBox boxes[BOXES] = {
        [NEW_KEY] = { .title = arena_format(arena, "key of %s", word),
                      .decimals = 1,
                      .values = mat_rows(p->k, T - 1, 1),
                      .color = COLOR_SERIES[0] },
        [QUERY] = { .title = arena_format(arena, "query of %s", word),
                    .decimals = 1,
                    .values = mat_rows(p->q, T - 1, 1),
                    .color = COLOR_MARK },
        [NEW_VALUE] = { .title = arena_format(arena, "value of %s", word),
                        .decimals = 1,
                        .values = mat_rows(p->v, T - 1, 1),
                        .color = COLOR_SERIES[1] },
        [KEYS] = { .at = { 0, down, 0, 0 },
                   .title = "keys",
                   .values = with_room(arena, filled.k),
                   .decimals = 1,
                   .rows = rows,
                   .color = COLOR_SERIES[0],
                   .mark_row = T,
                   .mark_col = 1,
                   .mark_cols = filled.k.cols },
        [WEIGHTS] = { .at = { 390, down, 0, 0 },
                      .title = "weights",
                      .values = with_room(arena, weights),
                      .decimals = 2,
                      .shaded = true,
                      .low = 0.0,
                      .high = 1.0 },
        [VALUES] = { .at = { 580, down, 0, 0 },
                     .title = "values",
                     .values = with_room(arena, filled.v),
                     .decimals = 1,
                     .color = COLOR_SERIES[1],
                     .mark_row = T,
                     .mark_col = 1,
                     .mark_cols = filled.v.cols },
        [OUT] = { .at = { 0, below, 0, 0 },
                  .title = arena_format(arena, "output of %s", word),
                  .decimals = 1,
                  .values = got.out,
                  .marked = true },
    };
    centre(arena, &boxes[NEW_KEY], &boxes[KEYS]);
    centre(arena, &boxes[QUERY], &boxes[WEIGHTS]);
    centre(arena, &boxes[NEW_VALUE], &boxes[VALUES]);
    centre(arena, &boxes[OUT], &boxes[VALUES]);
    const DiagramArrow arrows[] = {
        { .from = NEW_KEY, .to = KEYS, .label = "joins", .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP },
        { .from = NEW_VALUE, .to = VALUES, .label = "joins", .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP },
        { .from = QUERY, .to = WEIGHTS, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP },
        { .from = KEYS, .to = WEIGHTS, .label = "softmax(q · k / √d)" },
        { .from = WEIGHTS, .to = OUT, .label = "Σ w v", .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_LEFT, .bend = 1 },
        { .from = VALUES, .to = OUT, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP },
    };
    figure_diagram(lesson, "cache.png", arena_format(arena, "the cache of one head when \"%s\" joins", word),
                   (Diagram){ .title = arena_format(arena, "\"%s\" joins in row %d, and looks at %d row%s", word, T - 1,
                                                    T, T == 1 ? "" : "s"),
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows });
}

// "It" has just come, or the last of the reader's words. The head is the one made by hand in chapter 04.
void a_word_joins(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    int T = newest_word(lesson) + 1;
    Mat x = mat_rows(lesson->sentence.x, 0, T);
    HeadProjections p = head_project(arena, x, x, hand_made(lesson).w);
    KvCache cache = kv_cache_new(arena, T + FREE, p.k.cols, p.v.cols);
    kv_cache_append(&cache, mat_rows(p.k, 0, T - 1), mat_rows(p.v, 0, T - 1));
    Attended got = { .out = mat_new(arena, 1, p.v.cols), .weights = mat_new(arena, 1, T) };
    kv_cache_attend(got, &cache, mat_rows(p.q, T - 1, 1), mat_rows(p.k, T - 1, 1), mat_rows(p.v, T - 1, 1), 1,
                    (Mask[]){ { .causal = true } }, attention_naive);
    draw(lesson, &p, kv_cache_filled(cache), got, lesson->sentence.words);
}
