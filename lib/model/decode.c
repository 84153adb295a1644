// Chapter 11. The forward pass for new tokens only; keys and values of the others are cached.
#include "model/decode.h"

#include "model/sample.h"

Decoder decoder_over(Arena *arena, Transformer model, int capacity, const KvStore *caches)
{
    const Config *c = &model.config;
    REQUIRE(c->causal, "the model is not causal: later tokens change the keys and values of earlier ones");
    REQUIRE(capacity >= 0, "a cache of %d tokens", capacity);
    Decoder decoder = { .model = model, .capacity = capacity, .kernel = attention_naive };
    decoder.caches = arena_alloc(arena, (size_t)c->L * sizeof *decoder.caches);
    for (int l = 0; l < c->L; l++) decoder.caches[l] = caches[config_owner(c, l)];
    decoder.turns = run_turns(arena, c, capacity);
    return decoder;
}

Decoder decoder_new(Arena *arena, Transformer model, int capacity)
{
    const Config *c = &model.config;
    int width = c->G * (c->D / c->H);
    KvCache *cache = arena_alloc(arena, (size_t)c->L * sizeof *cache);
    KvStore *stores = arena_alloc(arena, (size_t)c->L * sizeof *stores);
    REQUIRE(capacity >= 0, "a cache of %d tokens", capacity);
    for (int l = 0; l < c->L; l++) {
        if (config_owner(c, l) != l) continue;
        cache[l] = kv_cache_new(arena, capacity, width, width);
        stores[l] = kv_cache_store(&cache[l]);
    }
    return decoder_over(arena, model, capacity, stores);
}

int decoder_length(const Decoder *decoder) { return decoder->caches[0].length(decoder->caches[0].cache); }
int decoder_capacity(const Decoder *decoder) { return decoder->capacity; }

int64_t decoder_bytes(const Decoder *decoder)
{
    int64_t bytes = 0;
    for (int l = 0; l < decoder->model.config.L; l++) {
        const KvStore *store = &decoder->caches[l];
        if (config_owner(&decoder->model.config, l) == l) bytes += store->bytes(store->cache);
    }
    return bytes;
}

void decoder_feed(Mat logits, Decoder *decoder, const int *tokens, int n)
{
    const Config *c = &decoder->model.config;
    int length = decoder_length(decoder), capacity = decoder_capacity(decoder);
    REQUIRE(n >= 0 && n <= capacity - length, "%d tokens more for a decoder of %d that holds %d", n, capacity, length);
    REQUIRE(logits.rows == n && logits.cols == c->outputs, "logits is " MAT_SHAPE "; it must be " MAT_SHAPE,
            MAT_SHAPED(logits), n, c->outputs);
    Arena *scratch = arena_open();
    const int start[] = { 0, n };
    Run run = { .model = decoder->model,
                .batch = { 1, start, tokens, NULL },
                .turns = decoder->turns,
                .caches = decoder->caches,
                .kernel = decoder->kernel,
                .logits = logits };
    run_layers(scratch, &run);
    arena_close(scratch);
}

void decoder_truncate(Decoder *decoder, int length)
{
    REQUIRE(length >= 0 && length <= decoder_length(decoder), "the first %d tokens of %d", length,
            decoder_length(decoder));
    const Config *c = &decoder->model.config;
    for (int l = 0; l < c->L; l++) {
        const KvStore *store = &decoder->caches[l];
        if (config_owner(c, l) != l) continue;
        REQUIRE(store->truncate, "the cache of layer %d cannot take tokens back", l);
        store->truncate(store->cache, length);
    }
}

void decoder_continue(Mat logits, Decoder *decoder, int *tokens, int P, int n)
{
    REQUIRE(P >= 1 && P <= n && logits.rows == n, "%d tokens of %d, logits is " MAT_SHAPE, P, n, MAT_SHAPED(logits));
    decoder_feed(mat_rows(logits, 0, P), decoder, tokens, P);
    for (int t = P; t < n; t++) {
        tokens[t] = sample_likeliest(mat_row(logits, t - 1), logits.cols);
        decoder_feed(mat_rows(logits, t, 1), decoder, tokens + t, 1);
    }
}
