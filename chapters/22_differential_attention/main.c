// Chapter 22. Differential attention: two maps, and one is taken away from the other.
// Run build/chapters/22_differential_attention with README.md of this folder open beside it. What each step does:
// steps_1_two_maps.c … steps_8_seeds.c.
#include "steps.h"
#include "train/bundled.h"

// A model of this chapter: it reads the corpus, in one causal layer of at most four heads.
static Transformer load(Lesson *lesson, const Asked *asked)
{
    Transformer model;
    Error error;
    const char *name = "facts-differential", *path = asked->path;
    if (!path && asked->folder) path = arena_format(lesson->arena, "%s/%s.safetensors", asked->folder, name);
    if (!bundled_model(&model, lesson->arena, asked->program, name, path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (c->words == FACTS_WORDS && c->outputs == FACTS_VALUES && c->L == 1 && c->causal &&
        config_head_outputs(c) <= 4 && c->sink == CONFIG_SINK_NONE && !config_window(c, 0))
        return model;
    error_set(&error,
              "%s: found %d words, %d outputs, L = %d, heads or pairs: %d; the corpus of this chapter has %d "
              "words and %d answers, and asks for one causal layer of 4 heads or pairs at most, without sink, gate and "
              "window",
              path ? path : name, c->words, c->outputs, c->L, config_head_outputs(c), FACTS_WORDS, FACTS_VALUES);
    lesson_fail(&error);
}

int main(int argc, char **argv)
{
    Asked asked = { .program = argv[0], .lambda = 0.6f, .noise = FACTS_LENGTH, .pair = -1 };
    Flag flags[] = {
        flag_float("lambda", &asked.lambda, -2, 2, "X",
                   "how much of the second map is taken away in steps 1, 2, 5 and 6 (default 0.6)"),
        flag_count("length", &asked.noise, FACTS_COUNT, 1024, "N", "facts and noise in step 7 (default 64)"),
        flag_count("head", &asked.pair, 0, 3, "P", "step 7: the weights of this pair, or head, alone (default: all)"),
        flag_input("model", &asked.path, "FILE", "weights for step 7 (default facts-differential of data/models)"),
        flag_folder("retrain", &asked.folder, "DIR",
                    "train all that steps 7 to 9 compare anew, write the table and the model into DIR"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 22, "Differential attention", flags, 5);
    lesson_steps(&lesson, 9);
    if (asked.folder) retrain(&lesson, asked.folder);
    Transformer model = load(&lesson, &asked);
    if (asked.pair >= config_head_outputs(&model.config))
        lesson_misused(lesson.state, "--head %d: the model has %d pairs or heads, from 0", asked.pair,
                       config_head_outputs(&model.config));

    two_maps(&lesson, &asked);                   // 1
    signed_weights(&lesson, &asked);             // 2
    lambdas(&lesson);                            // 3
    norms(&lesson);                              // 4
    two_calls(&lesson, &asked);                  // 5
    other_keys(&lesson, &asked);                 // 6
    noise_and_retrieval(&lesson, model, &asked); // 7
    five_seeds(&lesson, model, &asked);          // 8
    what_the_second_does(&lesson, &asked);       // 9
    return lesson_close(&lesson);
}
