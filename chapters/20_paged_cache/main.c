// Chapter 20. Pages: memory for many texts at once, and a server that decodes for all of them.
// Run build/chapters/20_paged_cache with README.md of this folder open beside it. What each step does:
// steps_1_tables.c … steps_7_server.c; --serve: steps_9_serve.c.
#include "steps.h"
#include "train/bundled.h"

static Transformer load(Lesson *lesson, const char *program, const char *path)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, "language-64", path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (!c->causal || c->words != document_words() || c->outputs != c->words) {
        error_set(&error, "%s: found %d words and %d outputs, %s; a model of documents is causal and has %d of both",
                  path ? path : "language-64", c->words, c->outputs, c->causal ? "causal" : "not causal",
                  document_words());
        lesson_fail(&error);
    }
    return model;
}

int main(int argc, char **argv)
{
    Choices choices = { .pages = 48, .size = 8, .answer = 40, .rate = 8 };
    const char *path = NULL;
    Flag flags[] = {
        flag_input("serve", &choices.serve, "FILE",
                   "decode the prompts of FILE together, one a line, and print the "
                   "answers; - reads them from standard input as they come"),
        flag_count("pages", &choices.pages, 1, 1 << 16, "N",
                   "pages of the server, in step 8 and with --serve "
                   "(default 48)"),
        flag_count("size", &choices.size, 1, DOCUMENT_T, "N", "words in a page, there (default 8)"),
        flag_count("answer", &choices.answer, 1, DOCUMENT_T - 1, "N", "words of an answer at most, there (default 40)"),
        flag_real("rate", &choices.rate, 0.25, 32, "R", "requests a second, in step 6 (default 8)"),
        flag_input("model", &path, "FILE", "another model of documents (default language-64 of data/models)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 20, "The paged cache", flags, 6);
    if (choices.pages * choices.size < DOCUMENT_T)
        lesson_misused(lesson.state, "%d page%s of %d word%s: found room for %d; a single text may have %d",
                       choices.pages, choices.pages == 1 ? "" : "s", choices.size, choices.size == 1 ? "" : "s",
                       choices.pages * choices.size, DOCUMENT_T);
    if (!choices.serve) lesson_steps(&lesson, 8);
    Transformer model = load(&lesson, argv[0], path);
    if (choices.serve) return serve_prompts(&lesson, model, &choices);
    tables_of_pages(&lesson);           // 1
    to_the_bit(&lesson);                // 2
    what_reserving_wastes(&lesson);     // 3
    copy_on_write(&lesson, model);      // 4
    a_tree(&lesson, model);             // 5
    on_and_off(&lesson, choices.rate);  // 6
    out_of_pages(&lesson, model);       // 7
    a_server(&lesson, model, &choices); // 8
    return lesson_close(&lesson);
}
