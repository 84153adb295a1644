// Chapter 25. Tokenizers of pretrained models, read from a tokenizer.json of the library `tokenizers` or BERT's
// vocab.txt.
//
// Byte-level BPE (GPT-2, LLaMA 3, Qwen), SentencePiece-style BPE with byte fallback (LLaMA 1 and 2, Gemma, Mistral),
// WordPiece (BERT), whole words (model C). Not implemented: Unigram, training; a file's truncation and padding settings
// are ignored. [Sennrich, Haddow and Birch 2016; Radford et al. 2019; Devlin et al. 2019]
#ifndef TOKENIZER_TOKENIZER_H
#define TOKENIZER_TOKENIZER_H

#include "io/file.h"

#include <stdbool.h>

typedef struct Tokenizer Tokenizer;

// `name` is for messages. Errors give the position in the file and what is not supported. The bytes can be freed after
// the call.
bool tokenizer_parse(Tokenizer **out, Arena *arena, FileBytes file, const char *name, Error *error);
bool tokenizer_parse_vocabulary(Tokenizer **out, Arena *arena, FileBytes file, const char *name, bool lower,
                                Error *error);

// From a folder: tokenizer.json, or else vocab.txt with do_lower_case from tokenizer_config.json.
bool tokenizer_read(Tokenizer **out, Arena *arena, const char *folder, Error *error);

// ids (count), and the byte range from … to − 1 of the text that each token covers (its offsets). The range is empty for
// a token added by the template, and for a space or its mark added before the text. If normalization changed a letter,
// each of its tokens covers all its bytes.
typedef struct {
    int *ids, *from, *to;
    int count;
} TokenList;

// Text is UTF-8, at most 2²⁸ bytes; each invalid byte counts as U+FFFD. special: add the template's tokens ([CLS], <s>).
// Special tokens written out in the text are recognized, as in the library. Takes time n log n.
TokenList tokenizer_encode(Arena *arena, const Tokenizer *tokenizer, const char *text, bool special);

// A pair of texts, combined by the template; from and to refer to the text that the token comes from. kinds (count):
// token types, 0 or 1. Without a template the texts are concatenated. false: the template does not support pairs.
bool tokenizer_encode_pair(TokenList *out, int **kinds, Arena *arena, const Tokenizer *tokenizer, const char *first,
                           const char *second);

int tokenizer_count(const Tokenizer *tokenizer);                 // largest id + 1
const char *tokenizer_token(const Tokenizer *tokenizer, int id); // as in the file: "Ġthe"; NULL: no such id
int tokenizer_id(const Tokenizer *tokenizer, const char *token); // −1: no such token
bool tokenizer_is_special(const Tokenizer *tokenizer, int id);

// Decodes ids as the library does. Unknown ids are skipped; special tokens too, unless `special`. A 0 byte becomes
// U+FFFD.
const char *tokenizer_decode(Arena *arena, const Tokenizer *tokenizer, const int *ids, int count, bool special);

// A token for display: bytes as letters, "·the" for a word after a space, "##ing" as in WordPiece, "⟨E2⟩" for a byte that
// is not a complete letter.
const char *tokenizer_shown(Arena *arena, const Tokenizer *tokenizer, int id);

#endif
