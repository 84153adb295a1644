// Chapter 04. Self-attention: every word asks, and every word answers.
// Run build/chapters/04_self_attention with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "lesson/hand_made.h"
#include "lesson/matrices.h"

#include <math.h>
#include <string.h>

static const Mask EVERYTHING = { 0 };                          // hides nothing (chapter 05)

typedef struct {
    HandMade  head;                                            // for the columns of lesson->embeddings
    Projected p;                                               // q, k, v of the sentence
    Mat       scores, weights, out;
    int       word;                                            // whose row is explained
} Head;

// The word of --word; without the flag, `it` where there is one, else the first.
static int word_to_explain(Lesson *lesson, const char *word)
{
    int place = sentence_place(&lesson->sentence, word ? word : "it");
    if (place < 0 && word) lesson_misused(lesson->state, "--word: the sentence has no \"%.60s\"", word);
    return place < 0 ? 0 : place;
}

static Head run_head(Lesson *lesson, int word)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    Head h = { .head = hand_made(lesson), .word = word };
    h.p = project(arena, x, x, h.head.w);
    h.scores = mat_new(arena, x.rows, x.rows);
    h.weights = mat_new(arena, x.rows, x.rows);
    h.out = mat_new(arena, x.rows, h.head.w.wv.cols);
    attention_scores(h.scores, h.p.q, h.p.k, EVERYTHING);
    self_attention((Attended){ .out = h.out, .weights = h.weights }, x, h.head.w, EVERYTHING);
    return h;
}

// ---- 1

// "0.60 · noun + 0.50 · alive": the rows of Wq that a word picks, and how much of each.
static const char *recipe(Lesson *lesson, Mat x)
{
    const char *text = "";
    for (int c = 0; c < x.cols; c++)
        if (*mat_ref(x, 0, c) != 0.0f)
            text = arena_format(lesson->arena, "%s%s%.2f · %s", text, *text ? " + " : "", mat_value(x, 0, c),
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

static void three_views(Lesson *lesson, const Head *h)
{
    step(lesson, "Three views of one word");
    Arena *arena = lesson->arena;
    const Embeddings *e = &lesson->embeddings;
    show_table(lesson, (Table){ .name = "Wq: a word that is [row] asks for [column]", .values = h->head.w.wq,
                                .rows = e->column, .cols = h->head.asked, .decimals = -1, .colors = DIVERGING });

    enum { WIDE = 2 * HAND_MADE_WIDTH };
    Mat both = mat_new(arena, e->D, WIDE);
    const char *names[WIDE];
    mat_set(mat_cols(both, 0, HAND_MADE_WIDTH), h->head.w.wk);
    mat_set(mat_cols(both, HAND_MADE_WIDTH, HAND_MADE_WIDTH), h->head.w.wv);
    memcpy(names, h->head.asked, sizeof names / 2);
    memcpy(names + HAND_MADE_WIDTH, h->head.handed, sizeof names / 2);
    show_table(lesson, (Table){ .name = "Wk, what a word offers, and beside it Wv, what it hands over", .values = both,
                                .rows = e->column, .cols = names, .decimals = -1 });

    const char *word = lesson->sentence.words[h->word];
    Mat x = mat_rows(lesson->sentence.x, h->word, 1), q = mat_rows(h->p.q, h->word, 1);
    say(lesson, "%s = %s", word, recipe(lesson, x));
    Rows asks = rows_of(lesson, arena_format(arena, "%s, as query and as key", word), h->head.asked, HAND_MADE_WIDTH);
    rows_add_from(&asks, h->p.q, h->word, "query: asks for");
    rows_add_from(&asks, h->p.k, h->word, "key: offers");
    show_rows(lesson, &asks);
    Rows gives = rows_of(lesson, arena_format(arena, "%s, as value", word), h->head.handed, HAND_MADE_WIDTH);
    rows_add_from(&gives, h->p.v, h->word, "value: hands over");
    show_rows(lesson, &gives);
    double off = mat_max_difference(rows_mixed(arena, x, h->head.w.wq), q);
    check(lesson, off <= 1e-6 * fmax(1.0, mat_magnitude(q)),
          "the query is a mixture of rows of Wq, in the amounts that %s has of each", word);
}

// ---- 2

static float score_of(Mat q, Mat k, int i, int j)
{
    return dot(mat_row(q, i), mat_row(k, j), 1, q.cols) / sqrtf((float)q.cols);
}

static bool symmetric(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < i; j++)
            if (*mat_ref(m, i, j) != *mat_ref(m, j, i)) return false;
    return true;
}

// x (Wq Wkᵀ) xᵀ / √d: the scores, with one matrix of D × D in the place of two thin ones.
static Mat scores_by_one_matrix(Arena *arena, Mat x, HeadWeights w)
{
    Mat one = mat_new(arena, x.cols, x.cols), asked = mat_new(arena, x.rows, x.cols);
    Mat scores = mat_new(arena, x.rows, x.rows);
    matmul_transposed(one, w.wq, w.wk);
    matmul(asked, x, one);
    matmul_transposed(scores, asked, x);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.rows; j++) *mat_ref(scores, i, j) /= sqrtf((float)w.wq.cols);
    return scores;
}

// How two words score each other without matrices, with one matrix for both sides, and with two.
static void both_directions(Lesson *lesson, Lesson *book)
{
    enum { TIRED, ANIMAL };
    static const char *const cols[] = { "tired → animal", "animal → tired" };
    static const char *const names[] = { "no matrix", "Wk for both", "Wq and Wk" };
    Mat pair = book_sentence(lesson, "tired animal").x;
    Projected p = project(lesson->arena, pair, pair, hand_made(book).w);
    Mat asks[] = { pair, p.k, p.q }, offers[] = { pair, p.k, p.k };
    Rows rows = rows_of(lesson, "scores of two words", cols, 2);
    double there = 0.0, back = 0.0;
    for (int r = 0; r < 3; r++) {
        there = (double)score_of(asks[r], offers[r], TIRED, ANIMAL);
        back = (double)score_of(asks[r], offers[r], ANIMAL, TIRED);
        rows_add(&rows, ROW(there, back), "%s", names[r]);
    }
    show_rows(lesson, &rows);
    check(lesson, there > 1.5 * back, "tired asks for animal at %.2f, animal for tired at %.2f", there, back);
}

static void why_three(Lesson *lesson, const Head *h, Lesson *book)
{
    step(lesson, "Why three matrices");
    Mat x = lesson->sentence.x, same = mat_new(lesson->arena, x.rows, x.rows);
    attention_scores(same, h->p.k, h->p.k, EVERYTHING);
    check(lesson, symmetric(same), "with Wk in the place of Wq, every score is the same in both directions");
    both_directions(lesson, book);

    int noun = column_index(lesson, "noun");
    check(lesson, mat_sum(mat_rows(h->head.w.wk, noun, 1)) == 1.0 && mat_sum(mat_rows(h->head.w.wv, noun, 1)) == 0.0,
          "a noun is found as a noun (Wk) and does not hand that over (Wv)");
    double off = mat_max_difference(scores_by_one_matrix(lesson->arena, x, h->head.w), h->scores);
    check(lesson, off <= 1e-5 * fmax(1.0, mat_magnitude(h->scores)), "x (Wq Wkᵀ) xᵀ / √d gives the same scores");
    enum { D = 512, d = 64 };
    say(lesson, "At D = %d and d = %d that matrix holds D² = %d numbers; Wq and Wk hold 2·D·d = %d.", D, d, D * D,
        2 * D * d);
}

// ---- 3

// `it` in two sentences that differ in one word. The name of the column that differs is left open.
static void a_limit(Lesson *lesson, Lesson *book)
{
    enum { ANIMAL = 1, STREET = 5, IT = 7, QUALITY = 10, COUNT = 11 };
    Arena *arena = lesson->arena;
    static const char *const text[] = { "The animal didn't cross the street because it was too tired",
                                        "The animal didn't cross the street because it was too wide" };
    static const char *const rows[] = { "… tired", "… wide" };
    HeadWeights w = hand_made(book).w;
    Mat of_it = mat_new(arena, 2, COUNT);
    float score[2];
    int finds[2];                                              // the noun that the quality looks at
    const char *names[COUNT];
    for (int r = 0; r < 2; r++) {
        Sentence s = book_sentence(lesson, text[r]);
        Projected p = project(arena, s.x, s.x, w);
        Mat out = mat_new(arena, COUNT, w.wv.cols), weights = mat_new(arena, COUNT, COUNT);
        attention_naive((Attended){ .out = out, .weights = weights }, p.q, p.k, p.v, EVERYTHING);
        mat_set(mat_rows(of_it, r, 1), mat_rows(weights, IT, 1));
        score[r] = score_of(p.q, p.k, IT, ANIMAL);
        finds[r] = mat_argmax(weights, QUALITY);
        memcpy(names, s.words, sizeof names);
    }
    names[QUALITY] = "…";
    show_table(lesson, (Table){ .name = "what it attends to, in two sentences", .values = of_it, .rows = rows,
                                .cols = names });
    check(lesson, mat_argmax(of_it, 0) == ANIMAL && mat_argmax(of_it, 1) == ANIMAL,
          "it attends most to animal in both: tired or wide does not change its mind");
    check(lesson, score[0] == score[1], "its score with animal is %.2f in both, to the bit", (double)score[0]);
    check(lesson, finds[0] == ANIMAL && finds[1] == STREET, "tired looks most at animal, wide at street");
}

static void at_work(Lesson *lesson, const Head *h, Lesson *book)
{
    step(lesson, "One head at work");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->word];
    int best = mat_argmax(h->weights, h->word);
    show_table(lesson, (Table){ .name = "weights", .values = h->weights, .rows = s->words, .cols = s->words });
    say(lesson, "%s attends most to %s: %.2f.", word, s->words[best], mat_value(h->weights, h->word, best));

    Rows gifts = rows_of(lesson, arena_format(arena, "%s: its own value, and its output", word), h->head.handed,
                         HAND_MADE_WIDTH);
    rows_add_from(&gifts, h->p.v, h->word, "hands over");
    rows_add_from(&gifts, h->out, h->word, "receives");
    show_rows(lesson, &gifts);
    Mat mixed = mat_new(arena, 1, h->out.cols);
    matmul(mixed, mat_rows(h->weights, h->word, 1), h->p.v);
    check(lesson, mat_max_difference(mixed, mat_rows(h->out, h->word, 1)) <= 1e-6 * fmax(1.0, mat_magnitude(h->p.v)),
          "what %s receives is its row of weights times V", word);

    HeatMap map = map_of_weights("One head, made by hand", h->weights, s, s);
    map.high = 0.0;                                            // from the values: a weight of 1 does not occur here
    map.mark_row = h->word + 1;
    map.mark_col = best + 1;
    figure_map(lesson, "weights.png", arena_format(arena, "the weights; the largest of %s is framed", word),
               map);
    a_limit(lesson, book);
}

// ---- 4

// The arrows that leave the word that is explained, and beside them those that end at the word that gets most.
static void draw_graph(Lesson *lesson, const Head *h, int most)
{
    const Sentence *s = &lesson->sentence;
    const char *word = s->words[h->word], *wanted = s->words[most];
    const Links panels[] = {
        { .title = arena_format(lesson->arena, "whom %s looks at", word), .weights = h->weights, .queries = s->words,
          .keys = s->words, .row = h->word + 1 },
        { .title = arena_format(lesson->arena, "who looks at %s", wanted), .weights = h->weights, .queries = s->words,
          .keys = s->words, .col = most + 1 },
    };
    figure_links(lesson, "graph.png",
                 arena_format(lesson->arena, "the arrows that leave %s, and those that end at %s", word, wanted),
                 "A row of the table, and a column", panels, 2);
}

static void a_graph(Lesson *lesson, const Head *h, float least)
{
    step(lesson, "The same table as a graph");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    Mat ones = mat_new(arena, 1, s->T), into = mat_new(arena, 1, s->T);
    double worst = 0.0;
    int drawn = 0;
    for (int i = 0; i < s->T; i++) {
        worst = fmax(worst, fabs(mat_sum(mat_rows(h->weights, i, 1)) - 1.0));
        for (int j = 0; j < s->T; j++) drawn += *mat_ref(h->weights, i, j) >= least;
    }
    mat_fill(ones, 1.0f);
    matmul(into, ones, h->weights);
    static const char *const rows[] = { "sum of arrows in" };
    check(lesson, worst <= 1e-6, "the arrows that leave a word sum to 1, for all %d words", s->T);
    show_table(lesson, (Table){ .name = "attention received", .values = into, .rows = rows, .cols = s->words });
    check(lesson, fabs(mat_sum(into) - s->T) <= 1e-6 * s->T, "together they sum to %d: a word gives 1, and may receive "
          "more or less", s->T);
    say(lesson, "%d of the %d arrows weigh %.2f or more.", drawn, s->T * s->T, (double)least);
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
    self_attention((Attended){ .out = out }, rows_in_order(arena, s->x, order), h->head.w, EVERYTHING);
    double off = mat_max_difference(out, rows_in_order(arena, h->out, order));
    check(lesson, off <= 1e-6 * fmax(1.0, mat_magnitude(h->p.v)),
          "every word receives what it received before, within 1e-6");
    float left = (0.1f + 0.1f) + 0.5f, right = 0.1f + (0.1f + 0.5f);
    check(lesson, left != right, "not to the bit: in float32 (0.1 + 0.1) + 0.5 is %.8f, 0.1 + (0.1 + 0.5) is %.8f",
          (double)left, (double)right);
}

static void dog_and_cat(Lesson *lesson, Lesson *book)
{
    enum { COUNT = 5 };
    Arena *arena = lesson->arena;
    static const int place[COUNT] = { 0, 4, 2, 3, 1 };         // of the first sentence's words in the second
    static const char *const text[] = { "the dog followed the cat", "the cat followed the dog" };
    HandMade head = hand_made(book);
    Rows of_dog = rows_of(lesson, "what dog receives", head.handed, HAND_MADE_WIDTH);
    Mat out[2];
    for (int r = 0; r < 2; r++) {
        out[r] = mat_new(arena, COUNT, HAND_MADE_WIDTH);
        self_attention((Attended){ .out = out[r] }, book_sentence(lesson, text[r]).x, head.w, EVERYTHING);
        rows_add_from(&of_dog, out[r], r ? place[1] : 1, "%s", text[r]);
    }
    show_rows(lesson, &of_dog);
    check(lesson, mat_max_difference(out[0], rows_in_order(arena, out[1], place)) <= 1e-6,
          "so does every other word: who followed whom is lost");
}

static void order_is_invisible(Lesson *lesson, const Head *h, Lesson *book)
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

    Cost before = counted;
    Projected p = project(arena, x, x, w);
    cost(lesson, "multiplications for Q, K and V", cost_since(before).multiplies,
         arena_format(arena, "T·D·(2d + dv) = %d·%d·%d", T, D, 2 * d + dv), (int64_t)T * D * (2 * d + dv));
    before = counted;
    attention_naive((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications for scores and outputs", cost_since(before).multiplies,
         arena_format(arena, "T²·(d + dv) = %d²·(%d + %d)", T, d, dv), (int64_t)T * T * (d + dv));
    say(lesson, "With d = dv the two are equal at T = 3·D/2: at %d words for D = %d, at %d for D = %d.", 3 * D / 2, D,
        3 * 512 / 2, 512);
}

int main(int argc, char **argv)
{
    const char *word = NULL;
    float least = 0.1f;
    Flag flags[] = {
        flag_text("word", &word, "WORD", "the word of the sentence that is explained (default it)"),
        flag_float("least", &least, 0, 1, "X", "the least weight that is drawn as an arrow in step 4 (default 0.1)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 4, "Self-attention", flags, 2), book = lesson;
    embeddings_of_the_book(&book.embeddings, lesson.arena);    // for the steps that need particular words
    Head head = run_head(&lesson, word_to_explain(&lesson, word));

    three_views(&lesson, &head);
    why_three(&lesson, &head, &book);
    at_work(&lesson, &head, &book);
    a_graph(&lesson, &head, least);
    order_is_invisible(&lesson, &head, &book);
    what_it_costs(&lesson, &head);
    trace_heads(lesson.trace, (TraceHeads){ .x = lesson.sentence.x, .q = head.p.q, .k = head.p.k, .v = head.p.v,
                                            .scores = head.scores, .weights = head.weights, .heads = head.out });
    return lesson_close(&lesson);
}
