// Normalizers, pre-tokenizers and decoders of tokenizer.json. An unknown type is refused by name: a tokenizer with other
// ids than in the model's training would be worse than an error.
#include "tokenizer/tokenizer_reader.h"

#include <string.h>

enum { MOST_GROWTH = 64 }; // limits a hostile file that multiplies the text at each step

static bool too_many(const TokReader *r, const Json *part, const char *what)
{
    return tok_refuse(r, part, "more than %d %s stand here", TOK_STEPS, what);
}

// ---- the normalizer

static bool add_normal(const TokReader *r, const Json *part, TokNormalStep step)
{
    if (r->t->normal_count == TOK_STEPS) return too_many(r, part, "normalizers");
    r->t->normal[r->t->normal_count++] = step;
    return true;
}

static bool read_prepend(const TokReader *r, const Json *part)
{
    const char *text;
    return tok_read_text(r, &text, part, "prepend") &&
           add_normal(r, part, (TokNormalStep){ .kind = TOK_NORMAL_PREPEND, .content = tok_letters(r->arena, text) });
}

static bool read_replace(const TokReader *r, const Json *part)
{
    const char *pattern;
    if (!tok_read_pattern(r, &pattern, part, "Replace")) return false;
    const Json *content = tok_need(r, part, "content", JSON_STRING);
    if (!content) return false;
    TokNormalStep step = { .kind = TOK_NORMAL_REPLACE,
                           .pattern = tok_letters(r->arena, pattern),
                           .content = tok_letters(r->arena, content->text) };
    double longer = (double)step.content.count / step.pattern.count;
    for (int i = 0; i < r->t->normal_count; i++)
        if (r->t->normal[i].kind == TOK_NORMAL_REPLACE && r->t->normal[i].content.count > r->t->normal[i].pattern.count)
            longer *= (double)r->t->normal[i].content.count / r->t->normal[i].pattern.count;
    if (longer > MOST_GROWTH) return tok_refuse(r, part, "a text may become at most %d times as long", MOST_GROWTH);
    return add_normal(r, part, step);
}

static bool read_lowercase(const TokReader *r, const Json *part)
{
    return add_normal(r, part, (TokNormalStep){ .kind = TOK_NORMAL_LOWER });
}

static bool read_nfd(const TokReader *r, const Json *part)
{
    return add_normal(r, part, (TokNormalStep){ .kind = TOK_NORMAL_NFD });
}

static bool read_nfc(const TokReader *r, const Json *part)
{
    return add_normal(r, part, (TokNormalStep){ .kind = TOK_NORMAL_NFC });
}

// strip_accents defaults to lowercase.
static bool read_bert_normalizer(const TokReader *r, const Json *part)
{
    TokNormalStep step = { .kind = TOK_NORMAL_BERT };
    return tok_read_flag(r, &step.clean, part, "clean_text", true) &&
           tok_read_flag(r, &step.chinese, part, "handle_chinese_chars", true) &&
           tok_read_flag(r, &step.lower, part, "lowercase", true) &&
           tok_read_flag(r, &step.accents, part, "strip_accents", step.lower) && add_normal(r, part, step);
}

// clang-format off
static const TokPart normalizer_kinds[] = {
    { "BertNormalizer", read_bert_normalizer }, { "Lowercase", read_lowercase }, { "NFC", read_nfc },
    { "NFD", read_nfd }, { "Prepend", read_prepend }, { "Replace", read_replace },
};
// clang-format on
const TokParts tok_normalizers = TOK_PARTS("normalizer", "normalizers", normalizer_kinds);

// ---- the pre-tokenizer

static bool add_split(const TokReader *r, const Json *part, TokSplitStep step)
{
    if (r->t->split_count == TOK_STEPS) return too_many(r, part, "pre-tokenizers");
    r->t->split[r->t->split_count++] = step;
    return true;
}

static bool read_cut(const TokReader *r, TokCutKind *out, const Json *part, TokCutKind otherwise)
{
    static const char *const names[] = { "Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous" };
    const Json *behavior = tok_member(part, "behavior");
    *out = otherwise;
    if (!behavior) return true;
    for (int i = 0; behavior->kind == JSON_STRING && i <= TOK_CUT_CONTIGUOUS; i++) {
        *out = (TokCutKind)i;
        if (!strcmp(behavior->text, names[i])) return true;
    }
    return tok_refuse(r, behavior,
                      "\"behavior\" is %s; it must be Isolated, Removed, MergedWithPrevious, MergedWithNext "
                      "or Contiguous",
                      tok_shown(r, behavior));
}

static bool read_split(const TokReader *r, const Json *part)
{
#define BEFORE_NUMBERS "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define AFTER_NUMBERS  "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
    static const struct {
        const char *regex;
        TokSplitKind kind;
    } patterns[] = {
        { "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", TOK_SPLIT_GPT2 },
        { BEFORE_NUMBERS "\\p{N}{1,3}" AFTER_NUMBERS, TOK_SPLIT_LLAMA3 },
        { BEFORE_NUMBERS "\\p{N}" AFTER_NUMBERS, TOK_SPLIT_QWEN },
        { "[0-9][0-9][0-9]", TOK_SPLIT_THREE_DIGITS },
    };
    TokSplitStep step = { .kind = TOK_SPLIT_TEXT };
    bool invert;
    const char *text;
    if (!read_cut(r, &step.cut, part, TOK_CUT_ISOLATED) || !tok_read_flag(r, &invert, part, "invert", false))
        return false;
    if (invert) return tok_refuse(r, part, "Split with \"invert\" is not known");
    const Json *regex = json_member(json_member(part, "pattern"), "Regex");
    for (size_t i = 0; regex && regex->kind == JSON_STRING && i < sizeof patterns / sizeof *patterns; i++) {
        step.kind = patterns[i].kind;
        if (!strcmp(regex->text, patterns[i].regex)) return add_split(r, part, step);
    }
    if (!tok_read_pattern(r, &text, part, "Split")) return false;
    step.text = tok_letters(r->arena, text);
    return add_split(r, part, step);
}

static bool read_bytes(const TokReader *r, const Json *part)
{
    TokSplitStep step = { .kind = TOK_SPLIT_BYTES };
    r->t->bytes = true;
    return tok_read_flag(r, &step.prefix, part, "add_prefix_space", true) &&
           tok_read_flag(r, &step.apart, part, "use_regex", true) && add_split(r, part, step);
}

// "prepend_scheme" is first, always or never; older files have add_prefix_space instead of the last two.
static bool read_scheme(const TokReader *r, TokMarkFirst *out, const Json *part)
{
    static const char *const names[] = { "never", "first", "always" };
    const Json *scheme = tok_member(part, "prepend_scheme");
    bool before;
    if (!tok_read_flag(r, &before, part, "add_prefix_space", true)) return false;
    *out = before ? TOK_MARK_ALWAYS : TOK_MARK_NEVER;
    if (!scheme) return true;
    for (int i = 0; scheme->kind == JSON_STRING && i <= TOK_MARK_ALWAYS; i++) {
        *out = (TokMarkFirst)i;
        if (!strcmp(scheme->text, names[i])) return true;
    }
    return tok_refuse(r, scheme, "\"prepend_scheme\" is %s; it must be always, first or never", tok_shown(r, scheme));
}

static bool read_metaspace(const TokReader *r, const Json *part)
{
    TokSplitStep step = { .kind = TOK_SPLIT_MARKED };
    const char *mark;
    if (!tok_read_text(r, &mark, part, "replacement") || !read_scheme(r, &step.first, part)) return false;
    step.text = tok_letters(r->arena, mark);
    if (step.text.count != 1)
        return tok_refuse(r, part, "\"replacement\" is %s; it must be one character", tok_quoted(r, mark));
    return tok_read_flag(r, &step.apart, part, "split", true) && add_split(r, part, step);
}

static bool read_digits(const TokReader *r, const Json *part)
{
    bool single;
    if (!tok_read_flag(r, &single, part, "individual_digits", false)) return false;
    return add_split(r, part,
                     (TokSplitStep){ .kind = TOK_SPLIT_DIGIT, .cut = single ? TOK_CUT_ISOLATED : TOK_CUT_CONTIGUOUS });
}

static bool read_punctuation(const TokReader *r, const Json *part)
{
    TokSplitStep step = { .kind = TOK_SPLIT_PUNCTUATION };
    return read_cut(r, &step.cut, part, TOK_CUT_ISOLATED) && add_split(r, part, step);
}

static bool read_bert_split(const TokReader *r, const Json *part)
{
    return add_split(r, part, (TokSplitStep){ .kind = TOK_SPLIT_BERT });
}

static bool read_whitespace(const TokReader *r, const Json *part)
{
    return add_split(r, part, (TokSplitStep){ .kind = TOK_SPLIT_WORDS });
}

static const TokPart split_kinds[] = {
    { "BertPreTokenizer", read_bert_split }, { "ByteLevel", read_bytes },         { "Digits", read_digits },
    { "Metaspace", read_metaspace },         { "Punctuation", read_punctuation }, { "Split", read_split },
    { "Whitespace", read_whitespace },
};
const TokParts tok_pre_tokenizers = TOK_PARTS("pre-tokenizer", "pretokenizers", split_kinds);

// ---- the decoder

static bool add_decode(const TokReader *r, const Json *part, TokDecodeStep step)
{
    if (r->t->decode_count == TOK_STEPS) return too_many(r, part, "decoders");
    r->t->decode[r->t->decode_count++] = step;
    return true;
}

static bool decode_bytes(const TokReader *r, const Json *part)
{
    return add_decode(r, part, (TokDecodeStep){ .kind = TOK_DECODE_BYTES });
}

static bool decode_fallback(const TokReader *r, const Json *part)
{
    return add_decode(r, part, (TokDecodeStep){ .kind = TOK_DECODE_FALLBACK });
}

static bool decode_fuse(const TokReader *r, const Json *part)
{
    return add_decode(r, part, (TokDecodeStep){ .kind = TOK_DECODE_FUSE });
}

static bool decode_wordpiece(const TokReader *r, const Json *part)
{
    TokDecodeStep step = { .kind = TOK_DECODE_WORDPIECE };
    return tok_read_text(r, &step.pattern, part, "prefix") && tok_read_flag(r, &step.on, part, "cleanup", true) &&
           add_decode(r, part, step);
}

static bool decode_replace(const TokReader *r, const Json *part)
{
    TokDecodeStep step = { .kind = TOK_DECODE_REPLACE };
    if (!tok_read_pattern(r, &step.pattern, part, "Replace")) return false;
    const Json *content = tok_need(r, part, "content", JSON_STRING);
    if (!content) return false;
    step.content = tok_kept(r, content->text);
    return add_decode(r, part, step);
}

static bool decode_strip(const TokReader *r, const Json *part)
{
    TokDecodeStep step = { .kind = TOK_DECODE_STRIP };
    const Json *start = tok_need(r, part, "start", JSON_NUMBER);
    const Json *stop = start ? tok_need(r, part, "stop", JSON_NUMBER) : NULL;
    return stop && tok_read_number(r, &step.start, start, "\"start\"", 1 << 20) &&
           tok_read_number(r, &step.stop, stop, "\"stop\"", 1 << 20) &&
           tok_read_text(r, &step.pattern, part, "content") && add_decode(r, part, step);
}

static bool decode_metaspace(const TokReader *r, const Json *part)
{
    TokDecodeStep step = { .kind = TOK_DECODE_MARKED };
    TokMarkFirst first;
    if (!tok_read_text(r, &step.pattern, part, "replacement") || !read_scheme(r, &first, part)) return false;
    step.on = first != TOK_MARK_NEVER;
    return add_decode(r, part, step);
}

static const TokPart decode_kinds[] = {
    { "ByteFallback", decode_fallback }, { "ByteLevel", decode_bytes }, { "Fuse", decode_fuse },
    { "Metaspace", decode_metaspace },   { "Replace", decode_replace }, { "Strip", decode_strip },
    { "WordPiece", decode_wordpiece },
};
const TokParts tok_decoders = TOK_PARTS("decoder", "decoders", decode_kinds);
