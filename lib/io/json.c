// A recursive-descent JSON parser.
#include "io/json.h"

#include "base/portable_math.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 64, NODES_AT_ONCE = 64 };

typedef struct {
    Arena *arena;
    const unsigned char *text;
    size_t size, offset; // the next byte is text[offset]
    size_t line, column; // of the next byte, from 1; columns count characters
    char *strings;       // buffer for decoded strings, as large as the text
    Json *spare;         // preallocated values
    int spare_count, levels;
    const char *name;
    Error *error;
} Reader;

// ---- the text, byte by byte

static int peek(const Reader *r) { return r->offset < r->size ? r->text[r->offset] : -1; }

static void take(Reader *r)
{
    unsigned char byte = r->text[r->offset++];
    if (byte == '\n') {
        r->line++;
        r->column = 1;
    } else if ((byte & 0xC0) != 0x80) { // the later bytes of a UTF-8 character do not count
        r->column++;
    }
}

static void skip_space(Reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') take(r);
}

// Sets the message “name:line:column: found …, but …”. `length` bytes from here are wrong; `right` says what is
// expected.
static bool refuse_all(const Reader *r, size_t length, const char *right)
{
    const char *found = peek(r) < 0 ? "the end" : text_shown(r->arena, r->text + r->offset, length);
    return error_set(r->error, "%s:%zu:%zu: found %s, but %s", r->name, r->line, r->column, found, right);
}

// The same for the next character.
static bool refuse(const Reader *r, const char *right)
{
    size_t length = peek(r) < 0 ? 0 : text_utf8_length(r->text + r->offset, r->size - r->offset);
    return refuse_all(r, length ? length : 1, right);
}

static bool expect(Reader *r, char byte, const char *right)
{
    if (peek(r) != byte) return refuse(r, right);
    take(r);
    return true;
}

// ---- strings

// Appends one character to the string being decoded.
static void put_utf8(Reader *r, uint32_t c)
{
    char *end = r->strings;
    if (c < 0x80) {
        *end++ = (char)c;
    } else {
        if (c < 0x800) {
            *end++ = (char)(0xC0 | c >> 6);
        } else {
            if (c < 0x10000) {
                *end++ = (char)(0xE0 | c >> 12);
            } else {
                *end++ = (char)(0xF0 | c >> 18);
                *end++ = (char)(0x80 | (c >> 12 & 0x3F));
            }
            *end++ = (char)(0x80 | (c >> 6 & 0x3F));
        }
        *end++ = (char)(0x80 | (c & 0x3F));
    }
    r->strings = end;
}

static int hex_value(int c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool hex4(Reader *r, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(peek(r));
        if (digit < 0) return refuse(r, "\\u needs four digits of 0-9, a-f, A-F");
        *out = *out << 4 | (uint32_t)digit;
        take(r);
    }
    return true;
}

// Parses what follows \u; `start` is the reader at the backslash. Characters above U+FFFF are two escapes, a high and a
// low surrogate.
static bool parse_unicode(Reader *r, Reader start)
{
    static const char pair[] = "a low surrogate, \\udc00 … \\udfff, must follow a high one";
    uint32_t c, low;
    if (!hex4(r, &c)) return false;
    if (c == 0) return refuse_all(&start, 6, "strings with a 0 byte in them are not read");
    if (c >= 0xDC00 && c <= 0xDFFF) return refuse_all(&start, 6, "a high surrogate must stand before a low one");
    if (c >= 0xD800 && c <= 0xDBFF) {
        start = *r;
        if (!expect(r, '\\', pair) || !expect(r, 'u', pair) || !hex4(r, &low)) return false;
        if (low < 0xDC00 || low > 0xDFFF) return refuse_all(&start, 6, pair);
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    put_utf8(r, c);
    return true;
}

// Parses an escape sequence.
static bool parse_escape(Reader *r)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    Reader start = *r;
    take(r);
    int c = peek(r);
    if (c == 'u') {
        take(r);
        return parse_unicode(r, start);
    }
    const char *letter = c > 0 ? strchr(letters, c) : NULL;
    if (!letter) return refuse(r, "after a backslash only \" \\ / b f n r t and u may stand");
    take(r);
    put_utf8(r, (unsigned char)meanings[letter - letters]);
    return true;
}

// Copies one unescaped character.
static bool parse_character(Reader *r)
{
    int c = peek(r);
    if (c < 0) return refuse(r, "a string must end with a double quote");
    if (c < 0x20) return refuse(r, "in a string this must be an escape, such as \\n");
    size_t length = text_utf8_length(r->text + r->offset, r->size - r->offset);
    if (!length) return refuse(r, "text must be UTF-8");
    for (size_t i = 0; i < length; i++) {
        *r->strings++ = (char)peek(r);
        take(r);
    }
    return true;
}

// Parses a string and decodes it into r->strings. The quotes leave space for the 0 at its end.
static bool parse_string(Reader *r, const char **out)
{
    *out = r->strings;
    take(r);
    while (peek(r) != '"') {
        if (!(peek(r) == '\\' ? parse_escape(r) : parse_character(r))) return false;
    }
    take(r);
    *r->strings++ = 0;
    return true;
}

// ---- numbers and words

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static bool take_digits(Reader *r)
{
    if (!is_digit(peek(r))) return refuse(r, "a digit must stand here");
    while (is_digit(peek(r))) take(r);
    return true;
}

// The grammar of RFC 8259, which is narrower than strtod's: no +1, no .5, no 1., no 01, no hexadecimal.
static bool take_number(Reader *r)
{
    if (peek(r) == '-') take(r);
    if (peek(r) == '0') {
        take(r);
        if (is_digit(peek(r))) return refuse(r, "no digit may follow a 0 at the start of a number");
    } else if (!take_digits(r)) {
        return false;
    }
    if (peek(r) == '.') {
        take(r);
        if (!take_digits(r)) return false;
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        take(r);
        if (peek(r) == '+' || peek(r) == '-') take(r);
        if (!take_digits(r)) return false;
    }
    return true;
}

static bool parse_number(Reader *r, Json *out)
{
    Reader start = *r;
    if (!take_number(r)) return false;
    size_t length = r->offset - start.offset;
    memcpy(r->strings, r->text + start.offset,
           length); // strtod needs a terminating 0; the next string overwrites this copy
    r->strings[length] = 0;
    out->number = strtod(r->strings, NULL);
    return isfinite(out->number) || refuse_all(&start, length, "a number must fit into float64");
}

static bool parse_word(Reader *r, Json *out)
{
    static const struct {
        const char *word;
        JsonKind kind;
    } words[] = {
        { "null", JSON_NULL },
        { "false", JSON_FALSE },
        { "true", JSON_TRUE },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (r->size - r->offset < length || memcmp(r->text + r->offset, words[i].word, length)) continue;
        for (size_t c = 0; c < length; c++) take(r);
        out->kind = words[i].kind;
        return true;
    }
    return refuse(r, "a value must stand here: an object, an array, a \"string\", a number, true, false or null");
}

// ---- values

static Json *new_value(Reader *r)
{
    if (r->spare_count == 0) {
        r->spare = arena_alloc(r->arena, NODES_AT_ONCE * sizeof *r->spare);
        r->spare_count = NODES_AT_ONCE;
    }
    Json *value = &r->spare[--r->spare_count];
    value->line = r->line;
    value->column = r->column;
    return value;
}

// Orders members by key, equal keys by position.
static int compare_members(const void *left, const void *right)
{
    const Json *a = *(Json *const *)left, *b = *(Json *const *)right;
    int order = strcmp(a->key, b->key);
    if (order == 0) order = (a->line > b->line) - (a->line < b->line);
    return order ? order : (a->column > b->column) - (a->column < b->column);
}

// Finds duplicate keys by sorting: O(n log n), also for a hostile file with very many keys.
static bool keys_differ(const Reader *r, const Json *object)
{
    size_t n = 0, i = 0;
    for (const Json *member = object->first; member; member = member->next) n++;
    if (n < 2) return true;

    ArenaMark mark = arena_mark(r->arena);
    Json **members = arena_alloc(r->arena, n * sizeof(Json *));
    for (Json *member = object->first; member; member = member->next) members[i++] = member;
    qsort(members, n, sizeof(Json *), compare_members);
    for (i = 1; i < n && strcmp(members[i - 1]->key, members[i]->key); i++) continue;
    Json *duplicate = i < n ? members[i] : NULL;
    arena_release(r->arena, mark);

    if (!duplicate) return true;
    return error_set(r->error, "%s:%zu:%zu: the key %s stands here a second time, but a key may stand only once",
                     r->name, duplicate->line, duplicate->column,
                     text_shown(r->arena, duplicate->key, strlen(duplicate->key)));
}

static bool parse_key(Reader *r, const char **key)
{
    if (peek(r) != '"') return refuse(r, "a key in double quotes must stand here");
    if (!parse_string(r, key)) return false;
    skip_space(r);
    return expect(r, ':', "a colon must follow a key");
}

static Json *parse_value(Reader *r);

// Parses the children of an array or object, from the opening to the closing bracket.
static bool parse_children(Reader *r, Json *parent, char close)
{
    bool object = parent->kind == JSON_OBJECT;
    Json **end = &parent->first;
    if (r->levels == MOST_LEVELS) return refuse(r, "values may stand at most 64 levels deep");
    r->levels++;
    take(r);
    skip_space(r);
    for (bool more = peek(r) != close; more;) {
        const char *key = NULL;
        if (object && !parse_key(r, &key)) return false;
        Json *child = parse_value(r);
        if (!child) return false;
        child->key = key;
        *end = child;
        end = &child->next;

        skip_space(r);
        more = peek(r) == ',';
        if (more) take(r);
        skip_space(r);
        if (more && peek(r) == close) return refuse(r, "a comma stands only between two, not after the last");
    }
    r->levels--;
    return expect(r, close, object ? "a comma or } must follow a member" : "a comma or ] must follow a value") &&
           (!object || keys_differ(r, parent));
}

// Parses the next value. Returns NULL on an error.
static Json *parse_value(Reader *r)
{
    skip_space(r);
    Json *value = new_value(r);
    int c = peek(r);
    bool ok;

    value->kind = c == '{' ? JSON_OBJECT : c == '[' ? JSON_ARRAY : c == '"' ? JSON_STRING : JSON_NUMBER;
    if (c == '{') ok = parse_children(r, value, '}');
    else if (c == '[') ok = parse_children(r, value, ']');
    else if (c == '"') ok = parse_string(r, &value->text);
    else if (c == '-' || is_digit(c)) ok = parse_number(r, value);
    else ok = parse_word(r, value);
    return ok ? value : NULL;
}

bool json_parse(Json **out, Arena *arena, const char *text, size_t size, const char *name, Error *error)
{
    Reader r = { .arena = arena,
                 .name = name,
                 .error = error,
                 .text = (const unsigned char *)text,
                 .size = size,
                 .line = 1,
                 .column = 1 };
    if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) return refuse(&r, "JSON starts without a byte order mark");

    r.strings = arena_alloc(arena, size + 1);
    Json *value = parse_value(&r);
    if (!value) return false;
    skip_space(&r);
    if (peek(&r) >= 0) return refuse(&r, "nothing may follow the value");
    *out = value;
    return true;
}

const Json *json_member(const Json *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT) return NULL;
    const Json *member = object->first;
    while (member && strcmp(member->key, key)) member = member->next;
    return member;
}

bool json_integer(const Json *value, int64_t *out)
{
    if (!value || value->kind != JSON_NUMBER || fabs(value->number) >= 0x1p53) return false;
    if (floor(value->number) < value->number) return false;
    *out = (int64_t)value->number;
    return true;
}

// ---- writing

// The letter of a short escape, or 0.
static char short_escape(unsigned char c)
{
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

char *json_quote(Arena *arena, const char *text)
{
    static const char hex[] = "0123456789abcdef", replacement[] = "\xEF\xBF\xBD";
    size_t size = strlen(text);
    char *quoted = arena_alloc(arena, 6 * size + 3), *end = quoted; // one byte becomes at most \u00XX

    *end++ = '"';
    for (const unsigned char *at = (const unsigned char *)text, *stop = at + size; at < stop;) {
        size_t length = text_utf8_length(at, (size_t)(stop - at));
        char letter = short_escape(*at);
        const char *from = (const char *)at;
        char control[6] = { '\\', 'u', '0', '0', hex[*at >> 4], hex[*at & 15] }, escape[2] = { '\\', letter };
        size_t count = length;
        if (letter) {
            from = escape;
            count = 2;
        } else if (*at < 0x20) {
            from = control;
            count = 6;
        } else if (!length) {
            from = replacement;
            count = 3;
        }
        memcpy(end, from, count);
        end += count;
        at += length ? length : 1;
    }
    *end++ = '"';
    *end = 0;
    return quoted;
}

char *json_strings(Arena *arena, const char *const *texts, int count)
{
    size_t capacity = 3;
    char **quoted = arena_alloc(arena, (size_t)count * sizeof *quoted);
    for (int i = 0; i < count; i++) {
        quoted[i] = json_quote(arena, texts[i]);
        capacity += strlen(quoted[i]) + 1;
    }
    char *list = arena_alloc(arena, capacity), *end = list;
    *end++ = '[';
    for (int i = 0; i < count; i++) {
        size_t length = strlen(quoted[i]);
        if (i) *end++ = ',';
        memcpy(end, quoted[i], length);
        end += length;
    }
    *end = ']';
    return list;
}

bool json_strings_of(const char ***texts, int *count, Arena *arena, const Json *array, const Json **wrong)
{
    int n = 0;
    *wrong = array;
    if (array->kind != JSON_ARRAY) return false;
    for (const Json *text = array->first; text; text = text->next, n++) {
        *wrong = text;
        if (text->kind != JSON_STRING) return false;
    }
    *texts = arena_alloc(arena, (size_t)n * sizeof **texts);
    *count = n;
    n = 0;
    for (const Json *text = array->first; text; text = text->next) (*texts)[n++] = text->text;
    return true;
}

char *json_number(Arena *arena, double value)
{
    return isfinite(value) ? arena_format(arena, "%.6f", value) : arena_format(arena, "null");
}
