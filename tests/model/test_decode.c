// Tests of lib/model/decode.c: a sequence fed in chunks gives run_transformer's logits, to the bit.
#include "model/decode.h"

#include "attention/evicting.h"
#include "attention/paged_cache.h"
#include "attention/ring_cache.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "support/suite.h"

// clang-format off
static const struct {
    const char *name;
    Config config;
} cases[] = {
    { "no positions", { CONFIG_SIZES(7, 7, 8, 2, 2, 2), .causal = true } },
    { "RoPE", { CONFIG_SIZES(9, 9, 8, 2, 2, 2), .positions = CONFIG_POSITIONS_ROPE, .causal = true } },
    { "RoPE, windows", { CONFIG_SIZES(9, 5, 6, 1, 1, 3), .positions = CONFIG_POSITIONS_ROPE, .causal = true,
      .window = (const int[]){ 2, 5, 0 } } },
    { "RoPE, one key head, MLP", { CONFIG_SIZES(7, 6, 24, 6, 1, 2), .positions = CONFIG_POSITIONS_ROPE,
      .causal = true, .mlp = 10 } },
    { "RoPE, three key heads", { CONFIG_SIZES(7, 6, 24, 6, 3, 2), .positions = CONFIG_POSITIONS_ROPE,
      .causal = true } },
    { "ALiBi, two key heads, MLP", { CONFIG_SIZES(6, 9, 12, 4, 2, 2), .positions = CONFIG_POSITIONS_ALIBI,
      .causal = true, .mlp = 7 } },
    { "ALiBi, windows, MLP", { CONFIG_SIZES(6, 9, 9, 3, 3, 4), .positions = CONFIG_POSITIONS_ALIBI, .causal = true,
      .mlp = 5, .window = (const int[]){ 3, 1, 0, 6 } } },
    { "RoPE, SwiGLU, another base", { CONFIG_SIZES(7, 6, 24, 6, 2, 2), .positions = CONFIG_POSITIONS_ROPE,
      .causal = true, .mlp = 10, .mlp_kind = CONFIG_MLP_SWIGLU, .rope_base = 300.0 } },
    { "RoPE, keys of two layers", { CONFIG_SIZES(7, 6, 16, 4, 2, 5), .positions = CONFIG_POSITIONS_ROPE,
      .causal = true, .share = 2 } },
    { "RoPE, a learned sink, no norms", { CONFIG_SIZES(7, 6, 16, 4, 2, 2), .positions = CONFIG_POSITIONS_ROPE,
      .causal = true, .sink = CONFIG_SINK_LOGIT, .bare = true } },
    { "RoPE, gates of heads", { CONFIG_SIZES(7, 6, 16, 4, 4, 2), .positions = CONFIG_POSITIONS_ROPE, .causal = true,
      .sink = CONFIG_SINK_GATE, .mlp = 5 } },
    { "RoPE, maps subtracted, norms of heads", { CONFIG_SIZES(7, 6, 16, 8, 4, 2), .positions = CONFIG_POSITIONS_ROPE,
      .causal = true, .differ = CONFIG_DIFFER_LEARNED, .head_norm = true } },
    { "ALiBi, maps subtracted, keys of two layers, windows", { CONFIG_SIZES(7, 6, 8, 4, 2, 3),
      .positions = CONFIG_POSITIONS_ALIBI, .causal = true, .differ = CONFIG_DIFFER_FIXED, .share = 2,
      .window = (const int[]){ 3, 0, 2 } } },
    { "ALiBi, keys of three layers, windows, MLP", { CONFIG_SIZES(7, 6, 8, 2, 2, 4),
      .positions = CONFIG_POSITIONS_ALIBI, .causal = true, .mlp = 5, .share = 3, .window = (const int[]){ 3, 0, 2,
      4 } } },
};
// clang-format on
enum { CASES = sizeof cases / sizeof *cases };

static Transformer some_model(const Config *c) { return flat_random(arena, *c, &random_state, 0.2f); }

static int *some_tokens(const Config *c, int n)
{
    int *tokens = arena_alloc(arena, (size_t)n * sizeof *tokens);
    for (int t = 0; t < n; t++) tokens[t] = random_below(&random_state, c->words);
    return tokens;
}

// A matrix full of NaN: what is not written shows.
static Mat unwritten(int rows, int cols) { return framed_mat(arena, rows, cols, NAN).view; }

// Each chunk has 0 … most tokens.
static void assert_fed(Transformer m, const int *tokens, int n, Mat whole, int most)
{
    Decoder decoder = decoder_new(arena, m, n + random_below(&random_state, 3));
    for (int first = 0; first < n;) {
        int size = random_below(&random_state, most + 1);
        if (size > n - first) size = n - first;
        Mat logits = unwritten(size, m.config.outputs);
        decoder_feed(logits, &decoder, tokens + first, size);
        assert_same(logits, mat_rows(whole, first, size));
        first += size;
        ck_assert_int_eq(decoder_length(&decoder), first);
    }
}

TEST_EACH(random_splits_to_the_bit, CASES)
{
    const Config *c = &cases[_i].config;
    for (int e = 0; e < 40; e++) {
        ArenaMark mark = arena_mark(arena);
        int n = random_below(&random_state, 24), most = 1 + random_below(&random_state, n + 1);
        const int *tokens = some_tokens(c, n);
        Transformer m = some_model(c);
        Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, n), (Mat){ 0 });
        case_is("%s: %d tokens in chunks of up to %d", cases[_i].name, n, most);
        assert_fed(m, tokens, n, run.logits, most);
        arena_release(arena, mark);
    }
}

// What is in the caches is what run_transformer made of keys and values: turned, with RoPE.
TEST_EACH(caches_hold_the_keys_and_values_of_a_run, CASES)
{
    enum { N = 11 };
    const Config *c = &cases[_i].config;
    const int *tokens = some_tokens(c, N);
    Transformer m = some_model(c);
    Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, N), (Mat){ 0 });
    Decoder decoder = decoder_new(arena, m, N);
    for (int t = 0; t < N; t++) decoder_feed(mat_new(arena, 1, c->outputs), &decoder, tokens + t, 1);
    int d = c->D / c->H;
    for (int l = 0; l < c->L; l++)
        for (int g = 0; g < c->G; g++) {
            case_is("%s, layer %d, key head %d", cases[_i].name, l, g);
            KvSegment filled = kv_cache_filled(*(const KvCache *)decoder.caches[l].cache);
            Mat k = mat_cols(filled.k, g * d, d), v = mat_cols(filled.v, g * d, d);
            assert_same(k, run_qkv_head(c, run.layers[l].qkv, RUN_QKV_K, g));
            assert_same(v, run_qkv_head(c, run.layers[l].qkv, RUN_QKV_V, g));
        }
    int stores = c->share > 1 ? (c->L + c->share - 1) / c->share : c->L;
    ck_assert_int_eq(decoder_bytes(&decoder), 2LL * c->G * d * stores * N * 4);
    ck_assert_int_eq(decoder_capacity(&decoder), N);
}

// ---- tokens that are taken back

typedef enum { CONTIGUOUS, PAGED, RING, ALL_CACHES } CacheKind;
static const char *const cache_names[ALL_CACHES] = { "contiguous", "paged", "ring" };

enum { LAYERS_MOST = 12, ROOM = 40, SPARE = 3 };

// A decoder over caches of one kind, and the table of its pages.
typedef struct {
    Decoder decoder;
    PagePool pool;
    PagedMemory memory;
    PageTable table;
    PagedCache paged[LAYERS_MOST];
    RingCache ring[LAYERS_MOST];
} Over;

static Over *decoder_of(CacheKind kind, Transformer m)
{
    const Config *c = &m.config;
    int width = c->G * (c->D / c->H);
    Over *over = arena_alloc(arena, sizeof *over);
    KvStore stores[LAYERS_MOST];
    over->pool = page_pool_new(arena, ROOM, 3);
    over->memory = paged_memory_new(arena, &over->pool, c->L, width, width);
    over->table = page_table_new(arena, &over->pool, ROOM);
    for (int l = 0; l < c->L; l++) {
        over->paged[l] = paged_cache_of(&over->table, &over->memory, l);
        over->ring[l] = ring_cache_spare(arena, 1, 5, SPARE, width, width);
        stores[l] = kind == PAGED ? paged_cache_store(&over->paged[l]) : ring_cache_store(&over->ring[l]);
    }
    over->decoder = kind == CONTIGUOUS ? decoder_new(arena, m, ROOM) : decoder_over(arena, m, ROOM, stores);
    return over;
}

static Mat fed(Over *over, const int *tokens, int n)
{
    Mat logits = unwritten(n, over->decoder.model.config.outputs);
    int missing = decoder_length(&over->decoder) + n - over->table.length;
    if (missing > 0) ck_assert(page_table_grow(&over->table, missing, paged_memory_copy, &over->memory));
    decoder_feed(logits, &over->decoder, tokens, n);
    return logits;
}

// A decoder is fed right tokens and wrong ones, which it takes back, another one the right ones alone.
static void assert_taken_back(CacheKind kind, Transformer m)
{
    const int *right = some_tokens(&m.config, ROOM), *wrong = some_tokens(&m.config, ROOM);
    Over *one = decoder_of(kind, m), *other = decoder_of(kind, m);
    for (int length = 0; length < ROOM - 3;) {
        int n = random_below(&random_state, 4), gone = random_below(&random_state, SPARE + 1);
        Mat logits = fed(one, right + length, n), want = fed(other, right + length, n);
        assert_same(logits, want);
        length += n;
        if (gone > ROOM - length) gone = ROOM - length;
        fed(one, wrong, gone);
        decoder_truncate(&one->decoder, length);
        ck_assert_int_eq(decoder_length(&one->decoder), length);
        ck_assert_int_eq(decoder_bytes(&one->decoder), decoder_bytes(&other->decoder));
        if (kind == PAGED) ck_assert_int_eq(one->pool.left, other->pool.left);
    }
}

TEST_EACH(taken_back_as_if_never_fed, CASES *ALL_CACHES)
{
    const Config *c = &cases[_i / ALL_CACHES].config;
    CacheKind kind = (CacheKind)(_i % ALL_CACHES);
    if (kind == RING && c->share > 1) return; // its chunks are single tokens then
    for (int round = 0; round < 3; round++) {
        ArenaMark mark = arena_mark(arena);
        case_is("%s, %s", cases[_i / ALL_CACHES].name, cache_names[kind]);
        assert_taken_back(kind, some_model(c));
        arena_release(arena, mark);
    }
}

TEST_ABORTS(what_cannot_be_taken_back, 3)
{
    quiet();
    Transformer m = some_model(&cases[1].config);
    Decoder decoder = decoder_new(arena, m, 4);
    EvictingCache caches[2];
    if (_i == 2) {
        KvStore stores[2];
        for (int l = 0; l < 2; l++) {
            caches[l] = evicting_new(arena, EVICT_OLDEST, 4, 2, 8, 8, 1);
            stores[l] = evicting_store(&caches[l]);
        }
        decoder = decoder_over(arena, m, 4, stores);
    }
    decoder_feed(mat_new(arena, 2, m.config.outputs), &decoder, (const int[]){ 1, 2 }, 2);
    decoder_truncate(&decoder, _i == 0 ? 3 : _i == 1 ? -1 : 1);
}

// Each token is the likeliest after a whole run over those before it.
TEST_EACH(goes_on_with_the_likeliest, CASES)
{
    enum { P = 3, N = 10 };
    Config c = cases[_i].config;
    c.outputs = c.words;
    Transformer m = some_model(&c);
    int *tokens = some_tokens(&c, N);
    Decoder decoder = decoder_new(arena, m, N);
    Mat logits = unwritten(N, c.outputs);
    decoder_continue(logits, &decoder, tokens, P, N);
    Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, N), (Mat){ 0 });
    case_is("%s", cases[_i].name);
    assert_same(logits, run.logits);
    for (int t = P; t < N; t++) ck_assert_int_eq(tokens[t], run_answer(&run, 0, t - 1));
    ck_assert_int_eq(decoder_length(&decoder), N);
}

// decode.h's convention, written out.
TEST_EACH(work_and_traffic_by_the_formula, CASES)
{
    const Config *c = &cases[_i].config;
    for (int l = 0; l < c->L; l++)
        if (config_window(c, l) || c->share > 1 || c->sink || c->differ) return; // tested in test_kv_cache.c
    int64_t D = c->D, d = D / c->H, wide = (c->H + 2 * c->G) * d, M = c->mlp, V = c->outputs;
    int64_t before = 5, n = 1 + _i % 4, S = before + n, pairs = n * before + n * (n + 1) / 2, kv = 2 * c->G * d;
    Decoder decoder = decoder_new(arena, some_model(c), (int)S);
    const int *tokens = some_tokens(c, (int)S);
    decoder_feed(mat_new(arena, (int)before, c->outputs), &decoder, tokens, (int)before);
    Cost start = cost_counted;
    decoder_feed(mat_new(arena, (int)n, c->outputs), &decoder, tokens + before, (int)n);
    Cost work = cost_since(start);
    int64_t matrices = c->mlp_kind == CONFIG_MLP_SWIGLU ? 3 : 2, in = matrices - 1;
    int64_t weights = c->L * (D * wide + D * D + matrices * D * M) + D * V;
    int64_t turning = c->positions == CONFIG_POSITIONS_ROPE ? 2 * n * d * (c->H + c->G) * c->L : 0;
    ck_assert_int_eq(work.multiplies, n * weights + c->L * pairs * 2 * D + turning);
    int64_t read = n * D + n * wide + S * kv + n * D + (M ? in * n * D + n * M : 0);
    int64_t written = n * wide + n * kv + n * D + n * D + (M ? in * n * M + n * D : 0);
    ck_assert_int_eq(work.reads, weights + c->L * read + n * D);
    ck_assert_int_eq(work.writes, c->L * written + n * V);
}

TEST_ABORTS(mistakes_stop_the_program, 9)
{
    quiet();
    Config c = cases[1].config, sees_all = c;
    sees_all.causal = false;
    Decoder decoder = decoder_new(arena, some_model(&c), 4);
    int tokens[] = { 1, 2, 3, 9 };
    decoder_feed(mat_new(arena, 2, c.outputs), &decoder, tokens, 2);
    switch (_i) {
    case 0: decoder_new(arena, some_model(&sees_all), 4); break;
    case 1: decoder_feed(mat_new(arena, 3, c.outputs), &decoder, tokens, 3); break; // a token too many
    case 2: decoder_feed(mat_new(arena, 1, c.outputs), &decoder, tokens, 2); break;
    case 3: decoder_feed(mat_new(arena, 2, c.outputs + 1), &decoder, tokens, 2); break;
    case 4: decoder_feed(mat_new(arena, 1, c.outputs), &decoder, tokens + 3, 1); break; // there is no token 9
    case 5: decoder_feed(mat_new(arena, 0, c.outputs), &decoder, tokens, -1); break;
    case 6: decoder_continue(mat_new(arena, 2, c.outputs), &decoder, tokens, 0, 2); break;
    case 7: decoder_continue(mat_new(arena, 1, c.outputs), &decoder, tokens, 1, 2); break;
    default: decoder_new(arena, some_model(&c), -1); break;
    }
}
