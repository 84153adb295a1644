// lib/io/json.c: what RFC 8259 allows becomes a tree, and anything else one sentence with line and column.
#include "bench.h"

#include "base/portable_math.h"
#include "io/json.h"
#include "io/text.h"
#include "support/suite.h"

BENCH_FIXTURE;

// The text is handed over without a 0 at its end.
static bool parse(Json **out, const char *text, size_t size)
{
    FileBytes bytes = exact(text, size);
    bool ok = json_parse(out, bench.arena, (const char *)bytes.at, size, "t.json", &bench.error);
    free((void *)(uintptr_t)bytes.at);
    return ok;
}

static Json *parsed(const char *text)
{
    Json *value = NULL;
    ck_assert_msg(parse(&value, text, strlen(text)), "%s: %s", text, bench.error.text);
    return value;
}

TEST(test_values)
{
    ck_assert_int_eq(parsed("null")->kind, JSON_NULL);
    ck_assert_int_eq(parsed(" true ")->kind, JSON_TRUE);
    ck_assert_int_eq(parsed("\t\r\nfalse\n")->kind, JSON_FALSE);
    ck_assert_int_eq(parsed("[]")->kind, JSON_ARRAY);
    ck_assert_ptr_null(parsed("[ ]")->first);
    ck_assert_int_eq(parsed("{}")->kind, JSON_OBJECT);
    ck_assert_ptr_null(parsed("{ }")->first);
    ck_assert_str_eq(parsed("\"\"")->text, "");
    ck_assert_str_eq(parsed("\"a b\"")->text, "a b");
}

TEST(test_numbers)
{
    static const struct {
        const char *text;
        double number;
    } cases[] = {
        { "0", 0 },           { "-0", 0 },
        { "7", 7 },           { "-12", -12 },
        { "0.5", 0.5 },       { "-0.25", -0.25 },
        { "1e3", 1000 },      { "1E+2", 100 },
        { "25e-1", 2.5 },     { "10", 10 },
        { "0e0", 0 },         { "0.1", 0.1 },
        { "1e-400", 0 },      { "1.7976931348623157e308", 1.7976931348623157e308 },
        { "5e-324", 5e-324 }, { "9007199254740993", 0x1p53 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Json *value = parsed(cases[i].text);
        ck_assert_int_eq(value->kind, JSON_NUMBER);
        ck_assert_msg(value->number >= cases[i].number && value->number <= cases[i].number, "%s", cases[i].text);
    }
    ck_assert(signbit(parsed("-0")->number));
}

TEST(test_integers)
{
    int64_t n = 0;
    ck_assert(json_integer(parsed("9007199254740991"), &n) && n == 9007199254740991);
    ck_assert(json_integer(parsed("-9007199254740991"), &n) && n == -9007199254740991);
    ck_assert(json_integer(parsed("1e2"), &n) && n == 100);
    ck_assert(json_integer(parsed("-0"), &n) && n == 0);
    ck_assert(json_integer(parsed("5.0"), &n) && n == 5);
    ck_assert(!json_integer(parsed("9007199254740992"), &n));
    ck_assert(!json_integer(parsed("-1e300"), &n));
    ck_assert(!json_integer(parsed("0.5"), &n));
    ck_assert(!json_integer(parsed("-0.5"), &n));
    ck_assert(!json_integer(parsed("\"1\""), &n));
    ck_assert(!json_integer(NULL, &n));
    ck_assert(n == 5);
}

TEST(test_strings)
{
    static const struct {
        const char *text, *decoded;
    } cases[] = {
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC" },
        { "\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80" },
        { "\"\\uD800\\uDC00\\uDBFF\\uDFFF\"", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF" },
        { "\"\\u0001\\u007f\\u0080\\u07ff\\u0800\\uffff\"", "\x01\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF" },
        { "\"\xC2\x80\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"",
          "\xC2\x80\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF" },
        { "\"\x7F/\"", "\x7F/" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(parsed(cases[i].text)->text, cases[i].decoded);
}

TEST(test_tree)
{
    const Json *root = parsed("{\n  \"layers\": [1, 2,\n 3],\n  \"\xC3\xA9\": {\"on\": true}, \"\": null\n}");
    const Json *layers = json_member(root, "layers");
    ck_assert_ptr_nonnull(layers);
    ck_assert_ptr_eq(root->first, layers);
    ck_assert(layers->line == 2 && layers->column == 13);
    double sum = 0;
    for (const Json *number = layers->first; number; number = number->next) sum = 10 * sum + number->number;
    ck_assert(fabs(sum - 123) < 0.5);
    ck_assert(layers->first->next->next->line == 3 && layers->first->next->next->column == 2);
    const Json *inner = json_member(root, "\xC3\xA9");
    ck_assert(inner->line == 4 && inner->column == 8); // é is one column
    ck_assert_int_eq(json_member(inner, "on")->kind, JSON_TRUE);
    ck_assert_int_eq(json_member(root, "")->kind, JSON_NULL);
    ck_assert_ptr_null(json_member(root, "heads"));
    ck_assert_ptr_null(json_member(layers, "layers"));
    ck_assert_ptr_null(json_member(NULL, "layers"));
}

TEST(test_malformed)
{
    static const struct {
        const char *text, *place, *found, *right;
    } cases[] = {
        { "", "t.json:1:1", "the end", "a value must stand here" },
        { "nul", "t.json:1:1", "\"n\"", "a value must stand here" },
        { "NaN", "t.json:1:1", "\"N\"", "a value must stand here" },
        { "-Infinity", "t.json:1:2", "\"I\"", "a digit must stand here" },
        { "truely", "t.json:1:5", "\"l\"", "nothing may follow the value" },
        { "1 2", "t.json:1:3", "\"2\"", "nothing may follow the value" },
        { "// no\n1", "t.json:1:1", "\"/\"", "a value must stand here" },
        { "'a'", "t.json:1:1", "\"'\"", "a value must stand here" },
        { "+1", "t.json:1:1", "\"+\"", "a value must stand here" },
        { ".5", "t.json:1:1", "\".\"", "a value must stand here" },
        { "1.", "t.json:1:3", "the end", "a digit must stand here" },
        { "1e", "t.json:1:3", "the end", "a digit must stand here" },
        { "-", "t.json:1:2", "the end", "a digit must stand here" },
        { "01", "t.json:1:2", "\"1\"", "no digit may follow a 0" },
        { "0x10", "t.json:1:2", "\"x\"", "nothing may follow the value" },
        { " 1e999", "t.json:1:2", "\"1e999\"", "must fit into float64" },
        { "[", "t.json:1:2", "the end", "a value must stand here" },
        { "[1", "t.json:1:3", "the end", "a comma or ] must follow a value" },
        { "[1 2]", "t.json:1:4", "\"2\"", "a comma or ] must follow a value" },
        { "[1}", "t.json:1:3", "\"}\"", "a comma or ] must follow a value" },
        { "[1,]", "t.json:1:4", "\"]\"", "not after the last" },
        { "{", "t.json:1:2", "the end", "a key in double quotes" },
        { "{a: 1}", "t.json:1:2", "\"a\"", "a key in double quotes" },
        { "{\"a\" 1}", "t.json:1:6", "\"1\"", "a colon must follow a key" },
        { "{\"a\":}", "t.json:1:6", "\"}\"", "a value must stand here" },
        { "{\"a\":1", "t.json:1:7", "the end", "a comma or } must follow a member" },
        { "{\"a\":1 \"b\":2}", "t.json:1:8", "\"\"\"", "a comma or } must follow a member" },
        { "{\"a\":1,}", "t.json:1:8", "\"}\"", "not after the last" },
        { "{\"a\":1,\n \"b\":2,\n \"a\":3}", "t.json:3:6", "the key \"a\"", "a second time" },
        { "{\"z\":1,\"b\":[{\"k\":1,\"\\u006b\":2}]}", "t.json:1:29", "the key \"k\"", "a second time" },
        { "\"abc", "t.json:1:5", "the end", "a double quote" },
        { "\"abc\\", "t.json:1:6", "the end", "after a backslash" },
        { "\"\\x41\"", "t.json:1:3", "\"x\"", "after a backslash" },
        { "\"\\'\"", "t.json:1:3", "\"'\"", "after a backslash" },
        { "\"\\u12\"", "t.json:1:6", "\"\"\"", "four digits" },
        { "\"\\u12g4\"", "t.json:1:6", "\"g\"", "four digits" },
        { "\"\\u", "t.json:1:4", "the end", "four digits" },
        { "\"a\\u0000\"", "t.json:1:3", "\"\\u0000\"", "a 0 byte" },
        { "\"\\udc00\"", "t.json:1:2", "\"\\udc00\"", "before a low one" },
        { "\"\\ud800\"", "t.json:1:8", "\"\"\"", "a low surrogate" },
        { "\"\\ud800\\n\"", "t.json:1:9", "\"n\"", "a low surrogate" },
        { "\"\\ud800\\u0041\"", "t.json:1:8", "\"\\u0041\"", "a low surrogate" },
        { "\"a\nb\"", "t.json:1:3", "\"\\x0a\"", "must be an escape" },
        { "\"\x1F\"", "t.json:1:2", "\"\\x1f\"", "must be an escape" },
        { "\"\x80\"", "t.json:1:2", "\"\\x80\"", "must be UTF-8" },
        { "\"\xC0\x80\"", "t.json:1:2", "\"\\xc0\"", "must be UTF-8" },
        { "\"\xE0\x9F\xBF\"", "t.json:1:2", "\"\\xe0\"", "must be UTF-8" },
        { "\"\xE2\x82\"", "t.json:1:2", "\"\\xe2\"", "must be UTF-8" },
        { "\"\xED\xA0\x80\"", "t.json:1:2", "\"\\xed\"", "must be UTF-8" },
        { "\"\xF0\x8F\xBF\xBF\"", "t.json:1:2", "\"\\xf0\"", "must be UTF-8" },
        { "\"\xF4\x90\x80\x80\"", "t.json:1:2", "\"\\xf4\"", "must be UTF-8" },
        { "\xEF\xBB\xBF{}", "t.json:1:1", "found", "without a byte order mark" },
        { "[\"\xC3\xA9\xE2\x82\xAC\",\xC2\xA0 1]", "t.json:1:7", "\"\xC2\xA0\"", "a value must stand here" },
        { "[\"\\u00e9\", \x1B[2J]", "t.json:1:12", "\"\\x1b\"", "a value must stand here" },
    };
    Json *value = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(!parse(&value, cases[i].text, strlen(cases[i].text)), "%s was read", cases[i].text);
        ck_assert_ptr_null(value);
        ERROR_HAS(&bench.error, arena_format(bench.arena, "%s: ", cases[i].place), cases[i].found, cases[i].right);
    }
    ck_assert(!parse(&value, "\"a\0b\"", 5));
    ERROR_HAS(&bench.error, "t.json:1:3: ", "\"\\x00\"", "must be an escape");
    ck_assert(!parse(&value, "1\0", 2));
    ERROR_HAS(&bench.error, "t.json:1:2: ", "\"\\x00\"", "nothing may follow");
    ck_assert(!parse(&value, "nullx", 3));
    ck_assert(!json_parse(&value, bench.arena, "[", 1, "t.json", NULL));
}

// Every beginning of a correct text that is not itself correct is refused, and none is read beyond its end.
TEST(test_every_cut)
{
    static const char text[] = "{\"a\": [1.5e-3, true, false, null, "
                               "\"\\u00e9\\ud83d\\ude00\\n\xE2\x82\xAC\"], \"b\": {\"c\": -0}}";
    Json *value;
    for (size_t size = 0; size < strlen(text); size++)
        ck_assert_msg(!parse(&value, text, size), "the first %zu bytes were read", size);
    ck_assert(parse(&value, text, strlen(text)));
}

static char *nested(int levels, const char *open, char close)
{
    size_t length = strlen(open);
    char *text = arena_alloc(arena, (size_t)levels * (length + 1) + 2), *at = text;
    for (int i = 0; i < levels; i++, at += length) memcpy(at, open, length + 1);
    *at++ = '1';
    for (int i = 0; i < levels; i++) *at++ = close;
    return text;
}

TEST(test_depth)
{
    Json *value = NULL;
    parsed(nested(64, "[", ']'));
    parsed(nested(64, "{\"a\":", '}'));
    const char *deep = nested(65, "[", ']');
    ck_assert(!parse(&value, deep, strlen(deep)));
    ERROR_HAS(&bench.error, "t.json:1:65: ", "found \"[\"", "64 levels");
    const char *abyss = nested(100000, "[", ']');
    ck_assert(!parse(&value, abyss, strlen(abyss)));
    parsed("[[1],[1],[1],[[2]]]");
}

// A hundred thousand keys must not take a hundred thousand times a hundred thousand comparisons.
TEST(test_many_keys)
{
    size_t n = 100000;
    char *text = arena_alloc(bench.arena, n * 16), *at = text;
    *at++ = '{';
    for (size_t i = 0; i < n; i++) at += sprintf(at, "%s\"k%zu\":%zu", i ? "," : "", i, i);
    strcpy(at, "}");
    ck_assert(fabs(json_member(parsed(text), "k99999")->number - 99999) < 0.5);
    strcpy(at, ",\"k5\":0}");
    Json *value;
    ck_assert(!parse(&value, text, strlen(text)));
    ERROR_HAS(&bench.error, "the key \"k5\" stands here a second time");
}

// A long number and a long name in the message: it stays one whole sentence.
TEST(test_long_excerpts)
{
    Json *value;
    char text[3000];
    memset(text, '9', sizeof text);
    ck_assert(!parse(&value, text, sizeof text));
    ERROR_HAS(&bench.error, "t.json:1:1: ", "999…\"", "must fit into float64");
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    ck_assert(parse(&value, text, sizeof text));
}

TEST(test_quote)
{
    ck_assert_str_eq(json_quote(bench.arena, ""), "\"\"");
    ck_assert_str_eq(json_quote(bench.arena, "a\"b\\c/"), "\"a\\\"b\\\\c/\"");
    ck_assert_str_eq(json_quote(bench.arena, "\b\f\n\r\t\x01\x1F\x7F"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\"");
    ck_assert_str_eq(json_quote(bench.arena, "\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
    ck_assert_str_eq(json_quote(bench.arena, "a\xFF\xC3"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
    char all[256];
    for (int i = 1; i < 128; i++) all[i - 1] = (char)i;
    all[127] = 0;
    ck_assert_str_eq(parsed(json_quote(bench.arena, all))->text, all);
}

TEST(test_shown)
{
    char many[100];
    memset(many, 'x', sizeof many);
    ck_assert_str_eq(text_shown(bench.arena, "a\n\x1B\x7F\xC2\x9B\xC3\xA9\xFF", 9),
                     "\"a\\x0a\\x1b\\x7f\\xc2\\x9b\xC3\xA9\\xff\"");
    ck_assert_str_eq(text_shown(bench.arena, "", 0), "\"\"");
    ck_assert_uint_eq(strlen(text_shown(bench.arena, many, 48)), 50);
    ck_assert_uint_eq(strlen(text_shown(bench.arena, many, 49)), 50 + strlen("…"));
    memset(many, 1, sizeof many);
    ck_assert_uint_eq(strlen(text_shown(bench.arena, many, 100)), 2 + 4 * 48 + strlen("…"));
    memcpy(many + 47, "\xF0\x9F\x98\x80", 4);
    ck_assert_uint_eq(strlen(text_shown(bench.arena, many, 100)), 2 + 4 * 47 + 4 + strlen("…"));
}
