// Chapter 08, steps 2 and 3. A matrix product backwards; softmax backwards.
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "steps.h"

// ---- 2

// z = y², y = 3x at x = 2. A square bends evenly, so a central difference gives its slope whatever h is.
static void two_links(Lesson *lesson)
{
    const double x = 2.0, h = 0.5, inner = 3.0, outer = 2.0 * (3.0 * x);
    double up = 3.0 * (x + h), down = 3.0 * (x - h);
    check(lesson, (up * up - down * down) / (2.0 * h) == inner * outer,
          "y = 3x and z = y² at x = 2: rates of %g and %g, together %g, as nudging says", inner, outer, inner * outer);
}

static Mat transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

// How the loss Σ dout · (A B) moves with one more in each number of m, which is a or b. It is linear in each of them:
// any h gives its slope exactly.
static Mat one_more(Arena *arena, Mat m, Mat a, Mat b, Mat dout)
{
    Mat slopes = mat_new(arena, m.rows, m.cols), before = mat_new(arena, dout.rows, dout.cols);
    Mat after = mat_new(arena, dout.rows, dout.cols);
    matmul(before, a, b);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) {
            *mat_ref(m, i, j) += 1.0f;
            matmul(after, a, b);
            for (int e = 0; e < dout.rows * dout.cols; e++)
                *mat_ref(slopes, i, j) += dout.at[e] * (after.at[e] - before.at[e]);
            *mat_ref(m, i, j) -= 1.0f;
        }
    return slopes;
}

void a_product(Lesson *lesson)
{
    step(lesson, "A matrix product backwards");
    Arena *arena = lesson->arena;
    two_links(lesson);
    Mat a = mat_of(arena, 2, 3, (float[]){ 1, 2, 0, 0, 1, 3 }), b = mat_of(arena, 3, 2, (float[]){ 1, 0, 2, 1, 0, 1 });
    Mat out = mat_new(arena, 2, 2), dout = mat_of(arena, 2, 2, (float[]){ 1, 0, 2, -1 });
    Mat da = mat_new(arena, 2, 3), db = mat_new(arena, 3, 2);
    matmul(out, a, b);
    backward_matmul(da, db, dout, a, b);
    const struct {
        const char *name;
        Mat m;
        bool given;
        ColorMap colors;
    } shown[] = {
        { "A", a, true, COLOR_VIRIDIS },      { "B", b, true, COLOR_VIRIDIS },
        { "A B", out, false, COLOR_VIRIDIS }, { "d(A B), given", dout, true, COLOR_DIVERGING },
        { "dA", da, false, COLOR_DIVERGING }, { "dB", db, false, COLOR_DIVERGING },
    };
    for (int i = 0; i < 6; i++)
        show_table(lesson, (Table){ .name = shown[i].name,
                                    .values = shown[i].m,
                                    .decimals = -1,
                                    .given = shown[i].given,
                                    .colors = shown[i].colors });
    Mat formula_a = mat_new(arena, 2, 3), formula_b = mat_new(arena, 3, 2);
    matmul(formula_a, dout, transposed(arena, b));
    matmul(formula_b, transposed(arena, a), dout);
    check(lesson, mat_equal(da, formula_a) && mat_equal(db, formula_b), "dA = d(A B) Bᵀ and dB = Aᵀ d(A B)");
    check(lesson, mat_equal(da, one_more(arena, a, a, b, dout)) && mat_equal(db, one_more(arena, b, a, b, dout)),
          "the loss Σ d(A B)ᵢⱼ (A B)ᵢⱼ is a straight line in each element of A or B: one more moves it by that element "
          "of dA or dB");

    Mat three = mat_of(arena, 1, 1, (float[]){ 3 }), one = mat_of(arena, 1, 1, (float[]){ 1 });
    Mat d = mat_new(arena, 1, 1);
    backward_matmul(d, (Mat){ 0 }, one, three, three);
    float once = *mat_ref(d, 0, 0);
    backward_matmul((Mat){ 0 }, d, one, three, three);
    check(lesson, *mat_ref(d, 0, 0) == 6.0f, "a·a at a = 3: one use of a gives %g, both together give 2a = %g",
          (double)once, mat_value(d, 0, 0));
}

// ---- 3

// −log of a weight as the loss: dw is −1/w for this weight and 0 for the others. In float64 it is log Σ exp(s) − s.
static void minus_log(Lesson *lesson, Mat scores, Mat weights)
{
    enum { n = 3, RIGHT = 0 };
    const double h = 1e-5;
    float dw[n] = { 0 }, ds[n] = { 0 };
    double off = 0.0;
    dw[RIGHT] = -1.0f / weights.at[RIGHT];
    backward_softmax(ds, dw, weights.at, n);
    for (int j = 0; j < n; j++) {
        double up = 0.0, down = 0.0, own = j == RIGHT ? 1.0 : 0.0;
        for (int k = 0; k < n; k++) {
            up += exp((double)scores.at[k] + (k == j ? h : 0.0));
            down += exp((double)scores.at[k] - (k == j ? h : 0.0));
        }
        off = fmax(off, fabs((log(up) - log(down)) / (2.0 * h) - own - (double)ds[j]));
        off = fmax(off, fabs((double)weights.at[j] - own - (double)ds[j]));
    }
    check(lesson, off < 1e-6,
          "a loss of -log w, of the first key: ds is %.3f %.3f %.3f, w - 1 there and w elsewhere, "
          "as nudging says",
          (double)ds[0], (double)ds[1], (double)ds[2]);
}

void softmax_backwards(Lesson *lesson, const Head *h)
{
    enum { n = 3 };
    step(lesson, "Softmax backwards");
    Arena *arena = lesson->arena;
    Mat scores = mat_of(arena, 1, n, (float[]){ 2, 1, 0.1f }), weights = mat_new(arena, 1, n);
    Mat dw = mat_of(arena, 1, n, (float[]){ 1, -2, 0 }), ds = mat_new(arena, 1, n);
    Mat jacobian = mat_new(arena, n, n), product = mat_new(arena, 1, n);
    softmax(weights.at, scores.at, n);
    backward_softmax(ds.at, dw.at, weights.at, n);
    Rows rows = rows_of(lesson, "one row", NULL, n);
    rows.table.decimals = 3;
    rows.table.units = ROWS_APART;
    rows.table.signed_rows = 1 << 2 | 1 << 3; // dw and ds
    rows_add_from(&rows, scores, 0, "score s");
    rows_add_from(&rows, weights, 0, "weight w");
    rows_add_from(&rows, dw, 0, "dw, given");
    rows_add_from(&rows, ds, 0, "ds");
    show_rows(lesson, &rows);
    say(lesson, "the mean of dw, each counted by its weight: %.3f", (double)dot_product(weights.at, dw.at, 1, n));
    softmax_jacobian(jacobian, weights.at, n);
    matmul(product, dw, jacobian); // J is symmetric: dw J is J dw
    check(lesson, mat_max_difference(product, ds) < 1e-6, "it equals the Jacobian of chapter 02 times dw");
    check(lesson, fabs(mat_sum(ds)) < 1e-6, "ds sums to 0: raising all scores together moves nothing");
    float flat[n] = { 0 }, certain[n] = { 1, 0, 0 };
    backward_softmax(flat, dw.at, certain, n);
    check(lesson, flat[0] == 0.0f && flat[1] == 0.0f && flat[2] == 0.0f,
          "weights of 1, 0, 0 give 0, 0, 0: a saturated row");
    minus_log(lesson, scores, weights);

    // The cost, on a row of the sentence.
    int T = h->kept.weights.cols;
    Mat row = mat_rows(h->kept.weights, h->wish.word, 1), into = mat_new(arena, 1, T), table = mat_new(arena, T, T);
    Cost before = cost_counted;
    backward_softmax(into.at, row.at, row.at, T);
    cost(lesson, arena_format(arena, "multiplications for a row of %d", T), cost_since(before).multiplies, "2·n",
         2 * T);
    softmax_jacobian(table, row.at, T);
    before = cost_counted;
    matmul(into, row, table);
    cost(lesson, "with the Jacobian, once it is built", cost_since(before).multiplies, "n²", (int64_t)T * T);
}
