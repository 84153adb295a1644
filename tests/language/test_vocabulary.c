// The dictionary's order and balance; what a reader may type, and what is refused with which sentence.
#include "language/vocabulary.h"

#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

// words_of finds a class whole: every word stands in the range of its class, and in that of its class and kind.
TEST(classes_stand_together)
{
    int members = 0;
    for (int id = 0; id < words_count(); id++) {
        const Word *word = word_at(id);
        WordRange class = words_of(word->class, SEMANTIC_NONE), kind = words_of(word->class, word->kind);
        ck_assert_msg(class.first <= id && id < class.first + class.count, "%s stands outside its class", word->text);
        ck_assert_msg(kind.first <= id && id < kind.first + kind.count, "%s stands outside its kind", word->text);
    }
    for (int class = 0; class < WORD_CLASSES; class ++) members += words_of((WordClass) class, SEMANTIC_NONE).count;
    ck_assert_int_eq(members, words_count());
}

// Of every kind of nouns: each gender, first letter and last letter as often as can be, and no one tells another.
TEST(nouns_are_balanced)
{
    for (SemanticClass kind = SEMANTIC_ANIMAL; kind <= SEMANTIC_FOOD; kind++) {
        WordRange nouns = words_of(WORD_NOUN, kind);
        int cell[WORD_GENDERS][4] = { { 0 } };
        for (int id = nouns.first; id < nouns.first + nouns.count; id++)
            cell[word_at(id)->gender][2 * word_begins_with_vowel(id) + word_ends_with_vowel(id)]++;
        for (int gender = 0; gender < WORD_GENDERS; gender++)
            for (int ends = 0; ends < 4; ends++) ck_assert_int_le(cell[gender][ends], 1);
    }
}

static void reads(const char *text, const char *want)
{
    int words[WORD_SENTENCE_MOST], T = 0;
    Error error = { .text = "" };
    bool good = words_of_sentence(words, &T, text, &error);
    ck_assert_msg(good, "\"%s\": %s", text, error.text);
    char got[1024] = "";
    for (int t = 0; t < T; t++) {
        strcat(got, word_text(words[t]));
        if (t + 1 < T) strcat(got, " ");
    }
    ck_assert_str_eq(got, want);
}

TEST(sentences_that_are_read)
{
    reads("The animal did not cross the street last night because it was too tired.",
          "[start] the animal did not cross the street last night because it was too tired .");
    reads("anna", "[start] anna .");
    reads("  Anna AND tom\t,then\r\nshe sold the ripe melon . ",
          "[start] anna and tom , then she sold the ripe melon .");
    reads("Anna,Tom.", "[start] anna , tom .");
    reads("the dog. the cat", "[start] the dog . the cat .");
    reads("it it it it it it it it it it it it it it it it it it it it it it.", // 22 words
          "[start] it it it it it it it it it it it it it it it it it it it it it it .");
}

static void refused(const char *text, const char *found, const char *right)
{
    int words[WORD_SENTENCE_MOST], T = -1;
    Error error = { .text = "" };
    ck_assert_msg(!words_of_sentence(words, &T, text, &error), "\"%s\" was read", text);
    ck_assert_msg(strstr(error.text, found) && strstr(error.text, right), "\"%s\": %s", text, error.text);
    ck_assert_int_eq(T, -1);
    ck_assert_msg(!words_of_sentence(words, &T, text, NULL), "\"%s\" was read without an Error", text);
}

TEST(sentences_that_are_refused)
{
    refused("", "empty", "at least one word");
    refused(" \t\n", "empty", "at least one word");
    refused(" . ", "empty", "at least one word");
    refused("the animals", "word 2, \"animals\",", "not one of the 184 words");
    refused("The animal didn't cross", "word 3, \"didn't\",", "write did not");
    refused("The animal didn\xE2\x80\x99t cross", "word 3,", "write did not");
    refused("the dog!", "word 3, \"!\",", "not one of");
    refused("[start] the dog", "word 1, \"[start]\",", "not one of");
    refused("the \x1B[31m dog", "word 2, \"\\x1b[31m\",", "not one of");
    refused("the \xFF\xFE", "word 2,", "not one of");
    refused("the donaudampfschifffahrtsgesellschaftskapitaensmuetzenknopfloch", "word 2,", "not one of");
    refused("it it it it it it it it it it it it it it it it it it it it it it it", "more than 22", "no longer");
    refused("it it it it it it it it it it it it it it it it it it it it it it it.", "more than 22", "no longer");
    refused("it it it it it it it it it it it it it it it it it it it it it it..", "more than 22", "no longer");
}
