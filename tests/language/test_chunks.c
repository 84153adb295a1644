// Chunk sequences: their rules, read back from the sequence alone, and that a target is set exactly where it is
// determined.
#include "language/chunks.h"

#include "support/reference.h"
#include "support/suite.h"

// An assertion of Check costs a system call; this one costs nothing while it holds.
#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("%s", #ok); \
    } while (0)

enum { T = 96, V = CHUNKS_VOCABULARY }; // longer than the book's, so that every chunk ends and comes again

// By brute force: a token is the last of its chunk when different tokens followed it.
typedef struct {
    int next[V];
    bool varies[V], known[V];
} Successors;

static Successors successors_of(const int *tokens, int count)
{
    Successors s = { .next = { 0 } };
    for (int t = 0; t + 1 < count; t++) {
        int x = tokens[t];
        if (s.known[x] && s.next[x] != tokens[t + 1]) s.varies[x] = true;
        s.known[x] = true;
        s.next[x] = tokens[t + 1];
    }
    return s;
}

static bool stands_before(const int *tokens, int t)
{
    for (int j = 0; j < t; j++)
        if (tokens[j] == tokens[t]) return true;
    return false;
}

// A target says what followed each time, now and before; and it is never given where the past does not determine it.
TEST(targets_are_determined)
{
    Random random = random_from(11);
    int tokens[T], targets[T], set = 0;
    for (int round = 0; round < 2000; round++) {
        chunks_sequence(tokens, targets, T, V, &random);
        for (int t = 0; t < T; t++) {
            must(0 <= tokens[t] && tokens[t] < V);
            if (targets[t] < 0) continue;
            set++;
            must(stands_before(tokens, t));
            must(t + 1 == T || tokens[t + 1] == targets[t]);
            for (int j = 0; j < t; j++) must(tokens[j] != tokens[t] || tokens[j + 1] == targets[t]);
        }
    }
    ck_assert_int_gt(set, 2000 * T / 3);
}

// The other way round: no target is missing. A token that stood before and was always followed by the same one, in a
// sequence of 600 tokens, is inside its chunk; the chance that a chunk's end looks so is below 1 in 10⁹.
TEST(no_target_is_missing)
{
    enum { LONG = 600 };
    Random random = random_from(12);
    int tokens[LONG], targets[LONG];
    for (int round = 0; round < 500; round++) {
        chunks_sequence(tokens, targets, LONG, V, &random);
        Successors s = successors_of(tokens, LONG);
        for (int t = 0; t < LONG - 1; t++)
            must(targets[t] == (stands_before(tokens, t) && !s.varies[tokens[t]] ? tokens[t + 1] : -1));
    }
}

// Cuts the sequence after every token whose successor varies: 3 to 5 chunks of 2 to 4 tokens, none directly after
// itself.
TEST(chunks_obey_their_rules)
{
    enum { LONG = 600 };
    Random random = random_from(13);
    int tokens[LONG], targets[LONG], lengths[8] = { 0 }, counts[8] = { 0 };
    for (int round = 0; round < 500; round++) {
        chunks_sequence(tokens, targets, LONG, V, &random);
        Successors s = successors_of(tokens, LONG);
        int length = 0, chunks = 0, last_end = -1;
        for (int t = 0; t < LONG - 1; t++) {
            length++;
            if (!s.varies[tokens[t]]) continue;
            must(CHUNK_SHORTEST <= length && length <= CHUNK_LONGEST);
            must(tokens[t] != last_end);
            last_end = tokens[t];
            lengths[length]++;
            length = 0;
        }
        for (int x = 0; x < V; x++) chunks += s.varies[x];
        must(CHUNKS_FEWEST <= chunks && chunks <= CHUNKS_MOST);
        counts[chunks]++;
    }
    for (int n = CHUNK_SHORTEST; n <= CHUNK_LONGEST; n++) ck_assert_int_gt(lengths[n], 500 * LONG / 3 / 4);
    for (int n = CHUNKS_FEWEST; n <= CHUNKS_MOST; n++) ck_assert_int_gt(counts[n], 120);
}

// Periods from T / 4 to T / 2, each of them drawn.
TEST(periods)
{
    Random random = random_from(19);
    int tokens[CHUNKS_T], targets[CHUNKS_T], seen[CHUNKS_T] = { 0 };
    for (int round = 0; round < 2000; round++) {
        chunks_periodic_sequence(tokens, targets, CHUNKS_T, V, &random);
        int period = 0;
        while (targets[period] < 0) period++;
        seen[period]++;
        for (int t = period; t < CHUNKS_T; t++) {
            must(tokens[t] == tokens[t - period]);
            must(t + 1 == CHUNKS_T || targets[t] == tokens[t + 1]);
        }
    }
    for (int p = 0; p < CHUNKS_T; p++) ck_assert_int_eq(seen[p] > 0, CHUNKS_T / 4 <= p && p <= CHUNKS_T / 2);
}
