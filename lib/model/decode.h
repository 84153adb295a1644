// Chapter 11. Incremental decoding with a KV cache per layer, token by token or in chunks, by the layers of model/run.h.
//
// Not here: several sequences at once (model/server.h), head masks, sampling (model/sample.h).
#ifndef MODEL_DECODE_H
#define MODEL_DECODE_H

#include "model/run.h"

typedef struct {
    Transformer model;       // a view: its weights must outlive the decoder
    KvStore *caches;         // (L); with RoPE the cached keys are already rotated
    int capacity;            // maximum number of tokens
    RopeTable turns;         // (capacity, d / 2): RoPE rotations of every position
    AttentionKernel *kernel; // attention_naive by default; can be replaced
} Decoder;

// The model must be causal: otherwise later tokens would change the cached keys and values of earlier ones.
Decoder decoder_new(Arena *arena, Transformer model, int capacity);

// The same with caches of any kind, one per layer. caches (L) is copied; what it points to must outlive the decoder. The
// guarantees of bit-equal results below hold for caches that store every key exactly. Layers that share keys and values
// (Config.share) use the cache of the first of them; the other entries are ignored.
Decoder decoder_over(Arena *arena, Transformer model, int capacity, const KvStore *caches);

int decoder_length(const Decoder *decoder); // tokens fed so far
int decoder_capacity(const Decoder *decoder);
int64_t decoder_bytes(const Decoder *decoder); // filled part of all caches; with decoder_new
                                               // 4 · 2 G d · L · length (L: layers with keys of their own)

// Appends n ≥ 0 tokens; writes the logits (n, outputs) of each. They must fit into the remaining capacity. The logits
// are bit-equal to those of run_transformer on all tokens at once, however the tokens are divided into chunks, because
// every sum is computed in the same order. Memory traffic is counted as in run_layers.
void decoder_feed(Mat logits, Decoder *decoder, const int *tokens, int n);

// Rolls back to the first `length` tokens, as if no other had been fed, to the bit. Every cache must support it
// (KvStore.truncate); a ring buffer can go back by its spare rows only.
void decoder_truncate(Decoder *decoder, int length);

// Greedy decoding after the P ≥ 1 given tokens: fills tokens[P … n − 1]. Row t of logits (n, outputs) predicts the token
// after t; the token after the last one is not chosen.
void decoder_continue(Mat logits, Decoder *decoder, int *tokens, int P, int n);

#endif
