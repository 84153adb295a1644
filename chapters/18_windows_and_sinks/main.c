// Chapter 18. Windows and sinks: a cache that forgets, and what it must not forget.
// Run build/chapters/18_windows_and_sinks with README.md of this folder open beside it. What each step does:
// steps_1_window.c … steps_9_cures.c.
#include "steps.h"
#include "train/bundled.h"

// A model of this chapter: it reads the corpus, in one layer of one head.
static Transformer load(Lesson *lesson, const char *program, const char *folder, const char *name, const char *path)
{
    Transformer model;
    Error error;
    if (!path && folder) path = arena_format(lesson->arena, "%s/%s.safetensors", folder, name);
    if (!bundled_model(&model, lesson->arena, program, name, path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    Config ours = backcopy_config(CONFIG_SINK_NONE, 1);
    if (c->words == ours.words && c->outputs == ours.outputs && c->L == 1 && c->H == 1 && c->causal &&
        c->positions == CONFIG_POSITIONS_ROPE && !config_window(c, 0))
        return model;
    error_set(&error,
              "%s: found %d words, %d outputs, L = %d, H = %d; the corpus of this chapter asks for %d "
              "words and outputs, one layer of one causal head with RoPE, and no window",
              path ? path : name, c->words, c->outputs, c->L, c->H, ours.words);
    lesson_fail(&error);
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    Asked asked = { .program = argv[0], .tokens = 20000, .sinks = 1, .window = 15, .globals = 1 };
    Flag flags[] = {
        flag_count("tokens", &asked.tokens, 64, 40000, "N", "tokens in steps 3 and 9 (default 20000)"),
        flag_count("window", &asked.window, 1, 1024, "W", "rows of the ring in steps 3 and 9 (default 15)"),
        flag_count("sinks", &asked.sinks, 0, 64, "N", "first tokens that stay there (default 1)"),
        flag_count("globals", &asked.globals, 0, 12, "N", "in step 2 (default 1)"),
        flag_switch("true-positions", &asked.true_places,
                    "step 9: the sinks stay at their true positions, and do not follow the window"),
        flag_input("model", &path, "FILE", "weights for steps 7 to 9 (default sink-plain of data/models)"),
        flag_count("time", &asked.rounds, 0, 60, "N", "step 5: time it, so many rounds (default 0: only counted)"),
        flag_folder("retrain", &asked.folder, "DIR",
                    "train all that step 10 compares anew, write tables and models "
                    "into DIR"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 18, "Windows and sinks", flags, 8);
    lesson_steps(&lesson, 10);
    if (asked.folder) retrain(&lesson, asked.folder);
    Transformer plain = load(&lesson, argv[0], asked.folder, "sink-plain", path);
    Transformer learned = load(&lesson, argv[0], asked.folder, "sink-learned", NULL);

    a_window(&lesson);                                        // 1
    globals(&lesson, asked.globals);                          // 2
    a_ring(&lesson, asked.tokens, asked.sinks, asked.window); // 3
    how_far(&lesson);                                         // 4
    less_to_do(&lesson, argv[0], asked.folder, asked.rounds); // 5
    local_and_global(&lesson);                                // 6
    nothing_to_look_for(&lesson, plain, &asked, !path);       // 7
    the_window_breaks(&lesson, plain, !path);                 // 8
    many_tokens(&lesson, plain, &asked, !path);               // 9
    cures(&lesson, learned, &asked);                          // 10
    return lesson_close(&lesson);
}
