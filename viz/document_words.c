// Words as a reader expects them, from a dump's notes or from files of tokens.
//
// Tokenizers mark where a word begins or goes on, and the marks differ:
//     Ġthe, ▁the, " the"   begin a word (GPT-2, SentencePiece, decoded pieces)     the
//     ##ing                goes on (BERT)                                          ·ing
//     the</w>              ends a word (OpenAI's first GPT, CLIP)                  the
// Pieces that carry no mark are shown as they are. Spaces that are the token, or more than one before it, are shown as
// ␣; controls as \n, \t, \xNN; nothing at all as "". In a list with Ġ or Ċ, where a letter stands for a byte, é is
// written Ã©: such a list is turned back into bytes first.
#include "viz/document_parts.h"

#include "io/json.h"
#include "io/text.h"

#include <stdio.h>
#include <string.h>

typedef struct { const char **at; int count; } List;
typedef enum { MARKS_PIECES, MARKS_BYTES, MARKS_SPACES } Marks;

// ---- one word

// The byte that a letter of GPT-2's vocabulary stands for: itself when it is printable, or else the next free letter
// from U+0100 on. −1: it stands for none.
static int byte_of(unsigned code)
{
    if ((code >= 33 && code <= 126) || (code >= 161 && code <= 172) || (code >= 174 && code <= 255)) return (int)code;
    if (code >= 256 && code < 256 + 33) return (int)code - 256;
    if (code >= 256 + 33 && code < 256 + 67) return (int)code - 256 - 33 + 127;
    return code == 256 + 67 ? 173 : -1;
}

// Letters back to bytes, in place. As it was when any letter stands for none.
static void into_bytes(char *word)
{
    size_t size = strlen(word), n = 0;
    for (int pass = 0; pass < 2; pass++)                        // first only looking
        for (size_t i = n = 0; i < size;) {
            const unsigned char *at = (const unsigned char *)word + i;
            size_t length = utf8_length(at, size - i);
            unsigned code = length == 2 ? (at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu) : at[0];
            int byte = length == 1 || length == 2 ? byte_of(code) : -1;
            if (byte <= 0) return;
            if (pass) word[n++] = (char)byte;
            i += length;
        }
    word[n] = 0;
}

// U+2581, which SentencePiece writes for a space.
static void into_spaces(char *word)
{
    char *to = word;
    for (const char *at = word; *at;)
        if (!strncmp(at, "▁", 3)) {
            *to++ = ' ';
            at += 3;
        } else {
            *to++ = *at++;
        }
    *to = 0;
}

// Controls and broken bytes, which no font has, in letters.
static char *printed(Arena *arena, const char *word)
{
    size_t size = strlen(word);
    char *shown = arena_alloc(arena, 4 * size + 1), *to = shown;
    for (size_t i = 0; i < size;) {
        const unsigned char *at = (const unsigned char *)word + i;
        size_t length = utf8_length(at, size - i);
        bool control = length == 0 || at[0] < 0x20 || at[0] == 0x7F || (at[0] == 0xC2 && at[1] < 0xA0);
        if (control) {
            const char *name = at[0] == '\n' ? "\\n" : at[0] == '\t' ? "\\t" : at[0] == '\r' ? "\\r" : NULL;
            to += name ? sprintf(to, "%s", name) : sprintf(to, "\\x%02x", at[0]);
            i++;
        } else {
            memcpy(to, at, length);
            to += length;
            i += length;
        }
    }
    *to = 0;
    return shown;
}

static const char *shown(Arena *arena, const char *token, Marks marks)
{
    char *word = arena_format(arena, "%s", token);
    if (!*word) return "\"\"";
    if (marks == MARKS_BYTES) into_bytes(word);
    if (marks == MARKS_SPACES) into_spaces(word);
    size_t size = strlen(word), spaces = strspn(word, " ");
    if (size > 4 && !strcmp(word + size - 4, "</w>")) word[size -= 4] = 0;

    if (marks == MARKS_PIECES && !strncmp(word, "##", 2) && word[2] && word[2] != '#')
        return arena_format(arena, "·%s", printed(arena, word + 2));
    size_t seen = spaces == size ? spaces : spaces ? spaces - 1 : 0;          // one before a word goes without saying
    char *room = arena_alloc(arena, 3 * seen + 1);
    for (size_t s = 0; s < seen; s++) memcpy(room + 3 * s, "␣", 3);
    return arena_format(arena, "%s%s", room, printed(arena, word + spaces));
}

static const char *const *shown_list(Arena *arena, List list)
{
    Marks marks = MARKS_PIECES;
    for (int i = 0; i < list.count; i++) {
        if (strstr(list.at[i], "▁")) marks = MARKS_SPACES;
        if (!strncmp(list.at[i], "Ġ", 2) || strstr(list.at[i], "Ċ")) {
            marks = MARKS_BYTES;
            break;
        }
    }
    const char **words = arena_alloc(arena, (size_t)list.count * sizeof *words);
    for (int i = 0; i < list.count; i++) words[i] = shown(arena, list.at[i], marks);
    return words;
}

// ---- a list of them

static bool refuse(const char *name, const Json *at, const char *right, Error *error)
{
    return error_set(error, "%s:%zu:%zu: %s", name, at->line, at->column, right);
}

// An array of strings, or an array with one such array in it: a batch of one.
static bool list_of_json(List *out, Arena *arena, const Json *array, const char *name, Error *error)
{
    const Json *wrong;
    if (array->kind == JSON_ARRAY && array->first && !array->first->next && array->first->kind == JSON_ARRAY)
        array = array->first;
    if (json_strings_of(&out->at, &out->count, arena, array, &wrong)) return true;
    return refuse(name, wrong, "the tokens must be an array of strings, such as [\"The\", \"animal\"]", error);
}

static List list_of_lines(Arena *arena, const char *text)
{
    List list = { 0 };
    for (const char *at = text; *at; at += *at == '\n') {
        at += strcspn(at, "\n");
        list.count++;
    }
    list.at = arena_alloc(arena, (size_t)list.count * sizeof *list.at);
    for (int i = 0; i < list.count; i++) {
        size_t size = strcspn(text, "\n"), kept = size - (size > 0 && text[size - 1] == '\r');
        char *line = arena_alloc(arena, kept + 1);
        memcpy(line, text, kept);
        list.at[i] = line;
        text += size + (text[size] == '\n');
    }
    return list;
}

// What a file of tokens holds: words of the queries, and perhaps of the keys. at NULL: none.
typedef struct { List queries, keys; } Tokens;

static bool tokens_of_json(Tokens *out, Arena *arena, const Json *root, const char *name, Error *error)
{
    if (root->kind != JSON_OBJECT) return list_of_json(&out->queries, arena, root, name, error);
    const Json *queries = json_member(root, "query_tokens"), *keys = json_member(root, "key_tokens");
    if (!queries) queries = json_member(root, "tokens");
    if (!queries && !keys)
        return refuse(name, root, "the object has neither \"tokens\" nor \"query_tokens\" nor \"key_tokens\"", error);
    return (!queries || list_of_json(&out->queries, arena, queries, name, error))
        && (!keys || list_of_json(&out->keys, arena, keys, name, error));
}

// A list of lines may begin with a bracket, too: [CLS]. A file that is called .json must be JSON.
static bool parse_tokens(Tokens *out, Arena *arena, const char *text, const char *name, Error *error)
{
    size_t length = strlen(name);
    bool must = length >= 5 && !strcmp(name + length - 5, ".json");
    if (!strncmp(text, "\xEF\xBB\xBF", 3)) text += 3;                         // a byte order mark
    char first = text[strspn(text, " \t\r\n")];
    Json *root;
    *out = (Tokens){ 0 };
    if (must || first == '[' || first == '{') {
        if (json_parse(&root, arena, text, strlen(text), name, error))
            return tokens_of_json(out, arena, root, name, error);
        if (must) return false;
    }
    out->queries = list_of_lines(arena, text);
    return true;
}

static bool check_count(const char *tokens_name, int found, const char *name, int right, const char *what, Error *error)
{
    return found == right || error_set(error, "%s: found %d token%s, but %s has %d %s%s", tokens_name, found,
                                       found == 1 ? "" : "s", name, right, what, right == 1 ? "" : "s");
}

static bool take_words(Document *d, Arena *arena, const char *name, Reading reading, Error *error)
{
    const char *own = reading.tokens_name ? reading.tokens_name : "the tokens";
    const char *of_keys = reading.key_tokens_name ? reading.key_tokens_name : "the key tokens";
    Tokens tokens = { 0 }, others = { 0 };
    List queries, keys;

    // 1. What the files hold. Keys are named by their own file, or by the object; in a square map by what names the
    // queries.
    if (reading.tokens && !parse_tokens(&tokens, arena, reading.tokens, own, error)) return false;
    if (reading.key_tokens && !parse_tokens(&others, arena, reading.key_tokens, of_keys, error)) return false;
    queries = tokens.queries;
    keys = reading.key_tokens ? others.keys.at ? others.keys : others.queries : tokens.keys;
    if (!reading.key_tokens) of_keys = own;

    // 2. There must be as many as there are rows and columns.
    bool both = queries.at && !keys.at && d->T == d->S;
    if (queries.at && !check_count(own, queries.count, name, d->T, both ? "token" : "row", error)) return false;
    if (keys.at && !check_count(of_keys, keys.count, name, d->S, "column", error)) return false;

    // 3. As they are read.
    if (queries.at) d->queries = shown_list(arena, queries);
    if (keys.at) d->keys = shown_list(arena, keys);
    if (both) d->keys = d->queries;
    return true;
}

bool words_read(Document *d, Arena *arena, const char *name, Reading reading, Error *error)
{
    Document with = *d;
    bool good = take_words(&with, arena, name, reading, error);
    if (good) *d = with;
    else if (reading.guessed) d->aside = arena_format(arena, "%s", error->text);
    return good || reading.guessed;
}

const char *const *words_of_note(Arena *arena, const char *text, int count)
{
    Json *root;
    List list;
    if (!text || !json_parse(&root, arena, text, strlen(text), "", NULL)) return NULL;
    if (!list_of_json(&list, arena, root, "", NULL) || list.count != count) return NULL;
    return shown_list(arena, list);
}
