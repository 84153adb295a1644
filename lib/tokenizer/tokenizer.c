// Encoding: the steps of tokenizer_internal.h in order, then the template.
#include "tokenizer/tokenizer_internal.h"

#include <string.h>

// The tokens of one text without a template. Intermediate results are in `scratch`, which is freed earlier than the list.
static TokenList encode_text(Arena *arena, Arena *scratch, const Tokenizer *t, const char *text)
{
    TokenList list = { 0 };
    int capacity = 0;

    // 1. split at added tokens, normalize, split at added tokens that match normalized text
    TokPieces raw = tok_added(t, &t->raw, scratch, tok_letters(scratch, text)), pieces = { 0 };
    for (int i = 0; i < raw.count; i++) {
        TokPiece piece = raw.at[i];
        TokPieces parts = { .at = &piece, .count = 1 };
        if (piece.id < 0) parts = tok_added(t, &t->normalized, scratch, tok_normal(t, scratch, piece.letters));
        for (int n = 0; n < parts.count; n++) tok_add_piece(&pieces, scratch, parts.at[n].letters, parts.at[n].id);
    }

    // 2. split into words, and encode each
    pieces = tok_split(t, scratch, pieces);
    for (int i = 0; i < pieces.count; i++) {
        TokLetters word = pieces.at[i].letters;
        if (pieces.at[i].id >= 0)
            tok_add(&list, &capacity, arena, pieces.at[i].id, word.at[0].from, word.at[word.count - 1].to);
        else if (t->model == TOK_MODEL_BPE) tok_bpe(t, &list, &capacity, arena, scratch, word);
        else tok_words(t, &list, &capacity, arena, scratch, word);
    }
    return list;
}

// The template for one or two texts. Its own tokens have an empty range, at the end of the text before.
static TokenList fill(Arena *arena, TokTemplate template, const TokenList texts[2], int **kinds)
{
    TokenList list = { 0 };
    int capacity = 0, at = 0, n = template.count;
    for (int i = 0; i < template.count; i++)
        if (template.items[i].id < 0) n += texts[template.items[i].id == TOK_TEMPLATE_SECOND].count;
    *kinds = arena_alloc(arena, (size_t)n * sizeof(int));
    for (int i = 0; i < template.count; i++) {
        TokTemplateItem item = template.items[i];
        const TokenList *text = item.id < 0 ? &texts[item.id == TOK_TEMPLATE_SECOND] : NULL;
        if (text) at = 0;
        for (int k = 0; text && k < text->count; k++) {
            tok_add(&list, &capacity, arena, text->ids[k], text->from[k], text->to[k]);
            (*kinds)[list.count - 1] = item.kind;
            at = text->to[k];
        }
        if (text) continue;
        tok_add(&list, &capacity, arena, item.id, at, at);
        (*kinds)[list.count - 1] = item.kind;
    }
    return list;
}

TokenList tokenizer_encode(Arena *arena, const Tokenizer *tokenizer, const char *text, bool special)
{
    int *kinds;
    Arena *scratch = arena_open();
    bool fills = special && tokenizer->has_template;
    TokenList texts[2] = { encode_text(arena, scratch, tokenizer, text) };
    TokenList list = fills ? fill(arena, tokenizer->single, texts, &kinds) : texts[0];
    arena_close(scratch);
    return list;
}

bool tokenizer_encode_pair(TokenList *out, int **kinds, Arena *arena, const Tokenizer *tokenizer, const char *first,
                           const char *second)
{
    TokTemplateItem side_by_side[2] = { { TOK_TEMPLATE_FIRST, 0 }, { TOK_TEMPLATE_SECOND, 1 } };
    TokTemplate template = tokenizer->has_template ? tokenizer->pair : (TokTemplate){ side_by_side, 2 };
    if (!template.count) return false;
    Arena *scratch = arena_open();
    TokenList texts[2] = { encode_text(arena, scratch, tokenizer, first),
                           encode_text(arena, scratch, tokenizer, second) };
    *out = fill(arena, template, texts, kinds);
    arena_close(scratch);
    return true;
}

// ---- queries

int tokenizer_count(const Tokenizer *tokenizer) { return tokenizer->count; }

const char *tokenizer_token(const Tokenizer *tokenizer, int id)
{
    return id >= 0 && id < tokenizer->count ? tokenizer->tokens[id] : NULL;
}

int tokenizer_id(const Tokenizer *tokenizer, const char *token)
{
    int length = (int)strlen(token), added = tok_texts_get(&tokenizer->added_ids, token, length);
    return added >= 0 ? added : tok_texts_get(&tokenizer->words, token, length);
}

bool tokenizer_is_special(const Tokenizer *tokenizer, int id)
{
    return id >= 0 && id < tokenizer->count && tokenizer->special[id];
}
