// Chapter 19, step 1. Layers that share keys and values: shapes and bytes. [Brandon et al. 2024, arXiv:2405.12981]
#include "lesson/block_map.h"
#include "model/decode.h"
#include "steps.h"

// Bytes of the cache of an untrained model of that shape, when T tokens have been fed.
static int64_t bytes_after(Lesson *lesson, Config config, int T)
{
    Arena *arena = arena_open();
    Transformer model = transformer_new(arena, config);
    transformer_init(model, &lesson->random);
    Decoder decoder = decoder_new(arena, model, T);
    int *tokens = arena_alloc(arena, (size_t)T * sizeof *tokens);
    decoder_feed(mat_new(arena, T, config.outputs), &decoder, tokens, T);
    int64_t bytes = decoder_bytes(&decoder);
    arena_close(arena);
    return bytes;
}

void layers_that_share(Lesson *lesson, Transformer model)
{
    enum { T = 10, LAYERS = 4 };
    static const char *const cols[] = { "projections", "caches", "bytes a token" };
    step(lesson, "Layers that share");
    block_map_figure(lesson, "here.png", BLOCK_MAP_CACHE);
    Rows table = rows_of(lesson, "four layers of model C's sizes", cols, 3);
    table.table.decimals = -1;
    for (int share = 1; share <= LAYERS; share *= 2)
        for (int G = 2; G >= 1; G--) {
            Config config = model.config;
            config.L = LAYERS;
            config.share = share > 1 ? share : 0;
            config.G = G;
            int d = config.D / config.H, D = config.D, owners = LAYERS / share;
            int64_t bytes = bytes_after(lesson, config, T);
            int64_t projections = (int64_t)LAYERS * 2 * D * D + owners * 2 * D * G * d;
            const char *kind = share == 1 ? "each its own" : share == 2 ? "in pairs" : "in fours";
            rows_add(&table, ROW((double)projections, owners, (double)bytes / T), "%s, G = %d", kind, G);
            if (G == 2)
                cost(lesson, arena_format(lesson->arena, "bytes of cache after %d tokens, %s", T, kind), bytes,
                     "T · 4 · 2·G·d · L / layers that share", (int64_t)T * 4 * 2 * G * d * LAYERS / share);
        }
    show_rows(lesson, &table);
    say(lesson, "LLaMA 3.1 70B, 80 layers of G = 8 and d = 128, in 16 bits: %d bytes a token. In pairs: %d.",
        80 * 2 * 8 * 128 * 2, 40 * 2 * 8 * 128 * 2);
}
