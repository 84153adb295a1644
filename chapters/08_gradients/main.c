// Chapter 08. Gradients: what a wish about the output says about every number before it.
// Run build/chapters/08_gradients with README.md of this folder open beside it.
#include "attention/backward.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "lesson/dump.h"
#include "lesson/hand_made.h"
#include "lesson/matrices.h"

#include <math.h>

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

// A wish: one word's output should be this row. The loss is half its squared distance from the wish.
typedef struct {
    int word;                                                  // whose output is looked at
    int other;                                                 // it should receive what this word hands over
    Mat wanted;                                                // (1, width of the output): a copy, which stays as it is
} Wish;

// The head made by hand, run on the sentence.
typedef struct {
    HandMade head;
    HeadKept kept;
    Mat      out;                                              // (T, 6)
    Wish     wish;
} Head;

// ---- what the steps share

// The word that a flag names; without it, `usual` where there is one, else place `last_resort`.
static int place_of(Lesson *lesson, const char *flag, const char *word, const char *usual, int last_resort)
{
    int place = sentence_place(&lesson->sentence, word ? word : usual);
    if (place < 0 && word) lesson_misused(lesson->state, "--%s: the sentence has no \"%.60s\"", flag, word);
    return place < 0 ? last_resort : place;
}

static bool all_zero(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (*mat_ref(m, i, j) != 0.0f) return false;
    return true;
}

static double loss_of(Mat out, Wish wish)
{
    double loss = 0.0;
    for (int c = 0; c < out.cols; c++) {
        double off = mat_value(out, wish.word, c) - mat_value(wish.wanted, 0, c);
        loss += 0.5 * off * off;
    }
    return loss;
}

// The derivative of ½ (out − wanted)² is out − wanted. All other rows are not looked at: 0.
static Mat loss_backward(Arena *arena, Mat out, Wish wish)
{
    Mat dout = mat_new(arena, out.rows, out.cols);
    for (int c = 0; c < out.cols; c++)
        *mat_ref(dout, wish.word, c) = *mat_ref(out, wish.word, c) - *mat_ref(wish.wanted, 0, c);
    return dout;
}

static Projected gradients_of(Arena *arena, Projected p)
{
    return (Projected){ mat_new(arena, p.q.rows, p.q.cols), mat_new(arena, p.k.rows, p.k.cols),
                        mat_new(arena, p.v.rows, p.v.cols) };
}

static HeadWeights gradients_of_weights(Arena *arena, HeadWeights w)
{
    return (HeadWeights){ mat_new(arena, w.wq.rows, w.wq.cols), mat_new(arena, w.wk.rows, w.wk.cols),
                          mat_new(arena, w.wv.rows, w.wv.cols) };
}

static Head run_head(Lesson *lesson, int word, int other)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    Head h = { .head = hand_made(lesson), .out = mat_new(arena, x.rows, HAND_MADE_WIDTH) };
    h.kept = cross_attention_keep(arena, h.out, x, x, h.head.w, EVERYTHING);
    h.wish = (Wish){ word, other, mat_copy(arena, mat_rows(h.kept.p.v, other, 1)) };
    return h;
}

// ---- the same loss in float64, for finite differences

typedef struct { double *at; int rows, cols; } Wide;           // a matrix in float64, row after row

// x, wq, wk, wv, wo of a layer of H heads; or q, k, v as they are, when x is left out.
typedef struct {
    Arena *arena;
    Wide   x, wq, wk, wv, wo, q, k, v;                         // wo may be left out
    int    H;
    Wish   wish;
} Forward64;

static Wide wide(Arena *arena, Mat m)
{
    Wide w = { arena_alloc(arena, (size_t)m.rows * (size_t)m.cols * sizeof(double)), m.rows, m.cols };
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) w.at[i * m.cols + j] = mat_value(m, i, j);
    return w;
}

static Wide product64(Arena *arena, Wide a, Wide b)
{
    Wide c = { arena_alloc(arena, (size_t)a.rows * (size_t)b.cols * sizeof(double)), a.rows, b.cols };
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < a.cols; l++)
            for (int j = 0; j < b.cols; j++) c.at[i * b.cols + j] += a.at[i * a.cols + l] * b.at[l * b.cols + j];
    return c;
}

// Row `word` of what one head gives: columns first … of q and k, first_v … of v.
static void attend64(double *out, const Forward64 *f, int first, int d, int first_v, int dv)
{
    int S = f->k.rows;
    double *weights = arena_alloc(f->arena, (size_t)S * sizeof *weights), max = -INFINITY, sum = 0.0;
    const double *q = f->q.at + f->wish.word * f->q.cols + first;
    for (int j = 0; j < S; j++) {
        for (int c = 0; c < d; c++) weights[j] += q[c] * f->k.at[j * f->k.cols + first + c];
        weights[j] /= sqrt(d);
        max = fmax(max, weights[j]);
    }
    for (int j = 0; j < S; j++) {
        weights[j] = exp(weights[j] - max);
        sum += weights[j];
    }
    for (int j = 0; j < S; j++)
        for (int c = 0; c < dv; c++) out[c] += weights[j] / sum * f->v.at[j * f->v.cols + first_v + c];
}

static double loss64(const Forward64 *given)
{
    Forward64 f = *given;
    ArenaMark mark = arena_mark(f.arena);
    if (f.x.at) {
        f.q = product64(f.arena, f.x, f.wq);
        f.k = product64(f.arena, f.x, f.wk);
        f.v = product64(f.arena, f.x, f.wv);
    }
    int d = f.q.cols / f.H, dv = f.v.cols / f.H;
    Wide out = { arena_alloc(f.arena, (size_t)f.v.cols * sizeof(double)), 1, f.v.cols };
    for (int h = 0; h < f.H; h++) attend64(out.at + h * dv, &f, h * d, d, h * dv, dv);
    if (f.wo.at) out = product64(f.arena, out, f.wo);
    double loss = 0.0;
    for (int c = 0; c < out.cols; c++) {
        double off = out.at[c] - mat_value(f.wish.wanted, 0, c);
        loss += 0.5 * off * off;
    }
    arena_release(f.arena, mark);
    return loss;
}

// (loss(x + h) − loss(x − h)) / 2h, for one number x of what `f` holds.
static double central(double *x, double h, const Forward64 *f)
{
    double at = *x;
    *x = at + h;
    double up = loss64(f);
    *x = at - h;
    double down = loss64(f);
    *x = at;
    return (up - down) / (2.0 * h);
}

static Mat differences(Arena *arena, Wide m, const Forward64 *f)
{
    Mat slopes = mat_new(arena, m.rows, m.cols);
    for (int e = 0; e < m.rows * m.cols; e++) slopes.at[e] = (float)central(&m.at[e], 1e-5, f);
    return slopes;
}

static Forward64 head_in_64(Arena *arena, const Head *h, bool with_projections)
{
    Forward64 f = { .arena = arena, .H = 1, .wish = h->wish };
    if (with_projections) {
        f.x = wide(arena, h->kept.x);
        f.wq = wide(arena, h->head.w.wq);
        f.wk = wide(arena, h->head.w.wk);
        f.wv = wide(arena, h->head.w.wv);
    } else {
        f.q = wide(arena, h->kept.p.q);
        f.k = wide(arena, h->kept.p.k);
        f.v = wide(arena, h->kept.p.v);
    }
    return f;
}

// Claims that a gradient is what finite differences say. The error is measured against the gradient's largest entry
// (below 0.01: against 0.01). At most 1e-4 is right; what is printed is a bound, as last digits differ among machines.
static void check_gradient(Lesson *lesson, const char *name, Mat gradient, Mat slopes)
{
    double largest = mat_magnitude(slopes), error = mat_max_difference(gradient, slopes) / fmax(largest, 0.01);
    bool well_below = 3.0 * error < 1e-5;
    check(lesson, error <= 1e-4, "%s: %d × %d derivatives, the largest %.3f; none is off by more than %s of that",
          name, gradient.rows, gradient.cols, largest, well_below ? "1e-5" : "1e-4");
}

// ---- 1

static void show_quotients(Lesson *lesson, const Head *h, int column, double derivative)
{
    static const char *const cols[] = { "one-sided", "central", "backward" };
    const char *name = arena_format(lesson->arena, "how fast the loss rises with %s of %s",
                                    lesson->embeddings.column[column], lesson->sentence.words[h->wish.other]);
    Rows rows = rows_of(lesson, name, cols, 3);
    rows.table.decimals = 5;
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

// "alive of it, -0.408"
static const char *largest_derivative(Lesson *lesson, Mat dx)
{
    int t = 0, c = 0;
    for (int i = 0; i < dx.rows; i++)
        for (int j = 0; j < dx.cols; j++)
            if (fabsf(*mat_ref(dx, i, j)) > fabsf(*mat_ref(dx, t, c))) {
                t = i;
                c = j;
            }
    return arena_format(lesson->arena, "%s of %s, %.3f", lesson->embeddings.column[c], lesson->sentence.words[t],
                        mat_value(dx, t, c));
}

static Mat one_number(Lesson *lesson, const Head *h)
{
    step(lesson, "Nudge one number, watch one number");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->wish.word], *other = s->words[h->wish.other];
    Mat x = s->x, dx = mat_new(arena, x.rows, x.cols);
    const char *title = arena_format(arena, "%s: its output, and what %s hands over", word, other);
    Rows rows = rows_of(lesson, title, h->head.handed, HAND_MADE_WIDTH);
    rows_add_from(&rows, h->out, h->wish.word, "receives");
    rows_add_from(&rows, h->wish.wanted, 0, "wish");
    show_rows(lesson, &rows);
    say(lesson, "loss = ½ |output - wish|² = %.4f", loss_of(h->out, h->wish));

    HeadWeights dw = gradients_of_weights(arena, h->head.w);
    self_attention_backward(dx, dw, loss_backward(arena, h->out, h->wish), h->kept, h->head.w, EVERYTHING);
    int alive = column_index(lesson, "alive");
    show_quotients(lesson, h, alive, mat_value(dx, h->wish.other, alive));
    Forward64 f = head_in_64(arena, h, true);
    check_gradient(lesson, "all of X", dx, differences(arena, f.x, &f));
    say(lesson, "Differences need two forward passes a number: %d here. The backward pass gave all %d at once.",
        2 * x.rows * x.cols, x.rows * x.cols);
    say(lesson, "The largest: %s.", largest_derivative(lesson, dx));
    title = arena_format(arena, "∂ loss / ∂ x, for a wish about “%s”", word);
    figure_map(lesson, "dx.png", arena_format(arena, "every number of every word, and the wish for \"%s\"", word),
               (HeatMap){ .title = title, .values = dx, .row_labels = s->words, .col_labels = lesson->embeddings.column,
                          .row_title = "word", .col_title = "its numbers", .colors = DIVERGING, .decimals = 2,
                          .bar_title = "∂ loss / ∂ x" });
    trace_mat(lesson->trace, "dx", dx);
    return dx;
}

// ---- 2

static void a_product(Lesson *lesson)
{
    step(lesson, "A matrix product backwards");
    Arena *arena = lesson->arena;
    Mat a = mat_of(arena, 2, 3, (float[]){ 1, 2, 0, 0, 1, 3 }), b = mat_of(arena, 3, 2, (float[]){ 1, 0, 2, 1, 0, 1 });
    Mat out = mat_new(arena, 2, 2), dout = mat_of(arena, 2, 2, (float[]){ 1, 0, 2, -1 });
    Mat da = mat_new(arena, 2, 3), db = mat_new(arena, 3, 2), by_formula = mat_new(arena, 2, 3);
    matmul(out, a, b);
    matmul_backward(da, db, dout, a, b);
    const struct { const char *name; Mat m; } shown[] = {
        { "A", a }, { "B", b }, { "A B", out }, { "d(A B), given", dout }, { "dA", da }, { "dB", db },
    };
    for (int i = 0; i < 6; i++)
        show_table(lesson, (Table){ .name = shown[i].name, .values = shown[i].m, .decimals = -1 });
    matmul_transposed(by_formula, dout, b);
    check(lesson, mat_equal(da, by_formula), "dA = d(A B) Bᵀ");

    // The loss Σ dout · (A B) is linear in each of A's numbers: any h gives its slope exactly.
    Mat slopes = mat_new(arena, 2, 3), nudged = mat_copy(arena, a), other = mat_new(arena, 2, 2);
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < 3; l++) {
            *mat_ref(nudged, i, l) += 1.0f;
            matmul(other, nudged, b);
            for (int e = 0; e < 4; e++) *mat_ref(slopes, i, l) += dout.at[e] * (other.at[e] - out.at[e]);
            *mat_ref(nudged, i, l) -= 1.0f;
        }
    check(lesson, mat_equal(da, slopes), "one more in an element of A moves the loss by the element of dA");

    Mat three = mat_of(arena, 1, 1, (float[]){ 3 }), one = mat_of(arena, 1, 1, (float[]){ 1 });
    Mat d = mat_new(arena, 1, 1);
    matmul_backward(d, (Mat){ 0 }, one, three, three);
    float once = *mat_ref(d, 0, 0);
    matmul_backward((Mat){ 0 }, d, one, three, three);
    check(lesson, *mat_ref(d, 0, 0) == 6.0f, "a·a at a = 3: one use of a gives %g, both together give 2a = %g",
          (double)once, mat_value(d, 0, 0));
}

// ---- 3

static void softmax_backwards(Lesson *lesson, const Head *h)
{
    enum { n = 3 };
    step(lesson, "Softmax backwards");
    Arena *arena = lesson->arena;
    Mat scores = mat_of(arena, 1, n, (float[]){ 2, 1, 0.1f }), weights = mat_new(arena, 1, n);
    Mat dw = mat_of(arena, 1, n, (float[]){ 1, -2, 0 }), ds = mat_new(arena, 1, n);
    Mat jacobian = mat_new(arena, n, n), product = mat_new(arena, 1, n);
    softmax(weights.at, scores.at, n);
    softmax_backward(ds.at, dw.at, weights.at, n);
    Rows rows = rows_of(lesson, "one row", NULL, n);
    rows.table.decimals = 3;
    rows_add_from(&rows, scores, 0, "score s");
    rows_add_from(&rows, weights, 0, "weight w");
    rows_add_from(&rows, dw, 0, "dw, given");
    rows_add_from(&rows, ds, 0, "ds");
    show_rows(lesson, &rows);
    say(lesson, "the mean of dw, in the shares of the weights: %.3f", (double)dot(weights.at, dw.at, 1, n));
    softmax_jacobian(jacobian, weights.at, n);
    matmul(product, dw, jacobian);                             // J is symmetric: dw J is J dw
    check(lesson, mat_max_difference(product, ds) < 1e-6, "it equals the Jacobian of chapter 02 times dw");
    check(lesson, fabs(mat_sum(ds)) < 1e-6, "ds sums to 0: raising all scores together moves nothing");
    float flat[n] = { 0 }, certain[n] = { 1, 0, 0 };
    softmax_backward(flat, dw.at, certain, n);
    check(lesson, flat[0] == 0.0f && flat[1] == 0.0f && flat[2] == 0.0f,
          "weights of 1, 0, 0 give 0, 0, 0: a saturated row");

    // The cost, on a row of the sentence.
    int T = h->kept.weights.cols;
    Mat row = mat_rows(h->kept.weights, h->wish.word, 1), into = mat_new(arena, 1, T), table = mat_new(arena, T, T);
    Cost before = counted;
    softmax_backward(into.at, row.at, row.at, T);
    cost(lesson, arena_format(arena, "multiplications for a row of %d", T), cost_since(before).multiplies, "2·n",
         2 * T);
    softmax_jacobian(table, row.at, T);
    before = counted;
    matmul(into, row, table);
    cost(lesson, "with the Jacobian, once it is built", cost_since(before).multiplies, "n²", (int64_t)T * T);
}

// ---- 4

// How the loss of a wish changes with the word's scores: the row of ds for this wish.
static Mat push_on_scores(Arena *arena, const Head *h, Wish wish, Mat dweights)
{
    Mat dscores = mat_new(arena, dweights.rows, dweights.cols), dv = mat_new(arena, h->kept.p.v.rows, h->kept.p.v.cols);
    mix_values_backward(dweights, dv, loss_backward(arena, h->out, wish), h->kept.weights, h->kept.p.v, EVERYTHING);
    for (int i = 0; i < dscores.rows; i++)
        softmax_backward(mat_row(dscores, i), mat_row(dweights, i), mat_row(h->kept.weights, i), dscores.cols);
    return dscores;
}

// wⱼ dout · (vⱼ − out): a score is wanted if its value lies from the output in the direction of the wish.
static Mat by_geometry(Arena *arena, const Head *h)
{
    Mat v = h->kept.p.v, row = mat_new(arena, 1, v.rows);
    for (int j = 0; j < v.rows; j++)
        for (int c = 0; c < v.cols; c++) {
            float out = *mat_ref(h->out, h->wish.word, c), dout = out - *mat_ref(h->wish.wanted, 0, c);
            *mat_ref(row, 0, j) += *mat_ref(h->kept.weights, h->wish.word, j) * dout * (*mat_ref(v, j, c) - out);
        }
    return row;
}

static void show_row(Lesson *lesson, const Head *h, Mat dweights, Mat dscores)
{
    const Sentence *s = &lesson->sentence;
    int i = h->wish.word;
    const char *title = arena_format(lesson->arena, "the row of %s: weights and gradients", s->words[i]);
    Rows rows = rows_of(lesson, title, s->words, s->T);
    rows_add_from(&rows, h->kept.weights, i, "w");
    rows_add_from(&rows, dweights, i, "dw");
    rows_add_from(&rows, dscores, i, "ds");
    show_rows(lesson, &rows);
    double size = fmax(1.0, mat_magnitude(dweights));
    check(lesson, fabs(mat_sum(mat_rows(dscores, i, 1))) <= 1e-5 * size, "ds sums to 0");
    check(lesson, mat_max_difference(mat_rows(dscores, i, 1), by_geometry(lesson->arena, h)) <= 1e-5 * size,
          "ds = w · dout · (v - out), key by key");
}

// What the text says of the figure. Words that hand over nothing make the same wish, to the bit.
static void check_wishes(Lesson *lesson, const Head *h, Mat push)
{
    enum { IT = 7, ANIMAL = 1, TIRED = 10 };
    int empty = 0, first = 0;
    bool same = true;
    for (int r = 0; r < push.rows; r++) {
        if (!all_zero(mat_rows(h->kept.p.v, r, 1))) continue;
        if (!empty++) first = r;
        same = same && mat_equal(mat_rows(push, r, 1), mat_rows(push, first, 1));
    }
    if (empty > 1) check(lesson, same, "%d of the words hand over nothing: their wishes are one", empty);
    if (!lesson->own_words && h->wish.word == IT)
        check(lesson, *mat_ref(push, TIRED, ANIMAL) > *mat_ref(push, TIRED, TIRED),
              "the wish for tired pushes animal up by %.3f, tired by %.3f", mat_value(push, TIRED, ANIMAL),
              mat_value(push, TIRED, TIRED));
}

// All wishes of this kind: row r is the push on the word's scores when it should receive what word r hands over.
static void all_wishes(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    Mat push = mat_new(arena, s->T, s->T);
    double off = 0.0;
    bool raised = true;
    for (int r = 0; r < s->T; r++) {
        Wish wish = { h->wish.word, r, mat_rows(h->kept.p.v, r, 1) };
        Mat dw = mat_new(arena, s->T, s->T), ds = push_on_scores(arena, h, wish, dw);
        for (int j = 0; j < s->T; j++) *mat_ref(push, r, j) = 0.0f - *mat_ref(ds, wish.word, j);
        double expected = mat_value(h->kept.weights, wish.word, r) * 2.0 * loss_of(h->out, wish);
        off = fmax(off, fabs(mat_value(push, r, r) - expected));
        raised = raised && *mat_ref(push, r, r) >= -1e-6f;
    }
    check(lesson, raised && off <= 1e-5 * fmax(1.0, mat_magnitude(push)),
          "whichever word is wished for, its own score is pushed up, by w · |output - wish|²");
    check_wishes(lesson, h, push);
    const char *word = s->words[h->wish.word];
    HeatMap map = { .values = push, .row_labels = s->words, .col_labels = s->words, .colors = DIVERGING, .decimals = 2,
                    .bar_title = "−∂ loss / ∂ score" };
    map.title = arena_format(arena, "How a wish pushes the scores of “%s”", word);
    map.row_title = arena_format(arena, "wish: “%s” receives what this word hands over", word);
    map.col_title = arena_format(arena, "score of “%s” with this key", word);
    figure_map(lesson, "wishes.png",
               arena_format(arena, "%d wishes for \"%s\", and how each pushes its scores", s->T, word), map);
}

// In Wk and in Wv the row `alive` is a single 1, in a column `alive`: a word's life stands in its key and in its value.
static void two_paths(Lesson *lesson, const Head *h, Projected to, Mat dx)
{
    enum { KEY_ALIVE = 3, VALUE_ALIVE = 0 };
    int other = h->wish.other;
    double key = mat_value(to.k, other, KEY_ALIVE), value = mat_value(to.v, other, VALUE_ALIVE);
    double both = mat_value(dx, other, column_index(lesson, "alive"));
    check(lesson, fabs(key + value - both) <= 1e-6 * fmax(1.0, mat_magnitude(dx)), "alive of %s counts twice, in its key "
          "and in its value: %.4f + %.4f = %.4f, as in step 1", lesson->sentence.words[other], key, value, both);
}

static void one_head(Lesson *lesson, const Head *h, Mat dx)
{
    step(lesson, "One head backwards");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int word = h->wish.word, other = h->wish.other;
    Mat dout = loss_backward(arena, h->out, h->wish), dweights = mat_new(arena, s->T, s->T);
    Mat dscores = push_on_scores(arena, h, h->wish, dweights);
    show_row(lesson, h, dweights, dscores);

    Projected to = gradients_of(arena, h->kept.p), parts = gradients_of(arena, h->kept.p);
    attention_backward(to, dout, h->kept.p, h->kept.weights, EVERYTHING);
    attention_scores_backward(parts.q, parts.k, dscores, h->kept.p.q, h->kept.p.k, EVERYTHING);
    check(lesson, mat_equal(to.q, parts.q) && mat_equal(to.k, parts.k),
          "attention_backward is its three passes, to the bit");

    Forward64 f = head_in_64(arena, h, false);
    Mat slopes[] = { differences(arena, f.q, &f), differences(arena, f.k, &f), differences(arena, f.v, &f) };
    Mat gradients[] = { to.q, to.k, to.v };
    const int shown[] = { word, other, other };
    const char *letters[] = { "q", "k", "v" };
    Rows rows = rows_of(lesson, "two ways to the same derivatives", NULL, HAND_MADE_WIDTH);
    rows.table.decimals = 4;
    rows.table.colors = DIVERGING;
    for (int g = 0; g < 3; g++) {
        rows_add_from(&rows, slopes[g], shown[g], "%s of %s, differences", letters[g], s->words[shown[g]]);
        rows_add_from(&rows, gradients[g], shown[g], "%s of %s, backward", letters[g], s->words[shown[g]]);
    }
    show_rows(lesson, &rows);
    for (int g = 0; g < 3; g++) check_gradient(lesson, arena_format(arena, "d%s", letters[g]), gradients[g], slopes[g]);
    if (word != other) two_paths(lesson, h, to, dx);
    all_wishes(lesson, h);
    trace_mat(lesson->trace, "dscores", dscores);
}

// ---- 5

// How far output i moves when word j moves: the root of the sum of all (∂ outᵢ / ∂ xⱼ)².
static Mat influence(Lesson *lesson, const Head *h, Mask mask)
{
    Mat x = lesson->sentence.x, map = mat_new(lesson->arena, x.rows, x.rows);
    Arena *scratch = arena_open();
    Mat out = mat_new(scratch, x.rows, h->out.cols), dout = mat_new(scratch, x.rows, h->out.cols);
    Mat dx = mat_new(scratch, x.rows, x.cols);
    HeadWeights dw = gradients_of_weights(scratch, h->head.w);
    HeadKept kept = cross_attention_keep(scratch, out, x, x, h->head.w, mask);
    for (int i = 0; i < x.rows; i++) {
        for (int c = 0; c < out.cols; c++) {
            mat_fill(dx, 0.0f);
            *mat_ref(dout, i, c) = 1.0f;
            self_attention_backward(dx, dw, dout, kept, h->head.w, mask);
            *mat_ref(dout, i, c) = 0.0f;
            for (int j = 0; j < x.rows; j++) *mat_ref(map, i, j) += dot(mat_row(dx, j), mat_row(dx, j), 1, x.cols);
        }
        for (int j = 0; j < x.rows; j++) *mat_ref(map, i, j) = sqrtf(*mat_ref(map, i, j));
    }
    arena_close(scratch);
    return map;
}

static Mat exact_zeros(Arena *arena, Mat m)
{
    Mat zeros = mat_new(arena, m.rows, m.cols);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(zeros, i, j) = *mat_ref(m, i, j) == 0.0f;
    return zeros;
}

// The word's loss under a mask, from q, k and v back to their gradients.
static Projected masked_gradients(Arena *arena, const Head *h, Projected p, Mask mask)
{
    Mat out = mat_new(arena, p.q.rows, p.v.cols), weights = mat_new(arena, p.q.rows, p.k.rows);
    Projected to = gradients_of(arena, p);
    attention_naive((Attended){ .out = out, .weights = weights }, p.q, p.k, p.v, mask);
    attention_backward(to, loss_backward(arena, out, h->wish), p, weights, mask);
    return to;
}

// The words from `first` on as filler at the end: does it matter to any gradient what their keys and values are?
static bool filler_is_felt(Arena *arena, const Head *h, int first)
{
    Projected p = h->kept.p, spoilt = { p.q, mat_copy(arena, p.k), mat_copy(arena, p.v) };
    int filler = p.k.rows - first;
    mat_fill(mat_rows(spoilt.k, first, filler), NAN);
    mat_fill(mat_rows(spoilt.v, first, filler), NAN);
    Projected clean = masked_gradients(arena, h, p, (Mask){ .padding = filler });
    Projected other = masked_gradients(arena, h, spoilt, (Mask){ .padding = filler });
    return !mat_equal(clean.q, other.q) || !mat_equal(clean.k, other.k) || !mat_equal(clean.v, other.v);
}

static void hidden_keys(Lesson *lesson, const Head *h, Mat dx_open)
{
    step(lesson, "A hidden key gets no gradient");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int first = h->wish.word + 1, later = s->T - first;
    Mat dx = mat_new(arena, s->T, s->x.cols);
    Projected to = masked_gradients(arena, h, h->kept.p, CAUSAL);
    project_backward(dx, dx, gradients_of_weights(arena, h->head.w), to, s->x, s->x, h->head.w);
    say(lesson, "The causal mask, and the wish for word %d, %s. %d words come after it.", h->wish.word,
        s->words[h->wish.word], later);
    check(lesson, all_zero(mat_rows(to.k, first, later)) && all_zero(mat_rows(to.v, first, later)) &&
          all_zero(mat_rows(dx, first, later)), "dk, dv and dx of the later words are exactly 0");
    if (!lesson->own_words) {
        int felt = 0;
        for (int j = first; j < s->T; j++) felt += !all_zero(mat_rows(dx_open, j, 1));
        check(lesson, felt == later, "without the mask, in step 1, dx was not 0 for any of the %d", felt);
    }
    check(lesson, !filler_is_felt(arena, h, first),
          "the later words as filler, their keys and values NaN: dq, dk and dv stay, to the bit");

    Mat open = influence(lesson, h, EVERYTHING), causal = influence(lesson, h, CAUSAL);
    bool lower = true;
    for (int i = 0; i < s->T; i++)
        for (int j = i + 1; j < s->T; j++) lower = lower && *mat_ref(causal, i, j) == 0.0f;
    check(lesson, lower, "∂ output i / ∂ word j is exactly 0 for all %d pairs with j > i", s->T * (s->T - 1) / 2);
    check(lesson, mat_equal(mat_rows(open, s->T - 1, 1), mat_rows(causal, s->T - 1, 1)),
          "the last word sees all: its row is the one without a mask");
    if (!lesson->own_words)
        check(lesson, *mat_ref(open, 10, 1) > *mat_ref(open, 10, 10),
              "tired moves with animal by %.2f, with itself by %.2f", mat_value(open, 10, 1), mat_value(open, 10, 10));
    HeatMap map = { .row_labels = s->words, .col_labels = s->words, .row_title = "output i",
                    .col_title = "word j that moves", .colors = VIRIDIS, .decimals = 1, .bar_title = "|∂ out / ∂ x|",
                    .high = fmax(mat_magnitude(open), mat_magnitude(causal)) };
    HeatMap maps[] = { map, map };
    maps[0].title = "no mask";
    maps[0].values = open;
    maps[0].hidden = exact_zeros(arena, open);
    maps[1].title = "causal";
    maps[1].values = causal;
    maps[1].hidden = exact_zeros(arena, causal);
    figure_maps(lesson, "influence.png", "how far each output moves with each word; hatched: exactly 0", NULL, maps, 2,
                2);
}

// ---- 6

static void all_heads(Lesson *lesson, MultiHead m, int word, int other)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols), fused = mat_new(arena, x.rows, x.cols);
    int D = x.cols;
    say(lesson, "%d heads of width %d with random weights; the wish: %s should come out as %s went in.", m.H, D / m.H,
        lesson->sentence.words[word], lesson->sentence.words[other]);
    MultiHeadKept kept = multi_head_kept_new(arena, x, m.H);
    multi_head_keep(out, kept, m, EVERYTHING);
    multi_head_fused(fused, (Mat){ 0 }, x, m, EVERYTHING);
    check(lesson, mat_equal(out, fused), "multi_head_keep gives what multi_head_fused gives, to the bit");

    Wish wish = { word, other, mat_copy(arena, mat_rows(x, other, 1)) };
    Mat dx = mat_new(arena, x.rows, D);
    MultiHead dm = multi_head_new(arena, D, m.H);
    multi_head_backward(dx, dm, loss_backward(arena, out, wish), kept, m, EVERYTHING);

    Forward64 f = { .arena = arena, .H = m.H, .wish = wish, .x = wide(arena, x), .wo = wide(arena, m.wo) };
    f.wq = wide(arena, mat_cols(m.wqkv, 0, D));
    f.wk = wide(arena, mat_cols(m.wqkv, D, D));
    f.wv = wide(arena, mat_cols(m.wqkv, 2 * D, D));
    const struct { const char *name; Mat gradient; Wide of; } all[] = {
        { "dX", dx, f.x }, { "dWq", mat_cols(dm.wqkv, 0, D), f.wq }, { "dWk", mat_cols(dm.wqkv, D, D), f.wk },
        { "dWv", mat_cols(dm.wqkv, 2 * D, D), f.wv }, { "dWo", dm.wo, f.wo },
    };
    for (int g = 0; g < 5; g++) check_gradient(lesson, all[g].name, all[g].gradient, differences(arena, all[g].of, &f));
}

typedef struct { int steps; float rate; double *loss; } Descent;        // loss[0 … steps]

static void take_step(Mat weights, Mat gradient, float rate)
{
    for (int i = 0; i < weights.rows; i++)
        for (int j = 0; j < weights.cols; j++) *mat_ref(weights, i, j) -= rate * *mat_ref(gradient, i, j);
}

// Gradient descent on Wq and Wk. Wv stays, so the values keep their meaning: only looking elsewhere can meet the wish.
static HeadWeights descend(Lesson *lesson, HeadWeights w, Wish wish, Descent to)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    w.wq = mat_copy(arena, w.wq);
    w.wk = mat_copy(arena, w.wk);
    for (int s = 0;; s++) {
        ArenaMark mark = arena_mark(arena);
        Mat out = mat_new(arena, x.rows, w.wv.cols);
        HeadKept kept = cross_attention_keep(arena, out, x, x, w, EVERYTHING);
        to.loss[s] = loss_of(out, wish);
        if (s == to.steps) return w;
        HeadWeights dw = gradients_of_weights(arena, w);       // fresh: they start at 0
        self_attention_backward((Mat){ 0 }, dw, loss_backward(arena, out, wish), kept, w, EVERYTHING);
        take_step(w.wq, dw.wq, to.rate);
        take_step(w.wk, dw.wk, to.rate);
        arena_release(arena, mark);
    }
}

static void first_step(Lesson *lesson, const Head *h)
{
    const float small = 0.01f;
    double loss[2], squares = 0.0;
    HeadWeights dw = gradients_of_weights(lesson->arena, h->head.w);
    self_attention_backward((Mat){ 0 }, dw, loss_backward(lesson->arena, h->out, h->wish), h->kept, h->head.w, EVERYTHING);
    for (int e = 0; e < dw.wq.rows * dw.wq.cols; e++)
        squares += (double)dw.wq.at[e] * (double)dw.wq.at[e] + (double)dw.wk.at[e] * (double)dw.wk.at[e];
    descend(lesson, h->head.w, h->wish, (Descent){ 1, small, loss });
    check(lesson, loss[1] <= loss[0] + 1e-7, "one step of size %.2f lowers the loss, from %.4f to %.4f", (double)small,
          loss[0], loss[1]);
    say(lesson, "The gradient foretells a fall of %.2f · |gradient|² = %.4f.", (double)small, (double)small * squares);

    bool none = true;
    for (int c = 0; c < dw.wq.rows; c++)
        if (*mat_ref(lesson->sentence.x, h->wish.word, c) == 0.0f) none = none && all_zero(mat_rows(dw.wq, c, 1));
    check(lesson, none, "dWq is exactly 0 in the rows of what %s is not", lesson->sentence.words[h->wish.word]);
}

// Where the book's words look in the end: weights (T, T) before, and after descent with either wish.
static void check_found(Lesson *lesson, Mat before, Mat for_animal, Mat for_street)
{
    enum { ANIMAL = 1, STREET = 5, IT = 7, TIRED = 10 };
    double animal = mat_value(for_animal, IT, ANIMAL), street = mat_value(for_street, IT, STREET);
    check(lesson, animal > 0.7 && street > 0.7,
          "it has found animal for one wish, street for the other: %.2f and %.2f", animal, street);
    double was = mat_value(before, TIRED, STREET), is = mat_value(for_street, TIRED, STREET);
    check(lesson, is > was, "nobody wished it, but tired now gives street %.2f; before it was %.2f", is, was);
}

static void descent(Lesson *lesson, const Head *h, int rival, int steps, float rate)
{
    const Sentence *s = &lesson->sentence;
    Arena *arena = lesson->arena;
    const int others[] = { h->wish.other, rival };
    const char *word = s->words[h->wish.word];
    const char *title = arena_format(arena, "what %s attends to, before and after %d steps of size %g", word, steps,
                                     (double)rate);
    Rows rows = rows_of(lesson, title, s->words, s->T);
    rows.table.high = 1;
    rows_add_from(&rows, h->kept.weights, h->wish.word, "before");
    Mat out = mat_new(arena, s->T, HAND_MADE_WIDTH), weights[2];
    double *loss[2], *step_numbers = arena_alloc(arena, (size_t)(steps + 1) * sizeof *step_numbers);
    Series series[2];
    for (int n = 0; n <= steps; n++) step_numbers[n] = n;
    for (int r = 0; r < 2; r++) {
        const char *name = arena_format(arena, "wish: %s", s->words[others[r]]);
        Wish wish = { h->wish.word, others[r], mat_rows(h->kept.p.v, others[r], 1) };
        loss[r] = arena_alloc(arena, (size_t)(steps + 1) * sizeof *loss[r]);
        HeadWeights w = descend(lesson, h->head.w, wish, (Descent){ steps, rate, loss[r] });
        weights[r] = mat_new(arena, s->T, s->T);
        self_attention((Attended){ .out = out, .weights = weights[r] }, s->x, w, EVERYTHING);
        rows_add_from(&rows, weights[r], wish.word, "%s", name);
        series[r] = (Series){ .name = name, .x = step_numbers, .y = loss[r], .count = steps + 1 };
    }
    show_rows(lesson, &rows);
    for (int r = 0; r < 2; r++)
        say(lesson, "%s: the loss goes from %.3f to %.3f.", series[r].name, loss[r][0], loss[r][steps]);
    if (!lesson->own_words && h->wish.word == 7 && h->wish.other == 1 && steps >= 50 && rate == 1.0f)
        check_found(lesson, h->kept.weights, weights[0], weights[1]);
    figure_plot(lesson, "loss.png", arena_format(arena, "gradient descent: the loss of two wishes for \"%s\"", word),
                (Plot){ .title = "Two wishes come true, step by step", .x_title = "step", .y_title = "loss",
                        .series = series, .count = 2 });
}

static void a_wish_comes_true(Lesson *lesson, const Head *h, MultiHead m, int steps, float rate)
{
    step(lesson, "All heads, and a wish that comes true");
    int street = sentence_place(&lesson->sentence, "street"), last = lesson->sentence.T - 1;
    all_heads(lesson, m, h->wish.word, h->wish.other);
    first_step(lesson, h);
    descent(lesson, h, street < 0 ? last : street, steps, rate);
}

// ---- 7

static int64_t floats_of(Mat m) { return (int64_t)m.rows * m.cols; }

static void kept_by_a_layer(Lesson *lesson)
{
    enum { D = 512, H = 8, SIZES = 3 };
    static const int lengths[SIZES] = { 10, 320, 640 };
    static const char *const rows[] = { "x", "q | k | v", "weights of all heads", "heads, side by side", "in all" };
    static const char *const cols[] = { "T = 10", "T = 320", "T = 640" };
    Mat table = mat_new(lesson->arena, 5, SIZES);
    int64_t bytes = 0;
    bool level = false;
    for (int n = 0; n < SIZES; n++) {
        int T = lengths[n];
        Arena *arena = arena_open();
        MultiHeadKept kept = multi_head_kept_new(arena, mat_new(arena, T, D), H);
        Mat all[] = { kept.x, kept.qkv, kept.weights, kept.heads };
        for (int i = 0; i < 4; i++) *mat_ref(table, i, n) = (float)(4 * floats_of(all[i])) / 1024.0f;
        *mat_ref(table, 4, n) = (float)arena_used(arena) / 1024.0f;
        if (T == 5 * D / H) level = 2.0f * *mat_ref(table, 2, n) == *mat_ref(table, 4, n);
        bytes = (int64_t)arena_used(arena);
        arena_close(arena);
    }
    show_table(lesson, (Table){ .name = "KiB kept by one layer for one sentence of T words", .values = table,
                                .rows = rows, .cols = cols, .decimals = -1 });
    int64_t T = lengths[SIZES - 1];
    cost(lesson, "bytes at T = 640", bytes, "4·(5·T·D + H·T²)", 4 * (5 * T * D + H * T * T));
    const int64_t words = 4096;
    say(lesson, "The weights of %lld words would take %lld MiB.", (long long)words,
        (long long)(4 * H * words * words >> 20));
    check(lesson, level, "at T = 5·d = %d the weights are half of it; from there on they are more", 5 * D / H);
}

// Weights from what chapter 14 keeps in their place: one logsumexp for each query.
static void recompute(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    Mat q = h->kept.p.q, k = h->kept.p.k, weights = mat_new(arena, q.rows, k.rows), lse = mat_new(arena, q.rows, 1);
    Mat out = mat_new(arena, q.rows, h->out.cols);
    attention_naive((Attended){ .out = out, .lse = lse }, q, k, h->kept.p.v, EVERYTHING);
    Cost before = counted;
    attention_scores(weights, q, k, EVERYTHING);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) *mat_ref(weights, i, j) = expf(*mat_ref(weights, i, j) - *mat_ref(lse, i, 0));
    check(lesson, mat_max_difference(weights, h->kept.weights) < 1e-5,
          "exp(score - lse) gives the weights again: %d numbers kept, not %d", q.rows, q.rows * k.rows);
    cost(lesson, "multiplications for that", cost_since(before).multiplies,
         arena_format(arena, "T²·d = %d·%d", q.rows * q.rows, q.cols), (int64_t)q.rows * k.rows * q.cols);
}

static void what_must_be_kept(Lesson *lesson, const Head *h)
{
    step(lesson, "What must be kept: D = 512, H = 8");
    kept_by_a_layer(lesson);
    recompute(lesson, h);
}

// ---- 8

static void what_it_costs(Lesson *lesson, MultiHead m)
{
    step(lesson, "What it costs");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols), dx = mat_new(arena, x.rows, x.cols);
    int64_t T = x.rows, D = x.cols, H = m.H;
    MultiHead dm = multi_head_new(arena, x.cols, m.H);
    MultiHeadKept kept = multi_head_kept_new(arena, x, m.H);
    Cost before = counted;
    multi_head_keep(out, kept, m, EVERYTHING);
    int64_t forward = cost_since(before).multiplies;
    cost(lesson, "multiplications forward", forward, "4·T·D² + 2·T²·D", 4 * T * D * D + 2 * T * T * D);
    before = counted;
    multi_head_backward(dx, dm, out, kept, m, EVERYTHING);
    Cost work = cost_since(before);
    cost(lesson, "multiplications backward", work.multiplies, "8·T·D² + 4·T²·D + 2·H·T²",
         8 * T * D * D + 4 * T * T * D + 2 * H * T * T);
    check(lesson, work.multiplies == 2 * forward + 2 * H * T * T && work.exps == 0,
          "backward is twice forward, and 2 for each weight of each head; no exponential");
    int64_t parameters = floats_of(m.wqkv) + floats_of(m.wo);
    cost(lesson, "forward passes for differences of all weights", 2 * parameters, "2·4·D²", 8 * D * D);
}

int main(int argc, char **argv)
{
    const char *word = NULL, *other = NULL;
    int H = 4, steps = 50;
    float rate = 1.0f;
    Flag flags[] = {
        { "word", FLAG_TEXT, &word, 0, 0, "the word whose output has a wish (default it, or the last)" },
        { "wish", FLAG_TEXT, &other, 0, 0, "the word whose value it should receive (default animal, or the first)" },
        { "steps", FLAG_INT, &steps, 1, 500, "steps of gradient descent in step 6 (default 50)" },
        { "rate", FLAG_FLOAT, &rate, 0, 1000, "their size (default 1)" },
        { "heads", FLAG_INT, &H, 1, 16, "heads in steps 6 and 8; must divide the embeddings' width (default 4)" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 8, "Gradients", flags, 5);
    int last = lesson.sentence.T - 1, D = lesson.embeddings.D;
    int place = place_of(&lesson, "word", word, "it", last), wish = place_of(&lesson, "wish", other, "animal", 0);
    if (D % H) lesson_misused(lesson.state, "--heads: found %d; it must divide D = %d, the columns of %s", H, D,
                              lesson.embeddings.file);
    Head head = run_head(&lesson, place, wish);
    MultiHead m = random_heads(&lesson, D, H);

    Mat dx = one_number(&lesson, &head);                       // 1
    a_product(&lesson);                                        // 2
    softmax_backwards(&lesson, &head);                         // 3
    one_head(&lesson, &head, dx);                              // 4
    hidden_keys(&lesson, &head, dx);                           // 5
    a_wish_comes_true(&lesson, &head, m, steps, rate);         // 6
    what_must_be_kept(&lesson, &head);                         // 7
    what_it_costs(&lesson, m);                                 // 8
    Projected p = head.kept.p;
    trace_heads(lesson.trace, (TraceHeads){ .x = head.kept.x, .q = p.q, .k = p.k, .v = p.v,
                                            .scores = dump_scores(&lesson, p.q, p.k, 1, NULL),
                                            .weights = head.kept.weights, .heads = head.out });
    return lesson_close(&lesson);
}
