// Chapter 09, before step 7. Model B as it is loaded, and what each of its heads gets right: of every relation, and of
// sentences that differ in one word.
#include "language/grammar.h"
#include "language/translator.h"
#include "steps.h"
#include "train/bundled.h"

double argmax_of(const Translator *b, int l, int h, GlossRelationKind kind)
{
    return head_mean_value(b->scores[l][h].argmax[kind]);
}

// The first head of those whose largest weight gets most relations of a kind right.
Best best_of(const Translator *b, GlossRelationKind kind)
{
    Best best = { argmax_of(b, 0, 0, kind), 0, 0 };
    for (int l = 0; l < b->model.config.L; l++)
        for (int h = 0; h < b->model.config.H; h++)
            if (argmax_of(b, l, h, kind) > best.argmax) best = (Best){ argmax_of(b, l, h, kind), l, h };
    return best;
}

static void score_sentences(Translator *b)
{
    static GlossedSentence sentences[SENTENCES];
    Arena *scratch = arena_open();
    Random random = random_from(2);
    for (int i = 0; i < SENTENCES; i++) grammar_sentence_test(&sentences[i], &random);
    Run run = run_transformer(scratch, b->model, translator_sentences_batch(scratch, sentences, SENTENCES), (Mat){ 0 });
    int right = 0;
    for (int i = 0; i < SENTENCES; i++) {
        head_offsets_add(&b->offsets, &sentences[i]);
        for (int t = 0; t < sentences[i].T; t++) right += run_answer(&run, i, t) == sentences[i].glosses[t];
        for (int l = 0; l < b->model.config.L; l++)
            for (int h = 0; h < b->model.config.H; h++)
                head_role_add(&b->scores[l][h], run_weights(scratch, &run, i, l, h), &sentences[i]);
    }
    b->accuracy = (double)right / run.batch.start[SENTENCES];
    b->it = best_of(b, GLOSS_RELATION_IT);
    arena_close(scratch);
}

static void score_twins(Translator *b)
{
    static GlossedSentence tired[TWINS], wide[TWINS];
    Arena *scratch = arena_open();
    Random random = random_from(5);
    for (int i = 0; i < TWINS; i++) grammar_sentence_twins(&tired[i], &wide[i], i < TWINS / 4, &random);
    Run x = run_transformer(scratch, b->model, translator_sentences_batch(scratch, tired, TWINS), (Mat){ 0 });
    Run y = run_transformer(scratch, b->model, translator_sentences_batch(scratch, wide, TWINS), (Mat){ 0 });
    for (int i = 0; i < TWINS; i++) {
        int it = tired[i].it;
        b->output += (run_answer(&x, i, it) == tired[i].glosses[it] && run_answer(&y, i, it) == wide[i].glosses[it]) /
                     (double)TWINS;
        head_twins_add(&b->twins, run_weights(scratch, &x, i, b->it.layer, b->it.head), &tired[i],
                       run_weights(scratch, &y, i, b->it.layer, b->it.head), &wide[i]);
    }
    arena_close(scratch);
}

void translator_score(Translator *b)
{
    score_sentences(b);
    score_twins(b);
}

Translator translator_open(Lesson *lesson, const char *program, const char *path)
{
    Translator b = { .shipped = !path };
    Error error;
    if (!bundled_plain_model(&b.model, lesson->arena, program, "glosses-4", path, &error)) lesson_fail(&error);
    const Config *c = &b.model.config;
    if (c->words != words_count() || c->outputs != glosses_count() || c->H > HEADS_MOST) {
        error_set(&error, "--model %s: %d words, %d answers, %d heads; a translator has %d, %d and %d at most", path,
                  c->words, c->outputs, c->H, words_count(), glosses_count(), HEADS_MOST);
        lesson_fail(&error);
    }
    b.scores = arena_alloc(lesson->arena, (size_t)c->L * sizeof *b.scores);
    return b;
}
