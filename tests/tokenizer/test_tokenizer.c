// lib/tokenizer/tokenizer.c and its parts, held to the library tokenizers on texts that go wrong
// (data/reference/tokens.py), and to what their headers say.
#include "tokenizer/tokenizer_internal.h"

#include "io/json.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static Error error;

static const char *const forms[] = {
    "gpt2",       "roberta", "neox", "llama3",  "qwen2",     "smollm", "falcon",      "bert_uncased",
    "bert_cased", "llama2",  "phi3", "mistral", "metaspace", "gemma",  "whole_words",
};
enum { FORMS = sizeof forms / sizeof *forms };

static Tokenizer *of_form(const char *form)
{
    Tokenizer *t = NULL;
    bool ok = tokenizer_read(&t, arena, arena_format(arena, "data/reference/tokens/%s", form), &error);
    ck_assert_msg(ok, "%s", error.text);
    return t;
}

static bool parse(Tokenizer **t, const char *file)
{
    return tokenizer_parse(t, arena, (FileBytes){ (const unsigned char *)file, strlen(file) }, "file", &error);
}

static Json *json_of(const char *path)
{
    FileBytes file;
    Json *root = NULL;
    ck_assert_msg(file_read(&file, arena, path, &error) &&
                      json_parse(&root, arena, (const char *)file.at, file.size, path, &error),
                  "%s", error.text);
    return root;
}

static const Json *expected_of(const char *form, const char *what)
{
    return json_member(json_of(arena_format(arena, "data/reference/tokens/%s/ids.json", form)), what);
}

static const char **the_texts(int *count)
{
    const char **texts;
    const Json *wrong;
    ck_assert(json_strings_of(&texts, count, arena, json_of("data/reference/tokens/texts.json"), &wrong));
    return texts;
}

static void same_numbers(const int *got, int count, const Json *expected, const char *form, const char *text)
{
    int n = 0;
    for (const Json *id = expected->first; id; id = id->next, n++) {
        ck_assert_msg(n < count, "%s, \"%s\": %d numbers, but more are expected", form, text, count);
        ck_assert_msg(got[n] == (int)id->number, "%s, \"%s\": number %d is %d; %d is expected", form, text, n, got[n],
                      (int)id->number);
    }
    ck_assert_msg(n == count, "%s, \"%s\": %d numbers; %d are expected", form, text, count, n);
}

TEST_EACH(the_library_gives_the_same_tokens, FORMS)
{
    int count;
    const char **texts = the_texts(&count);
    Tokenizer *t = of_form(forms[_i]);
    const Json *row = expected_of(forms[_i], "ids")->first;
    ck_assert_int_ge(count, 120);
    for (int i = 0; i < count; i++, row = row->next) {
        TokenList list = tokenizer_encode(arena, t, texts[i], true);
        same_numbers(list.ids, list.count, row, forms[_i], texts[i]);
    }
    ck_assert_ptr_null(row);
    TokenList plain = tokenizer_encode(arena, t, texts[22], false);
    same_numbers(plain.ids, plain.count, expected_of(forms[_i], "plain"), forms[_i], "without a template");
}

TEST_EACH(the_library_gives_the_same_pairs, FORMS)
{
    int count, *kinds = NULL;
    TokenList list;
    const char **texts = the_texts(&count);
    ck_assert(tokenizer_encode_pair(&list, &kinds, arena, of_form(forms[_i]), texts[6], texts[22]));
    same_numbers(list.ids, list.count, expected_of(forms[_i], "pair"), forms[_i], "a pair");
    same_numbers(kinds, list.count, expected_of(forms[_i], "kinds"), forms[_i], "kinds of a pair");
}

TEST_EACH(the_library_gives_the_same_texts_back, FORMS)
{
    int count;
    const char **texts = the_texts(&count);
    Tokenizer *t = of_form(forms[_i]);
    const Json *row = expected_of(forms[_i], "texts")->first;
    ck_assert_ptr_nonnull(row);
    for (int i = 0; row; i++, row = row->next) {
        TokenList list = tokenizer_encode(arena, t, texts[i], true);
        ck_assert_str_eq(tokenizer_decode(arena, t, list.ids, list.count, false), row->text);
    }
}

// Where words end before a model sees them: of many patterns the tokens of a small vocabulary do not tell.
TEST_EACH(the_library_cuts_at_the_same_places, FORMS)
{
    int count, ends[512];
    const char **texts = the_texts(&count);
    Tokenizer *t = of_form(forms[_i]);
    const Json *row = t->split_count ? expected_of(forms[_i], "words")->first : NULL;
    for (int i = 0; row; i++, row = row->next) {
        TokPieces pieces = { 0 };
        tok_add_piece(&pieces, arena, tok_letters(arena, texts[i]), -1);
        pieces = tok_split(t, arena, pieces);
        ck_assert_int_le(pieces.count, 512);
        for (int n = 0; n < pieces.count; n++) {
            TokLetters word = pieces.at[n].letters;
            ends[n] = word.at[word.count - 1].to;
            while ((texts[i][ends[n]] & 0xC0) == 0x80) ends[n]++; // the library has whole characters only
        }
        same_numbers(ends, pieces.count, row, forms[_i], texts[i]);
    }
}

// Of a byte-level form without a normalizer every byte is in one token, in order.
TEST(bytes_of_a_byte_level_form)
{
    static const char *const whole[] = { "gpt2", "llama3", "smollm", "falcon" };
    int count;
    const char **texts = the_texts(&count);
    for (int form = 0; form < 4; form++) {
        Tokenizer *t = of_form(whole[form]);
        for (int i = 0; i < count; i++) {
            TokenList list = tokenizer_encode(arena, t, texts[i], false);
            int at = 0;
            for (int n = 0; n < list.count; at = list.to[n++]) {
                ck_assert_int_eq(list.from[n], at);
                ck_assert_int_gt(list.to[n], at);
            }
            ck_assert_int_eq(at, (int)strlen(texts[i]));
        }
    }
}

static void is_of(Tokenizer *t, const char *text, int n, const char *token, const char *bytes)
{
    TokenList list = tokenizer_encode(arena, t, text, true);
    ck_assert_int_lt(n, list.count);
    ck_assert_str_eq(tokenizer_token(t, list.ids[n]), token);
    const char *of = arena_format(arena, "%.*s", list.to[n] - list.from[n], text + list.from[n]);
    ck_assert_str_eq(of, bytes);
}

TEST(bytes_of_what_was_changed)
{
    Tokenizer *bert = of_form("bert_uncased"), *neox = of_form("neox"), *llama = of_form("llama2");
    is_of(bert, "The ÉTÉ.", 0, "[CLS]", "");
    is_of(bert, "The ÉTÉ.", 1, "the", "The");
    is_of(bert, "The E\u0301.", 2, "e", "E");
    is_of(bert, "The ÉTÉ.", 6, "[SEP]", "");
    is_of(neox, "e\u0301", 0, "Ã", "e\u0301"); // both bytes of é are of both characters
    is_of(llama, " the", 1, "▁", "");
    is_of(llama, " the", 2, "▁the", " the");
    is_of(llama, "a\u0444", 2, "<0xD1>", "\xD1");
    is_of(of_form("phi3"), "a <|user|>  \nb", 2, "▁", " ");
    is_of(of_form("phi3"), "a <|user|>  \nb", 3, "<|user|>", "<|user|>  \n");
    is_of(of_form("roberta"), "a  <mask>", 2, "<mask>", "  <mask>");
}

TEST(names_of_tokens)
{
    Tokenizer *gpt2 = of_form("gpt2"), *llama = of_form("llama2"), *bert = of_form("bert_cased");
    int the = tokenizer_id(gpt2, "Ġthe"), end = tokenizer_id(gpt2, "<|end|>"), byte = tokenizer_id(llama, "<0xE2>");
    ck_assert_str_eq(tokenizer_token(gpt2, the), "Ġthe");
    ck_assert_str_eq(tokenizer_shown(arena, gpt2, the), "·the");
    ck_assert_str_eq(tokenizer_shown(arena, gpt2, end), "<|end|>");
    ck_assert_str_eq(tokenizer_shown(arena, gpt2, tokenizer_id(gpt2, "Ċ")), "⟨0A⟩");
    ck_assert_str_eq(tokenizer_shown(arena, gpt2, tokenizer_id(gpt2, "â")), "⟨E2⟩");
    ck_assert_str_eq(tokenizer_shown(arena, llama, byte), "⟨E2⟩");
    ck_assert_str_eq(tokenizer_shown(arena, llama, tokenizer_id(llama, "<0x41>")), "A");
    ck_assert_str_eq(tokenizer_shown(arena, llama, tokenizer_id(llama, "▁the")), "·the");
    ck_assert_str_eq(tokenizer_shown(arena, bert, tokenizer_id(bert, "##s")), "##s");
    ck_assert_str_eq(tokenizer_shown(arena, bert, 99999), "⟨99999⟩");
    ck_assert(tokenizer_is_special(gpt2, end) && !tokenizer_is_special(gpt2, the));
    ck_assert(!tokenizer_is_special(gpt2, -1) && !tokenizer_is_special(gpt2, 1 << 30));
    ck_assert_ptr_null(tokenizer_token(gpt2, tokenizer_count(gpt2)));
    ck_assert_ptr_null(tokenizer_token(gpt2, -1));
    ck_assert_int_eq(tokenizer_id(gpt2, "no such token"), -1);
    ck_assert_int_eq(tokenizer_id(gpt2, "alone"), tokenizer_count(gpt2) - 1); // added behind the others
}

TEST(special_tokens_in_the_text_back)
{
    Tokenizer *t = of_form("bert_uncased");
    TokenList list = tokenizer_encode(arena, t, "it was tired.", true);
    ck_assert_str_eq(tokenizer_decode(arena, t, list.ids, list.count, false), "it was tired.");
    ck_assert_str_eq(tokenizer_decode(arena, t, list.ids, list.count, true), "[CLS] it was tired. [SEP]");
    ck_assert_str_eq(tokenizer_decode(arena, t, (int[]){ 1 << 20, -1 }, 2, true), "");
    t = of_form("gpt2");
    int broken[] = { tokenizer_id(t, "â"), tokenizer_id(t, "Ĥ"), tokenizer_id(t, "A"), tokenizer_id(t, "Ā") };
    ck_assert_str_eq(tokenizer_decode(arena, t, broken, 4, true), "\uFFFDA\uFFFD"); // two bytes of three: one sign
}

// One word of 200,000 letters, all of whose merges tie: n log n, and the leftmost pairs first.
TEST(one_long_word)
{
    enum { LONG = 200001 };
    char *text = arena_alloc(arena, LONG + 1);
    memset(text, 'a', LONG);
    const char *file = "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"aa\":1,\"aaaa\":2},"
                       "\"merges\":[\"a a\",\"aa aa\"]}}";
    Tokenizer *t;
    ck_assert(parse(&t, file));
    TokenList list = tokenizer_encode(arena, t, text, true);
    ck_assert_int_eq(list.count, LONG / 4 + 1);
    for (int i = 0; i < list.count; i++) ck_assert_int_eq(list.ids[i], i < LONG / 4 ? 2 : 0);
}

static void write_file(const char *path, const char *text)
{
    ck_assert_msg(file_write(path, text, strlen(text), &error), "%s", error.text);
}

TEST(a_vocabulary_of_lines)
{
    static const char lines[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\r\ncat\n##s\nÉ\ne\ncat\n";
    Tokenizer *t;
    FileBytes file = { (const unsigned char *)lines, sizeof lines - 1 };
    ck_assert(tokenizer_parse_vocabulary(&t, arena, file, "lines", true, &error));
    ck_assert_int_eq(tokenizer_count(t), 10);
    TokenList list = tokenizer_encode(arena, t, "The cats É dog", true);
    ck_assert_mem_eq(list.ids, ((int[]){ 2, 4, 9, 6, 8, 1, 3 }), 7 * sizeof(int)); // of two cats the last one counts
    ck_assert_int_eq(list.count, 7);
    ck_assert(tokenizer_is_special(t, 2) && !tokenizer_is_special(t, 4));
    ck_assert_str_eq(tokenizer_decode(arena, t, list.ids, 4, false), "the cats");

    int *kinds;
    ck_assert(tokenizer_encode_pair(&list, &kinds, arena, t, "the", "cat"));
    ck_assert_mem_eq(list.ids, ((int[]){ 2, 4, 3, 9, 3 }), 5 * sizeof(int));
    ck_assert_mem_eq(kinds, ((int[]){ 0, 0, 0, 1, 1 }), 5 * sizeof(int));

    ck_assert(tokenizer_parse_vocabulary(&t, arena, file, "lines", false, &error));
    list = tokenizer_encode(arena, t, "The É", true);
    ck_assert_mem_eq(list.ids, ((int[]){ 2, 1, 7, 3 }), 4 * sizeof(int)); // as they are written
}

TEST(a_folder_of_lines)
{
    char folder[] = "/tmp/tokens-XXXXXX";
    Tokenizer *t;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    const char *lines = arena_format(arena, "%s/vocab.txt", folder);
    const char *config = arena_format(arena, "%s/tokenizer_config.json", folder);
    ck_assert(!tokenizer_read(&t, arena, folder, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "neither tokenizer.json nor vocab.txt"));
    write_file(lines, "[UNK]\n[CLS]\n[SEP]\nThe\nthe\n");
    ck_assert_msg(tokenizer_read(&t, arena, folder, &error), "%s", error.text);
    ck_assert_int_eq(tokenizer_encode(arena, t, "The", false).ids[0], 4);
    write_file(config, "{\"do_lower_case\": false}");
    ck_assert_msg(tokenizer_read(&t, arena, folder, &error), "%s", error.text);
    ck_assert_int_eq(tokenizer_encode(arena, t, "The", false).ids[0], 3);
    write_file(config, "{\"do_lower_case\": 1}");
    ck_assert(!tokenizer_read(&t, arena, folder, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "\"do_lower_case\" is 1; it must be true or false"));
    remove(lines);
    remove(config);
    remove(folder);
}

// ---- files that are wrong: one sentence that says what and where

#define BPE(vocab, merges) "{\"model\":{\"type\":\"BPE\",\"vocab\":" vocab ",\"merges\":" merges "}}"
#define AROUND(part)       "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[]}," part "}"
#define TEMPLATE(item) \
    AROUND("\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[" item "],\"special_tokens\":{}}")
#define WORDPIECE(rest) "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":0}" rest "}}"

static const struct {
    const char *file, *says;
} wrong[] = {
    { "", "found the end" },
    { "[]", "1:1: found a list, but a tokenizer is an object" },
    { "{}", "1:1: this object has no \"model\"; it must be an object" },
    { "{\"model\":3}", "\"model\" is 3; it must be an object" },
    { "{\"model\":{\"type\":\"Unigram\",\"vocab\":[]}}",
      "the model \"Unigram\" is not known; known are BPE, WordPiece, WordLevel" },
    { "{\"model\":{\"type\":\"BPE\"}}", "this object has no \"vocab\"" },
    { "{\"model\":{\"type\":\"BPE\",\"vocab\":{}}}", "this object has no \"merges\"; it must be a list" },
    { BPE("{\"a\":-1}", "[]"), "a number of a token is -1; it must be a whole number from 0 to" },
    { BPE("{\"a\":0,\"b\":0}", "[]"), "the number 0 stands here a second time" },
    { BPE("{\"a\":900000}", "[]"), "the number 900000 is too large for a file of 1 tokens" },
    { BPE("{\"a\":0}", "[\"a\"]"), "a merge must be two tokens" },
    { BPE("{\"a\":0}", "[[\"a\",\"a\",\"a\"]]"), "a merge must be two tokens" },
    { BPE("{\"a\":0}", "[\"a a\"]"), "a merge makes \"aa\", but the vocabulary does not have that" },
    { BPE("{\"a\":0}", "[\"a b\"]"), "a merge makes \"ab\", but the vocabulary does not have its right part" },
    { "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[],\"dropout\":0.1}}", "\"dropout\" is 0.1" },
    { "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[],\"end_of_word_suffix\":\"</w>\"}}",
      "\"end_of_word_suffix\" is \"</w>\"; only null is known here" },
    { "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[],\"unk_token\":\"b\"}}",
      "the unknown token \"b\" is not in the voc" },
    { "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[],\"unk_token\":2}}", "\"unk_token\" is 2; it must be a string" },
    { "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[],\"byte_fallback\":2}}",
      "\"byte_fallback\" is 2; it must be true or" },
    { WORDPIECE(""), "this model has no \"unk_token\"" },
    { WORDPIECE(",\"unk_token\":\"a\",\"max_input_chars_per_word\":-1"), "\"max_input_chars_per_word\" is -1" },
    { WORDPIECE(",\"unk_token\":\"a\",\"continuing_subword_prefix\":4"), "\"continuing_subword_prefix\" is 4" },
    { AROUND("\"normalizer\":{\"type\":\"NFKC\"}"),
      "the normalizer \"NFKC\" is not known; known are Sequence, BertNormalizer, Lowercase, NFC, NFD, " },
    { AROUND("\"normalizer\":[]"), "found a list, but an object must stand here" },
    { AROUND("\"normalizer\":{\"type\":\"Sequence\"}"), "this object has no \"normalizers\"" },
    { AROUND("\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"\"}"), "\"prepend\" is an empty string" },
    { AROUND("\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\" {2,}\"},\"content\":\" \"}"),
      "the pattern \" {2,}\" of Replace is not known" },
    { AROUND("\"normalizer\":{\"type\":\"BertNormalizer\",\"lowercase\":\"yes\"}"), "\"lowercase\" is \"yes\"" },
    { AROUND("\"pre_tokenizer\":{\"type\":\"UnicodeScripts\"}"), "the pre-tokenizer \"UnicodeScripts\" is not known" },
    { AROUND("\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\d\"},\"behavior\":\"Isolated\"}"),
      "the pattern \"\\d\" of Split is not known" },
    { AROUND("\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"a\"},\"behavior\":\"Mixed\"}"),
      "\"behavior\" is \"Mixed\"" },
    { AROUND("\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"a\"},\"invert\":true}"), "\"invert\"" },
    { AROUND("\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"ab\"}"), "it must be one character" },
    { AROUND("\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"a\",\"prepend_scheme\":\"last\"}"),
      "\"prepend_scheme\" is \"last\"; it must be always, first or never" },
    { AROUND("\"decoder\":{\"type\":\"CTC\"}"), "the decoder \"CTC\" is not known" },
    { AROUND("\"decoder\":{\"type\":\"Strip\",\"content\":\" \",\"start\":-1,\"stop\":0}"), "\"start\" is -1" },
    { AROUND("\"post_processor\":{\"type\":\"BertProcessing\",\"cls\":[\"a\",0],\"sep\":[\"b\",1]}"),
      "no token has the number 1" },
    { AROUND("\"post_processor\":{\"type\":\"BertProcessing\",\"cls\":[\"a\"],\"sep\":[\"b\",1]}"),
      "\"cls\" must be a token" },
    { TEMPLATE("{}"), "a part of a template must have \"Sequence\" or \"SpecialToken\"" },
    { TEMPLATE("{\"Sequence\":{\"id\":\"A\",\"type_id\":2}}"),
      "\"type_id\" is 2; it must be a whole number from 0 to 1" },
    { TEMPLATE("{\"Sequence\":{\"id\":\"C\",\"type_id\":0}}"), "found \"C\", but a text is A or B" },
    { TEMPLATE("{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}"), "the template of one text has a second text, B" },
    { TEMPLATE("{\"SpecialToken\":{\"id\":\"x\",\"type_id\":0}}"), "this object has no \"x\"" },
    { AROUND("\"added_tokens\":3"), "\"added_tokens\" is 3; it must be a list" },
    { AROUND("\"added_tokens\":[{\"content\":\"x\"}]"), "this object has no \"id\"" },
    { AROUND("\"added_tokens\":[{\"id\":0,\"content\":\"x\"}]"), "the number 0 stands here a second time" },
    { AROUND("\"added_tokens\":[{\"id\":1,\"content\":\"a\"}]"),
      "the token \"a\" is number 1 here and number 0 in the" },
};

TEST_EACH(wrong_files_are_refused, sizeof wrong / sizeof *wrong)
{
    Tokenizer *t = NULL;
    const char *file = wrong[_i].file;
    ck_assert_msg(!parse(&t, file), "%s", file);
    ck_assert_msg(strstr(error.text, wrong[_i].says), "found: %s", error.text);
    ck_assert_msg(!strncmp(error.text, "file:1:", 7), "found: %s", error.text);
    ck_assert_ptr_null(strchr(error.text, '\n'));
}

TEST(wrong_lines_are_refused)
{
    Tokenizer *t;
    FileBytes few = { (const unsigned char *)"a\nb\n", 4 }, zero = { (const unsigned char *)"a\nb\0c", 5 };
    ck_assert(!tokenizer_parse_vocabulary(&t, arena, few, "lines", true, &error));
    ck_assert_str_eq(error.text, "lines: found 2 tokens without [UNK], but BERT's vocabulary has one");
    ck_assert(!tokenizer_parse_vocabulary(&t, arena, zero, "lines", true, &error));
    ck_assert_str_eq(error.text, "lines:2: found a 0 byte, but a vocabulary is text");
    ck_assert(!tokenizer_parse_vocabulary(&t, arena, (FileBytes){ NULL, 0 }, "lines", true, &error));
}

// Steps that would make a text longer and longer, and more of them than there is room for.
TEST(bombs_are_refused)
{
    Tokenizer *t;
    const char *twice = "{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"aaaaaaaaaaaaaaaa\"}";
    const char *file =
        arena_format(arena, AROUND("\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[%s,%s]}"), twice, twice);
    ck_assert(!parse(&t, file));
    ck_assert_ptr_nonnull(strstr(error.text, "a text may become at most 64 times as long"));
    const char *many = "{\"type\":\"NFC\"}";
    for (int i = 0; i < 20; i++) many = arena_format(arena, "%s,{\"type\":\"NFC\"}", many);
    file = arena_format(arena, AROUND("\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[%s]}"), many);
    ck_assert(!parse(&t, file));
    ck_assert_ptr_nonnull(strstr(error.text, "more than 16 normalizers stand here"));
}
