// Tests of lib/attention/backward.c. Every derivative is held against central differences of a float64 forward pass
// that shares no code with the library (tests/support/reference.c). The loss is Σ dout · out with a random dout: then
// its gradient with respect to out is dout.
#include "attention/backward.h"

#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "io/npy.h"
#include "support/head_gradients.h"
#include "support/slopes.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static Mat scaled_random(int rows, int cols) // for weights: what passes through keeps its size
{
    Mat m = framed_random(rows, cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) *mat_ref(m, i, j) /= sqrtf((float)rows);
    return m;
}

static void masks_for(Mask masks[12], int S)
{
    // clang-format off
    const Mask all[12] = {
        { 0 }, { .causal = true }, { .padding = 2 }, { .padding = S }, { .causal = true, .padding = S - 1 },
        { .window = 2 }, { .causal = true, .window = 3 }, { .causal = true, .window = 2, .sinks = 1 },
        { .window = 1, .sinks = 2, .padding = 1 }, { .alibi = 0.5f }, { .causal = true, .alibi = 0.25f },
        { .causal = true, .window = 3, .sinks = 1, .padding = 1, .alibi = 0.125f },
    };
    // clang-format on
    for (int m = 0; m < 12; m++) masks[m] = all[m];
}
enum { MASKS = 12 };

// ---- a matrix product

typedef struct {
    Table a, b, dout;
} Product;

static double product_loss(void *of)
{
    const Product *p = of;
    return inner(p->dout, reference_matmul(arena, p->a, p->b));
}

// clang-format off
static const int product_shapes[][3] = {              // m, k, n
    { 1, 1, 1 }, { 2, 3, 4 }, { 5, 1, 3 }, { 4, 7, 1 }, { 6, 6, 6 }, { 0, 3, 2 }, { 3, 0, 2 },
};
// clang-format on
enum { PRODUCTS = sizeof product_shapes / sizeof *product_shapes };

TEST_EACH(products_against_differences, PRODUCTS)
{
    int m = product_shapes[_i][0], k = product_shapes[_i][1], n = product_shapes[_i][2];
    Mat a = framed_random(m, k), b = framed_random(k, n), dout = framed_random(m, n);
    Framed da = gradient_new(a), db = gradient_new(b);
    Product p = { table_of(arena, a), table_of(arena, b), table_of(arena, dout) };
    case_is("(%d, %d) times (%d, %d)", m, k, k, n);
    cost_counted = (Cost){ 0 };
    backward_matmul(da.view, db.view, dout, a, b);
    ck_assert_int_eq(cost_counted.multiplies, 2 * m * k * n);
    assert_gradient(da.view, slopes(arena, p.a, product_loss, &p));
    assert_gradient(db.view, slopes(arena, p.b, product_loss, &p));
    ck_assert(frame_untouched(da, NAN) && frame_untouched(db, NAN));
}

// ---- softmax

typedef struct {
    Table scores, dweights;
} Row;

static double row_loss(void *of)
{
    const Row *row = of;
    Table weights = table_new(arena, 1, row->scores.cols);
    reference_softmax(weights.at, row->scores.at, row->scores.cols);
    return inner(row->dweights, weights);
}

TEST(softmax_against_differences)
{
    static const int lengths[] = { 0, 1, 2, 3, 9, 33 };
    for (int e = 0; e < 6 * 3; e++) {
        int n = lengths[e % 6];
        float spread = (float[]){ 0.1f, 1.0f, 5.0f }[e / 6];
        Mat scores = framed_random(1, n), dweights = framed_random(1, n), weights = mat_new(arena, 1, n);
        for (int j = 0; j < n; j++) *mat_ref(scores, 0, j) *= spread;
        Framed dscores = gradient_new(scores);
        Row row = { table_of(arena, scores), table_of(arena, dweights) };
        case_is("n = %d, scores of size %g", n, (double)spread);
        softmax(weights.at, scores.at, n);
        cost_counted = (Cost){ 0 };
        backward_softmax(dscores.view.at, dweights.at, weights.at, n);
        ck_assert_int_eq(cost_counted.multiplies, 2 * n);
        ck_assert_int_eq(cost_counted.exps, 0);
        assert_gradient(dscores.view, slopes(arena, row.scores, row_loss, &row));
        ck_assert(frame_untouched(dscores, NAN));
        ck_assert_double_eq_tol(mat_sum(dscores.view), 0.0, 1e-5); // all scores together move nothing
    }
}

// ---- one head

static void run(HeadCase c) // forward, then backward
{
    head_forward(c);
    backward_attention(c.to, c.dout, c.p, c.did.weights, c.mask);
    ck_assert(head_frames_untouched(c));
}

// clang-format off
static const int head_shapes[][4] = {                 // T, S, d, dv
    { 1, 1, 1, 1 }, { 5, 5, 3, 3 }, { 3, 7, 4, 2 }, { 7, 4, 2, 5 }, { 1, 6, 3, 2 }, { 4, 4, 8, 3 }, { 0, 3, 2, 2 },
    { 3, 0, 2, 2 },
};
// clang-format on
enum { HEAD_SHAPES = sizeof head_shapes / sizeof *head_shapes };

TEST_EACH(heads_against_differences, HEAD_SHAPES)
{
    const int *shape = head_shapes[_i];
    Mask masks[MASKS];
    masks_for(masks, shape[1]);
    for (int m = 0; m < MASKS; m++) {
        HeadCase c = head_case(shape[0], shape[1], shape[2], shape[3], masks[m]);
        run(c);
        assert_head_gradients(c);
    }
}

// NaN in key j and its value: a query that cannot see it has the same gradient, to the bit, and key j has exactly 0 if
// no query sees it.
TEST(hidden_keys_cannot_be_felt)
{
    enum { S = 6 };
    Mask masks[MASKS];
    masks_for(masks, S);
    for (int e = 0; e < MASKS * 3 * S; e++) {
        Mask mask = masks[e % MASKS];
        int T = S - 2 + 2 * (e / MASKS % 3), j = e / MASKS / 3, seen = 0;
        HeadCase c = head_case(T, S, 3, 2, mask);
        run(c);
        Mat before = mat_copy(arena, c.to.q), all[] = { c.to.q, c.to.k, c.to.v };
        mat_fill(mat_rows(c.p.k, j, 1), NAN);
        mat_fill(mat_rows(c.p.v, j, 1), NAN);
        for (int n = 0; n < 3; n++) mat_fill(all[n], 0.0f);
        run(c);
        for (int i = 0; i < T; i++) {
            bool sees = reference_sees(mask, i, j, T, S);
            seen += sees;
            if (sees) ck_assert_msg(isnan(*mat_ref(c.to.q, i, 0)), "query %d does not feel key %d", i, j);
            else assert_same(mat_rows(c.to.q, i, 1), mat_rows(before, i, 1));
        }
        for (int n = 1; n < 3 && !seen; n++) assert_same(mat_rows(all[n], j, 1), mat_new(arena, 1, all[n].cols));
    }
}

// Gradients that hold something already keep it: what was there plus what a fresh one gets.
static void assert_added(Mat got, Mat before, Mat alone)
{
    Table want = table_of(arena, before), more = table_of(arena, alone);
    for (int e = 0; e < want.rows * want.cols; e++) want.at[e] += more.at[e];
    assert_close(got, want.at, 1e-5, 1e-5);
}

// ---- one head with its projections

typedef struct {
    Table x, y, wq, wk, wv, dout;
    Mask mask;
} Cross;

static double cross_loss(void *of)
{
    const Cross *c = of;
    Table q = reference_matmul(arena, c->x, c->wq), k = reference_matmul(arena, c->y, c->wk);
    return inner(c->dout, reference_attention(arena, q, k, reference_matmul(arena, c->y, c->wv), c->mask).out);
}

TEST(projections_against_differences)
{
    enum { T = 4, S = 6, D = 5, d = 3, dv = 2 };
    Mask masks[MASKS];
    masks_for(masks, S);
    for (int e = 0; e < 2 * MASKS; e++) {
        bool self = e % 2;
        Mat x = framed_random(self ? S : T, D), y = self ? x : framed_random(S, D), dout = framed_random(x.rows, dv);
        Mat out = mat_new(arena, x.rows, dv), want = mat_new(arena, x.rows, dv);
        HeadWeights w = { scaled_random(D, d), scaled_random(D, d), scaled_random(D, dv) };
        Framed dwq = gradient_new(w.wq), dwk = gradient_new(w.wk), dwv = gradient_new(w.wv), dx = gradient_new(x),
               dy = gradient_new(y);
        HeadWeights dw = { dwq.view, dwk.view, dwv.view };
        Cross c = { table_of(arena, x),    table_of(arena, y),    table_of(arena, w.wq), table_of(arena, w.wk),
                    table_of(arena, w.wv), table_of(arena, dout), masks[e / 2] };
        if (self) c.y = c.x;
        case_is("self %d, mask %d", self, e / 2);

        BackwardHeadKept kept = backward_keep_cross_attention(arena, out, x, y, w, c.mask);
        cross_attention((Attended){ .out = want }, x, y, w, c.mask);
        assert_same(out, want);
        if (self) backward_self_attention(dx.view, dw, dout, kept, w, c.mask);
        else backward_cross_attention(dx.view, dy.view, dw, dout, kept, w, c.mask);
        assert_gradient(dx.view, slopes(arena, c.x, cross_loss, &c));
        if (!self) assert_gradient(dy.view, slopes(arena, c.y, cross_loss, &c));
        assert_gradient(dw.wq, slopes(arena, c.wq, cross_loss, &c));
        assert_gradient(dw.wk, slopes(arena, c.wk, cross_loss, &c));
        assert_gradient(dw.wv, slopes(arena, c.wv, cross_loss, &c));
        ck_assert(frame_untouched(dwq, NAN) && frame_untouched(dwk, NAN) && frame_untouched(dwv, NAN));
        ck_assert(frame_untouched(dx, NAN) && frame_untouched(dy, NAN));
        Mat again[] = { mat_copy(arena, dw.wq), mat_copy(arena, dw.wk), mat_copy(arena, dw.wv) };
        backward_cross_attention((Mat){ 0 }, (Mat){ 0 }, dw, dout, kept, w, c.mask); // once more, without dx and dy
        assert_added(dw.wq, again[0], again[0]);
        assert_added(dw.wk, again[1], again[1]);
        assert_added(dw.wv, again[2], again[2]);
    }
}

// ---- all heads

typedef struct {
    Table x, wqkv, wo, dout;
    int H;
    Mask mask;
} Layer;

static double layer_loss(void *of)
{
    const Layer *l = of;
    return inner(l->dout, reference_multi_head(arena, l->x, l->wqkv, l->wo, l->H, l->mask).out);
}

static MultiHead random_heads(int D, int H, bool with_wo)
{
    return (MultiHead){ H, scaled_random(D, 3 * D), with_wo ? scaled_random(D, D) : (Mat){ 0 } };
}

static const int layers[][3] = { { 5, 6, 1 }, { 5, 6, 2 }, { 4, 6, 3 }, { 3, 8, 4 }, { 1, 4, 2 } }; // T, D, H
// clang-format off
static const Mask layer_masks[] = {
    { 0 }, { .causal = true }, { .padding = 2 }, { .causal = true, .window = 2, .sinks = 1 },
    { .causal = true, .alibi = 0.5f },
};
// clang-format on
enum { LAYERS = 5, LAYER_MASKS = 5 };

TEST_EACH(layers_against_differences, LAYERS)
{
    int T = layers[_i][0], D = layers[_i][1], H = layers[_i][2];
    for (int e = 0; e < 2 * LAYER_MASKS; e++) {
        bool with_wo = e < LAYER_MASKS;
        MultiHead m = random_heads(D, H, with_wo);
        Mat x = framed_random(T, D), dout = framed_random(T, D);
        Framed dx = gradient_new(x), dwqkv = gradient_new(m.wqkv), dwo = { 0 };
        if (with_wo) dwo = gradient_new(m.wo);
        Mask mask = layer_masks[e % LAYER_MASKS];
        Layer l = { table_of(arena, x), table_of(arena, m.wqkv), { 0 }, table_of(arena, dout), H, mask };
        if (with_wo) l.wo = table_of(arena, m.wo);
        case_is("T %d, D %d, H %d, mask %d, Wo %d", T, D, H, e % LAYER_MASKS, with_wo);

        Mat out = mat_new(arena, T, D), want = mat_new(arena, T, D), weights = mat_new(arena, H * T, T);
        BackwardKept kept = backward_kept_new(arena, x, H);
        backward_keep_multi_head(out, kept, m, mask);
        multi_head_fused(want, weights, x, m, mask);
        assert_same(out, want);
        assert_same(kept.weights, weights);
        ck_assert_ptr_eq(kept.x.at, x.at);

        MultiHead dm = { H, dwqkv.view, dwo.view };
        backward_multi_head(dx.view, dm, dout, kept, m, mask);
        assert_gradient(dx.view, slopes(arena, l.x, layer_loss, &l));
        assert_gradient(dwqkv.view, slopes(arena, l.wqkv, layer_loss, &l));
        if (with_wo) assert_gradient(dwo.view, slopes(arena, l.wo, layer_loss, &l));
        ck_assert(frame_untouched(dx, NAN) && frame_untouched(dwqkv, NAN));
        ck_assert(!with_wo || frame_untouched(dwo, NAN));

        Mat again = mat_copy(arena, dwqkv.view), again_wo = with_wo ? mat_copy(arena, dwo.view) : (Mat){ 0 };
        backward_multi_head((Mat){ 0 }, dm, dout, kept, m, mask); // once more, without dx: twice as much
        assert_added(dwqkv.view, again, again);
        if (with_wo) assert_added(dwo.view, again_wo, again_wo);
    }
}

// 8 T D² for the projections, 2 D for each pair in sight, 2 H T² for their softmaxes. No exponential.
TEST(costs)
{
    int T = 6, D = 8, size = (int)sizeof(float);
    for (int e = 0; e < 8; e++) {
        int H = 1 << e / 2, pairs = e % 2 ? T * (T + 1) / 2 : T * T;
        MultiHead m = random_heads(D, H, true), dm = { H, gradient_new(m.wqkv).view, gradient_new(m.wo).view };
        Mat x = framed_random(T, D), out = mat_new(arena, T, D), dx = gradient_new(x).view;
        BackwardKept kept = backward_kept_new(arena, x, H);
        backward_keep_multi_head(out, kept, m, (Mask){ 0 });
        cost_counted = (Cost){ 0 };
        backward_multi_head(dx, dm, out, kept, m, (Mask){ .causal = e % 2 });
        ck_assert_int_eq(cost_counted.multiplies, 8 * T * D * D + 4 * pairs * D + 2 * H * T * T);
        ck_assert_int_eq(cost_counted.exps, 0);
        ck_assert_int_eq(cost_counted.scratch, (size * T * 3 * D + 63) / 64 * 64 + (size * T * D + 63) / 64 * 64);
    }
}

// ---- against PyTorch's autograd: data/reference/README.md says where the numbers come from

static Mat vectors(const char *name)
{
    Mat m;
    Error error;
    bool read = npy_read_mat(&m, arena, arena_format(arena, "data/reference/%s.npy", name), &error);
    ck_assert_msg(read, "%s", error.text);
    return m;
}

static void assert_vector(Mat got, const char *name)
{
    Mat want = vectors(name);
    ck_assert(got.rows == want.rows && got.cols == want.cols);
    case_is("%s", name);
    assert_close(got, table_of(arena, want).at, 1e-5, 2e-6);
}

TEST_EACH(layers_against_autograd, 3)
{
    static const char *const names[] = { "full", "causal", "padding" };
    static const Mask masks[] = { { 0 }, { .causal = true }, { .padding = 2 } };
    MultiHead m = { 3, vectors("multi_head_wqkv"), vectors("multi_head_wo") };
    MultiHead dm = { 3, gradient_new(m.wqkv).view, gradient_new(m.wo).view };
    Mat x = vectors("multi_head_x"), dout = vectors("multi_head_dout"), out = mat_new(arena, 6, 12),
        dx = gradient_new(x).view;
    BackwardKept kept = backward_kept_new(arena, x, 3);
    backward_keep_multi_head(out, kept, m, masks[_i]);
    backward_multi_head(dx, dm, dout, kept, m, masks[_i]);
    assert_vector(dx, arena_format(arena, "multi_head_%s_dx", names[_i]));
    assert_vector(dm.wqkv, arena_format(arena, "multi_head_%s_dwqkv", names[_i]));
    assert_vector(dm.wo, arena_format(arena, "multi_head_%s_dwo", names[_i]));
}

// ---- mistakes

TEST_ABORTS(shapes_that_do_not_fit, 14)
{
    enum { T = 3, S = 4, D = 6 };
    Mat a = mat_new(arena, T, D), b = mat_new(arena, D, S), c = mat_new(arena, T, S), none = { 0 };
    HeadProjections p = { mat_new(arena, T, D), mat_new(arena, S, D), mat_new(arena, S, D) }, to = p;
    MultiHead m = random_heads(D, 2, true), dm = { 2, gradient_new(m.wqkv).view, gradient_new(m.wo).view };
    BackwardKept kept = backward_kept_new(arena, a, 2);
    quiet();
    switch (_i) {
    case 0: backward_matmul(none, none, c, a, mat_rows(b, 0, 5)); break;
    case 1: backward_matmul(none, none, mat_cols(c, 0, 3), a, b); break;
    case 2: backward_matmul(mat_cols(a, 0, 5), none, c, a, b); break;
    case 3: backward_matmul(none, mat_rows(b, 0, 5), c, a, b); break;
    case 4: backward_heads(to, a, p, mat_new(arena, 4 * T, S), 4, (Mask){ 0 }); break;
    case 5: backward_heads(to, a, p, c, 2, (Mask){ 0 }); break;
    case 6: backward_kept_new(arena, a, 4); break;
    case 7: dm.wo = none; break;
    case 8: dm.wqkv = mat_cols(dm.wqkv, 0, 17); break;
    case 9: to.q = mat_rows(p.q, 0, 2); break;
    case 10: to.k = mat_cols(p.k, 0, 5); break;
    case 11: to.v = mat_rows(p.v, 0, 3); break;
    case 12: a = mat_cols(a, 0, 5); break;
    default: c = mat_cols(c, 0, 3); break;
    }
    if (_i < 9) backward_multi_head(none, dm, a, kept, m, (Mask){ 0 });
    else backward_attention(to, a, p, c, (Mask){ 0 });
}
