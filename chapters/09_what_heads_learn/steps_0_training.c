// Chapter 09, before the steps. Training: model A as it runs here, and the tables that take minutes, which are kept in
// data/models and computed again by --retrain.
#include "base/portable_math.h"
#include "io/file.h"
#include "language/chunks.h"
#include "language/grammar.h"
#include "language/induction.h"
#include "language/translator.h"
#include "model/gradient.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>
#include <unistd.h>

enum { EVERY = 25 }; // steps between two measurements

// ---- tables that were computed before: data/models/<name>.tsv

TableRows table_of(Lesson *lesson, const char *program, const char *folder, const char *name, int cols)
{
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, program, folder, name, cols, &error)) lesson_fail(&error);
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

// What is measured on the way, on the same fresh sequences each time.
static void measure(Fall *fall, Arena *arena, const Training *t)
{
    InductionScores s = induction_scores(arena, t->model, induction_batch, 64, 7);
    TableRows *curve = &fall->curve;
    int n = curve->values.rows++;
    curve->names[n] = arena_format(arena, "%d", t->step);
    const double columns[FALL_COLUMNS] = { s.loss, s.occurred, s.among, s.best_previous, s.best_induction };
    for (int c = 0; c < FALL_COLUMNS; c++) *mat_ref(curve->values, n, c) = (float)columns[c];
    fall->even = s.even;
}

// A copy whose queries are 0 in its first `layers` layers: every score is 0 there, and every head looks at all tokens
// so far alike.
static Transformer without_queries(Arena *arena, Transformer model, int layers)
{
    Transformer flat = transformer_new(arena, model.config);
    transformer_set(flat, model);
    for (int l = 0; l < layers; l++) mat_fill(mat_cols(flat.layers[l].wqkv, 0, model.config.D), 0.0f);
    return flat;
}

// Model A before its fall, with less and less of what its heads have learned to look for.
static void measure_before(Fall *fall, Arena *arena, Transformer model)
{
    Mat gates = mat_new(arena, model.config.L, model.config.H);
    for (int h = 0; h < model.config.H; h++) *mat_ref(gates, 1, h) = 1.0f;
    fall->before = induction_scores(arena, model, induction_batch, 64, 7);
    fall->flat = induction_scores(arena, without_queries(arena, model, 2), induction_batch, 64, 7);
    fall->alike = induction_scores(arena, without_queries(arena, model, 1), induction_batch, 64, 7);
    fall->early = note_of(model);
    fall->alone = induction_scores_gated(arena, model, gates, induction_batch, 64, 7);
}

Fall train_live(Lesson *lesson, int steps, int seed)
{
    TrainingRecipe recipe = induction_recipe((uint64_t)seed);
    if (steps) recipe.steps = steps;
    size_t most = (size_t)recipe.steps / EVERY + 2;
    Arena *arena = lesson->arena;
    Fall fall = { .curve = { arena_alloc(arena, most * sizeof(char *)), mat_new(arena, (int)most, FALL_COLUMNS) } };
    Training *t = training_open(arena, induction_config(32, 2), recipe);
    TrainingProgress progress = training_progress_begin("model A", 0);
    fall.curve.values.rows = 0;
    measure(&fall, arena, t);
    while (t->step < recipe.steps) {
        double loss = training_step(t, induction_batch, NULL);
        if (isatty(STDERR_FILENO)) training_progress_show(&progress, t->step, recipe.steps, loss);
        if (t->step % EVERY == 0 || t->step == recipe.steps) measure(&fall, arena, t);
        if (t->step == BEFORE_IT) measure_before(&fall, arena, t->model);
    }
    fall.late = note_of(t->model);
    training_close(t);
    return fall;
}

// What measure_before finds with other starts, each trained for no longer than that.
static const char *starts_text(Lesson *lesson)
{
    const char *text = "# start\tinduction mass at step 300\tlayer 0 looks at all tokens alike\tno layer 0\n";
    for (int seed = 1; seed <= OTHER_STARTS; seed++) {
        Fall fall = train_live(lesson, BEFORE_IT, seed);
        text = arena_format(lesson->arena, "%sstart %d\t%.4f\t%.4f\t%.4f\n", text, seed, fall.before.best_induction,
                            fall.alike.best_induction, fall.alone.best_induction);
    }
    return text;
}

// ---- its controls

// The control: 12 random tokens, over and over. The last copy of every token is exactly 12 back.
static RunBatch fixed_period_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    enum { PERIOD = 12 };
    (void)corpus;
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    int *tokens = arena_alloc(arena, (size_t)count * CHUNKS_T * sizeof(int));
    int *targets = arena_alloc(arena, (size_t)count * CHUNKS_T * sizeof(int));
    for (int b = 0; b < count; b++) {
        start[b + 1] = start[b] + CHUNKS_T;
        chunks_repeated_sequence(tokens + start[b], targets + start[b], CHUNKS_T, PERIOD, CHUNKS_VOCABULARY, random);
    }
    return (RunBatch){ count, start, tokens, targets };
}

// Right answers on its own corpus and on chunks, both masses on chunks, copying. induces: the head that does it most,
// in whatever layer; with three layers it need not be the last. fell: the first step, of every 25th, with a loss below
// 1 on fresh sequences; 0: none.
typedef struct {
    double own, chunks, previous, induction, copy, most;
    int induces, fell;
} Control;

static bool has_fallen(Transformer model, TrainingDraw *draw)
{
    Arena *scratch = arena_open();
    bool fallen = induction_scores(scratch, model, draw, 64, 7).loss < 1.0;
    arena_close(scratch);
    return fallen;
}

static Control control_trained(Arena *arena, const char *name, Config config, TrainingDraw *draw, uint64_t seed)
{
    TrainingRecipe recipe = induction_recipe(seed);
    Training *t = training_open(arena, config, recipe);
    TrainingProgress progress = training_progress_begin(name, 0);
    int fell = 0;
    while (t->step < recipe.steps) {
        training_progress_show(&progress, t->step, recipe.steps, training_step(t, draw, NULL));
        if (!fell && t->step % EVERY == 0 && has_fallen(t->model, draw)) fell = t->step;
    }
    InductionScores own = induction_scores(arena, t->model, draw, 64, 7);
    InductionScores s = induction_scores(arena, t->model, induction_batch, 64, 7);
    Control control = { own.accuracy,
                        s.accuracy,
                        s.best_previous,
                        s.best_induction,
                        induction_copy_accuracy(t->model, 64, 8),
                        s.induction[0],
                        0,
                        fell };
    for (int n = 1; n < config.L * config.H; n++)
        if (s.induction[n] > control.most) {
            control.most = s.induction[n];
            control.induces = n;
        }
    training_close(t);
    return control;
}

// A line for each seed, so that the chapter can show the spread.
static const char *one_control(Arena *arena, const char *name, Config config, TrainingDraw *draw)
{
    const char *text = "";
    for (int seed = 0; seed < CONTROL_SEEDS; seed++) {
        const char *which = arena_format(arena, "%s, seed %d", name, seed);
        Control c = control_trained(arena, which, config, draw, (uint64_t)seed);
        text = arena_format(arena, "%s%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\n", text, name, seed, c.own, c.chunks,
                            c.previous, c.induction, c.copy, c.fell);
    }
    return text;
}

void train_control(Lesson *lesson, Config config, int seed)
{
    Control c = control_trained(lesson->arena, "yours", config, induction_batch, (uint64_t)seed);
    const char *fell =
        c.fell ? arena_format(lesson->arena, "loss below 1 from step %d", c.fell) : "the loss stays above 1";
    const char *positions = arena_format(lesson->arena, "ALiBi from slope %g", (double)config.slope);
    say(lesson,
        "Yours, layers %d, heads %d, %s, seed %d: own %.2f, previous %.2f, induction %.2f (head %d.%d), copy "
        "%.2f; %s.",
        config.L, config.H, config.slope > 0.0f ? positions : "RoPE", seed, c.own, c.previous, c.most,
        c.induces / config.H, c.induces % config.H, c.copy, fell);
}

// ---- model B with more heads and fewer, and without its bonus

enum { SEEDS = 3, STEPS = 450 };

typedef struct {
    double loss, accuracy, peak;
} Measured; // peak: the mean of the largest weight of a row

static double mean_peak(const Run *run)
{
    Arena *scratch = arena_open();
    const Config *c = &run->model.config;
    double sum = 0.0;
    int rows = 0;
    for (int b = 0; b < run->batch.count; b++)
        for (int n = 0; n < c->L * c->H; n++) {
            Mat weights = run_weights(scratch, run, b, n / c->H, n % c->H);
            for (int i = 0; i < weights.rows; i++) sum += mat_value(weights, i, mat_argmax(weights, i));
            rows += weights.rows;
        }
    arena_close(scratch);
    return sum / rows;
}

// Model B with H heads of width 64 / H, after 450 steps, on fresh sentences.
static Measured translator_trained(int H, double bonus, int seed, const char *name)
{
    static GlossedSentence sentences[SENTENCES];
    Arena *arena = arena_open();
    Random random = random_from(2);
    for (int i = 0; i < SENTENCES; i++) grammar_sentence_test(&sentences[i], &random);
    RunBatch batch = translator_sentences_batch(arena, sentences, SENTENCES);
    int N = batch.start[SENTENCES], right = 0;
    TrainingRecipe recipe = translator_recipe((uint64_t)seed);
    recipe.steps = STEPS;
    recipe.bonus = bonus;
    Training *t = training_open(arena, translator_config(H, H), recipe);
    TrainingProgress progress = training_progress_begin(name, 0);
    while (t->step < STEPS) training_progress_show(&progress, t->step, STEPS, training_step(t, translator_batch, NULL));
    Run run = run_transformer(arena, t->model, batch, (Mat){ 0 });
    for (int i = 0; i < SENTENCES; i++)
        for (int w = 0; w < sentences[i].T; w++) right += run_answer(&run, i, w) == sentences[i].glosses[w];
    Measured m = { cross_entropy(run.logits, batch.targets, 0.0f, (Mat){ 0 }) / N, (double)right / N, mean_peak(&run) };
    training_close(t);
    arena_close(arena);
    return m;
}

// The mean of three seeds, and their least and largest loss.
static const char *three_seeds(Arena *arena, const char *name, int H, double bonus)
{
    Measured mean = { 0 };
    double least = INFINITY, most = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        Measured m = translator_trained(H, bonus, seed, name);
        mean.loss += m.loss / SEEDS;
        mean.accuracy += m.accuracy / SEEDS;
        mean.peak += m.peak / SEEDS;
        least = fmin(least, m.loss);
        most = fmax(most, m.loss);
    }
    return arena_format(arena, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", name, 64 / H, mean.loss, least, most,
                        mean.accuracy, mean.peak);
}

void train_translator(Lesson *lesson, double bonus)
{
    Measured m = translator_trained(4, bonus, 0, "model B");
    say(lesson,
        "--bonus %g, trained for %d steps: loss %.3f, %.3f of the words right, the largest weight of a row "
        "%.2f on average.",
        bonus, STEPS, m.loss, m.accuracy, m.peak);
}

// ---- all of it

static const char *curve_text(Arena *arena, TableRows curve)
{
    const char *text = "# step\tloss\toccurred\tamong\tprevious\tinduction\n";
    for (int n = 0; n < curve.values.rows; n++) {
        text = arena_format(arena, "%s%s", text, curve.names[n]);
        for (int c = 0; c < FALL_COLUMNS; c++)
            text = arena_format(arena, "%s\t%.4f", text, mat_value(curve.values, n, c));
        text = arena_format(arena, "%s\n", text);
    }
    return text;
}

static const char *controls_text(Arena *arena)
{
    Config two = induction_config(32, 2), one = two, alibi = two, single = induction_config(32, 1);
    Config four = induction_config(32, 4), steep;
    one.L = 1;
    alibi.positions = four.positions = CONFIG_POSITIONS_ALIBI;
    steep = alibi;
    steep.slope = 1.0f;
    const char *text = "# control\tseed\taccuracy on its corpus\ton chunks\tprevious\tinduction\tcopy\t"
                       "loss below 1 from step\n";
    text = arena_format(arena, "%s%s", text, one_control(arena, "as above", two, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "one layer", one, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "one head a layer", single, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "ALiBi", alibi, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "ALiBi, 4 heads", four, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "ALiBi, slope 1", steep, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "periods 8 to 16", two, induction_periodic_batch));
    return arena_format(arena, "%s%s", text, one_control(arena, "period 12", two, fixed_period_batch));
}

static const char *widths_text(Arena *arena)
{
    const char *text = "# heads\twidth of a head\tloss\tleast\tlargest\taccuracy\tpeak\n";
    double bonus = translator_recipe(0).bonus;
    for (int H = 1; H <= 16; H *= 2)
        text = arena_format(arena, "%s%s", text, three_seeds(arena, arena_format(arena, "H = %d", H), H, bonus));
    return arena_format(arena, "%s%s", text, three_seeds(arena, "H = 4, no bonus", 4, 0.0));
}

void retrain(Lesson *lesson, const char *folder)
{
    Error error;
    if (!file_make_folder(folder, &error)) lesson_fail(&error);
    rows_write(lesson, folder, "induction-curve.tsv", curve_text(lesson->arena, train_live(lesson, 0, 0).curve));
    rows_write(lesson, folder, "starts.tsv", starts_text(lesson));
    rows_write(lesson, folder, "controls.tsv", controls_text(lesson->arena));
    rows_write(lesson, folder, "widths.tsv", widths_text(lesson->arena));
}
