// Chapter 08, step 4. One head backwards, and what each wish asks of its scores.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "steps.h"

// How the loss of a wish changes with the word's scores: the row of ds for this wish.
static Mat push_on_scores(Arena *arena, const Head *h, Wish wish, Mat dweights)
{
    Mat dscores = mat_new(arena, dweights.rows, dweights.cols), dv = mat_new(arena, h->kept.p.v.rows, h->kept.p.v.cols);
    backward_mix_values(dweights, dv, loss_backward(arena, h->out, wish), h->kept.weights, h->kept.p.v, EVERYTHING);
    for (int i = 0; i < dscores.rows; i++)
        backward_softmax(mat_row(dscores, i), mat_row(dweights, i), mat_row(h->kept.weights, i), dscores.cols);
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
    rows.table.units = ROWS_APART;
    rows.table.signed_rows = 1 << 1 | 1 << 2; // dw and ds
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
static void check_wishes(Lesson *lesson, const Head *h, Mat slopes)
{
    enum { IT = 7, ANIMAL = 1, TIRED = 10 };
    int empty = 0, first = 0;
    bool same = true;
    for (int r = 0; r < slopes.rows; r++) {
        if (!all_zero(mat_rows(h->kept.p.v, r, 1))) continue;
        if (!empty++) first = r;
        same = same && mat_equal(mat_rows(slopes, r, 1), mat_rows(slopes, first, 1));
    }
    if (empty > 1) check(lesson, same, "%d of the words hand over nothing: their wishes are the same", empty);
    if (!lesson->own_words && h->wish.word == IT)
        check(lesson, *mat_ref(slopes, TIRED, ANIMAL) < *mat_ref(slopes, TIRED, TIRED),
              "the wish for tired: ds of animal %.3f, of tired %.3f", mat_value(slopes, TIRED, ANIMAL),
              mat_value(slopes, TIRED, TIRED));
}

// All wishes of this kind: row r is ds of the word's scores when it should receive what word r hands over.
static void all_wishes(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    Mat slopes = mat_new(arena, s->T, s->T);
    double off = 0.0;
    bool wanted = true;
    for (int r = 0; r < s->T; r++) {
        Wish wish = { h->wish.word, r, mat_rows(h->kept.p.v, r, 1) };
        Mat dw = mat_new(arena, s->T, s->T), ds = push_on_scores(arena, h, wish, dw);
        mat_set(mat_rows(slopes, r, 1), mat_rows(ds, wish.word, 1));
        double expected = mat_value(h->kept.weights, wish.word, r) * -2.0 * loss_of(h->out, wish);
        off = fmax(off, fabs(mat_value(slopes, r, r) - expected));
        wanted = wanted && *mat_ref(slopes, r, r) <= 1e-6f;
    }
    const char *word = s->words[h->wish.word];
    Heatmap map = { .values = slopes,
                    .row_labels = s->words,
                    .col_labels = s->words,
                    .colors = COLOR_DIVERGING,
                    .decimals = 2,
                    .bar_title = "ds: how fast the loss rises with the score" };
    map.title = arena_format(arena, "What each wish says of the scores of “%s”", word);
    map.row_title = arena_format(arena, "wish: “%s” receives what this word hands over", word);
    map.col_title = arena_format(arena, "score of “%s” with this key", word);
    figure_map(lesson, "wishes.png",
               arena_format(arena, "%d wish%s for \"%s\", and what each says of its scores", s->T,
                            s->T == 1 ? "" : "es", word),
               map);
    check(lesson, wanted && off <= 1e-5 * fmax(1.0, mat_magnitude(slopes)),
          "whichever word is wished for, ds of its own score is -w · |output - wish|²");
    check_wishes(lesson, h, slopes);
}

// In Wk and in Wv the row `alive` is a single 1, in a column `alive`: a word's life stands in its key and in its value.
static void two_paths(Lesson *lesson, const Head *h, HeadProjections to, Mat dx)
{
    enum { KEY_ALIVE = 3, VALUE_ALIVE = 0 };
    int other = h->wish.other;
    double key = mat_value(to.k, other, KEY_ALIVE), value = mat_value(to.v, other, VALUE_ALIVE);
    double both = mat_value(dx, other, column_index(lesson, "alive"));
    check(lesson, fabs(key + value - both) <= 1e-6 * fmax(1.0, mat_magnitude(dx)),
          "alive of %s counts twice, in its "
          "key and in its value: %.4f + %.4f = %.4f, as in step 1",
          lesson->sentence.words[other], key, value, both);
}

void one_head(Lesson *lesson, const Head *h, Mat dx)
{
    step(lesson, "One head backwards");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int word = h->wish.word, other = h->wish.other;
    Mat dout = loss_backward(arena, h->out, h->wish), dweights = mat_new(arena, s->T, s->T);
    Mat dscores = push_on_scores(arena, h, h->wish, dweights);
    show_row(lesson, h, dweights, dscores);

    HeadProjections to = gradients_of(arena, h->kept.p), parts = gradients_of(arena, h->kept.p);
    backward_attention(to, dout, h->kept.p, h->kept.weights, EVERYTHING);
    backward_attention_scores(parts.q, parts.k, dscores, h->kept.p.q, h->kept.p.k, EVERYTHING);
    check(lesson, mat_equal(to.q, parts.q) && mat_equal(to.k, parts.k),
          "backward_attention is its three passes, to the bit");

    Forward64 f = head_in_64(arena, h, false);
    Mat slopes[] = { differences(arena, f.q, &f), differences(arena, f.k, &f), differences(arena, f.v, &f) };
    Mat gradients[] = { to.q, to.k, to.v };
    const int shown[] = { word, other, other };
    const char *letters[] = { "q", "k", "v" };
    Rows rows = rows_of(lesson, "two ways to the same derivatives", NULL, HAND_MADE_WIDTH);
    rows.table.decimals = 4;
    rows.table.colors = COLOR_DIVERGING;
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
