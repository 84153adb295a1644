// What the card's memories give, by themselves, and how many blocks it takes: cycles until a number is there, bytes a
// second, and decoding with the keys in more and more parts. A table: data/bench/gpu_memory.tsv is one.
#include "card.h"

#include "base/measure.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 7, STEPS = 1 << 16, LINE = 128, KIB = 1024, MIB = 1024 * 1024 };

// 0: not measured.
typedef struct {
    const char *name;
    double kib;
    int blocks;
    double cycles, gbytes, low, high, clock;
} Row;
enum { ROWS = 32 };
typedef struct {
    Row at[ROWS];
    int count, multiprocessors;
    Watch *watch;
    float *sums;
} Table;

static void add_row(Table *table, Row row)
{
    REQUIRE(table->count < ROWS, "more than %d rows", ROWS);
    table->at[table->count++] = row;
    printf("%-8s %10.0f KiB %5d blocks %8.1f cycles %8.1f GB/s %6.0f MHz\n", row.name, row.kib, row.blocks, row.cycles,
           row.gbytes, 1e-6 * row.clock);
    fflush(stdout);
}

static void *room_for(size_t bytes)
{
    void *there = NULL;
    CUDA(cudaMalloc(&there, bytes));
    CUDA(cudaMemset(there, 1, bytes));
    return there;
}

// ---- one after the other

// Places 0 … nodes − 1, each once, at random, in a ring [Sattolo 1986]: next[n] comes after n.
static void ring_of(uint32_t *next, int nodes, Random *random)
{
    for (int n = 0; n < nodes; n++) next[n] = (uint32_t)n;
    for (int n = nodes - 1; n > 0; n--) {
        int other = random_below(random, n);
        uint32_t held = next[n];
        next[n] = next[other];
        next[other] = held;
    }
}

static void waits(Table *table, const char *name, size_t bytes, bool near)
{
    int nodes = (int)(bytes / LINE), warm = bytes > 64 * MIB ? 0 : nodes;
    Arena *arena = arena_open();
    Random random = random_from(16);
    uint32_t *next = arena_alloc(arena, sizeof *next * (size_t)nodes);
    uint64_t *chain = arena_alloc(arena, bytes), *there = room_for(bytes);
    int64_t cycles[2], *cycles_there = room_for(sizeof cycles);
    double found[ROUNDS], clocks[ROUNDS];
    const uint64_t *at = there;
    ring_of(next, nodes, &random);
    memset(chain, 0, bytes);
    for (int n = 0; n < nodes; n++)
        chain[(size_t)n * (LINE / sizeof *chain)] = (uint64_t)(uintptr_t)there + (uint64_t)next[n] * LINE;
    CUDA(cudaMemcpy(there, chain, bytes, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) { // each goes on where the last one ended: in no cache
        watch_start(table->watch);
        CUDA(gpu_follow(at, near, warm, STEPS, cycles_there));
        clocks[round] = watch_stop(table->watch, 1).clock;
        CUDA(cudaMemcpy(cycles, cycles_there, sizeof cycles, cudaMemcpyDeviceToHost));
        at = (const uint64_t *)(uintptr_t)cycles[1];
        found[round] = (double)cycles[0] / STEPS;
    }
    add_row(table, (Row){ .name = name,
                          .kib = (double)bytes / KIB,
                          .blocks = 1,
                          .cycles = measure_spread(found, ROUNDS).median,
                          .clock = measure_spread(clocks, ROUNDS).median });
    CUDA(cudaFree(there));
    CUDA(cudaFree(cycles_there));
    arena_close(arena);
}

static void waits_shared(Table *table)
{
    enum { NODES = 4 * KIB };
    Random random = random_from(16);
    uint32_t next[NODES], *there = room_for(sizeof next);
    int64_t cycles[2], *cycles_there = room_for(sizeof cycles);
    double found[ROUNDS];
    ring_of(next, NODES, &random);
    for (int n = 0; n < NODES; n++) next[n] *= 4;
    CUDA(cudaMemcpy(there, next, sizeof next, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        CUDA(gpu_follow_shared(there, NODES, STEPS, cycles_there));
        CUDA(cudaMemcpy(cycles, cycles_there, sizeof cycles, cudaMemcpyDeviceToHost));
        found[round] = (double)cycles[0] / STEPS;
    }
    add_row(table, (Row){ .name = "shared",
                          .kib = sizeof next / KIB,
                          .blocks = 1,
                          .cycles = measure_spread(found, ROUNDS).median });
    CUDA(cudaFree(there));
    CUDA(cudaFree(cycles_there));
}

// ---- all at once

static Row speed_row(const char *name, double size, double read, int blocks, const double *seconds,
                     const double *clocks)
{
    MeasureSpread s = measure_spread(seconds, ROUNDS);
    return (Row){ .name = name,
                  .kib = size / KIB,
                  .blocks = blocks,
                  .gbytes = 1e-9 * read / s.median,
                  .low = 1e-9 * read / s.high,
                  .high = 1e-9 * read / s.low,
                  .clock = measure_spread(clocks, ROUNDS).median };
}

static void speeds(Table *table, size_t cached, size_t far)
{
    enum { AGAIN = 4096, CALLS = 16, CACHE = 0, MEMORY = 1 };
    void *there = room_for(far);
    double seconds[2][ROUNDS], clocks[2][ROUNDS], read = 0;
    for (int round = -1; round < ROUNDS; round++)
        for (int n = CACHE; n <= MEMORY; n++) {
            watch_start(table->watch);
            if (n == CACHE) CUDA(gpu_read_again(there, cached, AGAIN, table->sums, &read));
            for (int call = 0; n == MEMORY && call < CALLS; call++) CUDA(gpu_read(there, far, table->sums));
            Took took = watch_stop(table->watch, n == CACHE ? 1 : CALLS);
            if (round < 0) continue; // to warm up
            seconds[n][round] = took.seconds;
            clocks[n][round] = took.clock;
        }
    add_row(table, speed_row("L2", (double)cached, read, 8 * table->multiprocessors, seconds[CACHE], clocks[CACHE]));
    add_row(table,
            speed_row("memory", (double)far, (double)far, 8 * table->multiprocessors, seconds[MEMORY], clocks[MEMORY]));
    CUDA(cudaFree(there));
}

// One sequence, 8 key heads: in each split, 8 blocks.
static void splits(Table *table)
{
    enum { H = 32, G = 8, S = 65536, D = 128, CALLS = 12 };
    static const int counts[] = { 1, 2, 4, 8, 16, 33, 66, 132 };
    enum { COUNTS = sizeof counts / sizeof *counts };
    double seconds[COUNTS][ROUNDS], clocks[COUNTS][ROUNDS];
    Arena *arena = arena_open();
    Random random = random_from(16);
    OnCard o =
        on_card(arena, &random, (GpuProblem){ .B = 1, .H = H, .G = G, .T = 1, .S = S, .d = D, .kind = HALF_BFLOAT16 });
    o.there.scratch = room_for(sizeof(float) * (size_t)decode_scratch(1, H, D, counts[COUNTS - 1]));
    for (int round = -1; round < ROUNDS; round++)
        for (int n = 0; n < COUNTS; n++) {
            watch_start(table->watch);
            for (int call = 0; call < CALLS; call++) CUDA(gpu_decode_split(&o.there, counts[n]));
            Took took = watch_stop(table->watch, CALLS);
            if (round < 0) continue;
            seconds[n][round] = took.seconds;
            clocks[n][round] = took.clock;
        }
    on_card_fetch(&o);
    printf("decode, %d splits: relative error %.2e\n", counts[COUNTS - 1], on_card_error(&o, 0, H - 1, 1).relative);
    for (int n = 0; n < COUNTS; n++)
        add_row(table, speed_row("decode", 4.0 * S * G * D, 4.0 * S * G * D, G * counts[n], seconds[n], clocks[n]));
    CUDA(cudaFree(o.there.scratch));
    on_card_free(&o);
    arena_close(arena);
}

int memory_main(const Card *card, const char *folder)
{
    const size_t cached = 16 * MIB, far = (size_t)1024 * MIB;
    Arena *arena = arena_open();
    Table *table = arena_alloc(arena, sizeof *table);
    Error error;
    *table = (Table){ .multiprocessors = card->multiprocessors,
                      .watch = watch_new(arena, card),
                      .sums = room_for(sizeof(float)) };
    speeds(table, cached, far);
    waits_shared(table);
    waits(table, "L1", 64 * KIB, true);
    waits(table, "L2", cached, false);
    waits(table, "memory", far, false);
    splits(table);
    char *text = arena_format(arena,
                              "%s# medians of %d turns and their quartiles; 0: not measured\n"
                              "# name\tkib\tblocks\tcycles\tgbytes_per_s\tlow\thigh\tmhz\n",
                              card_facts(arena, card), ROUNDS);
    for (int r = 0; r < table->count; r++) {
        const Row *row = &table->at[r];
        text = arena_format(arena, "%s%s\t%.0f\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\n", text, row->name, row->kib,
                            row->blocks, row->cycles, row->gbytes, row->low, row->high, 1e-6 * row->clock);
    }
    bool saved = file_make_folder(folder, &error) &&
                 file_write(arena_format(arena, "%s/gpu_memory.tsv", folder), text, strlen(text), &error);
    if (!saved) fprintf(stderr, "%s\n", error.text);
    else printf("written: %s/gpu_memory.tsv\n", folder);
    watch_free(table->watch);
    CUDA(cudaFree(table->sums));
    arena_close(arena);
    return !saved;
}
