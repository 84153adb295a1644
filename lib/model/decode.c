// Chapter 11. The forward pass of model/transformer.c for the newest tokens alone; the others are in the cache.
#include "model/decode.h"

#include "attention/grouped.h"
#include "attention/product.h"
#include "base/cost.h"

Decoder decoder_new(Arena *arena, Transformer model, int capacity)
{
    const Config *c = &model.config;
    int d = c->D / c->H;
    REQUIRE(c->causal, "the model is not causal: later tokens change the keys and values of earlier ones");
    REQUIRE(capacity >= 0, "a cache of %d tokens", capacity);
    Decoder decoder = { .model = model, .kernel = attention_naive };
    for (int l = 0; l < c->L; l++) decoder.cache[l] = kv_cache_new(arena, capacity, c->G * d, c->G * d);
    if (c->positions == POSITIONS_ROPE) decoder.turns = rope_turns(arena, 0, capacity, d);
    return decoder;
}

int decoder_length(const Decoder *decoder) { return decoder->cache[0].length; }
int decoder_capacity(const Decoder *decoder) { return decoder->cache[0].k.rows; }

int64_t decoder_bytes(const Decoder *decoder)
{
    int64_t bytes = 0;
    for (int l = 0; l < decoder->model.config.L; l++) bytes += kv_cache_bytes(decoder->cache[l]);
    return bytes;
}

// The traffic of x (n, rows) times a matrix of weights (rows, cols).
static void count_product(int n, Mat weights)
{
    counted.reads += (int64_t)n * weights.rows + (int64_t)weights.rows * weights.cols;
    counted.writes += (int64_t)n * weights.cols;
}

static void project(Mat out, Mat x, Mat weights)
{
    product_add(out, x, weights);
    count_product(x.rows, weights);
}

// x (n, D) → x + attention: run_attention of the transformer, for rows whose predecessors are in the cache.
static Mat attend_layer(Arena *scratch, Decoder *decoder, int layer, Mat x)
{
    const Config *c = &decoder->model.config;
    Layer w = decoder->model.layers[layer];
    int n = x.rows, D = c->D, d = D / c->H, first = decoder->cache[layer].length;
    Mat normed = mat_new(scratch, n, D), qkv = mat_new(scratch, n, w.wqkv.cols), heads = mat_new(scratch, n, D);
    Mask *masks = arena_alloc(scratch, (size_t)c->H * sizeof *masks);
    for (int h = 0; h < c->H; h++) masks[h] = layer_mask(c, layer, h);

    // 1. Queries, keys and values of the new tokens only.
    rms_norm(normed, x, w.norm);
    project(qkv, normed, w.wqkv);

    // 2. RoPE by their true positions: as many tokens stand before them as the cache holds.
    if (c->positions == POSITIONS_ROPE)
        qkv_turn(c, qkv, (Turns){ mat_rows(decoder->turns.cosine, first, n), mat_rows(decoder->turns.sine, first, n) });

    // 3. Into the cache, and a look at all of it.
    Mat q = mat_cols(qkv, 0, D), k = mat_cols(qkv, D, c->G * d), v = mat_cols(qkv, D + c->G * d, c->G * d);
    kv_cache_attend((Attended){ .out = heads }, &decoder->cache[layer], q, k, v, c->H, masks, decoder->kernel);

    // 4. Wo, and the residual.
    Mat out = mat_copy(scratch, x);
    project(out, heads, w.wo);
    return out;
}

static Mat mlp_layer(Arena *scratch, Layer w, Mat x)
{
    LayerRun stages = { 0 };
    Mat out = layer_mlp(scratch, &stages, w, x);
    count_product(x.rows, w.w1);
    count_product(x.rows, w.w2);
    return out;
}

void decoder_feed(Mat logits, Decoder *decoder, const int *tokens, int n)
{
    const Config *c = &decoder->model.config;
    int length = decoder_length(decoder), capacity = decoder_capacity(decoder);
    REQUIRE(n >= 0 && n <= capacity - length, "%d tokens more for a decoder of %d that holds %d", n, capacity, length);
    REQUIRE(logits.rows == n && logits.cols == c->outputs, "logits is " SHAPE "; it must be " SHAPE, SHAPED(logits), n,
            c->outputs);
    Arena *scratch = arena_open();
    Mat x = transformer_embed(scratch, decoder->model, tokens, n), normed = mat_new(scratch, n, c->D);
    for (int l = 0; l < c->L; l++) {
        x = attend_layer(scratch, decoder, l, x);
        if (c->mlp) x = mlp_layer(scratch, decoder->model.layers[l], x);
    }
    rms_norm(normed, x, decoder->model.norm);
    mat_fill(logits, 0.0f);
    project(logits, normed, decoder->model.output);
    arena_close(scratch);
}
