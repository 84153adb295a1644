// Chapter 19. A cache of a fixed size: for every token that comes, another one goes.
//
// Each key head keeps its own `budget` tokens. The newest half of them is safe. Among the others a policy chooses who
// goes: H2O, the one that queries have given the least weight so far [Zhang et al. 2023, arXiv:2306.14048, §4]; and, to
// compare it with, the oldest, one at random, the one with the most weight, the one with the least for each query that
// could look at it.
//
// What is gone is gone: a later query that would have wanted it takes its weight elsewhere. Keys keep the positions
// that they were turned by. What is not here: windows and ALiBi, which would need to know where a kept token stood;
// budgets that differ from head to head.
#ifndef ATTENTION_EVICTING_H
#define ATTENTION_EVICTING_H

#include "attention/kv_cache.h"
#include "base/random.h"

typedef enum {
    EVICT_LIGHTEST,
    EVICT_OLDEST,
    EVICT_RANDOM,
    EVICT_HEAVIEST,
    EVICT_LIGHTEST_MEAN,
    EVICT_POLICIES
} EvictPolicy;
extern const char *const evicting_names[EVICT_POLICIES]; // "H2O", "recent", "random", …

// Rows 0 … kept − 1 are filled, in no order. In row r each key head has a token of its own.
typedef struct {
    Mat k, v;   // (budget + 1, G d)  (budget + 1, G dv)
    Mat weight; // (budget + 1, G)    what all queries of its group have given it so far
    int *token; // (budget + 1, G)    which token it is, from 0
    int G, budget, kept, length;
    EvictPolicy policy;
    Random random; // of EVICT_RANDOM
} EvictingCache;

// budget ≥ 1; budget / 2 of the newest tokens, and the token that has just come, never go.
EvictingCache evicting_new(Arena *arena, EvictPolicy policy, int budget, int G, int key_width, int value_width,
                           uint64_t seed);

// As kv_cache_attend: token after token, each joins, looks at what is kept and itself, and then one goes if there are
// more than the budget. So chunks make no difference. Masks must be causal and nothing else. to.weights (H n, S) has
// all S tokens that ever came: 0 for those that are gone. Until the budget is reached, what kv_cache_attend gives.
void evicting_attend(Attended to, EvictingCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                     AttentionKernel *kernel);
int64_t evicting_bytes(const EvictingCache *cache); // of kept rows: 4 · (d + dv + 2) for each key head
KvStore evicting_store(EvictingCache *cache);       // without `truncate`: what is gone is gone

#endif
