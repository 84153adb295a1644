// Chapter 24. Star attention: a long context is cut into blocks, and a block is read by one rank, alone.
//
// Phase 1. Every rank reads its own blocks, and before each of them, except the first, the context's first tokens: the
// anchor. A token sees the anchor and its own block, and nothing is sent. Then the anchor's keys and values go.
// Phase 2. The query, and every token that is generated, looks at all of the context: its queries go to all ranks, each
// attends to what it keeps, and what they give is merged by the logsumexp. The last rank asks, and keeps new tokens.
//
// Everything stands where it stands in the text: the anchor at 0 … anchor − 1, a block behind all blocks before it,
// with a gap between the two.
//
// [Acharya, Jia and Ginsburg 2024, §2, arXiv:2411.17116]
// What is not here: batches, the backward pass. The paper's code lets every rank have all partial results, and so every
// rank carries the query's tokens through the model; here only the last one does.
#ifndef RANKS_STAR_H
#define RANKS_STAR_H

#include "attention/kv_cache.h"
#include "ranks/rank.h"

// How a context of so many tokens is cut: 0 ≤ anchor ≤ block, block ≥ 1.
typedef struct {
    int context, block, anchor;
} Star;

int star_blocks(Star star);             // ⌈context / block⌉
MaskRange star_block(Star star, int n); // the tokens of block n; the last may have fewer than `block`
int star_anchor(Star star, int n);      // first tokens before block n: 0 for block 0, which has them
MaskRange star_blocks_of(Star star, int me,
                         int count);              // the blocks of rank `me` of `count`; of few blocks some have none
MaskRange star_own(Star star, int me, int count); // the tokens of these

// All this as a mask: may the token at position i see the one at j? Behind the context stands the query.
bool star_sees(Star star, int i, int j);
int64_t star_pairs(Star star); // pairs of query and key that phase 1 has in sight

// Attention through that mask, in one process and with a T × S table: what ranks are held against. T = S: the context,
// and the query's tokens behind it. Shapes and masks as grouped_attend, whose masks hide what they hide, too.
void star_masked(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, Star star);

// ---- a cache of one layer, as a rank keeps it

typedef struct {
    int H, G, d, dv;
} StarHeads;
typedef enum { STAR_ANCHOR, STAR_BLOCK, STAR_QUERY } StarStage;

typedef struct {
    Star star;
    StarHeads heads;
    Rank *rank;     // NULL: one process has all blocks
    MaskRange own;  // tokens of the context that are kept here
    KvCache anchor; // of the block at hand; empty between blocks
    KvCache cache;  // own tokens that have been read; on the last rank new tokens behind them
    StarStage stage;
    int at; // the position of the next token
} StarCache;

// Room for the own blocks of `rank` and, on the last rank, for `more` tokens of query and answer.
StarCache star_cache_new(Arena *arena, Rank *rank, Star star, StarHeads heads, int more);

// What comes next: the tokens before a block, at positions 0 …, in one chunk; the tokens of block n, the own one behind
// the last that has come, in one chunk; when all own blocks are there, the query. Block 0 has nothing before it.
void star_anchor_next(StarCache *cache);
void star_block_next(StarCache *cache, int n);
void star_query_next(StarCache *cache);

// A chunk joins and looks, as kv_cache_attend lets it, with keys of the stage at hand. In phase 2 the last rank calls
// this, and all others star_answer for the same n tokens: q (n, H d) comes in one message, n H (dv + 1) floats go back,
// outputs and lse. to.weights must be empty. A window, or ALiBi, counts positions of the text.
void star_attend(Attended to, StarCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel);
void star_answer(StarCache *cache, int n, const Mask *masks, AttentionKernel *kernel);

int64_t star_cache_bytes(const StarCache *cache); // of what is kept: 4 (G d + G dv) a token, an anchor included
KvStore star_cache_store(StarCache *cache);       // for a model (model/decode.h), whose RoPE asks for positions;
                                                  //   without `truncate`
#endif
