// Chapter 26. Reading a model: what a head reads, what it writes, and how one finds out; first where the truth is
// known.
// Run build/chapters/26_reading_a_model with README.md of this folder open beside it. What each step does:
// steps_1_circuits.c … steps_10_yours.c.
#include "lesson/block_map.h"
#include "model/run_trace.h"
#include "steps.h"
#include "train/bundled.h"

static const char *const TEXTS_OF_C[] = {
    "my animal did not cross this street last night because it was too tired . the animal did not cross the street",
    "my animal did not cross this street all night because it was too tired . the animal did not cross the street",
};

static Transformer load(Lesson *lesson, const char *program, const char *name)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, name, NULL, &error)) lesson_fail(&error);
    return model;
}

// The reader's sentence or the book's, for the viewer: every head of the first translator.
static void dump_sentence(Lesson *lesson, Transformer model, const GlossedSentence *g)
{
    Arena *arena = lesson->arena;
    const char **words = arena_alloc(arena, (size_t)g->T * sizeof *words);
    for (int t = 0; t < g->T; t++) words[t] = word_text(g->words[t]);
    Run run = run_transformer(arena, model, run_batch_of_one(arena, g->words, g->T), (Mat){ 0 });
    run_trace(lesson->trace, &run, words);

    // For other programs: what a share of a logit is made of, and the glosses of `it` in the book's two sentences.
    int last = model.config.L - 1;
    GlossedSentence tired, wide;
    grammar_sentence_of_the_book(&tired, false);
    grammar_sentence_of_the_book(&wide, true);
    const float pair[] = { (float)tired.glosses[tired.it], (float)wide.glosses[wide.it] };
    trace_mat(lesson->trace, "end.x", run.last);
    trace_mat(lesson->trace, "end.wo", model.layers[last].wo);
    trace_mat(lesson->trace, "end.gain", model.norm);
    trace_mat(lesson->trace, "end.wout", model.output);
    trace_mat(lesson->trace, "end.pair", mat_of(arena, 1, 2, pair));
}

int main(int argc, char **argv)
{
    const char *sentence = NULL, *folder = NULL, *text = NULL, *other_text = NULL;
    Flag flags[] = {
        flag_text("sentence", &sentence, "\"WORDS\"",
                  "the sentence whose maps are shown, of words in lib/language/vocabulary.c"),
        flag_input("model", &folder, "DIR", "a folder as Hugging Face saves it, for step 10 (default: model C)"),
        flag_text("text", &text, "TEXT", "step 10: a text for it; it goes on, or fills in the first [MASK]"),
        flag_text("other-text", &other_text, "TEXT", "… and another one of as many tokens, with another answer"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 26, "Reading a model", flags, sizeof flags / sizeof *flags);
    lesson_steps(&lesson, 10);
    if (!text != !other_text || (folder && !text))
        lesson_misused(lesson.state, "--text and --other-text go together, and with --model both are needed");
    const char *const texts[] = { text ? text : TEXTS_OF_C[0], text ? other_text : TEXTS_OF_C[1] };
    GlossedSentence shown;
    Error error;
    grammar_sentence_of_the_book(&shown, false);
    if (sentence && !gloss_unglossed(&shown, sentence, &error)) lesson_fail(&error);
    Transformer a = load(&lesson, argv[0], "induction-64");
    const Translator *four = translator_read(&lesson, "glosses-4", load(&lesson, argv[0], "glosses-4"));
    const Translator *eight = translator_read(&lesson, "glosses-8", load(&lesson, argv[0], "glosses-8"));

    the_circuits(&lesson, a);                                               // 1
    from_head_to_head(&lesson, a);                                          // 2
    a_sum(&lesson, a, four);                                                // 3
    who_speaks(&lesson, four);                                              // 4
    who_is_missed(&lesson, four, eight);                                    // 5
    where_it_goes(&lesson, four, eight);                                    // 6
    two_ways_to_patch(&lesson, four, eight);                                // 7
    paths(&lesson, four);                                                   // 8
    rolled_out(&lesson, four);                                              // 9
    a_model_of_your_own(&lesson, argv[0], folder, texts, !folder && !text); // 10
    dump_sentence(&lesson, four->model, &shown);
    return lesson_close(&lesson);
}
