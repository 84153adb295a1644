// Parses the table of words, and looks up sentences.
#include "lesson/embeddings.h"

#include "base/portable_math.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_COLUMNS = 256, MOST_WORDS = 10000, MOST_WORDS_IN_SENTENCE = 48 };

static const char *const book_lines[] = {
#include "embeddings.inc"
};

// Splits off the text up to the next `end`, in place.
static char *split_field(char **text, char end)
{
    char *piece = *text, *stop = strchr(piece, end);
    if (stop) *stop = '\0';
    *text = stop ? stop + 1 : NULL;
    return piece;
}

typedef struct {
    const char *name;
    Arena *arena;
    Embeddings *table;
    Error *error;
} Reading;

// Parses the header: `word`, then the names of the columns.
static bool read_header(Reading *r, char *line, int number)
{
    const char **column = arena_alloc(r->arena, MOST_COLUMNS * sizeof *column);
    int fields = 0;
    for (char *rest = line; rest; fields++) {
        const char *field = split_field(&rest, '\t');
        if (fields == 0 && strcmp(field, "word"))
            return error_set(r->error,
                             "%s, line %d, column 1: found \"%.40s\"; the header must begin with word, then "
                             "a tab and the names of the columns",
                             r->name, number, field);
        if (fields > MOST_COLUMNS)
            return error_set(r->error, "%s, line %d: more than %d columns; a chapter cannot show them", r->name, number,
                             MOST_COLUMNS);
        if (fields > 0 && !*field)
            return error_set(r->error, "%s, line %d, column %d: the name is empty", r->name, number, fields + 1);
        if (fields > 0) column[fields - 1] = field;
    }
    if (fields < 2)
        return error_set(r->error, "%s, line %d: the header names no column; it must be word, then tab-separated names",
                         r->name, number);
    r->table->column = column;
    r->table->D = fields - 1;
    return true;
}

static bool read_number(Reading *r, const char *field, int number, int c, float *value)
{
    char *end = NULL;
    *value = strtof(field, &end);
    if (end == field || *end || !isfinite(*value))
        return error_set(r->error, "%s, line %d, column %d (%s): found \"%.40s\"; a number such as 0.5 is needed",
                         r->name, number, c + 2, r->table->column[c], field);
    return true;
}

// Parses one row: the word, then one number per column.
static bool read_word(Reading *r, char *line, int number, const char **name, float *values)
{
    char *rest = line;
    *name = split_field(&rest, '\t');
    if (!**name) return error_set(r->error, "%s, line %d, column 1: the word is empty", r->name, number);
    for (int c = 0; c < r->table->D; c++) {
        if (!rest)
            return error_set(r->error, "%s, line %d (\"%.40s\"): found %d numbers; the header names %d columns",
                             r->name, number, *name, c, r->table->D);
        if (!read_number(r, split_field(&rest, '\t'), number, c, &values[c])) return false;
    }
    if (rest)
        return error_set(r->error, "%s, line %d, column %d: found \"%.40s\"; the header names %d columns", r->name,
                         number, r->table->D + 2, rest, r->table->D);
    return true;
}

static int word_named(const Embeddings *table, const char *word)
{
    for (int w = 0; w < table->words; w++)
        if (!strcmp(table->word[w], word)) return w;
    return -1;
}

// Upper bound of the number of words: the number of lines, at most MOST_WORDS.
static int most_words(const char *text)
{
    int lines = 1;
    for (; lines < MOST_WORDS && (text = strchr(text, '\n')); text++) lines++;
    return lines;
}

bool embeddings_parse(Embeddings *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    if (file.size && memchr(file.at, 0, file.size))
        return error_set(error, "%s: byte %zu is 0; a table of words is plain text", name,
                         (size_t)((const unsigned char *)memchr(file.at, 0, file.size) - file.at));
    char *text = arena_alloc(arena, file.size + 1);
    if (file.size) memcpy(text, file.at, file.size);
    int most = most_words(text);
    const char **words = arena_alloc(arena, (size_t)most * sizeof *words);
    float *values = NULL;
    Embeddings table = { .file = name, .word = words };
    Reading r = { name, arena, &table, error };

    for (int number = 1; text; number++) {
        char *line = split_field(&text, '\n');
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r') line[length - 1] = '\0';
        if (!*line || *line == '#') continue;
        if (!table.D) {
            if (!read_header(&r, line, number)) return false;
            values = arena_alloc(arena, (size_t)most * (size_t)table.D * sizeof *values);
            continue;
        }
        if (table.words == MOST_WORDS)
            return error_set(error, "%s, line %d: the table has more than %d words; that is the most", name, number,
                             MOST_WORDS);
        const char *word;
        if (!read_word(&r, line, number, &word, values + (size_t)table.words * (size_t)table.D)) return false;
        if (word_named(&table, word) >= 0)
            return error_set(error, "%s, line %d, column 1: the word \"%.40s\" stands in the table twice", name, number,
                             word);
        words[table.words++] = word;
    }
    if (!table.words)
        return error_set(error, "%s: there is no word in it; it must be a header line, then a line a word", name);
    table.vectors = (Mat){ values, table.words, table.D, table.D };
    *out = table;
    return true;
}

bool embeddings_read(Embeddings *out, Arena *arena, const char *path, Error *error)
{
    FileBytes file;
    return file_read(&file, arena, path, error) && embeddings_parse(out, arena, file, path, error);
}

void embeddings_of_the_book(Embeddings *out, Arena *arena)
{
    size_t lines = sizeof book_lines / sizeof *book_lines, size = 0;
    for (size_t i = 0; i < lines; i++) size += strlen(book_lines[i]);
    char *text = arena_alloc(arena, size + 1), *end = text;
    for (size_t i = 0; i < lines; i++) {
        size_t length = strlen(book_lines[i]);
        memcpy(end, book_lines[i], length);
        end += length;
    }
    Error error;
    bool good = embeddings_parse(out, arena, (FileBytes){ (unsigned char *)text, size }, "data/embeddings.tsv", &error);
    REQUIRE(good, "%s", error.text);
}

// Lower-cases ASCII letters; others are looked up as typed.
static char *in_lower_case(Arena *arena, const char *word)
{
    char *lower = arena_format(arena, "%s", word);
    for (char *c = lower; *c; c++) *c = (char)tolower((unsigned char)*c);
    return lower;
}

static bool is_punctuation(char c) { return c && strchr(".,;:!?\"()", c); }

// Length of the token at `text`: one punctuation mark, or everything up to a space or trailing punctuation.
static size_t word_length(const char *text)
{
    if (is_punctuation(*text)) return 1;
    size_t length = strcspn(text, " \t\r\n");
    while (length > 1 && is_punctuation(text[length - 1])) length--;
    return length;
}

static bool unknown_word(Arena *arena, const Embeddings *table, const char *word, int place, Error *error)
{
    char *zeros = "";
    for (int c = 0; c < table->D; c++) zeros = arena_format(arena, "%s\\t0", zeros);
    return error_set(error,
                     "word %d (from 0), \"%.60s\", is not in %s; add a line such as "
                     "'%.60s%s', with a tab for every \\t and numbers of your own",
                     place, word, table->file, word, zeros);
}

bool sentence_look_up(Sentence *out, Arena *arena, const Embeddings *table, const char *text, Error *error)
{
    const char *words[MOST_WORDS_IN_SENTENCE];
    int rows[MOST_WORDS_IN_SENTENCE], T = 0;

    // 1. The words, and their rows of the table.
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        size_t length = word_length(text);
        if (T == MOST_WORDS_IN_SENTENCE)
            return error_set(error, "the sentence has more than %d words; a chapter cannot show more", T);
        words[T] = arena_format(arena, "%.*s", (int)length, text);
        const char *lower = in_lower_case(arena, words[T]);
        rows[T] = word_named(table, lower);
        if (rows[T] < 0) return unknown_word(arena, table, lower, T, error);
        text += length;
        T++;
    }
    if (!T) return error_set(error, "the sentence is empty; it needs at least one word of %s", table->file);

    // 2. Their vectors.
    const char **copies = arena_alloc(arena, (size_t)T * sizeof *copies);
    Mat x = mat_new(arena, T, table->D);
    for (int t = 0; t < T; t++) {
        copies[t] = words[t];
        mat_set(mat_rows(x, t, 1), mat_rows(table->vectors, rows[t], 1));
    }
    *out = (Sentence){ T, copies, x };
    return true;
}

int sentence_find(const Sentence *sentence, const char *word)
{
    for (int t = 0; t < sentence->T; t++)
        if (!strcasecmp(sentence->words[t], word)) return t;
    return -1;
}

int embeddings_column(const Embeddings *table, const char *name)
{
    for (int c = 0; c < table->D; c++)
        if (!strcmp(table->column[c], name)) return c;
    return -1;
}
