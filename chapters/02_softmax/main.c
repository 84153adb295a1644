// Chapter 02. Softmax: scores become shares.
// Run build/chapters/02_softmax with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

#include <float.h>
#include <stdlib.h>

enum { MOST_SCORES = 6, POINTS = 401 }; // of --scores; of a line in a figure

static const float LARGEST = 1000.0f; // of --scores, either way

// A score that --scores may give: a number that is not too large, or −∞.
static bool allowed(float score) { return fabsf(score) <= LARGEST || score == -INFINITY; }

// --scores 2,1,0.1: two to six numbers with commas between them, not all of them −∞.
static Mat scores_of(Lesson *lesson, const char *text)
{
    Mat scores = mat_new(lesson->arena, 1, MOST_SCORES);
    int n = 0;
    bool good = true, more = true, some = false;
    for (const char *at = text; good && more; at++) {
        char *end;
        float score = strtof(at, &end);
        good = end != at && allowed(score) && n < MOST_SCORES && (!*end || *end == ',');
        some = some || (good && isfinite(score));
        if (good) scores.at[n++] = score;
        more = *end == ',';
        at = end;
    }
    if (!good || n < 2)
        lesson_misused(lesson->state,
                       "--scores: found \"%.60s\"; 2 to %d numbers from -%g to %g, or -inf, are needed, "
                       "with commas between them, such as 2,1,0.1",
                       text, MOST_SCORES, (double)LARGEST, (double)LARGEST);
    if (!some)
        lesson_misused(lesson->state,
                       "--scores: found \"%.60s\"; one of them must be more than -inf: step 7 shows a "
                       "row without any",
                       text);
    return mat_cols(scores, 0, n);
}

// wᵢ = wⱼ exp(sᵢ − sⱼ) for every pair, taken so that the exponent is not above 0.
static bool ratios_hold(Mat weights, Mat scores)
{
    for (int i = 0; i < scores.cols; i++)
        for (int j = 0; j < scores.cols; j++) {
            if (scores.at[i] > scores.at[j] || scores.at[j] == -INFINITY) continue;
            if (fabsf(weights.at[i] - weights.at[j] * expf(scores.at[i] - scores.at[j])) > 1e-6f) return false;
        }
    return true;
}

// A number of any size in few letters.
static const char *in_words(Arena *arena, double value)
{
    if (isinf(value)) return value < 0.0 ? "-∞" : "∞";
    bool plain = fabs(value) < 1e5 && (value == 0.0 || fabs(value) >= 0.01);
    return arena_format(arena, plain ? "%.2f" : "%.2e", value);
}

// The exponentials as a row of the table; those that would be too long for it, in a sentence.
static void show_exponentials(Lesson *lesson, Rows *rows, Mat scores)
{
    bool fit = true;
    Mat exps = mat_new(lesson->arena, 1, scores.cols);
    const char *text = "exp(s):";
    for (int j = 0; j < scores.cols; j++) {
        exps.at[j] = expf(scores.at[j]);
        fit = fit && (exps.at[j] < 1e5f || isinf(exps.at[j]));
        text = arena_format(lesson->arena, "%s %s", text, in_words(lesson->arena, (double)exps.at[j]));
    }
    if (fit) rows_add_from(rows, exps, 0, "exp(s)");
    else say(lesson, "%s", text);
}

static void scores_become_weights(Lesson *lesson, Mat scores)
{
    step(lesson, "Scores become weights");
    Mat weights = mat_new(lesson->arena, 1, scores.cols);
    softmax_rows(weights, scores);

    Rows rows = rows_of(lesson, "from scores to weights", NULL, scores.cols);
    rows.table.decimals = 3;
    rows.table.units = ROWS_APART;
    rows.table.given_rows = 1; // the scores
    rows_add_from(&rows, scores, 0, "score s");
    show_exponentials(lesson, &rows, scores);
    rows_add_from(&rows, weights, 0, "weight");
    show_rows(lesson, &rows);
    check(lesson, fabs(mat_sum(weights) - 1.0) < 1e-6, "the weights sum to %.2f", mat_sum(weights));
    double gap = (double)(scores.at[0] - scores.at[1]);
    if (isnan(gap)) return; // both −∞
    const char *apart = in_words(lesson->arena, gap);
    check(lesson, ratios_hold(weights, scores),
          "the ratio of two weights is exp(difference of their scores): the "
          "first two differ by %s, and exp(%s) = %s",
          apart, apart, in_words(lesson->arena, exp(gap)));
}

// The largest score that is not −∞, without its sign: how coarse the scores are in float32 hangs on it.
static double largest_finite(Mat scores)
{
    double most = 0.0;
    for (int j = 0; j < scores.cols; j++)
        if (isfinite(scores.at[j])) most = fmax(most, fabs((double)scores.at[j]));
    return most;
}

static void same_number_added(Lesson *lesson, Mat scores)
{
    step(lesson, "Adding the same number to every score changes nothing");
    int n = scores.cols;
    Mat moved = mat_new(lesson->arena, 3, n), weights = mat_new(lesson->arena, 3, n);
    const char *rows[] = { "s", "s + 10", "s - 10" };
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 3; i++) *mat_ref(moved, i, j) = scores.at[j] + (float[]){ 0, 10, -10 }[i];
    softmax_rows(weights, moved);
    show_table(lesson, (Table){ .name = "scores", .values = moved, .rows = rows, .given = true });
    show_table(lesson, (Table){ .name = "weights", .values = weights, .rows = rows, .decimals = 3 });
    double most = fmax(mat_max_difference(mat_rows(weights, 0, 1), mat_rows(weights, 1, 1)),
                       mat_max_difference(mat_rows(weights, 0, 1), mat_rows(weights, 2, 1)));
    check(lesson, most < 1e-5 + 4e-7 * largest_finite(moved), "the three rows of weights agree, but for rounding");
}

// The largest float whose expf is finite: between 88, where it is, and 89, where it is not, the middle decides.
static float last_finite(void)
{
    float finite = 88.0f, infinite = 89.0f;
    while (nextafterf(finite, infinite) < infinite) {
        float middle = (finite + infinite) / 2.0f;
        if (isinf(expf(middle))) infinite = middle;
        else finite = middle;
    }
    return finite;
}

static void where_expf_overflows(Lesson *lesson)
{
    step(lesson, "Where expf overflows");
    say(lesson, "The largest float is %.2f·10³⁸. expf stays below it up to %.2f.", (double)FLT_MAX / 1e38,
        (double)last_finite());
    static const float scores[] = { 90.0f, 89.0f, 1.0f };
    Mat rows = mat_new(lesson->arena, 2, 3);
    softmax_unshifted(mat_row(rows, 0), scores, 3);
    softmax(mat_row(rows, 1), scores, 3);
    show_table(lesson, (Table){ .name = "three weights, two ways",
                                .values = rows,
                                .low = 0.0,
                                .high = 1.0,
                                .cols = (const char *[]){ "score 90", "score 89", "score 1" },
                                .rows = (const char *[]){ "softmax_unshifted", "softmax" } });
    check(lesson, isnan(*mat_ref(rows, 0, 0)) && isnan(*mat_ref(rows, 0, 1)), "∞ / ∞ is not a number");
    check(lesson, fabs(mat_value(rows, 1, 0) - 1.0 / (1.0 + exp(-1.0) + exp(-89.0))) < 1e-7,
          "with the maximum taken away, 90, 89, 1 is 0, -1, -89, and the first weight is right");

    float far[] = { 0.0f, -110.0f };
    softmax(far, far, 2);
    check(lesson, far[1] == 0.0f && exp(-110.0) < (double)FLT_TRUE_MIN,
          "expf(-110) is 0 in float32. What is lost is less than the smallest float above 0");
}

// Temperatures from cold to hot, among them that of --temperature.
typedef struct {
    float at[8];
    const char *name[8];
    int count;
} Temperatures;

static Temperatures temperatures_with(Arena *arena, float own)
{
    static const float fixed[] = { 0.1f, 0.25f, 0.5f, 1, 2, 4, 16 };
    enum { FIXED = sizeof fixed / sizeof *fixed };
    Temperatures all = { .count = 0 };
    for (int f = 0, added = 0; f < FIXED || !added;) {
        bool next = f < FIXED && (added || fixed[f] <= own);
        float at = next ? fixed[f++] : own;
        added = added || at == own;
        all.at[all.count] = at;
        all.name[all.count++] = arena_format(arena, "τ = %g", (double)at);
    }
    return all;
}

static void draw_temperature(Lesson *lesson, Mat scores, const char **names)
{
    static double x[POINTS], y[MOST_SCORES][POINTS];
    PlotSeries lines[MOST_SCORES];
    float weights[MOST_SCORES];
    for (int p = 0; p < POINTS; p++) {
        x[p] = exp2(-3.0 + 7.0 * p / (POINTS - 1));
        softmax_at(weights, scores.at, scores.cols, (float)x[p]);
        for (int j = 0; j < scores.cols; j++) y[j][p] = (double)weights[j];
    }
    for (int j = 0; j < scores.cols; j++)
        lines[j] = (PlotSeries){ .name = names[j], .x = x, .y = y[j], .count = POINTS };
    figure_plot(lesson, "temperature.png", "how decided the weights are, from cold to hot",
                (Plot){ .title = "Weights against temperature",
                        .x_title = "temperature τ",
                        .y_title = "weight",
                        .series = lines,
                        .count = scores.cols,
                        .log_x = true,
                        .y_low = 0.0,
                        .y_high = 1.0 });
}

static Mat temperature(Lesson *lesson, Mat scores, const Temperatures *all)
{
    step(lesson, "Temperature");
    Mat weights = mat_new(lesson->arena, all->count, scores.cols);
    const char *names[MOST_SCORES];
    for (int j = 0; j < scores.cols; j++)
        names[j] = isinf(scores.at[j]) ? "score -∞" : arena_format(lesson->arena, "score %g", (double)scores.at[j]);
    bool falls = true;
    double before = 1.0;
    for (int i = 0; i < all->count; i++) {
        softmax_at(mat_row(weights, i), scores.at, scores.cols, all->at[i]);
        double best = mat_magnitude(mat_rows(weights, i, 1));
        falls = falls && best <= before + 1e-6;
        before = best;
    }
    show_table(lesson, (Table){ .name = "weights of s / τ",
                                .values = weights,
                                .rows = all->name,
                                .cols = names,
                                .low = 0.0,
                                .high = 1.0 });
    check(lesson, falls, "a hotter row never gives the best key more");
    draw_temperature(lesson, scores, names);
    return weights;
}

static void keys_looked_at(Lesson *lesson, Mat weights, const Temperatures *all)
{
    step(lesson, "How many keys are looked at");
    static const char *const columns[] = { "bits", "keys" };
    Rows rows = rows_of(lesson, "how spread the weights are: entropy in bits, and 2 to that power", columns, 2);
    rows.table.units = COLUMNS_APART;
    bool inside = true, equal = true;
    for (int i = 0; i < weights.rows; i++) {
        float bits = softmax_entropy(mat_row(weights, i), weights.cols), keys = exp2f(bits);
        rows_add(&rows, ROW((double)bits, (double)keys), "%s", all->name[i]);
        inside = inside && keys >= 1.0f && keys < (float)weights.cols + 1e-4f;
    }
    show_rows(lesson, &rows);
    check(lesson, inside, "every row counts as at least 1 key, and at most %d", weights.cols);

    for (int m = 1; m <= 64; m++) {
        float even[64] = { 0 };
        softmax(even, even, m); // m scores of 0
        equal = equal && fabsf(exp2f(softmax_entropy(even, m)) - (float)m) < 1e-3f;
    }
    check(lesson, equal, "m equal weights count as m keys, for m = 1 … 64");
    check(lesson, softmax_entropy((float[]){ 0, 1, 0 }, 3) == 0.0f,
          "one weight of 1 has entropy 0 and counts as 1 key");
}

// Softmax again, in float64: the reference that the derivative is held against.
static void softmax64(double *weights, const double *scores, int n)
{
    double max = scores[0], sum = 0.0;
    for (int j = 1; j < n; j++) max = fmax(max, scores[j]);
    for (int j = 0; j < n; j++) {
        weights[j] = exp(scores[j] - max);
        sum += weights[j];
    }
    for (int j = 0; j < n; j++) weights[j] /= sum;
}

// (w(s + h) − w(s − h)) / 2h, one score at a time.
static Mat central_differences(Arena *arena, Mat scores)
{
    int n = scores.cols;
    const double h = 1e-5;
    Mat slopes = mat_new(arena, n, n);
    for (int j = 0; j < n; j++) {
        double s[MOST_SCORES], up[MOST_SCORES], down[MOST_SCORES];
        for (int k = 0; k < n; k++) s[k] = (double)scores.at[k];
        s[j] += h;
        softmax64(up, s, n);
        s[j] -= 2.0 * h;
        softmax64(down, s, n);
        for (int i = 0; i < n; i++) *mat_ref(slopes, i, j) = (float)((up[i] - down[i]) / (2.0 * h));
    }
    return slopes;
}

static bool sums_are_zero(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        if (fabs(mat_sum(mat_rows(m, i, 1))) > 1e-6 || fabs(mat_sum(mat_cols(m, i, 1))) > 1e-6) return false;
    return true;
}

// Two keys, the first `gap` ahead of the second: its weight, their Jacobian, and what it gains when its score rises.
static float weight_at(float gap)
{
    float weights[2];
    softmax(weights, (float[]){ gap, 0.0f }, 2);
    return weights[0];
}

static void slopes_at(float slopes[4], float gap)
{
    float weights[2];
    softmax(weights, (float[]){ gap, 0.0f }, 2);
    softmax_jacobian((Mat){ slopes, 2, 2, 2 }, weights, 2);
}

static float slope_at(float gap)
{
    float slopes[4];
    slopes_at(slopes, gap);
    return slopes[0];
}

// One step of learning that is to take weight away from the first of two keys: its score moves against its slope, the
// other's with it. How far does the weight move?
static double unlearned(double gap)
{
    const double rate = 1e-3;
    double scores[2] = { gap, 0.0 }, weights[2], after[2];
    softmax64(weights, scores, 2);
    double slope = weights[0] * weights[1];
    scores[0] -= rate * slope;
    scores[1] += rate * slope;
    softmax64(after, scores, 2);
    return weights[0] - after[0];
}

static void what_a_score_changes(Lesson *lesson, Mat scores)
{
    step(lesson, "What a score still changes");
    Arena *arena = lesson->arena;
    int n = scores.cols;
    Mat weights = mat_new(arena, 1, n), jacobian = mat_new(arena, n, n);
    softmax_rows(weights, scores);
    softmax_jacobian(jacobian, weights.at, n);
    show_table(lesson, (Table){ .name = "Jacobian: ∂ weight (row) / ∂ score (column)",
                                .values = jacobian,
                                .decimals = mat_magnitude(jacobian) < 0.01 ? 4 : 3,
                                .colors = COLOR_DIVERGING });
    check(lesson, sums_are_zero(jacobian), "every row and every column sums to 0");
    double most = mat_max_difference(jacobian, central_differences(arena, scores));
    check(lesson, most < 1e-6, "it equals (w(s + h) - w(s - h)) / 2h, worked out in float64");
}

static void draw_slope(Lesson *lesson)
{
    static double x[POINTS], weight[POINTS], slope[POINTS];
    double steepest = 0.0;
    for (int p = 0; p < POINTS; p++) {
        x[p] = -10.0 + 20.0 * p / (POINTS - 1);
        weight[p] = (double)weight_at((float)x[p]);
        slope[p] = (double)slope_at((float)x[p]);
        steepest = fmax(steepest, slope[p]);
    }
    check(lesson, slope_at(0.0f) == 0.25f && steepest == 0.25, "the slope is steepest, 1/4, where the two are equal");
    float left[4];
    slopes_at(left, 110.0f);
    check(lesson, left[0] == 0.0f && left[1] == 0.0f && left[2] == 0.0f && left[3] == 0.0f,
          "110 ahead the whole Jacobian is exactly 0 in float32: this row learns nothing more");
    static double at[3] = { 0, 4, 8 }, here[3];
    const char *values[3];
    for (int i = 0; i < 3; i++) {
        here[i] = (double)slope_at((float)at[i]);
        values[i] = arena_format(lesson->arena, "%.4f", here[i]);
    }
    const PlotSeries up = { .name = "weight w", .x = x, .y = weight, .count = POINTS };
    const PlotSeries bell[] = { { .name = "slope w (1 − w)", .x = x, .y = slope, .count = POINTS },
                                { .x = at, .y = here, .count = 3, .dots = true, .labels = values } };
    const Plot plots[] = {
        { .title = "Two keys: a weight, and what its score still changes",
          .series = &up,
          .count = 1,
          .y_low = 0.0,
          .y_high = 1.0,
          .width = 760,
          .height = 240 },
        { .x_title = "how far the score is ahead of the other",
          .series = bell,
          .count = 2,
          .y_low = 1e-5,
          .y_high = 1.0,
          .log_y = true,
          .width = 760,
          .height = 260 },
    };
    figure_plots(lesson, "slope.png", "a score far ahead or far behind moves nothing any more", plots, 2);
}

static void two_keys(Lesson *lesson)
{
    const float gaps[] = { 0, 1, 2, 4, 8, 16 };
    Mat rows = mat_new(lesson->arena, 2, 6);
    for (int i = 0; i < 6; i++) {
        *mat_ref(rows, 0, i) = weight_at(gaps[i]);
        *mat_ref(rows, 1, i) = slope_at(gaps[i]);
    }
    show_table(lesson, (Table){ .name = "two keys, the first ahead of the second by",
                                .values = rows,
                                .decimals = 4,
                                .units = ROWS_APART,
                                .cols = (const char *[]){ "0", "1", "2", "4", "8", "16" },
                                .rows = (const char *[]){ "w", "∂w / ∂s" } });
    double less = (double)slope_at(0.0f) / (double)slope_at(8.0f), learned = unlearned(0.0) / unlearned(8.0);
    check(lesson, fabs(learned / (less * less) - 1.0) < 1e-3,
          "8 ahead, the slope is %.0f times less than where they "
          "are equal, and a step of learning moves the weight %.0f thousand times less: the square of that",
          less, learned / 1e3);
    draw_slope(lesson);
}

static void no_allowed_key(Lesson *lesson)
{
    step(lesson, "A row with no allowed key");
    Mat scores = mat_of(lesson->arena, 2, 3, (float[]){ 2, -INFINITY, 0.1f, -INFINITY, -INFINITY, -INFINITY });
    Mat weights = mat_new(lesson->arena, 2, 3);
    const char *rows[] = { "one key hidden", "all hidden" };
    softmax_rows(weights, scores);
    show_table(lesson, (Table){ .name = "scores", .values = scores, .rows = rows, .given = true });
    show_table(lesson, (Table){ .name = "weights", .values = weights, .rows = rows });

    float rest[2], none[3];
    softmax(rest, (float[]){ 2, 0.1f }, 2);
    check(lesson, *mat_ref(weights, 0, 1) == 0.0f, "a score of -∞ gets a weight of exactly 0");
    check(lesson, *mat_ref(weights, 0, 0) == rest[0] && *mat_ref(weights, 0, 2) == rest[1],
          "the others share as if the hidden key were not there, to the bit");
    check(lesson, mat_sum(mat_rows(weights, 1, 1)) == 0.0, "a row with every key hidden is all 0");
    softmax_unshifted(none, mat_row(scores, 1), 3);
    check(lesson, isnan(none[0]), "the formula as written makes it 0 / 0");
}

static double worst_sum(Mat weights)
{
    double worst = 0.0;
    for (int i = 0; i < weights.rows; i++) worst = fmax(worst, fabs(mat_sum(mat_rows(weights, i, 1)) - 1.0));
    return worst;
}

// How many keys the most decided row looks at.
static double fewest_keys(Mat weights)
{
    double fewest = INFINITY;
    for (int i = 0; i < weights.rows; i++)
        fewest = fmin(fewest, (double)exp2f(softmax_entropy(mat_row(weights, i), weights.cols)));
    return fewest;
}

static Mat the_sentence(Lesson *lesson, float temperature)
{
    step(lesson, "The sentence");
    const Sentence *s = &lesson->sentence;
    Mat scores = mat_new(lesson->arena, s->T, s->T), weights = mat_new(lesson->arena, s->T, s->T);
    matmul_transposed(scores, s->x, s->x);
    for (int i = 0; i < s->T; i++)
        for (int j = 0; j < s->T; j++) *mat_ref(scores, i, j) /= temperature;
    softmax_rows(weights, scores);
    bool warm = temperature == 1.0f;
    const char *name =
        warm ? "softmax of X Xᵀ" : arena_format(lesson->arena, "softmax of X Xᵀ / %g", (double)temperature);
    show_table(lesson, (Table){ .name = name, .values = weights, .rows = s->words, .cols = s->words });
    check(lesson, worst_sum(weights) < 1e-6, "every row sums to 1: %d queries, %d distributions", s->T, s->T);
    if (!lesson->own_words) {
        float there = *mat_ref(weights, 7, 1), back = *mat_ref(weights, 1, 7);
        if (warm)
            check(lesson, there != back,
                  "it gives animal %.3f, animal gives it %.3f: the table is no "
                  "longer symmetric",
                  (double)there, (double)back);
        say(lesson, "it looks at %.1f keys, and no word at fewer than %.1f",
            (double)exp2f(softmax_entropy(mat_row(weights, 7), s->T)), fewest_keys(weights));
    }
    Heatmap map = map_of_weights("Softmax of the sentence's dot products", weights, s, s);
    map.high = ceil(10.0 * mat_magnitude(weights)) / 10.0;
    if (!lesson->own_words) {
        map.mark_row = 8; // it, its whole row
        map.mark_col = 1;
        map.mark_cols = s->T;
    }
    figure_map(lesson, "sentence.png", "each row is one word's attention, shared out", map);
    trace_heads(lesson->trace, (TraceHeads){ .x = s->x, .scores = scores, .weights = weights });
    return scores;
}

static void what_it_costs(Lesson *lesson, Mat scores)
{
    step(lesson, "What it costs");
    Mat weights = mat_new(lesson->arena, scores.rows, scores.cols);
    Cost before = cost_counted;
    softmax_rows(weights, scores);
    cost(lesson, "exponentials", cost_since(before).exps,
         arena_format(lesson->arena, "T·S = %d·%d", scores.rows, scores.cols), (int64_t)scores.rows * scores.cols);
}

int main(int argc, char **argv)
{
    const char *text = "2,1,0.1";
    double own = 1.0;
    Flag flags[] = {
        flag_text("scores", &text, "A,B,…", "the scores of steps 1, 2 and 4 to 6; -inf hides a key (default 2,1,0.1)"),
        flag_real("temperature", &own, 0.001, 1000, "X",
                  "one temperature more in steps 4 and 5, and that of step 8 "
                  "(default 1)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 2, "Softmax", flags, 2);
    lesson_steps(&lesson, 9);
    Mat scores = scores_of(&lesson, text);
    Temperatures all = temperatures_with(lesson.arena, (float)own);

    scores_become_weights(&lesson, scores);
    same_number_added(&lesson, scores);
    where_expf_overflows(&lesson);
    Mat weights = temperature(&lesson, scores, &all);
    keys_looked_at(&lesson, weights, &all);
    what_a_score_changes(&lesson, scores);
    two_keys(&lesson);
    no_allowed_key(&lesson);
    scores = the_sentence(&lesson, (float)own);
    what_it_costs(&lesson, scores);
    return lesson_close(&lesson);
}
