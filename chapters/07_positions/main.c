// Chapter 07. Positions: how a head learns which word came first.
// Run build/chapters/07_positions with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "attention/self_attention.h"
#include "lesson/hand_made.h"

#include <math.h>

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

enum { FAR = 1000000 };                                        // a position that no table was made for

static double longest(Mat m)                                   // of its rows, for tolerances
{
    double most = 0.0;
    for (int i = 0; i < m.rows; i++) most = fmax(most, (double)vector_length(mat_row(m, i), m.cols));
    return most;
}

static int largest(Mat m, int row)
{
    int best = 0;
    for (int j = 1; j < m.cols; j++)
        if (*mat_ref(m, row, j) > *mat_ref(m, row, best)) best = j;
    return best;
}

static HeadWeights hand_made_weights(Lesson *lesson)
{
    HandMade head = hand_made(lesson);
    return (HeadWeights){ head.wq, head.wk, head.wv };
}

// What attention gives, in memory of its own.
static Attended attend(Arena *arena, Projected p, Mask mask)
{
    Attended a = { .out = mat_new(arena, p.q.rows, p.v.cols), .weights = mat_new(arena, p.q.rows, p.k.rows) };
    attention_naive(a, p.q, p.k, p.v, mask);
    return a;
}

static Mat outputs(Lesson *lesson, Mat x, HeadWeights w, Mask mask)
{
    return attend(lesson->arena, project(lesson->arena, x, x, w), mask).out;
}

// A copy of m whose first row stands at position `first`.
static Mat turned(Arena *arena, Mat m, int first)
{
    Mat copy = mat_copy(arena, m);
    rope(copy, rope_turns(arena, first, m.rows, m.cols));
    return copy;
}

// The same queries and keys, turned: their sentence begins at position `first`.
static Projected placed(Arena *arena, Projected p, int first)
{
    return (Projected){ turned(arena, p.q, first), turned(arena, p.k, first), p.v };
}

static Mat scores_of(Arena *arena, Projected p)
{
    Mat scores = mat_new(arena, p.q.rows, p.k.rows);
    attention_scores(scores, p.q, p.k, EVERYTHING);
    return scores;
}

// 1 where a key is out of sight: the cells that a figure hatches.
static Mat hidden_by(Arena *arena, Mask mask, int T)
{
    Mat hidden = mat_new(arena, T, T);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) *mat_ref(hidden, i, j) = !mask_sees(mask, i, j, T, T);
    return hidden;
}

// Two sentences of the same five words, and where each word of the first stands in the second.
enum { DOG = 1, FIVE = 5 };
static const char *const followed[] = { "the dog followed the cat", "the cat followed the dog" };
static const int moved_to[FIVE] = { 0, 4, 2, 3, 1 };

// How far the outputs of each word differ between the two sentences, at most.
static double told_apart(Arena *arena, const Mat out[2])
{
    Mat second = mat_new(arena, FIVE, out[1].cols);
    for (int i = 0; i < FIVE; i++) mat_set(mat_rows(second, i, 1), mat_rows(out[1], moved_to[i], 1));
    return mat_max_difference(mat_rows(out[0], 0, FIVE), second);
}

// One word's row of both results, one below the other.
static Mat both_rows(Arena *arena, const Mat m[2], int first, int second)
{
    Mat rows = mat_new(arena, 2, m[0].cols);
    mat_set(mat_rows(rows, 0, 1), mat_rows(m[0], first, 1));
    mat_set(mat_rows(rows, 1, 1), mat_rows(m[1], second, 1));
    return rows;
}

// ---- 1

static void the_problem(Lesson *lesson, Lesson *book)
{
    step(lesson, "The problem again");
    HandMade head = hand_made(book);
    Mat out[2];
    for (int r = 0; r < 2; r++)
        out[r] = outputs(lesson, book_sentence(lesson, followed[r]).x, hand_made_weights(book), EVERYTHING);
    show_table(lesson, (Table){ .name = "what dog receives", .rows = followed, .cols = head.handed,
                                .values = both_rows(lesson->arena, out, DOG, moved_to[DOG]) });
    check(lesson, told_apart(lesson->arena, out) <= 1e-6, "every word receives the same in both, within 1e-6");
}

// ---- 2

static Mat positions_from(Arena *arena, int first, int T, int D)
{
    Mat table = mat_new(arena, T, D);
    sinusoidal(table, first);
    return table;
}

static void a_table_of_clocks(Lesson *lesson, int D)
{
    enum { FEW = 6, T = 64, WIDE = 64, EVERY = 8 };
    const char **names = arena_alloc(lesson->arena, (size_t)D * sizeof *names), *marks[T];
    for (int c = 0; c < D; c++) names[c] = arena_format(lesson->arena, "%s%d", c % 2 ? "cos" : "sin", c / 2);
    static const char *const rows[FEW] = { "0", "1", "2", "3", "4", "5" };
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "what is added at positions 0 … 5, D = %d", D),
                                .rows = rows, .cols = names, .values = positions_from(lesson->arena, 0, FEW, D),
                                .colors = DIVERGING });
    for (int t = 0; t < T; t++) marks[t] = t % EVERY ? "" : arena_format(lesson->arena, "%d", t);
    figure_map(lesson, "positions.png", arena_format(lesson->arena, "%d positions, %d columns wide", T, WIDE),
               (HeatMap){ .title = "Sinusoidal positions", .values = positions_from(lesson->arena, 0, T, WIDE),
                          .row_labels = marks, .col_labels = marks, .row_title = "position", .col_title = "column",
                          .colors = DIVERGING, .decimals = -1, .cell = 7, .bar_title = "added to the word" });
}

// p_i · p_{i + n} for n = 0 … count − 1.
static Mat products_from(Arena *arena, int first, int count, int D)
{
    Mat products = mat_new(arena, 1, count), here = positions_from(arena, first, 1, D);
    matmul_transposed(products, here, positions_from(arena, first, count, D));
    return products;
}

// What is multiplied out of p_i · p_j: sin sin + cos cos is the cosine of the difference, for every pair.
static double by_distance(int n, int D)
{
    double sum = 0.0;
    for (int m = 0; m < D / 2; m++) sum += cos(n * pow(10000.0, -2.0 * m / D));
    return sum;
}

static void distance_only(Lesson *lesson)
{
    enum { WIDTHS = 3, APART = 64, D = 64, SHOWN = 8, STARTS = 3, NEAR = 4 };
    static const int width[WIDTHS] = { 16, 64, 512 }, shown[SHOWN] = { 0, 1, 2, 3, 4, 8, 16, 32 };
    static const int start[STARTS] = { 0, 7, 1000 };
    static const char *const rows[STARTS] = { "from p = 0", "from p = 7", "from p = 1000" };
    Mat table = mat_new(lesson->arena, STARTS, SHOWN);
    const char *cols[SHOWN];
    double worst = 0.0;
    bool falls = true;
    for (int s = 0; s < STARTS; s++) {
        Mat products = products_from(lesson->arena, start[s], APART, D);
        for (int n = 0; n < APART; n++)
            worst = fmax(worst, fabs((double)*mat_ref(products, 0, n) - by_distance(n, D)));
        for (int c = 0; c < SHOWN; c++) *mat_ref(table, s, c) = *mat_ref(products, 0, shown[c]);
        for (int n = 1; n < APART; n++)
            falls = falls && *mat_ref(products, 0, n) < *mat_ref(products, 0, n <= NEAR ? n - 1 : NEAR);
    }
    for (int c = 0; c < SHOWN; c++) cols[c] = arena_format(lesson->arena, "+%d", shown[c]);
    show_table(lesson, (Table){ .name = "dot product with the position so far on, D = 64", .values = table,
                                .rows = rows, .cols = cols });
    check(lesson, worst <= 1e-5, "it depends on the distance only: Σ cos(distance / 10000^(2m/D)), within 1e-5");
    check(lesson, falls, "it falls at each of the first %d steps, and stays below that for all %d distances", NEAR,
          APART);

    static double x[APART], y[WIDTHS][APART];
    Series series[WIDTHS];
    for (int w = 0; w < WIDTHS; w++) {
        Mat products = products_from(lesson->arena, 0, APART, width[w]);
        for (int n = 0; n < APART; n++) {
            x[n] = n;
            y[w][n] = (double)*mat_ref(products, 0, n) * 2 / width[w];
        }
        const char *name = arena_format(lesson->arena, "D = %d", width[w]);
        series[w] = (Series){ .name = name, .x = x, .y = y[w], .count = APART };
    }
    figure_plot(lesson, "falls.png", "the dot product of two positions against their distance",
                (Plot){ .title = "How alike two positions are", .x_title = "distance in words",
                        .y_title = "dot product / (D / 2)", .series = series, .count = WIDTHS });
}

// A score, taken apart: (xᵢ + pᵢ) Wq Wkᵀ (xⱼ + pⱼ)ᵀ / √d has four products.
static void four_parts(Lesson *lesson, Lesson *book)
{
    enum { FOLLOWED = 2, CASES = 3, PARTS = 4 };
    static const struct { const char *name; int verb, dog; } cases[CASES] = {
        { "at 2 and 1", 2, 1 }, { "at 2 and 4", 2, 4 }, { "at 102, 101", 102, 101 },
    };
    static const char *const rows[PARTS + 1] = { "word · word", "word · place", "place · word", "place · place",
                                                 "score" };
    const char *cols[CASES];
    HeadWeights w = hand_made_weights(book);
    Mat x = book_sentence(lesson, followed[0]).x, verb = mat_rows(x, FOLLOWED, 1), dog = mat_rows(x, DOG, 1);
    Mat table = mat_new(lesson->arena, PARTS + 1, CASES);
    double worst = 0.0;
    for (int c = 0; c < CASES; c++) {
        Mat there = positions_from(lesson->arena, cases[c].dog, 1, x.cols), sum_q = mat_copy(lesson->arena, verb);
        Mat here = positions_from(lesson->arena, cases[c].verb, 1, x.cols), sum_k = mat_copy(lesson->arena, dog);
        sinusoidal_add(sum_q, cases[c].verb);
        sinusoidal_add(sum_k, cases[c].dog);
        Mat asks[] = { verb, verb, here, here, sum_q }, offers[] = { dog, there, dog, there, sum_k };
        double sum = 0.0;
        for (int r = 0; r <= PARTS; r++) {
            Projected p = project(lesson->arena, asks[r], offers[r], w);
            *mat_ref(table, r, c) = *scores_of(lesson->arena, p).at;
            sum += r < PARTS ? (double)*mat_ref(table, r, c) : 0.0;
        }
        worst = fmax(worst, fabs(sum - (double)*mat_ref(table, PARTS, c)));
        cols[c] = cases[c].name;
    }
    show_table(lesson, (Table){ .name = "followed asks dog: the score and its parts", .values = table, .rows = rows,
                                .cols = cols });
    check(lesson, worst <= 1e-5, "the four parts sum to the score");
    check(lesson, fabs((double)(*mat_ref(table, PARTS, 0) - *mat_ref(table, PARTS, 2))) > 0.5,
          "the distance is 1 in the first and in the last column, the scores are %.2f and %.2f",
          (double)*mat_ref(table, PARTS, 0), (double)*mat_ref(table, PARTS, 2));
}

static void added(Lesson *lesson, Lesson *book)
{
    step(lesson, "Sinusoidal: a pattern added to the word");
    int noun = column_index(book, "noun"), place = column_index(book, "place"), D = book->embeddings.D;
    a_table_of_clocks(lesson, D);
    distance_only(lesson);

    HandMade head = hand_made(book);
    Mat out[2], x[2];
    for (int r = 0; r < 2; r++) {
        x[r] = mat_copy(lesson->arena, book_sentence(lesson, followed[r]).x);
        sinusoidal_add(x[r], 0);
        out[r] = outputs(lesson, x[r], hand_made_weights(book), EVERYTHING);
    }
    show_table(lesson, (Table){ .name = "what dog receives, with positions added", .rows = followed,
                                .cols = head.handed, .values = both_rows(lesson->arena, out, DOG, moved_to[DOG]) });
    double apart = told_apart(lesson->arena, out);
    check(lesson, apart > 0.05, "the two sentences differ, by up to %.2f", apart);

    double places = 0.0;
    for (int i = 0; i < FIVE; i++) places += fabs((double)*mat_ref(book_sentence(lesson, followed[0]).x, i, place));
    check(lesson, places == 0.0 && *mat_ref(out[0], DOG, 1) > 0.5f,
          "the price: no word here is a place, and dog receives %.2f of place", (double)*mat_ref(out[0], DOG, 1));
    float at_1 = *mat_ref(x[0], DOG, noun), at_4 = *mat_ref(x[1], moved_to[DOG], noun);
    check(lesson, fabsf(at_1 - at_4) > 1.0f, "dog is %.2f noun at position 1 and %.2f at position 4",
          (double)at_1, (double)at_4);
    four_parts(lesson, book);
}

// ---- 3

static void four_columns(Lesson *lesson)
{
    enum { ROWS = 6, d = 4 };
    static const int at[ROWS] = { 0, 1, 2, 3, 10, 100 };
    static const char *const names[ROWS] = { "p = 0", "p = 1", "p = 2", "p = 3", "p = 10", "p = 100" };
    static const char *const cols[d] = { "a0", "b0", "a1", "b1" };
    Mat row = mat_of(lesson->arena, 1, d, (float[]){ 1, 0, 1, 0 }), table = mat_new(lesson->arena, ROWS, d);
    for (int r = 0; r < ROWS; r++) mat_set(mat_rows(table, r, 1), turned(lesson->arena, row, at[r]));
    show_table(lesson, (Table){ .name = "1 0 1 0, turned to position p", .values = table, .rows = names, .cols = cols,
                                .colors = DIVERGING });
}

// (a, b, c, e) with pairs (a, b), (c, e), and with pairs (a, c), (b, e): the columns are dealt, turned, and put back.
static void two_pairings(Lesson *lesson)
{
    enum { d = 4 };
    static const int dealt[d] = { 0, 2, 1, 3 };
    static const char *const rows[] = { "adjacent", "halves" };
    Mat row = mat_of(lesson->arena, 1, d, (float[]){ 1, 2, 3, 4 }), other = mat_new(lesson->arena, 1, d);
    for (int c = 0; c < d; c++) *mat_ref(other, 0, c) = *mat_ref(row, 0, dealt[c]);
    Mat both = mat_new(lesson->arena, 2, d), adjacent = turned(lesson->arena, row, 1);
    other = turned(lesson->arena, other, 1);
    mat_set(mat_rows(both, 0, 1), adjacent);
    for (int c = 0; c < d; c++) *mat_ref(both, 1, dealt[c]) = *mat_ref(other, 0, c);
    show_table(lesson, (Table){ .name = "1 2 3 4 at position 1, by two pairings", .values = both, .rows = rows });
    check(lesson, fabsf(vector_length(mat_row(both, 0), d) - vector_length(mat_row(both, 1), d)) < 1e-5f
          && mat_max_difference(mat_rows(both, 0, 1), mat_rows(both, 1, 1)) > 0.5,
          "the length is %.2f in both, and no shape is wrong", (double)vector_length(mat_row(both, 0), d));
}

// q at position `from`, k at position from − n: their score.
static double score_at(Arena *arena, Mat q, Mat k, int from, int n)
{
    return (double)*scores_of(arena, (Projected){ turned(arena, q, from), turned(arena, k, from - n), k }).at;
}

static void score_and_shift(Lesson *lesson, Mat q, Mat k)
{
    enum { SHIFTS = 4, SHOWN = 7 };
    static const int shift[SHIFTS] = { 64, 100, 5000, FAR }, shown[SHOWN] = { 0, 1, 2, 3, 4, 16, 64 };
    static const char *const rows[SHIFTS] = { "query at 64", "query at 100", "query at 5000", "query at 1000000" };
    const char *cols[SHOWN];
    Mat table = mat_new(lesson->arena, SHIFTS, SHOWN);
    double worst = 0.0, limit = 1e-5 * longest(q) * longest(k);
    for (int c = 0; c < SHOWN; c++) {
        cols[c] = arena_format(lesson->arena, "-%d", shown[c]);
        for (int s = 0; s < SHIFTS; s++) {
            *mat_ref(table, s, c) = (float)score_at(lesson->arena, q, k, shift[s], shown[c]);
            worst = fmax(worst, fabs((double)(*mat_ref(table, s, c) - *mat_ref(table, 0, c))));
        }
    }
    show_table(lesson, (Table){ .name = "the score of one q with one k, the key so far before it", .values = table,
                                .rows = rows, .cols = cols });
    check(lesson, worst <= limit, "wherever the query stands, the score depends on the distance only, within 1e-5 of "
          "|q| |k|");
}

static void score_curves(Lesson *lesson, Mat q, Mat k, int back)
{
    enum { APART = 65, CURVES = 3 };
    static double x[APART], y[CURVES][APART];
    Mat keys[CURVES] = { q, turned(lesson->arena, q, back), k };
    const char *turned_by = arena_format(lesson->arena, "k = q turned by %d", back);
    const char *names[CURVES] = { "k = q", turned_by, "k drawn at random" };
    Series series[CURVES];
    bool peak = true;
    for (int c = 0; c < CURVES; c++) {
        for (int n = 0; n < APART; n++) {
            x[n] = n;
            y[c][n] = score_at(lesson->arena, q, keys[c], 100, n);
        }
        for (int n = 0; n < APART && c < 2; n++) peak = peak && y[c][n] <= y[c][c ? back : 0];
        series[c] = (Series){ .name = names[c], .x = x, .y = y[c], .count = APART };
    }
    check(lesson, peak, "k = q is best at distance 0, k = q turned by %d at distance %d: a head can look %d words back",
          back, back, back);
    figure_plot(lesson, "score.png", "one query's score with three keys, against their distance",
                (Plot){ .title = "Score and distance under RoPE", .x_title = "words from the key to the query",
                        .y_title = "score", .series = series, .count = CURVES });
}

static void rotation(Lesson *lesson, int back)
{
    enum { d = 64, ROWS = 16 };
    step(lesson, "RoPE: queries and keys are turned");
    four_columns(lesson);

    Mat m = mat_new(lesson->arena, ROWS, d);
    random_normals(&lesson->random, m);
    Turns turns = rope_turns(lesson->arena, FAR, ROWS, d);
    Mat there = mat_copy(lesson->arena, m);
    rope(there, turns);
    double longer = 0.0;
    for (int i = 0; i < ROWS; i++) {
        float grown = vector_length(mat_row(there, i), d) / vector_length(mat_row(m, i), d);
        longer = fmax(longer, fabs((double)(grown - 1.0f)));
    }
    check(lesson, longer <= 1e-5, "no length changes, at position %d neither", FAR);
    Mat back_again = mat_copy(lesson->arena, there);
    rope_back(back_again, turns);
    check(lesson, mat_max_difference(back_again, m) <= 1e-5 * longest(m),
          "turned back by the same angles it is what it was, within 1e-5");

    Mat q = mat_rows(m, 0, 1), k = mat_rows(m, 1, 1);
    score_and_shift(lesson, q, k);
    score_curves(lesson, q, k, back);
    two_pairings(lesson);
}

// ---- 4

enum { WIDER = 16, CONTENT = WIDER - HAND_MADE_WIDTH };

// The hand-made head in a wider one. Its six columns go to the last three pairs, which hardly turn. The first pair
// turns by 1 radian a word and is given to order: an article asks for a noun one word further on. The rest is left 0.
static HeadWeights head_with_order(Lesson *lesson)
{
    HandMade head = hand_made(lesson);
    int D = head.wq.rows, article = column_index(lesson, "link"), noun = column_index(lesson, "noun");
    HeadWeights w = { mat_new(lesson->arena, D, WIDER), mat_new(lesson->arena, D, WIDER), head.wv };
    mat_set(mat_cols(w.wk, CONTENT, HAND_MADE_WIDTH), head.wk);
    for (int r = 0; r < D; r++)                                // the scores are divided by √16 now and not by √6
        for (int c = 0; c < HAND_MADE_WIDTH; c++)
            *mat_ref(w.wq, r, CONTENT + c) = *mat_ref(head.wq, r, c) * sqrtf((float)WIDER / HAND_MADE_WIDTH);

    *mat_ref(w.wk, noun, 0) = 1.0f;
    *mat_ref(w.wq, article, 0) = 12.0f;
    Mat pair = mat_block(w.wq, article, 1, 0, 2);
    rope(pair, rope_turns(lesson->arena, 1, 1, 2));            // asks as if it stood one word later
    return w;
}

static void two_articles(Lesson *lesson, Lesson *book)
{
    enum { ANIMAL = 1, THE = 4, STREET = 5, ROWS = 6 };
    static const char *const rows[ROWS] = { "The, no RoPE", "the, no RoPE", "The, all turned", "the, all turned",
                                            "The, 16 wide", "the, 16 wide" };
    Sentence s = book_sentence(lesson, "The animal didn't cross the street because it was too tired");
    Projected narrow = project(lesson->arena, s.x, s.x, hand_made_weights(book));
    Projected wide = project(lesson->arena, s.x, s.x, head_with_order(book));
    Projected ways[] = { narrow, placed(lesson->arena, narrow, 0), placed(lesson->arena, wide, 0) };
    Mat table = mat_new(lesson->arena, ROWS, s.T), weights[3];
    for (int v = 0; v < 3; v++) {
        weights[v] = attend(lesson->arena, ways[v], EVERYTHING).weights;
        mat_set(mat_rows(table, 2 * v, 1), mat_rows(weights[v], 0, 1));
        mat_set(mat_rows(table, 2 * v + 1, 1), mat_rows(weights[v], THE, 1));
    }
    show_table(lesson, (Table){ .name = "what the two articles attend to", .values = table, .rows = rows,
                                .cols = s.words });
    check(lesson, mat_equal(mat_rows(table, 0, 1), mat_rows(table, 1, 1)),
          "without RoPE their rows are equal, to the bit");
    check(lesson, mat_max_difference(mat_rows(table, 2, 1), mat_rows(table, 3, 1)) > 0.1, "turned, they differ");
    check(lesson, largest(table, 4) == ANIMAL && largest(table, 5) == STREET,
          "with a pair for order The finds animal, %.2f, and the finds street, %.2f",
          (double)*mat_ref(table, 4, ANIMAL), (double)*mat_ref(table, 5, STREET));
    HeatMap maps[] = { map_of_weights("no positions", weights[0], &s, &s),
                       map_of_weights("RoPE, 16 columns", weights[2], &s, &s) };
    maps[1].mark_row = THE + 1;
    maps[1].mark_col = STREET + 1;
    figure_maps(lesson, "articles.png", "the hand-made head without positions and with a pair for order", NULL, maps, 2,
                2);
}

static void on_the_sentence(Lesson *lesson, Lesson *book, HeadWeights w)
{
    step(lesson, "On the sentence");
    two_articles(lesson, book);

    Mat x = lesson->sentence.x;
    Projected p = project(lesson->arena, x, x, w), here = placed(lesson->arena, p, 0);
    Mat scores = scores_of(lesson->arena, here);
    double limit = 1e-5 * longest(p.q) * longest(p.k), worst = 0.0;
    static const int shift[] = { 100, FAR };
    for (int s = 0; s < 2; s++)
        worst = fmax(worst, mat_max_difference(scores, scores_of(lesson->arena, placed(lesson->arena, p, shift[s]))));
    check(lesson, worst <= limit, "with the first word at position %d or %d all scores stay, within 1e-5 of |q| |k|",
          shift[0], shift[1]);
    int half = x.rows / 2;
    Mat late = turned(lesson->arena, mat_rows(p.k, half, x.rows - half), half);
    check(lesson, mat_equal(late, mat_rows(here.k, half, x.rows - half)),
          "words %d … %d, turned later and alone, are the same to the bit", half, x.rows - 1);
    Attended a = attend(lesson->arena, here, EVERYTHING);
    trace_heads(lesson->trace, (TraceHeads){ .x = x, .q = here.q, .k = here.k, .v = here.v, .scores = scores,
                                             .weights = a.weights, .heads = a.out });
}

// ---- 5

static double mean_distance(Mat weights, int i)
{
    double mean = 0.0;
    for (int j = 0; j <= i; j++) mean += (double)*mat_ref(weights, i, j) * (i - j);
    return mean;
}

static void figure_of_slopes(Lesson *lesson, int H, int T)
{
    HeatMap maps[16];
    for (int h = 0; h < H; h++) {
        Mask mask = { .causal = true, .alibi = alibi_slope(h, H) };
        Mat bias = mat_new(lesson->arena, T, T);
        for (int i = 0; i < T; i++)
            for (int j = 0; j <= i; j++) *mat_ref(bias, i, j) = mask_bias(mask, i, j, T, T);
        maps[h] = (HeatMap){ .title = arena_format(lesson->arena, "head %d: slope %.3g", h, (double)mask.alibi),
                             .values = bias, .hidden = hidden_by(lesson->arena, CAUSAL, T), .row_title = "query",
                             .col_title = "key", .decimals = -1, .bar_title = "added to the score" };
    }
    figure_maps(lesson, "slopes.png", "what ALiBi adds to the scores, head by head", NULL, maps, H, H < 4 ? H : 4);
}

static void slopes(Lesson *lesson, int H)
{
    enum { COLUMNS = 3, TIRED = 10 };
    step(lesson, "ALiBi: a slope for every head");
    static const char *const cols[COLUMNS] = { "slope", "half after", "mean distance" };
    const Sentence *s = &lesson->sentence;
    int word = lesson->own_words ? s->T - 1 : TIRED;
    Projected p = project(lesson->arena, s->x, s->x, hand_made_weights(lesson));
    Mat table = mat_new(lesson->arena, H, COLUMNS), weights = mat_new(lesson->arena, 1 + H, s->T);
    Mat hidden = mat_new(lesson->arena, 1 + H, s->T);
    const char **rows = arena_alloc(lesson->arena, (size_t)(H + 1) * sizeof *rows);
    double before = 0.0, plain = 0.0;
    bool nearer = true;
    for (int h = -1; h < H; h++) {                             // −1: without a slope
        float slope = h < 0 ? 0.0f : alibi_slope(h, H);
        Attended a = attend(lesson->arena, p, (Mask){ .causal = true, .alibi = slope });
        double sum = 0.0;
        for (int i = 0; i < s->T; i++) sum += mean_distance(a.weights, i);
        if (h < 0) plain = sum;
        else nearer = nearer && sum <= plain + 1e-4 && (h == 0 || sum >= before - 1e-4);
        before = sum;
        mat_set(mat_rows(weights, h + 1, 1), mat_rows(a.weights, word, 1));
        rows[h + 1] = h < 0 ? "no slope" : arena_format(lesson->arena, "head %d", h);
        if (h < 0) continue;
        *mat_ref(table, h, 0) = slope;
        *mat_ref(table, h, 1) = (float)(log(2.0) / (double)slope);
        *mat_ref(table, h, 2) = (float)mean_distance(a.weights, word);
    }
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "%d heads, and how far back %s looks on average", H,
                                                     s->words[word]),
                                .values = table, .rows = rows + 1, .cols = cols, .decimals = 3 });
    check(lesson, alibi_slope(H - 1, H) == 1.0f / 256.0f, "head %d has slope 1/256 = %.5f", H - 1,
          (double)alibi_slope(H - 1, H));
    figure_of_slopes(lesson, H, s->T);
    for (int h = 0; h <= H; h++)
        for (int j = word + 1; j < s->T; j++) *mat_ref(hidden, h, j) = 1.0f;
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "what %s attends to, causal", s->words[word]),
                                .values = weights, .hidden = hidden, .rows = rows, .cols = s->words });
    check(lesson, nearer, "the steeper the slope, the nearer the keys, in all %d heads", H);
}

// ---- 6

// One layer: what each word receives is added to what it was, in the columns of the same names.
static Mat layer(Lesson *lesson, Lesson *words, Mat x, Projected p, Mask mask, Mat *weights)
{
    HandMade head = hand_made(words);
    Attended a = attend(lesson->arena, p, mask);
    Mat after = mat_copy(lesson->arena, x);
    for (int c = 0; c < HAND_MADE_WIDTH; c++) {
        int column = column_index(words, head.handed[c]);
        for (int i = 0; i < x.rows; i++) *mat_ref(after, i, column) += *mat_ref(a.out, i, c);
    }
    if (weights) *weights = a.weights;
    return after;
}

static void mask_alone(Lesson *lesson, Lesson *book)
{
    enum { STOP = 5 };
    static const char *const rows[] = { "dog, the dog followed the cat", "dog, the cat followed the dog" };
    HandMade head = hand_made(book);
    HeadWeights w = hand_made_weights(book);
    Mat out[2], first[2], second[2];
    bool alone = true;
    for (int r = 0; r < 2; r++) {
        Mat x = book_sentence(lesson, arena_format(lesson->arena, "%s .", followed[r])).x;
        Projected p = project(lesson->arena, x, x, w);
        out[r] = outputs(lesson, x, w, CAUSAL);
        alone = alone && mat_equal(mat_rows(out[r], 0, 1), mat_rows(p.v, 0, 1));
        first[r] = layer(lesson, book, x, p, CAUSAL, NULL);
        second[r] = layer(lesson, book, first[r], project(lesson->arena, first[r], first[r], w), CAUSAL, NULL);
    }
    show_table(lesson, (Table){ .name = "what dog receives, causal, no positions", .rows = rows, .cols = head.handed,
                                .values = both_rows(lesson->arena, out, DOG, moved_to[DOG]) });
    check(lesson, told_apart(lesson->arena, out) > 0.1, "a causal mask alone tells the two sentences apart");
    check(lesson, alone, "the first word sees only itself: it receives its own value, to the bit");
    Mat stops[] = { both_rows(lesson->arena, first, STOP, STOP), both_rows(lesson->arena, second, STOP, STOP) };
    double one = mat_max_difference(mat_rows(stops[0], 0, 1), mat_rows(stops[0], 1, 1));
    double two = mat_max_difference(mat_rows(stops[1], 0, 1), mat_rows(stops[1], 1, 1));
    check(lesson, one <= 1e-6, "a full stop at the end sees all and is the same in both after one layer, within 1e-6");
    check(lesson, two > 0.001, "after two layers it differs, by %.3f: the second reads words that differ", two);
}

static void counting(Lesson *lesson)
{
    static const char *const rows[] = { "weight of word 0" };
    const Sentence *s = &lesson->sentence;
    HeadWeights w = hand_made_weights(lesson);
    Mat first = mat_new(lesson->arena, 1, s->T);
    w.wq = mat_new(lesson->arena, w.wq.rows, w.wq.cols);
    Mat weights = attend(lesson->arena, project(lesson->arena, s->x, s->x, w), CAUSAL).weights;
    bool counts = true;
    for (int i = 0; i < s->T; i++) {
        *mat_ref(first, 0, i) = *mat_ref(weights, i, 0);
        counts = counts && fabsf(*mat_ref(first, 0, i) * (float)(i + 1) - 1.0f) <= 1e-5f;
    }
    show_table(lesson, (Table){ .name = "a causal head that asks nothing (Wq = 0)", .values = first, .rows = rows,
                                .cols = s->words });
    check(lesson, counts, "word i gives word 0 the share 1 / (i + 1): a head can count");
}

// Three layers with RoPE and a window, then one without positions that sees everything before it.
static void pattern_of_layers(Lesson *lesson, HeadWeights w, int W)
{
    enum { LAYERS = 4, COLUMNS = 2 };
    static const char *const cols[COLUMNS] = { "keys in sight", "words back" };
    const char *rows[LAYERS];
    const Sentence *s = &lesson->sentence;
    Mat x = s->x, table = mat_new(lesson->arena, LAYERS, COLUMNS);
    int last = s->T - 1, oldest = last;
    HeatMap maps[LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        bool local = l + 1 < LAYERS;
        Mask mask = local ? (Mask){ .causal = true, .window = W } : CAUSAL;
        Projected p = project(lesson->arena, x, x, w);
        Mat weights;
        x = layer(lesson, lesson, x, local ? placed(lesson->arena, p, 0) : p, mask, &weights);
        int reads = oldest, sight = 0;
        while (oldest > 0 && mask_sees(mask, reads, oldest - 1, s->T, s->T)) oldest--;
        for (int j = 0; j < s->T; j++) sight += mask_sees(mask, last, j, s->T, s->T);
        *mat_ref(table, l, 0) = (float)sight;
        *mat_ref(table, l, 1) = (float)(last - oldest);
        rows[l] = local ? arena_format(lesson->arena, "layer %d: RoPE, window %d", l, W)
                        : arena_format(lesson->arena, "layer %d: no positions, all", l);
        maps[l] = map_of_weights(rows[l], weights, s, s);
        maps[l].hidden = hidden_by(lesson->arena, mask, s->T);
        maps[l].decimals = -1;
    }
    show_table(lesson, (Table){ .name = "how far back the last word reaches", .values = table,
                                .rows = rows, .cols = cols, .decimals = -1 });
    int three = (LAYERS - 1) * (W - 1) < last ? (LAYERS - 1) * (W - 1) : last;
    check(lesson, *mat_ref(table, LAYERS - 2, 1) == (float)three && *mat_ref(table, LAYERS - 1, 1) == (float)last,
          "three local layers reach %d words back, the fourth reaches all %d", three, last);
    figure_maps(lesson, "layers.png", "the pattern of layers: three local ones with RoPE, one open one without", NULL,
                maps, LAYERS, 2);
}

static void no_positions(Lesson *lesson, Lesson *book, HeadWeights w, int W)
{
    step(lesson, "NoPE: no positions, and a pattern of layers");
    mask_alone(lesson, book);
    counting(lesson);
    pattern_of_layers(lesson, w, W);
}

// ---- 7

static void what_it_costs(Lesson *lesson)
{
    enum { SIZES = 4, COLUMNS = 4, d = 64 };
    step(lesson, "What it costs");
    static const int sizes[SIZES] = { 4, 16, 64, 256 };
    static const char *const cols[COLUMNS] = { "angles", "turning q, k", "scores", "turning, %" };
    const char *rows[SIZES];
    Mat table = mat_new(lesson->arena, SIZES, COLUMNS);
    bool right = true;
    for (int r = 0; r < SIZES; r++) {
        int T = sizes[r];
        Mat q = mat_new(lesson->arena, T, d), k = mat_new(lesson->arena, T, d), scores = mat_new(lesson->arena, T, T);
        Cost before = counted;
        Turns turns = rope_turns(lesson->arena, 0, T, d);
        int64_t angles = cost_since(before).multiplies;
        before = counted;
        rope(q, turns);
        rope(k, turns);
        int64_t turning = cost_since(before).multiplies;
        before = counted;
        attention_scores(scores, q, k, EVERYTHING);
        int64_t scoring = cost_since(before).multiplies;
        right = right && angles == T * d / 2 && turning == 4 * T * d && scoring == (int64_t)T * T * d;
        rows[r] = arena_format(lesson->arena, "T = %d", T);
        mat_set(mat_rows(table, r, 1), mat_of(lesson->arena, 1, COLUMNS, (float[]){
            (float)angles, (float)turning, (float)scoring, 100.0f * (float)turning / (float)scoring }));
    }
    show_table(lesson, (Table){ .name = "one head, d = 64: multiplications, run and counted", .values = table,
                                .rows = rows, .cols = cols, .decimals = -1 });
    check(lesson, right, "angles T·d/2, once for all heads; turning 4·T·d, four for each pair; scores T²·d");
    check(lesson, *mat_ref(table, 2, 3) == 400.0f / 64.0f, "turning is 4/T of the scores: %.2f %% at T = 64",
          (double)*mat_ref(table, 2, 3));
    say(lesson, "Parameters: 0 in all of this chapter. A learned table of positions such as GPT-2's has T·D = "
        "%d·%d = %d.", 1024, 768, 1024 * 768);
}

int main(int argc, char **argv)
{
    int H = 8, window = 4, back = 5;
    Flag flags[] = {
        { "back", FLAG_INT, &back, 1, 64, "how many words back the turned key of step 3 looks (default 5)" },
        { "heads", FLAG_INT, &H, 1, 16, "heads that get a slope in step 5 (default 8)" },
        { "window", FLAG_INT, &window, 1, 48, "keys in a window of step 6, the query's own included (default 4)" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 7, "Positions", flags, 3), book = lesson;
    embeddings_of_the_book(&book.embeddings, lesson.arena);    // for the steps that need particular words
    HeadWeights w = head_with_order(&lesson);

    the_problem(&lesson, &book);
    added(&lesson, &book);
    rotation(&lesson, back);
    on_the_sentence(&lesson, &book, w);
    slopes(&lesson, H);
    no_positions(&lesson, &book, w, window);
    what_it_costs(&lesson);
    return lesson_close(&lesson);
}
