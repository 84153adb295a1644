// Chapter 24. Star attention: approximate attention over a long context in two phases with little communication.
// [Acharya, Jia and Ginsburg 2024, §2, arXiv:2411.17116]
//
// Phase 1, context encoding. The context is divided into blocks, and every rank processes its own blocks without
// communication. Each block but the first is prefixed with the context's first tokens, the anchor block. A token sees
// the anchor and its own block. Then the anchor's keys and values are discarded.
// Phase 2, query and generation. Queries of the prompt's end and of generated tokens attend to the whole context: they
// are sent to all ranks, each attends to its own cache, and the partial results are merged by logsumexp. The last rank
// runs this phase and caches the new tokens.
//
// Positions are those in the text: the anchor has 0 … anchor − 1, a block its own, so there is a gap between the two.
//
// Not here: batches, the backward pass. In the authors' code every rank gets all partial results and processes the
// query's tokens; here only the last one does.
#ifndef RANKS_STAR_H
#define RANKS_STAR_H

#include "attention/kv_cache.h"
#include "ranks/rank.h"

// Division of a context of `context` tokens: 0 ≤ anchor ≤ block, block ≥ 1.
typedef struct {
    int context, block, anchor;
} Star;

int star_blocks(Star star);             // ⌈context / block⌉
MaskRange star_block(Star star, int n); // tokens of block n; the last may have fewer than `block`
int star_anchor(Star star, int n);      // tokens of its anchor: 0 for block 0, which contains the anchor
MaskRange star_blocks_of(Star star, int me,
                         int count);              // the blocks of rank `me` of `count`; possibly none
MaskRange star_own(Star star, int me, int count); // the tokens of these blocks

// The same as a mask: whether the token at position i sees the one at j. Query tokens follow the context.
bool star_sees(Star star, int i, int j);
int64_t star_pairs(Star star); // visible pairs of query and key in phase 1

// Reference implementation: attention with that mask in one process, with a T × S table. T = S: the context followed by
// the query's tokens. Shapes as in grouped_attend; `masks` apply in addition.
void star_masked(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, Star star);

// ---- the KV cache of one layer on one rank

typedef struct {
    int H, G, d, dv;
} StarHeads;
typedef enum { STAR_ANCHOR, STAR_BLOCK, STAR_QUERY } StarStage;

typedef struct {
    Star star;
    StarHeads heads;
    Rank *rank;     // NULL: a single process has all blocks
    MaskRange own;  // context tokens cached here
    KvCache anchor; // anchor of the current block; empty between blocks
    KvCache cache;  // own tokens so far; on the last rank also the new tokens
    StarStage stage;
    int at; // position of the next token
} StarCache;

// Capacity: the blocks of `rank` and, on the last rank, `more` tokens of query and answer.
StarCache star_cache_new(Arena *arena, Rank *rank, Star star, StarHeads heads, int more);

// Select the stage of the next tokens: the anchor of a block, at positions from 0, in one chunk; block n, the first own
// one that is missing, in one chunk; or, after all own blocks, the query. Block 0 has no anchor.
void star_anchor_next(StarCache *cache);
void star_block_next(StarCache *cache, int n);
void star_query_next(StarCache *cache);

// Appends a chunk and attends, as kv_cache_attend, to the keys that the stage makes visible. In phase 2 the last rank
// calls this and all others call star_answer for the same n tokens: q (n, H d) is sent in one message; outputs and lse,
// n H (dv + 1) floats, come back. to.weights must be empty. Windows and ALiBi use positions in the text.
void star_attend(Attended to, StarCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel);
void star_answer(StarCache *cache, int n, const Mask *masks, AttentionKernel *kernel);

int64_t star_cache_bytes(const StarCache *cache); // bytes: 4 (G d + G dv) per cached token, an anchor included
KvStore star_cache_store(StarCache *cache);       // for a model (model/decode.h); `length` is the next token's
                                                  //   position; without `truncate`
#endif
