// Forms: numbered without gaps, written out without two being alike, and what each rule does to the book's sentence.
#include "language/grammar.h"

#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

TEST(every_form_is_its_own)
{
    int count = glosses_count(), last = 0;
    ck_assert_int_eq(count, 913);
    char **texts = arena_alloc(arena, (size_t)count * sizeof *texts);
    for (int gloss = 0; gloss < count; gloss++) {
        texts[gloss] = gloss_text(arena, gloss);
        int word = gloss_word(gloss);
        ck_assert(word == last || word == last + 1);
        last = word;
    }
    ck_assert_int_eq(last, words_count() - 1);
    qsort(texts, (size_t)count, sizeof *texts, compare_texts);
    for (int n = 1; n < count; n++) ck_assert_str_ne(texts[n], texts[n - 1]);
}

// The texts of a sentence's glosses, with a space between them.
static char *glossed_text(const GlossedSentence *sentence)
{
    char *text = "";
    for (int t = 0; t < sentence->T; t++)
        text = arena_format(arena, "%s%s%s", text, t ? " " : "", gloss_text(arena, sentence->glosses[t]));
    return text;
}

TEST(a_readers_sentence_has_no_answers)
{
    GlossedSentence sentence;
    Error error = { .text = "" };
    memset(&sentence, 1, sizeof sentence);
    ck_assert_msg(gloss_unglossed(&sentence, "Anna found it", &error), "%s", error.text);
    ck_assert_int_eq(sentence.T, 5);
    ck_assert_str_eq(word_text(sentence.words[3]), "it");
    ck_assert_int_eq(sentence.relation_count, 0);
    ck_assert(sentence.it == -1 && sentence.adjective == -1 && sentence.subject == -1 && sentence.object == -1);
    ck_assert(!gloss_unglossed(&sentence, "Anna found xyzzy", &error));
    ck_assert_msg(strstr(error.text, "word 3, \"xyzzy\",") != NULL, "%s", error.text);
}

TEST(sentence_of_the_book_and_its_twin)
{
    GlossedSentence tired, wide;
    grammar_sentence_of_the_book(&tired, false);
    grammar_sentence_of_the_book(&wide, true);
    ck_assert_str_eq(glossed_text(&tired),
                     "[start] foldo polmel toldo sel tulmalmi folmi pustor fon fa zar su-polmel zan sir kaskun .");
    ck_assert_str_eq(glossed_text(&wide),
                     "[start] foldo polmel toldo sel tulmalmi folmi pustor fon fa zar su-pustor zan sir pelmin .");
}

// Softening looks back, linking looks forward, and neither farther than one word.
TEST(neighbours_change_small_words)
{
    GlossedSentence sentence = { .T = 3 };
    int behind = word_named("behind"); // omem
    for (int before = 0; before < words_count(); before++)
        for (int after = 0; after < words_count(); after += 7) {
            if (word_at(before)->class != WORD_PARTICLE || word_at(after)->class == WORD_DETERMINER) continue;
            if (word_at(after)->class != WORD_NOUN && word_at(after)->class != WORD_ADVERB) continue;
            sentence.words[0] = before;
            sentence.words[1] = behind;
            sentence.words[2] = after;
            gloss_sentence(&sentence);
            char *want = arena_format(arena, "%somem%s", word_ends_with_vowel(before) ? "h" : "",
                                      word_begins_with_vowel(after) ? "en" : "");
            ck_assert_str_eq(gloss_text(arena, sentence.glosses[1]), want);
        }
}
