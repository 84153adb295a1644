// Reads the vocabulary, the model and the added tokens of tokenizer.json.
#include "tokenizer/tokenizer_reader.h"

#include <string.h>

enum { GAPS = 1 << 16 }; // maximum number of unused ids in a file

// ---- the vocabulary

static bool name_token(const TokReader *r, const Json *at, const char *text, int id)
{
    if (r->t->tokens[id])
        return tok_refuse(r, at, "the number %d stands here a second time, but each token has its own", id);
    r->t->tokens[id] = text;
    return true;
}

// The largest id of all tokens, including added ones, gives the size of the tables.
static bool read_count(const TokReader *r, const Json *vocabulary, const Json *added)
{
    int tokens = 0, largest = -1, id;
    const Json *at = vocabulary;
    for (const Json *one = vocabulary->first; one; one = one->next, tokens++) {
        if (!tok_read_number(r, &id, one, "a number of a token", 1 << 30)) return false;
        if (id > largest) at = one;
        if (id > largest) largest = id;
    }
    for (const Json *one = added ? added->first : NULL; one; one = one->next, tokens++) {
        const Json *number = tok_need(r, one, "id", JSON_NUMBER);
        if (!number || !tok_read_number(r, &id, number, "\"id\"", 1 << 30)) return false;
        if (id > largest) at = number;
        if (id > largest) largest = id;
    }
    if (largest >= tokens + GAPS)
        return tok_refuse(r, at, "the number %d is too large for a file of %d tokens; at most %d may be left out",
                          largest, tokens, GAPS);
    r->t->count = largest + 1;
    r->t->tokens = arena_alloc(r->arena, (size_t)r->t->count * sizeof *r->t->tokens);
    r->t->special = arena_alloc(r->arena, (size_t)r->t->count * sizeof *r->t->special);
    return true;
}

static bool read_words(const TokReader *r, const Json *vocabulary)
{
    int tokens = 0, id;
    for (const Json *one = vocabulary->first; one; one = one->next) tokens++;
    r->t->words = tok_texts(r->arena, tokens);
    for (const Json *one = vocabulary->first; one; one = one->next) {
        const char *text = tok_kept(r, one->key);
        int length = (int)strlen(text);
        if (!tok_read_number(r, &id, one, "a number of a token", 1 << 30) || !name_token(r, one, text, id))
            return false;
        tok_texts_put(&r->t->words, text, id);
        if (length > r->t->longest) r->t->longest = length;
    }
    return true;
}

// One of added_tokens. A token that the model also has keeps the model's id.
static bool read_one_added(const TokReader *r, const Json *one)
{
    TokAddedToken token = { 0 };
    const Json *content = tok_need(r, one, "content", JSON_STRING), *number = tok_need(r, one, "id", JSON_NUMBER);
    if (!content || !number || !tok_read_number(r, &token.id, number, "\"id\"", 1 << 30)) return false;
    if (!tok_read_flag(r, &token.alone, one, "single_word", false) ||
        !tok_read_flag(r, &token.left, one, "lstrip", false) || !tok_read_flag(r, &token.right, one, "rstrip", false) ||
        !tok_read_flag(r, &token.special, one, "special", false) ||
        !tok_read_flag(r, &token.normalized, one, "normalized", !token.special))
        return false;
    int length = (int)strlen(content->text), in_model = tok_texts_get(&r->t->words, content->text, length);
    if (!length || tok_texts_get(&r->t->added_ids, content->text, length) >= 0) return true;
    token.content = tok_kept(r, content->text);
    if (in_model >= 0 && in_model != token.id)
        return tok_refuse(r, number, "the token %s is number %d here and number %d in the vocabulary",
                          tok_shown(r, content), token.id, in_model);
    if (in_model < 0 && !name_token(r, number, token.content, token.id)) return false;
    r->t->special[token.id] = token.special;
    tok_texts_put(&r->t->added_ids, token.content, token.id);
    r->t->added[r->t->added_count++] = token;
    return true;
}

bool tok_read_added(const TokReader *r, const Json *list)
{
    int count = 0;
    for (const Json *one = list ? list->first : NULL; one; one = one->next) count++;
    r->t->added = arena_alloc(r->arena, (size_t)count * sizeof *r->t->added);
    r->t->added_ids = tok_texts(r->arena, count);
    for (const Json *one = list ? list->first : NULL; one; one = one->next)
        if (!read_one_added(r, one)) return false;
    return true;
}

bool tok_read_vocabulary(const TokReader *r, const Json *vocabulary, const Json *added)
{
    return read_count(r, vocabulary, added) && read_words(r, vocabulary);
}

// ---- the model

// WordLevel files may name an unknown token that does not exist, as model C's does: then unknown words are dropped.
static bool read_unknown(const TokReader *r, const Json *model)
{
    const Json *token = tok_member(model, "unk_token");
    r->t->unknown = -1;
    if (!token) return true;
    if (token->kind != JSON_STRING)
        return tok_refuse(r, token, "\"unk_token\" is %s; it must be a string or null", tok_shown(r, token));
    if (!*token->text) return true;
    r->t->unknown = tok_texts_get(&r->t->words, token->text, (int)strlen(token->text));
    if (r->t->unknown >= 0 || r->t->model == TOK_MODEL_WORDLEVEL) return true;
    return tok_refuse(r, token, "the unknown token %s is not in the vocabulary", tok_shown(r, token));
}

// "a b", or ["a", "b"]: two tokens whose concatenation is a third.
static bool read_merge(const TokReader *r, const Json *merge, int rank)
{
    const Json *right = merge->kind == JSON_ARRAY && merge->first ? merge->first->next : NULL;
    const char *first = NULL, *second = NULL;
    int length = 0;
    if (right && !right->next && merge->first->kind == JSON_STRING && right->kind == JSON_STRING) {
        first = merge->first->text;
        second = right->text;
        length = (int)strlen(first);
    } else if (merge->kind == JSON_STRING && strchr(merge->text, ' ')) {
        first = merge->text;
        second = strchr(first, ' ') + 1;
        length = (int)(second - 1 - first);
    }
    if (!first) return tok_refuse(r, merge, "a merge must be two tokens, as \"a b\" or [\"a\", \"b\"]");

    ArenaMark mark = arena_mark(r->scratch);
    const char *whole = arena_format(r->scratch, "%.*s%s", length, first, second);
    int left_id = tok_texts_get(&r->t->words, first, length), other = (int)strlen(second);
    int right_id = tok_texts_get(&r->t->words, second, other);
    int whole_id = tok_texts_get(&r->t->words, whole, length + other);
    if (left_id < 0 || right_id < 0 || whole_id < 0)
        return tok_refuse(r, merge, "a merge makes %s, but the vocabulary does not have %s", tok_quoted(r, whole),
                          left_id < 0    ? "its left part"
                          : right_id < 0 ? "its right part"
                                         : "that");
    arena_release(r->scratch, mark);
    tok_pairs_put(&r->t->merges, left_id, right_id, rank, whole_id);
    return true;
}

static bool read_bpe(const TokReader *r, const Json *model)
{
    static const char *const affixes[] = { "continuing_subword_prefix", "end_of_word_suffix" };
    const Json *dropout = tok_member(model, "dropout"), *merges = tok_need(r, model, "merges", JSON_ARRAY);
    int count = 0;
    if (!merges) return false;
    if (dropout && !(dropout->kind == JSON_NUMBER && dropout->number == 0.0))
        return tok_refuse(r, dropout, "\"dropout\" is %s; merges that are left out by chance are not known",
                          tok_shown(r, dropout));
    for (int i = 0; i < 2; i++) {
        const Json *affix = tok_member(model, affixes[i]);
        if (affix && (affix->kind != JSON_STRING || *affix->text))
            return tok_refuse(r, affix, "\"%s\" is %s; only null is known here", affixes[i], tok_shown(r, affix));
    }
    for (const Json *one = merges->first; one; one = one->next) count++;
    r->t->merges = tok_pairs(r->arena, count);
    count = 0;
    for (const Json *one = merges->first; one; one = one->next)
        if (!read_merge(r, one, count++)) return false;
    return tok_read_flag(r, &r->t->fuse_unknown, model, "fuse_unk", false) &&
           tok_read_flag(r, &r->t->byte_fallback, model, "byte_fallback", false) &&
           tok_read_flag(r, &r->t->ignore_merges, model, "ignore_merges", false);
}

static bool needs_unknown(const TokReader *r, const Json *model)
{
    if (r->t->unknown >= 0) return true;
    return tok_refuse(r, model, "this model has no \"unk_token\"; words that it does not know need one");
}

static bool read_wordpiece(const TokReader *r, const Json *model)
{
    const Json *most = json_member(model, "max_input_chars_per_word");
    const Json *prefix = tok_member(model, "continuing_subword_prefix");
    if (prefix) prefix = tok_need(r, model, "continuing_subword_prefix", JSON_STRING);
    if (tok_member(model, "continuing_subword_prefix") && !prefix) return false;
    r->t->prefix = prefix ? tok_kept(r, prefix->text) : "##";
    r->t->most_letters = 100;
    return (!most || tok_read_number(r, &r->t->most_letters, most, "\"max_input_chars_per_word\"", 1 << 30)) &&
           needs_unknown(r, model);
}

static bool read_wordlevel(const TokReader *r, const Json *model)
{
    return tok_member(model, "unk_token") || needs_unknown(r, model);
}

static const struct {
    const char *type;
    bool (*read)(const TokReader *r, const Json *model);
} models[] = {
    [TOK_MODEL_BPE] = { "BPE", read_bpe },
    [TOK_MODEL_WORDPIECE] = { "WordPiece", read_wordpiece },
    [TOK_MODEL_WORDLEVEL] = { "WordLevel", read_wordlevel },
};

// Older files omit the type: it is inferred from the members.
bool tok_read_kind(const TokReader *r, const Json *model)
{
    const Json *type = tok_member(model, "type");
    r->t->model = json_member(model, "merges") ? TOK_MODEL_BPE : TOK_MODEL_WORDPIECE;
    if (!type) return true;
    for (int kind = TOK_MODEL_BPE; type->kind == JSON_STRING && kind <= TOK_MODEL_WORDLEVEL; kind++) {
        r->t->model = (TokModelKind)kind;
        if (!strcmp(type->text, models[kind].type)) return true;
    }
    return tok_refuse(r, type, "the model %s is not known; known are BPE, WordPiece, WordLevel", tok_shown(r, type));
}

bool tok_read_model(const TokReader *r, const Json *model)
{
    r->t->prefix = "";
    return read_unknown(r, model) && models[r->t->model].read(r, model);
}
