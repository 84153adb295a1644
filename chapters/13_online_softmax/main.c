// Chapter 13. Online softmax: the same weights in one pass, and how two partial results become one.
// Run build/chapters/13_online_softmax with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "attention/online.h"
#include "lesson/dump.h"
#include "lesson/lesson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The query whose row is followed, and the column of the values that is mixed along.
typedef struct {
    int   word;                    // of the lesson's sentence
    bool  book;                    // it is "it" of the book's own sentence: claims about its numbers apply
    Mat   scores;                  // (T, 1)  the word against all
    Mat   alive;                   // (T, 1)  how alive each word is
    float mixed;                   // the word's output in that column
} Followed;

static Mat transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

static Followed follow(Lesson *lesson, const char *query)
{
    const Sentence *s = &lesson->sentence;
    const char *wanted = query ? query : "it";
    Mat scores = mat_new(lesson->arena, 1, s->T);
    Followed f = { .word = -1, .alive = mat_cols(s->x, column_index(lesson, "alive"), 1) };
    for (int i = s->T - 1; i >= 0; i--)
        if (!strcmp(s->words[i], wanted)) f.word = i;
    if (f.word < 0 && query) lesson_misused(lesson->state, "--query is %s; it must be a word of the sentence", query);
    if (f.word < 0) f.word = s->T - 1;
    f.book = !lesson->own_words && !strcmp(wanted, "it");
    attention_scores(scores, mat_rows(s->x, f.word, 1), s->x, (Mask){ 0 });
    f.scores = transposed(lesson->arena, scores);
    return f;
}

static double size_of(Mat m)
{
    double size = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) size = fmax(size, fabs((double)*mat_ref(m, i, j)));
    return size;
}

static bool close_to(double a, double b, double size) { return fabs(a - b) <= 1e-5 * fmax(1.0, size); }

// ---- 1. Three passes

// A score is fetched from the row where it is stored.
static float fetch(Mat scores, int j)
{
    counted.reads++;
    return *mat_ref(scores, j, 0);
}

// Σ softmax(scores)ⱼ valuesⱼ, in three passes over the scores (S, 1).
static float in_three_passes(Mat scores, Mat values)
{
    int n = scores.rows;
    float max = -INFINITY, sum = 0.0f, mixed = 0.0f;
    for (int j = 0; j < n; j++) max = fmaxf(max, fetch(scores, j));
    for (int j = 0; j < n; j++) sum += expf(fetch(scores, j) - max);
    for (int j = 0; j < n; j++) mixed += expf(fetch(scores, j) - max) / sum * *mat_ref(values, j, 0);
    counted.exps += 2 * n;
    return mixed;
}

static void three_passes(Lesson *lesson, Followed *f)
{
    step(lesson, "Three passes over a row");
    const Sentence *s = &lesson->sentence;
    Mat table = mat_new(lesson->arena, 2, s->T);
    mat_set(mat_rows(table, 0, 1), transposed(lesson->arena, f->scores));
    Attended to = { .out = mat_new(lesson->arena, 1, s->x.cols), .weights = mat_rows(table, 1, 1) };
    attention_naive(to, mat_rows(s->x, f->word, 1), s->x, s->x, (Mask){ 0 });
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "the row of %s", s->words[f->word]),
                                .values = table, .rows = (const char *[]){ "score", "weight" }, .cols = s->words });
    counted = (Cost){ 0 };
    f->mixed = in_three_passes(f->scores, f->alive);
    float as_before = *mat_ref(to.out, 0, column_index(lesson, "alive"));
    check(lesson, close_to(f->mixed, as_before, size_of(f->alive)),
          "three passes give what chapter 03 gave: %s is alive %.2f", s->words[f->word], f->mixed);
    cost(lesson, "reads of scores", counted.reads, "3·S", 3 * s->T);
    cost(lesson, "exponentials", counted.exps, "2·S", 2 * s->T);
    int64_t keys = 65536;
    say(lesson, "The row must be kept until the third pass. For 65,536 keys it has %d KiB, and there is one for each "
        "query. All of them together have %d GiB.", (int)(4 * keys >> 10), (int)(4 * keys * keys >> 30));
}

// ---- 2. A running maximum and a running sum

// What is known of a row after some of its keys.
typedef struct { float max, sum, mixed; } Row;

// One key more. What was summed so far was measured against the old maximum; exp(old − new) brings it to the new one.
static Row one_key_more(Row row, float score, float value)
{
    float max = fmaxf(row.max, score);
    float rescale = expf(row.max - max), weight = expf(score - max);
    counted.exps += 2;
    return (Row){ max, row.sum * rescale + weight, row.mixed * rescale + weight * value };
}

static const Row NO_KEYS = { -INFINITY, 0.0f, 0.0f };

static void show_running(Lesson *lesson, const Followed *f)
{
    static const char *const columns[] = { "score", "m", "rescale", "weight", "l", "alive", "alive/l" };
    int T = lesson->sentence.T;
    Mat table = mat_new(lesson->arena, T, 7);
    Row row = NO_KEYS;
    for (int j = 0; j < T; j++) {
        float score = *mat_ref(f->scores, j, 0);
        Row next = one_key_more(row, score, *mat_ref(f->alive, j, 0));
        float numbers[] = { score, next.max, expf(row.max - next.max), expf(score - next.max), next.sum, next.mixed,
                            next.mixed / next.sum };
        mat_set(mat_rows(table, j, 1), mat_of(lesson->arena, 1, 7, numbers));
        row = next;
    }
    show_table(lesson, (Table){ .name = "after each key", .values = table, .rows = lesson->sentence.words,
                                .cols = columns, .decimals = 3 });
    Mat lse = mat_new(lesson->arena, 1, 1);
    Attended to = { .out = mat_new(lesson->arena, 1, lesson->sentence.x.cols), .lse = lse };
    attention_naive(to, mat_rows(lesson->sentence.x, f->word, 1), lesson->sentence.x, lesson->sentence.x, (Mask){ 0 });
    check(lesson, close_to(row.mixed / row.sum, f->mixed, size_of(f->alive)),
          "after the last key, alive / l is %.2f again", row.mixed / row.sum);
    check(lesson, close_to(row.max + logf(row.sum), lse.at[0], size_of(lse)), "m + log l = %.3f is the row's logsumexp",
          row.max + logf(row.sum));
    float animal = f->book ? *mat_ref(f->scores, 1, 0) : 0.0f, weight = expf(animal - row.max) / row.sum;
    if (f->book)
        check(lesson, fabsf(weight - 0.113f) < 0.0005f, "animal's weight is exp(%.3f - %.3f) / %.3f = %.3f", animal,
              row.max, row.sum, weight);
}

enum { LONG = 48 };

// What a plot of a row needs: one point a key, two more where the maximum grows.
typedef struct {
    double      x[LONG], score[LONG], total[LONG];
    double      stairs_x[2 * LONG], stairs[2 * LONG], sum_x[3 * LONG], sum[3 * LONG];
    double      drop_x[LONG], drop[LONG];
    const char *factor[LONG];
    int         keys, stairs_count, sum_count, drops;
} Track;

static void track(Track *t, Arena *arena, Row before, float score)
{
    Row after = one_key_more(before, score, 0.0f);
    double x = t->x[t->keys] = t->keys + 1;
    if (after.max > before.max && t->keys > 0) {
        float rescale = expf(before.max - after.max);
        t->stairs_x[t->stairs_count] = x, t->stairs[t->stairs_count++] = (double)before.max;
        t->sum_x[t->sum_count] = x - 0.5, t->sum[t->sum_count++] = (double)before.sum;
        t->sum_x[t->sum_count] = x - 0.5, t->sum[t->sum_count++] = (double)(before.sum * rescale);
        t->drop_x[t->drops] = x - 0.5, t->drop[t->drops] = (double)(before.sum * rescale);
        t->factor[t->drops++] = rescale < 0.6f ? arena_format(arena, "× %.2f", (double)rescale) : NULL;
    }
    t->stairs_x[t->stairs_count] = x, t->stairs[t->stairs_count++] = (double)after.max;
    t->sum_x[t->sum_count] = x, t->sum[t->sum_count++] = (double)after.sum;
    t->score[t->keys] = (double)score;
    t->total[t->keys++] = (double)(after.max + logf(after.sum));
}

static void draw_track(Lesson *lesson, const Track *t)
{
    Series running[] = {
        { .name = "scores", .x = t->x, .y = t->score, .count = LONG, .dots = true },
        { .name = "m", .x = t->stairs_x, .y = t->stairs, .count = t->stairs_count },
        { .name = "m + log l", .x = t->x, .y = t->total, .count = LONG },
    };
    figure_plot(lesson, "running.png", "the maximum climbs in stairs, the logsumexp rises with every key",
                (Plot){ .title = arena_format(lesson->arena, "A row of %d scores, key after key", LONG),
                        .x_title = "keys so far", .y_title = "score", .series = running, .count = 3 });
    Series sums[] = {
        { .name = "sum l", .x = t->sum_x, .y = t->sum, .count = t->sum_count },
        { .name = "rescaled", .x = t->drop_x, .y = t->drop, .count = t->drops, .dots = true, .labels = t->factor },
    };
    figure_plot(lesson, "sum.png", "the running sum, and what it is multiplied by when the maximum grows",
                (Plot){ .title = "The running sum of the same row", .x_title = "keys so far",
                        .y_title = "running sum l", .series = sums, .count = 2 });
}

// A longer row, of scores that rise along it, as they do for a query that prefers the words near it.
static void a_longer_row(Lesson *lesson)
{
    static Track t;
    Row row = NO_KEYS;
    for (int j = 0; j < LONG; j++) {
        float score = 0.06f * (float)j + random_normal(&lesson->random);
        track(&t, lesson->arena, row, score);
        row = one_key_more(row, score, 0.0f);
    }
    say(lesson, "A longer row: %d random scores that rise along it, as for a query that prefers the words near it. "
        "After the first key the maximum grows %d times.", LONG, t.drops);
    draw_track(lesson, &t);
}

static void running(Lesson *lesson, const Followed *f)
{
    step(lesson, "A running maximum and a running sum");
    show_running(lesson, f);
    a_longer_row(lesson);
}

// ---- 3. The kernel

typedef struct { Mat out, lse; } Part;

static Part part_new(Arena *arena, int T, int dv) { return (Part){ mat_new(arena, T, dv), mat_new(arena, T, 1) }; }

static Part attend(Arena *arena, AttentionKernel *kernel, Mat q, Mat k, Mat v, Mask mask)
{
    Part p = part_new(arena, q.rows, v.cols);
    kernel((Attended){ .out = p.out, .lse = p.lse }, q, k, v, mask);
    return p;
}

// Within 1e-5, and what lse has no digits for where it is large (step 7).
static bool parts_close(Part a, Part b, double size)
{
    double allowed = 1e-5 * fmax(1.0, 0.05 * size_of(b.lse));
    return mat_max_difference(a.out, b.out) <= allowed * fmax(1.0, size) && mat_max_difference(a.lse, b.lse) <= allowed;
}

static bool parts_same(Part a, Part b) { return mat_equal(a.out, b.out) && mat_equal(a.lse, b.lse); }

static void hidden_nan(Lesson *lesson, Mat x)
{
    Mat sick = mat_copy(lesson->arena, x);
    mat_fill(mat_rows(sick, x.rows - 1, 1), NAN);
    Part well = attend(lesson->arena, attention_online, x, x, x, (Mask){ .padding = 1 });
    Part same = attend(lesson->arena, attention_online, x, sick, sick, (Mask){ .padding = 1 });
    check(lesson, parts_same(well, same), "a masked key and its value may be NaN: no output moves, not by a bit");
}

static void the_kernel(Lesson *lesson, const Followed *f)
{
    step(lesson, "No row of scores");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, maps[2];
    Mask causal = { .causal = true };
    int64_t scratch[2];
    AttentionKernel *kernels[] = { attention_naive, attention_online };
    Part all[2], past[2];
    for (int e = 0; e < 2; e++) {
        counted = (Cost){ 0 };
        all[e] = attend(arena, kernels[e], x, x, x, (Mask){ 0 });
        scratch[e] = counted.scratch;
        past[e] = attend(arena, kernels[e], x, x, x, causal);
        maps[e] = mat_new(arena, x.rows, x.rows);
        kernels[e]((Attended){ .out = mat_new(arena, x.rows, x.cols), .weights = maps[e] }, x, x, x, (Mask){ 0 });
    }
    check(lesson, parts_close(all[1], all[0], size_of(x)) && parts_close(past[1], past[0], size_of(x)),
          "attention_online gives what attention_naive gives, without a mask and with a causal one, within 1e-5");
    check(lesson, mat_max_difference(maps[0], maps[1]) <= 1e-6, "and the weights, where they are asked for");
    if (f->book)
        check(lesson, fabsf(*mat_ref(maps[1], f->word, 1) - 0.113f) < 0.0005f, "it gives animal %.3f",
              *mat_ref(maps[1], f->word, 1));
    hidden_nan(lesson, x);
    cost(lesson, "bytes of scratch, naive", scratch[0], "4·T·S, rounded up to a multiple of 64",
         (4 * (int64_t)x.rows * x.rows + 63) / 64 * 64);
    cost(lesson, "bytes of scratch, online", scratch[1], "nothing: the row of the output is the accumulator", 0);
    trace_heads(lesson->trace, (TraceHeads){ .q = x, .k = x, .v = x, .scores = dump_scores(lesson, x, x, 1, NULL),
                                             .weights = maps[1], .heads = all[1].out });
    trace_mat(lesson->trace, "lse", all[1].lse);
}

// ---- 4. What it costs

// Maximum and sum in one pass, the weights in a second: the scores must still be stored.
static float in_two_passes(Mat scores, Mat values)
{
    Row row = NO_KEYS;
    float mixed = 0.0f;
    for (int j = 0; j < scores.rows; j++) row = one_key_more(row, fetch(scores, j), 0.0f);
    for (int j = 0; j < scores.rows; j++) mixed += expf(fetch(scores, j) - row.max) / row.sum * *mat_ref(values, j, 0);
    counted.exps += scores.rows;
    return mixed;
}

// Each score is needed once, and could be forgotten at once.
static float in_one_pass(Mat scores, Mat values)
{
    Row row = NO_KEYS;
    for (int j = 0; j < scores.rows; j++) row = one_key_more(row, fetch(scores, j), *mat_ref(values, j, 0));
    return row.mixed / row.sum;
}

// The library's kernel on given scores: the query is a single 1, and each key is its score.
static float in_the_kernel(Mat scores, Mat values)
{
    float one = 1.0f, mixed = 0.0f;
    attention_online((Attended){ .out = { &mixed, 1, 1, 1 } }, (Mat){ &one, 1, 1, 1 }, scores, values, (Mask){ 0 });
    return mixed;
}

// How often the maximum grows along the row, its first score included.
static int growths(Mat scores)
{
    int count = 0;
    float max = -INFINITY;
    for (int j = 0; j < scores.rows; j++)
        if (*mat_ref(scores, j, 0) > max) max = *mat_ref(scores, j, 0), count++;
    return count;
}

static Cost counted_in(float (*way)(Mat, Mat), Mat scores, Mat values, float *result)
{
    Cost before = counted;
    *result = way(scores, values);
    return cost_since(before);
}

static void passes(Lesson *lesson, Mat scores, Mat values)
{
    float (*const ways[])(Mat, Mat) = { in_three_passes, in_two_passes, in_one_pass };
    static const char *const rows[] = { "three passes", "two passes", "one pass" };
    static const char *const columns[] = { "reads", "exps" };
    int S = scores.rows;
    Mat table = mat_new(lesson->arena, 3, 2);
    float results[4];
    bool as_said = true;
    for (int w = 0; w < 3; w++) {
        Cost spent = counted_in(ways[w], scores, values, &results[w]);
        mat_set(mat_rows(table, w, 1), mat_of(lesson->arena, 1, 2, (float[]){ (float)spent.reads, (float)spent.exps }));
        as_said = as_said && spent.reads == (3 - w) * S && spent.exps == (w == 1 ? 3 : 2) * S;
    }
    const char *name = arena_format(lesson->arena, "a row of %d random scores, and the same output", S);
    show_table(lesson, (Table){ .name = name, .values = table, .rows = rows, .cols = columns, .decimals = -1 });
    check(lesson, as_said, "3·S, 2·S and S reads; 2·S, 3·S and 2·S exponentials");
    Cost kernel = counted_in(in_the_kernel, scores, values, &results[3]);
    double far = 0.0;
    for (int w = 0; w < 4; w++) far = fmax(far, fabs((double)results[w] - (double)results[0]));
    check(lesson, far <= 1e-5, "the outputs agree within 1e-5");
    int r = growths(scores);
    cost(lesson, "exponentials in attention_online", kernel.exps,
         arena_format(lesson->arena, "S + r, the maximum having grown r = %d times", r), S + r);
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

enum { LENGTHS = 5, ROWS = 100 };

static void mean_growths(Lesson *lesson)
{
    static double x[LENGTHS], mean[LENGTHS], expected[LENGTHS];
    Mat table = mat_new(lesson->arena, LENGTHS, 2);
    const char *rows[LENGTHS];
    bool near = true, logarithmic = true;
    for (int e = 0, S = 16; e < LENGTHS; e++, S *= 4) {
        Mat scores = mat_new(lesson->arena, S, 1);
        for (int n = 0; n < ROWS; n++) {
            random_normals(&lesson->random, scores);
            mean[e] += (double)growths(scores) / ROWS;
        }
        for (int j = 1; j <= S; j++) expected[e] += 1.0 / j;
        x[e] = S;
        *mat_ref(table, e, 0) = (float)mean[e];
        *mat_ref(table, e, 1) = (float)expected[e];
        rows[e] = arena_format(lesson->arena, "S = %d", S);
        near = near && fabs(mean[e] - expected[e]) < 5.0 * sqrt(expected[e] / ROWS);
        logarithmic = logarithmic && fabs(expected[e] - log(S) - 0.58) < 0.05;
    }
    const char *name = arena_format(lesson->arena, "how often the maximum grows: mean of %d random rows", ROWS);
    show_table(lesson, (Table){ .name = name, .values = table, .rows = rows,
                                .cols = (const char *[]){ "counted", "Σ 1/j" } });
    check(lesson, near, "in a random order it grows 1 + 1/2 + 1/3 + … + 1/S times, within what chance makes of %d rows",
          ROWS);
    check(lesson, logarithmic, "that is log S + 0.58, within 0.05");
    Series lines[] = {
        { .name = "Σ 1/j", .x = x, .y = expected, .count = LENGTHS, .dashed = true },
        { .name = "counted", .x = x, .y = mean, .count = LENGTHS, .dots = true },
    };
    figure_plot(lesson, "maxima.png", "four times as many keys, one or two rescalings more",
                (Plot){ .title = "How often a row is rescaled", .x_title = "keys S, in random order",
                        .y_title = arena_format(lesson->arena, "times the maximum grows, mean of %d rows", ROWS),
                        .series = lines, .count = 2, .log_x = true });
}

static void what_it_costs(Lesson *lesson)
{
    enum { S = 4096 };
    step(lesson, "What it costs");
    Mat scores = mat_new(lesson->arena, S, 1), values = mat_new(lesson->arena, S, 1);
    random_normals(&lesson->random, scores);
    random_normals(&lesson->random, values);
    passes(lesson, scores, values);
    orders(lesson, scores, values);
    mean_growths(lesson);
}

// ---- 5. Two partial results become one

// What the queries find among `count` of the keys.
static Part of_keys(Arena *arena, Mat q, Mat k, Mat v, int first, int count)
{
    return attend(arena, attention_online, q, mat_rows(k, first, count), mat_rows(v, first, count), (Mask){ 0 });
}

static Part copy_of(Arena *arena, Part p) { return (Part){ mat_copy(arena, p.out), mat_copy(arena, p.lse) }; }

static Part merged(Arena *arena, Part a, Part b)
{
    Part sum = copy_of(arena, a);
    attention_merge(sum.out, sum.lse, b.out, b.lse);
    return sum;
}

static void two_parts(Lesson *lesson, const Followed *f)
{
    step(lesson, "Two partial results become one");
    const Sentence *s = &lesson->sentence;
    Arena *arena = lesson->arena;
    int cut = (s->T + 1) / 2, alive = column_index(lesson, "alive");
    Mat q = mat_rows(s->x, f->word, 1), table = mat_new(lesson->arena, 4, 3);
    Part first = of_keys(arena, q, s->x, s->x, 0, cut), second = of_keys(arena, q, s->x, s->x, cut, s->T - cut);
    Part parts[] = { first, second, merged(arena, first, second), of_keys(arena, q, s->x, s->x, 0, s->T) };
    for (int p = 0; p < 4; p++) {
        float lse = parts[p].lse.at[0], share = expf(lse - parts[2].lse.at[0]);
        mat_set(mat_rows(table, p, 1), mat_of(arena, 1, 3, (float[]){ lse, share, *mat_ref(parts[p].out, 0, alive) }));
    }
    const char *rows[] = { arena_format(lesson->arena, "the first %d keys", cut),
                           arena_format(lesson->arena, "the other %d", s->T - cut), "merged", "all keys at once" };
    show_table(lesson, (Table){ .name = arena_format(arena, "what %s finds", s->words[f->word]), .values = table,
                                .rows = rows, .cols = (const char *[]){ "lse", "share", "alive" }, .decimals = 3 });
    check(lesson, parts_close(parts[2], parts[3], size_of(s->x)),
          "merged is all at once, in every column and in lse, within 1e-5");
    if (f->book) {
        float inside = expf(*mat_ref(f->scores, 1, 0) - first.lse.at[0]), share = *mat_ref(table, 0, 1);
        check(lesson, fabsf(inside * share - 0.113f) < 0.0005f,
              "animal has %.3f of the first part, and that has %.3f of all: %.3f", inside, share, inside * share);
    }
}

// ---- 6. Any order, any tree

enum { PARTS = 64 };

// Keys dealt at random to up to PARTS parts, some of them empty, merged two at a time in a random order.
static Part dealt_and_merged(Lesson *lesson, Mat q, Mat k, Mat v)
{
    Part parts[PARTS];
    int left = 1 + random_below(&lesson->random, PARTS), whose[256];
    for (int j = 0; j < k.rows; j++) whose[j] = random_below(&lesson->random, left);
    for (int p = 0; p < left; p++) {
        Mat own_k = mat_new(lesson->arena, k.rows, k.cols), own_v = mat_new(lesson->arena, v.rows, v.cols);
        int n = 0;
        for (int j = 0; j < k.rows; j++) {
            if (whose[j] != p) continue;
            mat_set(mat_rows(own_k, n, 1), mat_rows(k, j, 1));
            mat_set(mat_rows(own_v, n++, 1), mat_rows(v, j, 1));
        }
        parts[p] = of_keys(lesson->arena, q, own_k, own_v, 0, n);
    }
    for (; left > 1; left--) {
        int a = random_below(&lesson->random, left), b = (a + 1 + random_below(&lesson->random, left - 1)) % left;
        attention_merge(parts[a].out, parts[a].lse, parts[b].out, parts[b].lse);
        parts[b] = parts[left - 1];
    }
    return parts[0];
}

static void random_splits(Lesson *lesson)
{
    enum { S = 256, ROUNDS = 100 };
    Mat q = mat_new(lesson->arena, 1, 8), k = mat_new(lesson->arena, S, 8), v = mat_new(lesson->arena, S, 4);
    bool near = true;
    for (int round = 0; round < ROUNDS; round++) {
        ArenaMark mark = arena_mark(lesson->arena);
        random_normals(&lesson->random, q);
        random_normals(&lesson->random, k);
        random_normals(&lesson->random, v);
        Part whole = attend(lesson->arena, attention_online, q, k, v, (Mask){ 0 });
        near = near && parts_close(dealt_and_merged(lesson, q, k, v), whole, 1.0);
        arena_release(lesson->arena, mark);
    }
    check(lesson, near, "%d times: %d keys dealt at random to up to %d parts, merged two at a time in a random order: "
          "always the result of all keys at once, within 1e-5", ROUNDS, S, PARTS);
}

static void any_tree(Lesson *lesson, const Followed *f)
{
    step(lesson, "Any order, any tree");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, q = mat_rows(x, f->word, 1), sick = mat_copy(arena, x);
    int T = x.rows, one = T / 3, two = 2 * T / 3;
    Part a = of_keys(arena, q, x, x, 0, one), b = of_keys(arena, q, x, x, one, two - one);
    Part c = of_keys(arena, q, x, x, two, T - two), nothing = of_keys(arena, q, x, x, 0, 0);
    Part left = merged(arena, merged(arena, a, b), c), right = merged(arena, a, merged(arena, b, c));
    check(lesson, parts_close(left, right, size_of(x)), "associative: (a + b) + c is a + (b + c), within 1e-5");
    check(lesson, parts_same(merged(arena, a, b), merged(arena, b, a)), "commutative: a + b is b + a, to the bit");
    random_splits(lesson);
    check(lesson, size_of(nothing.out) == 0.0 && nothing.lse.at[0] == -INFINITY,
          "over no keys at all: out is 0, lse is -∞");
    check(lesson, parts_same(merged(arena, c, nothing), c) && parts_same(merged(arena, nothing, c), c),
          "merged with that, on either side, a result stays as it is, to the bit");
    check(lesson, isnan(expf(-INFINITY - -INFINITY)), "without a test for it: exp(-∞ - (-∞)) is NaN");
    mat_fill(mat_rows(sick, T - 1, 1), NAN);
    Part bad = of_keys(arena, q, sick, sick, two, T - two);
    check(lesson, isnan(merged(arena, a, bad).lse.at[0]) && isnan(merged(arena, bad, a).out.at[0]),
          "NaN in one part is NaN in the whole: trouble does not vanish in a merge");
}

// ---- 7. Large scores

// Equal scores, so that every key has the same weight: `first` keys of value 1, and others of value 0.
static void large_scores(Lesson *lesson)
{
    enum { FIRST = 11, OTHERS = 13, S = FIRST + OTHERS };
    static const float sizes[] = { 0, 100, 10000 };
    step(lesson, "What lse has no digits for");
    const char *rows[3];
    Mat q = mat_of(lesson->arena, 1, 1, (float[]){ 1.0f }), k = mat_new(lesson->arena, S, 1);
    Mat v = mat_new(lesson->arena, S, 1), table = mat_new(lesson->arena, 3, 2);
    mat_fill(mat_rows(v, 0, FIRST), 1.0f);
    for (int e = 0; e < 3; e++) {
        mat_fill(k, sizes[e]);
        Part a = of_keys(lesson->arena, q, k, v, 0, FIRST), b = of_keys(lesson->arena, q, k, v, FIRST, OTHERS);
        *mat_ref(table, e, 0) = *of_keys(lesson->arena, q, k, v, 0, S).out.at;
        *mat_ref(table, e, 1) = *merged(lesson->arena, a, b).out.at;
        rows[e] = arena_format(lesson->arena, "all scores %g", (double)sizes[e]);
    }
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "the share of %d keys among %d", FIRST, S),
                                .values = table, .rows = rows, .cols = (const char *[]){ "at once", "merged" },
                                .decimals = 5 });
    double share = (double)FIRST / S, off = fabs((double)*mat_ref(table, 2, 1) - share), place = 1.0 / 1024;
    check(lesson, (double)(nextafterf(10000.0f, INFINITY) - 10000.0f) == place,
          "from 10,000 to the next float it is 1/1024");
    double at_once = (double)*mat_ref(table, 2, 0), small = (double)*mat_ref(table, 0, 1);
    check(lesson, fabs(at_once - share) <= 1e-6 && fabs(small - share) <= 1e-6,
          "at once at any score, and merged at small ones, it is %d/%d within 1e-6", FIRST, S);
    check(lesson, off > 1e-4 && off <= place / 2,
          "merged at 10,000 it is off by more than 0.0001, by less than half that step");
}

// ---- 8. Long rows

// Σ softmax v in float64, from the same float32 numbers. Scores are of normal size: no maximum is taken away.
static void exact(double *out, Mat q, Mat k, Mat v)
{
    double sum = 0.0;
    for (int c = 0; c < v.cols; c++) out[c] = 0.0;
    for (int j = 0; j < k.rows; j++) {
        double score = 0.0;
        for (int f = 0; f < k.cols; f++) score += (double)*mat_ref(q, 0, f) * (double)*mat_ref(k, j, f);
        double weight = exp(score / sqrt(k.cols));
        sum += weight;
        for (int c = 0; c < v.cols; c++) out[c] += weight * (double)*mat_ref(v, j, c);
    }
    for (int c = 0; c < v.cols; c++) out[c] /= sum;
}

// The largest relative error of an output.
static double error_of(Part p, const double *want)
{
    double worst = 0.0;
    for (int c = 0; c < p.out.cols; c++) worst = fmax(worst, fabs((double)*mat_ref(p.out, 0, c) / want[c] - 1.0));
    return worst;
}

// Runs of 64 keys, merged two and two, and the results again two and two.
static Part by_halves(Arena *arena, Mat q, Mat k, Mat v)
{
    int half = k.rows / 2;
    if (k.rows <= 64) return attend(arena, attention_online, q, k, v, (Mask){ 0 });
    Part a = by_halves(arena, q, mat_rows(k, 0, half), mat_rows(v, 0, half));
    Part b = by_halves(arena, q, mat_rows(k, half, k.rows - half), mat_rows(v, half, k.rows - half));
    return merged(arena, a, b);
}

typedef struct { double naive, online, halves; } Errors;

static Errors errors_at(Lesson *lesson, int S)
{
    enum { d = 8, DV = 4 };
    double want[DV];
    ArenaMark mark = arena_mark(lesson->arena);
    Mat q = mat_new(lesson->arena, 1, d), k = mat_new(lesson->arena, S, d), v = mat_new(lesson->arena, S, DV);
    random_normals(&lesson->random, q);
    random_normals(&lesson->random, k);
    for (int e = 0; e < S * DV; e++) v.at[e] = random_uniform(&lesson->random);
    exact(want, q, k, v);
    Errors errors = { error_of(attend(lesson->arena, attention_naive, q, k, v, (Mask){ 0 }), want),
                      error_of(attend(lesson->arena, attention_online, q, k, v, (Mask){ 0 }), want),
                      error_of(by_halves(lesson->arena, q, k, v), want) };
    arena_release(lesson->arena, mark);
    return errors;
}

static void long_rows(Lesson *lesson)
{
    enum { MOST = 65536 };
    step(lesson, "Long rows");
    Errors worst = { 0, 0, 0 }, last = { 0, 0, 0 };
    for (int S = 1024; S <= MOST; S *= 8) {
        last = errors_at(lesson, S);
        worst = (Errors){ fmax(worst.naive, last.naive), fmax(worst.online, last.online),
                          fmax(worst.halves, last.halves) };
    }
    say(lesson, "One query, 1,024 to 65,536 keys; relative errors against float64.");
    check(lesson, worst.naive < 1e-4 && worst.online < 1e-4, "naive and online are within 1e-4, at every length");
    check(lesson, worst.halves < 1e-6, "in runs of 64 keys, merged two and two, it is within 1e-6");
    check(lesson, 4.0 * last.halves < last.naive && 4.0 * last.halves < last.online,
          "at 65,536 keys that is more than four times as close as either");
}

int main(int argc, char **argv)
{
    const char *query = NULL;
    Flag flags[] = { { "query", FLAG_TEXT, &query, 0, 0, "the word whose row is followed (default it)" } };
    Lesson lesson = lesson_open_with(argc, argv, 13, "Online softmax", flags, 1);
    Followed f = follow(&lesson, query);

    three_passes(&lesson, &f);
    running(&lesson, &f);
    the_kernel(&lesson, &f);
    what_it_costs(&lesson);
    two_parts(&lesson, &f);
    any_tree(&lesson, &f);
    large_scores(&lesson);
    long_rows(&lesson);
    return lesson_close(&lesson);
}
