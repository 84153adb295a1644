// Chapter 12, step 4, --retrain. Trains all that the step compares and writes the table: data/models/groups.tsv.
#include "base/portable_math.h"
#include "language/translator.h"
#include "model/pooling.h"
#include "steps.h"

#include <string.h>

// Key and value heads as transformer_init draws them; all else stays.
static void draw_anew(Transformer model, uint64_t seed)
{
    Random random = random_from(2000 + seed);
    int D = model.config.D;
    for (int l = 0; l < model.config.L; l++) {
        Mat heads = mat_cols(model.layers[l].wqkv, D, model.layers[l].wqkv.cols - D);
        random_normals(&random, heads);
        for (int i = 0; i < heads.rows; i++)
            for (int c = 0; c < heads.cols; c++) *mat_ref(heads, i, c) /= sqrtf((float)D);
    }
}

// One line of the table: all ways to a model with H query heads and G key heads, from one seed.
static const char *one_line(Arena *arena, Transformer full, int G, uint64_t seed)
{
    static const char *const ways[] = { "mean", "first", "new" };
    const char *name = arena_format(arena, "H = %d, G = %d, seed %d", full.config.H, G, (int)seed), *line = name;
    for (int way = 0; way < 3; way++) {
        Transformer pooled = pool_transformer(arena, full, G, way ? POOL_FIRST : POOL_MEAN);
        if (way == 2) draw_anew(pooled, seed);
        Transformer on =
            trained(arena, arena_format(arena, "%s, %s", name, ways[way]), pooled.config, short_recipe(seed), &pooled);
        line = arena_format(arena, "%s\t%.4f\t%.4f", line, accuracy(pooled, SENTENCES), accuracy(on, SENTENCES));
    }
    Config config = full.config;
    config.G = G;
    Transformer early =
        trained(arena, arena_format(arena, "%s, 5 %% from scratch", name), config, short_recipe(seed), NULL);
    Transformer whole = full;
    if (G < full.config.H)
        whole = trained(arena, arena_format(arena, "%s, from the start", name), config, translator_recipe(seed), NULL);
    return arena_format(arena, "%s\t%.4f\t%.4f\n", line, accuracy(early, SENTENCES), accuracy(whole, SENTENCES));
}

// The table is written anew after every line, so that an interrupted run has not been for nothing.
void retrain(Lesson *lesson, const char *folder)
{
    static const struct {
        int H, seeds;
    } families[] = { { 4, 5 }, { 8, 3 } };
    const char *text = arena_format(lesson->arena,
                                    "# build/chapters/12_mqa_and_gqa --retrain %s\n# heads\tmean pooled"
                                    "\ttrained on for 5 %%\tfirst head kept\ttrained on for 5 %%\tkey heads drawn anew"
                                    "\ttrained on for 5 %%\t5 %% from scratch\tall steps from scratch\n",
                                    folder);
    const char *path = arena_format(lesson->arena, "%s/groups.tsv", folder);
    Error error;
    if (!file_make_folder(folder, &error) || !file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int seed = 0, H = families[f].H; seed < families[f].seeds; seed++) {
            Arena *arena = arena_open();
            Transformer full = trained(arena, arena_format(arena, "H = G = %d, seed %d", H, seed),
                                       translator_config(H, H), translator_recipe((uint64_t)seed), NULL);
            for (int G = H; G >= 1; G /= 2) {
                text = arena_format(lesson->arena, "%s%s", text, one_line(arena, full, G, (uint64_t)seed));
                if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
            }
            arena_close(arena);
        }
}
