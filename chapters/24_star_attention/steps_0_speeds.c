// Chapter 24, --measure: what the page of arithmetic rests on, measured by two ranks. Under `mpirun -n 2` they are
// processes, as for data/bench/star.tsv.
#include "kernels/fast.h"
#include "base/measure.h"
#include "base/threads.h"
#include "io/file.h"
#include "lesson/machines.h"
#include "steps.h"

#include <string.h>

enum { ROUNDS = 15, LARGE = 4 << 20, PINGS = 200, T = 1024, WIDE = 128, CACHED = 8192, HEADS = 32, GROUPS = 8 };
typedef struct {
    double wire[ROUNDS], message[ROUNDS];
} Wire;

// To and fro: seconds one way.
static double one_way(Rank *rank, char *room, int bytes, int times)
{
    int other = 1 - rank->me;
    double began = measure_clock_wall();
    for (int i = 0; i < times; i++) {
        if (rank->me == 0) rank_wait(rank, rank_send(rank, other, room, (size_t)bytes, "a ball"));
        rank_wait(rank, rank_receive(rank, other, room, (size_t)bytes, "a ball"));
        if (rank->me == 1) rank_wait(rank, rank_send(rank, other, room, (size_t)bytes, "a ball"));
    }
    return (measure_clock_wall() - began) / (2.0 * times);
}

void wire_work(Rank *rank, const void *task, void *result)
{
    (void)task;
    char *room = arena_alloc(rank->arena, LARGE);
    Wire *to = result;
    one_way(rank, room, LARGE, 2);
    for (int n = 0; n < ROUNDS; n++) {
        double large = one_way(rank, room, LARGE, 4), small = one_way(rank, room, 8, PINGS);
        if (to) to->wire[n] = LARGE / large / 1e9;
        if (to) to->message[n] = 1e6 * small;
    }
}

static Mat random_mat(Arena *arena, int rows, int cols)
{
    Random random = random_from(24);
    Mat m = mat_new(arena, rows, cols);
    random_normals(&random, m);
    return m;
}

static MeasureSpread attention_gflops(Arena *arena)
{
    Mat q = random_mat(arena, T, WIDE), k = random_mat(arena, T, WIDE), v = random_mat(arena, T, WIDE);
    Attended to = { .out = mat_new(arena, T, WIDE) };
    double rate[ROUNDS];
    for (int n = -2; n < ROUNDS; n++) {
        double began = measure_clock_thread();
        attention_fast(to, q, k, v, (Mask){ 0 });
        if (n >= 0) rate[n] = 2.0 * T * T * 2 * WIDE / (measure_clock_thread() - began) / 1e9;
    }
    return measure_spread(rate, ROUNDS);
}

static MeasureSpread cache_gbytes(Arena *arena)
{
    Mat q = random_mat(arena, 1, HEADS * WIDE), k = random_mat(arena, CACHED, GROUPS * WIDE);
    Mat v = random_mat(arena, CACHED, GROUPS * WIDE);
    Attended to = { .out = mat_new(arena, 1, HEADS * WIDE) };
    Mask masks[HEADS] = { { 0 } };
    double rate[ROUNDS];
    for (int n = -2; n < ROUNDS; n++) {
        double began = measure_clock_thread();
        attention_fast_decode(to, q, k, v, HEADS, masks);
        if (n >= 0) rate[n] = 4.0 * (double)(mat_numbers(k) + mat_numbers(v)) / (measure_clock_thread() - began) / 1e9;
    }
    return measure_spread(rate, ROUNDS);
}

static const char *line_of(Arena *arena, const char *text, const char *name, MeasureSpread s)
{
    return arena_format(arena, "%s%s\t%.4f\t%.4f\t%.4f\n", text, name, s.median, s.low, s.high);
}

void measure_speeds(Lesson *lesson, const Asked *asked)
{
    Arena *arena = lesson->arena;
    Error error;
    Wire wire;
    if (asked->ranks->count < 2) lesson_misused(lesson->state, "--measure needs two ranks: --ranks 2, or mpirun -n 2");
    ranks_run(asked->ranks, 2, wire_work, NULL, 0, &wire);
    threads_set(1);
    const char *text = arena_format(arena,
                                    "# Measured by chapter 24 --measure, medians of %d and their quartiles: one "
                                    "core, and two ranks that are %s.\n# cpu: %s, %s\n# date: %s\n# what\tmedian\tlow\t"
                                    "high\n",
                                    ROUNDS, asked->ranks->processes ? "processes" : "threads", machine_here(arena),
                                    fast_kind(), machine_today(arena));
    text = line_of(arena, text, "attention, GFLOP/s", attention_gflops(arena));
    text = line_of(arena, text, "cache read, GB/s", cache_gbytes(arena));
    text = line_of(arena, text, "wire, GB/s", measure_spread(wire.wire, ROUNDS));
    text = line_of(arena, text, "message, us", measure_spread(wire.message, ROUNDS));
    threads_set(0);
    if (!file_write(asked->measured, text, strlen(text), &error)) lesson_fail(&error);
}
