// Chapter 09. What heads learn: two small models, trained from nothing, and every head held against what is true.
// Run build/chapters/09_what_heads_learn with README.md of this folder open beside it. What each step does:
// steps_1_block.c … steps_10_costs.c.
#include "language/grammar.h"
#include "language/induction.h"
#include "model/run_trace.h"
#include "steps.h"
#include "train/bundled.h"

// What --layers, --heads and --slope say of model A.
static Config control_config(const Lesson *lesson, int L, int H, double slope)
{
    Config config = induction_config(32, H);
    config.L = L;
    if (slope > 0.0) config.positions = CONFIG_POSITIONS_ALIBI;
    config.slope = (float)slope;
    Error why;
    if (!config_fits(&config, &why)) lesson_misused(lesson->state, "--heads %d: %s", H, why.text);
    return config;
}

int main(int argc, char **argv)
{
    const char *model = NULL, *sentence = NULL, *json = NULL, *tables = NULL, *program = argv[0];
    int steps = 0, layers = 2, heads = 2, seed = 0;
    double slope = 0.0, bonus = 0.0;
    bool control = false, deeper = false, wider = false, rewarded = false;
    const char *tokens = NULL;
    Flag flags[] = {
        flag_text("tokens", &tokens, "\"N N …\"", "tokens for model A, 0 to 31: what it answers, and where it looks"),
        flag_text("sentence", &sentence, "\"WORDS\"",
                  "a sentence for model B, of the words in lib/language/vocabulary.c"),
        flag_count("train", &steps, 1, 5000, "N", "train model A for N steps (default 700), and show that run"),
        flag_given(flag_count("layers", &layers, 1, 4, "L",
                              "train one more control of step 6, of L layers (default 2)"),
                   &deeper),
        flag_given(flag_count("heads", &heads, 1, 16, "H", "… of H heads, a divisor of 32 (default 2)"), &wider),
        flag_given(flag_real("slope", &slope, 1e-6, 1e3, "S",
                             "… with ALiBi, its first head of this slope, in place of RoPE"),
                   &control),
        flag_count("start", &seed, 0, 1000000, "N", "--train and the control start from seed N (default 0)"),
        flag_given(flag_real("bonus", &bonus, 0.0, 10.0, "B",
                             "step 7: train model B for 450 steps (a minute) with this bonus"),
                   &rewarded),
        flag_folder("retrain", &tables, "DIR",
                    "train A, its controls, and B with 1 to 16 heads anew (minutes), and "
                    "write the four tables into DIR"),
        flag_input("model", &model, "FILE", "another file of weights for model B"),
        flag_output("json", &json, "FILE", "write all scores of all heads"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 9, "What heads learn", flags, sizeof flags / sizeof *flags);
    lesson_steps(&lesson, 10);
    if (seed && !steps) steps = 700;
    GlossedSentence own = { 0 };
    Error error;
    if (sentence && !gloss_unglossed(&own, sentence, &error)) lesson_fail(&error);
    Transformer a;
    Config asked = control_config(&lesson, layers, heads, slope);
    if (!bundled_model(&a, lesson.arena, program, "induction-32", NULL, &error)) lesson_fail(&error);
    Tokens own_tokens = { 0 };
    if (tokens) own_tokens = tokens_read(&lesson, tokens, a.config.words);
    Translator b = translator_open(&lesson, program, model);

    the_block(&lesson, a, &b); // 1
    the_corpus(&lesson);       // 2
    if (tables) retrain(&lesson, tables);
    the_fall(&lesson, program, tables, steps, seed);                                        // 3
    Pair pair = the_two_heads(&lesson, a, tokens ? &own_tokens : NULL);                     // 4
    the_circuit(&lesson, a, pair);                                                          // 5
    controls(&lesson, table_of(&lesson, program, tables, "controls.tsv", CONTROL_COLUMNS)); // 6
    if (control || deeper || wider) train_control(&lesson, asked, seed);
    translator_score(&b);
    Reading reading = glosses(&lesson, &b, sentence ? &own : NULL); // 7
    if (rewarded) train_translator(&lesson, bonus);
    every_head(&lesson, &b, &reading);                                     // 8
    five_seeds(&lesson, table_of(&lesson, program, NULL, "seeds.tsv", 8)); // 9
    widths(&lesson, table_of(&lesson, program, tables, "widths.tsv", 6));
    what_it_costs(&lesson, a, &b); // 10
    run_trace(lesson.trace, &reading.run, reading.words);
    if (json) write_json(&lesson, &b, model, json);
    return lesson_close(&lesson);
}
