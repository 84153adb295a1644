// Chapter 13, steps 1 and 2. A row in three passes, and with a running maximum and a running sum.
#include "attention/dot_product.h"
#include "lesson/block_map.h"
#include "steps.h"

static bool close_to(double a, double b, double size) { return fabs(a - b) <= 1e-5 * fmax(1.0, size); }

// ---- 1

void three_passes(Lesson *lesson, Followed *f)
{
    step(lesson, "Three passes over a row");
    block_map_figure(lesson, "here.png", BLOCK_MAP_KERNEL);
    Arena *arena = lesson->arena;
    int S = f->k.rows;
    Mat scores = mat_new(arena, 1, S);
    Attended to = { .out = mat_new(arena, 1, f->v.cols), .weights = mat_new(arena, 1, S) };
    attention_scores(scores, f->q, f->k, EVERYTHING);
    Cost before = cost_counted;
    attention_naive(to, f->q, f->k, f->v, EVERYTHING);
    int64_t stored = cost_since(before).exps;
    const char *const columns[] = { "score", "exp(s − m)", "weight", f->what };
    Rows rows = rows_of(lesson, arena_format(arena, "the row of %s", f->name), columns, 4);
    double max = -INFINITY, sum = 0.0;
    rows.table.decimals = 3;
    rows.table.units = COLUMNS_APART;
    for (int j = 0; j < S; j++) max = fmax(max, mat_value(scores, 0, j));
    for (int j = 0; j < S; j++) sum += exp(mat_value(scores, 0, j) - max);
    for (int j = 0; j < S; j++)
        rows_add(&rows,
                 ROW(mat_value(scores, 0, j), exp(mat_value(scores, 0, j) - max), mat_value(to.weights, 0, j),
                     mat_value(f->values, j, 0)),
                 "%s", f->keys[j]);
    show_rows(lesson, &rows);
    say(lesson, "The largest score is m = %.3f, and the sum of exp(s − m) is %.3f.", max, sum);

    cost_counted = (Cost){ 0 };
    f->mixed = in_three_passes(f->scores, f->values);
    check(lesson, close_to(f->mixed, mat_value(to.out, 0, f->column), mat_magnitude(f->values)),
          "three passes give what chapter 03's kernel gives: %s, %s %.2f", f->name, f->what, f->mixed);
    cost(lesson, "reads of scores", cost_counted.reads, "3·S", 3 * S);
    cost(lesson, "exponentials", cost_counted.exps, "2·S", 2 * S);
    cost(lesson, "exponentials in chapter 03's kernel", stored, "S: it writes each over its score", S);
    int64_t keys = 65536;
    say(lesson,
        "The row must be kept until the third pass, or each score be computed three times. For 65,536 keys a "
        "row has %d KiB, and there is one for each query. All of them together have %d GiB.",
        (int)(4 * keys >> 10), (int)(4 * keys * keys >> 30));
}

// ---- 2

// The table of a row, one line a key from key `first` on, and what is known after the last.
static SoFar show_running(Lesson *lesson, const Followed *f, const char *name, int first)
{
    const char *share = arena_format(lesson->arena, "%s/l", f->what);
    const char *const columns[] = { "score", "m", "rescale", "weight", "l", f->what, share };
    Rows rows = rows_of(lesson, name, columns, 7);
    rows.table.decimals = 3;
    SoFar row = NO_KEYS;
    for (int j = 0; j < f->scores.rows; j++) {
        float score = *mat_ref(f->scores, j, 0);
        SoFar next = one_key_more(row, score, *mat_ref(f->values, j, 0));
        if (j >= first)
            rows_add(&rows,
                     ROW(score, next.max, expf(row.max - next.max), expf(score - next.max), next.sum, next.mixed,
                         next.mixed / next.sum),
                     "%s", f->keys[j]);
        row = next;
    }
    show_rows(lesson, &rows);
    return row;
}

static void the_sentence_key_by_key(Lesson *lesson, const Followed *f)
{
    SoFar row = show_running(lesson, f, "after each key", 0);
    Mat lse = mat_new(lesson->arena, 1, 1);
    Attended to = { .out = mat_new(lesson->arena, 1, f->v.cols), .lse = lse };
    attention_online(to, f->q, f->k, f->v, EVERYTHING);
    if (isnan(row.sum)) {
        say(lesson,
            "The first score is -∞, and one_key_more takes it from itself: -∞ - (-∞) is NaN. attention_online "
            "asks first, and finds %s %.2f.",
            f->what, mat_value(to.out, 0, f->column));
        return;
    }
    check(lesson, close_to(row.mixed / row.sum, f->mixed, mat_magnitude(f->values)),
          "after the last key, %s / l is %.2f again", f->what, row.mixed / row.sum);
    check(lesson, close_to(row.max + logf(row.sum), *lse.at, mat_magnitude(lse)),
          "m + log l = %.3f is the row's logsumexp", row.max + logf(row.sum));
    if (!f->book) {
        figure_strips(lesson, f);
        return;
    }

    float animal = *mat_ref(f->scores, 1, 0), weight = expf(animal - row.max) / row.sum;
    check(lesson, fabsf(weight - 0.113f) < 0.0005f, "animal's weight is exp(%.3f - %.3f) / %.3f = %.3f", animal,
          row.max, row.sum, weight);
    Followed tired = follow(lesson, "tired", NULL);
    show_running(lesson, &tired, "the row of tired, after its last two keys", tired.scores.rows - 2);
    figure_strips(lesson, &tired); // m grows at the last key: all pieces get shorter
}

enum { LONG = 48 };

// What two plots of a row need: lines of one point a key, and two more where the maximum grows.
typedef struct {
    double x[3 * LONG], y[3 * LONG];
    int count;
} Line;
typedef struct {
    Line scores, max, total, sum, drops;
    const char *factor[LONG]; // at each drop, where there is room for it
} Track;

static void add_point(Line *line, double x, double y)
{
    line->x[line->count] = x;
    line->y[line->count] = y;
    line->count++;
}

// Key `number`, the first is 1: one point on each line. Answers what is known after it.
static SoFar track_key(Track *t, Arena *arena, SoFar before, float score, int number)
{
    SoFar after = one_key_more(before, score, 0.0f);
    if (after.max > before.max && number > 1) {
        float rescale = expf(before.max - after.max), rescaled = before.sum * rescale;
        add_point(&t->max, number, before.max);
        add_point(&t->sum, number - 0.5, before.sum);
        add_point(&t->sum, number - 0.5, rescaled);
        t->factor[t->drops.count] = rescale < 0.6f ? arena_format(arena, "× %.2f", (double)rescale) : NULL;
        add_point(&t->drops, number - 0.5, rescaled);
    }
    add_point(&t->max, number, after.max);
    add_point(&t->sum, number, after.sum);
    add_point(&t->scores, number, score);
    add_point(&t->total, number, after.max + logf(after.sum));
    return after;
}

static PlotSeries series_of(const char *name, const Line *line)
{
    return (PlotSeries){ .name = name, .x = line->x, .y = line->y, .count = line->count };
}

static void draw_track(Lesson *lesson, const Track *t)
{
    PlotSeries running[] = { series_of("scores", &t->scores), series_of("m", &t->max),
                             series_of("m + log l", &t->total) };
    PlotSeries sums[] = { series_of("sum l", &t->sum), series_of("rescaled", &t->drops) };
    running[0].dots = sums[1].dots = true;
    sums[1].labels = t->factor;
    Plot plots[] = { { .title = arena_format(lesson->arena, "A row of %d scores, key after key", LONG),
                       .y_title = "score",
                       .series = running,
                       .count = 3,
                       .height = 320 },
                     { .x_title = "keys so far", .y_title = "sum l", .series = sums, .count = 2, .height = 250 } };
    figure_plots(lesson, "running.png",
                 "a larger score lifts the maximum a stair, and cuts the sum so far; the "
                 "logsumexp rises with every key",
                 plots, 2);
}

// A longer row, of scores that rise along it, as they do for a query that prefers the words near it.
static void a_longer_row(Lesson *lesson)
{
    static Track t;
    SoFar row = NO_KEYS;
    for (int j = 0; j < LONG; j++)
        row = track_key(&t, lesson->arena, row, 0.06f * (float)j + random_normal(&lesson->random), j + 1);
    say(lesson,
        "A longer row: %d random scores that rise along it, as for a query that prefers the words near it. "
        "After the first key the maximum grows %d times.",
        LONG, t.drops.count);
    draw_track(lesson, &t);
}

void a_running_row(Lesson *lesson, const Followed *f)
{
    step(lesson, "A running maximum and a running sum");
    the_sentence_key_by_key(lesson, f);
    a_longer_row(lesson);
}
