// Chapter 07, steps 4 to 6. RoPE: queries and keys are turned, on random vectors and on the sentence.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

// ---- 4

static void four_columns(Lesson *lesson)
{
    static const int at[] = { 0, 1, 2, 3, 10, 100 };
    static const char *const cols[] = { "a0", "b0", "a1", "b1" };
    Mat row = mat_of(lesson->arena, 1, 4, (float[]){ 1, 0, 1, 0 });
    Rows rows = rows_of(lesson, "1 0 1 0, turned to position p", cols, 4);
    rows.table.colors = COLOR_DIVERGING;
    for (size_t r = 0; r < sizeof at / sizeof *at; r++)
        rows_add_from(&rows, turned(lesson->arena, row, at[r]), 0, "p = %d", at[r]);
    show_rows(lesson, &rows);
}

// (a, b, c, e) with pairs (a, b), (c, e), and with pairs (a, c), (b, e): the columns are dealt, turned, and put back.
static void two_pairings(Lesson *lesson)
{
    enum { d = 4 };
    static const int dealt[d] = { 0, 2, 1, 3 };
    Arena *arena = lesson->arena;
    Mat row = mat_of(arena, 1, d, (float[]){ 1, 2, 3, 4 }), other = mat_new(arena, 1, d), halves = mat_new(arena, 1, d);
    for (int c = 0; c < d; c++) *mat_ref(other, 0, c) = *mat_ref(row, 0, dealt[c]);
    Mat adjacent = turned(arena, row, 1);
    other = turned(arena, other, 1);
    for (int c = 0; c < d; c++) *mat_ref(halves, 0, dealt[c]) = *mat_ref(other, 0, c);

    Rows rows = rows_of(lesson, "1 2 3 4 at position 1, by two pairings", NULL, d);
    rows_add_from(&rows, adjacent, 0, "adjacent");
    rows_add_from(&rows, halves, 0, "halves");
    show_rows(lesson, &rows);
    float long_a = vector_norm(adjacent.at, d), long_b = vector_norm(halves.at, d);
    check(lesson, fabsf(long_a - long_b) < 1e-5f && mat_max_difference(adjacent, halves) > 0.5,
          "the norm is %.2f in both, and no shape is wrong", (double)long_a);
}

Mat rotation(Lesson *lesson)
{
    enum { d = 64, ROWS = 16 };
    step(lesson, "RoPE: queries and keys are turned");
    Arena *arena = lesson->arena;
    four_columns(lesson);

    Mat m = mat_new(arena, ROWS, d);
    random_normals(&lesson->random, m);
    RopeTable turns = rope_table(arena, FAR, ROWS, d);
    Mat there = mat_copy(arena, m);
    rope_apply(there, turns);
    double longer = 0.0;
    for (int i = 0; i < ROWS; i++)
        longer = fmax(longer, fabs((double)(vector_norm(mat_row(there, i), d) / vector_norm(mat_row(m, i), d) - 1.0f)));
    check(lesson, longer <= 1e-5, "no norm changes, not even at position %d", FAR);
    Mat back_again = mat_copy(arena, there);
    rope_undo(back_again, turns);
    check(lesson, mat_max_difference(back_again, m) <= 1e-5 * longest(m),
          "turned back by the same angles it is what it was, within 1e-5");
    two_pairings(lesson);
    return m;
}

// ---- 5

// A vector of the plane by its direction in radians.
static Mat pointing(Arena *arena, double radians, double norm)
{
    return mat_of(arena, 1, 2, (float[]){ (float)(norm * cos(radians)), (float)(norm * sin(radians)) });
}

// Counter-clockwise from the right, 0 … 360.
static double degrees_of(Mat m)
{
    double degrees = atan2(mat_value(m, 0, 1), mat_value(m, 0, 0)) * 180.0 / acos(-1.0);
    return degrees < 0.0 ? degrees + 360.0 : degrees;
}

// One pair of a query and of a key, at two positions of the query with the same distance: the angle between them stays.
static void one_pair(Lesson *lesson)
{
    enum { PLACES = 2, BEFORE = 1 };
    static const int at[PLACES] = { 1, 3 };
    Arena *arena = lesson->arena;
    Mat q = pointing(arena, 0.2, 1.0), k = pointing(arena, 0.5, 0.8);
    VectorPlotArrow arrows[2 * PLACES];
    VectorPlotAngle angles[PLACES];
    double between[PLACES], product[PLACES];
    for (int p = 0; p < PLACES; p++) {
        Mat here = turned(arena, q, at[p]), there = turned(arena, k, at[p] - BEFORE);
        const char *name_q = arena_format(arena, "q at %d", at[p]);
        const char *name_k = arena_format(arena, "k at %d", at[p] - BEFORE);
        double to_q = degrees_of(here), to_k = degrees_of(there);
        between[p] = to_q - to_k;
        product[p] = (double)dot_product(here.at, there.at, 1, 2);
        Color color = COLOR_SERIES[p];
        arrows[2 * p] = (VectorPlotArrow){
            .x = mat_value(here, 0, 0), .y = mat_value(here, 0, 1), .label = name_q, .side = to_q, .color = color
        };
        arrows[2 * p + 1] = (VectorPlotArrow){
            .x = mat_value(there, 0, 0), .y = mat_value(there, 0, 1), .label = name_k, .side = to_k, .color = color
        };
        angles[p] = (VectorPlotAngle){ to_k, to_q, 0.4, arena_format(arena, "%.0f°", between[p]), color };
    }
    check(lesson, fabs(between[0] - between[1]) < 1e-3 && fabs(product[0] - product[1]) < 1e-5,
          "one pair, %d word apart, at two positions: %.0f° between them, a product of %.2f, both times", BEFORE,
          between[0], product[0]);
    figure_plane(lesson, "turned.png", "one pair of a query and of a key, turned: the angle between them stays",
                 (VectorPlot){ .title = "Two words on, both have turned: the angle stays",
                               .x_title = "a",
                               .y_title = "b",
                               .x_low = -1.25,
                               .x_high = 1.25,
                               .y_low = -0.25,
                               .y_high = 1.2,
                               .angles = angles,
                               .angle_count = PLACES,
                               .arrows = arrows,
                               .arrow_count = 2 * PLACES });
}

// q at position `from`, k at position from − n: their score.
static double score_at(Arena *arena, Mat q, Mat k, int from, int n)
{
    return (double)*scores_of(arena, (HeadProjections){ turned(arena, q, from), turned(arena, k, from - n), k }).at;
}

static void score_and_shift(Lesson *lesson, Mat q, Mat k)
{
    enum { SHIFTS = 4, SHOWN = 7 };
    static const int shift[SHIFTS] = { 64, 100, 5000, FAR }, shown[SHOWN] = { 0, 1, 2, 3, 4, 16, 64 };
    const char *cols[SHOWN];
    for (int c = 0; c < SHOWN; c++) cols[c] = arena_format(lesson->arena, "%d", shown[c]);
    Rows rows = rows_of(lesson, "the score of one q with one k, the key so many words before it", cols, SHOWN);
    double worst = 0.0, limit = 1e-5 * longest(q) * longest(k);
    for (int s = 0; s < SHIFTS; s++) {
        double scores[SHOWN];
        for (int c = 0; c < SHOWN; c++) scores[c] = score_at(lesson->arena, q, k, shift[s], shown[c]);
        rows_add(&rows, scores, "query at %d", shift[s]);
        worst = fmax(worst, mat_max_difference(mat_rows(rows.table.values, s, 1), mat_rows(rows.table.values, 0, 1)));
    }
    show_rows(lesson, &rows);
    check(lesson, worst <= limit,
          "wherever the query stands, the score depends on the distance only, within 1e-5 of "
          "|q| |k|");
}

// The first pair alone, pairs 0 and 1, …: what each adds to the score of q with k. A score is their sum.
static void sum_over_pairs(Lesson *lesson, Mat q, Mat k)
{
    enum { SHOWN = 4, AT = 100, BACK = 3 };
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "pair 0", "pair 1", "pair 2", "pair 3", "others", "score" };
    Mat here = turned(arena, q, AT), there = turned(arena, k, AT - BACK);
    double scale = 1.0 / sqrt((double)q.cols), parts[SHOWN + 2] = { 0 }, score = score_at(arena, q, k, AT, BACK);
    for (int c = 0; c < q.cols; c++) {
        int pair = c / 2 < SHOWN ? c / 2 : SHOWN;
        parts[pair] += mat_value(here, 0, c) * mat_value(there, 0, c) * scale;
    }
    double sum = 0.0;
    for (int p = 0; p <= SHOWN; p++) sum += parts[p];
    parts[SHOWN + 1] = score;
    Rows rows = rows_of(lesson, "that score at distance 3, pair by pair", cols, SHOWN + 2);
    rows_add(&rows, parts, "a share each");
    show_rows(lesson, &rows);
    check(lesson, fabs(sum - score) <= 1e-4, "the %d shares sum to the score", q.cols / 2);
}

static void score_curves(Lesson *lesson, Mat q, Mat k, int back)
{
    enum { APART = 65, CURVES = 3 };
    Arena *arena = lesson->arena;
    static double x[APART], y[CURVES][APART];
    Mat keys[CURVES] = { q, turned(arena, q, back), k };
    const char *turned_by = arena_format(arena, "k = q turned by %d", back);
    const char *names[CURVES] = { "k = q", turned_by, "k drawn at random" };
    PlotSeries series[CURVES];
    for (int c = 0; c < CURVES; c++) {
        for (int n = 0; n < APART; n++) {
            x[n] = n;
            y[c][n] = score_at(arena, q, keys[c], 100, n);
        }
        series[c] = (PlotSeries){ .name = names[c], .x = x, .y = y[c], .count = APART };
    }
    bool peak = true;
    for (int n = 0; n < APART; n++) peak = peak && y[0][n] <= y[0][0] && y[1][n] <= y[1][back];
    check(lesson, peak,
          "k = q is best at distance 0, k = q turned by %d at distance %d: a head can look %d word%s "
          "back",
          back, back, back, back == 1 ? "" : "s");
    figure_plot(lesson, "score.png", "one query's score with three keys, against their distance",
                (Plot){ .title = "Score and distance under RoPE",
                        .x_title = "words from the key to the query",
                        .y_title = "score",
                        .series = series,
                        .count = CURVES });
}

void distance_alone(Lesson *lesson, Mat q, Mat k, int back)
{
    step(lesson, "RoPE: only the distance counts");
    one_pair(lesson);
    score_and_shift(lesson, q, k);
    sum_over_pairs(lesson, q, k);
    score_curves(lesson, q, k, back);
}

// ---- 6

enum { WIDER = 16, CONTENT = WIDER - HAND_MADE_WIDTH };

// The hand-made head in a wider one. Its six columns go to the last three pairs, which hardly turn. The first pair
// turns by 1 radian a word and is given to order: an article asks for a noun one word further on. The rest is left 0.
HeadWeights head_with_order(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    HandMade head = hand_made(lesson);
    int D = head.w.wq.rows, article = column_index(lesson, "link"), noun = column_index(lesson, "noun");
    HeadWeights w = { mat_new(arena, D, WIDER), mat_new(arena, D, WIDER), head.w.wv };
    mat_set(mat_cols(w.wk, CONTENT, HAND_MADE_WIDTH), head.w.wk);
    for (int r = 0; r < D; r++) // the scores are divided by √16 now and not by √6
        for (int c = 0; c < HAND_MADE_WIDTH; c++)
            *mat_ref(w.wq, r, CONTENT + c) = *mat_ref(head.w.wq, r, c) * sqrtf((float)WIDER / HAND_MADE_WIDTH);

    *mat_ref(w.wk, noun, 0) = 1.0f;
    *mat_ref(w.wq, article, 0) = 12.0f;
    Mat pair = mat_block(w.wq, article, 1, 0, 2);
    rope_apply(pair, rope_table(arena, 1, 1, 2)); // asks as if it stood one word later
    return w;
}

// The words that are no articles, whose queries are not given to order.
static void others_stay(Lesson *lesson, Mat before, Mat after, int the)
{
    int others = 0, same = 0;
    double most = 0.0;
    for (int t = 1; t < before.rows; t++) {
        if (t == the) continue;
        others++;
        same += mat_argmax(before, t) == mat_argmax(after, t);
        most = fmax(most, mat_max_difference(mat_rows(before, t, 1), mat_rows(after, t, 1)));
    }
    check(lesson, same == others,
          "all other words look most at the same word as before; no weight of theirs changes "
          "by more than %.2f",
          most);
}

enum { ANIMAL = 1, THE = 4, STREET = 5 }; // in the book's sentence

// The pair of columns that turns fastest, of both articles' queries and both nouns' keys; their products.
static void the_fastest_pair(Lesson *lesson, HeadProjections p)
{
    static const char *const cols[] = { "noun", "verb", "product" };
    static const int asks[] = { 0, THE }, answers[] = { ANIMAL, STREET };
    static const char *const queries[] = { "The", "the" }, *const keys[] = { "animal", "street" };
    Arena *arena = lesson->arena;
    double product[2][2];
    Rows rows = rows_of(lesson, "the pair noun, verb, turned; and each key's product with that query", cols, 3);
    rows.table.colors = COLOR_DIVERGING;
    rows.table.apart = 1 << 2; // the products
    for (int a = 0; a < 2; a++) {
        Mat q = turned(arena, mat_block(p.q, asks[a], 1, 0, 2), asks[a]);
        rows_add(&rows, ROW(mat_value(q, 0, 0), mat_value(q, 0, 1), 0), "%s asks, at %d", queries[a], asks[a]);
        for (int b = 0; b < 2; b++) {
            Mat k = turned(arena, mat_block(p.k, answers[b], 1, 0, 2), answers[b]);
            product[a][b] = (double)dot_product(q.at, k.at, 1, 2);
            rows_add(&rows, ROW(mat_value(k, 0, 0), mat_value(k, 0, 1), product[a][b]), "  %s, at %d", keys[b],
                     answers[b]);
        }
    }
    rows.table.hidden = mat_new(arena, 6, 3);
    *mat_ref(rows.table.hidden, 0, 2) = *mat_ref(rows.table.hidden, 3, 2) = 1.0f;
    show_rows(lesson, &rows);
    check(lesson, fabs(product[0][0] - product[1][1]) < 1e-5,
          "street is to the what animal is to The, 1 word on: "
          "%.2f both times",
          product[1][1]);
}

static void two_articles(Lesson *lesson, Lesson *book)
{
    static const char *const names[] = { "no RoPE", "all turned", "16 wide" };
    Arena *arena = lesson->arena;
    Sentence s = book_sentence(lesson, "The animal didn't cross the street because it was too tired");
    HeadProjections narrow = head_project(arena, s.x, s.x, hand_made(book).w);
    HeadProjections wide = head_project(arena, s.x, s.x, head_with_order(book));
    HeadProjections ways[] = { narrow, placed(arena, narrow, 0), placed(arena, wide, 0) };
    Rows rows = rows_of(lesson, "what the two articles attend to", s.words, s.T);
    Mat weights[3];
    for (int v = 0; v < 3; v++) {
        weights[v] = attend(arena, ways[v], EVERYTHING).weights;
        rows_add_from(&rows, weights[v], 0, "The, %s", names[v]);
        rows_add_from(&rows, weights[v], THE, "the, %s", names[v]);
    }
    show_rows(lesson, &rows);
    Mat table = rows.table.values;
    check(lesson, mat_equal(mat_rows(table, 0, 1), mat_rows(table, 1, 1)),
          "without RoPE their rows are equal, to the bit");
    Mat scores = scores_of(arena, ways[1]);
    double near = mat_value(scores, 0, ANIMAL), far = mat_value(scores, 0, STREET);
    check(lesson, mat_max_difference(mat_rows(table, 2, 1), mat_rows(table, 3, 1)) > 0.1 && near < 0.0 && far > 0.0,
          "turned, they differ: The scores animal, 1 word on, %.2f, and street, 5 words on, %.2f", near, far);
    the_fastest_pair(lesson, narrow);
    check(lesson, mat_argmax(table, 4) == ANIMAL && mat_argmax(table, 5) == STREET,
          "with a pair for order The finds animal, %.2f, and the finds street, %.2f", mat_value(table, 4, ANIMAL),
          mat_value(table, 5, STREET));
    others_stay(lesson, weights[0], weights[2], THE);
    Heatmap maps[] = { map_of_weights("no positions", weights[0], &s, &s),
                       map_of_weights("RoPE, 16 columns", weights[2], &s, &s) };
    for (int m = 0; m < 2; m++) {
        maps[m].mark_row = THE + 1;
        maps[m].mark_col = maps[m].mark_rows = 1;
        maps[m].mark_cols = s.T;
    }
    figure_maps(lesson, "articles.png",
                "the hand-made head without positions and with a pair for order; framed: the "
                "row of the",
                "Which noun belongs to which article?", maps, 2, 2);
}

void on_the_sentence(Lesson *lesson, Lesson *book, HeadWeights w)
{
    step(lesson, "On the sentence");
    Arena *arena = lesson->arena;
    two_articles(lesson, book);

    Mat x = lesson->sentence.x;
    HeadProjections p = head_project(arena, x, x, w), here = placed(arena, p, 0);
    Mat scores = scores_of(arena, here);
    double limit = 1e-5 * longest(p.q) * longest(p.k), worst = 0.0;
    static const int shift[] = { 100, FAR };
    for (int s = 0; s < 2; s++)
        worst = fmax(worst, mat_max_difference(scores, scores_of(arena, placed(arena, p, shift[s]))));
    check(lesson, worst <= limit, "with the first word at position %d or %d all scores stay, within 1e-5 of |q| |k|",
          shift[0], shift[1]);
    int half = x.rows / 2;
    Mat late = turned(arena, mat_rows(p.k, half, x.rows - half), half);
    check(lesson, mat_equal(late, mat_rows(here.k, half, x.rows - half)),
          "words %d … %d, turned later and alone, are the same to the bit", half, x.rows - 1);
    Attended a = attend(arena, here, EVERYTHING);
    trace_mat(lesson->trace, "q_unturned", p.q);
    trace_mat(lesson->trace, "k_unturned", p.k);
    trace_heads(lesson->trace, (TraceHeads){ .x = x,
                                             .q = here.q,
                                             .k = here.k,
                                             .v = here.v,
                                             .scores = scores,
                                             .weights = a.weights,
                                             .heads = a.out });
}
