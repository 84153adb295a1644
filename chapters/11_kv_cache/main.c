// Chapter 11. The KV cache: keys and values are computed once and kept.
// Run build/chapters/11_kv_cache with README.md of this folder open beside it. What each step does: steps_1_past.c …
// steps_9_tokens.c.
#include "kernels/kernels.h"
#include "language/chunks.h"
#include "steps.h"
#include "train/bundled.h"

// A causal model whose outputs are its words, as only such a one can go on from what it said.
static Transformer load(Lesson *lesson, const char *program, const char *path)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, "induction-32", path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (!c->causal || c->words != c->outputs || c->words < PERIOD) {
        error_set(&error, "%s: found %d words, %d outputs, %s; needed: causal, as many outputs as words, %d or more",
                  path ? path : "induction-32", c->words, c->outputs, c->causal ? "causal" : "not causal", PERIOD);
        lesson_fail(&error);
    }
    return model;
}

static const char *const *kernel_names(void)
{
    enum { MOST = 32 };
    static const char *names[MOST + 1];
    REQUIRE(attention_kernels_count <= MOST, "%d kernels", attention_kernels_count);
    for (int i = 0; i < attention_kernels_count; i++) names[i] = attention_kernels[i].name;
    return names;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *asked = NULL;
    int tokens = CHUNKS_T, capacity = 512, kernel = 0, runs = 0;
    Flag flags[] = {
        flag_count("tokens", &tokens, PROMPT + 1, 4096, "N", "tokens in step 5, the prompt's among them (default 32)"),
        flag_text("prompt", &asked, "3,17,9,3", "what the model goes on from in step 5 (default 9 tokens at random)"),
        flag_count("capacity", &capacity, 1, 1 << 16, "N",
                   "tokens that the cache of step 5 has room for (default 512)"),
        flag_input("model", &path, "FILE", "weights (default induction-32 of data/models)"),
        flag_choice("kernel", &kernel, kernel_names(), "NAME", "attention in step 5 (default naive):"),
        flag_count("time", &runs, 0, 1000, "N", "time it, so many runs, at the end (default 0: only counted)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 11, "The KV cache", flags, 6);
    lesson_steps(&lesson, 9);
    if (tokens > capacity)
        lesson_misused(lesson.state,
                       "--tokens is %d, but the cache has room for %d; a --capacity of %d or more is "
                       "needed",
                       tokens, capacity, tokens);
    Transformer model = load(&lesson, argv[0], path), wide = wide_model(&lesson);
    Prompt prompt = { .count = 0 };
    if (asked) prompt = prompt_read(&lesson, asked, model.config.words);
    if (prompt.count >= tokens)
        lesson_misused(lesson.state, "--prompt has %d tokens, and --tokens is %d: none is left to write", prompt.count,
                       tokens);

    the_past_stays(&lesson);                                                                           // 1
    word_by_word(&lesson);                                                                             // 2
    every_split(&lesson);                                                                              // 3
    bottom_right(&lesson);                                                                             // 4
    a_model_continues(&lesson, model, prompt, tokens, capacity, !path, attention_kernels[kernel].run); // 5
    what_is_saved(&lesson, model);                                                                     // 6
    what_it_takes(&lesson, model);                                                                     // 7
    operations_a_byte(&lesson, model, wide);                                                           // 8
    tokens_a_second(&lesson);                                                                          // 9
    if (runs) show_times(&lesson, model, wide, runs);
    return lesson_close(&lesson);
}
