// Chapter 13, step 2. The picture: l after every key as a strip, which a new maximum makes shorter.
#include "steps.h"

enum { LONGEST = 520, THICK = 22, APART = 27, LEFT = 70, MOST_KEYS = 24 };

typedef struct {
    DiagramBox boxes[MOST_KEYS * (MOST_KEYS + 1) / 2];
    DiagramLabel labels[MOST_KEYS * (MOST_KEYS + 7) / 2];
    int box_count, label_count;
} Strips;

static void add_label(Strips *s, double x, double y, CanvasText style, const char *text)
{
    s->labels[s->label_count++] = (DiagramLabel){ x, y, style, text };
}

// The pieces of the first `count` keys. In the row of a new maximum all have changed, and say what they are now.
static void add_strip(Strips *s, Arena *arena, const Followed *f, int count, SoFar before, SoFar now, double unit)
{
    const CanvasText word = { .size = 12, .color = COLOR_INK, .anchor = CANVAS_AT_END },
                     sum = { .size = 12, .color = COLOR_INK };
    const CanvasText number = { .size = 11, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE };
    double x = LEFT, y = (count - 1) * APART, base = y + THICK / 2.0 + 4;
    bool grown = now.max > before.max && count > 1, all_written = grown;
    for (int j = 0; j < count; j++)
        all_written &=
            unit * exp((double)*mat_ref(f->scores, j, 0) - (double)now.max) > canvas_text_width(number, "0.000");
    add_label(s, LEFT - 10, base, word, canvas_text_fit(arena, word, f->keys[count - 1], LEFT));
    for (int j = 0; j < count; j++) {
        double weight = exp((double)*mat_ref(f->scores, j, 0) - (double)now.max), wide = unit * weight;
        bool own = j == count - 1;
        if (wide < 1.0) continue;
        s->boxes[s->box_count++] = (DiagramBox){ .at = { x, y, wide, THICK }, .color = COLOR_SERIES[own ? 1 : 0] };
        const char *written = arena_format(arena, "%.3f", weight);
        bool fits = canvas_text_width(number, written) < wide;
        if (fits && (own || all_written)) add_label(s, x + wide / 2, base, number, written);
        x += wide;
    }
    const char *all = arena_format(arena, "l = %.3f", (double)now.sum);
    if (grown) all = arena_format(arena, "%s: what was there × %.3f", all, exp((double)before.max - (double)now.max));
    add_label(s, x + 10, base, sum, all);
}

void figure_strips(Lesson *lesson, const Followed *f)
{
    static Strips s;
    int S = f->scores.rows;
    double longest = 0.0;
    SoFar row = NO_KEYS;
    if (S > MOST_KEYS) return;
    for (int j = 0; j < S; j++) {
        row = one_key_more(row, *mat_ref(f->scores, j, 0), 0.0f);
        longest = fmax(longest, (double)row.sum);
    }
    if (!(longest > 0.0)) return; // NaN: a first score of −∞

    s.box_count = s.label_count = 0;
    row = NO_KEYS;
    for (int j = 0; j < S; j++) {
        SoFar before = row;
        row = one_key_more(row, *mat_ref(f->scores, j, 0), 0.0f);
        add_strip(&s, lesson->arena, f, j + 1, before, row, LONGEST / longest);
    }
    const char *what = arena_format(lesson->arena, "the sum l after every key, as a strip; the row of %s", f->name);
    figure_diagram(lesson, "strips.png", what,
                   (Diagram){ .title = arena_format(lesson->arena, "The row of %s: the sum l after each key", f->name),
                              .boxes = s.boxes,
                              .box_count = s.box_count,
                              .labels = s.labels,
                              .label_count = s.label_count });
}
