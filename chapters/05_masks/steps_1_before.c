// Chapter 05, step 1. A mask comes before the softmax: the same scores with −∞ added, and struck out afterwards.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "steps.h"

enum { MOST = 4 }; // words in the picture

// "1.00 1.00 0.81": what each row sums to.
static const char *sums(Arena *arena, const char *before, Mat weights)
{
    const char *text = before;
    for (int i = 0; i < weights.rows; i++)
        text = arena_format(arena, "%s %.2f", text, mat_sum(mat_rows(weights, i, 1)));
    return text;
}

static Mat above_as(Arena *arena, Mat m, float value)
{
    Mat changed = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int j = i + 1; j < m.cols; j++) *mat_ref(changed, i, j) = value;
    return changed;
}

void before_the_softmax(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int T = s->T < MOST ? s->T : MOST;
    Mat scores = mat_new(arena, T, T), early = mat_new(arena, T, T), late = mat_new(arena, T, T);
    attention_scores(scores, mat_rows(h->p.q, 0, T), mat_rows(h->p.k, 0, T), EVERYTHING);
    Mat masked = above_as(arena, scores, -INFINITY);
    softmax_rows(early, masked);
    softmax_rows(late, scores);
    late = above_as(arena, late, 0.0f);
    int last = T > 1 ? T - 2 : 0; // a row that hides something, where there is one
    check(lesson, mat_max_difference(early, mat_block(h->causal.weights, 0, T, 0, T)) < 1e-6,
          "%d words, the row of %s: with -∞ before the softmax it sums to %.2f, with 0 after it to %.2f", T,
          s->words[last], mat_sum(mat_rows(early, last, 1)), mat_sum(mat_rows(late, last, 1)));

    const Color good = COLOR_SERIES[0], bad = COLOR_SERIES[1];
    const char *const *words = s->words;
    const DiagramBox first = { .title = "scores", .values = scores, .decimals = 2, .rows = words, .cols = words };
    const CanvasRect size = diagram_box(arena, &first);
    const double right = size.width + 100, below = size.height + 75;
    const DiagramBox boxes[] = {
        first,
        { .at = { right, 0, 0, 0 },
          .title = "scores + mask",
          .values = masked,
          .decimals = 2,
          .rows = words,
          .cols = words,
          .color = good },
        { .at = { right, below, 0, 0 },
          .title = "weights",
          .lines = sums(arena, "sums of rows:", early),
          .rows = words,
          .cols = words,
          .values = above_as(arena, early, NAN),
          .decimals = 2,
          .shaded = true,
          .high = 1,
          .color = good },
        { .at = { 0, below, 0, 0 },
          .title = "struck out too late",
          .lines = sums(arena, "sums of rows:", late),
          .rows = words,
          .cols = words,
          .values = late,
          .decimals = 2,
          .shaded = true,
          .high = 1,
          .color = bad },
    };
    const DiagramArrow arrows[] = {
        { .from = 0, .to = 1, .label = "−∞ added", .color = good },
        { .from = 1, .to = 2, .label = "softmax", .color = good },
        { .from = 0, .to = 3, .label = "softmax, then 0", .color = bad },
    };
    figure_diagram(lesson, "before.png", "the first words: a mask before the softmax, and one after it",
                   (Diagram){ .title = "A mask comes before the softmax",
                              .boxes = boxes,
                              .box_count = 4,
                              .arrows = arrows,
                              .arrow_count = 3 });
}
