// Chapter 19, --retrain. Measures all ways to keep tokens, into DIR/cache.tsv, and trains models whose layers share,
// into DIR/shared-layers.tsv.
#include "language/language.h"
#include "train/train.h"
#include "steps.h"

#include <string.h>

enum { DOCUMENTS = 256 };

static const char *row_of(Arena *arena, const char *text, const char *name, Measured m)
{
    return arena_format(arena, "%s%s\t%.5f\t%.2f\t%.5f\n", text, name, m.loss, m.bytes, m.error);
}

static const char *codes_of(Lesson *lesson, const char *text, Transformer model, RunBatch documents, float s)
{
    Arena *arena = lesson->arena;
    Transformer planted = with_outlier(arena, model, s);
    for (int kind = 0; kind < QUANTISED_KINDS; kind++)
        for (int g = 0; g < (kind == QUANTISED_FLOAT8 ? 1 : 2); g++) {
            QuantisedFormat format = format_of((QuantisedKind)kind, 32);
            format.keys = g == 0 ? QUANTISED_PER_CHANNEL : QUANTISED_PER_TOKEN;
            const char *keys = kind == QUANTISED_FLOAT8 ? "" : g == 0 ? ", keys per channel" : ", keys per token";
            text = row_of(arena, text, arena_format(arena, "%s%s, outlier %g", quantised_names[kind], keys, (double)s),
                          measure_way(planted, documents, (Way){ .keeping = KEEP_CODES, .format = format }));
        }
    return text;
}

static const char *kept_of(Lesson *lesson, const char *text, Transformer model, RunBatch documents)
{
    static const int budgets[] = { 96, 64, 48, 32, 16, 8 };
    for (int policy = 0; policy < EVICT_POLICIES; policy++)
        for (int b = 0; b < 6; b++)
            text =
                row_of(lesson->arena, text, arena_format(lesson->arena, "%s, %d", evicting_names[policy], budgets[b]),
                       measure_way(model, documents,
                                   (Way){ .keeping = KEEP_SOME, .policy = (EvictPolicy)policy, .budget = budgets[b] }));
    return text;
}

static void write_table(const char *folder, const char *file, const char *text)
{
    Arena *arena = arena_open();
    Error error;
    const char *path = arena_format(arena, "%s/%s", folder, file);
    if (!file_make_folder(folder, &error) || !file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    arena_close(arena);
}

void measure_all(Lesson *lesson, Transformer model, const char *folder)
{
    const char *text = arena_format(lesson->arena,
                                    "# build/chapters/19_smaller_caches --retrain %s\n# way\tloss\t"
                                    "bytes a token\terror of heads\n",
                                    folder);
    RunBatch documents = documents_of(lesson->arena, DOCUMENTS);
    text = row_of(lesson->arena, text, "float32", measure_way(model, documents, (Way){ .keeping = KEEP_FLOATS }));
    static const float sizes[] = { 1, 10, 30 };
    for (int s = 0; s < 3; s++) text = codes_of(lesson, text, model, documents, sizes[s]);
    text = kept_of(lesson, text, model, documents);
    text = row_of(lesson->arena, text, "in pairs, as it is",
                  measure_way(model, documents, (Way){ .keeping = KEEP_PAIRS }));
    write_table(folder, "cache.tsv", text);
}

// ---- layers that share

static Transformer trained(Arena *arena, const char *name, Config config, TrainingRecipe recipe)
{
    Training *t = training_open(arena, config, recipe);
    language_begin(t->model, recipe.seed);
    TrainingProgress progress = training_progress_begin(name, 0);
    while (t->step < recipe.steps)
        training_progress_show(&progress, t->step, recipe.steps, training_step(t, document_batch, NULL));
    training_close(t);
    return t->model;
}

// Model C's recipe, shortened. The table is written anew after every line, so that an interrupted run has not been for
// nothing.
void train_shared(Lesson *lesson, const char *folder)
{
    enum { SEEDS = 5, STEPS = 500 };
    const char *text = arena_format(lesson->arena,
                                    "# build/chapters/19_smaller_caches --retrain %s\n# layers\tloss\t"
                                    "bytes a token\n",
                                    folder);
    RunBatch documents = documents_of(lesson->arena, DOCUMENTS);
    for (int seed = 0; seed < SEEDS; seed++)
        for (int share = 1; share <= 2; share++)
            for (int G = 2; G >= 1; G--) {
                Arena *arena = arena_open();
                Config config = language_config(64);
                TrainingRecipe recipe = language_recipe(64, (uint64_t)seed);
                config.share = share > 1 ? share : 0;
                config.G = G;
                recipe.steps = STEPS;
                const char *name = arena_format(lesson->arena, "%d layers share, G = %d, seed %d", share, G, seed);
                Transformer model = trained(arena, name, config, recipe);
                Measured m = measure_way(model, documents, (Way){ 0 });
                text = arena_format(lesson->arena, "%s%s\t%.5f\t%.2f\n", text, name, m.loss, m.bytes);
                write_table(folder, "shared-layers.tsv", text);
                arena_close(arena);
            }
}
