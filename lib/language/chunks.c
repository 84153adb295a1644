// Random sequences whose next token is predictable from earlier occurrences.
#include "language/chunks.h"

enum { CHUNK_TOKENS = CHUNKS_MOST * CHUNK_LONGEST };

// `n` distinct numbers of 0 … vocabulary − 1 in random order: the first n steps of a shuffle, in O(n) memory.
static void distinct_tokens(int *tokens, int n, int vocabulary, Random *random)
{
    REQUIRE(0 <= n && n <= vocabulary, "%d distinct tokens out of %d", n, vocabulary);
    for (int i = 0; i < n; i++) {
        int place = random_below(random, vocabulary - i), before = 0;
        while (before < i && tokens[before] <= place) { // skip the tokens already taken, which are in ascending order
            place++;
            before++;
        }
        for (int j = i; j > before; j--) tokens[j] = tokens[j - 1];
        tokens[before] = place;
    }
    random_shuffle(random, tokens, n);
}

// Chunk c is tokens[start[c]] … tokens[start[c + 1] − 1]. Returns the number of chunks.
static int draw_chunks(int *start, int *tokens, int vocabulary, Random *random)
{
    int chunks = CHUNKS_FEWEST + random_below(random, CHUNKS_MOST - CHUNKS_FEWEST + 1);
    start[0] = 0;
    for (int c = 0; c < chunks; c++)
        start[c + 1] = start[c] + CHUNK_SHORTEST + random_below(random, CHUNK_LONGEST - CHUNK_SHORTEST + 1);
    distinct_tokens(tokens, start[chunks], vocabulary, random);
    return chunks;
}

void chunks_sequence(int *tokens, int *targets, int T, int vocabulary, Random *random)
{
    REQUIRE(T >= 0 && vocabulary >= CHUNK_TOKENS, "T is %d, the vocabulary %d; chunks need T >= 0 and %d tokens", T,
            vocabulary, CHUNK_TOKENS);
    int start[CHUNKS_MOST + 1], chunk[CHUNK_TOKENS], last = -1;
    bool seen[CHUNKS_MOST] = { false };
    int chunks = draw_chunks(start, chunk, vocabulary, random);
    for (int t = 0; t < T;) {
        int c = random_below(random, chunks - (last >= 0));
        if (last >= 0 && c >= last) c++; // any but the previous one
        for (int i = start[c]; i < start[c + 1]; i++) {
            if (t == T) break;
            tokens[t] = chunk[i];
            targets[t++] = seen[c] && i + 1 < start[c + 1] ? chunk[i + 1] : -1;
        }
        seen[c] = true;
        last = c;
    }
}

void chunks_repeated_sequence(int *tokens, int *targets, int T, int period, int vocabulary, Random *random)
{
    REQUIRE(T >= 0 && 1 <= period && period <= T && period <= vocabulary,
            "a period of %d in %d positions, out of %d tokens; it must fit into both", period, T, vocabulary);
    distinct_tokens(tokens, period, vocabulary, random);
    for (int t = period; t < T; t++) tokens[t] = tokens[t - period];
    for (int t = 0; t < T; t++) targets[t] = t < period ? -1 : tokens[t - period + 1];
}

void chunks_periodic_sequence(int *tokens, int *targets, int T, int vocabulary, Random *random)
{
    REQUIRE(T >= 4 && vocabulary >= T / 2, "T is %d, the vocabulary %d; a period needs T >= 4 and T / 2 tokens", T,
            vocabulary);
    chunks_repeated_sequence(tokens, targets, T, T / 4 + random_below(random, T / 2 - T / 4 + 1), vocabulary, random);
}
