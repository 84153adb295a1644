// Chapter 16. The kernels themselves, run on the CPU by the emulator that the program was built with, or not at all.
#include "steps.h"

#ifdef HAVE_EMULATOR

    #include "base/memory.h"
    #include "emulator/emulator.h"
    #include "kernels.h"

GpuKernel gpu_tiles_narrow, gpu_tiles_open, gpu_mma_plain; // tiles_narrow.cu, tiles_open.cu, mma_plain.cu
cudaError_t gpu_turned(float *scores, const float *q, const float *k, int T, int S, int d); // turned.cu

// clang-format off
static GpuKernel *const kernels[] = {
    [RUN_NAIVE] = gpu_naive, [RUN_TILES] = gpu_tiles, [RUN_ONLINE] = gpu_online, [RUN_MMA] = gpu_mma,
    [RUN_HOPPER] = gpu_hopper, [RUN_DECODE] = gpu_decode, [RUN_TILES_NARROW] = gpu_tiles_narrow,
    [RUN_TILES_OPEN] = gpu_tiles_open, [RUN_MMA_PLAIN] = gpu_mma_plain,
};
// clang-format on

bool can_run(void) { return emulator_runs(); }

static void *room(size_t bytes)
{
    void *there = NULL;
    if (cudaMalloc(&there, bytes + 1)) memory_out(bytes);
    return there;
}

static void *sent(const void *from, size_t bytes)
{
    void *there = room(bytes);
    cudaMemcpy(there, from, bytes, cudaMemcpyHostToDevice);
    return there;
}

static Counted what_was_counted(Arena *arena)
{
    EmulatorCounts c = emulator_counts();
    const EmulatorGlobal *global[] = { &c.loads, &c.stores, &c.copies };
    const EmulatorShared *shared[] = { &c.shared_loads, &c.shared_stores, &c.matrices, &c.copied };
    Counted counts = { .barriers = c.barriers,
                       .warp_products = c.products,
                       .group_products = c.group_products,
                       .operations = 2 * c.multiply_adds,
                       .copies = c.copies.requests,
                       .copied = c.copies.bytes,
                       .loads = c.shared_loads.requests,
                       .load_turns = c.shared_loads.turns,
                       .stores = c.shared_stores.requests,
                       .store_turns = c.shared_stores.turns,
                       .matrices = c.matrices.requests,
                       .matrix_turns = c.matrices.turns,
                       .arrivals = c.copied.requests,
                       .arrival_turns = c.copied.turns };
    for (int n = 0; n < 3; n++) {
        counts.requests += global[n]->requests;
        counts.pieces += global[n]->pieces;
    }
    for (int n = 0; n < 4; n++) {
        counts.shared += shared[n]->requests;
        counts.turns += shared[n]->turns;
    }
    if (emulator_findings() > 0) counts.finding = arena_format(arena, "%s", emulator_finding(0));
    return counts;
}

static void begin(EmulatorOptions options)
{
    emulator_configure(options);
    emulator_reset();
}

static Counted run_with(Lesson *lesson, Run kernel, GpuProblem *problem, EmulatorOptions options)
{
    const GpuProblem *here = problem;
    GpuProblem there = *here;
    size_t rows = (size_t)(here->T * here->H), queries = sizeof *here->q * rows * (size_t)here->d;
    size_t keys = sizeof *here->k * (size_t)(here->S * here->G * here->d);
    void *all[] = { sent(here->q, queries),
                    sent(here->k, keys),
                    sent(here->v, keys),
                    room(queries),
                    room(sizeof *here->lse * rows),
                    NULL };
    there.q = all[0];
    there.k = all[1];
    there.v = all[2];
    there.out = all[3];
    there.lse = all[4];
    int64_t scratch = kernel == RUN_DECODE ? decode_scratch(1, here->H, here->d, gpu_decode_splits(&there))
                                           : (int64_t)here->H * here->T * here->S;
    there.scratch = all[5] = room(sizeof(float) * (size_t)scratch);

    begin(options);
    cudaError_t error = kernels[kernel](&there);
    REQUIRE(!error, "kernel %d: %s", (int)kernel, cudaGetErrorString(error));
    Counted counts = what_was_counted(lesson->arena);

    cudaMemcpy(problem->out, there.out, queries, cudaMemcpyDeviceToHost);
    cudaMemcpy(problem->lse, there.lse, sizeof *there.lse * rows, cudaMemcpyDeviceToHost);
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) cudaFree(all[n]);
    return counts;
}

Counted run(Lesson *lesson, Run kernel, GpuProblem *problem)
{
    return run_with(lesson, kernel, problem, (EmulatorOptions){ .order = EMULATOR_FORWARD });
}

void run_unwatched(Lesson *lesson, Run kernel, GpuProblem *problem)
{
    run_with(lesson, kernel, problem, (EmulatorOptions){ .unchecked = true, .uncounted = true });
}

static size_t bytes_of(Mat m) { return sizeof *m.at * (size_t)(m.rows * m.cols); }

static cudaError_t turned_here(Mat scores, Mat q, Mat k)
{
    void *all[] = { room(bytes_of(scores)), sent(q.at, bytes_of(q)), sent(k.at, bytes_of(k)) };
    cudaError_t error = gpu_turned(all[0], all[1], all[2], q.rows, k.cols, q.cols);
    cudaMemcpy(scores.at, all[0], bytes_of(scores), cudaMemcpyDeviceToHost);
    for (int n = 0; n < 3; n++) cudaFree(all[n]);
    return error;
}

// The rows of these matrices lie side by side.
Counted run_first(Lesson *lesson, Mat scores, Mat q, Mat k, bool turned, bool backward)
{
    begin((EmulatorOptions){ .order = backward ? EMULATOR_REVERSE : EMULATOR_FORWARD });
    cudaError_t error = turned ? turned_here(scores, q, k) : gpu_first(scores.at, q.at, k.at, q.rows, k.rows, q.cols);
    if (error == cudaErrorMemoryAllocation) memory_out(bytes_of(q) + bytes_of(k) + bytes_of(scores));
    REQUIRE(!error, "the first kernel: %s", cudaGetErrorString(error));
    return what_was_counted(lesson->arena);
}

#else

bool can_run(void) { return false; }

Counted run(Lesson *lesson, Run kernel, GpuProblem *problem)
{
    (void)lesson;
    (void)kernel;
    (void)problem;
    return (Counted){ .requests = 0 };
}

void run_unwatched(Lesson *lesson, Run kernel, GpuProblem *problem) { run(lesson, kernel, problem); }

Counted run_first(Lesson *lesson, Mat scores, Mat q, Mat k, bool turned, bool backward)
{
    (void)lesson;
    (void)scores;
    (void)q;
    (void)k;
    (void)turned;
    (void)backward;
    return (Counted){ .requests = 0 };
}

#endif
