// Chapter 13, step 4. Reads and exponentials of three ways and of the kernel, and how often a maximum grows.
#include "steps.h"

#include <stdlib.h>

// Maximum and sum in one pass, the weights in a second: the scores must still be stored.
static float in_two_passes(Mat scores, Mat values)
{
    SoFar row = NO_KEYS;
    float mixed = 0.0f;
    for (int j = 0; j < scores.rows; j++) row = one_key_more(row, fetch(scores, j), 0.0f);
    for (int j = 0; j < scores.rows; j++) mixed += expf(fetch(scores, j) - row.max) / row.sum * *mat_ref(values, j, 0);
    cost_counted.exps += scores.rows;
    return mixed;
}

// Each score is needed once, and could be forgotten at once.
static float in_one_pass(Mat scores, Mat values)
{
    SoFar row = NO_KEYS;
    for (int j = 0; j < scores.rows; j++) row = one_key_more(row, fetch(scores, j), *mat_ref(values, j, 0));
    return row.mixed / row.sum;
}

// The library's kernel on given scores: the query is a single 1, and each key is its score.
static float in_the_kernel(Mat scores, Mat values)
{
    float one = 1.0f, mixed = 0.0f;
    attention_online((Attended){ .out = { &mixed, 1, 1, 1 } }, (Mat){ &one, 1, 1, 1 }, scores, values, EVERYTHING);
    return mixed;
}

// Chapter 03's kernel on the same: each exp is written over its score.
static float in_the_naive_kernel(Mat scores, Mat values)
{
    float one = 1.0f, mixed = 0.0f;
    attention_naive((Attended){ .out = { &mixed, 1, 1, 1 } }, (Mat){ &one, 1, 1, 1 }, scores, values, EVERYTHING);
    return mixed;
}

// How often the maximum grows along the row, its first score included.
static int growths(Mat scores)
{
    int count = 0;
    float max = -INFINITY;
    for (int j = 0; j < scores.rows; j++) {
        count += *mat_ref(scores, j, 0) > max;
        max = fmaxf(max, *mat_ref(scores, j, 0));
    }
    return count;
}

static Cost counted_in(float (*way)(Mat, Mat), Mat scores, Mat values, float *result)
{
    Cost before = cost_counted;
    *result = way(scores, values);
    return cost_since(before);
}

static void passes(Lesson *lesson, Mat scores, Mat values)
{
    Arena *arena = lesson->arena;
    float (*const ways[])(Mat, Mat) = { in_three_passes, in_two_passes, in_one_pass };
    static const char *const names[] = { "three passes", "two passes", "one pass" };
    static const char *const columns[] = { "reads", "exps" };
    int S = scores.rows;
    const char *title = arena_format(arena, "scores read and exponentials, for a row of %d random scores", S);
    Rows rows = rows_of(lesson, title, columns, 2);
    rows.table.decimals = -1;
    float results[5];
    bool as_said = true;
    for (int w = 0; w < 3; w++) {
        Cost spent = counted_in(ways[w], scores, values, &results[w]);
        rows_add(&rows, ROW((double)spent.reads, (double)spent.exps), "%s", names[w]);
        as_said = as_said && spent.reads == (3 - w) * S && spent.exps == (w == 1 ? 3 : 2) * S;
    }
    show_rows(lesson, &rows);
    check(lesson, as_said, "3·S, 2·S and S reads; 2·S, 3·S and 2·S exponentials");

    Cost naive = counted_in(in_the_naive_kernel, scores, values, &results[3]);
    Cost kernel = counted_in(in_the_kernel, scores, values, &results[4]);
    float far = 0.0f; // with doubles, gcc 12 for aarch64 fails on this loop
    for (int w = 0; w < 5; w++) far = fmaxf(far, fabsf(results[w] - results[0]));
    check(lesson, far <= 1e-5f, "the outputs agree within 1e-5");
    int r = growths(scores);
    cost(lesson, "exponentials in attention_naive", naive.exps, "S", S);
    cost(lesson, "exponentials in attention_online", kernel.exps,
         arena_format(arena, "S + r, the maximum having grown r = %d times", r), S + r);
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void orders(Lesson *lesson, Mat scores, Mat values)
{
    Mat rising = mat_copy(lesson->arena, scores), falling = mat_copy(lesson->arena, scores);
    int S = scores.rows;
    float ignored;
    qsort(rising.at, (size_t)S, sizeof *rising.at, ascending);
    for (int j = 0; j < S; j++) *mat_ref(falling, j, 0) = *mat_ref(rising, S - 1 - j, 0);
    int64_t most = counted_in(in_the_kernel, rising, values, &ignored).exps - S;
    int64_t least = counted_in(in_the_kernel, falling, values, &ignored).exps - S;
    check(lesson, least == 1 && most == growths(rising) && (double)most > 0.99 * S,
          "sorted, the largest first: r = %d; the largest last: r is more than 0.99 of S", (int)least);
}

enum { LENGTHS = 5, ROWS = 1000 };

static void mean_growths(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    static const char *const columns[] = { "counted", "Σ 1/j" };
    const char *title = arena_format(arena, "how often the maximum grows: mean of %d random rows", ROWS);
    Rows rows = rows_of(lesson, title, columns, 2);
    double x[LENGTHS], mean[LENGTHS] = { 0 }, expected[LENGTHS] = { 0 };
    bool near = true, logarithmic = true;
    for (int e = 0, S = 16; e < LENGTHS; e++, S *= 4) {
        Mat scores = mat_new(arena, S, 1);
        for (int n = 0; n < ROWS; n++) {
            for (int j = 0; j < S; j++) scores.at[j] = random_uniform(&lesson->random); // the order alone counts
            mean[e] += (double)growths(scores) / ROWS;
        }
        for (int j = 1; j <= S; j++) expected[e] += 1.0 / j;
        x[e] = S;
        rows_add(&rows, ROW(mean[e], expected[e]), "S = %d", S);
        near = near && fabs(mean[e] - expected[e]) < 5.0 * sqrt(expected[e] / ROWS);
        logarithmic = logarithmic && fabs(expected[e] - log(S) - 0.58) < 0.05;
    }
    show_rows(lesson, &rows);
    check(lesson, near, "in a random order it grows 1 + 1/2 + 1/3 + … + 1/S times, within what chance makes of %d rows",
          ROWS);
    check(lesson, logarithmic, "that is log S + 0.58, within 0.05");
    PlotSeries lines[] = {
        { .name = "Σ 1/j", .x = x, .y = expected, .count = LENGTHS, .dashed = true },
        { .name = "counted", .x = x, .y = mean, .count = LENGTHS, .dots = true },
    };
    figure_plot(lesson, "maxima.png", "four times as many keys, one or two rescalings more",
                (Plot){ .title = "How often a row is rescaled",
                        .x_title = "keys S, in a random order",
                        .y_title = arena_format(arena, "times the maximum grows, mean of %d rows", ROWS),
                        .series = lines,
                        .count = 2,
                        .log_x = true });
}

// ---- a maximum that lags

typedef struct {
    int moved;
    float largest, result;
} Lagging; // of all exp(s − m)

// m stays until a score lies more than `lag` above it: any number near the maximum serves as well.
static Lagging in_one_lazy_pass(Mat scores, Mat values, float lag)
{
    Lagging l = { 0, 0.0f, 0.0f };
    SoFar row = NO_KEYS;
    for (int j = 0; j < scores.rows; j++) {
        float score = *mat_ref(scores, j, 0), max = score > row.max + lag ? score : row.max;
        float rescale = expf(row.max - max), weight = expf(score - max);
        l.moved += max > row.max;
        l.largest = fmaxf(l.largest, weight);
        row = (SoFar){ max, row.sum * rescale + weight, row.mixed * rescale + weight * *mat_ref(values, j, 0) };
    }
    l.result = isfinite(row.sum) ? row.mixed / row.sum : NAN; // over a sum of ∞ it would be 0
    return l;
}

static void a_maximum_that_lags(Lesson *lesson, Mat scores, Mat values, double bits)
{
    Arena *arena = lesson->arena;
    const char *const columns[] = { "lazy 0", arena_format(arena, "lazy %g", bits), "log₂ of largest" };
    static const char *const names[] = { "at random", "sorted", "sorted, 30 times as large" };
    say(lesson,
        "m may lag. With lazy %g it stays until a score lies more than %g · log 2 above it. The last "
        "column is its largest exp(s - m), as a power of 2, rounded up.",
        bits, bits);
    const char *title = arena_format(arena, "how often m moves, %d scores", scores.rows);
    Rows rows = rows_of(lesson, title, columns, 3);
    rows.table.decimals = -1;
    float lag = (float)(bits * log(2.0)), far = 0.0f, most = 0.0f;
    Mat row = mat_copy(arena, scores);
    for (int kind = 0; kind < 3; kind++) {
        if (kind == 1) qsort(row.at, (size_t)row.rows, sizeof *row.at, ascending);
        for (int j = 0; j < row.rows && kind == 2; j++) *mat_ref(row, j, 0) *= 30.0f;
        Lagging never = in_one_lazy_pass(row, values, 0.0f), lazy = in_one_lazy_pass(row, values, lag);
        rows_add(&rows, ROW(never.moved, lazy.moved, ceilf(log2f(lazy.largest) - 1e-4f)), "%s", names[kind]);
        far = isfinite(lazy.result) ? fmaxf(far, fabsf(lazy.result - never.result)) : INFINITY;
        most = fmaxf(most, lazy.largest);
    }
    show_rows(lesson, &rows);
    if (!isfinite(far)) {
        say(lesson, "With %g bits a sum overflows, and its output is lost.", bits);
        return;
    }
    check(lesson, most <= expf(lag) * 1.0001f, "exp(s - m) is never above 2 to the %g", bits);
    check(lesson, far <= 2e-5f, "the outputs agree within 2e-5");
}

void what_it_costs(Lesson *lesson, double lazy)
{
    enum { S = 4096 };
    step(lesson, "What it costs");
    Mat scores = mat_new(lesson->arena, S, 1), values = mat_new(lesson->arena, S, 1);
    random_normals(&lesson->random, scores);
    random_normals(&lesson->random, values);
    passes(lesson, scores, values);
    orders(lesson, scores, values);
    mean_growths(lesson);
    a_maximum_that_lags(lesson, scores, values, lazy);
}
