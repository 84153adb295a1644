// Chapter 06, step 3. Two heads on three tokens, small enough for a pencil.
#include "base/portable_math.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

enum { D = 4, H = 2, d = D / H, MOST = 8 };

static const float book_x[] = { 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0 };

// Rows of D numbers, a comma between two rows.
Mat x_by_hand(Lesson *lesson, const char *text)
{
    if (!text) return mat_of(lesson->arena, 3, D, book_x);
    Mat x = mat_new(lesson->arena, MOST, D);
    int rows = 0, cols = 0;
    for (const char *at = text;;) {
        at += strspn(at, " ");
        if (*at == ',' || !*at) {
            if (cols != D) lesson_misused(lesson->state, "--x: row %d holds %d numbers; a row has %d", rows, cols, D);
            rows++;
            cols = 0;
            if (!*at++) return mat_rows(x, 0, rows);
            if (rows == MOST) lesson_misused(lesson->state, "--x: more than %d rows", MOST);
            continue;
        }
        char *end;
        float value = strtof(at, &end);
        if (end == at || !isfinite(value))
            lesson_misused(lesson->state, "--x: \"%.20s\" does not begin with a finite number", at);
        if (cols == D) lesson_misused(lesson->state, "--x: row %d holds more than %d numbers", rows, D);
        *mat_ref(x, rows, cols++) = value;
        at = end;
    }
}

static void show_head(Lesson *lesson, int h, Mat x, MultiHead m, Mask mask, Mat weights, Mat out)
{
    Arena *arena = lesson->arena;
    HeadProjections p = head_project(arena, x, x, multi_head_weights(m, h));
    Mat scores = mat_new(arena, x.rows, x.rows);
    attention_scores(scores, p.q, p.k, (Mask){ 0 });
    attention_naive((Attended){ .out = out, .weights = weights }, p.q, p.k, p.v, mask);
    Table tables[] = {
        { .name = arena_format(arena, "head %d: q kᵀ / √2", h), .values = scores },
        { .name = arena_format(arena, "head %d: A, after the mask", h),
          .values = weights,
          .hidden = mat_hidden(arena, mask, x.rows, x.rows) },
        { .name = arena_format(arena, "head %d: A V", h), .values = out },
    };
    for (int t = 0; t < 3; t++) {
        tables[t].decimals = 3;
        show_table(lesson, tables[t]);
    }
}

static bool near(Mat m, int i, int j, double value) { return fabs(mat_value(m, i, j) - value) < 0.0005; }

static void the_books_numbers(Lesson *lesson, Mat weights, Mat out)
{
    check(lesson,
          near(weights, 1, 0, 1 / (1 + exp(sqrt(0.5)))) && near(weights, 1, 0, 0.330) && near(weights, 1, 1, 0.670),
          "head 0, row 1: 0.330 0.670");
    check(lesson, near(weights, 2, 0, 0.248) && near(weights, 2, 1, 0.248) && near(weights, 2, 2, 0.503),
          "head 0, row 2: 0.248 0.248 0.503");
    check(lesson, near(out, 2, 0, 0.752) && near(out, 2, 1, 0.752), "head 0 gives the third token 0.752 0.752");
}

static void the_other_numbers(Lesson *lesson)
{
    double row1 = log(0.586 / 0.414), row2 = log(0.558 / 0.221);
    say(lesson,
        "Somebody got 0.414 0.586 in row 1 and 0.221 0.221 0.558 in row 2. Logarithms undo exp: these weights "
        "need score differences of %.3f and %.3f.",
        row1, row2);
    check(lesson, fabs(row1 - row2) > 0.1,
          "the scores differ by %.3f in both rows, so no scale makes both of these rows right", sqrt(0.5));
}

// X is cut into columns, two heads attend, and their outputs stand side by side again.
static void figure_by_hand(Lesson *lesson, Mat x, Mat weights, Mat out)
{
    int T = x.rows;
    Mat hidden_as_nan = mat_copy(lesson->arena, weights);
    for (int i = 0; i < weights.rows; i++)
        for (int j = i % T + 1; j < T; j++) *mat_ref(hidden_as_nan, i, j) = NAN;
    const Color first = COLOR_SERIES[0], second = COLOR_SERIES[1];
    const DiagramBox boxes[] = {
        { .at = { 0, 110, 0, 0 }, .title = "X", .values = x, .decimals = 0 },
        { .at = { 130, 0, 120, 0 },
          .title = "head 0",
          .lines = "columns 0, 1\nq = k = v",
          .values = mat_cols(x, 0, d),
          .color = first },
        { .at = { 130, 190, 120, 0 },
          .title = "head 1",
          .lines = "columns 2, 3\nq = k = v",
          .values = mat_cols(x, d, d),
          .color = second },
        { .at = { 378, 16, 0, 0 },
          .title = "A, causal",
          .values = mat_rows(hidden_as_nan, 0, T),
          .decimals = 3,
          .shaded = true,
          .high = 1,
          .color = first },
        { .at = { 378, 206, 0, 0 },
          .title = "A, causal",
          .values = mat_rows(hidden_as_nan, T, T),
          .decimals = 3,
          .shaded = true,
          .high = 1,
          .color = second },
        { .at = { 618, 110, 0, 0 }, .title = "A v of both heads", .values = out, .decimals = 3 },
    };
    const DiagramArrow arrows[] = {
        { .from = 0, .to = 1, .color = first },
        { .from = 0, .to = 2, .color = second },
        { .from = 1, .to = 3, .label = "softmax(q kᵀ/√2)", .color = first },
        { .from = 2, .to = 4, .label = "softmax(q kᵀ/√2)", .color = second },
        { .from = 3, .to = 5, .label = "times v", .color = first, .label_y = -8 },
        { .from = 4, .to = 5, .label = "times v", .color = second, .label_y = 14 },
    };
    figure_diagram(lesson, "by_hand.png", "the example: X cut into columns, two heads, side by side again",
                   (Diagram){ .title = "Split, attend, concatenate",
                              .boxes = boxes,
                              .box_count = 6,
                              .arrows = arrows,
                              .arrow_count = 6 });
}

static bool is_the_books(Mat x, Mask mask)
{
    return mask.causal && mask.window == 0 && x.rows == 3 && !memcmp(x.at, book_x, sizeof book_x);
}

void by_hand(Lesson *lesson, Mat x, Mask mask)
{
    step(lesson, "An example by hand");
    Arena *arena = lesson->arena;
    int T = x.rows;
    MultiHead m = identity_heads(lesson, D, H);
    Mat out = mat_new(arena, T, D), weights = mat_new(arena, H * T, T);
    show_table(lesson, (Table){ .name = "X", .values = x, .decimals = 1, .given = true });
    for (int h = 0; h < H; h++) show_head(lesson, h, x, m, mask, mat_rows(weights, h * T, T), mat_cols(out, h * d, d));
    if (is_the_books(x, mask)) the_books_numbers(lesson, weights, out);

    Mat all = mat_new(arena, T, D), maps = mat_new(arena, H * T, T);
    multi_head_fused(all, maps, x, m, mask);
    check(lesson, mat_equal(all, out) && mat_equal(maps, weights), "multi_head_fused gives the same, to the bit");
    trace_mat(lesson->trace, "by_hand.x", x);
    if (!is_the_books(x, mask)) return;
    the_other_numbers(lesson);
    figure_by_hand(lesson, x, weights, out);
}
