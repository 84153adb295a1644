// Exercise 16c: my_softmax, a kernel. The emulator runs it, in several orders of its threads.
#include "chapters/16_cuda/emulator/emulator.h"
#include "chapters/16_cuda/emulator/runtime.h"
#include "exercises/judge.h"

#include <string.h>

typedef void Launch(float *weights, const float *scores, int rows, int S, int blocks);
Launch my_launch, launch_softmax; // the reader's, and that of answers_16c.cu

enum { ROWS = 5, BLOCKS = 2, ORDERS = 6, NEEDED = 4, CASES = 2 * ORDERS };

// As in answers_16c.cu.
enum { NO_FIRST = 1, NO_SECOND, NO_THIRD, NO_LAST, LANE_0_ONLY, IN_LOOP, IDLE_RETURN, ONE_MORE, NOT_DIVIDED };

// A barrier that some threads of the block do not come to?
static bool is_stuck(const char *finding)
{
    return !strncmp(finding, "deadlock", 8) || !strncmp(finding, "barrier", 7);
}

static void softmax_case(Judge *judge, Function f, int n)
{
    static const char *const names[] = { "from the first to the last", "from the last to the first", "at random" };
    const int S = n < ORDERS ? 200 : 20, seed = n % ORDERS; // of 20 scores not every thread has one
    const size_t bytes = sizeof(float) * (size_t)(ROWS * S);
    EmulatorOrder order = seed < 2 ? (EmulatorOrder)seed : EMULATOR_RANDOM;
    Random random = random_from(16);
    Mat scores = judge_random(judge, &random, ROWS, S), weights = judge_output(judge, ROWS, S);
    void *to = NULL, *from = NULL;
    judge_trying(judge, "my_softmax, %d rows of %d scores, %d blocks, threads %s", ROWS, S, BLOCKS, names[order]);
    REQUIRE(!cudaMalloc(&to, bytes) && !cudaMalloc(&from, bytes), "the emulator has no memory");
    cudaMemcpy(to, weights.at, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(from, scores.at, bytes, cudaMemcpyHostToDevice);
    emulator_configure((EmulatorOptions){ .order = order, .seed = (uint64_t)seed, .places = !judge->quiet });
    emulator_reset();
    ((Launch *)f)(to, from, ROWS, S, BLOCKS);
    cudaMemcpy(weights.at, to, bytes, cudaMemcpyDeviceToHost);
    cudaFree(to);
    cudaFree(from);
    if (emulator_findings())
        judge_claim(judge, false,
                    (Hints){
                        emulator_finding(0),
                        is_stuck(emulator_finding(0))
                            ? "does every thread come to this barrier, and equally often?"
                            : "who reads parts while others have yet to write it, who writes it while others "
                              "still read? And does every thread come to each barrier?",
                        "all threads of the block come to a barrier; writes before it, reads behind it, and again a "
                        "barrier before the next writes" });
    if (n < CASES - 1) return;
    int barriers = (int)emulator_counts().barriers / ROWS;
    judge_result(judge, barriers > NEEDED ? barriers : NEEDED);
}

static Hints softmax_hints(Judge *judge, Difference d)
{
    if (d.output == 0) return (Hints){ "the weights are not those of the scores" };
    return (Hints){ arena_format(judge->arena, "a row takes %d barriers; with %d it would be as right",
                                 (int)d.got.at[0], NEEDED),
                    "which barrier lies between no write and read of parts, nor read and write?" };
}

static const Task tasks[] = {
    { AS(Launch, my_launch), AS(Launch, launch_softmax), softmax_case, CASES, .explain = softmax_hints,
      .faulty = AS(Launch, launch_softmax), .hints = { { 0 }, { .of = "the barriers of a row" } },
      .wrong = { { .fault = NO_FIRST, .told = "which nobody has written" },
                 { .fault = NO_SECOND, .told = "race in my_softmax" },
                 { .fault = NO_THIRD, .told = "race in my_softmax" },
                 { .fault = NO_LAST, .told = "race in my_softmax" },
                 { .fault = LANE_0_ONLY, .told = "And does every thread come to each barrier", .hint = 2 },
                 { .fault = IN_LOOP, .told = "does every thread come to this barrier, and equally often", .hint = 2 },
                 { .fault = IDLE_RETURN, .told = "20 threads of 128 wait for each other" },
                 { .fault = ONE_MORE, .told = "a row takes 5 barriers" },
                 FAULT(NOT_DIVIDED, "the weights do not sum to 1: the division is gone") } },
};
EXERCISE("16c", tasks)
