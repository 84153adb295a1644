// Chapter 08, step 6. A hidden key gets no gradient.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

// How far output i moves when word j moves: the root of the sum of all (∂ outᵢ / ∂ xⱼ)².
static Mat influence(Lesson *lesson, const Head *h, Mask mask)
{
    Mat x = lesson->sentence.x, map = mat_new(lesson->arena, x.rows, x.rows);
    Arena *scratch = arena_open();
    Mat out = mat_new(scratch, x.rows, h->out.cols), dout = mat_new(scratch, x.rows, h->out.cols);
    Mat dx = mat_new(scratch, x.rows, x.cols);
    HeadWeights dw = gradients_of_weights(scratch, h->head.w);
    BackwardHeadKept kept = backward_keep_cross_attention(scratch, out, x, x, h->head.w, mask);
    for (int i = 0; i < x.rows; i++) {
        for (int c = 0; c < out.cols; c++) {
            mat_fill(dx, 0.0f);
            *mat_ref(dout, i, c) = 1.0f;
            backward_self_attention(dx, dw, dout, kept, h->head.w, mask);
            *mat_ref(dout, i, c) = 0.0f;
            for (int j = 0; j < x.rows; j++)
                *mat_ref(map, i, j) += dot_product(mat_row(dx, j), mat_row(dx, j), 1, x.cols);
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
static HeadProjections masked_gradients(Arena *arena, const Head *h, HeadProjections p, Mask mask)
{
    Mat out = mat_new(arena, p.q.rows, p.v.cols), weights = mat_new(arena, p.q.rows, p.k.rows);
    HeadProjections to = gradients_of(arena, p);
    attention_naive((Attended){ .out = out, .weights = weights }, p.q, p.k, p.v, mask);
    backward_attention(to, loss_backward(arena, out, h->wish), p, weights, mask);
    return to;
}

// The words from `first` on as filler at the end: does it matter to any gradient what their keys and values are?
static bool filler_is_felt(Arena *arena, const Head *h, int first)
{
    HeadProjections p = h->kept.p, spoilt = { p.q, mat_copy(arena, p.k), mat_copy(arena, p.v) };
    int filler = p.k.rows - first;
    mat_fill(mat_rows(spoilt.k, first, filler), NAN);
    mat_fill(mat_rows(spoilt.v, first, filler), NAN);
    HeadProjections clean = masked_gradients(arena, h, p, (Mask){ .padding = filler });
    HeadProjections other = masked_gradients(arena, h, spoilt, (Mask){ .padding = filler });
    return !mat_equal(clean.q, other.q) || !mat_equal(clean.k, other.k) || !mat_equal(clean.v, other.v);
}

void hidden_keys(Lesson *lesson, const Head *h, Mat dx_open)
{
    step(lesson, "A hidden key gets no gradient");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int first = h->wish.word + 1, later = s->T - first;
    Mat dx = mat_new(arena, s->T, s->x.cols);
    HeadProjections to = masked_gradients(arena, h, h->kept.p, CAUSAL);
    backward_project(dx, dx, gradients_of_weights(arena, h->head.w), to, s->x, s->x, h->head.w);
    say(lesson, "The causal mask, and the wish for word %d, %s. %d word%s after it.", h->wish.word,
        s->words[h->wish.word], later, later == 1 ? " comes" : "s come");
    check(lesson,
          all_zero(mat_rows(to.k, first, later)) && all_zero(mat_rows(to.v, first, later)) &&
              all_zero(mat_rows(dx, first, later)),
          "dk, dv and dx of the later words are exactly 0");
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
    int pairs = s->T * (s->T - 1) / 2;
    check(lesson, lower, "∂ output i / ∂ word j is exactly 0 for all %d pair%s with j > i", pairs,
          pairs == 1 ? "" : "s");
    check(lesson, mat_equal(mat_rows(open, s->T - 1, 1), mat_rows(causal, s->T - 1, 1)),
          "the last word sees all: its row is the one without a mask");
    if (!lesson->own_words)
        check(lesson, *mat_ref(open, 10, 1) > *mat_ref(open, 10, 10),
              "tired moves with animal by %.2f, with itself by %.2f", mat_value(open, 10, 1), mat_value(open, 10, 10));
    Heatmap map = { .row_labels = s->words,
                    .col_labels = s->words,
                    .row_title = "output i",
                    .col_title = "word j that moves",
                    .colors = COLOR_VIRIDIS,
                    .decimals = 1,
                    .bar_title = "|∂ out / ∂ x|",
                    .hidden_title = "exactly 0",
                    .high = fmax(mat_magnitude(open), mat_magnitude(causal)) };
    Heatmap maps[] = { map, map };
    maps[0].title = "no mask";
    maps[0].values = open;
    maps[0].hidden = exact_zeros(arena, open);
    maps[1].title = "causal";
    maps[1].values = causal;
    maps[1].hidden = exact_zeros(arena, causal);
    figure_maps(lesson, "influence.png", "how far each output moves with each word; hatched: exactly 0", NULL, maps, 2,
                2);
}
