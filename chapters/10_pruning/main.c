// Chapter 10. Pruning: switch heads off, and count what goes wrong.
// Run build/chapters/10_pruning with README.md of this folder open beside it. What each step does: steps_1_ablation.c …
// steps_12_costs.c.
#include "model/run_trace.h"
#include "steps.h"
#include "train/bundled.h"

// The reader's sentence or the book's, for the viewer: every head of the first model. For other programs also what
// follows the last layer's heads.
static void dump_sentence(Lesson *lesson, Transformer model, GlossedSentence g)
{
    Arena *arena = lesson->arena;
    const char **words = arena_alloc(arena, (size_t)g.T * sizeof *words);
    for (int t = 0; t < g.T; t++) words[t] = word_text(g.words[t]);
    Run run = run_transformer(arena, model, run_batch_of_one(arena, g.words, g.T), (Mat){ 0 });
    run_trace(lesson->trace, &run, words);
    int last = model.config.L - 1;
    TransformerLayer w = model.layers[last];
    if (mat_empty(w.w1)) return;
    const struct {
        const char *name;
        Mat at;
    } more[] = {
        { "last.x", run.layers[last].in },
        { "last.wo", w.wo },
        { "last.mlp_gain", w.mlp_norm },
        { "last.w1", w.w1 },
        { "last.b1", w.b1 },
        { "last.w2", w.w2 },
        { "last.b2", w.b2 },
        { "last.gain", model.norm },
        { "last.wout", model.output },
    };
    for (size_t m = 0; m < sizeof more / sizeof *more; m++) trace_mat(lesson->trace, more[m].name, more[m].at);
}

// Which glosses of `it` the two sentences of the book want: their numbers among the logits, for other programs.
static void dump_glosses_of_it(Lesson *lesson)
{
    GlossedSentence tired, wide;
    grammar_sentence_of_the_book(&tired, false);
    grammar_sentence_of_the_book(&wide, true);
    const float pair[] = { (float)wide.glosses[wide.it], (float)tired.glosses[tired.it] };
    trace_mat(lesson->trace, "last.pair", mat_of(lesson->arena, 1, 2, pair));
}

// Weights for the test: words in and glosses out as the grammar has them, two layers, and no more heads than fit here.
static Transformer load(Lesson *lesson, const char *program, const char *name, const char *path)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, name, path, &error)) lesson_fail(&error);
    Config c = model.config;
    if (c.words != words_count() || c.outputs != glosses_count() || c.L != 2 || c.L * c.H > HEADS_MOST || c.causal) {
        error_set(&error,
                  "%s: found %d words, %d glosses, L = %d, H = %d; a translator of chapter 09 has %d words, "
                  "%d glosses, L = 2, H up to %d, and is not causal",
                  path ? path : name, c.words, c.outputs, c.L, c.H, words_count(), glosses_count(), HEADS_MOST / 2);
        lesson_fail(&error);
    }
    return model;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *pruned_path = NULL, *sentence = NULL, *json = NULL;
    const char *off = NULL, *tables = NULL;
    int sentences = 200;
    bool mean = false;
    Flag flags[] = {
        flag_input("model", &path, "FILE", "weights for steps 1 to 7 (default glosses-4 of data/models)"),
        flag_input("pruned", &pruned_path, "FILE", "weights for steps 5 to 12 (default glosses-8)"),
        flag_text("sentence", &sentence, "\"WORDS\"",
                  "the sentence that is glossed, dumped or viewed, of words in lib/language/vocabulary.c"),
        flag_text("off", &off, "L.H,L.H", "step 1: gloss the sentence without these heads of the first model"),
        flag_switch("mean", &mean, "a head that is off gives its mean over the test in place of zeros"),
        flag_folder("retrain", &tables, "DIR",
                    "train pruned models on (minutes), and write the table of step 11 into "
                    "DIR"),
        flag_output("json", &json, "FILE", "write what every head is worth, and the order in which they went"),
        flag_count("sentences", &sentences, 100, 4000, "N", "sentences of the test; pruning takes half (default 200)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 10, "Pruning", flags, sizeof flags / sizeof *flags);
    lesson_steps(&lesson, 12);
    bool ours = !path && !pruned_path && !mean;
    GlossedSentence shown;
    Error error;
    grammar_sentence_of_the_book(&shown, false);
    if (sentence && !gloss_unglossed(&shown, sentence, &error)) lesson_fail(&error);
    Transformer models[] = { load(&lesson, argv[0], "glosses-4", path),
                             load(&lesson, argv[0], "glosses-8", pruned_path) };
    Test test = test_draw(&lesson, sentences), half = test_part(&lesson, &test, 0, sentences / 2);
    Test other = test_part(&lesson, &test, sentences / 2, sentences - sentences / 2);

    Test test_4 = mean ? test_with_means(&lesson, models[0], &test) : test;
    if (mean) {
        test = test_with_means(&lesson, models[1], &test);
        half = test_with_means(&lesson, models[1], &half);
        other = test_with_means(&lesson, models[1], &other);
    }
    Mat without = off ? off_read(&lesson, off, &models[0].config) : (Mat){ 0 };

    Studied four = study(&lesson, path ? "--model" : "glosses-4", models[0], &test_4);
    switch_off(&lesson, &four, &test_4, ours); // 1
    if (off) gloss_without(&lesson, models[0], &shown, without, test_4.instead);
    who_stands_in(&lesson, &four, &test_4, ours);  // 2
    means_in_place(&lesson, &four, &test_4, ours); // 3
    put_back(&lesson, &four, &test_4, ours);       // 4
    Studied eight = study(&lesson, pruned_path ? "--pruned" : "glosses-8", models[1], &test);
    weight_is_not_importance(&lesson, &four, &eight, &test, ours); // 5
    gates_foretell(&lesson, &four, &eight, &test_4, &test, ours);  // 6, 7
    Pruned pruned = prune(&lesson, &eight, &half, &other, ours);   // 8
    one_head_a_layer(&lesson, &eight, &half, &other);              // 9
    survivors(&lesson, &eight, &test, &pruned);                    // 10
    if (tables) retrain(&lesson, tables, &eight, &pruned);
    train_on(&lesson, argv[0], tables, ours); // 11
    what_it_saves(&lesson, &eight, &pruned);  // 12
    dump_sentence(&lesson, models[0], shown);
    dump_glosses_of_it(&lesson);
    if (json) write_json(&lesson, &four, &eight, &test, &pruned, json);
    return lesson_close(&lesson);
}
