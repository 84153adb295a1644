// Chapter 19. Eviction from a KV cache by accumulated attention weight. [Zhang et al. 2023, H2O, arXiv:2306.14048, §4]
#include "attention/evicting.h"

#include "attention/grouped.h"
#include "base/cost.h"

const char *const evicting_names[EVICT_POLICIES] = { "H2O", "recent", "random", "spiteful", "mean" };

EvictingCache evicting_new(Arena *arena, EvictPolicy policy, int budget, int G, int key_width, int value_width,
                           uint64_t seed)
{
    REQUIRE(budget >= 1 && G >= 1 && key_width % G == 0 && value_width % G == 0,
            "a budget of %d tokens, rows of %d and %d for %d key heads", budget, key_width, value_width, G);
    int capacity = budget + 1;
    return (EvictingCache){ .k = mat_new(arena, capacity, key_width),
                            .v = mat_new(arena, capacity, value_width),
                            .weight = mat_new(arena, capacity, G),
                            .token = arena_alloc(arena, (size_t)capacity * (size_t)G * sizeof(int)),
                            .G = G,
                            .budget = budget,
                            .policy = policy,
                            .random = random_from(seed) };
}

static int *token_at(const EvictingCache *cache, int row, int g) { return &cache->token[row * cache->G + g]; }

// ---- eviction

// The newest half is protected, and so is the token just added.
static bool is_protected(const EvictingCache *cache, int row, int g)
{
    int newest = cache->budget / 2 > 1 ? cache->budget / 2 : 1;
    return *token_at(cache, row, g) >= cache->length - newest;
}

// Whether `row` is evicted before `other`. Of equal weights the older token is evicted.
static bool evicted_before(const EvictingCache *cache, int row, int other, int g)
{
    float weight = *mat_ref(cache->weight, row, g), against = *mat_ref(cache->weight, other, g);
    if (cache->policy == EVICT_LIGHTEST_MEAN) {
        weight /= (float)(cache->length - *token_at(cache, row, g));
        against /= (float)(cache->length - *token_at(cache, other, g));
    }
    bool older = *token_at(cache, row, g) < *token_at(cache, other, g);
    bool lightest = cache->policy == EVICT_LIGHTEST || cache->policy == EVICT_LIGHTEST_MEAN;
    if (lightest && weight != against) return weight < against;
    if (cache->policy == EVICT_HEAVIEST && weight != against) return weight > against;
    return older;
}

// The row that KV head g evicts. Random: reservoir sampling, each candidate with equal probability.
static int victim_of(EvictingCache *cache, int g)
{
    int victim = -1, seen = 0;
    for (int row = 0; row < cache->kept; row++) {
        if (is_protected(cache, row, g)) continue;
        seen++;
        bool better = victim < 0 || evicted_before(cache, row, victim, g);
        if (cache->policy == EVICT_RANDOM) better = random_below(&cache->random, seen) == 0;
        if (better) victim = row;
    }
    return victim;
}

// Moves the last row into the evicted one. The order of keys does not matter to attention.
static void evict(EvictingCache *cache, int row, int g)
{
    int last = cache->kept - 1, d = cache->k.cols / cache->G, dv = cache->v.cols / cache->G;
    mat_set(mat_block(cache->k, row, 1, g * d, d), mat_block(cache->k, last, 1, g * d, d));
    mat_set(mat_block(cache->v, row, 1, g * dv, dv), mat_block(cache->v, last, 1, g * dv, dv));
    *mat_ref(cache->weight, row, g) = *mat_ref(cache->weight, last, g);
    *token_at(cache, row, g) = *token_at(cache, last, g);
}

// ---- a token

static void append_row(EvictingCache *cache, Mat k, Mat v)
{
    mat_set(mat_rows(cache->k, cache->kept, 1), k);
    mat_set(mat_rows(cache->v, cache->kept, 1), v);
    for (int g = 0; g < cache->G; g++) {
        *mat_ref(cache->weight, cache->kept, g) = 0.0f;
        *token_at(cache, cache->kept, g) = cache->length;
    }
    cache->kept++;
    cache->length++;
}

// Adds the weights (H, kept) of one query to the rows' totals, and scatters them to their tokens in `all`.
static void accumulate_weights(EvictingCache *cache, Mat weights, Mat all, int i, int n)
{
    int H = weights.rows, heads = H / cache->G;
    for (int h = 0; h < H; h++)
        for (int row = 0; row < cache->kept; row++) {
            float weight = *mat_ref(weights, h, row);
            *mat_ref(cache->weight, row, h / heads) += weight;
            if (!mat_empty(all)) *mat_ref(all, h * n + i, *token_at(cache, row, h / heads)) = weight;
        }
}

// Attention of query i, after its own token was added.
static void attend_row(Attended to, EvictingCache *cache, Mat q, int i, int H, const Mask *masks,
                       AttentionKernel *kernel)
{
    Arena *scratch = arena_open();
    Mat weights = mat_new(scratch, H, cache->kept);
    Attended own = { .out = mat_rows(to.out, i, 1), .weights = weights };
    if (!mat_empty(to.lse)) own.lse = mat_rows(to.lse, i, 1);
    grouped_attend(own, mat_rows(q, i, 1), mat_rows(cache->k, 0, cache->kept), mat_rows(cache->v, 0, cache->kept), H,
                   masks, kernel);
    accumulate_weights(cache, weights, to.weights, i, q.rows);
    arena_close(scratch);
}

void evicting_attend(Attended to, EvictingCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                     AttentionKernel *kernel)
{
    REQUIRE(q.rows == k.rows && k.rows == v.rows && k.cols == cache->k.cols && v.cols == cache->v.cols,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ", v is " MAT_SHAPE "; the cache holds rows of %d and %d",
            MAT_SHAPED(q), MAT_SHAPED(k), MAT_SHAPED(v), cache->k.cols, cache->v.cols);
    for (int h = 0; h < H; h++)
        REQUIRE(masks[h].causal && !masks[h].window && !masks[h].padding && masks[h].alibi == 0.0f && !masks[h].shift,
                "the mask of head %d is not causal alone: it needs to know where a kept token stood", h);
    mat_fill(to.weights, 0.0f);
    Cost before = cost_counted;
    int64_t read = mat_numbers(q) + mat_numbers(k) + mat_numbers(v);
    int64_t written = mat_numbers(k) + mat_numbers(v) + mat_numbers(to.out);
    for (int i = 0; i < q.rows; i++) {
        // 1. Append the token and attend.
        append_row(cache, mat_rows(k, i, 1), mat_rows(v, i, 1));
        attend_row(to, cache, q, i, H, masks, kernel);
        read += (int64_t)cache->kept * (cache->k.cols + cache->v.cols);

        // 2. Each KV head evicts one token.
        if (cache->kept <= cache->budget) continue;
        for (int g = 0; g < cache->G; g++) evict(cache, victim_of(cache, g), g);
        cache->kept--;
    }
    cost_counted.reads = before.reads + read;
    cost_counted.writes = before.writes + written + mat_numbers(to.lse) + mat_numbers(to.weights);
}

int64_t evicting_bytes(const EvictingCache *cache)
{
    return (int64_t)cache->kept * (cache->k.cols + cache->v.cols + 2 * cache->G) * 4;
}

// ---- as any cache

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    evicting_attend(to, cache, q, k, v, H, masks, kernel);
}

static int length_of_store(const void *cache) { return ((const EvictingCache *)cache)->length; }
static int64_t bytes_of_store(const void *cache) { return evicting_bytes(cache); }

KvStore evicting_store(EvictingCache *cache)
{
    return (KvStore){ cache, attend_store, length_of_store, bytes_of_store, NULL };
}
