// Exercise 16e: my_turned, a kernel. The emulator runs it, in several orders of its threads, and counts.
#include "base/portable_math.h"
#include "chapters/16_cuda/emulator/emulator.h"
#include "chapters/16_cuda/emulator/runtime.h"
#include "exercises/judge.h"

#include <string.h>

typedef void Launch(float *to, const float *from, int S, int d);
Launch my_launch, launch_turned; // the reader's, and that of answers_16e.cu

// As in answers_16e.cu.
enum { AS_IT_WAS = 1, STAYS, NOT_TURNED, NO_BARRIER, FAR_STORES, FAR_LOADS, UNPADDED, NO_SHARED, RETURNS, WRITE_EDGE };
enum { ROUNDED_DOWN = WRITE_EDGE + 1, ONE_BLOCK, MANY_BLOCKS, MANY_THREADS };

enum { SIDE = 32, ORDERS = 4 };

// Runs f; where it writes nothing, `to` stays what it is.
static cudaError_t run(Launch *f, Mat to, Mat from, EmulatorOptions options)
{
    const size_t bytes = sizeof(float) * (size_t)(from.rows * from.cols);
    void *to_there = NULL, *from_there = NULL;
    REQUIRE(!cudaMalloc(&to_there, bytes) && !cudaMalloc(&from_there, bytes), "the emulator has no memory");
    cudaMemcpy(to_there, to.at, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(from_there, from.at, bytes, cudaMemcpyHostToDevice);
    emulator_configure(options);
    emulator_reset();
    f(to_there, from_there, from.rows, from.cols);
    cudaError_t error = cudaGetLastError();
    cudaMemcpy(to.at, to_there, bytes, cudaMemcpyDeviceToHost);
    cudaFree(to_there);
    cudaFree(from_there);
    return error;
}

// ---- the launch, for a small matrix: too many blocks take their time

static void check_launch(Judge *judge, Function f)
{
    const int S = 5, d = 40, squares = 2;
    judge_trying(judge, "the launch for a matrix (%d, %d)", S, d);
    cudaError_t error =
        run((Launch *)f, judge_output(judge, d, S), mat_new(judge->arena, S, d), (EmulatorOptions){ 0 });
    int blocks = (int)emulator_counts().blocks;
    judge_claim(judge, !error,
                (Hints){
                    "the launch is refused: a grid has a block at least (a square that is begun needs one: round up), "
                    "and a block 1 to 1024 threads" });
    judge_claim(judge, blocks <= 3 * squares,
                (Hints){ arena_format(judge->arena, "%d blocks are launched for %d squares", blocks, squares),
                         "how many squares of 32 × 32 lie side by side, and how many below each other?",
                         "⌈d / 32⌉ across, ⌈S / 32⌉ down" });
}

// ---- the values, of each shape in each order of the threads

static const int shapes[][2] = { { 64, 64 }, { 32, 96 }, { 50, 70 }, { 33, 20 }, { 1, 5 } };
static bool shared_used;

// A barrier that some threads of the block do not come to?
static bool is_stuck(const char *finding)
{
    return !strncmp(finding, "deadlock", 8) || !strncmp(finding, "barrier", 7);
}

static void values_case(Judge *judge, Function f, int n)
{
    static const char *const names[] = { "from the first to the last", "from the last to the first", "at random" };
    const int S = shapes[n / ORDERS][0], d = shapes[n / ORDERS][1], seed = n % ORDERS;
    EmulatorOrder order = seed < 2 ? (EmulatorOrder)seed : EMULATOR_RANDOM;
    Random random = random_from(16);
    Mat from = judge_random(judge, &random, S, d), to = judge_output(judge, d, S);
    judge_trying(judge, "my_turned of a matrix (%d, %d), threads %s", S, d, names[order]);
    run((Launch *)f, to, from, (EmulatorOptions){ .order = order, .seed = (uint64_t)seed, .places = !judge->quiet });
    if (judge->quiet) return;
    if (emulator_findings())
        judge_claim(
            judge, false,
            (Hints){ emulator_finding(0),
                     is_stuck(emulator_finding(0))
                         ? "does every thread of the block come to this barrier, and equally often?"
                         : "is every thread within the matrix that it reads, and within the one that it writes? Is "
                           "all of a square there before anybody reads it? Does every thread come to the barrier?" });
    int missing = 0;
    for (int e = 0; e < S * d; e++) missing += isnan(to.at[e]);
    judge_claim(judge, !missing || missing == S * d,
                (Hints){ arena_format(judge->arena, "%d of %d numbers are not reached", missing, S * d),
                         "how many squares does the matrix have, those at its edges counted, too? And whose edge is "
                         "asked for: that of what is read, or of what is written?",
                         "⌈d / 32⌉ across, ⌈S / 32⌉ down" });
    shared_used = emulator_counts().shared_loads.requests + emulator_counts().shared_stores.requests > 0;
}

static Hints values_hints(Judge *judge, Difference d)
{
    (void)judge, (void)d;
    return (Hints){ shared_used ? "what is in row j and column c of `from` does not stand in row c and column j of `to`"
                                : "numbers are not where they belong, and shared memory was not used: an array "
                                  "without __shared__ is each thread's own",
                    "how long is a row of `from`, and how long is one of `to`?", "to[c · S + j] = from[j · d + c]" };
}

// ---- what it asks memory for

static int per_request(EmulatorShared shared)
{
    return shared.requests ? (int)((shared.turns + shared.requests - 1) / shared.requests) : 1;
}

static void check_counts(Judge *judge, Function f)
{
    const int S = 96, d = 64, least = S * d / 8; // a piece is eight floats; two requests may have it
    run((Launch *)f, judge_output(judge, d, S), mat_new(judge->arena, S, d), (EmulatorOptions){ 0 });
    EmulatorCounts counts = emulator_counts();
    Arena *arena = judge->arena;
    judge_trying(judge, "my_turned of a matrix (%d, %d): it is right; what does it ask for", S, d);
    judge_claim(judge, counts.loads.pieces <= 2 * least,
                (Hints){ arena_format(arena, "%d pieces of memory are read: %d are all of `from`",
                                      (int)counts.loads.pieces, least),
                         "which numbers do lanes 0 and 1 read, and how far apart do they lie?" });
    judge_claim(judge, counts.stores.pieces <= 2 * least,
                (Hints){ arena_format(arena, "%d pieces of memory are written: %d are all of `to`",
                                      (int)counts.stores.pieces, least),
                         "which numbers do lanes 0 and 1 write, and how far apart do they lie? Who could hand them "
                         "the right ones?" });
    int loads = per_request(counts.shared_loads), stores = per_request(counts.shared_stores);
    judge_claim(
        judge, loads == 1 && stores == 1,
        (Hints){ arena_format(arena, "%s shared memory takes %d turns", loads > 1 ? "a load from" : "a store to",
                              loads > 1 ? loads : stores),
                 "in which banks does a column of the square lie?",
                 "bank n % 32: how long would rows have to be for neighbours in a column to have different banks?" });
}

#define TASK .answer = AS(Launch, my_launch), .right = AS(Launch, launch_turned), .faulty = AS(Launch, launch_turned)

static const Task tasks[] = {
    { TASK, .check = check_launch,
      .wrong = { { .fault = MANY_BLOCKS, .told = "200 blocks are launched for 2 squares" },
                 { .fault = MANY_THREADS, .told = "the launch is refused" },
                 { .fault = ROUNDED_DOWN, .told = "round up" } } },
    { TASK, .call = values_case, .cases = COUNT(shapes) * ORDERS, .tolerance = 1e-9f, .explain = values_hints,
      .wrong = { FAULT(AS_IT_WAS, "the numbers stand as they were: rows are to become columns"),
                 FAULT(STAYS, "each square is turned, but stays in its place: squares are exchanged, too"),
                 FAULT(NOT_TURNED, "each square goes to its place, but is not turned itself"),
                 { .fault = NO_BARRIER, .told = "which nobody has written" },
                 { .fault = RETURNS, .told = "come to this barrier, and equally often", .hint = 2 },
                 { .fault = WRITE_EDGE, .told = "which nobody has written" },
                 { .fault = ONE_BLOCK, .told = "are not reached" },
                 { .fault = NO_SHARED, .told = "an array without __shared__" } } },
    { TASK, .check = check_counts,
      .wrong = { { .fault = FAR_STORES, .told = "pieces of memory are written" },
                 { .fault = FAR_LOADS, .told = "pieces of memory are read" },
                 { .fault = UNPADDED, .told = "a load from shared memory takes 32 turns" } } },
};
EXERCISE("16e", tasks)
