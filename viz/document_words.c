// Prepares words for display, from a dump's notes or tokens files.
//
// Tokenizers mark word boundaries in different ways:
//     Ġthe, ▁the, " the"   begin a word (GPT-2, SentencePiece, decoded pieces)     the
//     ##ing                continues one (BERT)                                    ##ing
//     the</w>              ends one (OpenAI's first GPT, CLIP)                     the
// A mark that every word has is dropped; ## is kept, since it marks the exceptions. Pieces without a mark are shown as
// they are. Spaces that are the token, and further ones before it, are shown as ␣, controls as \n, \t, \xNN, an empty
// token as "". Characters without width, and other spaces at an end, are shown as U+200B unless they join the letters
// beside them; a combining accent without its letter is shown on a ring. In lists with Ġ or Ċ each letter stands for a
// byte (é is Ã©), so such lists are converted to bytes first.
#include "viz/document_internal.h"

#include "io/json.h"
#include "io/text.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char **at;
    int count;
} List;
typedef enum { MARKS_PIECES, MARKS_BYTES, MARKS_SPACES } Marks;

// ---- one word

// The byte for a letter of GPT-2's byte alphabet: itself if printable, or else the next free letter from U+0100 on. −1:
// none.
static int byte_of(unsigned code)
{
    if ((code >= 33 && code <= 126) || (code >= 161 && code <= 172) || (code >= 174 && code <= 255)) return (int)code;
    if (code >= 256 && code < 256 + 33) return (int)code - 256;
    if (code >= 256 + 33 && code < 256 + 67) return (int)code - 256 - 33 + 127;
    return code == 256 + 67 ? 173 : -1;
}

// Converts letters to bytes, in place. Unchanged if any letter is not in the alphabet.
static void into_bytes(char *word)
{
    size_t size = strlen(word), n = 0;
    for (int pass = 0; pass < 2; pass++) // first pass: check only
        for (size_t i = n = 0; i < size;) {
            const unsigned char *at = (const unsigned char *)word + i;
            size_t length = text_utf8_length(at, size - i);
            unsigned code = length == 2 ? (at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu) : at[0];
            int byte = length == 1 || length == 2 ? byte_of(code) : -1;
            if (byte <= 0) return;
            if (pass) word[n++] = (char)byte;
            i += length;
        }
    word[n] = 0;
}

// U+2581, SentencePiece's mark for a space.
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

// The code point of a well-formed letter of `length` bytes.
static unsigned code_of(const unsigned char *at, size_t length)
{
    unsigned code = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
    for (size_t n = 1; n < length; n++) code = code << 6 | (at[n] & 0x3Fu);
    return code;
}

typedef struct {
    unsigned from, to;
} Codes;

static bool is_among(const Codes *codes, size_t count, unsigned code)
{
    for (size_t n = 0; n < count; n++)
        if (code >= codes[n].from && code <= codes[n].to) return true;
    return false;
}

// Spaces other than U+0020.
static bool is_space(unsigned code)
{
    static const Codes spaces[] = {
        { 0xA0, 0xA0 },     { 0x1680, 0x1680 }, { 0x2000, 0x200A },
        { 0x202F, 0x202F }, { 0x205F, 0x205F }, { 0x3000, 0x3000 },
    };
    return is_among(spaces, sizeof spaces / sizeof *spaces, code);
}

// Characters without width, or that change the direction of the following words.
static bool is_unseen(unsigned code)
{
    static const Codes unseen[] = {
        { 0x61C, 0x61C },   { 0x115F, 0x1160 }, { 0x180E, 0x180E }, { 0x200B, 0x200B }, { 0x200E, 0x200F },
        { 0x2028, 0x202E }, { 0x2060, 0x206F }, { 0x3164, 0x3164 }, { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 },
    };
    return is_among(unseen, sizeof unseen / sizeof *unseen, code);
}

// Joiners and variation selectors, which affect the letters beside them.
static bool is_joiner(unsigned code)
{
    static const Codes joiners[] = { { 0x200C, 0x200D }, { 0xFE00, 0xFE0F }, { 0xE0000, 0xE0FFF } };
    return is_among(joiners, sizeof joiners / sizeof *joiners, code);
}

// Combining accents that belong to no script; fonts draw the others on a ring.
static bool is_accent(unsigned code)
{
    static const Codes accents[] = {
        { 0x300, 0x36F },   { 0x483, 0x489 },   { 0x591, 0x5BD },   { 0x64B, 0x65F },
        { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x20D0, 0x20FF }, { 0xFE20, 0xFE2F },
    };
    return is_among(accents, sizeof accents / sizeof *accents, code);
}

// Shows controls and invalid bytes in letters, and invisible characters by number. A token is a piece of bytes: its
// first and last bytes may be parts of a letter.
static char *printed(Arena *arena, const char *word)
{
    enum { NUMBER = 8 }; // U+10FFFF
    size_t size = strlen(word);
    char *shown = arena_alloc(arena, NUMBER * size + 4), *to = shown;
    bool joins = false; // a letter precedes, which a joiner can join
    for (size_t i = 0; i < size;) {
        const unsigned char *at = (const unsigned char *)word + i;
        size_t length = text_utf8_length(at, size - i);
        unsigned code = length ? code_of(at, length) : 0;
        bool control = length == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0);
        bool space = is_space(code), inside = to != shown && i + length < size;
        bool unseen = is_unseen(code) || (space && !inside) || (is_joiner(code) && !joins);
        if (control) {
            const char *name = at[0] == '\n' ? "\\n" : at[0] == '\t' ? "\\t" : at[0] == '\r' ? "\\r" : NULL;
            to += name ? sprintf(to, "%s", name) : sprintf(to, "\\x%02x", at[0]);
            length = 1;
        } else if (unseen) {
            to += sprintf(to, "U+%04X", code);
        } else if (space) {
            *to++ = ' ';
        } else {
            if (is_accent(code) && to == shown) to += sprintf(to, "◌");
            memcpy(to, at, length);
            to += length;
        }
        joins = !control && !unseen && !space;
        i += length;
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

    size_t seen = spaces == size ? spaces : spaces ? spaces - 1 : 0; // one space before a word is dropped
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

// An array of strings, or one inside another (a batch of one).
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

// The contents of a tokens file: words of the queries, and perhaps of the keys. at NULL: none.
typedef struct {
    List queries, keys;
} Tokens;

static bool tokens_of_json(Tokens *out, Arena *arena, const Json *root, const char *name, Error *error)
{
    if (root->kind != JSON_OBJECT) return list_of_json(&out->queries, arena, root, name, error);
    const Json *queries = json_member(root, "query_tokens"), *keys = json_member(root, "key_tokens");
    if (!queries) queries = json_member(root, "tokens");
    if (!queries && !keys)
        return refuse(name, root, "the object has neither \"tokens\" nor \"query_tokens\" nor \"key_tokens\"", error);
    return (!queries || list_of_json(&out->queries, arena, queries, name, error)) &&
           (!keys || list_of_json(&out->keys, arena, keys, name, error));
}

// Text with one word per line may start with a bracket, too ([CLS]); a .json file must be JSON.
static bool parse_tokens(Tokens *out, Arena *arena, const char *text, const char *name, Error *error)
{
    size_t length = strlen(name);
    bool must = length >= 5 && !strcmp(name + length - 5, ".json");
    if (!strncmp(text, "\xEF\xBB\xBF", 3)) text += 3; // a byte order mark
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

    // 1. Read the files. Keys have their own file, or a member of the object, or in a square map the queries' words.
    if (reading.tokens && !parse_tokens(&tokens, arena, reading.tokens, own, error)) return false;
    if (reading.key_tokens && !parse_tokens(&others, arena, reading.key_tokens, of_keys, error)) return false;
    queries = tokens.queries;
    keys = reading.key_tokens ? others.keys.at ? others.keys : others.queries : tokens.keys;
    if (!reading.key_tokens) of_keys = own;

    // 2. Check the counts.
    bool both = queries.at && !keys.at && d->T == d->S;
    if (queries.at && !check_count(own, queries.count, name, d->T, both ? "token" : "row", error)) return false;
    if (keys.at && !check_count(of_keys, keys.count, name, d->S, "column", error)) return false;

    // 3. Prepare for display.
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
    else if (reading.guessed) d->note = arena_format(arena, "%s", error->text);
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
