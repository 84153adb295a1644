// Chapter 03. Scaled dot-product attention: a dictionary that answers softly.
// Run build/chapters/03_scaled_dot_product with README.md of this folder open beside it.
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/measure.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "lesson/convex_hull.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

#include <string.h>

// Of the experiments: d = 4, 8, … 1024; queries in rounds, each against keys of its own.
enum { WIDTHS = 9, WIDEST = 1024, ROUNDS = 20, EACH = 50, QUERIES = ROUNDS * EACH, KEYS = 64 };

static const char *const width_names[WIDTHS] = { "d = 4",   "d = 8",   "d = 16",  "d = 32",  "d = 64",
                                                 "d = 128", "d = 256", "d = 512", "d = 1024" };

static int width(int e) { return 4 << e; }
enum { AT_32 = 3, AT_64, AT_128, AT_256, AT_512 }; // places among the widths

typedef struct {
    Sentence keys;
    Mat values;
} Dictionary; // values (keys, 1)

// A dictionary as you know it: the value of the key that is equal, or nothing.
static const float *look_up(const Dictionary *book, const char *word)
{
    for (int j = 0; j < book->keys.T; j++)
        if (!strcmp(book->keys.words[j], word)) return mat_ref(book->values, j, 0);
    return NULL;
}

// One that answers softly: every key gets a share, by its score, and every value counts by the share of its key.
static float look_up_softly(const Dictionary *book, const float *query, float temperature, float *weights)
{
    Mat keys = book->keys.x;
    for (int j = 0; j < keys.rows; j++) weights[j] = dot_product(query, mat_row(keys, j), 1, keys.cols);
    softmax_at(weights, weights, keys.rows, temperature);
    return dot_product(weights, book->values.at, book->values.stride, keys.rows);
}

// The same words with zeros in one column: what is asked for must not help to find it.
static Sentence without(Arena *arena, Sentence words, int column)
{
    words.x = mat_copy(arena, words.x);
    mat_fill(mat_cols(words.x, column, 1), 0.0f);
    return words;
}

// The question that the figure answers: of "a cat" for a noun, of a word in quotes for any other.
static const char *question_of(Arena *arena, const Embeddings *table, Sentence asked)
{
    const char *word = asked.words[0];
    if (*mat_ref(asked.x, 0, embeddings_column(table, "noun")) < 1.0f)
        return arena_format(arena, "How much does \"%s\" move?", word);
    return arena_format(arena, "How much does %s %s move?", strchr("aeiou", *word) ? "an" : "a", word);
}

// One query's way through the dictionary, with its numbers: the three columns in which the keys have any. `shared` has
// the weights and the answer, `moved` is what the table of embeddings says.
static void draw_look_up(Lesson *lesson, const Embeddings *table, const Dictionary *book, Sentence asked, Mat shared,
                         double temperature, double moved)
{
    enum { QUERY, KEYS_OF, SCORES, WEIGHTS, VALUES, ANSWER, TRUTH, BOXES, SHOWN = 3 };
    static const char *const names[SHOWN] = { "noun", "alive", "place" };
    Arena *arena = lesson->arena;
    const Sentence *words = &book->keys;
    Mat query = mat_new(arena, 1, SHOWN), keys = mat_new(arena, words->T, SHOWN), scores = mat_new(arena, words->T, 1);
    Mat weights = mat_new(arena, words->T, 1), answer = mat_new(arena, 1, 1);
    for (int c = 0; c < SHOWN; c++) {
        int column = embeddings_column(table, names[c]);
        *mat_ref(query, 0, c) = *mat_ref(asked.x, 0, column);
        mat_set(mat_cols(keys, c, 1), mat_cols(words->x, column, 1));
    }
    matmul_transposed(scores, words->x, asked.x);
    for (int j = 0; j < words->T; j++) *mat_ref(weights, j, 0) = *mat_ref(shared, 0, j);
    *answer.at = *mat_ref(shared, 0, words->T);
    const DiagramBox boxes[BOXES] = {
        [QUERY] = { .at = { 0, 0, 150, 0 },
                    .title = arena_format(arena, "query: %s", asked.words[0]),
                    .values = query,
                    .decimals = 2,
                    .cols = names,
                    .color = COLOR_MARK },
        [KEYS_OF] = { .at = { 0, 100, 190, 0 },
                      .title = "keys",
                      .values = keys,
                      .decimals = 2,
                      .rows = words->words,
                      .cols = names,
                      .color = COLOR_SERIES[0] },
        [SCORES] = { .at = { 260, 108, 0, 0 },
                     .title = "scores",
                     .values = scores,
                     .decimals = 2,
                     .rows = words->words },
        [WEIGHTS] = { .at = { 500, 108, 0, 0 },
                      .title = "weights",
                      .values = weights,
                      .decimals = 2,
                      .rows = words->words,
                      .shaded = true,
                      .low = 0.0,
                      .high = 1.0 },
        [VALUES] = { .at = { 500, 246, 0, 0 },
                     .title = "values",
                     .values = book->values,
                     .decimals = 2,
                     .rows = words->words,
                     .color = COLOR_SERIES[1] },
        [ANSWER] = { .at = { 665, 207, 70, 0 }, .title = "answer", .values = answer, .decimals = 2, .marked = true },
        [TRUTH] = { .at = { 622, 316, 0, 0 },
                    .lines = arena_format(arena, "the table of\nembeddings: %.2f", moved),
                    .bare = true },
    };
    const DiagramArrow arrows[] = {
        { .from = QUERY, .to = SCORES, .bend = 1, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_TOP },
        { .from = KEYS_OF, .to = SCORES, .label = "q · k" },
        { .from = SCORES, .to = WEIGHTS, .label = arena_format(arena, "softmax, τ = %g", temperature) },
        { .from = WEIGHTS, .to = ANSWER, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_TOP, .bend = 1, .label = "Σ w v" },
        { .from = VALUES, .to = ANSWER, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_BOTTOM, .bend = 1 },
    };
    figure_diagram(lesson, "look_up.png", "one query's way through the soft dictionary, with its numbers",
                   (Diagram){ .title = question_of(arena, table, asked),
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = 5 });
}

static void a_soft_dictionary(Lesson *lesson, const char *word)
{
    Arena *arena = lesson->arena;
    Embeddings table;
    embeddings_of_the_book(&table, arena);
    Sentence asked = words_of_flag(lesson, &table, "query", word, 1);
    Sentence keys = book_sentence(lesson, "dog horse street river");
    step(lesson, "A dictionary that answers softly");
    int moves = embeddings_column(&table, "moves");
    Dictionary book = { without(arena, keys, moves), mat_cols(keys.x, moves, 1) };
    float moved = *mat_ref(asked.x, 0, moves);
    asked = without(arena, asked, moves);
    const char *missing = look_up(&book, asked.words[0]) ? "bird" : asked.words[0];
    check(lesson, look_up(&book, "dog") && !look_up(&book, missing), "hard: dog moves %.2f, and of %s there is nothing",
          (double)*look_up(&book, "dog"), missing);

    const float temperatures[] = { 1.0f, 0.25f };
    static const char *const columns[] = { "dog", "horse", "street", "river", "moves" };
    const char *rows[] = { arena_format(arena, "%s, τ = 1", asked.words[0]),
                           arena_format(arena, "%s, τ = 0.25", asked.words[0]) };
    Mat answers = mat_new(arena, 2, keys.T + 1), known = mat_new(arena, 2, keys.T);
    bool between = true;
    matmul_transposed(mat_rows(known, 0, 1), asked.x, book.keys.x);
    for (int j = 0; j < keys.T; j++) *mat_ref(known, 1, j) = *mat_ref(book.values, j, 0);
    show_table(lesson, (Table){ .name = "four keys: their scores, and their values",
                                .values = known,
                                .rows = (const char *[]){ arena_format(arena, "%s · key", asked.words[0]), "moves" },
                                .cols = columns,
                                .units = ROWS_APART,
                                .given_rows = 2 }); // the values
    for (int i = 0; i < 2; i++) {
        float answer = look_up_softly(&book, mat_row(asked.x, 0), temperatures[i], mat_row(answers, i));
        *mat_ref(answers, i, keys.T) = answer;
        between = between && answer >= *look_up(&book, "street") && answer <= *look_up(&book, "horse");
    }
    show_table(lesson, (Table){ .name = "soft: the shares of four keys, and the answer",
                                .values = answers,
                                .rows = rows,
                                .cols = columns,
                                .apart = 1u << keys.T });
    check(lesson, between, "no answer is below the least of the four values, or above the largest");
    say(lesson, "The table of embeddings itself says: %s moves %.2f.", asked.words[0], (double)moved);
    draw_look_up(lesson, &table, &book, asked, mat_rows(answers, 1, 1), (double)temperatures[1], (double)moved);
}

static bool shares(Mat weights)
{
    for (int i = 0; i < weights.rows; i++) {
        if (fabs(mat_sum(mat_rows(weights, i, 1)) - 1.0) > 1e-6) return false;
        for (int j = 0; j < weights.cols; j++)
            if (*mat_ref(weights, i, j) < 0.0f) return false;
    }
    return true;
}

// Does every element of out lie between the least and the largest element of its column of values?
static bool inside_columns(Mat out, Mat values)
{
    for (int c = 0; c < values.cols; c++) {
        float least = INFINITY, most = -INFINITY;
        for (int j = 0; j < values.rows; j++) {
            least = fminf(least, *mat_ref(values, j, c));
            most = fmaxf(most, *mat_ref(values, j, c));
        }
        for (int i = 0; i < out.rows; i++)
            if (*mat_ref(out, i, c) < least - 1e-6f || *mat_ref(out, i, c) > most + 1e-6f) return false;
    }
    return true;
}

// Seen along any two columns, does every output lie in the convex hull of the values? `planes` counts them.
static bool inside_hulls(Arena *arena, Mat out, Mat values, int *planes)
{
    ArenaMark mark = arena_mark(arena);
    double *xy = arena_alloc(arena, (size_t)values.rows * 4 * sizeof *xy), *hull = xy + 2 * values.rows;
    double slack = 1e-6 * fmax(1.0, mat_magnitude(values));
    bool inside = true;
    *planes = 0;
    for (int a = 0; a < values.cols; a++)
        for (int b = a + 1; b < values.cols; b++, ++*planes) {
            for (int j = 0; j < values.rows; j++) {
                xy[2 * j] = mat_value(values, j, a);
                xy[2 * j + 1] = mat_value(values, j, b);
            }
            int corners = convex_hull_of(hull, xy, values.rows);
            for (int i = 0; i < out.rows; i++)
                inside = inside && convex_hull_holds(hull, corners, mat_value(out, i, a), mat_value(out, i, b), slack);
        }
    arena_release(arena, mark);
    return inside;
}

// How many words stand where word t does; and is it the first of them?
static int sharing(Mat m, int t, int a, int b, bool *first)
{
    int count = 0;
    *first = true;
    for (int u = 0; u < m.rows; u++) {
        if (*mat_ref(m, u, a) != *mat_ref(m, t, a) || *mat_ref(m, u, b) != *mat_ref(m, t, b)) continue;
        count++;
        *first = *first && u >= t;
    }
    return count;
}

typedef struct {
    double low, high;
} Reach;

// From the least to the largest of a column, with air on both sides.
static Reach reach_of(Mat values, int c)
{
    Reach reach = { mat_value(values, 0, c), mat_value(values, 0, c) };
    for (int j = 1; j < values.rows; j++) {
        reach.low = fmin(reach.low, mat_value(values, j, c));
        reach.high = fmax(reach.high, mat_value(values, j, c));
    }
    double air = reach.high > reach.low ? 0.1 * (reach.high - reach.low) : 1.0;
    return (Reach){ reach.low - air, reach.high + air };
}

// Values and outputs seen along two columns, the hull of the values, and the way from each value to its output.
static void draw_mixture(Lesson *lesson, Mat values, Mat out)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int a = embeddings_column(&lesson->embeddings, "alive"), b = embeddings_column(&lesson->embeddings, "place");
    if (a < 0 || b < 0) {
        a = 0;
        b = values.cols > 1;
    }
    double *xy = arena_alloc(arena, (size_t)s->T * 4 * sizeof *xy), *hull = xy + 2 * s->T;
    VectorPlotPoint *points = arena_alloc(arena, ((size_t)s->T + 1) * 2 * sizeof *points);
    VectorPlotArrow *ways = arena_alloc(arena, (size_t)s->T * sizeof *ways);
    Reach x = reach_of(values, a), y = reach_of(values, b);
    for (int t = 0; t < s->T; t++) {
        bool first;
        int here = sharing(values, t, a, b, &first);
        const char *name = here == 1 ? s->words[t] : first ? arena_format(arena, "%d words", here) : NULL;
        double from_x = xy[2 * t] = mat_value(values, t, a), from_y = xy[2 * t + 1] = mat_value(values, t, b);
        double to_x = mat_value(out, t, a), to_y = mat_value(out, t, b);
        bool low = from_y < y.low + 0.2 * (y.high - y.low); // its name stands below, out of the way of the dashes
        points[t] = (VectorPlotPoint){ from_x, from_y, name, low ? -70 : 45, COLOR_SERIES[0] };
        points[s->T + t] = (VectorPlotPoint){ to_x, to_y, here == 1 ? s->words[t] : NULL, -90, COLOR_SERIES[1] };
        ways[t] = (VectorPlotArrow){ from_x, from_y, to_x, to_y, NULL, 0, COLOR_QUIET, VECTOR_PLOT_DASHES };
    }
    double legend = x.low + 0.66 * (x.high - x.low), line = 0.06 * (y.high - y.low);
    points[2 * s->T] = (VectorPlotPoint){ legend, y.high - line, "value", 0, COLOR_SERIES[0] };
    points[2 * s->T + 1] =
        (VectorPlotPoint){ legend, y.high - 2.0 * line, "output, a mixture of values", 0, COLOR_SERIES[1] };
    int corners = convex_hull_of(hull, xy, s->T);
    figure_plane(lesson, "mixture.png", "every output lies in the convex hull of the values, the shaded area",
                 (VectorPlot){ .title = "Values, and what becomes of them",
                               .x_title = lesson->embeddings.column[a],
                               .y_title = lesson->embeddings.column[b],
                               .x_low = x.low,
                               .x_high = x.high,
                               .y_low = y.low,
                               .y_high = y.high,
                               .area = hull,
                               .corners = corners,
                               .arrows = ways,
                               .arrow_count = s->T,
                               .points = points,
                               .point_count = 2 * s->T + 2,
                               .width = 700,
                               .height = 400 });
}

static Mat a_mixture(Lesson *lesson)
{
    step(lesson, "The output is a mixture of the values");
    Mat x = lesson->sentence.x, weights = mat_new(lesson->arena, x.rows, x.rows);
    Mat out = mat_new(lesson->arena, x.rows, x.cols);
    matmul_transposed(weights, x, x);
    softmax_rows(weights, weights);
    matmul(out, weights, x);
    show_table(lesson, (Table){ .name = "weights times values",
                                .values = out,
                                .rows = lesson->sentence.words,
                                .cols = lesson->embeddings.column });
    check(lesson, shares(weights), "no weight is below 0, and every row of them sums to 1");
    int planes;
    bool inside = inside_hulls(lesson->arena, out, x, &planes);
    check(lesson, inside_columns(out, x), "no output is below the least or above the largest value of its column");
    check(lesson, inside, "seen along any two columns, every output lies in the convex hull of the values: %d planes",
          planes);
    draw_mixture(lesson, x, out);
    return weights;
}

typedef struct {
    const uint64_t *seeds;
    Mat plain, scaled;
} Draws; // (draws, WIDTHS): (q·k)², (q·k / √d)²

// Two lists of unit normals. Their first 4, 8, … 1024 numbers give one dot product for each width.
static void one_draw(int i, void *context)
{
    const Draws *draws = context;
    Random random = random_from(draws->seeds[i]);
    float q[WIDEST], k[WIDEST];
    random_normals(&random, (Mat){ q, 1, WIDEST, WIDEST });
    random_normals(&random, (Mat){ k, 1, WIDEST, WIDEST });
    for (int e = 0; e < WIDTHS; e++) {
        float score = dot_product(q, k, 1, width(e)), scaled = score / sqrtf((float)width(e));
        *mat_ref(draws->plain, i, e) = score * score;
        *mat_ref(draws->scaled, i, e) = scaled * scaled;
    }
}

// Every point of a column of `table` as a series over d.
static PlotSeries column_series(Arena *arena, const char *name, Mat table, int column)
{
    double *x = arena_alloc(arena, 2 * WIDTHS * sizeof *x), *y = x + WIDTHS;
    for (int e = 0; e < WIDTHS; e++) {
        x[e] = width(e);
        y[e] = mat_value(table, e, column);
    }
    return (PlotSeries){ .name = name, .x = x, .y = y, .count = WIDTHS };
}

static void how_large(Lesson *lesson, int count)
{
    step(lesson, "How large is a dot product?");
    Arena *arena = lesson->arena;
    uint64_t *seeds = arena_alloc(arena, (size_t)count * sizeof *seeds);
    for (int i = 0; i < count; i++) seeds[i] = random_bits(&lesson->random);
    Draws draws = { seeds, mat_new(arena, count, WIDTHS), mat_new(arena, count, WIDTHS) };
    threads_parallel_for(count, one_draw, &draws);

    static const char *const columns[] = { "q·k", "its root", "q·k / √d" };
    const char *name = arena_format(arena, "variance of scores, from %d pairs of random vectors", count);
    Rows rows = rows_of(lesson, name, columns, 3);
    rows.table.units = COLUMNS_APART;
    bool near = true;
    for (int e = 0; e < WIDTHS; e++) {
        double plain = mat_sum(mat_cols(draws.plain, e, 1)) / count;
        double scaled = mat_sum(mat_cols(draws.scaled, e, 1)) / count;
        rows_add(&rows, ROW(plain, sqrt(plain), scaled), "d = %d", width(e));
        near = near && fabs(plain / width(e) - 1.0) < 7.0 * sqrt((2.0 + 6.0 / width(e)) / count);
    }
    show_rows(lesson, &rows);
    check(lesson, near, "the variance of q·k is d, within what chance makes of so few pairs, at every d");

    Mat line = mat_new(arena, WIDTHS, 1);
    for (int e = 0; e < WIDTHS; e++) *mat_ref(line, e, 0) = (float)width(e);
    Mat table = rows.table.values;
    PlotSeries series[] = { column_series(arena, "q·k", table, 0), column_series(arena, "q·k / √d", table, 2),
                            column_series(arena, "d", line, 0) };
    series[0].dots = series[1].dots = series[2].dashed = true;
    figure_plot(lesson, "variance.png", "the variance of a dot product is its width",
                (Plot){ .title = "Variance of a score",
                        .x_title = "d",
                        .y_title = "variance",
                        .series = series,
                        .count = 3,
                        .log_x = true,
                        .log_y = true });
}

// The gradients that reach queries (EACH, d) and their scores, when dw (EACH, KEYS) reaches their weights: ds = dw J,
// with the Jacobian of chapter 02, and dq = scale · ds K. Keys come transposed, in kt (d, KEYS).
static void query_gradients(Mat dq, Mat ds, Mat weights, Mat dw, Mat kt, float scale)
{
    float held[KEYS * KEYS];
    Mat jacobian = { held, KEYS, KEYS, KEYS };
    for (int i = 0; i < dw.rows; i++) {
        softmax_jacobian(jacobian, mat_row(weights, i), KEYS);
        matmul(mat_rows(ds, i, 1), mat_rows(dw, i, 1), jacobian);
    }
    matmul_transposed(dq, ds, kt);
    for (int i = 0; i < dq.rows; i++)
        for (int c = 0; c < dq.cols; c++) *mat_ref(dq, i, c) *= scale;
}

// Of every query (QUERIES, 2 · WIDTHS), first of all widths without the scale, then of all with it: the entropy of its
// weights, the largest of them, and how large the gradients are that reach it and its scores.
typedef struct {
    const uint64_t *seeds;
    Mat bits, largest, at_query, at_scores;
} Measured;

// EACH queries against KEYS keys, all unit normals, as is dw. The first d columns are a view, so one pair of matrices
// serves every width.
static void one_round(int round, void *context)
{
    const Measured *all = context;
    Random random = random_from(all->seeds[round]);
    Arena *arena = arena_open();
    Mat q = mat_new(arena, EACH, WIDEST), k = mat_new(arena, KEYS, WIDEST), kt = mat_new(arena, WIDEST, KEYS);
    Mat weights = mat_new(arena, EACH, KEYS), dw = mat_new(arena, EACH, KEYS), ds = mat_new(arena, EACH, KEYS);
    Mat dq = mat_new(arena, EACH, WIDEST);
    random_normals(&random, q);
    random_normals(&random, k);
    random_normals(&random, dw);
    for (int j = 0; j < KEYS; j++)
        for (int c = 0; c < WIDEST; c++) *mat_ref(kt, c, j) = *mat_ref(k, j, c);
    for (int at = 0; at < 2 * WIDTHS; at++) {
        int d = width(at % WIDTHS);
        float scale = at < WIDTHS ? 1.0f : 1.0f / sqrtf((float)d);
        attention_scores(weights, mat_cols(q, 0, d), mat_cols(k, 0, d), (Mask){ .scale = scale });
        softmax_rows(weights, weights);
        query_gradients(mat_cols(dq, 0, d), ds, weights, dw, mat_rows(kt, 0, d), scale);
        for (int i = 0; i < EACH; i++) {
            *mat_ref(all->bits, round * EACH + i, at) = softmax_entropy(mat_row(weights, i), KEYS);
            *mat_ref(all->largest, round * EACH + i, at) = *mat_ref(weights, i, mat_argmax(weights, i));
            *mat_ref(all->at_query, round * EACH + i, at) = vector_norm(mat_row(dq, i), d);
            *mat_ref(all->at_scores, round * EACH + i, at) = vector_norm(mat_row(ds, i), KEYS);
        }
    }
    arena_close(arena);
}

// Queries of which one key has more than 99 %, at the largest width; and the mean gradient of the others.
typedef struct {
    int certain;
    double undecided;
} Decided;

static Decided decided(const Measured *all, int at)
{
    Decided found = { 0, 0.0 };
    for (int i = 0; i < QUERIES; i++)
        if (*mat_ref(all->largest, i, at) > 0.99f) found.certain++;
        else found.undecided += mat_value(all->at_query, i, at);
    if (found.certain < QUERIES) found.undecided /= QUERIES - found.certain;
    return found;
}

typedef struct {
    Mat bits, at_scores, gradients;
    Decided widest[2];
} Spreads;
// bits (WIDTHS, 2): means of q·k, q·k / √d; at_scores, gradients (WIDTHS, 4), of scores and of queries: mean and median
// of q·k, then of q·k / √d; widest: without and with the scale, at the largest width

static void mean_and_median(Mat to, int e, int scaled, Mat of_queries)
{
    double size[QUERIES], sum = 0.0;
    for (int i = 0; i < QUERIES; i++) sum += size[i] = mat_value(of_queries, i, scaled * WIDTHS + e);
    *mat_ref(to, e, 2 * scaled) = (float)(sum / QUERIES);
    *mat_ref(to, e, 2 * scaled + 1) = (float)measure_spread(size, QUERIES).median;
}

static Spreads spreads_measured(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    uint64_t seeds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) seeds[r] = random_bits(&lesson->random);
    Measured all = { .seeds = seeds,
                     .bits = mat_new(arena, QUERIES, 2 * WIDTHS),
                     .largest = mat_new(arena, QUERIES, 2 * WIDTHS),
                     .at_query = mat_new(arena, QUERIES, 2 * WIDTHS),
                     .at_scores = mat_new(arena, QUERIES, 2 * WIDTHS) };
    threads_parallel_for(ROUNDS, one_round, &all);
    Spreads found = { .bits = mat_new(arena, WIDTHS, 2),
                      .at_scores = mat_new(arena, WIDTHS, 4),
                      .gradients = mat_new(arena, WIDTHS, 4) };
    for (int scaled = 0; scaled < 2; scaled++) {
        for (int e = 0; e < WIDTHS; e++) {
            *mat_ref(found.bits, e, scaled) = (float)(mat_sum(mat_cols(all.bits, scaled * WIDTHS + e, 1)) / QUERIES);
            mean_and_median(found.at_scores, e, scaled, all.at_scores);
            mean_and_median(found.gradients, e, scaled, all.at_query);
        }
        found.widest[scaled] = decided(&all, scaled * WIDTHS + WIDTHS - 1);
    }
    return found;
}

static const char *const plain_and_scaled[] = { "q·k", "q·k / √d" };

static void draw_pair(Lesson *lesson, const char *file, const char *caption, Mat table, Plot plot)
{
    PlotSeries series[] = { column_series(lesson->arena, plain_and_scaled[0], table, 0),
                            column_series(lesson->arena, plain_and_scaled[1], table, 1) };
    plot.series = series;
    plot.count = 2;
    plot.x_title = "d";
    plot.log_x = true;
    figure_plot(lesson, file, caption, plot);
}

static void what_it_does_to_the_weights(Lesson *lesson, const Spreads *all)
{
    step(lesson, "What that does to the weights");
    const char *name = arena_format(lesson->arena, "mean entropy in bits, %d queries, %d keys", QUERIES, KEYS);
    show_table(lesson, (Table){ .name = name, .values = all->bits, .rows = width_names, .cols = plain_and_scaled });
    float least = *mat_ref(all->bits, 0, 1);
    for (int e = 1; e < WIDTHS; e++) least = fminf(least, *mat_ref(all->bits, e, 1));
    check(lesson, *mat_ref(all->bits, WIDTHS - 1, 0) < 1.0f, "without the scale, less than 1 bit is left at d = %d",
          WIDEST);
    check(lesson, least > 4.5f, "with it, more than 4.5 of the %.0f bits of equal weights, at every d", log2(KEYS));
    double lost = 1.0 / (2.0 * log(2.0));
    say(lesson,
        "For σ near 1, scores from a normal distribution of variance σ² leave about log₂ S - σ² / (2 log 2) "
        "bits; for σ = 1 that is %.0f - %.2f = %.2f.",
        log2(KEYS), lost, log2(KEYS) - lost);
    draw_pair(lesson, "entropy.png", "without the scale, wide queries look at little more than one key", all->bits,
              (Plot){ .title = "How spread the weights are",
                      .y_title = "mean entropy in bits, 64 keys",
                      .y_low = 0.0,
                      .y_high = 6.0 });
}

// Without the scale, over with it: the mean of |ds| and the median of |dq|, at a width.
static double mean_ds(const Spreads *all, int e)
{
    return mat_value(all->at_scores, e, 0) / mat_value(all->at_scores, e, 2);
}
static double median_dq(const Spreads *all, int e)
{
    return mat_value(all->gradients, e, 1) / mat_value(all->gradients, e, 3);
}

// What the text says of widths between: for whatever seed, so with room for chance.
static void between(Lesson *lesson, const Spreads *all)
{
    bool means = fabs(mean_ds(all, AT_64) - 1.0) < 0.2, medians = true;
    for (int e = 0; e < WIDTHS; e++) {
        means = means && (e == AT_64 || (e < AT_64) == (mean_ds(all, e) > 1.0));
        medians = medians && (e == AT_256 || (e < AT_256) == (median_dq(all, e) > 1.0));
    }
    check(lesson, means,
          "the mean |ds| is larger without the scale than with it up to d = %d, within 20 %% alike "
          "at %d, and smaller from %d on",
          width(AT_32), width(AT_64), width(AT_128));
    check(lesson, medians, "the median |dq| is larger up to d = %d, and smaller from %d on", width(AT_128),
          width(AT_512));
    double parts[2];
    for (int i = 0; i < 2; i++)
        parts[i] = mat_value(all->gradients, AT_64 + i, 1) / mat_value(all->gradients, AT_64 + i, 0);
    check(lesson, fabs(parts[0] - 0.6) < 0.2 && fabs(parts[1] - 0.33) < 0.2,
          "without the scale the median |dq| "
          "is %.2f of the mean at d = %d, and %.2f at %d",
          parts[0], width(AT_64), parts[1], width(AT_128));
}

static void what_it_does_to_the_gradient(Lesson *lesson, const Spreads *all)
{
    step(lesson, "What that does to the gradient");
    static const char *const columns[] = { "q·k: mean", "q·k: median", "q·k/√d: mean", "q·k/√d: median" };
    show_table(lesson, (Table){ .name = "how large the gradient is that reaches the scores, |ds|",
                                .decimals = 4,
                                .values = all->at_scores,
                                .rows = width_names,
                                .cols = columns });
    show_table(lesson, (Table){ .name = "and that reaches the query, |dq|",
                                .values = all->gradients,
                                .rows = width_names,
                                .cols = columns,
                                .decimals = 3 });
    double off = 0.0;
    for (int e = 0; e < WIDTHS; e++)
        for (int scaled = 0; scaled < 2; scaled++) {
            double grown = scaled ? 1.0 : sqrt(width(e)), at_scores = mat_value(all->at_scores, e, 2 * scaled);
            off = fmax(off, fabs(mat_value(all->gradients, e, 2 * scaled) / (grown * at_scores) - 1.0));
        }
    check(lesson, off < 0.2,
          "the mean |dq| is √d times the mean |ds| without the scale, and equal to it "
          "with the scale, within 20 %%");
    say(lesson,
        "One key has more than 99 %% of the weight, at d = %d: for %d of %d queries without the scale, for %d "
        "with it.",
        WIDEST, all->widest[0].certain, QUERIES, all->widest[1].certain);
    int undecided = QUERIES - all->widest[0].certain;
    const float *last = mat_row(all->gradients, WIDTHS - 1);
    if (undecided)
        say(lesson,
            "The mean gradient of the other %d: %.2f without the scale, %.1f times the %.3f that a query gets "
            "with it.",
            undecided, all->widest[0].undecided, all->widest[0].undecided / (double)last[2], (double)last[2]);
    check(lesson, last[1] < 0.1f * last[0],
          "without the scale, at d = %d: half of the queries get less than a tenth "
          "of the mean",
          WIDEST);
    bool alike = true;
    for (int e = 0; e < WIDTHS; e++)
        alike = alike && fabsf(mat_row(all->gradients, e)[3] / mat_row(all->gradients, e)[2] - 1.0f) < 0.2f;
    check(lesson, alike, "with it, the median is within 20 %% of the mean, at every d");
    between(lesson, all);
    PlotSeries series[4];
    for (int c = 0; c < 4; c++) {
        series[c] = column_series(lesson->arena, columns[c], all->gradients, c);
        series[c].dashed = c % 2 == 0; // half of the queries get less than the median
    }
    series[2].name = "q·k / √d: mean";
    series[3].name = "q·k / √d: median";
    figure_plot(lesson, "gradient.png",
                "without the scale some wide queries get large gradients, and most next to "
                "none",
                (Plot){ .title = "The gradient that reaches a query",
                        .x_title = "d",
                        .y_title = "|dq|, 64 keys",
                        .series = series,
                        .count = 4,
                        .pairs = true,
                        .log_x = true,
                        .log_y = true });
}

// softmax at temperature √d of q·k: the other way to read the formula.
static double against_temperature(Lesson *lesson, Mat weights, Mat x)
{
    Mat other = mat_new(lesson->arena, x.rows, x.rows);
    matmul_transposed(other, x, x);
    for (int i = 0; i < x.rows; i++) softmax_at(mat_row(other, i), mat_row(other, i), x.rows, sqrtf((float)x.cols));
    return mat_max_difference(weights, other);
}

// The row of the sentence that is looked at closely: its first "it", or its last word.
static int chosen_row(const Sentence *s)
{
    for (int t = 0; t < s->T; t++)
        if (!strcmp(s->words[t], "it")) return t;
    return s->T - 1;
}

// One element of the output, taken apart: weight times value for every key, of one column.
static void one_output(Lesson *lesson, Mat weights, Mat v, Mat out)
{
    const Sentence *s = &lesson->sentence;
    int i = chosen_row(s), c = embeddings_column(&lesson->embeddings, "alive");
    if (c < 0) c = 0;
    const char *column = lesson->embeddings.column[c];
    Mat parts = mat_new(lesson->arena, 3, s->T);
    mat_set(mat_rows(parts, 0, 1), mat_rows(weights, i, 1));
    for (int j = 0; j < s->T; j++) {
        *mat_ref(parts, 1, j) = *mat_ref(v, j, c);
        *mat_ref(parts, 2, j) = *mat_ref(weights, i, j) * *mat_ref(v, j, c);
    }
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "how %s comes to be %s", s->words[i], column),
                                .values = parts,
                                .units = ROWS_APART,
                                .cols = s->words,
                                .rows = (const char *[]){ "weight", column, "product" },
                                .given_rows = 3 }); // the product alone is open
    double sum = mat_sum(mat_rows(parts, 2, 1));
    check(lesson, fabs(sum - mat_value(out, i, c)) < 1e-6,
          "the products add up to the output: %s is %.2f %s "
          "before, %.2f after",
          s->words[i], mat_value(v, i, c), column, sum);
}

static void draw_both(Lesson *lesson, Mat plain, Mat weights)
{
    const Sentence *s = &lesson->sentence;
    Heatmap maps[] = { map_of_weights("softmax of X Xᵀ", plain, s, s),
                       map_of_weights("softmax of X Xᵀ / √d", weights, s, s) };
    maps[0].high = maps[1].high = ceil(10.0 * mat_magnitude(plain)) / 10.0;
    figure_maps(lesson, "weights.png", "with the scale, and nothing learned yet, all weights are nearly equal",
                "Without the scale, and with it", maps, 2, 2);
}

// With the scale, or, for those who want to see the difference, without.
static void the_formula(Lesson *lesson, Mat plain, bool scaled)
{
    step(lesson, "The formula and the code");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    Mat x = s->x, scores = mat_new(arena, s->T, s->T), weights = mat_new(arena, s->T, s->T);
    Mat out = mat_new(arena, s->T, x.cols);
    Mask mask = { .scale = scaled ? 0.0f : 1.0f }; // 0: 1/√d
    attention_scores(scores, x, x, mask);
    attention_naive((Attended){ .out = out, .weights = weights }, x, x, x, mask);
    show_table(lesson, (Table){ .name = scaled ? "softmax of X Xᵀ / √d" : "softmax of X Xᵀ",
                                .values = weights,
                                .rows = s->words,
                                .cols = s->words });
    check(lesson, shares(weights) && inside_columns(out, x), "rows sum to 1, and outputs are mixtures of the values");
    if (scaled)
        check(lesson, against_temperature(lesson, weights, x) < 1e-6, "dividing by √%d is a temperature of %.2f",
              x.cols, sqrt(x.cols));
    else check(lesson, mat_max_difference(weights, plain) < 1e-6, "without the √d these are the weights of step 2");
    if (!lesson->own_words && scaled)
        say(lesson, "it gives animal %.3f now; in chapter 02, without the √d, it gave %.3f.", mat_value(weights, 7, 1),
            mat_value(plain, 7, 1));
    one_output(lesson, weights, x, out);

    if (scaled) draw_both(lesson, plain, weights);
    trace_heads(lesson->trace,
                (TraceHeads){ .q = x, .k = x, .v = x, .scores = scores, .weights = weights, .heads = out });
}

static void what_it_costs(Lesson *lesson)
{
    step(lesson, "What it costs");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols);
    int64_t T = x.rows, S = x.rows, d = x.cols, dv = x.cols;
    cost_counted = (Cost){ 0 };
    attention_naive((Attended){ .out = out }, x, x, x, (Mask){ 0 });
    const char *shape = arena_format(arena, "%d·%d·%d", x.rows, x.rows, x.cols);
    cost(lesson, "multiplications", cost_counted.multiplies,
         arena_format(arena, "T·S·d + T·S·dv = %s + %s", shape, shape), T * S * d + T * S * dv);
    cost(lesson, "FLOPs, a multiplication and its addition being two", 2 * cost_counted.multiplies,
         arena_format(arena, "4·T·S·d = 4·%s", shape), 4 * T * S * d);
    cost(lesson, "exponentials", cost_counted.exps, arena_format(arena, "T·S = %d·%d", x.rows, x.rows), T * S);
    cost(lesson, "bytes of scratch", cost_counted.scratch,
         arena_format(arena, "4·T·S = 4·%d·%d, rounded up to a multiple of 64", x.rows, x.rows),
         (4 * T * S + 63) / 64 * 64);

    const int64_t tokens = 4096;
    say(lesson, "For %lld tokens the same table takes %lld MiB.", (long long)tokens,
        (long long)(4 * tokens * tokens >> 20));
}

int main(int argc, char **argv)
{
    const char *query = "bird";
    int draws = 400;
    bool unscaled = false;
    Flag flags[] = {
        flag_text("query", &query, "WORD", "the word that is looked up softly in step 1 (default bird)"),
        flag_count("draws", &draws, 200, 100000, "N", "pairs of random vectors in step 3 (default 400)"),
        flag_switch("no-scale", &unscaled, "leave the √d out in step 6, and in what --dump writes"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 3, "Scaled dot-product attention", flags, 3);
    lesson_steps(&lesson, 7);

    a_soft_dictionary(&lesson, query);
    Mat plain = a_mixture(&lesson);
    how_large(&lesson, draws);
    Spreads spreads = spreads_measured(&lesson);
    what_it_does_to_the_weights(&lesson, &spreads);
    what_it_does_to_the_gradient(&lesson, &spreads);
    the_formula(&lesson, plain, !unscaled);
    what_it_costs(&lesson);
    return lesson_close(&lesson);
}
