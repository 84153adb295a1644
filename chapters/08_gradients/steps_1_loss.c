// Chapter 08, step 1. One number is nudged and the loss is watched; the backward pass says the same of all at once.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

static void show_quotients(Lesson *lesson, const Head *h, int column, double derivative)
{
    static const char *const cols[] = { "one-sided", "central", "backward" };
    const char *name = arena_format(lesson->arena, "how fast the loss rises with %s of %s",
                                    lesson->embeddings.column[column], lesson->sentence.words[h->wish.other]);
    Rows rows = rows_of(lesson, name, cols, 3);
    rows.table.decimals = 5;
    rows.table.colors = COLOR_DIVERGING;
    Forward64 f = head_in_64(lesson->arena, h, true);
    double *x = &f.x.at[h->wish.other * f.x.cols + column], at = *x, before = loss64(&f), small = 1.0;
    for (int r = 0; r < 4; r++) {
        *x = at + small;
        double one_sided = (loss64(&f) - before) / small;
        *x = at;
        rows_add(&rows, ROW(one_sided, central(x, small, &f), derivative), "h = %g", small);
        small /= 10.0;
    }
    show_rows(lesson, &rows);
}

// What a row of dX gets back through one of the three products: d (X W) Wᵀ, its column c.
static double share(Mat d, Mat w, int t, int c) { return (double)dot_product(mat_row(d, t), mat_row(w, c), 1, w.cols); }

static void largest_derivative(Lesson *lesson, const Head *h, Mat dx, Mat dout)
{
    int t = 0, c = 0;
    for (int i = 0; i < dx.rows; i++)
        for (int j = 0; j < dx.cols; j++)
            if (fabsf(*mat_ref(dx, i, j)) > fabsf(*mat_ref(dx, t, c))) {
                t = i;
                c = j;
            }
    HeadProjections to = gradients_of(lesson->arena, h->kept.p);
    backward_attention(to, dout, h->kept.p, h->kept.weights, EVERYTHING);
    double query = share(to.q, h->head.w.wq, t, c), key = share(to.k, h->head.w.wk, t, c);
    double value = share(to.v, h->head.w.wv, t, c), all = mat_value(dx, t, c);
    check(lesson, fabs(query + key + value - all) <= 1e-5 * fmax(1.0, fabs(all)),
          "the largest: %s of %s, %.3f: through its query %.3f, its key %.3f, its value %.3f",
          lesson->embeddings.column[c], lesson->sentence.words[t], all, query, key, value);
}

Mat one_number(Lesson *lesson, const Head *h)
{
    step(lesson, "Nudge one number, watch one number");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->wish.word], *other = s->words[h->wish.other];
    Mat x = s->x, dx = mat_new(arena, x.rows, x.cols);
    const char *title = arena_format(arena, "%s: its output, and what %s hands over", word, other);
    Rows rows = rows_of(lesson, title, h->head.handed, HAND_MADE_WIDTH);
    rows.table.units = ROWS_APART;
    rows.table.signed_rows = 1 << 2; // d output
    rows_add_from(&rows, h->out, h->wish.word, "receives");
    rows_add_from(&rows, h->wish.wanted, 0, "wish");
    Mat dout = loss_backward(arena, h->out, h->wish);
    rows_add_from(&rows, dout, h->wish.word, "d output");
    show_rows(lesson, &rows);
    say(lesson, "loss = ½ |output - wish|² = %.4f", loss_of(h->out, h->wish));

    HeadWeights dw = gradients_of_weights(arena, h->head.w);
    backward_self_attention(dx, dw, dout, h->kept, h->head.w, EVERYTHING);
    int alive = column_index(lesson, "alive");
    show_quotients(lesson, h, alive, mat_value(dx, h->wish.other, alive));
    Forward64 f = head_in_64(arena, h, true);
    check_gradient(lesson, "all of X", dx, differences(arena, f.x, &f));
    say(lesson, "Differences need two forward passes a number: %d here. The backward pass gave all %d at once.",
        2 * x.rows * x.cols, x.rows * x.cols);
    largest_derivative(lesson, h, dx, dout);
    title = arena_format(arena, "∂ loss / ∂ x, for a wish about “%s”", word);
    figure_map(lesson, "dx.png", arena_format(arena, "every number of every word, and the wish for \"%s\"", word),
               (Heatmap){ .title = title,
                          .values = dx,
                          .row_labels = s->words,
                          .col_labels = lesson->embeddings.column,
                          .row_title = "word",
                          .col_title = "its numbers",
                          .colors = COLOR_DIVERGING,
                          .decimals = 2,
                          .bar_title = "∂ loss / ∂ x" });
    trace_mat(lesson->trace, "dx", dx);
    return dx;
}
