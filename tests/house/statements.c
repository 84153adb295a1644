// Statements, as far as a reader of brackets can tell them: where each begins, where a comma joins two, spaces, and who
// asks for memory.
//
// It is no parser. It knows blocks from lists of values by what stands before the brace, and declarations, in which
// commas are right, by two names (or a name and a star) at the beginning.
#include "house/rules.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST = 32, STEP = 4 };

typedef struct {
    char first[LONGEST], second[LONGEST], last[LONGEST];               // tokens
    int  count;
    bool assigned, joined;                                             // one of them was =, or a comma too many
} Statement;

typedef enum { BLOCK, MEMBERS, VALUES } Kind;
typedef struct { Kind kind; int parens; Statement before; } Brace;

typedef struct {
    House      *house;
    const char *path, *at;
    int         line, indent;                                          // of the line: its leading spaces
    bool        first;                                                 // nothing but space so far on this line
    Brace       braces[DEEPEST];
    int         depth, parens;                                         // parens: open since the last brace
    Statement   now;
} Reader;

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool is(const char *token, const char *word) { return !strcmp(token, word); }
static bool named(const char *token) { return isalpha((unsigned char)*token) || *token == '_'; }

// ---- from characters to tokens

static const char *string_end(const char *at)
{
    char quote = *at++;
    for (; *at && *at != quote; at++)
        if (*at == '\\' && at[1]) at++;
    return at + (*at == quote);
}

static const char *token_end(const char *at)
{
    if (*at == '"' || *at == '\'') return string_end(at);
    if (!in_name(*at)) return at + 1;
    while (in_name(*at)) at++;
    return at;
}

// The end of a line for the preprocessor and of those that it goes on in.
static const char *directive_end(const char *at)
{
    for (;; at++) {
        at += strcspn(at, "\n");
        if (!*at || at[-1] != '\\') return at;
    }
}

// The end of what begins here and is no token; NULL for a token.
static const char *blank_end(const Reader *r)
{
    const char *at = r->at, *close;
    if (isspace((unsigned char)*at)) return at + 1;
    if (!strncmp(at, "//", 2)) return at + strcspn(at, "\n");
    if (!strncmp(at, "/*", 2)) return (close = strstr(at + 2, "*/")) ? close + 2 : at + strlen(at);
    return *at == '#' && r->first ? directive_end(at) : NULL;
}

static void move_to(Reader *r, const char *to)
{
    while (r->at < to) {
        if (*r->at++ != '\n') continue;
        r->line++;
        r->indent = (int)strspn(r->at, " ");
        r->first = true;
    }
}

// Moves to the next token and copies it, or the beginning of a long one; false at the end of the file.
static bool find_token(Reader *r, char *token)
{
    for (const char *end; *r->at && (end = blank_end(r));) move_to(r, end);
    size_t length = *r->at ? (size_t)(token_end(r->at) - r->at) : 0;
    if (length >= LONGEST) length = LONGEST - 1;
    memcpy(token, r->at, length);
    token[length] = '\0';
    return length > 0;
}

// ---- from tokens to statements

static bool begins_control(const char *token)
{
    return is(token, "if") || is(token, "for") || is(token, "while") || is(token, "switch");
}

// A type and a name: size_t a, Mat *a, struct { … } a.
static bool declares(const Statement *s)
{
    bool name_next = named(s->second) || is(s->second, "*") || is(s->second, "}");
    return named(s->first) && !is(s->first, "return") && name_next;
}

static bool in_block(const Reader *r) { return r->depth && r->braces[r->depth - 1].kind == BLOCK; }
static bool in_values(const Reader *r) { return r->depth && r->braces[r->depth - 1].kind == VALUES; }

static void begin_statement(Reader *r) { r->now = (Statement){ .count = 0 }; }

static void add(Statement *s, const char *token)
{
    if (s->count == 0) strcpy(s->first, token);
    if (s->count == 1) strcpy(s->second, token);
    strcpy(s->last, token);
    s->count++;
    s->assigned |= is(token, "=");
}

// A block follows a statement's beginning, the head of a function, or extern "C".
static Kind kind_of(const Reader *r)
{
    const Statement *s = &r->now;
    bool named_members = is(s->first, "struct") || is(s->first, "union") || is(s->second, "struct") ||
                         is(s->second, "union");
    if (r->parens || s->assigned || in_values(r)) return VALUES;
    if (!s->count || *s->last == '"') return BLOCK;
    if (is(s->last, ")")) return in_block(r) && !declares(s) ? VALUES : BLOCK;
    return named_members ? MEMBERS : VALUES;
}

static void open_brace(Reader *r)
{
    REQUIRE(r->depth < DEEPEST, "%s:%d: more than %d braces are open", r->path, r->line, DEEPEST);
    r->braces[r->depth] = (Brace){ kind_of(r), r->parens, r->now };
    r->depth++;
    r->parens = 0;
    begin_statement(r);
}

static void close_brace(Reader *r)
{
    if (!r->depth) return;
    Brace brace = r->braces[--r->depth];
    r->parens = brace.parens;
    if (brace.kind == BLOCK) begin_statement(r);
    else {
        r->now = brace.before;
        add(&r->now, "}");
    }
}

static void check_comma(Reader *r)
{
    if (!in_block(r) || r->parens || r->now.joined || declares(&r->now)) return;
    house_complain(r->house, r->path, r->line, "a comma joins two statements; each is a statement of its own");
    r->now.joined = true;
}

static void check_indent(const Reader *r)
{
    if (r->first && !r->now.count && !r->parens && !in_values(r) && r->indent % STEP)
        house_complain(r->house, r->path, r->line, "a statement begins after %d spaces; a multiple of %d is right",
                       r->indent, STEP);
}

static bool space(char c) { return isspace((unsigned char)c); }

// Spaces, as clang-format puts them by .clang-format.
static void check_spaces(const Reader *r, const char *token)
{
    char before = r->first ? '\n' : r->at[-1], behind = *token_end(r->at);
    bool assigns = is(token, "=") && behind != '=', combined = strchr("=!<>+-*/%&|^", before) != NULL;
    const char *wrong = NULL;
    if (is(token, ",") && !space(behind)) wrong = "no space behind a comma; f(a, b) is right";
    if (is(token, ",") && before == ' ') wrong = "a space before a comma; f(a, b) is right";
    if (is(token, "{") && kind_of(r) == BLOCK && !space(before)) wrong = "no space before a block; if (x) { is right";
    if (assigns && !(space(behind) && (space(before) || combined))) wrong = "no space beside an =; a = b is right";
    if (begins_control(token) && behind != ' ') wrong = "no space behind if, for, while or switch; if (x) is right";
    if (wrong) house_complain(r->house, r->path, r->line, "%s", wrong);
}

// What asks for memory and may get none. Only one file may, and it does not go on without.
static void check_memory(const Reader *r, const char *token)
{
    static const char *const askers[] = { "malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "strdup" };
    if (!strncmp(r->path, "tests/", 6) || is(r->path, "lib/base/memory.c")) return;
    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++)
        if (is(token, askers[i]))
            house_complain(r->house, r->path, r->line, "%s; an arena, or memory_new and its like, is right", token);
}

static void take(Reader *r, const char *token)
{
    bool label = is(r->now.first, "case") || r->now.count == 1;
    check_indent(r);
    check_spaces(r, token);
    check_memory(r, token);
    if (is(token, "{")) { open_brace(r); return; }
    if (is(token, "}")) { close_brace(r); return; }
    if (is(token, "(") || is(token, "[")) r->parens++;
    if (is(token, ")") || is(token, "]")) r->parens--;
    if (is(token, ",")) check_comma(r);
    add(&r->now, token);
    bool headed = is(token, ")") && begins_control(r->now.first);
    bool ended = is(token, ";") || is(token, "else") || is(token, "do") || (is(token, ":") && label) || headed;
    if (ended && !r->parens && !in_values(r)) begin_statement(r);
}

void house_statements(House *house, Source source)
{
    Reader reader = { .house = house, .path = source.path, .at = source.text, .line = 1, .first = true };
    char token[LONGEST];
    reader.indent = (int)strspn(source.text, " ");
    while (find_token(&reader, token)) {
        take(&reader, token);
        reader.first = false;
        move_to(&reader, token_end(reader.at));
    }
}
