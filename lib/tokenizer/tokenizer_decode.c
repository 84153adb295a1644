// Decoding: tokens to text, step by step as the library's decoders do it; and one token for display.
#include "tokenizer/tokenizer_internal.h"

#include "io/text.h"
#include "tokenizer/unicode_classes.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *at;
    int size;
} Text;
typedef struct {
    Text *at;
    int count;
} Texts;
typedef struct {
    char *at;
    int size, capacity;
} Out;

static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD

static void put(Out *out, Arena *arena, const char *bytes, int size)
{
    if (out->size + size > out->capacity) {
        out->capacity = 2 * (out->size + size) + 16;
        char *more = arena_room(arena, (size_t)out->capacity);
        if (out->size) memcpy(more, out->at, (size_t)out->size);
        out->at = more;
    }
    if (size) memcpy(out->at + out->size, bytes, (size_t)size);
    out->size += size;
}

static void put_byte(Out *out, Arena *arena, int byte) { put(out, arena, &(char){ (char)byte }, 1); }

static Text text_of(const char *text) { return (Text){ text, (int)strlen(text) }; }
static Text taken(Out out) { return (Text){ out.at, out.size }; }

static bool begins(Text text, int at, Text what)
{
    return at + what.size <= text.size && !memcmp(text.at + at, what.at, (size_t)what.size);
}

static Text replace_all(Arena *arena, Text text, const char *pattern, const char *content)
{
    Out out = { 0 };
    Text what = text_of(pattern);
    for (int at = 0; at < text.size;) {
        bool here = begins(text, at, what);
        if (here) put(&out, arena, content, (int)strlen(content));
        else put(&out, arena, text.at + at, 1);
        at += here ? what.size : 1;
    }
    return taken(out);
}

// ---- bytes that may not be UTF-8

// Number of bytes that one U+FFFD replaces: the longest truncated prefix of a character.
static int broken_length(const unsigned char *at, int size)
{
    for (int n = 3; n > 1; n--) {
        unsigned char whole[4] = { 0x80, 0x80, 0x80, 0x80 };
        if (n > size) continue;
        memcpy(whole, at, (size_t)n);
        if ((int)text_utf8_length(whole, 4) > n) return n;
    }
    return 1;
}

static Text replace_invalid(Arena *arena, Text bytes)
{
    Out out = { 0 };
    for (int at = 0; at < bytes.size;) {
        const unsigned char *byte = (const unsigned char *)bytes.at + at;
        int length = (int)text_utf8_length(byte, (size_t)(bytes.size - at));
        if (length) put(&out, arena, bytes.at + at, length);
        else put(&out, arena, replacement, 3);
        at += length ? length : broken_length(byte, bytes.size - at);
    }
    return taken(out);
}

// Maps a token's letters to bytes by ByteLevel's alphabet; the token itself if a letter is not in it.
static Text bytes_of(Arena *arena, Text token)
{
    Out out = { 0 };
    for (int at = 0; at < token.size;) {
        int length = (int)text_utf8_length((const unsigned char *)token.at + at, (size_t)(token.size - at));
        int byte = length ? tok_letter_byte(unicode_read((const unsigned char *)token.at + at, length)) : -1;
        if (byte < 0) return token;
        put_byte(&out, arena, byte);
        at += length;
    }
    return taken(out);
}

// <0xE2> → 226; −1: not of this form.
static int fallback_byte(Text token)
{
    static const char digits[] = "0123456789ABCDEF0123456789abcdef";
    if (token.size != 6 || memcmp(token.at, "<0x", 3) || token.at[5] != '>') return -1;
    const char *high = memchr(digits, token.at[3], 32), *low = memchr(digits, token.at[4], 32);
    return high && low ? (int)((high - digits) % 16 * 16 + (low - digits) % 16) : -1;
}

// ---- steps: each maps a list of texts to another

static Texts join(Arena *arena, Texts texts, const char *between)
{
    Out out = { 0 };
    for (int i = 0; i < texts.count; i++) {
        if (i) put(&out, arena, between, (int)strlen(between));
        put(&out, arena, texts.at[i].at, texts.at[i].size);
    }
    Texts one = { arena_alloc(arena, sizeof(Text)), 1 };
    one.at[0] = taken(out);
    return one;
}

static Texts step_bytes(Arena *arena, Texts texts)
{
    for (int i = 0; i < texts.count; i++) texts.at[i] = bytes_of(arena, texts.at[i]);
    Texts one = join(arena, texts, "");
    one.at[0] = replace_invalid(arena, one.at[0]);
    return one;
}

static Texts step_wordpiece(const TokDecodeStep *step, Arena *arena, Texts texts)
{
    static const char *const tidied[][2] = {
        { " .", "." },   { " ?", "?" },     { " !", "!" },     { " ,", "," },
        { " ' ", "'" },  { " n't", "n't" }, { " 'm", "'m" },   { " do not", " don't" },
        { " 's", "'s" }, { " 've", "'ve" }, { " 're", "'re" },
    };
    Text prefix = text_of(step->pattern);
    for (int i = 0; i < texts.count; i++) {
        Out out = { 0 };
        bool goes_on = i > 0 && begins(texts.at[i], 0, prefix);
        if (i > 0 && !goes_on) put(&out, arena, " ", 1);
        put(&out, arena, texts.at[i].at + (goes_on ? prefix.size : 0), texts.at[i].size - (goes_on ? prefix.size : 0));
        texts.at[i] = taken(out);
        for (size_t n = 0; step->on && n < sizeof tidied / sizeof *tidied; n++)
            texts.at[i] = replace_all(arena, texts.at[i], tidied[n][0], tidied[n][1]);
    }
    return texts;
}

// Consecutive bytes form one text if they are UTF-8; otherwise each is a U+FFFD.
static Text fallback_text(Arena *arena, Out bytes)
{
    Text text = taken(bytes);
    int at = 0, length = 1;
    for (; at < text.size && length; at += length)
        length = (int)text_utf8_length((const unsigned char *)text.at + at, (size_t)(text.size - at));
    Out out = { 0 };
    for (int i = 0; i < text.size && !length; i++) put(&out, arena, replacement, 3);
    return length ? text : taken(out);
}

static Texts step_fallback(Arena *arena, Texts texts)
{
    Texts out = { arena_alloc(arena, (size_t)texts.count * sizeof(Text)), 0 };
    for (int i = 0; i < texts.count;) {
        Out bytes = { 0 };
        int byte, from = i;
        for (; i < texts.count && (byte = fallback_byte(texts.at[i])) >= 0; i++) put_byte(&bytes, arena, byte);
        out.at[out.count++] = i > from ? fallback_text(arena, bytes) : texts.at[i++];
    }
    return out;
}

static Texts step_strip(const TokDecodeStep *step, Texts texts)
{
    Text what = text_of(step->pattern);
    for (int i = 0; i < texts.count; i++) {
        Text *text = &texts.at[i];
        for (int n = 0; n < step->start && begins(*text, 0, what); n++) {
            text->at += what.size;
            text->size -= what.size;
        }
        for (int n = 0; n < step->stop && text->size >= what.size && begins(*text, text->size - what.size, what); n++)
            text->size -= what.size;
    }
    return texts;
}

static Texts run_step(const TokDecodeStep *step, Arena *arena, Texts texts)
{
    switch (step->kind) {
    case TOK_DECODE_BYTES: return step_bytes(arena, texts);
    case TOK_DECODE_WORDPIECE: return step_wordpiece(step, arena, texts);
    case TOK_DECODE_FALLBACK: return step_fallback(arena, texts);
    case TOK_DECODE_FUSE: return join(arena, texts, "");
    case TOK_DECODE_STRIP: return step_strip(step, texts);
    case TOK_DECODE_REPLACE:
        for (int i = 0; i < texts.count; i++)
            texts.at[i] = replace_all(arena, texts.at[i], step->pattern, step->content);
        return texts;
    case TOK_DECODE_MARKED: // the marks of the first token were added by the encoder
        for (int i = 0; i < texts.count; i++)
            texts.at[i] = replace_all(arena, texts.at[i], step->pattern, i == 0 && step->on ? "" : " ");
        return texts;
    }
    return texts;
}

const char *tokenizer_decode(Arena *arena, const Tokenizer *tokenizer, const int *ids, int count, bool special)
{
    Arena *scratch = arena_open();
    Texts texts = { arena_alloc(scratch, (size_t)count * sizeof(Text)), 0 };
    for (int i = 0; i < count; i++) {
        const char *token = tokenizer_token(tokenizer, ids[i]);
        if (token && (special || !tokenizer_is_special(tokenizer, ids[i]))) texts.at[texts.count++] = text_of(token);
    }
    for (int i = 0; i < tokenizer->decode_count; i++) texts = run_step(&tokenizer->decode[i], scratch, texts);
    Text whole = join(scratch, texts, tokenizer->decodes ? "" : " ").at[0];
    Out out = { 0 };
    for (int i = 0; i < whole.size; i++) // a 0 byte would terminate the string
        put(&out, arena, whole.at[i] ? whole.at + i : replacement, whole.at[i] ? 1 : 3);
    put(&out, arena, "", 1);
    arena_close(scratch);
    return out.at;
}

// ---- one token for display

// A space as a dot; an incomplete byte or a control character as ⟨NN⟩.
static void show_letters(Out *out, Arena *arena, Text bytes)
{
    for (int at = 0; at < bytes.size;) {
        const unsigned char *byte = (const unsigned char *)bytes.at + at;
        int length = (int)text_utf8_length(byte, (size_t)(bytes.size - at));
        uint32_t c = length ? unicode_read(byte, length) : 0;
        char hex[16];
        if (c == ' ' || c == 0x2581) put(out, arena, "·", 2);
        else if (c < ' ' || (c >= 0x7F && c < 0xA0)) {
            for (int i = 0; i < (length ? length : 1); i++)
                put(out, arena, hex, snprintf(hex, sizeof hex, "⟨%02X⟩", byte[i]));
        } else {
            put(out, arena, bytes.at + at, length);
        }
        at += length ? length : 1;
    }
}

const char *tokenizer_shown(Arena *arena, const Tokenizer *tokenizer, int id)
{
    Out out = { 0 };
    const char *token = tokenizer_token(tokenizer, id);
    if (!token) return arena_format(arena, "⟨%d⟩", id);
    Text text = text_of(token);
    int byte = tokenizer->byte_fallback ? fallback_byte(text) : -1;
    bool added = tok_texts_get(&tokenizer->added_ids, token, text.size) >= 0;
    char alone = (char)byte;
    if (byte >= 0) text = (Text){ &alone, 1 };
    else if (tokenizer->bytes && !added) text = bytes_of(arena, text);
    show_letters(&out, arena, text);
    put(&out, arena, "", 1);
    return out.at;
}
