// Chapter 19. Smaller caches: layers that share, fewer bits, fewer tokens.
// Run build/chapters/19_smaller_caches with README.md of this folder open beside it. What each step does:
// steps_1_layers.c … steps_7_goes.c.
#include "language/language.h"
#include "steps.h"
#include "train/bundled.h"

// A model of documents whose caches are of C's kind: its heads must be made of groups of 16 channels.
static Transformer load(Lesson *lesson, const char *program, const char *path)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, "language-64", path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (!c->causal || c->words != document_words() || c->outputs != c->words || c->D / c->H % 16 ||
        c->positions != CONFIG_POSITIONS_ROPE) {
        error_set(&error,
                  "%s: found %d words, %d outputs, heads of %d, positions %s; a model of documents has %d "
                  "words and as many outputs, heads of 16 or a multiple, and RoPE",
                  path ? path : "language-64", c->words, c->outputs, c->D / c->H, config_positions_name(c->positions),
                  document_words());
        lesson_fail(&error);
    }
    return model;
}

static TableRows table_of(Lesson *lesson, const Choices *choices, const char *file, int columns)
{
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, choices->program, choices->folder, file, columns, &error))
        lesson_fail(&error);
    return rows;
}

int main(int argc, char **argv)
{
    static const char *const bits_names[] = { "2", "4", "8", NULL };
    static const char *const policies[] = { "H2O", "recent", "random", "spiteful", "mean", NULL };
    Choices choices = { .program = argv[0], .block = 32, .outlier = 30, .budget = 32 };
    const char *path = NULL;
    int bits = 1, rounds = 0;
    Flag flags[] = {
        flag_choice("bits", &bits, bits_names, NULL, "of a code, in steps 3 and 6 (default 4)"),
        flag_count("block", &choices.block, 1, 128, "N", "tokens in a block, in steps 3 and 6 (default 32)"),
        flag_float("outlier", &choices.outlier, 1, 1000, "S",
                   "how much larger the planted channel is, in steps 4 and 6 (default 30)"),
        flag_count("budget", &choices.budget, 1, 128, "N", "tokens that are kept in step 7 (default 32)"),
        flag_choice("policy", &choices.policy, policies, NULL, "who goes in step 7 (default H2O)"),
        flag_input("model", &path, "FILE", "another model of documents (default language-64 of data/models)"),
        flag_count("time", &rounds, 0, 100, "N",
                   "step 5: time N tokens of decoding; takes 0.9 GB of memory (default 0)"),
        flag_folder("retrain", &choices.folder, "DIR", "measure and train all that the tables hold anew, into DIR"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 19, "Smaller caches", flags, 8);
    lesson_steps(&lesson, 8);
    choices.bits = 2 << bits;
    choices.as_table = !path && choices.bits == 4 && choices.block == 32 && choices.outlier == 30;
    Transformer model = load(&lesson, argv[0], path);
    if (choices.folder) {
        measure_all(&lesson, model, choices.folder);
        train_shared(&lesson, choices.folder);
    }
    layers_that_share(&lesson, model);          // 1
    a_grid(&lesson);                            // 2
    scales_and_zeros(&lesson, model, &choices); // 3
    an_outlier(&lesson, model, &choices);       // 4
    read_in_parts(&lesson);                     // 5
    if (rounds) time_it(&lesson, rounds);
    TableRows rows = table_of(&lesson, &choices, "cache.tsv", COLUMNS);
    what_is_lost(&lesson, model, rows, &choices); // 6
    who_goes(&lesson, model, rows, &choices);     // 7
    TableRows shared = table_of(&lesson, &choices, "shared-layers.tsv", ERROR);
    all_of_it(&lesson, model, rows, shared, !path); // 8
    return lesson_close(&lesson);
}
