// Pre-tokenization: splits a text into words. The published regular expressions are hand-written matchers.
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

// A match: letters from … to − 1; `to` is −1 when there is no further match.
typedef struct {
    int from, to;
} Match;

// ---- letters

static uint32_t letter_at(TokLetters text, int at) { return at < text.count ? text.at[at].c : 0; }
static bool is_at(TokLetters text, int at, UnicodeClass class)
{
    return at < text.count && unicode_is(class, text.at[at].c);
}

// Neither space, letter nor number: punctuation, symbols, marks, unassigned.
static bool other_at(TokLetters text, int at)
{
    return at < text.count && !unicode_is(UNICODE_SPACE, text.at[at].c) && !unicode_is(UNICODE_LETTER, text.at[at].c) &&
           !unicode_is(UNICODE_NUMBER, text.at[at].c);
}

static bool newline_at(TokLetters text, int at)
{
    return at < text.count && (text.at[at].c == '\n' || text.at[at].c == '\r');
}

// End of a run of one class, at most `most` letters.
static int run_end(TokLetters text, int at, UnicodeClass class, int most)
{
    int end = at;
    while (end - at < most && is_at(text, end, class)) end++;
    return end;
}

static int others_end(TokLetters text, int at)
{
    while (other_at(text, at)) at++;
    return at;
}

// ---- the published patterns. Each returns the end of the word at `at`, which is after `at` for any letter.

// 's|'t|'re|'ve|'m|'ll|'d, any case if `any`, when ſ (long s) matches, too. Returns `at` without a match.
static int contraction_end(TokLetters text, int at, bool any)
{
    static const char *const endings[] = { "s", "t", "re", "ve", "m", "ll", "d" };
    if (letter_at(text, at) != '\'') return at;
    for (size_t n = 0; n < sizeof endings / sizeof *endings; n++) {
        int i = 0;
        for (; endings[n][i]; i++) {
            uint32_t c = letter_at(text, at + 1 + i), asked = (unsigned char)endings[n][i];
            bool same = c == asked || (any && (c == asked - 32 || (c == 0x17F && asked == 's')));
            if (!same) break;
        }
        if (!endings[n][i]) return at + 1 + i;
    }
    return at;
}

// \s+(?!\S)|\s+: a run of spaces without its last one, which belongs to the next word, unless it is the only one.
static int spaces_end(TokLetters text, int at)
{
    int end = run_end(text, at, UNICODE_SPACE, text.count);
    return end == text.count || end == at + 1 ? end : end - 1;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+            [Radford et al. 2019: GPT-2]
static int gpt2_end(TokLetters text, int at)
{
    int end = contraction_end(text, at, false), word = letter_at(text, at) == ' ' ? at + 1 : at;
    if (end > at) return end;
    if (is_at(text, word, UNICODE_LETTER)) return run_end(text, word, UNICODE_LETTER, text.count);
    if (is_at(text, word, UNICODE_NUMBER)) return run_end(text, word, UNICODE_NUMBER, text.count);
    return other_at(text, word) ? others_end(text, word) : spaces_end(text, at);
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// [LLaMA 3, from GPT-4]; Qwen has \p{N} without {1,3}: `digits` is 3 or 1.
static int llama3_end(TokLetters text, int at, int digits)
{
    int end = contraction_end(text, at, true);
    if (end > at) return end;
    bool number = is_at(text, at, UNICODE_NUMBER), before = !number && !newline_at(text, at);
    if (is_at(text, at, UNICODE_LETTER)) return run_end(text, at, UNICODE_LETTER, text.count);
    if (before && is_at(text, at + 1, UNICODE_LETTER)) return run_end(text, at + 1, UNICODE_LETTER, text.count);
    if (number) return run_end(text, at, UNICODE_NUMBER, digits);

    int word = letter_at(text, at) == ' ' ? at + 1 : at;
    if (other_at(text, word)) {
        for (end = others_end(text, word); newline_at(text, end);) end++;
        return end;
    }
    end = run_end(text, at, UNICODE_SPACE, text.count);
    while (end > at && !newline_at(text, end - 1)) end--;
    return end > at ? end : spaces_end(text, at); // up to the last line break among the spaces
}

// ---- other separators

static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }

static bool text_at(TokLetters text, int at, TokLetters what)
{
    for (int i = 0; i < what.count; i++)
        if (letter_at(text, at + i) != what.at[i].c) return false;
    return at + what.count <= text.count;
}

// \w+|[^\w\s]+
static int words_end(TokLetters text, int at)
{
    int end = run_end(text, at, UNICODE_WORD, text.count);
    if (end > at) return end;
    while (end < text.count && !is_at(text, end, UNICODE_WORD) && !is_at(text, end, UNICODE_SPACE)) end++;
    return end;
}

// End of the step's match at `at`; `at` if there is none.
static int match_end(const TokSplitStep *step, TokLetters text, int at)
{
    uint32_t c = text.at[at].c;
    switch (step->kind) {
    case TOK_SPLIT_GPT2: return gpt2_end(text, at);
    case TOK_SPLIT_LLAMA3: return llama3_end(text, at, 3);
    case TOK_SPLIT_QWEN: return llama3_end(text, at, 1);
    case TOK_SPLIT_THREE_DIGITS:
        return is_digit(c) && is_digit(letter_at(text, at + 1)) && is_digit(letter_at(text, at + 2)) ? at + 3 : at;
    case TOK_SPLIT_TEXT:
    case TOK_SPLIT_MARKED: return text_at(text, at, step->text) ? at + step->text.count : at;
    case TOK_SPLIT_DIGIT: return at + unicode_is(UNICODE_NUMBER, c);
    case TOK_SPLIT_BERT:
    case TOK_SPLIT_PUNCTUATION: return at + unicode_is(UNICODE_PUNCTUATION, c);
    case TOK_SPLIT_WORDS: return words_end(text, at);
    case TOK_SPLIT_BYTES: return gpt2_end(text, at);
    }
    return at;
}

static Match next_match(const TokSplitStep *step, TokLetters text, int at)
{
    for (; at < text.count; at++) {
        int end = match_end(step, text, at);
        if (end > at) return (Match){ at, end };
    }
    return (Match){ text.count, -1 };
}

// ---- splitting

// Parts of one piece; the last one may still grow.
typedef struct {
    TokPieces *pieces;
    Arena *arena;
    TokLetters text;
    TokCutKind cut;
    int from, to;
    bool match, open;
} Cutting;

static void cut_close(Cutting *c)
{
    if (c->open) tok_add_piece(c->pieces, c->arena, tok_part(c->text, c->from, c->to), -1);
    c->open = false;
}

// Adds the next part: a match, or the text between two. WITH_PREVIOUS and WITH_NEXT: of several adjacent matches, only
// the first joins the text before, or the last the text after.
static void cut_part(Cutting *c, int from, int to, bool match)
{
    bool joins = c->open && ((c->cut == TOK_CUT_WITH_PREVIOUS && match && !c->match) ||
                             (c->cut == TOK_CUT_WITH_NEXT && !match && c->match) ||
                             (c->cut == TOK_CUT_CONTIGUOUS && match == c->match));
    if (from == to) return;
    if (!joins) cut_close(c);
    if (!joins) c->from = from;
    c->to = to;
    c->match = match;
    c->open = !(match && c->cut == TOK_CUT_REMOVED);
}

static void cut(const TokSplitStep *step, TokCutKind kind, TokPieces *pieces, Arena *arena, TokLetters text)
{
    Cutting c = { .pieces = pieces, .arena = arena, .text = text, .cut = kind };
    for (int at = 0; at < text.count;) {
        Match match = next_match(step, text, at);
        cut_part(&c, at, match.from, false);
        if (match.to > 0) cut_part(&c, match.from, match.to, true);
        at = match.to > 0 ? match.to : text.count;
    }
    cut_close(&c);
}

// ---- BERT, ByteLevel, Metaspace

// Words between spaces, with punctuation separated.
static void split_spaced(const TokSplitStep *step, TokPieces *pieces, Arena *arena, TokLetters text)
{
    for (int at = 0, end; at < text.count; at = end + 1) {
        for (end = at; end < text.count && !is_at(text, end, UNICODE_SPACE); end++) continue;
        cut(step, TOK_CUT_ISOLATED, pieces, arena, tok_part(text, at, end));
    }
}

static TokLetters with_before(Arena *arena, uint32_t c, TokLetters text)
{
    TokLetters out = { 0 };
    tok_add_letter(&out, arena, c, text.at[0].from, text.at[0].from);
    for (int i = 0; i < text.count; i++) tok_add_letter(&out, arena, text.at[i].c, text.at[i].from, text.at[i].to);
    return out;
}

uint32_t tok_byte_letter(unsigned char byte)
{
    if ((byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173)) return byte;
    if (byte <= 32) return 256u + byte; // the 68 non-printable bytes, in order
    return byte == 173 ? 256 + 67 : 256u + byte - 94;
}

int tok_letter_byte(uint32_t c)
{
    if (c < 256) return tok_byte_letter((unsigned char)c) == c ? (int)c : -1;
    if (c >= 256 + 68) return -1;
    return c <= 256 + 32 ? (int)c - 256 : c == 256 + 67 ? 173 : (int)c - 256 + 94;
}

// Replaces each letter by ByteLevel's letters for its bytes; each gets the range of its byte if the letter is original.
static TokLetters as_bytes(Arena *arena, TokLetters text)
{
    TokLetters out = { 0 };
    for (int i = 0; i < text.count; i++) {
        char bytes[4];
        TokLetter l = text.at[i];
        int count = unicode_write(bytes, l.c);
        bool own = l.to - l.from == count;
        for (int n = 0; n < count; n++)
            tok_add_letter(&out, arena, tok_byte_letter((unsigned char)bytes[n]), own ? l.from + n : l.from,
                           own ? l.from + n + 1 : l.to);
    }
    return out;
}

static void split_bytes(const TokSplitStep *step, TokPieces *pieces, Arena *arena, TokLetters text)
{
    TokPieces words = { 0 };
    if (step->prefix && text.at[0].c != ' ') text = with_before(arena, ' ', text);
    if (step->apart) cut(step, TOK_CUT_ISOLATED, &words, arena, text);
    else tok_add_piece(&words, arena, text, -1);
    for (int i = 0; i < words.count; i++) tok_add_piece(pieces, arena, as_bytes(arena, words.at[i].letters), -1);
}

// Replaces spaces by marks, and prepends a mark to words without one: to all, or only to the first of the text.
static void split_marked(const TokSplitStep *step, TokPieces *pieces, Arena *arena, TokLetters text)
{
    uint32_t mark = step->text.at[0].c;
    for (int i = 0; i < text.count; i++)
        if (text.at[i].c == ' ') text.at[i].c = mark;
    bool wants = step->first == TOK_MARK_ALWAYS || (step->first == TOK_MARK_FIRST && text.at[0].from == 0);
    if (wants && text.at[0].c != mark) text = with_before(arena, mark, text);
    if (step->apart) cut(step, TOK_CUT_WITH_NEXT, pieces, arena, text);
    else tok_add_piece(pieces, arena, text, -1);
}

TokPieces tok_split(const Tokenizer *t, Arena *arena, TokPieces pieces)
{
    for (int i = 0; i < t->split_count; i++) {
        const TokSplitStep *step = &t->split[i];
        TokPieces next = { 0 };
        for (int n = 0; n < pieces.count; n++) {
            TokLetters text = pieces.at[n].letters;
            if (pieces.at[n].id >= 0) tok_add_piece(&next, arena, text, pieces.at[n].id);
            else if (step->kind == TOK_SPLIT_BERT || step->kind == TOK_SPLIT_WORDS)
                split_spaced(step, &next, arena, text);
            else if (step->kind == TOK_SPLIT_BYTES) split_bytes(step, &next, arena, text);
            else if (step->kind == TOK_SPLIT_MARKED) split_marked(step, &next, arena, text);
            else cut(step, step->cut, &next, arena, text);
        }
        pieces = next;
    }
    return pieces;
}
