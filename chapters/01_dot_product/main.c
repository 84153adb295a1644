// Chapter 01. The dot product: how alike are two words?
// Run build/chapters/01_dot_product with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

// Two words and the products of what stands side by side in them: a row for each column of the table.
static Mat products_of(Arena *arena, Mat pair)
{
    Mat products = mat_new(arena, pair.cols, 3);
    for (int k = 0; k < pair.cols; k++) {
        *mat_ref(products, k, 0) = *mat_ref(pair, 0, k);
        *mat_ref(products, k, 1) = *mat_ref(pair, 1, k);
        *mat_ref(products, k, 2) = *mat_ref(pair, 0, k) * *mat_ref(pair, 1, k);
    }
    return products;
}

static void two_words(Lesson *lesson, const Embeddings *table, Sentence pair)
{
    step(lesson, "A word is a list of numbers");
    const char *a = pair.words[0], *b = pair.words[1];
    const float *left = mat_row(pair.x, 0), *right = mat_row(pair.x, 1);
    Mat products = products_of(lesson->arena, pair.x);
    show_table(lesson, (Table){ .name = "two words, and their product, number by number",
                                .values = products,
                                .rows = table->column,
                                .cols = (const char *[]){ a, b, "product" },
                                .given_cols = 3 }); // the two words
    float similarity = dot_product(left, right, 1, pair.x.cols), sum = (float)mat_sum(mat_cols(products, 2, 1));
    check(lesson, fabsf(similarity - sum) <= 1e-6f * fmaxf(1.0f, fabsf(sum)), "%s · %s = %.2f: the products, added up",
          a, b, (double)similarity);
    check(lesson, dot_product(right, left, 1, pair.x.cols) == similarity, "%s · %s is the same number", b, a);
}

// ---- 2

enum { IT, ANIMAL, STREET, SHOWN }; // the words that are drawn as arrows

// The three words with two of their numbers each, alive and place: (3, 2).
static Mat plane_of(Lesson *lesson, const Embeddings *book)
{
    Mat x = book_sentence(lesson, "it animal street").x, flat = mat_new(lesson->arena, SHOWN, 2);
    mat_set(mat_cols(flat, 0, 1), mat_cols(x, embeddings_column(book, "alive"), 1));
    mat_set(mat_cols(flat, 1, 1), mat_cols(x, embeddings_column(book, "place"), 1));
    return flat;
}

// The words as arrows, the angle from `it` to the others, and the shadow that `it` throws on each.
static void draw_arrows(Lesson *lesson, Mat flat)
{
    Arena *arena = lesson->arena;
    const float *it = mat_row(flat, IT), *animal = mat_row(flat, ANIMAL), *street = mat_row(flat, STREET);
    double x = (double)it[0], y = (double)it[1], lean = atan2(y, x) * 180.0 / acos(-1.0);
    const VectorPlotAngle angles[] = { { 0.0, lean, 0.25, arena_format(arena, "%.1f°", lean), COLOR_SERIES[0] },
                                       { 90.0, lean, 0.16, arena_format(arena, "%.1f°", 90.0 - lean),
                                         COLOR_SERIES[1] } };
    const VectorPlotArrow arrows[] = {
        { 0, 0, 2 * x, 2 * y, "2 · it", 30, color_mix(COLOR_PAPER, COLOR_MARK, 0.6), VECTOR_PLOT_ARROW },
        { 0, 0, x, 0, NULL, 0, color_mix(COLOR_PAPER, COLOR_SERIES[0], 0.45), VECTOR_PLOT_BAR },
        { 0, 0, 0, y, NULL, 0, color_mix(COLOR_PAPER, COLOR_SERIES[1], 0.45), VECTOR_PLOT_BAR },
        { x, y, x, 0, arena_format(arena, "shadow %.2f", x), -90, COLOR_SERIES[0], VECTOR_PLOT_DASHES },
        { x, y, 0, y, arena_format(arena, "shadow %.2f", y), 180, COLOR_SERIES[1], VECTOR_PLOT_DASHES },
        { 0, 0, (double)animal[0], (double)animal[1], "animal", 60, COLOR_SERIES[0], VECTOR_PLOT_ARROW },
        { 0, 0, (double)street[0], (double)street[1], "street", 30, COLOR_SERIES[1], VECTOR_PLOT_ARROW },
        { 0, 0, x, y, "it", 90, COLOR_MARK, VECTOR_PLOT_ARROW },
    };
    figure_plane(lesson, "arrows.png", "words as arrows, and the angle between two of them",
                 (VectorPlot){ .title = "Three words, in two of their twelve numbers",
                               .x_title = "alive",
                               .y_title = "place",
                               .x_low = -0.3,
                               .x_high = 1.3,
                               .y_low = -0.15,
                               .y_high = 1.1,
                               .angles = angles,
                               .angle_count = 2,
                               .arrows = arrows,
                               .arrow_count = 8 });
}

static void in_a_plane(Lesson *lesson, const Embeddings *book)
{
    static const char *const columns[] = { "alive", "place", "norm", "it · word", "cosine", "degrees" };
    static const char *const names[] = { "it", "animal", "street" };
    Mat flat = plane_of(lesson, book);
    Rows rows = rows_of(lesson, "it and two words, in the columns alive and place alone", columns, 6);
    rows.table.units = COLUMNS_APART;
    rows.table.given_cols = 3; // alive and place
    for (int w = 0; w < SHOWN; w++) {
        const float *word = mat_row(flat, w), *it = mat_row(flat, IT);
        double cos_it = (double)cosine_similarity(it, word, 2);
        rows_add(&rows,
                 ROW((double)word[0], (double)word[1], (double)vector_norm(word, 2),
                     (double)dot_product(it, word, 1, 2), cos_it, acos(fmin(cos_it, 1.0)) * 180.0 / acos(-1.0)),
                 "%s", names[w]);
    }
    show_rows(lesson, &rows);
    draw_arrows(lesson, flat);
}

static void norm_and_angle(Lesson *lesson, const Embeddings *book, Sentence pair)
{
    step(lesson, "The norm, and what is left without it");
    const char *a = pair.words[0], *b = pair.words[1];
    const float *left = mat_row(pair.x, 0), *right = mat_row(pair.x, 1);
    int n = pair.x.cols;
    double aa = (double)dot_product(left, left, 1, n), bb = (double)dot_product(right, right, 1, n);
    double ab = (double)dot_product(left, right, 1, n);
    Mat between = mat_new(lesson->arena, 1, n), twice = mat_new(lesson->arena, 1, n);
    for (int k = 0; k < n; k++) {
        between.at[k] = left[k] - right[k];
        twice.at[k] = 2.0f * right[k];
    }
    double apart = (double)dot_product(between.at, between.at, 1, n);

    say(lesson, "|%s| = √(%s · %s) = √%.2f = %.2f", a, a, a, aa, (double)vector_norm(left, n));
    check(lesson, fabs(apart - (aa + bb - 2.0 * ab)) <= 1e-5 * fmax(1.0, aa + bb),
          "|%s - %s|² = %.2f = %.2f + %.2f - 2 · %.2f", a, b, apart, aa, bb, ab);
    check(lesson, dot_product(left, twice.at, 1, n) == 2.0f * dot_product(left, right, 1, n),
          "%s with all its numbers doubled has twice the dot product, %.2f", b, 2.0 * ab);
    check(lesson, fabsf(cosine_similarity(left, twice.at, n) - cosine_similarity(left, right, n)) < 1e-6f,
          "and the same cosine, %.2f", (double)cosine_similarity(left, right, n));
    Mat x = book_sentence(lesson, "animal street tired").x;
    say(lesson, "animal and street: cosine %.2f; animal and tired: %.2f",
        (double)cosine_similarity(mat_row(x, 0), mat_row(x, 1), x.cols),
        (double)cosine_similarity(mat_row(x, 0), mat_row(x, 2), x.cols));
    in_a_plane(lesson, book);
}

// ---- 3

// The largest entry of row 0 among the columns whose vector is not the query's own.
static int best_other(Mat scores, Mat x, Mat query)
{
    int best = -1;
    for (int j = 0; j < scores.cols; j++) {
        if (mat_equal(mat_rows(x, j, 1), query)) continue;
        if (best < 0 || *mat_ref(scores, 0, j) > *mat_ref(scores, 0, best)) best = j;
    }
    return best;
}

enum { MOST_PRODUCTS = 12 }; // in a sentence: a table of one's own may have hundreds of columns

// What is not 0 among the numbers of a or, when b is given, among the products that make up a · b; each with its
// column's name: "0.60 (noun), …" or "0.60 · 1.00 (noun) + …".
static const char *in_words(Lesson *lesson, const float *a, const float *b, int n)
{
    const char *text = "", *between = b ? " + " : ", ";
    Arena *arena = lesson->arena;
    int count = 0;
    for (int k = 0; k < n; k++) {
        if (a[k] * (b ? b[k] : 1.0f) == 0.0f) continue;
        if (count++ >= MOST_PRODUCTS) continue;
        const char *times = b ? arena_format(arena, " · %.2f", (double)b[k]) : "";
        text = arena_format(arena, "%s%s%.2f%s (%s)", text, *text ? between : "", (double)a[k], times,
                            lesson->embeddings.column[k]);
    }
    if (count > MOST_PRODUCTS) text = arena_format(arena, "%s%s%d more", text, between, count - MOST_PRODUCTS);
    return *text ? text : b ? "0: they have nothing in common" : "nothing but 0";
}

static void one_query(Lesson *lesson, Sentence query)
{
    step(lesson, "One query against the sentence");
    const Sentence *sentence = &lesson->sentence;
    Mat scores = mat_new(lesson->arena, 1, sentence->T);
    matmul_transposed(scores, query.x, sentence->x);
    say(lesson, "%s: %s", query.words[0], in_words(lesson, query.x.at, NULL, query.x.cols));
    show_table(lesson, (Table){ .name = "query · key",
                                .values = scores,
                                .rows = query.words,
                                .cols = sentence->words,
                                .given_cols = lesson->own_words ? 0 : ~(1U << 1) }); // --ask: animal
    int best = best_other(scores, sentence->x, query.x);
    if (best >= 0) {
        say(lesson, "Of the other words, %s has the largest product with %s: %.2f.", sentence->words[best],
            query.words[0], mat_value(scores, 0, best));
        say(lesson, "%s · %s = %s", query.words[0], sentence->words[best],
            in_words(lesson, query.x.at, mat_row(sentence->x, best), query.x.cols));
    }
    trace_mat(lesson->trace, "query_scores", scores);
}

static bool symmetric(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < i; j++)
            if (*mat_ref(m, i, j) != *mat_ref(m, j, i)) return false;
    return true;
}

static Mat all_against_all(Lesson *lesson)
{
    step(lesson, "All against all");
    const Sentence *s = &lesson->sentence;
    Mat scores = mat_new(lesson->arena, s->T, s->T);
    matmul_transposed(scores, s->x, s->x);
    show_table(lesson, (Table){ .name = "X Xᵀ", .values = scores, .rows = s->words, .cols = s->words, .decimals = 1 });
    check(lesson, symmetric(scores), "the table is symmetric: row i, column j holds what row j, column i holds");
    Mat x = book_sentence(lesson, "animal street it").x;
    const float *animal = mat_row(x, 0), *street = mat_row(x, 1), *it = mat_row(x, 2);
    double product[] = { (double)dot_product(animal, street, 1, x.cols), (double)dot_product(animal, it, 1, x.cols) };
    double alike[] = { (double)cosine_similarity(animal, street, x.cols),
                       (double)cosine_similarity(animal, it, x.cols) };
    check(lesson, product[0] > product[1] && alike[0] < alike[1],
          "animal has a larger product with street, %.2f, than with it, %.2f, but the cosines are %.2f and %.2f",
          product[0], product[1], alike[0], alike[1]);

    Heatmap map = map_of_weights("Every word against every word", scores, s, s);
    map.low = map.high = 0.0;
    map.bar_title = "dot product";
    if (!lesson->own_words) {
        map.mark_row = 8; // the row of it: what step 3 has shown
        map.mark_col = 1;
        map.mark_cols = s->T;
    }
    figure_map(lesson, "all_against_all.png", "the sentence's dot products, light where they are large", map);
    trace_heads(lesson->trace, (TraceHeads){ .x = s->x, .scores = scores });
    return scores;
}

static void a_matrix_product(Lesson *lesson, Mat scores)
{
    step(lesson, "A matrix product is a table of dot products");
    Mat x = lesson->sentence.x, product = mat_new(lesson->arena, x.cols, x.cols);
    Mat transposed = mat_new(lesson->arena, x.cols, x.rows);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) *mat_ref(transposed, j, i) = *mat_ref(x, i, j);

    Mat with_a_copy = mat_new(lesson->arena, x.rows, x.rows);
    matmul(with_a_copy, x, transposed);
    check(lesson, mat_equal(with_a_copy, scores),
          "matmul of X and a transposed copy of it gives the same numbers, %d × %d", x.rows, x.rows);

    matmul(product, transposed, x);
    float by_hand = dot_product(transposed.at, x.at, x.stride, x.rows);
    check(lesson, *product.at == by_hand,
          "element (0, 0) of Xᵀ X is column 0 of X · itself, %.2f: a column is read "
          "with steps of %d floats",
          (double)by_hand, x.stride);

    int half = (scores.rows + 1) / 2; // of one word, too, a block has a row
    Mat tile = mat_block(scores, 0, half, 0, half);
    check(lesson, tile.at == scores.at && tile.stride == scores.stride,
          "a block of %d × %d of the scores is a view: its stride is theirs, %d, and nothing was copied", tile.rows,
          tile.cols, tile.stride);
}

static void what_it_costs(Lesson *lesson)
{
    step(lesson, "What it costs");
    Mat x = lesson->sentence.x, scores = mat_new(lesson->arena, x.rows, x.rows);
    Cost before = cost_counted;
    matmul_transposed(scores, x, x);
    cost(lesson, "multiplications for all scores", cost_since(before).multiplies,
         arena_format(lesson->arena, "T·S·d = %d·%d·%d", x.rows, x.rows, x.cols), (int64_t)x.rows * x.rows * x.cols);
    say(lesson, "Twice as many words, four times the work: here T and S both count the words of one sentence.");
}

int main(int argc, char **argv)
{
    const char *word = "it", *words = NULL;
    Flag flags[] = {
        flag_text("pair", &words, "\"WORD WORD\"", "the two words of steps 1 and 2 (default \"animal dog\")"),
        flag_text("query", &word, "WORD", "the word that is compared with the sentence in step 3 (default it)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 1, "The dot product", flags, 2);
    lesson_steps(&lesson, 6);
    Embeddings book;
    embeddings_of_the_book(&book, lesson.arena);
    const Embeddings *table = words ? &lesson.embeddings : &book;
    Sentence pair = words_of_flag(&lesson, table, "pair", words ? words : "animal dog", 2);
    Sentence query = words_of_flag(&lesson, &lesson.embeddings, "query", word, 1);

    two_words(&lesson, table, pair);
    norm_and_angle(&lesson, &book, pair);
    one_query(&lesson, query);
    Mat scores = all_against_all(&lesson);
    a_matrix_product(&lesson, scores);
    what_it_costs(&lesson);
    return lesson_close(&lesson);
}
