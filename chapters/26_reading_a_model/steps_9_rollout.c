// Chapter 26, step 9. Rollout: maps multiplied, beside what the answer hangs on.
#include "attention/rollout.h"
#include "base/portable_math.h"
#include "steps.h"

// (T, T): the rollout of a run, both layers.
static Mat rollout_of(Arena *arena, const Run *run)
{
    const Config *c = &run->model.config;
    int T = run->last.rows;
    Mat all = { 0 };
    for (int l = 0; l < c->L; l++) {
        Mat step = mat_new(arena, T, T);
        for (int h = 0; h < c->H; h++) {
            Mat weights = run_weights(arena, run, 0, l, h);
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++) *mat_ref(step, i, j) += *mat_ref(weights, i, j) / (float)c->H;
        }
        rollout_step(step, step);
        Mat joined = l ? mat_new(arena, T, T) : step;
        if (l) rollout_join(joined, step, all);
        all = joined;
    }
    return all;
}

// How far the lead at `it` changes, up or down, when the word at j is another one: mean over `tries` words.
static double hangs_on(const Translator *b, const Twins *t, int k, int j, int tries, Random *random)
{
    Arena *arena = arena_open();
    const GlossedSentence *s = &t->s[k];
    int *words = arena_alloc(arena, (size_t)(tries * s->T) * sizeof *words);
    int *start = arena_alloc(arena, (size_t)(tries + 1) * sizeof *start);
    for (int n = 0; n < tries; n++) {
        for (int i = 0; i < s->T; i++) words[n * s->T + i] = s->words[i];
        words[n * s->T + j] = random_below(random, b->model.config.words);
        start[n + 1] = (n + 1) * s->T;
    }
    Run run = run_transformer(arena, b->model, (RunBatch){ tries, start, words, NULL }, (Mat){ 0 });
    double sum = 0.0, before = lead(t, &t->run[k], k);
    for (int n = 0; n < tries; n++) sum += fabs(lead_in(t, run_logits(&run, n), k) - before) / tries;
    arena_close(arena);
    return sum;
}

// Over the pairs, both sentences: the rollout of `it` at [start], the adjective, the noun it stands for; the
// adjective's share in what the answer hangs on; and how often rollout gives it less than that.
typedef struct {
    Sample start, adjective, noun, truth;
    int below;
} Rolled;

static Rolled over_pairs(const Translator *b)
{
    enum { TRIES = 6 };
    Rolled r = { 0 };
    Random random = random_from(6);
    for (int p = 0; p < BOTH * PAIRS; p++) {
        Arena *arena = arena_open();
        const Twins *t = &b->pair[p / BOTH];
        const GlossedSentence *s = &t->s[p % BOTH];
        Mat map = rollout_of(arena, &t->run[p % BOTH]);
        double of_truth[WORD_SENTENCE_MOST], all = 0.0, adjective = mat_value(map, s->it, s->adjective);
        for (int j = 0; j < s->T; j++) all += of_truth[j] = hangs_on(b, t, p % BOTH, j, TRIES, &random);
        sample_add(&r.start, mat_value(map, s->it, 0));
        sample_add(&r.adjective, adjective);
        sample_add(&r.noun, mat_value(map, s->it, p % BOTH ? s->object : s->subject));
        sample_add(&r.truth, of_truth[s->adjective] / all);
        r.below += adjective < of_truth[s->adjective] / all;
        arena_close(arena);
    }
    return r;
}

static void figure_of(Lesson *lesson, const GlossedSentence *s, const double *of_rollout, const double *of_truth)
{
    static const char *const series[] = { "rollout", "what the answer hangs on" };
    const char *words[WORD_SENTENCE_MOST];
    double values[2 * WORD_SENTENCE_MOST], sum = 0.0;
    for (int j = 0; j < s->T; j++) sum += of_truth[j];
    for (int j = 0; j < s->T; j++) {
        words[j] = word_text(s->words[j]);
        values[2 * j] = of_rollout[j];
        values[2 * j + 1] = of_truth[j] / sum;
    }
    figure_bars(lesson, "rollout.png", "rollout of \"it\" beside what its answer hangs on, each as shares of 1",
                (PlotBars){ .title = "it, in … because it was too tired",
                            .y_title = "share",
                            .groups = words,
                            .series = series,
                            .group_count = s->T,
                            .series_count = 2,
                            .values = values,
                            .decimals = -1,
                            .width = 760,
                            .height = 300 });
}

// The gate stands behind the softmax of the last layer: the maps stay, and rollout is made of nothing else.
static void without_a_head(Lesson *lesson, const Translator *b)
{
    const Twins *t = &b->book;
    const Config *c = &b->model.config;
    Mat gates = mat_new(lesson->arena, c->L, c->H);
    mat_fill(gates, 1.0f);
    *mat_ref(gates, 1, 2) = 0.0f;
    Run off = run_transformer(lesson->arena, b->model, t->run[0].batch, gates);
    say(lesson,
        "Head 1.2 off: the lead goes from %.1f to %.1f. Its gate stands behind the last softmax, so no map "
        "changes, nor the rollout.",
        lead(t, &t->run[0], 0), lead(t, &off, 0));
}

void rolled_out(Lesson *lesson, const Translator *b)
{
    static const char *const cols[] = { "rollout", "hangs on" };
    enum { TRIES = 20 };
    step(lesson, "Maps multiplied");
    const Twins *t = &b->book;
    const GlossedSentence *s = &t->s[0];
    Mat all = rollout_of(lesson->arena, &t->run[0]);
    Random random = random_from(5);
    double of_rollout[WORD_SENTENCE_MOST], of_truth[WORD_SENTENCE_MOST];
    Rows rows = rows_of(lesson, "from \"it\": rollout, and how far its lead changes with the word", cols, 2);
    for (int j = 0; j < s->T; j++) {
        of_rollout[j] = mat_value(all, s->it, j);
        of_truth[j] = hangs_on(b, t, 0, j, TRIES, &random);
        rows_add(&rows, ROW(of_rollout[j], of_truth[j]), "%s", word_text(s->words[j]));
    }
    show_rows(lesson, &rows);
    figure_of(lesson, s, of_rollout, of_truth);
    Rolled r = over_pairs(b);
    double error = fmax(fmax(sample_error(&r.adjective), sample_error(&r.start)),
                        fmax(sample_error(&r.noun), sample_error(&r.truth)));
    say(lesson,
        "Means over %d sentences, standard errors up to %.2f: rollout gives the adjective %.2f, [start] %.2f, "
        "the right noun %.2f. Of what the answer hangs on, the adjective has %.2f; in %d sentences rollout gives it "
        "less.",
        BOTH * PAIRS, error, sample_mean(&r.adjective), sample_mean(&r.start), sample_mean(&r.noun),
        sample_mean(&r.truth), r.below);
    check(lesson, sample_mean(&r.truth) > 2 * sample_mean(&r.adjective),
          "the answer hangs on the adjective more than twice as much as rollout says");
    without_a_head(lesson, b);
}
