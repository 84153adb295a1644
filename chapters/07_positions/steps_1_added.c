// Chapter 07, steps 1 to 3. A head does not see order; positions that are added to the words.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

// ---- 1

void the_problem(Lesson *lesson, Lesson *book)
{
    step(lesson, "The problem again");
    HandMade head = hand_made(book);
    Mat out[2];
    for (int r = 0; r < 2; r++) out[r] = outputs(lesson, book_sentence(lesson, followed[r]).x, head.w, EVERYTHING);
    show_table(lesson, (Table){ .name = "what dog receives",
                                .rows = followed,
                                .cols = head.handed,
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
    Arena *arena = lesson->arena;
    const char **names = arena_alloc(arena, (size_t)D * sizeof *names), *marks[T];
    for (int c = 0; c < D; c++) names[c] = arena_format(arena, "%s%d", c % 2 ? "cos" : "sin", c / 2);
    static const char *const rows[FEW] = { "0", "1", "2", "3", "4", "5" };
    show_table(lesson, (Table){ .name = arena_format(arena, "what is added at positions 0 … 5, D = %d", D),
                                .rows = rows,
                                .cols = names,
                                .values = positions_from(arena, 0, FEW, D),
                                .colors = COLOR_DIVERGING });
    for (int t = 0; t < T; t++) marks[t] = t % EVERY ? "" : arena_format(arena, "%d", t);
    figure_map(lesson, "positions.png", arena_format(arena, "%d positions, %d columns wide", T, WIDE),
               (Heatmap){ .title = "Sinusoidal positions",
                          .values = positions_from(arena, 0, T, WIDE),
                          .row_labels = marks,
                          .col_labels = marks,
                          .row_title = "position",
                          .col_title = "column",
                          .colors = COLOR_DIVERGING,
                          .decimals = -1,
                          .cell = 7,
                          .bar_title = "added to the word" });
}

void added(Lesson *lesson, Lesson *book)
{
    step(lesson, "Sinusoidal: a pattern added to the word");
    Arena *arena = lesson->arena;
    int noun = column_index(book, "noun"), place = column_index(book, "place"), D = book->embeddings.D;
    a_table_of_clocks(lesson, D);
    HandMade head = hand_made(book);
    Mat out[2], x[2];
    for (int r = 0; r < 2; r++) {
        x[r] = mat_copy(arena, book_sentence(lesson, followed[r]).x);
        sinusoidal_add(x[r], 0);
        out[r] = outputs(lesson, x[r], head.w, EVERYTHING);
    }
    show_table(lesson, (Table){ .name = "what dog receives, with positions added",
                                .rows = followed,
                                .cols = head.handed,
                                .values = both_rows(arena, out, DOG, moved_to[DOG]) });
    double apart = told_apart(arena, out);
    check(lesson, apart > 0.05, "the two sentences differ, by up to %.2f", apart);

    double places = 0.0;
    for (int i = 0; i < FIVE; i++) places += fabs(mat_value(book_sentence(lesson, followed[0]).x, i, place));
    check(lesson, places == 0.0 && *mat_ref(out[0], DOG, 1) > 0.5f,
          "the price: no word here is a place, and dog receives %.2f of place", mat_value(out[0], DOG, 1));
    float at_1 = *mat_ref(x[0], DOG, noun), at_4 = *mat_ref(x[1], moved_to[DOG], noun);
    check(lesson, fabsf(at_1 - at_4) > 1.0f, "dog is %.2f noun at position 1 and %.2f at position 4", (double)at_1,
          (double)at_4);
}

// ---- 3

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
    enum { APART = 64, D = 64, SHOWN = 8, STARTS = 3, NEAR = 4 };
    Arena *arena = lesson->arena;
    static const int shown[SHOWN] = { 0, 1, 2, 3, 4, 8, 16, 32 };
    static const int start[STARTS] = { 0, 7, 1000 };
    const char *cols[SHOWN];
    for (int c = 0; c < SHOWN; c++) cols[c] = arena_format(arena, "+%d", shown[c]);
    Rows rows = rows_of(lesson, "dot product with the position so far on, D = 64", cols, SHOWN);
    double worst = 0.0;
    bool falls = true;
    for (int s = 0; s < STARTS; s++) {
        Mat products = products_from(arena, start[s], APART, D);
        for (int n = 0; n < APART; n++) worst = fmax(worst, fabs(mat_value(products, 0, n) - by_distance(n, D)));
        double picked[SHOWN];
        for (int c = 0; c < SHOWN; c++) picked[c] = mat_value(products, 0, shown[c]);
        rows_add(&rows, picked, "from p = %d", start[s]);
        for (int n = 1; n < APART; n++)
            falls = falls && *mat_ref(products, 0, n) < *mat_ref(products, 0, n <= NEAR ? n - 1 : NEAR);
    }
    show_rows(lesson, &rows);
    check(lesson, worst <= 1e-5, "it depends on the distance only: Σ cos(distance / 10000^(2m/D)), within 1e-5");
    check(lesson, falls, "it falls at each of the first %d steps, and stays below that for all %d distances", NEAR,
          APART);
}

// The row of p + n is the row of p turned, by angles that depend on n alone: those by which RoPE turns n positions.
static void a_fixed_rotation(Lesson *lesson, int n)
{
    enum { D = 64, STARTS = 3, SHOWN = 4 };
    Arena *arena = lesson->arena;
    static const int start[STARTS] = { 0, 7, 1000 };
    RopeTable turns = rope_table(arena, n, 1, D);
    double worst = 0.0;
    Rows rows = rows_of(lesson, arena_format(arena, "the first two pairs, D = %d", D),
                        (const char *const[]){ "sin0", "cos0", "sin1", "cos1" }, SHOWN);
    for (int s = 0; s < STARTS; s++) {
        Mat here = positions_from(arena, start[s], 1, D), there = positions_from(arena, start[s] + n, 1, D);
        rows_add_from(&rows, mat_cols(here, 0, SHOWN), 0, "p = %d", start[s]);
        rope_undo(here, turns);
        rows_add_from(&rows, mat_cols(here, 0, SHOWN), 0, "turned by %d words", n);
        rows_add_from(&rows, mat_cols(there, 0, SHOWN), 0, "p = %d", start[s] + n);
        worst = fmax(worst, mat_max_difference(here, there));
    }
    show_rows(lesson, &rows);
    check(lesson, worst <= 1e-6, "the row of p + %d is the row of p, turned: by the same angles for every p", n);
}

// A score, taken apart: (xᵢ + pᵢ) Wq Wkᵀ (xⱼ + pⱼ)ᵀ / √d has four products.
static void four_parts(Lesson *lesson, Lesson *book)
{
    enum { FOLLOWED = 2, CASES = 3, PARTS = 4 };
    Arena *arena = lesson->arena;
    static const struct {
        const char *name;
        int verb, dog;
    } cases[CASES] = {
        { "at 2 and 1", 2, 1 },
        { "at 2 and 4", 2, 4 },
        { "at 102, 101", 102, 101 },
    };
    static const char *const rows[PARTS + 1] = { "word · word", "word · position", "position · word",
                                                 "position · position", "score" };
    const char *cols[CASES];
    HeadWeights w = hand_made(book).w;
    Mat x = book_sentence(lesson, followed[0]).x, verb = mat_rows(x, FOLLOWED, 1), dog = mat_rows(x, DOG, 1);
    Mat table = mat_new(arena, PARTS + 1, CASES);
    double worst = 0.0;
    for (int c = 0; c < CASES; c++) {
        Mat there = positions_from(arena, cases[c].dog, 1, x.cols), sum_q = mat_copy(arena, verb);
        Mat here = positions_from(arena, cases[c].verb, 1, x.cols), sum_k = mat_copy(arena, dog);
        sinusoidal_add(sum_q, cases[c].verb);
        sinusoidal_add(sum_k, cases[c].dog);
        Mat asks[] = { verb, verb, here, here, sum_q }, offers[] = { dog, there, dog, there, sum_k };
        double sum = 0.0;
        for (int r = 0; r <= PARTS; r++) {
            HeadProjections p = head_project(arena, asks[r], offers[r], w);
            *mat_ref(table, r, c) = *scores_of(arena, p).at;
            sum += r < PARTS ? mat_value(table, r, c) : 0.0;
        }
        worst = fmax(worst, fabs(sum - mat_value(table, PARTS, c)));
        cols[c] = cases[c].name;
    }
    show_table(lesson, (Table){ .name = "followed asks dog: the score and its parts",
                                .values = table,
                                .rows = rows,
                                .cols = cols,
                                .decimals = 3 });
    check(lesson, worst <= 1e-5, "the four parts sum to the score");
    check(lesson, fabs((double)(*mat_ref(table, PARTS, 0) - *mat_ref(table, PARTS, 2))) > 0.5,
          "the distance is 1 in the first and in the last column, the scores are %.2f and %.2f",
          mat_value(table, PARTS, 0), mat_value(table, PARTS, 2));
}

void two_positions(Lesson *lesson, Lesson *book)
{
    step(lesson, "Sinusoidal: how far apart two words are");
    distance_only(lesson);
    a_fixed_rotation(lesson, 5);
    four_parts(lesson, book);
}
