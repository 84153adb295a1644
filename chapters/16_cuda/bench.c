// Times the rungs on the card, in turns with the peers that sdpa.py knows: CUDA events, medians, buffers rotated past
// the cache.
#include "card.h"

#include "base/measure.h"
#include "base/portable_math.h"
#include "figure/plot.h"
#include "figure/png.h"
#include "io/file.h"
#include "io/python_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, SETS = 16, ROWS = 128, OURS = 8, PEERS = 3 };
static const char *const peers[PEERS] = { "flash", "cudnn", "fa3" };
#define TURN 0.02 // seconds

typedef struct {
    int B, H, G, T, S, d;
    bool causal;
} Shape;

// Prefill with as many tokens at every length; the first two are small enough for those that keep a table. Decoding
// last.
static const Shape shapes[] = {
    { 1, 16, 16, 2048, 2048, 128, false },   { 1, 16, 16, 2048, 2048, 128, true },
    { 8, 16, 16, 2048, 2048, 128, false },   { 8, 16, 16, 2048, 2048, 128, true },
    { 4, 16, 16, 4096, 4096, 128, false },   { 4, 16, 16, 4096, 4096, 128, true },
    { 1, 16, 16, 16384, 16384, 128, false }, { 1, 16, 16, 16384, 16384, 128, true },
    { 4, 32, 32, 4096, 4096, 64, false },    { 4, 32, 32, 4096, 4096, 64, true },
    { 4, 32, 8, 4096, 4096, 128, true },     { 16, 32, 8, 1, 4096, 128, false },
    { 1, 32, 8, 1, 65536, 128, false },      { 16, 32, 8, 1, 32768, 128, false },
};
enum { SHAPES = sizeof shapes / sizeof *shapes, SMALL = 2 };

// times: as fast as each peer.
typedef struct {
    char kernel[32];
    Shape shape;
    MeasureSpread seconds;
    double error, clock, times[PEERS];
} Row;
typedef struct {
    Row at[ROWS];
    int count;
    PythonPeer *torch;
    const Card *card;
    Watch *watch;
} Bench;

static bool same_shape(Shape a, Shape b)
{
    return a.B == b.B && a.H == b.H && a.G == b.G && a.T == b.T && a.S == b.S && a.d == b.d && a.causal == b.causal;
}

static double flops(Shape s) { return 4.0 * s.B * s.H * s.T * s.S * s.d / (s.causal ? 2 : 1); }
static double bytes(Shape s) { return 2.0 * s.B * s.d * (2.0 * s.H * s.T + 2.0 * s.G * s.S); }

// Copies of one problem, two at least, so many that together they are more than twice the cache.
typedef struct {
    GpuProblem at[SETS];
    int count, turn;
} Sets;

static void *twin(const void *from, size_t size)
{
    void *copy = NULL;
    CUDA(cudaMalloc(&copy, size));
    CUDA(cudaMemcpy(copy, from, size, cudaMemcpyDeviceToDevice));
    return copy;
}

static Sets sets_of(const OnCard *o, Shape s, size_t cache)
{
    Sets sets = { .count = 1 };
    sets.at[0] = o->there;
    while (sets.count < SETS && (sets.count < 2 || sets.count * bytes(s) < 2.0 * (double)cache)) {
        GpuProblem *p = &sets.at[sets.count++];
        *p = o->there;
        p->q = twin(p->q, 2 * o->queries);
        p->k = twin(p->k, 2 * o->keys);
        p->v = twin(p->v, 2 * o->keys);
        p->out = twin(p->out, 2 * o->queries);
    }
    return sets;
}

static void sets_free(Sets *sets)
{
    for (int n = 1; n < sets->count; n++) {
        const void *all[] = { sets->at[n].q, sets->at[n].k, sets->at[n].v, sets->at[n].out };
        for (int e = 0; e < 4; e++) CUDA(cudaFree((void *)(uintptr_t)all[e]));
    }
}

// rung NULL: reading keys and values alone.
static Took time_of(Watch *watch, Sets *sets, const Rung *rung, size_t keys, float *scratch, int calls)
{
    watch_start(watch);
    for (int n = 0; n < calls; n++) {
        GpuProblem *p = &sets->at[sets->turn++ % sets->count];
        p->scratch = scratch;
        if (rung) CUDA(rung->run(p));
        else {
            CUDA(gpu_read(p->k, 2 * keys, scratch));
            CUDA(gpu_read(p->v, 2 * keys, scratch));
        }
    }
    return watch_stop(watch, calls);
}

// Of turns; NaN where there was none.
static MeasureSpread spread_or_none(const double *times, int count)
{
    return count && times[0] > 0 ? measure_spread(times, count)
                                 : (MeasureSpread){ .low = NAN, .median = NAN, .high = NAN };
}

// clock: 0 for the peers, which run elsewhere.
static void add_row(Bench *bench, const char *kernel, Shape s, MeasureSpread seconds, double clock, double error,
                    const MeasureSpread *peer)
{
    Row *row = &bench->at[bench->count++];
    *row = (Row){ .shape = s, .seconds = seconds, .error = error, .clock = clock };
    snprintf(row->kernel, sizeof row->kernel, "%s", kernel);
    printf("%-8s %2d %3d %3d %6d %6d %4d %-6s %8.1f %8.1f %10.2e %5.0f", kernel, s.B, s.H, s.G, s.T, s.S, s.d,
           s.causal ? "causal" : "full", flops(s) / seconds.median / 1e12, bytes(s) / seconds.median / 1e9, error,
           1e-6 * clock);
    for (int n = 0; n < PEERS; n++) {
        row->times[n] = peer[n].median / seconds.median;
        printf(" %7.3f", row->times[n]);
    }
    printf("\n");
    fflush(stdout);
}

// Which rungs run at this shape: all where it is small, the last ones everywhere.
static int chosen(const Rung **ours, const Card *card, int shape)
{
    int count = 0;
    for (int r = 0; r < rungs_count; r++) {
        bool shown = shape < SMALL || rungs[r].run == gpu_mma || rungs[r].run == gpu_hopper;
        bool fits = shapes[shape].T == 1 ? rungs[r].decodes : !rungs[r].decodes && shown;
        if (fits && rung_runs(&rungs[r], card, shapes[shape].T, shapes[shape].d)) ours[count++] = &rungs[r];
    }
    if (shapes[shape].T == 1) ours[count++] = NULL;
    return count;
}

static OnCard drawn(Arena *arena, Shape s)
{
    Random random = random_from(16);
    return on_card(arena, &random,
                   (GpuProblem){ .B = s.B,
                                 .H = s.H,
                                 .G = s.G,
                                 .T = s.T,
                                 .S = s.S,
                                 .d = s.d,
                                 .causal = s.causal,
                                 .kind = HALF_BFLOAT16 });
}

static void bench_shape(Bench *bench, int shape)
{
    Shape s = shapes[shape];
    const Rung *ours[OURS];
    int count = chosen(ours, bench->card, shape), calls[OURS];
    double times[OURS + PEERS][ROUNDS], clocks[OURS][ROUNDS], errors[OURS + 1];
    Arena *arena = arena_open();
    OnCard o = drawn(arena, s);
    int64_t scratch = 1;
    for (int r = 0; r < count; r++)
        if (ours[r] && rung_scratch(ours[r], &o.there) > scratch) scratch = rung_scratch(ours[r], &o.there);
    float *room = NULL;
    CUDA(cudaMalloc((void **)&room, sizeof *room * (size_t)scratch));
    Sets sets = sets_of(&o, s, bench->card->cache);

    // 1. Once for the result and once for the time of a call; then the turns.
    for (int r = 0; r < count; r++) {
        on_card_poison(&o);
        sets.turn = 0;
        time_of(bench->watch, &sets, ours[r], o.keys, room, 1);
        if (ours[r]) on_card_fetch(&o);
        errors[r] = ours[r] ? on_card_error(&o, s.B - 1, s.H - 1, 1 + s.T / 64).relative : NAN;
        double once = time_of(bench->watch, &sets, ours[r], o.keys, room, sets.count).seconds;
        calls[r] = (int)(TURN / once) + 1;
    }
    char command[128];
    snprintf(command, sizeof command, "shape %d %d %d %d %d %d %d %d", s.B, s.H, s.G, s.T, s.S, s.d, s.causal,
             (int)(bench->card->cache >> 20));
    bool asked = bench->torch && python_peer_ask(bench->torch, command) >= 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int r = 0; r < count; r++) {
            Took took = time_of(bench->watch, &sets, ours[r], o.keys, room, calls[r]);
            times[r][round] = took.seconds;
            clocks[r][round] = took.clock;
        }
        for (int n = 0; n < PEERS; n++) times[OURS + n][round] = asked ? python_peer_ask(bench->torch, peers[n]) : -1;
    }

    // 2. Rows.
    MeasureSpread peer[PEERS];
    for (int n = 0; n < PEERS; n++) peer[n] = spread_or_none(times[OURS + n], ROUNDS);
    for (int r = 0; r < count; r++)
        add_row(bench, ours[r] ? ours[r]->name : "read", s, spread_or_none(times[r], ROUNDS),
                measure_spread(clocks[r], ROUNDS).median, errors[r], peer);
    for (int n = 0; n < PEERS; n++) {
        snprintf(command, sizeof command, "error %s", peers[n]);
        if (!isnan(peer[n].median))
            add_row(bench, peers[n], s, peer[n], 0, python_peer_ask(bench->torch, command), peer);
    }
    if (asked) python_peer_ask(bench->torch, "forget");
    sets_free(&sets);
    CUDA(cudaFree(room));
    on_card_free(&o);
    arena_close(arena);
}

// ---- what is left of it: a table and a chart

static char *number(Arena *arena, const char *format, double value)
{
    char *text = arena_alloc(arena, 64);
    snprintf(text, 64, format, isnan(value) ? 0.0 : value);
    return text;
}

static char *table(Arena *arena, const Bench *bench)
{
    const Card *card = bench->card;
    char *text = arena_format(arena,
                              "%s# peers: %s%s\n"
                              "# bfloat16; medians of %d turns and their quartiles; 0: not measured\n"
                              "# kernel\tB\tH\tG\tT\tS\td\tcausal\ttflops\tgbytes_per_s\tratio_flash\tratio_cudnn\t"
                              "ratio_fa3\trel_error\ttflops_low\ttflops_high\tmhz\n",
                              card_facts(arena, card), bench->torch ? "PyTorch " : "none",
                              bench->torch ? python_peer_version(bench->torch) : "", ROUNDS);
    for (int r = 0; r < bench->count; r++) {
        const Row *row = &bench->at[r];
        Shape s = row->shape;
        text = arena_format(arena, "%s%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s", text, row->kernel, s.B, s.H, s.G, s.T,
                            s.S, s.d, s.causal, number(arena, "%.2f", flops(s) / row->seconds.median / 1e12),
                            number(arena, "%.1f", bytes(s) / row->seconds.median / 1e9));
        for (int n = 0; n < PEERS; n++)
            text = arena_format(arena, "%s\t%s", text, number(arena, "%.4f", row->times[n]));
        text = arena_format(arena, "%s\t%s\t%s\t%s\t%.0f\n", text, number(arena, "%.3e", row->error),
                            number(arena, "%.2f", flops(s) / row->seconds.high / 1e12),
                            number(arena, "%.2f", flops(s) / row->seconds.low / 1e12), 1e-6 * row->clock);
    }
    return text;
}

// Prefill at d = 128: TFLOP/s of the last rung and of the peers.
static bool chart(Arena *arena, const Bench *bench, const char *path, Error *error)
{
    static const char *const series[] = { "mma", "flash", "hopper", "cudnn", "fa3" };
    enum { SHOWN = sizeof series / sizeof *series };
    const char *groups[SHAPES];
    double values[SHAPES * SHOWN];
    int count = 0;
    for (int n = SMALL; n < SHAPES; n++) {
        Shape s = shapes[n];
        if (s.T == 1) continue;
        groups[count] = arena_format(arena, "%d, %d%s", s.T, s.d, s.causal ? " c" : "");
        for (int k = 0; k < SHOWN; k++) {
            values[count * SHOWN + k] = 0;
            for (int r = 0; r < bench->count; r++)
                if (same_shape(bench->at[r].shape, s) && !strcmp(bench->at[r].kernel, series[k]))
                    values[count * SHOWN + k] = flops(s) / bench->at[r].seconds.median / 1e12;
        }
        count++;
    }
    PlotBars bars = { .title = arena_format(arena, "Attention on %s: T, d (c: causal)", bench->card->name),
                      .y_title = "TFLOP/s",
                      .groups = groups,
                      .series = series,
                      .group_count = count,
                      .series_count = SHOWN,
                      .values = values,
                      .width = 1100 };
    unsigned char *bytes_of = NULL;
    int size = 0;
    bool saved = png_encode(&bytes_of, &size, plot_bars_draw(arena, &bars, (RenderTarget){ .scale = 2 }), error) &&
                 file_write(path, bytes_of, (size_t)size, error);
    free(bytes_of);
    return saved;
}

int once_main(const Card *card)
{
    for (int n = SMALL; n < SHAPES; n += SHAPES - SMALL - 1) {
        Shape s = shapes[n];
        Arena *arena = arena_open();
        OnCard o = drawn(arena, s);
        for (int r = 0; r < rungs_count; r++) {
            if (rungs[r].decodes != (s.T == 1) || !rung_runs(&rungs[r], card, s.T, s.d)) continue;
            size_t scratch = sizeof(float) * (size_t)(1 + rung_scratch(&rungs[r], &o.there));
            CUDA(cudaMalloc((void **)&o.there.scratch, scratch));
            CUDA(rungs[r].run(&o.there));
            CUDA(cudaDeviceSynchronize());
            CUDA(cudaFree(o.there.scratch));
        }
        on_card_free(&o);
        arena_close(arena);
    }
    return 0;
}

int bench_main(const Card *card, const char *folder)
{
    Arena *arena = arena_open();
    Bench *bench = arena_alloc(arena, sizeof *bench);
    char why[256];
    Error error;
    bench->card = card;
    bench->watch = watch_new(arena, card);
    bench->torch = python_peer_start(GPU_FOLDER "/sdpa.py", why, sizeof why);
    if (!bench->torch) printf("left out: PyTorch (%s)\n", why);
    printf("%-8s %2s %3s %3s %6s %6s %4s %-6s %8s %8s %10s %5s", "kernel", "B", "H", "G", "T", "S", "d", "mask",
           "TFLOP/s", "GB/s", "error", "MHz");
    for (int n = 0; n < PEERS; n++) printf(" x %-5s", peers[n]);
    printf("\n");
    for (int n = 0; n < SHAPES; n++) bench_shape(bench, n);
    const char *text = table(arena, bench);
    watch_free(bench->watch);
    python_peer_stop(bench->torch);
    bool saved = file_make_folder(folder, &error) &&
                 file_write(arena_format(arena, "%s/gpu.tsv", folder), text, strlen(text), &error) &&
                 (!png_available() || chart(arena, bench, arena_format(arena, "%s/gpu.png", folder), &error));
    if (!saved) fprintf(stderr, "%s\n", error.text);
    else printf("written: %s/gpu.tsv\n", folder);
    arena_close(arena);
    return !saved;
}
