// Reads the post-processor of tokenizer.json: the template, such as [CLS] … [SEP].
#include "tokenizer/tokenizer_reader.h"

#include <string.h>

enum { MOST_ITEMS = 256 }; // limits a hostile file that repeats a token very often

static bool is_token(const TokReader *r, const Json *at, int id)
{
    if (tokenizer_token(r->t, id)) return true;
    return tok_refuse(r, at, "no token has the number %d", id);
}

static bool add_item(const TokReader *r, const Json *at, TokTemplate *template, int *capacity, TokTemplateItem item)
{
    if (template->count == MOST_ITEMS) return tok_refuse(r, at, "a template has at most %d parts", MOST_ITEMS);
    template->items = tok_grown(r->arena, template->items, template->count, capacity, sizeof item);
    template->items[template->count++] = item;
    return true;
}

// { "Sequence": { "id": "A", "type_id": 0 } } or { "SpecialToken": { "id": "[CLS]", "type_id": 0 } }
static bool read_item(const TokReader *r, TokTemplate *template, int *capacity, const Json *item, const Json *tokens)
{
    const Json *text = json_member(item, "Sequence"), *inner = text ? text : json_member(item, "SpecialToken");
    if (!inner) return tok_refuse(r, item, "a part of a template must have \"Sequence\" or \"SpecialToken\"");
    const Json *id = tok_need(r, inner, "id", JSON_STRING);
    const Json *type = id ? tok_need(r, inner, "type_id", JSON_NUMBER) : NULL;
    int kind, number;
    if (!type || !tok_read_number(r, &kind, type, "\"type_id\"", 1)) return false;
    if (text) {
        bool second = !strcmp(id->text, "B");
        if (!second && strcmp(id->text, "A"))
            return tok_refuse(r, id, "found %s, but a text is A or B", tok_shown(r, id));
        return add_item(r, item, template, capacity,
                        (TokTemplateItem){ second ? TOK_TEMPLATE_SECOND : TOK_TEMPLATE_FIRST, kind });
    }
    const Json *token = tok_need(r, tokens, id->text, JSON_OBJECT);
    const Json *ids = token ? tok_need(r, token, "ids", JSON_ARRAY) : NULL;
    for (const Json *one = ids ? ids->first : NULL; one; one = one->next)
        if (!tok_read_number(r, &number, one, "a number of a token", 1 << 30) || !is_token(r, one, number) ||
            !add_item(r, one, template, capacity, (TokTemplateItem){ number, kind }))
            return false;
    return ids;
}

static bool read_items(const TokReader *r, TokTemplate *template, const Json *list, const Json *tokens, bool pair)
{
    int capacity = 0, seconds = 0;
    for (const Json *item = list->first; item; item = item->next)
        if (!read_item(r, template, &capacity, item, tokens)) return false;
    for (int i = 0; i < template->count; i++) seconds += template->items[i].id == TOK_TEMPLATE_SECOND;
    if (seconds && !pair) return tok_refuse(r, list, "the template of one text has a second text, B");
    if (!seconds && pair) template->count = 0;
    return true;
}

static bool only_template(const TokReader *r, const Json *part)
{
    if (r->t->has_template) return tok_refuse(r, part, "a second template stands here, but one is all that is known");
    r->t->has_template = true;
    return true;
}

static bool read_template(const TokReader *r, const Json *part)
{
    if (!only_template(r, part)) return false;
    const Json *single = tok_need(r, part, "single", JSON_ARRAY);
    const Json *tokens = single ? tok_need(r, part, "special_tokens", JSON_OBJECT) : NULL;
    const Json *pair = tok_member(part, "pair");
    if (!tokens || !read_items(r, &r->t->single, single, tokens, false)) return false;
    if (!pair) return true;
    pair = tok_need(r, part, "pair", JSON_ARRAY);
    return pair && read_items(r, &r->t->pair, pair, tokens, true);
}

// ["</s>", 2]
static bool read_named(const TokReader *r, int *id, const Json *part, const char *key)
{
    const Json *pair = tok_need(r, part, key, JSON_ARRAY);
    if (!pair) return false;
    const Json *number = pair->first ? pair->first->next : NULL;
    if (!number) return tok_refuse(r, pair, "\"%s\" must be a token and its number, as [\"</s>\", 2]", key);
    return tok_read_number(r, id, number, "a number of a token", 1 << 30) && is_token(r, number, *id);
}

void tok_around(const TokReader *r, int cls, int sep, bool roberta)
{
    TokTemplate *single = &r->t->single, *pair = &r->t->pair;
    int kind = roberta ? 0 : 1, capacity = 0;
    const TokTemplateItem items[] = { { cls, 0 }, { TOK_TEMPLATE_FIRST, 0 },     { sep, 0 },
                                      { sep, 0 }, { TOK_TEMPLATE_SECOND, kind }, { sep, kind } };
    for (int i = 0; i < 6; i++)
        if (roberta || i != 3) add_item(r, NULL, pair, &capacity, items[i]);
    *single = (TokTemplate){ pair->items, 3 };
    r->t->has_template = true;
}

static bool read_around(const TokReader *r, const Json *part, bool roberta)
{
    int cls, sep;
    if (!only_template(r, part) || !read_named(r, &cls, part, "cls") || !read_named(r, &sep, part, "sep")) return false;
    tok_around(r, cls, sep, roberta);
    return true;
}

static bool read_bert_around(const TokReader *r, const Json *part) { return read_around(r, part, false); }
static bool read_roberta_around(const TokReader *r, const Json *part) { return read_around(r, part, true); }

static bool read_nothing(const TokReader *r, const Json *part) // ByteLevel: changes offsets, not tokens
{
    (void)r;
    (void)part;
    return true;
}

// clang-format off
static const TokPart post_kinds[] = {
    { "BertProcessing", read_bert_around }, { "ByteLevel", read_nothing },
    { "RobertaProcessing", read_roberta_around }, { "TemplateProcessing", read_template },
};
// clang-format on
const TokParts tok_processors = TOK_PARTS("post-processor", "processors", post_kinds);
