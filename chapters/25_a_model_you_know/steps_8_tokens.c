// Chapter 25, step 8. Tokens: merges are counted in the book's language, and put into a tokenizer.json.
#include "steps.h"

#include <string.h>

// A space before a word is a letter like any other: Ġ, as byte-level BPE writes it.
enum { SYMBOLS = 160, PARTS = 24, MERGES = 96, DOCUMENTS = 64, KINDS = 200 };

typedef struct {
    int part[PARTS], count, times;
} Spelt;
typedef struct {
    int left, right;
} Merge;

// A language of words, letter by letter, and what was merged.
typedef struct {
    const char *symbol[SYMBOLS];
    int symbols;
    Spelt word[KINDS];
    int words;
    Merge merge[MERGES];
    int merges;
} Corpus;

static int symbol_named(Corpus *c, Arena *arena, const char *text, int length)
{
    for (int s = 0; s < c->symbols; s++)
        if (!strncmp(c->symbol[s], text, (size_t)length) && !c->symbol[s][length]) return s;
    REQUIRE(c->symbols < SYMBOLS, "%d symbols, and another one", c->symbols);
    c->symbol[c->symbols] = arena_format(arena, "%.*s", length, text);
    return c->symbols++;
}

// The words of documents, each with how often it stands there; marks are left out.
static Corpus *corpus_of_documents(const Lesson *lesson)
{
    static DocumentSample document;
    Arena *arena = lesson->arena;
    Corpus *c = arena_alloc(arena, sizeof *c);
    memset(c, 0, sizeof *c);
    c->words = document_words();
    REQUIRE(c->words <= KINDS, "%d words", c->words);
    Random random = random_of(lesson, 2502);
    for (int n = 0; n < DOCUMENTS; n++) {
        document_draw(&document, DOCUMENT_WORDS, &random);
        for (int t = 0; t < document.T; t++) c->word[document.words[t]].times++;
    }
    for (char letter = 'a'; letter <= 'z'; letter++) symbol_named(c, arena, &letter, 1);
    int space = symbol_named(c, arena, "Ġ", 2);
    for (int w = 0; w < c->words; w++) {
        const char *text = document_word_text(w);
        Spelt *spelt = &c->word[w];
        if (document_word(w)->class == WORD_MARK) continue;
        spelt->part[spelt->count++] = space;
        for (; *text && spelt->count < PARTS; text++) spelt->part[spelt->count++] = symbol_named(c, arena, text, 1);
    }
    return c;
}

// The pair that stands side by side most often; of equal ones the first.
static int commonest_pair(const Corpus *c, Merge *best)
{
    static int times[SYMBOLS][SYMBOLS];
    int most = 0;
    memset(times, 0, sizeof times);
    for (int w = 0; w < c->words; w++)
        for (int p = 0; p + 1 < c->word[w].count; p++)
            times[c->word[w].part[p]][c->word[w].part[p + 1]] += c->word[w].times;
    for (int left = 0; left < c->symbols; left++)
        for (int right = 0; right < c->symbols; right++)
            if (times[left][right] > most) {
                most = times[left][right];
                *best = (Merge){ left, right };
            }
    return most;
}

static void merge_everywhere(Corpus *c, Merge merge, int into)
{
    for (int w = 0; w < c->words; w++) {
        Spelt *spelt = &c->word[w];
        int kept = 0;
        for (int p = 0; p < spelt->count; p++) {
            bool pair = p + 1 < spelt->count && spelt->part[p] == merge.left && spelt->part[p + 1] == merge.right;
            spelt->part[kept++] = pair ? into : spelt->part[p];
            p += pair;
        }
        spelt->count = kept;
    }
}

static void learn(Corpus *c, Arena *arena, int merges)
{
    for (; c->merges < merges; c->merges++) {
        Merge best;
        if (!commonest_pair(c, &best)) return;
        c->merge[c->merges] = best;
        const char *joined = arena_format(arena, "%s%s", c->symbol[best.left], c->symbol[best.right]);
        merge_everywhere(c, best, symbol_named(c, arena, joined, (int)strlen(joined)));
    }
}

// ---- as files

static Tokenizer *read_json(Lesson *lesson, const char *text)
{
    Tokenizer *tokenizer;
    Error error;
    FileBytes file = { (const unsigned char *)text, strlen(text) };
    if (!tokenizer_parse(&tokenizer, lesson->arena, file, "tokenizer.json", &error)) lesson_fail(&error);
    return tokenizer;
}

// GPT-2's form, with the first so many merges.
static Tokenizer *bpe(Lesson *lesson, const Corpus *c, int merges)
{
    Arena *arena = lesson->arena;
    const char *vocabulary = "", *list = "";
    for (int s = 0; s < c->symbols; s++)
        vocabulary = arena_format(arena, "%s%s\"%s\": %d", vocabulary, s ? ", " : "", c->symbol[s], s);
    for (int m = 0; m < merges; m++)
        list = arena_format(arena, "%s%s\"%s %s\"", list, m ? ", " : "", c->symbol[c->merge[m].left],
                            c->symbol[c->merge[m].right]);
    return read_json(
        lesson,
        arena_format(
            arena,
            "{ \"version\": \"1.0\", \"truncation\": null, \"padding\": null, \"added_tokens\": [], \"normalizer\": null,\n"
            "  \"pre_tokenizer\": { \"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": true,"
            " \"use_regex\": true },\n  \"post_processor\": null, \"decoder\": { \"type\": \"ByteLevel\" },\n"
            "  \"model\": { \"type\": \"BPE\", \"vocab\": { %s },\n  \"merges\": [%s] } }\n",
            vocabulary, list));
}

// BERT's form, with the same pieces: a piece that Ġ begins begins a word, every other one goes on with it.
static Tokenizer *wordpiece(Lesson *lesson, const Corpus *c)
{
    const char *file = "[UNK]\n[CLS]\n[SEP]\n";
    Error error;
    Tokenizer *tokenizer;
    for (int s = 0; s < c->symbols; s++) {
        bool begins = !strncmp(c->symbol[s], "Ġ", 2);
        const char *piece = c->symbol[s] + (begins ? 2 : 0);
        if (*piece) file = arena_format(lesson->arena, "%s%s%s\n", file, begins ? "" : "##", piece);
    }
    for (char letter = 'a'; letter <= 'z'; letter++) {
        bool there = false;
        for (int s = 0; s < c->symbols; s++) {
            const char *symbol = c->symbol[s];
            there = there || (!strncmp(symbol, "Ġ", 2) && symbol[2] == letter && !symbol[3]);
        }
        if (!there) file = arena_format(lesson->arena, "%s%c\n", file, letter);
    }
    FileBytes bytes = { (const unsigned char *)file, strlen(file) };
    if (!tokenizer_parse_vocabulary(&tokenizer, lesson->arena, bytes, "vocab.txt", true, &error)) lesson_fail(&error);
    return tokenizer;
}

static const char *cut(Arena *arena, const Tokenizer *tokenizer, const char *text, int *count)
{
    TokenList list = tokenizer_encode(arena, tokenizer, text, false);
    const char *line = "";
    for (int n = 0; n < list.count; n++)
        line = arena_format(arena, "%s%s%s", line, n ? " " : "", tokenizer_shown(arena, tokenizer, list.ids[n]));
    *count = list.count;
    return line;
}

static const char *first_merges(Arena *arena, const Corpus *c, int merges)
{
    const char *line = "";
    for (int m = 0; m < merges; m++) {
        const char *left = c->symbol[c->merge[m].left], *right = c->symbol[c->merge[m].right];
        bool space = !strncmp(left, "Ġ", 2);
        line = arena_format(arena, "%s%s%s%s+%s", line, m ? "  " : "", space ? "·" : "", left + (space ? 2 : 0), right);
    }
    return line;
}

static const char *const SAID = "the animal did not cross the street because it was too tired";

// A word of the dictionary that both cut, with the same pieces, in different places.
static const char *cut_in_two_ways(Arena *arena, const Tokenizer *merges, const Tokenizer *longest, int *fewer)
{
    const char *found = NULL;
    *fewer = 0;
    for (int w = 1; w < words_count(); w++) {
        if (word_at(w)->class == WORD_MARK || document_word_named(word_text(w)) >= 0) continue;
        TokenList a = tokenizer_encode(arena, merges, word_text(w), false);
        TokenList b = tokenizer_encode(arena, longest, word_text(w), false);
        bool same = a.count == b.count;
        for (int n = 0; n < a.count && same; n++) same = a.to[n] == b.to[n];
        *fewer += b.count < a.count;
        if (!same && !found) found = word_text(w);
    }
    return found;
}

void tokens_by_merges(Lesson *lesson)
{
    step(lesson, "Tokens, by merges and by length");
    static const int steps[] = { 0, 4, 16, 48, MERGES };
    enum { STEPS = sizeof steps / sizeof *steps };
    Arena *arena = lesson->arena;
    Corpus *c = corpus_of_documents(lesson);
    learn(c, arena, MERGES);
    Tokenizer *tokenizer = NULL;
    int count[STEPS], pieces;
    bool fewer = true;
    say(lesson,
        "The pair of pieces that stands side by side most often in %d documents becomes a piece, again and "
        "again. The first ten: %s",
        DOCUMENTS, first_merges(arena, c, 10));
    for (int n = 0; n < STEPS; n++) {
        tokenizer = bpe(lesson, c, steps[n] < c->merges ? steps[n] : c->merges);
        const char *line = cut(arena, tokenizer, SAID, &count[n]);
        say(lesson, "After %d merges, %d tokens: %s", steps[n], count[n], line);
        fewer = fewer && (n == 0 || count[n] < count[n - 1]);
    }
    check(lesson, fewer && count[0] == (int)strlen(SAID) + 1, "from %d tokens, one a letter and a space, to %d",
          count[0], count[STEPS - 1]);
    TokenList list = tokenizer_encode(arena, tokenizer, SAID, false);
    const char *back = tokenizer_decode(arena, tokenizer, list.ids, list.count, false);
    check(lesson, !strcmp(back + strspn(back, " "), SAID), "nothing is lost: the tokens give the text back");

    Tokenizer *longest = wordpiece(lesson, c);
    int shorter;
    const char *word = cut_in_two_ways(arena, tokenizer, longest, &shorter);
    if (check(lesson, word != NULL, "the same pieces, cut by WordPiece, the longest first: not always the same tokens"))
        say(lesson, "By merges: %s. The longest first: %s.", cut(arena, tokenizer, word, &pieces),
            cut(arena, longest, word, &pieces));
}
