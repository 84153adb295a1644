// Chapter 12. How large the cache of a published model is: its sizes, and the formula.
//
// Sizes come from the book's table (data/sizes.tsv, which travels inside the program) or from a Hugging Face
// config.json.
#ifndef MODEL_SIZES_H
#define MODEL_SIZES_H

#include "io/file.h"

#include <stdint.h>

typedef enum { SIZES_ENCODER, SIZES_DECODER, SIZES_ENCODER_DECODER } SizesKind;

typedef struct {
    const char *name;
    SizesKind role;
    int L, D;         // layers that have a cache (of an encoder-decoder: the decoder's); width of the model
    int H, G, d;      // query heads; key heads; width of a head. H · d need not be D
    int window;       // W > 0: so many tokens at most are kept …
    int windowed;     // … in so many of the layers; the others keep all
    int latent, rope; // MLA: c and the width of the RoPE key that all heads share; latent 0: keys and values are kept
} Sizes;

// "MHA", "GQA", "MQA", or "MLA" (chapter 17).
const char *sizes_kind(const Sizes *sizes);

// Numbers that one layer keeps of one token: 2 G d, or with MLA c + rope; an encoder keeps none.
int64_t sizes_layer_numbers(const Sizes *sizes);

// Bytes of the cache after so many tokens, at `width` bytes a number: layers · numbers of a layer · tokens · width,
// with no more than `window` tokens in the windowed layers. The keys and values that an encoder-decoder keeps of the
// source are not in it: as much again for every token of the source. tokens ≥ 0.
int64_t sizes_cache_bytes(const Sizes *sizes, int64_t tokens, int width);

// The table of the book; returns how many rows it has.
int sizes_of_the_book(const Sizes **out, Arena *arena);

// A config.json as transformers writes it. `name` is for the message, which gives line and column; the row is named
// after the config's model_type. Read are, with the names that GPT-2, Falcon, T5, BART and DeepSeek have for them,
// layers, width, heads, key heads (absent: as many as heads), width of a head (absent: width / heads), sliding window
// and the layers it is in, MLA's latent. What a text_config holds goes before what stands outside it.
bool sizes_parse(Sizes *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool sizes_read(Sizes *out, Arena *arena, const char *path, Error *error);

#endif
