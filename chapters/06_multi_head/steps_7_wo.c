// Chapter 06, step 7. What Wo is for: it writes what heads found where it means something.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

enum { CASES = 3 };

// The two heads of step 1 find a place and a trade, in their own first columns. This Wo knows which columns of a word
// these are.
static Mat wo_by_names(Lesson *lesson, const Embeddings *book)
{
    Mat wo = mat_new(lesson->arena, book->D, book->D);
    int half = book->D / 2;
    *mat_ref(wo, 0, embeddings_column(book, "place")) = 1.0f;
    *mat_ref(wo, half, embeddings_column(book, "trade")) = 1.0f;
    *mat_ref(wo, half + 1, embeddings_column(book, "past")) = 1.0f;
    return wo;
}

// Row by row: the word; what the heads say of it added as it is, and added after Wo.
static Mat added_to_bank(Lesson *lesson, const Embeddings *book, Mat x)
{
    MultiHead m = bank_weights(lesson, book, 2);
    Mat rows = mat_new(lesson->arena, CASES, book->D), out = mat_new(lesson->arena, x.rows, book->D);
    for (int c = 0; c < CASES; c++) {
        m.wo = c == 2 ? wo_by_names(lesson, book) : (Mat){ 0 };
        if (c > 0) multi_head_fused(out, (Mat){ 0 }, x, m, (Mask){ 0 });
        for (int j = 0; j < book->D; j++) *mat_ref(rows, c, j) = *mat_ref(x, BANK, j) + *mat_ref(out, BANK, j);
    }
    return rows;
}

static void where_it_means_something(Lesson *lesson)
{
    static const char *const names[CASES] = { "bank", "+ heads", "+ heads Wo" };
    Embeddings book;
    embeddings_of_the_book(&book, lesson->arena);
    Mat rows = added_to_bank(lesson, &book, book_sentence(lesson, BANK_SENTENCE).x);
    show_table(lesson, (Table){ .name = "what the two heads of step 1 make of bank",
                                .values = rows,
                                .rows = names,
                                .cols = book.column });
    int noun = embeddings_column(&book, "noun"), place = embeddings_column(&book, "place");
    check(lesson, *mat_ref(rows, 1, noun) > 1.5f, "without Wo the place that head 0 found makes bank %.2f noun",
          mat_value(rows, 1, noun));
    check(lesson, *mat_ref(rows, 2, noun) == *mat_ref(rows, 0, noun) && *mat_ref(rows, 2, place) > 1.5f,
          "with Wo it makes bank %.2f place", mat_value(rows, 2, place));
    figure_map(lesson, "wo.png", "what two heads found, added to bank without Wo and with it",
               (Heatmap){ .title = "What the heads found, added to bank",
                          .values = rows,
                          .row_labels = names,
                          .col_labels = book.column,
                          .decimals = 2,
                          .low = 0,
                          .high = 2,
                          .cell = 46,
                          .bar_title = "in that column" });
}

// Head h alone: its columns of the heads' outputs meet its rows of Wo.
static void add_share(Mat sum, Mat heads, Mat wo, int h, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < sum.rows; i++)
        for (int j = 0; j < sum.cols; j++)
            for (int c = h * d; c < (h + 1) * d; c++) *mat_ref(sum, i, j) += *mat_ref(heads, i, c) * *mat_ref(wo, c, j);
}

static void a_sum_of_heads(Lesson *lesson, MultiHead m)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, sum = mat_new(arena, x.rows, x.cols);
    Mat heads = mat_new(arena, x.rows, x.cols), out = mat_new(arena, x.rows, x.cols);
    MultiHead side_by_side = m;
    side_by_side.wo = (Mat){ 0 };
    multi_head_fused(heads, (Mat){ 0 }, x, side_by_side, (Mask){ 0 });
    multi_head_fused(out, (Mat){ 0 }, x, m, (Mask){ 0 });
    for (int h = 0; h < m.H; h++) add_share(sum, heads, m.wo, h, m.H);
    check(lesson, mat_max_difference(sum, out) <= 1e-5 * fmax(1.0, mat_magnitude(out)),
          "%d head%s of random weights: the layer is the sum of %d share%s, head h's columns times rows h·d … of Wo",
          m.H, m.H == 1 ? "" : "s", m.H, m.H == 1 ? "" : "s");

    MultiHead without = m;
    int d = x.cols / m.H, last = m.H - 1;
    without.wo = mat_copy(arena, m.wo);
    mat_fill(mat_rows(without.wo, last * d, d), 0.0f);
    Mat less = mat_new(arena, x.rows, x.cols);
    multi_head_fused(less, (Mat){ 0 }, x, without, (Mask){ 0 });
    mat_fill(sum, 0.0f);
    for (int h = 0; h < last; h++) add_share(sum, heads, m.wo, h, m.H);
    check(lesson, mat_max_difference(sum, less) <= 1e-5 * fmax(1.0, mat_magnitude(out)),
          "rows %d … %d of Wo made 0: the share of head %d is gone, the others stay", last * d, x.cols - 1, last);
}

// The same layer with one matrix for Wv and Wo of each head: its weights mix x (Wv Wo).
static void one_matrix_a_head(Lesson *lesson, MultiHead m)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols), sum = mat_new(arena, x.rows, x.cols);
    int T = x.rows, D = x.cols, d = D / m.H;
    Mat maps = mat_new(arena, m.H * T, T), both = mat_new(arena, D, D), v = mat_new(arena, T, D);
    Mat share = mat_new(arena, T, D);
    multi_head_fused(out, maps, x, m, (Mask){ 0 });
    for (int h = 0; h < m.H; h++) {
        matmul(both, mat_cols(m.wqkv, 2 * D + h * d, d), mat_rows(m.wo, h * d, d));
        matmul(v, x, both);
        matmul(share, mat_rows(maps, h * T, T), v);
        for (int i = 0; i < T; i++)
            for (int j = 0; j < D; j++) *mat_ref(sum, i, j) += *mat_ref(share, i, j);
    }
    check(lesson, mat_max_difference(sum, out) <= 1e-5 * fmax(1.0, mat_magnitude(out)),
          "Wv and Wo of a head as one matrix, %d × %d, give the same: %d numbers in place of 2·%d·%d = %d", D, D, D * D,
          D, d, 2 * D * d);
}

void what_wo_is_for(Lesson *lesson, MultiHead m)
{
    step(lesson, "What Wo is for");
    where_it_means_something(lesson);
    a_sum_of_heads(lesson, m);
    one_matrix_a_head(lesson, m);
}
