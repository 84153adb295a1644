// Exercise 16e: my_turned, a kernel. The emulator runs it, in several orders of its threads, and counts.
#include "base/random.h"
#include "chapters/16_cuda/emulator/emulator.h"
#include "chapters/16_cuda/emulator/runtime.h"
#include "exercises/judge.h"

#include <stdlib.h>
#include <string.h>

void my_launch(float *to, const float *from, int S, int d);

enum { SIDE = 32, ORDERS = 4 };

// Where nothing is written, `got` stays what judge_output made it. What the launch said is returned.
static cudaError_t run(Mat got, Mat from, EmulatorOptions options)
{
    size_t bytes = sizeof(float) * (size_t)(from.rows * from.cols);
    void *to_there = NULL, *from_there = NULL;
    float *back = malloc(bytes);
    REQUIRE(back && !cudaMalloc(&to_there, bytes) && !cudaMalloc(&from_there, bytes), "there is no memory");
    cudaMemset(to_there, 0xFF, bytes);
    cudaMemcpy(from_there, from.at, bytes, cudaMemcpyHostToDevice);
    emulator_configure(options);
    emulator_reset();
    my_launch(to_there, from_there, from.rows, from.cols);
    cudaError_t error = cudaGetLastError();
    cudaMemcpy(back, to_there, bytes, cudaMemcpyDeviceToHost);
    for (int e = 0; e < from.rows * from.cols; e++) {
        uint32_t bits;
        memcpy(&bits, &back[e], sizeof bits);
        if (bits != UINT32_MAX) got.at[e] = back[e];
    }
    cudaFree(to_there);
    cudaFree(from_there);
    free(back);
    return error;
}

typedef enum { TURNED, AS_IT_WAS, SQUARES_STAY, SQUARES_KEPT } How;

// (d, S): what would have come out. SQUARES_STAY: each square is turned where it is. SQUARES_KEPT: squares go to their
// places as they are. Both are told of whole squares, S = d, only.
static Mat on_its_side(Arena *arena, Mat from, How how)
{
    Mat to = mat_new(arena, from.cols, from.rows);
    for (int e = 0; e < from.rows * from.cols; e++) {
        int r = e / to.cols, c = e % to.cols, r_in = r % SIDE, c_in = c % SIDE;
        int row = how == SQUARES_STAY ? r - r_in + c_in : how == SQUARES_KEPT ? c - c_in + r_in : c;
        int col = how == SQUARES_STAY ? c - c_in + r_in : how == SQUARES_KEPT ? r - r_in + c_in : r;
        to.at[e] = how == AS_IT_WAS ? from.at[e] : *mat_ref(from, row, col);
    }
    return to;
}

static int unwritten(Mat got)
{
    int count = 0;
    for (int e = 0; e < got.rows * got.cols; e++) count += got.at[e] != got.at[e];
    return count;
}

// How many blocks, of how many threads: asked of a small matrix, since too many take their time.
static void launch_of(Judge *judge, int S, int d)
{
    Mat from = mat_new(judge->arena, S, d), got = judge_output(judge, d, S);
    int squares = ((S + SIDE - 1) / SIDE) * ((d + SIDE - 1) / SIDE);
    judge_trying(judge, "the launch for a matrix (%d, %d)", S, d);
    cudaError_t error = run(got, from, (EmulatorOptions){ 0 });
    judge_claim(
        judge, !error,
        (Hints){ .property =
                     "the launch is refused: a grid has a block at least (a square that is begun needs one: round up), "
                     "and a block 1 to 1024 threads" });
    int blocks = (int)emulator_counts().blocks;
    judge_claim(judge, blocks <= 3 * squares,
                (Hints){ .property =
                             arena_format(judge->arena, "%d blocks are launched for %d squares", blocks, squares),
                         .question = "how many squares of 32 × 32 lie side by side, and how many below each other?",
                         .formula = "⌈d / 32⌉ across, ⌈S / 32⌉ down" });
}

// Is it a finding of a barrier that some threads of the block do not come to?
static bool all_must_come(const char *finding)
{
    return !strncmp(finding, "deadlock", 8) || !strncmp(finding, "barrier", 7);
}

// Task 1 and 2, in one order of the threads.
static void values_of(Judge *judge, int S, int d, int order)
{
    static const char *const names[] = { "from the first to the last", "from the last to the first", "at random" };
    Arena *arena = judge->arena;
    EmulatorOrder threads = order < 2 ? (EmulatorOrder)order : EMULATOR_RANDOM;
    Random random = random_from(16);
    Mat from = mat_new(arena, S, d), got = judge_output(judge, d, S), right;
    random_normals(&random, from);
    right = on_its_side(arena, from, TURNED);
    judge_trying(judge, "my_turned of a matrix (%d, %d), threads %s", S, d, names[threads]);
    run(got, from, (EmulatorOptions){ .order = threads, .seed = (uint64_t)order, .places = true });
    bool stuck = emulator_findings() && all_must_come(emulator_finding(0));
    judge_claim(
        judge, emulator_findings() == 0,
        (Hints){ .property = emulator_finding(0),
                 .question =
                     stuck ? "does every thread of the block come to this barrier, and equally often?"
                           : "is every thread within the matrix that it reads, and within the one that it writes? Is "
                             "all of a square there before anybody reads it? Does every thread come to the barrier?" });
    int missing = unwritten(got);
    EmulatorCounts counts = emulator_counts();
    judge_claim(
        judge, !missing || missing == S * d,
        (Hints){ .property = arena_format(arena, "%d of %d numbers are not reached", missing, S * d),
                 .question =
                     "how many squares does the matrix have, those at its edges counted, too? And whose edge is asked "
                     "for: that of what is read, or of what is written?",
                 .formula = "⌈d / 32⌉ across, ⌈S / 32⌉ down" });
    Answer answer = {
        .got = got,
        .expected = right,
        .tolerance = 1e-9f,
        .hints = { .property = counts.shared_loads.requests + counts.shared_stores.requests == 0
                                   ? "numbers are not where they belong, and shared memory was not used: an array "
                                     "without __shared__ is each thread's own"
                                   : "what is in row j and column c of `from` does not stand in row c and column j "
                                     "of `to`",
                   .question = "how long is a row of `from`, and how long is one of `to`?",
                   .formula = "to[c · S + j] = from[j · d + c]" },
        .mistakes = { { "the numbers stand as they were: rows are to become columns",
                        on_its_side(arena, from, AS_IT_WAS) } }
    };
    if (S == d && S % SIDE == 0) {
        answer.mistakes[1] = (Mistake){ "each square is turned, but stays in its place: squares are exchanged, too",
                                        on_its_side(arena, from, SQUARES_STAY) };
        answer.mistakes[2] = (Mistake){ "each square goes to its place, but is not turned itself",
                                        on_its_side(arena, from, SQUARES_KEPT) };
    }
    judge_answer(judge, answer);
}

static int per_request(EmulatorShared shared)
{
    return shared.requests ? (int)((shared.turns + shared.requests - 1) / shared.requests) : 1;
}

// Tasks 3 and 4.
static void counts_of(Judge *judge, int S, int d)
{
    Random random = random_from(16);
    Mat from = mat_new(judge->arena, S, d), got = judge_output(judge, d, S);
    const int least = S * d / 8; // a piece is eight floats; two requests may have it
    random_normals(&random, from);
    run(got, from, (EmulatorOptions){ 0 });
    EmulatorCounts counts = emulator_counts();
    judge_trying(judge, "my_turned of a matrix (%d, %d): it is right; what does it ask for", S, d);
    judge_claim(judge, counts.loads.pieces <= 2 * least,
                (Hints){ .property = arena_format(judge->arena, "%d pieces of memory are read: %d are all of `from`",
                                                  (int)counts.loads.pieces, least),
                         .question = "which numbers do lanes 0 and 1 read, and how far apart do they lie?" });
    judge_claim(judge, counts.stores.pieces <= 2 * least,
                (Hints){ .property = arena_format(judge->arena, "%d pieces of memory are written: %d are all of `to`",
                                                  (int)counts.stores.pieces, least),
                         .question =
                             "which numbers do lanes 0 and 1 write, and how far apart do they lie? Who could hand them "
                             "the right ones?" });
    int loads = per_request(counts.shared_loads), stores = per_request(counts.shared_stores);
    judge_claim(
        judge, loads == 1 && stores == 1,
        (Hints){
            .property = arena_format(judge->arena, "%s shared memory takes %d turns",
                                     loads > 1 ? "a load from" : "a store to", loads > 1 ? loads : stores),
            .question = "in which banks does a column of the square lie?",
            .formula =
                "bank n % 32: how long would rows have to be for neighbours in a column to have different banks?" });
}

static void check(Judge *judge)
{
    static const int shapes[][2] = { { 64, 64 }, { 32, 96 }, { 50, 70 }, { 33, 20 }, { 1, 5 } };
    launch_of(judge, 5, 40);
    for (int n = 0; n < 5; n++)
        for (int order = 0; order < ORDERS; order++) values_of(judge, shapes[n][0], shapes[n][1], order);
    counts_of(judge, 96, 64);
}

int main(void) { return judge_main("16e", check); }
