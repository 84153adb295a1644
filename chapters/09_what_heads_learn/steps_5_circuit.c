// Chapter 09, step 5. The two heads as one circuit: one is cut out and the other loses its mass; then what each looks
// for and what it writes, read from the matrices.
#include "base/portable_math.h"
#include "language/induction.h"
#include "model/circuits.h"
#include "steps.h"

enum { FRESH = 64, SEED = 7 }; // the sequences of step 4

// ---- cut

static Mat gates_without(Arena *arena, Transformer m, int layer, int head)
{
    Mat gates = mat_new(arena, m.config.L, m.config.H);
    mat_fill(gates, 1.0f);
    if (layer >= 0) *mat_ref(gates, layer, head) = 0.0f;
    return gates;
}

// Answers the induction mass of the best head of layer 1 without the previous-token head.
static double cut_one_by_one(Lesson *lesson, Transformer a, Pair pair)
{
    static const char *const cols[] = { "1.0 induces", "1.1 induces", "right", "loss" };
    Rows rows = rows_of(lesson, "induction mass of both heads of layer 1, right answers, loss", cols, 4);
    double left = 1.0;
    for (int n = -1; n < 4; n++) {
        Mat gates = gates_without(lesson->arena, a, n < 0 ? -1 : n / 2, n < 0 ? 0 : n % 2);
        InductionScores s = induction_scores_gated(lesson->arena, a, gates, induction_batch, FRESH, SEED);
        const double *row = ROW(s.induction[2], s.induction[3], s.accuracy, s.loss);
        if (n < 0) rows_add(&rows, row, "all heads");
        else rows_add(&rows, row, "without %d.%d", n / 2, n % 2);
        if (n == pair.previous) left = s.best_induction;
    }
    show_rows(lesson, &rows);
    return left;
}

// Queries of one run, keys of another: by which of the two the note is read. And whether it is the zeros that do harm.
static void cut_one_way(Lesson *lesson, Transformer a, Pair pair)
{
    Arena *arena = lesson->arena;
    Random random = random_from(SEED);
    RunBatch batch = induction_batch(arena, FRESH, &random, NULL);
    Run whole = run_transformer(arena, a, batch, (Mat){ 0 });
    Run cut = run_transformer(arena, a, batch, gates_without(arena, a, 0, pair.previous));
    double queries = induction_mass_mixed(&cut, &whole, 1, pair.induction);
    double keys = induction_mass_mixed(&whole, &cut, 1, pair.induction);
    say(lesson, "Head 1.%d, when what 0.%d wrote is missing in its queries alone: %.2f. In its keys alone: %.2f.",
        pair.induction, pair.previous, queries, keys);
    check(lesson, queries > 0.9 && keys < 0.3, "the note is read through the keys");
    Run mean = run_instead_transformer(arena, a, batch, gates_without(arena, a, 0, pair.previous),
                                       run_mean_heads(arena, &whole));
    double left = induction_mass_mixed(&mean, &mean, 1, pair.induction);
    say(lesson, "When 0.%d gives its mean over all tokens, not zeros: %.2f.", pair.previous, left);
    check(lesson, left < 0.3, "the harm is not done by the zeros");
}

// ---- the circuits, from the matrices alone

enum { V = 32, FARTHEST = 31 };

// Row a: the scores of head 0.h for a query that is token a, by how far back the key stands; the mean over its token.
static Mat by_distance(Arena *arena, Transformer a, int h)
{
    return circuit_by_distance(arena, a, 0, h, a.embedding, a.embedding, FARTHEST);
}

// Row a: the scores of head 1.h for a query that is token a, by the token of which a note stands there; the mean over
// distances 1 to FARTHEST.
static Mat by_note(Arena *arena, Transformer a, int writer, int h)
{
    Mat notes = circuit_writes(arena, a, 0, writer, a.embedding);
    return circuit_over_distances(arena, a, 1, h, a.embedding, notes, FARTHEST);
}

// Row a: the logits that head l.h adds when it looks at token a.
static Mat by_token(Arena *arena, Transformer a, int l, int h)
{
    return circuit_logits(arena, a, circuit_writes(arena, a, l, h, a.embedding));
}

// How many rows have their largest number in this column; OWN: in the column of their own token.
enum { OWN = -1 };
static int rows_with(Mat m, int column)
{
    int count = 0;
    for (int i = 0; i < m.rows; i++) count += mat_argmax(m, i) == (column == OWN ? i : column);
    return count;
}

// 0 to 31, every fourth named.
static const char *const *every_fourth(Arena *arena)
{
    const char **names = arena_alloc(arena, V * sizeof *names);
    for (int i = 0; i < V; i++) names[i] = i % 4 ? "" : arena_format(arena, "%d", i);
    return names;
}

// For a picture: the largest size is 1.
static Heatmap panel_of(Arena *arena, const char *title, Mat m, const char *col_title)
{
    Mat values = mat_copy(arena, m);
    double most = mat_magnitude(m);
    for (int e = 0; e < values.rows * values.cols; e++) values.at[e] /= (float)most;
    return (Heatmap){ .title = title,
                      .values = values,
                      .col_labels = every_fourth(arena),
                      .row_title = "token of the query",
                      .col_title = col_title,
                      .colors = COLOR_DIVERGING,
                      .low = -1,
                      .high = 1,
                      .decimals = -1,
                      .cell = 8,
                      .bar_title = "share of the largest" };
}

static void read_the_matrices(Lesson *lesson, Transformer a, Pair pair)
{
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "one back", "own note", "copies" };
    say(lesson, "Of the 32 tokens: for how many is the best place one back (layer 0); the note of the same token "
                "(layer 1); and how many does a head copy?");
    Rows rows = rows_of(lesson, "from the matrices alone", cols, 3);
    rows.table.decimals = -1;
    for (int n = 0; n < 4; n++) {
        int l = n / 2, h = n % 2;
        double back = l ? 0.0 : rows_with(by_distance(arena, a, h), 1);
        double note = l ? rows_with(by_note(arena, a, pair.previous, h), OWN) : 0.0;
        double copies = rows_with(by_token(arena, a, l, h), OWN);
        rows_add(&rows, ROW(back, note, copies), "head %d.%d", l, h);
    }
    rows.table.hidden = mat_of(arena, 4, 3, (float[]){ 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0 });
    show_rows(lesson, &rows);
    Mat back = by_distance(arena, a, pair.previous), note = by_note(arena, a, pair.previous, pair.induction);
    Mat copy = by_token(arena, a, 1, pair.induction);
    check(lesson, rows_with(back, 1) >= 28, "whatever the token, head 0.%d looks one back", pair.previous);
    check(lesson, rows_with(note, OWN) >= 28 && rows_with(copy, OWN) >= 28,
          "head 1.%d looks for the note of its own token, and copies what it finds", pair.induction);
    Heatmap maps[] = {
        panel_of(arena, arena_format(arena, "0.%d QK: how far back", pair.previous), back, "distance of the key"),
        panel_of(arena, arena_format(arena, "1.%d QK: which note", pair.induction), note, "token in the note"),
        panel_of(arena, arena_format(arena, "1.%d OV: which answer", pair.induction), copy, "token of the answer"),
    };
    maps[2].row_title = "token it looks at";
    figure_maps(lesson, "circuits.png", "what both heads look for, and what is copied, read from the matrices",
                "The circuit, from the matrices alone", maps, 3, 3);
}

void the_circuit(Lesson *lesson, Transformer a, Pair pair)
{
    step(lesson, "The circuit");
    figure_stream(lesson, a, pair);
    double left = cut_one_by_one(lesson, a, pair);
    check(lesson, left < 0.3, "without head 0.%d no head of layer 1 keeps 0.3 of its induction mass", pair.previous);
    cut_one_way(lesson, a, pair);
    read_the_matrices(lesson, a, pair);
}
