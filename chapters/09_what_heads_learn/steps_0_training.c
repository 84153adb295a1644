// Chapter 09, before the steps. Training: model A as it runs here, and the tables that take minutes, which are kept in
// data/models and computed again by --retrain.
#include "io/file.h"
#include "language/chunks.h"
#include "language/grammar.h"
#include "language/induction.h"
#include "language/translator.h"
#include "model/gradient.h"
#include "steps.h"
#include "train/shipped.h"

#include <string.h>
#include <unistd.h>

enum { EVERY = 25 };                                           // steps between two measurements

// ---- tables that were computed before: data/models/<name>.tsv

NamedRows table_of(Lesson *lesson, const char *program, const char *folder, const char *name, int cols)
{
    NamedRows rows;
    Error error;
    if (!shipped_rows(&rows, lesson->arena, program, folder, name, cols, &error)) lesson_fail(&error);
    return rows;
}

static void rows_write(Lesson *lesson, const char *folder, const char *name, const char *text)
{
    Arena *arena = lesson->arena;
    Error error;
    const char *all = arena_format(arena, "# build/chapters/09_what_heads_learn --retrain %s\n%s", folder, text);
    if (!file_write(arena_format(arena, "%s/%s", folder, name), all, strlen(all), &error)) lesson_fail(&error);
}

// ---- model A

// What is measured on the way, on the same fresh sequences each time: loss, previous-token mass, induction mass.
static void measure(NamedRows *curve, Arena *arena, const Training *t)
{
    InductionScores s = induction_scores(arena, t->model, induction_batch, 64, 7);
    int n = curve->values.rows++;
    curve->names[n] = arena_format(arena, "%d", t->step);
    float *row = mat_row(curve->values, n);
    row[0] = (float)s.loss;
    row[1] = (float)s.best_previous;
    row[2] = (float)s.best_induction;
}

NamedRows train_live(Lesson *lesson, int steps)
{
    Recipe recipe = induction_recipe(0);
    if (steps) recipe.steps = steps;
    size_t most = (size_t)recipe.steps / EVERY + 2;
    Arena *arena = lesson->arena;
    NamedRows curve = { arena_alloc(arena, most * sizeof(char *)), mat_new(arena, (int)most, 3) };
    Training *t = training_open(arena, induction_config(32, 2), recipe);
    Progress progress = progress_from("model A", 0);
    curve.values.rows = 0;
    measure(&curve, arena, t);
    while (t->step < recipe.steps) {
        double loss = training_step(t, induction_batch, NULL);
        if (isatty(STDERR_FILENO)) progress_show(&progress, t->step, recipe.steps, loss);
        if (t->step % EVERY == 0 || t->step == recipe.steps) measure(&curve, arena, t);
    }
    training_close(t);
    return curve;
}

// ---- its controls

// The control: 12 random tokens, over and over. The last copy of every token is exactly 12 back.
static Batch fixed_period_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    enum { PERIOD = 12 };
    (void)corpus;
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    int *tokens = arena_alloc(arena, (size_t)count * CHUNKS_T * sizeof(int));
    int *targets = arena_alloc(arena, (size_t)count * CHUNKS_T * sizeof(int));
    for (int b = 0; b < count; b++) {
        start[b + 1] = start[b] + CHUNKS_T;
        repeated_sequence(tokens + start[b], targets + start[b], CHUNKS_T, PERIOD, CHUNKS_VOCABULARY, random);
    }
    return (Batch){ count, start, tokens, targets };
}

static const char *one_control(Arena *arena, const char *name, Config config, DrawBatch *draw)
{
    Recipe recipe = induction_recipe(0);
    Training *t = training_open(arena, config, recipe);
    Progress progress = progress_from(name, 0);
    while (t->step < recipe.steps) progress_show(&progress, t->step, recipe.steps, training_step(t, draw, NULL));
    InductionScores own = induction_scores(arena, t->model, draw, 64, 7);
    InductionScores s = induction_scores(arena, t->model, induction_batch, 64, 7);
    const char *line = arena_format(arena, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", name, own.accuracy, s.accuracy,
                                    s.best_previous, s.best_induction, copy_accuracy(t->model, 64, 8));
    training_close(t);
    return line;
}

// ---- model B with more heads, and fewer

// Model B with H heads of width 64 / H, after 450 steps: mean loss and accuracy of three seeds on fresh sentences.
static const char *one_width(Arena *arena, int H)
{
    enum { SEEDS = 3, STEPS = 450 };
    static Glossed sentences[SENTENCES];
    double loss = 0.0;
    int right = 0, words = 0;
    Random random = random_from(2);
    for (int i = 0; i < SENTENCES; i++) sentence_test(&sentences[i], &random);
    Batch batch = sentences_batch(arena, sentences, SENTENCES);
    int N = batch.start[SENTENCES];
    for (int seed = 0; seed < SEEDS; seed++) {
        Recipe recipe = translator_recipe((uint64_t)seed);
        recipe.steps = STEPS;
        Training *t = training_open(arena, translator_config(H, H), recipe);
        Progress progress = progress_from(arena_format(arena, "model B, H = %d", H), 0);
        while (t->step < STEPS) progress_show(&progress, t->step, STEPS, training_step(t, translator_batch, NULL));
        Run run = transformer_run(arena, t->model, batch, (Mat){ 0 });
        loss += cross_entropy(run.logits, batch.targets, 0.0f, (Mat){ 0 }) / N / SEEDS;
        words += N;
        for (int i = 0; i < SENTENCES; i++)
            for (int w = 0; w < sentences[i].T; w++) right += run_answer(&run, i, w) == sentences[i].glosses[w];
        training_close(t);
    }
    return arena_format(arena, "H = %d\t%d\t%.4f\t%.4f\n", H, 64 / H, loss, (double)right / words);
}

// ---- all of it

static const char *curve_text(Arena *arena, NamedRows curve)
{
    const char *text = "# step\tloss\tprevious\tinduction\n";
    for (int n = 0; n < curve.values.rows; n++)
        text = arena_format(arena, "%s%s\t%.4f\t%.4f\t%.4f\n", text, curve.names[n], mat_value(curve.values, n, 0),
                            mat_value(curve.values, n, 1), mat_value(curve.values, n, 2));
    return text;
}

static const char *controls_text(Arena *arena)
{
    Config two = induction_config(32, 2), one = two, alibi = two, single = induction_config(32, 1);
    Config steeper = induction_config(32, 4);
    one.L = 1;
    alibi.positions = POSITIONS_ALIBI;
    steeper.positions = POSITIONS_ALIBI;
    const char *text = "# control\taccuracy on its corpus\ton chunks\tprevious\tinduction\tcopy\n";
    text = arena_format(arena, "%s%s", text, one_control(arena, "as above", two, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "one layer", one, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "one head a layer", single, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "ALiBi", alibi, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "ALiBi, 4 heads", steeper, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "periods 8 to 16", two, periodic_batch));
    return arena_format(arena, "%s%s", text, one_control(arena, "period 12", two, fixed_period_batch));
}

static const char *widths_text(Arena *arena)
{
    const char *text = "# heads\twidth of a head\tloss\taccuracy\n";
    for (int H = 1; H <= 16; H *= 2) text = arena_format(arena, "%s%s", text, one_width(arena, H));
    return text;
}

void retrain(Lesson *lesson, const char *folder)
{
    Error error;
    if (!folder_make(folder, &error)) lesson_fail(&error);
    rows_write(lesson, folder, "induction-curve.tsv", curve_text(lesson->arena, train_live(lesson, 0)));
    rows_write(lesson, folder, "controls.tsv", controls_text(lesson->arena));
    rows_write(lesson, folder, "widths.tsv", widths_text(lesson->arena));
}
