// Chapter 19. A KV cache of fixed size: when a token is added to a full cache, another is evicted.
//
// Each KV head keeps its own `budget` tokens. The newest half is protected. Among the others a policy chooses: H2O
// evicts the token with the least accumulated attention weight [Zhang et al. 2023, arXiv:2306.14048, §4]. For
// comparison: the oldest, a random one, the one with the most weight, and the one with the least weight per query that
// could see it.
//
// An evicted token is lost: later queries distribute its weight over the others. Keys keep the RoPE rotation of their
// original positions. Not here: windows and ALiBi, which need the positions of the kept tokens; budgets per head.
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

// Rows 0 … kept − 1 are filled, in no particular order. In a row, each KV head has its own token.
typedef struct {
    Mat k, v;   // (budget + 1, G d)  (budget + 1, G dv)
    Mat weight; // (budget + 1, G)    attention weight accumulated over all queries of the group
    int *token; // (budget + 1, G)    index of the token, from 0
    int G, budget, kept, length;
    EvictPolicy policy;
    Random random; // for EVICT_RANDOM
} EvictingCache;

// budget ≥ 1. The newest budget / 2 tokens, and the token just added, are never evicted.
EvictingCache evicting_new(Arena *arena, EvictPolicy policy, int budget, int G, int key_width, int value_width,
                           uint64_t seed);

// As kv_cache_attend, one token at a time: it is added, attends to the kept tokens and itself, and then one token is
// evicted if the budget is exceeded. So chunk sizes make no difference. Masks must be causal and nothing else.
// to.weights (H n, S) covers all S tokens so far; evicted ones have 0. Until the budget is reached the results are
// those of kv_cache_attend.
void evicting_attend(Attended to, EvictingCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                     AttentionKernel *kernel);
int64_t evicting_bytes(const EvictingCache *cache); // bytes of the kept rows: 4 · (d + dv + 2) each per KV head
KvStore evicting_store(EvictingCache *cache);       // without `truncate`: evicted tokens cannot be restored

#endif
