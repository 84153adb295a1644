// Chapter 11, step 7. The bytes of a cache: counted here, and by the formula for a published model.
#include "lesson/machines.h"
#include "model/decode.h"
#include "steps.h"

// LLaMA 2 7B, [Touvron et al. 2023, arXiv:2307.09288], and the bytes of a float of 16 bits.
enum { LLAMA_L = 32, LLAMA_G = 32, LLAMA_D = 128, LLAMA_MLP = 11008, HALF = 2 };

static double llama_gigabytes(double tokens) { return 2.0 * LLAMA_G * LLAMA_D * LLAMA_L * HALF * tokens / 1e9; }

// In each layer four matrices of attention, three of the MLP (chapter 25) and two norms; the tables of tokens at both
// ends, and the last norm.
double llama_weights(void)
{
    double width = LLAMA_G * LLAMA_D, layer = 4 * width * width + 3 * width * LLAMA_MLP + 2 * width;
    return LLAMA_L * layer + 2 * width * LLAMA_TOKENS + width;
}

void what_it_takes(Lesson *lesson, Transformer model)
{
    step(lesson, "What it costs: memory");
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    int n = 1000, d = c->D / c->H;
    Decoder decoder = decoder_new(arena, model, n);
    int *tokens = arena_alloc(arena, (size_t)n * sizeof *tokens);
    Mat logits = mat_new(arena, 100, c->outputs);
    decoder_feed(mat_rows(logits, 0, 1), &decoder, tokens, 1);
    cost(lesson, "bytes of cache after one token", decoder_bytes(&decoder), "4 · 2·G·d · L", 4LL * 2 * c->G * d * c->L);
    decoder_feed(mat_rows(logits, 0, 99), &decoder, tokens, 99);
    cost(lesson, "after 100", decoder_bytes(&decoder), "100 times as many", 100LL * 4 * 2 * c->G * d * c->L);
    while (decoder_length(&decoder) < n) decoder_feed(logits, &decoder, tokens, 100);
    cost(lesson, "after 1000", decoder_bytes(&decoder), "1000 times as many", 1000LL * 4 * 2 * c->G * d * c->L);
    int weights = 4 * (int)transformer_numbers(model);
    say(lesson, "The model's own weights are %d bytes: as much as %d tokens.", weights,
        (int)(weights / (decoder_bytes(&decoder) / n)));

    say(lesson,
        "LLaMA 2 7B has L = 32 layers of G = 32 key heads with d = 128. In 16 bits a token takes 2 · 2·G·d · L "
        "= %d bytes, so %.1f GB for 4,096 tokens and %.1f GB for 32,768. Its %.2f billion weights take %.1f GB: less "
        "than the cache of %d tokens.",
        2 * 2 * LLAMA_G * LLAMA_D * LLAMA_L, llama_gigabytes(4096), llama_gigabytes(32768), llama_weights() / 1e9,
        llama_weights() * HALF / 1e9, (int)(llama_weights() * HALF / (1e9 * llama_gigabytes(1))) + 1);

    enum { POINTS = 9 };
    static double x[POINTS], y[4][POINTS];
    for (int p = 0; p < POINTS; p++) {
        x[p] = 4096.0 * p;
        y[0][p] = llama_weights() * HALF / 1e9;
        y[1][p] = llama_gigabytes(x[p]);
        y[2][p] = 4 * y[1][p];
        y[3][p] = MACHINE_H100.memory - y[0][p];
    }
    PlotSeries series[] = { { "weights", x, y[0], POINTS, true, false, NULL },
                            { "one sequence", x, y[1], POINTS, false, false, NULL },
                            { "four sequences", x, y[2], POINTS, false, false, NULL },
                            { "80 GB less the weights", x, y[3], POINTS, true, false, NULL } };
    figure_plot(lesson, "memory.png", "the cache of LLaMA 2 7B in 16 bits, by the formula",
                (Plot){ .title = "Cache of LLaMA 2 7B, 16 bits",
                        .x_title = "tokens in each sequence",
                        .y_title = "GB",
                        .series = series,
                        .count = 4,
                        .width = 700 });
}
