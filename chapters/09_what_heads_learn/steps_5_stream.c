// Chapter 09, step 5. The residual stream of five tokens, as model A fills it: what one head writes into it and another
// finds there.
#include "attention/softmax.h"
#include "steps.h"

enum { T = 5, LAST = T - 1, PLACES = 8 }; // tokens, and the boxes of each
enum { TOKEN, FROM_0, INTO_0, NOTE, FROM_1, INTO_1, ANSWER, BAND };
enum { COLUMN = 158, TOKEN_WIDE = 70, WIDE = 124 }; // points

static const int TOKENS[T] = { 22, 29, 9, 5, 22 };

static int box_of(int t, int place) { return t * PLACES + place; }

// On the stream of token t, around its middle: words, or, of width 0, a point for arrows.
static DiagramBox place_on(int t, double wide, double y, const char *title, const char *lines)
{
    double middle = t * COLUMN + WIDE / 2.0;
    return (DiagramBox){ .at = { middle - wide / 2, y, wide, 0 }, .title = title, .lines = lines, .bare = wide == 0 };
}

// Every column from the token at its top to its foot, and the answer to the last.
static void fill_columns(DiagramBox *boxes, Arena *arena, const Run *run)
{
    for (int t = 0; t < T; t++) {
        DiagramBox *at = boxes + box_of(t, 0);
        at[TOKEN] = place_on(t, TOKEN_WIDE, 0, arena_format(arena, "%d", TOKENS[t]), NULL);
        at[FROM_0] = place_on(t, 0, 78, NULL, NULL);
        at[INTO_0] = place_on(t, 0, 132, NULL, NULL);
        const char *note =
            t ? arena_format(arena, "%d, after %d", TOKENS[t], TOKENS[t - 1]) : arena_format(arena, "%d", TOKENS[t]);
        at[NOTE] = place_on(t, WIDE, 164, NULL, note);
        at[FROM_1] = place_on(t, 0, 242, NULL, NULL);
        at[INTO_1] = place_on(t, 0, 304, NULL, NULL);
        at[ANSWER] = place_on(t, 0, 336, NULL, NULL);
    }
    Mat p = mat_new(arena, T, run->logits.cols);
    softmax_rows(p, run_logits(run, 0));
    int answer = run_answer(run, 0, LAST);
    DiagramBox *last = boxes + box_of(LAST, 0);
    last[NOTE].lines =
        arena_format(arena, "%d, after %d\nasks for: after %d", TOKENS[LAST], TOKENS[LAST - 1], TOKENS[LAST]);
    last[ANSWER] = place_on(LAST, WIDE, 346, arena_format(arena, "→ %d", answer),
                            arena_format(arena, "p = %.3f", mat_value(p, LAST, answer)));
    last[ANSWER].marked = true;
}

// What a head brings from the stream of `from` into that of `to`.
static DiagramArrow brings(Arena *arena, int layer, int from, int to, double weight)
{
    return (DiagramArrow){ .from = box_of(from, layer ? FROM_1 : FROM_0),
                           .to = box_of(to, layer ? INTO_1 : INTO_0),
                           .label = arena_format(arena, "%.2f", weight),
                           .color = layer ? COLOR_MARK : COLOR_ACCENT,
                           .thick = 2 };
}

void figure_stream(Lesson *lesson, Transformer a, Pair pair)
{
    Arena *arena = lesson->arena;
    Run run = run_transformer(arena, a, run_batch_of_one(arena, TOKENS, T), (Mat){ 0 });
    Mat before = run_weights(arena, &run, 0, 0, pair.previous), after = run_weights(arena, &run, 0, 1, pair.induction);
    int found = mat_argmax(after, LAST), count = 0;
    DiagramBox boxes[T * PLACES] = { 0 };
    DiagramArrow arrows[4 * T];
    fill_columns(boxes, arena, &run);
    boxes[box_of(found, NOTE)].marked = true;
    const double wide = (T - 1) * COLUMN + WIDE + 24;
    boxes[box_of(0, BAND)] = (DiagramBox){ .at = { -12, 52, wide, 96 }, .group = true, .color = COLOR_ACCENT };
    boxes[box_of(1, BAND)] = (DiagramBox){ .at = { -12, 224, wide, 96 }, .group = true, .color = COLOR_MARK };
    for (int t = 2; t < T; t++) boxes[box_of(t, BAND)] = (DiagramBox){ .bare = true };
    for (int t = 0; t < T; t++) {
        arrows[count++] = (DiagramArrow){ .from = box_of(t, TOKEN), .to = box_of(t, NOTE), .thick = 3 };
        arrows[count++] =
            (DiagramArrow){ .from = box_of(t, NOTE), .to = box_of(t, ANSWER), .thick = 3, .headless = t < LAST };
        if (t) arrows[count++] = brings(arena, 0, t - 1, t, mat_value(before, t, t - 1));
    }
    arrows[count++] = brings(arena, 1, found, LAST, mat_value(after, LAST, found));
    say(lesson,
        "The tokens 22 29 9 5 22. Head 0.%d weighs the one before by %.2f, %.2f, %.2f and %.2f. At the second "
        "22, head 1.%d weighs the %d by %.2f.",
        pair.previous, mat_value(before, 1, 0), mat_value(before, 2, 1), mat_value(before, 3, 2),
        mat_value(before, 4, 3), pair.induction, TOKENS[found], mat_value(after, LAST, found));
    const CanvasText name = { .size = 12, .face = CANVAS_SANS_BOLD };
    CanvasText of_0 = name, of_1 = name;
    of_0.color = COLOR_ACCENT;
    of_1.color = COLOR_MARK;
    const DiagramLabel labels[] = {
        { WIDE / 2.0 + 8, 70, of_0, arena_format(arena, "head 0.%d", pair.previous) },
        { WIDE / 2.0 + 8, 242, of_1, arena_format(arena, "head 1.%d", pair.induction) },
    };
    figure_diagram(lesson, "stream.png", "five tokens in model A: what one head writes and another finds",
                   (Diagram){ .title = "A note in the residual stream",
                              .boxes = boxes,
                              .box_count = T * PLACES,
                              .arrows = arrows,
                              .arrow_count = count,
                              .labels = labels,
                              .label_count = 2 });
}
