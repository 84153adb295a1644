// Chapter 09, step 10. What a model costs: its parameters, and the multiplications of one step of training.
#include "language/chunks.h"
#include "language/induction.h"
#include "model/gradient.h"
#include "steps.h"

void what_it_costs(Lesson *lesson, Transformer a, const Translator *b)
{
    step(lesson, "What it costs");
    const Config *c = &a.config;
    int64_t D = c->D, V = c->words;
    cost(lesson, "parameters of model A", config_parameters(c), "2·V·D + 2·(4·D² + D) + D",
         2 * V * D + 2 * (4 * D * D + D) + D);
    cost(lesson, "numbers in its file's tensors", transformer_numbers(a), "the same", config_parameters(c));
    if (b->shipped) {
        const Config *t = &b->model.config;
        int64_t E = t->D, M = t->mlp;
        cost(lesson, "parameters of model B", config_parameters(t),
             "(words + glosses)·D + 2·(4·D² + 2·D·M + 3·D + M) + D",
             (t->words + t->outputs) * E + 2 * (4 * E * E + 2 * E * M + 3 * E + M) + E);
        say(lesson,
            "Here A has V = %d tokens and D = %d; B has %d words, %d glosses, D = %d, and M = %d, the width of "
            "its MLP.",
            c->words, c->D, t->words, t->outputs, t->D, t->mlp);
    }
    TrainingRecipe recipe = induction_recipe(0);
    recipe.steps = 1;
    Training *t = training_open(lesson->arena, *c, recipe);
    Cost before = cost_counted;
    training_step(t, induction_batch, NULL);
    int64_t work = cost_since(before).multiplies, N = (int64_t)recipe.batch * CHUNKS_T;
    training_close(t);
    int64_t matrices = 3 * N * (c->L * 4 * D * D + D * V); // once forward, twice backward: chapter 08
    say(lesson,
        "one step of model A: %.1f million multiplications, that is %.1f MFLOP, for %d positions. Its matrices "
        "alone: 3·(2·4·D² + D·V) for each, %.1f million.",
        (double)work / 1e6, 2.0 * (double)work / 1e6, (int)N, (double)matrices / 1e6);
    check(lesson, 3 * matrices > 2 * work && matrices < work, "these are more than two thirds of all");
}
