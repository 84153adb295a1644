// Chapter 12. The size of a published model's KV cache: its dimensions, and the formula.
//
// Dimensions come from the book's table (data/sizes.tsv, embedded in the program) or from a Hugging Face config.json.
#ifndef MODEL_SIZES_H
#define MODEL_SIZES_H

#include "io/file.h"

#include <stdint.h>

typedef enum { SIZES_ENCODER, SIZES_DECODER, SIZES_ENCODER_DECODER } SizesKind;

typedef struct {
    const char *name;
    SizesKind role;
    int L, D;         // layers with a cache (of an encoder-decoder: the decoder's); model width
    int H, G, d;      // query heads; KV heads; head dimension. H · d can differ from D
    int window;       // W > 0: sliding window, at most W tokens are cached …
    int windowed;     // … in this number of layers; the others cache all
    int latent, rope; // MLA: dimensions of the latent and of the shared RoPE key; latent 0: no MLA
} Sizes;

// "MHA", "GQA", "MQA" or "MLA".
const char *sizes_kind(const Sizes *sizes);

// Numbers cached per layer and token: 2 G d, or with MLA c + rope; 0 for an encoder.
int64_t sizes_layer_numbers(const Sizes *sizes);

// Cache size in bytes after `tokens` ≥ 0 tokens at `width` bytes per number: layers · numbers · tokens · width, with at
// most `window` tokens in windowed layers. Excludes the cross-attention cache of an encoder-decoder, which takes the
// same for every source token.
int64_t sizes_cache_bytes(const Sizes *sizes, int64_t tokens, int width);

// The book's table; returns its number of rows.
int sizes_of_the_book(const Sizes **out, Arena *arena);

// Parses a config.json as transformers writes it. `name` is for messages; the row is named after model_type. Reads
// layers, width, heads, KV heads (default: heads), head dimension (default: width / heads), sliding window and its
// layers, and MLA's latent, under the names of GPT-2, Falcon, T5, BART and DeepSeek. Values in text_config take
// precedence.
bool sizes_parse(Sizes *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool sizes_read(Sizes *out, Arena *arena, const char *path, Error *error);

#endif
