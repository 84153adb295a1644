// Chapter 10. Pruning: switch heads off, and count what goes wrong.
// Run build/chapters/10_pruning with README.md of this folder open beside it. What each step does: steps_1_ablation.c …
// steps_6_costs.c.
#include "model/run_trace.h"
#include "steps.h"
#include "train/shipped.h"

// The reader's sentence or the book's, for the viewer: every head of the first model.
static void dump_sentence(Lesson *lesson, Transformer model, Glossed g)
{
    Arena *arena = lesson->arena;
    const char **words = arena_alloc(arena, (size_t)g.T * sizeof *words);
    for (int t = 0; t < g.T; t++) words[t] = word_text(g.words[t]);
    Run run = transformer_run(arena, model, batch_of_one(arena, g.words, g.T), (Mat){ 0 });
    run_trace(lesson->trace, &run, words);
}

// Weights for the test: words in and glosses out as the grammar has them, two layers, and no more heads than fit here.
static Transformer load(Lesson *lesson, const char *program, const char *name, const char *path)
{
    Transformer model;
    Error error;
    if (!shipped_model(&model, lesson->arena, program, name, path, &error)) lesson_fail(&error);
    Config c = model.config;
    if (c.words != words_count() || c.outputs != glosses_count() || c.L != 2 || c.L * c.H > HEADS_MOST || c.causal) {
        error_set(&error, "%s: found %d words, %d glosses, %d layers, H = %d; a translator of chapter 09 has %d words, "
                  "%d glosses, 2 layers, H up to %d, and is not causal", path ? path : name, c.words, c.outputs, c.L,
                  c.H, words_count(), glosses_count(), HEADS_MOST / 2);
        lesson_fail(&error);
    }
    return model;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *pruned_path = NULL, *sentence = NULL, *json = NULL;
    int sentences = 200;
    Flag flags[] = {
        flag_input("model", &path, "FILE", "weights for steps 1 to 3 (default glosses-4 of data/models)"),
        flag_input("pruned", &pruned_path, "FILE", "weights that are pruned in step 4 (default glosses-8)"),
        flag_text("sentence", &sentence, "\"WORDS\"",
                  "the sentence whose maps are shown, of words in lib/language/vocabulary.c"),
        flag_output("json", &json, "FILE", "write what every head is worth, and the order in which they went"),
        flag_count("sentences", &sentences, 100, 4000, "N", "sentences of the test; pruning takes half (default 200)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 10, "Pruning", flags, 5);
    bool ours = !path && !pruned_path;
    Glossed shown;
    Error error;
    sentence_of_the_book(&shown, false);
    if (sentence && !sentence_unglossed(&shown, sentence, &error)) lesson_fail(&error);
    Transformer models[] = { load(&lesson, argv[0], "glosses-4", path),
                             load(&lesson, argv[0], "glosses-8", pruned_path) };
    Test test = test_draw(&lesson, sentences), half = test_part(&lesson, &test, sentences / 2);

    Studied four = study(&lesson, path ? "--model" : "glosses-4", models[0], &test);
    switch_off(&lesson, &four, &test, ours);                   // 1
    Studied eight = study(&lesson, pruned_path ? "--pruned" : "glosses-8", models[1], &test);
    weight_is_not_importance(&lesson, &four, &eight, &test, ours);          // 2
    gates_foretell(&lesson, &four, &eight, ours);              // 3
    Pruned pruned = prune(&lesson, &eight, &half, ours);       // 4
    survivors(&lesson, &eight, &test, &pruned);                // 5
    what_it_saves(&lesson, &eight, &pruned);                   // 6
    dump_sentence(&lesson, models[0], shown);
    if (json) write_json(&lesson, &four, &eight, &test, &pruned, json);
    return lesson_close(&lesson);
}
