// Chapter 18, --retrain. Trains all that its tables tell of, failures included: data/models/sinks*.tsv; and the two
// models that the chapter runs. window-times.tsv is timed in steps_5_work.c.
#include "io/file.h"
#include "steps.h"
#include "train/checkpoint.h"

#include <string.h>

static void write_text(const char *folder, const char *file, const char *text)
{
    Arena *arena = arena_open();
    Error error;
    if (!file_write(arena_format(arena, "%s/%s", folder, file), text, strlen(text), &error)) lesson_fail(&error);
    arena_close(arena);
}

// Trained from a seed. With `curve`, a line at every 25 steps: what a table of the growing sink consists of.
static Transformer trained(Arena *arena, const char *name, Config config, const Backcopy *corpus, uint64_t seed,
                           const char **curve)
{
    enum { EVERY = 25 };
    TrainingRecipe recipe = backcopy_recipe(seed);
    Training *training = training_open(arena, config, recipe);
    TrainingProgress progress = training_progress_begin(name, 0);
    double loss = 0.0;
    for (int s = 0; s <= recipe.steps; s++) {
        if (curve && s % EVERY == 0) {
            Looks looks = model_looks(training->model, corpus, 7);
            *curve = arena_format(arena, "%s%d\t%.4f\t%.4f\t%.4f\t%.4f\n", *curve, s, looks.mass, looks.first,
                                  looks.others, looks.right);
        }
        if (s == recipe.steps) break;
        loss = training_step(training, backcopy_batch, corpus);
        training_progress_show(&progress, s + 1, recipe.steps, loss);
    }
    training_close(training);
    return training->model;
}

static double divergence_of(Transformer model, const Backcopy *corpus, const int *tokens, Policy policy)
{
    return stream_score(model, corpus, tokens, STREAM, FROM, policy).divergence;
}

static int *stream_tokens(Arena *arena, const Backcopy *corpus)
{
    int *tokens = arena_alloc(arena, STREAM * sizeof *tokens);
    Random random = random_from(99);
    backcopy_text(tokens, STREAM, corpus, &random);
    return tokens;
}

// A line of sinks.tsv.
static const char *measured(Arena *arena, const char *name, Transformer model, const Backcopy *corpus)
{
    Looks looks = model_looks(model, corpus, 7);
    const int *tokens = stream_tokens(arena, corpus);
    Score full = stream_score(model, corpus, tokens, STREAM, FROM, (Policy){ KEEP_ALL, 0, 0 });
    return arena_format(arena, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", name,
                        looks.mass, looks.mark_mass, looks.right, looks.divergence, looks.values, full.divergence,
                        full.right, divergence_of(model, corpus, tokens, (Policy){ KEEP_SINKS, 0, CACHE }),
                        divergence_of(model, corpus, tokens, (Policy){ KEEP_SINKS, 1, CACHE }),
                        divergence_of(model, corpus, tokens, (Policy){ KEEP_TRUE, 1, CACHE }),
                        divergence_of(model, corpus, tokens, (Policy){ KEEP_OTHERS, 4, CACHE }));
}

// A line of sinks-kept.tsv: four starts, of which 0 … 4 are kept.
static const char *kept(Arena *arena, const char *name, Transformer model, const Backcopy *corpus)
{
    Looks looks = model_looks(model, corpus, 7);
    const int *tokens = stream_tokens(arena, corpus);
    const char *line = name;
    for (int n = 0; n <= 4; n++)
        line = arena_format(arena, "%s\t%.4f", line,
                            divergence_of(model, corpus, tokens, (Policy){ KEEP_SINKS, n, CACHE }));
    for (int j = 0; j < 4; j++) line = arena_format(arena, "%s\t%.4f", line, looks.each[j]);
    return arena_format(arena, "%s\n", line);
}

static void write_model(Lesson *lesson, const char *folder, const char *name, Transformer model)
{
    Error error;
    TrainingRecipe recipe = backcopy_recipe(0);
    CheckpointNotes notes = checkpoint_notes_of_recipe(lesson->arena, &recipe);
    if (!checkpoint_write_model(arena_format(lesson->arena, "%s/%s.safetensors", folder, name), model, notes, &error))
        lesson_fail(&error);
}

static void all_kinds(Lesson *lesson, const char *folder)
{
    static const struct {
        const char *name;
        ConfigSink sink;
        int starts;
        bool norms;
        const char *file;
    } kinds[] = {
        { "plain", CONFIG_SINK_NONE, 1, false, "sink-plain" },
        { "learned sink", CONFIG_SINK_LOGIT, 1, false, "sink-learned" },
        { "gate", CONFIG_SINK_GATE, 1, false, NULL },
        { "sink of 0", CONFIG_SINK_ZERO, 1, false, NULL },
        { "no start", CONFIG_SINK_NONE, 0, false, NULL },
        { "with norms", CONFIG_SINK_NONE, 1, true, NULL },
    };
    const char *text = arena_format(lesson->arena,
                                    "# build/chapters/18_windows_and_sinks --retrain %s\n# "
                                    "model\tweight on the first\t… of marks\tmarks right\tdivergence\t|v| of the "
                                    "first\tfull cache\t… marks right\twindow of 16\t1 sink + 15\t… at its true "
                                    "position\t4 oldest others + 12\n",
                                    folder);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int seed = 0; seed < SEEDS; seed++) {
            Arena *arena = arena_open();
            Backcopy corpus = backcopy_new(kinds[k].starts);
            const char *name = arena_format(arena, "%s, seed %d", kinds[k].name, seed);
            const char *curve = "# step\tweight on the first\t|v| of the first\t|v| of others\tmarks right\n";
            bool ship = kinds[k].file && seed == 0;
            Config config = backcopy_config(kinds[k].sink, kinds[k].starts);
            config.bare = !kinds[k].norms;
            Transformer model = trained(arena, name, config, &corpus, (uint64_t)seed, ship ? &curve : NULL);
            if (ship) write_model(lesson, folder, kinds[k].file, model);
            if (ship && k == 0) write_text(folder, "sinks-curve.tsv", curve);
            text = arena_format(lesson->arena, "%s%s", text, measured(arena, name, model, &corpus));
            write_text(folder, "sinks.tsv", text);
            arena_close(arena);
        }
}

static void four_starts(Lesson *lesson, const char *folder)
{
    const char *text = "# model\t0 starts kept\t1\t2\t3\t4\tweight on the first\tsecond\tthird\tfourth\n";
    Backcopy corpus = backcopy_new(4);
    for (int seed = 0; seed < SEEDS; seed++) {
        Arena *arena = arena_open();
        const char *name = arena_format(arena, "four starts, seed %d", seed);
        Transformer model = trained(arena, name, backcopy_config(CONFIG_SINK_NONE, 4), &corpus, (uint64_t)seed, NULL);
        text = arena_format(lesson->arena, "%s%s", text, kept(arena, name, model, &corpus));
        write_text(folder, "sinks-kept.tsv", text);
        arena_close(arena);
    }
}

// Tables are written anew after every line, so that an interrupted run has not been for nothing.
void retrain(Lesson *lesson, const char *folder)
{
    Error error;
    if (!file_make_folder(folder, &error)) lesson_fail(&error);
    all_kinds(lesson, folder);
    four_starts(lesson, folder);
    write_times(lesson, folder);
}
