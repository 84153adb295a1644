// Chapter 12. MQA and GQA: query heads that share their keys and values.
// Run build/chapters/12_mqa_and_gqa with README.md of this folder open beside it. What each step does:
// steps_1_sharing.c … steps_6_card.c.
#include "steps.h"

int main(int argc, char **argv)
{
    static const char *const bits_names[] = { "4", "8", "16", "32", NULL };
    const char *folder = NULL, *model = NULL;
    int steps = 0, rounds = 0, bits = 2;
    double memory = 80;
    Flag flags[] = {
        flag_input("model", &model, "FILE", "a config.json, as on Hugging Face: adds its row in step 3"),
        flag_choice("bits", &bits, bits_names, NULL, "of a number in the caches of step 3 (default 16)"),
        flag_real("memory", &memory, 0.001, 1e6, "GB", "how many tokens fit into it, in step 3 (default 80)"),
        flag_count("train", &steps, 0, 2000, "N", "step 4: train the pooled models on, here, for N steps (default 0)"),
        flag_count("time", &rounds, 0, 100, "N",
                   "step 5: time N tokens of decoding; takes 1.1 GB of memory (default 0)"),
        flag_folder("retrain", &folder, "DIR", "train all that step 4 compares anew, write the table into DIR"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 12, "MQA and GQA", flags, 6);
    lesson_steps(&lesson, 6);
    Models models = all_models(&lesson, model);

    one_expression(&lesson);                               // 1
    what_gets_smaller(&lesson);                            // 2
    published_models(&lesson, &models, 4 << bits, memory); // 3
    if (folder) retrain(&lesson, folder);
    turned_into_others(&lesson, argv[0], folder, steps); // 4
    what_a_token_reads(&lesson);                         // 5
    if (rounds) time_it(&lesson, rounds);
    a_card_full_of_users(&lesson); // 6
    return lesson_close(&lesson);
}
