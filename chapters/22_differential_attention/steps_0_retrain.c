// Chapter 22, --retrain. Trains five seeds of every form, one after the other: data/models/facts.tsv, and the first
// differential model. The table is written anew after every line, so that an interrupted run has not been for nothing.
#include "base/portable_math.h"
#include "io/file.h"
#include "steps.h"
#include "train/checkpoint.h"

#include <string.h>

const char *const form_names[FORMS] = {
    "4 heads",       "2 wide heads",       "differential", "fixed lambda",     "without norm",     "lambda from 0.8",
    "4 heads, norm", "2 wide heads, norm", "4 heads, 3x",  "differential, 3x", "2 wide heads, 3x",
};

// The forms again that are trained three times as long.
static Form form_of(Form form)
{
    return form == HEADS_4_LONG        ? HEADS_4
           : form == DIFFERENTIAL_LONG ? DIFFERENTIAL
           : form == HEADS_2_LONG      ? HEADS_2
                                       : form;
}

// All have the same matrices: 4 heads of 8, 2 of 16, or 2 pairs of maps of 8 with values of 16.
Config form_config(Form any)
{
    Form form = form_of(any);
    bool wide = form == HEADS_2 || form == HEADS_2_NORM, plain = wide || form == HEADS_4 || form == HEADS_4_NORM;
    Config config = facts_config(wide ? 2 : 4);
    config.head_norm = form != HEADS_4 && form != HEADS_2 && form != NO_NORM;
    if (!plain) config.differ = form == FIXED ? CONFIG_DIFFER_FIXED : CONFIG_DIFFER_LEARNED;
    if (form == DEEP) config.lambda = 0.8;
    return config;
}

static Transformer trained(Arena *arena, const char *name, Form form, uint64_t seed)
{
    TrainingRecipe recipe = facts_recipe(seed);
    if (form_of(form) != form) recipe.steps *= 3;
    Training *training = training_open(arena, form_config(form), recipe);
    TrainingProgress progress = training_progress_begin(name, 0);
    for (int s = 0; s < recipe.steps; s++) {
        double loss = training_step(training, facts_batch, NULL);
        training_progress_show(&progress, s + 1, recipe.steps, loss);
    }
    training_close(training);
    return training->model;
}

static const char *measured(Arena *arena, const char *name, Transformer model)
{
    Answers answers[LENGTHS];
    const char *line = name;
    for (int n = 0; n < LENGTHS; n++) answers[n] = facts_answers(model, lengths[n], 7);
    for (int n = 0; n < LENGTHS; n++) line = arena_format(arena, "%s\t%.4f", line, answers[n].right);
    for (int n = 0; n < LENGTHS; n++) line = arena_format(arena, "%s\t%.4f", line, answers[n].loss);
    for (int n = 0; n < LENGTHS; n++) line = arena_format(arena, "%s\t%.4f", line, answers[n].fact);
    for (int n = 0; n < LENGTHS; n++) line = arena_format(arena, "%s\t%.4f", line, answers[n].noise);
    double lambda = facts_lambda(model);
    return arena_format(arena, "%s\t%.4f\t%.4f\n", line, answers[0].negative, isnan(lambda) ? 0.0 : lambda);
}

static void write_model(Lesson *lesson, const char *folder, Transformer model)
{
    Error error;
    TrainingRecipe recipe = facts_recipe(0);
    CheckpointNotes notes = checkpoint_notes_of_recipe(lesson->arena, &recipe);
    if (!checkpoint_write_model(arena_format(lesson->arena, "%s/facts-differential.safetensors", folder), model, notes,
                                &error))
        lesson_fail(&error);
}

void retrain(Lesson *lesson, const char *folder)
{
    Error error;
    if (!file_make_folder(folder, &error)) lesson_fail(&error);
    const char *text = arena_format(lesson->arena,
                                    "# build/chapters/22_differential_attention --retrain %s\n"
                                    "# 64, 128, 256 and 512 tokens of facts and noise:\n"
                                    "# model, seed\tright at 64\t128\t256\t512\tloss at 64\t128\t256\t512\t"
                                    "share on the fact at 64\t128\t256\t512\ton noise at 64\t128\t256\t512\t"
                                    "negative there at 64\tlambda, 0 where there is none\n",
                                    folder);
    for (int form = 0; form < FORMS; form++)
        for (int seed = 0; seed < SEEDS; seed++) {
            Arena *arena = arena_open();
            const char *name = arena_format(arena, "%s; seed %d", form_names[form], seed);
            Transformer model = trained(arena, name, (Form)form, (uint64_t)seed);
            if (form == DIFFERENTIAL && seed == 0) write_model(lesson, folder, model);
            text = arena_format(lesson->arena, "%s%s", text, measured(arena, name, model));
            if (!file_write(arena_format(arena, "%s/facts.tsv", folder), text, strlen(text), &error))
                lesson_fail(&error);
            arena_close(arena);
        }
}
