// Chapter 25. Reading values from tokenizer.json, with errors; tokenizer_file.c combines the parts.
#ifndef TOKENIZER_TOKENIZER_READER_H
#define TOKENIZER_TOKENIZER_READER_H

#include "io/json.h"
#include "tokenizer/tokenizer_internal.h"

typedef struct {
    Tokenizer *t;
    Arena *arena, *scratch;
    const char *name;
    Error *error;
} TokReader;

// Sets the error "name:line:column: …" and returns false.
bool tok_refuse(const TokReader *r, const Json *value, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *tok_quoted(const TokReader *r, const char *text); // quoted, for a message
const char *tok_shown(const TokReader *r, const Json *value);

const Json *tok_member(const Json *object, const char *key); // NULL: missing or null
const Json *tok_need(const TokReader *r, const Json *object, const char *key,
                     JsonKind kind); // NULL: refused, error set
bool tok_read_flag(const TokReader *r, bool *out, const Json *object, const char *key, bool otherwise);
bool tok_read_number(const TokReader *r, int *out, const Json *value, const char *what, int most);
bool tok_read_text(const TokReader *r, const char **out, const Json *object, const char *key);   // not empty; copied
bool tok_read_pattern(const TokReader *r, const char **out, const Json *part, const char *type); // { "String": "…" }
const char *tok_kept(const TokReader *r, const char *text); // a copy in the tokenizer's arena

// A part is an object of a known type, a Sequence of parts, or null.
typedef bool TokReadPart(const TokReader *r, const Json *part);
typedef struct {
    const char *type;
    TokReadPart *read;
} TokPart;
typedef struct {
    const char *what, *list;
    const TokPart *kinds;
    int count;
} TokParts;
#define TOK_PARTS(what, list, table) \
    { \
        what, list, table, (int)(sizeof(table) / sizeof *(table)) \
    }

extern const TokParts tok_normalizers, tok_pre_tokenizers, tok_decoders; // tokenizer_steps.c
extern const TokParts tok_processors;                                    // tokenizer_template.c
bool tok_read_part(const TokReader *r, const Json *part, const TokParts *parts);

// The template cls A sep and, for pairs, cls A sep B sep, or RoBERTa's cls A sep sep B sep with one token type.
void tok_around(const TokReader *r, int cls, int sep, bool roberta);

// tokenizer_model.c: the type of model, its vocabulary, the rest of the model, the added tokens.
bool tok_read_kind(const TokReader *r, const Json *model);
bool tok_read_vocabulary(const TokReader *r, const Json *vocabulary, const Json *added);
bool tok_read_model(const TokReader *r, const Json *model);
bool tok_read_added(const TokReader *r, const Json *list);

#endif
