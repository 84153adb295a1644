// Chapter 09. The corpus of the induction model: sequences in which only what stood there before tells what comes next.
//
// Tokens are numbers, 0 … vocabulary − 1, and mean nothing. A sequence is strung together from chunks: 3 to 5 of them,
// each of 2 to 4 tokens, all tokens distinct. The chunks follow each other in random order, none directly after itself,
// and the last one may be cut off by the end.
//
//     chunks: 4 17 9 | 30 2 | 8 11 5 20          4 17 9  8 11 5 20  30 2  4 17 9  30 2  8 11 …
//
// targets[t] is the token that follows tokens[t], where the past determines it: tokens[t] stood there before, and is
// not the last of its chunk. A chunk's tokens stand in no other chunk, so then the token that followed it the first
// time follows again. Everywhere else targets[t] is −1, and the loss ignores it: the first time of a chunk is all news,
// and what comes after its last token is drawn from at least two others. The last target may be a token behind the end.
#ifndef LANGUAGE_CHUNKS_H
#define LANGUAGE_CHUNKS_H

#include "base/random.h"

enum {
    CHUNKS_FEWEST = 3,
    CHUNKS_MOST = 5, // chunks in a sequence
    CHUNK_SHORTEST = 2,
    CHUNK_LONGEST = 4, // tokens in a chunk
    CHUNKS_VOCABULARY = 32,
    CHUNKS_T = 32 // the book's sizes
};

// tokens (T), targets (T). T ≥ 0; vocabulary at least CHUNKS_MOST · CHUNK_LONGEST = 20, so that the tokens can be
// distinct.
void chunks_sequence(int *tokens, int *targets, int T, int vocabulary, Random *random);

// `period` distinct random tokens, over and over until T. targets[t] is −1 in the first round and what follows after
// it. With T = 30 and period 15 it is the test of copying: 15 tokens in an order never seen, once and once again.
void chunks_repeated_sequence(int *tokens, int *targets, int T, int period, int vocabulary, Random *random);

// The control: a repeated sequence with a period drawn from T / 4 … T / 2. A model can learn it without looking for the
// token itself, as its last copy is always one whole period away. T ≥ 4, vocabulary ≥ T / 2.
void chunks_periodic_sequence(int *tokens, int *targets, int T, int vocabulary, Random *random);

#endif
