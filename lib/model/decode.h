// Chapter 11. A transformer that is fed token by token or chunk by chunk: model/transformer.h with a cache a layer.
//
// What is not here: several sequences at once, gates, choosing the next token from the logits (the chapter's program
// takes the largest), taking tokens back (chapter 21).
#ifndef MODEL_DECODE_H
#define MODEL_DECODE_H

#include "attention/kv_cache.h"
#include "model/transformer.h"

typedef struct {
    Transformer      model;                          // a view: its weights must outlive the decoder
    KvCache          cache[LAYERS_MOST];             // one a layer; with RoPE the keys in it are turned already
    Turns            turns;                          // (capacity, d / 2): the turns of RoPE for every position
    AttentionKernel *kernel;                         // attention_naive; may be exchanged
} Decoder;

// Room for `capacity` tokens. The model must be causal: else later tokens would change what is kept of earlier ones.
Decoder decoder_new(Arena *arena, Transformer model, int capacity);

int     decoder_length(const Decoder *decoder);      // tokens that have been fed
int     decoder_capacity(const Decoder *decoder);
int64_t decoder_bytes(const Decoder *decoder);       // of all caches, as far as they are filled: 4 · 2 G d · L · length

// The next n ≥ 0 tokens join those fed before; logits (n, outputs) of each. They must fit into what room is left.
// The logits are transformer_run's for all tokens at once, to the bit, however the tokens are dealt into chunks: every
// number is the same sum in the same order. Where a weight or an input is not finite this ends, as transformer_run then
// spreads NaN to rows that cannot see it.
//
// Traffic in counted.reads and counted.writes: attention as in kv_cache.h; every product with a matrix of the model
// reads its rows and the matrix once and writes its result once. Norms, turns, sums and the look-up of the embedding
// are left out: they can be done on the way, beside a product.
void decoder_feed(Mat logits, Decoder *decoder, const int *tokens, int n);

#endif
