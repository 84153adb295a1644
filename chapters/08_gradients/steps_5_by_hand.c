// Chapter 08, step 5. The example of chapter 06, carried backward: numbers that a pencil can follow.
#include "base/portable_math.h"
#include "steps.h"

enum { T = 3, d = 2, LAST = T - 1 };

// Head 0 of chapter 06's example, and everything that its backward pass gives. q = k = v = x.
typedef struct {
    Mat x, scores, weights, out, wish, dout, dw, ds;
    HeadProjections to;
    double loss, mean;
} ByHand;

static ByHand run_it(Arena *arena)
{
    ByHand b = { .x = mat_of(arena, T, d, (float[]){ 1, 0, 0, 1, 1, 1 }) };
    b.wish = mat_of(arena, 1, d, (float[]){ 1, 0 });
    b.scores = mat_new(arena, T, T);
    b.weights = mat_new(arena, T, T);
    b.out = mat_new(arena, T, d);
    attention_scores(b.scores, b.x, b.x, EVERYTHING);
    attention_naive((Attended){ .out = b.out, .weights = b.weights }, b.x, b.x, b.x, CAUSAL);

    Wish wish = { LAST, LAST, b.wish };
    b.loss = loss_of(b.out, wish);
    b.dout = loss_backward(arena, b.out, wish);
    HeadProjections p = { b.x, b.x, b.x };
    b.to = gradients_of(arena, p);
    b.dw = mat_new(arena, T, T);
    b.ds = mat_new(arena, T, T);
    backward_mix_values(b.dw, b.to.v, b.dout, b.weights, b.x, CAUSAL);
    for (int i = 0; i < T; i++) backward_softmax(mat_row(b.ds, i), mat_row(b.dw, i), mat_row(b.weights, i), T);
    backward_attention_scores(b.to.q, b.to.k, b.ds, b.x, b.x, CAUSAL);
    for (int j = 0; j < T; j++) b.mean += mat_value(b.weights, LAST, j) * mat_value(b.dw, LAST, j);
    return b;
}

static const char *const tokens[] = { "token 0", "token 1", "token 2" };

static void show_it(Lesson *lesson, const ByHand *b)
{
    static const char *const columns[] = { "first", "second" };
    Rows out = rows_of(lesson, "token 2", columns, d);
    out.table.decimals = 3;
    out.table.units = ROWS_APART;
    out.table.signed_rows = 1 << 2; // d output
    rows_add_from(&out, b->out, LAST, "output");
    rows_add_from(&out, b->wish, 0, "wish");
    rows_add_from(&out, b->dout, LAST, "d output");
    show_rows(lesson, &out);
    say(lesson, "loss = ½ |output - wish|² = %.3f", b->loss);
    Rows rows = rows_of(lesson, "its row", tokens, T);
    rows.table.decimals = 3;
    rows.table.units = ROWS_APART;
    rows.table.signed_rows = 1 << 1 | 1 << 2; // dw and ds
    rows_add_from(&rows, b->weights, LAST, "w");
    rows_add_from(&rows, b->dw, LAST, "dw = d output · v");
    rows_add_from(&rows, b->ds, LAST, "ds = w (dw - mean)");
    show_rows(lesson, &rows);
    say(lesson, "the mean of dw, each counted by its weight: %.3f", b->mean);
}

// What each token's numbers collect, in the three parts that they play.
static Mat shares(Lesson *lesson, const ByHand *b)
{
    static const char *const columns[] = { "dq 0", "dq 1", "dk 0", "dk 1", "dv 0", "dv 1", "dx 0", "dx 1" };
    Mat dx = mat_new(lesson->arena, T, d), all = mat_new(lesson->arena, T, 4 * d);
    const Mat parts[] = { b->to.q, b->to.k, b->to.v };
    for (int m = 0; m < 3; m++) {
        mat_set(mat_cols(all, m * d, d), parts[m]);
        for (int i = 0; i < T; i++)
            for (int c = 0; c < d; c++) *mat_ref(dx, i, c) += *mat_ref(parts[m], i, c);
    }
    mat_set(mat_cols(all, 3 * d, d), dx);
    show_table(lesson, (Table){ .name = "token by token",
                                .values = all,
                                .decimals = 3,
                                .cols = columns,
                                .rows = tokens,
                                .colors = COLOR_DIVERGING });
    return dx;
}

static void check_it(Lesson *lesson, const ByHand *b, Mat dx)
{
    Forward64 f = { .arena = lesson->arena, .H = 1, .wish = { LAST, LAST, b->wish } };
    f.q = wide(lesson->arena, b->x);
    f.k = wide(lesson->arena, b->x);
    f.v = wide(lesson->arena, b->x);
    const struct {
        const char *name;
        Mat gradient;
        Wide of;
    } all[] = { { "dq", b->to.q, f.q }, { "dk", b->to.k, f.k }, { "dv", b->to.v, f.v } };
    for (int g = 0; g < 3; g++)
        check_gradient(lesson, all[g].name, all[g].gradient, differences(lesson->arena, all[g].of, &f));
    double sum = mat_sum(mat_rows(b->ds, LAST, 1));
    check(lesson, fabs(sum) <= 1e-6, "ds sums to 0");
    const int t = LAST;
    check(lesson,
          fabs(mat_value(dx, t, 0) -
               (mat_value(b->to.q, t, 0) + mat_value(b->to.k, t, 0) + mat_value(b->to.v, t, 0))) <= 1e-6,
          "token 2 is query, key and value: %.3f + %.3f + %.3f = %.3f", mat_value(b->to.q, t, 0),
          mat_value(b->to.k, t, 0), mat_value(b->to.v, t, 0), mat_value(dx, t, 0));
}

// Two small matrices side by side: what went forward, and what came back.
static Mat beside(Arena *arena, Mat forward, Mat back)
{
    Mat both = mat_new(arena, forward.rows, 2 * forward.cols);
    mat_set(mat_cols(both, 0, forward.cols), forward);
    mat_set(mat_cols(both, forward.cols, forward.cols), back);
    return both;
}

static Mat above(Arena *arena, Mat forward, Mat back)
{
    Mat both = mat_new(arena, 2, forward.cols);
    mat_set(mat_rows(both, 0, 1), forward);
    mat_set(mat_rows(both, 1, 1), back);
    return both;
}

// The graph: boxes hold a number and, beside or below it, its derivative; arrows go forward, and say the way back.
static void figure_of_the_graph(Lesson *lesson, const ByHand *b, Mat dx)
{
    Arena *arena = lesson->arena;
    static const char *const q_rows[] = { "q", "dq" }, *const s_rows[] = { "s", "ds" }, *const w_rows[] = { "w", "dw" },
                             *const o_rows[] = { "out", "dout" };
    static const char *const x_cols[] = { "x", "", "dx", "" }, *const k_cols[] = { "k", "", "dk", "" },
                             *const v_cols[] = { "v", "", "dv", "" };
    Mat row = mat_rows(b->x, LAST, 1);
    const DiagramBox boxes[] = {
        { .at = { 0, 150, 0, 0 }, .title = "words", .values = beside(arena, b->x, dx), .cols = x_cols, .decimals = 3 },
        { .at = { 280, 0, 225, 0 },
          .title = "query of token 2",
          .values = above(arena, row, mat_rows(b->to.q, LAST, 1)),
          .rows = q_rows,
          .decimals = 3 },
        { .at = { 280, 150, 0, 0 },
          .title = "keys",
          .values = beside(arena, b->x, b->to.k),
          .cols = k_cols,
          .decimals = 3 },
        { .at = { 280, 322, 0, 0 },
          .title = "values",
          .values = beside(arena, b->x, b->to.v),
          .cols = v_cols,
          .decimals = 3 },
        { .at = { 620, 70, 205, 0 },
          .title = "scores",
          .values = above(arena, mat_rows(b->scores, LAST, 1), mat_rows(b->ds, LAST, 1)),
          .rows = s_rows,
          .decimals = 3,
          .color = COLOR_SERIES[0] },
        { .at = { 620, 205, 205, 0 },
          .title = "weights",
          .values = above(arena, mat_rows(b->weights, LAST, 1), mat_rows(b->dw, LAST, 1)),
          .rows = w_rows,
          .decimals = 3,
          .color = COLOR_SERIES[0] },
        { .at = { 620, 340, 205, 0 },
          .title = "output",
          .values = above(arena, mat_rows(b->out, LAST, 1), mat_rows(b->dout, LAST, 1)),
          .rows = o_rows,
          .decimals = 3,
          .color = COLOR_SERIES[0] },
        { .at = { 620, 475, 205, 0 },
          .title = "loss",
          .marked = true,
          .lines = arena_format(arena, "½ |out − (1, 0)|² = %.3f", b->loss) },
    };
    const DiagramArrow arrows[] = {
        { .from = 0, .to = 1, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = 0, .to = 2 },
        { .from = 0, .to = 3, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = 1, .to = 4, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = 2, .to = 4, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = 4, .to = 5 },
        { .from = 5, .to = 6 },
        { .from = 3, .to = 6 },
        { .from = 6, .to = 7 },
    };
    const CanvasText back = { .color = COLOR_MARK };
    const DiagramLabel labels[] = {
        { 30, 132, back, "dx = dq + dk + dv" },  { 524, 34, back, "dq = Σ ds k/√2" },
        { 524, 226, back, "dk = ds q/√2" },      { 734, 176, back, "ds = w (dw − mean)" },
        { 734, 311, back, "dw = dout · v" },     { 524, 404, back, "dv = w dout" },
        { 734, 446, back, "dout = out − wish" },
    };
    figure_diagram(lesson, "graph.png", "the example as a graph: numbers go forward, derivatives come back",
                   (Diagram){ .title = "Forward along the arrows; in red, how derivatives come back",
                              .boxes = boxes,
                              .box_count = 8,
                              .arrows = arrows,
                              .arrow_count = 9,
                              .labels = labels,
                              .label_count = 7 });
}

void by_hand(Lesson *lesson)
{
    step(lesson, "Chapter 06's example, backwards");
    ByHand b = run_it(lesson->arena);
    say(lesson, "Head 0, causal, q = k = v = X. Token 2 should receive what token 0 hands over.");
    show_it(lesson, &b);
    Mat dx = shares(lesson, &b);
    check_it(lesson, &b, dx);
    figure_of_the_graph(lesson, &b, dx);
}
