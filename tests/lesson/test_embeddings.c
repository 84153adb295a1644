// The table of words: what is read, what is refused and with which place, and how a sentence is cut into words.
#include "lesson/embeddings.h"
#include "support/suite.h"

#include <string.h>

static bool parse(Embeddings *out, const char *text, Error *error)
{
    return embeddings_parse(out, arena, (FileBytes){ (const unsigned char *)text, strlen(text) }, "my.tsv", error);
}

static void refused(const char *text, const char *place, const char *found)
{
    Embeddings table;
    Error error = { .text = "" };
    ck_assert_msg(!parse(&table, text, &error), "accepted: %s", text);
    ck_assert_msg(strstr(error.text, "my.tsv") && strstr(error.text, place) && strstr(error.text, found), "%s",
                  error.text);
}

TEST(a_table_is_read)
{
    Embeddings table;
    Error error = { .text = "" };
    ck_assert_msg(parse(&table, "# mine\r\nword\tnoun\talive\n\ncat\t1\t0.5\nran\t0\t-2e-1", &error), "%s", error.text);
    ck_assert_int_eq(table.words, 2);
    ck_assert_int_eq(table.D, 2);
    ck_assert_str_eq(table.word[1], "ran");
    ck_assert_str_eq(table.column[1], "alive");
    ck_assert_float_eq(*mat_ref(table.vectors, 0, 1), 0.5f);
    ck_assert_float_eq(*mat_ref(table.vectors, 1, 1), -0.2f);
    ck_assert_int_eq(embeddings_column(&table, "alive"), 1);
    ck_assert_int_eq(embeddings_column(&table, "place"), -1);
}

TEST(malformed_tables_name_the_place)
{
    refused("", "no word", "header");
    refused("word\tnoun\n", "no word", "header");
    refused("noun\tword\ncat\t1\n", "line 1, column 1", "\"noun\"");
    refused("word\n", "line 1", "names no column");
    refused("word\ta\t\ncat\t1\t2\n", "line 1, column 3", "empty");
    refused("word\ta\tb\ncat\t1\n", "line 2", "found 1 numbers");
    refused("word\ta\tb\ncat\t1\tx\n", "line 2, column 3 (b)", "\"x\"");
    refused("word\ta\tb\ncat\t1\t\n", "line 2, column 3 (b)", "\"\"");
    refused("word\ta\ncat\tnan\n", "line 2, column 2 (a)", "\"nan\"");
    refused("word\ta\ncat\t1e99\n", "line 2, column 2 (a)", "\"1e99\"");
    refused("word\ta\ncat\t1\t2\n", "line 2, column 3", "\"2\"");
    refused("word\ta\n\t1\n", "line 2, column 1", "empty");
    refused("word\ta\ncat\t1\ncat\t2\n", "line 3, column 1", "twice");
}

static Sentence book(const char *text)
{
    Embeddings table;
    Sentence sentence;
    Error error = { .text = "" };
    embeddings_of_the_book(&table, arena);
    ck_assert_msg(sentence_look_up(&sentence, arena, &table, text, &error), "%s", error.text);
    return sentence;
}

TEST(a_sentence_is_cut_into_words_and_marks)
{
    static const char *const words[] = { "The",     "animal", "didn't", "cross", "the",   "street",
                                         "because", "it",     "was",    "too",   "tired", "." };
    Sentence s = book("  The animal didn't cross the street\tbecause it was too tired.\n");
    ck_assert_int_eq(s.T, 12);
    for (int t = 0; t < s.T; t++) ck_assert_str_eq(s.words[t], words[t]);
    ck_assert(mat_equal(mat_rows(s.x, 0, 1), mat_rows(s.x, 4, 1))); // The and the are one word of the table
    ck_assert_float_eq(*mat_ref(s.x, 1, 0), 1.0f);                  // an animal is a noun
    ck_assert_int_eq(book("it, it?!").T, 5);
}

TEST(the_first_place_of_a_word)
{
    Sentence s = book("It followed the dog, the Dog followed it");
    ck_assert_int_eq(sentence_find(&s, "it"), 0);
    ck_assert_int_eq(sentence_find(&s, "DOG"), 3);
    ck_assert_int_eq(sentence_find(&s, "do"), -1);
    ck_assert_int_eq(sentence_find(&s, "cat"), -1);
}

TEST(unknown_words_empty_and_endless_sentences_are_refused)
{
    Embeddings table;
    Sentence s;
    Error error = { .text = "" };
    char endless[49 * 3 + 1] = "";
    for (int w = 0; w < 49; w++) strcat(endless, "it ");
    embeddings_of_the_book(&table, arena);
    ck_assert(!sentence_look_up(&s, arena, &table, "the Zebra ran", &error));
    ck_assert_msg(strstr(error.text, "word 1 (from 0), \"zebra\"") && strstr(error.text, "zebra\\t0\\t0"), "%s",
                  error.text);
    ck_assert(!sentence_look_up(&s, arena, &table, " \t", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "empty"));
    ck_assert(!sentence_look_up(&s, arena, &table, endless, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "more than 48 words"));
}
