// Chapter 25. Shared by the tokenizer's files; the public interface is tokenizer/tokenizer.h.
//
// A text passes through four steps. Every code point carries the byte range of the text that it comes from:
//
//     letters      code points of the text, or a part of it             tokenizer_table.c
//     pieces       split at added tokens found in the text              tokenizer_added.c
//                  normalized                                           tokenizer_normal.c
//                  split at spaces, punctuation, digits (pre-tokenized) tokenizer_split.c
//     tokens       of each piece                                        tokenizer_bpe.c, tokenizer_words.c
//     the list     with the template's special tokens                   tokenizer.c
//
// tokenizer_file.c builds a tokenizer from tokenizer.json (tokenizer_reader.h); tokenizer_decode.c converts ids to text.
#ifndef TOKENIZER_TOKENIZER_INTERNAL_H
#define TOKENIZER_TOKENIZER_INTERNAL_H

#include "tokenizer/tokenizer.h"

#include <stdint.h>

// ---- text

typedef struct {
    uint32_t c;
    int from, to;
} TokLetter; // a code point, and bytes from … to − 1 of the text
typedef struct {
    TokLetter *at;
    int count, room;
} TokLetters; // room: allocated; 0: a view
typedef struct {
    TokLetters letters;
    int id;
} TokPiece; // id of an added token; −1: text
typedef struct {
    TokPiece *at;
    int count, room;
} TokPieces;

TokLetters tok_letters(Arena *arena, const char *text); // each byte that is not UTF-8: U+FFFD
void tok_add_letter(TokLetters *letters, Arena *arena, uint32_t c, int from, int to);
TokLetters tok_part(TokLetters letters, int from, int to);
void tok_add_piece(TokPieces *pieces, Arena *arena, TokLetters letters, int id); // ignores empty text
void tok_add(TokenList *list, int *capacity, Arena *arena, int id, int from, int to);

// Ensures capacity for one more element: returns the array, or a copy of twice the capacity.
void *tok_grown(Arena *arena, void *at, int count, int *capacity, size_t size);

// ---- tables

// Hash table from text to number; of duplicate keys, the last one counts.
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
int tok_texts_get(const TokTextTable *table, const char *text, int length); // −1: not found

// Hash table from two numbers ≥ 0 to two numbers, with the same rule.
typedef struct {
    int a, b, first, second;
} TokPair;
typedef struct {
    TokPair *slots;
    int mask;
} TokPairTable;
TokPairTable tok_pairs(Arena *arena, int most);
void tok_pairs_put(TokPairTable *table, int a, int b, int first, int second);
const TokPair *tok_pairs_get(const TokPairTable *table, int a, int b); // NULL: not found

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
    TOK_SPLIT_QWEN, // the published regular expressions
    TOK_SPLIT_THREE_DIGITS,
    TOK_SPLIT_TEXT,
    TOK_SPLIT_DIGIT,
    TOK_SPLIT_PUNCTUATION,
    TOK_SPLIT_BERT,
    TOK_SPLIT_WORDS, // \w+|[^\w\s]+
    TOK_SPLIT_BYTES,
    TOK_SPLIT_MARKED // ByteLevel: bytes as printable letters; Metaspace: a mark for spaces
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
    TokLetters text;    // TOK_SPLIT_TEXT: the separator; TOK_SPLIT_MARKED: the mark
    bool prefix, apart; // TOK_SPLIT_BYTES: prepend a space; TOK_SPLIT_MARKED: split at marks
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
    int start, stop; // TOK_DECODE_STRIP: maximum number removed at either end
    bool on;         // TOK_DECODE_WORDPIECE: clean-up; TOK_DECODE_MARKED: no space for the first mark
} TokDecodeStep;

typedef struct {
    int id, kind;
} TokTemplateItem; // id of a special token, or TOK_TEMPLATE_FIRST, TOK_TEMPLATE_SECOND: the texts; token type
enum { TOK_TEMPLATE_FIRST = -1, TOK_TEMPLATE_SECOND = -2 };
typedef struct {
    TokTemplateItem *items;
    int count;
} TokTemplate; // count 0: not defined

typedef struct {
    const char *content;
    int id;
    bool alone, left, right, normalized, special;
} TokAddedToken;
typedef struct {
    TokPairTable edges;
    int *ends;
    int nodes;
} TokAddedTrie; // ends: 1 + the token that ends at a node; 0: none

typedef enum { TOK_MODEL_BPE, TOK_MODEL_WORDPIECE, TOK_MODEL_WORDLEVEL } TokModelKind;

enum { TOK_STEPS = 16 }; // maximum per kind

struct Tokenizer {
    int count;                     // largest id + 1
    const char **tokens;           // (count) NULL: unused id
    bool *special;                 // (count)
    TokTextTable words, added_ids; // the model's vocabulary; the added tokens
    TokAddedToken *added;
    int added_count;
    TokAddedTrie raw, normalized;
    TokNormalStep normal[TOK_STEPS];
    TokSplitStep split[TOK_STEPS];
    TokDecodeStep decode[TOK_STEPS];
    int normal_count, split_count, decode_count;
    bool bytes;   // tokens are written in ByteLevel's alphabet
    bool decodes; // false: no decoder, tokens are joined with spaces
    TokTemplate single, pair;
    bool has_template;

    TokModelKind model;
    TokPairTable merges; // (left, right) → rank, token
    int unknown;         // −1: none
    bool fuse_unknown, byte_fallback, ignore_merges;
    const char *prefix;        // WordPiece: "##"
    int most_letters, longest; // maximum length of a word; bytes of the longest token
};

// ---- functions of each file

void tok_trie(TokAddedTrie *trie, Arena *arena, const Tokenizer *t, bool normalized);
TokPieces tok_added(const Tokenizer *t, const TokAddedTrie *trie, Arena *arena, TokLetters letters);
TokLetters tok_normal(const Tokenizer *t, Arena *arena, TokLetters letters);
TokPieces tok_split(const Tokenizer *t, Arena *arena, TokPieces pieces);
void tok_bpe(const Tokenizer *t, TokenList *list, int *capacity, Arena *arena, Arena *scratch, TokLetters word);
void tok_words(const Tokenizer *t, TokenList *list, int *capacity, Arena *arena, Arena *scratch, TokLetters word);

uint32_t tok_byte_letter(unsigned char byte); // ByteLevel's alphabet: printable bytes are themselves, others U+0100 …
int tok_letter_byte(uint32_t c);              // the inverse; −1: not in the alphabet

#endif
