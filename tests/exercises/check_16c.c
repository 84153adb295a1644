// Exercise 16c: my_softmax, a kernel. The emulator runs it, in several orders of its threads.
#include "base/portable_math.h"
#include "base/random.h"
#include "chapters/16_cuda/emulator/emulator.h"
#include "chapters/16_cuda/emulator/runtime.h"
#include "exercises/judge.h"

#include <string.h>

void my_launch(float *weights, const float *scores, int rows, int S, int blocks);

enum { ROWS = 5, BLOCKS = 2, ORDERS = 6, NEEDED = 4 };

static Mat softened(Arena *arena, Mat scores, bool divided)
{
    Mat weights = mat_new(arena, ROWS, scores.cols);
    for (int i = 0; i < ROWS; i++) {
        float max = -INFINITY, sum = 0.0f;
        for (int j = 0; j < scores.cols; j++) max = fmaxf(max, *mat_ref(scores, i, j));
        for (int j = 0; j < scores.cols; j++) sum += *mat_ref(weights, i, j) = expf(*mat_ref(scores, i, j) - max);
        for (int j = 0; j < scores.cols && divided; j++) *mat_ref(weights, i, j) /= sum;
    }
    return weights;
}

// got is what the kernel has written; the barriers that it took are returned.
static int run(Mat got, Mat scores, EmulatorOptions options)
{
    size_t bytes = sizeof(float) * (size_t)(ROWS * scores.cols);
    void *weights = NULL, *from = NULL;
    REQUIRE(!cudaMalloc(&weights, bytes) && !cudaMalloc(&from, bytes), "the emulator has no memory");
    cudaMemset(weights, 0xFF, bytes);
    cudaMemcpy(from, scores.at, bytes, cudaMemcpyHostToDevice);
    emulator_configure(options);
    emulator_reset();
    my_launch(weights, from, ROWS, scores.cols, BLOCKS);
    cudaMemcpy(got.at, weights, bytes, cudaMemcpyDeviceToHost);
    cudaFree(weights);
    cudaFree(from);
    return (int)emulator_counts().barriers;
}

// Is it a finding of a barrier that some threads of the block do not come to?
static bool all_must_come(const char *finding)
{
    return !strncmp(finding, "deadlock", 8) || !strncmp(finding, "barrier", 7);
}

// The barriers that a run took.
static int softens(Judge *judge, int S)
{
    static const char *const names[] = { "from the first to the last", "from the last to the first", "at random" };
    Random random = random_from(16);
    Mat scores = mat_new(judge->arena, ROWS, S), got = mat_new(judge->arena, ROWS, S);
    random_normals(&random, scores);
    Mat right = softened(judge->arena, scores, true);
    int barriers = 0;
    for (int n = 0; n < ORDERS; n++) {
        EmulatorOrder order = n < 2 ? (EmulatorOrder)n : EMULATOR_RANDOM;
        judge_trying(judge, "my_softmax, %d rows of %d scores, %d blocks, threads %s", ROWS, S, BLOCKS, names[order]);
        barriers = run(got, scores, (EmulatorOptions){ .order = order, .seed = (uint64_t)n, .places = true });
        bool stuck = emulator_findings() && all_must_come(emulator_finding(0));
        judge_claim(
            judge, emulator_findings() == 0,
            (Hints){
                .property = emulator_finding(0),
                .question = stuck ? "does every thread come to this barrier, and equally often?"
                                  : "who reads parts while others have yet to write it, who writes it while others "
                                    "still read? And does every thread come to each barrier?",
                .formula = "all threads of the block come to a barrier; writes before it, reads behind it, and again a "
                           "barrier before the next writes" });
        judge_answer(judge, (Answer){ .got = got,
                                      .expected = right,
                                      .hints = { .property = "the weights are not those of the scores" },
                                      .mistakes = { { "the weights do not sum to 1: the division is gone",
                                                      softened(judge->arena, scores, false) } } });
    }
    return barriers;
}

static void check(Judge *judge)
{
    int barriers = softens(judge, 200);
    softens(judge, 20); // not every thread has a score
    judge_trying(judge, "my_softmax: no race is found, and the weights are right");
    judge_claim(judge, barriers <= NEEDED * ROWS,
                (Hints){ .property = arena_format(judge->arena, "a row takes %d barriers; with %d it would be as right",
                                                  barriers / ROWS, NEEDED),
                         .question = "which barrier lies between no write and read of parts, nor read and write?" });
}

int main(void) { return judge_main("16c", check); }
