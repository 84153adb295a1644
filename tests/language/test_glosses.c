// Forms: numbered without gaps, written out without two being alike, and what each rule does to the book's sentence.
#include "language/grammar.h"

#include "support/reference.h"
#include "support/suite.h"

#include <stdio.h>
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

// A sentence whose relations are given by hand.
static GlossedSentence parsed(const char *text, int count, const GlossRelation *relations)
{
    GlossedSentence sentence = { .relation_count = count };
    Error error;
    ck_assert_msg(words_of_sentence(sentence.words, &sentence.T, text, &error), "%s", error.text);
    memcpy(sentence.relations, relations, (size_t)count * sizeof *relations);
    gloss_sentence(&sentence);
    return sentence;
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

// The same determiner, another gender: animal, dog, cat, horse have genders 0 to 3.
TEST(determiners_agree)
{
    static const char *const animals[] = { "the fox", "the dog", "the wolf", "the mouse" };
    static const char *const want[] = { "foldo", "folka", "folmi", "folru" };
    const GlossRelation det[] = { { GLOSS_RELATION_DET, 1, 2 } };
    for (int n = 0; n < 4; n++) {
        GlossedSentence sentence = parsed(animals[n], 1, det);
        int gender = word_at(sentence.words[2])->gender;
        char *text = arena_format(arena, "%s%s", want[gender], word_begins_with_vowel(sentence.words[2]) ? "n" : "");
        ck_assert_str_eq(gloss_text(arena, sentence.glosses[1]), text);
    }
}

// Every pronoun that every noun and name can be stood for by.
TEST(pronouns_name_what_they_stand_for)
{
    GlossedSentence sentence = { .T = 3, .relation_count = 1 };
    for (int id = 0; id < words_count(); id++) {
        const Word *word = word_at(id);
        bool noun = word->class == WORD_NOUN;
        if (!noun && word->class != WORD_NAME) continue;
        sentence.words[1] = id;
        sentence.words[2] = word_named(noun ? "it" : word->kind == SEMANTIC_MALE ? "he" : "she");
        sentence.relations[0] = (GlossRelation){ noun ? GLOSS_RELATION_IT : GLOSS_RELATION_PRON, 2, 1 };
        gloss_sentence(&sentence);
        const char *text = gloss_text(arena, sentence.glosses[2]);
        ck_assert_int_eq(gloss_word(sentence.glosses[2]), sentence.words[2]);
        ck_assert_str_eq(strchr(text, '-') + 1, word->stem);
    }
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

TEST_ABORTS(what_does_not_hang_together_stops, 5)
{
    GlossedSentence sentence = { .T = 1 };
    quiet();
    switch (_i) {
    case 0: gloss_text(arena, -1); break;
    case 1: gloss_text(arena, glosses_count()); break;
    case 2:
        sentence.words[0] = word_named("the");
        gloss_sentence(&sentence);
        break;
    case 3:
        sentence.words[0] = word_named("it");
        gloss_sentence(&sentence);
        break;
    default: gloss_relation_name(GLOSS_RELATION_KINDS); break;
    }
}
