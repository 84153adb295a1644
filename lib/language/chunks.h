// Chapter 09. The corpus of the induction model: sequences whose next token is predictable from earlier occurrences only.
//
// Tokens are numbers 0 … vocabulary − 1 without meaning. A sequence repeats 3 to 5 chunks of 2 to 4 tokens each, all
// tokens distinct. Chunks follow each other in random order, none directly after itself, and the last one may be cut off.
//
//     chunks: 4 17 9 | 30 2 | 8 11 5 20          4 17 9  8 11 5 20  30 2  4 17 9  30 2  8 11 …
//
// targets[t] is the token after tokens[t] if the past determines it: tokens[t] has occurred before and is not the last
// of its chunk. A token is in one chunk only, so the same token follows again. Otherwise targets[t] is −1, and the loss
// ignores it: a chunk's first occurrence is unpredictable, and the chunk after it is drawn from at least two. The last
// target may be a token beyond the end.
#ifndef LANGUAGE_CHUNKS_H
#define LANGUAGE_CHUNKS_H

#include "base/random.h"

enum {
    CHUNKS_FEWEST = 3,
    CHUNKS_MOST = 5, // chunks in a sequence
    CHUNK_SHORTEST = 2,
    CHUNK_LONGEST = 4, // tokens per chunk
    CHUNKS_VOCABULARY = 32,
    CHUNKS_T = 32 // the book's sizes
};

// tokens (T), targets (T). T ≥ 0; vocabulary ≥ CHUNKS_MOST · CHUNK_LONGEST = 20, so that the tokens can be distinct.
void chunks_sequence(int *tokens, int *targets, int T, int vocabulary, Random *random);

// `period` distinct random tokens, repeated until T. targets[t] is −1 in the first period, then the next token. T = 30
// and period 15 give the copying test: 15 tokens in a new order, twice.
void chunks_repeated_sequence(int *tokens, int *targets, int T, int period, int vocabulary, Random *random);

// The control: a repeated sequence with a period drawn from T / 4 … T / 2. It can be solved without matching tokens,
// since the previous occurrence is always one period away. T ≥ 4, vocabulary ≥ T / 2.
void chunks_periodic_sequence(int *tokens, int *targets, int T, int vocabulary, Random *random);

#endif
