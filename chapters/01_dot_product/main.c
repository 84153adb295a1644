// Chapter 01. The dot product: how alike are two words?
// Run build/chapters/01_dot_product with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "lesson/lesson.h"
#include "lesson/matrices.h"

#include <math.h>

// The terms aₖ bₖ of a dot product, one a column: what is added up.
static Mat terms_of(Arena *arena, Mat a, Mat b)
{
    Mat terms = mat_new(arena, 1, a.cols);
    for (int k = 0; k < a.cols; k++) *mat_ref(terms, 0, k) = *mat_ref(a, 0, k) * *mat_ref(b, 0, k);
    return terms;
}

static void two_words(Lesson *lesson)
{
    step(lesson, "A word is a list of numbers");
    Sentence pair = book_sentence(lesson, "animal dog");
    Embeddings book;
    embeddings_of_the_book(&book, lesson->arena);
    Mat animal = mat_rows(pair.x, 0, 1), dog = mat_rows(pair.x, 1, 1);
    Mat terms = terms_of(lesson->arena, animal, dog);

    show_table(lesson, (Table){ .name = "two words", .values = pair.x, .rows = pair.words, .cols = book.column });
    show_table(lesson, (Table){ .name = "animal times dog, column by column", .values = terms, .cols = book.column });
    float similarity = dot(animal.at, dog.at, 1, animal.cols);
    check(lesson, fabs((double)similarity - mat_sum(terms)) < 1e-6, "animal · dog = %.2f: the terms, added up",
          (double)similarity);
    check(lesson, dot(dog.at, animal.at, 1, dog.cols) == similarity, "dog · animal is the same number");
}

static void length_and_angle(Lesson *lesson)
{
    step(lesson, "Length, and what is left without it");
    Mat x = book_sentence(lesson, "animal dog street tired").x;
    const float *animal = mat_row(x, 0);
    float direct = cosine(animal, mat_row(x, 1), x.cols);

    say(lesson, "|animal| = √(animal · animal) = √%.2f = %.2f", (double)dot(animal, animal, 1, x.cols),
        (double)vector_length(animal, x.cols));
    say(lesson, "cosine: animal and dog %.2f, animal and street %.2f, animal and tired %.2f", (double)direct,
        (double)cosine(animal, mat_row(x, 2), x.cols), (double)cosine(animal, mat_row(x, 3), x.cols));

    Mat twice = mat_copy(lesson->arena, mat_rows(x, 1, 1));
    for (int k = 0; k < twice.cols; k++) *mat_ref(twice, 0, k) *= 2.0f;
    float doubled = dot(animal, twice.at, 1, x.cols);
    check(lesson, doubled == 2.0f * dot(animal, mat_row(x, 1), 1, x.cols),
          "a dog twice as long has twice the dot product, %.2f", (double)doubled);
    check(lesson, fabsf(cosine(animal, twice.at, x.cols) - direct) < 1e-6f, "and the same cosine, %.2f",
          (double)direct);
}

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

static void one_query(Lesson *lesson, const char *word)
{
    step(lesson, "One query against the sentence");
    Sentence query, *sentence = &lesson->sentence;
    Error error;
    if (!sentence_of(&query, lesson->arena, &lesson->embeddings, word, &error)) lesson_fail(&error);
    if (query.T != 1) lesson_misused(lesson->state, "--query: found \"%.60s\"; one word is needed", word);

    Mat scores = mat_new(lesson->arena, 1, sentence->T);
    matmul_transposed(scores, query.x, sentence->x);
    show_table(lesson, (Table){ .name = "query · key", .values = scores, .rows = query.words,
                                .cols = sentence->words });
    int best = best_other(scores, sentence->x, query.x);
    if (best >= 0)
        say(lesson, "Of the other words, %s is most like %s: %.2f.", sentence->words[best], query.words[0],
            mat_value(scores, 0, best));
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

    HeatMap map = map_of_weights("Every word against every word", scores, s, s);
    map.low = map.high = 0.0;
    map.bar_title = "dot product";
    figure_map(lesson, "all_against_all.png", "the sentence's dot products, light where two words are alike", map);
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

    double worst = 0;
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.rows; j++)
            worst = fmax(worst, fabs(mat_value(scores, i, j) - (double)dot(mat_row(x, i), mat_row(x, j), 1, x.cols)));
    check(lesson, worst == 0, "element (i, j) of X Xᵀ is row i of X · row j of X, for all %d pairs", x.rows * x.rows);

    matmul(product, transposed, x);
    float by_hand = dot(transposed.at, x.at, x.stride, x.rows);
    check(lesson, *product.at == by_hand, "element (0, 0) of Xᵀ X is column 0 of X · itself, %.2f: a column is read "
          "with steps of %d floats", (double)by_hand, x.stride);

    Mat tile = mat_block(scores, 0, scores.rows / 2, 0, scores.cols / 2);
    check(lesson, tile.at == scores.at && tile.stride == scores.stride,
          "a block of %d × %d looks into the same memory: nothing was copied", tile.rows, tile.cols);
}

static void what_it_costs(Lesson *lesson)
{
    step(lesson, "What it costs");
    Mat x = lesson->sentence.x, scores = mat_new(lesson->arena, x.rows, x.rows);
    Cost before = counted;
    matmul_transposed(scores, x, x);
    cost(lesson, "multiplications for all scores", cost_since(before).multiplies,
         arena_format(lesson->arena, "T·S·d = %d·%d·%d", x.rows, x.rows, x.cols), (int64_t)x.rows * x.rows * x.cols);
    say(lesson, "Twice as many words, four times the work: T and S are the same sentence.");
}

int main(int argc, char **argv)
{
    const char *query = "it";
    Flag flags[] = {
        flag_text("query", &query, "WORD", "the word that is compared with the sentence in step 3 (default it)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 1, "The dot product", flags, 1);

    two_words(&lesson);
    length_and_angle(&lesson);
    one_query(&lesson, query);
    Mat scores = all_against_all(&lesson);
    a_matrix_product(&lesson, scores);
    what_it_costs(&lesson);
    return lesson_close(&lesson);
}
