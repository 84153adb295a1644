// Chapter 18, steps 8 and 9. A cache that forgets the first token; one that does not; and 20,000 tokens.
#include "base/portable_math.h"
#include "base/threads.h"
#include "steps.h"

// ---- 8. Position by position

enum { POSITIONS = 48, TEXTS = 64, WAYS = 4 };
static const char *const way_names[WAYS] = { "all", "the last 16", "start + 15", "4 others + 12" };
// clang-format off
static const Policy ways[WAYS] = { { KEEP_ALL, 0, 0 }, { KEEP_SINKS, 0, CACHE }, { KEEP_SINKS, 1, CACHE },
                                   { KEEP_OTHERS, 4, CACHE } };
// clang-format on

typedef struct {
    double divergence[POSITIONS];
    int letters[POSITIONS];
} Course;

static void read_text(Course *course, Transformer model, const Backcopy *corpus, const int *tokens, Policy policy)
{
    Arena *scratch = arena_open();
    Decoder decoder = stream_open(scratch, model, POSITIONS, policy);
    Mat logits = mat_new(scratch, 1, model.config.outputs);
    for (int t = 0; t < POSITIONS; t++) {
        decoder_feed(logits, &decoder, tokens + t, 1);
        if (tokens[t] >= BACKCOPY_LETTERS) continue;
        course->divergence[t] += backcopy_divergence(corpus, tokens[t], mat_row(logits, 0), logits.cols);
        course->letters[t]++;
    }
    arena_close(scratch);
}

static void read_texts(Course *courses, Transformer model)
{
    Backcopy corpus = backcopy_new(1);
    Random random = random_from(16);
    int tokens[POSITIONS];
    for (int text = 0; text < TEXTS; text++) {
        backcopy_text(tokens, POSITIONS, &corpus, &random);
        for (int w = 0; w < WAYS; w++) read_text(&courses[w], model, &corpus, tokens, ways[w]);
    }
    for (int w = 0; w < WAYS; w++)
        for (int t = 0; t < POSITIONS; t++)
            courses[w].divergence[t] /= courses[w].letters[t] ? courses[w].letters[t] : 1;
}

// Mean over positions first … end − 1.
static double mean_of(const Course *course, int first, int end)
{
    double sum = 0.0;
    for (int t = first; t < end; t++) sum += course->divergence[t] / (end - first);
    return sum;
}

static void course_figure(Lesson *lesson, const Course *courses)
{
    static double x[POSITIONS];
    for (int t = 0; t < POSITIONS; t++) x[t] = t;
    PlotSeries series[WAYS];
    for (int w = 0; w < WAYS; w++)
        series[w] =
            (PlotSeries){ .name = way_names[w], .x = x + 1, .y = courses[w].divergence + 1, .count = POSITIONS - 1 };
    figure_plot(lesson, "breaks.png",
                "how far the model is from the truth after letters, position by position, by "
                "what its cache keeps",
                (Plot){ .title = "64 texts, a cache of 16 rows",
                        .x_title = "position",
                        .y_title = "divergence, nats",
                        .series = series,
                        .count = WAYS,
                        .log_y = true });
}

// Each token from CACHE on, with the last CACHE tokens as a text of their own, all keys made anew: how far is what it
// says from what it says over the window's cache, at most?
static double computed_anew_apart(Transformer plain)
{
    Arena *scratch = arena_open();
    Backcopy corpus = backcopy_new(1);
    Random random = random_from(17);
    int tokens[POSITIONS];
    backcopy_text(tokens, POSITIONS, &corpus, &random);
    Decoder decoder = stream_open(scratch, plain, POSITIONS, ways[1]);
    Mat logits = mat_new(scratch, POSITIONS, plain.config.outputs);
    decoder_feed(logits, &decoder, tokens, POSITIONS);
    double apart = 0.0;
    for (int t = CACHE; t < POSITIONS; t++) {
        Run run = run_transformer(scratch, plain, run_batch_of_one(scratch, tokens + t - CACHE + 1, CACHE), (Mat){ 0 });
        apart = fmax(apart, mat_max_difference(mat_rows(run.logits, CACHE - 1, 1), mat_rows(logits, t, 1)));
    }
    arena_close(scratch);
    return apart;
}

void the_window_breaks(Lesson *lesson, Transformer plain, bool ours)
{
    step(lesson, "The first key leaves");
    static const char *const cols[] = { "1-14", "15", "16", "17-31", "32-47" };
    Course *courses = arena_alloc(lesson->arena, WAYS * sizeof *courses);
    threads_set(1);
    read_texts(courses, plain);
    threads_set(0);
    Rows table = rows_of(lesson, "divergence after letters at positions", cols, 5);
    table.table.decimals = 4;
    for (int w = 0; w < WAYS; w++)
        rows_add(&table,
                 ROW(mean_of(&courses[w], 1, 15), courses[w].divergence[15], courses[w].divergence[16],
                     mean_of(&courses[w], 17, 32), mean_of(&courses[w], 32, POSITIONS)),
                 "%s", way_names[w]);
    show_rows(lesson, &table);
    course_figure(lesson, courses);
    say(lesson, "Xiao et al. (2024, Table 1), LLaMA-2-13B, 1,024 rows: perplexity 5158 with a window alone, 5.40 with "
                "the first four tokens kept, 5.60 with four line breaks in their place.");
    if (!ours) return;
    double apart = 0.0;
    for (int w = 1; w < WAYS; w++)
        for (int t = 1; t < CACHE; t++) apart = fmax(apart, fabs(courses[w].divergence[t] - courses[0].divergence[t]));
    check(lesson, apart < 1e-4, "up to position 15 all four are the same: nothing has left");
    check(lesson, courses[1].divergence[16] > 20 * courses[2].divergence[16],
          "at 16, when the first key leaves, the window is more than 20 times as far off as with the start kept");
    check(lesson, mean_of(&courses[3], 17, POSITIONS) > 20 * mean_of(&courses[2], 17, POSITIONS),
          "four other old tokens in its place do not help");
    check(lesson, computed_anew_apart(plain) < 1e-3,
          "the last 16 as a text of their own, all keys made anew: the window's logits, within 0.001");
    check(lesson, mean_of(&courses[0], 32, POSITIONS) > 2 * mean_of(&courses[2], 32, POSITIONS),
          "from 32 on, where training ended, all keys are worse than start + 15");
}

// ---- 9. On and on

void many_tokens(Lesson *lesson, Transformer plain, const Asked *asked, bool ours)
{
    step(lesson, "On and on");
    static const char *const cols[] = { "divergence", "marks right" };
    Arena *arena = lesson->arena;
    Backcopy corpus = backcopy_new(1);
    Random random = random_from(123);
    int *tokens = arena_alloc(arena, (size_t)asked->tokens * sizeof *tokens), quarter = asked->tokens / 4;
    backcopy_text(tokens, asked->tokens, &corpus, &random);
    Policy policy = { asked->true_places ? KEEP_TRUE : KEEP_SINKS, asked->sinks, asked->sinks + asked->window };
    Decoder decoder = stream_open(arena, plain, asked->tokens, policy);
    Mat logits = mat_new(arena, asked->tokens, plain.config.outputs);
    Rows table =
        rows_of(lesson, arena_format(arena, "%d tokens, %d of them in the cache", asked->tokens, policy.room), cols, 2);
    table.table.decimals = 4;
    threads_set(1);
    decoder_feed(logits, &decoder, tokens, asked->tokens);
    threads_set(0);
    double worst = 0.0, least = 1.0;
    for (int part = 0; part < 4; part++) {
        double divergence = 0.0;
        int letters = 0, marks = 0, right = 0;
        for (int t = part * quarter; t < (part + 1) * quarter - 1; t++) {
            const float *row = mat_row(logits, t);
            int best = 0;
            for (int o = 1; o < logits.cols; o++)
                if (row[o] > row[best]) best = o;
            if (backcopy_is_mark(tokens[t])) {
                marks++;
                right += best == tokens[t + 1];
            } else if (tokens[t] < BACKCOPY_LETTERS) {
                letters++;
                divergence += backcopy_divergence(&corpus, tokens[t], row, logits.cols);
            }
        }
        rows_add(&table, ROW(divergence / letters, marks ? (double)right / marks : 1.0), "quarter %d", part + 1);
        worst = fmax(worst, divergence / letters);
        least = fmin(least, marks ? (double)right / marks : 1.0);
    }
    show_rows(lesson, &table);
    Looks looks = model_looks(plain, &corpus, 7);
    bool usual = !asked->true_places && asked->sinks >= 1 && policy.room == CACHE;
    if (ours && usual)
        check(lesson, worst < 1.2 * looks.divergence && least > 0.99,
              "as good in every quarter as on texts of 32 tokens, within a fifth");
    cost(lesson, "bytes of the cache", decoder_bytes(&decoder), "4 · 2 d · (sinks + W)",
         4LL * 2 * plain.config.D * (policy.room < asked->tokens ? policy.room : asked->tokens));
    say(lesson, "With all tokens it would be %.1f MB.", 4.0 * 2 * plain.config.D * asked->tokens / 1e6);
}
