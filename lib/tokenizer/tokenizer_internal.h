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
#ifndef TOKENIZER_TOKENIZER_INTERNAL_H
#define TOKENIZER_TOKENIZER_INTERNAL_H

#include "tokenizer/tokenizer.h"

#include <stdint.h>

// ---- a text on its way

typedef struct {
    uint32_t c;
    int from, to;
} TokLetter; // a code point, and bytes from … to − 1 of the text
typedef struct {
    TokLetter *at;
    int count, room;
} TokLetters; // room 0: a view
typedef struct {
    TokLetters letters;
    int id;
} TokPiece; // id: of an added token; −1: text
typedef struct {
    TokPiece *at;
    int count, room;
} TokPieces;

TokLetters tok_letters(Arena *arena, const char *text); // bytes that are not UTF-8: U+FFFD each
void tok_add_letter(TokLetters *letters, Arena *arena, uint32_t c, int from, int to);
TokLetters tok_part(TokLetters letters, int from, int to);
void tok_add_piece(TokPieces *pieces, Arena *arena, TokLetters letters, int id); // empty text is left out
void tok_add(TokenList *list, int *room, Arena *arena, int id, int from, int to);

// Room for one more: the array, or twice as much elsewhere.
void *tok_grown(Arena *arena, void *at, int count, int *room, size_t size);

// ---- tables

// Texts and their numbers; where one stands twice, the later number counts.
typedef struct {
    const char *text;
    int length, id;
} TokTextSlot;
typedef struct {
    TokTextSlot *slots;
    int mask;
} TokTextTable;
TokTextTable tok_texts(Arena *arena, int most);
void tok_texts_put(TokTextTable *table, const char *text, int id);
int tok_texts_get(const TokTextTable *table, const char *text, int length); // −1: it is not there

// Two numbers ≥ 0 → two others, the same way.
typedef struct {
    int a, b, first, second;
} TokPair;
typedef struct {
    TokPair *slots;
    int mask;
} TokPairTable;
TokPairTable tok_pairs(Arena *arena, int most);
void tok_pairs_put(TokPairTable *table, int a, int b, int first, int second);
const TokPair *tok_pairs_get(const TokPairTable *table, int a, int b); // NULL: it is not there

// ---- steps

typedef enum {
    TOK_NORMAL_PREPEND,
    TOK_NORMAL_REPLACE,
    TOK_NORMAL_LOWER,
    TOK_NORMAL_NFD,
    TOK_NORMAL_NFC,
    TOK_NORMAL_BERT
} TokNormalKind;
typedef struct {
    TokNormalKind kind;
    TokLetters pattern, content;
    bool clean, chinese, accents, lower; // BERT's
} TokNormalStep;

typedef enum {
    TOK_SPLIT_GPT2,
    TOK_SPLIT_LLAMA3,
    TOK_SPLIT_QWEN, // the published patterns
    TOK_SPLIT_THREE_DIGITS,
    TOK_SPLIT_TEXT,
    TOK_SPLIT_DIGIT,
    TOK_SPLIT_PUNCTUATION,
    TOK_SPLIT_BERT,
    TOK_SPLIT_WORDS, // \w+|[^\w\s]+
    TOK_SPLIT_BYTES,
    TOK_SPLIT_MARKED // ByteLevel's letters for bytes; Metaspace's mark for spaces
} TokSplitKind;
typedef enum {
    TOK_CUT_ISOLATED,
    TOK_CUT_REMOVED,
    TOK_CUT_WITH_PREVIOUS,
    TOK_CUT_WITH_NEXT,
    TOK_CUT_CONTIGUOUS
} TokCutKind;
typedef enum { TOK_MARK_NEVER, TOK_MARK_FIRST, TOK_MARK_ALWAYS } TokMarkFirst;
typedef struct {
    TokSplitKind kind;
    TokCutKind cut;
    TokLetters text;    // of TOK_SPLIT_TEXT; of TOK_SPLIT_MARKED the mark
    bool prefix, apart; // TOK_SPLIT_BYTES: a space goes before; TOK_SPLIT_MARKED: it is cut at marks
    TokMarkFirst first;
} TokSplitStep;

typedef enum {
    TOK_DECODE_BYTES,
    TOK_DECODE_WORDPIECE,
    TOK_DECODE_REPLACE,
    TOK_DECODE_FALLBACK,
    TOK_DECODE_FUSE,
    TOK_DECODE_STRIP,
    TOK_DECODE_MARKED
} TokDecodeKind;
typedef struct {
    TokDecodeKind kind;
    const char *pattern, *content;
    int start, stop; // TOK_DECODE_STRIP: at most so many
    bool on;         // TOK_DECODE_WORDPIECE: it tidies; TOK_DECODE_MARKED: no space for the first mark
} TokDecodeStep;

typedef struct {
    int id, kind;
} TokTemplateItem; // id TOK_TEMPLATE_FIRST, TOK_TEMPLATE_SECOND: the texts
enum { TOK_TEMPLATE_FIRST = -1, TOK_TEMPLATE_SECOND = -2 };
typedef struct {
    TokTemplateItem *items;
    int count;
} TokTemplate; // count 0: there is none

typedef struct {
    const char *content;
    int id;
    bool alone, left, right, normalized, special;
} TokAddedToken;
typedef struct {
    TokPairTable edges;
    int *ends;
    int nodes;
} TokAddedTrie; // ends: 1 + the token that ends at a node

typedef enum { TOK_MODEL_BPE, TOK_MODEL_WORDPIECE, TOK_MODEL_WORDLEVEL } TokModelKind;

enum { TOK_STEPS = 16 }; // of one sort, at most

struct Tokenizer {
    int count;                     // one more than the largest id
    const char **tokens;           // (count) NULL: none has this id
    bool *special;                 // (count)
    TokTextTable words, added_ids; // the model's; the added ones
    TokAddedToken *added;
    int added_count;
    TokAddedTrie raw, normalized;
    TokNormalStep normal[TOK_STEPS];
    TokSplitStep split[TOK_STEPS];
    TokDecodeStep decode[TOK_STEPS];
    int normal_count, split_count, decode_count;
    bool bytes;   // tokens are written in ByteLevel's letters
    bool decodes; // false: no decoder, so spaces stand between tokens
    TokTemplate single, pair;
    bool has_template;

    TokModelKind model;
    TokPairTable merges; // (left, right) → rank, token
    int unknown;         // −1: there is none
    bool fuse_unknown, byte_fallback, ignore_merges;
    const char *prefix;        // WordPiece: "##"
    int most_letters, longest; // of a word; bytes of the longest token
};

// ---- what each file does

void tok_trie(TokAddedTrie *trie, Arena *arena, const Tokenizer *t, bool normalized);
TokPieces tok_added(const Tokenizer *t, const TokAddedTrie *trie, Arena *arena, TokLetters letters);
TokLetters tok_normal(const Tokenizer *t, Arena *arena, TokLetters letters);
TokPieces tok_split(const Tokenizer *t, Arena *arena, TokPieces pieces);
void tok_bpe(const Tokenizer *t, TokenList *list, int *room, Arena *arena, Arena *scratch, TokLetters word);
void tok_words(const Tokenizer *t, TokenList *list, int *room, Arena *arena, Arena *scratch, TokLetters word);

uint32_t tok_byte_letter(unsigned char byte); // ByteLevel's: itself where it can be seen, else U+0100 and on
int tok_letter_byte(uint32_t c);              // −1: stands for none

#endif
