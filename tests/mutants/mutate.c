// A mutator for C: finds the places in a source file where one small change makes another program, and writes that
// program. It works on tokens, without a preprocessor, and relies on clang-format in one point: an operator with blanks
// on both sides has two operands. REQUIRE, which ends the program when its caller is wrong, is left as it is.
//
//   mutate list EQUIVALENT N SEED FILE …   N of all mutants of the files, picked by SEED; N = 0: all, in their order.
//                                          A line is FILE, number, line, change, text of the line, with tabs between.
//   mutate write FILE NUMBER               the text of FILE with this change; 0: without a change
//   mutate patch FILE PATCH                the text of FILE with the change that PATCH makes in it
//   mutate check EQUIVALENT PATCH …        does every patch apply, does every line of EQUIVALENT name a mutant?
//
// EQUIVALENT lists mutants that no test can kill: FILE, change, text of the line, reason, with tabs between. They are
// left out of every list.
//
// A patch is a unified diff. The old lines of a hunk are searched for in the file, blanks ignored, and must occur once;
// line numbers are not read. So a patch survives changes elsewhere in the file, and a reformatted one.
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NAME, NUMBER, STRING, SIGN } Kind;

typedef struct {
    Kind kind;
    int start, end; // in the text
    int match;      // of a bracket: the index of its partner; else -1
    bool code;      // in the body of a function
} Token;

typedef struct {
    int start, end; // what is replaced
    char *with;
    char *change; // for people
} Mutant;

typedef struct {
    const char *path;
    char *text;
    int length, tokens, mutants;
    Token *token;
    Mutant *mutant;
} Source;

static void *must(void *memory)
{
    if (memory) return memory;
    fprintf(stderr, "mutate: out of memory\n");
    exit(2);
}

// The returned text is NUL-terminated. Ends the program if the file cannot be read.
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t length = 0, room = 1 << 16;
    char *text = must(malloc(room));
    for (size_t got; (got = fread(text + length, 1, room - 1 - length, file)) > 0;) {
        length += got;
        if (room - 1 == length) text = must(realloc(text, room *= 2));
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

// ---- tokens

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

// The end of the comment, directive or blank at `at`, or `at` if none begins there.
static int skip(const char *text, int at, bool line_start)
{
    if (isspace((unsigned char)text[at])) return at + 1;
    if (!strncmp(text + at, "//", 2)) return at + (int)strcspn(text + at, "\n");
    if (!strncmp(text + at, "/*", 2)) {
        const char *end = strstr(text + at, "*/");
        return end ? (int)(end - text) + 2 : at + (int)strlen(text + at);
    }
    if (line_start && text[at] == '#') {
        while (text[at] && text[at] != '\n') at += text[at] == '\\' && text[at + 1] ? 2 : 1;
        return at;
    }
    return at;
}

static int sign_length(const char *text)
{
    static const char *const signs[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
                                         "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=" };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(text, signs[i], strlen(signs[i]))) return (int)strlen(signs[i]);
    return 1;
}

static int token_end(const char *text, int at, Kind *kind)
{
    char c = text[at];
    if (c == '"' || c == '\'') {
        *kind = STRING;
        for (at++; text[at] && text[at] != c; at++)
            if (text[at] == '\\' && text[at + 1]) at++;
        return text[at] ? at + 1 : at;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[at + 1]))) {
        bool hex = c == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
        *kind = NUMBER;
        while (is_name(text[at]) || text[at] == '.' ||
               (strchr("+-", text[at]) && text[at] && strchr(hex ? "pP" : "eE", text[at - 1])))
            at++;
        return at;
    }
    if (is_name(c)) {
        *kind = NAME;
        while (is_name(text[at])) at++;
        return at;
    }
    *kind = SIGN;
    return at + sign_length(text + at);
}

static bool is(const Source *s, int i, const char *word)
{
    if (i < 0 || i >= s->tokens) return false;
    const Token *t = &s->token[i];
    return (int)strlen(word) == t->end - t->start && !strncmp(s->text + t->start, word, strlen(word));
}

// words: separated and enclosed by blanks
static bool is_one_of(const Source *s, int i, const char *words)
{
    if (i < 0 || i >= s->tokens) return false;
    char word[64];
    const Token *t = &s->token[i];
    return t->end - t->start < 60 && snprintf(word, sizeof word, " %.*s ", t->end - t->start, s->text + t->start) > 0 &&
           strstr(words, word);
}

static Kind kind(const Source *s, int i) { return i >= 0 && i < s->tokens ? s->token[i].kind : SIGN; }

static void read_tokens(Source *s)
{
    bool line_start = true;
    s->token = must(malloc((size_t)(s->length + 1) * sizeof *s->token));
    for (int at = 0; at < s->length;) {
        int next = skip(s->text, at, line_start);
        if (next > at) {
            line_start = s->text[at] == '\n' || (line_start && isspace((unsigned char)s->text[at]));
            at = next;
            continue;
        }
        line_start = false;
        Token *t = &s->token[s->tokens++];
        *t = (Token){ .start = at, .match = -1 };
        at = t->end = token_end(s->text, at, &t->kind);
    }
    int *open = must(malloc((size_t)(s->tokens + 1) * sizeof *open)), depth = 0, body = 0;
    for (int i = 0; i < s->tokens; i++) {
        if (is_one_of(s, i, " ( [ { ")) {
            if (is(s, i, "{") && !body && depth == 0 && is(s, i - 1, ")")) body = 1;
            open[depth++] = i;
        } else if (is_one_of(s, i, " ) ] } ") && depth > 0) {
            s->token[i].match = open[--depth];
            s->token[open[depth]].match = i;
            if (depth == 0) body = 0;
        }
        s->token[i].code = body;
    }
    free(open);
}

// ---- mutants

static char *joined(const char *a, const char *b, int b_length, const char *c)
{
    size_t length = strlen(a) + (size_t)b_length + strlen(c) + 1;
    char *text = must(malloc(length));
    snprintf(text, length, "%s%.*s%s", a, b_length, b, c);
    return text;
}

// Replaces the text of tokens first … last. Line numbers after it stay. `what` is the change for people, "old → new" if
// it is NULL.
static void add(Source *s, int first, int last, const char *with, const char *what)
{
    int start = s->token[first].start, end = s->token[last].end, lines = 0, old_length = 0;
    char old[80], change[200], *text = must(malloc(strlen(with) + (size_t)(end - start) + 1));
    strcpy(text, with);
    for (int i = start; i < end; i++) lines += s->text[i] == '\n';
    for (const char *c = with; *c; c++) lines -= *c == '\n';
    for (size_t l = strlen(text); lines > 0; lines--, text[++l] = '\0') text[l] = '\n';
    for (int i = start; i < end && old_length < (int)sizeof old - 1; i++)
        if (!isspace((unsigned char)s->text[i])) old[old_length++] = s->text[i];
        else if (old_length && old[old_length - 1] != ' ') old[old_length++] = ' ';
    old[old_length] = '\0';
    if (what) snprintf(change, sizeof change, what, old);
    else snprintf(change, sizeof change, "%s → %.80s", old, with);
    if ((s->mutants & (s->mutants - 1)) == 0)
        s->mutant = must(realloc(s->mutant, (size_t)(s->mutants ? 2 * s->mutants : 1) * sizeof *s->mutant));
    s->mutant[s->mutants++] = (Mutant){ start, end, text, joined(change, "", 0, "") };
}

static bool blank(const Source *s, int at) { return at >= 0 && isspace((unsigned char)s->text[at]); }

static void mutate_operator(Source *s, int i)
{
    static const char *const pairs[][2] = {
        { "<", "<=" },  { "<=", "<" },  { ">", ">=" },  { ">=", ">" },  { "==", "!=" }, { "!=", "==" },
        { "+", "-" },   { "-", "+" },   { "*", "/" },   { "/", "*" },   { "%", "/" },   { "&&", "||" },
        { "||", "&&" }, { "&", "|" },   { "|", "&" },   { "<<", ">>" }, { ">>", "<<" }, { "+=", "-=" },
        { "-=", "+=" }, { "*=", "/=" }, { "/=", "*=" }, { "|=", "&=" }, { "&=", "|=" },
    };
    const Token *t = &s->token[i];
    if (is(s, i, "++")) add(s, i, i, "--", NULL);
    if (is(s, i, "--")) add(s, i, i, "++", NULL);
    if (!blank(s, t->end)) {
        bool operand = kind(s, i - 1) == NAME || kind(s, i - 1) == NUMBER || is_one_of(s, i - 1, " ) ] ");
        if (is(s, i, "!")) add(s, i, i, " ", "! dropped");
        if (is(s, i, "-") && (!operand || is(s, i - 1, "return"))) add(s, i, i, " ", "minus dropped");
    } else if (blank(s, t->start - 1)) {
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            if (is(s, i, pairs[p][0])) add(s, i, i, pairs[p][1], NULL);
    }
}

static void mutate_number(Source *s, int i)
{
    const Token *t = &s->token[i];
    const char *text = s->text + t->start;
    int length = t->end - t->start;
    char word[64], with[80];
    if (length >= 40) return;
    snprintf(word, sizeof word, "%.*s", length, text);
    bool hex = !strncmp(word, "0x", 2), real = strpbrk(word, ".") || (!hex && strpbrk(word, "eEfF"));
    if (real) {
        double value = strtod(word, NULL);
        snprintf(with, sizeof with, value == 0 ? "1.0f" : value == 1 ? "0.0f" : "(2 * %s)", word);
        add(s, i, i, with, NULL);
        return;
    }
    // The length of an array that is declared: more room changes nothing.
    if (is(s, i - 1, "[") && is(s, i + 1, "]") && kind(s, i - 2) == NAME &&
        (kind(s, i - 3) == NAME || is_one_of(s, i - 3, " * , ")))
        return;
    char *suffix;
    unsigned long long value = strtoull(word, &suffix, 0);
    snprintf(with, sizeof with, hex ? "0x%llx%s" : "%llu%s", value + 1, suffix);
    add(s, i, i, with, NULL);
    if (value == 0) return;
    snprintf(with, sizeof with, hex ? "0x%llx%s" : "%llu%s", value - 1, suffix);
    add(s, i, i, with, NULL);
}

static void mutate_min_max(Source *s, int i)
{
    const Token *t = &s->token[i];
    const char *text = s->text + t->start;
    int length = t->end - t->start;
    if (!is(s, i + 1, "(") || length > 40) return;
    for (int at = 0; at + 3 <= length; at++) {
        bool min = !strncmp(text + at, "min", 3), max = !strncmp(text + at, "max", 3);
        bool starts = at == 0 || text[at - 1] == '_' || (at == 1 && text[0] == 'f');
        bool ends = at + 3 == length || text[at + 3] == '_' || (at + 4 == length && text[at + 3] == 'f');
        if (!(min || max) || !starts || !ends) continue;
        char with[48];
        snprintf(with, sizeof with, "%.*s%s%.*s", at, text, min ? "max" : "min", length - at - 3, text + at + 3);
        add(s, i, i, with, NULL);
    }
}

// The condition of `if`, `while` or `for` at token i.
static void mutate_condition(Source *s, int i)
{
    int open = i + 1, close = is(s, open, "(") ? s->token[open].match : -1, first = open + 1, last = close - 1;
    if (close < 0) return;
    if (is(s, i, "for")) {
        int ends[2] = { 0, 0 }, n = 0;
        for (int j = first; j < close && n < 2; j++) {
            if (is_one_of(s, j, " ( [ { ") && s->token[j].match > j) j = s->token[j].match;
            else if (is(s, j, ";")) ends[n++] = j;
        }
        if (n < 2) return;
        first = ends[0] + 1, last = ends[1] - 1;
    }
    if (first > last) return;
    if (is(s, i, "if")) add(s, first, last, "1", "if (%s) → always");
    add(s, first, last, "0", is(s, i, "if") ? "if (%s) → never" : "loop (%s) → never");
}

// The condition before the `?` at token i: back to where an expression of a lower precedence ends.
static void mutate_choice(Source *s, int i)
{
    int first = i;
    while (first > 0 && !is_one_of(s, first - 1, " ( [ { , ; = += -= *= /= |= &= ? : return case ")) {
        first--;
        if (is_one_of(s, first, " ) ] } ") && s->token[first].match >= 0) first = s->token[first].match;
    }
    if (first == i) return;
    int start = s->token[first].start, end = s->token[i - 1].end;
    char *with = joined("!(", s->text + start, end - start, ")");
    add(s, first, i - 1, with, "%s ? → negated");
    free(with);
}

// The index of the `;` that ends the statement, or -1.
static int statement_end(const Source *s, int i)
{
    for (; i < s->tokens && !is_one_of(s, i, " ; } "); i++)
        if (is_one_of(s, i, " ( [ { ")) {
            if (s->token[i].match < 0) return -1;
            i = s->token[i].match;
        }
    return is(s, i, ";") ? i : -1;
}

static bool starts_statement(const Source *s, int i)
{
    if (is_one_of(s, i - 1, " ; { } else do : ")) return true;
    if (!is(s, i - 1, ")")) return false;
    int open = s->token[i - 1].match;
    return is_one_of(s, open - 1, " if for while switch ");
}

static bool in_header_of_for(const Source *s, int i)
{
    for (int j = i - 1, n = 0; j >= 0 && !is_one_of(s, j, " { } ") && n <= 2; j--) {
        if (is_one_of(s, j, " ) ] ") && s->token[j].match >= 0) j = s->token[j].match;
        else if (is(s, j, "(")) return is(s, j - 1, "for");
        else if (is(s, j, ";")) n++;
    }
    return false;
}

static void mutate_statement(Source *s, int i)
{
    int end = statement_end(s, i);
    if (end < 0 || in_header_of_for(s, i)) return;
    if (is_one_of(s, i, " break continue ")) {
        add(s, i, i, is(s, i, "break") ? "continue" : "break", NULL);
        add(s, i, i, " ", "deleted: %s");
    } else if (is(s, i, "return") && end == i + 1) {
        add(s, i, i, " ", "deleted: %s");
    } else if (is(s, i, "return")) {
        if (end == i + 2 && (kind(s, i + 1) == NUMBER || is_one_of(s, i + 1, " true false NULL "))) return;
        int start = s->token[i + 1].start, stop = s->token[end - 1].end;
        bool string = end == i + 2 && kind(s, i + 1) == STRING;
        char *with = joined("(__typeof__(", s->text + start, stop - start, ")){ 0 }");
        add(s, i + 1, end - 1, string ? "\"\"" : with, "return %s → zero");
        free(with);
    } else {
        bool call_or_set = kind(s, i) == NAME && (is_one_of(s, i + 1, " ( . -> [ = ++ -- ") ||
                                                  is_one_of(s, i + 1, " += -= *= /= %= &= |= ^= <<= >>= "));
        bool plain = is_one_of(s, i, " * ++ -- ") || (is(s, i, "(") && !is(s, i + 1, "void"));
        if (is_one_of(s, i, " if for while switch do else case default goto typedef sizeof _Static_assert ")) return;
        if (call_or_set || plain) add(s, i, end - 1, " ", "deleted: %s");
    }
}

// Are the arguments that begin at these tokens likely to have one type? A string may be a format.
static bool may_swap(const Source *s, int a, int b)
{
    if (kind(s, a) == STRING || kind(s, b) == STRING) return false;
    return is_one_of(s, a, " & ( ") == is_one_of(s, b, " & ( ") && (kind(s, a) == NUMBER) == (kind(s, b) == NUMBER);
}

// Neighbouring arguments of the call whose `(` is token i change places.
static void mutate_arguments(Source *s, int i)
{
    int close = s->token[i].match, from = i + 1, before = -1, before_end = -1;
    if (close < 0 || close == i + 1 || kind(s, i - 1) != NAME || kind(s, i - 2) == NAME) {
        if (!is(s, i - 2, "return") && !is(s, i - 2, "else")) return;
    }
    if (is_one_of(s, i - 1, " if for while switch return sizeof __attribute__ ")) return;
    if (is_one_of(s, i - 1, " strcmp strncmp memcmp fmin fmax fminf fmaxf ")) return; // nothing would change
    for (int j = i + 1; j <= close; j++) {
        if (j < close && is_one_of(s, j, " ( [ { ") && s->token[j].match > j) j = s->token[j].match;
        if (!is(s, j, ",") && j != close) continue;
        if (before >= 0 && from < j && may_swap(s, before, from)) {
            const Token *a = &s->token[before], *b = &s->token[from];
            int a_length = s->token[before_end].end - a->start, b_length = s->token[j - 1].end - b->start;
            if (a_length != b_length || strncmp(s->text + a->start, s->text + b->start, (size_t)a_length) != 0) {
                char *end = joined(", ", s->text + a->start, a_length, "");
                char *with = joined("", s->text + b->start, b_length, end);
                add(s, before, j - 1, with, NULL);
                free(end);
                free(with);
            }
        }
        before = from, before_end = j - 1, from = j + 1;
    }
}

static Source mutants_of(const char *path)
{
    Source s = { .path = path, .text = read_text(path) };
    s.length = (int)strlen(s.text);
    read_tokens(&s);
    for (int i = 0; i < s.tokens; i++) {
        if (is(&s, i, "REQUIRE") && is(&s, i + 1, "(") && s.token[i + 1].match > i) i = s.token[i + 1].match;
        if (kind(&s, i) == NUMBER) mutate_number(&s, i);
        if (is_one_of(&s, i, " true false ")) add(&s, i, i, is(&s, i, "true") ? "false" : "true", NULL);
        if (!s.token[i].code) continue;
        if (kind(&s, i) == SIGN) mutate_operator(&s, i);
        if (kind(&s, i) == NAME) mutate_min_max(&s, i);
        if (is_one_of(&s, i, " if while for ")) mutate_condition(&s, i);
        if (is(&s, i, "?")) mutate_choice(&s, i);
        if (is(&s, i, "(")) mutate_arguments(&s, i);
        if (starts_statement(&s, i)) mutate_statement(&s, i);
    }
    return s;
}

static void free_source(Source *s)
{
    for (int i = 0; i < s->mutants; i++) {
        free(s->mutant[i].with);
        free(s->mutant[i].change);
    }
    free(s->mutant);
    free(s->token);
    free(s->text);
}

// ---- lists

// "FILE<TAB>change<TAB>text of the line", which is how the list of equivalents begins a line.
static char *key_of(const Source *s, int m)
{
    int start = s->mutant[m].start, end = start;
    while (start > 0 && s->text[start - 1] != '\n') start--;
    while (isspace((unsigned char)s->text[start])) start++;
    while (s->text[end] && s->text[end] != '\n') end++;
    char *path = joined(s->path, "\t", 1, s->mutant[m].change), *start_of_key = joined(path, "\t", 1, "");
    char *key = joined(start_of_key, s->text + start, end - start, "");
    free(path);
    free(start_of_key);
    return key;
}

static bool listed(const char *list, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = list; (at = strstr(at, key)); at++)
        if ((at == list || at[-1] == '\n') && at[length] == '\t') return true;
    return false;
}

static unsigned long long random_next(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// With a count, a sample without replacement, in random order (the head of a Fisher-Yates shuffle).
static void list(const char *equivalent, int count, unsigned long long seed, char **paths, int files)
{
    char **lines = NULL, *known = read_text(equivalent);
    int n = 0;
    for (int f = 0; f < files; f++) {
        Source s = mutants_of(paths[f]);
        lines = must(realloc(lines, (size_t)(n + s.mutants + 1) * sizeof *lines));
        for (int m = 0, line = 1, at = 0; m < s.mutants; m++) {
            if (s.mutant[m].start < at) line = 1, at = 0;
            for (; at < s.mutant[m].start; at++) line += s.text[at] == '\n';
            char *key = key_of(&s, m), number[64];
            snprintf(number, sizeof number, "\t%d\t%d", m + 1, line);
            size_t path = strlen(paths[f]);
            if (!listed(known, key)) {
                char *start = joined(paths[f], number, (int)strlen(number), key + path);
                lines[n++] = start;
            }
            free(key);
        }
        free_source(&s);
    }
    for (int i = 0; i < n && (count == 0 || i < count); i++) {
        if (count > 0) {
            int other = i + (int)(random_next(&seed) % (unsigned long long)(n - i));
            char *line = lines[i];
            lines[i] = lines[other], lines[other] = line;
        }
        puts(lines[i]);
    }
    for (int i = 0; i < n; i++) free(lines[i]);
    free(lines);
    free(known);
}

static void write_mutant(const char *path, int number)
{
    Source s = mutants_of(path);
    if (number < 0 || number > s.mutants) {
        fprintf(stderr, "mutate: %s has %d mutants\n", path, s.mutants);
        exit(2);
    }
    if (number == 0) fputs(s.text, stdout);
    else {
        Mutant m = s.mutant[number - 1];
        printf("%.*s%s%s", m.start, s.text, m.with, s.text + m.end);
    }
    free_source(&s);
}

// ---- patches

// The end of the first place at or after `from` where text has the same characters as wanted, blanks ignored; start is
// its first character. -1 if there is none. `wanted` must not be blank.
static int find_ignoring_blanks(const char *text, int from, const char *wanted, int *start)
{
    while (isspace((unsigned char)*wanted)) wanted++;
    for (int at = from; text[at]; at++) {
        if (text[at] != *wanted) continue;
        const char *t = text + at, *w = wanted;
        int end = at;
        for (;;) {
            while (isspace((unsigned char)*w)) w++;
            if (!*w) return *start = at, end;
            while (isspace((unsigned char)*t)) t++;
            if (*t != *w) break;
            t++, w++;
            end = (int)(t - text);
        }
    }
    return -1;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

// NULL if a hunk does not apply; then why says so.
static char *patched(char *text, const char *patch, const char **why)
{
    *why = "it has no hunk";
    for (const char *line = patch; *line;) {
        if (strncmp(line, "@@", 2) != 0) {
            line = next_line(line);
            continue;
        }
        char *old = must(calloc(1, strlen(patch) + 1)), *new = must(calloc(1, strlen(patch) + 1));
        for (line = next_line(line); strchr(" -+", *line) && *line; line = next_line(line)) {
            size_t length = (size_t)(next_line(line) - line - 1);
            if (*line != '+') strncat(old, line + 1, length);
            if (*line != '-') strncat(new, line + 1, length);
        }
        int start = 0, again = 0, end = find_ignoring_blanks(text, 0, old, &start);
        *why = end < 0                                                   ? "its old lines do not occur"
               : find_ignoring_blanks(text, start + 1, old, &again) >= 0 ? "its old lines occur more than once"
                                                                         : NULL;
        if (!*why) {
            char *head = joined("", text, start, new + strspn(new, " \n")), *all;
            size_t length = strlen(head);
            while (length > 0 && isspace((unsigned char)head[length - 1])) head[--length] = '\0';
            all = joined(head, text + end, (int)strlen(text + end), "");
            free(text);
            free(head);
            text = all;
        }
        free(old);
        free(new);
        if (*why) break;
    }
    if (!*why) return text;
    free(text);
    return NULL;
}

static bool check_patch(const char *path)
{
    char *patch = read_text(path), *file = strstr(patch, "\n+++ b/"), *suite = strstr(patch, "\nsuite: ");
    const char *why = "it lacks a line \"suite: NAME\" or \"+++ b/FILE\"";
    char *text = NULL;
    if (file && suite) {
        char *name = joined("", file + 7, (int)strcspn(file + 7, "\t\n"), "");
        text = patched(read_text(name), patch, &why);
        free(name);
    }
    bool ok = text != NULL;
    if (!ok) fprintf(stderr, "%s: %s\n", path, why);
    free(text);
    free(patch);
    return ok;
}

static bool check_equivalents(const char *path)
{
    bool ok = true;
    char *known = read_text(path);
    int number = 1;
    for (const char *line = known; *line; line = next_line(line), number++) {
        if (*line == '#' || *line == '\n') continue;
        char *file = joined("", line, (int)strcspn(line, "\t\n"), ""), *alone;
        alone = joined("", line, (int)strcspn(line, "\n"), "");
        Source s = mutants_of(file);
        bool found = false;
        for (int m = 0; m < s.mutants && !found; m++) {
            char *key = key_of(&s, m);
            found = listed(alone, key);
            free(key);
        }
        if (!found) fprintf(stderr, "%s:%d: no mutant of %s is that one, or it has no reason\n", path, number, file);
        ok = ok && found;
        free_source(&s);
        free(file);
        free(alone);
    }
    free(known);
    return ok;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    if (!strcmp(verb, "list") && argc > 5) {
        list(argv[2], atoi(argv[3]), strtoull(argv[4], NULL, 10), argv + 5, argc - 5);
    } else if (!strcmp(verb, "write") && argc == 4) {
        write_mutant(argv[2], atoi(argv[3]));
    } else if (!strcmp(verb, "patch") && argc == 4) {
        const char *why;
        char *patch = read_text(argv[3]), *text = patched(read_text(argv[2]), patch, &why);
        if (text) fputs(text, stdout);
        else fprintf(stderr, "%s: %s\n", argv[3], why);
        free(patch);
        free(text);
        return text == NULL;
    } else if (!strcmp(verb, "check") && argc > 2) {
        bool ok = check_equivalents(argv[2]);
        for (int i = 3; i < argc; i++) ok = check_patch(argv[i]) && ok;
        return !ok;
    } else {
        fprintf(stderr, "usage: mutate list EQUIVALENT N SEED FILE … | write FILE NUMBER | patch FILE PATCH | "
                        "check EQUIVALENT PATCH …\n");
        return 2;
    }
    return 0;
}
