// Chapter 25. A model you know: one forward, and a table of families.
// Run build/chapters/25_a_model_you_know with README.md of this folder open beside it. What each step does:
// steps_1_folder.c … steps_9_heads.c.
#include "steps.h"

static const char *const TEXT_OF_C = "the animal did not cross the street last night because it was too";

int main(int argc, char **argv)
{
    Asked asked = { .program = argv[0], .period = 24 };
    Flag flags[] = {
        flag_input("model", &asked.model, "DIR",
                   "a folder as Hugging Face saves it, for steps 9 and 10: config.json, "
                   "model.safetensors, tokenizer.json or vocab.txt"),
        flag_text("text", &asked.text, "TEXT", "what it reads in step 10"),
        flag_output("keep", &asked.keep, "FILE.tsv",
                    "what step 9 measures of --model, or of model C, as in "
                    "data/models/minilm.tsv"),
        flag_count("period", &asked.period, 2, 512, "N", "random tokens that are said twice in step 9 (default 24)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 25, "A model you know", flags, sizeof flags / sizeof *flags);
    lesson_steps(&lesson, 10);
    Subject c = subject(&lesson, argv[0]);
    Own own = { c.published, c.tokenizer, !asked.model };
    if (asked.model) own = own_model(&lesson, asked.model);
    asked.own_text = asked.text != NULL;
    if (!asked.text) asked.text = TEXT_OF_C;
    (void)tokens_of(&lesson, &own, asked.text); // what does not fit is refused now

    a_folder(&lesson, &c);                     // 1
    the_same_logits(&lesson, &c);              // 2
    table_of_families(&lesson);                // 3
    silent_configs(&lesson);                   // 4
    one_wrong_switch(&lesson, &c);             // 5
    too_small_to_see(&lesson);                 // 6
    what_is_refused(&lesson, &c);              // 7
    tokens_by_merges(&lesson);                 // 8
    heads_and_jobs(&lesson, &c, &own, &asked); // 9
    your_own(&lesson, &own, &asked);           // 10
    return lesson_close(&lesson);
}
