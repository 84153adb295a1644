// Chapter 15. What its steps share, and the steps.
#ifndef CHAPTER_15_STEPS_H
#define CHAPTER_15_STEPS_H

#include "attention/attention.h"
#include "io/table.h"
#include "lesson/random_qkv.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

// The versions of the fast kernel: floats in a vector, vectors in a block, vector registers.
typedef struct {
    const char *name, *title;
    int lanes, vectors, registers;
} Version;
enum { VERSIONS = 3, ROWS = 4, KEYS = 64 };
extern const Version versions[VERSIONS];

// What --time is to time; rung −1: all of them.
typedef struct {
    int seconds, T, d, rung;
    bool causal;
} Wanted;

// ---- steps_0_shared.c
int64_t multiplies_of(Lesson *lesson, HeadProjections p, Mask mask); // of attention_fast, counted

// ---- steps_4_where.c
void draw_where(Lesson *lesson); // where.png

// ---- steps_0_measured.c: what `make bench-full` has measured once, and the columns of its tables
enum { OF_H, OF_G, OF_T, OF_S, OF_D, IS_CAUSAL, THREADS, GFLOPS, SHARE, GBYTES, ERROR, LOW, HIGH, BENCH_COLUMNS };
enum { GROWTH_T, SECONDS, SCRATCH, GROWTH_COLUMNS };
enum { PER_1000, INSTRUCTION_COLUMNS };
enum { AS_IT_WAS, MENDED, AS_IT_IS, ASSIST_COLUMNS };

typedef struct {
    int T, S, d;
    bool causal;
    int threads;
} Shape;
static const Shape FULL = { 1024, 1024, 64, false, 1 }, HALF = { 1024, 1024, 64, true, 1 }; // of the ladder

TableRows bench_rows(Arena *arena);       // data/bench/cpu-amd-epyc.tsv
TableRows zen4_rows(Arena *arena);        // data/bench/cpu-amd-epyc-25-17.tsv
TableRows intel_rows(Arena *arena);       // data/bench/cpu-intel-xeon-6-207.tsv
TableRows ladder_rows(Arena *arena);      // data/bench/ladder.tsv
TableRows growth_rows(Arena *arena);      // data/bench/growth.tsv
TableRows instruction_rows(Arena *arena); // data/bench/instructions.tsv
TableRows assist_rows(Arena *arena);      // data/bench/assists.tsv
const char *bench_fact(Arena *arena, const char *key);
const char *zen4_fact(Arena *arena, const char *key);
const char *intel_fact(Arena *arena, const char *key);
const char *ladder_fact(Arena *arena, const char *key);
const char *growth_fact(Arena *arena, const char *key);
const char *assist_fact(Arena *arena, const char *key);
float measured(TableRows bench, const char *kernel, Shape at, int column);
const char *shape_name(Arena *arena, Shape shape);

enum { TIMED = 6 };
extern const Shape shapes_timed[TIMED]; // of the tables of steps 10 and 11

// ---- the steps
void what_the_machine_could_do(Lesson *lesson);
void one_rung_at_a_time(Lesson *lesson);
void neighbours(Lesson *lesson);
void lanes_are_queries(Lesson *lesson);
void two_to_the_x(Lesson *lesson);
void sums_are_registers(Lesson *lesson);
void seldom_raised(Lesson *lesson);
void what_the_mask_cuts(Lesson *lesson);
void threads_and_wide_rows(Lesson *lesson);
void how_cost_grows(Lesson *lesson);
void other_processors(Lesson *lesson);
void other_numbers(Lesson *lesson);
void sixteen_bits(Lesson *lesson);
void here_and_now(Lesson *lesson, Wanted wanted); // --time

#endif
