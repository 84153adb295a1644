// Chapter 12. What several steps do: draw a matrix, train a model and see how much it gets right.
#include "language/grammar.h"
#include "language/translator.h"
#include "model/run.h"
#include "steps.h"

Mat random_mat(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

// The share of words that are glossed right, in `count` fresh sentences, always the same ones.
double accuracy(Transformer model, int count)
{
    Arena *scratch = arena_open();
    GlossedSentence *sentences = arena_alloc(scratch, (size_t)count * sizeof *sentences);
    Random random = random_from(2);
    for (int b = 0; b < count; b++) grammar_sentence_test(&sentences[b], &random);
    RunBatch batch = translator_sentences_batch(scratch, sentences, count);
    Run run = run_transformer(scratch, model, batch, (Mat){ 0 });
    int right = 0, words = batch.start[count];
    for (int b = 0; b < count; b++)
        for (int t = 0; t < sentences[b].T; t++) right += run_answer(&run, b, t) == sentences[b].glosses[t];
    arena_close(scratch);
    return (double)right / words;
}

// The recipe of chapter 09, for one SHAREth of its steps, and its bonus whole from the start. Other sentences: the seed
// is another.
TrainingRecipe short_recipe(uint64_t seed)
{
    TrainingRecipe recipe = translator_recipe(1000 + seed);
    recipe.steps /= SHARE;
    recipe.warmup = 10;
    recipe.plateau = 0.5;
    recipe.ramp = 0.0;
    return recipe;
}

// Trains a model of this shape; from the parameters of `from` on, or from its own random ones when that is NULL.
Transformer trained(Arena *arena, const char *name, Config config, TrainingRecipe recipe, const Transformer *from)
{
    Training *t = training_open(arena, config, recipe);
    TrainingProgress progress = training_progress_begin(name, 0);
    if (from) transformer_set(t->model, *from);
    while (t->step < recipe.steps)
        training_progress_show(&progress, t->step, recipe.steps, training_step(t, translator_batch, NULL));
    training_close(t);
    return t->model;
}
