// Chapter 11. A transformer that is fed token by token or chunk by chunk: model/run.h with a cache a layer.
//
// What is not here: several sequences at once (model/server.h), gates, drawing the next token by chance
// (model/sample.h).
#ifndef MODEL_DECODE_H
#define MODEL_DECODE_H

#include "model/run.h"

typedef struct {
    Transformer model;       // a view: its weights must outlive the decoder
    KvStore *caches;         // (L) with RoPE the keys come to them turned already
    int capacity;            // tokens that may be fed in all
    RopeTable turns;         // (capacity, d / 2): the turns of RoPE for every position
    AttentionKernel *kernel; // attention_naive; may be exchanged
} Decoder;

// Room for `capacity` tokens. The model must be causal: else later tokens would change what is kept of earlier ones.
Decoder decoder_new(Arena *arena, Transformer model, int capacity);

// The same over caches of any kind, one a layer: caches (L) is copied, what it points to must outlive the decoder. What
// is said of bits below is true of those that keep every key as it came. Layers that share keys and values
// (Config.share) have one cache, the first one's; the places of the others are not looked at.
Decoder decoder_over(Arena *arena, Transformer model, int capacity, const KvStore *caches);

int decoder_length(const Decoder *decoder); // tokens that have been fed
int decoder_capacity(const Decoder *decoder);
int64_t decoder_bytes(const Decoder *decoder); // of all caches, as far as they are filled; of decoder_new
                                               // 4 · 2 G d · L · length (L: layers with keys of their own)

// The next n ≥ 0 tokens join those fed before; logits (n, outputs) of each. They must fit into what room is left.
// The logits are run_transformer's for all tokens at once, to the bit, however the tokens are dealt into chunks: every
// number is the same sum in the same order. Traffic is counted as run_layers says.
void decoder_feed(Mat logits, Decoder *decoder, const int *tokens, int n);

// Only the first `length` tokens stay: as if no other had ever been fed, to the bit (chapter 21). Every cache must be
// one that can (KvStore.truncate); a ring can as far as its spare rows reach.
void decoder_truncate(Decoder *decoder, int length);

// Goes on from the P ≥ 1 tokens that are there: fills tokens[P … n − 1], each the likeliest after those before it. Row
// t of logits (n, outputs) is what follows token t; nothing is asked for after the last one.
void decoder_continue(Mat logits, Decoder *decoder, int *tokens, int P, int n);

#endif
