// Stores the heads of a run in a trace.
#include "model/run_trace.h"

static TraceHeads layer_of_run(Arena *arena, const Run *run, int layer)
{
    const Config *c = &run->model.config;
    int T = run->batch.start[1], H = c->H, G = c->G, d = c->D / H;
    TraceHeads all = {
        .H = H,
        .q = mat_new(arena, T, H * d),
        .k = mat_new(arena, T, G * d),
        .v = mat_new(arena, T, G * d),
        .scores = mat_new(arena, H * T, T),
        .weights = mat_new(arena, H * T, T),
        .heads = mat_new(arena, T, H * d),
    };
    for (int h = 0; h < H; h++) {
        RunHeadStages head = run_head(arena, run, 0, layer, h);
        int g = h / (H / G);
        mat_set(mat_cols(all.q, h * d, d), head.q);
        mat_set(mat_cols(all.k, g * d, d), head.k);
        mat_set(mat_cols(all.v, g * d, d), head.v);
        mat_set(mat_rows(all.scores, h * T, T), head.scores);
        mat_set(mat_rows(all.weights, h * T, T), head.weights);
        mat_set(mat_cols(all.heads, h * d, d), head.head);
    }
    return all;
}

void run_trace(Trace *trace, const Run *run, const char *const *words)
{
    int T = run->batch.start[1];
    for (int l = 0; l < run->model.config.L; l++) {
        Arena *scratch = arena_open();
        trace_layer(trace, l, layer_of_run(scratch, run, l));
        arena_close(scratch);
    }
    trace_words(trace, words, T, words, T);
}
