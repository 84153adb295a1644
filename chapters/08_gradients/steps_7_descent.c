// Chapter 08, step 7. All heads backwards; gradient descent until a wish comes true.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

enum { IT = 7, ANIMAL = 1, STREET = 5, TIRED = 10 }; // places in the book's sentence
enum { ALIVE = 3 };                                  // the column of Wq and Wk for what is alive

static void all_heads(Lesson *lesson, MultiHead m, int word, int other)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols), fused = mat_new(arena, x.rows, x.cols);
    int D = x.cols;
    say(lesson, "%d heads of width %d with random weights; the wish: %s should come out as %s went in.", m.H, D / m.H,
        lesson->sentence.words[word], lesson->sentence.words[other]);
    BackwardKept kept = backward_kept_new(arena, x, m.H);
    backward_keep_multi_head(out, kept, m, EVERYTHING);
    multi_head_fused(fused, (Mat){ 0 }, x, m, EVERYTHING);
    check(lesson, mat_equal(out, fused), "backward_keep_multi_head gives what multi_head_fused gives, to the bit");

    Wish wish = { word, other, mat_copy(arena, mat_rows(x, other, 1)) };
    Mat dx = mat_new(arena, x.rows, D);
    MultiHead dm = multi_head_new(arena, D, m.H);
    backward_multi_head(dx, dm, loss_backward(arena, out, wish), kept, m, EVERYTHING);

    Forward64 f = { .arena = arena, .H = m.H, .wish = wish, .x = wide(arena, x), .wo = wide(arena, m.wo) };
    f.wq = wide(arena, mat_cols(m.wqkv, 0, D));
    f.wk = wide(arena, mat_cols(m.wqkv, D, D));
    f.wv = wide(arena, mat_cols(m.wqkv, 2 * D, D));
    const struct {
        const char *name;
        Mat gradient;
        Wide of;
    } all[] = {
        { "dX", dx, f.x },
        { "dWq", mat_cols(dm.wqkv, 0, D), f.wq },
        { "dWk", mat_cols(dm.wqkv, D, D), f.wk },
        { "dWv", mat_cols(dm.wqkv, 2 * D, D), f.wv },
        { "dWo", dm.wo, f.wo },
    };
    for (int g = 0; g < 5; g++) check_gradient(lesson, all[g].name, all[g].gradient, differences(arena, all[g].of, &f));
}

typedef struct {
    int steps;
    float rate;
    double *loss;
} Descent; // loss[0 … steps]

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
        BackwardHeadKept kept = backward_keep_cross_attention(arena, out, x, x, w, EVERYTHING);
        to.loss[s] = loss_of(out, wish);
        if (s == to.steps) return w;
        HeadWeights dw = gradients_of_weights(arena, w); // fresh: they start at 0
        backward_self_attention((Mat){ 0 }, dw, loss_backward(arena, out, wish), kept, w, EVERYTHING);
        take_step(w.wq, dw.wq, to.rate);
        take_step(w.wk, dw.wk, to.rate);
        arena_release(arena, mark);
    }
}

static double length(Mat m) { return (double)vector_norm(m.at, m.rows * m.cols); } // |m|, of rows end to end

// Row c of dWq comes from property c of the one word that asked, row c of dWk from property c of all words.
static void check_rows(Lesson *lesson, HeadWeights dw, int word)
{
    Mat x = lesson->sentence.x;
    int its = 0, any = 0;
    bool none = true;
    for (int c = 0; c < x.cols; c++) {
        bool has = *mat_ref(x, word, c) != 0.0f, some = !all_zero(mat_cols(x, c, 1));
        its += has;
        any += some;
        none = none && (has || all_zero(mat_rows(dw.wq, c, 1))) && (some || all_zero(mat_rows(dw.wk, c, 1)));
    }
    check(lesson, none,
          "exactly 0: dWq outside the rows of the %d properties that %s has, dWk outside the %d that any "
          "word has",
          its, lesson->sentence.words[word], any);
}

static void first_step(Lesson *lesson, const Head *h)
{
    const float small = 0.01f;
    double loss[2];
    HeadWeights dw = gradients_of_weights(lesson->arena, h->head.w);
    Mat dout = loss_backward(lesson->arena, h->out, h->wish);
    backward_self_attention((Mat){ 0 }, dw, dout, h->kept, h->head.w, EVERYTHING);
    double of_wq = length(dw.wq), of_wk = length(dw.wk);
    descend(lesson, h->head.w, h->wish, (Descent){ 1, small, loss });
    check(lesson, loss[1] <= loss[0] + 1e-7,
          "the head of step 1, one step of size %.2f: the loss falls from %.4f to "
          "%.4f",
          (double)small, loss[0], loss[1]);
    say(lesson, "The gradient predicts a fall of %.2f · (|dWq|² + |dWk|²) = %.2f · (%.3f² + %.3f²) = %.4f.",
        (double)small, (double)small, of_wq, of_wk, (double)small * (of_wq * of_wq + of_wk * of_wk));
    HeadProjections p = h->kept.p;
    double longest = 0.0;
    for (int j = 0; j < p.k.rows; j++) longest = fmax(longest, length(mat_rows(p.k, j, 1)));
    say(lesson, "The query of %s is %.2f long, the longest key %.2f.", lesson->sentence.words[h->wish.word],
        length(mat_rows(p.q, h->wish.word, 1)), longest);

    check_rows(lesson, dw, h->wish.word);
}

// Where the book's words look in the end: weights (T, T) before, and after descent with either wish.
static void check_found(Lesson *lesson, Mat before, Mat for_animal, Mat for_street)
{
    double animal = mat_value(for_animal, IT, ANIMAL), street = mat_value(for_street, IT, STREET);
    check(lesson, animal > 0.7 && street > 0.7, "it has found animal for one wish, street for the other: %.2f and %.2f",
          animal, street);
    int drawn = 0; // words that nobody wished anything for
    for (int i = 0; i < for_street.rows; i++) {
        int most = 0;
        for (int j = 1; j < for_street.cols; j++)
            if (*mat_ref(for_street, i, j) > *mat_ref(for_street, i, most)) most = j;
        drawn += i != IT && most == STREET;
    }
    double was = mat_value(before, TIRED, STREET), is = mat_value(for_street, TIRED, STREET);
    check(lesson, is > was && drawn > 5,
          "no wish was about tired, but it now gives street %.2f; before it was %.2f. "
          "%d of the %d words without a wish look most at street",
          is, was, drawn, for_street.rows - 1);
}

// What tired gives the street with one of the two matrices as descent has left it, and the other as it was.
static void check_where_it_spread(Lesson *lesson, HeadWeights before, HeadWeights for_street)
{
    HeadWeights new_wq = before, new_wk = before;
    new_wq.wq = for_street.wq;
    new_wk.wk = for_street.wk;
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, before.wv.cols);
    BackwardHeadKept by_wq =
        backward_keep_cross_attention(arena, out, x, x, new_wq, EVERYTHING); // its keys are the old ones
    BackwardHeadKept by_wk = backward_keep_cross_attention(arena, out, x, x, new_wk, EVERYTHING);
    double was = mat_value(by_wq.p.k, STREET, ALIVE), is = mat_value(by_wk.p.k, STREET, ALIVE);
    double asked = mat_value(by_wk.p.q, IT, ALIVE), asks = mat_value(by_wq.p.q, IT, ALIVE);
    check(lesson, is > was + 1.0 && asks < asked + 0.5,
          "alive in the key of street: %.2f, and now %.2f; in the query "
          "of it: %.2f, and now %.2f",
          was, is, asked, asks);
    double queries = mat_value(by_wq.weights, TIRED, STREET), keys = mat_value(by_wk.weights, TIRED, STREET);
    check(lesson, keys > 0.9 && queries < 0.2,
          "tired is drawn there by the keys: %.2f with the new Wk alone, %.2f with the new Wq alone", keys, queries);
}

// A step so large that it lands where nothing has a slope any more: the last row of the table.
static void too_large(Lesson *lesson, const Head *h, Rows *rows, double *loss, int steps)
{
    const float huge = 1000.0f;
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, HAND_MADE_WIDTH);
    Wish wish = { IT, STREET, mat_rows(h->kept.p.v, STREET, 1) };
    HeadWeights w = descend(lesson, h->head.w, wish, (Descent){ steps, huge, loss });
    HeadWeights dw = gradients_of_weights(arena, w);
    BackwardHeadKept kept = backward_keep_cross_attention(arena, out, x, x, w, EVERYTHING);
    backward_self_attention((Mat){ 0 }, dw, loss_backward(arena, out, wish), kept, w, EVERYTHING);
    rows_add_from(rows, kept.weights, IT, "street, size %g", (double)huge);
    show_rows(lesson, rows);
    check(lesson, *mat_ref(kept.weights, IT, TIRED) > 0.99f && loss[1] == loss[steps],
          "steps of size %g: after the first one the loss is %.3f, after %d it is %.3f", (double)huge, loss[1], steps,
          loss[steps]);
    int silent = 0;
    for (int j = 0; j < x.rows; j++) silent += *mat_ref(kept.weights, IT, j) == 0.0f;
    check(lesson, silent == x.rows - 1 && all_zero(dw.wq) && all_zero(dw.wk),
          "the row is saturated: exp of the other %d scores is 0 in float32, and so is every derivative", silent);
}

static void descent(Lesson *lesson, const Head *h, int rival, int steps, float rate)
{
    const Sentence *s = &lesson->sentence;
    Arena *arena = lesson->arena;
    const int others[] = { h->wish.other, rival }, wishes = rival == h->wish.other ? 1 : 2;
    const char *word = s->words[h->wish.word];
    const char *title = arena_format(arena, "what %s attends to, before and after %d step%s of size %g", word, steps,
                                     steps == 1 ? "" : "s", (double)rate);
    Rows rows = rows_of(lesson, title, s->words, s->T);
    rows.table.high = 1;
    rows.table.given = true; // step 4 had one row; the rest nobody works out
    rows_add_from(&rows, h->kept.weights, h->wish.word, "before");
    Mat out = mat_new(arena, s->T, HAND_MADE_WIDTH), weights[2];
    double *loss[2], *step_numbers = arena_alloc(arena, (size_t)(steps + 1) * sizeof *step_numbers);
    PlotSeries series[3];
    HeadWeights found[2];
    for (int n = 0; n <= steps; n++) step_numbers[n] = n;
    for (int r = 0; r < wishes; r++) {
        const char *name = arena_format(arena, "wish: %s", s->words[others[r]]);
        Wish wish = { h->wish.word, others[r], mat_rows(h->kept.p.v, others[r], 1) };
        loss[r] = arena_alloc(arena, (size_t)(steps + 1) * sizeof *loss[r]);
        found[r] = descend(lesson, h->head.w, wish, (Descent){ steps, rate, loss[r] });
        weights[r] = mat_new(arena, s->T, s->T);
        self_attention((Attended){ .out = out, .weights = weights[r] }, s->x, found[r], EVERYTHING);
        rows_add_from(&rows, weights[r], wish.word, "%s", name);
        series[r] = (PlotSeries){ .name = name, .x = step_numbers, .y = loss[r], .count = steps + 1 };
    }
    bool books = !lesson->own_words && h->wish.word == IT && h->wish.other == ANIMAL && steps >= 50 && rate == 1.0f;
    double *locked = arena_alloc(arena, (size_t)(steps + 1) * sizeof *locked);
    if (books) too_large(lesson, h, &rows, locked, steps);
    else show_rows(lesson, &rows);
    if (books)
        series[2] = (PlotSeries){ .name = "street, size 1000", .x = step_numbers, .y = locked, .count = steps + 1 };
    for (int r = 0; r < wishes; r++)
        say(lesson, "%s: the loss goes from %.3f to %.3f.", series[r].name, loss[r][0], loss[r][steps]);
    if (books) {
        check_found(lesson, h->kept.weights, weights[0], weights[1]);
        check_where_it_spread(lesson, h->head.w, found[1]);
    }
    bool positive = true; // a loss of 0 has no logarithm
    for (int r = 0; r < wishes; r++)
        for (int n = 0; n <= steps; n++) positive = positive && loss[r][n] > 0.0;
    figure_plot(lesson, "loss.png",
                arena_format(arena, "gradient descent: the loss of %s for \"%s\"",
                             wishes == 2 ? "two wishes" : "one wish", word),
                (Plot){ .title = books         ? "Two wishes come true; one step of 1000 goes too far"
                                 : wishes == 2 ? "Two wishes"
                                               : "One wish",
                        .x_title = "step",
                        .y_title = "loss",
                        .log_y = positive,
                        .series = series,
                        .count = books ? 3 : wishes });
}

// The other wish to compare with: the street, else the animal, else a word at either end.
static int rival_of(const Sentence *s, int wished)
{
    const int rivals[] = { sentence_find(s, "street"), sentence_find(s, "animal"), s->T - 1, 0 };
    for (int r = 0; r < 4; r++)
        if (rivals[r] >= 0 && rivals[r] != wished) return rivals[r];
    return wished;
}

void a_wish_comes_true(Lesson *lesson, const Head *h, MultiHead m, int steps, float rate)
{
    step(lesson, "All heads, and a wish that comes true");
    all_heads(lesson, m, h->wish.word, h->wish.other);
    first_step(lesson, h);
    descent(lesson, h, rival_of(&lesson->sentence, h->wish.other), steps, rate);
}
