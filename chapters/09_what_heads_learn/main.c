// Chapter 09. What heads learn: two small models, trained from nothing, and every head held against what is true.
// Run build/chapters/09_what_heads_learn with README.md of this folder open beside it. What each step does:
// steps_1_corpus.c … steps_8_costs.c.
#include "language/grammar.h"
#include "model/run_trace.h"
#include "steps.h"
#include "train/shipped.h"

int main(int argc, char **argv)
{
    const char *model = NULL, *sentence = NULL, *json = NULL, *tables = NULL, *program = argv[0];
    int steps = 0;
    Flag flags[] = {
        flag_text("sentence", &sentence, "\"WORDS\"",
                  "a sentence for model B, of the words in lib/language/vocabulary.c"),
        flag_count("train", &steps, 1, 5000, "N", "train model A for N steps (default 700), and show that run"),
        flag_folder("retrain", &tables, "DIR", "train A, its controls, and B with 1 to 16 heads anew (minutes), and "
                    "write the three tables into DIR"),
        flag_input("model", &model, "FILE", "another file of weights for model B"),
        flag_output("json", &json, "FILE", "write all scores of all heads"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 9, "What heads learn", flags, 5);
    Glossed own = { 0 };
    Error error;
    if (sentence && !sentence_unglossed(&own, sentence, &error)) lesson_fail(&error);
    Transformer a;
    if (!shipped_model(&a, lesson.arena, program, "induction-32", NULL, &error)) lesson_fail(&error);
    Translator b = translator_open(&lesson, program, model);

    the_corpus(&lesson);                                       // 1
    if (tables) retrain(&lesson, tables);
    the_fall(&lesson, program, tables, steps);                 // 2
    the_two_heads(&lesson, a);                                 // 3
    controls(&lesson, table_of(&lesson, program, tables, "controls.tsv", 5));  // 4
    translator_score(&b);
    Reading reading = glosses(&lesson, &b, sentence ? &own : NULL);            // 5
    every_head(&lesson, &b, &reading);                         // 6
    five_seeds(&lesson, table_of(&lesson, program, NULL, "seeds.tsv", 8));     // 7
    widths(&lesson, table_of(&lesson, program, tables, "widths.tsv", 3));
    what_it_costs(&lesson, a, &b);                             // 8
    run_trace(lesson.trace, &reading.run, reading.words);
    if (json) write_json(&lesson, &b, model, json);
    return lesson_close(&lesson);
}
