// Chapter 25. Tokens of published models: tokenizer.json as the library `tokenizers` writes it, or BERT's vocab.txt.
//
// Byte-level BPE (GPT-2, LLaMA 3, Qwen), BPE of SentencePiece's form with byte fall-back (LLaMA 1 and 2, Gemma,
// Mistral), WordPiece (BERT), whole words (model C). What is not here: Unigram; training; truncation and padding,
// which a file may ask for. [Sennrich, Haddow and Birch 2016; Radford et al. 2019; Devlin et al. 2019]
#ifndef TOKENIZER_TOKENIZER_H
#define TOKENIZER_TOKENIZER_H

#include "io/file.h"

#include <stdbool.h>

typedef struct Tokenizer Tokenizer;

// `name` is for the message. false, with one sentence that names the place in the file and what is not known. The bytes
// need not outlive the call.
bool tokenizer_parse(Tokenizer **out, Arena *arena, FileBytes file, const char *name, Error *error);
bool tokenizer_parse_vocabulary(Tokenizer **out, Arena *arena, FileBytes file, const char *name, bool lower,
                                Error *error);

// From a folder: its tokenizer.json, or else vocab.txt with do_lower_case of its tokenizer_config.json.
bool tokenizer_read(Tokenizer **out, Arena *arena, const char *folder, Error *error);

// ids (count), and the bytes of the text that each comes of: from … to − 1; equal for a token that the template added,
// and for a mark or space that goes before a text. Where a letter was changed, each of its tokens has all its bytes.
typedef struct {
    int *ids, *from, *to;
    int count;
} TokenList;

// Text is UTF-8, at most 2²⁸ bytes; bytes that are none count as U+FFFD. special: with what the template puts around a
// text ([CLS], <s>). Special tokens written out in the text are found there, as the library does. In time n log n.
TokenList tokenizer_encode(Arena *arena, const Tokenizer *tokenizer, const char *text, bool special);

// Two texts in one, as the template has it; from and to are bytes of the text that a token is of; kinds (count): 0 or
// 1. Without a template they stand side by side. false: the template has no pair.
bool tokenizer_encode_pair(TokenList *out, int **kinds, Arena *arena, const Tokenizer *tokenizer, const char *first,
                           const char *second);

int tokenizer_count(const Tokenizer *tokenizer);                 // one more than the largest id
const char *tokenizer_token(const Tokenizer *tokenizer, int id); // as the file has it: "Ġthe"; NULL: there is none
int tokenizer_id(const Tokenizer *tokenizer, const char *token); // −1: there is none
bool tokenizer_is_special(const Tokenizer *tokenizer, int id);

// The text of ids, as the library's decoder gives it; numbers that no token has are passed over, special tokens unless
// `special`. A 0 byte becomes U+FFFD.
const char *tokenizer_decode(Arena *arena, const Tokenizer *tokenizer, const int *ids, int count, bool special);

// A token as a reader of a picture wants it: bytes as letters, "·the" for a word that a space stands before, "##ing" as
// WordPiece has it, "⟨E2⟩" for a byte that is no letter by itself.
const char *tokenizer_shown(Arena *arena, const Tokenizer *tokenizer, int id);

#endif
