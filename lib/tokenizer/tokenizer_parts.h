// Chapter 25. What the files of a tokenizer share; language/tokenizer.h is for everybody else.
//
// A text goes through four steps. Each knows of every code point which bytes of the text it comes of:
//
//     letters      the text, or a part of it                             tokenizer_table.c
//     pieces       around the added tokens that are written in it        tokenizer_added.c
//                  after the normalizer                                  tokenizer_normal.c
//                  at spaces, punctuation, digits                        tokenizer_split.c
//     tokens       of each piece                                         tokenizer_bpe.c, tokenizer_words.c
//     the list     with what the template puts around it                 tokenizer.c
//
// tokenizer_file.c makes all of this from tokenizer.json (tokenizer_reader.h), tokenizer_decode.c goes the way back.
#ifndef TOKENIZER_TOKENIZER_PARTS_H
#define TOKENIZER_TOKENIZER_PARTS_H

#include "tokenizer/tokenizer.h"

#include <stdint.h>

// ---- a text on its way

typedef struct {
    uint32_t c;
    int from, to;
} Letter; // a code point, and bytes from … to − 1 of the text
typedef struct {
    Letter *at;
    int count, room;
} Letters; // room 0: a view
typedef struct {
    Letters letters;
    int id;
} Piece; // id: of an added token; −1: text
typedef struct {
    Piece *at;
    int count, room;
} Pieces;

Letters tok_letters(Arena *arena, const char *text); // bytes that are not UTF-8: U+FFFD each
void tok_add_letter(Letters *letters, Arena *arena, uint32_t c, int from, int to);
Letters tok_part(Letters letters, int from, int to);
void tok_add_piece(Pieces *pieces, Arena *arena, Letters letters, int id); // empty text is left out
void tok_add(TokenList *list, int *room, Arena *arena, int id, int from, int to);

// Room for one more: the array, or twice as much elsewhere.
void *tok_grown(Arena *arena, void *at, int count, int *room, size_t size);

// ---- tables

// Texts and their numbers; where one stands twice, the later number counts.
typedef struct {
    const char *text;
    int length, id;
} TextSlot;
typedef struct {
    TextSlot *slots;
    int mask;
} TextTable;
TextTable tok_texts(Arena *arena, int most);
void tok_texts_put(TextTable *table, const char *text, int id);
int tok_texts_get(const TextTable *table, const char *text, int length); // −1: it is not there

// Two numbers ≥ 0 → two others, the same way.
typedef struct {
    int a, b, first, second;
} Pair;
typedef struct {
    Pair *slots;
    int mask;
} PairTable;
PairTable tok_pairs(Arena *arena, int most);
void tok_pairs_put(PairTable *table, int a, int b, int first, int second);
const Pair *tok_pairs_get(const PairTable *table, int a, int b); // NULL: it is not there

// ---- steps

typedef enum { NORMAL_PREPEND, NORMAL_REPLACE, NORMAL_LOWER, NORMAL_NFD, NORMAL_NFC, NORMAL_BERT } NormalKind;
typedef struct {
    NormalKind kind;
    Letters pattern, content;
    bool clean, chinese, accents, lower; // BERT's
} NormalStep;

typedef enum {
    SPLIT_GPT2,
    SPLIT_LLAMA3,
    SPLIT_QWEN, // the published patterns
    SPLIT_THREE_DIGITS,
    SPLIT_TEXT,
    SPLIT_DIGIT,
    SPLIT_PUNCTUATION,
    SPLIT_BERT,
    SPLIT_WORDS, // \w+|[^\w\s]+
    SPLIT_BYTES,
    SPLIT_MARKED // ByteLevel's letters for bytes; Metaspace's mark for spaces
} SplitKind;
typedef enum { CUT_ISOLATED, CUT_REMOVED, CUT_WITH_PREVIOUS, CUT_WITH_NEXT, CUT_CONTIGUOUS } CutKind;
typedef enum { MARK_NEVER, MARK_FIRST, MARK_ALWAYS } MarkFirst;
typedef struct {
    SplitKind kind;
    CutKind cut;
    Letters text;       // of SPLIT_TEXT; of SPLIT_MARKED the mark
    bool prefix, apart; // SPLIT_BYTES: a space goes before; SPLIT_MARKED: it is cut at marks
    MarkFirst first;
} SplitStep;

typedef enum {
    DECODE_BYTES,
    DECODE_WORDPIECE,
    DECODE_REPLACE,
    DECODE_FALLBACK,
    DECODE_FUSE,
    DECODE_STRIP,
    DECODE_MARKED
} DecodeKind;
typedef struct {
    DecodeKind kind;
    const char *pattern, *content;
    int start, stop; // DECODE_STRIP: at most so many
    bool on;         // DECODE_WORDPIECE: it tidies; DECODE_MARKED: no space for the first mark
} DecodeStep;

typedef struct {
    int id, kind;
} TemplateItem; // id TEMPLATE_FIRST, TEMPLATE_SECOND: the texts
enum { TEMPLATE_FIRST = -1, TEMPLATE_SECOND = -2 };
typedef struct {
    TemplateItem *items;
    int count;
} Template; // count 0: there is none

typedef struct {
    const char *content;
    int id;
    bool alone, left, right, normalized, special;
} AddedToken;
typedef struct {
    PairTable edges;
    int *ends;
    int nodes;
} AddedTrie; // ends: 1 + the token that ends at a node

typedef enum { MODEL_BPE, MODEL_WORDPIECE, MODEL_WORDLEVEL } ModelKind;

enum { TOKENIZER_STEPS = 16 }; // of one sort, at most

struct Tokenizer {
    int count;                  // one more than the largest id
    const char **tokens;        // (count) NULL: none has this id
    bool *special;              // (count)
    TextTable words, added_ids; // the model's; the added ones
    AddedToken *added;
    int added_count;
    AddedTrie raw, normalized;
    NormalStep normal[TOKENIZER_STEPS];
    SplitStep split[TOKENIZER_STEPS];
    DecodeStep decode[TOKENIZER_STEPS];
    int normal_count, split_count, decode_count;
    bool bytes;   // tokens are written in ByteLevel's letters
    bool decodes; // false: no decoder, so spaces stand between tokens
    Template single, pair;
    bool has_template;

    ModelKind model;
    PairTable merges; // (left, right) → rank, token
    int unknown;      // −1: there is none
    bool fuse_unknown, byte_fallback, ignore_merges;
    const char *prefix;        // WordPiece: "##"
    int most_letters, longest; // of a word; bytes of the longest token
};

// ---- what each file does

void tok_trie(AddedTrie *trie, Arena *arena, const Tokenizer *t, bool normalized);
Pieces tok_added(const Tokenizer *t, const AddedTrie *trie, Arena *arena, Letters letters);
Letters tok_normal(const Tokenizer *t, Arena *arena, Letters letters);
Pieces tok_split(const Tokenizer *t, Arena *arena, Pieces pieces);
void tok_bpe(const Tokenizer *t, TokenList *list, int *room, Arena *arena, Arena *scratch, Letters word);
void tok_words(const Tokenizer *t, TokenList *list, int *room, Arena *arena, Arena *scratch, Letters word);

uint32_t tok_byte_letter(unsigned char byte); // ByteLevel's: itself where it can be seen, else U+0100 and on
int tok_letter_byte(uint32_t c);              // −1: stands for none

#endif
