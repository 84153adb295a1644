// lib/language/translator.c, and the weights in data/models: they are read, know today's dictionary, and do their work.
#include "language/chunks.h"
#include "language/grammar.h"
#include "language/induction.h"
#include "language/translator.h"
#include "train/checkpoint.h"

#include "base/portable_math.h"
#include "io/json.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

TEST(a_batch_is_its_sentences)
{
    GlossedSentence sentences[5];
    Random random = random_from(1), again = random_from(1);
    RunBatch drawn = translator_batch(arena, 5, &again, NULL);
    for (int b = 0; b < 5; b++) grammar_sentence_train(&sentences[b], &random);
    RunBatch batch = translator_sentences_batch(arena, sentences, 5);
    ck_assert_int_eq(batch.count, 5);
    for (int b = 0; b < 5; b++) {
        ck_assert_int_eq(batch.start[b + 1] - batch.start[b], sentences[b].T);
        for (int t = 0; t < sentences[b].T; t++) {
            ck_assert_int_eq(batch.tokens[batch.start[b] + t], sentences[b].words[t]);
            ck_assert_int_eq(batch.targets[batch.start[b] + t], sentences[b].glosses[t]);
            ck_assert_int_eq(drawn.tokens[batch.start[b] + t], sentences[b].words[t]);
        }
    }
}

static const char **words_noted(const Tensors *file, const char *key, int *count)
{
    const char **words, *note = tensors_note(file, key);
    Json *list;
    const Json *wrong;
    Error error;
    ck_assert(note && json_parse(&list, arena, note, strlen(note), key, &error));
    ck_assert(json_strings_of(&words, count, arena, list, &wrong));
    return words;
}

// The words in the metadata are those of the dictionary: `make train` is due when this fails.
static void assert_words(const Tensors *file, const char *path)
{
    int count;
    const char **words = words_noted(file, "vocabulary", &count);
    ck_assert_int_eq(count, words_count());
    for (int i = 0; i < count; i++) ck_assert_str_eq(words[i], word_text(i));
    words = words_noted(file, "answers", &count);
    ck_assert_msg(count == glosses_count(), "%s knows %d forms, the language has %d: run make train", path, count,
                  glosses_count());
    for (int i = 0; i < count; i++) ck_assert_str_eq(words[i], gloss_text(arena, i));
}

TEST_EACH(shipped_translators, 2)
{
    static const char *const paths[] = { "data/models/glosses-4.safetensors", "data/models/glosses-8.safetensors" };
    Error error;
    Transformer model;
    Tensors file;
    ck_assert_msg(checkpoint_read_model(&model, &file, arena, paths[_i], &error), "%s", error.text);
    assert_words(&file, paths[_i]);
    GlossedSentence sentences[102];
    Random random = random_from(11);
    for (int b = 0; b < 100; b++) grammar_sentence_test(&sentences[b], &random);
    grammar_sentence_of_the_book(&sentences[100], false);
    grammar_sentence_of_the_book(&sentences[101], true);
    Run run = run_transformer(arena, model, translator_sentences_batch(arena, sentences, 102), (Mat){ 0 });
    int right = 0, asked = run.batch.start[102];
    for (int b = 0; b < 102; b++)
        for (int t = 0; t < sentences[b].T; t++) {
            bool ok = run_answer(&run, b, t) == sentences[b].glosses[t];
            ck_assert_msg(ok || b < 100, "%s: word %d of the book's sentence, %s", paths[_i], t,
                          b == 100 ? "tired" : "wide");
            right += ok;
        }
    ck_assert_msg(right >= 0.99 * asked, "%s: %d of %d glosses are right", paths[_i], right, asked);
}

TEST_EACH(shipped_copiers, 2)
{
    static const char *const paths[] = {
        "data/models/induction-32.safetensors",
        "data/models/induction-64.safetensors",
    };
    Error error;
    Transformer model;
    ck_assert_msg(checkpoint_read_model(&model, NULL, arena, paths[_i], &error), "%s", error.text);
    InductionScores scores = induction_scores(arena, model, induction_batch, 64, 7);
    ck_assert_msg(scores.best_previous >= 0.8 && scores.best_induction >= 0.9, "%s: previous %.3f, induction %.3f",
                  paths[_i], scores.best_previous, scores.best_induction);
    ck_assert(induction_copy_accuracy(model, 64, 8) >= 0.98);
}

// A model of zeros knows nothing: all 32 tokens are alike, so those that have occurred share as many 32ths, evenly. Its
// loss falls apart into what goes to them and how it is shared.
TEST(what_has_occurred)
{
    Transformer model = transformer_new(arena, induction_config(32, 2));
    InductionScores none = induction_scores(arena, model, induction_batch, 64, 7);
    ck_assert_double_eq_tol(none.loss, log(32.0), 1e-5);
    ck_assert_double_eq_tol(none.among, none.even, 1e-6);
    Random random = random_from(7);
    RunBatch batch = induction_batch(arena, 64, &random, NULL);
    double share = 0.0, even = 0.0, guess = 0.0;
    int asked = 0;
    for (int i = 0; i < batch.start[64]; i++) {
        if (batch.targets[i] < 0) continue;
        bool seen[CHUNKS_VOCABULARY] = { false };
        int count = 0;
        for (int j = i / CHUNKS_T * CHUNKS_T; j <= i; j++) {
            count += !seen[batch.tokens[j]];
            seen[batch.tokens[j]] = true;
        }
        share += count / 32.0;
        even += log(count);
        guess += 1.0 / count;
        asked++;
    }
    ck_assert_double_eq_tol(none.occurred, share / asked, 1e-6);
    ck_assert_double_eq_tol(none.even, even / asked, 1e-9);
    ck_assert_double_eq_tol(none.guess, guess / asked, 1e-9);
}
