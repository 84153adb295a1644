// Chapter 05, step 8. A row with nothing to see, and what a large number does in place of infinity.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

// Weights as many programs make them: what is hidden has `hide` taken from its score.
static Mat weights_hidden_by(Arena *arena, Mat q, Mat k, Mask mask, float hide)
{
    Mat weights = mat_new(arena, q.rows, k.rows);
    attention_scores(weights, q, k, EVERYTHING);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            if (!mask_sees(mask, i, j, q.rows, k.rows)) *mat_ref(weights, i, j) -= hide;
    softmax_rows(weights, weights);
    return weights;
}

// Of one row of a causal head: what the later keys get, which are hidden. A sum in double, so that the smallest floats
// count.
static void what_leaks(Lesson *lesson, const Head *h, float hide)
{
    Mat weights = weights_hidden_by(lesson->arena, h->p.q, h->p.k, (Mask){ .causal = true }, hide);
    int later = h->word + 1;
    double leaked = mat_sum(mat_block(weights, h->word, 1, later, weights.cols - later));
    const char *amount = leaked > 0 ? arena_format(lesson->arena, "%.3g, which is not 0", leaked) : "0, exactly";
    say(lesson, "%s, causal, with -%g: the later keys get %s.", lesson->sentence.words[h->word], (double)hide, amount);
}

// Of the same row with every key hidden: its largest weight and its sum.
static void add_blind(Rows *rows, const Head *h, float hide)
{
    Mat none = weights_hidden_by(rows->arena, h->p.q, h->p.k, (Mask){ .padding = h->p.k.rows }, hide);
    double most = mat_value(none, h->word, mat_argmax(none, h->word));
    rows_add(rows, ROW(most, mat_sum(mat_rows(none, h->word, 1))), "-%g", (double)hide);
}

static void amounts(Lesson *lesson, const Head *h, float hide)
{
    static const char *const columns[] = { "largest", "sum" };
    bool another = strcmp(arena_format(lesson->arena, "%g", (double)hide), "10") != 0;
    what_leaks(lesson, h, 10.0f);
    if (another) what_leaks(lesson, h, hide);
    const char *name = arena_format(lesson->arena, "%s, all keys hidden by a number", lesson->sentence.words[h->word]);
    Rows rows = rows_of(lesson, name, columns, 2);
    rows.table.decimals = 5;
    rows.table.units = COLUMNS_APART;
    add_blind(&rows, h, 10.0f);
    if (another) add_blind(&rows, h, hide);
    Mat row = attend(lesson->arena, h->p.q, h->p.k, h->p.v, (Mask){ .padding = h->p.k.rows }).weights;
    rows_add(&rows, ROW(mat_magnitude(row), mat_sum(row)), "-∞, in this book");
    show_rows(lesson, &rows);
}

// What holds of a number that is large beside every score, as those of the book's words are.
static void a_large_number(Lesson *lesson, const Head *h, float hide)
{
    Arena *arena = lesson->arena;
    const Mask causal = { .causal = true }, blind = { .padding = h->p.k.rows };
    Mat some = weights_hidden_by(arena, h->p.q, h->p.k, causal, hide);
    check(lesson, mat_equal(some, h->causal.weights), "where a key is in sight, -%g gives what -∞ gives, to the bit",
          (double)hide);
    Mat none = weights_hidden_by(arena, h->p.q, h->p.k, blind, hide);
    bool even = true;
    for (int j = 0; j < none.cols; j++) even = even && *mat_ref(none, h->word, j) == *mat_ref(none, h->word, 0);
    check(lesson, even, "where none is, all weights are equal: floats near -%g lie %g apart, and the scores are lost",
          (double)hide, (double)nextafterf(hide, INFINITY) - (double)hide);
    Mat k = mat_copy(arena, h->p.k);
    mat_fill(mat_rows(k, k.rows - 1, 1), NAN);
    check(lesson, isnan(*weights_hidden_by(arena, h->p.q, k, causal, hide).at),
          "NaN - %g is NaN: a hidden key that is NaN spoils every row", (double)hide);
}

void nothing_to_see(Lesson *lesson, const Head *h, float hide)
{
    step(lesson, "A row with nothing to see, and a number for infinity");
    int S = lesson->sentence.T;
    Attended none = attend(lesson->arena, h->p.q, h->p.k, h->p.v, (Mask){ .padding = S });
    float row[2] = { -INFINITY, -INFINITY };
    softmax_unshifted(row, row, 2);
    check(lesson, isnan(row[0]), "the formula as written gives 0 / 0 = NaN");
    check(lesson, mat_magnitude(none.weights) == 0.0 && mat_magnitude(none.out) == 0.0,
          "with all %d keys hidden, weights and outputs are 0", S);
    check(lesson, *none.lse.at == -INFINITY, "its logsumexp is -∞: a sum of no exponentials at all");
    amounts(lesson, h, hide);
    if (hide >= 1e9f && !lesson->own_words) a_large_number(lesson, h, hide);
}
