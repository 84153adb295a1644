// Chapter 04. Self-attention: every word asks, and every word answers.
// Run build/chapters/04_self_attention with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "base/portable_math.h"
#include "lesson/hand_made.h"
#include "lesson/matrices.h"
#include "lesson/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The head as the flags want it: --set, --no-scale and --mask.
typedef struct {
    const char *set; // NULL: as it was made
    Mask mask;       // its scale is 1/√d, or 1; hides nothing but in 3 and 4
    bool changed;    // claims about the book's numbers do not apply
} Wanted;

typedef struct {
    HandMade head; // for the columns of lesson->embeddings
    Wanted wanted;
    HeadProjections p; // q, k, v of the sentence
    Mat scores, weights, out;
    int word; // whose row is explained
} Head;

// The book's own words, for steps that need particular ones, and the head for its table.
typedef struct {
    Lesson *words;
    HandMade head;
    Wanted wanted;
} Book;

// ---- --set

static int place_in(const char *const *names, int count, const char *name)
{
    for (int c = 0; c < count; c++)
        if (!strcmp(names[c], name)) return c;
    return -1;
}

// One "Wq.alive.alive=0": the element that it names becomes that number.
static void set_one(Lesson *lesson, HandMade *head, const char *text)
{
    static const char *const matrices[] = { "Wq", "Wk", "Wv" };
    char matrix[64], row[64], col[64], number[64], *end = number;
    float value = NAN;
    bool whole = sscanf(text, "%63[^.=].%63[^.=].%63[^.=]=%63[^\n]", matrix, row, col, number) == 4;
    if (whole) value = strtof(number, &end);
    if (!whole || end == number || *end || !(fabsf(value) <= 100.0f))
        lesson_misused(lesson->state,
                       "--set: found \"%.60s\"; a matrix, a row, a column and a number from -100 to 100 "
                       "are needed, such as Wq.alive.alive=0",
                       text);
    int m = place_in(matrices, 3, matrix), i = embeddings_column(&lesson->embeddings, row);
    if (m < 0) lesson_misused(lesson->state, "--set: found \"%s\"; the matrices are Wq, Wk and Wv", matrix);
    if (i < 0) lesson_misused(lesson->state, "--set: %s has no row \"%s\"; step 1 shows its rows", matrix, row);
    int j = place_in(m == 2 ? head->handed : head->asked, HAND_MADE_WIDTH, col);
    if (j < 0) lesson_misused(lesson->state, "--set: %s has no column \"%s\"; step 1 shows its columns", matrix, col);
    *mat_ref((Mat[]){ head->w.wq, head->w.wk, head->w.wv }[m], i, j) = value;
}

// The head made by hand, and what --set changes of it: one element after the other, with commas between them.
static HandMade head_wanted(Lesson *lesson, Wanted wanted)
{
    HandMade head = hand_made(lesson);
    for (const char *at = wanted.set; at;) {
        int length = (int)strcspn(at, ",");
        set_one(lesson, &head, arena_format(lesson->arena, "%.*s", length, at));
        at = at[length] ? at + length + 1 : NULL;
    }
    return head;
}

// The word of --word; without the flag, `it` where there is one, else the first.
static int word_to_explain(Lesson *lesson, const char *word)
{
    int place = sentence_find(&lesson->sentence, word ? word : "it");
    if (place < 0 && word) lesson_misused(lesson->state, "--word: the sentence has no \"%.60s\"", word);
    return place < 0 ? 0 : place;
}

static Head run_head(Lesson *lesson, int word, Wanted wanted)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    Head h = { .head = head_wanted(lesson, wanted), .wanted = wanted, .word = word };
    h.p = head_project(arena, x, x, h.head.w);
    h.scores = mat_new(arena, x.rows, x.rows);
    h.weights = mat_new(arena, x.rows, x.rows);
    h.out = mat_new(arena, x.rows, h.head.w.wv.cols);
    attention_scores(h.scores, h.p.q, h.p.k, wanted.mask);
    self_attention((Attended){ .out = h.out, .weights = h.weights }, x, h.head.w, wanted.mask);
    return h;
}

// ---- 1

// A sum grows by a term: its sign, when it is not the first, stands between the two.
static const char *with_term(Arena *arena, const char *sum, double number, const char *rest)
{
    const char *sign = !*sum ? "" : number < 0.0 ? " - " : " + ";
    return arena_format(arena, "%s%s%.2f%s", sum, sign, *sum ? fabs(number) : number, rest);
}

// What a word is, by its numbers that are not 0: "0.60 · noun + 0.50 · alive".
static const char *sum_of_parts(Lesson *lesson, Mat x)
{
    const char *text = "";
    for (int c = 0; c < x.cols; c++)
        if (*mat_ref(x, 0, c) != 0.0f)
            text = with_term(lesson->arena, text, mat_value(x, 0, c),
                             arena_format(lesson->arena, " · %s", lesson->embeddings.column[c]));
    return text;
}

// The same, a line for each.
static const char *list_of_parts(Lesson *lesson, Mat x)
{
    const char *text = "";
    for (int c = 0; c < x.cols; c++)
        if (*mat_ref(x, 0, c) != 0.0f)
            text = arena_format(lesson->arena, "%s%s%.2f %s", text, *text ? "\n" : "", mat_value(x, 0, c),
                                lesson->embeddings.column[c]);
    return text;
}

// x · W, read by rows: so much of row 0, so much of row 1, …
static Mat rows_mixed(Arena *arena, Mat x, Mat w)
{
    Mat mixed = mat_new(arena, 1, w.cols);
    for (int c = 0; c < w.rows; c++)
        for (int j = 0; j < w.cols; j++) *mat_ref(mixed, 0, j) += *mat_ref(x, 0, c) * *mat_ref(w, c, j);
    return mixed;
}

// Whole numbers are shown as such: the matrices as they were made.
static int decimals_for(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (*mat_ref(m, i, j) != floorf(*mat_ref(m, i, j))) return 2;
    return -1;
}

static void show_matrix(Lesson *lesson, const char *name, Mat m, const char *const *cols, ColorMap colors)
{
    show_table(lesson, (Table){ .name = name,
                                .values = m,
                                .rows = lesson->embeddings.column,
                                .cols = cols,
                                .decimals = decimals_for(m),
                                .colors = colors,
                                .given = true });
}

static void three_views(Lesson *lesson, const Head *h)
{
    step(lesson, "Three views of one word");
    Arena *arena = lesson->arena;
    show_matrix(lesson, "Wq: a word that is [row] asks for [column]", h->head.w.wq, h->head.asked, COLOR_DIVERGING);
    show_matrix(lesson, "Wk: a word that is [row] offers [column]", h->head.w.wk, h->head.asked, COLOR_VIRIDIS);
    show_matrix(lesson, "Wv: a word that is [row] hands over [column]", h->head.w.wv, h->head.handed, COLOR_VIRIDIS);

    const char *word = lesson->sentence.words[h->word];
    Mat x = mat_rows(lesson->sentence.x, h->word, 1), q = mat_rows(h->p.q, h->word, 1);
    say(lesson, "%s = %s", word, sum_of_parts(lesson, x));
    Rows asks = rows_of(lesson, arena_format(arena, "%s, as query and as key", word), h->head.asked, HAND_MADE_WIDTH);
    rows_add_from(&asks, h->p.q, h->word, "query: asks for");
    rows_add_from(&asks, h->p.k, h->word, "key: offers");
    show_rows(lesson, &asks);
    Rows gives = rows_of(lesson, arena_format(arena, "%s, as value", word), h->head.handed, HAND_MADE_WIDTH);
    rows_add_from(&gives, h->p.v, h->word, "value: hands over");
    show_rows(lesson, &gives);
    double off = mat_max_difference(rows_mixed(arena, x, h->head.w.wq), q);
    check(lesson, off <= 1e-6 * fmax(1.0, mat_magnitude(q)),
          "the query adds up rows of Wq, in the amounts that %s has of each", word);
}

// ---- 2

static float score_of(Mat q, Mat k, int i, int j, Mask mask)
{
    return dot_product(mat_row(q, i), mat_row(k, j), 1, q.cols) * mask_scale(mask, q.cols);
}

static bool symmetric(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < i; j++)
            if (*mat_ref(m, i, j) != *mat_ref(m, j, i)) return false;
    return true;
}

// X (Wq Wkᵀ) Xᵀ / √d: the scores, with one matrix of D × D in place of two thin ones.
static Mat scores_by_one_matrix(Arena *arena, Mat x, HeadWeights w, Mask mask)
{
    Mat one = mat_new(arena, x.cols, x.cols), asked = mat_new(arena, x.rows, x.cols);
    Mat scores = mat_new(arena, x.rows, x.rows);
    matmul_transposed(one, w.wq, w.wk);
    matmul(asked, x, one);
    matmul_transposed(scores, asked, x);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.rows; j++) *mat_ref(scores, i, j) *= mask_scale(mask, w.wq.cols);
    return scores;
}

// How two words score each other without matrices, with one matrix for both sides, and with two.
static void both_directions(Lesson *lesson, const Book *book)
{
    enum { TIRED, ANIMAL };
    static const char *const cols[] = { "tired → animal", "animal → tired" };
    static const char *const names[] = { "no matrix", "Wk for both", "Wq and Wk" };
    Mat pair = book_sentence(lesson, "tired animal").x;
    HeadProjections p = head_project(lesson->arena, pair, pair, book->head.w);
    Mat asks[] = { pair, p.k, p.q }, offers[] = { pair, p.k, p.k };
    Rows rows = rows_of(lesson, "scores of two words", cols, 2);
    double there = 0.0, back = 0.0;
    for (int r = 0; r < 3; r++) {
        there = (double)score_of(asks[r], offers[r], TIRED, ANIMAL, book->wanted.mask);
        back = (double)score_of(asks[r], offers[r], ANIMAL, TIRED, book->wanted.mask);
        rows_add(&rows, ROW(there, back), "%s", names[r]);
    }
    show_rows(lesson, &rows);
    if (!book->wanted.changed)
        check(lesson, there > 1.5 * back, "tired asks for animal at %.2f, animal for tired at %.2f", there, back);
}

static void why_three(Lesson *lesson, const Head *h, const Book *book)
{
    step(lesson, "Why three matrices");
    Mat x = lesson->sentence.x, same = mat_new(lesson->arena, x.rows, x.rows);
    attention_scores(same, h->p.k, h->p.k, h->wanted.mask);
    check(lesson, symmetric(same), "with Wk in place of Wq, every score is the same in both directions");
    both_directions(lesson, book);

    int noun = column_index(lesson, "noun");
    if (!h->wanted.changed)
        check(lesson,
              mat_sum(mat_rows(h->head.w.wk, noun, 1)) == 1.0 && mat_sum(mat_rows(h->head.w.wv, noun, 1)) == 0.0,
              "a noun is found as a noun (Wk) and does not hand that over (Wv)");
    double off = mat_max_difference(scores_by_one_matrix(lesson->arena, x, h->head.w, h->wanted.mask), h->scores);
    check(lesson, off <= 1e-5 * fmax(1.0, mat_magnitude(h->scores)), "X (Wq Wkᵀ) Xᵀ%s gives the same scores",
          h->wanted.mask.scale == 0.0f ? " / √d" : "");
    enum { D = 512, d = 64 };
    say(lesson, "At D = %d and d = %d that matrix holds D² = %d numbers; Wq and Wk hold 2·D·d = %d.", D, d, D * D,
        2 * D * d);
}

// ---- 3

// `it` in two sentences that differ in one word. The name of the column that differs is left open.
static void a_limit(Lesson *lesson, const Book *book)
{
    enum { ANIMAL = 1, STREET = 5, IT = 7, QUALITY = 10, COUNT = 11 };
    Arena *arena = lesson->arena;
    static const char *const text[] = { "The animal didn't cross the street because it was too tired",
                                        "The animal didn't cross the street because it was too wide" };
    static const char *const rows[] = { "… tired", "… wide" };
    HeadWeights w = book->head.w;
    Mask mask = book->wanted.mask;
    Mat of_it = mat_new(arena, 2, COUNT), hidden = mat_new(arena, 2, COUNT);
    float animal[2], street[2]; // the scores of `it` with the two nouns
    int finds[2];               // the noun that the quality looks at
    const char *names[COUNT];
    for (int r = 0; r < 2; r++) {
        Sentence s = book_sentence(lesson, text[r]);
        HeadProjections p = head_project(arena, s.x, s.x, w);
        Mat out = mat_new(arena, COUNT, w.wv.cols), weights = mat_new(arena, COUNT, COUNT);
        attention_naive((Attended){ .out = out, .weights = weights }, p.q, p.k, p.v, mask);
        mat_set(mat_rows(of_it, r, 1), mat_rows(weights, IT, 1));
        mat_set(mat_rows(hidden, r, 1), mat_rows(mat_hidden(arena, mask, COUNT, COUNT), IT, 1));
        animal[r] = score_of(p.q, p.k, IT, ANIMAL, mask);
        street[r] = score_of(p.q, p.k, IT, STREET, mask);
        finds[r] = mat_argmax(weights, QUALITY);
        memcpy(names, s.words, sizeof names);
    }
    names[QUALITY] = "…";
    show_table(lesson, (Table){ .name = "what it attends to, in two sentences",
                                .values = of_it,
                                .hidden = hidden,
                                .rows = rows,
                                .cols = names });
    if (!book->wanted.changed)
        check(lesson, mat_argmax(of_it, 0) == ANIMAL && mat_argmax(of_it, 1) == ANIMAL,
              "it attends most to animal in both: tired or wide does not change its mind");
    check(lesson, animal[0] == animal[1] && street[0] == street[1],
          "its scores with animal and street are %.2f and "
          "%.2f in both, to the bit",
          (double)animal[0], (double)street[0]);
    if (!book->wanted.changed)
        check(lesson, finds[0] == ANIMAL && finds[1] == STREET, "tired looks most at animal, wide at street");
}

// ---- the way of one word through the head, as a picture

// Column j of a row turned upright: row `i` of m as (cols, 1).
static Mat upright(Arena *arena, Mat m, int i)
{
    Mat column = mat_new(arena, m.cols, 1);
    for (int j = 0; j < m.cols; j++) *mat_ref(column, j, 0) = *mat_ref(m, i, j);
    return column;
}

// Without its zeros, which would only be in the way: NaN leaves a cell empty.
static Mat without_zeros(Arena *arena, Mat m)
{
    Mat rest = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (*mat_ref(m, i, j) == 0.0f) *mat_ref(rest, i, j) = NAN;
    return rest;
}

enum { X, Q, ALL, K, V, SCORES, WEIGHTS, OUT, BOXES };

static double middle_of(Arena *arena, const DiagramBox *box)
{
    CanvasRect at = diagram_box(arena, box);
    return at.y + at.height / 2;
}

// How far the middle of one box lies to the right of another's.
static double right_of(Arena *arena, const DiagramBox *box, const DiagramBox *other)
{
    CanvasRect at = diagram_box(arena, box), from = diagram_box(arena, other);
    return at.x + at.width / 2 - (from.x + from.width / 2);
}

static void put_level_with(Arena *arena, DiagramBox *box, double middle)
{
    box->at.y += middle - middle_of(arena, box);
}

// However many words there are, V stays under K, and arrows between neighbours stay level.
static void put_in_place(Arena *arena, DiagramBox *boxes)
{
    double x = middle_of(arena, &boxes[X]), q = middle_of(arena, &boxes[Q]);
    put_level_with(arena, &boxes[x > q ? Q : X], fmax(x, q));
    CanvasRect above = diagram_box(arena, &boxes[Q]), word = diagram_box(arena, &boxes[X]);
    boxes[K].at.y = fmax(fmax(above.y + above.height + 42, word.y + word.height + 20), 130);
    CanvasRect keys = diagram_box(arena, &boxes[K]);
    boxes[V].at.y = keys.y + keys.height + 30;
    double scores = middle_of(arena, &boxes[K]), values = middle_of(arena, &boxes[V]);
    put_level_with(arena, &boxes[SCORES], scores);
    put_level_with(arena, &boxes[WEIGHTS], scores);
    put_level_with(arena, &boxes[OUT], values);
    put_level_with(arena, &boxes[ALL], (scores + values) / 2);
}

static void draw_pipeline(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->word];
    Mat scores = upright(arena, h->scores, h->word), weights = upright(arena, h->weights, h->word);
    for (int j = 0; j < s->T; j++) // what a mask hides is left empty
        if (!isfinite(*mat_ref(scores, j, 0))) *mat_ref(scores, j, 0) = *mat_ref(weights, j, 0) = NAN;
    DiagramBox boxes[BOXES] = {
        [X] = { .at = { 0, 0, 110, 0 },
                .title = arena_format(arena, "x of %s", word),
                .lines = list_of_parts(lesson, mat_rows(s->x, h->word, 1)),
                .color = COLOR_MARK },
        [Q] = { .at = { 170, 0, 0, 0 },
                .title = arena_format(arena, "q: what %s asks for", word),
                .values = mat_rows(h->p.q, h->word, 1),
                .decimals = 2,
                .cols = h->head.asked,
                .color = COLOR_MARK },
        [ALL] = { .at = { 0, 0, 110, 0 },
                  .title = "X",
                  .lines = arena_format(arena, "%d words,\n%d numbers each", s->T, s->x.cols) },
        [K] = { .at = { 170, 0, 0, 0 },
                .title = "K: what the words offer",
                .decimals = 1,
                .color = COLOR_SERIES[0],
                .values = without_zeros(arena, h->p.k),
                .rows = s->words,
                .cols = h->head.asked },
        [V] = { .at = { 170, 0, 0, 0 },
                .title = "V: what they hand over",
                .decimals = 1,
                .color = COLOR_SERIES[1],
                .values = without_zeros(arena, h->p.v),
                .rows = s->words,
                .cols = h->head.handed },
        [SCORES] = { .at = { 588, 0, 0, 0 }, .title = "scores", .values = scores, .decimals = 2, .rows = s->words },
        [WEIGHTS] = { .at = { 800, 0, 0, 0 },
                      .title = "weights",
                      .values = weights,
                      .decimals = 2,
                      .rows = s->words,
                      .shaded = true,
                      .low = 0.0,
                      .high = 0.6 },
        [OUT] = { .at = { 630, 0, 0, 0 },
                  .title = arena_format(arena, "output: what %s receives", word),
                  .values = mat_rows(h->out, h->word, 1),
                  .decimals = 2,
                  .cols = h->head.handed,
                  .marked = true },
    };
    put_in_place(arena, boxes);
    const DiagramArrow arrows[] = {
        { .from = X, .to = Q, .label = "Wq" },
        { .from = ALL, .to = K, .label = "Wk", .leaves = DIAGRAM_TOP, .enters = DIAGRAM_LEFT, .bend = 1 },
        { .from = ALL, .to = V, .label = "Wv", .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_LEFT, .bend = 1 },
        { .from = Q, .to = SCORES, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_TOP, .bend = 1 },
        { .from = K, .to = SCORES, .label = h->wanted.mask.scale == 0.0f ? "q · k / √d" : "q · k" },
        { .from = SCORES, .to = WEIGHTS, .label = "softmax" },
        { .from = WEIGHTS,
          .to = OUT,
          .leaves = DIAGRAM_BOTTOM,
          .enters = DIAGRAM_TOP,
          .label = "Σ w v",
          .to_shift = right_of(arena, &boxes[WEIGHTS], &boxes[OUT]) },
        { .from = V, .to = OUT },
    };
    figure_diagram(lesson, "pipeline.png", arena_format(arena, "the whole way of %s through the head", word),
                   (Diagram){ .title = arena_format(arena, "One word through the head: %s", word),
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = 8 });
}

// The score and the weight of one query and one key, worked out with their numbers.
static void by_hand(Lesson *lesson, const Head *h, int i, int j)
{
    Arena *arena = lesson->arena;
    const char *products = "", *key = lesson->sentence.words[j];
    double sum = 0.0, all = 0.0, scale = (double)mask_scale(h->wanted.mask, h->p.q.cols);
    for (int c = 0; c < h->p.q.cols; c++) {
        double q = mat_value(h->p.q, i, c), k = mat_value(h->p.k, j, c);
        sum += q * k;
        if (q * k != 0.0) products = with_term(arena, products, q, arena_format(arena, " · %.2f", k));
    }
    bool scaled = h->wanted.mask.scale == 0.0f; // by 1/√d
    const char *score_text = arena_format(arena, scaled ? "%.2f / √%d" : "%.2f", sum, h->p.q.cols);
    const char *divided = scaled ? arena_format(arena, ", and %s = %.2f", score_text, sum * scale) : "";
    double score = mat_value(h->scores, i, j), weight = mat_value(h->weights, i, j);
    check(lesson, fabs(sum * scale - score) <= 1e-5 * fmax(1.0, fabs(sum)), "the score of %s: %s = %.2f%s", key,
          *products ? products : "no column in common", sum, divided);
    for (int t = 0; t < h->scores.cols; t++) all += exp(mat_value(h->scores, i, t));
    if (all < 1e4) // larger ones are no numbers to check by hand
        check(lesson, fabs(exp(score) / all - weight) < 1e-5,
              "its weight: exp(%s) = %.2f, of %.2f in the row, "
              "is %.2f",
              score_text, exp(score), all, weight);
}

static void at_work(Lesson *lesson, const Head *h, const Book *book)
{
    step(lesson, "One head at work");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->word];
    int best = mat_argmax(h->weights, h->word);
    Mat hidden = mat_hidden(arena, h->wanted.mask, s->T, s->T);
    show_table(lesson,
               (Table){
                   .name = "weights", .values = h->weights, .hidden = hidden, .rows = s->words, .cols = s->words });
    say(lesson, "%s attends most to %s: %.2f.", word, s->words[best], mat_value(h->weights, h->word, best));
    by_hand(lesson, h, h->word, best);

    Rows gifts = rows_of(lesson, arena_format(arena, "%s: its own value, and its output", word), h->head.handed,
                         HAND_MADE_WIDTH);
    gifts.table.given_rows = 1; // it was shown in step 1
    rows_add_from(&gifts, h->p.v, h->word, "hands over");
    rows_add_from(&gifts, h->out, h->word, "receives");
    show_rows(lesson, &gifts);
    Mat mixed = mat_new(arena, 1, h->out.cols);
    matmul(mixed, mat_rows(h->weights, h->word, 1), h->p.v);
    check(lesson, mat_max_difference(mixed, mat_rows(h->out, h->word, 1)) <= 1e-6 * fmax(1.0, mat_magnitude(h->p.v)),
          "what %s receives is its row of weights times V", word);

    draw_pipeline(lesson, h);
    Heatmap map = map_of_weights("One head, made by hand", h->weights, s, s);
    map.high = 0.0; // from the values: a weight of 1 does not occur here
    if (h->wanted.mask.causal) map.hidden = hidden;
    map.mark_row = h->word + 1;
    map.mark_col = best + 1;
    figure_map(lesson, "weights.png", arena_format(arena, "the weights; the largest of %s is framed", word), map);
    a_limit(lesson, book);
}

// ---- 4

// The arrows that leave the word that is explained, and beside them those that end at the word that gets most.
static void draw_graph(Lesson *lesson, const Head *h, int most)
{
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->word], *wanted = s->words[most];
    const Links panels[] = {
        { .title = arena_format(lesson->arena, "whom %s looks at", word),
          .weights = h->weights,
          .queries = s->words,
          .keys = s->words,
          .row = h->word + 1 },
        { .title = arena_format(lesson->arena, "who looks at %s", wanted),
          .weights = h->weights,
          .queries = s->words,
          .keys = s->words,
          .col = most + 1 },
    };
    figure_links(lesson, "graph.png",
                 arena_format(lesson->arena, "the arrows that leave %s, and those that end at %s", word, wanted),
                 "A row of the table, and a column", panels, 2);
}

static void a_graph(Lesson *lesson, const Head *h)
{
    step(lesson, "The same table as a graph");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    Mat ones = mat_new(arena, 1, s->T), into = mat_new(arena, 1, s->T);
    double worst = 0.0;
    for (int i = 0; i < s->T; i++) worst = fmax(worst, fabs(mat_sum(mat_rows(h->weights, i, 1)) - 1.0));
    mat_fill(ones, 1.0f);
    matmul(into, ones, h->weights);
    static const char *const rows[] = { "sum" };
    check(lesson, worst <= 1e-6, "the arrows that leave a word sum to 1, for all %d words", s->T);
    show_table(lesson, (Table){ .name = "the arrows that end at each word, added up",
                                .values = into,
                                .rows = rows,
                                .cols = s->words });
    check(lesson, fabs(mat_sum(into) - s->T) <= 1e-6 * s->T,
          "together they sum to %d: a word gives 1, and may receive "
          "more or less",
          s->T);
    draw_graph(lesson, h, mat_argmax(into, 0));
}

// ---- 5

static Mat rows_in_order(Arena *arena, Mat m, const int *order)
{
    Mat to = mat_new(arena, m.rows, m.cols);
    for (int i = 0; i < m.rows; i++) mat_set(mat_rows(to, i, 1), mat_rows(m, order[i], 1));
    return to;
}

static void shuffled(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int *order = arena_alloc(arena, (size_t)s->T * sizeof *order);
    for (int i = 0; i < s->T; i++) order[i] = i;
    random_shuffle(&lesson->random, order, s->T);
    const char *text = "";
    for (int i = 0; i < s->T; i++) text = arena_format(arena, "%s %s", text, s->words[order[i]]);
    say(lesson, "shuffled:%s", text);

    Mat out = mat_new(arena, s->T, h->out.cols);
    self_attention((Attended){ .out = out }, rows_in_order(arena, s->x, order), h->head.w, h->wanted.mask);
    double off = mat_max_difference(out, rows_in_order(arena, h->out, order));
    double largest = mat_magnitude(h->p.v);
    check(lesson, off <= 1e-6 * fmax(1.0, largest), "every word receives what it received before, within %s",
          largest <= 1.0 ? "1e-6" : "1e-6 of the largest value");
    float left = (0.1f + 0.1f) + 0.5f, right = 0.1f + (0.1f + 0.5f);
    check(lesson, left != right,
          "another order may change the last bit: in float32 (0.1 + 0.1) + 0.5 is %.8f, "
          "0.1 + (0.1 + 0.5) is %.8f",
          (double)left, (double)right);
}

static void dog_and_cat(Lesson *lesson, const Book *book)
{
    enum { COUNT = 5 };
    Arena *arena = lesson->arena;
    static const int place[COUNT] = { 0, 4, 2, 3, 1 }; // of the first sentence's words in the second
    static const char *const text[] = { "the dog followed the cat", "the cat followed the dog" };
    const HandMade head = book->head;
    Rows of_dog = rows_of(lesson, "what dog receives", head.handed, HAND_MADE_WIDTH);
    Mat out[2];
    for (int r = 0; r < 2; r++) {
        out[r] = mat_new(arena, COUNT, HAND_MADE_WIDTH);
        self_attention((Attended){ .out = out[r] }, book_sentence(lesson, text[r]).x, head.w, book->wanted.mask);
        rows_add_from(&of_dog, out[r], r ? place[1] : 1, "%s", text[r]);
    }
    show_rows(lesson, &of_dog);
    double off = mat_max_difference(out[0], rows_in_order(arena, out[1], place));
    check(lesson, off <= 1e-6 * fmax(1.0, mat_magnitude(out[0])),
          "so does every other word: who followed whom is lost");
}

static void order_is_invisible(Lesson *lesson, const Head *h, const Book *book)
{
    step(lesson, "Shuffle the words");
    shuffled(lesson, h);
    dog_and_cat(lesson, book);
}

// ---- 6

static void what_it_costs(Lesson *lesson, const Head *h)
{
    step(lesson, "What it costs");
    Arena *arena = lesson->arena;
    HeadWeights w = h->head.w;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, h->out.cols);
    int T = x.rows, D = x.cols, d = w.wq.cols, dv = w.wv.cols;
    cost(lesson, "parameters", w.wq.rows * w.wq.cols + w.wk.rows * w.wk.cols + w.wv.rows * w.wv.cols,
         arena_format(arena, "D·(2d + dv) = %d·(2·%d + %d)", D, d, dv), D * (2 * d + dv));

    Cost before = cost_counted;
    HeadProjections p = head_project(arena, x, x, w);
    cost(lesson, "multiplications for Q, K and V", cost_since(before).multiplies,
         arena_format(arena, "T·D·(2d + dv) = %d·%d·%d", T, D, 2 * d + dv), (int64_t)T * D * (2 * d + dv));
    before = cost_counted;
    attention_naive((Attended){ .out = out }, p.q, p.k, p.v, h->wanted.mask);
    cost(lesson, "multiplications for scores and outputs", cost_since(before).multiplies,
         arena_format(arena, "T²·(d + dv) = %d²·(%d + %d)", T, d, dv), (int64_t)T * T * (d + dv));
    say(lesson, "With d = dv the two are equal at T = 3·D/2: at %d words for D = %d, at %d for D = %d.", 3 * D / 2, D,
        3 * 512 / 2, 512);
}

int main(int argc, char **argv)
{
    static const char *const masks[] = { "all", "causal", NULL };
    const char *word = NULL;
    Wanted wanted = { .set = NULL };
    bool unscaled = false;
    int causal = 0;
    Flag flags[] = {
        flag_text("word", &word, "WORD", "the word of the sentence that is explained (default it)"),
        flag_text("set", &wanted.set, "M.ROW.COL=X,…", "other numbers in the matrices, such as Wq.alive.alive=0"),
        flag_switch("no-scale", &unscaled, "leave the √d out of all scores"),
        flag_choice("mask", &causal, masks, NULL,
                    "the mask of steps 3 and 4, and of what --dump writes (default all: "
                    "no key is hidden)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 4, "Self-attention", flags, 4), words = lesson;
    lesson_steps(&lesson, 6);
    embeddings_of_the_book(&words.embeddings, lesson.arena);
    wanted.mask.scale = unscaled ? 1.0f : 0.0f; // 0: 1/√d
    wanted.changed = unscaled || wanted.set;
    Head head = run_head(&lesson, word_to_explain(&lesson, word), wanted);
    Book book = { &words, head_wanted(&words, wanted), wanted };
    wanted.mask.causal = causal;
    Head seen = run_head(&lesson, head.word, wanted);
    Book masked = { &words, book.head, wanted };

    three_views(&lesson, &head);
    why_three(&lesson, &head, &book);
    at_work(&lesson, &seen, &masked);
    a_graph(&lesson, &seen);
    order_is_invisible(&lesson, &head, &book);
    what_it_costs(&lesson, &head);
    trace_heads(lesson.trace, (TraceHeads){ .x = lesson.sentence.x,
                                            .q = seen.p.q,
                                            .k = seen.p.k,
                                            .v = seen.p.v,
                                            .scores = seen.scores,
                                            .weights = seen.weights,
                                            .heads = seen.out });
    trace_mat(lesson.trace, "wq", head.head.w.wq);
    trace_mat(lesson.trace, "wk", head.head.w.wk);
    trace_mat(lesson.trace, "wv", head.head.w.wv);
    return lesson_close(&lesson);
}
