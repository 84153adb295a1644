// Reads tokenizer.json or vocab.txt, whichever a folder has.
#include "tokenizer/tokenizer_reader.h"

#include "base/os.h"

#include <string.h>

// ---- tokenizer.json

static void finish(const TokReader *r)
{
    tok_trie(&r->t->raw, r->arena, r->t, false);
    tok_trie(&r->t->normalized, r->arena, r->t, true);
}

static bool read_file(const TokReader *r, const Json *root)
{
    if (root->kind != JSON_OBJECT)
        return tok_refuse(r, root, "found %s, but a tokenizer is an object", tok_shown(r, root));
    const Json *model = tok_need(r, root, "model", JSON_OBJECT), *added = tok_member(root, "added_tokens");
    if (!model || !tok_read_kind(r, model)) return false;
    const Json *vocabulary = tok_need(r, model, "vocab", JSON_OBJECT);
    if (!vocabulary || (added && !tok_need(r, root, "added_tokens", JSON_ARRAY))) return false;
    r->t->decodes = tok_member(root, "decoder");
    if (!tok_read_vocabulary(r, vocabulary, added) || !tok_read_model(r, model) ||
        !tok_read_part(r, json_member(root, "normalizer"), &tok_normalizers) || !tok_read_added(r, added) ||
        !tok_read_part(r, json_member(root, "pre_tokenizer"), &tok_pre_tokenizers) ||
        !tok_read_part(r, json_member(root, "post_processor"), &tok_processors) ||
        !tok_read_part(r, json_member(root, "decoder"), &tok_decoders))
        return false;
    finish(r);
    return true;
}

bool tokenizer_parse(Tokenizer **out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Json *root;
    Arena *scratch = arena_open();
    TokReader r = { arena_alloc(arena, sizeof(Tokenizer)), arena, scratch, name, error };
    bool ok = json_parse(&root, scratch, (const char *)file.at, file.size, name, error) && read_file(&r, root);
    arena_close(scratch);
    if (ok) *out = r.t;
    return ok;
}

// ---- vocab.txt: one token per line, numbered from 0, with BERT's rules

static bool read_lines(const TokReader *r, FileBytes file)
{
    int lines = 0;
    for (size_t at = 0; at < file.size; at++) lines += file.at[at] == '\n' || at + 1 == file.size;
    r->t->tokens = arena_alloc(r->arena, (size_t)lines * sizeof *r->t->tokens);
    r->t->special = arena_alloc(r->arena, (size_t)lines * sizeof *r->t->special);
    r->t->words = tok_texts(r->arena, lines);
    r->t->added_ids = tok_texts(r->arena, 8);
    for (size_t at = 0, end; at < file.size; at = end + 1) {
        for (end = at; end < file.size && file.at[end] != '\n'; end++) {
            if (!file.at[end])
                return error_set(r->error, "%s:%d: found a 0 byte, but a vocabulary is text", r->name, r->t->count + 1);
        }
        size_t size = end - at - (end > at && file.at[end - 1] == '\r');
        char *text = arena_alloc(r->arena, size + 1);
        memcpy(text, file.at + at, size);
        r->t->tokens[r->t->count] = text;
        tok_texts_put(&r->t->words, text, r->t->count++);
        if ((int)size > r->t->longest) r->t->longest = (int)size;
    }
    return true;
}

static bool add_special(const TokReader *r, const char *text, bool needed)
{
    int id = tok_texts_get(&r->t->words, text, (int)strlen(text));
    if (id < 0)
        return !needed || error_set(r->error, "%s: found %d tokens without %s, but BERT's vocabulary has one", r->name,
                                    r->t->count, text);
    r->t->special[id] = true;
    tok_texts_put(&r->t->added_ids, text, id);
    r->t->added[r->t->added_count++] = (TokAddedToken){ .content = text, .id = id, .special = true };
    return true;
}

bool tokenizer_parse_vocabulary(Tokenizer **out, Arena *arena, FileBytes file, const char *name, bool lower,
                                Error *error)
{
    static const char *const names[] = { "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]" };
    TokReader r = { arena_alloc(arena, sizeof(Tokenizer)), arena, NULL, name, error };
    r.t->added = arena_alloc(arena, 5 * sizeof *r.t->added);
    if (!read_lines(&r, file)) return false;
    for (int i = 0; i < 5; i++)
        if (!add_special(&r, names[i], i < 3)) return false;
    r.t->model = TOK_MODEL_WORDPIECE;
    r.t->prefix = "##";
    r.t->most_letters = 100;
    r.t->unknown = tokenizer_id(r.t, "[UNK]");
    r.t->decodes = true;
    r.t->normal[r.t->normal_count++] = (TokNormalStep){ TOK_NORMAL_BERT, { 0 }, { 0 }, true, true, lower, lower };
    r.t->split[r.t->split_count++] = (TokSplitStep){ .kind = TOK_SPLIT_BERT };
    r.t->decode[r.t->decode_count++] = (TokDecodeStep){ .kind = TOK_DECODE_WORDPIECE, .pattern = "##", .on = true };
    tok_around(&r, tokenizer_id(r.t, "[CLS]"), tokenizer_id(r.t, "[SEP]"), false);
    finish(&r);
    *out = r.t;
    return true;
}

// ---- a folder

static bool file_exists(const char *path)
{
    OsStatus about;
    return os_status(&about, path);
}

// do_lower_case of tokenizer_config.json; default true.
static bool read_lower(bool *out, Arena *arena, const char *path, Error *error)
{
    FileBytes file;
    Json *root;
    *out = true;
    if (!file_exists(path)) return true;
    if (!file_read(&file, arena, path, error)) return false;
    if (!json_parse(&root, arena, (const char *)file.at, file.size, path, error)) return false;
    TokReader r = { .scratch = arena, .name = path, .error = error };
    return tok_read_flag(&r, out, root, "do_lower_case", true);
}

bool tokenizer_read(Tokenizer **out, Arena *arena, const char *folder, Error *error)
{
    Arena *scratch = arena_open();
    const char *json = arena_format(scratch, "%s/tokenizer.json", folder);
    const char *lines = arena_format(scratch, "%s/vocab.txt", folder);
    const char *config = arena_format(scratch, "%s/tokenizer_config.json", folder);
    FileBytes file;
    bool lower, ok;
    if (file_exists(json)) {
        ok = file_read(&file, scratch, json, error) && tokenizer_parse(out, arena, file, json, error);
    } else if (file_exists(lines)) {
        ok = read_lower(&lower, scratch, config, error) && file_read(&file, scratch, lines, error) &&
             tokenizer_parse_vocabulary(out, arena, file, lines, lower, error);
    } else {
        ok = error_set(error,
                       "%s: found neither tokenizer.json nor vocab.txt, but one of them must say what the words "
                       "are",
                       folder);
    }
    arena_close(scratch);
    return ok;
}
