// Normalization: NFC, lower case, marks for spaces, and BERT's clean-up.
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

#include <string.h>

// A mark before the text, with an empty byte range.
static TokLetters prepend(TokLetters text, Arena *arena, TokLetters content)
{
    TokLetters out = { 0 };
    if (!text.count) return text;
    for (int i = 0; i < content.count; i++)
        tok_add_letter(&out, arena, content.at[i].c, text.at[0].from, text.at[0].from);
    for (int i = 0; i < text.count; i++) tok_add_letter(&out, arena, text.at[i].c, text.at[i].from, text.at[i].to);
    return out;
}

static bool matches_at(TokLetters text, int at, TokLetters pattern)
{
    if (at + pattern.count > text.count) return false;
    for (int i = 0; i < pattern.count; i++)
        if (text.at[at + i].c != pattern.at[i].c) return false;
    return true;
}

static TokLetters replace(TokLetters text, Arena *arena, TokLetters pattern, TokLetters content)
{
    TokLetters out = { 0 };
    for (int at = 0; at < text.count;) {
        if (!matches_at(text, at, pattern)) {
            tok_add_letter(&out, arena, text.at[at].c, text.at[at].from, text.at[at].to);
            at++;
            continue;
        }
        int from = text.at[at].from, to = text.at[at + pattern.count - 1].to;
        for (int i = 0; i < content.count; i++) tok_add_letter(&out, arena, content.at[i].c, from, to);
        at += pattern.count;
    }
    return out;
}

static TokLetters lower(TokLetters text, Arena *arena)
{
    TokLetters out = { 0 };
    for (int i = 0; i < text.count; i++) {
        uint32_t small[2];
        int count = unicode_lower(small, text.at[i].c);
        for (int n = 0; n < count; n++) tok_add_letter(&out, arena, small[n], text.at[i].from, text.at[i].to);
    }
    return out;
}

// ---- NFD and NFC                                                               [Unicode Standard Annex 15]

// Stable sort of the combining marks at … end − 1 by class. A counting sort, since a hostile text may have a million.
static void order_marks(TokLetters out, Arena *arena, int at, int end)
{
    int first[257] = { 0 };
    ArenaMark mark = arena_mark(arena);
    TokLetter *sorted = arena_room(arena, (size_t)(end - at) * sizeof *sorted);
    for (int i = at; i < end; i++) first[unicode_order(out.at[i].c) + 1]++;
    for (int order = 0; order < 256; order++) first[order + 1] += first[order];
    for (int i = at; i < end; i++) sorted[first[unicode_order(out.at[i].c)]++] = out.at[i];
    memcpy(out.at + at, sorted, (size_t)(end - at) * sizeof *sorted);
    arena_release(arena, mark);
}

static TokLetters decompose(TokLetters text, Arena *arena)
{
    TokLetters out = { 0 };
    for (int i = 0; i < text.count; i++) {
        uint32_t parts[4];
        int count = unicode_decompose(parts, text.at[i].c);
        for (int n = 0; n < count; n++) tok_add_letter(&out, arena, parts[n], text.at[i].from, text.at[i].to);
    }
    for (int at = 0, end; at < out.count; at = end) {
        for (end = at; end < out.count && unicode_order(out.at[end].c); end++) continue;
        if (end > at + 1) order_marks(out, arena, at, end);
        if (end == at) end++;
    }
    return out;
}

// A letter is composed with the last starter unless a mark of the same or a higher class is between them.
static TokLetters compose(TokLetters text)
{
    int starter = -1, count = 0, between = -1; // between: class of the preceding letter, −1: the starter itself
    for (int i = 0; i < text.count; i++) {
        TokLetter letter = text.at[i];
        int order = unicode_order(letter.c);
        bool free = starter >= 0 && between < order;
        uint32_t whole = free ? unicode_compose(text.at[starter].c, letter.c) : 0;
        if (whole) {
            TokLetter *joined = &text.at[starter];
            joined->c = whole;
            if (letter.from < joined->from) joined->from = letter.from;
            if (letter.to > joined->to) joined->to = letter.to;
            continue;
        }
        if (order == 0) starter = count;
        between = order ? order : -1;
        text.at[count++] = letter;
    }
    text.count = count;
    return text;
}

// ---- BERT's

static TokLetters bert_clean(TokLetters text, Arena *arena)
{
    TokLetters out = { 0 };
    for (int i = 0; i < text.count; i++) {
        TokLetter l = text.at[i];
        if (unicode_is(UNICODE_REMOVED, l.c)) continue;
        tok_add_letter(&out, arena, unicode_is(UNICODE_BLANK, l.c) ? ' ' : l.c, l.from, l.to);
    }
    return out;
}

static TokLetters bert_chinese(TokLetters text, Arena *arena)
{
    TokLetters out = { 0 };
    for (int i = 0; i < text.count; i++) {
        TokLetter l = text.at[i];
        bool apart = unicode_is(UNICODE_CHINESE, l.c);
        if (apart) tok_add_letter(&out, arena, ' ', l.from, l.from);
        tok_add_letter(&out, arena, l.c, l.from, l.to);
        if (apart) tok_add_letter(&out, arena, ' ', l.to, l.to);
    }
    return out;
}

static TokLetters bert_accents(TokLetters text, Arena *arena)
{
    TokLetters decomposed = decompose(text, arena), out = decomposed;
    out.count = 0;
    for (int i = 0; i < decomposed.count; i++)
        if (!unicode_is(UNICODE_ACCENT, decomposed.at[i].c)) out.at[out.count++] = decomposed.at[i];
    return out;
}

static TokLetters bert(const TokNormalStep *step, TokLetters text, Arena *arena)
{
    if (step->clean) text = bert_clean(text, arena);
    if (step->chinese) text = bert_chinese(text, arena);
    if (step->accents) text = bert_accents(text, arena);
    return step->lower ? lower(text, arena) : text;
}

static TokLetters normal_step(const TokNormalStep *step, TokLetters text, Arena *arena)
{
    switch (step->kind) {
    case TOK_NORMAL_PREPEND: return prepend(text, arena, step->content);
    case TOK_NORMAL_REPLACE: return replace(text, arena, step->pattern, step->content);
    case TOK_NORMAL_LOWER: return lower(text, arena);
    case TOK_NORMAL_NFD: return decompose(text, arena);
    case TOK_NORMAL_NFC: return compose(decompose(text, arena));
    case TOK_NORMAL_BERT: return bert(step, text, arena);
    }
    return text;
}

TokLetters tok_normal(const Tokenizer *t, Arena *arena, TokLetters letters)
{
    for (int i = 0; i < t->normal_count; i++) letters = normal_step(&t->normal[i], letters, arena);
    return letters;
}
