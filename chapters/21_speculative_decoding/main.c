// Chapter 21. Speculative decoding: a small model drafts, the large one looks at all of it in one step.
// Run build/chapters/21_speculative_decoding with README.md of this folder open beside it. What each step does:
// steps_1_round.c … steps_8_pays.c.
#include "base/threads.h"
#include "steps.h"
#include "train/bundled.h"

// A model that can go on: its outputs are its words.
static Transformer load(Lesson *lesson, const char *program, const char *name, int words)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, name, NULL, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (c->causal && c->words == words && c->outputs == words) return model;
    error_set(&error,
              "%s: found %d words, %d outputs; this chapter asks for a causal model of %d words and as many "
              "outputs",
              name, c->words, c->outputs, words);
    lesson_fail(&error);
}

// The words to go on from: those of --text, or the beginning of a document.
static void read_prompt(Lesson *lesson, Asked *asked, const char *text)
{
    enum { LEFT = 8 };
    Error error;
    asked->P = PROMPT;
    document_begin(asked->prompt, 0);
    if (!text) return;
    if (!document_read(asked->prompt, &asked->P, DOCUMENT_T - LEFT, text, &error))
        lesson_misused(lesson->state, "--text: %s", error.text);
}

int main(int argc, char **argv)
{
    const char *text = NULL;
    Asked asked = { .program = argv[0], .gamma = 4, .documents = 7, .how = { 1.0, 1.0 } };
    Flag flags[] = {
        flag_count("gamma", &asked.gamma, 1, GAMMA_MOST, "N", "tokens drafted for a step, in step 1 (default 4)"),
        flag_choice("draft", &asked.which, draft_names, NULL, "who drafts, in steps 1 and 3 (default language-32)"),
        flag_real("temperature", &asked.how.temperature, 0, 10, "X", "of step 1; 0 is greedy (default 1)"),
        flag_real("top-p", &asked.how.top_p, 0.01, 1, "P",
                  "of step 1: the likeliest words that have P together "
                  "(default 1: all)"),
        flag_text("text", &text, "WORDS", "what step 1 goes on from: \"anna and otto, then she found the cup.\""),
        flag_count("documents", &asked.documents, 1, 100, "N",
                   "texts that are counted in steps 5, 7 and 8 (default "
                   "7)"),
        flag_count("time", &asked.rounds, 0, 60, "N", "step 8: time it, so many rounds (default 0: only counted)"),
        flag_folder("record", &asked.folder, "DIR", "step 8: time it anew, and write the table into DIR"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 21, "Speculative decoding", flags, 8);
    lesson_steps(&lesson, 8);
    asked.target = load(&lesson, argv[0], "language-64", document_words());
    asked.draft[0] = load(&lesson, argv[0], "language-32", document_words());
    asked.draft[1] = load(&lesson, argv[0], "language-16", document_words());
    asked.copies = load(&lesson, argv[0], "induction-64", 32);
    read_prompt(&lesson, &asked, text);
    threads_set(1); // a step of so small a model is shorter than a thread's start

    a_step_for_several(&lesson, &asked); // 1
    the_rule(&lesson);                   // 2
    exactly(&lesson, &asked);            // 3
    greedy(&lesson, &asked);             // 4
    Tokens tokens;
    tokens_a_step(&lesson, &asked, tokens); // 5
    taken_back(&lesson, &asked);            // 6
    look_up(&lesson, &asked);               // 7
    when_it_pays(&lesson, &asked, tokens);  // 8
    return lesson_close(&lesson);
}
